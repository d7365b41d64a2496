use super::desk::{BTC, Desk, ETH, SOL, nano, usd};
use crate::exchange::engine::*;

fn liquidation_rows(desk: &Desk) -> Vec<OrderRecord> {
    desk.engine
        .orders(desk.me, None)
        .filter(|row| row.mode == OrderMode::Liquidation)
        .cloned()
        .collect()
}

#[test]
fn one_tick_above_the_liquidation_price_nothing_happens_and_one_below_it_does() {
    let mut desk = Desk::new(100_000);
    desk.isolated(BTC, Side::Buy, "0.5");
    desk.at(BTC, "45570");
    assert_eq!(desk.held(BTC), desk.lots(BTC, "0.5"));
    desk.at(BTC, "45569");
    assert_eq!(desk.held(BTC), Lots::ZERO);
    let rows = liquidation_rows(&desk);
    assert_eq!(
        (rows[0].status, rows[0].order_type, rows[0].fill_price),
        (
            OrderStatus::Filled,
            OrderType::Liquidation,
            Some(nano("45569"))
        )
    );
}

#[test]
fn an_isolated_position_loses_no_more_than_its_margin_in_any_gap() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "10");
    desk.isolated(BTC, Side::Buy, "0.5");
    let before = desk.facts().cash;
    desk.at(BTC, "20000");
    assert_eq!(desk.facts().cash, before - usd("2500"));
    assert_eq!(
        liquidation_rows(&desk)[0].fill_price,
        Some(nano("45000")),
        "taken over at the bankruptcy price"
    );
    assert_eq!(
        desk.held(SOL),
        Lots(1_000),
        "the rest of the account is left alone"
    );
}

#[test]
fn a_short_is_taken_over_at_its_bankruptcy_price_too() {
    let mut desk = Desk::new(100_000);
    desk.isolated(BTC, Side::Sell, "0.5");
    let before = desk.facts().cash;
    desk.at(BTC, "90000");
    assert_eq!(liquidation_rows(&desk)[0].fill_price, Some(nano("55000")));
    assert_eq!(desk.facts().cash, before - usd("2500"));
}

#[test]
fn a_thin_book_takes_what_it_can_and_the_insurance_the_rest() {
    let mut desk = Desk::new(100_000);
    desk.isolated(BTC, Side::Buy, "0.5");
    let before = desk.facts().cash;
    desk.book(BTC, &[("45500", "0.2")], &[("45540", "1")], "45520");
    assert_eq!(desk.held(BTC), Lots::ZERO);
    let sizes: Vec<Lots> = liquidation_rows(&desk).iter().map(|row| row.size).collect();
    // The insurance's part, the book's part, and the order itself.
    let parts = ["0.3", "0.2", "0.5"].map(|size| desk.lots(BTC, size));
    assert_eq!(sizes, parts);
    assert_eq!(desk.facts().cash, before - usd("2500"));
}

/// Maintenance is 282.5 at 45 200, and two thirds of it 188.33; at 45 400 equity is 200.
#[test]
fn below_two_thirds_of_its_maintenance_a_position_goes_to_the_insurance_with_what_margin_it_had() {
    for (price, at, lost) in [("45200", "45000", "2500"), ("45400", "45400", "2310.215")] {
        let mut desk = Desk::new(100_000);
        desk.isolated(BTC, Side::Buy, "0.5");
        let before = desk.facts().cash;
        desk.at(BTC, price);
        let row = &liquidation_rows(&desk)[0];
        assert_eq!(row.fill_price, Some(nano(at)), "at {price}");
        assert_eq!(desk.facts().cash, before - usd(lost), "at {price}");
    }
}

#[test]
fn a_cross_account_is_sold_from_the_largest_maintenance_and_cash_never_goes_below_zero() {
    let mut desk = Desk::new(10_000);
    let big = OrderParams {
        leverage: 20,
        ..desk.order(BTC, Side::Buy, "1")
    };
    desk.place(big).unwrap();
    desk.market(SOL, Side::Buy, "10");
    let resting = desk
        .place(desk.limit(ETH, Side::Buy, "0.1", "2000"))
        .unwrap();
    desk.at(BTC, "30000");
    assert_eq!(desk.engine.open_positions(desk.me), []);
    assert_eq!(desk.facts().cash, Usd::ZERO);
    assert_eq!(
        desk.ending(resting),
        (OrderStatus::Canceled, Lots::ZERO, Some(Reason::Liquidated))
    );
}

#[test]
fn a_cross_account_that_is_safe_again_after_one_sale_keeps_the_other_position() {
    let mut desk = Desk::new(10_000);
    let big = OrderParams {
        leverage: 20,
        ..desk.order(BTC, Side::Buy, "1")
    };
    desk.place(big).unwrap();
    desk.market(SOL, Side::Buy, "10");
    desk.at(BTC, "40500");
    assert_eq!(desk.held(BTC), Lots::ZERO);
    assert_eq!(desk.held(SOL), Lots(1_000));
    assert_eq!(liquidation_rows(&desk).len(), 1);
}

#[test]
fn a_stop_above_the_liquidation_price_saves_the_position_in_one_gap() {
    let mut desk = Desk::new(100_000);
    desk.isolated(BTC, Side::Buy, "0.5");
    let stop = Desk::reduce_only(OrderParams {
        mode: PlaceMode::StopMarket {
            trigger: desk.px(BTC, "46000"),
        },
        margin_mode: MarginMode::Isolated,
        ..desk.order(BTC, Side::Sell, "0.5")
    });
    let id = desk.place(stop).unwrap();
    desk.at(BTC, "45100");
    assert_eq!(desk.row(id).fill_price, Some(nano("45100")));
    assert_eq!(liquidation_rows(&desk), []);
}

#[test]
fn liquidation_ends_the_orders_and_strategies_of_its_market() {
    let mut desk = Desk::new(100_000);
    desk.isolated(BTC, Side::Buy, "0.5");
    let exit = Desk::reduce_only(OrderParams {
        margin_mode: MarginMode::Isolated,
        ..desk.limit(BTC, Side::Sell, "0.5", "60000")
    });
    let exit = desk.place(exit).unwrap();
    let twap = desk.apply(EngineCommand::PlaceTwap(TwapParams {
        margin_mode: MarginMode::Isolated,
        reduction: Reduction::Only,
        trigger_price: Some(desk.px(BTC, "70000")),
        ..desk.twap(BTC, Side::Sell, "0.1")
    }));
    let Ok(CommandOutcome::Twap(twap)) = twap else {
        panic!("{twap:?}")
    };
    desk.at(BTC, "45000");
    assert_eq!(
        desk.ending(exit),
        (OrderStatus::Canceled, Lots::ZERO, Some(Reason::Liquidated))
    );
    let twap = desk.engine.twap(desk.me, twap).unwrap();
    assert_eq!(
        (twap.status, twap.completion_reason),
        (TwapStatus::Failed, Some(CompletionReason::Liquidated))
    );
}

fn gradual(cash: i64) -> Desk {
    let mut desk = Desk::new(cash);
    desk.engine.venue.liquidation = LiquidationMode::Gradual;
    desk
}

#[test]
fn where_a_venue_sells_gradually_a_large_position_loses_a_fifth_first_and_keeps_its_margin() {
    let mut desk = gradual(1_000_000);
    desk.isolated(BTC, Side::Buy, "5");
    desk.at(BTC, "45569");
    let row = &liquidation_rows(&desk)[0];
    assert_eq!((row.size, row.initial_size), (Lots(100_000), Lots(100_000)));
    assert_eq!(desk.held(BTC), desk.lots(BTC, "4"));
    let lost = usd("4431") + row.fee;
    assert_eq!(desk.margin(BTC), usd("25000") - lost);
    desk.at(BTC, "45400");
    assert_eq!(desk.held(BTC), Lots::ZERO, "again within 30 s: all of it");

    let mut small = gradual(1_000_000);
    small.isolated(BTC, Side::Buy, "2");
    small.at(BTC, "45569");
    assert_eq!(
        small.held(BTC),
        Lots::ZERO,
        "below 100 000 USD: all at once"
    );
}

#[test]
fn a_fifth_may_be_sold_again_after_half_a_minute() {
    let mut desk = gradual(1_000_000);
    desk.isolated(BTC, Side::Buy, "5");
    desk.at(BTC, "45569");
    desk.pass(Millis::seconds(30));
    desk.at(BTC, "45400");
    assert_eq!(desk.held(BTC), desk.lots(BTC, "3.2"));
}

#[test]
fn gradual_or_not_an_isolated_position_loses_no_more_than_its_margin() {
    for gap in ["45000", "44000", "30000"] {
        let mut desk = gradual(1_000_000);
        desk.isolated(BTC, Side::Buy, "5");
        let before = desk.facts().cash;
        desk.book(BTC, &[(gap, "0.5"), ("20000", "9")], &[("46000", "9")], gap);
        desk.at(BTC, "20000");
        assert!(before - desk.facts().cash <= usd("25000"), "{gap}");
        assert_eq!(desk.engine.money(), usd("2000000"));
    }
}
