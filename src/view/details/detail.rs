//! Everything known about one row: each field the service sent under its own name, and what follows from it.

use super::price::{PriceView, price};
use crate::{
    app::{
        Model,
        activity::notice::{Event, Notice},
        dialogs::overlay::{Chart, Detail},
        links,
        tables::pane::{Pane, RowId},
    },
    model::{Failure, MarketId, Num, Text, Timestamp},
    view::{
        tables::{activity, calls, scaled},
        text::{format, scene::Scene, span::Span, words},
    },
};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DetailView {
    pub title: Vec<Span>,
    pub lines: Vec<DetailLine>,
    /// Beside the lines, where there is room.
    pub chart: Option<Box<PriceView>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DetailLine {
    /// The name of what follows.
    Section(&'static str),
    Field {
        label: String,
        value: Vec<Span>,
    },
    /// Of a table: what does not fit is left out.
    Cells {
        label: String,
        value: Vec<Span>,
        is_chosen: bool,
    },
    /// Where Enter goes when this one is chosen.
    Link {
        label: String,
        value: Vec<Span>,
        is_chosen: bool,
    },
}

/// The detail of a row; says so when the row is not known any more.
pub fn detail(model: &Model, detail: &Detail, scene: &Scene<'_>) -> DetailView {
    let mut view = known(model.focus.pane, &detail.row, scene).unwrap_or_else(|| DetailView {
        title: vec![Span::plain("gone")],
        chart: None,
        lines: vec![DetailLine::Field {
            label: String::new(),
            value: vec![Span::muted("this row is not among what was read any more")],
        }],
    });
    let links = links(model, &detail.row);
    let links = super::link::lines((&detail.row, &links), detail.link, scene);
    view.lines.splice(0..0, links);
    view
}

/// The same as lines of text, for the clipboard.
pub fn detail_text(detail: &DetailView) -> String {
    let words = |spans: &[Span]| -> String { spans.iter().map(|s| s.text.as_str()).collect() };
    let lines = detail.lines.iter().map(|line| match line {
        DetailLine::Section(name) => (*name).to_owned(),
        DetailLine::Field { label, value }
        | DetailLine::Cells { label, value, .. }
        | DetailLine::Link { label, value, .. } => format!("{label}: {}", words(value)),
    });
    let lines: Vec<_> = std::iter::once(words(&detail.title)).chain(lines).collect();
    lines.join("\n")
}

fn known(pane: Pane, row: &RowId, scene: &Scene<'_>) -> Option<DetailView> {
    let store = scene.store;
    match row {
        RowId::Position(id) => {
            let open = store.position(id);
            let position = open.or_else(|| store.closed.find(id))?;
            let chart = open.map(|open| price(&Chart::of(open.market_id.clone()), scene));
            Some(DetailView {
                chart: chart.filter(|chart| !chart.is_empty()).map(Box::new),
                ..super::position::detail(position, scene)
            })
        }
        RowId::Order(id) => Some(super::order::detail(store.order(id)?, scene)),
        RowId::Twap(id) => Some(super::strategy::twap(store.twap(id)?, scene)),
        RowId::Scaled(id) => Some(super::strategy::ladder(store.ladder(id)?, scene)),
        RowId::Rung(id, number) => {
            let line = scaled::rung_line(store.ladder(id)?, *number, scene)?;
            match &line.order {
                Some(order) => Some(super::order::detail(order, scene)),
                None => Some(super::strategy::ladder(store.ladder(id)?, scene)),
            }
        }
        RowId::Line(number) if pane == Pane::Calls => call(*number, scene),
        RowId::Line(number) => notice(*number, scene),
    }
}

fn notice(number: u64, scene: &Scene<'_>) -> Option<DetailView> {
    let notice = scene.activity.line(number)?;
    let mut fields = Fields::default();
    fields.own_time("at", activity::on_wall(notice, scene), scene);
    fields.text("ticket", notice.ticket);
    fields.push("what", activity::words_of(notice));
    if let Some(why) = failure(notice) {
        fields.section("Failure");
        fields.text("kind", Some(why.kind.word()));
        fields.text("message", Some(&why.message));
        fields.text("status", why.status);
        fields.text("code", why.code.as_ref());
        fields.text("rule_id", why.rule_id.as_ref());
        fields.text("order_id", why.order_id.as_ref());
        fields.text("request_id", why.request_id.as_ref());
        fields.text("retry_after", why.retry_after.map(format::span));
    }
    if let Some(past) = notice.past() {
        super::past::recorded(&mut fields, past, scene);
    }
    let tone = notice.event.tone().into();
    Some(fields.titled(vec![Span::new(activity::kind(&notice.event), tone)]))
}

pub(super) fn failure(notice: &Notice) -> Option<&Failure> {
    match &notice.event {
        Event::Settled(_, Err(why)) => Some(why),
        Event::Past(past) => past.result.as_ref().err(),
        Event::Sent(_)
        | Event::Progress(..)
        | Event::Settled(_, Ok(_))
        | Event::Said(..)
        | Event::Alert(_)
        | Event::Elsewhere(_) => None,
    }
}

fn call(number: u64, scene: &Scene<'_>) -> Option<DetailView> {
    let (_, call) = scene.store.calls.iter().find(|(n, _)| *n == number)?;
    let mut fields = Fields::default();
    fields.own_time("at", scene.on_wall(call.at), scene);
    fields.text("method", Some(call.method));
    fields.text("target", Some(&call.target));
    fields.push("outcome", vec![calls::outcome(call)]);
    fields.text("took", Some(format::elapsed(call.elapsed)));
    fields.text("request_id", call.request_id.as_ref());
    Some(fields.titled(vec![Span::plain(format!("call {number}"))]))
}

/// The lines under construction: a field that is not there makes no line.
#[derive(Debug, Default)]
pub(super) struct Fields(Vec<DetailLine>);

impl Fields {
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

    /// Which market, in all the ways the service names it.
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

    /// The exact instant and how long ago or how far ahead it is, of what the service dates.
    pub(super) fn time(&mut self, label: &'static str, at: Option<Timestamp>, scene: &Scene<'_>) {
        if let Some(at) = at {
            self.instant(label, scene.zone.exact(at), &scene.relation(at));
        }
    }

    /// The same of what this desk has dated, by its wall clock.
    pub(super) fn own_time(&mut self, label: &'static str, at: Timestamp, scene: &Scene<'_>) {
        self.instant(label, scene.zone.exact(at), &scene.relation_own(at));
    }

    fn instant(&mut self, label: &'static str, exact: String, relation: &str) {
        let relation = Span::muted(format!("  {relation}"));
        self.push(label, vec![Span::plain(exact), relation]);
    }

    /// A section that nothing came under has no name either.
    pub(super) fn titled(self, title: Vec<Span>) -> DetailView {
        let mut rest = self.0.into_iter().peekable();
        let mut lines = vec![];
        while let Some(line) = rest.next() {
            let is_name = |line: &DetailLine| matches!(line, DetailLine::Section(_));
            if !is_name(&line) || rest.peek().is_some_and(|next| !is_name(next)) {
                lines.push(line);
            }
        }
        DetailView {
            title,
            lines,
            chart: None,
        }
    }
}
