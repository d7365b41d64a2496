//! The panes by name: their visible rows and what stands in their bottom border.

use super::{
    Scene, Span, Table, Tone, activity, calls,
    closed::{self, CLOSED},
    history::{self, HISTORY},
    orders,
    positions::{self, OPEN},
    scaled, twaps,
};
use crate::app::{
    Model, Rows,
    keymap::{Action, Context},
    pane::Pane,
    poll::Source,
};
use std::ops::Range;

/// The rows `range` of a pane whose rows are `rows`, formatted; nothing else is.
pub fn pane_table(pane: Pane, rows: &Rows<'_>, range: Range<usize>, scene: &Scene<'_>) -> Table {
    let store = scene.store;
    match pane {
        Pane::Positions => {
            let shown = store.positions.rows().iter();
            Table::of(OPEN, shown.skip(range.start).take(range.len()), scene)
        }
        Pane::Orders => orders::table(scene, range),
        Pane::Twaps => twaps::table(scene, rows, range),
        Pane::Scaled => scaled::table(scene, rows, range),
        Pane::Closed => {
            let shown = store.closed.rows().iter();
            Table::of(CLOSED, shown.skip(range.start).take(range.len()), scene)
        }
        Pane::History => {
            let shown = store.history.rows().iter();
            Table::of(HISTORY, shown.skip(range.start).take(range.len()), scene)
        }
        Pane::Activity => activity::table(scene, range),
        Pane::Calls => calls::table(scene, range),
    }
}

/// What the rows of a pane come to, as groups of words: the most telling first, as many as there is room for.
pub fn foot(pane: Pane, scene: &Scene<'_>) -> Vec<Vec<Span>> {
    match pane {
        Pane::Positions => positions::foot(scene),
        Pane::Orders => orders::foot(scene),
        Pane::Closed => closed::foot(scene),
        Pane::History => history::foot(scene),
        Pane::Twaps | Pane::Scaled | Pane::Activity | Pane::Calls => vec![],
    }
}

/// What an empty pane says. Empty is said only when the service has said so.
pub fn emptiness(pane: Pane, model: &Model) -> Vec<Span> {
    let store = &model.store;
    if let Some(source) = pane.source() {
        // Ladders are met on orders only.
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
                "none that could be read, and not all of it could",
                Tone::Warn,
            )];
        }
    }
    let words = match pane {
        Pane::Positions => "no open positions",
        Pane::Orders => "no working orders",
        Pane::Twaps => "no active TWAP or VWAP",
        Pane::Scaled => "no ladder seen yet",
        Pane::Closed => "no closed positions",
        Pane::History => "no orders yet",
        Pane::Activity => "nothing done yet",
        Pane::Calls => "no calls yet",
    };
    let mut spans = vec![Span::muted(words)];
    if matches!(pane, Pane::Positions | Pane::Orders) {
        for action in [Action::Buy, Action::Sell] {
            if let Some(chord) = model.keymap.chord(Context::Desk, action) {
                spans.push(Span::new(format!("   {chord}"), Tone::Accent));
                spans.push(Span::muted(format!(" {}", action.label())));
            }
        }
    }
    spans
}
