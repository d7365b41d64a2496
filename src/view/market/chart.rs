//! A candle chart: what lies in each column, which prices matter, what is read.
//!
//! Contract: only the candles in view are touched. Prices are counts of the market's finest digit; what is not known has
//! no cell. The range and the right end stay as they were drawn while they serve, which [`ChartMemory`] remembers.

pub use super::{
    chart_drawn::DrawnChart,
    chart_slot::{ChartRoom, ChartSlot},
    indicators::{AVERAGES, Average},
};
use super::{
    chart_slot::Indicators,
    chart_window::ChartWindow,
    indicators::{self, IndicatorMemory},
    overlays::{self, PriceLine},
    profile,
    scale::{PriceRange, PriceUnit, round_prices},
    vwap::Vwap,
};
pub use crate::model::{Candle, Num};

use crate::{
    app::{
        CandleChart, CandleLook, CandleOrigin, CandleSeries, Model, market::two_charts::ShownChart,
        series_of,
    },
    model::{Interval, Market, MarketId, Side, Timestamp},
    view::text::{Scene, Span, Tone, format},
};

/// Round prices stand one in so many rows at most.
const ROWS_A_LABEL: u16 = 3;
/// Lines further from the candles than this part of their height are named at the edge: candles need the room.
const NEAR: i64 = 10;

/// What a chart keeps from frame to frame, so that nothing jumps.
#[derive(Debug, Clone, Default)]
pub struct ChartMemory {
    of: Option<(MarketId, Interval)>,
    range: Option<PriceRange>,
    /// The open time of the rightmost candle while a cursor holds the view.
    edge: Option<Timestamp>,
    vwap: Vwap,
    indicators: IndicatorMemory,
    slots: Option<(SlotsKey, FilledSlots)>,
}

/// Everything that the slots are made from, but for the account's fills.
#[derive(Debug, Clone, PartialEq)]
struct SlotsKey {
    past: PastKey,
    volume_rows: u16,
    /// Of the series, with its newest candle.
    version: u64,
    newest: Option<Candle>,
}

/// What the figures of the candles before the newest are made from.
#[derive(Debug, Clone, PartialEq)]
struct PastKey {
    window: ChartWindow,
    unit: PriceUnit,
    look: CandleLook,
    /// Of the series, with its oldest candle: the version of a series that was read again begins anew.
    version: u64,
    oldest: Option<Candle>,
}

#[derive(Debug, Clone, Default)]
struct FilledSlots {
    slots: Vec<ChartSlot>,
    /// The most that traded in one of them.
    volume: Option<Num>,
}

/// A chart, ready to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartView {
    /// What is read: the candle under the cursor, else the newest. What has no room goes from the end.
    pub legend: Vec<Vec<Span>>,
    /// The oldest first.
    pub slots: Vec<ChartSlot>,
    pub unit: PriceUnit,
    pub range: PriceRange,
    /// The most important first.
    pub lines: Vec<PriceLine>,
    /// Round prices, the highest first.
    pub axis: Vec<(i64, Span)>,
    /// Round times with the slots they stand under.
    pub times: Vec<(u16, Span)>,
    /// What the clocks of the times are called.
    pub zone: Span,
    /// The most that traded in one of the candles.
    pub volume: Option<Span>,
    /// What traded at each row of prices, from above, in columns.
    pub profile: Vec<u16>,
    /// Whether closes are joined to a line.
    pub look: CandleLook,
    /// Whether the moving averages and the bands of the volume-weighted average price are drawn.
    pub has_averages: bool,
    /// The slot of the candle that is read.
    pub cursor: Option<u16>,
    /// What can be pointed at.
    pub drawn: Option<DrawnChart>,
}

impl ChartView {
    /// How much price one of so many rows is high.
    pub fn row_height(&self, rows: u16) -> Num {
        self.unit
            .price(self.range.height() / i64::from(rows.max(1)))
    }
}

/// How many digits the prices of this chart have; `None` while there is no candle.
pub fn price_width(model: &Model, shown: ShownChart<'_>) -> Option<u16> {
    let series = series_of(&model.account.market_data, shown)?;
    let market = model.account.store.market(shown.market?);
    let newest = series.newest()?.close;
    let unit = PriceUnit::new(market, newest);
    let words = format::grouped(newest.rounded(unit.decimals));
    u16::try_from(words.chars().count()).ok()
}

/// The chart in its room, or why there is none.
pub fn chart(
    model: &Model,
    shown: ShownChart<'_>,
    scene: &Scene<'_>,
    room: ChartRoom,
    memory: &mut ChartMemory,
) -> Result<ChartView, Vec<Span>> {
    let series = series_of(&model.account.market_data, shown);
    let ends = series.and_then(|series| Some((series, series.newest()?)));
    let Some((id, (series, newest))) = shown.market.zip(ends) else {
        return Err(emptiness(series, shown.chart.interval));
    };
    let market = model.account.store.market(id);
    memory.look_at(id, series.interval());
    let state = shown.chart;
    let cursor = state.cursor;
    let window = memory.window(series, (state, newest.open_time), room.slots);
    let unit = PriceUnit::new(market, newest.close);
    let FilledSlots { mut slots, volume } =
        memory.slots(series, (window, unit), (state.look, room.volume_rows));
    let lines = overlays::lines(model, (id, market), (series, unit), state, scene);
    let range = memory.range(&slots, &lines, unit);
    let range = range.stretched(state.stretch).shifted(state.shift);
    overlays::fills(scene, id, (window.first, series.interval()), &mut slots);
    let read = cursor.map_or(Some(newest), |cursor| series.at(cursor));
    let slot = window
        .slot(cursor.unwrap_or(newest.open_time))
        .map(usize::from);
    let averages = slot.and_then(|slot| slots.get(slot)).copied();
    Ok(ChartView {
        legend: legend(
            (read.copied(), averages.unwrap_or_default()),
            state,
            (market, unit),
            scene,
        ),
        unit,
        range,
        lines,
        axis: axis(range, unit, room.rows),
        times: window.times(scene, room.pitch),
        zone: Span::muted(scene.zone.abbreviation(newest.open_time)),
        volume: volume.map(volume_label),
        profile: profile::columns(&slots, (range, unit), room),
        look: state.look,
        has_averages: state.has_averages,
        cursor: cursor.and_then(|cursor| window.slot(cursor)),
        drawn: DrawnChart::new(model, shown, (window, newest.open_time), (unit, range)),
        slots,
    })
}

/// Why there is no candle.
fn emptiness(series: Option<&CandleSeries>, interval: Interval) -> Vec<Span> {
    if let Some(why) = series.and_then(|series| series.trouble()) {
        return Span::alert(format!("no candles: {}", why.message)).into();
    }
    let is_built = series.is_some_and(|series| series.origin() == CandleOrigin::SeenMarks);
    Span::muted(if is_built {
        format!("{interval} candles begin with the next mark seen")
    } else {
        format!("loading {interval} candles…")
    })
    .into()
}

impl ChartMemory {
    /// Another market or interval has a range and an end of its own.
    fn look_at(&mut self, market: &MarketId, interval: Interval) {
        let of = Some((market.clone(), interval));
        if self.of != of {
            *self = Self {
                of,
                ..Self::default()
            };
        }
    }

    /// The candles in view: the newest at the right, unless the view was scrolled or a cursor holds it where it is.
    fn window(
        &mut self,
        series: &CandleSeries,
        (chart, newest): (&CandleChart, Timestamp),
        slots: u16,
    ) -> ChartWindow {
        let step = series.interval().millis();
        let back = step.saturating_mul(i64::from(slots.max(1)) - 1);
        let held = chart.cursor.map(|cursor| {
            let last = Timestamp(cursor.0.saturating_add(back)).min(newest.max(cursor));
            self.edge.unwrap_or(newest).clamp(cursor.min(last), last)
        });
        self.edge = chart.edge.map(|edge| edge.min(newest)).or(held);
        let last = self.edge.unwrap_or(newest);
        ChartWindow {
            first: Timestamp(last.0.saturating_sub(back)),
            step,
            slots,
        }
    }

    /// The candles in view with their figures; those of the last frame while nothing of them has changed.
    fn slots(
        &mut self,
        series: &CandleSeries,
        (window, unit): (ChartWindow, PriceUnit),
        (look, volume_rows): (CandleLook, u16),
    ) -> FilledSlots {
        let key = SlotsKey {
            past: PastKey {
                window,
                unit,
                look,
                version: series.past_version(),
                oldest: series.oldest().copied(),
            },
            volume_rows,
            version: series.version(),
            newest: series.newest().copied(),
        };
        if let Some((of, filled)) = &self.slots
            && *of == key
        {
            return filled.clone();
        }
        let mut slots = window.slots(series);
        // The newest candle changes with every trade, those before it do not.
        let known = self.slots.as_ref().filter(|(of, _)| of.past == key.past);
        let known = known.map_or(&[][..], |(_, filled)| &filled.slots);
        let kept = slots.iter_mut().zip(known);
        let kept = kept.take_while(|(slot, known)| slot.candle == known.candle);
        let kept = kept.map(|(slot, known)| {
            *slot = ChartSlot {
                volume: 0,
                ..*known
            };
        });
        let kept = kept.count();
        let tail = slots.get_mut(kept..).unwrap_or_default();
        let first = window.time_of(u16::try_from(kept).unwrap_or(window.slots));
        self.vwap.fill(series, first, unit, tail);
        self.indicators.fill(series, first, unit, tail);
        if look == CandleLook::HeikinAshi {
            indicators::heikin_ashi(series, first, tail);
        }
        let volume = volumes(&mut slots, volume_rows);
        let filled = FilledSlots { slots, volume };
        self.slots = Some((key, filled.clone()));
        filled
    }

    fn range(&mut self, slots: &[ChartSlot], lines: &[PriceLine], unit: PriceUnit) -> PriceRange {
        let candles = slots.iter().filter_map(|slot| slot.candle);
        let ends = candles.flat_map(|candle| [candle.low, candle.high]);
        let counts = ends.filter_map(|price| unit.count(price));
        let needed = counts
            .map(PriceRange::at)
            .reduce(|range, count| range.and(count.low));
        let needed = needed.or(self.range).unwrap_or(PriceRange::at(0));
        let near = needed.wider((needed.height() / NEAR).max(LEAST_REACH));
        let near = lines.iter().filter(|line| near.contains(line.count));
        let needed = near.fold(needed, |range, line| range.and(line.count));
        let range = PriceRange::kept_or_new(needed, self.range);
        self.range = Some(range);
        range
    }
}

/// Lines so many units from flat candles are near them.
const LEAST_REACH: i64 = 8;

fn axis(range: PriceRange, unit: PriceUnit, rows: u16) -> Vec<(i64, Span)> {
    let most = i64::from(rows / ROWS_A_LABEL).clamp(1, 12);
    let label = |count| (count, Span::muted(format::grouped(unit.price(count))));
    round_prices(range, unit, most)
        .into_iter()
        .map(label)
        .collect()
}

/// Gives each slot its bar; answers the most that traded in one.
fn volumes(slots: &mut [ChartSlot], rows: u16) -> Option<Num> {
    let volume = |slot: &ChartSlot| slot.candle.and_then(|candle| candle.volume);
    let most = slots.iter().filter_map(volume).max();
    let most = most.filter(|most| most.is_positive() && rows > 0)?;
    let full = Num::from(u32::from(rows) * 8);
    for slot in slots {
        let share = volume(slot).and_then(|volume| ceiling(volume.over(most)?.times(full)?));
        slot.volume = share.unwrap_or(0);
    }
    Some(most)
}

/// A bar has at least an eighth of a cell where anything traded.
fn ceiling(eighths: Num) -> Option<u16> {
    let whole = eighths.truncated(0);
    let count = u16::try_from(whole.to_i64()?).ok()?;
    Some(if eighths > whole { count + 1 } else { count })
}

/// `vol 40`: with as many digits as tell something.
fn volume_label(most: Num) -> Span {
    let decimals = match most {
        most if most >= Num::HUNDRED => 0,
        most if most >= Num::ONE => 1,
        _ => 3,
    };
    let words = format::grouped(most.rounded(decimals).normalized());
    Span::muted(format!("vol {words}"))
}

/// `14:03 O 65,600 H 65,612 L 65,594 C 65,608 +0.01% v 12.4 vwap 65,603`.
fn legend(
    (candle, averages): (Option<Candle>, ChartSlot),
    chart: &CandleChart,
    (market, unit): (Option<&Market>, PriceUnit),
    scene: &Scene<'_>,
) -> Vec<Vec<Span>> {
    let time = chart.cursor.map(|at| Span::accent(scene.moment(at)));
    let mut facts: Vec<_> = time.into_iter().map(|time| vec![time]).collect();
    // The time of a candle that is read says where one is.
    if chart.edge.is_some() && chart.cursor.is_none() {
        facts.push(vec![Span::accent("scrolled back")]);
    }
    // First: the candles drawn have other prices than those that follow.
    if chart.look == CandleLook::HeikinAshi {
        facts.push(vec![Span::accent("Heikin-Ashi")]);
    }
    let Some(candle) = candle else {
        facts.push(vec![Span::muted("no candle is known here")]);
        return facts;
    };
    let tone = direction(&candle).map_or(Tone::Plain, tone_of);
    let priced = |price: Num| format::grouped(price.rounded(unit.decimals));
    let four = [
        ("O", candle.open),
        ("H", candle.high),
        ("L", candle.low),
        ("C", candle.close),
    ];
    let named = |name: &str| Span::muted(format!("{name} "));
    facts.extend(four.map(|(name, price)| vec![named(name), Span::new(priced(price), tone)]));
    let decimals = market.and_then(|market| market.size_decimals);
    if let Some(volume) = candle.volume {
        let volume = format::size(volume, decimals);
        facts.push(vec![named("v"), Span::plain(volume)]);
    }
    let change = candle.close.minus(candle.open);
    if let Some(change) = change.and_then(|change| change.over(candle.open)) {
        facts.push(vec![Span::new(format::signed_percent(change), tone)]);
    }
    facts.extend(indicator_facts(averages, chart, unit));
    if candle.is_synthetic {
        facts.push(vec![Span::muted("synthetic")]);
    }
    facts
}

/// `vwap 65,603`, then the averages and the average true range, as far as they are known. An average that is drawn has its
/// sign and tone.
fn indicator_facts(
    of: ChartSlot,
    chart: &CandleChart,
    unit: PriceUnit,
) -> impl Iterator<Item = Vec<Span>> {
    let Indicators { averages, range } = of.indicators;
    let fact = move |name: Span, tone: Tone, count: Option<i64>| {
        let value = Span::new(format::grouped(unit.price(count?)), tone);
        Some(vec![name, value])
    };
    let has_averages = chart.has_averages;
    let averages = AVERAGES.into_iter().zip(averages);
    let averages = averages.map(move |(average, count)| {
        let Average { closes, sign, tone } = average;
        if has_averages {
            fact(Span::new(format!("{sign} EMA{closes} "), tone), tone, count)
        } else {
            fact(Span::muted(format!("EMA{closes} ")), Tone::Info, count)
        }
    });
    let mut vwap = fact(Span::muted("vwap "), Tone::Info, of.vwap);
    let bands = of.deviation.filter(|_| has_averages);
    let bands = bands.map(|bands| format!(" ±{}", format::grouped(unit.price(bands))));
    if let Some(vwap) = &mut vwap {
        vwap.extend(bands.map(Span::muted));
    }
    let range = fact(Span::muted("ATR14 "), Tone::Info, range);
    [vwap].into_iter().chain(averages).chain([range]).flatten()
}

/// Whether a candle closed above its open or below; `None` where it closed where it opened.
pub fn direction(candle: &Candle) -> Option<Side> {
    match candle.close.cmp(&candle.open) {
        std::cmp::Ordering::Greater => Some(Side::Buy),
        std::cmp::Ordering::Less => Some(Side::Sell),
        std::cmp::Ordering::Equal => None,
    }
}

/// The tone of what goes this way.
pub fn tone_of(side: Side) -> Tone {
    match side {
        Side::Buy => Tone::Good,
        Side::Sell => Tone::Bad,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{session_of, testing::*};

    /// A candle so many minutes after noon in which `price` coins traded at this price.
    fn candle(minute: i64, price: i64) -> Candle {
        let at = Timestamp(NOON.0 + minute * 60_000);
        Candle {
            open_time: at,
            volume: Some(price.into()),
            turnover: Some((price * price).into()),
            ..even(at, price)
        }
    }

    fn even(open_time: Timestamp, price: i64) -> Candle {
        let price = Num::from(price);
        Candle {
            open_time,
            open: price,
            high: price,
            low: price,
            close: price,
            volume: None,
            turnover: None,
            trades: None,
            is_closed: true,
            is_synthetic: false,
        }
    }

    #[test]
    fn figures_of_candles_that_changed_are_computed_again() {
        let unit = PriceUnit::new(None, 100_i64.into());
        let window = ChartWindow {
            first: NOON,
            step: 60_000,
            slots: 12,
        };
        let of = |memory: &mut ChartMemory, series: &CandleSeries| {
            let filled = memory.slots(series, (window, unit), (CandleLook::Solid, 4));
            (filled.slots, filled.volume)
        };
        let mut series = CandleSeries::new(Interval::Minute1, CandleOrigin::Source);
        let mut memory = ChartMemory::default();
        let first = (2..10).map(|minute| candle(minute, 100 + minute));
        let steps = [
            first.collect(),
            vec![candle(9, 150)],
            vec![candle(9, 150), candle(10, 90)],
        ];
        for (at, page) in (0..).zip(steps) {
            series.merge(page, Timestamp(NOON.0 + at), None);
            let fresh = of(&mut ChartMemory::default(), &series);
            assert_eq!(of(&mut memory, &series), fresh, "{at}");
            assert_eq!(of(&mut memory, &series), fresh, "{at}, of the same candles");
        }
        series.merge_older(candle(2, 0).open_time, vec![candle(0, 80), candle(1, 70)]);
        let fresh = of(&mut ChartMemory::default(), &series);
        assert_eq!(of(&mut memory, &series), fresh, "with older candles");
        assert!(
            fresh
                .0
                .iter()
                .any(|slot| slot.indicators.averages[0].is_some())
        );
    }

    #[test]
    fn figures_follow_candles_that_changed_before_those_in_view() {
        let unit = PriceUnit::new(None, 100_i64.into());
        let window = ChartWindow {
            first: Timestamp(NOON.0 + 70 * 60_000),
            step: 60_000,
            slots: 12,
        };
        let mut series = CandleSeries::new(Interval::Minute1, CandleOrigin::Source);
        let mut memory = ChartMemory::default();
        let mut of = |series: &CandleSeries| {
            let of = |memory: &mut ChartMemory| {
                let filled = memory.slots(series, (window, unit), (CandleLook::Solid, 4));
                filled
                    .slots
                    .iter()
                    .map(|slot| slot.indicators)
                    .collect::<Vec<_>>()
            };
            (of(&mut memory), of(&mut ChartMemory::default()))
        };
        // A leap late before those in view, then the same candles without it.
        for (at, leap) in [(0, 900), (1, 950), (2, 999)] {
            let price = |minute: i64| if minute == 60 { leap } else { 100 + minute % 7 };
            let page = (0..82).map(|minute| candle(minute, price(minute)));
            series.merge(page.collect(), Timestamp(NOON.0 + at), None);
            let (kept, fresh) = of(&series);
            assert_eq!(kept, fresh, "{leap}");
        }
    }

    fn legend_of(chart: &CandleChart) -> Vec<String> {
        let model = desk();
        let scene = Scene::of(&model, &model.account.options.zone);
        let price = Num::from(100_i64);
        let candle = even(NOON, 100);
        let averages = ChartSlot {
            indicators: Indicators {
                averages: [Some(90), None, Some(70)],
                range: None,
            },
            ..ChartSlot::default()
        };
        let unit = PriceUnit::new(None, price);
        let facts = legend((Some(candle), averages), chart, (None, unit), &scene);
        let words = |fact: Vec<Span>| fact.into_iter().map(|span| span.text).collect();
        facts.into_iter().map(words).collect()
    }

    #[test]
    fn heikin_ashi_is_named_first_where_a_narrow_legend_ends() {
        let chart = CandleChart {
            look: CandleLook::HeikinAshi,
            ..CandleChart::default()
        };
        assert_eq!(legend_of(&chart)[..2], ["Heikin-Ashi", "O 100"]);
        assert_eq!(legend_of(&CandleChart::default())[0], "O 100");
    }

    #[test]
    fn an_average_that_is_drawn_has_its_sign_in_the_legend() {
        let mut chart = CandleChart::default();
        assert_eq!(legend_of(&chart)[5..], ["EMA9 90", "EMA200 70"]);
        chart.has_averages = true;
        assert_eq!(legend_of(&chart)[5..], [". EMA9 90", "~ EMA200 70"]);
    }

    #[test]
    fn after_a_trade_candles_have_the_figures_of_a_chart_drawn_anew() {
        let unit = PriceUnit::new(None, 100_i64.into());
        let begun = session_of(NOON);
        let candle = |minute: i64, price: i64| Candle {
            open_time: Timestamp(begun.0 + minute * 60_000),
            ..candle(0, price)
        };
        let window = ChartWindow {
            first: candle(230, 0).open_time,
            step: 60_000,
            slots: 72,
        };
        let mut series = CandleSeries::new(Interval::Minute1, CandleOrigin::Source);
        series.count_unreadable(1);
        let minutes = (0..300).map(|minute| candle(minute, 100 + minute % 7));
        series.merge(minutes.collect(), NOON, None);
        for look in [CandleLook::Solid, CandleLook::HeikinAshi] {
            let mut memory = ChartMemory::default();
            for (at, price) in [(1, 103), (2, 140), (3, 90)] {
                series.merge(vec![candle(299, price)], Timestamp(NOON.0 + at), None);
                for rows in [4, 0] {
                    let of = |memory: &mut ChartMemory| {
                        memory.slots(&series, (window, unit), (look, rows)).slots
                    };
                    let fresh = of(&mut ChartMemory::default());
                    assert_eq!(of(&mut memory), fresh, "{look:?} {price} {rows}");
                    assert!(fresh[69].vwap.is_some());
                }
            }
        }
    }
}
