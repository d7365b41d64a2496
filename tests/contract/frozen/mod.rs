//! Every name that leaves this process, as it is today: on the wire, on the disk. Types, fields and variants in the code
//! may be renamed; a line that changes here is another format, which the other end, or the next version, cannot read.
//!
//! The settings, flags and rows that verbs print stand in
//! `tests/cli/frozen.rs`; what only this crate can see (the ring, the socket, the event log, error codes) in unit tests
//! beside it, whose names begin with `frozen`.

mod answers;
mod disk;
mod requests;
mod words;

use perpdeck::model::{
    Bps, ClosePosition, Command, Curve, Distribution, Exits, Held, Leg, MarginMode, Num, PlaceKind,
    PlaceOrder, PlaceScaled, PlaceTwap, Risk, Side, TimeInForce, Timestamp, TriggerDirection,
};

/// An order that says everything an order can say.
pub(super) fn full_order() -> PlaceOrder {
    PlaceOrder {
        account_id: "chal-1".into(),
        market_id: "paper|BTC".into(),
        kind: PlaceKind::Conditional,
        side: Side::Sell,
        size: Num::new(10, 2),
        expected_price: Some(Num::new(640_005, 1)),
        leverage: Num::from(5_u32),
        margin_mode: MarginMode::Isolated,
        reduce_only: false,
        time_in_force: Some(TimeInForce::Gtd),
        gtd_expires_at: Some(Timestamp(1_790_000_060_000)),
        limit_price: Some(Num::from(60_000_u32)),
        client_order_id: None,
        trigger_price: Some(Num::from(3_000_u32)),
        trigger_market_id: Some("paper|ETH".into()),
        trigger_direction: Some(TriggerDirection::Below),
        chase_offset: Some(Num::from(5_u32)),
        chase_cap_price: Some(Num::from(70_000_u32)),
        take_profit_price: Some(Num::from(50_000_u32)),
        stop_loss_price: Some(Num::from(80_000_u32)),
        slippage_tolerance: Some(Bps(Num::from(50_u32))),
        target_position_id: Some("pos_000001".into()),
        marketable_limit_acknowledged: true,
        replace_overlapping_exits: true,
        replaces: None,
    }
}

pub(super) fn twap() -> PlaceTwap {
    PlaceTwap {
        account_id: "chal-1".into(),
        market_id: "paper|BTC".into(),
        curve: Curve::Vwap,
        side: Side::Buy,
        size: Num::new(50, 3),
        expected_price: Num::new(640_005, 1),
        leverage: Num::from(5_u32),
        margin_mode: MarginMode::Cross,
        reduce_only: false,
        duration_minutes: Num::from(30_u32),
        slice_interval_seconds: Some(Num::from(60_u32)),
        randomize: true,
        trigger_price: Some(Num::from(64_000_u32)),
        max_price: Some(Num::from(66_000_u32)),
        min_price: Some(Num::from(60_000_u32)),
    }
}

pub(super) fn scaled() -> PlaceScaled {
    PlaceScaled {
        account_id: "chal-1".into(),
        market_id: "paper|BTC".into(),
        side: Side::Buy,
        size: Num::new(6, 2),
        leverage: Num::from(5_u32),
        margin_mode: MarginMode::Cross,
        reduce_only: false,
        start_price: Num::from(61_000_u32),
        end_price: Num::from(60_000_u32),
        rung_count: Num::from(3_u32),
        distribution: Distribution::Ascending,
        marketable_limit_acknowledged: Some(true),
    }
}

pub(super) fn full_close() -> ClosePosition {
    ClosePosition {
        position_id: "pos/1".into(),
        held: Some(Held {
            market_id: "paper|BTC".into(),
            side: Side::Buy,
        }),
        kind: perpdeck::model::CloseKind::Conditional,
        size: Some(Num::new(5, 1)),
        expected_price: Some(Num::new(640_005, 1)),
        slippage_tolerance: Some(Bps(Num::from(30_u32))),
        limit_price: Some(Num::from(65_000_u32)),
        client_order_id: None,
        trigger_price: Some(Num::from(3_000_u32)),
        trigger_market_id: Some("paper|ETH".into()),
        trigger_direction: Some(TriggerDirection::Below),
        marketable_limit_acknowledged: true,
    }
}

/// Every command, and those whose risk depends on what they say in each of their ways.
pub(super) fn commands() -> Vec<Command> {
    let market = || {
        PlaceOrder::market(
            "chal-1".into(),
            "paper|BTC".into(),
            Side::Buy,
            Num::from(1_u32),
        )
    };
    let reducing = PlaceOrder {
        reduce_only: true,
        ..market()
    };
    let exits = |take_profit, stop_loss| {
        Command::Exits(Exits::unseen("ord_1".into(), take_profit, stop_loss))
    };
    let price = Leg::Set(Num::new(585_005, 1));
    vec![
        Command::Place(Box::new(market())),
        Command::Place(Box::new(reducing)),
        Command::Place(Box::new(full_order())),
        Command::PlaceTwap(Box::new(twap())),
        Command::PlaceTwap(Box::new(PlaceTwap {
            reduce_only: true,
            curve: Curve::Twap,
            randomize: false,
            trigger_price: None,
            max_price: None,
            min_price: None,
            ..twap()
        })),
        Command::PlaceScaled(Box::new(scaled())),
        Command::PlaceScaled(Box::new(PlaceScaled {
            reduce_only: true,
            distribution: Distribution::Flat,
            marketable_limit_acknowledged: None,
            ..scaled()
        })),
        Command::Close(ClosePosition::market("pos_1".into())),
        Command::Close(full_close()),
        Command::Cancel("ord_1".into()),
        Command::Unprotect("ord_1".into()),
        exits(price, Leg::Keep),
        exits(Leg::Keep, price),
        exits(Leg::Remove, Leg::Remove),
        Command::margin("pos_1".into(), Num::new(2005, 1), None),
        Command::Margin {
            position_id: "pos_1".into(),
            extra: Num::from(7_u32),
            risk: Risk::Neutral,
        },
        Command::StopTwap("twap_1".into()),
        Command::CancelScaled("scaled_1".into()),
        Command::CloseAll("chal-1".into()),
        Command::Flatten("chal-1".into()),
    ]
}
