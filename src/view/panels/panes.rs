//! The panes by name: their visible rows, and the text in their bottom border.

use super::key_needs::works;
use crate::{
    app::{
        Action, Context, Model, Pane, Rows, Source, activity::notice::Horizon,
        tables::table_view::Filter,
    },
    view::{
        tables::{
            activity::{self, ACTIVITY},
            calls::{self, CALLS},
            closed::{self, CLOSED},
            history::{self, HISTORY},
            orders,
            positions::{self, OPEN},
            scaled,
            twaps::{self, TWAPS},
        },
        text::{Scene, Span, Table, words},
    },
};
use std::ops::Range;

/// The rows at `range` of a pane whose rows are `rows`; no others are formatted.
pub fn pane_table(pane: Pane, rows: &Rows<'_>, range: Range<usize>, scene: &Scene<'_>) -> Table {
    let store = scene.store;
    let positions = || {
        rows.places(range.clone())
            .filter_map(|at| store.positions.rows().get(at))
    };
    let places = rows.places(range.clone());
    let table = match pane {
        Pane::Positions => Table::of(OPEN, positions(), scene),
        Pane::Orders => orders::table(scene, rows, range.clone()),
        Pane::Twaps => Table::of(TWAPS, twaps::twaps(scene, &rows.at(range.clone())), scene),
        Pane::Scaled => scaled::table(scene, rows, range.clone()),
        Pane::Closed => {
            let closed = places.filter_map(|at| store.closed.rows().get(at));
            Table::of(CLOSED, closed, scene)
        }
        Pane::History => {
            let ended = places.filter_map(|at| store.history.rows().get(at));
            Table::of(HISTORY, ended, scene)
        }
        Pane::Activity => {
            let lines = places.filter_map(|at| activity::newest_first(scene, at));
            Table::of(ACTIVITY, lines, scene)
        }
        Pane::Calls => {
            let calls = places.filter_map(|at| calls::newest_first(scene, at));
            Table::of(CALLS, calls, scene)
        }
    };
    let mut table = table.through(rows.table_view);
    let view = rows.table_view;
    if pane == Pane::Positions && view.is_none_or(|view| view.columns.is_none()) {
        positions::beside(&mut table, positions(), scene);
    }
    table
}

/// Totals of a pane's rows, as groups of words, most useful first. Rows hidden by a filter are not counted.
pub fn foot(pane: Pane, rows: &Rows<'_>, scene: &Scene<'_>) -> Vec<Vec<Span>> {
    match pane {
        Pane::Positions => {
            let open = scene.store.positions.rows();
            let places = rows.places(0..rows.len());
            positions::foot(places.filter_map(|at| open.get(at)), scene)
        }
        Pane::Orders => orders::foot(rows, scene),
        Pane::Closed => closed::foot(rows, scene),
        Pane::History => history::foot(rows, scene),
        Pane::Twaps => twaps::foot(rows, scene),
        Pane::Scaled | Pane::Activity | Pane::Calls => vec![],
    }
}

/// The message of an empty pane. It says empty only if the service has said so.
pub fn emptiness(pane: Pane, model: &Model) -> Vec<Span> {
    let store = &model.account.store;
    if let Some(source) = pane.source() {
        // Scaled orders are known only through their orders.
        let is_scaled = pane == Pane::Scaled;
        let source = if is_scaled { Source::Orders } else { source };
        let is_known = store.polled_at(source).is_some();
        match store.trouble(source) {
            Some(why) if !is_known => return Span::alert(why.to_string()).into(),
            None if !is_known => return Span::muted("loading…").into(),
            Some(_) | None => {}
        }
        if store.is_incomplete(source) {
            return vec![Span::warn(
                "no row could be read, and the list is incomplete",
            )];
        }
    }
    let view = model.table_views.of(pane);
    if let Some(filter) = view.and_then(|view| view.filter.as_ref()) {
        return unmatched(pane, filter, model);
    }
    let words = match pane {
        Pane::Positions => "no open positions",
        Pane::Orders => "no working orders",
        Pane::Twaps => "no active TWAP or VWAP",
        Pane::Scaled => "no scaled order seen yet",
        Pane::Closed => "no closed positions",
        Pane::History => "no orders yet",
        Pane::Activity if model.account.activity.horizon() == Horizon::Session => {
            "no activity in this session"
        }
        Pane::Activity => "no activity yet",
        Pane::Calls => "no calls yet",
    };
    let mut spans = vec![Span::muted(words)];
    let offered = model.keymap.presented.offered_if_empty(pane.context());
    for action in offered.into_iter().filter(|action| works(model, *action)) {
        let does = format!(" {}", action.label());
        spans.extend(words::key_hint(model, Context::Desk, action, "   ", &does));
    }
    spans
}

/// There may be rows, but none matches the filter.
fn unmatched(pane: Pane, filter: &Filter, model: &Model) -> Vec<Span> {
    let hint = words::key_hint(model, pane.context(), Action::Dismiss, "", " clears");
    let mut spans = vec![
        Span::muted("no row matches "),
        Span::accent(format!("/{}/", filter.text)),
    ];
    spans.extend((!hint.is_empty()).then(|| Span::muted(", ")));
    spans.extend(hint);
    spans
}
