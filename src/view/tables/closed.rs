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
        Cell, Column, Scene, Span, Tone, format,
        words::{self, known, known_muted},
    },
};
use std::time::Duration;

pub const CLOSED: &[Column<Position>] = &[
    Column::time("closed_at", "closed", 2, |p: &Position| p.closed_at).toned(Tone::Muted),
    Column::new("market", "market", Left, 0, positions::market),
    Column::new("side", "side", Left, 1, positions::side),
    Column::new("size", "size", Number, 4, positions::size),
    Column::new("entry_price", "entry", Number, 3, positions::entry),
    Column::new("exit_price", "exit", Number, 3, exit),
    Column::number("realized_pnl", "gross", 5, format::signed_usd, |p| {
        p.realized_pnl
    }),
    Column::number("fees", "fees", 6, format::usd, |p: &Position| p.fees).toned(Tone::Muted),
    Column::number(
        "funding",
        "funding",
        6,
        format::signed_usd,
        |p: &Position| p.funding,
    )
    .toned(Tone::Muted),
    Column::profit("net_pnl", "net", 0, Position::net_pnl),
    Column::new("roi", "ROI", Number, 2, |p, _| {
        words::return_percent(return_on_basis(p)).into()
    })
    .holds("+999.99%", "+999"),
    Column::known("held", "held", 7, |p: &Position| held(p).map(format::span))
        .aligned(Number)
        .toned(Tone::Muted)
        .span(|p, _| held(p)),
    Column::text("position_id", "id", 9, |p: &Position| p.id.to_string()).toned(Tone::Muted),
    Column::new("r_multiple", "R", Number, 6, r_multiple),
    Column::new("mae", "MAE", Number, 8, |p, scene| {
        known_muted(scene.store.trades.review(p).mae.map(format::usd)).into()
    }),
    Column::new("mfe", "MFE", Number, 8, |p, scene| {
        known_muted(scene.store.trades.review(p).mfe.map(format::usd)).into()
    }),
    Column::new("tags", "tags", Left, 8, |p, scene| {
        let record = scene.store.trades.get(&p.id);
        let tags = record.into_iter().flat_map(|record| &record.tags);
        let tags: Vec<_> = tags.map(|tag| format!("#{tag}")).collect();
        Span::muted(Text::from(tags.join(" ")).to_string()).into()
    }),
    Column::new("note", "note", Left, 8, |p, scene| {
        let record = scene.store.trades.get(&p.id);
        let note = record.map(|record| Text::from(record.note.as_str()).to_string());
        Span::muted(note.unwrap_or_default()).into()
    }),
];

/// How many of [`CLOSED`] the service reports; what follows is this desk's own.
const STATED_COLUMNS: usize = 13;

/// Those that the service reports: what a verb prints, which keeps nothing of trades.
pub const CLOSED_AS_STATED: &[Column<Position>] = CLOSED.split_at(STATED_COLUMNS).0;

/// `+1.25`, in what was risked at the first stop.
fn r_multiple(position: &Position, scene: &Scene<'_>) -> Cell {
    let multiple = scene.store.trades.review(position).r_multiple;
    multiple.map_or_else(Span::unknown, words::multiple).into()
}

fn exit(position: &Position, scene: &Scene<'_>) -> Cell {
    let price = position.exit_price;
    known(price.map(|price| scene.average(price, &position.market_id))).into()
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
    let named = |name: &str, value| vec![Span::muted(name), value];
    let amount = |name, amount| named(name, words::pnl(amount));
    let ratio = |name, ratio| named(name, known(ratio));
    vec![
        amount(
            &format!("{of} {}: net ", format::count(results.count)),
            results.net(),
        ),
        ratio("won ", results.win_rate().map(format::rate)),
        amount("expectancy ", results.expectancy()),
        amount("win ", results.average_win()),
        amount("loss ", results.average_loss()),
        ratio("profit factor ", results.profit_factor().map(format::ratio)),
        ratio("fees ", results.fees.value().map(format::usd)),
        amount("funding ", results.funding.value()),
    ]
}
