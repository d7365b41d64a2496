//! `serve --keep`: rows go some time after their end, and nothing else changes by it.

use super::{
    checkpoint::Shelf,
    desk::{BTC, Desk, ETH, SOL},
};
use crate::exchange::engine::*;
use proptest::prelude::*;

const TWO_DAYS: Millis = Millis(2 * Millis::DAY.0);

fn desk(keep: Option<Millis>) -> Desk {
    let mut desk = Desk::new(1_000_000);
    desk.engine.keep_for(keep);
    desk
}

/// Numbers of the account's orders, newest first.
fn orders(desk: &Desk) -> Vec<u64> {
    let rows = desk.engine.orders(desk.me, None);
    rows.map(|row| row.id.seq()).collect()
}

/// An entry that is filled, whose stop works.
fn with_stop(desk: &mut Desk) -> OrderId {
    let stop = desk.px(BTC, "40000");
    let order = OrderParams {
        exits: AttachedExits {
            take_profit: None,
            stop_loss: Some(stop),
        },
        ..desk.order(BTC, Side::Buy, "0.1")
    };
    desk.place(order).unwrap()
}

fn scaled(desk: &mut Desk) -> ScaledId {
    let scaled = ScaledParams {
        market: SOL.into(),
        side: Side::Buy,
        size: desk.lots(SOL, "30"),
        leverage: 10,
        margin_mode: MarginMode::Cross,
        reduction: Reduction::May,
        start_price: desk.px(SOL, "90"),
        end_price: desk.px(SOL, "80"),
        rung_count: 3,
        distribution: Distribution::Flat,
    };
    let Ok(CommandOutcome::Scaled(id)) = desk.apply(EngineCommand::PlaceScaled(scaled)) else {
        panic!("a scaled order was placed")
    };
    id
}

fn twap(desk: &mut Desk) -> TwapId {
    let twap = desk.twap(ETH, Side::Buy, "2");
    let Ok(CommandOutcome::Twap(id)) = desk.apply(EngineCommand::PlaceTwap(twap)) else {
        panic!("a TWAP was placed")
    };
    id
}

#[test]
fn what_ended_long_ago_goes_what_is_open_stays_and_no_money_changes() {
    let run = |keep| {
        let mut desk = desk(keep);
        let closed = desk.market(SOL, Side::Buy, "10");
        desk.market(SOL, Side::Sell, "10");
        let position = desk.last_closed().id;
        let entry = with_stop(&mut desk);
        let stop = desk.engine.working_orders(desk.me).next().unwrap().id;
        let resting = desk.place(desk.limit(ETH, Side::Buy, "1", "2500")).unwrap();
        let scaled = scaled(&mut desk);
        desk.apply(EngineCommand::CancelScaled(scaled)).unwrap();
        let twap = twap(&mut desk);
        desk.apply(EngineCommand::StopTwap(twap)).unwrap();
        for _ in 0..3 {
            desk.next_day();
        }
        (
            desk,
            (closed, position, scaled, twap),
            [resting, stop, entry],
        )
    };
    let (all, ..) = run(None);
    let (mut kept, (closed, position, scaled, twap), open) = run(Some(TWO_DAYS));
    let (engine, me) = (&kept.engine, kept.me);
    assert_eq!(
        orders(&kept),
        open.map(OrderId::seq),
        "and the entry that the stop protects"
    );
    assert_eq!(engine.order(me, closed), None);
    assert_eq!(engine.position(me, position), None);
    assert_eq!(engine.closed_positions(me, None).count(), 0);
    assert_eq!(engine.scaled(me, scaled), None);
    assert_eq!(engine.scaled_orders(me).count(), 0);
    assert_eq!(engine.twap(me, twap), None);
    assert_eq!(engine.twap_orders(me).count(), 0);

    assert_eq!(kept.facts(), all.facts());
    assert_eq!(engine.log_hash(), all.engine.log_hash());
    assert_eq!(all.engine.closed_positions(all.me, None).count(), 1);
    let refused = kept.apply(EngineCommand::Cancel(closed)).unwrap_err();
    assert_eq!(refused.kind, RefusalKind::NotFound);
    let before = all.engine.orders.len();
    let next = kept.market(SOL, Side::Buy, "1");
    assert_eq!(usize::from(next), before, "no number is given twice");
}

#[test]
fn a_page_goes_on_from_a_row_that_is_gone() {
    let mut desk = desk(Some(TWO_DAYS));
    let old = desk.place(desk.limit(ETH, Side::Buy, "1", "2500")).unwrap();
    let gone = desk.market(SOL, Side::Buy, "1");
    let cursor = desk.row(gone).key();
    for _ in 0..3 {
        desk.next_day();
    }
    let new = desk.market(SOL, Side::Buy, "1");
    assert_eq!(orders(&desk), [new.seq(), old.seq()]);
    let page = desk.engine.orders(desk.me, Some(cursor));
    assert_eq!(page.map(|row| row.id).collect::<Vec<_>>(), [old]);
}

#[test]
fn a_checkpoint_that_lost_rows_is_refused_though_rows_may_be_dropped() {
    let mut desk = desk(Some(TWO_DAYS));
    desk.market(SOL, Side::Buy, "1");
    desk.next_day();
    desk.next_day();
    desk.next_day();
    desk.market(SOL, Side::Buy, "1");
    let Checkpoint { core, chunks } = desk.engine.checkpoint().unwrap();
    assert!(Engine::restore(&core, chunks.clone()).is_ok());
    let lost = chunks
        .into_iter()
        .filter(|chunk| chunk.table != CheckpointTable::Orders);
    let lost = Engine::restore(&core, lost);
    assert!(matches!(lost, Err(CheckpointFault::Rows { found: 0, .. })));
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Market(Side),
    Limit,
    WithStop,
    CancelOne,
    Scaled,
    CancelScaled,
    Twap,
    StopTwaps,
    Price(i64),
    Hour,
    Day,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => prop_oneof![Just(Side::Buy), Just(Side::Sell)].prop_map(Act::Market),
        2 => Just(Act::Limit),
        2 => Just(Act::WithStop),
        2 => Just(Act::CancelOne),
        1 => Just(Act::Scaled),
        1 => Just(Act::CancelScaled),
        1 => Just(Act::Twap),
        1 => Just(Act::StopTwaps),
        2 => (39_000..51_000_i64).prop_map(Act::Price),
        2 => Just(Act::Hour),
        4 => Just(Act::Day),
    ]
}

/// Refused commands are part of the run.
fn run(desk: &mut Desk, act: Act) {
    let cancel = |desk: &mut Desk, command| drop(desk.apply(command));
    match act {
        Act::Market(side) => drop(desk.place(desk.order(BTC, side, "0.1"))),
        Act::Limit => drop(desk.place(desk.limit(BTC, Side::Buy, "0.1", "38000"))),
        Act::WithStop => {
            let order = OrderParams {
                exits: AttachedExits {
                    take_profit: Some(desk.px(BTC, "52000")),
                    stop_loss: Some(desk.px(BTC, "38500")),
                },
                ..desk.limit(BTC, Side::Buy, "0.1", "45000")
            };
            drop(desk.place(order));
        }
        Act::CancelOne => {
            let oldest = desk.engine.working_orders(desk.me).last().map(|row| row.id);
            if let Some(id) = oldest {
                cancel(desk, EngineCommand::Cancel(id));
            }
        }
        Act::Scaled => drop(scaled(desk)),
        Act::CancelScaled => {
            let rows = desk.engine.scaled_orders(desk.me);
            let ids: Vec<ScaledId> = rows.map(|row| row.id).collect();
            for id in ids {
                cancel(desk, EngineCommand::CancelScaled(id));
            }
        }
        Act::Twap => drop(twap(desk)),
        Act::StopTwaps => {
            let ids: Vec<TwapId> = desk.engine.live_twaps(desk.me).map(|row| row.id).collect();
            for id in ids {
                cancel(desk, EngineCommand::StopTwap(id));
            }
        }
        Act::Price(price) => desk.at(BTC, &price.to_string()),
        Act::Hour => desk.next_hour(),
        Act::Day => desk.next_day(),
    }
}

/// All that a client can read of an account's past.
fn past(desk: &Desk) -> String {
    let (engine, me) = (&desk.engine, desk.me);
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?}",
        engine.orders(me, None).collect::<Vec<_>>(),
        engine.closed_positions(me, None).collect::<Vec<_>>(),
        engine.twap_orders(me).collect::<Vec<_>>(),
        engine.scaled_orders(me).collect::<Vec<_>>(),
        engine.equity_curve(me).collect::<Vec<_>>(),
        engine.funding_payments(me, None).collect::<Vec<_>>(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_exchange_that_drops_rows_trades_as_one_that_does_not_and_survives_every_restart(
        acts in prop::collection::vec(act(), 1..60)
    ) {
        let (mut all, mut kept, mut restarted) =
            (desk(None), desk(Some(TWO_DAYS)), desk(Some(TWO_DAYS)));
        let mut shelf = Shelf::default();
        for act in acts {
            for desk in [&mut all, &mut kept, &mut restarted] {
                run(desk, act);
            }
            shelf.keep(restarted.engine.checkpoint().unwrap());
            restarted.engine = shelf.engine();
            restarted.engine.keep_for(Some(TWO_DAYS));
            prop_assert_eq!(kept.engine.log_hash(), all.engine.log_hash());
            prop_assert_eq!(kept.facts(), all.facts());
            prop_assert_eq!(past(&restarted), past(&kept));
            let rows = kept.engine.orders(kept.me, None);
            let same = rows.filter(|row| all.engine.order(all.me, row.id) == Some(*row));
            prop_assert_eq!(same.count(), orders(&kept).len());
        }
    }
}
