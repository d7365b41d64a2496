use super::desk::{Desk, SOL, nano, usd};
use crate::exchange::engine::*;

fn start(desk: &mut Desk, order: TwapParams) -> TwapId {
    match desk.apply(EngineCommand::PlaceTwap(order)) {
        Ok(CommandOutcome::Twap(id)) => id,
        other => panic!("{other:?}"),
    }
}

fn row(desk: &Desk, id: TwapId) -> TwapRecord {
    desk.engine.twap(desk.me, id).unwrap().clone()
}

fn children(desk: &Desk, id: TwapId) -> Vec<Lots> {
    let mut sizes: Vec<Lots> = desk
        .engine
        .orders(desk.me, None)
        .filter(|order| order.twap == Some(id))
        .map(|order| order.filled_size)
        .collect();
    sizes.reverse();
    sizes
}

const MINUTES_5: Millis = Millis::seconds(300);

#[test]
fn slices_run_on_time_sum_exactly_and_finish_the_order() {
    let mut desk = Desk::new(100_000);
    let began = desk.engine.now();
    let order = desk.twap(SOL, Side::Buy, "10");
    let id = start(&mut desk, order);
    let first = row(&desk, id);
    assert_eq!(
        (
            first.status,
            first.slice_interval_seconds,
            first.slice_count,
            first.slices_attempted
        ),
        (TwapStatus::Active, 30, 11, 1)
    );
    assert_eq!(
        (first.next_run_at, first.end_at),
        (Some(began + Millis::seconds(30)), Some(began + MINUTES_5))
    );
    desk.pass(MINUTES_5);
    let done = row(&desk, id);
    assert_eq!(
        (done.status, done.completion_reason, done.filled_size),
        (
            TwapStatus::Completed,
            Some(CompletionReason::Filled),
            done.total_size
        )
    );
    assert_eq!(
        (done.average_price, done.completed_at, done.next_run_at),
        (Some(nano("100")), Some(began + MINUTES_5), None)
    );
    let children = children(&desk, id);
    assert_eq!(children.len(), 11);
    assert_eq!(children.into_iter().sum::<Lots>(), desk.lots(SOL, "10"));
    assert_eq!(desk.held(SOL), desk.lots(SOL, "10"));
}

#[test]
fn a_sell_is_signed_and_random_slices_end_on_the_total() {
    let mut desk = Desk::new(100_000);
    let order = TwapParams {
        pacing: Pacing::Randomized,
        ..desk.twap(SOL, Side::Sell, "100")
    };
    let id = start(&mut desk, order);
    desk.pass(MINUTES_5);
    let done = row(&desk, id);
    assert_eq!(
        (done.total_size, done.filled_size),
        (desk.lots(SOL, "-100"), desk.lots(SOL, "-100"))
    );
    let mut sizes = children(&desk, id);
    sizes.dedup();
    assert!(sizes.len() > 2, "no two neighbours alike");
}

#[test]
fn a_dry_market_is_caught_up_at_three_slices_a_time_and_may_end_short() {
    let mut desk = Desk::new(100_000);
    let order = desk.twap(SOL, Side::Buy, "11");
    let id = start(&mut desk, order);
    desk.book(SOL, &[("90", "1")], &[("110", "1")], "100");
    desk.pass(Millis::seconds(240));
    desk.at(SOL, "100");
    desk.pass(Millis::seconds(60));
    let done = row(&desk, id);
    assert_eq!(
        (done.status, done.completion_reason, done.filled_size),
        (
            TwapStatus::Completed,
            Some(CompletionReason::DurationElapsed),
            desk.lots(SOL, "7")
        ),
        "1 at once, then 3 and 3"
    );
}

#[test]
fn slices_that_nobody_was_there_to_run_become_one_of_at_most_three() {
    let mut desk = Desk::new(100_000);
    let order = desk.twap(SOL, Side::Buy, "11");
    let id = start(&mut desk, order);
    let began = desk.engine.now();
    desk.engine.skip_until(began + Millis::seconds(160));
    desk.show_at(SOL, "100");
    desk.step();
    let back = row(&desk, id);
    assert_eq!(
        (back.slices_attempted, back.next_run_at),
        (6, Some(began + Millis::seconds(180)))
    );
    assert_eq!(children(&desk, id), [Lots(100), Lots(300)]);
    desk.engine.skip_until(began + Millis::HOUR);
    desk.step();
    let over = row(&desk, id);
    assert_eq!(
        (over.slices_attempted, over.completion_reason),
        (11, Some(CompletionReason::DurationElapsed))
    );
    assert_eq!(children(&desk, id).len(), 3);
}

#[test]
fn a_trigger_holds_it_back_and_a_bound_ends_it() {
    let mut desk = Desk::new(100_000);
    let order = TwapParams {
        trigger_price: Some(desk.px(SOL, "105")),
        max_price: Some(desk.px(SOL, "108")),
        ..desk.twap(SOL, Side::Buy, "10")
    };
    let id = start(&mut desk, order);
    desk.pass(Millis::seconds(60));
    assert_eq!(row(&desk, id).status, TwapStatus::Pending);
    desk.at(SOL, "105");
    let active = row(&desk, id);
    assert_eq!(
        (active.status, active.activated_at, active.slices_attempted),
        (TwapStatus::Active, Some(desk.engine.now()), 1)
    );
    desk.at(SOL, "108");
    let ended = row(&desk, id);
    assert_eq!(
        (ended.status, ended.completion_reason),
        (
            TwapStatus::Completed,
            Some(CompletionReason::MaxPriceReached)
        )
    );
    assert_eq!(desk.engine.live_twaps(desk.me).count(), 0);
}

#[test]
fn a_trigger_met_beyond_a_bound_buys_nothing() {
    let mut desk = Desk::new(100_000);
    let order = TwapParams {
        trigger_price: Some(desk.px(SOL, "105")),
        max_price: Some(desk.px(SOL, "110")),
        ..desk.twap(SOL, Side::Buy, "10")
    };
    let id = start(&mut desk, order);
    desk.at(SOL, "112");
    let ended = row(&desk, id);
    assert_eq!(
        (
            ended.status,
            ended.completion_reason,
            ended.slices_attempted
        ),
        (
            TwapStatus::Completed,
            Some(CompletionReason::MaxPriceReached),
            0
        )
    );
    assert_eq!(desk.held(SOL), Lots::ZERO);
}

#[test]
fn one_that_waits_below_the_market_starts_on_the_way_down_and_can_be_stopped_before() {
    let mut desk = Desk::new(100_000);
    let order = TwapParams {
        trigger_price: Some(desk.px(SOL, "95")),
        ..desk.twap(SOL, Side::Buy, "10")
    };
    let (id, stopped) = (start(&mut desk, order.clone()), start(&mut desk, order));
    desk.apply(EngineCommand::StopTwap(stopped)).unwrap();
    desk.at(SOL, "96");
    assert_eq!(row(&desk, id).status, TwapStatus::Pending);
    desk.at(SOL, "95");
    assert_eq!(row(&desk, id).status, TwapStatus::Active);
    let never = row(&desk, stopped);
    assert_eq!(
        (never.status, never.completion_reason, never.activated_at),
        (
            TwapStatus::Canceled,
            Some(CompletionReason::CanceledByUser),
            None
        )
    );
    assert_eq!(never.slices_attempted, 0);
}

#[test]
fn a_slice_is_a_market_order_of_its_own_that_names_its_twap_and_only_reduces_if_that_does() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "11");
    for reduction in [Reduction::Only, Reduction::May] {
        let order = TwapParams {
            reduction,
            ..desk.twap(SOL, Side::Sell, "11")
        };
        let id = start(&mut desk, order);
        let child = desk.row(row(&desk, id).current_child_order.unwrap());
        assert_eq!(
            (child.twap, child.mode, child.time_in_force, child.slippage),
            (
                Some(id),
                OrderMode::Market,
                TimeInForce::Ioc,
                Some(Bps(300))
            )
        );
        assert_eq!(child.reduce_only, reduction == Reduction::Only);
    }
}

#[test]
fn stopping_keeps_what_is_filled_and_runs_no_further_slice() {
    let mut desk = Desk::new(100_000);
    let order = desk.twap(SOL, Side::Buy, "11");
    let id = start(&mut desk, order);
    desk.apply(EngineCommand::StopTwap(id)).unwrap();
    desk.pass(MINUTES_5);
    let stopped = row(&desk, id);
    assert_eq!(
        (
            stopped.status,
            stopped.completion_reason,
            stopped.filled_size
        ),
        (
            TwapStatus::Canceled,
            Some(CompletionReason::CanceledByUser),
            desk.lots(SOL, "1")
        )
    );
    assert!(stopped.canceled_at.is_some() && stopped.completed_at.is_none());
    assert_eq!(
        desk.apply(EngineCommand::StopTwap(id)),
        Ok(CommandOutcome::Twap(id)),
        "stopping twice is safe"
    );
}

#[test]
fn a_reduce_only_twap_ends_when_the_position_is_gone() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "11");
    let order = TwapParams {
        reduction: Reduction::Only,
        ..desk.twap(SOL, Side::Sell, "11")
    };
    let id = start(&mut desk, order);
    desk.market(SOL, Side::Sell, "10");
    desk.pass(Millis::seconds(30));
    assert_eq!(
        row(&desk, id).completion_reason,
        Some(CompletionReason::PositionClosed)
    );
}

#[test]
fn a_slice_worth_less_than_an_order_may_be_waits_for_the_next() {
    let mut desk = Desk::new(100_000);
    let order = desk.twap(SOL, Side::Buy, "1");
    let id = start(&mut desk, order);
    let first = row(&desk, id);
    assert_eq!(
        (
            first.slices_attempted,
            first.filled_size,
            first.current_child_order
        ),
        (1, Lots::ZERO, None),
        "9 dollars"
    );
    assert_eq!(first.average_price, None, "of nothing there is no average");
    desk.pass(Millis::seconds(30));
    assert_eq!(row(&desk, id).filled_size, desk.lots(SOL, "0.18"));
    desk.pass(Millis::seconds(270));
    assert_eq!(
        row(&desk, id).completion_reason,
        Some(CompletionReason::Filled)
    );
    assert_eq!(desk.held(SOL), desk.lots(SOL, "1"));
}

#[test]
fn three_slices_without_margin_fail_it() {
    let mut desk = Desk::new(100);
    let order = desk.twap(SOL, Side::Buy, "220");
    let id = start(&mut desk, order);
    desk.pass(Millis::seconds(60));
    let failed = row(&desk, id);
    assert_eq!(
        (
            failed.status,
            failed.completion_reason,
            failed.slices_attempted
        ),
        (
            TwapStatus::Failed,
            Some(CompletionReason::InsufficientMargin),
            3
        )
    );
}

#[test]
fn a_vwap_fills_its_total_too() {
    let mut desk = Desk::new(100_000);
    let order = TwapParams {
        kind: Curve::Vwap,
        duration_minutes: 120,
        ..desk.twap(SOL, Side::Buy, "240")
    };
    let id = start(&mut desk, order);
    desk.pass(Millis::HOUR);
    let half = row(&desk, id).filled_size;
    assert!(
        half > desk.lots(SOL, "130"),
        "hour 0 is the busier one: {half:?}"
    );
    desk.pass(Millis::HOUR);
    assert_eq!(row(&desk, id).filled_size, desk.lots(SOL, "240"));
}

#[test]
fn terms_a_twap_cannot_have_are_refused() {
    let mut desk = Desk::new(100_000);
    let base = desk.twap(SOL, Side::Buy, "10");
    let cases = [
        (
            TwapParams {
                duration_minutes: 4,
                ..base.clone()
            },
            Reason::InvalidTwap,
        ),
        (
            TwapParams {
                size: desk.lots(SOL, "0.99"),
                ..base.clone()
            },
            Reason::BelowMinNotional,
        ),
        (
            TwapParams {
                max_price: Some(desk.px(SOL, "100")),
                ..base
            },
            Reason::TriggerWouldFire,
        ),
    ];
    for (order, reason) in cases {
        let refusal = desk.apply(EngineCommand::PlaceTwap(order)).unwrap_err();
        assert_eq!(refusal.code, reason);
    }
    assert_eq!(usd("0"), desk.facts().order_holds);
}

#[test]
fn a_bound_that_the_trigger_has_reached_is_refused_and_named() {
    let mut desk = Desk::new(100_000);
    let mut refused = |trigger: &str, max: Option<&str>, min: Option<&str>| {
        let order = TwapParams {
            trigger_price: Some(desk.px(SOL, trigger)),
            max_price: max.map(|px| desk.px(SOL, px)),
            min_price: min.map(|px| desk.px(SOL, px)),
            ..desk.twap(SOL, Side::Buy, "10")
        };
        let refusal = desk.apply(EngineCommand::PlaceTwap(order)).err()?;
        assert_eq!(
            (refusal.kind, refusal.code),
            (RefusalKind::Payload, Reason::InvalidTwap)
        );
        Some((refusal.field.unwrap(), refusal.message))
    };
    let (field, message) = refused("105", Some("104"), None).unwrap();
    assert_eq!(field, "max_price");
    assert_eq!(message, "max_price 104 must be above trigger_price 105");
    let (field, message) = refused("95", None, Some("96")).unwrap();
    assert_eq!(field, "min_price");
    assert_eq!(message, "min_price 96 must be below trigger_price 95");
    assert!(refused("105", Some("105"), None).is_some(), "met at once");
    assert!(refused("105", None, Some("106")).is_some());
    assert!(refused("95", Some("94"), None).is_some());
    assert_eq!(refused("105", Some("106"), Some("104")), None);
    assert_eq!(refused("95", Some("96"), Some("94")), None);
}

#[test]
fn a_twap_ends_for_what_ended_it() {
    let mut desk = Desk::new(100_000);
    let bounded = TwapParams {
        min_price: Some(desk.px(SOL, "95")),
        ..desk.twap(SOL, Side::Sell, "11")
    };
    let id = start(&mut desk, bounded);
    desk.at(SOL, "95");
    let end = |desk: &Desk, id| {
        let row = row(desk, id);
        (row.status, row.completion_reason)
    };
    let reached = (
        TwapStatus::Completed,
        Some(CompletionReason::MinPriceReached),
    );
    assert_eq!(end(&desk, id), reached);

    let order = desk.twap(SOL, Side::Sell, "11");
    let id = start(&mut desk, order);
    desk.book(SOL, &[], &[("95", "9")], "95");
    desk.pass(Millis::seconds(90));
    let closed = (
        TwapStatus::Failed,
        Some(CompletionReason::MarketUnavailable),
    );
    assert_eq!(end(&desk, id), closed);
}
