//! The help panel: sections in one or two columns.

use crate::{
    app::{Context, Model, dialogs::glossary::Glossary},
    ui::cells::{Canvas, LinesPanel, lead, share, spans_width, sum, widest, wrapped},
    view::{self, HelpSection, Span},
};
use ratatui::layout::Rect;

/// The panel does not shrink below this while a search reduces its lines.
const NARROWEST: u16 = 92;
/// Space before a key, after it and after its action.
const MARGINS: u16 = 4;
/// Below this width there is one column.
const TWO_COLUMNS: u16 = 64;

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
    let columns = split(sections, usize::from(columns), |part| {
        entries(part, keys, room)
    });
    let longest = columns.iter().map(Vec::len).max().unwrap_or(0);
    let lines = (0..longest).map(|number| {
        let mut line = vec![];
        for (at, column) in (0_u16..).zip(&columns) {
            let apart = at.saturating_mul(share).saturating_sub(spans_width(&line));
            line.push(lead("", apart));
            line.extend(column.get(number).into_iter().flatten().cloned());
        }
        line.into()
    });
    let panel = LinesPanel {
        title: &title(page),
        width: wide,
        lines: lines.collect(),
        offset: Some(offset),
    };
    panel.draw(canvas, body);
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

/// The sections in columns, none broken, with the shortest possible longer column.
fn split(
    sections: &[HelpSection],
    columns: usize,
    entries: impl Fn(&[HelpSection]) -> Vec<Vec<Span>>,
) -> Vec<Vec<Vec<Span>>> {
    let length = |sections: &[HelpSection]| entries(sections).len();
    let halves = (1..=sections.len()).filter_map(|at| sections.split_at_checked(at));
    let best = halves.min_by_key(|(first, rest)| length(first).max(length(rest)));
    match best.filter(|_| columns > 1) {
        Some((first, rest)) => vec![entries(first), entries(rest)],
        None => vec![entries(sections)],
    }
}

/// A line for each key; a long action continues below it.
fn entries(sections: &[HelpSection], keys: u16, room: u16) -> Vec<Vec<Span>> {
    let mut entries = vec![];
    for section in sections {
        if !entries.is_empty() {
            entries.push(vec![]);
        }
        entries.push(vec![Span::strong(section.title)]);
        for (key, does) in &section.lines {
            let names = std::iter::once(key.as_str()).chain(std::iter::repeat(""));
            entries.extend(names.zip(wrapped(does, room)).map(|(key, does)| {
                let name = Span::accent(format!("{key}  "));
                vec![lead(key, keys), name, Span::plain(does)]
            }));
        }
    }
    entries
}
