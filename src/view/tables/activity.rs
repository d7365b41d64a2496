//! The activity of this desk, one line per event.

use crate::{
    app::{
        About, Account,
        activity::notice::{Event, Notice},
    },
    model::{
        CancelAll, CloseAll, Command, Exits, Failure, FailureKind, FollowUp, Leg, Order,
        OrderStatus, Past, Progress, Receipt, Timestamp, echo,
    },
    view::{
        tables::order_words::order_words,
        text::{
            Align::{Left, Words},
            Column, Scene, Span, Tone, format, plain_text, words,
        },
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const ACTIVITY: &[Column<Notice>] = &[
    Column::new("at", "time", Left, 1, |notice: &Notice, scene| {
        Span::muted(scene.moment(on_wall(notice, scene))).into()
    })
    .moment(|notice| Some(notice.at)),
    Column::new("kind", "event", Left, 0, |notice, _| {
        Span::new(kind(&notice.event), notice.event.tone().into()).into()
    }),
    Column::new("words", "what", Words, 0, |notice, _| {
        words_of(notice).into()
    }),
    // The outcome comes before the ticket number.
    Column::text("ticket", "ticket", 9, |notice: &Notice| {
        notice.ticket.map(|t| t.to_string()).unwrap_or_default()
    })
    .toned(Tone::Muted),
];

/// The line at this index, newest first.
pub(crate) fn newest_first<'a>(scene: &Scene<'a>, at: usize) -> Option<&'a Notice> {
    scene.activity.lines.iter().nth_back(at)
}

/// A line of the activity pane.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct EventRow {
    /// UTC, RFC 3339.
    pub at: String,
    /// The account.
    pub account: Option<String>,
    /// The address of the service.
    pub service: Option<String>,
    /// What kind of event it is.
    pub event: String,
    /// How it matters: plain, good, warn or alert.
    pub tone: String,
    /// The event in words.
    pub what: String,
    /// The command that it is about, in this session of the desk.
    pub ticket: Option<String>,
}

impl EventRow {
    pub fn new(account: &Account, notice: &Notice) -> Self {
        let identity = account.identity.as_ref();
        Self {
            at: account.drift.on_wall(notice.at).to_rfc3339(),
            account: identity.map(|identity| identity.account_id.raw().to_owned()),
            service: identity.map(|identity| identity.base_url.clone()),
            event: kind(&notice.event).to_owned(),
            tone: notice.event.tone().to_string(),
            what: plain_words(notice),
            ticket: notice.ticket.map(|ticket| ticket.to_string()),
        }
    }
}

/// Without colors.
pub(crate) fn plain_words(notice: &Notice) -> String {
    plain_text(&words_of(notice))
}

/// Its time by the wall clock.
pub(crate) fn on_wall(notice: &Notice, scene: &Scene<'_>) -> Timestamp {
    match notice.past() {
        Some(_) => notice.at,
        None => scene.on_wall(notice.at),
    }
}

/// One word for what happened.
pub(crate) fn kind(event: &Event) -> &'static str {
    match event {
        Event::Sent(_) => "sent",
        Event::Progress(_, Progress::Sending { .. }) => "sending",
        Event::Progress(_, Progress::Queued) => "queued",
        Event::Progress(_, Progress::Unknown { .. }) => "unknown",
        Event::Progress(_, Progress::Waiting { .. }) => "waiting",
        Event::Progress(_, Progress::Running { .. }) => "running",
        Event::Progress(_, Progress::Flattening(_)) => "flattening",
        Event::Progress(_, Progress::Parked { why, .. }) if why.is_doubtful() => "unknown",
        Event::Progress(_, Progress::Parked { .. }) => "never sent",
        Event::Settled(command, Ok(receipt)) => settled_kind(command, receipt),
        Event::Settled(_, Err(why)) => why.kind.word(),
        Event::Message(..) => "desk",
        Event::Alert(alert) => super::alert::kind(alert),
        Event::Elsewhere(elsewhere) => kind(&elsewhere.notice.event),
        Event::Past(past) => past_kind(past),
    }
}

/// The order whose exits changed rests as before: its status is no news.
fn settled_kind(command: &Command, receipt: &Receipt) -> &'static str {
    match (command, receipt) {
        (command, receipt) if !echo::differences(command, receipt).is_empty() => "mismatch",
        (Command::Exits(_), Receipt::Order { order, queued }) if !queued && !order.is_over() => {
            "exits set"
        }
        (Command::Close(_), Receipt::Order { order, .. }) if order.is_armed() => "armed",
        (_, receipt) => receipt_kind(receipt),
    }
}

pub(crate) fn receipt_kind(receipt: &Receipt) -> &'static str {
    match receipt {
        Receipt::Cancel(cancel) if cancel.queued => "queued",
        Receipt::Cancel(cancel) if !cancel.canceled => "not canceled",
        Receipt::Order { queued: true, .. } => "queued",
        Receipt::Order { order, .. } => order_kind(order),
        Receipt::CloseAll(operation) if operation.failed_count > 0 => "partly done",
        Receipt::CancelAll(operation) if operation.failed_count > 0 => "partly done",
        Receipt::CancelAll(operation) if operation.queued_count() > 0 => "cancel pending",
        Receipt::CloseAll(operation) if operation.failures().next().is_some() => "answered",
        Receipt::Cancel(_)
        | Receipt::Position(_)
        | Receipt::Twap(_)
        | Receipt::Scaled(_)
        | Receipt::CloseAll(_)
        | Receipt::CancelAll(_)
        | Receipt::AlreadySo(_) => "done",
        Receipt::Flat(_) => "flat",
    }
}

fn order_kind(order: &Order) -> &'static str {
    let armed = order.is_armed().then_some("armed");
    armed.unwrap_or_else(|| status_kind(order.status.known()))
}

fn status_kind(status: Option<OrderStatus>) -> &'static str {
    use crate::model::OrderStatus::{Canceled, Expired, Filled, Pending, Rejected, Resting};
    match status {
        Some(Pending) => "pending",
        Some(Resting) => "working",
        Some(Filled) => "filled",
        Some(Rejected) => "rejected",
        Some(Expired) => "expired",
        Some(Canceled) => "canceled",
        None => "answered",
    }
}

/// As far as the journal recorded it.
fn past_kind(past: &Past) -> &'static str {
    let waits = past.order_status.is_some_and(OrderStatus::is_working);
    let has_trigger = past.command.as_ref().is_some_and(Command::has_trigger);
    match (&past.result, &past.command, past.order_status) {
        (Err(why), ..) => why.kind.word(),
        (Ok(_), Some(Command::Flatten(_)), _) => "flat",
        (Ok(_), ..) if waits && has_trigger => "armed",
        (Ok(_), _, Some(status)) => status_kind(Some(status)),
        (Ok(receipt), _, None) => receipt_kind(receipt),
    }
}

/// The event as spans: the command, then its outcome. Uses nothing of the current state.
pub(crate) fn words_of(notice: &Notice) -> Vec<Span> {
    let request = |command| Span::plain(words::command(command, &notice.about));
    match &notice.event {
        Event::Sent(command) => vec![request(command)],
        Event::Progress(command, progress) => vec![
            request(command),
            Span::muted(format!("  {}", progress_words(progress))),
        ],
        Event::Settled(Command::Exits(exits), Ok(Receipt::Order { order, .. }))
            if !order.is_over() =>
        {
            let words = exits_words(exits, order, &notice.about);
            vec![Span::plain(words)]
        }
        Event::Settled(command, Ok(receipt)) => {
            let request = words::command(command, &notice.about);
            let mut spans: Vec<_> = mismatch(command, receipt).into_iter().collect();
            spans.extend(in_two(&receipt_words(request, receipt, &notice.about)));
            spans
        }
        Event::Settled(command, Err(why)) => failed(request(command), why),
        Event::Message(_, text) => vec![Span::plain(text.clone())],
        Event::Alert(alert) => in_two(&super::alert::words(alert, &notice.about)),
        Event::Elsewhere(elsewhere) => {
            let mut spans = vec![Span::strong(format!("{}: ", elsewhere.account))];
            spans.extend(words_of(&elsewhere.notice));
            spans
        }
        Event::Past(past) => match &past.result {
            Ok(receipt) => {
                let request = past.request_line.to_string();
                in_two(&receipt_words(request, receipt, &notice.about))
            }
            Err(why) => failed(Span::plain(past.request_line.to_string()), why),
        },
    }
}

/// What differs from the request. It comes first, so that no narrow window cuts it.
fn mismatch(command: &Command, receipt: &Receipt) -> Option<Span> {
    let differences = echo::differences(command, receipt);
    let words = format!("{}: ", differences.join(", "));
    (!differences.is_empty()).then(|| Span::alert(words))
}

/// The object and the outcome; the outcome stays in a narrow window.
fn in_two(words: &str) -> Vec<Span> {
    let end = words.find(": ").unwrap_or(words.len());
    let parts = words.split_at_checked(end).unwrap_or((words, ""));
    let parts = [parts.0, parts.1]
        .into_iter()
        .filter(|part| !part.is_empty());
    parts.map(Span::plain).collect()
}

fn failed(request: Span, why: &Failure) -> Vec<Span> {
    let what = Span::new(format!(": {}", why.message), failure_tone(why));
    vec![request, what, Span::muted(references(why))]
}

/// A dry run is no failure.
pub(crate) fn failure_tone(why: &Failure) -> Tone {
    let is_rehearsal = why.kind == FailureKind::DryRun;
    if is_rehearsal {
        Tone::Warn
    } else {
        Tone::Alert
    }
}

/// `  code risk  rule R-7  request 8f…`: what helps to look a failure up.
pub(crate) fn references(why: &Failure) -> String {
    let named = why.references().into_iter();
    let parts: Vec<_> = named
        .map(|(name, value)| format!("  {name} {value}"))
        .collect();
    parts.concat()
}

/// What a read does that follows instead of another request.
const FINDING_OUT: &str = "reading the outcome from the service";

pub(crate) fn progress_words(progress: &Progress) -> String {
    match progress {
        Progress::Queued => "waits for its turn or the journal; nothing is sent yet".to_owned(),
        Progress::Sending { attempt: 1 } => "sending".to_owned(),
        Progress::Sending { attempt } => format!("sending, try {attempt}"),
        Progress::Unknown { why, then, .. } => {
            let then = match then {
                FollowUp::Again => "perpdeck repeats the request",
                FollowUp::Look => FINDING_OUT,
            };
            format!("{}; {then}", why.kind.word())
        }
        Progress::Waiting { why, then, .. } => match then {
            FollowUp::Again => format!("{why}; perpdeck retries"),
            FollowUp::Look => format!("{why}; {FINDING_OUT}"),
        },
        Progress::Running { operation, .. } => format!(
            "{} of {} done, {} failed",
            operation.done_count(),
            operation.total_count(),
            operation.failed_count()
        ),
        Progress::Flattening(flattening) => flattening.to_string(),
        Progress::Parked { why, .. } => why.message.to_string(),
    }
}

/// `3 of 4 accepted, 1 pending: these orders may still fill, 1 failed; ord-3 order_filled`
pub(crate) fn cancel_all_words(operation: &CancelAll) -> String {
    let (total, failed) = (operation.total_count, operation.failed_count);
    let accepted = format!("{} of {total} accepted", total.saturating_sub(failed));
    let queued = match operation.queued_count() {
        0 => String::new(),
        queued => format!(", {queued} pending: these orders may still fill"),
    };
    let failed = match failed {
        0 => String::new(),
        failed => format!(", {failed} failed"),
    };
    let failures = operation.failures().map(|result| {
        let code = result.failure_code.clone().unwrap_or_default();
        format!("; {} {code}", result.order_id)
            .trim_end()
            .to_owned()
    });
    let failures: String = failures.collect();
    format!("{accepted}{queued}{failed}{failures}")
}

fn receipt_words(request: String, receipt: &Receipt, about: &About) -> String {
    match receipt {
        Receipt::Order { order, .. } => order_words(order, about),
        Receipt::CancelAll(operation) => format!("{request}: {}", cancel_all_words(operation)),
        Receipt::CloseAll(operation) => {
            // A close-all leaves TWAPs running, and their next slice opens a position again.
            let running = words::twaps_still_run(about.running_twaps);
            let words = words::listed([Some(close_all_words(operation)), running], "; ");
            format!("{request}: {words}")
        }
        Receipt::AlreadySo(what) => format!("{request}: {what}"),
        Receipt::Flat(proof) => proof.to_string(),
        Receipt::Cancel(_) | Receipt::Position(_) | Receipt::Twap(_) | Receipt::Scaled(_) => {
            request
        }
    }
}

/// `stop 58,000 set, target removed on BUY 0.25000 BTC limit @ 62,500`.
fn exits_words(exits: &Exits, order: &Order, about: &About) -> String {
    let market = about.market.as_ref();
    let leg = |what, leg| match leg {
        Leg::Keep => None,
        Leg::Remove => Some(format!("{what} removed")),
        Leg::Set(price) => Some(format!("{what} {} set", format::price(price, market))),
    };
    let legs = [
        leg("stop", exits.stop_loss),
        leg("target", exits.take_profit),
    ];
    let (legs, order) = (
        words::listed(legs, ", "),
        words::order(order, market, &about.names),
    );
    format!("{legs} on {order}")
}

/// How many closes were submitted, and the service's words for the others.
fn close_all_words(operation: &CloseAll) -> String {
    let (done, total) = (operation.succeeded_count, operation.total_count);
    let mut words = vec![format!("{done} of {total} submitted")];
    words.extend(operation.failures().map(|result| {
        let status = words::known_or_quoted("status", &result.status, |known| known.to_string());
        let what = format!("{} {status}", result.position_id);
        let why = result.reason();
        if why.is_empty() {
            return what;
        }
        format!("{what}: {why}")
    }));
    words.join("; ")
}

/// The text of a desktop notification.
pub fn notification(notice: &Notice) -> String {
    match &notice.event {
        Event::Alert(alert) => {
            format!("{}: {}", super::alert::kind(alert), plain_words(notice))
        }
        Event::Elsewhere(elsewhere) => {
            format!("{}: {}", elsewhere.account, notification(&elsewhere.notice))
        }
        Event::Sent(_)
        | Event::Progress(..)
        | Event::Settled(..)
        | Event::Message(..)
        | Event::Past(_) => plain_words(notice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::past,
        model::{Num, PlaceKind, PlaceOrder, Side},
    };

    #[test]
    fn an_earlier_order_that_rested_before_its_trigger_was_armed() {
        let kind = |trigger_price| {
            let order = PlaceOrder {
                kind: PlaceKind::StopMarket,
                trigger_price,
                ..PlaceOrder::market("a".into(), "x|BTC".into(), Side::Sell, Num::ONE)
            };
            past_kind(&Past {
                command: Some(Command::from(order)),
                order_status: Some(OrderStatus::Resting),
                ..past(1, Timestamp(0))
            })
        };
        assert_eq!(kind(Some(Num::ONE)), "armed");
        assert_eq!(kind(None), "working");
    }
}
