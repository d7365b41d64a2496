//! A list panel, one line each: the accounts, the markets.

use crate::{
    ui::{
        cells::{Canvas, centered, length, line, panel},
        tables::{
            fit::Measures,
            table::{self, PickedRow},
        },
    },
    view::{ListView, Timestamp},
};
use ratatui::layout::Rect;

const WIDEST: u16 = 120;
/// Two borders and the headings.
const FRAME_LINES: u16 = 3;

/// `list` receives the number of lines that fit.
pub(in crate::ui) fn draw(
    canvas: &mut Canvas<'_>,
    body: Rect,
    list: impl FnOnce(usize) -> ListView,
) {
    let wide = body.width.min(WIDEST);
    let room = body.height.saturating_sub(FRAME_LINES);
    let list = list(usize::from(room));
    let lines = length(list.table.rows.len());
    let area = centered(body, wide, lines.saturating_add(FRAME_LINES));
    let inner = panel(canvas, area, &list.title);
    if lines == 0 {
        canvas.spans(line(inner, 0), &list.emptiness);
        return;
    }
    let picked = PickedRow {
        selected: Some(list.chosen),
        marked: vec![],
    };
    for (number, spot) in (1..).zip(list.spots) {
        canvas.spot(line(inner, number), spot);
    }
    let mut measures = Measures::default();
    measures.take(&list.table, table::room(inner), Timestamp::default());
    table::draw(canvas, inner, &list.table, &mut measures, &picked);
}
