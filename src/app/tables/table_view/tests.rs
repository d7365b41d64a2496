use super::*;
use crate::{
    app::{
        Model,
        account::{poll::Answer, row_id::RowId},
        desk::table_view::change,
        dialogs::overlay::Overlay,
        testing::{arrive, desk, num, order, press, wait},
    },
    model::{Page, Timestamp},
};
use std::time::Duration;

fn columns() -> Vec<ColumnName> {
    let column = |id, title, kind| ColumnName {
        id,
        title,
        kind,
        tells_risk: false,
    };
    vec![
        column("market", "market", Kind::Words),
        column("side", "side", Kind::Words),
        column("size", "size", Kind::Number),
        column("unrealized_pnl", "uPnL", Kind::Number),
        column("limit_price", "price", Kind::Number),
        column("liquidation_price", "liq", Kind::Number),
        column("age", "age", Kind::Span),
        column("at", "time", Kind::Moment),
    ]
}

/// A buy of `BTC`, 0.5 at 64,000, 90 s old, without a known liquidation price.
fn takes(text: &str) -> bool {
    let filter = Filter::parse(text, &columns()).unwrap().unwrap();
    filter.takes(&filter::Condition {
        now: Timestamp(1_000_000),
        words: || "btc buy ord-7".to_owned(),
        numbers: || "0.5 64000 +12.50 ≥ 61250.5/–".to_owned(),
        fact: |column| match column {
            0 => Fact::Words("BTC".to_owned()),
            1 => Fact::Words("BUY".to_owned()),
            2 => Fact::Number(num("0.5")),
            3 => Fact::Number(num("-12.5")),
            4 => Fact::Number(num("64000")),
            6 => Fact::Span(Duration::from_secs(90)),
            7 => Fact::Moment(Timestamp(700_000)),
            _ => Fact::Unknown,
        },
    })
}

fn fault(text: &str) -> (std::ops::Range<usize>, String) {
    let fault = Filter::parse(text, &columns()).unwrap_err();
    (fault.at, fault.what)
}

#[test]
fn a_number_is_found_as_it_is_shown_with_and_without_separators() {
    for text in ["64,000", "64000", "64,0", "+12.50", "61,250.5", "0.5"] {
        assert!(takes(text), "{text}");
    }
    for text in ["4,000", "64001", "2.50", "-64,000", "btc 65,000"] {
        assert!(!takes(text), "{text}");
    }
}

#[test]
fn words_are_looked_for_everywhere_and_all_terms_must_hold() {
    for text in [
        "btc",
        "BTC",
        "ord-7",
        "btc buy",
        "or btc",
        "eth|btc",
        "\"btc buy\"",
    ] {
        assert!(takes(text), "{text}");
    }
    for text in ["eth", "btc eth", "-btc", "!ord", "\"buy btc\""] {
        assert!(!takes(text), "{text}");
    }
}

#[test]
fn a_column_holds_is_or_is_not_a_word() {
    for text in [
        "market:bt",
        "market=btc",
        "market:eth|btc",
        "side!=sell",
        "-side:sell",
        "market:\"btc\"",
    ] {
        assert!(takes(text), "{text}");
    }
    for text in ["market=bt", "side:sell", "market!=eth|btc"] {
        assert!(!takes(text), "{text}");
    }
}

#[test]
fn numbers_compare_as_numbers_however_they_are_written() {
    for text in [
        "size>0.4",
        "size>=0.5",
        "size=0.50",
        "size:0.5",
        "size<1",
        "size!=1",
        "upnl<0",
        "unr<-12",
        "limit=64k",
        "price>=64,000",
        "price<=$64000",
        "price=1|64000",
    ] {
        assert!(takes(text), "{text}");
    }
    for text in ["size>0.5", "upnl>0", "liq>0", "liq<99999999"] {
        assert!(!takes(text), "{text}");
    }
    assert!(takes("liq!=5"), "what is not known is not 5");
}

#[test]
fn times_compare_by_how_long_they_are_or_how_long_ago() {
    for text in [
        "age>1m",
        "age<2m",
        "age=90s",
        "at>4m",
        "at<6m",
        "age<1.5h",
        "at=300000ms",
    ] {
        assert!(takes(text), "{text}");
    }
    assert!(!takes("age>90s") && !takes("at<5m"));
}

#[test]
fn a_path_is_a_word_and_quotes_make_operators_plain() {
    let filter = Filter::parse("/v1/orders?limit=5", &columns()).unwrap();
    assert!(filter.is_some());
    assert!(!takes("\"size>9\""), "no such words in the row");
    assert_eq!(Filter::parse("   ", &columns()), Ok(None));
}

#[test]
fn the_beginning_of_a_title_names_its_column() {
    assert_eq!(find("pri", &columns()), Ok(4));
    assert_eq!(find("upn", &columns()), Ok(3));
}

#[test]
fn a_fault_says_where_it_is_and_what_to_write() {
    assert_eq!(
        fault("btc color:red"),
        (
            4..9,
            "no column \"color\" here: market, side, size, unrealized_pnl, limit_price, liquidation_price, age, at"
                .to_owned()
        )
    );
    assert_eq!(
        fault("size>abc").1,
        "size is a number, and \"abc\" is not: write size>1.5"
    );
    assert_eq!(fault("size>abc").0, 5..8);
    assert_eq!(
        fault("l:1"),
        (
            0..1,
            "\"l\" could be limit_price, liquidation_price".to_owned()
        )
    );
    assert_eq!(fault("btc size>"), (9..10, "size> what?".to_owned()));
    assert_eq!(
        fault("market>b"),
        (
            7..8,
            "market is text, which > and < cannot compare: write market:b".to_owned()
        )
    );
    assert_eq!(
        fault("age>5"),
        (
            4..5,
            "age is a time, and \"5\" is not: write age<90s, 5m, 2h or 3d".to_owned()
        )
    );
    assert_eq!(
        fault("btc >5"),
        (4..6, "a column comes before >, as in size>1".to_owned())
    );
    assert_eq!(
        fault("btc \"x"),
        (4..5, "the quote has no closing mark".to_owned())
    );
}

fn shown(model: &Model, pane: Pane) -> Vec<RowId> {
    let rows = model.rows(pane);
    rows.at(0..rows.len())
}

fn ids(model: &Model, pane: Pane) -> Vec<String> {
    let text = |row: &RowId| match row {
        RowId::Position(id) => id.to_string(),
        RowId::Order(id) => id.to_string(),
        RowId::Scaled(id) | RowId::Rung(id, _) => id.to_string(),
        RowId::Twap(id) => id.to_string(),
        RowId::Line(number) => number.to_string(),
    };
    shown(model, pane).iter().map(text).collect()
}

#[test]
fn typing_a_filter_shows_what_it_takes_and_escape_shows_all() {
    let mut model = desk();
    assert_eq!(press(&mut model, "2 / eth"), vec![]);
    assert_eq!(ids(&model, Pane::Orders), ["ord-2"]);
    assert_eq!(
        model.table_views.of(Pane::Orders).and_then(TableView::hits),
        Some(1)
    );
    press(&mut model, "enter");
    assert_eq!(model.overlays, vec![]);
    assert_eq!(ids(&model, Pane::Orders), ["ord-2"], "kept");
    press(&mut model, "esc");
    assert_eq!(ids(&model, Pane::Orders), ["ord-1", "ord-2"]);
    press(&mut model, "/ eth esc");
    assert_eq!(ids(&model, Pane::Orders), ["ord-1", "ord-2"]);
}

#[test]
fn no_key_acts_while_a_filter_is_typed() {
    let mut model = desk();
    assert_eq!(press(&mut model, "/ X F b c q"), vec![]);
    assert!(matches!(model.overlays.as_slice(), [Overlay::Prompt(_)]));
}

#[test]
fn a_filter_with_a_fault_leaves_the_last_good_one_and_is_not_kept() {
    let mut model = desk();
    press(&mut model, "2 / eth space size>x enter");
    assert!(
        matches!(model.overlays.last(), Some(Overlay::Prompt(prompt)) if prompt.fault.is_some())
    );
    assert_eq!(ids(&model, Pane::Orders), ["ord-2"]);
}

#[test]
fn what_is_not_whole_yet_takes_no_row_away_and_the_line_says_what_does() {
    let mut model = desk();
    let said = |model: &Model| match model.overlays.last() {
        Some(Overlay::Prompt(prompt)) => prompt.fault.as_ref().map(|fault| fault.what.clone()),
        _ => panic!("no line"),
    };
    press(&mut model, "1 / pos-1 >");
    press(&mut model, "esc / side");
    press(&mut model, ":");
    assert_eq!(ids(&model, Pane::Positions), ["pos-1", "pos-2"]);
    assert_eq!(
        said(&model).unwrap(),
        "side: what?; until then all rows are shown"
    );
    press(&mut model, "short");
    assert_eq!(
        (said(&model), ids(&model, Pane::Positions)),
        (None, vec!["pos-2".to_owned()])
    );
    press(&mut model, "space size>x");
    assert!(
        said(&model)
            .unwrap()
            .ends_with("; until then the filter is side:short")
    );
    assert_eq!(ids(&model, Pane::Positions), ["pos-2"]);
    press(&mut model, "esc / to_l");
    assert_eq!(
        ids(&model, Pane::Positions),
        ["pos-1", "pos-2"],
        "a title begins so"
    );
    press(&mut model, "iq>");
    assert_eq!(ids(&model, Pane::Positions), ["pos-1", "pos-2"]);
    press(&mut model, "28");
    assert_eq!(ids(&model, Pane::Positions), ["pos-1"]);
}

#[test]
fn the_cursor_stays_on_the_row_it_shows_when_the_filter_goes() {
    let mut model = desk();
    press(&mut model, "2 j / btc enter");
    let row = |model: &Model| model.selected_in(Pane::Orders);
    assert_eq!(row(&model), Some((0, RowId::Order("ord-1".into()))));
    press(&mut model, "esc");
    assert_eq!(row(&model), Some((0, RowId::Order("ord-1".into()))));
}

#[test]
fn each_pane_has_its_own_filter() {
    let mut model = desk();
    press(&mut model, "2 / eth enter 1");
    assert_eq!(ids(&model, Pane::Positions), ["pos-1", "pos-2"]);
    press(&mut model, "/ short enter");
    assert_eq!(ids(&model, Pane::Positions), ["pos-2"]);
    assert_eq!(ids(&model, Pane::Orders), ["ord-2"]);
}

#[test]
fn what_a_poll_brings_goes_through_the_filter() {
    let mut model = desk();
    press(&mut model, "2 / side:sell enter");
    let resting = |side| {
        format!(
            r#""type":"limit","mode":"limit","side":"{side}","size":1,"limit_price":1,"status":"resting""#
        )
    };
    let rows = vec![
        order("ord-3", "SOL", &resting("sell")),
        order("ord-4", "SOL", &resting("buy")),
    ];
    wait(&mut model, 1_000);
    arrive(&mut model, Answer::Orders(Ok(Page::of(rows))));
    assert_eq!(ids(&model, Pane::Orders), ["ord-3"]);
}

#[test]
fn sorting_goes_round_the_columns_and_turns() {
    let mut model = desk();
    press(&mut model, "1 o");
    assert_eq!(
        ids(&model, Pane::Positions),
        ["pos-2", "pos-1"],
        "market, Z first"
    );
    press(&mut model, "O");
    assert_eq!(ids(&model, Pane::Positions), ["pos-1", "pos-2"]);
    press(&mut model, "o o");
    assert_eq!(
        ids(&model, Pane::Positions),
        ["pos-1", "pos-2"],
        "size, the smallest first"
    );
    press(&mut model, "O");
    assert_eq!(ids(&model, Pane::Positions), ["pos-2", "pos-1"]);
    let count = (model.reading.columns)(Pane::Positions).len();
    press(&mut model, &"o ".repeat(count - 2));
    assert_eq!(
        model
            .table_views
            .of(Pane::Positions)
            .and_then(|table_view| table_view.sort),
        None
    );
}

#[test]
fn what_is_not_known_is_last_whichever_way_round() {
    let mut model = desk();
    let market = |id: &str, more: &str| crate::app::testing::position(id, "BTC", "1", more);
    let rows = vec![
        market("p-1", r#""liquidation_price":50000"#),
        market("p-2", r#""leverage":1"#),
        market("p-3", r#""liquidation_price":40000"#),
    ];
    wait(&mut model, 1_000);
    arrive(&mut model, Answer::Positions(Ok(Page::of(rows))));
    let at = find(
        "liquidation_price",
        &(model.reading.columns)(Pane::Positions),
    )
    .unwrap();
    for (direction, expected) in [
        (Direction::Ascending, ["p-3", "p-1", "p-2"]),
        (Direction::Descending, ["p-1", "p-3", "p-2"]),
    ] {
        let sort = Some(Sort {
            column: at,
            direction,
        });
        change(&mut model, Pane::Positions, |table_view| {
            table_view.sort = sort;
        });
        assert_eq!(ids(&model, Pane::Positions), expected);
    }
}

#[test]
fn children_stay_under_their_parent_whatever_is_filtered_or_sorted() {
    let mut model = desk();
    let child = |id: &str, scaled: &str, price: u32| {
        let more = format!(
            r#""type":"limit","mode":"limit","side":"buy","size":1,"limit_price":{price},"status":"resting",
            "scaled_order_id":"{scaled}""#
        );
        order(id, "BTC", &more)
    };
    let rows = vec![
        child("a-1", "lad-a", 10),
        child("b-1", "lad-b", 40),
        child("a-2", "lad-a", 30),
        child("b-2", "lad-b", 20),
    ];
    wait(&mut model, 1_000);
    arrive(&mut model, Answer::Orders(Ok(Page::of(rows))));
    press(&mut model, "2 / price>=30 enter");
    assert_eq!(ids(&model, Pane::Orders), ["lad-a", "a-2", "lad-b", "b-1"]);
    assert_eq!(
        model.table_views.of(Pane::Orders).and_then(TableView::hits),
        Some(2)
    );
    press(&mut model, "esc");
    let column = find("limit_price", &(model.reading.columns)(Pane::Orders)).unwrap();
    let sort = Some(Sort {
        column,
        direction: Direction::Descending,
    });
    change(&mut model, Pane::Orders, |table_view| {
        table_view.sort = sort;
    });
    assert_eq!(
        ids(&model, Pane::Orders),
        ["lad-b", "b-1", "b-2", "lad-a", "a-2", "a-1"]
    );
    press(&mut model, "/ lad-a enter");
    assert_eq!(
        ids(&model, Pane::Orders),
        ["lad-a", "a-2", "a-1"],
        "by the id of the scaled order"
    );
}

#[test]
fn tab_goes_round_the_columns_and_then_the_words_in_one() {
    let mut model = desk();
    press(&mut model, "2 / s tab");
    let text = |model: &Model| match model.overlays.last() {
        Some(Overlay::Prompt(prompt)) => prompt.text().to_owned(),
        _ => panic!("no line"),
    };
    assert_eq!(text(&model), "side:");
    press(&mut model, "tab");
    assert_eq!(text(&model), "status:");
    press(&mut model, "shift-tab shift-tab");
    assert_eq!(text(&model), "s");
    press(&mut model, "tab b tab");
    assert_eq!(text(&model), "side:buy");
    assert_eq!(ids(&model, Pane::Orders), ["ord-1"]);
}

#[test]
fn the_arrows_move_in_the_pane_while_a_filter_is_typed() {
    let mut model = desk();
    press(&mut model, "2 / ord down enter x");
    assert!(matches!(model.overlays.last(), Some(Overlay::Strip(strip))
        if strip.proposal == crate::model::Command::Cancel("ord-2".into()).into()));
}

/// `h-0` is the newest; the sizes repeat.
fn past(numbers: std::ops::Range<u32>) -> Page<crate::model::Order> {
    let rows = numbers.map(|number| {
        let size = number * 7 % 1_000 + 1;
        let more = format!(
            r#""type":"market","mode":"market","side":"buy","size":{size},"status":"filled""#
        );
        order(&format!("h-{number}"), "SOL", &more)
    });
    Page::of(rows.collect())
}

fn filtered(model: &mut Model, text: &str) {
    let columns = (model.reading.columns)(Pane::History);
    let filter = Filter::parse(text, &columns).unwrap();
    change(model, Pane::History, |table_view| {
        table_view.filter = filter;
    });
}

fn sifted(model: &Model) -> Option<usize> {
    model
        .table_views
        .of(Pane::History)
        .and_then(TableView::sifted)
}

fn hits(model: &Model) -> Option<usize> {
    model
        .table_views
        .of(Pane::History)
        .and_then(TableView::hits)
}

#[test]
fn a_long_list_is_sifted_in_portions_and_stands_as_before_until_that_is_over() {
    let mut model = desk();
    arrive(&mut model, Answer::History(Ok(past(0..5_000))));
    filtered(&mut model, "size=8");
    assert_eq!((sifted(&model), hits(&model)), (Some(40), None));
    assert_eq!(model.rows(Pane::History).len(), 5_000);
    let soon = model.account.now.plus(Duration::from_millis(1));
    assert_eq!(
        crate::app::update::wake::wake(&model),
        Some(soon),
        "it waits for nobody"
    );
    wait(&mut model, 1);
    assert_eq!(sifted(&model), Some(80));
    wait(&mut model, 1);
    assert_eq!((sifted(&model), hits(&model)), (None, Some(5)));
    let expected = ["h-1", "h-1001", "h-2001", "h-3001", "h-4001"];
    assert_eq!(ids(&model, Pane::History), expected);
    assert_ne!(
        crate::app::update::wake::wake(&model),
        Some(model.account.now.plus(Duration::from_millis(1)))
    );

    // Another filter starts over the shown rows; the same filter again changes nothing.
    filtered(&mut model, "size=1");
    assert_eq!(ids(&model, Pane::History), expected);
    wait(&mut model, 1);
    wait(&mut model, 1);
    assert_eq!(hits(&model), Some(5));
    filtered(&mut model, "size=1");
    assert_eq!(sifted(&model), None);
    filtered(&mut model, "");
    assert_eq!(model.rows(Pane::History).len(), 5_000);
}

#[test]
fn portions_come_to_the_same_order_as_all_at_once() {
    let mut model = desk();
    arrive(&mut model, Answer::History(Ok(past(0..5_000))));
    let column = find("size", &(model.reading.columns)(Pane::History)).unwrap();
    for direction in [Direction::Ascending, Direction::Descending] {
        let sort = Some(Sort { column, direction });
        change(&mut model, Pane::History, |table_view| {
            table_view.sort = sort;
        });
        while sifted(&model).is_some() {
            wait(&mut model, 1);
        }
        let mut expected: Vec<_> = (0..5_000_u32).collect();
        match direction {
            Direction::Ascending => expected.sort_by_key(|n| n * 7 % 1_000),
            Direction::Descending => expected.sort_by_key(|n| std::cmp::Reverse(n * 7 % 1_000)),
        }
        let expected: Vec<_> = expected.iter().map(|n| format!("h-{n}")).collect();
        assert_eq!(ids(&model, Pane::History), expected);
    }
}

#[test]
fn rows_that_come_while_a_long_list_is_sifted_are_part_of_it() {
    let mut model = desk();
    arrive(&mut model, Answer::History(Ok(past(1..5_000))));
    filtered(&mut model, "size=1");
    assert!(sifted(&model).is_some());
    wait(&mut model, 1);
    arrive(&mut model, Answer::History(Ok(past(0..100))));
    assert_eq!(sifted(&model), None);
    assert_eq!(ids(&model, Pane::History)[..2], ["h-0", "h-1000"]);
}
