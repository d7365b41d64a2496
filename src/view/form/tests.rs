//! What a form says before anything is sent, and after it was refused.

use super::{FormView, ValueView, form};
use crate::{
    app::{
        Effect, Model, Msg,
        overlay::Overlay,
        poll::{Answer, Source},
        testing::*,
        update,
    },
    model::{
        AccountFacts, Book, Command, Failure, FailureKind, Level, Page, Progress, Ticket,
        Timestamp, draft::Field,
    },
    view::Tone,
};
use std::time::Duration;

fn view(model: &Model) -> FormView {
    match model.overlays.last() {
        Some(Overlay::Form(open)) => form(open, model),
        other => panic!("no form is open but {other:?}"),
    }
}

fn words(spans: &[super::Span]) -> Vec<&str> {
    spans.iter().map(|span| span.text.as_str()).collect()
}

fn preview(model: &Model) -> Vec<(&'static str, String)> {
    let lines = view(model).preview.into_iter();
    lines.map(|(label, span)| (label, span.text)).collect()
}

fn lines<const N: usize>(lines: [(&'static str, &str); N]) -> Vec<(&'static str, String)> {
    lines.map(|(label, text)| (label, text.to_owned())).to_vec()
}

/// A limit buy of `size` at `limit`, with the focus on the size.
fn limit_buy(size: &str, limit: &str) -> Model {
    let mut model = desk();
    let keys =
        format!("b {size} shift-tab shift-tab shift-tab right tab tab tab tab {limit} shift-tab");
    press(&mut model, &keys);
    model
}

#[test]
fn the_title_says_what_is_done_to_what_on_which_account() {
    for (keys, title) in [
        ("b", "new order BUY BTC on chal-1"),
        ("c", "close LONG 0.50000 BTC (pos-1) on chal-1"),
        (
            "j m",
            "isolated margin of SHORT 100.00 SOL (pos-2) on chal-1",
        ),
        ("2 e", "exits of BUY 0.10000 BTC @ 60,000 (ord-1) on chal-1"),
    ] {
        let mut model = desk();
        press(&mut model, keys);
        assert_eq!(words(&view(&model).title).concat(), title);
    }
}

#[test]
fn a_limit_entry_shows_everything_that_would_come_of_it() {
    let mut model = limit_buy("r25", "60000");
    press(&mut model, "tab tab tab 63000 tab 59000");
    wait(&mut model, 3_000);
    assert_eq!(
        preview(&model),
        lines([
            ("size", "0.02500 BTC"),
            ("notional", "1,500.00 USD"),
            ("initial margin", "150.00 USD"),
            ("liquidation", "–"),
            ("fee", "–"),
            ("at stop", "est. -25.00 USD before fees"),
            ("R:R", "3.00 : 1"),
            ("execution", "rests (maker)"),
            ("position", "LONG 0.50000 → LONG 0.52500"),
            ("observed", "64,000, 3s old"),
        ])
    );
}

#[test]
fn an_isolated_entry_where_nothing_is_open_has_an_estimated_liquidation_price() {
    let mut model = desk();
    press(&mut model, "2 j s 2 tab tab tab tab ctrl-u 10 tab right");
    assert_eq!(
        preview(&model),
        lines([
            ("size", "2.0000 ETH"),
            ("notional", "6,000.00 USD"),
            ("initial margin", "600.00 USD"),
            ("liquidation", "est. 3,235.3"),
            ("fee", "–"),
            ("at stop", "–"),
            ("R:R", "–"),
            ("position", "flat → SHORT 2.0000"),
            ("observed", "3,000.0, 0s old"),
        ])
    );
}

#[test]
fn a_cross_entry_is_reckoned_with_the_whole_account_behind_it() {
    let mut model = desk();
    let liquidation = |model: &Model| preview(model)[3].1.clone();
    press(&mut model, "b 0.5");
    assert_eq!(liquidation(&model), "–");
    let facts = AccountFacts {
        cash: Some(num("20000")),
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts)));
    // 1 BTC at 62,000 on average; 20,000 less the 3,320.50 that the isolated short holds stand behind it.
    assert_eq!(liquidation(&model), "est. 45,894");
    press(&mut model, "shift-tab right");
    assert_eq!(liquidation(&model), "–");
}

#[test]
fn what_is_not_known_is_a_dash_and_never_zero() {
    let mut model = bare_desk();
    press(&mut model, "b");
    assert_eq!(
        preview(&model),
        lines([
            ("size", "–"),
            ("notional", "–"),
            ("initial margin", "–"),
            ("liquidation", "–"),
            ("fee", "–"),
            ("at stop", "–"),
            ("R:R", "–"),
            ("position", "–"),
            ("observed", "–"),
        ])
    );
}

#[test]
fn a_limit_that_crosses_says_it_fills_now() {
    let model = limit_buy("0.1", "64001");
    let execution = view(&model)
        .preview
        .into_iter()
        .find(|(l, _)| *l == "execution");
    let (_, span) = execution.unwrap();
    assert_eq!(
        (span.text.as_str(), span.tone),
        ("fills now (taker)", Tone::Warn)
    );
}

/// What the form says of fees, where takers pay 4.5 and makers 1.5 basis points.
fn fee(mut model: Model) -> String {
    model.options.fees.taker_bps = Some(num("4.5"));
    model.options.fees.maker_bps = Some(num("1.5"));
    let mut lines = preview(&model).into_iter();
    lines.find(|(label, _)| *label == "fee").unwrap().1
}

fn pressed(keys: &str) -> Model {
    let mut model = desk();
    press(&mut model, keys);
    model
}

#[test]
fn a_fee_is_reckoned_by_how_the_order_would_trade() {
    let taker = "est. 2.88 USD (taker 4.5 bps, local)";
    assert_eq!(fee(pressed("b 0.1")), taker);
    assert_eq!(
        fee(limit_buy("0.1", "64001")),
        "est. 2.88 USD (taker 4.5 bps, local)"
    );
    assert_eq!(
        fee(limit_buy("0.1", "60000")),
        "est. 0.90 USD (maker 1.5 bps, local)"
    );
    assert_eq!(
        fee(pressed("c left left left")),
        "est. 3.60 USD (taker 4.5 bps, local)"
    );
    assert_eq!(fee(pressed("b")), "–");
}

#[test]
fn what_is_lost_at_the_stop_has_the_fees_in_it_once_they_are_known() {
    let mut model = limit_buy("r25", "60000");
    model.options.fees.taker_bps = Some(num("4.5"));
    model.options.fees.maker_bps = Some(num("1.5"));
    press(&mut model, "tab tab tab 63000 tab 59000");
    let lines = preview(&model);
    // 0.02414 × (1000 + 9 + 26.55) USD.
    assert_eq!(lines[0].1, "0.02414 BTC");
    assert_eq!(
        (lines[5].0, lines[5].1.as_str()),
        ("at stop", "est. -25.00 USD with fees 0.86")
    );
}

#[test]
fn a_fee_says_which_fill_of_the_service_it_is_reckoned_by() {
    let mut model = pressed("b 0.1");
    let filled = r#""type":"market","mode":"market","side":"buy","size":0.1,"status":"filled",
        "notional":6400,"fee":3.2,"liquidity_role":"taker""#;
    let page = Page::of(vec![order("ord-0", "BTC", filled)]);
    arrive(&mut model, Answer::History(Ok(page)));
    assert_eq!(fee(model), "est. 3.20 USD (taker 5 bps, by the last fill)");
}

#[test]
fn a_reduce_only_order_stops_at_flat() {
    let mut model = desk();
    press(
        &mut model,
        "s 0.8 shift-tab shift-tab shift-tab shift-tab shift-tab right",
    );
    assert!(preview(&model).contains(&("position", "LONG 0.50000 → flat".to_owned())));
    press(&mut model, "left");
    assert!(preview(&model).contains(&("position", "LONG 0.50000 → SHORT 0.30000".to_owned())));
}

#[test]
fn a_close_shows_the_part_what_it_brings_and_what_is_left() {
    let mut model = desk();
    press(&mut model, "c left left left");
    assert_eq!(
        preview(&model),
        lines([
            ("size", "0.12500 BTC"),
            ("notional", "8,000.00 USD"),
            ("gross profit", "est. +500.00 USD"),
            ("fee", "–"),
            ("position", "LONG 0.50000 → LONG 0.37500"),
            ("observed", "64,000, 0s old"),
        ])
    );
    press(&mut model, "left left");
    assert!(preview(&model).contains(&("position", "LONG 0.50000 → flat".to_owned())));
}

#[test]
fn exits_show_what_is_what_will_be_and_how_far_off() {
    let mut model = desk();
    press(&mut model, "2 e ctrl-u 66000 tab ctrl-u");
    let shown = view(&model).preview;
    assert_eq!(
        preview(&model),
        lines([
            ("take profit", "70,000 → 66,000 (+10.00%)"),
            ("stop loss", "58,000 → none"),
            ("liquidation", "–"),
            ("at stop", "–"),
            ("R:R", "–"),
            ("observed", "64,000, 0s old"),
        ])
    );
    assert_eq!(shown[1].1.tone, Tone::Warn);
}

#[test]
fn margin_shows_the_total_and_where_the_liquidation_price_goes() {
    let mut model = desk();
    press(&mut model, "j m +1025");
    assert_eq!(
        preview(&model),
        lines([
            ("extra margin", "120.50 → 1,145.50 USD"),
            ("liquidation", "190.00 → est. 200.00"),
        ])
    );
}

#[test]
fn what_no_price_liquidates_is_called_so_in_the_form_as_in_the_pane() {
    let mut model = desk();
    let free = r#""leverage":1,"isolated_margin_extra":100"#;
    let page = Page::of(vec![position("pos-1", "BTC", "0.5", free)]);
    arrive(&mut model, Answer::Positions(Ok(page)));
    press(&mut model, "m +50");
    let liquidation = |model: &Model| preview(model)[1].1.clone();
    assert_eq!(liquidation(&model), "none → est. none");
    press(&mut model, "backspace backspace backspace -50");
    assert_eq!(liquidation(&model), "none → –", "it may have one then");
    let near = r#""leverage":2,"liquidation_price":100,"isolated_margin_extra":100"#;
    let page = Page::of(vec![position("pos-1", "BTC", "0.5", near)]);
    arrive(&mut model, Answer::Positions(Ok(page)));
    press(&mut model, "backspace backspace backspace +5000");
    assert_eq!(liquidation(&model), "100.0 → est. none");
}

#[test]
fn a_fault_stands_beside_its_field_until_it_is_mended() {
    let mut model = desk();
    press(&mut model, "b 1,5");
    let fault = |model: &Model| view(model).fields[3].fault.clone();
    let said = Some("no commas: write 1.5 or 1000".to_owned());
    assert_eq!(fault(&model), said);
    assert_eq!(press(&mut model, "enter"), vec![]);
    assert_eq!(fault(&model), said);
    press(&mut model, "left backspace .");
    assert_eq!(fault(&model), None);
}

#[test]
fn what_no_further_digit_makes_right_is_told_while_it_is_typed_and_the_rest_once_it_is_left() {
    let told = |keys: &str| {
        let mut model = desk();
        press(&mut model, &format!("b {keys}"));
        let mut faults = view(&model).fields.into_iter().map(|field| field.fault);
        faults.find_map(|fault| fault)
    };
    for right_yet in ["0", "0.", "$", "$1"] {
        assert_eq!(told(right_yet), None, "{right_yet}");
    }
    for wrong in ["0.5R", "1%", "$1k"] {
        assert!(told(wrong).is_some(), "{wrong}");
    }
    assert_eq!(told("0 tab").as_deref(), Some("must be above 0"));
    assert_eq!(
        told("tab"),
        None,
        "what is not written yet is not wrong yet"
    );
}

#[test]
fn only_the_focused_field_shows_where_the_cursor_is_and_choices_show_their_options() {
    let mut model = desk();
    press(&mut model, "b 12 left");
    let fields = view(&model).fields;
    let labels: Vec<_> = fields.iter().map(|f| (f.label, f.focused)).collect();
    assert_eq!(
        labels[..4],
        [
            ("type", false),
            ("market", false),
            ("side", false),
            ("size", true)
        ]
    );
    assert_eq!(
        fields[3].value,
        ValueView::Text {
            text: "12".to_owned(),
            cursor: 1
        }
    );
    let kinds = "market, limit, chase, stop mkt, stop limit, take mkt, take limit, take profit, conditional";
    assert_eq!(
        fields[0].value,
        ValueView::Choice {
            options: kinds.split(", ").map(str::to_owned).collect(),
            chosen: 0
        }
    );
    assert_eq!(fields[3].hint, "0.5 · $1000 · r25 at the stop");
}

#[test]
fn hints_name_the_keys_that_are_bound() {
    let model = limit_buy("0.1", "60000");
    let fields = view(&model).fields;
    assert_eq!(fields[4].hint, "= observed price · ↑↓ one tick");
    assert_eq!(fields[0].hint, "←→ or a letter choose");
}

#[test]
fn the_exact_request_is_shown_with_the_services_own_field_names() {
    let mut model = limit_buy("0.10", "60000");
    model.options.dialect.time_in_force_field = "tif".to_owned();
    press(&mut model, "tab tab right ctrl-j");
    assert_eq!(
        view(&model).json.unwrap(),
        "POST /v1/orders\n{\"account_id\":\"chal-1\",\"expected_price\":64000,\"leverage\":10,\
         \"limit_price\":60000,\"margin_mode\":\"cross\",\"market_id\":\"paper|BTC\",\
         \"reduce_only\":false,\"side\":\"buy\",\"size\":0.10,\"tif\":\"ioc\",\"type\":\"limit\"}"
    );
}

#[test]
fn a_form_that_cannot_be_sent_yet_shows_why_instead_of_a_request() {
    let mut model = desk();
    press(&mut model, "b ctrl-j");
    assert_eq!(view(&model).json.unwrap(), "not yet: size: required");
}

#[test]
fn a_refusal_is_told_with_its_references_and_beside_the_field_it_names() {
    let mut model = limit_buy("0.1", "60000");
    press(&mut model, "enter");
    assert_eq!(
        words(&view(&model).trouble),
        ["#1 waits for its turn or the journal; nothing is sent yet"]
    );
    let now = model.now;
    let sending = Progress::Sending { attempt: 1 };
    update(&mut model, now, Msg::Progress(Ticket(1), sending));
    assert_eq!(words(&view(&model).trouble), ["sending #1"]);
    let refused = Failure {
        code: Some("invalid_tick".into()),
        rule_id: Some("tick".into()),
        request_id: Some("7f1c".into()),
        ..Failure::new(FailureKind::Invalid, "limit_price 60000 is off the tick")
    };
    settle(&mut model, Ticket(1), Err(refused));
    let shown = view(&model);
    assert_eq!(
        words(&shown.trouble),
        [
            "rejected: limit_price 60000 is off the tick",
            "code invalid_tick · rule tick · request 7f1c"
        ]
    );
    assert_eq!(
        shown.fields[4].fault.as_deref(),
        Some("limit_price 60000 is off the tick")
    );
    assert_eq!(shown.fields[3].fault, None);
}

#[test]
fn while_the_outcome_is_unknown_the_form_says_when_it_asks_again() {
    let mut model = desk();
    press(&mut model, "b 0.1 enter");
    let progress = Progress::Unknown {
        why: Failure::new(FailureKind::TimedOut, "10 s without an answer"),
        retry_at: model.now.plus(Duration::from_secs(4)),
    };
    let now = model.now;
    update(&mut model, now, Msg::Progress(Ticket(1), progress));
    assert_eq!(
        words(&view(&model).trouble),
        ["#1 timed out: 10 s without an answer; again in 4s"]
    );
}

#[test]
fn doubts_about_what_was_meant_are_told_and_block_nothing() {
    let mut model = limit_buy("1", "60000");
    let facts = AccountFacts {
        available_margin: Some(num("1000")),
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts)));
    press(
        &mut model,
        "tab tab right tab 59000 tab 61000 tab ctrl-u 40 tab tab",
    );
    assert_eq!(
        words(&view(&model).trouble),
        [
            "needs 1,500.00 USD of margin; 1,000.00 is available",
            "ioc would not fill: the limit does not reach the market",
            "the take profit is not on the winning side of the entry",
            "the stop loss is not on the losing side of the entry",
        ]
    );
    assert_eq!(press(&mut model, "enter").len(), 1);
}

#[test]
fn a_leverage_that_the_market_takes_of_nobody_is_told_beside_it_and_not_sent() {
    let mut model = limit_buy("1", "60000");
    press(&mut model, "tab tab tab tab tab ctrl-u 50");
    let told = |model: &Model| {
        let mut fields = view(model).fields.into_iter();
        let focused = fields.find(|field| field.focused)?;
        Some((focused.field, focused.fault?))
    };
    let why = "above 40, the most this market takes".to_owned();
    assert_eq!(told(&model), Some((Field::Leverage, why)));
    assert_eq!(press(&mut model, "enter"), vec![]);
    press(&mut model, "ctrl-u 40");
    assert_eq!(told(&model), None);
    assert_eq!(press(&mut model, "enter").len(), 1);
}

#[test]
fn a_form_on_a_halted_desk_says_at_once_that_it_is_and_which_key_trades_on() {
    let mut model = desk();
    let now = model.now;
    update(
        &mut model,
        now,
        Msg::Halted(Some("it was flattened".to_owned())),
    );
    press(&mut model, "esc b");
    let why = "the desk is HALTED, it was flattened: R on the desk trades on";
    assert_eq!(words(&view(&model).trouble), [why]);
    press(&mut model, "0.1 enter");
    let said: Vec<_> = words(&view(&model).trouble)
        .concat()
        .matches("HALTED")
        .map(str::to_owned)
        .collect();
    assert_eq!(said.len(), 1, "and not twice when it is tried");
    press(&mut model, "esc esc c");
    assert_eq!(
        words(&view(&model).trouble),
        Vec::<&str>::new(),
        "a close is sent"
    );
}

#[test]
fn why_a_key_did_nothing_is_not_said_any_more_when_something_else_is_done() {
    let mut model = desk();
    press(&mut model, "m");
    assert!(model.activity.toast(model.now).is_some());
    press(&mut model, "b");
    assert_eq!(crate::view::news(&model), None, "it was about another row");
    press(&mut model, "=");
    let why = crate::view::news(&model).map(|news| news.text);
    assert_eq!(why.as_deref(), Some("there is no price field to fill"));
    press(&mut model, "1");
    assert_eq!(crate::view::news(&model), None);
}

#[test]
fn a_close_of_what_is_no_longer_listed_says_so_and_may_still_be_sent() {
    let mut model = desk();
    press(&mut model, "c");
    wait(&mut model, 1_000);
    arrive(&mut model, Answer::Positions(Ok(Page::default())));
    assert_eq!(
        words(&view(&model).trouble),
        ["not in the latest list of open positions"]
    );
    assert_eq!(press(&mut model, "enter").len(), 1);
}

#[test]
fn a_price_that_has_not_come_for_three_intervals_is_shown_as_late() {
    let mut model = desk();
    let second = Duration::from_secs(1);
    model.options.intervals.insert(Source::Markets, second);
    press(&mut model, "b");
    let tone = |model: &Model| view(model).preview.last().unwrap().1.tone;
    wait(&mut model, 3_000);
    assert_eq!(tone(&model), Tone::Plain);
    wait(&mut model, 1);
    assert_eq!(tone(&model), Tone::Warn);
}

#[test]
fn a_refused_paste_says_why() {
    let mut model = desk();
    press(&mut model, "b");
    let now = model.now;
    update(&mut model, now, Msg::Paste("1\n2".to_owned()));
    assert_eq!(
        words(&view(&model).trouble),
        ["not pasted: more than one line"]
    );
}

/// The preview of what `keys` write.
fn shown(keys: &str, label: &str) -> Option<String> {
    let mut model = desk();
    press(&mut model, keys);
    let mut lines = preview(&model).into_iter();
    lines.find_map(|(known, text)| (known == label).then_some(text))
}

#[test]
fn a_trigger_says_what_the_mark_must_do_and_how_far_that_is() {
    for (kind, side, words) in [
        ("4", "b", "BTC mark ≥ 65,000 (+1.56%)"),
        ("4", "s", "BTC mark ≤ 65,000 (+1.56%)"),
        ("6", "b", "BTC mark ≤ 65,000 (+1.56%)"),
        ("8", "s", "BTC mark ≥ 65,000 (+1.56%)"),
    ] {
        let price = if kind == "8" { "tab tab" } else { "tab" };
        let keys = format!("{side} shift-tab shift-tab shift-tab {kind} tab tab tab {price} 65000");
        assert_eq!(shown(&keys, "fires").as_deref(), Some(words), "{keys}");
    }
    let elsewhere = "b shift-tab shift-tab shift-tab 9 tab tab tab tab eth tab right tab 2900";
    assert_eq!(
        shown(elsewhere, "fires").as_deref(),
        Some("ETH mark ≤ 2,900.0 (-3.33%)")
    );
}

#[test]
fn a_trigger_that_the_mark_has_passed_is_pointed_out() {
    let mut model = desk();
    press(
        &mut model,
        "b shift-tab shift-tab shift-tab 4 tab tab tab 0.1 tab 63000",
    );
    assert_eq!(
        words(&view(&model).trouble),
        ["the mark is past the trigger already: it would fire at once"]
    );
}

#[test]
fn a_date_is_told_as_how_long_from_now_and_when_that_is() {
    let keys = "b shift-tab shift-tab shift-tab 2 tab tab tab tab 60000 tab 4 tab 2h";
    assert_eq!(
        shown(keys, "expires").as_deref(),
        Some("in 2h00m, 2026-09-21 16:13")
    );
}

#[test]
fn a_date_is_of_the_services_clock_where_that_is_known_to_be_another() {
    let mut model = desk();
    let ahead = Timestamp(NOON.0 + 3_600_000);
    let facts = AccountFacts {
        as_of: Some(ahead),
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts)));
    press(
        &mut model,
        "b 0.1 shift-tab shift-tab shift-tab 2 tab tab tab tab 60000 tab 4 tab 2h3m",
    );
    let expires = |model: &Model| {
        let mut lines = preview(model).into_iter();
        lines.find_map(|(label, text)| (label == "expires").then_some(text))
    };
    let words = "in 2h03m by the service's clock, 2026-09-21 17:16";
    assert_eq!(expires(&model).as_deref(), Some(words));
    let Some(Effect::Send(_, Command::Place(order))) = press(&mut model, "enter").pop() else {
        panic!("nothing was sent");
    };
    let span = Duration::from_mins(123);
    assert_eq!(order.gtd_expires_at, Some(ahead.plus(span)));
}

#[test]
fn a_market_that_is_looked_for_is_found_by_a_few_letters() {
    let mut model = desk();
    press(&mut model, "b shift-tab shift-tab so");
    let field = view(&model).fields.swap_remove(1);
    assert_eq!(field.hint, "search: so");
    assert_eq!(
        field.value,
        ValueView::Choice {
            options: vec!["paper|SOL".to_owned()],
            chosen: 0
        }
    );
    press(&mut model, "x");
    assert_eq!(
        words(&view(&model).trouble),
        ["no market has that in its name"]
    );
    press(&mut model, "tab shift-tab");
    assert_eq!(view(&model).fields[1].hint, "letters search · ←→ choose");
}

#[test]
fn a_twap_shows_its_slices_and_a_ladder_its_rungs() {
    let twap = "t 0.5 tab 30";
    assert_eq!(
        shown(twap, "slices").as_deref(),
        Some("est. 61, one every 30s, 0.00819 BTC each")
    );
    assert_eq!(
        shown(twap, "runs").as_deref(),
        Some("at once, until 2026-09-21 14:43")
    );
    let ladder = "l 0.3 tab 62000 tab 60000 tab 3 tab 2";
    assert_eq!(
        shown(ladder, "rungs").as_deref(),
        Some("0.06667 @ 62,000 · 0.10000 @ 61,000 · 0.13333 @ 60,000")
    );
    assert_eq!(shown(ladder, "average").as_deref(), Some("est. 60,778"));
}

#[test]
fn what_an_order_meets_in_the_book_is_told_with_the_age_of_the_book_and_not_guessed_without_one() {
    let mut model = desk();
    press(&mut model, "b 0.3");
    let book = |model: &Model| {
        let mut lines = preview(model).into_iter();
        lines.find_map(|(label, text)| (label == "book").then_some(text))
    };
    assert_eq!(book(&model), None);
    let level = |price, size| Level {
        price: num(price),
        size: num(size),
    };
    let bids = vec![level("63999", "0.1")];
    let asks = vec![level("64001", "0.1"), level("64011", "0.1")];
    let known = Ok(Book::new(bids, asks));
    update(
        &mut model,
        NOON,
        Msg::Booked("paper|BTC".into(), NOON, known),
    );
    wait(&mut model, 1_000);
    assert_eq!(
        book(&model).as_deref(),
        Some(
            "0.20000 fills at est. 64,006, 0.9 bps from mid, 0.10000 beyond the levels that are told, \
             from a book 1s old"
        )
    );
    press(
        &mut model,
        "shift-tab shift-tab shift-tab 2 tab tab tab tab 64001",
    );
    assert_eq!(
        book(&model).as_deref(),
        Some("0.10000 fills at est. 64,001, 0.2 bps from mid, 0.20000 rests, from a book 1s old")
    );
    press(
        &mut model,
        "backspace backspace backspace backspace backspace 60000",
    );
    assert_eq!(
        book(&model).as_deref(),
        Some("nothing fills, all rests, from a book 1s old")
    );
}

mod what_is_said_before_it_is_sent {
    use super::*;

    fn of(model: &Model, label: &str) -> String {
        let found = preview(model)
            .into_iter()
            .find(|(known, _)| *known == label);
        found.map(|(_, text)| text).unwrap_or_default()
    }

    fn warnings(model: &Model) -> Vec<String> {
        let trouble = view(model).trouble.into_iter();
        trouble.map(|span| span.text).collect()
    }

    #[test]
    fn nobody_is_called_flat_before_the_positions_are_known() {
        let mut model = bare_desk();
        let markets = vec![market("BTC", "63999", "64001", (5, 40))];
        arrive(&mut model, Answer::Markets(Ok(markets)));
        press(&mut model, "b 0.1");
        assert_eq!(of(&model, "position"), "–");
        arrive(&mut model, Answer::Positions(Ok(Page::default())));
        assert_eq!(of(&model, "position"), "flat → LONG 0.10000");
    }

    #[test]
    fn what_reduces_takes_no_margin_and_what_turns_takes_it_for_the_rest() {
        let mut model = desk();
        press(&mut model, "s 0.2");
        assert_eq!(of(&model, "initial margin"), "0.00 USD");
        press(&mut model, "ctrl-u 0.6");
        assert_eq!(of(&model, "initial margin"), "640.00 USD");
        assert_eq!(of(&model, "position"), "LONG 0.50000 → SHORT 0.10000");
    }

    #[test]
    fn what_may_be_lost_at_a_stop_is_no_size_of_a_reducing_order() {
        let mut model = desk();
        press(&mut model, "s r25 tab tab 65000 enter");
        let size = view(&model).fields.into_iter().find(|f| f.label == "size");
        let fault = size.and_then(|field| field.fault).unwrap();
        assert!(fault.contains("closes something"), "{fault}");
    }

    #[test]
    fn a_ladder_says_how_much_of_it_fills_at_once() {
        let mut model = desk();
        press(&mut model, "l 0.4 tab 63000 tab 66000 tab 4");
        assert_eq!(
            of(&model, "execution"),
            "2 of 4 rungs (50%) fill now (taker)"
        );
    }

    #[test]
    fn the_rungs_of_a_ladder_that_are_through_the_market_are_reckoned_at_the_book() {
        let mut model = desk();
        press(&mut model, "l 0.4 tab 66000 tab 63000 tab 4");
        assert_eq!(of(&model, "average"), "at worst 64,500");
        assert_eq!(of(&model, "notional"), "25,800.00 USD");
        let asks = [("64001", "0.1"), ("64011", "5")];
        let asks = asks.map(|(price, size)| Level {
            price: num(price),
            size: num(size),
        });
        let known = Ok(Book::new(vec![], asks.to_vec()));
        update(
            &mut model,
            NOON,
            Msg::Booked("paper|BTC".into(), NOON, known),
        );
        // 0.1 each at 64,001, at 64,011, and resting at 64,000 and 63,000.
        assert_eq!(of(&model, "average"), "est. 63,753, from a book 0s old");
        assert_eq!(of(&model, "notional"), "25,501.20 USD");
        press(&mut model, "shift-tab shift-tab ctrl-u 64000");
        assert_eq!(of(&model, "average"), "est. 63,500");
    }

    #[test]
    fn a_conditional_close_past_its_trigger_says_that_it_fires_at_once() {
        let mut model = desk();
        press(&mut model, "c tab tab cond tab tab tab 65000");
        let past = "the mark is past the trigger already: it would fire at once";
        assert_eq!(warnings(&model), [past]);
        press(&mut model, "ctrl-u 60000");
        assert_eq!(warnings(&model), [""; 0]);
    }

    #[test]
    fn less_margin_is_said_to_bring_the_liquidation_nearer() {
        let mut model = desk();
        press(&mut model, "j m 100");
        let line = view(&model)
            .preview
            .into_iter()
            .find(|(label, _)| *label == "extra margin");
        let (_, line) = line.unwrap();
        assert_eq!(
            (&*line.text, line.tone),
            ("120.50 → 100.00 USD", Tone::Warn)
        );
        let less = "takes 20.50 USD of margin away: the liquidation price comes closer; + adds";
        assert_eq!(warnings(&model), [less]);
        press(&mut model, "ctrl-u +100");
        assert_eq!(warnings(&model), [""; 0]);
    }

    #[test]
    fn a_size_of_a_close_that_is_none_says_why_before_it_is_sent() {
        let mut model = desk();
        press(&mut model, "c 50");
        assert_eq!(of(&model, "size"), "more than the position, 0.5");
        press(&mut model, "%");
        assert_eq!(of(&model, "size"), "0.25000 BTC");
    }

    #[test]
    fn a_slip_of_the_fingers_is_told_and_not_held_back() {
        let model = limit_buy("0.1", "69000");
        let through = "the limit is 7.8 % through the market, 64,001: is every digit meant?";
        assert_eq!(warnings(&model), [through]);
        let model = limit_buy("5.1", "60000");
        let large = "more than 10 times the largest recent size here, 0.50000";
        assert_eq!(warnings(&model), [large]);
        let mut model = limit_buy("0.5", "60000");
        let facts = AccountFacts {
            equity: Some(num("2000")),
            ..AccountFacts::default()
        };
        arrive(&mut model, Answer::Account(Ok(facts)));
        let beyond = "worth more than the account's equity, 2,000.00 USD, at 10×";
        assert_eq!(warnings(&model), [beyond]);
        assert_eq!(press(&mut model, "enter").len(), 1);
    }

    #[test]
    fn a_ladder_at_the_prices_of_another_market_is_told_like_a_limit_is() {
        let mut model = desk();
        press(&mut model, "l 0.4 tab 66000 tab 68000 tab 4");
        let through = "a rung is 6.2 % through the market, 64,001: is every digit meant?";
        assert_eq!(warnings(&model), [through]);
        press(&mut model, "shift-tab ctrl-u 65000");
        assert_eq!(
            warnings(&model),
            ["a rung is 3.1 % through the market, 64,001: is every digit meant?"]
        );
        press(&mut model, "ctrl-u 63000 shift-tab ctrl-u 64000");
        assert_eq!(warnings(&model), [""; 0]);
    }

    #[test]
    fn a_stop_that_comes_after_the_liquidation_is_no_stop_and_the_form_says_so() {
        let mut model = desk();
        press(
            &mut model,
            "2 j s 2 tab tab 3300 tab tab ctrl-u 10 tab right",
        );
        assert_eq!(of(&model, "liquidation"), "est. 3,235.3");
        assert_eq!(of(&model, "at stop"), "liquidated first, est. -470.59 USD");
        assert_eq!(of(&model, "R:R"), "–");
        let late = "liquidated at est. 3,235.3, before the stop: a nearer stop or less leverage";
        assert_eq!(warnings(&model), [late]);
        press(&mut model, "shift-tab shift-tab shift-tab ctrl-u 3200");
        assert_eq!(of(&model, "at stop"), "est. -400.00 USD before fees");
        assert_eq!(warnings(&model), [""; 0]);
    }

    #[test]
    fn a_stop_moved_past_the_liquidation_is_named_where_it_is_moved() {
        let mut model = desk();
        let facts = AccountFacts {
            cash: Some(num("15000")),
            ..AccountFacts::default()
        };
        arrive(&mut model, Answer::Account(Ok(facts)));
        press(&mut model, "2 e tab ctrl-u 40000");
        // 0.6 BTC at 60,000 on average; 15,000 less the 3,320.50 that the isolated short holds stand behind it.
        assert_eq!(of(&model, "liquidation"), "est. 41,047");
        assert_eq!(
            of(&model, "at stop"),
            "liquidated first, est. -1,895.27 USD"
        );
        let late = "liquidated at est. 41,047, before the stop: a nearer stop or less leverage";
        assert_eq!(warnings(&model), [late]);
        press(&mut model, "ctrl-u 59000");
        assert_eq!(of(&model, "at stop"), "est. -100.00 USD before fees");
        assert_eq!(warnings(&model), [""; 0]);
    }

    #[test]
    fn exits_on_the_wrong_side_of_the_entry_are_named_where_they_are_moved() {
        let mut model = desk();
        press(&mut model, "2 e ctrl-u 59000 tab ctrl-u 61000");
        assert_eq!(
            warnings(&model),
            [
                "the take profit is not on the winning side of the entry",
                "the stop loss is not on the losing side of the entry",
            ]
        );
    }

    #[test]
    fn a_size_by_a_stop_that_comes_after_the_liquidation_is_refused_beside_the_size() {
        let mut model = desk();
        press(
            &mut model,
            "2 j s r25 tab tab 3300 tab tab ctrl-u 10 tab right",
        );
        let fault = |model: &Model| {
            let size = view(model).fields.into_iter().find(|f| f.label == "size");
            size.and_then(|field| field.fault)
        };
        let why = "liquidated at est. 3235.3, before the stop: r cannot size it; a nearer stop or less leverage";
        assert_eq!(fault(&model).as_deref(), Some(why));
        assert_eq!(of(&model, "size"), "–");
        assert_eq!(press(&mut model, "enter"), vec![]);
        press(&mut model, "tab tab ctrl-u 3200");
        assert_eq!(fault(&model), None);
    }

    #[test]
    fn a_trigger_that_an_open_position_does_not_live_to_see_is_named_in_every_form() {
        let late = "the position is liquidated at 45,000, before this can fire";
        let mut model = desk();
        press(&mut model, "c tab tab cond tab tab tab 44000");
        assert_eq!(warnings(&model), [late]);
        press(&mut model, "ctrl-u 46000");
        assert_eq!(warnings(&model), [""; 0]);
    }

    #[test]
    fn leaving_a_form_that_was_written_in_says_what_the_second_press_does() {
        let mut model = desk();
        press(&mut model, "b 0.1 esc");
        let words = "Esc again leaves, and drops what is written here; any other key stays";
        assert_eq!(warnings(&model), [words]);
    }
}
