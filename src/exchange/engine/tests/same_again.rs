//! One seed and one command log give one history.

use super::{
    desk::{self, START},
    market::synthetic,
};
use crate::exchange::engine::*;

pub(super) const MINUTE: Millis = Millis::seconds(60);

pub(super) fn order(side: Side, mode: PlaceMode) -> OrderParams {
    OrderParams {
        mode,
        ..desk::order(MarketIx::from(2), side, Lots(2_000))
    }
}

/// At minutes 1 to 4.
pub(super) fn script() -> [EngineCommand; 4] {
    [
        EngineCommand::Place(order(Side::Buy, PlaceMode::Market)),
        EngineCommand::Place(order(
            Side::Buy,
            PlaceMode::Chase {
                offset: Px::ZERO,
                cap: None,
            },
        )),
        EngineCommand::PlaceTwap(TwapParams {
            kind: Curve::Vwap,
            market: MarketIx::from(1),
            side: Side::Sell,
            size: Lots(20_000),
            leverage: 5,
            margin_mode: MarginMode::Isolated,
            reduction: Reduction::May,
            duration_minutes: 5,
            slice_interval_seconds: None,
            pacing: Pacing::Randomized,
            trigger_price: None,
            max_price: None,
            min_price: None,
        }),
        EngineCommand::PlaceScaled(ScaledParams {
            market: MarketIx::from(0),
            side: Side::Buy,
            size: Lots(10_000),
            leverage: 10,
            margin_mode: MarginMode::Cross,
            reduction: Reduction::May,
            start_price: Px(639_900),
            end_price: Px(630_000),
            rung_count: 5,
            distribution: Distribution::Ascending,
        }),
    ]
}

fn ten_minutes(seed: u64, chunk: Millis) -> Engine {
    let mut engine = synthetic(seed);
    let me = engine.account("me").unwrap();
    let mut at = START;
    for command in script() {
        let stop = at + MINUTE;
        while at < stop {
            at = Millis((at + chunk).0.min(stop.0));
            engine.advance_to(at);
            // Reading changes nothing.
            engine.account_facts(me);
        }
        engine.apply(me, command).unwrap();
    }
    engine.advance_to(START + Millis(10 * MINUTE.0));
    engine
}

#[test]
fn however_the_time_is_cut_up_the_history_is_the_same() {
    let whole = ten_minutes(42, MINUTE).log_hash();
    assert_eq!(whole, ten_minutes(42, Millis(1)).log_hash());
    assert_eq!(whole, ten_minutes(42, Millis(333)).log_hash());
    assert_ne!(whole, ten_minutes(43, MINUTE).log_hash());
}

/// Changes with any change of the market, the rules or the events: find out why before you update it.
#[test]
fn the_history_of_seed_42_is_this_one() {
    let engine = ten_minutes(42, MINUTE);
    assert_eq!(
        engine.log_hash(),
        "9875bf2d87084871ae75e43c6808ec2c7c35bef5fb362e2f098d8d725fdd0053"
    );
}
