//! The price ladder as cells: prices in the middle, bids left of them, asks right, own orders outside.

use super::{super::theme::ThemePart, chart::whole_facts};
use crate::{
    app::{
        ClickTarget, MarketPanel,
        market::ladder_spot::{DrawnRows, LadderSpot, WHEEL_HOME},
    },
    ui::cells::{
        Canvas, ClickList, after, first, length, line, rows, split, sum, width, without_last,
    },
    view::{Gauge, LadderCell, LadderForm, LadderSides, LadderView, PriceRow, Share, Span, Tone},
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
    let (position, area) = rows(area, u16::from(view.position.is_some()));
    if let Some(facts) = &view.position {
        whole_facts(canvas, position, facts);
    }
    canvas.spans(line(area, 0), &view.head);
    canvas.spans(line(area, 1), &view.above);
    let count = length(view.rows.len());
    let prices = Rect {
        y: area.y.saturating_add(2),
        height: count.min(area.height.saturating_sub(2)),
        ..area
    };
    for (number, row) in (0..prices.height).zip(&view.rows) {
        draw_row(canvas, line(prices, number), row, view.form);
    }
    let after_rows = sum([2, prices.height]);
    canvas.spans(line(area, after_rows), &view.below);
    canvas.spans(line(area, after_rows.saturating_add(1)), &view.foot);
    draw_trades(canvas, area, after_rows.saturating_add(2), view);
    let list = ClickList {
        first: WHEEL_HOME,
        room: usize::from(prices.height),
        count: WHEEL_HOME.saturating_mul(2),
    };
    canvas.list(prices, ClickTarget::Panel(MarketPanel::Ladder), list);
    Some(DrawnLadder {
        drawn: view.drawn.clone()?,
        area: prices,
        form: view.form,
    })
}

fn draw_trades(canvas: &mut Canvas<'_>, area: Rect, from: u16, view: &LadderView) {
    if view.trades.is_empty() {
        return;
    }
    canvas.rule(line(area, from));
    canvas.spans(line(area, from), &view.over_trades);
    for (number, trade) in (from.saturating_add(1)..area.height).zip(&view.trades) {
        canvas.spans(line(area, number), trade);
    }
}

fn draw_row(canvas: &mut Canvas<'_>, room: Rect, row: &PriceRow, form: LadderForm) {
    if row.is_cursor {
        canvas.fill(room, ThemePart::Selection);
    }
    let (mine, size, price) = (form.mine, form.size, price_width(form));
    match form.sides {
        LadderSides::Both => {
            if !row.is_cursor {
                draw_shades(canvas, room, row, form);
            }
            let widths = [mine, size, price, size, mine, form.traded];
            let [my_bids, bid, price, ask, my_asks, traded] = split(room, widths);
            // Own orders do not touch the sizes beside them.
            canvas.span_right(without_last(my_bids, 1), &row.my_bids);
            draw_bid(canvas, bid, &row.bid);
            draw_price(canvas, price, row, form);
            draw_size(canvas, ask, &row.ask);
            canvas.span(after(my_asks, 1), &row.my_asks);
            canvas.span(traded, &row.traded.size);
            bar_after(canvas, traded, &row.traded);
        }
        LadderSides::One => {
            let [sizes, price, own] = split(room, [size, price, mine]);
            let is_ask = row.bid.size.text.is_empty();
            let (cell, sign) = if is_ask {
                (&row.ask, "a")
            } else {
                (&row.bid, "b")
            };
            draw_signed(canvas, sizes, cell, sign);
            draw_price(canvas, price, row, form);
            let is_asked = row.my_bids.text.is_empty();
            let mine = if is_asked { &row.my_asks } else { &row.my_bids };
            canvas.span(after(own, 1), mine);
        }
    }
}

/// `›LE65,617◂`.
fn price_width(form: LadderForm) -> u16 {
    sum([CURSOR, form.letters, form.label, LAST])
}

/// Bars of depth behind the numbers, growing away from the price, where the theme has shades.
fn draw_shades(canvas: &mut Canvas<'_>, room: Rect, row: &PriceRow, form: LadderForm) {
    // What stands beyond it is not touched.
    let side = sum([form.mine, form.size]).saturating_sub(1);
    let [bids, _, asks] = split(after(room, 1), [side, price_width(form), side]);
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
    canvas.toned(last, if row.is_last { "◂" } else { " " }, Tone::Info);
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
