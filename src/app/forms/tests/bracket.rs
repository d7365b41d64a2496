//! The bracket of a new order.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for one variant and names no others"
)]

use super::*;
use crate::{
    app::{ReadOnce, account::trades::TradeLog, activity::user_alerts::KeptState},
    config::PresetTable,
    model::{
        CancelResult, ExitBatch, ExitGroup, ExitOperation, FollowUp, Order, OrderType, Page, Past,
        PastPage, Progress, Timestamp, draft::Bracket,
    },
};
use std::collections::BTreeMap;

/// What other processes and other machines do to a bracket.
mod elsewhere;

/// A desk whose entries have this bracket. `pos-1` is a long of 0.5 BTC without exits; the ask is 64,001.
fn bracketed(text: &str) -> Model {
    let mut model = desk();
    model.account.options.brackets = PresetTable {
        everywhere: Bracket::try_from(text).unwrap(),
        of: BTreeMap::new(),
    };
    model
}

fn placed(effects: &[Effect]) -> Option<PlaceOrder> {
    let mut effects = effects.iter();
    effects.find_map(|effect| match effect {
        Effect::Send(_, Command::Place(order)) => Some((**order).clone()),
        _ => None,
    })
}

/// The stop and the target that go with what these keys send.
fn exits(model: &mut Model, keys: &str) -> [String; 2] {
    let order = placed(&press(model, keys)).unwrap();
    let prices = [order.stop_loss_price, order.take_profit_price];
    prices.map(|price| price.map_or_else(String::new, |price| price.to_string()))
}

#[test]
fn an_entry_is_one_enter_with_its_stop_and_its_target() {
    let mut model = bracketed("stop 1%, target 2%");
    assert_eq!(exits(&mut model, "b 0.1 enter"), ["63361", "65281"]);
    let mut usd = bracketed("stop $50, target 100t");
    assert_eq!(exits(&mut usd, "b 0.1 enter"), ["63501", "64101"]);
    let mut limit = bracketed("stop 40t");
    assert_eq!(exits(&mut limit, "b L 0.1 tab 63000 enter"), ["62960", ""]);
}

#[test]
fn one_key_switches_the_bracket_off_and_on() {
    let mut model = bracketed("stop 1%, target 2%");
    assert_eq!(exits(&mut model, "b ctrl-o 0.1 enter"), ["", ""]);
    let mut model = bracketed("stop 1%, target 2%");
    let keys = "b ctrl-o ctrl-o 0.1 enter";
    assert_eq!(exits(&mut model, keys), ["63361", "65281"]);
}

#[test]
fn a_price_that_is_typed_goes_before_that_of_the_bracket() {
    let mut model = bracketed("stop 1%, target 2%");
    let keys = "b 0.1 tab tab 62000 enter";
    assert_eq!(exits(&mut model, keys), ["62000", "65281"]);
}

#[test]
fn a_size_by_the_loss_at_the_stop_takes_the_stop_of_the_bracket() {
    let mut model = bracketed("stop 1%");
    let order = placed(&press(&mut model, "b r64 enter")).unwrap();
    assert_eq!(order.size.normalized(), num("0.1"));
}

#[test]
fn what_adds_to_a_position_with_exits_and_what_reduces_one_has_no_bracket() {
    let stop: Order = order(
        "ord-7",
        "BTC",
        r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":58000,
        "trigger_direction":"below","target_position_id":"pos-1","status":"pending""#,
    );
    let mut model = bracketed("stop 1%, target 2%");
    arrive(&mut model, Answer::Orders(Ok(Page::of(vec![stop]))));
    assert_eq!(exits(&mut model, "b 0.1 enter"), ["", ""]);
    let mut against = bracketed("stop 1%, target 2%");
    assert_eq!(exits(&mut against, "s 0.1 enter"), ["", ""]);
}

#[test]
fn an_entry_whose_bracket_cannot_be_computed_is_not_sent() {
    let mut model = bracketed("stop 1.5atr");
    assert_eq!(press(&mut model, "b 0.1 enter"), []);
    let why = fault(&model, Field::StopLoss).unwrap().to_string();
    assert!(why.contains("the mean range is not known yet"), "{why}");
    let off = press(&mut model, "ctrl-o enter");
    assert!(placed(&off).is_some(), "it goes without one");
}

/// The entry as the service answers it.
fn entered(status: &str, filled: &str) -> Receipt {
    let json = format!(
        r#""type":"market","mode":"market","side":"buy","size":0.1,"filled_size":{filled},"status":"{status}""#
    );
    let order = Order {
        leverage: num("10"),
        attached_stop_loss_price: Some(num("63361")),
        ..order("ord-20", "BTC", &json)
    };
    Receipt::Order {
        order: Box::new(order),
        queued: false,
    }
}

/// Lists that were requested after all that happened.
fn lists(model: &mut Model, orders: Vec<Order>) -> Vec<Effect> {
    let mut effects = wait(model, 50);
    let open = model.account.store.positions.rows().to_vec();
    effects.extend(arrive(model, Answer::Positions(Ok(Page::of(open)))));
    effects.extend(arrive(model, Answer::Orders(Ok(Page::of(orders)))));
    effects
}

fn batches(effects: &[Effect]) -> Vec<(Ticket, String)> {
    let batch = |effect: &Effect| match effect {
        Effect::Send(ticket, command @ Command::ExitBatch(_)) => {
            Some((*ticket, command.to_string()))
        }
        _ => None,
    };
    effects.iter().filter_map(batch).collect()
}

const SEVERAL: &str = "stop 1%, target 100t 60%, target 200t 40%";
const PLACED: &str =
    "exits of position pos-1: take profit at 64,101, size 0.06, take profit at 64,201, size 0.04";

#[test]
fn several_targets_follow_the_fill_as_one_batch() {
    let mut model = bracketed(SEVERAL);
    assert_eq!(exits(&mut model, "b 0.1 enter"), ["63361", ""]);
    let early = settle(&mut model, Ticket(1), Ok(entered("filled", "0.1")));
    assert_eq!(batches(&early), [], "lists of before show nothing");
    let sent = batches(&lists(&mut model, vec![]));
    assert_eq!(sent, [(Ticket(2), PLACED.to_owned())]);
    let moved = Failure {
        kind: FailureKind::Conflict,
        ..Failure::local("it has changed")
    };
    settle(&mut model, Ticket(2), Err(moved.clone()));
    let again = batches(&lists(&mut model, vec![]));
    assert_eq!(again, [(Ticket(3), PLACED.to_owned())]);
    settle(&mut model, Ticket(3), Err(moved));
    assert_eq!(batches(&lists(&mut model, vec![])), [], "not a third time");
    assert!(said(&model).contains("the targets of BTC are not placed"));
}

#[test]
fn a_frozen_display_does_not_keep_the_targets_of_a_fill_from_being_placed() {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    settle(&mut model, Ticket(1), Ok(entered("resting", "0")));
    lists(&mut model, vec![numbered("ord-20", "resting", "0")]);
    press(&mut model, "2 f");
    lists(&mut model, vec![]);
    let (now, row) = (model.account.now, numbered("ord-20", "filled", "0.1"));
    update(
        &mut model,
        now,
        Msg::Traced(vec!["ord-20".into()], vec![row]),
    );
    let sent = batches(&lists(&mut model, vec![]));
    assert_eq!(sent, [(Ticket(2), PLACED.to_owned())]);
    let shows_entry = |model: &Model| model.account.store.order(&"ord-20".into()).is_some();
    assert!(shows_entry(&model), "as it was");
    press(&mut model, "f");
    assert!(!shows_entry(&model), "as it is");
    let pending = model.account.store.pending.keys().collect::<Vec<_>>();
    assert_eq!(pending, [&Ticket(2)], "the batch is on its way");
}

#[test]
fn a_target_that_the_price_has_jumped_over_does_not_keep_the_others_from_being_placed() {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    settle(&mut model, Ticket(1), Ok(entered("filled", "0.1")));
    let jumped = vec![market("BTC", "64149", "64151", (5, 40))];
    arrive(&mut model, Answer::Markets(Ok(jumped)));
    let sent = batches(&lists(&mut model, vec![]));
    assert_eq!(
        sent,
        [(Ticket(2), PLACED.to_owned())],
        "the mark may be older"
    );
    let refused = Failure::held_back("the mark has reached a trigger");
    settle(&mut model, Ticket(2), Err(refused));
    let sent = batches(&lists(&mut model, vec![]));
    let second = "exits of position pos-1: take profit at 64,201, size 0.04";
    assert_eq!(sent, [(Ticket(3), second.to_owned())]);
    let words = "the mark has reached the target of BTC at 64,101: it is not placed";
    assert!(everything(&model).contains(words));
    let held = model.account.store.positions.rows()[0].clone();
    settle(&mut model, Ticket(3), Ok(Receipt::Position(Box::new(held))));
    let back = vec![market("BTC", "63999", "64001", (5, 40))];
    arrive(&mut model, Answer::Markets(Ok(back)));
    let first = "exits of position pos-1: take profit at 64,101, size 0.06";
    let working = [target("64201")];
    assert_eq!(placed_by_key(&mut model, &working)[0].1, first);
}

#[test]
fn targets_wait_until_nothing_of_their_entry_works_and_are_for_what_has_filled() {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    settle(&mut model, Ticket(1), Ok(entered("resting", "0.05")));
    let row = |status, filled| match entered(status, filled) {
        Receipt::Order { order, .. } => *order,
        other => panic!("{other:?}"),
    };
    for _ in 0..3 {
        let effects = lists(&mut model, vec![row("resting", "0.05")]);
        assert_eq!(batches(&effects), []);
    }
    let ids = vec!["ord-20".into()];
    lists(&mut model, vec![]);
    let found = Msg::Traced(ids, vec![row("canceled", "0.05")]);
    let now = model.account.now;
    update(&mut model, now, found);
    let sent = batches(&lists(&mut model, vec![]));
    let words = sent.first().map_or("", |(_, words)| words.as_str());
    assert!(
        words.contains("size 0.03") && words.contains("size 0.02"),
        "{words}"
    );
}

#[test]
fn a_history_that_is_older_than_the_fill_does_not_hold_the_targets_up() {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    settle(&mut model, Ticket(1), Ok(entered("resting", "0")));
    let resting = || vec![numbered("ord-20", "resting", "0")];
    lists(&mut model, resting());
    arrive(&mut model, Answer::History(Ok(Page::of(resting()))));
    let asked = lists(&mut model, vec![]);
    let find = Effect::Read(ReadOnce::Trace(vec!["ord-20".into()]));
    assert!(asked.contains(&find), "{asked:?}");
    let now = model.account.now;
    let found = Msg::Traced(vec!["ord-20".into()], resting());
    let again = update(&mut model, now, found);
    assert!(!again.contains(&find), "not at once");
    let found = Msg::Traced(vec!["ord-20".into()], vec![filled()]);
    update(&mut model, now, found);
    assert_eq!(batches(&lists(&mut model, vec![])).len(), 1);
    arrive(&mut model, Answer::History(Ok(Page::of(vec![filled()]))));
    let told = everything(&model).matches("Alert(Filled(").count();
    assert_eq!(told, 1, "not by the history once more");
}

#[test]
fn an_entry_whose_status_is_not_known_to_perpdeck_may_fill_on_and_its_targets_wait() {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    settle(&mut model, Ticket(1), Ok(entered("resting", "0")));
    let partly = numbered("ord-20", "partially_filled", "0.05");
    for row in [partly, filled()] {
        assert_eq!(batches(&lists(&mut model, vec![])), []);
        let now = model.account.now;
        update(
            &mut model,
            now,
            Msg::Traced(vec!["ord-20".into()], vec![row]),
        );
    }
    let sent = batches(&lists(&mut model, vec![]));
    assert_eq!(sent, [(Ticket(2), PLACED.to_owned())]);
}

#[test]
fn targets_of_an_entry_that_was_answered_otherwise_than_requested_are_said_to_be_missing() {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.2 enter");
    settle(&mut model, Ticket(1), Ok(entered("filled", "0.1")));
    let words = "the targets of BTC are not placed: the answer differs from the request";
    assert!(everything(&model).contains(words), "{}", everything(&model));
    assert_eq!(batches(&lists(&mut model, vec![])), []);
    assert_eq!(placed_by_key(&mut model, &[])[0].1, PLACED);
}

#[test]
fn targets_whose_batch_a_person_gives_up_are_said_to_be_missing() {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    settle(&mut model, Ticket(1), Ok(entered("filled", "0.1")));
    lists(&mut model, vec![]);
    let now = model.account.now;
    let doubt = || Failure::new(FailureKind::Unknown, "no answer");
    let parked = Progress::Parked {
        why: doubt(),
        replay_until: now,
    };
    update(&mut model, now, Msg::Progress(Ticket(2), parked));
    assert_eq!(
        placed_by_key(&mut model, &[]),
        [],
        "it may have placed them"
    );
    settle(&mut model, Ticket(2), Err(doubt()));
    assert_eq!(placed_by_key(&mut model, &[])[0].1, PLACED);
}

#[test]
fn a_living_desk_says_what_another_one_has_left_and_nothing_twice() {
    let mut living = bracketed(SEVERAL);
    lists(&mut living, vec![]);
    let mut other = bracketed(SEVERAL);
    press(&mut other, "b 0.1 enter");
    let last = settle(&mut other, Ticket(1), Ok(entered("filled", "0.1")));
    let left = last.iter().rev().find_map(|effect| match effect {
        Effect::Keep(KeptState::Trades(trades)) => Some(trades.clone()),
        _ => None,
    });
    let now = living.account.now;
    let left = KeptState::Trades(left.unwrap());
    let kept = update(&mut living, now, Msg::Kept(left));
    assert!(matches!(
        kept.as_slice(),
        [Effect::Keep(KeptState::Trades(_)), ..]
    ));
    for _ in 0..2 {
        lists(&mut living, vec![]);
    }
    let words = "BTC: bracket of ord-20: 2 of 2 targets not placed; ^t on the position places them";
    let told = everything(&living).matches(words).count();
    assert_eq!(told, 1);
    assert_eq!(placed_by_key(&mut living, &[])[0].1, PLACED);
}

#[test]
fn refused_targets_do_not_bring_back_the_form_of_the_entry_that_has_filled() {
    let refused = || Failure::held_back("below the minimum");
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    settle(&mut model, Ticket(1), Ok(entered("filled", "0.1")));
    lists(&mut model, vec![]);
    settle(&mut model, Ticket(2), Err(refused()));
    assert!(everything(&model).contains("the targets of BTC are not placed"));
    assert_eq!(press(&mut model, "U"), []);
    assert!(model.overlays.is_empty(), "Enter would buy a second time");
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    settle(&mut model, Ticket(1), Err(refused()));
    press(&mut model, "U");
    assert_eq!(
        form(&model).draft.text(Field::Size),
        Some("0.1"),
        "a refused entry"
    );
}

#[test]
fn targets_that_the_desk_itself_holds_back_do_not_bring_back_the_form_either() {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    settle(&mut model, Ticket(1), Ok(entered("filled", "0.1")));
    begin_in_doubt(&mut model, batch_of_targets());
    assert_eq!(batches(&lists(&mut model, vec![])), []);
    let words = "the targets of BTC are not placed: status unknown";
    assert!(everything(&model).contains(words), "{}", everything(&model));
    assert_eq!(press(&mut model, "U"), []);
    assert!(model.overlays.is_empty(), "Enter would buy a second time");
}

#[test]
fn a_refused_entry_and_a_close_all_leave_no_targets_to_place() {
    let mut refused = bracketed(SEVERAL);
    press(&mut refused, "b 0.1 enter");
    settle(
        &mut refused,
        Ticket(1),
        Err(Failure::held_back("no margin")),
    );
    assert_eq!(batches(&lists(&mut refused, vec![])), []);
    let mut closed = bracketed(SEVERAL);
    press(&mut closed, "b 0.1 enter");
    settle(&mut closed, Ticket(1), Ok(entered("filled", "0.1")));
    press(&mut closed, "X");
    wait(&mut closed, 200);
    press(&mut closed, "y");
    assert_eq!(batches(&lists(&mut closed, vec![])), []);
}

#[test]
fn a_fill_whose_size_the_service_leaves_out_is_that_of_the_order_or_is_said_to_be_unknown() {
    let mut filled = bracketed(SEVERAL);
    press(&mut filled, "b 0.1 enter");
    settle(&mut filled, Ticket(1), Ok(entered("filled", "null")));
    let sent = batches(&lists(&mut filled, vec![]));
    assert_eq!(sent, [(Ticket(2), PLACED.to_owned())]);
    let mut canceled = bracketed(SEVERAL);
    press(&mut canceled, "b 0.1 enter");
    settle(&mut canceled, Ticket(1), Ok(entered("canceled", "null")));
    assert_eq!(batches(&lists(&mut canceled, vec![])), []);
    let words = "how much of the order filled is not known";
    assert!(said(&canceled).contains(words), "{}", said(&canceled));
}

/// The next session, with what the last one kept of its trades.
fn restarted(last: &[Effect]) -> Model {
    let kept = last.iter().rev().find_map(|effect| match effect {
        Effect::Keep(KeptState::Trades(trades)) => Some(serde_json::to_string(trades).unwrap()),
        _ => None,
    });
    let kept: TradeLog = serde_json::from_str(&kept.unwrap()).unwrap();
    let mut next = desk();
    let now = next.account.now;
    update(&mut next, now, Msg::Kept(KeptState::Trades(Box::new(kept))));
    next
}

fn everything(model: &Model) -> String {
    format!("{:?}", model.account.activity)
}

/// A session that ended after the fill of `ord-20` and before its targets were placed, and the next one.
fn restarted_after_the_fill() -> Model {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    let last = settle(&mut model, Ticket(1), Ok(entered("filled", "0.1")));
    restarted(&last)
}

fn filled() -> Order {
    match entered("filled", "0.1") {
        Receipt::Order { order, .. } => *order,
        other => panic!("{other:?}"),
    }
}

/// A target of `pos-1`.
fn target(price: &str) -> Order {
    let json = format!(
        r#""type":"take_profit","mode":"take_profit","side":"sell","size":0.06,"trigger_price":{price},
        "trigger_direction":"above","target_position_id":"pos-1","status":"pending""#
    );
    order("ord-21", "BTC", &json)
}

/// What the key that places missing targets sends, with these working orders.
fn placed_by_key(model: &mut Model, orders: &[Order]) -> Vec<(Ticket, String)> {
    press(model, "1 ctrl-t");
    let found = Msg::Traced(vec!["ord-20".into()], vec![filled()]);
    let now = model.account.now;
    update(model, now, found);
    batches(&lists(model, orders.to_vec()))
}

#[test]
fn after_a_restart_missing_targets_are_said_and_one_key_places_them() {
    let mut model = restarted_after_the_fill();
    lists(&mut model, vec![]);
    let words = "BTC: bracket of ord-20: 2 of 2 targets not placed; ^t on the position places them";
    assert!(said(&model).contains(words), "{}", said(&model));
    let sent = placed_by_key(&mut model, &[]);
    let [(ticket, what)] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    assert_eq!(what, PLACED);
    let held = model.account.store.positions.rows()[0].clone();
    let last = settle(&mut model, *ticket, Ok(Receipt::Position(Box::new(held))));
    let mut third = restarted(&last);
    lists(&mut third, vec![]);
    assert!(!everything(&third).contains("not placed"));
}

#[test]
fn targets_that_work_already_are_not_placed_again() {
    let mut model = restarted_after_the_fill();
    let first = [target("64101")];
    lists(&mut model, first.to_vec());
    assert!(said(&model).contains("1 of 2 targets not placed"));
    let sent = placed_by_key(&mut model, &first);
    let words = "exits of position pos-1: take profit at 64,201, size 0.04";
    assert_eq!(sent[0].1, words);
}

/// The batch that places both targets.
fn batch_of_targets() -> Command {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    settle(&mut model, Ticket(1), Ok(entered("filled", "0.1")));
    let sent = lists(&mut model, vec![]);
    let batch = sent.iter().find_map(|effect| match effect {
        Effect::Send(_, batch @ Command::ExitBatch(_)) => Some(batch.clone()),
        _ => None,
    });
    batch.unwrap()
}

#[test]
fn a_target_that_has_filled_since_the_journal_says_it_was_placed_is_not_placed_again() {
    let of_journal = |number, command: Command| Past {
        command: Some(command),
        result: Ok(Receipt::AlreadySo("done".into())),
        ..past(number, Timestamp(number))
    };
    let recalled = |rows: Vec<Past>| {
        let mut model = restarted_after_the_fill();
        let page = PastPage {
            rows,
            has_more: false,
        };
        let now = model.account.now;
        update(&mut model, now, Msg::Recalled(Ok(page)));
        let second = [target("64201")];
        lists(&mut model, second.to_vec());
        let sent = placed_by_key(&mut model, &second);
        (everything(&model).contains("not placed"), sent.len())
    };
    assert_eq!(
        recalled(vec![of_journal(9, batch_of_targets())]),
        (false, 0)
    );
    assert_eq!(
        recalled(vec![]),
        (true, 1),
        "nobody has placed the first one"
    );
    let Command::ExitBatch(batch) = batch_of_targets() else {
        panic!("a batch");
    };
    let other = ExitBatch {
        entry: Some("ord-19".into()),
        ..*batch
    };
    let other = of_journal(9, Command::ExitBatch(Box::new(other)));
    assert_eq!(
        recalled(vec![other]),
        (true, 1),
        "it was that of another entry"
    );
}

/// An order of 0.1 as the service answers it, under this id.
fn numbered(id: &str, status: &str, filled: &str) -> Order {
    match entered(status, filled) {
        Receipt::Order { order, .. } => Order {
            id: id.into(),
            ..*order
        },
        other => panic!("{other:?}"),
    }
}

/// The working targets of a bracket, numbered from `first`.
fn targets(first: u32) -> Vec<Order> {
    let priced = ["64101", "64201"].into_iter().zip(first..);
    priced
        .map(|(price, number)| Order {
            id: format!("ord-{number}").into(),
            ..target(price)
        })
        .collect()
}

/// Of two entries that worked side by side with the same bracket, the first has its targets, and the service has refused
/// those of the second.
fn second_bracket_refused() -> (Model, Vec<Effect>) {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    wait(&mut model, 3_000);
    press(&mut model, "b 0.1 enter");
    for (ticket, id) in [(1, "ord-20"), (2, "ord-30")] {
        let order = Box::new(numbered(id, "resting", "0"));
        let answer = Receipt::Order {
            order,
            queued: false,
        };
        settle(&mut model, Ticket(ticket), Ok(answer));
    }
    let resting = |id| numbered(id, "resting", "0");
    lists(&mut model, vec![resting("ord-20"), resting("ord-30")]);
    let mut last = vec![];
    let mut working = vec![resting("ord-30")];
    let held = model.account.store.positions.rows()[0].clone();
    let refused = Failure::held_back("below the minimum");
    for (id, answer) in [
        ("ord-20", Ok(Receipt::Position(Box::new(held)))),
        ("ord-30", Err(refused)),
    ] {
        working.retain(|order| order.id != id.into());
        lists(&mut model, working.clone());
        let now = model.account.now;
        let filled = vec![numbered(id, "filled", "0.1")];
        update(&mut model, now, Msg::Traced(vec![id.into()], filled));
        let sent = batches(&lists(&mut model, working.clone()));
        let [(ticket, words)] = sent.as_slice() else {
            panic!("{id}: {sent:?}");
        };
        assert_eq!(words, PLACED, "{id}");
        last = settle(&mut model, *ticket, answer);
        working.extend(targets(21));
    }
    (model, last)
}

#[test]
fn of_two_brackets_at_the_same_prices_each_has_its_own_targets() {
    let placed_after = |model: &mut Model, orders: &[Order]| {
        press(model, "1 ctrl-t");
        let found = Msg::Traced(
            vec!["ord-30".into()],
            vec![numbered("ord-30", "filled", "0.1")],
        );
        let now = model.account.now;
        update(model, now, found);
        batches(&lists(model, orders.to_vec()))
    };
    let (mut model, _) = second_bracket_refused();
    lists(&mut model, targets(21));
    let sent = placed_after(&mut model, &targets(21));
    assert_eq!(sent.len(), 1, "those of the second are not placed");
    assert_eq!(sent[0].1, PLACED);
    let held = model.account.store.positions.rows()[0].clone();
    settle(&mut model, sent[0].0, Ok(Receipt::Position(Box::new(held))));
    let both = [targets(21), targets(31)].concat();
    lists(&mut model, both.clone());
    assert_eq!(placed_after(&mut model, &both), [], "all are placed");
}

#[test]
fn working_targets_of_another_bracket_at_other_prices_are_not_taken_for_targets_set_by_hand() {
    let (_, last) = second_bracket_refused();
    let of_first = |price: &str| ExitOperation::Place {
        group: ExitGroup::Tp,
        execution_type: None,
        price: num(price),
        size: num("0.06"),
        oco_pair_with: None,
    };
    let Command::ExitBatch(batch) = batch_of_targets() else {
        panic!("a batch");
    };
    let batch = ExitBatch {
        operations: vec![of_first("65000"), of_first("66000")],
        ..*batch
    };
    let first = Past {
        command: Some(Command::ExitBatch(Box::new(batch))),
        result: Ok(Receipt::AlreadySo("done".into())),
        ..past(9, Timestamp(9))
    };
    let says_missing = |rows: Vec<Past>| {
        let mut next = restarted(&last);
        let page = PastPage {
            rows,
            has_more: false,
        };
        let now = next.account.now;
        update(&mut next, now, Msg::Recalled(Ok(page)));
        lists(&mut next, vec![target("65000"), target("66000")]);
        everything(&next).contains("BTC: bracket of ord-30: 2 of 2 targets not placed")
    };
    assert!(says_missing(vec![first]));
    assert!(!says_missing(vec![]), "nobody knows whose they are");
}

/// A command of the last session whose outcome is not known.
fn begin_in_doubt(model: &mut Model, command: Command) -> Ticket {
    let (ticket, now) = (Ticket(1_000_001), model.account.now);
    update(model, now, Msg::Resumed(ticket, command));
    let progress = Progress::Unknown {
        why: Failure::new(FailureKind::Unknown, "it may have executed"),
        retry_at: now,
        then: FollowUp::Look,
    };
    update(model, now, Msg::Progress(ticket, progress));
    ticket
}

#[test]
fn while_a_batch_of_the_last_session_may_have_placed_targets_nothing_is_said_and_nothing_placed() {
    let mut model = restarted_after_the_fill();
    let ticket = begin_in_doubt(&mut model, batch_of_targets());
    let second = [target("64201")];
    lists(&mut model, second.to_vec());
    assert!(!everything(&model).contains("not placed"));
    assert_eq!(placed_by_key(&mut model, &second), []);
    let held = model.account.store.positions.rows()[0].clone();
    settle(&mut model, ticket, Ok(Receipt::Position(Box::new(held))));
    lists(&mut model, second.to_vec());
    assert_eq!(placed_by_key(&mut model, &second), []);
}

#[test]
fn the_targets_of_an_entry_that_is_replaced_follow_the_fill_of_the_new_one() {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b L 0.1 tab 63000 enter");
    let json = r#""type":"limit","mode":"limit","side":"buy","size":0.1,"filled_size":0,"limit_price":63000,
        "attached_stop_loss_price":62370,"time_in_force":"gtc","status":"resting""#;
    let resting = Order {
        leverage: num("10"),
        ..order("ord-20", "BTC", json)
    };
    let answer = Receipt::Order {
        order: Box::new(resting.clone()),
        queued: false,
    };
    settle(&mut model, Ticket(1), Ok(answer));
    lists(&mut model, vec![resting]);
    wait(&mut model, 3_000);
    let sent = press(
        &mut model,
        "2 m ctrl-u 62900 tab tab tab ctrl-u 62000 enter",
    );
    let canceled = CancelResult {
        id: "ord-20".into(),
        canceled: true,
        queued: false,
    };
    assert!(
        matches!(
            sent.as_slice(),
            [Effect::Send(Ticket(2), Command::Cancel(_)), ..]
        ),
        "{sent:?}"
    );
    settle(&mut model, Ticket(2), Ok(Receipt::Cancel(canceled)));
    let traced = |model: &mut Model, row: Order| {
        let (now, id) = (model.account.now, row.id.clone());
        update(model, now, Msg::Traced(vec![id], vec![row]))
    };
    let placed = traced(&mut model, numbered("ord-20", "canceled", "0"));
    let order = self::placed(&placed).expect("the new order");
    let answer = Receipt::Order {
        order: Box::new(Order {
            limit_price: order.limit_price,
            attached_stop_loss_price: order.stop_loss_price,
            kind: OrderType::Limit.into(),
            ..numbered("ord-30", "resting", "0")
        }),
        queued: false,
    };
    settle(&mut model, Ticket(3), Ok(answer));
    lists(&mut model, vec![]);
    traced(&mut model, numbered("ord-30", "filled", "0.1"));
    let sent = batches(&lists(&mut model, vec![]));
    let words = "exits of position pos-1: take profit at 63,100, size 0.06, take profit at 63,200, size 0.04";
    assert_eq!(sent.len(), 1, "{}", everything(&model));
    assert_eq!(sent[0].1, words);
}

#[test]
fn an_entry_that_leaves_the_orders_before_its_position_is_listed_keeps_its_targets() {
    let mut model = restarted_after_the_fill();
    let held = model.account.store.positions.rows().to_vec();
    wait(&mut model, 50);
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![]))));
    let works = vec![numbered("ord-20", "resting", "0")];
    arrive(&mut model, Answer::Orders(Ok(Page::of(works))));
    wait(&mut model, 50);
    arrive(&mut model, Answer::Orders(Ok(Page::of(vec![]))));
    wait(&mut model, 50);
    arrive(&mut model, Answer::Positions(Ok(Page::of(held))));
    assert_eq!(placed_by_key(&mut model, &[])[0].1, PLACED);
}

#[test]
fn missing_targets_are_forgotten_with_the_position_or_a_target_set_by_hand() {
    let mut closed = restarted_after_the_fill();
    wait(&mut closed, 50);
    arrive(&mut closed, Answer::Positions(Ok(Page::of(vec![]))));
    arrive(&mut closed, Answer::Orders(Ok(Page::of(vec![]))));
    lists(&mut closed, vec![]);
    assert!(!everything(&closed).contains("not placed"));
    let mut by_hand = restarted_after_the_fill();
    lists(&mut by_hand, vec![target("66000")]);
    assert!(!everything(&by_hand).contains("not placed"));
    assert_eq!(placed_by_key(&mut by_hand, &[target("66000")]), []);
}
