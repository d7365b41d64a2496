//! How well orders were filled, by market, and what refused the others, by rule: of the orders read so far.

use super::{
    DetailLine, DetailView, Scene, Span, Tone, format,
    history::{bps, rule_name},
    words,
};
use crate::{
    app::{
        Fills, Rule,
        overlay::quality::{Line, Report, lines},
    },
    model::Text,
};

const REFUSED: &str = "Refused, by rule";

/// The columns after the market, each as wide as its name is here; where room is short the last ones go.
const COLUMNS: [&str; 8] = [
    "      bps",
    "       USD",
    " filled",
    "  maker",
    " refused",
    " orders",
    "  settled",
    "       fees",
];

/// The report, with the line that Enter follows.
pub fn quality(report: &Report, scene: &Scene<'_>) -> DetailView {
    let lines = lines(scene.store);
    let chosen = report.chosen.min(lines.len().saturating_sub(1));
    let mut shown = vec![
        DetailLine::Section("Fills against the expected price"),
        DetailLine::Cells {
            label: String::new(),
            value: COLUMNS.map(Span::muted).into(),
            is_chosen: false,
        },
    ];
    let rules = lines.iter().position(|line| matches!(line, Line::Rule(_)));
    for (at, line) in lines.iter().enumerate() {
        if rules == Some(at) {
            shown.push(DetailLine::Section(REFUSED));
        }
        shown.push(one(line, (at, chosen), scene));
    }
    if rules.is_none() {
        shown.push(DetailLine::Section(REFUSED));
        shown.push(DetailLine::Field {
            label: String::new(),
            value: vec![Span::muted(if is_read(scene) {
                "no order was refused"
            } else {
                UNREAD
            })],
        });
    }
    DetailView {
        title: title(scene),
        lines: shown,
        chart: None,
    }
}

/// Before the first page of the history nobody knows how many orders there are.
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
    let of = if history.has_more() {
        "  of the last "
    } else {
        "  of all "
    };
    let read = format::count(history.rows().len());
    vec![
        Span::new("Execution quality", Tone::Strong),
        Span::muted(format!("{of}{read} orders")),
    ]
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
            label: words::market(id).text,
            value: quality.markets.get(id).map(cells).unwrap_or_default(),
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
    let share = |share: Option<_>| words::known(share.map(format::whole_percent));
    let cells = [
        bps(fills.bps()),
        words::pnl(fills.gain.value().filter(|_| fills.filled > 0)),
        Span::plain(format::count(fills.filled)),
        share(fills.maker_share()),
        Span::plain(format::count(fills.rejected)),
        Span::plain(format::count(fills.orders)),
        words::known(fills.settle_time().map(format::elapsed)),
        words::known(fills.fees.value().map(format::usd)),
    ];
    let padded = cells.into_iter().zip(COLUMNS).map(|(cell, column)| {
        let room = column.chars().count();
        Span::new(format!("{:>room$}", cell.text), cell.tone)
    });
    padded.collect()
}

/// How often, by which rule, when last, and the service's own words about that one.
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
