use super::desk::{BTC, Desk, ETH, SOL, lax, markets, nano, usd};
use crate::exchange::engine::*;

fn strict(rules: ChallengeRules) -> Desk {
    let mut desk = Desk::with(100_000, rules, markets());
    desk.engine.fees = FeeRates { taker: 0, maker: 0 };
    desk
}

fn daily() -> ChallengeRules {
    ChallengeRules {
        max_daily_loss: Bps(400),
        ..lax()
    }
}

#[test]
fn the_day_is_lost_at_exactly_four_percent_and_not_a_cent_before() {
    let mut desk = strict(daily());
    desk.market(SOL, Side::Buy, "1000");
    let resting = desk.place(desk.limit(ETH, Side::Buy, "1", "2000")).unwrap();
    desk.at(SOL, "96.001");
    assert_eq!(desk.facts().standing, ChallengeStatus::Active);
    desk.at(SOL, "96");
    let facts = desk.facts();
    assert_eq!(
        facts.standing,
        ChallengeStatus::Breached {
            rule: RuleId::MaxDailyLoss,
            at: desk.engine.now()
        }
    );
    assert_eq!(
        (facts.open_positions, facts.working_orders, facts.equity),
        (0, 0, usd("96000"))
    );
    assert_eq!(
        desk.ending(resting),
        (OrderStatus::Canceled, Lots::ZERO, Some(Reason::Breached))
    );
    let out = desk.engine.orders(desk.me, None).next().unwrap();
    assert_eq!(out.mode, OrderMode::CloseOut);
    let opening = desk.order(SOL, Side::Buy, "1");
    assert_eq!(
        desk.refused(opening),
        (RefusalKind::Rule, Reason::AccountBreached)
    );
}

#[test]
fn the_daily_limit_is_measured_anew_at_midnight() {
    let mut desk = strict(ChallengeRules {
        max_drawdown: Bps(600),
        ..daily()
    });
    desk.market(SOL, Side::Buy, "1000");
    desk.at(SOL, "98");
    desk.market(SOL, Side::Sell, "1000");
    let limits = |desk: &Desk| {
        let facts = desk.facts();
        [facts.daily_floor, facts.drawdown_floor]
    };
    assert_eq!(limits(&desk), [usd("96000"), usd("94000")]);
    desk.next_day();
    assert_eq!(limits(&desk), [usd("94080"), usd("94000")]);
}

#[test]
fn a_day_may_begin_at_half_past_midnight_and_be_measured_from_the_better_of_balance_and_equity() {
    let floor_at = |daily_basis| {
        let mut desk = strict(ChallengeRules {
            daily_basis,
            day_offset: Millis::seconds(30 * 60),
            ..daily()
        });
        desk.market(SOL, Side::Buy, "1000");
        desk.at(SOL, "102");
        let floor = |desk: &Desk| desk.facts().daily_floor;
        desk.pass(Millis::seconds(29 * 60));
        assert_eq!(floor(&desk), usd("96000"));
        desk.pass(Millis::seconds(60));
        floor(&desk)
    };
    for (basis, floor) in [
        (DailyBasis::Balance, "96000"),
        (DailyBasis::Equity, "97920"),
        (DailyBasis::Larger, "97920"),
    ] {
        assert_eq!(floor_at(basis), usd(floor), "{basis:?}");
    }
}

#[test]
fn a_trailing_drawdown_follows_the_highest_balance_and_locks_at_the_start() {
    let trailing = ChallengeRules {
        max_drawdown: Bps(800),
        drawdown: Drawdown::Trailing,
        ..lax()
    };
    let mut desk = strict(trailing);
    let floor = |desk: &Desk| {
        let challenge = &desk.engine.accounts.at(desk.me).challenge;
        (challenge.peak, desk.facts().drawdown_floor)
    };
    let course = [
        ("104", "104000", "96000"),
        ("104", "108000", "100000"),
        ("104", "112000", "100000"),
    ];
    for (gain, peak, expected) in course {
        desk.at(SOL, "100");
        desk.market(SOL, Side::Buy, "1000");
        desk.at(SOL, gain);
        desk.market(SOL, Side::Sell, "1000");
        desk.step();
        let expected = usd(expected);
        assert_eq!(floor(&desk), (usd(peak), expected));
    }
}

#[test]
fn all_positions_together_stay_under_ten_times_the_equity_but_closing_is_always_allowed() {
    let mut desk = strict(ChallengeRules {
        max_account_leverage: 10,
        ..lax()
    });
    desk.at(BTC, "50000");
    let lev = |order| OrderParams {
        leverage: 20,
        ..order
    };
    let eighteen = lev(desk.order(BTC, Side::Buy, "18"));
    desk.place(eighteen).unwrap();
    let more = lev(desk.order(ETH, Side::Buy, "40"));
    let refusal = desk.place(more).unwrap_err();
    assert_eq!(
        (refusal.code, refusal.rule),
        (Reason::LeverageTooHigh, Some(RuleId::MaxLeverage))
    );
    let less = Desk::reduce_only(desk.order(BTC, Side::Sell, "1"));
    desk.place(less).unwrap();
}

#[test]
fn one_position_is_worth_at_most_twice_the_starting_cash() {
    let mut desk = strict(ChallengeRules {
        max_position_multiple: 2,
        ..lax()
    });
    desk.market(BTC, Side::Buy, "4");
    let more = desk.order(BTC, Side::Buy, "0.001");
    let refusal = desk.place(more).unwrap_err();
    assert_eq!(
        (refusal.code, refusal.rule),
        (Reason::MaxPosition, Some(RuleId::MaxPositionNotional))
    );
}

#[test]
fn market_executions_are_half_a_second_apart_and_limits_are_not_held_up() {
    let mut desk = strict(ChallengeRules {
        cooldown: Millis(500),
        ..lax()
    });
    desk.market(SOL, Side::Buy, "1");
    let again = desk.order(SOL, Side::Buy, "1");
    assert_eq!(
        desk.refused(again.clone()),
        (
            RefusalKind::Cooldown {
                retry_in: Millis(500)
            },
            Reason::OrderCooldown
        )
    );
    desk.place(desk.limit(SOL, Side::Buy, "1", "90")).unwrap();
    desk.pass(Millis(500));
    desk.place(again).unwrap();
}

/// Earns this much today.
fn add_profit(desk: &mut Desk, dollars: &str) {
    desk.at(SOL, "100");
    desk.market(SOL, Side::Buy, "100");
    desk.at(SOL, dollars);
    desk.market(SOL, Side::Sell, "100");
}

#[test]
fn an_account_passes_with_its_target_days_and_no_day_that_made_it_all() {
    let mut desk = strict(lax());
    let standing = |desk: &Desk| desk.facts().standing;
    for price in ["160", "120", "120", "101"] {
        add_profit(&mut desk, price);
        desk.next_day();
    }
    assert_eq!(
        standing(&desk),
        ChallengeStatus::Active,
        "60 % came from one day"
    );
    add_profit(&mut desk, "150");
    desk.step();
    assert_eq!(
        standing(&desk),
        ChallengeStatus::Passed {
            at: desk.engine.now()
        }
    );
}

#[test]
fn no_more_positions_may_be_open_than_the_rule_allows_but_each_may_grow() {
    let mut desk = strict(ChallengeRules {
        max_open_positions: 1,
        ..lax()
    });
    desk.market(SOL, Side::Buy, "1");
    let second = desk.order(ETH, Side::Buy, "1");
    let refusal = desk.place(second).unwrap_err();
    assert_eq!(
        (refusal.code, refusal.rule),
        (Reason::MaxOpenPositions, Some(RuleId::MaxOpenPositions))
    );
    desk.market(SOL, Side::Buy, "1");
}

#[test]
fn ten_and_a_fifth_times_the_equity_is_too_much_and_closing_as_much_is_not() {
    let rules = ChallengeRules {
        max_account_leverage: 10,
        ..lax()
    };
    let mut desk = Desk::with(50_000, rules, markets());
    desk.engine.fees = FeeRates { taker: 0, maker: 0 };
    let lev = |order| OrderParams {
        leverage: 20,
        ..order
    };
    let open = lev(desk.order(BTC, Side::Buy, "9.6"));
    desk.place(open).unwrap();
    assert_eq!(desk.facts().open_notional, usd("480000"));
    let more = lev(desk.order(ETH, Side::Buy, "10"));
    assert_eq!(
        desk.refused(more),
        (RefusalKind::Rule, Reason::LeverageTooHigh)
    );
    let less = Desk::reduce_only(desk.order(BTC, Side::Sell, "0.6"));
    desk.place(less).unwrap();
}

#[test]
fn when_the_day_and_the_drawdown_break_together_the_day_is_named() {
    let mut desk = strict(ChallengeRules {
        max_drawdown: Bps(400),
        ..daily()
    });
    desk.market(SOL, Side::Buy, "1000");
    desk.at(SOL, "95");
    let ChallengeStatus::Breached { rule, .. } = desk.facts().standing else {
        panic!("{:?}", desk.facts().standing)
    };
    assert_eq!(rule, RuleId::MaxDailyLoss);
    let mut desk = strict(ChallengeRules {
        max_drawdown: Bps(600),
        ..lax()
    });
    desk.market(SOL, Side::Buy, "1000");
    desk.at(SOL, "94.001");
    assert_eq!(desk.facts().standing, ChallengeStatus::Active);
    desk.at(SOL, "94");
    assert_eq!(
        desk.facts().standing,
        ChallengeStatus::Breached {
            rule: RuleId::MaxDrawdown,
            at: desk.engine.now()
        }
    );
}

/// A breach ends strategies too; what cannot be sold at once is sold when there is a counterparty.
#[test]
fn a_broken_account_is_closed_as_soon_as_its_market_is_back_and_may_only_reduce_until_then() {
    let mut desk = strict(daily());
    desk.market(SOL, Side::Buy, "1000");
    let twap = EngineCommand::PlaceTwap(TwapParams {
        trigger_price: Some(desk.px(BTC, "60000")),
        ..desk.twap(BTC, Side::Buy, "0.1")
    });
    let Ok(CommandOutcome::Twap(twap)) = desk.apply(twap) else {
        panic!("a TWAP that waits")
    };
    desk.book(SOL, &[], &[("96", "5")], "96");
    assert_eq!(desk.facts().open_positions, 1);
    let ended = desk.engine.twap(desk.me, twap).unwrap();
    assert_eq!(
        (ended.status, ended.completion_reason),
        (TwapStatus::Failed, Some(CompletionReason::AccountBreached))
    );
    let opening = desk.limit(SOL, Side::Buy, "1", "95");
    assert_eq!(
        desk.refused(opening),
        (RefusalKind::Rule, Reason::AccountBreached)
    );
    let exit = Desk::reduce_only(desk.limit(SOL, Side::Sell, "300", "97"));
    let exit = desk.place(exit).unwrap();
    desk.trade(SOL, Side::Buy, "97", "300");
    assert_eq!(desk.ending(exit), (OrderStatus::Filled, Lots(30_000), None));
    assert_eq!(desk.held(SOL), Lots(70_000));
    let other = Desk::reduce_only(desk.limit(SOL, Side::Sell, "100", "99"));
    let other = desk.place(other).unwrap();
    desk.at(SOL, "96");
    assert_eq!(desk.facts().open_positions, 0);
    assert_eq!(desk.row(other).status, OrderStatus::Canceled);
}

/// Long 1 000 at 100 with 4 % to lose, fees and all.
fn long_a_thousand() -> Desk {
    let mut desk = Desk::with(100_000, daily(), markets());
    desk.market(SOL, Side::Buy, "1000");
    desk
}

#[test]
fn a_close_out_has_no_slippage_cap_and_pays_the_taker_fee() {
    let mut desk = long_a_thousand();
    desk.book(SOL, &[("80", "5000")], &[("112", "1")], "96");
    let out = desk.engine.orders(desk.me, None).next().unwrap();
    assert_eq!(
        (out.mode, out.status, out.fill_price, out.fee),
        (
            OrderMode::CloseOut,
            OrderStatus::Filled,
            Some(nano("80")),
            usd("36")
        )
    );
    assert_eq!(desk.facts().open_positions, 0);
}

#[test]
fn a_close_out_does_not_wait_for_sellers_while_there_are_buyers() {
    let mut desk = long_a_thousand();
    desk.book(SOL, &[("95", "400"), ("94", "5000")], &[], "95");
    assert_eq!(desk.facts().open_positions, 0);
    let out = desk.engine.orders(desk.me, None).next().unwrap();
    assert_eq!(out.fill_price, Some(nano("94.4")));
}

#[test]
fn what_a_thin_book_does_not_take_of_a_close_out_goes_with_the_next_one() {
    let mut desk = long_a_thousand();
    desk.book(SOL, &[("95", "400")], &[("97", "1")], "95");
    assert_eq!(desk.held(SOL), desk.lots(SOL, "600"));
    desk.step();
    assert_eq!(desk.held(SOL), desk.lots(SOL, "600"), "nobody came");
    desk.book(SOL, &[("95", "600")], &[("97", "1")], "95");
    assert_eq!(desk.held(SOL), Lots::ZERO);
    let outs = desk.engine.orders(desk.me, None);
    let outs = outs.filter(|row| row.mode == OrderMode::CloseOut);
    assert_eq!(outs.count(), 2, "no row for a try that could not be");
}

/// Ten times the equity of 50 000, of which 480 000 are used.
#[test]
fn a_trigger_a_slice_and_a_rung_are_held_to_the_leverage_of_the_account_when_they_come() {
    let rules = ChallengeRules {
        max_account_leverage: 10,
        ..lax()
    };
    let mut desk = Desk::with(50_000, rules, markets());
    desk.engine.fees = FeeRates { taker: 0, maker: 0 };
    let stop = OrderParams {
        leverage: 20,
        mode: PlaceMode::StopMarket {
            trigger: desk.px(ETH, "3001"),
        },
        ..desk.order(ETH, Side::Buy, "10")
    };
    let stop = desk.place(stop).unwrap();
    let open = OrderParams {
        leverage: 20,
        ..desk.order(BTC, Side::Buy, "9.6")
    };
    desk.place(open).unwrap();
    desk.at(ETH, "3001");
    let broken = Some(Reason::LeverageTooHigh);
    assert_eq!(
        desk.ending(stop),
        (OrderStatus::Rejected, Lots::ZERO, broken)
    );
    assert_eq!(desk.row(stop).rule, Some(RuleId::MaxLeverage));

    let twap = TwapParams {
        leverage: 20,
        ..desk.twap(ETH, Side::Buy, "110")
    };
    let Ok(CommandOutcome::Twap(twap)) = desk.apply(EngineCommand::PlaceTwap(twap)) else {
        panic!("a TWAP is checked slice by slice")
    };
    let child = desk.engine.twap(desk.me, twap).unwrap().current_child_order;
    let child = desk.row(child.unwrap());
    assert_eq!(
        (child.status, child.reason),
        (OrderStatus::Rejected, broken)
    );

    let scaled = EngineCommand::PlaceScaled(ScaledParams {
        market: ETH.into(),
        side: Side::Buy,
        size: desk.lots(ETH, "16"),
        leverage: 20,
        margin_mode: MarginMode::Cross,
        reduction: Reduction::May,
        start_price: desk.px(ETH, "2990"),
        end_price: desk.px(ETH, "2980"),
        rung_count: 2,
        distribution: Distribution::Flat,
    });
    let Ok(CommandOutcome::Scaled(scaled)) = desk.apply(scaled) else {
        panic!("a scaled order is checked rung by rung")
    };
    let rungs = &desk.engine.scaled(desk.me, scaled).unwrap().rungs;
    assert!(rungs.iter().all(|rung| rung.reject_reason == broken));
}

#[test]
fn closing_at_market_waits_its_half_second_too() {
    let mut desk = strict(ChallengeRules {
        cooldown: Millis(500),
        ..lax()
    });
    desk.market(SOL, Side::Buy, "1");
    let close = Desk::reduce_only(desk.order(SOL, Side::Sell, "1"));
    assert_eq!(desk.refused(close.clone()).1, Reason::OrderCooldown);
    let position = desk.position(SOL).unwrap().id;
    let forced = desk.apply(EngineCommand::ForceClose(position)).unwrap_err();
    assert_eq!(forced.rule, Some(RuleId::OrderCooldown));
    desk.pass(Millis(500));
    desk.place(close).unwrap();
}

#[test]
fn an_account_passes_only_flat_and_on_its_fifth_day() {
    let mut desk = strict(lax());
    let standing = |desk: &Desk| desk.facts().standing;
    for _ in 0..4 {
        add_profit(&mut desk, "130");
        desk.next_day();
    }
    assert_eq!(
        standing(&desk),
        ChallengeStatus::Active,
        "four days of 3 000 each"
    );
    desk.at(SOL, "100");
    desk.market(SOL, Side::Buy, "1");
    desk.step();
    assert_eq!(
        standing(&desk),
        ChallengeStatus::Active,
        "something is open"
    );
    desk.market(SOL, Side::Sell, "1");
    desk.step();
    assert!(matches!(standing(&desk), ChallengeStatus::Passed { .. }));
}

#[test]
fn a_day_that_began_with_105_000_is_lost_at_100_800_and_not_a_cent_before() {
    let mut desk = strict(daily());
    add_profit(&mut desk, "150");
    desk.next_day();
    desk.at(SOL, "100");
    desk.market(SOL, Side::Buy, "4200");
    let cent = OrderParams {
        leverage: 20,
        ..desk.order(ETH, Side::Buy, "0.01")
    };
    desk.place(cent).unwrap();
    desk.show_at(ETH, "3001");
    desk.at(SOL, "99");
    assert_eq!(desk.facts().equity, usd("100800.01"));
    assert_eq!(desk.facts().standing, ChallengeStatus::Active);
    desk.at(ETH, "3000");
    assert_eq!(desk.facts().equity, usd("100800"));
    assert!(matches!(
        desk.facts().standing,
        ChallengeStatus::Breached { .. }
    ));
}
