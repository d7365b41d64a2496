//! The columns of open positions, and derived values.

use super::protection;
use crate::{
    app::{Mode, activity::alerts},
    model::{MarginMode, MarketId, Num, Position, Timestamp},
    view::text::{
        Align::{Left, Number},
        Cell, Column, Heading, RowBody, Scene, Span, Table, Tone, format, spark,
        words::{self, known, known_muted},
    },
};
use std::time::Duration;

/// For positions without a liquidation price; [`format::UNKNOWN`] means unknown.
pub(crate) const NEVER: &str = "none";

/// Open positions. In a narrow window risk columns are dropped last, profit and cost before them, age first.
pub const OPEN: &[Column<Position>] = &[
    Column::new("market", "market", Left, 0, market).short("mkt"),
    Column::new("side", "side", Left, 0, side),
    Column::new("size", "size", Number, 0, open_size),
    Column::new("entry_price", "entry", Number, 1, entry),
    Column::new("mark_price", "mark", Number, 3, mark),
    Column::new("liquidation_price", "liq", Number, 2, liquidation),
    Column::new("liquidation_distance", "to liq", Number, 0, distance).holds("99.99%", "99.99%"),
    Column::new("unrealized_pnl", "uPnL", Number, 0, unrealized).holds("+9,999.99", "+9,999"),
    Column::new("roe", "ROE", Number, 6, roe).holds("+999.99%", "+999"),
    Column::new("pnl_at_liquidation", "liq loss", Number, 5, at_liquidation),
    Column::new("stop", "stop", Left, 0, protection::stop_cell)
        .holds("65,000 133% of size +1", "65,000 133%"),
    Column::new("target", "target", Left, 4, |p, scene| {
        protection::target(p, scene).into()
    })
    .holds("65,000 85%", "65,000"),
    Column::new("margin", "margin", Left, 3, margin),
    Column::new("isolated_margin_extra", "extra", Number, 8, extra),
    Column::number("fees", "fees", 9, format::usd, |p: &Position| p.fees).toned(Tone::Muted),
    Column::number(
        "funding",
        "funding",
        9,
        format::signed_usd,
        |p: &Position| p.funding,
    )
    .toned(Tone::Muted),
    Column::new("age", "age", Number, 7, age).span(|p, scene| Some(scene.since(p.opened_at?))),
];

pub(crate) fn market(position: &Position, scene: &Scene<'_>) -> Cell {
    scene.market(&position.market_id).into()
}

pub(crate) fn side(position: &Position, scene: &Scene<'_>) -> Cell {
    side_now(position, scene).into()
}

/// `LONG 0.5 BTC`.
pub(crate) fn head(position: &Position, scene: &Scene<'_>) -> [Span; 3] {
    [
        words::position_side(position.side()),
        Span::plain(format!(" {} ", words::position_size(position, scene))),
        scene.market(&position.market_id),
    ]
}

/// With the progress of its close, if that response is newer than the row.
pub(crate) fn side_now(position: &Position, scene: &Scene<'_>) -> Span {
    let side = words::position_side(position.side());
    let Some(closing) = scene.store.closing(position) else {
        return side;
    };
    let text = format!("{} {}", side.text, words::closing(closing));
    Span::warn(text)
}

pub(crate) fn size(position: &Position, scene: &Scene<'_>) -> Cell {
    Span::plain(words::position_size(position, scene)).into()
}

/// A size that may still change.
fn open_size(position: &Position, scene: &Scene<'_>) -> Cell {
    size(position, scene).of_size(scene.store.market(&position.market_id))
}

pub(crate) fn entry(position: &Position, scene: &Scene<'_>) -> Cell {
    let market = scene.store.market(&position.market_id);
    let entry = known(position.entry_price.map(|p| format::average(p, market)));
    Cell::from(entry).of_price(market)
}

fn mark(position: &Position, scene: &Scene<'_>) -> Cell {
    let market = scene.store.market(&position.market_id);
    Cell::from(scene.priced(known(format::mark(market)))).of_price(market)
}

/// The paper exchange omits the field if no price liquidates the position (`assets/openapi.yaml`); for another service
/// an absent field means unknown.
pub(crate) fn never_liquidates(position: &Position, scene: &Scene<'_>) -> bool {
    let is_open = position.closed_at.is_none();
    is_open && position.liquidation_price.is_none() && scene.mode == Some(Mode::Paper)
}

/// The only place that formats a liquidation value; `text` is its number, if there is one.
pub(crate) fn of_liquidation(position: &Position, scene: &Scene<'_>, text: Option<String>) -> Span {
    match text {
        None if never_liquidates(position, scene) => Span::muted(NEVER),
        text => known(text),
    }
}

fn liquidation(position: &Position, scene: &Scene<'_>) -> Cell {
    let market = scene.store.market(&position.market_id);
    let price = position.liquidation_price;
    let price = price.map(|p| format::average(p, market));
    Cell::from(of_liquidation(position, scene, price)).of_price(market)
}

/// As a share of the mark; negative once it is past.
pub(crate) fn liquidation_distance(position: &Position, scene: &Scene<'_>) -> Option<Num> {
    alerts::liquidation_distance(scene.store, position)
}

/// A mark that is past the liquidation price says so.
pub(crate) fn to_liquidation(distance: Num) -> String {
    let past = if distance.is_negative() { " past" } else { "" };
    format!("{}{past}", far(distance))
}

fn distance(position: &Position, scene: &Scene<'_>) -> Cell {
    let Some(distance) = liquidation_distance(position, scene) else {
        return of_liquidation(position, scene, None).into();
    };
    let distance = Span::new(to_liquidation(distance), distance_tone(distance));
    scene.priced(distance).into()
}

/// Beyond 100 % of the price, hundredths of a percent do not matter; beyond ten times the price, nothing does.
fn far(distance: Num) -> String {
    match distance.abs() {
        near if near < Num::ONE => format::percent(distance),
        near if near < Num::from(10_u32) => format::whole_percent(distance),
        _ => ">999%".to_owned(),
    }
}

/// Below a tenth is danger, below a quarter is close.
fn distance_tone(distance: Num) -> Tone {
    match distance {
        _ if distance < Num::new(10, 2) => Tone::Alert,
        _ if distance < Num::new(25, 2) => Tone::Warn,
        _ => Tone::Plain,
    }
}

pub(crate) fn unrealized_pnl(position: &Position, scene: &Scene<'_>) -> Option<Num> {
    position.unrealized_pnl(scene.store.mark(&position.market_id)?)
}

pub(crate) fn unrealized(position: &Position, scene: &Scene<'_>) -> Cell {
    let profit = words::pnl(unrealized_pnl(position, scene));
    scene.priced(profit).into()
}

/// Return on the margin posted at entry, including extra margin.
pub(crate) fn return_on_margin(position: &Position, scene: &Scene<'_>) -> Option<Num> {
    let extra = position.isolated_margin_extra.unwrap_or(Num::ZERO);
    let margin = position.entry_margin()?.plus(extra)?;
    unrealized_pnl(position, scene)?.over(margin)
}

pub(crate) fn roe(position: &Position, scene: &Scene<'_>) -> Cell {
    let share = words::return_percent(return_on_margin(position, scene));
    scene.priced(share).into()
}

fn at_liquidation(position: &Position, scene: &Scene<'_>) -> Cell {
    match position.pnl_at_liquidation() {
        Some(loss) => Span::muted(format::signed_usd(loss)).into(),
        None => of_liquidation(position, scene, None).into(),
    }
}

pub(crate) fn margin_mode(position: &Position) -> MarginMode {
    if position.is_isolated() {
        MarginMode::Isolated
    } else {
        MarginMode::Cross
    }
}

fn margin(position: &Position, _: &Scene<'_>) -> Cell {
    words::margin(&margin_mode(position).into(), position.leverage).into()
}

/// Only isolated positions have extra margin.
fn extra(position: &Position, _: &Scene<'_>) -> Cell {
    let extra = position.isolated_margin_extra;
    let extra = extra.filter(|_| position.is_isolated());
    Span::muted(extra.map(format::usd).unwrap_or_default()).into()
}

fn age(position: &Position, scene: &Scene<'_>) -> Cell {
    known_muted(position.opened_at.map(|at| scene.age(scene.since(at)))).into()
}

/// The time span of a mark's sparkline, and its cells.
const SPARKLINE: (Duration, usize) = (Duration::from_mins(15), 16);

/// How the mark has moved while this desk watched it.
pub(crate) fn sparkline(market: &MarketId, scene: &Scene<'_>) -> Cell {
    known_muted(sparkline_text(market, SPARKLINE.1, scene)).into()
}

/// The same in so many cells.
pub(crate) fn sparkline_text(market: &MarketId, cells: usize, scene: &Scene<'_>) -> Option<String> {
    let (span, _) = SPARKLINE;
    let millis = i64::try_from(span.as_millis()).unwrap_or(0);
    let from = Timestamp(scene.own_now.0.saturating_sub(millis));
    let prices = scene.store.prices.get(market)?;
    spark(prices.marks_since(from), (scene.own_now, span), cells)
}

/// The sparkline of each row's mark, if there is room. It is dropped before every column, and cannot be chosen, sorted
/// by or exported.
pub(crate) fn beside<'a>(
    table: &mut Table,
    shown: impl Iterator<Item = &'a Position>,
    scene: &Scene<'_>,
) {
    table.headings.push(Heading::plain("15m", Left, 10));
    for (row, position) in table.rows.iter_mut().zip(shown) {
        if let RowBody::Cells(cells) = &mut row.body {
            cells.push(sparkline(&position.market_id, scene));
        }
    }
}

/// The total of the shown positions, if every part is known.
pub(crate) fn foot<'a>(
    shown: impl Iterator<Item = &'a Position>,
    scene: &Scene<'_>,
) -> Vec<Vec<Span>> {
    let mut count = 0;
    let total = shown
        .inspect(|_| count += 1)
        .try_fold(Num::ZERO, |sum, position| {
            sum.plus(unrealized_pnl(position, scene)?)
        });
    let total = total.filter(|_| count > 0);
    let total = total.map(|total| scene.priced(words::signed_pnl(total)));
    total
        .map(|total| vec![Span::muted("uPnL "), total])
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{account::poll::Answer, testing},
        model::Zone,
    };

    #[test]
    fn a_liquidation_that_is_far_away_widens_no_column() {
        let words = ["0.0512", "-0.2", "8.004", "140.35"].map(|share| share.parse().unwrap());
        let words = words.map(to_liquidation);
        assert_eq!(words, ["5.12%", "-20.00% past", "800%", ">999%"]);
    }

    #[test]
    fn the_distance_to_liquidation_is_signed_and_says_when_it_is_past() {
        let mut model = testing::bare_desk();
        let sol = testing::market("SOL", "200", "200", (2, 20));
        testing::arrive(&mut model, Answer::Markets(Ok(vec![sol])));
        let zone = Zone::utc();
        let scene = Scene::of(&model, &zone);
        for (size, liquidation, shown) in [
            ("1", "190", "5.00%"),
            ("1", "210", "-5.00% past"),
            ("-1", "210", "5.00%"),
            ("-1", "190", "-5.00% past"),
        ] {
            let more = format!(r#""liquidation_price":{liquidation}"#);
            let position = testing::position("p", "SOL", size, &more);
            assert_eq!(
                distance(&position, &scene).text(),
                shown,
                "{size} {liquidation}"
            );
        }
    }
}
