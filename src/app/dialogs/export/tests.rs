//! Exports, from the key to the finished sheet.

use super::*;
use crate::{
    app::{
        Effect, Model, ReadOnce, account::poll::Answer, core::sheet::SheetRows, desk::msg::Msg,
        dialogs::overlay::Overlay, testing::*, update::router::update,
    },
    model::{Cursor, Failure, FailureKind, Order, Page},
};

const HOUR: i64 = 3_600_000;

/// Orders `first`, `first`+1 …, each an hour older than the one before.
fn page(first: i64, count: i64, next: Option<&str>) -> Page<Order> {
    let rows = (first..first + count).map(|n| {
        let at = NOON.0 - n * HOUR;
        let done = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"filled""#;
        let row = order(&format!("h{n}"), "BTC", done);
        Order {
            requested_at: Timestamp(at),
            ..row
        }
    });
    Page {
        next: next.map(|cursor| Cursor::from(cursor.to_owned())),
        ..Page::of(rows.collect())
    }
}

/// On the order history with twenty orders read and more to come.
fn reading() -> Model {
    let mut model = desk();
    arrive(&mut model, Answer::History(Ok(page(0, 20, Some("p2")))));
    press(&mut model, "6 z");
    // The pane itself reads ahead.
    arrive(
        &mut model,
        Answer::MoreHistory("p2".to_owned().into(), Ok(page(20, 20, Some("p3")))),
    );
    model
}

fn stage(model: &Model) -> &Stage {
    match model.overlays.last() {
        Some(Overlay::Export(export)) => &export.stage,
        other => panic!("no export but {other:?}"),
    }
}

fn ids(effects: &[Effect]) -> Vec<String> {
    let [Effect::Write(sheet)] = effects else {
        panic!("nothing is written but {effects:?}");
    };
    let SheetRows::History(rows) = &sheet.rows else {
        panic!("no orders");
    };
    rows.iter().map(|row| row.id.to_string()).collect()
}

fn more(cursor: &str) -> Vec<Effect> {
    vec![Effect::Read(ReadOnce::MoreHistory(
        cursor.to_owned().into(),
    ))]
}

fn answer(model: &mut Model, cursor: &str, page: Result<Page<Order>, Failure>) -> Vec<Effect> {
    arrive(model, Answer::MoreHistory(cursor.to_owned().into(), page))
}

#[test]
fn every_page_is_read_before_the_file_is_written_once() {
    let mut model = reading();
    press(&mut model, "E");
    assert_eq!(press(&mut model, "enter"), more("p3"));
    assert_eq!(
        answer(&mut model, "p3", Ok(page(40, 20, Some("p4")))),
        more("p4")
    );
    let effects = answer(&mut model, "p4", Ok(page(60, 5, None)));
    assert_eq!(ids(&effects).len(), 65);
    assert_eq!(*stage(&model), Stage::Writing);
    let done = Ok(("perpdeck-orders.csv".to_owned(), 65));
    let now = model.account.now;
    assert_eq!(update(&mut model, now, Msg::Written(done.clone())), vec![]);
    assert_eq!(*stage(&model), Stage::Over(done));
}

#[test]
fn a_span_reads_no_further_back_than_it_reaches() {
    let mut model = reading();
    press(&mut model, "E tab");
    let effects = press(&mut model, "enter");
    let written = ids(&effects);
    assert_eq!(written.len(), 25, "now and the 24 hours before");
    assert_eq!(written.last().map(String::as_str), Some("h24"));
}

#[test]
fn escape_stops_it_and_nothing_is_written() {
    let mut model = reading();
    press(&mut model, "E enter esc");
    assert_eq!(model.overlays, vec![]);
    assert_eq!(answer(&mut model, "p3", Ok(page(40, 5, None))), vec![]);
}

#[test]
fn a_page_that_fails_ends_the_walk_and_enter_goes_on_from_there() {
    let mut model = reading();
    press(&mut model, "E enter");
    let down = Failure::new(FailureKind::Unavailable, "down");
    assert_eq!(answer(&mut model, "p3", Err(down)), vec![]);
    let why = "a page could not be read; 40 rows are here, Enter goes on".to_owned();
    assert_eq!(*stage(&model), Stage::Over(Err(why)));
    assert_eq!(press(&mut model, "enter"), more("p3"));
    assert_eq!(
        ids(&answer(&mut model, "p3", Ok(page(40, 1, None)))).len(),
        41
    );
}

#[test]
fn a_pane_nothing_has_come_for_is_not_written_as_empty() {
    let mut model = bare_desk();
    assert_eq!(press(&mut model, "E enter"), vec![]);
    assert!(matches!(stage(&model), Stage::Over(Err(_))));
}

#[test]
fn what_is_chosen_does_not_change_while_it_is_read() {
    let mut model = reading();
    press(&mut model, "E space enter space tab");
    let Some(Overlay::Export(export)) = model.overlays.last() else {
        panic!("no export");
    };
    assert_eq!((export.format, export.span), (Format::Json, Span::All));
}

#[test]
fn the_other_panes_are_written_as_they_are() {
    let mut model = desk();
    let effects = press(&mut model, "E enter");
    let [Effect::Write(sheet)] = &effects[..] else {
        panic!("{effects:?}");
    };
    assert_eq!(
        sheet.rows,
        SheetRows::Positions(model.account.store.positions.rows().to_vec())
    );
    assert_eq!(sheet.account, "chal-1");
}
