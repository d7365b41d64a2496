//! The lines of a detail.

use crate::{
    model::{Num, Text, Timestamp},
    view::{
        tables::rows::{RowMembers, members},
        text::{Scene, Span, format, words},
    },
};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DetailView {
    pub title: Vec<Span>,
    pub lines: Vec<DetailLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetailLine {
    pub kind: DetailLineKind,
    pub label: String,
    pub value: Vec<Span>,
    /// Enter acts on it.
    pub is_chosen: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailLineKind {
    /// The title of the lines below; it has no value.
    Section,
    /// A long value continues on the next line.
    Field,
    /// A line of a table: what does not fit is left out.
    Cells,
}

impl DetailLine {
    pub fn section(name: &str) -> Self {
        Self::new(DetailLineKind::Section, name, vec![])
    }

    pub fn field(label: impl Into<String>, value: impl Into<Vec<Span>>) -> Self {
        Self::new(DetailLineKind::Field, label, value)
    }

    pub fn cells(label: impl Into<String>, value: impl Into<Vec<Span>>) -> Self {
        Self::new(DetailLineKind::Cells, label, value)
    }

    fn new(kind: DetailLineKind, label: impl Into<String>, value: impl Into<Vec<Span>>) -> Self {
        Self {
            kind,
            label: label.into(),
            value: value.into(),
            is_chosen: false,
        }
    }

    /// The same line, chosen if it is the one at `chosen`.
    #[must_use]
    pub fn at(self, place: usize, chosen: usize) -> Self {
        Self {
            is_chosen: place == chosen,
            ..self
        }
    }

    pub fn is_section(&self) -> bool {
        self.kind == DetailLineKind::Section
    }
}

/// Members whose sign says profit or loss.
const PROFITS: [&str; 2] = ["realized_pnl", "funding"];

/// Collects the lines of a row; a missing field makes no line.
#[derive(Debug)]
pub(super) struct DetailFields<'a> {
    lines: Vec<DetailLine>,
    /// What the service sent of the row.
    sent: RowMembers,
    scene: &'a Scene<'a>,
}

impl<'a> DetailFields<'a> {
    /// For a row that the service sent, or for `()`.
    pub(super) fn new(row: &impl Serialize, scene: &'a Scene<'a>) -> Self {
        Self {
            lines: vec![],
            sent: members(row),
            scene,
        }
    }

    pub(super) fn section(&mut self, name: &'static str) {
        self.lines.push(DetailLine::section(name));
    }

    pub(super) fn push(&mut self, label: &'static str, value: impl Into<Vec<Span>>) {
        self.lines.push(DetailLine::field(label, value));
    }

    /// A line whose label is text of its own.
    pub(super) fn line(&mut self, (label, value): (String, String)) {
        let value = Span::plain(value);
        self.lines.push(DetailLine::field(label, value));
    }

    pub(super) fn text(&mut self, label: &'static str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.push(label, Span::plain(value.to_string()));
        }
    }

    /// Whose it is, and its market in all the service's names for it.
    pub(super) fn names(&mut self) {
        self.sent(["id", "account_id", "market_id"]);
        self.sent(["provider", "symbol", "coin"]);
    }

    /// Members of the row under their own names, each by what it holds: every digit of a number, and of an instant how
    /// long ago it was.
    pub(super) fn sent<const N: usize>(&mut self, names: [&'static str; N]) {
        for name in names {
            let Some(raw) = self.sent.get(name).map(|raw| raw.get().to_owned()) else {
                continue;
            };
            if let Ok(text) = serde_json::from_str::<String>(&raw) {
                let text = Text::from(text.as_str());
                self.text(name, Some(text).filter(|text| !text.is_empty()));
            } else if let Some(millis) = raw.parse().ok().filter(|_| name.ends_with("_at")) {
                self.time(name, Some(Timestamp(millis)));
            } else if let Ok(number) = raw.parse::<Num>() {
                let is_profit = PROFITS.contains(&name);
                let plain = || Span::plain(format::grouped(number));
                let profit = is_profit.then(|| words::signed_pnl(number));
                self.push(name, profit.unwrap_or_else(plain));
            } else {
                self.flag(name, raw.parse().ok());
            }
        }
    }

    pub(super) fn flag(&mut self, label: &'static str, value: Option<bool>) {
        self.text(label, value.map(|yes| if yes { "yes" } else { "no" }));
    }

    /// The exact instant of the service, and how long ago or ahead it is.
    pub(super) fn time(&mut self, label: &'static str, at: Option<Timestamp>) {
        if let Some(at) = at {
            self.instant(label, at, &self.scene.relation(at));
        }
    }

    /// The same for an instant of this desk, by the wall clock.
    pub(super) fn own_time(&mut self, label: &'static str, at: Timestamp) {
        self.instant(label, at, &self.scene.relation_own(at));
    }

    fn instant(&mut self, label: &'static str, at: Timestamp, relation: &str) {
        let exact = Span::plain(self.scene.zone.exact(at));
        self.push(label, [exact, Span::muted(format!("  {relation}"))]);
    }

    /// Drops the title of an empty section.
    pub(super) fn titled(self, title: impl Into<Vec<Span>>) -> DetailView {
        let mut rest = self.lines.into_iter().peekable();
        let mut lines = vec![];
        while let Some(line) = rest.next() {
            if !line.is_section() || rest.peek().is_some_and(|next| !next.is_section()) {
                lines.push(line);
            }
        }
        DetailView {
            title: title.into(),
            lines,
        }
    }
}
