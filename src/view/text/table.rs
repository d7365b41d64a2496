//! Tables as data: a resource's columns, and its visible rows.

use super::{Scene, Span, Tone, format};
use crate::{
    app::{
        Rows,
        tables::table_view::{self, ColumnName, Direction, Fact, Kind},
    },
    model::{Market, Num, Timestamp},
};
use std::{ops::Range, time::Duration};

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

/// One column of a resource, shared by the desk, the command line and exports.
#[derive(Debug)]
pub struct Column<T: 'static> {
    /// Its name in settings and exports.
    pub id: &'static str,
    pub title: &'static str,
    /// A shorter title, used without the bar if another column would not fit otherwise.
    short: Option<&'static str>,
    holds: Option<Widest>,
    pub align: Align,
    /// In a narrow window the highest number is dropped first. From 80 columns on, 0 and 1 stay.
    pub priority: u8,
    pub cell: fn(&T, &Scene<'_>) -> Cell,
    by: By<T>,
    /// The exact value of a rounded cell, for exports; shares are fractions of 1.
    exact: Option<ExactNumber<T>>,
    /// The export columns of a cell with several values.
    parts: &'static [NamedPart<T>],
}

/// The name of an export column, and its value.
type NamedPart<T> = (&'static str, fn(&T) -> String);

type ExactNumber<T> = fn(&T, &Scene<'_>) -> Option<Num>;

/// What filters and sorts compare.
#[derive(Debug)]
enum By<T: 'static> {
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

    /// The rows at `range`, each a `T` that `get` finds by its index in the pane's own order.
    pub(crate) fn of<'a, T>(
        columns: &[Column<T>],
        (rows, range): (&Rows<'_>, Range<usize>),
        get: impl Fn(usize) -> Option<&'a T>,
        scene: &Scene<'_>,
    ) -> Self {
        let rows = rows.places(range).filter_map(get);
        let rows = rows
            .map(|row| TableRow::cells(columns, row, scene))
            .collect();
        Self::new(columns, rows)
    }

    /// The same rows with the chosen columns in their order, and the sorted one marked. Which are dropped in a narrow
    /// window depends on their priority: risk columns go last.
    pub(crate) fn through(mut self, table_view: Option<&table_view::TableView>) -> Self {
        let Some(table_view) = table_view else {
            return self;
        };
        let sorted = table_view.sort.and_then(|sort| {
            let heading = self.headings.get_mut(sort.column)?;
            Some((heading, sort.direction))
        });
        if let Some((heading, direction)) = sorted {
            heading.sorted = Some(direction);
        }
        if let Some(columns) = &table_view.columns {
            let headings = columns.iter().filter_map(|at| self.headings.get(*at));
            self.headings = headings.copied().collect();
            for row in &mut self.rows {
                if let RowBody::Cells(cells) = &mut row.body {
                    *cells = columns
                        .iter()
                        .filter_map(|at| cells.get(*at))
                        .cloned()
                        .collect();
                }
            }
        }
        self
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
        Self {
            id,
            title,
            short: None,
            holds: None,
            align,
            priority,
            cell,
            by: By::Cell,
            exact: None,
            parts: &[],
        }
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

    /// What its cell says, each in a column of its own where a program reads it.
    pub(crate) const fn parts(self, parts: &'static [NamedPart<T>]) -> Self {
        Self { parts, ..self }
    }

    /// What it is called in an export.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        match self.parts {
            [] => vec![self.id],
            parts => parts.iter().map(|(name, _)| *name).collect(),
        }
    }

    /// What stands under these names, if its cell is not it.
    pub(crate) fn values(&self, row: &T) -> Option<Vec<String>> {
        let parts = Some(self.parts).filter(|parts| !parts.is_empty())?;
        Some(parts.iter().map(|(_, value)| value(row)).collect())
    }

    /// What its cell rounds.
    pub(crate) const fn exact(self, exact: ExactNumber<T>) -> Self {
        Self {
            exact: Some(exact),
            ..self
        }
    }

    /// The number its cell rounds, where no member of the row is it.
    pub(crate) fn number(&self, row: &T, scene: &Scene<'_>) -> Option<Num> {
        (self.exact?)(row, scene)
    }

    /// Compared by how long something is.
    pub(crate) const fn span(self, by: fn(&T, &Scene<'_>) -> Option<Duration>) -> Self {
        Self {
            by: By::Span(by),
            ..self
        }
    }

    /// Compared by when something was.
    pub(crate) const fn moment(self, by: fn(&T) -> Option<Timestamp>) -> Self {
        Self {
            by: By::Moment(by),
            ..self
        }
    }

    /// Compared by a number, and looked into as the words it stands among.
    pub(crate) const fn code(self, by: fn(&T) -> Option<Num>) -> Self {
        Self {
            by: By::Code(by),
            ..self
        }
    }

    pub(crate) fn name(&self) -> ColumnName {
        ColumnName {
            id: self.id,
            title: self.title,
            tells_risk: false,
            kind: match (&self.by, self.align) {
                (By::Span(_), _) => Kind::Span,
                (By::Moment(_), _) => Kind::Moment,
                (By::Code(_), _) => Kind::Code,
                (By::Cell, Align::Number) => Kind::Number,
                (By::Cell, Align::Left | Align::Words | Align::Parts) => Kind::Words,
            },
        }
    }

    /// What the row says in this column, to be compared.
    pub(crate) fn fact(&self, row: &T, scene: &Scene<'_>) -> Fact {
        match self.by {
            By::Span(by) => by(row, scene).map_or(Fact::Unknown, Fact::Span),
            By::Moment(by) => by(row).map_or(Fact::Unknown, Fact::Moment),
            By::Code(by) => {
                let text = (self.cell)(row, scene).text();
                by(row).map_or_else(
                    || text_fact(&text),
                    |number| Fact::Code(number, text.clone()),
                )
            }
            By::Cell => {
                let text = (self.cell)(row, scene).text();
                let number = (self.align == Align::Number).then(|| table_view::number(&text));
                number
                    .flatten()
                    .map_or_else(|| text_fact(&text), Fact::Number)
            }
        }
    }

    fn heading(&self) -> Heading {
        Heading {
            title: self.title,
            short: self.short,
            holds: self.holds,
            align: self.align,
            priority: self.priority,
            sorted: None,
        }
    }
}

/// Words, where there are any.
fn text_fact(text: &str) -> Fact {
    if text.is_empty() || text == format::UNKNOWN {
        Fact::Unknown
    } else {
        Fact::Words(text.to_owned())
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
            body: RowBody::Cells(columns.iter().map(|c| (c.cell)(row, scene)).collect()),
        }
    }
}

impl Cell {
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    pub(crate) fn with_gauge(share: Num, tone: Tone, span: Span) -> Self {
        let gauge = Gauge {
            share: Share::of(share),
            tone,
        };
        Self {
            gauge: Some(gauge),
            ..span.into()
        }
    }

    /// Keeps room for this, and for this where it is abbreviated.
    pub(crate) fn or_wider(self, full: String, brief: String) -> Self {
        Self {
            widest: Some([full, brief]),
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

impl From<Span> for Cell {
    fn from(span: Span) -> Self {
        vec![span].into()
    }
}

impl From<Vec<Span>> for Cell {
    fn from(spans: Vec<Span>) -> Self {
        Self {
            spans,
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
        let begun = u32::from(self.0 > 0);
        u16::try_from(filled.max(begun).min(whole)).unwrap_or(u16::MAX)
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
