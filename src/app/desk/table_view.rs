//! Changes the filter, sort and columns of a pane, and filters again when its rows change.

use crate::app::{
    account::{feed::Shift, pane::Pane},
    activity::notice::{Event, Tone},
    core::{
        account::Account,
        effect::{Effect, SettingsRequest},
    },
    desk::model::Model,
    keys::keymap::{Action, Context},
    tables::table_view::{
        Direction, PORTION, Picked, Sort, TableView,
        arrange::{self, Reader},
        filter::Filter,
        flat::{self, Filtering},
        sums::Sums,
    },
};
use strum::IntoEnumIterator;

/// Lists up to this length are filtered after every message.
const ALWAYS: usize = 500;

/// Changes a pane's view; a short list follows at once, a long one when it is filtered.
pub(crate) fn change(model: &mut Model, pane: Pane, change: impl FnOnce(&mut TableView)) {
    let (count, version) = (model.all_rows(pane).len(), version(model, pane));
    let table_view = model.table_views.0.entry(pane).or_default();
    let before = (table_view.filter.clone(), table_view.sort);
    change(table_view);
    if (&table_view.filter, table_view.sort) != (&before.0, before.1) {
        let is_long = table_view.picks() && !has_branches(pane) && count > ALWAYS;
        table_view.sifting = is_long.then(|| Filtering::begin(count, table_view.sort, version));
        table_view.picked.take_if(|_| !is_long);
        table_view.sums = None;
    }
    refresh(model);
}

/// Filters a pane by a text from this desk; a text without terms shows everything.
pub(crate) fn show(model: &mut Model, pane: Pane, text: &str) {
    let columns = (model.reading.columns)(pane);
    let filter = Filter::parse(text, &columns).ok().flatten();
    change(model, pane, |table_view| table_view.filter = filter);
}

/// Sets and stores the columns. Hiding a risk column is allowed, with a warning.
pub(crate) fn choose(model: &mut Model, pane: Pane, columns: Option<Vec<usize>>) -> Effect {
    let hidden = hidden_risk(model, pane, columns.as_deref());
    if !hidden.is_empty() {
        let key = model.keymap.chord(Context::Desk, Action::Columns);
        let key = key.map(|key| format!("; {key} shows them again"));
        let words = format!(
            "hidden risk columns: {}{}",
            hidden.join(", "),
            key.unwrap_or_default()
        );
        let event = Event::Message(Tone::Warn, words);
        model.account.activity.note(None, event, model.account.now);
    }
    model.table_views.look(pane, columns.clone());
    Effect::Settings(SettingsRequest::Keep(pane, columns))
}

fn hidden_risk(model: &Model, pane: Pane, columns: Option<&[usize]>) -> Vec<&'static str> {
    let is_shown = |at: &usize| columns.is_none_or(|shown| shown.contains(at));
    let names = (model.reading.columns)(pane);
    let numbered = names.iter().enumerate();
    let hidden = numbered.filter(|(at, name)| name.tells_risk && !is_shown(at));
    hidden.map(|(_, name)| name.title).collect()
}

/// Filters again what may have changed.
pub(crate) fn refresh(model: &mut Model) {
    for pane in Pane::iter() {
        let Some(table_view) = model
            .table_views
            .of(pane)
            .filter(|table_view| table_view.picks())
        else {
            continue;
        };
        let is_sifting = table_view.sifting.is_some();
        let version = version(model, pane);
        if is_sifting {
            filter_portion(model, pane, version);
        } else {
            pick(model, pane, version);
        }
    }
}

/// Filters the next portion of a long list; starts over if the list changed.
fn filter_portion(model: &mut Model, pane: Pane, version: u64) {
    let table_view = model.table_views.0.get_mut(&pane);
    let Some(mut sifting) = table_view.and_then(|table_view| table_view.sifting.take()) else {
        return;
    };
    let Some(table_view) = model.table_views.of(pane) else {
        return;
    };
    if sifting.is_of(version) {
        read(model, pane, |reader| {
            sifting.go_on(reader, table_view.filter.as_ref(), PORTION);
        });
    } else {
        sifting = Filtering::begin(model.all_rows(pane).len(), table_view.sort, version);
        read(model, pane, |reader| {
            sifting.go_on(reader, table_view.filter.as_ref(), usize::MAX);
        });
    }
    if sifting.is_over() {
        keep(model, pane, sifting.end());
    } else if let Some(table_view) = model.table_views.0.get_mut(&pane) {
        table_view.sifting = Some(sifting);
    }
}

/// Reads the rows of a pane as they are now.
fn read<T>(model: &Model, pane: Pane, reads: impl FnOnce(&Reader<'_>) -> T) -> T {
    let reading = &model.reading;
    reads(&Reader {
        all: model.all_rows(pane),
        now: model.account.wall_now(),
        fact: &|at, column| (reading.fact)(model, pane, at, column),
        words: &|at| (reading.words)(model, pane, at),
        numbers: &|at| (reading.numbers)(model, pane, at),
    })
}

/// Shows these rows from now on.
fn keep(model: &mut Model, pane: Pane, picked: Picked) {
    let is_filtered = model
        .table_views
        .of(pane)
        .is_some_and(|table_view| table_view.filter.is_some());
    let sums = is_filtered.then(|| Sums::of(&model.account.store, pane, &picked.places));
    if let Some(table_view) = model.table_views.0.get_mut(&pane) {
        table_view.picked = Some(picked);
        table_view.sums = sums.flatten();
    }
}

fn pick(model: &mut Model, pane: Pane, version: u64) {
    let is_fresh =
        |picked: &Picked| picked.version == version && model.all_rows(pane).len() > ALWAYS;
    let table_view = model.table_views.of(pane);
    if table_view.is_some_and(|table_view| table_view.picked.as_ref().is_some_and(is_fresh)) {
        return;
    }
    let table_view = model.table_views.0.get_mut(&pane);
    let old = table_view.and_then(|table_view| table_view.picked.take());
    let Some(table_view) = model.table_views.of(pane) else {
        return;
    };
    let shift = old
        .as_ref()
        .and_then(|old| shift_since(&model.account, pane, old.version));
    let (filter, sort) = (table_view.filter.as_ref(), table_view.sort);
    let picked = read(model, pane, |reader| match old.zip(shift) {
        _ if !has_branches(pane) && reader.all.len() <= ALWAYS => {
            flat::picked(reader, filter, sort, version)
        }
        Some((old, shift)) => flat::again(reader, filter, old, (shift, version)),
        None if has_branches(pane) => arrange::picked(reader, filter, sort, version),
        None => flat::picked(reader, filter, sort, version),
    });
    keep(model, pane, picked);
}

/// How the indexes changed since this version, for lists longer than the screen.
fn shift_since(account: &Account, pane: Pane, version: u64) -> Option<Shift> {
    let store = &account.store;
    match pane {
        Pane::Closed => store.closed.shift_since(version),
        Pane::History => store.history.shift_since(version),
        Pane::Positions
        | Pane::Orders
        | Pane::Twaps
        | Pane::Scaled
        | Pane::Activity
        | Pane::Calls => None,
    }
}

/// Whether rows have children.
fn has_branches(pane: Pane) -> bool {
    matches!(pane, Pane::Orders | Pane::Scaled)
}

/// As long as this number does not change, the rows stay the same.
pub(crate) fn version(model: &Model, pane: Pane) -> u64 {
    let store = &model.account.store;
    match pane {
        Pane::Closed => store.closed.version(),
        Pane::History => store.history.version(),
        Pane::Activity => model.account.activity.version(),
        Pane::Calls => store.calls.back().map_or(0, |(number, _)| *number),
        Pane::Positions | Pane::Orders | Pane::Twaps | Pane::Scaled => 0,
    }
}

/// The next visible column to sort by; after the last comes the pane's own order.
pub(crate) fn next_sort(model: &mut Model) {
    let pane = model.focus.pane;
    let count = (model.reading.columns)(pane).len();
    let table_view = model.table_views.of(pane);
    let shown = table_view.and_then(|table_view| table_view.columns.clone());
    let shown = shown.unwrap_or_else(|| (0..count).collect());
    let sort = table_view.and_then(|table_view| table_view.sort);
    let next = match sort {
        None => shown.first(),
        Some(sort) => {
            let at = shown.iter().position(|column| *column == sort.column);
            at.and_then(|at| shown.get(at + 1))
        }
    };
    let direction = sort.map_or(Direction::Descending, |sort| sort.direction);
    let next = next.map(|column| Sort {
        column: *column,
        direction,
    });
    change(model, pane, |table_view| table_view.sort = next);
}

/// Reverses the sort; without one, sorts by the pane's own first column.
pub(crate) fn turn_sort(model: &mut Model) {
    let pane = model.focus.pane;
    let Some(sort) = model
        .table_views
        .of(pane)
        .and_then(|table_view| table_view.sort)
    else {
        return next_sort(model);
    };
    let direction = sort.direction.turned();
    change(model, pane, |table_view| {
        table_view.sort = Some(Sort { direction, ..sort });
    });
}
