//! The title of a pane: its key, name, row count and age.

use super::tour;
use crate::{
    app::{
        ClickTarget, Context, Feed, Model, Pane, Source,
        activity::notice::Horizon,
        tables::table_view::{Direction, TableView},
    },
    model::Page,
    view::text::{Scene, Span, Tone, age, format, passing, words},
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
    Title {
        spot: ClickTarget::Pane(pane),
        key: words::key(model, Context::Desk, pane.focus_action()),
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
        Pane::Twaps => Some(model.account.store.active_twaps().count() + ended(model, pane)),
        Pane::Scaled => Some(model.account.store.scaled.len()),
        Pane::Positions
        | Pane::Orders
        | Pane::Closed
        | Pane::History
        | Pane::Activity
        | Pane::Calls => None,
    }
}

/// Ended rows below the counted ones, in panes that keep them for the session.
fn ended(model: &Model, pane: Pane) -> usize {
    let store = &model.account.store;
    match pane {
        Pane::Twaps => store.ended_twaps.len(),
        Pane::Scaled => store.scaled.len().saturating_sub(store.live_scaled()),
        Pane::Positions
        | Pane::Orders
        | Pane::Closed
        | Pane::History
        | Pane::Activity
        | Pane::Calls => 0,
    }
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
        Span::accent(format!("/{text}"))
    });
    let sort = table_view.sort.filter(|_| pane == Pane::Twaps);
    let sort = sort.and_then(|sort| {
        let columns = (model.reading.columns)(pane);
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
    match pane {
        Pane::Positions => Some(format::count(store.positions.value()?.rows.len())),
        Pane::Orders => Some(format::count(store.orders.value()?.rows.len())),
        Pane::Twaps => {
            store.twaps.value()?;
            Some(format::count(store.active_twaps().count()))
        }
        Pane::Scaled => {
            let is_known = scaled_source(model).is_none();
            is_known.then(|| format::count(store.live_scaled()))
        }
        Pane::Closed => feed_count(&store.closed),
        Pane::History => feed_count(&store.history),
        Pane::Activity => {
            let activity = &model.account.activity;
            Some(counted_of(
                activity.lines.len(),
                activity.has_more().then_some("+"),
            ))
        }
        Pane::Calls => Some(counted_of(
            store.calls.len(),
            store.has_older_calls().then_some("+"),
        )),
    }
}

/// `7 newer ↑`: rows above the visible ones, in a list with the newest first.
pub fn newer(above: usize) -> Span {
    Span::info(format!("{} newer ↑", format::count(above)))
}

/// Scaled orders are known only through their orders: without that source their number is unknown.
fn scaled_source(model: &Model) -> Option<Source> {
    let store = &model.account.store;
    let is_known = !store.scaled.is_empty() || store.polled_at(Source::Orders).is_some();
    (!is_known).then_some(Source::Orders)
}

/// `150+` while older pages are unread.
fn feed_count<K: Eq + Hash, T>(feed: &Feed<K, T>) -> Option<String> {
    feed.head().value()?;
    Some(counted_of(
        feed.rows().len(),
        feed.has_more().then_some("+"),
    ))
}

/// With a sign behind it if there are more.
fn counted_of(count: usize, more: Option<&str>) -> String {
    format::count(count) + more.unwrap_or_default()
}

fn freshness(model: &Model, pane: Pane) -> Vec<Span> {
    let store = &model.account.store;
    let mut spans: Vec<_> = tour::mark(model, pane).into_iter().collect();
    spans.extend(marked(model, pane));
    spans.extend(lens_words(model, pane));
    spans.extend(filter_progress(model, pane));
    spans.extend(noted(ended(model, pane), Tone::Muted, "ended"));
    spans.extend(match pane {
        Pane::Positions => page_notes(store.positions.value()),
        Pane::Orders => page_notes(store.orders.value()),
        Pane::Twaps => {
            let forgotten = forgotten(store.forgotten_twaps);
            page_notes(store.twaps.value())
                .into_iter()
                .chain(forgotten)
                .collect()
        }
        Pane::Closed => feed_notes(&store.closed),
        Pane::History => feed_notes(&store.history),
        Pane::Scaled => scaled_notes(model),
        // A line below gives the reason.
        Pane::Activity if model.account.activity.horizon() == Horizon::Unreadable => {
            Span::warn("earlier lines unread").into()
        }
        Pane::Activity | Pane::Calls => vec![],
    });
    let source = if pane == Pane::Scaled && store.scaled.is_empty() {
        scaled_source(model)
    } else {
        pane.source()
    };
    let prices = late_prices(model).filter(|_| pane == Pane::Positions);
    let own = source.map_or(vec![], |source| source_words(model, source));
    // The oldest source decides the pane's age.
    let is_oldest = |span: &Span| prices.is_none() || span.tone != Tone::Muted;
    spans.extend(own.into_iter().filter(is_oldest));
    spans.extend(prices);
    spans
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
        n => Span::accent(format!("{n} marked{range}")).into(),
    }
}

/// How many ended rows were dropped to save space.
fn forgotten(count: usize) -> Option<Span> {
    noted(count, Tone::Muted, "older ended not shown")
}

/// `3 ended`, if there is any.
fn noted(count: usize, tone: Tone, what: &str) -> Option<Span> {
    (count > 0).then(|| Span::new(format!("{} {what}", format::count(count)), tone))
}

/// What is still loading of the scaled orders, and what was dropped.
fn scaled_notes(model: &Model) -> Vec<Span> {
    let store = &model.account.store;
    let mut scaled = store.scaled.values();
    let waits = scaled.any(|l| l.value().is_none() && l.trouble().is_none());
    let has_some = store.polled_at(Source::Scaled).is_some();
    let forgotten = forgotten(store.forgotten_scaled());
    let loading = (waits && has_some).then(|| Span::muted("loading…"));
    forgotten.into_iter().chain(loading).collect()
}

fn page_notes<T>(page: Option<&Page<T>>) -> Vec<Span> {
    page.map_or(vec![], |page| {
        let stalled = page.stalled.then_some(NO_PROGRESS);
        let missing = stalled.or_else(|| page.incomplete.then_some("incomplete"));
        list_notes(page.unreadable.len(), page.left_out, missing)
    })
}

const NO_PROGRESS: &str = "incomplete: the list makes no progress";

/// What a list lacks. Rows of another account, without an id, or listed twice are left out.
fn list_notes(unreadable: usize, left_out: usize, missing: Option<&str>) -> Vec<Span> {
    let counted = [
        (unreadable > 0).then(|| format!("{unreadable} unreadable")),
        (left_out > 0).then(|| format!("{left_out} left out")),
    ];
    let notes = counted.into_iter().chain([missing.map(str::to_owned)]);
    notes.flatten().map(Span::warn).collect()
}

/// The progress of filtering or sorting a long list; until then it stays as it was.
fn filter_progress(model: &Model, pane: Pane) -> Option<Span> {
    let percent = model.table_views.of(pane)?.sifted()?;
    Some(Span::info(format!("filtering {percent} %")))
}

fn feed_notes<K: Eq + Hash, T>(feed: &Feed<K, T>) -> Vec<Span> {
    let stalled = feed.is_stalled().then_some(NO_PROGRESS);
    let missing = stalled.or_else(|| feed.is_incomplete().then_some("incomplete"));
    let mut notes = list_notes(feed.unreadable(), feed.left_out(), missing);
    notes.extend(feed.is_fetching().then(|| Span::info("loading more…")));
    notes
}

/// The age of a source, and why there is nothing newer.
pub(crate) fn source_words(model: &Model, source: Source) -> Vec<Span> {
    let store = &model.account.store;
    let read_at = store.polled_at(source);
    let age = age::age_of(model, source);
    if let (Some(until), Some(_)) = (store.health.limited_until(model.account.now), read_at) {
        let scene = Scene::of(model, &model.account.options.zone);
        let waits = format!("waiting {}", scene.until_own(until, passing::FOR));
        return [Span::warn(waits)].into_iter().chain(age).collect();
    }
    let trouble = match (read_at, store.trouble(source)) {
        (None, None) => Some(Span::muted("loading…")),
        (None, Some(why)) => {
            let status = why.status.map(|status| format!(" ({status})"));
            let status = status.unwrap_or_default();
            Some(Span::alert(format!("failed: {}{status}", why.kind.word())))
        }
        (Some(_), why) => why.map(|why| Span::warn(why.kind.word())),
    };
    trouble
        .into_iter()
        .chain(age.filter(|_| read_at.is_some()))
        .collect()
}
