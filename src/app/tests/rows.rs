//! The selection, and the pages that it loads.

use super::*;
use crate::app::ReadOnce;

#[test]
fn the_selection_is_a_thing_not_a_place() {
    let mut model = desk();
    press(&mut model, "j");
    assert_eq!(model.selected(), Some(RowId::Position("pos-2".into())));
    let reordered = vec![
        position("pos-2", "SOL", "-100", r#""leverage":5"#),
        position("pos-1", "BTC", "0.5", r#""leverage":10"#),
    ];
    arrive(&mut model, Answer::Positions(Ok(Page::of(reordered))));
    assert_eq!(model.selected(), Some(RowId::Position("pos-2".into())));
}

#[test]
fn when_the_selected_row_is_gone_the_first_is_meant_until_it_comes_back() {
    let mut model = desk();
    press(&mut model, "j");
    let only = vec![position("pos-1", "BTC", "0.5", r#""leverage":10"#)];
    arrive(&mut model, Answer::Positions(Ok(Page::of(only))));
    assert_eq!(model.selected(), Some(RowId::Position("pos-1".into())));
}

#[test]
fn the_keys_stop_at_both_ends() {
    let mut model = desk();
    press(&mut model, "k k");
    assert_eq!(model.selected(), Some(RowId::Position("pos-1".into())));
    press(&mut model, "j j j");
    assert_eq!(model.selected(), Some(RowId::Position("pos-2".into())));
    press(&mut model, "g g G");
    assert_eq!(model.selected(), Some(RowId::Position("pos-2".into())));
}

fn history(first: usize, next: Option<&str>) -> Page<crate::model::Order> {
    let done = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"filled""#;
    let rows = (first..first + 50).map(|n| order(&format!("h-{n:03}"), "BTC", done));
    Page {
        next: next.map(|c| Cursor::from(c.to_owned())),
        ..Page::of(rows.collect())
    }
}

#[test]
fn the_next_page_is_asked_for_once_when_the_end_comes_near() {
    let mut model = desk();
    arrive(&mut model, Answer::History(Ok(history(0, Some("p2")))));
    assert_eq!(press(&mut model, "6"), vec![]);
    let cursor = Cursor::from("p2".to_owned());
    assert_eq!(
        press(&mut model, "ctrl-d ctrl-d j j"),
        vec![Effect::Read(ReadOnce::MoreHistory(cursor.clone()))]
    );
    arrive(
        &mut model,
        Answer::MoreHistory(cursor.clone(), Ok(history(50, None))),
    );
    assert_eq!(model.account.store.history.rows().len(), 100);
    assert_eq!(press(&mut model, "G j"), vec![]);
}

#[test]
fn a_scaled_order_that_was_just_placed_is_watched_from_its_receipt_on() {
    let mut model = desk();
    let sent = crate::app::orders::send::send(&mut model, Command::CancelScaled("lad-7".into()));
    let scaled = serde_json::from_str(r#"{"id":"lad-7","market_id":"paper|BTC"}"#).unwrap();
    let now = model.account.now;
    let receipt = Receipt::Scaled(Box::new(scaled));
    let effects = update(&mut model, now, Msg::Settled(sent.0, Ok(receipt)));
    assert_eq!(effects.first(), Some(&Effect::Watch(vec!["lad-7".into()])));
    let rung = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"resting",
        "scaled_order_id":"lad-7""#;
    let page = Page::of(vec![order("ord-5", "SOL", rung)]);
    assert_eq!(arrive(&mut model, Answer::Orders(Ok(page))), vec![]);
}

#[test]
fn a_page_that_failed_is_asked_for_again_by_the_next_move() {
    let mut model = desk();
    arrive(&mut model, Answer::History(Ok(history(0, Some("p2")))));
    let cursor = Cursor::from("p2".to_owned());
    assert_eq!(
        press(&mut model, "6 G"),
        vec![Effect::Read(ReadOnce::MoreHistory(cursor.clone()))]
    );
    let down = Failure::new(FailureKind::Unavailable, "down");
    arrive(&mut model, Answer::MoreHistory(cursor.clone(), Err(down)));
    assert_eq!(
        press(&mut model, "k"),
        vec![Effect::Read(ReadOnce::MoreHistory(cursor.clone()))]
    );
}

#[test]
fn an_answer_about_running_twaps_that_was_overtaken_ends_none_of_them() {
    let mut model = desk();
    let twap = serde_json::from_str(r#"{"id":"twap-1","market_id":"paper|BTC"}"#).unwrap();
    let before = model.account.now;
    wait(&mut model, 2_000);
    arrive(&mut model, Answer::Twaps(Ok(Page::of(vec![twap]))));
    let late = crate::app::account::poll::Poll {
        at: before,
        answer: Answer::Twaps(Ok(Page::default())),
    };
    let now = model.account.now;
    update(&mut model, now, Msg::Polled(Box::new(late)));
    assert_eq!(model.account.store.ended_twaps, vec![]);
    assert_eq!(model.account.store.twaps.rows().len(), 1);
}

#[test]
fn a_list_with_unreadable_rows_ends_no_twap_and_the_next_whole_one_does() {
    let mut model = desk();
    let twap = serde_json::from_str(r#"{"id":"twap-1","market_id":"paper|BTC"}"#).unwrap();
    arrive(&mut model, Answer::Twaps(Ok(Page::of(vec![twap]))));
    let listed = model.account.store.twaps.at().unwrap();
    let ended = |model: &Model| {
        let ended = model.account.store.ended_twaps.iter();
        ended.map(|e| e.last_seen).collect::<Vec<_>>()
    };
    let cut = || Page {
        unreadable: vec!["a row does not read".into()],
        ..Page::default()
    };
    for _ in 0..2 {
        wait(&mut model, 2_000);
        arrive(&mut model, Answer::Twaps(Ok(cut())));
        assert_eq!(ended(&model), vec![]);
    }
    wait(&mut model, 2_000);
    arrive(&mut model, Answer::Twaps(Ok(Page::default())));
    assert_eq!(ended(&model), vec![listed]);
}

#[test]
fn a_scaled_order_met_on_an_order_is_watched_from_then_on_once() {
    let mut model = desk();
    let rung = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"resting",
        "scaled_order_id":"lad-1""#;
    let page = || Page::of(vec![order("ord-5", "SOL", rung)]);
    assert_eq!(
        arrive(&mut model, Answer::Orders(Ok(page()))),
        vec![Effect::Watch(vec!["lad-1".into()])]
    );
    assert_eq!(arrive(&mut model, Answer::Orders(Ok(page()))), vec![]);
    press(&mut model, "2 x");
    wait(&mut model, 200);
    assert_eq!(
        press(&mut model, "y"),
        sent(1, Command::CancelScaled("lad-1".into()))
    );
}
