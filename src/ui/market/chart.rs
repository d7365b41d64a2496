//! The candle chart as cells: candles first, then lines, averages and fills into what they leave blank; prices at the
//! right, volume and times below.

use super::{areas::ChartAreas, beside};
use crate::{
    app::{
        CandleLook, ClickTarget, Model,
        market::{market_spot::ChartSpot, two_charts::ShownChart},
    },
    ui::{
        cells::{Canvas, ClickList, after, braille, line, spans_width, sum, width},
        theme::ThemePart,
    },
    view::{
        Scene, Span, Tone,
        market::{
            chart::{
                AVERAGES, Average, Candle, ChartMemory, ChartSlot, ChartView, DrawnChart, Num,
                chart, direction, price_width, tone_of,
            },
            glyphs::{GlyphColumns, GlyphSet},
            overlays::LineKind,
        },
    },
};
use ratatui::layout::{Position, Rect};
use std::iter;

/// The name of a line is drawn at the left end over one column in so many at most.
const NAMED: u16 = 3;

const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// What drawing a chart keeps from frame to frame.
#[derive(Debug, Clone, Default)]
pub(in crate::ui) struct ChartCells {
    memory: ChartMemory,
    glyphs: GlyphColumns,
    row: Option<Num>,
    /// The line of the position.
    pub(super) position: Rect,
    /// What of the last frame can be clicked.
    drawn: Option<(ChartAreas, DrawnChart)>,
}

impl ChartCells {
    /// How much price a row of cells is high.
    pub(in crate::ui) fn row(&self) -> Option<Num> {
        self.row
    }

    /// The cell of the last frame there.
    pub(in crate::ui) fn at(&self, place: Position) -> Option<ChartSpot> {
        let (areas, drawn) = self.drawn.as_ref()?;
        let plot = areas.plot;
        plot.contains(place).then_some(())?;
        let row = place.y.saturating_sub(plot.y);
        Some(drawn.spot(areas.slot(place.x)?, (row, plot.height)))
    }

    /// Nothing is drawn yet.
    pub(in crate::ui) fn begin_frame(&mut self) {
        (self.drawn, self.position) = (None, Rect::ZERO);
    }
}

/// Draws a chart, or why there is none.
pub(in crate::ui) fn draw(
    canvas: &mut Canvas<'_>,
    inner: Rect,
    (model, scene): (&Model, &Scene<'_>),
    shown: ShownChart<'_>,
    cells: &mut ChartCells,
) {
    let digits = price_width(model, shown).unwrap_or(0);
    let areas = ChartAreas::new(inner, digits, shown.chart);
    if areas.plot.is_empty() {
        return;
    }
    let view = match chart(model, shown, scene, areas.room(), &mut cells.memory) {
        Ok(view) => view,
        Err(words) => {
            canvas.spans_centered(inner, &words);
            return;
        }
    };
    cells.position = after(areas.position, 1);
    cells.row = Some(view.row_height(areas.plot.height));
    if let Some(drawn) = &view.drawn {
        let list = time_list(drawn, view.slots.len());
        canvas.list(inner, ClickTarget::ChartOn(shown.side), list);
        cells.drawn = Some((areas, drawn.clone()));
    }
    draw_view(canvas, &areas, &view, &mut cells.glyphs);
}

fn draw_view(
    canvas: &mut Canvas<'_>,
    areas: &ChartAreas,
    view: &ChartView,
    glyphs: &mut GlyphColumns,
) {
    whole_facts(canvas, after(areas.legend, 1), &view.legend);
    if areas.is_line {
        closes(canvas, areas, view);
    } else {
        let set = GlyphSet::of(canvas.theme, view.look);
        glyphs.scale(view, areas.plot.height, set);
        candles(canvas, areas, view, glyphs);
        volume(canvas, areas, view);
    }
    fills(canvas, areas, view);
    averages(canvas, areas, view);
    profile(canvas, areas, view);
    lines(canvas, areas, view);
    cursor(canvas, areas, view);
    beside::times(canvas, areas, view);
    beside::gutter(canvas, areas, view);
}

/// The candles as a list for the wheel: so many of them end with the one at the right.
fn time_list(drawn: &DrawnChart, room: usize) -> ClickList {
    let (edge, newest) = drawn.numbers();
    ClickList {
        first: edge,
        room,
        count: newest.saturating_add(room),
    }
}

/// Facts one after another, each whole and in one line; those without room are left out.
pub(super) fn whole_facts(canvas: &mut Canvas<'_>, area: Rect, facts: &[Vec<Span>]) {
    let (mut row, mut rest) = (0, line(area, 0));
    for fact in facts {
        let wide = spans_width(fact);
        if wide > rest.width && rest.width < area.width {
            row = sum([row, 1]);
            rest = line(area, row);
        }
        if row >= area.height || wide > rest.width {
            return;
        }
        canvas.spans(rest, fact);
        rest = after(rest, sum([wide, 1]));
    }
}

/// Each slot with its number, where there is a candle.
fn known(view: &ChartView) -> impl Iterator<Item = (u16, &ChartSlot, &Candle)> {
    let slots = (0..).zip(&view.slots);
    slots.filter_map(|(at, slot)| Some((at, slot, slot.candle.as_ref()?)))
}

fn candles(
    canvas: &mut Canvas<'_>,
    areas: &ChartAreas,
    view: &ChartView,
    glyphs: &mut GlyphColumns,
) {
    for (at, _, candle) in known(view) {
        let x = areas.x(at);
        let tone = if candle.trades == Some(0) {
            Tone::Muted
        } else {
            direction(candle).map_or(Tone::Plain, tone_of)
        };
        let style = canvas.theme.tone(tone);
        for (y, glyph) in (areas.plot.y..).zip(glyphs.column(candle)) {
            if *glyph != ' ' {
                canvas.put((x, y), *glyph, style);
            }
        }
    }
}

/// Closes joined to a line, two columns and four rows of dots a cell.
fn closes(canvas: &mut Canvas<'_>, areas: &ChartAreas, view: &ChartView) {
    let rows = areas.plot.height.saturating_mul(2);
    let dot = |slot: &ChartSlot| {
        let count = view.unit.count(slot.candle?.close)?;
        Some(view.range.half(count, rows))
    };
    let dots: Vec<Option<i64>> = view.slots.iter().map(dot).collect();
    let style = canvas.theme.tone(Tone::Plain);
    for column in 0..areas.plot.width {
        let joined = braille::joined(|at| dots.get(at).copied()?, column);
        for row in 0..areas.plot.height {
            if let Some(symbol) = braille::symbol(&joined, row) {
                let place = (sum([areas.plot.x, column]), sum([areas.plot.y, row]));
                canvas.put(place, symbol, style);
            }
        }
    }
}

/// The account's own fills: bought below the candle, sold above it.
fn fills(canvas: &mut Canvas<'_>, areas: &ChartAreas, view: &ChartView) {
    let rows = areas.plot.height;
    for (at, slot, candle) in known(view).filter(|(_, slot, _)| slot.bought || slot.sold) {
        let row = |price| view.range.row(view.unit.count(price)?, rows);
        let below = row(candle.low).map(|row| row.saturating_add(1));
        let above = row(candle.high).and_then(|row| row.checked_sub(1));
        let marks = [
            (slot.bought, below, '▲', Tone::Good),
            (slot.sold, above, '▼', Tone::Bad),
        ];
        for (is_there, row, sign, tone) in marks {
            if let Some(row) = row.filter(|row| is_there && *row < rows) {
                let style = canvas.theme.tone(tone);
                canvas.put((areas.x(at), areas.plot.y.saturating_add(row)), sign, style);
            }
        }
    }
}

/// The session's volume-weighted average price and, where they are wanted, the moving averages, the shortest first.
fn averages(canvas: &mut Canvas<'_>, areas: &ChartAreas, view: &ChartView) {
    for (at, slot, _) in known(view) {
        let moving = AVERAGES.map(|Average { sign, tone, .. }| (sign, tone));
        let moving = moving.into_iter().zip(slot.indicators.averages);
        let moving = moving.filter(|_| view.has_averages);
        let bands = slot.vwap.zip(slot.deviation).filter(|_| view.has_averages);
        let bands = bands.map(|(vwap, away)| {
            [
                ('\'', vwap.saturating_add(away)),
                (',', vwap.saturating_sub(away)),
            ]
        });
        let bands = bands.into_iter().flatten();
        let bands = bands.map(|(sign, count)| ((sign, Tone::Info), Some(count)));
        let vwap = iter::once((('·', Tone::Info), slot.vwap)).chain(bands);
        for ((sign, tone), count) in vwap.chain(moving) {
            let row = count.and_then(|count| view.range.row(count, areas.plot.height));
            if let Some(row) = row {
                let place = (areas.x(at), areas.plot.y.saturating_add(row));
                canvas.put_blank(place, sign, canvas.theme.tone(tone));
            }
        }
    }
}

/// What traded at each price, from the right end, behind everything else.
fn profile(canvas: &mut Canvas<'_>, areas: &ChartAreas, view: &ChartView) {
    let style = canvas.theme.part(ThemePart::Border);
    for (y, columns) in (areas.plot.y..).zip(&view.profile) {
        for back in 1..=*columns {
            canvas.put_blank((areas.plot.right().saturating_sub(back), y), '░', style);
        }
    }
}

fn volume(canvas: &mut Canvas<'_>, areas: &ChartAreas, view: &ChartView) {
    for (at, slot, candle) in known(view) {
        let tone = direction(candle).map_or(Tone::Muted, tone_of);
        let style = canvas.theme.faint(tone);
        for row in 0..areas.volume.height {
            let above = areas.volume.height.saturating_sub(sum([row, 1]));
            let full = slot.volume.saturating_sub(above.saturating_mul(8)).min(8);
            let glyph = EIGHTHS.get(usize::from(full)).copied().unwrap_or(' ');
            if glyph != ' ' {
                let y = areas.volume.y.saturating_add(row);
                canvas.put((areas.x(at), y), glyph, style);
            }
        }
    }
}

/// A line says where, its name says what: only what must not be overlooked is loud all the way.
fn lines(canvas: &mut Canvas<'_>, areas: &ChartAreas, view: &ChartView) {
    for price in &view.lines {
        let Some(row) = view.range.row(price.count, areas.plot.height) else {
            continue;
        };
        let (glyph, style) = match price.kind {
            LineKind::Mark | LineKind::LateMark => ('┈', canvas.theme.part(ThemePart::Border)),
            LineKind::Cursor => ('╌', canvas.theme.tone(price.kind.look().tone)),
            LineKind::Order(_) | LineKind::Armed(_) | LineKind::Alert | LineKind::Own => {
                ('╌', canvas.theme.faint(price.kind.look().tone))
            }
            LineKind::DayOpen | LineKind::DayHigh | LineKind::DayLow | LineKind::PreviousClose => {
                ('┈', canvas.theme.part(ThemePart::Border))
            }
            LineKind::Liquidation | LineKind::Stop | LineKind::Entry | LineKind::Target => {
                ('┄', canvas.theme.faint(price.kind.look().tone))
            }
        };
        let y = areas.plot.y.saturating_add(row);
        let name = price.name.as_ref().map(|name| format!("{name} "));
        let name = name.filter(|name| width(name) <= areas.plot.width / NAMED);
        let name = name.unwrap_or_default();
        canvas.toned(line(areas.plot, row), &name, price.kind.look().tone);
        for x in after(areas.plot, width(&name)).x..areas.plot.right() {
            canvas.put_blank((x, y), glyph, style);
        }
    }
}

/// The candle that is read stands in a column of its own shade, or between dotted lines.
fn cursor(canvas: &mut Canvas<'_>, areas: &ChartAreas, view: &ChartView) {
    let Some(slot) = view.cursor else {
        return;
    };
    let x = areas.x(slot);
    let style = canvas.theme.tone(Tone::Accent);
    for y in areas.plot.y..areas.volume.bottom() {
        canvas.put_blank((x, y), '┊', style);
    }
}

impl GlyphSet {
    fn of(theme: &crate::ui::Theme, look: CandleLook) -> Self {
        match look {
            _ if theme.is_of_console() => Self::Blocks,
            _ if !theme.has_colors() => Self::Hollow,
            CandleLook::Hollow => Self::Hollow,
            CandleLook::Solid | CandleLook::HeikinAshi | CandleLook::Line => Self::Solid,
        }
    }
}

#[cfg(test)]
mod tests;
