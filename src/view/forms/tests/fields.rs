//! Fields, their faults and their hints.

use super::*;

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

/// A limit order in ETH, whose prices have five figures and two decimals at most: 0.1 apart where it stands.
fn limit_in_eth(keys: &str) -> Model {
    let mut model = desk();
    press(&mut model, ": buy space eth space 0.5 space 3000 enter");
    press(&mut model, keys);
    model
}

#[test]
fn a_price_between_two_ticks_is_told_with_both_of_them_and_not_sent() {
    let mut model = limit_in_eth("tab tab tab tab ctrl-u 3000.17 tab tab 3100.123");
    let told = |model: &Model| -> Vec<_> {
        let fields = view(model).fields.into_iter();
        fields
            .filter_map(|field| Some((field.field, field.fault?)))
            .collect()
    };
    let limit = "not on the tick of 0.1: 3000.1 or 3000.2".to_owned();
    let target = "not on the tick of 0.1: 3100.1 or 3100.2".to_owned();
    let both = [
        (Field::LimitPrice, limit),
        (Field::TakeProfit, target.clone()),
    ];
    assert_eq!(told(&model), both);
    assert_eq!(press(&mut model, "enter"), vec![]);
    press(&mut model, "down");
    let rest = [(Field::TakeProfit, target)];
    assert_eq!(told(&model), rest, "the limit is stepped onto a tick");
}

#[test]
fn where_nobody_tells_the_tick_a_price_is_the_services_to_judge() {
    let mut model = limit_in_eth("tab tab tab tab ctrl-u 3000.17");
    let guessed = Market {
        grid: Grid::Guessed,
        ..market("ETH", "2999.9", "3000.1", (4, 25))
    };
    arrive(&mut model, Answer::Markets(Ok(vec![guessed])));
    let fields = view(&model).fields;
    assert!(fields.iter().all(|field| field.fault.is_none()));
    assert_eq!(press(&mut model, "enter").len(), 1);
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
        ValueView::Text(TypedText {
            text: "12".to_owned(),
            cursor: 1,
            selected: false,
        })
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
fn the_footer_offers_a_choice_where_there_is_one() {
    let mut model = desk();
    let offers = |model: &Model| {
        let hints = crate::view::panels::footer::footer(model);
        ["choice", "tick"].map(|what| hints.iter().any(|hint| hint.label == what))
    };
    press(&mut model, "b");
    assert_eq!(offers(&model), [false, true]);
    press(&mut model, "shift-tab");
    assert_eq!(offers(&model), [true, false]);
    press(
        &mut model,
        "shift-tab shift-tab 2 tab tab tab tab tab 4 tab",
    );
    assert_eq!(offers(&model), [false, false], "a date has neither");
}

#[test]
fn a_share_of_the_free_margin_is_offered_where_that_is_known_and_shown_as_the_size_it_comes_to() {
    let mut model = desk();
    press(&mut model, ": buy space eth space 50% space 3000 enter");
    let size = |model: &Model| {
        let hint = view(model).fields[3].hint.clone();
        (hint, preview(model)[0].1.clone())
    };
    let unknown = ("0.5 · $1000 · r25 at the stop".to_owned(), "–".to_owned());
    assert_eq!(size(&model), unknown);
    let facts = AccountFacts {
        available_margin: Some(num("1200")),
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts)));
    let hint = "$1000 · 50% margin · r25 at stop".to_owned();
    assert_eq!(size(&model), (hint, "1.6000 ETH".to_owned()));
}

#[test]
fn the_way_back_is_offered_beside_the_way_on_and_a_span_only_where_there_is_one() {
    let keys = |keys: &str| -> Vec<_> {
        let mut model = desk();
        press(&mut model, keys);
        let hints = crate::view::panels::footer::footer(&model).into_iter();
        let tabs = hints.filter(|hint| hint.key.contains("Tab"));
        tabs.map(|hint| format!("{} {}", hint.key, hint.label))
            .collect()
    };
    assert_eq!(keys("b"), ["Tab field", "⇧Tab back"]);
    assert_eq!(keys("1 E"), [""; 0]);
    assert_eq!(keys("5 E"), ["Tab span"]);
}

#[test]
fn hints_name_the_keys_that_are_bound() {
    let model = limit_buy("0.1", "60000");
    let fields = view(&model).fields;
    assert_eq!(fields[4].hint, "= mid · bid · +1% · ↑↓ one tick");
    assert_eq!(fields[0].hint, "←→ or a letter choose");
}

/// What stands beside the trigger price and below it.
fn trigger(model: &Model) -> (String, Option<String>) {
    let fields = view(model).fields.into_iter();
    let mut field = fields.filter(|f| f.label == "trigger price");
    field.next().map(|f| (f.hint, f.fault)).unwrap()
}

#[test]
fn a_price_that_is_said_by_another_is_no_fault_while_it_is_written() {
    let mut model = desk();
    press(&mut model, "2 j e ctrl-u m a");
    assert_eq!(trigger(&model), ("… mark".to_owned(), None));
    press(&mut model, "r k -");
    let rest = "… mark-100 · mark-0.5%".to_owned();
    assert_eq!(trigger(&model), (rest, None));
    press(&mut model, "5");
    assert_eq!(trigger(&model), ("→ 2,995.0".to_owned(), None));
    press(&mut model, "backspace enter");
    let awaits = "awaits more: mark-100 · mark-0.5%".to_owned();
    assert_eq!(trigger(&model).1, Some(awaits));
}

#[test]
fn a_price_said_by_one_that_nobody_tells_is_a_fault_at_once() {
    let mut model = bare_desk();
    let armed = r#""type":"stop_market","mode":"stop_market","side":"sell","size":2,"trigger_price":2800,
        "status":"pending""#;
    let orders = Page::of(vec![order("ord-2", "ETH", armed)]);
    arrive(&mut model, Answer::Orders(Ok(orders)));
    press(&mut model, "2 e ctrl-u mid");
    let unknown = |word| Some(format!("no {word} price is known here: write the price"));
    assert_eq!(trigger(&model).1, unknown("mid"));
    press(&mut model, "ctrl-u -1%");
    assert_eq!(trigger(&model).1, unknown("mid"));
    press(&mut model, "ctrl-u mark");
    assert_eq!(trigger(&model).1, unknown("mark"));
}

#[test]
fn dollars_without_a_limit_price_say_that_it_is_needed() {
    let mut model = desk();
    press(&mut model, "b $1000 shift-tab shift-tab shift-tab limit");
    let fields = view(&model).fields.into_iter();
    let size = fields.filter(|f| f.label == "size").map(|f| f.fault);
    let needed = Some("needs the limit price first".to_owned());
    assert_eq!(size.collect::<Vec<_>>(), [needed]);
}
