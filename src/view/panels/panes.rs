//! The panes by name: their visible rows, and the text in their bottom border.

use super::key_needs::works;
use crate::{
    app::{
        Model, Rows,
        account::poll::Source,
        activity::earlier::Horizon,
        keys::keymap::{Action, Context},
        tables::{pane::Pane, table_view::Filter},
    },
    view::{
        tables::{
            activity, calls,
            closed::{self, CLOSED},
            history::{self, HISTORY},
            orders,
            positions::{self, OPEN},
            scaled, twaps,
        },
        text::{
            scene::Scene,
            span::{Span, Tone},
            table::Table,
        },
    },
};
use std::ops::Range;

/// The rows at `range` of a pane whose rows are `rows`; no others are formatted.
pub fn pane_table(pane: Pane, rows: &Rows<'_>, range: Range<usize>, scene: &Scene<'_>) -> Table {
    let store = scene.store;
    let shown = (rows, range.clone());
    let visible = (rows, range.clone());
    let table = match pane {
        Pane::Positions => Table::of(OPEN, shown, |at| store.positions.rows().get(at), scene),
        Pane::Orders => orders::table(scene, rows, range),
        Pane::Twaps => twaps::table(scene, rows, range),
        Pane::Scaled => scaled::table(scene, rows, range),
        Pane::Closed => Table::of(CLOSED, shown, |at| store.closed.rows().get(at), scene),
        Pane::History => Table::of(HISTORY, shown, |at| store.history.rows().get(at), scene),
        Pane::Activity => activity::table(scene, rows, range),
        Pane::Calls => calls::table(scene, rows, range),
    };
    let mut table = table.through(rows.table_view);
    let are_chosen = rows
        .table_view
        .is_some_and(|table_view| table_view.columns.is_some());
    if pane == Pane::Positions && !are_chosen {
        let (rows, range) = visible;
        let open = store.positions.rows();
        let shown = rows.places(range).filter_map(|at| open.get(at));
        positions::beside(&mut table, shown, scene);
    }
    table
}

/// Totals of a pane's rows, as groups of words, most useful first. Rows hidden by a filter are not counted.
pub fn foot(pane: Pane, rows: &Rows<'_>, scene: &Scene<'_>) -> Vec<Vec<Span>> {
    match pane {
        Pane::Positions => {
            let open = scene.store.positions.rows();
            positions::foot(
                rows.places(0..rows.len()).filter_map(|at| open.get(at)),
                scene,
            )
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
        let source = if pane == Pane::Scaled {
            Source::Orders
        } else {
            source
        };
        let is_known = store.polled_at(source).is_some();
        match store.trouble(source) {
            Some(why) if !is_known => return vec![Span::new(why.to_string(), Tone::Alert)],
            None if !is_known => return vec![Span::muted("loading…")],
            Some(_) | None => {}
        }
        if store.is_incomplete(source) {
            return vec![Span::new(
                "no row could be read, and the list is incomplete",
                Tone::Warn,
            )];
        }
    }
    if let Some(filter) = model
        .table_views
        .of(pane)
        .and_then(|table_view| table_view.filter.as_ref())
    {
        return unmatched(pane, filter, model);
    }
    let words = match pane {
        Pane::Positions => "no open positions",
        Pane::Orders => "no working orders",
        Pane::Twaps => "no active TWAP or VWAP",
        Pane::Scaled => "no ladder seen yet",
        Pane::Closed => "no closed positions",
        Pane::History => "no orders yet",
        Pane::Activity if model.account.activity.horizon() == Horizon::Session => {
            "no activity in this session"
        }
        Pane::Activity => "no activity yet",
        Pane::Calls => "no calls yet",
    };
    let mut spans = vec![Span::muted(words)];
    let offered = model
        .keymap
        .presented
        .offered_if_empty(pane.context())
        .into_iter();
    for action in offered.filter(|action| works(model, *action)) {
        if let Some(chord) = model.keymap.chord(Context::Desk, action) {
            spans.push(Span::new(format!("   {chord}"), Tone::Accent));
            spans.push(Span::muted(format!(" {}", action.label())));
        }
    }
    spans
}

/// There may be rows, but none matches the filter.
fn unmatched(pane: Pane, filter: &Filter, model: &Model) -> Vec<Span> {
    let mut spans = vec![
        Span::muted("no row matches "),
        Span::new(format!("/{}/", filter.text), Tone::Accent),
    ];
    if let Some(chord) = model.keymap.chord(pane.context(), Action::Dismiss) {
        spans.push(Span::muted(", "));
        spans.push(Span::new(chord.to_string(), Tone::Accent));
        spans.push(Span::muted(" clears"));
    }
    spans
}
