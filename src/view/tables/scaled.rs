//! Scaled orders: the prices of each with a size bar, and the state of every rung.

use super::order_words;
use crate::{
    app::{Remote, RowId, Rows},
    model::{MarketId, Num, Order, OrderStatus, Rung, Scaled, ScaledId},
    view::text::{
        Align::{Number, Words},
        Cell, Column, Facts, Lead, RowBody, Scene, Span, Table, TableRow, Tone, format,
        words::{self, known, known_muted},
    },
};
use std::ops::Range;

/// One rung and the state of its order.
#[derive(Debug, Clone, PartialEq)]
pub struct RungLine {
    pub rung: Rung,
    pub market_id: MarketId,
    pub size_decimals: Option<u32>,
    /// Its size relative to the largest rung.
    pub weight: Option<Num>,
    pub order: Option<Order>,
    /// Its order no longer works, whatever an older row says.
    pub over: Option<RungEnd>,
}

impl RungLine {
    /// Whether it can still be canceled; a rung with an unread order may work.
    pub(crate) fn works(&self) -> bool {
        let is_placed = self.rung.order_id.is_some() && self.over.is_none();
        is_placed && status(self).is_none_or(OrderStatus::is_working)
    }
}

/// Why an order that was last seen working no longer works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RungEnd {
    /// With its scaled order, whose cancel ends the working rungs (`docs/service-api.md 2.3`).
    Canceled,
    /// Filled or canceled.
    Somehow,
}

pub const RUNGS: &[Column<RungLine>] = &[
    Column::new("price", "price", Number, 0, |line, scene| {
        let market = scene.store.market(&line.market_id);
        Span::new(format::price(line.rung.price, market), tone(line)).into()
    }),
    Column::new("distance", "to mark", Number, 3, |line, scene| {
        let distance = scene.mark_distance(line.rung.price, &line.market_id);
        known_muted(distance.map(format::signed_percent)).into()
    }),
    Column::new("size", "size", Number, 1, |line, _| {
        let size = Span::new(format::size(line.rung.size, line.size_decimals), tone(line));
        match line.weight {
            Some(weight) => Cell::with_gauge(weight, bar_tone(line), size),
            None => size.into(),
        }
    }),
    Column::number("filled", "filled", 2, format::whole_percent, filled).toned(Tone::Muted),
    Column::new("state", "state", Words, 0, |line, _| state(line).into()),
    Column::known("order_id", "order", 9, |line: &RungLine| {
        line.rung.order_id.as_ref().map(ToString::to_string)
    })
    .toned(Tone::Muted),
];

/// Scaled orders on the command line, without their rungs.
pub const SCALED: &[Column<Scaled>] = &[Column::new(
    "scaled_order",
    "scaled order",
    Words,
    0,
    |row, scene| head(row, scene).into(),
)];

/// The status of its order; `None` if unknown.
fn status(line: &RungLine) -> Option<OrderStatus> {
    let status = line.order.as_ref()?.status.known();
    status.filter(|status| !(line.over.is_some() && status.is_working()))
}

fn filled(line: &RungLine) -> Option<Num> {
    order_words::filled_share(line.order.as_ref()?)
}

fn is_partial(line: &RungLine) -> bool {
    filled(line).is_some_and(|share| share.is_positive() && share < Num::ONE)
}

fn tone(line: &RungLine) -> Tone {
    match status(line) {
        _ if line.rung.reject_reason.is_some() || line.over.is_some() => Tone::Muted,
        Some(OrderStatus::Canceled | OrderStatus::Expired | OrderStatus::Rejected) => Tone::Muted,
        Some(OrderStatus::Filled | OrderStatus::Pending | OrderStatus::Resting) | None => {
            Tone::Plain
        }
    }
}

fn bar_tone(line: &RungLine) -> Tone {
    match status(line) {
        Some(OrderStatus::Filled) => Tone::Info,
        Some(OrderStatus::Pending | OrderStatus::Resting) => Tone::Accent,
        Some(OrderStatus::Canceled | OrderStatus::Expired | OrderStatus::Rejected) | None => {
            Tone::Muted
        }
    }
}

/// Working, filled, canceled, or rejected with the reason. `placed` if its order was not read, `canceled` if it last
/// worked and its scaled order was canceled since, `ended` if nothing shows how it ended.
fn state(line: &RungLine) -> Span {
    if let Some(why) = &line.rung.reject_reason {
        return Span::alert(format!("rejected: {why}"));
    }
    let Some(order) = &line.order else {
        return match line.rung.order_id {
            Some(_) if line.over.is_some() => Span::muted("ended"),
            Some(_) => Span::muted("placed"),
            None => Span::unknown(),
        };
    };
    match order.status.known() {
        Some(OrderStatus::Resting | OrderStatus::Pending) if line.over.is_some() => {
            Span::muted(match line.over {
                Some(RungEnd::Canceled) => "canceled",
                Some(RungEnd::Somehow) | None => "ended",
            })
        }
        Some(OrderStatus::Resting | OrderStatus::Pending) if is_partial(line) => {
            Span::info("partial")
        }
        Some(OrderStatus::Resting | OrderStatus::Pending) => Span::accent("working"),
        Some(OrderStatus::Filled) => Span::info("filled"),
        Some(OrderStatus::Rejected) => {
            Span::alert(format!("rejected: {}", order_words::reason(order)))
        }
        Some(OrderStatus::Canceled | OrderStatus::Expired) | None => words::status(&order.status),
    }
}

/// `SCALED` and its title, above its orders.
pub fn head(scaled: &Scaled, scene: &Scene<'_>) -> Vec<Span> {
    Facts::whole(named_facts(scaled, scene))
}

/// The same in parts, for narrow windows.
pub(crate) fn named_facts(scaled: &Scaled, scene: &Scene<'_>) -> Vec<Facts> {
    let mut facts = title(scaled, scene);
    facts.insert(0, Facts::new(0, [Span::muted("SCALED ")]));
    facts
}

/// `ETH BUY 12.0  3,000 → 2,900  1 rejected  6/8 placed  active`; parts that the rungs show too are dropped first.
fn title(scaled: &Scaled, scene: &Scene<'_>) -> Vec<Facts> {
    let market = scene.store.market(&scaled.market_id);
    let size = scaled
        .total_size
        .map(|size| format::size(size, decimals(scaled, scene)));
    let price = |price: Option<Num>| format::or_unknown(price.map(|p| format::price(p, market)));
    let count = |n: Option<Num>| format::or_unknown(n.map(format::grouped));
    let name = [
        scene.market(&scaled.market_id),
        Span::plain(" "),
        words::strategy_side(scaled.side()),
        Span::plain(" "),
        known(size),
    ];
    let (start, end) = (price(scaled.start_price), price(scaled.end_price));
    let (placed, rungs) = (count(scaled.placed_count), count(scaled.rung_count));
    let rejected = scaled.rejected_count.filter(|n| n.is_positive()).map(|n| {
        let rejected = format!("  {} rejected", format::grouped(n));
        Facts::new(2, [Span::alert(rejected)])
    });
    let facts = [
        Some(Facts::new(0, name)),
        Some(Facts::new(1, Span::muted(format!("  {start} → {end}")))),
        rejected,
        Some(Facts::new(
            4,
            Span::muted(format!("  {placed}/{rungs} placed")),
        )),
        Some(Facts::new(3, [Span::plain("  "), status_words(scaled)])),
    ];
    facts.into_iter().flatten().collect()
}

fn status_words(scaled: &Scaled) -> Span {
    let status = known(scaled.status.as_ref().map(words::spaced));
    let has_ended = scaled.ended_at().is_some();
    let tone = if has_ended { Tone::Muted } else { Tone::Info };
    Span::new(status.text, tone)
}

/// The visible lines: scaled orders and their rungs.
pub(crate) fn table(scene: &Scene<'_>, rows: &Rows<'_>, range: Range<usize>) -> Table {
    let visible = range.filter_map(|at| Some((rows.get(at)?, rows.get(at + 1))));
    let lines = visible.filter_map(|(row, next)| line(&row, next.as_ref(), scene));
    Table::new(RUNGS, lines.collect())
}

fn line(row: &RowId, next: Option<&RowId>, scene: &Scene<'_>) -> Option<TableRow> {
    match row {
        RowId::Scaled(id) => {
            let body = if let Some(scaled) = scene.store.scaled_order(id) {
                title(scaled, scene)
            } else {
                let id_alone = [Span::muted("SCALED "), Span::plain(id.to_string())];
                vec![Facts::new(0, id_alone), Facts::new(1, [waiting(id, scene)])]
            };
            Some(TableRow {
                lead: Lead::Root,
                body: RowBody::Line(body),
            })
        }
        RowId::Rung(id, number) => {
            let line = rung_line(scene.store.scaled_order(id)?, *number, scene)?;
            let lead = match next {
                Some(RowId::Rung(..)) => Lead::Child,
                _ => Lead::LastChild,
            };
            let row = TableRow::cells(RUNGS, &line, scene);
            Some(TableRow { lead, ..row })
        }
        RowId::Position(_) | RowId::Order(_) | RowId::Twap(_) | RowId::Line(_) => None,
    }
}

/// A scaled order that was not read yet, and why.
fn waiting(id: &ScaledId, scene: &Scene<'_>) -> Span {
    let scaled = scene.store.scaled.get(id);
    match scaled.and_then(Remote::trouble) {
        Some(why) => Span::alert(format!("  {why}")),
        None => Span::muted("  loading…"),
    }
}

/// Every rung of a scaled order with its order.
pub fn rungs(scaled: &Scaled, scene: &Scene<'_>) -> Vec<RungLine> {
    let numbers = 0..scaled.rungs.len();
    numbers
        .filter_map(|number| rung_line(scaled, number, scene))
        .collect()
}

/// The n-th rung of a scaled order with its order.
pub(crate) fn rung_line(scaled: &Scaled, number: usize, scene: &Scene<'_>) -> Option<RungLine> {
    let rung = scaled.rungs.get(number)?.clone();
    let largest = scaled.rungs.iter().map(|rung| rung.size.abs()).max()?;
    let over = over(scaled, &rung, scene);
    let order = rung.order_id.as_ref().and_then(|id| {
        let last_seen = || over.and_then(|_| scene.store.rungs.get(id));
        scene.store.order(id).or_else(last_seen)
    });
    Some(RungLine {
        weight: rung.size.abs().over(largest),
        order: order.cloned(),
        over,
        market_id: scaled.market_id.clone(),
        size_decimals: decimals(scaled, scene),
        rung,
    })
}

/// Whether the rung's order is known to have ended: a complete list of working orders lacks it, or its scaled order was
/// canceled after that list was read.
fn over(scaled: &Scaled, rung: &Rung, scene: &Scene<'_>) -> Option<RungEnd> {
    let store = scene.store;
    let id = rung.order_id.as_ref()?;
    let read_at = store.scaled.get(&scaled.id).and_then(Remote::at);
    let is_canceled = scaled.canceled_at.is_some();
    if is_canceled && read_at >= store.orders.at() {
        return Some(RungEnd::Canceled);
    }
    let is_over = match store.order(id) {
        Some(order) => store.is_over(order),
        None => store.is_over_since(id, read_at),
    };
    let how = if is_canceled {
        RungEnd::Canceled
    } else {
        RungEnd::Somehow
    };
    is_over.then_some(how)
}

fn decimals(scaled: &Scaled, scene: &Scene<'_>) -> Option<u32> {
    scene.decimals(scaled.size_decimals, &scaled.market_id)
}

/// A rung on one line, for the detail.
pub(crate) fn rung_words(line: &RungLine, scene: &Scene<'_>) -> Vec<Span> {
    let market = scene.store.market(&line.market_id);
    let price = format::price(line.rung.price, market);
    let size = format::size(line.rung.size, line.size_decimals);
    let order = line.rung.order_id.as_ref().map(|id| format!("  {id}"));
    vec![
        Span::plain(format!("{price} × {size}  ")),
        state(line),
        Span::muted(order.unwrap_or_default()),
    ]
}
