//! Marks, lists of commands, and their outcomes.

use crate::{
    app::{
        account::{pane::Pane, poll::Answer},
        activity::notice::Event,
        core::effect::Effect,
        desk::{model::Model, msg::Msg},
        dialogs::overlay::{Bulk, Overlay, Stage, StripAction},
        testing::*,
        workflows::State,
    },
    model::{
        CancelAll, Command, Failure, FailureKind, Order, OrderId, Page, Receipt, Ticket,
        draft::Field,
    },
};

fn resting(id: &str) -> Order {
    let resting = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"resting""#;
    order(id, "ETH", resting)
}

/// A desk with six working orders, on their pane.
fn with_orders() -> Model {
    let mut model = desk();
    let orders = (1..=6).map(|n| resting(&format!("o{n}"))).collect();
    arrive(&mut model, Answer::Orders(Ok(Page::of(orders))));
    press(&mut model, "2");
    model
}

fn cancels(ids: &str) -> Vec<Command> {
    ids.split_whitespace()
        .map(|id| Command::Cancel(id.into()))
        .collect()
}

fn sent(from: u64, ids: &str) -> Vec<Effect> {
    let sends = (from..).zip(cancels(ids));
    sends
        .map(|(ticket, command)| Effect::Send(Ticket(ticket), command))
        .collect()
}

fn list(model: &Model) -> &Bulk {
    match model.overlays.last() {
        Some(Overlay::Bulk(bulk)) => bulk,
        other => panic!("no list but {other:?}"),
    }
}

fn listed(model: &Model) -> Vec<Command> {
    list(model)
        .run
        .items
        .iter()
        .map(|item| item.command.clone())
        .collect()
}

fn canceled(id: &str) -> Receipt {
    Receipt::Cancel(crate::model::CancelResult {
        id: id.into(),
        canceled: true,
        queued: false,
    })
}

fn said(model: &Model) -> String {
    match model.account.activity.lines.back().map(|line| &line.event) {
        Some(Event::Message(_, words)) => words.clone(),
        other => panic!("nothing was said but {other:?}"),
    }
}

/// Sets the working orders.
fn working(model: &mut Model, ids: &str) {
    let orders = ids.split_whitespace().map(resting).collect();
    arrive(model, Answer::Orders(Ok(Page::of(orders))));
}

/// The question that `x` asks.
fn asked(model: &mut Model) -> Option<StripAction> {
    assert_eq!(press(model, "x"), vec![]);
    match model.overlays.pop() {
        Some(Overlay::Strip(strip)) => Some(strip.proposal),
        Some(other) => panic!("no strip but {other:?}"),
        None => None,
    }
}

fn cancel(id: &str) -> StripAction {
    Command::Cancel(id.into()).into()
}

#[test]
fn the_row_under_the_cursor_vanishes_and_no_key_acts_on_another_before_it_is_seen() {
    let mut model = with_orders();
    press(&mut model, "j j j");
    working(&mut model, "o1 o2 o3 o5 o6");
    assert_eq!(asked(&mut model), None);
    let why =
        "that row is not listed any more: see which one is under the cursor now, then press again";
    assert_eq!(said(&model), why);
    wait(&mut model, 100);
    assert_eq!(asked(&mut model), None, "pressed twice");
    wait(&mut model, 300);
    assert_eq!(asked(&mut model), Some(cancel("o5")), "the neighbour");
    working(&mut model, "o1 o2 o3 o6");
    press(&mut model, "k");
    assert_eq!(
        asked(&mut model),
        Some(cancel("o3")),
        "the cursor was moved"
    );
    working(&mut model, "o1 o2");
    wait(&mut model, 2_000);
    assert_eq!(asked(&mut model), Some(cancel("o2")), "the last");
}

#[test]
fn a_first_row_that_nobody_chose_and_that_vanishes_holds_the_key_too() {
    let mut model = with_orders();
    working(&mut model, "o2 o3");
    assert_eq!(asked(&mut model), None);
    wait(&mut model, 2_000);
    assert_eq!(asked(&mut model), Some(cancel("o2")));
}

#[test]
fn what_this_desk_cancels_itself_holds_no_key() {
    let mut model = with_orders();
    press(&mut model, "j j j x");
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "y"), sent(1, "o4"));
    settle(&mut model, Ticket(1), Ok(canceled("o4")));
    assert_eq!(asked(&mut model), Some(cancel("o5")));
}

#[test]
fn a_range_ends_with_either_of_its_ends_and_the_key_turns_on_nothing_else() {
    for left in ["o1 o2 o3 o4 o6", "o1 o2 o3 o5 o6"] {
        let mut model = with_orders();
        press(&mut model, "j j j v j");
        working(&mut model, left);
        assert_eq!(asked(&mut model), None, "{left}");
        assert!(!model.marks.is_ranging(Pane::Orders), "{left}");
    }
}

#[test]
fn the_only_marked_row_that_is_gone_does_not_turn_the_key_on_an_unmarked_one() {
    let mut model = with_orders();
    press(&mut model, "j j j space");
    working(&mut model, "o1 o2 o3 o5 o6");
    assert_eq!(asked(&mut model), None);
    let why = "every marked row is gone; the marks are removed";
    assert_eq!(said(&model), why);
    assert_eq!(asked(&mut model), Some(cancel("o5")));
}

#[test]
fn marked_rows_are_listed_first_and_go_one_by_one_when_confirmed() {
    let mut model = with_orders();
    assert_eq!(press(&mut model, "space j space x"), vec![]);
    assert_eq!(listed(&model), cancels("o1 o3"));
    assert_eq!(
        press(&mut model, "y enter x"),
        vec![],
        "too soon, and no other key confirms"
    );
    wait(&mut model, 150);
    assert_eq!(press(&mut model, "y"), sent(1, "o1 o3"));
    assert_eq!(press(&mut model, "y"), vec![], "once");
    settle(&mut model, Ticket(1), Ok(canceled("o1")));
    let why = Failure::new(FailureKind::Conflict, "the order is filled");
    settle(&mut model, Ticket(2), Err(why.clone()));
    let states: Vec<_> = list(&model)
        .run
        .items
        .iter()
        .map(|item| item.state.clone())
        .collect();
    assert_eq!(
        states,
        [
            State::Settled(Ok(Box::new(canceled("o1")))),
            State::Settled(Err(why))
        ],
        "both stay until the trader has seen them"
    );
    press(&mut model, "esc x");
    assert!(
        matches!(model.overlays.last(), Some(Overlay::Strip(_))),
        "the marks are spent"
    );
}

#[test]
fn what_is_listed_is_what_goes_whatever_polls_bring_meanwhile() {
    let mut model = with_orders();
    press(&mut model, "* x");
    wait(&mut model, 200);
    arrive(
        &mut model,
        Answer::Orders(Ok(Page::of(vec![resting("o9")]))),
    );
    assert_eq!(press(&mut model, "y"), sent(1, "o1 o2 o3 o4"));
}

#[test]
fn four_are_on_the_wire_at_once_and_each_end_lets_the_next_go() {
    let mut model = with_orders();
    press(&mut model, "* x");
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "y"), sent(1, "o1 o2 o3 o4"));
    let effects = settle(&mut model, Ticket(2), Ok(canceled("o2")));
    assert!(effects.ends_with(&sent(5, "o5")), "{effects:?}");
}

/// Until nothing else is on the wire, a stop still protects its position.
#[test]
fn the_cancel_of_a_stop_goes_after_all_others() {
    let mut model = desk();
    let stop = r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":58000,
        "target_position_id":"pos-1","status":"resting""#;
    let orders = vec![order("ord-9", "BTC", stop), resting("o1"), resting("o2")];
    arrive(&mut model, Answer::Orders(Ok(Page::of(orders))));
    press(&mut model, "2 * x");
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "y"), sent(1, "o1 o2"));
    settle(&mut model, Ticket(1), Ok(canceled("o1")));
    let effects = settle(&mut model, Ticket(2), Ok(canceled("o2")));
    let stop = Effect::Send(Ticket(3), Command::Unprotect("ord-9".into()));
    assert!(effects.contains(&stop), "{effects:?}");
}

#[test]
fn escape_stops_what_has_not_gone_and_then_leaves() {
    let mut model = with_orders();
    press(&mut model, "* x");
    wait(&mut model, 200);
    press(&mut model, "y esc");
    assert_eq!(list(&model).stage, Stage::Stopped);
    let effects = settle(&mut model, Ticket(1), Ok(canceled("o1")));
    assert!(
        !effects.iter().any(|e| matches!(e, Effect::Send(..))),
        "{effects:?}"
    );
    press(&mut model, "esc");
    assert_eq!(model.overlays, vec![]);
}

#[test]
fn a_list_nobody_answers_closes_and_sends_nothing() {
    let mut model = with_orders();
    press(&mut model, "* x");
    assert_eq!(wait(&mut model, 30_000), vec![]);
    assert_eq!(model.overlays, vec![]);
    press(&mut model, "y");
    assert_eq!(model.account.store.pending.len(), 0);
}

#[test]
fn a_range_follows_the_selection_until_it_is_ended() {
    let mut model = with_orders();
    press(&mut model, "j v j j x");
    assert_eq!(listed(&model), cancels("o2 o3 o4"));
    press(&mut model, "esc v g g x");
    assert_eq!(
        listed(&model),
        cancels("o2 o3 o4"),
        "ended, it stays where it was"
    );
}

#[test]
fn all_marks_all_and_then_none_and_escape_forgets() {
    let mut model = with_orders();
    press(&mut model, "* * x");
    assert!(matches!(model.overlays.last(), Some(Overlay::Strip(_))));
    press(&mut model, "esc * esc x");
    assert!(matches!(model.overlays.last(), Some(Overlay::Strip(_))));
}

#[test]
fn a_marked_scaled_order_takes_its_marked_rungs_with_it() {
    let mut model = desk();
    let rung = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"resting","scaled_order_id":"lad-1""#;
    let orders = vec![
        order("r1", "ETH", rung),
        order("r2", "ETH", rung),
        resting("o1"),
    ];
    arrive(&mut model, Answer::Orders(Ok(Page::of(orders))));
    press(&mut model, "2 * x");
    let expected = [
        Command::CancelScaled("lad-1".into()),
        Command::Cancel("o1".into()),
    ];
    assert_eq!(listed(&model), expected);
}

#[test]
fn a_marked_row_that_is_gone_is_not_acted_on() {
    let mut model = with_orders();
    press(&mut model, "space space");
    arrive(
        &mut model,
        Answer::Orders(Ok(Page::of(vec![resting("o2"), resting("o3")]))),
    );
    press(&mut model, "x");
    assert_eq!(listed(&model), cancels("o2"));
}

#[test]
fn marked_positions_close_as_their_forms_would_untouched() {
    let mut model = desk();
    press(&mut model, "* c");
    let close = |id: &str| {
        let form =
            crate::app::forms::form::Form::close(model.account.store.position(&id.into()).unwrap());
        assert_eq!(form.draft.text(Field::Size), Some("100%"));
        form.command(&model.account.form_context()).unwrap()
    };
    assert_eq!(listed(&model), [close("pos-1"), close("pos-2")]);
}

#[test]
fn a_desk_made_read_only_under_the_list_sends_none_of_them_and_says_so_on_each() {
    let mut model = with_orders();
    press(&mut model, "* x");
    model.account.options.read_only = true;
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "y"), vec![]);
    let refused = list(&model)
        .run
        .settled()
        .filter(|(_, result)| result.is_err());
    assert_eq!(refused.count(), 6);
}

#[test]
fn rows_that_cannot_be_acted_on_are_not_marked() {
    let mut model = desk();
    press(&mut model, "6 space");
    assert_eq!(
        said(&model),
        "only rows that can be closed, canceled or stopped can be marked"
    );
}

#[test]
fn cancel_all_asks_once_and_is_one_operation() {
    let mut model = with_orders();
    press(&mut model, "1 K");
    assert_eq!(press(&mut model, "y"), vec![], "the strip is still deaf");
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "enter K"), vec![]);
    let cancel_all = Command::CancelAll("chal-1".into());
    assert_eq!(
        press(&mut model, "y"),
        vec![Effect::Send(Ticket(1), cancel_all)]
    );
}

#[test]
fn an_order_whose_cancel_is_queued_by_a_cancel_all_is_pending_and_not_done() {
    let mut model = with_orders();
    press(&mut model, "1 K");
    wait(&mut model, 200);
    press(&mut model, "y");
    let operation: CancelAll = serde_json::from_str(
        r#"{"id":"op-1","operation":"cancel_all_orders","account_id":"chal-1","status":"completed","total_count":2,
        "succeeded_count":2,"failed_count":0,"created_at":1,"results":[{"order_id":"o1","status":"canceled"},
        {"order_id":"o2","status":"queued"}]}"#,
    )
    .unwrap();
    settle(&mut model, Ticket(1), Ok(Receipt::CancelAll(operation)));
    let is_pending = |id: &str| {
        model
            .account
            .store
            .is_cancel_queued(model.account.store.order(&id.into()).unwrap())
    };
    assert!(is_pending("o2") && !is_pending("o3"));
    let is_over = |id: &str| {
        model
            .account
            .store
            .order(&id.into())
            .is_none_or(|order| model.account.store.is_over(order))
    };
    assert!(is_over("o1") && !is_over("o2"));
}

#[test]
fn while_entries_are_blocked_cancel_all_asks_for_each_order_and_stops_stay() {
    let mut model = with_orders();
    let stop = r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":58000,
        "target_position_id":"pos-1","status":"resting""#;
    let stop = order("ord-9", "BTC", stop);
    let rest = order(
        "o1",
        "BTC",
        r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"resting""#,
    );
    arrive(&mut model, Answer::Orders(Ok(Page::of(vec![rest, stop]))));
    let now = model.account.now;
    crate::app::update(&mut model, now, Msg::Halted(Some("flattened".to_owned())));
    press(&mut model, "1 K");
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "y"), sent(1, "o1"));
}

#[test]
fn cancel_all_has_nothing_to_ask_where_nothing_works() {
    let mut model = desk();
    arrive(&mut model, Answer::Orders(Ok(Page::of(vec![]))));
    press(&mut model, "K");
    assert_eq!(
        (model.overlays.len(), said(&model).as_str()),
        (0, "there is no working order")
    );
}

#[test]
fn one_in_doubt_keeps_no_other_from_going() {
    let mut model = with_orders();
    press(&mut model, "* x");
    wait(&mut model, 200);
    press(&mut model, "y");
    let parked = crate::model::Progress::Parked {
        why: Failure::new(FailureKind::Unknown, "no answer"),
        replay_until: model.account.now,
    };
    let now = model.account.now;
    let effects = crate::app::update(
        &mut model,
        now,
        crate::app::desk::msg::Msg::Progress(Ticket(1), parked),
    );
    assert_eq!(effects, sent(5, "o5"));
    assert_eq!(
        model
            .account
            .store
            .pending
            .get(&Ticket(5))
            .map(|f| f.command.clone()),
        Some(Command::Cancel(OrderId::from("o5")))
    );
}

#[test]
fn that_no_order_works_is_said_only_where_the_working_ones_are_known() {
    let mut model = bare_desk();
    press(&mut model, "K");
    assert_eq!(
        said(&model),
        "the working orders are not known yet (F still flattens)"
    );
}
