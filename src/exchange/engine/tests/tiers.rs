//! Margin tiers (docs/engine.md 6.2).

use super::desk::{BTC, Desk, SOL, lax, six, spec, usd};
use crate::exchange::engine::*;

/// In the place of SOL a market of 10x, from 20,000 USD on 5x, from 100,000 USD on 3x.
fn tiered(cash: i64) -> Desk {
    let tier = |lower, max_leverage| MarginTier {
        lower: Usd::dollars(lower),
        max_leverage,
    };
    let alt = MarketSpec {
        tiers: vec![tier(20_000, 5), tier(100_000, 3)],
        ..spec("ALT", 2, 10, "100")
    };
    let markets = vec![spec("BTC", 5, 40, "50000"), spec("ETH", 4, 25, "3000"), alt];
    Desk::with(cash, lax(), markets)
}

fn at_leverage(order: &OrderParams, leverage: u32, margin_mode: MarginMode) -> OrderParams {
    OrderParams {
        leverage,
        margin_mode,
        ..order.clone()
    }
}

const TOO_HIGH: (RefusalKind, Reason) = (RefusalKind::Rule, Reason::LeverageTooHigh);

#[test]
fn a_market_shows_every_tier_with_the_first() {
    let desk = tiered(1_000);
    let spec = desk.engine.market_spec(SOL.into());
    let tiers = spec
        .margin_tiers()
        .map(|tier| (tier.lower, tier.max_leverage));
    let usd = Usd::dollars;
    assert!(tiers.eq([(usd(0), 10), (usd(20_000), 5), (usd(100_000), 3)]));
}

#[test]
fn the_tier_of_the_position_bounds_the_leverage_of_what_opens_it() {
    for mode in [MarginMode::Cross, MarginMode::Isolated] {
        let mut desk = tiered(1_000_000);
        let buy = |desk: &Desk, coins, leverage| {
            at_leverage(&desk.order(SOL, Side::Buy, coins), leverage, mode)
        };
        assert_eq!(desk.refused(buy(&desk, "1255", 10)), TOO_HIGH, "{mode}");
        assert_eq!(desk.refused(buy(&desk, "200", 6)), TOO_HIGH, "{mode}");
        desk.place(buy(&desk, "199", 10)).unwrap();
        assert_eq!(desk.refused(buy(&desk, "1", 10)), TOO_HIGH, "{mode}");
        desk.place(buy(&desk, "1", 5)).unwrap();
        desk.place(buy(&desk, "800", 3)).unwrap();
        // What makes it smaller needs no leverage of its tier.
        let sell = at_leverage(&desk.order(SOL, Side::Sell, "100"), 10, mode);
        desk.place(sell).unwrap();
    }
}

#[test]
fn a_twap_a_fired_order_and_a_resting_one_are_bound_by_the_tier_they_would_fill_in() {
    let mut desk = tiered(1_000_000);
    let twap = desk.twap(SOL, Side::Buy, "300");
    let refused = desk.engine.apply(desk.me, EngineCommand::PlaceTwap(twap));
    assert_eq!(refused.unwrap_err().code, Reason::LeverageTooHigh);

    let stop = PlaceMode::StopMarket {
        trigger: desk.px(SOL, "110"),
    };
    let stop = OrderParams {
        mode: stop,
        ..desk.order(SOL, Side::Buy, "190")
    };
    let stop = desk.place(stop).unwrap();
    let first = desk.place(desk.limit(SOL, Side::Buy, "150", "95")).unwrap();
    let second = desk.place(desk.limit(SOL, Side::Buy, "150", "95")).unwrap();
    desk.at(SOL, "94");
    assert_eq!(desk.ending(first).0, OrderStatus::Filled);
    let margin = (OrderStatus::Canceled, Lots::ZERO, Some(Reason::Margin));
    assert_eq!(desk.ending(second), margin);
    desk.at(SOL, "111");
    let too_high = Some(Reason::LeverageTooHigh);
    let refused = (OrderStatus::Rejected, Lots::ZERO, too_high);
    assert_eq!(desk.ending(stop), refused, "340 of them are 37,740 USD");
}

/// 40x with 1.25 % of maintenance has 1.25 % to lose to the spread.
#[test]
fn an_isolated_order_whose_position_would_be_liquidated_at_once_is_refused() {
    let mut desk = Desk::new(1_000_000);
    let asks = [("50000", "0.1"), ("51000", "10")];
    desk.book(BTC, &[("49990", "10")], &asks, "50000");
    let order = at_leverage(&desk.order(BTC, Side::Buy, "5"), 40, MarginMode::Isolated);
    let why = desk.place(order).unwrap_err();
    assert_eq!(
        (why.code, why.rule),
        (Reason::InsufficientMargin, Some(RuleId::InsufficientMargin))
    );
    let order = at_leverage(&desk.order(BTC, Side::Buy, "5"), 20, MarginMode::Isolated);
    desk.place(order).unwrap();
    desk.step();
    assert_eq!(desk.position(BTC).unwrap().leverage, 20, "it stands");
}

#[test]
fn a_cross_position_that_grew_into_a_tier_holds_the_initial_margin_of_that_tier() {
    let mut desk = tiered(100_000);
    desk.place(desk.order(SOL, Side::Buy, "199")).unwrap();
    assert_eq!(desk.facts().cross_margin, usd("1990"));
    desk.at(SOL, "150");
    assert_eq!(desk.facts().cross_margin, usd("5970"), "29,850 USD at 5x");
    assert_eq!(desk.margin(SOL), usd("5970"));
}

#[test]
fn larger_positions_need_more_maintenance_tier_by_tier() {
    let mut desk = tiered(1_000_000);
    let market = desk.engine.markets.at(SOL.into());
    let needs = |dollars| market.maintenance(Usd::dollars(dollars));
    assert_eq!(
        [20_000, 50_000, 100_000].map(needs),
        [1_000, 4_000, 9_000].map(Usd::dollars)
    );
    assert_eq!(needs(150_000).0 / 1_000, 17_333_333);
    let order = OrderParams {
        leverage: 5,
        margin_mode: MarginMode::Isolated,
        ..desk.order(SOL, Side::Buy, "500")
    };
    desk.place(order).unwrap();
    assert_eq!(six(desk.liquidation(SOL)), "86.666667");
}

/// Long 1 at 100,000 with 20x where the market allows 40x; from 150 million USD on it allows 20x.
#[test]
fn a_position_at_20x_of_a_market_of_40x_is_liquidated_3_8_percent_away() {
    let large = MarginTier {
        lower: Usd::dollars(150_000_000),
        max_leverage: 20,
    };
    let markets = vec![MarketSpec {
        tiers: vec![large],
        ..spec("BTC", 5, 40, "100000")
    }];
    let mut desk = Desk::with(1_000_000, lax(), markets);
    desk.at(BTC, "100000");
    let buy = desk.order(BTC, Side::Buy, "1");
    desk.place(at_leverage(&buy, 20, MarginMode::Isolated))
        .unwrap();
    assert_eq!(six(desk.liquidation(BTC)), "96202.531646");
    let market = desk.engine.markets.at(BTC.into());
    let maintenance = market.maintenance(Usd::dollars(200_000_000));
    assert_eq!(maintenance, usd("3125000"));
}
