//! What the account has in the market shown: prices that matter to it, and its own fills.

use super::{chart::ChartSlot, scale::PriceUnit};
use crate::{
    app::Prices,
    model::{Interval, Market, MarketId, Num, Order, Position, Protection, Side, Timestamp},
    view::text::{format, scene::Scene, span::Tone},
};

/// What a price means to the account. Where two lie on one row, the first of these is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LineKind {
    Mark,
    Liquidation,
    Stop,
    Entry,
    Target,
    /// A resting order of this side.
    Order(LineSide),
    /// An armed order of this side that protects nothing.
    Armed(LineSide),
}

/// Which way an order goes; a word nobody has heard of has no side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LineSide {
    Buy,
    Sell,
    Unknown,
}

impl LineSide {
    fn of(order: &Order) -> Self {
        match order.side.known() {
            Some(Side::Buy) => Self::Buy,
            Some(Side::Sell) => Self::Sell,
            None => Self::Unknown,
        }
    }
}

/// A price that matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceLine {
    pub kind: LineKind,
    /// In units of the chart.
    pub count: i64,
    /// Every digit of it.
    pub price: String,
}

/// Names, their one-letter signs, and tones.
impl LineKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Mark => "mark",
            Self::Liquidation => "liq",
            Self::Stop => "stop",
            Self::Entry => "entry",
            Self::Target => "tgt",
            Self::Order(LineSide::Buy) => "buy",
            Self::Order(LineSide::Sell) => "sell",
            Self::Order(LineSide::Unknown) => "order",
            Self::Armed(LineSide::Buy) => "b trg",
            Self::Armed(LineSide::Sell) => "s trg",
            Self::Armed(LineSide::Unknown) => "trg",
        }
    }

    pub fn sign(self) -> char {
        match self {
            Self::Mark => 'M',
            Self::Liquidation => 'L',
            Self::Stop => 'S',
            Self::Entry => 'E',
            Self::Target => 'T',
            Self::Order(LineSide::Buy) => 'b',
            Self::Order(LineSide::Sell) => 's',
            Self::Order(LineSide::Unknown) => 'o',
            Self::Armed(_) => 't',
        }
    }

    pub fn tone(self) -> Tone {
        match self {
            Self::Mark => Tone::Strong,
            Self::Liquidation => Tone::Alert,
            Self::Stop => Tone::Warn,
            Self::Entry => Tone::Accent,
            Self::Target | Self::Order(LineSide::Buy) => Tone::Good,
            Self::Order(LineSide::Sell) => Tone::Bad,
            Self::Order(LineSide::Unknown) => Tone::Plain,
            Self::Armed(_) => Tone::Info,
        }
    }
}

/// Every price that matters, the most important first.
pub(crate) fn lines(
    id: &MarketId,
    market: Option<&Market>,
    unit: PriceUnit,
    scene: &Scene<'_>,
) -> Vec<PriceLine> {
    let positions = scene.store.positions.rows().iter();
    let held: Vec<&Position> = positions.filter(|held| held.market_id == *id).collect();
    let working = scene.store.orders.rows().iter();
    let here = working.filter(|order| order.market_id == *id && order.is_working());
    let mark = market.and_then(|market| market.mark);
    let mut priced: Vec<(LineKind, Num)> = mark
        .map(|mark| (LineKind::Mark, mark))
        .into_iter()
        .collect();
    for position in &held {
        let ends = [
            (LineKind::Entry, position.entry_price),
            (LineKind::Liquidation, position.liquidation_price),
        ];
        priced.extend(
            ends.into_iter()
                .filter_map(|(kind, price)| Some((kind, price?))),
        );
    }
    priced.extend(here.filter_map(|order| of_order(order, &held)));
    let mut lines: Vec<_> = priced
        .into_iter()
        .filter_map(|(kind, price)| {
            Some(PriceLine {
                kind,
                count: unit.count(price)?,
                price: match kind {
                    LineKind::Order(_) | LineKind::Armed(_) | LineKind::Stop | LineKind::Target => {
                        format::price(price, market)
                    }
                    LineKind::Mark | LineKind::Liquidation | LineKind::Entry => {
                        format::average(price, market)
                    }
                },
            })
        })
        .collect();
    lines.sort_by_key(|line| line.kind);
    lines
}

/// Where an order fills or fires; one that waits for another market's mark has no place on this chart.
fn of_order(order: &Order, held: &[&Position]) -> Option<(LineKind, Num)> {
    let elsewhere = order.trigger_market_id.as_ref();
    if elsewhere.is_some_and(|id| *id != order.market_id) {
        return None;
    }
    let price = order.trigger_price.or(order.limit_price)?;
    let protects = held.iter().find_map(|position| order.protects(position));
    let kind = match protects {
        Some(Protection::Stop) => LineKind::Stop,
        Some(Protection::Target) => LineKind::Target,
        None if order.is_armed() => LineKind::Armed(LineSide::of(order)),
        None => LineKind::Order(LineSide::of(order)),
    };
    Some((kind, price))
}

/// Marks the slots in which the account traded.
pub(crate) fn fills(
    scene: &Scene<'_>,
    id: &MarketId,
    (first, interval): (Timestamp, Interval),
    slots: &mut [ChartSlot],
) {
    let fills = scene
        .store
        .prices
        .get(id)
        .into_iter()
        .flat_map(Prices::fills);
    for fill in fills.filter(|fill| fill.at >= first) {
        let at = interval.open_of(fill.at).0.saturating_sub(first.0);
        let slot = usize::try_from(at / interval.millis()).ok();
        if let Some(slot) = slot.and_then(|slot| slots.get_mut(slot)) {
            match fill.side {
                Some(Side::Buy) => slot.bought = true,
                Some(Side::Sell) => slot.sold = true,
                None => {}
            }
        }
    }
}
