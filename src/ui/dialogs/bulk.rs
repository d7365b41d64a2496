//! The panel of bulk commands: up to two lines each.

use crate::{
    ui::cells::{Canvas, LinesPanel, after, line, shortened, spans_width, sum, widest, wrapped},
    view::{BulkItem, BulkView, Span},
};
use ratatui::layout::Rect;

const WIDEST: u16 = 110;

pub(in crate::ui) fn draw(canvas: &mut Canvas<'_>, body: Rect, bulk: &BulkView, offset: usize) {
    let wide = body.width.min(WIDEST);
    let states = widest(bulk.items.iter().map(|item| item.state.text.as_str()));
    let room = wide.saturating_sub(sum([states, 5]));
    let mut lines: Vec<BulkLayout> = bulk
        .items
        .iter()
        .flat_map(|item| laid(item, room))
        .collect();
    lines.extend(bulk.left_out.iter().map(|why| {
        let words = format!("left out: {why}");
        (Span::plain(""), Span::warn(words))
    }));
    let panel = LinesPanel {
        title: &fitting(&bulk.title, wide),
        width: wide,
        lines: lines.len(),
        offset,
    };
    let (inner, first) = panel.draw(canvas, body);
    let inner = after(inner, 1);
    for (number, (state, words)) in (0..inner.height).zip(lines.iter().skip(first)) {
        let row = line(inner, number);
        canvas.toned(row, &state.text, state.tone);
        let row = after(row, sum([states, 2]));
        canvas.toned(row, &words.text, words.tone);
    }
}

type BulkLayout = (Span, Span);

fn laid(item: &BulkItem, room: u16) -> Vec<BulkLayout> {
    let words = wrapped(&item.words, room).into_iter().map(Span::plain);
    let more = item.more.iter().flat_map(|more| {
        let below = wrapped(&more.text, room).into_iter();
        below.map(|text| Span::new(text, more.tone))
    });
    let mut state = Some(item.state.clone());
    let lines = words.chain(more);
    lines
        .map(|line| (state.take().unwrap_or_default(), line))
        .collect()
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
