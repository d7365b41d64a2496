//! The panel of bulk commands: up to two lines each.

use crate::{
    ui::cells::{
        Canvas, LinesPanel, PanelLine, lead, shortened, spans_width, sum, widest, wrapped,
    },
    view::{BulkItem, BulkView, Span},
};
use ratatui::layout::Rect;

const WIDEST: u16 = 110;

pub(in crate::ui) fn draw(canvas: &mut Canvas<'_>, body: Rect, bulk: &BulkView, offset: usize) {
    let wide = body.width.min(WIDEST);
    let states = widest(bulk.items.iter().map(|item| item.state.text.as_str()));
    let items = bulk.items.iter().flat_map(|item| laid(item, states, wide));
    let left_out = bulk.left_out.iter().map(|why| {
        let words = Span::warn(format!("left out: {why}"));
        vec![lead("", sum([states, 2])), words].into()
    });
    let panel = LinesPanel {
        title: &fitting(&bulk.title, wide),
        width: wide,
        lines: items.chain(left_out).collect(),
        offset: Some(offset),
    };
    panel.draw(canvas, body);
}

fn laid(item: &BulkItem, states: u16, wide: u16) -> Vec<PanelLine> {
    let room = wide.saturating_sub(sum([states, 5]));
    let words = wrapped(&item.words, room).into_iter().map(Span::plain);
    let more = item.more.iter().flat_map(|more| {
        let below = wrapped(&more.text, room).into_iter();
        below.map(|text| Span::new(text, more.tone))
    });
    let mut state = Some(item.state.clone());
    let lines = words.chain(more).map(|line| {
        let state = state.take().unwrap_or_default();
        let lead = lead(&state.text, sum([states, 2]));
        vec![state, lead, line].into()
    });
    lines.collect()
}

/// The keys in the title matter more than its first words.
fn fitting(title: &[Span], wide: u16) -> Vec<Span> {
    let room = wide.saturating_sub(6);
    match title.split_first() {
        Some((head, keys)) if spans_width(title) > room => {
            let left = room.saturating_sub(spans_width(keys));
            let head = Span::new(shortened(&head.text, left), head.tone);
            std::iter::once(head).chain(keys.iter().cloned()).collect()
        }
        Some(_) | None => title.to_vec(),
    }
}
