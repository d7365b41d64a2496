//! Column layout: how wide columns are, which of them fit, and where each begins.

use crate::{
    ui::cells::{sum, width},
    view::{Align, Cell, Heading, Lead, RowBody, Table, Timestamp, Widest, arrow},
};
use std::{borrow::Cow, cmp::Reverse, time::Duration};

/// A bar inside a cell and the space after it.
pub(in crate::ui) const GAUGE: u16 = 6;
pub(in crate::ui) const GAUGE_ROOM: u16 = GAUGE + 1;
/// Words are not shortened below this width.
const FEWEST: u16 = 10;
/// Space between columns: the most, the least that is kept unless a telling column would be dropped, and the minimum.
pub(in crate::ui) const WIDEST_GAP: u16 = 3;
const GAPS: [u16; 2] = [2, 1];
/// Columns up to this priority matter more than space between columns.
const TELLING: u8 = 7;
/// Columns up to this priority matter more than complete words.
const DECIDING: u8 = 6;
/// A dropped column returns at once only if this much space would remain.
const SPARE: u16 = 2;
/// Otherwise it returns after it would have fitted for so long. By the clock and not by frames: a place that shows the
/// same is not drawn, and must show what drawing it would.
const TIME_TO_RETURN: Duration = Duration::from_secs(10);
/// What a child's branch takes before its first cell.
pub(in crate::ui) const BRANCH: u16 = 2;

/// The width of a column's cells: total, before, and from the decimal point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::ui) struct ColumnMeasure {
    text: u16,
    pub(in crate::ui) whole: u16,
    pub(in crate::ui) fraction: u16,
    pub(in crate::ui) gauge: u16,
    /// With abbreviated cells.
    brief: u16,
    pub(in crate::ui) form: CellForm,
}

/// Whether cells are complete or abbreviated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::ui) enum CellForm {
    #[default]
    Full,
    Brief,
}

/// The layout between frames: columns only grow, so that numbers do not jump, until a dropped column would fit again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::ui) struct Measures {
    pub(in crate::ui) columns: Vec<ColumnMeasure>,
    branch: u16,
    width: u16,
    titles: Vec<&'static str>,
    /// Since when a dropped column would have fitted.
    calm: Option<Timestamp>,
    /// The titles of the columns in the last frame.
    drawn: Vec<&'static str>,
}

/// One drawn column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ui) struct ColumnSlot {
    /// Its place among the cells of a row.
    pub(in crate::ui) column: usize,
    pub(in crate::ui) heading: Heading,
    pub(in crate::ui) measure: ColumnMeasure,
    pub(in crate::ui) offset: u16,
    pub(in crate::ui) width: u16,
    /// How much of its width is for a tree's branches.
    pub(in crate::ui) branch: u16,
}

impl Measures {
    /// Records which columns are drawn.
    pub(in crate::ui) fn draws(&mut self, slots: &[ColumnSlot], table: &Table) {
        let columns = slots.iter().map(|slot| slot.column);
        let headings = columns.filter_map(|column| table.headings.get(column));
        self.drawn = headings.map(|heading| heading.title).collect();
    }

    pub(in crate::ui) fn drawn(&self) -> &[&'static str] {
        &self.drawn
    }

    /// Whether time alone can change them: a dropped column would fit.
    pub(in crate::ui) fn waits(&self) -> bool {
        self.calm.is_some()
    }

    /// Adds the visible cells. Starts anew if the room or the columns have changed, or if other columns would fit
    /// because wide cells are gone.
    pub(in crate::ui) fn take(&mut self, table: &Table, room: u16, now: Timestamp) {
        let anew = Self::of(table, room);
        if self.width != room || self.titles != anew.titles {
            *self = anew;
            return;
        }
        let kept = self.and(&anew);
        let shown = |measures: &Self, room| fit(&table.headings, measures, room).len();
        // With space to spare or after a while: a digit that comes and goes must not move a column.
        let lost = if kept.columns == anew.columns && kept.branch == anew.branch {
            None
        } else {
            let kept = shown(&kept, room);
            Some(kept).filter(|kept| shown(&anew, room) > *kept)
        };
        let calm = lost.and(kept.calm.or(Some(now)));
        let is_calm = calm.is_some_and(|since| now.since(since) >= TIME_TO_RETURN);
        let fits = |kept| shown(&anew, room.saturating_sub(SPARE)) > kept;
        let regains = is_calm || lost.is_some_and(fits);
        *self = if regains { anew } else { Self { calm, ..kept } };
    }

    /// Of these cells alone.
    fn of(table: &Table, room: u16) -> Self {
        let columns = table.headings.iter().map(ColumnMeasure::reserved);
        let mut columns: Vec<_> = columns.collect();
        let mut branch = 0;
        for row in &table.rows {
            if row.lead != Lead::Root {
                branch = BRANCH;
            }
            let RowBody::Cells(cells) = &row.body else {
                continue;
            };
            for ((measure, cell), heading) in columns.iter_mut().zip(cells).zip(&table.headings) {
                measure.grow(cell, heading.align);
            }
        }
        Self {
            titles: table.headings.iter().map(|heading| heading.title).collect(),
            columns,
            branch,
            width: room,
            calm: None,
            drawn: vec![],
        }
    }

    /// Widths that fit both.
    fn and(&self, other: &Self) -> Self {
        let columns = self.columns.iter().zip(&other.columns);
        Self {
            titles: self.titles.clone(),
            columns: columns.map(|(one, two)| one.and(*two)).collect(),
            branch: self.branch.max(other.branch),
            width: self.width,
            calm: self.calm,
            drawn: vec![],
        }
    }
}

impl ColumnMeasure {
    fn and(self, other: Self) -> Self {
        Self {
            text: self.text.max(other.text),
            whole: self.whole.max(other.whole),
            fraction: self.fraction.max(other.fraction),
            gauge: self.gauge.max(other.gauge),
            brief: self.brief.max(other.brief),
            form: self.form,
        }
    }

    /// The width of the widest word that the column can hold, whatever its rows hold now.
    fn reserved(heading: &Heading) -> Self {
        heading
            .holds
            .map_or_else(Self::default, |Widest { full, brief }| {
                let (whole, fraction) = parts(full, heading.align);
                Self {
                    text: width(full),
                    // What is abbreviated or no number stands before the point.
                    whole: width(whole).max(width(brief)),
                    fraction: width(fraction),
                    brief: width(brief),
                    ..Self::default()
                }
            })
    }

    fn grow(&mut self, cell: &Cell, align: Align) {
        let text = cell.text();
        let brief = cell.brief.as_ref().map_or(&*text, |brief| &brief.text);
        self.hold(&text, brief, align);
        if let Some([full, brief]) = &cell.widest {
            self.hold(full, brief, align);
        }
        // An empty bar has its room too: the first fill moves nothing.
        if cell.gauge.is_some() {
            self.gauge = GAUGE_ROOM;
        }
    }

    fn hold(&mut self, text: &str, brief: &str, align: Align) {
        let (whole, fraction) = parts(text, align);
        self.brief = self.brief.max(width(brief));
        self.text = self.text.max(width(text));
        self.whole = self.whole.max(width(whole));
        self.fraction = self.fraction.max(width(fraction));
    }

    fn width(self, heading: &Heading) -> u16 {
        let cells = self.text.max(self.whole.saturating_add(self.fraction));
        let cells = cells.saturating_add(self.gauge);
        cells.max(width(&title(heading)))
    }

    /// The same column with numbers only right-aligned. Prices of several markets differ in their decimals, and another
    /// column is worth more than aligned points.
    fn unaligned(self) -> Self {
        Self {
            whole: self.text,
            fraction: 0,
            ..self
        }
    }

    fn abbreviated(self) -> Self {
        Self {
            text: self.brief,
            whole: self.brief,
            fraction: 0,
            form: CellForm::Brief,
            ..self
        }
    }
}

/// A number split at its decimal point; other texts are entirely in the first part.
pub(in crate::ui) fn parts(text: &str, align: Align) -> (&str, &str) {
    match align {
        Align::Number => text
            .find('.')
            .and_then(|at| text.split_at_checked(at))
            .unwrap_or((text, "")),
        Align::Left | Align::Words | Align::Parts => (text, ""),
    }
}

impl ColumnSlot {
    /// The same column with another measure or heading.
    fn with(self, heading: Heading, measure: ColumnMeasure) -> Self {
        Self {
            heading,
            measure,
            width: sum([measure.width(&heading), self.branch]),
            ..self
        }
    }

    fn is_words(&self) -> bool {
        matches!(self.heading.align, Align::Words | Align::Parts)
    }

    /// The width below which it is dropped.
    fn least(&self) -> u16 {
        if self.is_words() {
            self.width.min(FEWEST)
        } else {
            self.width
        }
    }
}

/// Decides which columns fit, where each begins, and whether decimal points are aligned. Space is given up before a
/// telling column, then long titles and bars, then words that can be abbreviated.
pub(in crate::ui) fn fit(headings: &[Heading], measures: &Measures, room: u16) -> Vec<ColumnSlot> {
    let [airy, dense] = GAPS;
    let aligned = natural(headings, measures);
    if total(&aligned, airy, ColumnSlot::least) <= room {
        return fitted(aligned, airy, room);
    }
    let compact = aligned
        .into_iter()
        .map(|slot| slot.with(slot.heading, slot.measure.unaligned()));
    let compact: Vec<_> = compact.collect();
    let mut short: Vec<_> = compact.iter().map(|slot| shortened(*slot)).collect();
    let best = fitted(compact.clone(), airy, room);
    let best = better(best, fitted(compact, dense, room), TELLING);
    let mut best = better(best, fitted(short.clone(), dense, room), TELLING);
    for at in abbreviations(&short) {
        if let Some(slot) = short.get_mut(at) {
            *slot = slot.with(slot.heading, slot.measure.abbreviated());
        }
        best = better(best, fitted(short.clone(), dense, room), DECIDING);
    }
    best
}

/// With its short title, and without a bar: the words beside it say the same.
fn shortened(slot: ColumnSlot) -> ColumnSlot {
    let Some(title) = slot.heading.short else {
        return slot;
    };
    let heading = Heading {
        title,
        ..slot.heading
    };
    let measure = ColumnMeasure {
        gauge: 0,
        ..slot.measure
    };
    slot.with(heading, measure)
}

/// The columns that can be abbreviated, one after the other, starting with those that are dropped last: their
/// abbreviations are well known.
fn abbreviations(slots: &[ColumnSlot]) -> Vec<usize> {
    let saved = slots.iter().enumerate().map(|(at, slot)| {
        let saved = slot.measure.text.saturating_sub(slot.measure.brief);
        (slot.heading.priority, Reverse(saved), at)
    });
    let mut saved: Vec<_> = saved.filter(|(_, saved, _)| saved.0 > 0).collect();
    saved.sort_unstable();
    saved.into_iter().map(|(.., at)| at).collect()
}

/// The layout with more columns up to this priority, and more complete words; the first if equal.
fn better(one: Vec<ColumnSlot>, other: Vec<ColumnSlot>, most: u8) -> Vec<ColumnSlot> {
    let telling = |slots: &[ColumnSlot]| {
        let shown = slots.iter().filter(|slot| slot.heading.priority <= most);
        let words = slots.iter().filter(|slot| slot.is_words());
        let words = words.fold(0_u16, |sum, slot| sum.saturating_add(slot.width));
        (shown.count(), words)
    };
    if telling(&other) > telling(&one) {
        other
    } else {
        one
    }
}

fn natural(headings: &[Heading], measures: &Measures) -> Vec<ColumnSlot> {
    let columns = headings.iter().zip(&measures.columns).enumerate();
    let slots = columns.map(|(column, (heading, measure))| ColumnSlot {
        column,
        heading: *heading,
        measure: *measure,
        offset: 0,
        width: measure.width(heading),
        branch: 0,
    });
    let mut slots: Vec<_> = slots.collect();
    lead(&mut slots, measures.branch);
    slots
}

/// A tree's branches are drawn in the first column.
fn lead(slots: &mut [ColumnSlot], branch: u16) {
    if let Some(first) = slots.first_mut() {
        let more = branch.saturating_sub(first.branch);
        first.width = first.width.saturating_add(more);
        first.branch = branch;
    }
}

/// Shortens words first, then drops the rightmost of the least important columns.
fn fitted(mut kept: Vec<ColumnSlot>, gap: u16, room: u16) -> Vec<ColumnSlot> {
    while kept.len() > 1 {
        let columns = kept.iter().map(|slot| slot.heading.priority).enumerate();
        let Some((at, lowest)) = columns.max_by_key(|(at, priority)| (*priority, *at)) else {
            break;
        };
        // Words are shortened for an informative column, not for one that only helps to look things up.
        let is_telling = lowest <= TELLING;
        let needed = |slot: &ColumnSlot| if is_telling { slot.least() } else { slot.width };
        if total(&kept, gap, needed) <= room {
            break;
        }
        let gone = kept.remove(at);
        if gone.branch > 0 {
            lead(&mut kept, gone.branch);
        }
    }
    let mut over = total(&kept, gap, |slot| slot.width).saturating_sub(room);
    for slot in &mut kept {
        let gives = over.min(slot.width.saturating_sub(slot.least()));
        slot.width = slot.width.saturating_sub(gives);
        over = over.saturating_sub(gives);
    }
    spread(&mut kept, gap, room);
    kept
}

fn total(slots: &[ColumnSlot], gap: u16, width: impl Fn(&ColumnSlot) -> u16) -> u16 {
    let widths = slots.iter().zip(gaps(slots, gap));
    widths.fold(0, |all, (slot, gap)| sum([all, width(slot), gap]))
}

/// The space before each column: none before the first, one more where words follow a number.
fn gaps(slots: &[ColumnSlot], gap: u16) -> impl Iterator<Item = u16> {
    let align = |slot: &ColumnSlot| slot.heading.align;
    let before = std::iter::once(None).chain(slots.iter().map(align).map(Some));
    before
        .zip(slots.iter().map(align))
        .map(move |(before, align)| match before {
            None => 0,
            Some(Align::Number) if align != Align::Number => sum([gap, 1]),
            Some(Align::Number | Align::Left | Align::Words | Align::Parts) => gap,
        })
}

/// Spreads the columns over the remaining space, within limits.
fn spread(slots: &mut [ColumnSlot], least: u16, room: u16) {
    let fits = |gap: &u16| total(slots, *gap, |slot| slot.width) <= room;
    let gap = (least..=WIDEST_GAP).rev().find(fits).unwrap_or(least);
    let gaps: Vec<u16> = gaps(slots, gap).collect();
    let mut offset = 0_u16;
    for (slot, gap) in slots.iter_mut().zip(gaps) {
        slot.offset = offset.saturating_add(gap);
        offset = slot.offset.saturating_add(slot.width);
    }
}

/// The column's title, with the sort arrow.
pub(in crate::ui) fn title(heading: &Heading) -> Cow<'static, str> {
    match heading.sorted {
        Some(direction) => Cow::Owned(format!("{}{}", heading.title, arrow(direction))),
        None => Cow::Borrowed(heading.title),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Span, TableRow};

    fn heading(title: &'static str, align: Align, priority: u8) -> Heading {
        Heading::plain(title, align, priority)
    }

    fn chosen(room: u16) -> Vec<(usize, u16)> {
        let headings = [
            heading("market", Align::Left, 0),
            heading("fees", Align::Number, 5),
            heading("size", Align::Number, 0),
            heading("reason", Align::Words, 1),
        ];
        let measure = |whole, fraction| ColumnMeasure {
            text: whole + fraction,
            whole,
            fraction,
            brief: whole + fraction,
            ..ColumnMeasure::default()
        };
        let measures = Measures {
            columns: vec![measure(3, 0), measure(4, 3), measure(5, 3), measure(30, 0)],
            branch: 0,
            width: room,
            titles: vec![],
            calm: None,
            drawn: vec![],
        };
        let slots = fit(&headings, &measures, room);
        slots
            .into_iter()
            .map(|slot| (slot.column, slot.width))
            .collect()
    }

    #[test]
    fn words_give_way_first_then_the_least_important_column_goes_whole() {
        assert_eq!(chosen(60), [(0, 6), (1, 7), (2, 8), (3, 30)]);
        assert_eq!(chosen(44), [(0, 6), (1, 7), (2, 8), (3, 16)]);
        assert_eq!(chosen(30), [(0, 6), (2, 8), (3, 13)]);
        assert_eq!(chosen(20), [(0, 6), (2, 8)]);
    }

    #[test]
    fn a_long_title_and_a_bar_go_before_a_telling_column_does() {
        let filled = Heading {
            short: Some("fill"),
            ..heading("filled", Align::Number, 2)
        };
        let headings = [filled, heading("tif", Align::Left, 5)];
        let cells = ColumnMeasure {
            text: 4,
            whole: 4,
            brief: 4,
            gauge: GAUGE_ROOM,
            ..ColumnMeasure::default()
        };
        let measures = Measures {
            columns: vec![cells, ColumnMeasure { gauge: 0, ..cells }],
            ..Measures::default()
        };
        let roomy = fit(&headings, &measures, 18);
        assert_eq!((roomy.len(), roomy[0].heading.title), (2, "filled"));
        let tight = fit(&headings, &measures, 10);
        assert_eq!((tight.len(), tight[0].heading.title), (2, "fill"));
        assert_eq!(tight[0].measure.gauge, 0);
    }

    #[test]
    fn a_column_lost_to_one_wide_value_comes_back_though_it_only_just_fits() {
        let row = |size: &str| TableRow {
            lead: Lead::Root,
            body: RowBody::Cells(
                ["BTC", size, "60000"]
                    .map(|text| Span::muted(text).into())
                    .to_vec(),
            ),
        };
        let table = |size: &str| Table {
            headings: vec![
                heading("market", Align::Left, 0),
                heading("size", Align::Number, 0),
                heading("mark", Align::Number, 5),
            ],
            rows: vec![row(size)],
        };
        let (usual, odd) = (table("1.5"), table("0.12345"));
        let room = 17;
        let shown = |measures: &Measures| fit(&usual.headings, measures, room).len();
        let mut measures = Measures::default();
        let at = |seconds| Timestamp(0).plus(Duration::from_secs(seconds));
        measures.take(&usual, room, at(0));
        assert_eq!(shown(&measures), 3);
        measures.take(&odd, room, at(0));
        assert_eq!(shown(&measures), 2);
        for second in [0, 0, 5, 9, 9] {
            measures.take(&usual, room, at(second));
            assert_eq!(shown(&measures), 2, "not yet: it may come and go");
        }
        measures.take(&usual, room, at(10));
        assert_eq!(shown(&measures), 3);
    }
}
