//! The price ladder as cells: prices in the middle, bids left of them, asks right, own orders outside.

use super::super::theme::ThemePart;
use crate::{
    app::{
        ClickTarget, MarketPanel,
        market::market_spot::{DrawnRows, LadderSpot, WHEEL_HOME},
    },
    ui::cells::{
        Canvas, ClickList, after, columns, first, length, line, rows, split, sum, width,
        without_last,
    },
    view::{
        Gauge, LadderCell, LadderForm, LadderPart, LadderSides, LadderView, PriceRow, Share, Span,
        Tone, TradeMark,
    },
};
use ratatui::layout::{Position, Rect};

/// A bar that is not wider than this is one cell high instead.
const NARROW_BAR: u16 = 2;
/// Of one to eight eighths of a cell, from below.
const HEIGHTS: [&str; 9] = ["", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// What of the last frame can be clicked.
#[derive(Debug, Clone)]
pub(in crate::ui) struct DrawnLadder {
    drawn: DrawnRows,
    /// The line of the position.
    pub(super) position: Rect,
    /// The rows of prices.
    area: Rect,
    form: LadderForm,
}

impl DrawnLadder {
    pub(in crate::ui) fn rows(&self) -> usize {
        usize::from(self.area.height)
    }

    pub(in crate::ui) fn at(&self, place: Position) -> Option<LadderSpot> {
        self.area.contains(place).then_some(())?;
        let row = usize::from(place.y.saturating_sub(self.area.y));
        let column = self.form.column(place.x.saturating_sub(self.area.x));
        self.drawn.spot(row, column)
    }
}

/// The sign of the cursor, and that of the last trade.
const CURSOR: u16 = 1;
const LAST: u16 = 1;

/// Draws it inside the border; answers what can be clicked.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, view: &LadderView) -> Option<DrawnLadder> {
    let (position, area) = rows(area, view.position);
    let (area, trades) = columns(area, area.width.saturating_sub(view.form.trades));
    let (head, area) = rows(area, length(view.head.len()));
    for (number, words) in (0..head.height).zip(&view.head) {
        canvas.spans(line(head, number), words);
    }
    let (headings, area) = rows(area, 1);
    draw_headings(canvas, headings, view.form);
    let (prices, area) = rows(area, length(view.rows.len()));
    for (number, row) in (0..prices.height).zip(&view.rows) {
        draw_row(canvas, line(prices, number), row, view.form);
    }
    let (foot, area) = rows(area, length(view.foot.len()));
    for (number, words) in (0..foot.height).zip(&view.foot) {
        canvas.spans(line(foot, number), words);
    }
    draw_trades(
        canvas,
        if view.form.trades > 0 { trades } else { area },
        view,
    );
    let list = ClickList {
        first: WHEEL_HOME,
        room: usize::from(prices.height),
        count: WHEEL_HOME.saturating_mul(2),
    };
    canvas.list(prices, ClickTarget::Panel(MarketPanel::Ladder), list);
    Some(DrawnLadder {
        drawn: view.drawn.clone()?,
        position,
        area: prices,
        form: view.form,
    })
}

fn draw_trades(canvas: &mut Canvas<'_>, area: Rect, view: &LadderView) {
    if view.trades.is_empty() {
        return;
    }
    canvas.rule(line(area, 0));
    canvas.spans(line(area, 0), &view.over_trades);
    for (number, trade) in (1..area.height).zip(&view.trades) {
        canvas.spans(line(area, number), trade);
    }
}

/// Each over its column, from the side where the column begins.
fn draw_headings(canvas: &mut Canvas<'_>, room: Rect, form: LadderForm) {
    let mut rest = room;
    for (part, wide) in form.parts() {
        let (column, others) = columns(rest, wide);
        rest = others;
        let heading = Span::muted(part.heading());
        match part {
            LadderPart::MyBids => canvas.span_right(without_last(column, 1), &heading),
            // Over the digits: the sign of the last trade stands beyond them.
            LadderPart::Price => canvas.span_right(without_last(column, LAST), &heading),
            LadderPart::MyAsks | LadderPart::Mine | LadderPart::Traded => {
                canvas.span(after(column, 1), &heading)
            }
            LadderPart::BidChange | LadderPart::Bids | LadderPart::Sold | LadderPart::Sizes => {
                canvas.span_right(column, &heading)
            }
            LadderPart::Bought | LadderPart::Asks | LadderPart::AskChange => {
                canvas.span(column, &heading)
            }
        };
    }
}

fn draw_row(canvas: &mut Canvas<'_>, room: Rect, row: &PriceRow, form: LadderForm) {
    if row.is_cursor {
        canvas.fill(room, ThemePart::Selection);
    } else if form.sides == LadderSides::Both {
        draw_shades(canvas, room, row, form);
    }
    let mut rest = room;
    for (part, wide) in form.parts() {
        let (column, others) = columns(rest, wide);
        rest = others;
        if wide > 0 {
            draw_part(canvas, column, part, row, form);
        }
    }
}

fn draw_part(
    canvas: &mut Canvas<'_>,
    column: Rect,
    part: LadderPart,
    row: &PriceRow,
    form: LadderForm,
) {
    match part {
        // Own orders do not touch the sizes beside them.
        LadderPart::MyBids => drop(canvas.span_right(without_last(column, 1), &row.my_bids)),
        LadderPart::MyAsks => drop(canvas.span(after(column, 1), &row.my_asks)),
        LadderPart::BidChange => drop(canvas.span_right(column, &row.bid_change)),
        LadderPart::AskChange => drop(canvas.span(column, &row.ask_change)),
        LadderPart::Bids => draw_bid(canvas, column, &row.bid),
        LadderPart::Sold => drop(canvas.span_right(column, &row.sold.size)),
        LadderPart::Price => draw_price(canvas, column, row, form),
        LadderPart::Bought => drop(canvas.span(column, &row.bought.size)),
        LadderPart::Asks => draw_size(canvas, column, &row.ask),
        LadderPart::Traded => {
            canvas.span(after(column, 1), &row.traded.size);
            bar_after(canvas, after(column, 1), &row.traded);
        }
        LadderPart::Sizes if row.bid.size.text.is_empty() => {
            draw_signed(canvas, column, &row.ask, "a");
        }
        LadderPart::Sizes => draw_signed(canvas, column, &row.bid, "b"),
        LadderPart::Mine => {
            let shows_asks = row.my_bids.text.is_empty();
            let mine = if shows_asks {
                &row.my_asks
            } else {
                &row.my_bids
            };
            canvas.span(after(column, 1), mine);
        }
    }
}

/// Bars of depth behind the numbers, growing away from the price, where the theme has shades.
fn draw_shades(canvas: &mut Canvas<'_>, room: Rect, row: &PriceRow, form: LadderForm) {
    // What stands beyond it is not touched.
    let side = sum([form.mine, form.change, form.size]).saturating_sub(1);
    let middle = sum([form.flow, form.price(), form.flow]);
    let [bids, _, asks] = split(after(room, 1), [side, middle, side]);
    for (area, cell, is_bid) in [(bids, &row.bid, true), (asks, &row.ask, false)] {
        let Some(style) = canvas.theme.shade(cell.size.tone) else {
            return;
        };
        let wide = cell.bar.eighths(area.width).div_ceil(8).min(area.width);
        let spare = area.width.saturating_sub(wide);
        let lead = if is_bid { spare } else { 0 };
        let bar = Rect {
            width: wide,
            ..after(area, lead)
        };
        canvas.ground(bar, style);
    }
}

fn draw_price(canvas: &mut Canvas<'_>, room: Rect, row: &PriceRow, form: LadderForm) {
    let widths = [CURSOR, form.letters, form.label, LAST];
    let [cursor, letters, label, last] = split(room, widths);
    canvas.toned(cursor, if row.is_cursor { "›" } else { " " }, Tone::Accent);
    canvas.toned(letters, &row.letters, Tone::Warn);
    canvas.span_right(label, &row.label);
    match row.mark {
        Some(TradeMark::Last) => canvas.toned(last, "◂", Tone::Info),
        Some(TradeMark::Large) => canvas.toned(last, "▮", Tone::Warn),
        None => canvas.toned(last, " ", Tone::Info),
    };
}

/// The size against the price, its bar growing away from it.
fn draw_bid(canvas: &mut Canvas<'_>, area: Rect, cell: &LadderCell) {
    let left = canvas.span_right(area, &cell.size);
    if canvas.theme.shade(cell.size.tone).is_some() {
        return;
    }
    let bar = after(left, 1);
    if bar.width <= NARROW_BAR {
        let place = after(bar, bar.width.saturating_sub(1));
        canvas.toned(place, height(cell), cell.size.tone);
        return;
    }
    // There are no eighths from the right: halves are what there is.
    let halves = cell.bar.eighths(bar.width).div_ceil(4);
    let full = "█".repeat(usize::from(halves / 2));
    let half = if halves % 2 == 1 { "▐" } else { "" };
    let words = Span::new(format!("{half}{full}"), cell.size.tone);
    canvas.span_right(without_last(bar, 1), &words);
}

fn draw_size(canvas: &mut Canvas<'_>, area: Rect, cell: &LadderCell) {
    canvas.span(area, &cell.size);
    if canvas.theme.shade(cell.size.tone).is_none() {
        bar_after(canvas, area, cell);
    }
}

/// A bar right of the words.
fn bar_after(canvas: &mut Canvas<'_>, area: Rect, cell: &LadderCell) {
    let bar = after(area, sum([width(&cell.size.text), 1]));
    if bar.width <= NARROW_BAR {
        canvas.toned(first(bar, 1), height(cell), cell.size.tone);
        return;
    }
    let (share, tone) = (cell.bar, cell.size.tone);
    canvas.bar(without_last(bar, 1), Gauge { share, tone });
}

/// One column for both sides says which side a size is of.
fn draw_signed(canvas: &mut Canvas<'_>, area: Rect, cell: &LadderCell, sign: &str) {
    let has_size = cell.bar != Share::default();
    let sign = if has_size { sign } else { "" };
    let left = canvas.spans_right(area, &[cell.size.clone(), Span::muted(sign)]);
    if left.width > width(sign) {
        canvas.toned(first(left, 1), height(cell), cell.size.tone);
    }
}

fn height(cell: &LadderCell) -> &'static str {
    let eighths = usize::from(cell.bar.eighths(1));
    HEIGHTS.get(eighths).copied().unwrap_or_default()
}
