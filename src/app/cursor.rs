//! The cursor when its row vanishes: it falls to the neighbour, and for a moment no key acts on what a person has not
//! had the time to see there.
//!
//! Contract: only a row that left by itself holds a key back: not one that this desk was ending, nor one that a filter
//! of this moment hides. Whoever moves the cursor has seen where it is. A range ends with either of its ends.

use super::{
    Model, Rows, Store,
    keymap::Action,
    lens::Lens,
    marks::Marks,
    notice::Tone,
    pane::{Pane, RowId},
};
use crate::model::Command;
use std::time::Duration;
use strum::IntoEnumIterator;

/// As long as it takes to see that the cursor is on another row.
const SEEN: Duration = Duration::from_secs(2);
/// Whoever was told so looks; a key that was pressed twice is not pressed anew.
const HEARD: Duration = Duration::from_millis(300);

/// What was under the cursor when last looked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    row: RowId,
    at: usize,
    /// Through which filter.
    filter: Option<String>,
    /// Whose doing it is if it goes.
    whose: Whose,
}

/// Takes note of where the cursor of each pane with acting keys is, after whatever has happened.
pub(super) fn keep(model: &mut Model) {
    for pane in Pane::iter().filter(|pane| Marks::reach(*pane)) {
        let fate = fate(model, pane);
        end_range(model, pane, &fate);
        if let Fate::Gone { falls_to, whose } = fate {
            if let Some(row) = falls_to {
                model.focus.fall(pane, row);
            }
            // Who comes back to a pane looks where its cursor is.
            if whose == Whose::Others && model.focus.pane == pane {
                model.focus.startle(pane, model.now.plus(SEEN));
            }
        }
        let seen = look(model, pane);
        model.focus.see(pane, seen);
    }
}

/// A range without one of its ends covers nothing that anybody has chosen.
fn end_range(model: &mut Model, pane: Pane, fate: &Fate) {
    let Some(anchor) = model.marks.anchor(pane) else {
        return;
    };
    let has_both = *fate == Fate::Here && model.rows(pane).position(anchor).is_some();
    if !has_both {
        model.marks.end_range();
        model.focus.startle(pane, model.now.plus(SEEN));
        model.say(Tone::Warn, "the range has ended: a row at its end is gone");
    }
}

/// What has become of the row under the cursor.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Here,
    Gone {
        falls_to: Option<RowId>,
        whose: Whose,
    },
}

/// Who has ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// A command of this desk.
    Own,
    Others,
}

fn fate(model: &Model, pane: Pane) -> Fate {
    let rows = model.rows(pane);
    match model.focus.seen(pane) {
        Some(seen) if seen.filter == filter(&rows) && rows.position(&seen.row).is_none() => {
            let last = rows.len().saturating_sub(1);
            Fate::Gone {
                falls_to: rows.get(seen.at.min(last)),
                whose: seen.whose,
            }
        }
        Some(_) | None => Fate::Here,
    }
}

fn filter(rows: &Rows<'_>) -> Option<String> {
    let filter = rows.lens.and_then(|lens: &Lens| lens.filter.as_ref());
    filter.map(|filter| filter.text.clone())
}

fn look(model: &Model, pane: Pane) -> Option<Seen> {
    let rows = model.rows(pane);
    let (at, row) = model.focus.selected(pane, &rows)?;
    Some(Seen {
        whose: ending(&model.store, &row),
        filter: filter(&rows),
        row,
        at,
    })
}

/// Whether a command of this desk ends the row.
fn ending(store: &Store, row: &RowId) -> Whose {
    let ends = |command: &Command| match (row, command) {
        (_, Command::Flatten(_)) | (RowId::Position(_), Command::CloseAll(_)) => true,
        (RowId::Position(id), Command::Close(close)) => close.position_id == *id,
        (RowId::Order(id), command) => command.cancels() == Some(id),
        (RowId::Twap(id), Command::StopTwap(stopped)) => stopped == id,
        (RowId::Scaled(id) | RowId::Rung(id, _), Command::CancelScaled(canceled)) => canceled == id,
        (_, _) => false,
    };
    let is_closing = |id| store.position(id).and_then(|held| store.closing(held));
    let is_done = match row {
        RowId::Position(id) => is_closing(id).is_some(),
        RowId::Order(id) => store.queued_cancels.contains(id),
        RowId::Twap(_) | RowId::Scaled(_) | RowId::Rung(..) | RowId::Line(_) => false,
    };
    if is_done || store.flights.values().any(|flight| ends(&flight.command)) {
        Whose::Own
    } else {
        Whose::Others
    }
}

/// Why a key that acts on the row under the cursor does not, just after that row has changed.
pub(super) fn objection(model: &mut Model, action: Action) -> Option<String> {
    let acts = matches!(
        action,
        Action::Cancel | Action::ClosePosition | Action::Margin | Action::Exits | Action::Amend
    );
    let (pane, now) = (model.focus.pane, model.now);
    let until = model.focus.startled(pane).filter(|until| now < *until)?;
    acts.then(|| {
        model.focus.startle(pane, until.min(now.plus(HEARD)));
        "that row is gone: see which one is under the cursor now, then press again".to_owned()
    })
}
