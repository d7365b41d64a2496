//! Execution quality of what was read so far: fills by market, results of closed positions, and refusals by rule.

use crate::{
    app::{
        Feed, Fills, Remote, Results, Rule,
        dialogs::quality::{Line, Report, lines},
    },
    model::Text,
    view::{
        details::lines::{DetailLine, DetailView},
        tables::{history::bps, order_words::rule_name},
        text::{
            format,
            scene::Scene,
            span::{Span, Tone},
            words,
        },
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
        section.push(one(line, (at, chosen), scene));
    }
    fills.insert(0, heading(COLUMNS));
    if !results.is_empty() {
        results.insert(0, heading(RESULTS));
    }
    let store = scene.store;
    let sections = [
        section(FILLS, fills, UNREAD),
        section(
            CLOSED,
            results,
            none("no position was closed", store.closed.head()),
        ),
        section(
            REFUSED,
            rules,
            none("no order was refused", store.history.head()),
        ),
    ];
    DetailView {
        title: title(scene),
        lines: sections.concat(),
    }
}

fn section(name: &'static str, rows: Vec<DetailLine>, none: &'static str) -> Vec<DetailLine> {
    let none = rows.is_empty().then(|| DetailLine::Field {
        label: String::new(),
        value: vec![Span::muted(none)],
    });
    let name = DetailLine::Section(name);
    std::iter::once(name).chain(rows).chain(none).collect()
}

pub(super) fn heading(columns: [&'static str; 8]) -> DetailLine {
    DetailLine::Cells {
        label: String::new(),
        value: columns.map(Span::muted).into(),
        is_chosen: false,
    }
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

fn is_read(scene: &Scene<'_>) -> bool {
    scene.store.history.head().value().is_some()
}

fn title(scene: &Scene<'_>) -> Vec<Span> {
    let history = &scene.store.history;
    if !is_read(scene) {
        return vec![
            Span::new("Execution quality", Tone::Strong),
            Span::muted(format!("  {UNREAD}")),
        ];
    }
    // A partial fill's row is no order, as in the table.
    let orders = read(history, scene.store.quality.total().orders, "orders");
    let closed = &scene.store.closed;
    let closed = read(closed, closed.rows().len(), "closed");
    vec![
        Span::new("Execution quality", Tone::Strong),
        Span::muted(format!("  of {orders}")),
        Span::muted(format!(", {closed}")),
    ]
}

/// `the last 100 orders`, while older ones are unread.
fn read<K: Eq + Hash, T>(feed: &Feed<K, T>, count: usize, what: &str) -> String {
    let of = if feed.has_more() { "the last" } else { "all" };
    format!("{of} {} {what}", format::count(count))
}

fn one(line: &Line, (at, chosen): (usize, usize), scene: &Scene<'_>) -> DetailLine {
    let is_chosen = at == chosen;
    let quality = &scene.store.quality;
    match line {
        Line::All => DetailLine::Cells {
            label: "all".to_owned(),
            value: cells(&quality.total()),
            is_chosen,
        },
        Line::Market(id) => DetailLine::Cells {
            label: scene.market(id).text,
            value: quality.markets.get(id).map(cells).unwrap_or_default(),
            is_chosen,
        },
        Line::Result(id) => DetailLine::Cells {
            label: scene.market(id).text,
            value: scene
                .store
                .market_results
                .0
                .get(id)
                .map(came_to)
                .unwrap_or_default(),
            is_chosen,
        },
        Line::Rule(name) => {
            let rule = quality.rules.get(name);
            let count = rule.map_or(0, |rule| rule.count);
            DetailLine::Link {
                label: format!("{} ×", format::count(count)),
                value: rule.map_or_else(Vec::new, |rule| refused(name, rule, scene)),
                is_chosen,
            }
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
    let mut value = vec![
        Span::new(rule_name(name), Tone::Alert),
        Span::muted(format!(
            "  last {} {}",
            scene.zone.moment(rule.last_at, scene.now),
            rule.last
        )),
    ];
    if let Some(reason) = rule.reason.as_ref().filter(|reason| *reason != name) {
        value.push(Span::plain(format!("  {reason}")));
    }
    value
}
