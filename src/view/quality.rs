//! How well orders were filled, by market, and what refused the others, by rule: of the orders read so far.

use super::{
    DetailLine, DetailView, Scene, Span, Tone, format,
    history::{bps, rule_name},
    words,
};
use crate::{
    app::{Fills, Rule},
    model::{MarketId, Text},
};
use std::cmp::Reverse;

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

/// The report: all markets first, then each, then the rules, the busiest first.
pub fn quality(scene: &Scene<'_>) -> DetailView {
    let quality = &scene.store.quality;
    let mut lines = vec![
        DetailLine::Section("Fills against the expected price"),
        DetailLine::Cells {
            label: String::new(),
            value: COLUMNS.map(Span::muted).into(),
        },
        row("all", &quality.total()),
    ];
    let mut markets: Vec<_> = quality.markets.iter().collect();
    markets.sort_by_key(|(_, fills)| Reverse(fills.filled));
    lines.extend(
        markets
            .into_iter()
            .map(|(id, fills)| row(&symbol(id), fills)),
    );
    lines.push(DetailLine::Section("Refused, by rule"));
    let mut rules: Vec<_> = quality.rules.iter().collect();
    rules.sort_by_key(|(_, rule)| Reverse(rule.count));
    if rules.is_empty() {
        lines.push(DetailLine::Field {
            label: String::new(),
            value: vec![Span::muted("no order was refused")],
        });
    }
    lines.extend(
        rules
            .into_iter()
            .map(|(name, rule)| refused(name, rule, scene)),
    );
    let more = if scene.store.history.has_more() {
        "  of the last "
    } else {
        "  of all "
    };
    let read = format::count(scene.store.history.rows().len());
    DetailView {
        title: vec![
            Span::new("Execution quality", Tone::Strong),
            Span::muted(format!("{more}{read} orders")),
        ],
        lines,
    }
}

fn symbol(id: &MarketId) -> String {
    words::market(id).text
}

fn row(name: &str, fills: &Fills) -> DetailLine {
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
    DetailLine::Cells {
        label: name.to_owned(),
        value: padded.collect(),
    }
}

/// How often, by which rule, when last, and the service's own words about that one.
fn refused(name: &Text, rule: &Rule, scene: &Scene<'_>) -> DetailLine {
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
    DetailLine::Field {
        label: format!("{} ×", format::count(rule.count)),
        value,
    }
}
