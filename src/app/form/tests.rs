//! What a trader does in a form, and what goes out.

use super::{super::overlay::Overlay, Form, Hand};
use crate::{
    app::{Effect, Model, Msg, notice::Event, poll::Answer, testing::*, update},
    model::{
        CloseKind, ClosePosition, Command, Exits, Failure, FailureKind, Held, Leg, MarginMode,
        PlaceKind, PlaceOrder, Proof, Receipt, Side, Ticket, TimeInForce,
        draft::{Fault, Field},
    },
};

fn form(model: &Model) -> &Form {
    match model.overlays.last() {
        Some(Overlay::Form(form)) => form,
        other => panic!("no form is open but {other:?}"),
    }
}

fn said(model: &Model) -> String {
    match model.activity.lines.back().map(|line| &line.event) {
        Some(Event::Said(_, words)) => words.clone(),
        other => panic!("nothing was said but {other:?}"),
    }
}

fn fault(model: &Model, field: Field) -> Option<Fault> {
    form(model).faults(&model.around()).of(field).cloned()
}

fn market_buy(coin: &str, size: &str) -> PlaceOrder {
    PlaceOrder {
        account_id: "chal-1".into(),
        market_id: format!("paper|{coin}").into(),
        kind: PlaceKind::Market,
        side: Side::Buy,
        size: num(size),
        expected_price: Some(num("64000")),
        leverage: num("10"),
        margin_mode: MarginMode::Cross,
        reduce_only: false,
        time_in_force: None,
        gtd_expires_at: None,
        limit_price: None,
        trigger: None,
        chase_offset: None,
        chase_cap_price: None,
        take_profit_price: None,
        stop_loss_price: None,
        slippage_tolerance: None,
        target_position_id: None,
    }
}

fn held(coin: &str, side: Side) -> Held {
    Held {
        market_id: format!("paper|{coin}").into(),
        side,
    }
}

fn close(position: &str, size: Option<&str>) -> ClosePosition {
    ClosePosition {
        position_id: position.into(),
        held: Some(held("BTC", Side::Buy)),
        kind: CloseKind::Market,
        size: size.map(num),
        expected_price: Some(num("64000")),
        slippage_tolerance: None,
        limit_price: None,
        trigger: None,
        marketable_limit_acknowledged: false,
    }
}

fn sent(ticket: u64, command: Command) -> Vec<Effect> {
    vec![Effect::Send(Ticket(ticket), command)]
}

fn accepted() -> Receipt {
    let taken = r#""type":"market","mode":"market","side":"buy","size":0.1,"status":"filled""#;
    Receipt::Order {
        order: Box::new(order("ord-9", "BTC", taken)),
        queued: false,
    }
}

fn place(order: PlaceOrder) -> Command {
    Command::Place(Box::new(order))
}

mod new_order {
    use super::*;

    #[test]
    fn a_market_buy_is_three_presses_and_a_size() {
        let mut model = desk();
        assert_eq!(
            press(&mut model, "b 0.1 enter"),
            sent(1, place(market_buy("BTC", "0.1")))
        );
    }

    #[test]
    fn the_focus_waits_on_the_size_and_the_market_is_the_selected_rows() {
        let mut model = desk();
        press(&mut model, "j s");
        let form = form(&model);
        assert_eq!(form.focus, Field::Size);
        assert_eq!(form.market_id().unwrap().raw(), "paper|SOL");
        assert_eq!(form.side(&model.around()), Some(Side::Sell));
    }

    #[test]
    fn a_limit_entry_with_both_exits_carries_every_digit_typed() {
        let mut model = desk();
        press(&mut model, "b 0.10 shift-tab shift-tab shift-tab right");
        press(
            &mut model,
            "tab tab tab tab 60000.0 tab right tab 70000 tab 58000.5",
        );
        let expected = PlaceOrder {
            kind: PlaceKind::Limit,
            limit_price: Some(num("60000.0")),
            time_in_force: Some(TimeInForce::Ioc),
            take_profit_price: Some(num("70000")),
            stop_loss_price: Some(num("58000.5")),
            ..market_buy("BTC", "0.10")
        };
        let effects = press(&mut model, "enter");
        assert_eq!(effects, sent(1, place(expected)));
        let Effect::Send(_, Command::Place(order)) = &effects[0] else {
            panic!()
        };
        assert_eq!(order.size.to_string(), "0.10");
    }

    #[test]
    fn what_loses_25_at_the_stop_is_worked_out_and_cut_to_lots() {
        let mut model = desk();
        press(&mut model, "b r25 shift-tab shift-tab shift-tab right");
        press(&mut model, "tab tab tab tab 60000 tab tab tab 59000");
        let expected = PlaceOrder {
            kind: PlaceKind::Limit,
            limit_price: Some(num("60000")),
            stop_loss_price: Some(num("59000")),
            ..market_buy("BTC", "0.025")
        };
        assert_eq!(press(&mut model, "enter"), sent(1, place(expected)));
    }

    #[test]
    fn a_thousand_dollars_are_resolved_at_the_observed_midpoint_of_the_moment() {
        let mut model = desk();
        press(&mut model, "b $1000");
        let cheaper = vec![market("BTC", "49999", "50001", (5, 40))];
        wait(&mut model, 1_000);
        arrive(&mut model, Answer::Markets(Ok(cheaper)));
        let expected = PlaceOrder {
            expected_price: Some(num("50000")),
            ..market_buy("BTC", "0.02")
        };
        assert_eq!(press(&mut model, "enter"), sent(1, place(expected)));
    }

    #[test]
    fn nonsense_is_never_sent_and_is_told_beside_its_field() {
        for (typed, fault_there) in [
            ("1,5", Fault::Comma),
            ("1e5", Fault::Exponent),
            ("\u{661}", Fault::ForeignDigits),
            ("\u{2212}1", Fault::ForeignMinus),
            ("0", Fault::NotPositive),
            ("-1", Fault::NotPositive),
            ("50%", Fault::PercentOfNothing),
            ("r25", Fault::RiskWithoutStop),
            ("ten", Fault::NotANumber),
        ] {
            let mut model = desk();
            let keys = format!("b {typed} enter");
            assert_eq!(press(&mut model, &keys), vec![], "{typed}");
            assert!(form(&model).tried);
            assert_eq!(fault(&model, Field::Size), Some(fault_there), "{typed}");
        }
    }

    #[test]
    fn five_hundred_typed_zeros_are_no_number() {
        let mut model = desk();
        let keys = format!("b {}1 enter", "0".repeat(500));
        assert_eq!(press(&mut model, &keys), vec![]);
        assert_eq!(fault(&model, Field::Size), Some(Fault::TooManyDigits));
    }

    #[test]
    fn an_attempt_with_faults_goes_to_the_first_of_them() {
        let mut model = desk();
        press(
            &mut model,
            "b 0.1 shift-tab shift-tab shift-tab right enter",
        );
        assert_eq!(form(&model).focus, Field::LimitPrice);
        assert_eq!(fault(&model, Field::LimitPrice), Some(Fault::Missing));
    }

    #[test]
    fn letters_typed_into_a_field_never_act() {
        let mut model = desk();
        assert_eq!(press(&mut model, "b X y q c x ? :"), vec![]);
        assert_eq!(form(&model).draft.text(Field::Size), Some("Xyqcx?:"));
        assert_eq!(model.overlays.len(), 1);
    }

    #[test]
    fn another_market_brings_its_own_terms_and_takes_the_old_prices_away() {
        let mut model = desk();
        press(&mut model, "b 0.1 shift-tab shift-tab shift-tab right");
        press(
            &mut model,
            "tab tab tab tab 60000 shift-tab shift-tab shift-tab right",
        );
        let form = form(&model);
        assert_eq!(form.market_id().unwrap().raw(), "paper|ETH");
        assert_eq!(form.draft.text(Field::LimitPrice), Some(""));
        assert_eq!(form.draft.text(Field::Size), Some("0.1"));
        assert_eq!(form.draft.text(Field::Leverage), Some("8"));
    }

    #[test]
    fn terms_changed_by_hand_stay_when_the_market_changes() {
        let mut model = desk();
        press(
            &mut model,
            "b 0.1 tab tab tab tab ctrl-u 3 shift-tab shift-tab shift-tab shift-tab shift-tab shift-tab right",
        );
        let form = form(&model);
        assert_eq!(form.market_id().unwrap().raw(), "paper|ETH");
        assert_eq!(form.draft.text(Field::Leverage), Some("3"));
    }

    #[test]
    fn the_terms_are_those_of_the_open_position_else_of_the_newest_order_there() {
        let mut model = desk();
        press(&mut model, "j b 3 enter");
        let isolated = PlaceOrder {
            leverage: num("5"),
            margin_mode: MarginMode::Isolated,
            expected_price: Some(num("150.01")),
            ..market_buy("SOL", "3")
        };
        assert_eq!(
            model.store.flights.values().next().map(|f| &f.command),
            Some(&place(isolated))
        );
        let mut model = desk();
        press(&mut model, "2 j b");
        assert_eq!(form(&model).draft.text(Field::Leverage), Some("8"));
    }

    #[test]
    fn without_position_or_order_a_market_starts_at_five_times_cross_or_less() {
        let mut model = bare_desk();
        let markets = vec![market("DOGE", "0.1", "0.2", (0, 3))];
        arrive(&mut model, Answer::Markets(Ok(markets)));
        press(&mut model, "b");
        assert_eq!(form(&model).draft.text(Field::Leverage), Some("3"));
    }

    #[test]
    fn the_equals_key_fills_the_observed_price_on_the_resting_side() {
        let mut model = desk();
        let markets = vec![market("BTC", "63999", "64000", (5, 40))];
        arrive(&mut model, Answer::Markets(Ok(markets)));
        press(&mut model, "s 0.1 =");
        assert_eq!(said(&model), "there is no price field to fill");
        press(
            &mut model,
            "shift-tab shift-tab shift-tab right tab tab tab =",
        );
        assert_eq!(form(&model).draft.text(Field::LimitPrice), Some("64000"));
        assert_eq!(form(&model).focus, Field::LimitPrice);
        assert_eq!(form(&model).draft.text(Field::Size), Some("0.1"));
    }

    #[test]
    fn the_arrows_step_a_price_by_its_tick_and_shift_by_ten() {
        let mut model = desk();
        press(&mut model, "b 0.1 shift-tab shift-tab shift-tab right");
        press(
            &mut model,
            "tab tab tab tab 60000 up up shift-down pageup down",
        );
        let price = form(&model).draft.text(Field::LimitPrice);
        assert_eq!(price, Some("60001"));
    }

    #[test]
    fn without_an_account_or_a_market_there_is_nothing_to_order() {
        let mut model = bare_desk();
        assert_eq!(press(&mut model, "b 1 enter"), vec![]);
        assert_eq!(fault(&model, Field::Market), Some(Fault::Missing));
        let mut model = bare_desk();
        model.identity = None;
        press(&mut model, "b");
        assert_eq!(model.overlays, vec![]);
        assert_eq!(said(&model), "new order: the account is not known yet");
    }

    #[test]
    fn without_prices_the_markets_are_those_that_positions_and_orders_name() {
        let mut model = bare_desk();
        let known = desk();
        model.store.positions = known.store.positions;
        model.store.orders = known.store.orders;
        press(&mut model, "b");
        let choice = form(&model).choice(Field::Market, &model.around()).unwrap();
        assert_eq!(choice.options, ["paper|BTC", "paper|ETH", "paper|SOL"]);
        let expected = PlaceOrder {
            expected_price: None,
            ..market_buy("BTC", "1")
        };
        assert_eq!(press(&mut model, "1 enter"), sent(1, place(expected)));
    }
}

mod every_type {
    use super::*;
    use crate::model::{Bps, Timestamp, Trigger, TriggerDirection};

    /// `keys` after `b` with the focus on the type, one of which is its number.
    fn sends(keys: &str) -> Vec<Effect> {
        let mut model = desk();
        press(&mut model, "b shift-tab shift-tab shift-tab");
        press(&mut model, &format!("{keys} enter"))
    }

    fn order(kind: PlaceKind) -> PlaceOrder {
        PlaceOrder {
            kind,
            ..market_buy("BTC", "0.1")
        }
    }

    fn at(price: &str) -> Trigger {
        Trigger {
            price: num(price),
            market_id: None,
            direction: None,
        }
    }

    #[test]
    fn a_market_order_takes_exits_slippage_and_the_midpoint_that_was_seen() {
        let sent_order = PlaceOrder {
            take_profit_price: Some(num("70000")),
            stop_loss_price: Some(num("58000")),
            slippage_tolerance: Some(Bps(num("40"))),
            expected_price: Some(num("63990")),
            ..order(PlaceKind::Market)
        };
        let keys = "1 tab tab tab 0.1 tab 70000 tab 58000 tab 40 tab tab tab tab 63990";
        assert_eq!(sends(keys), sent(1, place(sent_order)));
    }

    #[test]
    fn a_limit_order_can_end_at_a_date_that_is_sent_as_an_instant() {
        let sent_order = PlaceOrder {
            limit_price: Some(num("60000")),
            time_in_force: Some(TimeInForce::Gtd),
            gtd_expires_at: Some(Timestamp(NOON.0 + 36 * 3_600_000)),
            ..order(PlaceKind::Limit)
        };
        let keys = "2 tab tab tab 0.1 tab 60000 tab 4 tab 1d12h";
        assert_eq!(sends(keys), sent(1, place(sent_order)));
    }

    #[test]
    fn a_chase_keeps_its_distance_up_to_its_cap() {
        let sent_order = PlaceOrder {
            chase_offset: Some(num("0")),
            chase_cap_price: Some(num("64500")),
            ..order(PlaceKind::Chase)
        };
        let keys = "3 tab tab tab 0.1 tab 0 tab 64500";
        assert_eq!(sends(keys), sent(1, place(sent_order)));
    }

    #[test]
    fn stops_and_takes_wait_for_a_price_and_their_limits_have_another() {
        for (number, kind) in [("4", PlaceKind::StopMarket), ("6", PlaceKind::TakeMarket)] {
            let sent_order = PlaceOrder {
                trigger: Some(at("65000")),
                ..order(kind)
            };
            let keys = format!("{number} tab tab tab 0.1 tab 65000");
            assert_eq!(sends(&keys), sent(1, place(sent_order)), "{kind}");
        }
        for (number, kind) in [("5", PlaceKind::StopLimit), ("7", PlaceKind::TakeLimit)] {
            let sent_order = PlaceOrder {
                trigger: Some(at("65000")),
                limit_price: Some(num("65100")),
                time_in_force: Some(TimeInForce::Fok),
                ..order(kind)
            };
            let keys = format!("{number} tab tab tab 0.1 tab 65000 tab 65100 tab tab 3");
            assert_eq!(sends(&keys), sent(1, place(sent_order)), "{kind}");
        }
    }

    #[test]
    fn a_take_profit_is_for_the_open_position_of_its_market_and_only_reduces() {
        let mut model = desk();
        press(&mut model, "s shift-tab shift-tab shift-tab 8");
        let sent_order = PlaceOrder {
            side: Side::Sell,
            size: num("0.25"),
            trigger: Some(at("70000")),
            reduce_only: true,
            target_position_id: Some("pos-1".into()),
            ..order(PlaceKind::TakeProfit)
        };
        let effects = press(&mut model, "tab tab tab 50% tab tab 70000 enter");
        assert_eq!(effects, sent(1, place(sent_order)));
    }

    #[test]
    fn a_conditional_order_watches_another_market() {
        let sent_order = PlaceOrder {
            trigger: Some(Trigger {
                price: num("2900"),
                market_id: Some("paper|ETH".into()),
                direction: Some(TriggerDirection::Below),
            }),
            ..order(PlaceKind::Conditional)
        };
        let keys = "9 tab tab tab 0.1 tab eth tab right tab 2900";
        assert_eq!(sends(keys), sent(1, place(sent_order)));
    }

    #[test]
    fn what_a_type_needs_blocks_sending_until_it_is_there() {
        for (number, missing) in [
            ("2", vec![Field::LimitPrice]),
            ("3", vec![Field::ChaseOffset]),
            ("4", vec![Field::TriggerPrice]),
            ("5", vec![Field::TriggerPrice, Field::LimitPrice]),
            ("8", vec![Field::TriggerPrice]),
            ("9", vec![Field::TriggerPrice]),
        ] {
            let mut model = desk();
            press(&mut model, "b 0.1 shift-tab shift-tab shift-tab");
            assert_eq!(press(&mut model, &format!("{number} enter")), vec![]);
            let found = form(&model).faults(&model.around()).0;
            let expected = missing.into_iter().map(|field| (field, Fault::Missing));
            assert_eq!(found, expected.collect::<Vec<_>>(), "{number}");
            assert_eq!(form(&model).focus, found[0].0);
        }
    }

    #[test]
    fn a_trigger_price_steps_and_is_filled_by_the_market_it_watches() {
        let mut model = desk();
        press(
            &mut model,
            "b shift-tab shift-tab shift-tab 9 tab tab tab tab",
        );
        press(&mut model, "eth tab tab = up");
        assert_eq!(form(&model).draft.text(Field::TriggerPrice), Some("3000.1"));
        press(&mut model, "shift-tab shift-tab sol");
        assert_eq!(form(&model).draft.text(Field::TriggerPrice), Some(""));
    }

    #[test]
    fn another_type_keeps_what_was_written_and_drops_a_time_it_has_not() {
        let mut model = desk();
        press(&mut model, "b 0.1 shift-tab shift-tab shift-tab 2");
        press(&mut model, "tab tab tab tab 60000 tab 3");
        press(
            &mut model,
            "shift-tab shift-tab shift-tab shift-tab shift-tab 5",
        );
        let form = form(&model);
        assert_eq!(form.draft.text(Field::LimitPrice), Some("60000"));
        press(&mut model, "4 tab tab tab tab 65000");
        let sent_order = PlaceOrder {
            trigger: Some(at("65000")),
            ..order(PlaceKind::StopMarket)
        };
        assert_eq!(press(&mut model, "enter"), sent(1, place(sent_order)));
    }
}

mod strategies {
    use super::*;
    use crate::{
        api::Creation,
        model::{Curve, PlaceScaled, PlaceTwap},
    };

    #[test]
    fn a_twap_is_a_size_and_how_long_it_runs() {
        let mut model = desk();
        let twap = PlaceTwap {
            account_id: "chal-1".into(),
            market_id: "paper|BTC".into(),
            curve: Curve::Twap,
            side: Side::Buy,
            size: num("0.5"),
            leverage: num("10"),
            margin_mode: MarginMode::Cross,
            reduce_only: false,
            duration_minutes: num("120"),
            randomize: true,
            trigger_price: None,
            max_price: Some(num("70000")),
            min_price: None,
        };
        let effects = press(&mut model, "t 0.5 tab 2h tab right tab tab tab 70000 enter");
        assert_eq!(effects, sent(1, Command::PlaceTwap(Box::new(twap))));
    }

    #[test]
    fn a_ladder_is_two_prices_and_how_many_rungs() {
        let mut model = desk();
        let ladder = PlaceScaled {
            account_id: "chal-1".into(),
            market_id: "paper|BTC".into(),
            side: Side::Buy,
            size: num("0.3"),
            leverage: num("10"),
            margin_mode: MarginMode::Cross,
            reduce_only: false,
            start_price: num("62000"),
            end_price: num("60000"),
            rung_count: num("5"),
            skew: Some(num("2")),
        };
        let effects = press(&mut model, "l 0.3 tab 62000 tab 60000 tab 5 tab 2 enter");
        assert_eq!(effects, sent(1, Command::PlaceScaled(Box::new(ladder))));
    }

    #[test]
    fn a_service_that_makes_none_says_so_in_words() {
        let mut model = desk();
        model.options.dialect.twap_creation = Creation::None;
        model.options.dialect.scaled_creation = Creation::Auto;
        for (key, words) in [
            (
                "t",
                "this service offers no creation of TWAPs: dialect.twap_creation is none",
            ),
            (
                "l",
                "this service offers no creation of ladders: dialect.scaled_creation is none",
            ),
        ] {
            press(&mut model, key);
            assert_eq!(model.overlays, vec![]);
            assert_eq!(said(&model), words);
        }
    }
}

mod last_used {
    use super::*;

    #[test]
    fn the_next_order_in_a_market_starts_as_the_last_one_there_but_with_no_size_and_no_price() {
        let mut model = desk();
        press(
            &mut model,
            "2 j b shift-tab shift-tab shift-tab 2 tab tab tab 0.2 tab 2900 tab 2",
        );
        press(&mut model, "tab tab tab ctrl-u 12 tab right");
        assert_eq!(press(&mut model, "enter").len(), 1);
        settle(&mut model, Ticket(1), Ok(accepted()));
        press(&mut model, "s");
        let form = form(&model);
        let draft = &form.draft;
        let texts = [Field::Size, Field::LimitPrice, Field::Leverage].map(|f| draft.text(f));
        assert_eq!(texts, [Some(""), Some(""), Some("12")]);
        let chosen = [Field::Kind, Field::TimeInForce, Field::MarginMode].map(|field| {
            let choice = form.choice(field, &model.around()).unwrap();
            choice.options[choice.chosen.unwrap()].clone()
        });
        assert_eq!(chosen, ["limit", "ioc", "isolated"]);
        press(&mut model, "up");
        assert_eq!(super::form(&model).draft.text(Field::Size), Some("0.2"));
    }

    #[test]
    fn another_market_and_another_type_are_not_touched_by_them() {
        let mut model = desk();
        press(&mut model, "b 0.1 tab tab tab 40 enter");
        settle(&mut model, Ticket(1), Ok(accepted()));
        press(&mut model, "j b");
        let market = form(&model).market_id().unwrap();
        assert_eq!(market.raw(), "paper|SOL");
        assert_eq!(form(&model).draft.text(Field::Slippage), Some(""));
        press(&mut model, "esc k b");
        assert_eq!(form(&model).draft.text(Field::Slippage), Some("40"));
        press(&mut model, "shift-tab shift-tab shift-tab stop_m");
        assert_eq!(form(&model).draft.text(Field::Slippage), Some(""));
        press(&mut model, "market");
        assert_eq!(form(&model).draft.text(Field::Slippage), Some("40"));
    }

    #[test]
    fn neither_what_was_not_sent_nor_what_was_refused_is_remembered() {
        let refused = Failure::new(FailureKind::Invalid, "slippage_tolerance_bps is too large");
        let rejected = order(
            "ord-9",
            "BTC",
            r#""type":"market","mode":"market","side":"buy","size":0.1,"status":"rejected""#,
        );
        let rejected = Receipt::Order {
            order: Box::new(rejected),
            queued: false,
        };
        for outcome in [None, Some(Err(refused)), Some(Ok(rejected))] {
            let mut model = desk();
            press(&mut model, "b 0.1 tab tab tab 64000 tab ctrl-u 20");
            if let Some(outcome) = outcome {
                assert_eq!(press(&mut model, "enter").len(), 1);
                settle(&mut model, Ticket(1), outcome);
            }
            press(&mut model, "esc esc b");
            let texts = [Field::Slippage, Field::Leverage].map(|f| form(&model).draft.text(f));
            assert_eq!(texts, [Some(""), Some("10")]);
        }
    }

    #[test]
    fn a_tolerance_that_wide_is_of_one_order_and_a_stop_is_of_its_position() {
        let mut model = desk();
        press(&mut model, "b 0.1 tab tab tab 900 enter");
        settle(&mut model, Ticket(1), Ok(accepted()));
        press(&mut model, "b");
        assert_eq!(form(&model).draft.text(Field::Slippage), Some(""));
        press(
            &mut model,
            "esc s 0.1 shift-tab shift-tab shift-tab stop_m tab tab tab tab 50000 enter",
        );
        settle(&mut model, Ticket(2), Ok(accepted()));
        press(&mut model, "b");
        let choice = form(&model).choice(Field::Kind, &model.around()).unwrap();
        assert_eq!(choice.options[choice.chosen.unwrap()], "market");
    }
}

mod closing {
    use super::*;

    #[test]
    fn the_whole_position_goes_without_a_size() {
        let mut model = desk();
        let command = Command::Close(close("pos-1", None));
        assert_eq!(press(&mut model, "c enter"), sent(1, command));
    }

    #[test]
    fn three_quarters_a_half_and_a_quarter_are_chosen_by_the_arrows() {
        for (keys, size) in [
            ("left", Some("0.375")),
            ("left left", Some("0.25")),
            ("left left left", Some("0.125")),
            ("left right", None),
        ] {
            let mut model = desk();
            let command = Command::Close(close("pos-1", size));
            let keys = format!("c {keys} enter");
            assert_eq!(press(&mut model, &keys), sent(1, command), "{keys}");
        }
    }

    #[test]
    fn digits_on_the_part_are_the_size_that_they_spell() {
        for (typed, size) in [
            ("100", None),
            ("50", Some("50")),
            ("1", Some("1")),
            ("25%", Some("25")),
            (".5", Some("0.5")),
            ("$1500.1", Some("10")),
        ] {
            let mut model = desk();
            let command = Command::Close(ClosePosition {
                expected_price: Some(num("150.01")),
                held: Some(held("SOL", Side::Sell)),
                ..close("pos-2", size)
            });
            let keys = format!("j c {typed} enter");
            assert_eq!(press(&mut model, &keys), sent(1, command), "{typed}");
        }
        let mut model = desk();
        assert_eq!(press(&mut model, "c 100 enter"), vec![], "of half a BTC");
        let above = Fault::AbovePosition(num("0.5"));
        assert_eq!(fault(&model, Field::Size), Some(above));
    }

    #[test]
    fn a_part_can_be_typed_and_is_never_more_than_there_is() {
        let mut model = desk();
        press(&mut model, "c 0.3 tab tab 40");
        let expected = ClosePosition {
            slippage_tolerance: Some(crate::model::Bps(num("40"))),
            ..close("pos-1", Some("0.3"))
        };
        assert_eq!(
            press(&mut model, "enter"),
            sent(1, Command::Close(expected))
        );
        let mut model = desk();
        assert_eq!(press(&mut model, "c 0.6 enter"), vec![]);
        let above = Fault::AbovePosition(num("0.5"));
        assert_eq!(fault(&model, Field::Size), Some(above));
    }

    #[test]
    fn the_target_is_the_position_that_was_selected_whatever_polls_bring() {
        let mut model = desk();
        press(&mut model, "j c left left");
        wait(&mut model, 1_000);
        let reordered = vec![
            position("pos-3", "ETH", "1", r#""leverage":3"#),
            position(
                "pos-2",
                "SOL",
                "-60",
                r#""leverage":5,"isolated_margin_extra":0"#,
            ),
        ];
        let page = crate::model::Page::of(reordered);
        arrive(&mut model, Answer::Positions(Ok(page)));
        let expected = ClosePosition {
            expected_price: Some(num("150.01")),
            held: Some(held("SOL", Side::Sell)),
            ..close("pos-2", Some("30"))
        };
        assert_eq!(
            press(&mut model, "enter"),
            sent(1, Command::Close(expected))
        );
    }

    #[test]
    fn a_limit_that_would_fill_at_once_asks_and_a_yes_sends_it() {
        let mut model = desk();
        press(&mut model, "c tab tab right tab 63000");
        assert_eq!(press(&mut model, "enter"), vec![]);
        assert_eq!(form(&model).focus, Field::Acknowledged);
        assert_eq!(fault(&model, Field::Acknowledged), Some(Fault::Crosses));
        let expected = ClosePosition {
            kind: CloseKind::Limit,
            limit_price: Some(num("63000")),
            marketable_limit_acknowledged: true,
            ..close("pos-1", None)
        };
        assert_eq!(
            press(&mut model, "space enter"),
            sent(1, Command::Close(expected))
        );
    }

    #[test]
    fn a_conditional_close_is_a_stop_on_its_own_market_unless_another_is_watched() {
        use crate::model::{Bps, Trigger, TriggerDirection};
        let mut model = desk();
        press(&mut model, "c left left tab tab 3 tab tab tab 60000 tab 50");
        let expected = ClosePosition {
            kind: CloseKind::Conditional,
            slippage_tolerance: Some(Bps(num("50"))),
            trigger: Some(Trigger {
                price: num("60000"),
                market_id: Some("paper|BTC".into()),
                direction: Some(TriggerDirection::Below),
            }),
            ..close("pos-1", Some("0.25"))
        };
        assert_eq!(
            press(&mut model, "enter"),
            sent(1, Command::Close(expected))
        );
    }
}

mod amending {
    use super::*;

    fn exits(take_profit: Leg, stop_loss: Leg) -> Command {
        Command::Exits(Exits::unseen("ord-1".into(), take_profit, stop_loss))
    }

    #[test]
    fn both_exits_are_always_sent_the_unchanged_one_too() {
        let mut model = desk();
        press(&mut model, "2 e");
        assert_eq!(form(&model).draft.text(Field::StopLoss), Some("58000"));
        let command = exits(Leg::Set(num("70001")), Leg::Set(num("58000")));
        assert_eq!(press(&mut model, "up enter"), sent(1, command));
    }

    #[test]
    fn an_emptied_exit_is_removed() {
        let mut model = desk();
        press(&mut model, "2 e tab ctrl-u");
        let command = exits(Leg::Set(num("70000")), Leg::Remove);
        assert_eq!(press(&mut model, "enter"), sent(1, command));
    }

    #[test]
    fn extra_margin_is_sent_as_a_total_however_it_was_written() {
        for (typed, total) in [
            ("+50", "170.5"),
            ("-20.5", "100.0"),
            ("=200", "200"),
            ("7", "7"),
        ] {
            let mut model = desk();
            let command = Command::margin("pos-2".into(), num(total), Some(num("120.5")));
            let keys = format!("j m {typed} enter");
            assert_eq!(press(&mut model, &keys), sent(1, command), "{typed}");
        }
    }

    #[test]
    fn a_cross_position_has_no_margin_of_its_own() {
        let mut model = desk();
        press(&mut model, "m");
        assert_eq!(said(&model), "a cross position has no isolated margin");
    }
}

mod sending {
    use super::*;

    fn refused() -> Failure {
        Failure {
            code: Some("invalid_tick".into()),
            status: Some(400),
            ..Failure::new(
                FailureKind::Invalid,
                "limit_price 60000.5 is off the tick 1",
            )
        }
    }

    #[test]
    fn enter_twice_sends_once_and_what_is_on_its_way_cannot_be_changed() {
        let mut model = desk();
        assert_eq!(press(&mut model, "b 0.1 enter").len(), 1);
        assert_eq!(press(&mut model, "enter 5 up enter"), vec![]);
        assert_eq!(form(&model).sending, Some(Ticket(1)));
        assert_eq!(form(&model).draft.text(Field::Size), Some("0.1"));
    }

    #[test]
    fn a_failure_keeps_the_form_and_everything_in_it() {
        let mut model = desk();
        press(&mut model, "b 0.1 enter");
        let before = form(&model).draft.clone();
        settle(&mut model, Ticket(1), Err(refused()));
        assert_eq!(form(&model).draft, before);
        assert_eq!(form(&model).failure, Some(refused()));
        assert_eq!(form(&model).sending, None);
        press(&mut model, "5");
        assert_eq!(form(&model).failure, None);
        assert_eq!(
            press(&mut model, "enter"),
            sent(2, place(market_buy("BTC", "0.15")))
        );
    }

    #[test]
    fn success_closes_the_form_and_polls_again_at_once() {
        let mut model = desk();
        press(&mut model, "b 0.1 enter");
        let filled = order(
            "ord-9",
            "BTC",
            r#""type":"market","mode":"market","side":"buy","size":0.1,"status":"filled""#,
        );
        let receipt = Receipt::Order {
            order: Box::new(filled),
            queued: false,
        };
        let effects = settle(&mut model, Ticket(1), Ok(receipt));
        assert_eq!(model.overlays, vec![]);
        assert!(matches!(effects.as_slice(), [Effect::Poll(_)]));
    }

    #[test]
    fn an_order_that_was_taken_and_rejected_keeps_the_form_with_the_reason() {
        let mut model = desk();
        press(&mut model, "b 0.1 enter");
        let rejected = order(
            "ord-9",
            "BTC",
            r#""type":"market","mode":"market","side":"buy","size":0.1,"status":"rejected",
               "reject_reason":"insufficient_margin","reject_rule_id":"insufficient_margin""#,
        );
        let receipt = Receipt::Order {
            order: Box::new(rejected),
            queued: false,
        };
        settle(&mut model, Ticket(1), Ok(receipt));
        let expected = Failure {
            proves: Proof::Refused,
            rule_id: Some("insufficient_margin".into()),
            order_id: Some("ord-9".into()),
            ..Failure::new(FailureKind::Invalid, "insufficient_margin")
        };
        assert_eq!(form(&model).failure, Some(expected));
    }

    #[test]
    fn an_order_whose_fate_is_unknown_is_not_placed_a_second_time_from_the_same_form() {
        let mut model = desk();
        press(&mut model, "b 0.1 enter");
        let doubt = Failure::new(FailureKind::Unknown, "no answer in time");
        settle(&mut model, Ticket(1), Err(doubt.clone()));
        assert_eq!(press(&mut model, "enter 5 enter"), vec![]);
        assert_eq!(form(&model).failure, Some(doubt));
    }

    #[test]
    fn a_change_that_may_be_repeated_may_be_sent_again_after_doubt() {
        let mut model = desk();
        press(&mut model, "j m =200 enter");
        let doubt = Failure::new(FailureKind::Unknown, "no answer in time");
        settle(&mut model, Ticket(1), Err(doubt));
        assert_eq!(press(&mut model, "enter").len(), 1);
    }

    #[test]
    fn escape_closes_the_form_and_the_command_goes_on() {
        let mut model = desk();
        press(&mut model, "b 0.1 enter esc");
        assert_eq!(model.overlays, vec![]);
        assert_eq!(model.store.flights.len(), 1);
        settle(&mut model, Ticket(1), Err(refused()));
        assert_eq!(model.overlays, vec![]);
    }

    #[test]
    fn the_outcome_of_one_form_does_not_touch_the_next() {
        let mut model = desk();
        press(&mut model, "b 0.1 enter esc s 0.2");
        settle(&mut model, Ticket(1), Err(refused()));
        assert_eq!(form(&model).failure, None);
        assert_eq!(form(&model).draft.text(Field::Size), Some("0.2"));
    }
}

mod leaving {
    use super::*;

    #[test]
    fn escape_goes_back_from_the_json_to_the_form() {
        let mut model = desk();
        press(&mut model, "b 0.1 ctrl-j esc");
        assert!(!form(&model).shows_json);
        assert_eq!(form(&model).draft.text(Field::Size), Some("0.1"));
        assert_ne!(form(&model).hand, Hand::Leaving);
    }

    #[test]
    fn a_form_that_was_written_in_asks_once_and_one_that_was_not_goes() {
        let mut model = desk();
        press(&mut model, "b esc");
        assert_eq!(model.overlays, []);
        press(&mut model, "b 0.1 esc");
        assert_eq!(form(&model).hand, Hand::Leaving);
        press(&mut model, "2 esc");
        assert_eq!(
            form(&model).draft.text(Field::Size),
            Some("0.12"),
            "it stays and asks anew"
        );
        press(&mut model, "esc");
        assert_eq!(model.overlays, []);
    }
}

mod letters {
    use super::*;

    #[test]
    fn they_choose_what_begins_with_them() {
        let mut model = desk();
        press(&mut model, "b shift-tab shift-tab shift-tab lim");
        let chosen = |model: &Model, field| {
            let choice = form(model).choice(field, &model.around()).unwrap();
            choice.options[choice.chosen.unwrap()].clone()
        };
        assert_eq!(chosen(&model, Field::Kind), "limit");
        press(&mut model, "stop_l");
        assert_eq!(chosen(&model, Field::Kind), "stop limit");
        press(&mut model, "take_market");
        let why = "the service's own word means the same";
        assert_eq!(chosen(&model, Field::Kind), "take mkt", "{why}");
        press(&mut model, "cond tab tab tab tab tab b");
        assert_eq!(form(&model).focus, Field::TriggerDirection);
        assert_eq!(chosen(&model, Field::TriggerDirection), "below");
        press(
            &mut model,
            "shift-tab shift-tab shift-tab shift-tab shift-tab l tab tab tab tab tab f",
        );
        assert_eq!(chosen(&model, Field::TimeInForce), "fok");
        press(&mut model, "gtd");
        assert_eq!(chosen(&model, Field::TimeInForce), "gtd");
        assert_eq!(form(&model).refusal, None);
    }

    #[test]
    fn one_that_begins_nothing_says_so_and_changes_nothing() {
        let mut model = desk();
        press(&mut model, "b shift-tab z");
        assert_eq!(
            form(&model).refusal,
            Some("no choice begins with that letter")
        );
        assert_eq!(form(&model).side(&model.around()), Some(Side::Buy));
        press(&mut model, "se");
        assert_eq!(form(&model).refusal, None);
        assert_eq!(form(&model).side(&model.around()), Some(Side::Sell));
    }
}

mod writing {
    use super::*;

    fn paste(model: &mut Model, text: &str) {
        assert_eq!(
            update(model, model.now, Msg::Paste(text.to_owned())),
            vec![]
        );
    }

    #[test]
    fn pasted_text_goes_into_the_field_and_acts_on_nothing() {
        let mut model = desk();
        press(&mut model, "b");
        paste(&mut model, "0.25");
        assert_eq!(form(&model).draft.text(Field::Size), Some("0.25"));
        assert_eq!(form(&model).refusal, None);
    }

    #[test]
    fn a_paste_that_does_not_fit_is_refused_whole() {
        for (text, words) in [
            ("0.1\n0.2", "not pasted: more than one line"),
            ("0.1\r", "not pasted: more than one line"),
            (
                "\u{1b}[31m1",
                "not pasted: it has characters that cannot be shown",
            ),
            (
                "1\u{202e}2",
                "not pasted: it has characters that cannot be shown",
            ),
            (&"1".repeat(257), "not pasted: longer than 256 characters"),
        ] {
            let mut model = desk();
            press(&mut model, "b");
            paste(&mut model, text);
            assert_eq!(form(&model).draft.text(Field::Size), Some(""));
            assert_eq!(form(&model).refusal, Some(words));
        }
    }

    proptest::proptest! {
        #[test]
        fn any_paste_is_taken_whole_or_not_at_all(text: String) {
            let mut model = desk();
            press(&mut model, "b");
            paste(&mut model, &text);
            let there = form(&model).draft.text(Field::Size).unwrap();
            proptest::prop_assert!(there.is_empty() || there == text);
        }
    }

    #[test]
    fn a_choice_takes_no_paste_and_neither_does_a_form_on_its_way() {
        let mut model = desk();
        press(&mut model, "c");
        paste(&mut model, "1");
        assert_eq!(
            form(&model).refusal,
            Some("not pasted: this field is a choice")
        );
        press(&mut model, "tab enter");
        paste(&mut model, "1");
        assert_eq!(form(&model).draft.text(Field::Size), Some("100%"));
    }

    #[test]
    fn a_paste_on_the_desk_presses_no_keys() {
        let mut model = desk();
        paste(&mut model, "Xyq");
        assert_eq!(model.overlays, vec![]);
    }

    #[test]
    fn a_line_is_edited_where_the_cursor_is() {
        let mut model = desk();
        press(&mut model, "b 123 left left 9 home delete end backspace 5");
        assert_eq!(form(&model).draft.text(Field::Size), Some("925"));
        press(&mut model, "ctrl-w 7 ctrl-u 8");
        assert_eq!(form(&model).draft.text(Field::Size), Some("8"));
        assert_eq!(form(&model).cursor(), 1);
    }

    #[test]
    fn tab_goes_round_and_back_and_the_texts_stay() {
        let mut model = desk();
        press(
            &mut model,
            "b 0.1 tab tab tab tab tab tab tab tab tab tab tab",
        );
        assert_eq!(form(&model).focus, Field::Size);
        press(&mut model, "shift-tab tab 5");
        assert_eq!(form(&model).draft.text(Field::Size), Some("0.15"));
    }

    #[test]
    fn the_json_is_shown_and_hidden_by_one_key() {
        let mut model = desk();
        press(&mut model, "b ctrl-j");
        assert!(form(&model).shows_json);
        press(&mut model, "ctrl-j");
        assert!(!form(&model).shows_json);
    }
}

mod stop {
    use super::*;
    use crate::app::{
        notice::{Event, Tone},
        overlay::Deed,
    };

    fn reduces(model: &Model) -> Option<String> {
        let choice = form(model).choice(Field::ReduceOnly, &model.around())?;
        choice.options.get(choice.chosen?).cloned()
    }

    /// Turns the type of the open form into a stop.
    const STOP: &str = "shift-tab shift-tab shift-tab 4";

    #[test]
    fn a_stop_against_the_open_position_only_reduces_and_any_other_does_not() {
        let mut model = desk();
        press(&mut model, "s");
        assert_eq!(reduces(&model).as_deref(), Some("no"), "a market order");
        press(&mut model, STOP);
        assert_eq!(reduces(&model).as_deref(), Some("yes"));
        press(&mut model, "tab tab right");
        assert_eq!(reduces(&model).as_deref(), Some("no"), "with the position");
        press(&mut model, "right shift-tab e");
        assert_eq!(form(&model).market_id().unwrap().raw(), "paper|ETH");
        assert_eq!(reduces(&model).as_deref(), Some("no"), "nothing is open");
    }

    #[test]
    fn what_a_person_chose_of_it_stays() {
        let mut model = desk();
        press(&mut model, "s");
        press(&mut model, STOP);
        press(&mut model, "tab tab tab tab tab");
        assert_eq!(form(&model).focus, Field::ReduceOnly, "after the price");
        press(&mut model, "1 shift-tab shift-tab shift-tab right right");
        assert_eq!(reduces(&model).as_deref(), Some("no"));
    }

    #[test]
    fn an_armed_order_is_moved_by_another_in_its_stead_and_then_goes_by_itself() {
        let mut model = desk();
        press(&mut model, "2 j e");
        let open = form(&model);
        assert_eq!(open.focus, Field::TriggerPrice);
        assert_eq!(open.draft.text(Field::TriggerPrice), Some("2800"));
        let effects = press(
            &mut model,
            "backspace backspace backspace backspace 2850 enter",
        );
        let [Effect::Send(ticket, Command::Place(order))] = effects.as_slice() else {
            panic!("{effects:?}")
        };
        assert_eq!(
            (order.kind, order.side, order.size, order.reduce_only),
            (PlaceKind::StopMarket, Side::Sell, num("2"), false)
        );
        assert_eq!(order.trigger.as_ref().map(|t| t.price), Some(num("2850")));
        let placed = super::order(
            "ord-9",
            "ETH",
            r#""type":"stop_market","mode":"stop_market","side":"sell",
            "size":2,"trigger_price":2850,"status":"pending""#,
        );
        let receipt = Receipt::Order {
            order: Box::new(placed),
            queued: false,
        };
        settle(&mut model, *ticket, Ok(receipt));
        let Some(Overlay::Strip(strip)) = model.overlays.last() else {
            panic!("{:?}", model.overlays)
        };
        let cancel = Command::Cancel("ord-2".into());
        assert_eq!(strip.deed, Deed::Replaced(cancel.clone()));
        // Both could open something.
        let effects = wait(&mut model, 1_600);
        assert_eq!(effects, vec![Effect::Send(Ticket(2), cancel)]);
    }

    #[test]
    fn an_armed_entry_that_is_moved_keeps_its_exits() {
        let mut model = desk();
        let armed = super::order(
            "ord-5",
            "BTC",
            r#""type":"stop_market","mode":"stop_market","side":"buy","size":0.5,"trigger_price":66000,
            "attached_take_profit_price":70000,"attached_stop_loss_price":65000,"status":"pending""#,
        );
        let orders = crate::model::Page::of(vec![armed]);
        arrive(&mut model, Answer::Orders(Ok(orders)));
        let effects = press(&mut model, "2 e ctrl-u 66500 enter");
        let [Effect::Send(_, Command::Place(order))] = effects.as_slice() else {
            panic!("{effects:?}")
        };
        assert_eq!(
            (order.take_profit_price, order.stop_loss_price),
            (Some(num("70000")), Some(num("65000")))
        );
    }

    #[test]
    fn a_stop_that_protects_is_not_canceled_unasked_and_two_of_them_are_told() {
        let mut model = desk();
        let guarding = |id: &str, price: u32| {
            let terms = format!(
                r#""type":"stop_market","mode":"stop_market","side":"sell",
                "size":0.5,"trigger_price":{price},"status":"pending""#
            );
            crate::model::Order {
                reduce_only: true,
                ..super::order(id, "BTC", &terms)
            }
        };
        let orders = crate::model::Page::of(vec![guarding("ord-5", 60_000)]);
        arrive(&mut model, Answer::Orders(Ok(orders)));
        press(&mut model, "2 e enter");
        let receipt = Receipt::Order {
            order: Box::new(guarding("ord-9", 61_000)),
            queued: false,
        };
        settle(&mut model, Ticket(1), Ok(receipt));
        assert_eq!(wait(&mut model, 6_000), vec![]);
        let told = model.activity.toast(model.now).map(|notice| &notice.event);
        let words = "both orders work now: cancel order ord-5 is left to do".to_owned();
        assert_eq!(told, Some(&Event::Said(Tone::Alert, words)));
    }

    #[test]
    fn an_armed_stop_whose_successor_is_refused_is_left_alone() {
        let mut model = desk();
        press(&mut model, "2 j e enter");
        let why = Failure::new(FailureKind::Invalid, "no");
        settle(&mut model, Ticket(1), Err(why));
        assert!(form(&model).replaces.is_some(), "the form is still there");
        press(&mut model, "esc");
        assert_eq!(model.overlays, []);
    }
}
