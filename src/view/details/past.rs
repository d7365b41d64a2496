//! The journal's record of a command of an earlier session.

use crate::{
    model::{Attempted, Past, Record, Text},
    view::{
        details::DetailFields,
        text::{Scene, Span},
    },
};

/// Every recorded field that is not shown above already.
pub(super) fn recorded(fields: &mut DetailFields<'_>, past: &Past, scene: &Scene<'_>) {
    let record = &past.record;
    fields.section("In the journal");
    fields.text("number", Some(past.mark.number));
    fields.own_time("requested_at", past.requested_at);
    fields.text("state", Some(&record.state));
    if past.result.is_ok() {
        fields.text("order_id", record.order_id.as_ref());
        fields.text("request_id", record.request_id.as_ref());
    }
    fields.text("part_of", record.parent);
    fields.text("resource", record.resource.as_ref());
    fields.text("risk", Some(record.risk));
    fields.flag("may_have_acted", Some(record.maybe_executed));
    sent(fields, record);
    for attempt in &record.attempts {
        fields.push("attempt", answered(attempt, scene));
    }
}

fn sent(fields: &mut DetailFields<'_>, record: &Record) {
    fields.section("Request");
    let request = format!("{} {}", record.method, record.target);
    fields.text("request", Some(request));
    fields.text("body", Some(&record.body).filter(|body| !body.is_empty()));
    fields.text("idempotency_key", record.key.as_ref());
    fields.text("base_url", Some(&record.base_url));
    fields.text("account_id", Some(&record.account_id));
    fields.own_time("deadline", record.deadline);
    fields.own_time("replay_until", record.replay_until);
}

/// `14:03:22  503  unavailable: no answer`.
fn answered(attempt: &Attempted, scene: &Scene<'_>) -> [Span; 3] {
    let at = scene.moment(attempt.at);
    let status = attempt.status.map(|status| format!("  {status}"));
    let why = attempt.why.as_ref().map(Text::to_string);
    [
        Span::muted(at),
        Span::warn(status.unwrap_or_default()),
        Span::plain(format!("  {}", why.as_deref().unwrap_or("answered"))),
    ]
}
