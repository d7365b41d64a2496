//! Tables as data: a resource's columns, and its visible rows.

use super::{Scene, Span, Tone, format, plain_text, words};
use crate::{
    app::tables::table_view::{self, ColumnName, Direction, Fact, Kind},
    model::{Market, Num, Timestamp},
};
use std::time::Duration;

/// How a column is aligned, and whether it may be shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Align {
    /// Left, never shortened.
    Left,
    /// Left, may end in `…`; of two parts the first (the command) is shortened before the second (its outcome).
    Words,
    /// Left; whole parts are dropped from the end.
    Parts,
    /// Right, with aligned decimal points; never shortened.
    Number,
}

/// One column of a resource, shared by the desk and the command line.
#[derive(Debug)]
pub struct Column<T: 'static> {
    /// Its name in filters and in the choice of columns.
    pub id: &'static str,
    pub title: &'static str,
    /// A shorter title, used without the bar if another column would not fit otherwise.
    short: Option<&'static str>,
    holds: Option<Widest>,
    pub align: Align,
    /// In a narrow window the highest number is dropped first. From 80 columns on, 0 and 1 stay.
    pub priority: u8,
    content: CellContent<T>,
    /// Of a text, a number and an instant.
    tone: Tone,
    by: Compared<T>,
}

/// What a cell is made of.
#[derive(Debug)]
enum CellContent<T: 'static> {
    Cell(fn(&T, &Scene<'_>) -> Cell),
    Text(fn(&T) -> String),
    /// Unknown without a text, as the following.
    Known(fn(&T) -> Option<String>),
    /// A number, and how it is written.
    Number(fn(&T) -> Option<Num>, fn(Num) -> String),
    /// A profit or a loss in USD.
    Profit(fn(&T) -> Option<Num>),
    Time(fn(&T) -> Option<Timestamp>),
}

/// What filters and sorts compare.
#[derive(Debug)]
enum Compared<T: 'static> {
    /// The cell's text, as a number or words.
    Cell,
    Span(fn(&T, &Scene<'_>) -> Option<Duration>),
    Moment(fn(&T) -> Option<Timestamp>),
    /// The number of a cell that also has words.
    Code(fn(&T) -> Option<Num>),
}

/// The widest word and abbreviation of a column, so that a changing state moves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widest {
    pub full: &'static str,
    pub brief: &'static str,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    pub spans: Vec<Span>,
    /// The abbreviation for a narrow window, if there is one.
    pub brief: Option<Span>,
    /// Drawn before the words.
    pub gauge: Option<Gauge>,
    /// The widest that such a cell of this market can say, and abbreviated: room is kept for it.
    pub widest: Option<[String; 2]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gauge {
    pub share: Share,
    pub tone: Tone,
}

impl Gauge {
    pub(crate) fn new(share: Num, tone: Tone) -> Self {
        let share = Share::of(share);
        Self { share, tone }
    }
}

/// A share in thousandths, 0 to 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Share(u16);

/// One line of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow {
    pub lead: Lead,
    pub body: RowBody,
}

/// The position of a line in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    Root,
    Child,
    LastChild,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowBody {
    Cells(Vec<Cell>),
    /// A line above the columns, for the lines that belong to it.
    Line(Vec<Facts>),
    /// A thin separator with words; it is no row.
    Rule(Vec<Span>),
}

/// Words that are shown or dropped together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The highest number is dropped first.
    pub priority: u8,
    pub spans: Vec<Span>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading {
    pub title: &'static str,
    /// The short title, without a bar.
    pub short: Option<&'static str>,
    pub holds: Option<Widest>,
    pub align: Align,
    pub priority: u8,
    /// The sort direction, if the rows are sorted by it.
    pub sorted: Option<Direction>,
}

/// The visible part of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    pub headings: Vec<Heading>,
    pub rows: Vec<TableRow>,
}

impl Table {
    pub(crate) fn new<T>(columns: &[Column<T>], rows: Vec<TableRow>) -> Self {
        let headings = columns.iter().map(Column::heading).collect();
        Self { headings, rows }
    }

    /// These rows of a pane.
    pub(crate) fn of<'a, T: 'a>(
        columns: &[Column<T>],
        rows: impl Iterator<Item = &'a T>,
        scene: &Scene<'_>,
    ) -> Self {
        let rows = rows.map(|row| TableRow::cells(columns, row, scene));
        Self::new(columns, rows.collect())
    }

    /// The same rows with the chosen columns in their order, and the sorted one marked. Which are dropped in a narrow
    /// window depends on their priority: risk columns go last.
    pub(crate) fn through(mut self, table_view: Option<&table_view::TableView>) -> Self {
        let Some(table_view) = table_view else {
            return self;
        };
        if let Some(sort) = table_view.sort
            && let Some(heading) = self.headings.get_mut(sort.column)
        {
            heading.sorted = Some(sort.direction);
        }
        if let Some(columns) = &table_view.columns {
            self.headings = chosen(&self.headings, columns);
            for row in &mut self.rows {
                if let RowBody::Cells(cells) = &mut row.body {
                    *cells = chosen(cells, columns);
                }
            }
        }
        self
    }
}

fn chosen<T: Clone>(all: &[T], places: &[usize]) -> Vec<T> {
    let chosen = places.iter().filter_map(|at| all.get(*at));
    chosen.cloned().collect()
}

impl Heading {
    pub(crate) fn plain(title: &'static str, align: Align, priority: u8) -> Self {
        Self {
            title,
            short: None,
            holds: None,
            align,
            priority,
            sorted: None,
        }
    }
}

impl<T> Column<T> {
    pub(crate) const fn new(
        id: &'static str,
        title: &'static str,
        align: Align,
        priority: u8,
        cell: fn(&T, &Scene<'_>) -> Cell,
    ) -> Self {
        Self::of(id, title, (align, priority), CellContent::Cell(cell))
    }

    pub(crate) const fn text(
        id: &'static str,
        title: &'static str,
        priority: u8,
        text: fn(&T) -> String,
    ) -> Self {
        Self::of(id, title, (Align::Left, priority), CellContent::Text(text))
    }

    pub(crate) const fn known(
        id: &'static str,
        title: &'static str,
        priority: u8,
        text: fn(&T) -> Option<String>,
    ) -> Self {
        Self::of(id, title, (Align::Left, priority), CellContent::Known(text))
    }

    /// A number, and how it is written.
    pub(crate) const fn number(
        id: &'static str,
        title: &'static str,
        priority: u8,
        write: fn(Num) -> String,
        number: fn(&T) -> Option<Num>,
    ) -> Self {
        let content = CellContent::Number(number, write);
        Self::of(id, title, (Align::Number, priority), content)
    }

    /// A profit or a loss in USD.
    pub(crate) const fn profit(
        id: &'static str,
        title: &'static str,
        priority: u8,
        usd: fn(&T) -> Option<Num>,
    ) -> Self {
        Self::of(
            id,
            title,
            (Align::Number, priority),
            CellContent::Profit(usd),
        )
    }

    /// An instant of the service.
    pub(crate) const fn time(
        id: &'static str,
        title: &'static str,
        priority: u8,
        at: fn(&T) -> Option<Timestamp>,
    ) -> Self {
        Self::of(id, title, (Align::Left, priority), CellContent::Time(at)).moment(at)
    }

    const fn of(
        id: &'static str,
        title: &'static str,
        (align, priority): (Align, u8),
        content: CellContent<T>,
    ) -> Self {
        Self {
            id,
            title,
            short: None,
            holds: None,
            align,
            priority,
            content,
            tone: Tone::Plain,
            by: Compared::Cell,
        }
    }

    pub(crate) const fn aligned(self, align: Align) -> Self {
        Self { align, ..self }
    }

    /// In this tone where it is known.
    pub(crate) const fn toned(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    pub fn cell(&self, row: &T, scene: &Scene<'_>) -> Cell {
        let words = match self.content {
            CellContent::Cell(cell) => return cell(row, scene),
            CellContent::Profit(usd) => return words::pnl(usd(row)).into(),
            CellContent::Text(text) => Some(text(row)),
            CellContent::Known(text) => text(row),
            CellContent::Number(number, write) => number(row).map(write),
            CellContent::Time(at) => at(row).map(|at| scene.moment(at)),
        };
        let known = words.map(|words| Span::new(words, self.tone));
        known.unwrap_or_else(Span::unknown).into()
    }

    /// A short title, without the bar.
    pub(crate) const fn short(self, title: &'static str) -> Self {
        Self {
            short: Some(title),
            ..self
        }
    }

    /// The widest word that one of its cells can say, and the widest abbreviation.
    pub(crate) const fn holds(self, full: &'static str, brief: &'static str) -> Self {
        Self {
            holds: Some(Widest { full, brief }),
            ..self
        }
    }

    /// Compared by how long something is.
    pub(crate) const fn span(self, by: fn(&T, &Scene<'_>) -> Option<Duration>) -> Self {
        Self {
            by: Compared::Span(by),
            ..self
        }
    }

    /// Compared by when something was.
    pub(crate) const fn moment(self, by: fn(&T) -> Option<Timestamp>) -> Self {
        Self {
            by: Compared::Moment(by),
            ..self
        }
    }

    /// Compared by a number, and looked into as the words it stands among.
    pub(crate) const fn code(self, by: fn(&T) -> Option<Num>) -> Self {
        Self {
            by: Compared::Code(by),
            ..self
        }
    }

    pub(crate) fn name(&self) -> ColumnName {
        ColumnName {
            id: self.id,
            title: self.title,
            tells_risk: false,
            kind: match (&self.by, self.align) {
                (Compared::Span(_), _) => Kind::Span,
                (Compared::Moment(_), _) => Kind::Moment,
                (Compared::Code(_), _) => Kind::Code,
                (Compared::Cell, Align::Number) => Kind::Number,
                (Compared::Cell, Align::Left | Align::Words | Align::Parts) => Kind::Words,
            },
        }
    }

    /// What the row says in this column, to be compared.
    pub(crate) fn fact(&self, row: &T, scene: &Scene<'_>) -> Fact {
        match self.by {
            Compared::Span(by) => by(row, scene).map_or(Fact::Unknown, Fact::Span),
            Compared::Moment(by) => by(row).map_or(Fact::Unknown, Fact::Moment),
            Compared::Code(by) => {
                let text = self.cell(row, scene).text();
                match by(row) {
                    Some(number) => Fact::Code(number, text),
                    None => text_fact(text),
                }
            }
            Compared::Cell => {
                let text = self.cell(row, scene).text();
                let number = (self.align == Align::Number).then(|| table_view::number(&text));
                number
                    .flatten()
                    .map_or_else(|| text_fact(text), Fact::Number)
            }
        }
    }

    fn heading(&self) -> Heading {
        Heading {
            short: self.short,
            holds: self.holds,
            ..Heading::plain(self.title, self.align, self.priority)
        }
    }
}

/// Words, where there are any.
fn text_fact(text: String) -> Fact {
    if text.is_empty() || text == format::UNKNOWN {
        Fact::Unknown
    } else {
        Fact::Words(text)
    }
}

impl Facts {
    pub(crate) fn new(priority: u8, spans: impl Into<Vec<Span>>) -> Self {
        let spans = spans.into();
        Self { priority, spans }
    }

    /// All of them, where there is room.
    pub(crate) fn whole(facts: Vec<Self>) -> Vec<Span> {
        facts.into_iter().flat_map(|facts| facts.spans).collect()
    }
}

impl TableRow {
    /// A thin line with words on it.
    pub fn rule(words: Vec<Span>) -> Self {
        Self {
            lead: Lead::Root,
            body: RowBody::Rule(words),
        }
    }

    pub(crate) fn cells<T>(columns: &[Column<T>], row: &T, scene: &Scene<'_>) -> Self {
        Self {
            lead: Lead::Root,
            body: RowBody::Cells(columns.iter().map(|c| c.cell(row, scene)).collect()),
        }
    }
}

impl Cell {
    pub fn text(&self) -> String {
        plain_text(&self.spans)
    }

    pub(crate) fn with_gauge(share: Num, tone: Tone, span: Span) -> Self {
        Self {
            gauge: Some(Gauge::new(share, tone)),
            ..span.into()
        }
    }

    /// Keeps room for this, and for this where it is abbreviated. Only their widths count: with other digits it is the same
    /// cell, which need not be drawn again.
    pub(crate) fn or_wider(self, full: String, brief: String) -> Self {
        let room = |text: String| text.replace(|c: char| c.is_ascii_digit(), "0");
        Self {
            widest: Some([room(full), room(brief)]),
            ..self
        }
    }

    /// Keeps room for a price of this market, so that a row that has none or a shorter word moves nothing.
    pub(crate) fn of_price(self, market: Option<&Market>) -> Self {
        match format::mark(market) {
            Some(mark) => self.or_wider(mark.clone(), mark),
            None => self,
        }
    }

    /// Keeps room for a usual size of this market in steps of its lot, so that one that grows or shrinks moves nothing;
    /// where room is short, for its own only.
    pub(crate) fn of_size(self, market: Option<&Market>) -> Self {
        let decimals = market.and_then(|market| market.size_decimals);
        match (format::usual_size(market), decimals) {
            (Some(usual), Some(_)) => self.or_wider(format::size(usual, decimals), String::new()),
            _ => self,
        }
    }

    /// Says this instead where room is short.
    pub(crate) fn or_brief(self, brief: Span) -> Self {
        Self {
            brief: Some(brief),
            ..self
        }
    }
}

impl<Spans: Into<Vec<Span>>> From<Spans> for Cell {
    fn from(spans: Spans) -> Self {
        Self {
            spans: spans.into(),
            ..Self::default()
        }
    }
}

impl Share {
    /// 1 is everything; what lies outside 0 to 1 counts as the nearer end.
    pub fn of(share: Num) -> Self {
        let thousandths = share.times(Num::from(1_000_u32)).and_then(Num::to_i64);
        Self(u16::try_from(thousandths.unwrap_or(0).clamp(0, 1_000)).unwrap_or(0))
    }

    /// How many eighths of `cells` are filled. What is begun shows, what is not finished is not full.
    pub fn eighths(self, cells: u16) -> u16 {
        let whole = u32::from(cells) * 8;
        let filled = u32::from(self.0) * whole / 1_000;
        let started = u32::from(self.0 > 0);
        u16::try_from(filled.max(started).min(whole)).unwrap_or(u16::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_shows_what_has_begun_and_is_full_only_at_the_end() {
        let eighths = |thousandths| Share::of(Num::new(thousandths, 3)).eighths(5);
        assert_eq!(
            [0, 1, 500, 999, 1_000, 2_000, -5].map(eighths),
            [0, 1, 20, 39, 40, 40, 0]
        );
    }
}
