use super::desk::{BTC, Desk, SOL};
use crate::exchange::engine::*;

fn scaled(desk: &Desk, market: usize, size: &str, ends: (&str, &str), rungs: u32) -> ScaledParams {
    ScaledParams {
        market: market.into(),
        side: Side::Buy,
        size: desk.lots(market, size),
        leverage: 10,
        margin_mode: MarginMode::Cross,
        reduction: Reduction::May,
        start_price: desk.px(market, ends.0),
        end_price: desk.px(market, ends.1),
        rung_count: rungs,
        distribution: Distribution::Flat,
    }
}

fn place(desk: &mut Desk, order: ScaledParams) -> ScaledId {
    match desk.apply(EngineCommand::PlaceScaled(order)) {
        Ok(CommandOutcome::Scaled(id)) => id,
        other => panic!("{other:?}"),
    }
}

fn row(desk: &Desk, id: ScaledId) -> ScaledRecord {
    desk.engine.scaled(desk.me, id).unwrap().clone()
}

#[test]
fn a_scaled_order_is_ordinary_limits_linked_to_it() {
    let mut desk = Desk::new(100_000);
    desk.at(BTC, "84000");
    let order = scaled(&desk, BTC, "0.003", ("83000", "82000"), 3);
    let id = place(&mut desk, order);
    let made = row(&desk, id);
    assert_eq!(
        (made.status, made.placed_count, made.rejected_count),
        (ScaledStatus::Working, 3, 0)
    );
    let rungs: Vec<(Px, Lots)> = made
        .rungs
        .iter()
        .map(|rung| (rung.price, rung.size))
        .collect();
    let lot = desk.lots(BTC, "0.001");
    assert_eq!(
        rungs,
        ["83000", "82500", "82000"].map(|px| (desk.px(BTC, px), lot))
    );
    for rung in made.rungs {
        let order = desk.row(rung.order.unwrap());
        assert_eq!(
            (order.scaled, order.status, order.mode),
            (Some(id), OrderStatus::Resting, OrderMode::Limit)
        );
    }
}

#[test]
fn a_scaled_order_finer_than_the_tick_has_rungs_at_one_price() {
    let mut desk = Desk::new(100_000);
    let order = scaled(&desk, SOL, "5", ("99.002", "99"), 5);
    let id = place(&mut desk, order);
    let made = row(&desk, id);
    let prices: Vec<Px> = made.rungs.iter().map(|rung| rung.price).collect();
    assert_eq!(
        prices,
        ["99.002", "99.001", "99.001", "99", "99"].map(|px| desk.px(SOL, px))
    );
    assert_eq!(made.placed_count, 5);
}

#[test]
fn rungs_the_account_cannot_pay_for_say_so_and_have_no_order() {
    let mut desk = Desk::new(100);
    let order = scaled(&desk, SOL, "20", ("99", "90"), 4);
    let id = place(&mut desk, order);
    let made = row(&desk, id);
    assert_eq!((made.placed_count, made.rejected_count), (2, 2));
    let told: Vec<_> = made
        .rungs
        .iter()
        .map(|rung| (rung.order.is_some(), rung.reject_reason))
        .collect();
    let short = (false, Some(Reason::InsufficientMargin));
    assert_eq!(told, [(true, None), (true, None), short, short]);
    let total: Lots = made.rungs.iter().map(|rung| rung.size).sum();
    assert_eq!(total, made.total_size);
}

#[test]
fn canceling_a_scaled_order_cancels_its_working_rungs_and_keeps_the_filled_ones() {
    let mut desk = Desk::new(100_000);
    let order = scaled(&desk, SOL, "3", ("99", "97"), 3);
    let id = place(&mut desk, order);
    desk.book(SOL, &[("98", "9")], &[("98.5", "9")], "98.2");
    assert_eq!(desk.held(SOL), desk.lots(SOL, "1"));
    desk.apply(EngineCommand::CancelScaled(id)).unwrap();
    let canceled = row(&desk, id);
    assert_eq!(canceled.status, ScaledStatus::Canceled);
    assert_eq!(canceled.placed_count, 3, "what was placed stays told");
    let fates: Vec<_> = canceled
        .rungs
        .iter()
        .map(|rung| desk.ending(rung.order.unwrap()))
        .collect();
    let gone = (
        OrderStatus::Canceled,
        Lots::ZERO,
        Some(Reason::ParentCanceled),
    );
    assert_eq!(fates, [(OrderStatus::Filled, Lots(100), None), gone, gone]);
}

#[test]
fn a_scaled_order_is_complete_when_no_rung_works_and_some_filled() {
    let mut desk = Desk::new(100_000);
    let order = scaled(&desk, SOL, "2", ("99", "98"), 2);
    let id = place(&mut desk, order);
    desk.at(SOL, "97");
    let done = row(&desk, id);
    assert_eq!(
        (done.status, done.completed_at),
        (ScaledStatus::Completed, Some(desk.engine.now()))
    );
    let order = scaled(&desk, SOL, "2", ("90", "89"), 2);
    let empty = place(&mut desk, order);
    for rung in row(&desk, empty).rungs {
        desk.apply(EngineCommand::Cancel(rung.order.unwrap()))
            .unwrap();
    }
    assert_eq!(row(&desk, empty).status, ScaledStatus::Canceled);
}

#[test]
fn a_scaled_order_with_rungs_too_small_is_refused_whole() {
    let mut desk = Desk::new(100_000);
    let small = scaled(&desk, SOL, "0.5", ("99", "90"), 10);
    let refusal = desk.apply(EngineCommand::PlaceScaled(small)).unwrap_err();
    assert_eq!(
        (refusal.kind, refusal.code),
        (RefusalKind::Payload, Reason::InvalidScaled)
    );
    assert_eq!(desk.engine.scaled_orders(desk.me).count(), 0);
}

#[test]
fn a_scaled_order_none_of_whose_rungs_is_taken_is_rejected() {
    let mut desk = Desk::new(10);
    let order = scaled(&desk, SOL, "20", ("99", "90"), 4);
    let id = place(&mut desk, order);
    let made = row(&desk, id);
    assert_eq!(
        (made.status, made.placed_count, made.rejected_count),
        (ScaledStatus::Rejected, 0, 4)
    );
    assert_eq!(
        (made.completed_at, made.canceled_at),
        (Some(desk.engine.now()), None)
    );
}

#[test]
fn a_selling_scaled_order_is_signed_and_grows_by_equal_steps() {
    let mut desk = Desk::new(100_000);
    desk.at(SOL, "146");
    let order = ScaledParams {
        side: Side::Sell,
        distribution: Distribution::Ascending,
        ..scaled(&desk, SOL, "10", ("150", "147"), 4)
    };
    let id = place(&mut desk, order);
    let made = row(&desk, id);
    assert_eq!(made.total_size, desk.lots(SOL, "-10"));
    let rungs: Vec<(Px, Lots)> = made
        .rungs
        .iter()
        .map(|rung| (rung.price, rung.size))
        .collect();
    let told = [("150", "-1"), ("149", "-2"), ("148", "-3"), ("147", "-4")];
    assert_eq!(
        rungs,
        told.map(|(px, coins)| (desk.px(SOL, px), desk.lots(SOL, coins)))
    );
}

#[test]
fn a_scaled_order_into_half_a_book_rests() {
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[], &[("100", "9")], "100");
    let order = scaled(&desk, SOL, "3", ("99", "97"), 3);
    let id = place(&mut desk, order);
    let made = row(&desk, id);
    assert_eq!((made.status, made.placed_count), (ScaledStatus::Working, 3));
}
