//! The full detail of a row: each field of the service under its own name, and what is derived from it.

use super::{
    lines::{DetailFields, DetailLine, DetailView},
    refusal::failure,
};
use crate::{
    app::{
        Model,
        account::{pane::Pane, row_id::RowId},
        dialogs::overlay::Detail,
        links,
    },
    view::{
        tables::{activity, calls, scaled},
        text::{format, scene::Scene, span::Span},
    },
};

/// The detail of a row, or a message that the row no longer exists.
pub fn detail(model: &Model, detail: &Detail, scene: &Scene<'_>) -> DetailView {
    let mut view = known(model.focus.pane, &detail.row, scene).unwrap_or_else(|| DetailView {
        title: vec![Span::plain("gone")],
        lines: vec![DetailLine::Field {
            label: String::new(),
            value: vec![Span::muted("this row is no longer in the data")],
        }],
    });
    let links = links(model, &detail.row);
    let links = super::link::lines((&detail.row, &links), detail.link, scene);
    view.lines.splice(0..0, links);
    view
}

/// The detail as lines of text, for the clipboard.
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
            Some(super::position::detail(position, scene))
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

pub(super) fn notice(number: u64, scene: &Scene<'_>) -> Option<DetailView> {
    let notice = scene.activity.line(number)?;
    let mut fields = DetailFields::default();
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

fn call(number: u64, scene: &Scene<'_>) -> Option<DetailView> {
    let (_, call) = scene.store.calls.iter().find(|(n, _)| *n == number)?;
    let mut fields = DetailFields::default();
    fields.own_time("at", scene.on_wall(call.at), scene);
    fields.text("method", Some(call.method));
    fields.text("target", Some(&call.target));
    fields.push("outcome", vec![calls::outcome(call)]);
    fields.text("took", Some(format::elapsed(call.elapsed)));
    fields.text("request_id", call.request_id.as_ref());
    Some(fields.titled(vec![Span::plain(format!("call {number}"))]))
}
