//! A market's prices over time with what the account has there: entry, liquidation, orders and exits.
//!
//! Known limits: the prices are the marks polled since the desk was opened and the account's own fills. Marks that follow
//! on each other are joined; a fill is a point, and where no mark was read there is a gap.

use super::curve::FULL;
use crate::{
    app::{Fill, Prices, dialogs::overlay::Chart},
    model::{Market, MarketId, Num, Order, Side, Tick, Timestamp},
    view::text::{
        format,
        scene::Scene,
        span::{Span, Tone},
        words,
    },
};
use std::{cmp::Reverse, time::Duration};

/// More prices than this are not written along the right edge.
const MOST_PRICES: u32 = 6;
/// The steps between them lie between these many decimals and zeros.
const FINEST: u32 = 10;
const LARGEST: u32 = 10;

/// A chart, ready to be drawn. A line far outside the range of prices is named at the edge instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceView {
    pub title: Vec<Span>,
    /// Time and price of each mark, in thousandths from the left and bottom, in order; a new run starts after a gap.
    pub strokes: Vec<Vec<(u16, u16)>>,
    /// The account's own fills.
    pub fills: Vec<PriceTrade>,
    /// The highest price first.
    pub levels: Vec<PriceLevel>,
    /// Round prices with their heights, the highest first.
    pub axis: Vec<(u16, Span)>,
    pub from: Span,
    pub until: Span,
    /// What the points are, and the newest one's age.
    pub foot: Vec<Span>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceTrade {
    pub at: (u16, u16),
    /// One character.
    pub mark: Span,
}

/// A price that matters, with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceLevel {
    pub place: Place,
    pub words: Vec<Span>,
    pub tone: Tone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Thousandths of the chart from its lower end.
    At(u16),
    Above,
    Below,
}

/// A price with its name, before the chart's range is known.
struct Named {
    price: Num,
    words: Vec<Span>,
    tone: Tone,
}

impl PriceView {
    /// Whether there is a single price.
    pub fn is_empty(&self) -> bool {
        self.strokes.is_empty() && self.fills.is_empty()
    }
}

/// The chart of a market.
pub fn price(chart: &Chart, scene: &Scene<'_>) -> PriceView {
    let store = scene.store;
    let market = store.market(&chart.market);
    let from = Timestamp(scene.own_now.0 - i64::try_from(chart.span().as_millis()).unwrap_or(0));
    let prices = store.prices.get(&chart.market);
    let points = prices.map(|prices| prices.points(from)).unwrap_or_default();
    let fills = prices.into_iter().flat_map(Prices::fills);
    let fills: Vec<Fill> = fills.filter(|fill| fill.at >= from).collect();
    let mut named = named(&chart.market, market, scene);
    named.sort_by_key(|named| Reverse(named.price));
    let range = Range::of(&points, &named);
    let runs = prices.map(|prices| prices.runs(from)).unwrap_or_default();
    let reach = points
        .first()
        .filter(|_| !prices.is_some_and(|prices| prices.reaches_beyond(from)))
        .map(|(first, _)| scene.own_now.since(*first));
    // What was not seen needs no room.
    let from = points.first().map_or(from, |(first, _)| *first);
    let past = |at: Timestamp| at.0.saturating_sub(from.0);
    let x = |at: Timestamp| thousandth(past(at), past(scene.own_now));
    let plot = |at, price| Some((x(at)?, range?.height(price)?));
    PriceView {
        title: title(chart, market, reach),
        strokes: runs
            .iter()
            .map(|run| run.iter().filter_map(|(at, p)| plot(*at, *p)).collect())
            .collect(),
        fills: fills
            .iter()
            .filter_map(|fill| {
                Some(PriceTrade {
                    at: plot(fill.at, fill.price)?,
                    mark: mark(fill.side),
                })
            })
            .collect(),
        levels: named
            .into_iter()
            .filter_map(|named| level(named, range?))
            .collect(),
        axis: range.map_or_else(Vec::new, |range| axis(range, market)),
        from: Span::muted(scene.zone.moment(scene.on_wall(from), scene.now)),
        until: Span::muted(scene.zone.moment(scene.now, scene.now)),
        foot: foot(&points, fills.len(), scene),
    }
}

/// `the last 1h`, or `the last 12m of 1h`: how far back there is anything to draw, where that is less.
fn title(chart: &Chart, market: Option<&Market>, reach: Option<Duration>) -> Vec<Span> {
    let mark = market.and_then(|m| Some(format::average(m.mark?, market)));
    let asked = format::age(chart.span());
    let drawn = match reach {
        Some(reach) => format!("{} of {asked}", format::age(reach)),
        None => asked,
    };
    vec![
        words::market(&chart.market),
        Span::muted("  mark "),
        words::known(mark),
        Span::muted(format!("  the last {drawn}")),
    ]
}

/// What the signs mean; how many points, over which time, and how old the newest is: nothing else is known of past
/// prices.
fn foot(points: &[(Timestamp, Num)], fills: usize, scene: &Scene<'_>) -> Vec<Span> {
    let Some(((first, _), (last, _))) = points.first().zip(points.last()) else {
        return vec![Span::muted("no price seen in this time")];
    };
    let marks = points.len().saturating_sub(fills);
    let (over, age) = (last.since(*first), scene.own_now.since(*last));
    let marks = words::counted(marks, "mark", "marks");
    let fills = words::counted(fills, "own fill", "own fills");
    // What the signs mean comes first: where room is short the end goes.
    vec![
        mark(Some(Side::Buy)),
        Span::muted(" bought  "),
        mark(Some(Side::Sell)),
        Span::muted(" sold  "),
        Span::muted(format!("{marks} and {fills} seen")),
        Span::muted(format!(" over {}", format::span(over))),
        Span::muted(format!(", the newest {} old", scene.age(age))),
    ]
}

fn mark(side: Option<Side>) -> Span {
    match side {
        Some(Side::Buy) => Span::new("▲", Tone::Good),
        Some(Side::Sell) => Span::new("▼", Tone::Bad),
        None => Span::muted("•"),
    }
}

/// What the account has in a market.
fn named(id: &MarketId, market: Option<&Market>, scene: &Scene<'_>) -> Vec<Named> {
    let priced = |price| format::average(price, market);
    let mut named = vec![];
    if let Some(mark) = market.and_then(|market| market.mark) {
        let words = vec![Span::new(format!("mark {}", priced(mark)), Tone::Strong)];
        named.push(Named {
            price: mark,
            words,
            tone: Tone::Strong,
        });
    }
    let positions = scene.store.positions.rows().iter();
    for position in positions.filter(|position| position.market_id == *id) {
        let lines = [
            ("entry", position.entry_price, Tone::Accent),
            ("liq", position.liquidation_price, Tone::Alert),
        ];
        named.extend(lines.into_iter().filter_map(|(name, price, tone)| {
            let price = price?;
            let words = vec![Span::new(format!("{name} {}", priced(price)), tone)];
            Some(Named { price, words, tone })
        }));
    }
    let working = scene.store.orders.rows().iter();
    let here = working.filter(|order| order.market_id == *id);
    named.extend(here.filter_map(|order| waiting(order, market)));
    named
}

/// Where an order fills or fires; one that waits for another market's mark has no place on this chart.
fn waiting(order: &Order, market: Option<&Market>) -> Option<Named> {
    let elsewhere = order.trigger_market_id.as_ref();
    if elsewhere.is_some_and(|id| *id != order.market_id) {
        return None;
    }
    let price = order.trigger_price.or(order.limit_price)?;
    let tone =
        if crate::view::tables::order_words::filled_share(order).is_some() && order.is_armed() {
            Tone::Info
        } else {
            Tone::Plain
        };
    let words = format!(
        " {} {}",
        words::mode(&order.mode),
        format::price(price, market)
    );
    Some(Named {
        price,
        words: vec![words::order_side(&order.side), Span::new(words, tone)],
        tone,
    })
}

/// The lowest and the highest price of the chart.
#[derive(Debug, Clone, Copy)]
struct Range {
    low: Num,
    high: Num,
}

impl Range {
    /// Of the points, widened by the lines that are no further away than the points are apart.
    fn of(points: &[(Timestamp, Num)], named: &[Named]) -> Option<Self> {
        let prices = || points.iter().map(|(_, price)| *price);
        let (low, high) = (prices().min()?, prices().max()?);
        // Points that are all the same still need some height.
        let least = high.times(Num::new(2, 3))?;
        let reach = high.minus(low)?.max(least);
        let (nearest, furthest) = (low.minus(reach)?, high.plus(reach)?);
        let lines = named.iter().map(|named| named.price);
        let near: Vec<Num> = lines
            .filter(|price| (nearest..=furthest).contains(price))
            .collect();
        let margin = reach.over(Num::from(20_u32))?;
        Some(Self {
            low: near.iter().copied().fold(low, Ord::min).minus(margin)?,
            high: near.iter().copied().fold(high, Ord::max).plus(margin)?,
        })
    }

    fn height(self, price: Num) -> Option<u16> {
        let share = price.minus(self.low)?.over(self.high.minus(self.low)?)?;
        u16::try_from(share.times(Num::from(u32::from(FULL)))?.to_i64()?).ok()
    }
}

/// Steps of 1, 2 or 5 and zeros, none finer than what an order could have.
fn axis(range: Range, market: Option<&Market>) -> Vec<(u16, Span)> {
    let least = market.and_then(|market| market.tick(range.high));
    let least = least.map_or(Num::ZERO, Tick::step);
    let units = (0..FINEST).rev().map(|decimals| Num::new(1, decimals));
    let units = units.chain((1..LARGEST).map(|zeros| Num::from(10_i64.pow(zeros))));
    let steps = units.flat_map(|unit| [1_u32, 2, 5].map(|times| unit.times(Num::from(times))));
    let few = |step: &Num| {
        let count = range
            .high
            .minus(range.low)
            .and_then(|span| span.over(*step));
        *step >= least && count.is_some_and(|count| count <= Num::from(MOST_PRICES))
    };
    let Some(step) = steps.flatten().find(few).and_then(Tick::of) else {
        return vec![];
    };
    let next = |price: &Num| price.plus(step.step());
    let prices = std::iter::successors(Some(step.above(range.low)), next);
    let told = |price: Num| {
        let tick = market.and_then(|market| market.tick(price)).unwrap_or(step);
        let words = format::grouped(price.rounded(tick.decimals()));
        Some((range.height(price)?, Span::muted(words)))
    };
    let mut told: Vec<_> = prices
        .take_while(|price| *price <= range.high)
        .filter_map(told)
        .collect();
    told.reverse();
    told
}

fn level(named: Named, range: Range) -> Option<PriceLevel> {
    let place = match named.price {
        price if price > range.high => Place::Above,
        price if price < range.low => Place::Below,
        price => Place::At(range.height(price)?),
    };
    Some(PriceLevel {
        place,
        words: named.words,
        tone: named.tone,
    })
}

fn thousandth(part: i64, whole: i64) -> Option<u16> {
    let share = part.checked_mul(i64::from(FULL))?.checked_div(whole)?;
    u16::try_from(share).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::{market, num};

    fn written(low: &str, high: &str, market: Option<&Market>) -> Vec<String> {
        let (low, high) = (num(low), num(high));
        let axis = axis(Range { low, high }, market).into_iter();
        axis.map(|(_, price)| price.text).collect()
    }

    #[test]
    fn the_axis_has_a_few_round_prices_with_the_digits_of_the_market() {
        let btc = market("BTC", "63999", "64001", (5, 40));
        let sol = market("SOL", "150.00", "150.02", (2, 20));
        let hundreds = written("63817.3", "64211.9", Some(&btc));
        assert_eq!(hundreds, ["64,200", "64,100", "64,000", "63,900"]);
        let cents = written("149.987", "150.031", Some(&sol));
        assert_eq!(cents, ["150.03", "150.02", "150.01", "150.00", "149.99"]);
        let finer_than_an_order = written("64000.2", "64001.4", Some(&btc));
        assert_eq!(finer_than_an_order, ["64,001"]);
        assert_eq!(
            written("0.12", "0.32", None),
            ["0.30", "0.25", "0.20", "0.15"]
        );
    }
}
