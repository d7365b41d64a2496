//! What the account has in the market shown: prices that matter to it, and its own fills.

use super::{chart_slot::ChartSlot, scale::PriceUnit};
use crate::{
    app::{
        CandleChart, CandleSeries, Model, Prices,
        market::own_orders::{OwnOrderKind, PricedOrder, priced_orders},
        session_of,
    },
    model::{Interval, Market, MarketId, Num, Protection, Side, Timestamp},
    view::text::{Scene, Tone, format},
};

/// What a price means to the account. Where two lie on one row, the first of these is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LineKind {
    /// The price that the keys act at.
    Cursor,
    Mark,
    /// The last one that was reported, which is late.
    LateMark,
    Liquidation,
    Stop,
    Entry,
    Target,
    /// A resting order of this side.
    Order(LineSide),
    /// An armed order of this side that protects nothing.
    Armed(LineSide),
    /// An alert of the trader's own.
    Alert,
    /// A line of the trader's own.
    Own,
    /// The session's first, highest and lowest price, and the last of the session before.
    DayOpen,
    DayHigh,
    DayLow,
    PreviousClose,
}

/// Which way an order goes; a word nobody has heard of has no side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LineSide {
    Buy,
    Sell,
    Unknown,
}

impl LineSide {
    fn of(side: Option<Side>) -> Self {
        match side {
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
    /// What its owner calls it.
    pub name: Option<String>,
}

impl LineKind {
    fn mark(scene: &Scene<'_>) -> Self {
        if scene.priced.is_some() {
            Self::LateMark
        } else {
            Self::Mark
        }
    }

    fn of(own: &PricedOrder<'_>) -> Self {
        match own.kind {
            OwnOrderKind::Protects(Protection::Stop) => Self::Stop,
            OwnOrderKind::Protects(Protection::Target) => Self::Target,
            OwnOrderKind::Entry => Self::Armed(LineSide::of(own.side)),
            OwnOrderKind::Resting => Self::Order(LineSide::of(own.side)),
        }
    }

    /// Whether its price need not be one that an order can have.
    fn is_average(self) -> bool {
        matches!(
            self,
            Self::Mark | Self::LateMark | Self::Liquidation | Self::Entry
        )
    }

    /// What joins its name to its line.
    pub fn lead(self) -> char {
        if self == Self::Cursor { '›' } else { '◂' }
    }

    pub fn look(self) -> LineLook {
        let (name, sign, tone) = match self {
            Self::Cursor => ("", ' ', Tone::Accent),
            Self::Mark => ("mark", 'M', Tone::Strong),
            Self::LateMark => ("late", 'm', Tone::Muted),
            Self::Liquidation => ("liq", 'L', Tone::Alert),
            Self::Stop => ("stop", 'S', Tone::Warn),
            Self::Entry => ("entry", 'E', Tone::Accent),
            Self::Target => ("tgt", 'T', Tone::Good),
            Self::Order(LineSide::Buy) => ("buy", 'b', Tone::Good),
            Self::Order(LineSide::Sell) => ("sell", 's', Tone::Bad),
            Self::Order(LineSide::Unknown) => ("order", 'o', Tone::Plain),
            Self::Armed(LineSide::Buy) => ("b trg", 't', Tone::Info),
            Self::Armed(LineSide::Sell) => ("s trg", 't', Tone::Info),
            Self::Armed(LineSide::Unknown) => ("trg", 't', Tone::Info),
            Self::Alert => ("alert", '@', Tone::Info),
            Self::Own => ("line", '=', Tone::Info),
            Self::DayOpen => ("open", 'o', Tone::Muted),
            Self::DayHigh => ("high", 'h', Tone::Muted),
            Self::DayLow => ("low", 'l', Tone::Muted),
            Self::PreviousClose => ("prev", 'p', Tone::Muted),
        };
        LineLook { name, sign, tone }
    }
}

/// How a price is written beside the chart.
#[derive(Debug, Clone, Copy)]
pub struct LineLook {
    pub name: &'static str,
    /// Where its name has no room.
    pub sign: char,
    pub tone: Tone,
}

/// Every price that matters, the most important first.
pub(crate) fn lines(
    model: &Model,
    (id, market): (&MarketId, Option<&Market>),
    (series, unit): (&CandleSeries, PriceUnit),
    chart: &CandleChart,
    scene: &Scene<'_>,
) -> Vec<PriceLine> {
    let cursor = model.price_ladder.cursor();
    let cursor = cursor.filter(|_| model.price_ladder.market() == Some(id));
    let cursor = cursor.map(|price| (LineKind::Cursor, price));
    let alerts = model.account.user_alerts.prices(id);
    let alerts = alerts.map(|price| (LineKind::Alert, price));
    let mark = market.and_then(|market| market.mark);
    let mark = mark.map(|mark| (LineKind::mark(scene), mark));
    let positions = scene.store.positions.rows().iter();
    let held = positions.filter(|held| held.market_id == *id);
    let of_positions = held.flat_map(|position| {
        let entry = (LineKind::Entry, position.entry_price);
        [entry, (LineKind::Liquidation, position.liquidation_price)]
    });
    let of_positions = of_positions.filter_map(|(kind, price)| Some((kind, price?)));
    let orders = priced_orders(scene.store, id).map(|own| (LineKind::of(&own), own.price));
    let priced = cursor.into_iter().chain(mark).chain(of_positions);
    let session = chart
        .has_averages
        .then(|| session(series))
        .into_iter()
        .flatten();
    let priced = priced.chain(orders).chain(alerts).chain(session);
    let priced = priced.map(|(kind, price)| (kind, price, None));
    let own = model.market_screen.lines.of(id).iter();
    let own = own.map(|line| (LineKind::Own, line.price, Some(line.name.clone())));
    let line = |(kind, price, name): (LineKind, Num, Option<String>)| {
        Some(PriceLine {
            kind,
            count: unit.count(price)?,
            price: if kind.is_average() {
                format::average(price, market)
            } else {
                format::price(price, market)
            },
            name,
        })
    };
    let mut lines: Vec<_> = priced.chain(own).filter_map(line).collect();
    lines.sort_by_key(|line| line.kind);
    lines
}

/// The prices of the session of the newest candle: those that are known, none where its beginning is not.
fn session(series: &CandleSeries) -> Vec<(LineKind, Num)> {
    let Some(session_start) = series.newest().map(|newest| session_of(newest.open_time)) else {
        return vec![];
    };
    let Some(first) = series.at(session_start) else {
        return vec![];
    };
    let candles = || series.within(session_start..Timestamp(i64::MAX));
    let before = series
        .within(Timestamp(i64::MIN)..session_start)
        .next_back();
    let prices = [
        (LineKind::DayOpen, Some(first.open)),
        (LineKind::DayHigh, candles().map(|candle| candle.high).max()),
        (LineKind::DayLow, candles().map(|candle| candle.low).min()),
        (LineKind::PreviousClose, before.map(|candle| candle.close)),
    ];
    let known = prices.into_iter();
    known
        .filter_map(|(kind, price)| Some((kind, price?)))
        .collect()
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
