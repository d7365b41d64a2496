use super::*;

/// A desk whose entry `ord-20` rests, and has two targets to come.
fn resting() -> Model {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    settle(&mut model, Ticket(1), Ok(entered("resting", "0")));
    lists(&mut model, vec![numbered("ord-20", "resting", "0")]);
    model
}

/// Lists do not show `id` any more, and its row is found so.
fn ended(model: &mut Model, id: &str, (status, filled): (&str, &str)) -> Vec<Effect> {
    lists(model, vec![]);
    let (now, row) = (model.account.now, numbered(id, status, filled));
    update(model, now, Msg::Traced(vec![id.into()], vec![row]))
}

/// The journal's row of a command that another process has sent.
fn of_another(number: i64, command: Command, order: Option<&str>) -> Past {
    let done = past(number, Timestamp(number));
    Past {
        command: Some(command),
        result: Ok(Receipt::AlreadySo("done".into())),
        record: crate::model::Record {
            order_id: order.map(Into::into),
            ..done.record
        },
        ..done
    }
}

fn rows(rows: Vec<Past>) -> PastPage {
    PastPage {
        rows,
        has_more: true,
    }
}

/// `ord-30`, which another process has placed for 0.1 BTC in the place of `old`.
fn replacement(old: Option<&str>, take_profit: Option<&str>) -> Past {
    let market = crate::model::MarketId::from("paper|BTC");
    let order = PlaceOrder::market("chal-1".into(), market, Side::Buy, num("0.1"));
    let order = PlaceOrder {
        replaces: old.map(Into::into),
        take_profit_price: take_profit.map(num),
        ..order
    };
    of_another(7, Command::Place(Box::new(order)), Some("ord-30"))
}

fn tell(model: &mut Model, past: Past) {
    let now = model.account.now;
    update(model, now, Msg::DoneElsewhere(rows(vec![past])));
}

fn fills(model: &mut Model, id: &str, filled: &str) -> Vec<(Ticket, String)> {
    lists(model, vec![numbered(id, "resting", "0")]);
    ended(model, id, ("filled", filled));
    batches(&lists(model, vec![]))
}

#[test]
fn an_entry_that_a_verb_or_another_desk_replaces_hands_its_targets_to_the_new_order() {
    let mut model = resting();
    ended(&mut model, "ord-20", ("canceled", "0"));
    tell(&mut model, replacement(Some("ord-20"), None));
    let words = "BTC: ord-30 has replaced ord-20: its 2 targets follow";
    assert!(everything(&model).contains(words), "{}", everything(&model));
    let kept = model.account.store.trades.running_brackets();
    assert_eq!(kept[0].order, Some("ord-30".into()), "after a crash too");
    assert_eq!(fills(&mut model, "ord-30", "0.1")[0].1, PLACED);
}

#[test]
fn the_journal_may_tell_the_replacement_before_lists_show_the_cancel() {
    let mut model = resting();
    tell(&mut model, replacement(Some("ord-20"), None));
    lists(&mut model, vec![numbered("ord-20", "resting", "0")]);
    ended(&mut model, "ord-20", ("canceled", "0"));
    assert_eq!(fills(&mut model, "ord-30", "0.1")[0].1, PLACED);
}

#[test]
fn what_had_filled_before_the_replacement_has_its_targets_at_once_and_the_rest_later() {
    let mut model = resting();
    ended(&mut model, "ord-20", ("canceled", "0.05"));
    let sent = batches(&lists(&mut model, vec![]));
    let first = "exits of position pos-1: take profit at 64,101, size 0.03, take profit at 64,201, size 0.02";
    assert_eq!(sent[0].1, first);
    let held = model.account.store.positions.rows()[0].clone();
    settle(&mut model, sent[0].0, Ok(Receipt::Position(Box::new(held))));
    tell(&mut model, replacement(Some("ord-20"), None));
    assert_eq!(fills(&mut model, "ord-30", "0.05")[0].1, first);
}

#[test]
fn a_replacement_with_a_target_of_its_own_has_not_those_of_the_bracket_too() {
    let mut model = resting();
    ended(&mut model, "ord-20", ("canceled", "0"));
    tell(&mut model, replacement(Some("ord-20"), Some("65000")));
    let words = "with a target of its own: those of the bracket are dropped";
    assert!(everything(&model).contains(words));
    assert_eq!(fills(&mut model, "ord-30", "0.1"), []);
}

/// The journal shows nothing of an order that another machine has placed.
#[test]
fn an_order_of_another_machine_that_may_replace_the_entry_is_said_and_one_key_places_its_targets() {
    let mut model = resting();
    let later = Order {
        requested_at: Timestamp(1_790_000_000_000),
        ..numbered("ord-31", "resting", "0")
    };
    ended(&mut model, "ord-20", ("canceled", "0"));
    lists(&mut model, vec![later.clone()]);
    assert!(
        !everything(&model).contains("ord-31"),
        "the journal may tell"
    );
    wait(&mut model, 14_000);
    lists(&mut model, vec![later]);
    let words = "BTC: ord-20 was canceled, and ord-31 may be its replacement from elsewhere: the 2 targets of the bracket do not follow by themselves";
    assert!(everything(&model).contains(words), "{}", everything(&model));
    wait(&mut model, 5_000);
    lists(&mut model, vec![]);
    let positions = model.account.store.positions.rows();
    let left = model.account.store.trades.left_bracket(&positions[0], &[]);
    assert_eq!(left.map(|left| left.targets.len()), Some(2), "2 UNPLACED");
    press(&mut model, "1 ctrl-t");
    ended(&mut model, "ord-31", ("filled", "0.1"));
    assert_eq!(batches(&lists(&mut model, vec![]))[0].1, PLACED);
}

#[test]
fn targets_that_go_with_a_canceled_entry_are_said_to_be_dropped() {
    let mut model = resting();
    ended(&mut model, "ord-20", ("canceled", "0"));
    let other = replacement(None, None);
    tell(&mut model, other);
    lists(&mut model, vec![numbered("ord-30", "resting", "0")]);
    wait(&mut model, 14_000);
    lists(&mut model, vec![numbered("ord-30", "resting", "0")]);
    let words = "BTC: ord-20 is canceled, and its 2 targets are dropped";
    assert!(everything(&model).contains(words), "{}", everything(&model));
    assert_eq!(model.account.workflows.brackets().count(), 0);
}

#[test]
fn a_bracket_that_a_dead_desk_has_left_follows_the_order_that_has_replaced_its_entry() {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    let last = settle(&mut model, Ticket(1), Ok(entered("resting", "0")));
    let mut next = restarted(&last);
    let (now, recalled) = (
        next.account.now,
        rows(vec![replacement(Some("ord-20"), None)]),
    );
    update(&mut next, now, Msg::Recalled(Ok(recalled)));
    let history = vec![numbered("ord-20", "canceled", "0")];
    arrive(&mut next, Answer::History(Ok(Page::of(history))));
    lists(&mut next, vec![numbered("ord-30", "resting", "0")]);
    let words = "BTC: bracket of ord-20: 2 of 2 targets not placed";
    assert!(!everything(&next).contains(words), "of the new one");
    wait(&mut next, 5_000);
    lists(&mut next, vec![]);
    press(&mut next, "1 ctrl-t");
    ended(&mut next, "ord-30", ("filled", "0.1"));
    let sent = batches(&lists(&mut next, vec![]));
    assert_eq!(sent[0].1, PLACED);
}

/// The service does not report how much of the old entry had filled: the position may be of that one.
#[test]
fn a_bracket_stays_with_a_replaced_entry_that_may_have_filled() {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    let last = settle(&mut model, Ticket(1), Ok(entered("resting", "0")));
    for (filled, stays) in [("0", false), ("null", true)] {
        let mut next = restarted(&last);
        let now = next.account.now;
        let recalled = rows(vec![replacement(Some("ord-20"), None)]);
        update(&mut next, now, Msg::Recalled(Ok(recalled)));
        let history = vec![numbered("ord-20", "canceled", filled)];
        arrive(&mut next, Answer::History(Ok(Page::of(history))));
        lists(&mut next, vec![numbered("ord-30", "resting", "0")]);
        let words = "BTC: bracket of ord-20: 2 of 2 targets not placed";
        assert_eq!(everything(&next).contains(words), stays, "{filled}");
    }
}

/// Both desks of one `state_dir` live: the one has the bracket of `ord-20`, this one what is left of `ord-30`.
#[test]
fn targets_that_another_living_desk_places_are_not_taken_for_those_that_are_left_here() {
    let (_, last) = second_bracket_refused();
    let mut model = restarted(&last);
    let Command::ExitBatch(batch) = batch_of_targets() else {
        panic!("a batch");
    };
    // Lists may come before the journal's news.
    lists(&mut model, targets(21));
    wait(&mut model, 900);
    lists(&mut model, targets(21));
    let theirs = of_another(9, Command::ExitBatch(batch), None);
    for _ in 0..2 {
        tell(&mut model, theirs.clone());
    }
    lists(&mut model, targets(21));
    press(&mut model, "1 ctrl-t");
    ended(&mut model, "ord-30", ("filled", "0.1"));
    let sent = batches(&lists(&mut model, targets(21)));
    assert_eq!(sent.len(), 1, "{}", everything(&model));
    assert_eq!(sent[0].1, PLACED);
}

#[test]
fn targets_that_a_dead_desk_has_left_are_said_to_be_dropped_with_their_canceled_entry() {
    let mut model = bracketed(SEVERAL);
    press(&mut model, "b 0.1 enter");
    let last = settle(&mut model, Ticket(1), Ok(entered("resting", "0")));
    let mut next = restarted(&last);
    let canceled = vec![numbered("ord-20", "canceled", "0")];
    arrive(&mut next, Answer::History(Ok(Page::of(canceled))));
    for _ in 0..2 {
        wait(&mut next, 4_000);
        arrive(&mut next, Answer::Positions(Ok(Page::of(vec![]))));
        arrive(&mut next, Answer::Orders(Ok(Page::of(vec![]))));
    }
    let words = "BTC: ord-20 is canceled, and its 2 targets are dropped";
    assert_eq!(everything(&next).matches(words).count(), 1);
}
