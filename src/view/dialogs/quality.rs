//! Execution quality of what was read so far: fills by market, results of closed positions, and refusals by rule.

use crate::{
    app::{
        Feed, Fills, Remote, Results, Rule,
        dialogs::quality::{Line, Report, lines},
    },
    model::Text,
    view::{
        details::{DetailLine, DetailView},
        tables::{history::bps, order_words::rule_name},
        text::{Scene, Span, format, words},
    },
};
use std::hash::Hash;

/// A triggered order is measured against its trigger: the distance before that is no slippage.
const FILLS: &str = "Fills against the expected price or trigger, + is better";
const CLOSED: &str = "Closed positions, by market";
const REFUSED: &str = "Refused, by rule";

/// The columns after the market, as wide as their titles; in a narrow window the last are dropped.
const COLUMNS: [&str; 8] = [
    "      bps",
    "       USD",
    " filled",
    "  maker",
    " refused",
    " orders",
    " taken in",
    "       fees",
];

/// The same of what was closed.
pub(super) const RESULTS: [&str; 8] = [
    "        net",
    "   won",
    " closed",
    " expectancy",
    "       win",
    "      loss",
    "      fees",
    "   funding",
];

/// The report, and the line that Enter follows.
pub fn quality(report: &Report, scene: &Scene<'_>) -> DetailView {
    let lines = lines(scene.store);
    let chosen = report.chosen.min(lines.len().saturating_sub(1));
    let (mut fills, mut results, mut rules) = (vec![], vec![], vec![]);
    for (at, line) in lines.iter().enumerate() {
        let section = match line {
            Line::All | Line::Market(_) => &mut fills,
            Line::Result(_) => &mut results,
            Line::Rule(_) => &mut rules,
        };
        section.push(one(line, scene).at(at, chosen));
    }
    fills.insert(0, heading(COLUMNS));
    if !results.is_empty() {
        results.insert(0, heading(RESULTS));
    }
    let store = scene.store;
    let closed = none("no position was closed", store.closed.head());
    let refused = none("no order was refused", store.history.head());
    let sections = [
        section(FILLS, fills, UNREAD),
        section(CLOSED, results, closed),
        section(REFUSED, rules, refused),
    ];
    DetailView {
        title: title(scene),
        lines: sections.concat(),
    }
}

fn section(name: &'static str, rows: Vec<DetailLine>, none: &'static str) -> Vec<DetailLine> {
    let none = rows
        .is_empty()
        .then(|| DetailLine::field("", Span::muted(none)));
    let name = DetailLine::section(name);
    std::iter::once(name).chain(rows).chain(none).collect()
}

pub(super) fn heading(columns: [&'static str; 8]) -> DetailLine {
    DetailLine::cells("", columns.map(Span::muted))
}

/// "None" applies only to what was read.
fn none(words: &'static str, read: &Remote<()>) -> &'static str {
    if read.value().is_some() {
        words
    } else {
        UNREAD
    }
}

/// The number of orders is unknown before the first page of history.
const UNREAD: &str = "not read yet";

fn title(scene: &Scene<'_>) -> Vec<Span> {
    let history = &scene.store.history;
    let name = Span::strong("Execution quality");
    if history.head().value().is_none() {
        return vec![name, Span::muted(format!("  {UNREAD}"))];
    }
    // A partial fill's row is no order, as in the table.
    let orders = read(history, scene.store.quality.total().orders, "orders");
    let closed = &scene.store.closed;
    let closed = read(closed, closed.rows().len(), "closed");
    vec![
        name,
        Span::muted(format!("  of {orders}")),
        Span::muted(format!(", {closed}")),
    ]
}

/// `the last 100 orders`, while older ones are unread.
fn read<K: Eq + Hash, T>(feed: &Feed<K, T>, count: usize, what: &str) -> String {
    let of = if feed.has_more() { "the last" } else { "all" };
    format!("{of} {} {what}", format::count(count))
}

fn one(line: &Line, scene: &Scene<'_>) -> DetailLine {
    let quality = &scene.store.quality;
    match line {
        Line::All => DetailLine::cells("all", cells(&quality.total())),
        Line::Market(id) => {
            let cells = quality.markets.get(id).map(cells).unwrap_or_default();
            DetailLine::cells(scene.market(id).text, cells)
        }
        Line::Result(id) => {
            let results = scene.store.market_results.0.get(id);
            DetailLine::cells(
                scene.market(id).text,
                results.map(came_to).unwrap_or_default(),
            )
        }
        Line::Rule(name) => {
            let rule = quality.rules.get(name);
            let count = rule.map_or(0, |rule| rule.count);
            let value = rule.map_or_else(Vec::new, |rule| refused(name, rule, scene));
            DetailLine::field(format!("{} ×", format::count(count)), value)
        }
    }
}

fn cells(fills: &Fills) -> Vec<Span> {
    let share = |share: Option<_>| words::known(share.map(format::rate));
    let executed = fills.executed();
    let cells = [
        bps(fills.bps()),
        words::pnl(executed.gain.value().filter(|_| executed.measured > 0)),
        Span::plain(format::count(fills.filled)),
        share(fills.maker_share()),
        Span::plain(format::count(fills.rejected)),
        Span::plain(format::count(fills.orders)),
        words::known(fills.settle_time().map(format::elapsed)),
        words::known(executed.fees.value().map(format::usd)),
    ];
    padded(cells, COLUMNS)
}

/// What the closed positions of a market came to.
pub(super) fn came_to(results: &Results) -> Vec<Span> {
    let cells = [
        words::pnl(results.net()),
        words::known(results.win_rate().map(format::rate)),
        Span::plain(format::count(results.count)),
        words::pnl(results.expectancy()),
        words::pnl(results.average_win()),
        words::pnl(results.average_loss()),
        words::known(results.fees.value().map(format::usd)),
        words::pnl(results.funding.value()),
    ];
    padded(cells, RESULTS)
}

fn padded(cells: [Span; 8], columns: [&str; 8]) -> Vec<Span> {
    let padded = cells.into_iter().zip(columns).map(|(cell, column)| {
        let room = column.chars().count();
        Span::new(format!("{:>room$}", cell.text), cell.tone)
    });
    padded.collect()
}

/// How often, by which rule, when last, and the service's message then.
fn refused(name: &Text, rule: &Rule, scene: &Scene<'_>) -> Vec<Span> {
    let last = format!("  last {} {}", scene.moment(rule.last_at), rule.last);
    let reason = rule.reason.as_ref().filter(|reason| *reason != name);
    let reason = reason.map(|reason| Span::plain(format!("  {reason}")));
    let named = [Span::alert(rule_name(name)), Span::muted(last)];
    named.into_iter().chain(reason).collect()
}
