//! The lines of a detail.

use crate::{
    model::{MarketId, Num, Text, Timestamp},
    view::text::{Scene, Span, format, words},
};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DetailView {
    pub title: Vec<Span>,
    pub lines: Vec<DetailLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DetailLine {
    /// The title of the lines below.
    Section(&'static str),
    Field {
        label: String,
        value: Vec<Span>,
    },
    /// A line of a table: what does not fit is left out.
    Cells {
        label: String,
        value: Vec<Span>,
        is_chosen: bool,
    },
    /// Where Enter goes from this line.
    Link {
        label: String,
        value: Vec<Span>,
        is_chosen: bool,
    },
}

/// Collects lines; a missing field makes no line.
#[derive(Debug, Default)]
pub(super) struct DetailFields(Vec<DetailLine>);

impl DetailFields {
    pub(super) fn section(&mut self, name: &'static str) {
        self.0.push(DetailLine::Section(name));
    }

    pub(super) fn push(&mut self, label: &'static str, value: Vec<Span>) {
        let label = label.to_owned();
        self.0.push(DetailLine::Field { label, value });
    }

    pub(super) fn text(&mut self, label: &'static str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.push(label, vec![Span::plain(value.to_string())]);
        }
    }

    /// The market, in all the service's names for it.
    pub(super) fn market(
        &mut self,
        (id, provider, symbol, coin): (&MarketId, &Text, &Text, &Text),
    ) {
        self.text("market_id", Some(id));
        for (label, text) in [("provider", provider), ("symbol", symbol), ("coin", coin)] {
            self.text(label, Some(text).filter(|text| !text.is_empty()));
        }
    }

    /// Every digit the service sent.
    pub(super) fn number(&mut self, label: &'static str, value: Option<Num>) {
        self.text(label, value.map(format::grouped));
    }

    pub(super) fn profit(&mut self, label: &'static str, value: Option<Num>) {
        if value.is_some() {
            self.push(label, vec![words::pnl(value)]);
        }
    }

    pub(super) fn flag(&mut self, label: &'static str, value: Option<bool>) {
        self.text(label, value.map(|yes| if yes { "yes" } else { "no" }));
    }

    /// The exact instant of the service, and how long ago or ahead it is.
    pub(super) fn time(&mut self, label: &'static str, at: Option<Timestamp>, scene: &Scene<'_>) {
        if let Some(at) = at {
            self.instant(label, scene.zone.exact(at), &scene.relation(at));
        }
    }

    /// The same for an instant of this desk, by the wall clock.
    pub(super) fn own_time(&mut self, label: &'static str, at: Timestamp, scene: &Scene<'_>) {
        self.instant(label, scene.zone.exact(at), &scene.relation_own(at));
    }

    fn instant(&mut self, label: &'static str, exact: String, relation: &str) {
        let relation = Span::muted(format!("  {relation}"));
        self.push(label, vec![Span::plain(exact), relation]);
    }

    /// Drops the title of an empty section.
    pub(super) fn titled(self, title: Vec<Span>) -> DetailView {
        let mut rest = self.0.into_iter().peekable();
        let mut lines = vec![];
        while let Some(line) = rest.next() {
            let is_name = |line: &DetailLine| matches!(line, DetailLine::Section(_));
            if !is_name(&line) || rest.peek().is_some_and(|next| !is_name(next)) {
                lines.push(line);
            }
        }
        DetailView { title, lines }
    }
}
