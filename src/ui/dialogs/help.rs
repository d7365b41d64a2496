//! The help panel: sections in one or two columns.

use crate::{
    app::{Context, Model, dialogs::glossary::Glossary},
    ui::cells::{Canvas, LinesPanel, after, first, line, share, sum, widest, width, wrapped},
    view::{self, HelpSection, Span, Tone},
};
use ratatui::layout::Rect;

/// The panel does not shrink below this while a search reduces its lines.
const NARROWEST: u16 = 92;
/// Space before a key, after it and after its action.
const MARGINS: u16 = 4;
/// Below this width there is one column.
const TWO_COLUMNS: u16 = 64;

/// One line: a section's name, a key, or an empty line.
enum HelpEntry<'a> {
    Section(&'a str),
    Key(&'a str, String),
    Space,
}

/// A page of keys or terms.
struct HelpPage<'a> {
    title: &'static str,
    /// How to search, while nothing is searched.
    hint: &'a str,
    search: &'a str,
    sections: &'a [HelpSection],
    most_columns: u16,
}

pub(in crate::ui) fn keys(
    canvas: &mut Canvas<'_>,
    body: Rect,
    model: &Model,
    (of, search, offset): (Context, &str, usize),
) {
    let page = HelpPage {
        title: "Help",
        hint: &view::help_hint(model),
        search,
        sections: &view::help(model, of, search),
        most_columns: 2,
    };
    draw(canvas, body, &page, offset);
}

pub(in crate::ui) fn glossary(canvas: &mut Canvas<'_>, body: Rect, open: &Glossary) {
    let page = HelpPage {
        title: "Glossary",
        hint: "type to search",
        search: &open.search,
        sections: &view::glossary(open),
        most_columns: 1,
    };
    draw(canvas, body, &page, open.offset);
}

fn draw(canvas: &mut Canvas<'_>, body: Rect, page: &HelpPage<'_>, offset: usize) {
    let sections = page.sections;
    let lines = || sections.iter().flat_map(|s| &s.lines);
    let keys = widest(lines().map(|(key, _)| key.as_str()));
    let texts = widest(lines().map(|(_, does)| *does));
    let columns = if body.width >= TWO_COLUMNS { 2 } else { 1 };
    let columns = page.most_columns.min(columns);
    // As wide as its longest line, if there is room.
    let one = sum([keys, texts, MARGINS]);
    let wanted = sum([one.saturating_mul(columns), 2]);
    let wide = wanted.max(NARROWEST).min(body.width);
    let share = share(wide.saturating_sub(2), 1, columns);
    let room = share.saturating_sub(keys.saturating_add(MARGINS));
    let columns = split(sections, usize::from(columns), room);
    let longest = columns.iter().map(Vec::len).max().unwrap_or(0);
    let panel = LinesPanel {
        title: &title(page),
        width: wide,
        lines: longest,
        offset,
    };
    let (inner, top) = panel.draw(canvas, body);
    for (at, column) in (0_u16..).zip(&columns) {
        let room = after(inner, sum([at.saturating_mul(share), 1]));
        let room = first(room, share.saturating_sub(1));
        for (number, entry) in (0..inner.height).zip(column.iter().skip(top)) {
            draw_entry(canvas, line(room, number), entry, keys);
        }
    }
}

/// The search text, or how to search.
fn title(page: &HelpPage<'_>) -> Vec<Span> {
    let mut title = vec![Span::accent(page.title)];
    if page.search.is_empty() {
        title.push(Span::muted(format!("  {}", page.hint)));
        return title;
    }
    title.push(Span::plain(format!("  {}▏", page.search)));
    if page.sections.is_empty() {
        title.push(Span::muted("  nothing found"));
    }
    title
}

fn draw_entry(canvas: &mut Canvas<'_>, row: Rect, entry: &HelpEntry<'_>, keys: u16) {
    match entry {
        HelpEntry::Section(title) => {
            canvas.toned(row, title, Tone::Strong);
        }
        HelpEntry::Key(key, does) => {
            let lead = keys.saturating_sub(width(key));
            canvas.toned(after(row, lead), key, Tone::Accent);
            canvas.toned(after(row, sum([keys, 2])), does, Tone::Plain);
        }
        HelpEntry::Space => {}
    }
}

/// The sections in columns, none broken, with the shortest possible longer column.
fn split(sections: &[HelpSection], columns: usize, room: u16) -> Vec<Vec<HelpEntry<'_>>> {
    let length = |sections: &[HelpSection]| entries(sections, room).len();
    let halves = (1..=sections.len()).filter_map(|at| sections.split_at_checked(at));
    let best = halves.min_by_key(|(first, rest)| length(first).max(length(rest)));
    match best.filter(|_| columns > 1) {
        Some((first, rest)) => vec![entries(first, room), entries(rest, room)],
        None => vec![entries(sections, room)],
    }
}

/// A long action continues below its key.
fn entries(sections: &[HelpSection], room: u16) -> Vec<HelpEntry<'_>> {
    let mut entries = vec![];
    for section in sections {
        if !entries.is_empty() {
            entries.push(HelpEntry::Space);
        }
        entries.push(HelpEntry::Section(section.title));
        for (key, does) in &section.lines {
            let keys = std::iter::once(key.as_str()).chain(std::iter::repeat(""));
            let lines = keys.zip(wrapped(does, room));
            entries.extend(lines.map(|(key, does)| HelpEntry::Key(key, does)));
        }
    }
    entries
}
