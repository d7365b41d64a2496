#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for one variant and names no others"
)]
use super::*;
use crate::{
    app::{
        account::{poll::Answer, trades::TradeLog},
        activity::{notice::Event, user_alerts::KeptState},
        desk::msg::Msg,
        testing::*,
        update::router::update,
    },
    model::{Command, Failure, Order, Receipt, Ticket},
};

fn stop(price: &str) -> Order {
    let json = format!(
        r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":{price},
        "trigger_direction":"below","target_position_id":"pos-1","status":"pending""#
    );
    order("ord-7", "BTC", &json)
}

/// The next lists and prices, two seconds later.
fn lists(model: &mut Model, stop_at: &str, mark: u32) -> Vec<Effect> {
    let mut effects = wait(model, 2_000);
    let open = model.account.store.positions.rows().to_vec();
    let (bid, ask) = (mark - 1, mark + 1);
    let btc = market("BTC", &bid.to_string(), &ask.to_string(), (5, 40));
    effects.extend(arrive(model, Answer::Positions(Ok(Page::of(open)))));
    effects.extend(arrive(
        model,
        Answer::Orders(Ok(Page::of(vec![stop(stop_at)]))),
    ));
    effects.extend(arrive(model, Answer::Markets(Ok(vec![btc]))));
    effects
}

fn moves(effects: &[Effect]) -> Vec<(Ticket, String)> {
    let moved = |effect: &Effect| match effect {
        Effect::Send(ticket, command @ Command::ExitBatch(_)) => {
            Some((*ticket, command.to_string()))
        }
        _ => None,
    };
    effects.iter().filter_map(moved).collect()
}

/// What a session that is killed now leaves to the next one.
fn kept(effects: &[Effect]) -> TradeLog {
    let kept = effects.iter().rev().find_map(|effect| match effect {
        Effect::Keep(KeptState::Trades(trades)) => Some(serde_json::to_string(trades).unwrap()),
        _ => None,
    });
    serde_json::from_str(&kept.expect("trades are kept")).unwrap()
}

/// `pos-1`, a long of 0.5 BTC with a stop 100 below the mark, trails by that.
fn trailing() -> Model {
    begun().0
}

fn begun() -> (Model, Vec<Effect>) {
    let mut model = desk();
    lists(&mut model, "63900", 64_000);
    let effects = press(&mut model, "T");
    assert_eq!(moves(&effects), []);
    assert_eq!(
        said(&model),
        "BTC: trailing 100t (desk), while this desk runs"
    );
    (model, effects)
}

fn said(model: &Model) -> String {
    match model.account.activity.lines.back().map(|line| &line.event) {
        Some(Event::Message(_, words)) => words.clone(),
        other => panic!("{other:?}"),
    }
}

fn taken(model: &mut Model, ticket: Ticket) {
    let held = model
        .account
        .store
        .position(&"pos-1".into())
        .cloned()
        .unwrap();
    settle(model, ticket, Ok(Receipt::Position(Box::new(held))));
}

#[test]
fn one_key_lets_the_stop_trail_by_the_distance_that_it_has() {
    let mut model = trailing();
    let sent = moves(&lists(&mut model, "63900", 64_050));
    let words = "exits of position pos-1: move ord-7 to 63,950".to_owned();
    assert_eq!(sent, [(Ticket(1), words)]);
    assert_eq!(
        moves(&lists(&mut model, "63900", 64_090)),
        [],
        "one at a time"
    );
    taken(&mut model, Ticket(1));
    let sent = moves(&lists(&mut model, "63950", 64_080));
    let words = "exits of position pos-1: move ord-7 to 63,990".to_owned();
    assert_eq!(sent, [(Ticket(2), words)], "below the best mark, 64,090");
    taken(&mut model, Ticket(2));
    assert_eq!(moves(&lists(&mut model, "63990", 64_000)), []);
}

#[test]
fn the_same_key_ends_it() {
    let mut model = trailing();
    press(&mut model, "T");
    assert!(said(&model).contains("trails no longer"));
    assert_eq!(moves(&lists(&mut model, "63900", 64_200)), []);
}

#[test]
fn a_stop_trails_on_behind_a_frozen_display() {
    let mut frozen = trailing();
    press(&mut frozen, "f");
    let moved = moves(&lists(&mut frozen, "63900", 64_200));
    assert_eq!(moved.len(), 1);
    assert_eq!(moved, moves(&lists(&mut trailing(), "63900", 64_200)));
    assert_eq!(frozen.account.workflows.trails.len(), 1);
}

#[test]
fn refused_moves_leave_the_stop_where_it_is() {
    let mut refused = trailing();
    for number in 1..=3 {
        lists(&mut refused, "63900", 64_100);
        settle(&mut refused, Ticket(number), Err(Failure::held_back("no")));
        lists(&mut refused, "63900", 64_100);
        lists(&mut refused, "63900", 64_100);
    }
    assert!(said(&refused).contains("3 moves of its stop were not made"));
}

#[test]
fn a_position_that_was_turned_elsewhere_is_trailed_no_longer() {
    let mut model = trailing();
    wait(&mut model, 50);
    let short = position("pos-1", "BTC", "-0.5", r#""leverage":10"#);
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![short]))));
    let words = "its position is on the other side now";
    assert!(said(&model).contains(words), "{}", said(&model));
    assert!(model.account.workflows.trail(&"pos-1".into()).is_none());
}

#[test]
fn a_living_desk_says_which_stop_trails_no_longer_once_the_desk_that_trailed_it_has_ended() {
    let (_, effects) = begun();
    let mut living = desk();
    lists(&mut living, "63900", 64_000);
    let left = KeptState::Trades(Box::new(kept(&effects)));
    let now = living.account.now;
    update(&mut living, now, Msg::Kept(left));
    lists(&mut living, "63900", 64_000);
    let words = "BTC: the stop trailed by 100t until that session ended, and stays where it is";
    assert_eq!(said(&living), words);
}

#[test]
fn it_ends_with_the_position() {
    let mut model = trailing();
    wait(&mut model, 50);
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![]))));
    assert!(model.account.workflows.trail(&"pos-1".into()).is_none());
    let told = model.account.activity.lines.iter().any(|line| {
        matches!(&line.event, Event::Message(_, words) if words.contains("its position is closed"))
    });
    assert!(told);
}

#[test]
fn a_restart_says_which_stop_trails_no_longer() {
    let (mut before, effects) = begun();
    let mut model = desk();
    model.account.store.trades.recall(kept(&effects), NOON);
    let first = lists(&mut model, "63900", 64_500);
    assert_eq!(moves(&first), []);
    let words = "BTC: the stop trailed by 100t until that session ended, and stays where it is";
    let told = model.account.activity.lines.iter();
    let told = told.filter(|line| matches!(&line.event, Event::Message(_, said) if said == words));
    assert_eq!(told.count(), 1, "once");
    let trails = |kept: TradeLog| kept.trailing().contains_key(&"pos-1".into());
    assert!(!trails(kept(&first)), "the session after that says nothing");
    assert!(
        !trails(kept(&press(&mut before, "T"))),
        "nor one after it was ended"
    );
}

#[test]
fn a_distance_is_typed_and_one_that_is_none_is_refused() {
    let mut model = desk();
    lists(&mut model, "63900", 64_000);
    let sent = moves(&press(
        &mut model,
        ": t r a i l space b t c space 4 0 t enter",
    ));
    let words = "exits of position pos-1: move ord-7 to 63,960".to_owned();
    assert_eq!(sent, [(Ticket(1), words)]);
    let mut bare = desk();
    press(&mut bare, "T");
    assert!(said(&bare).contains("e sets one"));
}
