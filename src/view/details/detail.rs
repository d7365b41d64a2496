//! The full detail of a row: each field of the service under its own name, and what is derived from it.

use super::{
    DetailFields, DetailLine, DetailLineKind, DetailView, link, order, past, position, refusal,
    strategy,
};
use crate::{
    app::{Model, Pane, RowId, dialogs::overlay::Detail, links},
    view::{
        tables::{activity, calls, scaled},
        text::{Scene, Span, format, plain_text},
    },
};

/// The detail of a row, or a message that the row no longer exists.
pub fn detail(model: &Model, detail: &Detail, scene: &Scene<'_>) -> DetailView {
    let mut view = known(model.focus.pane, &detail.row, scene).unwrap_or_else(|| DetailView {
        title: Span::plain("gone").into(),
        lines: vec![DetailLine::field(
            "",
            Span::muted("this row is no longer in the data"),
        )],
    });
    let links = links(model, &detail.row);
    let links = link::lines(&detail.row, &links, detail.link, scene);
    view.lines.splice(0..0, links);
    view
}

/// The detail as lines of text, for the clipboard.
pub fn detail_text(detail: &DetailView) -> String {
    let lines = detail.lines.iter().map(|line| match line.kind {
        DetailLineKind::Section => line.label.clone(),
        DetailLineKind::Field | DetailLineKind::Cells => {
            format!("{}: {}", line.label, plain_text(&line.value))
        }
    });
    let title = std::iter::once(plain_text(&detail.title));
    title.chain(lines).collect::<Vec<_>>().join("\n")
}

fn known(pane: Pane, row: &RowId, scene: &Scene<'_>) -> Option<DetailView> {
    let store = scene.store;
    let scaled = |id| Some(strategy::scaled(store.scaled_order(id)?, scene));
    match row {
        RowId::Position(id) => {
            let held = store.position(id).or_else(|| store.closed.find(id))?;
            Some(position::detail(held, scene))
        }
        RowId::Order(id) => Some(order::detail(store.order(id)?, scene)),
        RowId::Twap(id) => Some(strategy::twap(store.twap(id)?, scene)),
        RowId::Scaled(id) => scaled(id),
        RowId::Rung(id, number) => {
            let line = scaled::rung_line(store.scaled_order(id)?, *number, scene)?;
            let order = line.order.map(|order| order::detail(&order, scene));
            order.or_else(|| scaled(id))
        }
        RowId::Line(number) if pane == Pane::Calls => call(*number, scene),
        RowId::Line(number) => notice(*number, scene),
    }
}

pub(super) fn notice(number: u64, scene: &Scene<'_>) -> Option<DetailView> {
    let notice = scene.activity.line(number)?;
    let mut fields = DetailFields::new(&(), scene);
    fields.own_time("at", activity::on_wall(notice, scene));
    fields.text("ticket", notice.ticket);
    fields.push("what", activity::words_of(notice));
    if let Some(why) = refusal::failure(notice) {
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
    if let Some(recorded) = notice.past() {
        past::recorded(&mut fields, recorded, scene);
    }
    let tone = notice.event.tone().into();
    Some(fields.titled(Span::new(activity::kind(&notice.event), tone)))
}

fn call(number: u64, scene: &Scene<'_>) -> Option<DetailView> {
    let (_, call) = scene.store.calls.iter().find(|(n, _)| *n == number)?;
    let mut fields = DetailFields::new(&(), scene);
    fields.own_time("at", scene.on_wall(call.at));
    fields.text("method", Some(call.method));
    fields.text("target", Some(&call.target));
    fields.push("outcome", calls::outcome(call));
    fields.text("took", Some(format::elapsed(call.elapsed)));
    fields.text("request_id", call.request_id.as_ref());
    Some(fields.titled(Span::plain(format!("call {number}"))))
}
