//! The title of a pane: its key, name, row count and age.

use super::tour;
use crate::{
    app::{
        Feed, Model,
        account::poll::Source,
        activity::earlier::Horizon,
        keys::keymap::Context,
        tables::{
            click_target::ClickTarget,
            pane::Pane,
            table_view::{Direction, TableView},
        },
    },
    model::{Failure, Page},
    view::text::{
        age, format, passing,
        scene::Scene,
        span::{Span, Tone},
    },
};
use std::hash::Hash;

/// Characters of a filter in the title; the `/` line shows all of it.
const FILTER_SHOWN: usize = 30;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title {
    /// What a click on it goes to.
    pub spot: ClickTarget,
    /// The key that goes there.
    pub key: String,
    pub name: &'static str,
    /// For tabs in a narrow window.
    pub short: &'static str,
    /// The row count; empty until known.
    pub count: String,
    /// The age, and what is wrong or missing, worst first.
    pub freshness: Vec<Span>,
}

pub fn title(model: &Model, pane: Pane) -> Title {
    let (name, short) = names(pane);
    let key = model.keymap.chord(Context::Desk, pane.focus_action());
    Title {
        spot: ClickTarget::Pane(pane),
        key: key.map(|chord| chord.to_string()).unwrap_or_default(),
        name,
        short,
        count: counted(model, pane),
        freshness: freshness(model, pane),
    }
}

pub(crate) fn name(pane: Pane) -> &'static str {
    names(pane).0
}

fn names(pane: Pane) -> (&'static str, &'static str) {
    match pane {
        Pane::Positions => ("Positions", "Pos"),
        Pane::Orders => ("Working orders", "Orders"),
        Pane::Twaps => ("TWAP / VWAP", "TWAP"),
        Pane::Scaled => ("Scaled", "Scaled"),
        Pane::Closed => ("Closed positions", "Closed"),
        Pane::History => ("Order history", "History"),
        Pane::Activity => ("Activity", "Log"),
        Pane::Calls => ("Calls", "Calls"),
    }
}

/// The row count, or with a filter the matching ones: `3/12`.
fn counted(model: &Model, pane: Pane) -> String {
    let total = count(model, pane).unwrap_or_default();
    let hits = model.table_views.of(pane).and_then(TableView::hits);
    match hits {
        Some(hits) if !total.is_empty() => {
            let all = with_ended(model, pane).map_or(total, format::count);
            format!("{}/{all}", format::count(hits))
        }
        Some(_) | None => total,
    }
}

/// A filter also covers ended rows.
fn with_ended(model: &Model, pane: Pane) -> Option<usize> {
    match pane {
        Pane::Twaps => {
            Some(model.account.store.active_twaps().count() + model.account.store.ended_twaps.len())
        }
        Pane::Scaled => Some(model.account.store.scaled.len()),
        Pane::Positions
        | Pane::Orders
        | Pane::Closed
        | Pane::History
        | Pane::Activity
        | Pane::Calls => None,
    }
}

/// `3 ended`: ended rows below the counted ones, in panes that keep them for the session.
fn ended(model: &Model, pane: Pane) -> Option<Span> {
    let store = &model.account.store;
    let ended = match pane {
        Pane::Twaps => store.ended_twaps.len(),
        Pane::Scaled => store.scaled.len().saturating_sub(store.live_ladders()),
        Pane::Positions
        | Pane::Orders
        | Pane::Closed
        | Pane::History
        | Pane::Activity
        | Pane::Calls => 0,
    };
    (ended > 0).then(|| Span::muted(format!("{} ended", format::count(ended))))
}

/// The filter and the sort, for a pane of cards, which has no column titles.
fn lens_words(model: &Model, pane: Pane) -> Vec<Span> {
    let Some(table_view) = model.table_views.of(pane) else {
        return vec![];
    };
    let filter = table_view.filter.as_ref().map(|filter| {
        let mut text: String = filter.text.chars().take(FILTER_SHOWN).collect();
        if text.len() < filter.text.len() {
            text.push('…');
        }
        Span::new(format!("/{text}"), Tone::Accent)
    });
    let sort = table_view
        .sort
        .filter(|_| pane == Pane::Twaps)
        .and_then(|sort| {
            let columns = (model.account.options.reading.columns)(pane);
            let title = columns.get(sort.column)?.title;
            Some(Span::muted(format!("by {title} {}", arrow(sort.direction))))
        });
    filter.into_iter().chain(sort).collect()
}

/// Which way a sort goes.
pub fn arrow(direction: Direction) -> &'static str {
    match direction {
        Direction::Ascending => "▲",
        Direction::Descending => "▼",
    }
}

fn count(model: &Model, pane: Pane) -> Option<String> {
    let store = &model.account.store;
    let known = |count: usize| Some(format::count(count));
    match pane {
        Pane::Positions => known(store.positions.value()?.rows.len()),
        Pane::Orders => known(store.orders.value()?.rows.len()),
        Pane::Twaps => store
            .twaps
            .value()
            .and_then(|_| known(store.active_twaps().count())),
        Pane::Scaled => ladder_source(model)
            .is_none()
            .then(|| format::count(store.live_ladders())),
        Pane::Closed => feed_count(&store.closed),
        Pane::History => feed_count(&store.history),
        Pane::Activity => {
            let activity = &model.account.activity;
            let counted = if activity.has_more() {
                more_than
            } else {
                format::count
            };
            Some(counted(activity.lines.len()))
        }
        Pane::Calls => {
            let counted = if store.has_older_calls() {
                more_than
            } else {
                format::count
            };
            Some(counted(store.calls.len()))
        }
    }
}

/// `7 newer ↑`: rows above the visible ones, in a list with the newest first.
pub fn newer(above: usize) -> Span {
    Span::new(format!("{} newer ↑", format::count(above)), Tone::Info)
}

/// Scaled orders are known only through their orders: without that source their number is unknown.
fn ladder_source(model: &Model) -> Option<Source> {
    let store = &model.account.store;
    let is_known = !store.scaled.is_empty() || store.polled_at(Source::Orders).is_some();
    (!is_known).then_some(Source::Orders)
}

/// `150+` while older pages are unread.
fn feed_count<K: Eq + Hash, T>(feed: &Feed<K, T>) -> Option<String> {
    feed.head().value()?;
    let counted = if feed.has_more() {
        more_than
    } else {
        format::count
    };
    Some(counted(feed.rows().len()))
}

/// `500+`: at least this many.
fn more_than(count: usize) -> String {
    format!("{}+", format::count(count))
}

fn freshness(model: &Model, pane: Pane) -> Vec<Span> {
    let store = &model.account.store;
    let mut spans: Vec<_> = tour::mark(model, pane).into_iter().collect();
    spans.extend(marked(model, pane));
    spans.extend(lens_words(model, pane));
    spans.extend(filter_progress(model, pane));
    spans.extend(ended(model, pane));
    spans.extend(match pane {
        Pane::Positions => unread(store.positions.value()),
        Pane::Orders => unread(store.orders.value()),
        Pane::Twaps => {
            let mut notes = unread(store.twaps.value());
            notes.extend(forgotten(store.forgotten_twaps));
            notes
        }
        Pane::Closed => feed_notes(&store.closed),
        Pane::History => feed_notes(&store.history),
        Pane::Scaled => ladder_notes(model),
        Pane::Activity => unrecalled(model),
        Pane::Calls => vec![],
    });
    let source = if pane == Pane::Scaled && store.scaled.is_empty() {
        ladder_source(model)
    } else {
        pane.source()
    };
    let prices = late_prices(model).filter(|_| pane == Pane::Positions);
    let own = source.map_or(vec![], |source| source_words(model, source));
    // The oldest source decides the pane's age.
    let own = own
        .into_iter()
        .filter(|span| prices.is_none() || span.tone != Tone::Muted);
    spans.extend(own);
    spans.extend(prices);
    spans
}

/// A line below gives the reason.
fn unrecalled(model: &Model) -> Vec<Span> {
    let is_lost = model.account.activity.horizon() == Horizon::Unreadable;
    let words = is_lost.then(|| Span::new("earlier lines unread", Tone::Warn));
    words.into_iter().collect()
}

/// `prices OLD 16s`: marks, profits and distances depend on them.
fn late_prices(model: &Model) -> Option<Span> {
    age::priced(model)?;
    let age = age::age_of(model, Source::Markets)?;
    Some(Span::new(format!("prices {}", age.text), age.tone))
}

/// How many marked rows a bulk key would act on.
fn marked(model: &Model, pane: Pane) -> Vec<Span> {
    let rows = model.rows(pane);
    let selected = model.focus.selected(pane, &rows).map(|(at, _)| at);
    let range = if model.marks.is_ranging(pane) {
        " (range)"
    } else {
        ""
    };
    match model.marks.rows(pane, &rows, selected).len() {
        0 => vec![],
        n => vec![Span::new(format!("{n} marked{range}"), Tone::Accent)],
    }
}

/// How many ended rows were dropped to save space.
fn forgotten(count: usize) -> Option<Span> {
    let words = || format!("{} older ended not shown", format::count(count));
    (count > 0).then(|| Span::muted(words()))
}

/// What is still loading of the scaled orders, and what was dropped.
fn ladder_notes(model: &Model) -> Vec<Span> {
    let store = &model.account.store;
    let mut ladders = store.scaled.values();
    let waits = ladders.any(|l| l.value().is_none() && l.trouble().is_none());
    let has_some = store.polled_at(Source::Scaled).is_some();
    let forgotten = forgotten(store.forgotten_ladders());
    let loading = (waits && has_some).then(|| Span::muted("loading…"));
    forgotten.into_iter().chain(loading).collect()
}

fn unread<T>(page: Option<&Page<T>>) -> Vec<Span> {
    page.map_or(vec![], |page| {
        let notes = [
            unreadable(page.unreadable.len()),
            left_out(page.left_out),
            page.stalled
                .then(no_progress)
                .or_else(|| page.incomplete.then(incomplete)),
        ];
        notes.into_iter().flatten().collect()
    })
}

/// The progress of filtering or sorting a long list; until then it stays as it was.
fn filter_progress(model: &Model, pane: Pane) -> Option<Span> {
    let percent = model.table_views.of(pane)?.sifted()?;
    Some(Span::new(format!("filtering {percent} %"), Tone::Info))
}

fn feed_notes<K: Eq + Hash, T>(feed: &Feed<K, T>) -> Vec<Span> {
    let notes = [
        unreadable(feed.unreadable()),
        left_out(feed.left_out()),
        feed.is_stalled()
            .then(no_progress)
            .or_else(|| feed.is_incomplete().then(incomplete)),
        feed.is_fetching()
            .then(|| Span::new("loading more…", Tone::Info)),
    ];
    notes.into_iter().flatten().collect()
}

fn unreadable(count: usize) -> Option<Span> {
    (count > 0).then(|| Span::new(format!("{count} unreadable"), Tone::Warn))
}

/// Rows of another account, without an id, or listed twice.
fn left_out(count: usize) -> Option<Span> {
    (count > 0).then(|| Span::new(format!("{count} left out"), Tone::Warn))
}

fn incomplete() -> Span {
    Span::new("incomplete", Tone::Warn)
}

fn no_progress() -> Span {
    Span::new("incomplete: the list makes no progress", Tone::Warn)
}

/// The age of a source, and why there is nothing newer.
pub(crate) fn source_words(model: &Model, source: Source) -> Vec<Span> {
    let trouble = model.account.store.trouble(source);
    let until = model.account.store.health.limited_until(model.account.now);
    if let (Some(until), Some(_)) = (until, model.account.store.polled_at(source)) {
        let scene = Scene::of(model, &model.account.options.zone);
        let waits = format!("waiting {}", scene.until_own(until, passing::FOR));
        let waits = Span::new(waits, Tone::Warn);
        return std::iter::once(waits)
            .chain(age::age_of(model, source))
            .collect();
    }
    match (model.account.store.polled_at(source), trouble) {
        (None, None) => vec![Span::muted("loading…")],
        (None, Some(why)) => vec![Span::new(format!("failed: {}", short(why)), Tone::Alert)],
        (Some(_), None) => age::age_of(model, source).into_iter().collect(),
        (Some(_), Some(why)) => {
            let why = Span::new(why.kind.word(), Tone::Warn);
            [Some(why), age::age_of(model, source)]
                .into_iter()
                .flatten()
                .collect()
        }
    }
}

fn short(why: &Failure) -> String {
    match why.status {
        Some(status) => format!("{} ({status})", why.kind.word()),
        None => why.kind.word().to_owned(),
    }
}
