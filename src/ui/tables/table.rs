//! Rows under headings. A column that does not fit is dropped whole, the least important first; a number is never cut.

use crate::{
    ui::{
        cells::{Canvas, after, first, inset, line, padded, shortened, spans_width, sum, width},
        tables::fit::{
            BRANCH, CellForm, ColumnSlot, GAUGE, GAUGE_ROOM, Measures, WIDEST_GAP, fit, parts,
            title,
        },
        theme::ThemePart,
    },
    view::{self, Align, Cell, Facts, Lead, RowBody, Span, Table, TableRow, Tone},
};
use ratatui::layout::Rect;
use std::{borrow::Cow, slice};

/// The mark of the selected row, and the same space on the right.
const MARGIN: u16 = 1;

/// Which of the visible rows are highlighted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::ui) struct PickedRow {
    /// The row that the keys act on, if this pane has them.
    pub(in crate::ui) selected: Option<usize>,
    /// Marked ones.
    pub(in crate::ui) marked: Vec<usize>,
}

impl PickedRow {
    /// A line was inserted before this row.
    pub(in crate::ui) fn make_room(&mut self, before: usize) {
        for row in self.selected.iter_mut().chain(&mut self.marked) {
            *row = row.saturating_add(usize::from(*row >= before));
        }
    }

    /// Highlights all lines of the n-th row if it is selected or marked.
    pub(in crate::ui) fn draw(&self, canvas: &mut Canvas<'_>, block: Rect, number: usize) {
        if self.selected == Some(number) {
            canvas.fill(block, ThemePart::Selection);
            for at in 0..block.height {
                canvas.toned(line(block, at), "▌", Tone::Accent);
            }
        }
        if self.marked.contains(&number) {
            canvas.toned(block, "●", Tone::Accent);
        }
    }
}

/// The columns that a table has in `area`.
pub(in crate::ui) fn room(area: Rect) -> u16 {
    inset(area, MARGIN).width
}

/// Draws the headings and rows by what was measured; returns the free part of `area` beside them.
pub(in crate::ui) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    table: &Table,
    measures: &mut Measures,
    picked: &PickedRow,
) -> Rect {
    let room = inset(area, MARGIN);
    let slots = fit(&table.headings, measures, room.width);
    measures.draws(&slots, table);
    headings(canvas, line(room, 0), &slots);
    for (number, row) in (0..).zip(&table.rows) {
        let whole = line(area, sum([number, 1]));
        picked.draw(canvas, whole, usize::from(number));
        one(canvas, line(room, sum([number, 1])), row, &slots);
    }
    after(room, used(&slots).saturating_add(WIDEST_GAP))
}

fn place(row: Rect, slot: ColumnSlot) -> Rect {
    let rest = after(row, slot.offset);
    first(rest, slot.width)
}

fn headings(canvas: &mut Canvas<'_>, row: Rect, slots: &[ColumnSlot]) {
    for slot in slots {
        let title = title(&slot.heading);
        let room = place(row, *slot);
        let room = match slot.heading.align {
            Align::Number => after(room, room.width.saturating_sub(width(&title))),
            Align::Left | Align::Words | Align::Parts => room,
        };
        let tone = match slot.heading.sorted {
            Some(_) => Tone::Accent,
            None => Tone::Muted,
        };
        canvas.toned(room, &shortened(&title, room.width), tone);
    }
}

fn one(canvas: &mut Canvas<'_>, row: Rect, content: &TableRow, slots: &[ColumnSlot]) {
    let branch = match content.lead {
        Lead::Root => "",
        Lead::Child => "├ ",
        Lead::LastChild => "└ ",
    };
    canvas.toned(row, branch, Tone::Muted);
    match &content.body {
        RowBody::Line(facts) => {
            canvas.spans(row, &fitting(facts, row.width));
        }
        RowBody::Rule(spans) => rule(canvas, row, slots, spans),
        RowBody::Cells(cells) => {
            for slot in slots {
                let room = place(row, *slot);
                let is_child = slot.branch > 0 && content.lead != Lead::Root;
                let room = if is_child { after(room, BRANCH) } else { room };
                if let Some(cell) = cells.get(slot.column) {
                    draw_cell(canvas, room, cell, slot);
                }
            }
        }
    }
}

/// As wide as the columns: what is beside them belongs to no day.
fn rule(canvas: &mut Canvas<'_>, row: Rect, slots: &[ColumnSlot], words: &[Span]) {
    let row = first(row, used(slots));
    canvas.rule(row);
    canvas.spans(after(row, 2), &padded(words.to_vec()));
}

/// The width that a row's columns use.
fn used(slots: &[ColumnSlot]) -> u16 {
    slots
        .last()
        .map_or(0, |slot| slot.offset.saturating_add(slot.width))
}

fn draw_cell(canvas: &mut Canvas<'_>, mut room: Rect, cell: &Cell, slot: &ColumnSlot) {
    let (align, measure) = (slot.heading.align, slot.measure);
    if let Some(gauge) = cell.gauge.filter(|_| measure.gauge > 0) {
        let text = sum([measure.whole, measure.fraction, GAUGE_ROOM]);
        let spare = room.width.saturating_sub(text);
        let start = if align == Align::Number { spare } else { 0 };
        let bar = Rect {
            width: GAUGE,
            ..after(room, start)
        };
        canvas.bar(bar, gauge);
        room = after(room, sum([start, GAUGE_ROOM]));
    }
    let spans = match (&cell.brief, measure.form) {
        (Some(brief), CellForm::Brief) => slice::from_ref(brief),
        (_, CellForm::Full | CellForm::Brief) => &cell.spans,
    };
    match align {
        Align::Number => {
            let text = view::plain_text(spans);
            let (_, fraction) = parts(&text, align);
            let tail = measure.fraction.saturating_sub(width(fraction));
            let lead = room.width.saturating_sub(sum([width(&text), tail]));
            canvas.spans(after(room, lead), spans);
        }
        Align::Left => {
            canvas.spans(room, spans);
        }
        Align::Words => words(canvas, room, cell),
        Align::Parts => {
            canvas.spans(room, &first_parts(&cell.spans, room.width));
        }
    }
}

/// Those that fit, the most important first, in their own order.
fn fitting(facts: &[Facts], room: u16) -> Vec<Span> {
    let mut ranked: Vec<_> = facts.iter().enumerate().collect();
    ranked.sort_by_key(|(at, facts)| (facts.priority, *at));
    let mut left = room;
    let mut kept: Vec<usize> = vec![];
    for (at, facts) in ranked {
        let rest = left.checked_sub(spans_width(&facts.spans));
        if let Some(rest) = rest.or((facts.priority == 0).then_some(0)) {
            left = rest;
            kept.push(at);
        }
    }
    let shown = facts.iter().enumerate().filter(|(at, _)| kept.contains(at));
    shown.flat_map(|(_, facts)| facts.spans.clone()).collect()
}

/// As many of the first as fit; the others leave no sign.
pub(in crate::ui) fn first_parts(parts: &[Span], room: u16) -> Cow<'_, [Span]> {
    let shown = fitting_parts(parts, room);
    if shown.is_empty()
        && let Some(first) = parts.first()
    {
        let text = shortened(&first.text, room).into_owned();
        let cut = Span {
            text,
            ..first.clone()
        };
        return Cow::Owned(vec![cut]);
    }
    Cow::Borrowed(shown)
}

/// As many of the first as fit whole.
pub(in crate::ui) fn fitting_parts(parts: &[Span], room: u16) -> &[Span] {
    let mut fewer = (0..=parts.len())
        .rev()
        .filter_map(|count| parts.get(..count));
    fewer
        .find(|parts| spans_width(parts) <= room)
        .unwrap_or_default()
}

/// Words may end in `…`. If two parts are too long, the first (the command) is shortened before the second (its
/// outcome).
fn words(canvas: &mut Canvas<'_>, mut room: Rect, cell: &Cell) {
    let mut spans = cell.spans.as_slice();
    if let [request, outcome, ..] = spans
        && width(&request.text).saturating_add(width(&outcome.text)) > room.width
    {
        let least = width(&request.text).min(LEAST_COMMAND_WIDTH);
        let most = room.width.saturating_sub(width(&outcome.text)).max(least);
        room = canvas.toned(
            room,
            &gist(&request.text, most.min(room.width)),
            request.tone,
        );
        spans = spans.get(1..).unwrap_or_default();
    }
    for span in spans {
        let text = shortened(&span.text, room.width);
        room = canvas.toned(room, &text, span.tone);
        if *text != *span.text {
            return;
        }
    }
}

/// The command is not shortened below this width.
const LEAST_COMMAND_WIDTH: u16 = 12;

/// The first words that fit, without numbers: `SELL BTC…`.
fn gist(text: &str, room: u16) -> Cow<'_, str> {
    if width(text) <= room {
        return Cow::Borrowed(text);
    }
    let is_number = |word: &&str| word.chars().all(|c| !c.is_alphabetic());
    let mut kept = String::new();
    for word in text.split(' ').filter(|word| !is_number(word)) {
        let apart = if kept.is_empty() { "" } else { " " };
        if sum([kept.as_str(), apart, word].map(width)) >= room {
            break;
        }
        kept.push_str(apart);
        kept.push_str(word);
    }
    if kept.is_empty() {
        return shortened(text, room);
    }
    kept.push('…');
    Cow::Owned(kept)
}
