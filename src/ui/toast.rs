//! The newest notice, at the lower right, over what matters least.

use super::{
    canvas::{Canvas, after, line, shortened, width, wrapped},
    frame::panel,
};
use crate::{
    app::mouse::Spot,
    view::{Span, ToastView, Tone},
};
use ratatui::layout::Rect;

const WIDEST: u16 = 76;
const MOST_LINES: usize = 4;

/// The lines and the size of a toast in a body of this width.
fn size(toast: &ToastView, body: Rect) -> (u16, u16) {
    let inner = body.width.saturating_sub(4).min(WIDEST);
    let lines = lines(toast, inner);
    let widest = lines.iter().map(|(text, _)| width(text)).max().unwrap_or(0);
    let title = width(&toast.head) + 16;
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    (widest.max(title).min(inner) + 4, height + 2)
}

/// Where it lies.
pub(super) fn area(toast: &ToastView, body: Rect) -> Rect {
    let (width, height) = size(toast, body);
    let area = Rect {
        x: body.right().saturating_sub(width),
        y: body.bottom().saturating_sub(height),
        width,
        height,
    };
    area.intersection(body)
}

pub(super) fn draw(canvas: &mut Canvas<'_>, body: Rect, toast: &ToastView) {
    let area = area(toast, body);
    let mut title = vec![Span::new(toast.head.clone(), toast.tone)];
    if let Some(key) = &toast.dismiss {
        title.push(Span::new(format!("  {key}"), Tone::Accent));
        title.push(Span::muted(" dismiss"));
    }
    let inner = panel(canvas, area, &title);
    canvas.spot(area, Spot::Toast);
    let inner = after(inner, 1);
    for (number, (text, tone)) in (0..).zip(lines(toast, inner.width.saturating_sub(1))) {
        canvas.toned(line(inner, number), &text, tone);
    }
}

fn lines(toast: &ToastView, room: u16) -> Vec<(String, Tone)> {
    let words = wrapped(&toast.words, room).into_iter();
    let mut lines: Vec<_> = words
        .take(MOST_LINES)
        .map(|text| (text, Tone::Plain))
        .collect();
    let references = wrapped(&toast.references, room).into_iter();
    lines.extend(
        references
            .take(2)
            .map(|text| (shortened(&text, room).into_owned(), Tone::Muted)),
    );
    lines
}
