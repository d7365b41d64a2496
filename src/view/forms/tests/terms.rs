//! Triggers, dates, markets, slices and the book.

use super::*;

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
        ["the trigger is already crossed: the service will refuse it"]
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
        answered_at: Some(ahead),
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
    assert_eq!(words(&view(&model).trouble), ["no market has this name"]);
    press(&mut model, "tab shift-tab");
    assert_eq!(view(&model).fields[1].hint, "letters search · ←→ choose");
}

#[test]
fn a_twap_shows_its_slices_and_a_scaled_order_its_rungs() {
    let twap = "t 0.5 tab 30";
    assert_eq!(
        shown(twap, "slices").as_deref(),
        Some("est. 61, one every 30s, 0.00819 BTC each")
    );
    assert_eq!(
        shown(twap, "runs").as_deref(),
        Some("at once, until 2026-09-21 14:43")
    );
    let scaled = "l 0.3 tab 62000 tab 60000 tab 3 tab 2";
    assert_eq!(
        shown(scaled, "rungs").as_deref(),
        Some("0.05000 @ 62,000 · 0.10000 @ 61,000 · 0.15000 @ 60,000")
    );
    assert_eq!(shown(scaled, "average").as_deref(), Some("est. 60,667"));
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
    let known = Book::new(bids, asks);
    arrive_book(&mut model, "BTC", known);
    wait(&mut model, 1_000);
    assert_eq!(
        book(&model).as_deref(),
        Some(
            "0.20000 fills at est. 64,006, 0.9 bps from mid, 0.10000 beyond the known levels, from a book 1s old"
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

#[test]
fn a_limit_that_fills_at_once_or_not_at_all_is_not_said_to_rest() {
    // gtc, ioc, fok, gtd.
    for (steps, execution) in [
        ("", "rests (maker)"),
        ("right", "nothing fills, and nothing rests"),
        ("right right", "nothing fills, and nothing rests"),
        ("right right right", "rests (maker)"),
    ] {
        let mut model = limit_buy("0.1", "60000");
        let Some(Overlay::Form(form)) = model.overlays.last_mut() else {
            panic!("no form is open");
        };
        form.focus_on(Field::TimeInForce);
        press(&mut model, steps);
        let said = preview(&model).into_iter();
        let said = said.filter(|(label, _)| *label == "execution");
        assert!(said.map(|(_, words)| words).eq([execution]), "{steps}");
    }
}
