//! Rows under headings. A column that does not fit is dropped whole, the least important first; a number is never cut.

use super::{
    canvas::{Canvas, after, line, shortened, spans_width, width},
    fit::{
        BRANCH, CellForm, ColumnMeasure, ColumnSlot, Fit, GAUGE, GAUGE_ROOM, Measures, WIDEST_GAP,
        fit, parts, title,
    },
    layout::sum,
    theme::ThemePart,
};
use crate::view::{Align, Cell, Facts, Lead, RowBody, Span, Table, TableRow, Tone};
use ratatui::layout::Rect;
use std::{borrow::Cow, slice};

/// The mark of the selected row, and the same space on the right.
const MARGIN: u16 = 1;

/// Which of the visible rows are highlighted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PickedRow {
    /// The row that the keys act on, if this pane has them.
    pub(super) selected: Option<usize>,
    /// Marked ones.
    pub(super) marked: Vec<usize>,
}

impl PickedRow {
    /// A line was inserted before this row.
    pub(super) fn make_room(&mut self, before: usize) {
        for row in self.selected.iter_mut().chain(&mut self.marked) {
            *row = row.saturating_add(usize::from(*row >= before));
        }
    }

    /// Highlights all lines of the n-th row if it is selected or marked.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, block: Rect, number: usize) {
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

/// Draws the headings and rows; returns the free part of `area` beside them.
pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    table: &Table,
    measures: &mut Measures,
    picked: &PickedRow,
) -> Rect {
    let room = after(area, MARGIN);
    let room = Rect {
        width: room.width.saturating_sub(MARGIN),
        ..room
    };
    measures.take(table, room.width);
    let fit = fit(&table.headings, measures, room.width);
    measures.draws(&fit, table);
    headings(canvas, line(room, 0), &fit);
    for (number, row) in (0..).zip(&table.rows) {
        let whole = line(area, sum([number, 1]));
        picked.draw(canvas, whole, usize::from(number));
        one(canvas, line(room, sum([number, 1])), row, &fit);
    }
    after(room, used(&fit.slots).saturating_add(WIDEST_GAP))
}

fn place(row: Rect, slot: ColumnSlot) -> Rect {
    let rest = after(row, slot.offset);
    Rect {
        width: slot.width.min(rest.width),
        ..rest
    }
}

fn headings(canvas: &mut Canvas<'_>, row: Rect, fit: &Fit) {
    for slot in &fit.slots {
        let Some(heading) = fit.headings.get(slot.column) else {
            continue;
        };
        let title = title(heading);
        let room = place(row, *slot);
        let room = match heading.align {
            Align::Number => after(room, room.width.saturating_sub(width(&title))),
            Align::Left | Align::Words | Align::Parts => room,
        };
        let tone = match heading.sorted {
            Some(_) => Tone::Accent,
            None => Tone::Muted,
        };
        canvas.toned(room, &shortened(&title, room.width), tone);
    }
}

fn one(canvas: &mut Canvas<'_>, row: Rect, content: &TableRow, fit: &Fit) {
    let branch = match content.lead {
        Lead::Root => "",
        Lead::Child => "├ ",
        Lead::LastChild => "└ ",
    };
    canvas.toned(row, branch, Tone::Muted);
    let cells = match &content.body {
        RowBody::Cells(cells) => cells,
        RowBody::Line(facts) => {
            canvas.spans(row, &fitting(facts, row.width));
            return;
        }
        RowBody::Rule(spans) => {
            rule(canvas, row, &fit.slots, spans);
            return;
        }
    };
    for slot in &fit.slots {
        let column = (
            cells.get(slot.column),
            fit.headings.get(slot.column),
            fit.measures.columns.get(slot.column),
        );
        let (Some(cell), Some(heading), Some(measure)) = column else {
            continue;
        };
        let room = place(row, *slot);
        let is_child = slot.branch > 0 && content.lead != Lead::Root;
        let room = if is_child { after(room, BRANCH) } else { room };
        draw_cell(canvas, room, cell, heading.align, *measure);
    }
}

/// As wide as the columns: what is beside them belongs to no day.
fn rule(canvas: &mut Canvas<'_>, row: Rect, slots: &[ColumnSlot], words: &[Span]) {
    let row = Rect {
        width: used(slots).min(row.width),
        ..row
    };
    let style = canvas.theme.part(ThemePart::Border);
    canvas.text(row, &"─".repeat(usize::from(row.width)), style);
    let spaced = std::iter::once(Span::plain(" "))
        .chain(words.iter().cloned())
        .chain([Span::plain(" ")]);
    let spaced: Vec<_> = spaced.collect();
    canvas.spans(after(row, 2), &spaced);
}

/// The width that a row's columns use.
fn used(slots: &[ColumnSlot]) -> u16 {
    slots
        .last()
        .map_or(0, |slot| slot.offset.saturating_add(slot.width))
}

fn draw_cell(
    canvas: &mut Canvas<'_>,
    room: Rect,
    cell: &Cell,
    align: Align,
    measure: ColumnMeasure,
) {
    let mut room = room;
    if let Some(gauge) = cell.gauge.filter(|_| measure.gauge > 0) {
        let text = sum([measure.whole, measure.fraction, GAUGE_ROOM]);
        let spare = room.width.saturating_sub(text);
        let start = if align == Align::Number { spare } else { 0 };
        canvas.bar(
            Rect {
                width: GAUGE,
                ..after(room, start)
            },
            gauge,
        );
        room = after(room, sum([start, GAUGE_ROOM]));
    }
    let spans = match (&cell.brief, measure.form) {
        (Some(brief), CellForm::Brief) => slice::from_ref(brief),
        (_, CellForm::Full | CellForm::Brief) => &cell.spans,
    };
    match align {
        Align::Number => {
            let text: String = spans.iter().map(|span| span.text.as_str()).collect();
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
    let shown = shown.flat_map(|(_, facts)| facts.spans.iter().cloned());
    shown.collect()
}

/// As many of the first as fit; the others leave no sign.
pub(super) fn first_parts(parts: &[Span], room: u16) -> Cow<'_, [Span]> {
    let counts = (1..=parts.len()).rev();
    let mut fewer = counts.filter_map(|count| parts.get(..count));
    if let Some(shown) = fewer.find(|parts| spans_width(parts) <= room) {
        return Cow::Borrowed(shown);
    }
    let first = parts.first().map(|first| Span {
        text: shortened(&first.text, room).into_owned(),
        ..first.clone()
    });
    Cow::Owned(first.into_iter().collect())
}

/// Words may end in `…`. If two parts are too long, the first (the command) is shortened before the second (its
/// outcome).
fn words(canvas: &mut Canvas<'_>, mut room: Rect, cell: &Cell) {
    let mut spans = cell.spans.as_slice();
    if let [asked, outcome, ..] = spans
        && width(&asked.text).saturating_add(width(&outcome.text)) > room.width
    {
        let least = width(&asked.text).min(LEAST_COMMAND_WIDTH);
        let most = room.width.saturating_sub(width(&outcome.text)).max(least);
        room = canvas.toned(room, &gist(&asked.text, most.min(room.width)), asked.tone);
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
