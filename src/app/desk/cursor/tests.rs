//! The cursor stays on its row, or keys that act wait.

use super::*;
use crate::{
    app::{
        account::{
            identity::{Identity, Mode, Profile},
            poll::{Answer, Poll},
        },
        activity::notice::Event,
        desk::msg::Msg,
        keys::keymap::Chord,
        testing::{self, desk, press, wait},
        update::{
            account_set::{self, AccountSet},
            router::update,
        },
    },
    model::{MarketId, Order, OrderId, Page, Position, PositionId},
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn shown(model: &Model) -> Option<RowId> {
    model.selected()
}

fn position(id: &str) -> RowId {
    RowId::Position(id.into())
}

/// Whether the desk says that the cursor is on another row than before.
fn waits(model: &Model) -> bool {
    let said = model.account.activity.lines.back().map(|line| &line.event);
    matches!(said, Some(Event::Message(_, words)) if words.starts_with("that row is not listed any more"))
}

#[test]
fn clearing_a_filter_leaves_the_cursor_on_the_row_it_shows() {
    let mut model = desk();
    press(&mut model, "1 g g / sol enter");
    assert_eq!(shown(&model), Some(position("pos-2")));
    press(&mut model, "esc");
    assert_eq!(shown(&model), Some(position("pos-2")));
    wait(&mut model, 2_000);
    press(&mut model, "c");
    let form = model.overlays.last().and_then(Overlay::try_as_form_ref);
    let market = form.and_then(|form| form.market_id()).map(MarketId::raw);
    assert_eq!(market, Some("paper|SOL"));
}

#[test]
fn a_filter_that_hides_the_row_holds_the_acting_keys_until_the_cursor_is_seen_or_moved() {
    for (moves, is_held) in [("", true), ("j", false)] {
        let mut model = desk();
        press(&mut model, "1 g g / pos-2 enter");
        press(&mut model, moves);
        press(&mut model, "c");
        assert_eq!(
            (model.overlays.is_empty(), waits(&model)),
            (is_held, is_held)
        );
    }
    let mut model = desk();
    press(&mut model, "1 g g / pos-2 enter");
    wait(&mut model, 2_000);
    press(&mut model, "c");
    assert_eq!(model.overlays.len(), 1);
}

#[test]
fn a_row_that_goes_while_another_pane_has_the_keys_holds_them_when_its_pane_has_them_again() {
    let mut model = desk();
    press(&mut model, "1 g g 2");
    let only = testing::position("pos-2", "SOL", "-100", r#""leverage":5"#);
    testing::arrive(&mut model, Answer::Positions(Ok(Page::of(vec![only]))));
    wait(&mut model, 60_000);
    press(&mut model, "1 c");
    assert!(model.overlays.is_empty() && waits(&model));
}

#[test]
fn a_row_that_goes_under_what_lies_over_it_holds_the_keys_when_that_closes() {
    let mut model = desk();
    press(&mut model, "1 g g enter");
    let only = testing::position("pos-2", "SOL", "-100", r#""leverage":5"#);
    testing::arrive(&mut model, Answer::Positions(Ok(Page::of(vec![only]))));
    wait(&mut model, 60_000);
    press(&mut model, "esc c");
    assert!(model.overlays.is_empty() && waits(&model));
}

#[test]
fn a_new_first_row_does_not_take_the_cursor_that_nobody_has_moved() {
    let mut model = desk();
    let now = ["pos-3", "pos-1", "pos-2"];
    let rows = now.map(|id| testing::position(id, "BTC", "1", r#""leverage":5"#));
    testing::arrive(&mut model, Answer::Positions(Ok(Page::of(rows.to_vec()))));
    assert_eq!(shown(&model), Some(position("pos-1")));
}

fn past(ids: &[&str]) -> Page<Order> {
    let done = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"filled""#;
    Page::of(
        ids.iter()
            .map(|id| testing::order(id, "BTC", done))
            .collect(),
    )
}

#[test]
fn a_record_follows_its_newest_line_until_it_is_filtered_or_sorted() {
    let mut model = desk();
    let row = |model: &Model| {
        shown(model)
            .and_then(RowId::try_as_order)
            .map(|id| id.to_string())
    };
    press(&mut model, "6");
    testing::arrive(&mut model, Answer::History(Ok(past(&["h1"]))));
    testing::arrive(&mut model, Answer::History(Ok(past(&["h2", "h1"]))));
    assert_eq!(row(&model).as_deref(), Some("h2"));
    press(&mut model, "/ h1 enter esc");
    assert_eq!(row(&model).as_deref(), Some("h1"));
    press(&mut model, "o O");
    testing::arrive(&mut model, Answer::History(Ok(past(&["h3", "h2", "h1"]))));
    assert_eq!(row(&model).as_deref(), Some("h1"));
}

/// A change of the listed rows, their order, or the focused list.
#[derive(Debug, Clone)]
enum Change {
    /// On the desk: another pane, account, sort, direction or column.
    Key(&'static str),
    /// A character in the pane's filter, which opens for it.
    Typed(char),
    /// The filter is kept or cleared.
    Ended(&'static str),
    Positions(usize, Vec<usize>),
    Orders(usize, Vec<usize>),
}

fn change() -> impl Strategy<Value = Change> {
    let rows = || prop::sample::subsequence((0..5).collect::<Vec<usize>>(), 0..=5).prop_shuffle();
    let keys = vec!["1", "2", "a", "o", "O", "C j space enter", "z", "r"];
    prop_oneof![
        3 => prop::sample::select(keys).prop_map(Change::Key),
        3 => prop::sample::select(vec!['0', '1', '2', 'b', 's', 'z']).prop_map(Change::Typed),
        2 => prop::sample::select(vec!["enter", "esc", "backspace"]).prop_map(Change::Ended),
        2 => (0..2_usize, rows()).prop_map(|(at, rows)| Change::Positions(at, rows)),
        2 => (0..2_usize, rows()).prop_map(|(at, rows)| Change::Orders(at, rows)),
    ]
}

const COINS: [&str; 5] = ["BTC", "SOL", "ETH", "BTC", "SOL"];

fn open(row: usize) -> Position {
    testing::position(&format!("pos-{row}"), COINS[row], "1", r#""leverage":5"#)
}

fn resting(row: usize) -> Order {
    let more = r#""type":"limit","mode":"limit","side":"buy","size":0.1,"limit_price":60000,"status":"resting""#;
    testing::order(&format!("ord-{row}"), COINS[row], more)
}

/// Two accounts with the same positions and orders.
fn accounts() -> AccountSet {
    let first = desk();
    let options = first.account.options.clone();
    let mut both = AccountSet::of(first);
    both.join(options, testing::NOON);
    let identity = Identity {
        mode: Mode::Paper,
        account_id: "chal-2".into(),
        base_url: "http://127.0.0.1:4000".to_owned(),
        profile: Profile::default(),
    };
    both.update(
        testing::NOON,
        account_set::AccountScope::Account(1),
        Msg::Opened(identity),
    );
    for at in 0..2 {
        apply(&mut both, &Change::Positions(at, vec![0, 1, 2, 3, 4]));
        apply(&mut both, &Change::Orders(at, vec![0, 1, 2, 3, 4]));
    }
    both
}

fn type_in(both: &mut AccountSet, keys: &str) {
    for key in keys.split_whitespace() {
        let chord: Chord = key.parse().unwrap();
        both.update(
            testing::NOON,
            account_set::AccountScope::Shown,
            Msg::Key(chord),
        );
    }
}

fn apply(both: &mut AccountSet, change: &Change) {
    let answer = |both: &mut AccountSet, at, answer| {
        let at_noon = Poll {
            at: testing::NOON,
            answer,
        };
        both.update(
            testing::NOON,
            account_set::AccountScope::Account(at),
            Msg::Polled(Box::new(at_noon)),
        );
    };
    let is_typing = !both.shown().overlays.is_empty();
    match change {
        Change::Key(keys) if !is_typing => type_in(both, keys),
        Change::Ended(key) if is_typing => type_in(both, key),
        Change::Key(_) | Change::Ended(_) => {}
        Change::Typed(c) => {
            if !is_typing {
                type_in(both, "/");
            }
            type_in(both, &c.to_string());
        }
        Change::Positions(at, rows) => {
            let rows = rows.iter().map(|row| open(*row)).collect();
            answer(both, *at, Answer::Positions(Ok(Page::of(rows))));
        }
        Change::Orders(at, rows) => {
            let rows = rows.iter().map(|row| resting(*row)).collect();
            answer(both, *at, Answer::Orders(Ok(Page::of(rows))));
        }
    }
}

/// One list: of an account, in a pane.
type List = (usize, Pane);

/// What a person last saw under each list's cursor, and where it has changed since.
#[derive(Default)]
struct Person {
    saw: BTreeMap<List, RowId>,
    startled: BTreeSet<List>,
}

impl Person {
    /// Looks at the screen.
    fn look(&mut self, both: &AccountSet) -> Result<(), TestCaseError> {
        let model = both.shown();
        let list = (both.at(), model.focus.pane);
        let rows = model.rows(model.focus.pane);
        let Some(row) = model.selected() else {
            return Ok(());
        };
        if let Some(saw) = self.saw.insert(list, row.clone()) {
            if rows.position(&saw).is_some() {
                prop_assert_eq!(row, saw, "the row is listed, and the cursor left it");
            } else {
                self.startled.insert(list);
            }
        }
        Ok(())
    }

    /// Presses a close or cancel key once, at once.
    fn acts(&self, both: &mut AccountSet) -> Result<(), TestCaseError> {
        let model = both.shown();
        let list = (both.at(), model.focus.pane);
        if !model.overlays.is_empty() || model.selected().is_none() {
            return Ok(());
        }
        let row = model.selected();
        type_in(both, if list.1 == Pane::Positions { "c" } else { "x" });
        let opened = both.shown().overlays.last();
        prop_assert_eq!(opened.is_none(), self.startled.contains(&list));
        if let Some(overlay) = opened {
            prop_assert_eq!(about(overlay), row);
            type_in(both, "esc");
        }
        Ok(())
    }
}

/// The object of a form or strip.
fn about(overlay: &Overlay) -> Option<RowId> {
    use crate::{app::dialogs::overlay::StripAction, model::draft::Draft};
    if let Overlay::Form(form) = overlay
        && let Draft::Close(close) = &form.draft
    {
        return Some(RowId::Position(PositionId::clone(&close.position_id)));
    }
    if let Overlay::Strip(strip) = overlay
        && let StripAction::One(Command::Cancel(id)) = &strip.proposal
    {
        return Some(RowId::Order(OrderId::clone(id)));
    }
    None
}

/// The property below found both cases.
#[test]
fn a_row_that_comes_back_while_nobody_looks_counts_as_seen_and_holds_no_key() {
    let away = |lists: &[&[usize]], after: &[usize]| {
        let left = lists.iter().map(|rows| Change::Positions(0, rows.to_vec()));
        let after = (!after.is_empty()).then(|| Change::Positions(0, after.to_vec()));
        let back = [Change::Key("a")].into_iter().chain(after);
        let changes: Vec<_> = [Change::Key("a")]
            .into_iter()
            .chain(left)
            .chain(back)
            .collect();
        changes
    };
    // An empty list when its account returned to the screen; and a row that disappeared, returned and disappeared
    // again.
    for changes in [away(&[&[4], &[]], &[1]), away(&[&[3], &[1], &[4]], &[])] {
        let mut both = accounts();
        let mut person = Person::default();
        person.look(&both).unwrap();
        for change in &changes {
            apply(&mut both, change);
            person.look(&both).unwrap();
            person.acts(&mut both).unwrap();
        }
    }
}

proptest! {
    #[test]
    fn after_any_changes_of_what_is_listed_the_cursor_stays_or_the_keys_wait(
        changes in prop::collection::vec(change(), 0..40)
    ) {
        let mut both = accounts();
        let mut person = Person::default();
        person.look(&both)?;
        for change in &changes {
            apply(&mut both, change);
            person.look(&both)?;
            person.acts(&mut both)?;
        }
    }
}

#[test]
fn sorting_leaves_the_cursor_on_its_row() {
    let mut model = desk();
    press(&mut model, "1 g g j");
    let row = shown(&model);
    for key in ["o", "O", "o", "o", "O"] {
        press(&mut model, key);
        assert_eq!(shown(&model), row, "{key}");
    }
    press(&mut model, "c");
    assert_eq!(model.overlays.len(), 1, "nothing has changed under it");
}

// A key that is added to them waits, too.
#[test]
fn every_key_that_acts_on_a_row_waits_where_that_row_is_gone() {
    let gone = |pane: &str| {
        let mut model = desk();
        press(&mut model, &format!("{pane} g g"));
        let only = testing::position("pos-2", "SOL", "-100", r#""leverage":5"#);
        testing::arrive(&mut model, Answer::Positions(Ok(Page::of(vec![only]))));
        let armed = r#""type":"stop_market","mode":"stop_market","side":"sell","size":2,
            "trigger_price":2800,"status":"pending""#;
        let only = testing::order("ord-2", "ETH", armed);
        testing::arrive(&mut model, Answer::Orders(Ok(Page::of(vec![only]))));
        model
    };
    let mut pressed = 0;
    for (pane, key) in [(Pane::Positions, "1"), (Pane::Orders, "2")] {
        let acting = Action::iter().filter(|action| action.acts_on_its_row());
        for action in acting {
            let mut model = gone(key);
            let Some(keys) = model.keymap.chord(pane.context(), action) else {
                continue;
            };
            let now = model.account.now;
            let effects = update(&mut model, now, Msg::Key(keys.first));
            assert_eq!(effects, vec![], "{action}");
            assert!(model.overlays.is_empty() && waits(&model), "{action}");
            pressed += 1;
        }
    }
    assert!(pressed > 8, "{pressed}");
}
