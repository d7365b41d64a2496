use super::*;
use crate::app::testing::{NOON, num, order, position};

fn at(seconds: i64) -> Timestamp {
    Timestamp(NOON.0 + seconds * 1_000)
}

/// A long of 3 entered at 10, open since the first second.
fn open() -> Position {
    let mut open = position("p", "X", "3", r#""leverage":5"#);
    open.entry_price = Some(num("10"));
    open.opened_at = Some(at(0));
    open
}

fn closed(net: &str, after: i64) -> Position {
    Position {
        realized_pnl: Some(num(net)),
        fees: Some(Num::ZERO),
        funding: Some(Num::ZERO),
        closed_at: Some(at(after)),
        ..open()
    }
}

fn stop(id: &str, price: &str, requested: i64) -> Order {
    let more = format!(
        r#""type":"stop_market","mode":"stop_market","side":"sell","size":3,"trigger_price":{price},
        "status":"pending","target_position_id":"p""#
    );
    Order {
        requested_at: at(requested),
        ..order(id, "X", &more)
    }
}

/// A log that has watched the position from its opening.
fn watching() -> TradeLog {
    let mut log = TradeLog::default();
    log.opened(&[], at(-1));
    log.opened(&[open()], at(0));
    log
}

/// docs: "Entry 10, stop 8, low 8.5: 0.75 R".
#[test]
fn entry_10_stop_8_low_8_and_a_half_is_three_quarters_of_r_against_the_position() {
    let mut log = watching();
    log.armed(&[open()], &[stop("s-1", "8", 1)], at(1));
    for (second, mark) in [(1, "10"), (2, "8.5"), (3, "13"), (4, "12")] {
        log.marked(&"p".into(), num(mark), at(second));
    }
    let review = log.review(&closed("6", 4));
    let (risk, mae, mfe) = (
        review.risk.unwrap(),
        review.mae.unwrap(),
        review.mfe.unwrap(),
    );
    assert_eq!(risk, num("6"));
    assert_eq!(review.r_multiple, Some(num("1")));
    assert_eq!(mae.over(risk), Some(num("0.75")));
    assert_eq!(mfe.over(risk), Some(num("1.5")));
    assert_eq!(
        review.marks_seen,
        Some(num("0.75")),
        "three of four seconds"
    );
}

#[test]
fn a_short_is_the_mirror_and_what_never_went_against_it_is_zero() {
    let seen = Excursion {
        low: num("9"),
        high: num("11"),
        seen_millis: 0,
        last_at: at(0),
    };
    let extremes = |side, entry| seen.extremes(side, num(entry), num("2")).unwrap();
    assert_eq!(extremes(Side::Sell, "10"), (num("2"), num("2")));
    assert_eq!(extremes(Side::Sell, "8"), (num("6"), num("0")));
    assert_eq!(extremes(Side::Buy, "8"), (num("0"), num("6")));
}

#[test]
fn a_moved_stop_never_counts() {
    let mut log = watching();
    log.armed(&[open()], &[stop("s-1", "8", 1)], at(1));
    log.armed(&[open()], &[stop("s-2", "9.5", 2)], at(2));
    assert_eq!(log.review(&closed("6", 4)).risk, Some(num("6")));
    // Who was not there when it was opened does not know which stop was the first.
    let mut late = TradeLog::default();
    late.opened(&[open()], at(2));
    late.armed(&[open()], &[stop("s-2", "9.5", 2)], at(2));
    let review = late.review(&closed("6", 4));
    assert_eq!((review.risk, review.r_multiple), (None, None));
}

#[test]
fn orders_that_reach_back_to_the_opening_tell_the_first_stop() {
    let (over, orders) = (
        closed("-6", 4),
        [stop("s-2", "9.5", 2), stop("s-1", "8", 1)],
    );
    let read = |reach| {
        let mut late = TradeLog::default();
        late.learn([&over].into_iter(), orders.iter(), reach);
        late.review(&over).r_multiple
    };
    assert_eq!(read(None), Some(num("-1")));
    assert_eq!(read(Some(at(0))), Some(num("-1")));
    assert_eq!(read(Some(at(1))), None, "an older one may be missing");
}

#[test]
fn without_a_mark_nothing_is_said_and_a_gap_is_not_seen() {
    let mut log = watching();
    let bare = log.review(&closed("6", 100));
    assert_eq!((bare.mae, bare.mfe, bare.marks_seen), (None, None, None));
    log.marked(&"p".into(), num("10"), at(0));
    log.marked(&"p".into(), num("10"), at(10));
    log.marked(&"p".into(), num("7"), at(90));
    let review = log.review(&closed("6", 100));
    assert_eq!(review.marks_seen, Some(num("0.1")));
    assert_eq!(review.mae, Some(num("9")));
}

#[test]
fn a_note_and_its_tags_are_typed_in_one_line_and_read_back_as_one() {
    let mut log = TradeLog::default();
    let id = "p".into();
    log.write(&id, "  chased #Breakout the high   #late ", at(0));
    let record = log.get(&id).unwrap();
    assert_eq!(record.note, "chased the high");
    assert_eq!(log.text(&id), "chased the high #breakout #late");
    log.write(&id, "", at(1));
    assert_eq!(log.text(&id), "");
}

#[test]
fn what_is_kept_is_read_back_and_joins_what_was_noted_meanwhile() {
    let mut log = watching();
    log.armed(&[open()], &[stop("s-1", "8", 1)], at(1));
    log.marked(&"p".into(), num("9"), at(1));
    log.write(&"p".into(), "plan #a", at(1));
    let kept = serde_json::to_string(&log).unwrap();
    let mut next = TradeLog::default();
    next.opened(&[open()], at(60));
    next.armed(&[open()], &[stop("s-2", "9.5", 2)], at(60));
    next.marked(&"p".into(), num("12"), at(60));
    next.recall(serde_json::from_str(&kept).unwrap(), Timestamp(0));
    let review = next.review(&closed("6", 100));
    assert_eq!(review.risk, Some(num("6")), "the first stop of before");
    assert_eq!((review.mae, review.mfe), (Some(num("3")), Some(num("6"))));
    assert_eq!(next.text(&"p".into()), "plan #a");
}

/// A stop of the position that this desk has placed.
fn placed_stop(price: &str, requested: i64) -> (Command, Receipt) {
    let mut close = crate::model::ClosePosition::market("p".into());
    close.trigger_price = Some(num(price));
    close.trigger_direction = Some(crate::model::TriggerDirection::Below);
    let order = Box::new(stop("s", price, requested));
    let receipt = Receipt::Order {
        order,
        queued: false,
    };
    (Command::Close(close), receipt)
}

/// The entry that opened the position, with a stop attached to it.
fn placed_entry(stop_loss: &str) -> (Command, Receipt) {
    let mut entry =
        crate::model::PlaceOrder::market("chal-1".into(), "paper|X".into(), Side::Buy, num("3"));
    entry.stop_loss_price = Some(num(stop_loss));
    let more = r#""type":"market","mode":"market","side":"buy","size":3,"filled_size":3,"fill_price":10,
        "status":"filled""#;
    let order = Order {
        requested_at: at(0),
        settled_at: Some(at(0)),
        ..order("e", "X", more)
    };
    let order = Box::new(order);
    let receipt = Receipt::Order {
        order,
        queued: false,
    };
    (Command::Place(Box::new(entry)), receipt)
}

fn past((command, receipt): (Command, Receipt), told: i64) -> crate::model::Past {
    let mut past = crate::app::testing::past(told, at(told));
    past.command = Some(command);
    past.result = Ok(receipt);
    past
}

fn r_of(log: &mut TradeLog) -> Option<Num> {
    log.learn_placed([closed("6", 90)].iter());
    log.review(&closed("6", 90)).r_multiple
}

#[test]
fn a_stop_attached_to_the_entry_that_opened_the_trade_is_its_first() {
    let mut log = TradeLog::default();
    let (command, receipt) = placed_entry("8");
    log.settled(&command, &receipt);
    let (command, receipt) = placed_stop("9", 5);
    log.settled(&command, &receipt);
    assert_eq!(r_of(&mut log), Some(num("1")), "6 over (10 - 8) x 3");
    let mut other = TradeLog::default();
    let (command, receipt) = placed_entry("8");
    other.settled(&command, &receipt);
    let mut later = closed("6", 90);
    later.opened_at = Some(at(30));
    other.learn_placed([later.clone()].iter());
    assert_eq!(
        other.review(&later).r_multiple,
        None,
        "it opened another one"
    );
}

#[test]
fn a_stop_of_the_journal_is_the_first_only_where_the_journal_reaches_back_to_the_opening() {
    let page = |has_more| PastPage {
        rows: vec![
            past(placed_stop("9", 50), 50),
            past(placed_stop("8", 20), 20),
        ],
        has_more,
    };
    let mut log = TradeLog::default();
    log.recall_commands(&page(true));
    assert_eq!(r_of(&mut log), None, "an earlier one may have been placed");
    log.recall_commands(&page(false));
    assert_eq!(
        r_of(&mut log),
        Some(num("1")),
        "the moved stop does not count"
    );
}

#[test]
fn a_stop_that_was_refused_or_a_target_risks_nothing() {
    let whole = PastPage {
        rows: vec![],
        has_more: false,
    };
    let mut log = TradeLog::default();
    log.recall_commands(&whole);
    let (command, _) = placed_stop("8", 20);
    let mut rejected = stop("s", "8", 20);
    rejected.status = crate::model::OrderStatus::Rejected.into();
    let receipt = Receipt::Order {
        order: Box::new(rejected),
        queued: false,
    };
    log.settled(&command, &receipt);
    let (mut command, receipt) = placed_stop("12", 20);
    if let Command::Close(close) = &mut command {
        close.trigger_direction = Some(crate::model::TriggerDirection::Above);
    }
    log.settled(&command, &receipt);
    assert_eq!(r_of(&mut log), None);
}

/// A target of the position in the place of another, as a desk places it: its type says where it fires.
fn placed_target(price: &str, requested: i64) -> (Command, Receipt) {
    let mut target =
        crate::model::PlaceOrder::market("chal-1".into(), "paper|X".into(), Side::Sell, num("3"));
    target.kind = crate::model::PlaceKind::TakeMarket;
    target.reduce_only = true;
    target.target_position_id = Some("p".into());
    target.trigger_price = Some(num(price));
    let (_, receipt) = placed_stop(price, requested);
    (Command::Place(Box::new(target)), receipt)
}

#[test]
fn a_target_that_is_moved_is_no_stop_and_gives_no_r() {
    let mut log = TradeLog::default();
    log.recall_commands(&PastPage {
        rows: vec![],
        has_more: false,
    });
    let (command, receipt) = placed_target("85", 20);
    log.settled(&command, &receipt);
    assert_eq!(r_of(&mut log), None);
}

#[test]
fn a_stop_beyond_the_entry_loses_nothing_and_gives_no_r() {
    let mut log = watching();
    log.armed(&[open()], &[stop("s-1", "11", 1)], at(1));
    let review = log.review(&closed("6", 4));
    assert_eq!((review.risk, review.r_multiple), (None, None));
}
