//! Keeps the cursor on its row, whatever changes in the list.
//!
//! Contract: after every message each pane's cursor is on the same row (by id) as before, through filters, sorts,
//! refreshes, pages, panes and accounts. If the row is no longer listed, the cursor moves to its neighbor. No key acts
//! there before a person can have seen it: for 2 s from when the pane is visible, or until the cursor is moved. A row
//! that a command of this desk ended holds no key back. A range ends when either of its ends goes. A list of records in
//! which nobody has moved (history, activity, calls) follows its newest line, unless it is filtered or sorted.

use crate::{
    app::{
        account::{labels::Visibility, pane::Pane, row_id::RowId, store::Store},
        activity::notice::Tone,
        dialogs::overlay::Overlay,
        keys::keymap::Action,
        tables::{
            marks::Marks,
            rows::Rows,
            seen::{ClosedBy, Seen, Through},
        },
    },
    model::{Command, Ends, Resource},
};

use super::model::Model;
use std::time::Duration;
use strum::IntoEnumIterator;

/// As long as it takes to notice that the cursor is on another row.
const NOTICE_TIME: Duration = Duration::from_secs(2);
/// After the message a person looks; a key pressed twice in a row does not count as pressed again.
const REPEAT_TIME: Duration = Duration::from_millis(300);

/// Restores the cursor of every pane after each message.
pub(crate) fn keep(model: &mut Model) {
    for pane in Pane::iter() {
        find_again(model, pane);
        let fate = fate(model, pane);
        end_range(model, pane, &fate);
        if let CursorChange::Gone { falls_to, left } = fate {
            model.focus.fall(pane, falls_to);
            if let Some(row) = left {
                model.focus.overlook(pane, row);
            }
        }
        // In a list without rows nobody has seen the cursor.
        let Some(seen) = row_under_cursor(model, pane) else {
            continue;
        };
        if is_held(model, pane, &seen) {
            model.focus.fall(pane, seen.row.clone());
        }
        model.focus.see(pane, seen);
        if is_in_view(model, pane) && model.focus.notice(pane) {
            model
                .focus
                .startle(pane, model.account.now.plus(NOTICE_TIME));
        }
    }
}

/// A row that disappeared and returned unseen gets the cursor back.
fn find_again(model: &mut Model, pane: Pane) {
    let row = model.focus.overlooked(pane).cloned();
    let row = row.filter(|row| model.rows(pane).position(row).is_some());
    if let Some(row) = row {
        model.focus.fall(pane, row);
        model.focus.notice(pane);
        // A person had seen it there: if it disappears again, it still counts as seen.
        if let Some(seen) = row_under_cursor(model, pane) {
            let seen = Seen {
                was_in_view: true,
                ..seen
            };
            model.focus.see(pane, seen);
        }
    }
}

/// Whether a person can see the cursor. The command line hides no row.
fn is_in_view(model: &Model, pane: Pane) -> bool {
    let mut overlays = model.overlays.iter();
    model.account.visibility == Visibility::OnScreen
        && model.focus.has_keys(pane)
        && overlays.all(|overlay| matches!(overlay, Overlay::Prompt(_)))
}

/// A range that lost one of its ends is dropped.
fn end_range(model: &mut Model, pane: Pane, fate: &CursorChange) {
    let Some(anchor) = model.marks.anchor(pane) else {
        return;
    };
    let has_both = *fate == CursorChange::Here && model.rows(pane).position(anchor).is_some();
    if !has_both {
        model.marks.end_range();
        model
            .focus
            .startle(pane, model.account.now.plus(NOTICE_TIME));
        model
            .account
            .say(Tone::Warn, "the range has ended: a row at its end is gone");
    }
}

/// What happened to the row under the cursor.
#[derive(Debug, PartialEq, Eq)]
enum CursorChange {
    Here,
    Gone {
        falls_to: RowId,
        /// The row that a person saw there and did not end.
        left: Option<RowId>,
    },
}

/// With no rows left the cursor's row is remembered until there are some.
fn fate(model: &Model, pane: Pane) -> CursorChange {
    let rows = model.rows(pane);
    let Some(row) = wanted(model, pane, &rows) else {
        return CursorChange::Here;
    };
    if rows.position(&row).is_some() {
        return CursorChange::Here;
    }
    let seen = model.focus.seen(pane);
    let at = seen.map_or(0, |seen| seen.at);
    let Some(falls_to) = rows.get(at.min(rows.len().saturating_sub(1))) else {
        return CursorChange::Here;
    };
    let is_hidden = model.all_rows(pane).position(&row).is_some();
    let is_left = |seen: &&Seen| seen.was_in_view && (is_hidden || seen.whose == ClosedBy::Others);
    CursorChange::Gone {
        falls_to,
        left: seen.filter(is_left).map(|_| row),
    }
}

/// The row that the cursor belongs on: the chosen one, otherwise the one it showed.
fn wanted(model: &Model, pane: Pane, rows: &Rows<'_>) -> Option<RowId> {
    if let Some(chosen) = model.focus.chosen(pane) {
        return Some(chosen.clone());
    }
    let seen = model.focus.seen(pane)?;
    let is_lensed = [seen.through, through(rows)].contains(&Through::TableView);
    (seen.was_in_view && is_lensed).then(|| seen.row.clone())
}

/// Whether the cursor stays on its row although nobody has moved it there: a person has seen it there, and the list
/// does not follow its newest line.
fn is_held(model: &Model, pane: Pane, seen: &Seen) -> bool {
    let is_moved = model.focus.chosen(pane).is_some();
    let is_list = Marks::reach(pane) || seen.through == Through::TableView;
    is_moved || (seen.was_in_view && is_list)
}

pub(crate) fn through(rows: &Rows<'_>) -> Through {
    let table_view = rows
        .table_view
        .filter(|table_view| table_view.filter.is_some() || table_view.sort.is_some());
    table_view.map_or(Through::Nothing, |_| Through::TableView)
}

fn row_under_cursor(model: &Model, pane: Pane) -> Option<Seen> {
    let rows = model.rows(pane);
    let row = wanted(model, pane, &rows).filter(|row| rows.position(row).is_some());
    let row = row.or_else(|| rows.get(0))?;
    let before = model.focus.seen(pane).filter(|seen| seen.row == row);
    Some(Seen {
        was_in_view: is_in_view(model, pane) || before.is_some_and(|seen| seen.was_in_view),
        whose: ending(&model.account.store, &row),
        through: through(&rows),
        at: rows.position(&row)?,
        row,
    })
}

/// Whether a command of this desk ends the row.
fn ending(store: &Store, row: &RowId) -> ClosedBy {
    let resource = match row {
        RowId::Position(id) => Some(Resource::Position(id.clone())),
        RowId::Order(id) => Some(Resource::Order(id.clone())),
        RowId::Twap(id) => Some(Resource::Twap(id.clone())),
        RowId::Scaled(id) | RowId::Rung(id, _) => Some(Resource::Scaled(id.clone())),
        RowId::Line(_) => None,
    };
    let ends = |command: &Command| {
        let facts = command.facts();
        let row = resource.as_ref();
        facts.ends == Ends::Everything || row.is_some_and(|row| facts.ends(row))
    };
    let is_closing = |id| store.position(id).and_then(|held| store.closing(held));
    let is_done = match row {
        RowId::Position(id) => is_closing(id).is_some(),
        RowId::Order(id) => store.queued_cancels.contains(id),
        RowId::Twap(_) | RowId::Scaled(_) | RowId::Rung(..) | RowId::Line(_) => false,
    };
    if is_done || store.in_progress().any(ends) {
        ClosedBy::Own
    } else {
        ClosedBy::Others
    }
}

/// Why a key does not act on the row under the cursor just after that row changed.
pub(crate) fn objection(model: &mut Model, action: Action) -> Option<String> {
    let acts = action.acts_on_its_row();
    let (pane, now) = (model.focus.pane, model.account.now);
    let until = model.focus.startled(pane).filter(|until| now < *until)?;
    acts.then(|| {
        model.focus.startle(pane, until.min(now.plus(REPEAT_TIME)));
        "that row is not listed any more: see which one is under the cursor now, then press again"
            .to_owned()
    })
}

#[cfg(test)]
mod tests;
