//! The columns of working orders, and their tree.

use super::{
    order_words::{due_size, filled_share},
    scaled, twaps,
};
use crate::{
    app::{RowId, Rows, Store, TreeRow},
    model::{Command, Lenient, Num, Order, OrderId, OrderMode, OrderStatus, Progress, TimeInForce},
    view::text::{
        Align::{Left, Number},
        Cell, Column, Facts, Lead, RowBody, Scene, Span, Table, TableRow, Tone, format, passing,
        words::{self, known_muted},
    },
};
use std::{collections::HashSet, ops::Range};

pub const WORKING: &[Column<Order>] = &[
    Column::new("market", "market", Left, 0, market).short("mkt"),
    Column::new("side", "side", Left, 0, side),
    Column::new("mode", "type", Left, 1, mode).holds("conditional", "stp lim"),
    Column::new("status", "state", Left, 1, state).holds("cancel waiting", "cxl wait"),
    Column::new("size", "size", Number, 0, working_size),
    Column::new("filled", "filled", Number, 4, filled)
        .short("fill")
        .holds("100%", "100%"),
    Column::new("limit_price", "price", Number, 0, price),
    Column::new("trigger_price", "trigger", Left, 0, trigger),
    Column::new("distance", "to mark", Number, 2, distance).holds("-99.99%", "-99.99%"),
    Column::new("time_in_force", "tif", Left, 3, time_in_force).holds("gtd 23h59m", "23h"),
    Column::new("reduce_only", "RO", Left, 0, reduce_only).holds("RO", "RO"),
    Column::new("attached_exits", "SL/TP", Left, 5, exits),
    Column::new("margin", "margin", Left, 8, |o, _| {
        words::margin(&o.margin_mode, Some(o.leverage)).into()
    }),
    Column::new("age", "age", Number, 7, |order: &Order, scene| {
        Span::muted(scene.age(scene.since(order.requested_at))).into()
    })
    .span(|order, scene| Some(scene.since(order.requested_at))),
];

pub(crate) fn market(order: &Order, scene: &Scene<'_>) -> Cell {
    scene.market(&order.market_id).into()
}

pub(crate) fn side(order: &Order, _: &Scene<'_>) -> Cell {
    words::order_side(&order.side).into()
}

pub(crate) fn mode(order: &Order, _: &Scene<'_>) -> Cell {
    let brief = Span::plain(words::brief_mode(&order.mode));
    Cell::from(Span::plain(words::mode(&order.mode))).or_brief(brief)
}

pub(crate) fn size(order: &Order, scene: &Scene<'_>) -> Cell {
    let market = scene.store.market(&order.market_id);
    Span::plain(words::order_size(due_size(order), market)).into()
}

/// A size that may still change.
fn working_size(order: &Order, scene: &Scene<'_>) -> Cell {
    size(order, scene).of_size(scene.store.market(&order.market_id))
}

/// Its status, and a pending command for it.
pub(crate) fn state(order: &Order, scene: &Scene<'_>) -> Cell {
    let (words, brief, tone) = match cancel_of(&order.id, scene) {
        Some(Progress::Queued) => ("cancel waiting", "cxl wait", Tone::Warn),
        Some(Progress::Unknown { .. }) => ("cancel unknown", "cxl ?", Tone::Alert),
        Some(_) => ("canceling", "cxl sent", Tone::Warn),
        None if order.is_working() && scene.store.is_cancel_queued(order) => {
            ("cancel pending", "cxl pend", Tone::Warn)
        }
        None if is_partly_filled(order) => return partial(order),
        None if rests_at_cap(order, scene) => ("at its cap", "capped", Tone::Warn),
        None => return status(order, scene).into(),
    };
    Cell::from(Span::new(words, tone)).or_brief(Span::new(brief, tone))
}

/// A chase that its cap holds back: within a tick of the cap.
pub(crate) fn rests_at_cap(order: &Order, scene: &Scene<'_>) -> bool {
    let is_chase = order.mode.is(&OrderMode::Chase) && order.status.is(&OrderStatus::Resting);
    let prices = order
        .limit_price
        .zip(order.chase_cap_price)
        .filter(|_| is_chase);
    let tick = |price| scene.store.market(&order.market_id)?.tick(price);
    prices.is_some_and(|(price, cap)| match (price.minus(cap), tick(price)) {
        (Some(apart), Some(tick)) => apart.abs() < tick.step(),
        (Some(apart), None) => apart.is_zero(),
        (None, _) => false,
    })
}

/// In a narrow window no other column shows the filled part.
fn partial(order: &Order) -> Cell {
    let share = filled_share(order).map(format::whole_percent);
    let brief = share.map_or_else(|| "partial".to_owned(), |share| format!("part {share}"));
    Cell::from(Span::info("partial")).or_brief(Span::info(brief))
}

/// The service's status, or `armed` while it waits for a price. `ended` if an old history page calls it working and a
/// newer list of working orders lacks it.
pub(crate) fn status(order: &Order, scene: &Scene<'_>) -> Span {
    let from_receipt = scene.store.status_by_receipt(&order.id);
    if let Some(from_receipt) =
        from_receipt.filter(|from_receipt| order.is_working() && !from_receipt.is_working())
    {
        return words::status(&Lenient::Known(from_receipt));
    }
    if scene.store.is_over(order) {
        return Span::muted("ended");
    }
    if order.is_armed() {
        return Span::info("armed");
    }
    words::status(&order.status)
}

fn cancel_of<'a>(id: &OrderId, scene: &Scene<'a>) -> Option<&'a Progress> {
    let mut pending = scene.store.pending.values();
    let pending = pending.find(
        |f| matches!(&f.command, Command::Cancel(order) | Command::Unprotect(order) if order == id),
    )?;
    Some(&pending.progress)
}

fn is_partly_filled(order: &Order) -> bool {
    order.status.is(&OrderStatus::Resting) && order.filled_size.is_some_and(Num::is_positive)
}

fn filled(order: &Order, _: &Scene<'_>) -> Cell {
    let Some(share) = filled_share(order) else {
        return Span::unknown().into();
    };
    let tone = if share.is_zero() {
        Tone::Muted
    } else {
        Tone::Plain
    };
    let words = Span::new(format::whole_percent(share), tone);
    Cell::with_gauge(share, Tone::Info, words)
}

pub(crate) fn price(order: &Order, scene: &Scene<'_>) -> Cell {
    let market = scene.store.market(&order.market_id);
    let kind = order.kind.known();
    let takes_the_market = kind.is_some_and(|kind| !kind.is_limit());
    let cell = match order.limit_price {
        Some(price) => Span::plain(format::price(price, market)).into(),
        None if takes_the_market => Cell::from(Span::muted("market")).or_brief(Span::muted("mkt")),
        None => Span::unknown().into(),
    };
    cell.of_price(market)
}

/// `offset 0.5, cap 64,400`: a chase's distance from the best price, and its limit; with less room the limit alone.
fn chase(order: &Order, scene: &Scene<'_>) -> Option<Cell> {
    let market = scene.store.market(&order.market_id);
    let offset = format::grouped(order.chase_offset?.normalized());
    let offset = format!("offset {offset}");
    let Some(cap) = order.chase_cap_price else {
        return Some(Span::muted(offset).into());
    };
    let cap = format!("cap {}", format::price(cap, market));
    let whole = Span::muted(format!("{offset}, {cap}"));
    Some(Cell::from(whole).or_brief(Span::muted(cap)))
}

/// `≥ 64,000`, with the market if it is another one's mark.
pub(crate) fn trigger(order: &Order, scene: &Scene<'_>) -> Cell {
    let widest = format::mark(scene.store.market(&order.market_id));
    let or_wider = |cell: Cell| match widest {
        Some(mark) => cell.or_wider(format!("≥ {mark}"), format!("≥{mark}")),
        None => cell,
    };
    let Some(price) = order.trigger_price else {
        return or_wider(chase(order, scene).unwrap_or_default());
    };
    let of = order.trigger_market_id.as_ref().unwrap_or(&order.market_id);
    let sign = words::reaches(order);
    let elsewhere = if *of == order.market_id {
        String::new()
    } else {
        format!("{} ", scene.market(of).text)
    };
    let price = format::price(price, scene.store.market(of));
    let words = format!("{elsewhere}{sign} {price}");
    let brief = words.replace("≥ ", "≥").replace(" ≥", "≥");
    let brief = brief.replace("≤ ", "≤").replace(" ≤", "≤");
    or_wider(Cell::from(Span::info(words)).or_brief(Span::info(brief)))
}

/// How far the mark is from the price that fills or fires it, as a share of the mark.
pub(crate) fn distance_share(order: &Order, scene: &Scene<'_>) -> Option<Num> {
    let elsewhere = order.trigger_market_id.as_ref();
    let of = elsewhere.filter(|_| order.is_armed());
    scene.mark_distance(order.working_price()?, of.unwrap_or(&order.market_id))
}

fn distance(order: &Order, scene: &Scene<'_>) -> Cell {
    known_muted(distance_share(order, scene).map(format::signed_percent)).into()
}

fn time_in_force(order: &Order, scene: &Scene<'_>) -> Cell {
    let Some(tif) = &order.time_in_force else {
        return Span::unknown().into();
    };
    match order.gtd_expires_at.filter(|_| tif.is(&TimeInForce::Gtd)) {
        Some(end) => {
            let left = scene.until(end, passing::BARE);
            let brief = Span::plain(format::age(end.since(scene.served())));
            Cell::from(Span::plain(format!("gtd {left}"))).or_brief(brief)
        }
        None => Span::muted(tif.to_string()).into(),
    }
}

/// Or `OCO`: it only reduces, and a fill of its sibling takes the same size off it.
fn reduce_only(order: &Order, _: &Scene<'_>) -> Cell {
    let word = match (&order.oco_sibling_order_id, order.reduce_only) {
        (Some(_), _) => "OCO",
        (None, true) => "RO",
        (None, false) => "",
    };
    Span::plain(word).into()
}

/// `60,000/70,000`, `60,000/–`: its stop loss and its take profit.
pub(crate) fn exits(order: &Order, scene: &Scene<'_>) -> Cell {
    let market = scene.store.market(&order.market_id);
    let legs = [
        order.attached_stop_loss_price,
        order.attached_take_profit_price,
    ];
    if legs.iter().all(Option::is_none) {
        return Cell::default();
    }
    let leg = |price: Option<Num>| price.map(|price| format::price(price, market));
    let legs = legs.map(|price| format::or_unknown(leg(price)));
    Span::muted(legs.join("/")).into()
}

/// The visible lines of the tree.
pub(crate) fn table(scene: &Scene<'_>, rows: &Rows<'_>, range: Range<usize>) -> Table {
    let tree = &scene.store.tree;
    // One more than is shown: the last branch is drawn differently.
    let places: Vec<_> = rows.places(range.start..range.end + 1).collect();
    let lines = places.iter().take(range.len()).enumerate();
    let lines = lines.filter_map(|(at, place)| {
        let next = places.get(at + 1).and_then(|place| tree.get(*place));
        let row = tree.get(*place)?;
        Some(line(row, lead(row, next), scene))
    });
    Table::new(WORKING, lines.collect())
}

fn lead(row: &TreeRow, next: Option<&TreeRow>) -> Lead {
    match next {
        _ if row.depth == 0 => Lead::Root,
        Some(next) if next.depth > 0 => Lead::Child,
        Some(_) | None => Lead::LastChild,
    }
}

fn line(row: &TreeRow, lead: Lead, scene: &Scene<'_>) -> TableRow {
    let store = scene.store;
    let body = match &row.id {
        RowId::Order(id) => match store.order(id) {
            Some(order) => TableRow::cells(WORKING, order, scene).body,
            None => alone(format!("order {id}")),
        },
        RowId::Twap(id) => match store.twap(id) {
            Some(twap) => RowBody::Line(twaps::facts(twap, scene)),
            None => alone(format!("TWAP {id}")),
        },
        RowId::Scaled(id) => match store.scaled_order(id) {
            Some(scaled) => RowBody::Line(scaled::named_facts(scaled, scene)),
            None => alone(format!("scaled order {id}")),
        },
        RowId::Position(_) | RowId::Rung(..) | RowId::Line(_) => RowBody::Line(vec![]),
    };
    TableRow { lead, body }
}

/// A row of which only the id is known.
fn alone(id: String) -> RowBody {
    RowBody::Line(vec![Facts::new(0, [Span::muted(id)])])
}

/// The orders of these rows: one pass over the working ones instead of a search for each.
fn orders_of<'a>(rows: &Rows<'_>, store: &'a Store) -> Vec<&'a Order> {
    let shown = rows.at(0..rows.len()).into_iter();
    let mut ids: HashSet<_> = shown.filter_map(RowId::try_as_order).collect();
    let working = store.orders.rows().iter();
    let mut orders: Vec<_> = working.filter(|order| ids.remove(&order.id)).collect();
    orders.extend(ids.iter().filter_map(|id| store.order(id)));
    orders
}

/// How many work in the book, and how many wait for their trigger.
pub(crate) fn foot(rows: &Rows<'_>, scene: &Scene<'_>) -> Vec<Vec<Span>> {
    let orders = orders_of(rows, scene.store);
    if orders.is_empty() {
        return vec![];
    }
    counted(&orders)
        .map(|(count, word)| vec![Span::muted(format!("{count} {word}"))])
        .into()
}

/// An armed order rests too; it is counted once.
fn counted(orders: &[&Order]) -> [(usize, &'static str); 2] {
    let count = |is: fn(&Order) -> bool| orders.iter().filter(|order| is(order)).count();
    let rests = |order: &Order| order.status.is(&OrderStatus::Resting) && !order.is_armed();
    [(count(rests), "working"), (count(Order::is_armed), "armed")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::{desk, num, order},
        model::Zone,
    };

    fn stop_limit(triggered: &str) -> Order {
        let json = format!(
            r#""type":"stop_limit","mode":"stop_limit","side":"buy","size":0.1,"trigger_price":65000,
            "limit_price":65100,"status":"resting"{triggered}"#
        );
        order("ord-1", "BTC", &json)
    }

    #[test]
    fn an_armed_order_that_rests_is_counted_once() {
        let (armed, triggered) = (stop_limit(""), stop_limit(r#","stop_triggered_at":1"#));
        let told = counted(&[&armed, &triggered]);
        assert_eq!(told, [(1, "working"), (1, "armed")]);
    }

    #[test]
    fn a_stop_limit_is_as_far_away_as_its_trigger_and_then_as_its_limit() {
        let (model, zone) = (desk(), Zone::utc());
        let scene = Scene::of(&model, &zone);
        let mark = scene.store.mark(&"paper|BTC".into()).unwrap();
        let apart = |triggered, price| {
            let told = distance_share(&stop_limit(triggered), &scene);
            let price: Num = num(price);
            assert_eq!(told, price.minus(mark).unwrap().over(mark));
        };
        apart("", "65000");
        apart(r#","stop_triggered_at":1"#, "65100");
    }
}
