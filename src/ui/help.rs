//! The help over the desk: sections in as many columns as fit, two at most.

use super::{
    canvas::{Canvas, after, line, shortened, width},
    frame::{panel, scrolled, widest},
};
use crate::view::{HelpSection, Span, Tone};
use ratatui::layout::Rect;

const WIDEST: u16 = 92;
/// Narrower than this there is one column only.
const TWO_COLUMNS: u16 = 64;

/// One line of the help: a section's name, a key, or the space between sections.
enum Entry<'a> {
    Section(&'a str),
    Key(&'a str, &'a str),
    Space,
}

pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    body: Rect,
    (sections, search): (&[HelpSection], &str),
    offset: usize,
) {
    let wide = body.width.saturating_sub(2).min(WIDEST);
    let columns = if wide >= TWO_COLUMNS { 2 } else { 1 };
    let columns = split(sections, columns);
    let longest = columns.iter().map(Vec::len).max().unwrap_or(0);
    let height = u16::try_from(longest)
        .unwrap_or(u16::MAX)
        .saturating_add(2)
        .min(body.height);
    let area = centered(body, wide, height);
    let inner = panel(canvas, area, &title(search, sections));
    let first = offset.min(longest.saturating_sub(usize::from(inner.height)));
    scrolled(canvas, inner, first, longest);
    let share = inner.width / u16::try_from(columns.len().max(1)).unwrap_or(1);
    let keys = widest(
        sections
            .iter()
            .flat_map(|s| &s.lines)
            .map(|(key, _)| key.as_str()),
    );
    for (at, column) in (0_u16..).zip(&columns) {
        let room = after(inner, at * share + 1);
        let room = Rect {
            width: share.saturating_sub(1).min(room.width),
            ..room
        };
        for (number, entry) in (0..inner.height).zip(column.iter().skip(first)) {
            draw_entry(canvas, line(room, number), entry, keys);
        }
    }
}

/// What is looked for, or that something can be.
fn title(search: &str, sections: &[HelpSection]) -> Vec<Span> {
    let mut title = vec![Span::new("Help", Tone::Accent)];
    if search.is_empty() {
        title.push(Span::muted("  keys that work here · type to search"));
        return title;
    }
    title.push(Span::plain(format!("  {search}▏")));
    if sections.is_empty() {
        title.push(Span::muted("  nothing found"));
    }
    title
}

fn draw_entry(canvas: &mut Canvas<'_>, row: Rect, entry: &Entry<'_>, keys: u16) {
    match entry {
        Entry::Section(title) => {
            canvas.toned(row, title, Tone::Strong);
        }
        Entry::Key(key, does) => {
            canvas.toned(
                after(row, keys.saturating_sub(width(key))),
                key,
                Tone::Accent,
            );
            let room = after(row, keys + 2);
            canvas.toned(room, &shortened(does, room.width), Tone::Plain);
        }
        Entry::Space => {}
    }
}

/// The sections in columns, none broken, divided where the longer column is shortest.
fn split(sections: &[HelpSection], columns: usize) -> Vec<Vec<Entry<'_>>> {
    let length = |sections: &[HelpSection]| {
        let lines: usize = sections.iter().map(|section| section.lines.len() + 2).sum();
        lines.saturating_sub(1)
    };
    let halves = (1..=sections.len()).filter_map(|at| sections.split_at_checked(at));
    let best = halves.min_by_key(|(first, rest)| length(first).max(length(rest)));
    match best.filter(|_| columns > 1) {
        Some((first, rest)) => vec![entries(first), entries(rest)],
        None => vec![entries(sections)],
    }
}

fn entries(sections: &[HelpSection]) -> Vec<Entry<'_>> {
    let mut entries = vec![];
    for section in sections {
        if !entries.is_empty() {
            entries.push(Entry::Space);
        }
        entries.push(Entry::Section(section.title));
        let keys = section.lines.iter();
        entries.extend(keys.map(|(key, does)| Entry::Key(key, does)));
    }
    entries
}

pub(super) fn centered(body: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(body.width), height.min(body.height));
    Rect {
        x: body.x + (body.width - width) / 2,
        y: body.y + (body.height - height) / 2,
        width,
        height,
    }
}
