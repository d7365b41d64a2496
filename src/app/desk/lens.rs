//! Changes the filter, sort and columns of a pane, and filters again when its rows change.

use crate::app::{
    account::feed::Shift,
    activity::notice::{Event, Tone},
    desk::model::Model,
    dialogs::effect::Effect,
    keys::keymap::{Action, Context},
    tables::{
        lens::{
            Direction, Lens, PORTION, Picked, Sort,
            arrange::{self, Reader},
            filter::Filter,
            flat::{self, Sifting},
            sums::Sums,
        },
        pane::Pane,
    },
};
use strum::IntoEnumIterator;

/// Lists up to this length are filtered after every message.
const ALWAYS: usize = 500;

/// Changes a pane's view; a short list follows at once, a long one when it is filtered.
pub(crate) fn change(model: &mut Model, pane: Pane, change: impl FnOnce(&mut Lens)) {
    let (count, version) = (model.all_rows(pane).len(), version(model, pane));
    let lens = model.lenses.0.entry(pane).or_default();
    let before = (lens.filter.clone(), lens.sort);
    change(lens);
    if (&lens.filter, lens.sort) != (&before.0, before.1) {
        let is_long = lens.picks() && !has_branches(pane) && count > ALWAYS;
        lens.sifting = is_long.then(|| Sifting::begin(count, lens.sort, version));
        lens.picked.take_if(|_| !is_long);
        lens.sums = None;
    }
    refresh(model);
}

/// Filters a pane by a text from this desk; a text without terms shows everything.
pub(crate) fn show(model: &mut Model, pane: Pane, text: &str) {
    let columns = (model.options.reading.columns)(pane);
    let filter = Filter::parse(text, &columns).ok().flatten();
    change(model, pane, |lens| lens.filter = filter);
}

/// Sets and stores the columns. Hiding a risk column is allowed, with a warning.
pub(crate) fn choose(model: &mut Model, pane: Pane, columns: Option<Vec<usize>>) -> Effect {
    let hidden = hidden_risk(model, pane, columns.as_deref());
    if !hidden.is_empty() {
        let key = model.keymap.chord(Context::Desk, Action::Columns);
        let key = key.map(|key| format!("; {key} shows them again"));
        let words = format!(
            "hidden, and they tell risk: {}{}",
            hidden.join(", "),
            key.unwrap_or_default()
        );
        let event = Event::Said(Tone::Warn, words);
        model.activity.note(None, event, model.now);
    }
    model.lenses.look(pane, columns.clone());
    Effect::KeepColumns(pane, columns)
}

fn hidden_risk(model: &Model, pane: Pane, columns: Option<&[usize]>) -> Vec<&'static str> {
    let is_shown = |at: &usize| columns.is_none_or(|shown| shown.contains(at));
    let names = (model.options.reading.columns)(pane);
    let numbered = names.iter().enumerate();
    let hidden = numbered.filter(|(at, name)| name.tells_risk && !is_shown(at));
    hidden.map(|(_, name)| name.title).collect()
}

/// Filters again what may have changed.
pub(crate) fn refresh(model: &mut Model) {
    for pane in Pane::iter() {
        let Some(lens) = model.lenses.of(pane).filter(|lens| lens.picks()) else {
            continue;
        };
        let is_sifting = lens.sifting.is_some();
        let version = version(model, pane);
        if is_sifting {
            sift(model, pane, version);
        } else {
            pick(model, pane, version);
        }
    }
}

/// Filters the next portion of a long list; starts over if the list changed.
fn sift(model: &mut Model, pane: Pane, version: u64) {
    let lens = model.lenses.0.get_mut(&pane);
    let Some(mut sifting) = lens.and_then(|lens| lens.sifting.take()) else {
        return;
    };
    let Some(lens) = model.lenses.of(pane) else {
        return;
    };
    if sifting.is_of(version) {
        read(model, pane, |reader| sifting.go_on(reader, lens, PORTION));
    } else {
        sifting = Sifting::begin(model.all_rows(pane).len(), lens.sort, version);
        read(model, pane, |reader| {
            sifting.go_on(reader, lens, usize::MAX);
        });
    }
    if sifting.is_over() {
        keep(model, pane, sifting.end());
    } else if let Some(lens) = model.lenses.0.get_mut(&pane) {
        lens.sifting = Some(sifting);
    }
}

/// Reads the rows of a pane as they are now.
fn read<T>(model: &Model, pane: Pane, reads: impl FnOnce(&Reader<'_>) -> T) -> T {
    let reading = &model.options.reading;
    reads(&Reader {
        all: model.all_rows(pane),
        now: model.wall_now(),
        fact: &|at, column| (reading.fact)(model, pane, at, column),
        words: &|at| (reading.words)(model, pane, at),
        numbers: &|at| (reading.numbers)(model, pane, at),
    })
}

/// Shows these rows from now on.
fn keep(model: &mut Model, pane: Pane, picked: Picked) {
    let is_filtered = model
        .lenses
        .of(pane)
        .is_some_and(|lens| lens.filter.is_some());
    let sums = is_filtered.then(|| Sums::of(&model.store, pane, &picked.places));
    if let Some(lens) = model.lenses.0.get_mut(&pane) {
        lens.picked = Some(picked);
        lens.sums = sums.flatten();
    }
}

fn pick(model: &mut Model, pane: Pane, version: u64) {
    let is_fresh =
        |picked: &Picked| picked.version == version && model.all_rows(pane).len() > ALWAYS;
    let lens = model.lenses.of(pane);
    if lens.is_some_and(|lens| lens.picked.as_ref().is_some_and(is_fresh)) {
        return;
    }
    let lens = model.lenses.0.get_mut(&pane);
    let old = lens.and_then(|lens| lens.picked.take());
    let Some(lens) = model.lenses.of(pane) else {
        return;
    };
    let shift = old
        .as_ref()
        .and_then(|old| shift_since(model, pane, old.version));
    let picked = read(model, pane, |reader| match old.zip(shift) {
        _ if !has_branches(pane) && reader.all.len() <= ALWAYS => {
            flat::picked(reader, lens, version)
        }
        Some((old, shift)) => flat::again(reader, lens, old, (shift, version)),
        None if has_branches(pane) => arrange::picked(reader, lens, version),
        None => flat::picked(reader, lens, version),
    });
    keep(model, pane, picked);
}

/// How the indexes changed since this version, for lists longer than the screen.
fn shift_since(model: &Model, pane: Pane, version: u64) -> Option<Shift> {
    let store = &model.store;
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
    let store = &model.store;
    match pane {
        Pane::Closed => store.closed.version(),
        Pane::History => store.history.version(),
        Pane::Activity => model.activity.version(),
        Pane::Calls => store.calls.back().map_or(0, |(number, _)| *number),
        Pane::Positions | Pane::Orders | Pane::Twaps | Pane::Scaled => 0,
    }
}

/// The next visible column to sort by; after the last comes the pane's own order.
pub(crate) fn next_sort(model: &mut Model) {
    let pane = model.focus.pane;
    let count = (model.options.reading.columns)(pane).len();
    let lens = model.lenses.of(pane);
    let shown = lens.and_then(|lens| lens.columns.clone());
    let shown = shown.unwrap_or_else(|| (0..count).collect());
    let sort = lens.and_then(|lens| lens.sort);
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
    change(model, pane, |lens| lens.sort = next);
}

/// Reverses the sort; without one, sorts by the pane's own first column.
pub(crate) fn turn_sort(model: &mut Model) {
    let pane = model.focus.pane;
    let Some(sort) = model.lenses.of(pane).and_then(|lens| lens.sort) else {
        return next_sort(model);
    };
    let direction = match sort.direction {
        Direction::Ascending => Direction::Descending,
        Direction::Descending => Direction::Ascending,
    };
    change(model, pane, |lens| {
        lens.sort = Some(Sort { direction, ..sort });
    });
}
