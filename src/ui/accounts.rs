//! All accounts over the desk.

use super::{
    canvas::{Canvas, line},
    fit::Measures,
    frame::panel,
    help::centered,
    table::{self, Picked},
};
use crate::{app::mouse::Spot, view::AccountsView};
use ratatui::layout::Rect;

const WIDEST: u16 = 120;

pub(super) fn draw(canvas: &mut Canvas<'_>, body: Rect, accounts: &AccountsView) {
    let wide = body.width.min(WIDEST);
    let lines = u16::try_from(accounts.table.rows.len()).unwrap_or(u16::MAX);
    // Two borders and the headings.
    let area = centered(body, wide, lines.saturating_add(3).min(body.height));
    let inner = panel(canvas, area, &accounts.title);
    let room = usize::from(inner.height.saturating_sub(1));
    let first = (accounts.chosen + 1).saturating_sub(room);
    let mut table = accounts.table.clone();
    table.rows.drain(..first.min(table.rows.len()));
    let picked = Picked {
        selected: accounts.chosen.checked_sub(first),
        marked: vec![],
    };
    for (number, _) in (0..).zip(&table.rows) {
        let at = first + usize::from(number);
        canvas.spot(line(inner, number + 1), Spot::Account(at));
    }
    table::draw(canvas, inner, &table, &mut Measures::default(), &picked);
}
