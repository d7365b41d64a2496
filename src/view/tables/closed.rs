//! The columns and totals of closed positions.

use super::positions;
use crate::{
    app::{
        Rows,
        tables::table_view::{Sums, TableView},
    },
    model::{Num, Position, Text},
    view::text::{
        Align::{Left, Number},
        Cell, Column, Scene, Span, format,
        words::{self, aside, known},
    },
};
use std::time::Duration;

pub const CLOSED: &[Column<Position>] = &[
    Column::new("closed_at", "closed", Left, 2, closed).moment(|p| p.closed_at),
    Column::new("market", "market", Left, 0, positions::market),
    Column::new("side", "side", Left, 1, positions::side),
    Column::new("size", "size", Number, 4, positions::size),
    Column::new("entry_price", "entry", Number, 3, positions::entry),
    Column::new("exit_price", "exit", Number, 3, exit),
    Column::new("realized_pnl", "gross", Number, 5, |p, _| {
        known(p.realized_pnl.map(format::signed_usd)).into()
    }),
    Column::new("fees", "fees", Number, 6, |p, _| {
        aside(p.fees.map(format::usd))
    }),
    Column::new("funding", "funding", Number, 6, |p, _| {
        aside(p.funding.map(format::signed_usd))
    }),
    Column::new("net_pnl", "net", Number, 0, |p: &Position, _| {
        words::pnl(p.net_pnl()).into()
    })
    .exact(|p, _| p.net_pnl()),
    Column::new("roi", "ROI", Number, 2, |p: &Position, _| {
        words::pnl_percent(return_on_basis(p)).into()
    })
    .exact(|p, _| return_on_basis(p)),
    Column::new("held", "held", Number, 7, |p, _| {
        aside(held(p).map(format::span))
    })
    .span(|p, _| held(p)),
    Column::new("position_id", "id", Left, 9, |p, _| {
        Span::muted(p.id.to_string()).into()
    }),
    Column::new("r_multiple", "R", Number, 6, r_multiple)
        .exact(|p, scene| scene.store.trades.review(p).r_multiple),
    Column::new("mae", "MAE", Number, 8, |p, scene| {
        aside(scene.store.trades.review(p).mae.map(format::usd))
    }),
    Column::new("mfe", "MFE", Number, 8, |p, scene| {
        aside(scene.store.trades.review(p).mfe.map(format::usd))
    }),
    Column::new("tags", "tags", Left, 8, |p, scene| {
        let tags = scene
            .store
            .trades
            .get(&p.id)
            .map(|record| record.tags.iter());
        let tags = tags.into_iter().flatten().map(|tag| format!("#{tag}"));
        let tags: Vec<_> = tags.collect();
        Span::muted(Text::from(tags.join(" ")).to_string()).into()
    }),
    Column::new("note", "note", Left, 8, |p, scene| {
        let record = scene.store.trades.get(&p.id);
        let note = record.map(|record| Text::from(record.note.as_str()).to_string());
        Span::muted(note.unwrap_or_default()).into()
    }),
];

/// How many of [`CLOSED`] the service tells; what follows is this desk's own.
const TOLD_COLUMNS: usize = 13;

/// Those that the service tells: what a verb prints, which keeps nothing of trades.
pub const CLOSED_AS_TOLD: &[Column<Position>] = CLOSED.split_at(TOLD_COLUMNS).0;

/// `+1.25`, in what was risked at the first stop.
fn r_multiple(position: &Position, scene: &Scene<'_>) -> Cell {
    let multiple = scene.store.trades.review(position).r_multiple;
    let Some(multiple) = multiple else {
        return Span::unknown().into();
    };
    let sign = if multiple.is_positive() { "+" } else { "" };
    let text = format!("{sign}{}", multiple.rounded(2));
    Span::new(text, words::pnl_tone(multiple)).into()
}

fn closed(position: &Position, scene: &Scene<'_>) -> Cell {
    aside(
        position
            .closed_at
            .map(|at| scene.zone.moment(at, scene.now)),
    )
}

fn exit(position: &Position, scene: &Scene<'_>) -> Cell {
    let market = scene.store.market(&position.market_id);
    known(position.exit_price.map(|p| format::average(p, market))).into()
}

/// Net profit as a share of the margin basis that the service states.
pub(crate) fn return_on_basis(position: &Position) -> Option<Num> {
    position.net_pnl()?.over(position.realized_margin_basis?)
}

pub(crate) fn held(position: &Position) -> Option<Duration> {
    Some(position.closed_at?.since(position.opened_at?))
}

/// Net, wins, average and costs of the closed positions that match the filter, otherwise of those read so far; says how
/// many.
pub(crate) fn foot(rows: &Rows<'_>, scene: &Scene<'_>) -> Vec<Vec<Span>> {
    let shown = rows.table_view.and_then(TableView::sums);
    let shown = shown.and_then(Sums::try_as_results_ref);
    let results = shown.unwrap_or(&scene.store.results);
    if results.count == 0 {
        return vec![];
    }
    let of = match shown {
        Some(_) => "shown",
        None if scene.store.closed.has_more() => "last",
        None => "all",
    };
    let named = format!("{of} {}: net ", format::count(results.count));
    let amount = |name, amount| vec![Span::muted(name), words::pnl(amount)];
    let cost = |name, sum: Option<Num>| vec![Span::muted(name), known(sum.map(format::usd))];
    vec![
        vec![Span::muted(named), words::pnl(results.net())],
        vec![
            Span::muted("won "),
            known(results.win_rate().map(format::rate)),
        ],
        amount("expectancy ", results.expectancy()),
        amount("win ", results.average_win()),
        amount("loss ", results.average_loss()),
        vec![
            Span::muted("profit factor "),
            known(results.profit_factor().map(format::ratio)),
        ],
        cost("fees ", results.fees.value()),
        amount("funding ", results.funding.value()),
    ]
}
