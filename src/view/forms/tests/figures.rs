//! That the figures of one preview are those of what would happen, and agree with each other.

use super::*;
use crate::{
    app::{MarketAnswer, MarketRequest, ReadOnce},
    model::{RuleFact, Side, SizedQuote},
};

fn of(model: &Model, label: &str) -> String {
    let mut lines = preview(model).into_iter();
    let found = lines.find_map(|(known, text)| (known == label).then_some(text));
    found.unwrap_or_default()
}

fn warnings(model: &Model) -> Vec<String> {
    let trouble = view(model).trouble.into_iter();
    trouble.map(|span| span.text).collect()
}

/// A desk that has just read the book of BTC.
fn with_book(bids: &[(&str, &str)], asks: &[(&str, &str)]) -> Model {
    let side = |levels: &[(&str, &str)]| {
        let level = |(price, size): &(&str, &str)| Level {
            price: num(price),
            size: num(size),
        };
        levels.iter().map(level).collect()
    };
    let mut model = desk();
    let book = Book::new(side(bids), side(asks));
    arrive_book(&mut model, "BTC", book);
    model
}

fn two_levels() -> Model {
    with_book(
        &[("63999", "0.1"), ("63989", "5")],
        &[("64001", "0.1"), ("64011", "5")],
    )
}

fn rule(id: &str, value: &str, limit: &str) -> RuleFact {
    RuleFact {
        id: id.into(),
        value: Some(num(value)),
        limit: num(limit),
        from: None,
    }
}

#[test]
fn what_only_reduces_is_priced_at_what_can_fill() {
    let reduce_only = " shift-tab shift-tab shift-tab shift-tab shift-tab right";
    let of_keys = |keys: &str| {
        let mut model = desk();
        model.account.options.fees.taker_bps = Some(num("4.5"));
        press(&mut model, &format!("{keys}{reduce_only}"));
        ["size", "notional", "initial margin", "fee", "position"].map(|label| of(&model, label))
    };
    assert_eq!(
        of_keys("s 0.8"),
        [
            "0.80000 BTC, cut to 0.50000",
            "31,999.50 USD",
            "0.00 USD",
            "est. 14.40 USD (taker 4.5 bps, local)",
            "LONG 0.50000 → flat",
        ]
    );
    assert_eq!(
        of_keys("b 0.1"),
        [
            "0.10000 BTC, nothing fills",
            "0.00 USD",
            "0.00 USD",
            "0.00 USD",
            "LONG 0.50000, unchanged",
        ]
    );
}

#[test]
fn a_stop_on_the_winning_side_is_no_profit() {
    let mut model = desk();
    press(&mut model, "2 j s 2 tab 2800 tab 2900");
    assert_eq!(of(&model, "at stop"), "–");
    assert_eq!(of(&model, "R:R"), "–");
    let wrong = "a long's stop must be below its entry (a short's above)";
    assert_eq!(warnings(&model), [wrong]);
}

#[test]
fn a_book_that_is_old_or_of_another_price_tells_nothing_and_says_so() {
    let mut model = two_levels();
    press(&mut model, "b 0.2");
    wait(&mut model, 5_000);
    let told = "all fills at est. 64,006, 0.9 bps from mid, from a book 5s old";
    assert_eq!(of(&model, "book"), told);
    wait(&mut model, 1_000);
    assert_eq!(of(&model, "book"), "–, the last book is 6s old");
    assert_eq!(of(&model, "notional"), "12,800.20 USD");
    let mut model = with_book(&[("64499", "1")], &[("64501", "1")]);
    press(&mut model, "b 0.2");
    let apart = "–, the middle of the book, 64,500, is not the observed price";
    assert_eq!(of(&model, "book"), apart);
    assert_eq!(of(&model, "notional"), "12,800.20 USD");
}

#[test]
fn all_lines_are_computed_at_the_one_price_that_the_book_tells() {
    let mut model = two_levels();
    press(&mut model, "b 0.2 tab 66006 tab 63006");
    let labels = ["notional", "initial margin", "at stop", "R:R"];
    assert_eq!(
        labels.map(|label| of(&model, label)),
        [
            "12,801.20 USD",
            "1,280.12 USD",
            "est. -200.00 USD before fees",
            "2.00 : 1"
        ]
    );
    let mut model = two_levels();
    press(&mut model, "c 0.2");
    assert_eq!(of(&model, "notional"), "12,798.80 USD");
    assert_eq!(of(&model, "gross profit"), "est. +798.80 USD");
}

#[test]
fn a_size_by_dollars_or_by_the_stop_comes_to_no_more_at_what_the_book_tells() {
    let mut model = two_levels();
    press(&mut model, "b r100 tab tab 63006");
    assert_eq!(of(&model, "size"), "0.10049 BTC");
    assert_eq!(of(&model, "at stop"), "est. -99.99 USD before fees");
    let mut model = two_levels();
    press(&mut model, "b $64006");
    assert_eq!(of(&model, "notional"), "64,005.52 USD");
}

#[test]
fn a_target_pays_its_own_fee() {
    let mut model = limit_buy("r25", "60000");
    model.account.options.fees.taker_bps = Some(num("100"));
    model.account.options.fees.maker_bps = Some(num("0"));
    press(&mut model, "tab tab tab 63000 tab 59000");
    // 3000 less 630, over 1000 and 590.
    assert_eq!(of(&model, "R:R"), "1.49 : 1");
}

#[test]
fn a_stop_that_loses_more_than_the_challenge_leaves_says_how_much_more() {
    let mut model = limit_buy("1", "60000");
    press(&mut model, "tab tab tab tab 39000");
    assert_eq!(warnings(&model), [""; 0]);
    let mut facts = AccountFacts {
        equity: Some(num("100000")),
        daily_loss_left: Some(num("0.5")),
        starting_cash: Some(num("100000")),
        rules: vec![rule("max_daily_loss", "100000", "96100")],
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts.clone())));
    let daily = "at stop: 5.4 × what the daily loss leaves, 3,900.00 USD";
    let loses = "loses 21,000.00 USD at its stop, 21.0 % of the account's equity (limit 1 %)";
    assert_eq!(warnings(&model), [daily, loses]);
    facts.rules.push(rule("max_drawdown", "100000", "98000"));
    arrive(&mut model, Answer::Account(Ok(facts)));
    let nearer = "at stop: 10.5 × what the drawdown leaves, 2,000.00 USD";
    assert_eq!(warnings(&model), [nearer, loses]);
}

/// A desk on an account whose orders are worth 10 USD at least, with two targets in its bracket.
fn with_two_targets() -> Model {
    let mut model = desk();
    let facts = AccountFacts {
        rules: vec![rule("min_order_notional", "10", "10")],
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts)));
    let bracket = "stop 1%, target 100t 60%, target 200t 40%";
    model.account.options.brackets.everywhere = bracket.try_into().unwrap();
    model
}

#[test]
fn a_target_of_the_bracket_that_is_too_small_is_asked_about_before_the_entry_is_sent() {
    let mut model = with_two_targets();
    press(&mut model, "b 0.0003");
    let small = "the target at 64,201: 7.68 USD is below the 10.00 USD minimum, and no target would be placed: \
                 a larger size or fewer targets";
    assert_eq!(warnings(&model), [small]);
    assert_eq!(press(&mut model, "enter"), [], "it asks");
    wait(&mut model, 200);
    let sent = press(&mut model, "enter");
    assert!(
        matches!(sent.as_slice(), [Effect::Send(..), ..]),
        "{sent:?}"
    );
    let mut larger = with_two_targets();
    press(&mut larger, "b 0.0004");
    assert_eq!(warnings(&larger), [""; 0]);
}

#[test]
fn a_target_of_less_than_a_lot_is_named_before_the_entry_is_sent() {
    let mut model = with_two_targets();
    let facts = AccountFacts::default();
    arrive(&mut model, Answer::Account(Ok(facts)));
    press(&mut model, "b 0.00001");
    let left_out = "the target at 64,101 is for less than the smallest size, 0.00001, and would be left out: \
                    a larger size or fewer targets";
    assert_eq!(warnings(&model), [left_out]);
}

#[test]
fn what_the_rules_of_the_account_refuse_is_said_before_it_is_sent() {
    let said = |keys: &str| {
        let mut model = desk();
        let facts = AccountFacts {
            rules: vec![
                rule("max_position_notional", "32000", "50000"),
                rule("min_order_notional", "10", "10"),
            ],
            ..AccountFacts::default()
        };
        arrive(&mut model, Answer::Account(Ok(facts)));
        press(&mut model, keys);
        warnings(&model)
    };
    let over = "the position would be worth 64,000.00 USD, over this account's 50,000.00";
    let under = "it: 6.40 USD is below the 10.00 USD minimum";
    assert_eq!(said("b 0.5"), [over]);
    assert_eq!(said("b 0.0001"), [under]);
    assert_eq!(said("c 0.0001"), [under]);
    assert_eq!(said("b 0.1"), [""; 0]);
    assert_eq!(said("s 0.5"), [""; 0]);
}

#[test]
fn a_price_said_by_another_has_its_consequences_while_it_is_written() {
    let mut model = desk();
    press(&mut model, "c tab tab cond tab tab tab mark-1%");
    let said = preview(&model);
    press(&mut model, "tab");
    assert_eq!(said, preview(&model), "the digits are the same");
    assert_ne!(of(&model, "gross profit"), "–");
}

/// Where the service has no book, it is asked what the order that is written would meet.
#[test]
fn without_a_book_the_preview_is_the_services_own_estimate_of_this_order() {
    let mut model = desk();
    press(&mut model, "b 0 . 1");
    let no_book = || MarketAnswer::Book(Ok(None));
    arrive_market(&mut model, "BTC", no_book());
    let asked = arrive_market(&mut model, "BTC", no_book());
    let quote = MarketRequest::Quote {
        side: Side::Buy,
        size: num("0.1"),
    };
    assert!(
        asked.contains(&Effect::Read(ReadOnce::Market("paper|BTC".into(), quote))),
        "{asked:?}"
    );
    let answer = |json: &str| {
        MarketAnswer::Quote(Ok(SizedQuote {
            side: Side::Buy,
            size: num("0.1"),
            quote: serde_json::from_str(json).unwrap(),
        }))
    };
    let fills = r#"{"fillable":true,"estimated_fill_price":64010,"estimated_fee":1.92}"#;
    arrive_market(&mut model, "BTC", answer(fills));
    assert_eq!(
        of(&model, "quote"),
        "all fills at est. 64,010, est. fee 1.92 USD, from a quote 0s old"
    );
    assert_eq!(of(&model, "notional"), "6,401.00 USD");
    arrive_market(
        &mut model,
        "BTC",
        answer(r#"{"fillable":false,"unfillable_reason":"empty_book"}"#),
    );
    assert_eq!(
        of(&model, "quote"),
        "the service cannot fill it now: empty book, from a quote 0s old"
    );
    press(&mut model, "5");
    assert_eq!(of(&model, "quote"), "", "it is of another size");
}
