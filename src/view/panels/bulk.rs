//! The list of bulk commands: the exact calls before sending, the outcomes afterwards.

use super::strip;
use crate::{
    app::{
        Model,
        activity::notice,
        dialogs::overlay::{Bulk, Item, Stage, State},
        keys::keymap::{Action, Context},
    },
    model::{Progress, Receipt},
    view::{
        tables::{activity, protection},
        text::{
            format, passing,
            scene::Scene,
            span::{Span, Tone},
            words,
        },
    },
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkView {
    /// The tone of a strip: paper or not.
    pub tone: Tone,
    pub title: Vec<Span>,
    pub items: Vec<BulkItem>,
    /// Marked rows that are not in the list.
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkItem {
    pub state: Span,
    pub words: String,
    /// The exact call before sending, the reason after a failure; otherwise `None`.
    pub more: Option<Span>,
}

pub fn bulk(model: &Model, scene: &Scene<'_>, bulk: &Bulk) -> BulkView {
    BulkView {
        tone: strip::mode_tone(model),
        title: title(model, scene, bulk),
        items: items(model, scene, bulk),
        left_out: bulk.left_out.clone(),
    }
}

fn title(model: &Model, scene: &Scene<'_>, bulk: &Bulk) -> Vec<Span> {
    let button = |action, does: &str| {
        crate::view::panels::strip::phrases::button(model, Context::Bulk, action, does)
    };
    let account = crate::view::panels::strip::phrases::account(model);
    let calls = counted(bulk.items.len());
    let head = |words: String| Span::new(words, Tone::Strong);
    let settled: Vec<_> = bulk.settled().collect();
    let failed = settled.iter().filter(|(command, result)| match result {
        Ok(receipt) => notice::answer_tone(command, receipt) == notice::Tone::Alert,
        Err(_) => true,
    });
    let failed = failed.count();
    let done = format!("{} of {calls} over{account}", settled.len());
    let failed = if failed == 0 {
        Span::muted(", none failed")
    } else {
        Span::new(format!(", {failed} failed"), Tone::Alert)
    };
    let is_over = settled.len() == bulk.items.len();
    let back = |does: &str| {
        let before = vec![head(done.clone()), failed.clone(), Span::plain("  ")];
        [before, button(Action::Dismiss, does)].concat()
    };
    match (bulk.stage, bulk.ends_at()) {
        (Stage::Asking { .. }, end) => {
            let left = end.map(|end| scene.until_own(end, passing::FOR));
            let left = left.map(|left| format!("  ({left})")).unwrap_or_default();
            [
                strip::rehearsed(model),
                vec![head(format!("{calls}{account}?  "))],
                button(Action::Confirm, "send"),
                vec![Span::plain(" · ")],
                button(Action::Dismiss, "no"),
                vec![Span::plain(left)],
            ]
            .concat()
        }
        (Stage::Going, _) if !is_over => back("stops the rest"),
        (Stage::Going | Stage::Stopped, _) => back("back"),
    }
}

fn counted(calls: usize) -> String {
    let plural = if calls == 1 { "" } else { "s" };
    format!("{} call{plural}", format::count(calls))
}

/// While the list waits for confirmation, a stop says which position it leaves unprotected.
fn items(model: &Model, scene: &Scene<'_>, bulk: &Bulk) -> Vec<BulkItem> {
    let asks = matches!(bulk.stage, Stage::Asking { .. });
    let canceled = bulk.items.iter().filter_map(|row| row.command.cancels());
    let canceled: Vec<_> = canceled.filter(|_| asks).collect();
    let rows = bulk.items.iter().map(|row| {
        let mut item = item(model, row);
        let of = row.command.cancels().filter(|_| asks);
        if let Some(bared) = of.and_then(|id| protection::left_bare(id, &canceled, scene)) {
            let words = format!(", leaves {bared}");
            item.words.push_str(&words);
        }
        item
    });
    rows.collect()
}

fn item(model: &Model, item: &Item) -> BulkItem {
    let call = || Some(Span::muted(words::call(&item.command)));
    let (state, more) = match &item.state {
        State::Listed => (Span::muted("to send"), call()),
        State::Sent(ticket) => match model.account.store.flights.get(ticket).map(|f| &f.progress) {
            Some(Progress::Parked { why, .. }) => (
                Span::new("unknown", Tone::Alert),
                Some(Span::new(why.message.to_string(), Tone::Alert)),
            ),
            Some(Progress::Queued) => (Span::new("waiting", Tone::Info), call()),
            Some(Progress::Sending { attempt: 1 }) | None => {
                (Span::new("sending", Tone::Info), call())
            }
            Some(progress) => (
                Span::new("waiting", Tone::Warn),
                Some(Span::new(activity::progress_words(progress), Tone::Warn)),
            ),
        },
        State::Settled(Ok(receipt)) => {
            if let Some(state) = became(model, receipt) {
                return BulkItem {
                    state,
                    words: words::command(&item.command, &item.about),
                    more: None,
                };
            }
            let tone = notice::answer_tone(&item.command, receipt);
            (
                Span::new(activity::receipt_kind(receipt), tone.into()),
                reason(receipt),
            )
        }
        State::Settled(Err(why)) => {
            let words = format!("{}{}", why.message, activity::references(why));
            let tone = activity::failure_tone(why);
            (
                Span::new(why.kind.word(), tone),
                Some(Span::new(words, tone)),
            )
        }
    };
    BulkItem {
        state,
        words: words::command(&item.command, &item.about),
        more,
    }
}

/// The later state of an order that was still to end or begin at the response.
fn became(model: &Model, receipt: &Receipt) -> Option<Span> {
    let store = &model.account.store;
    let id = match receipt {
        Receipt::Cancel(cancel) if cancel.queued => &cancel.id,
        Receipt::Order { order, queued } if *queued || !order.is_over() => &order.id,
        Receipt::Cancel(_)
        | Receipt::Order { .. }
        | Receipt::Position(_)
        | Receipt::Twap(_)
        | Receipt::Scaled(_)
        | Receipt::CloseAll(_)
        | Receipt::CancelAll(_)
        | Receipt::AlreadySo(_)
        | Receipt::Flat(_) => return None,
    };
    let row = store.history.find(id);
    if let Some(row) = row.filter(|row| row.is_over()) {
        return Some(words::status(&row.status));
    }
    // It was listed when it was marked: a complete list without it is newer. Its own row will show how it ended.
    let was_listed = matches!(receipt, Receipt::Cancel(_));
    (was_listed && store.is_over_since(id, None)).then(|| Span::muted("ended"))
}

/// Why an accepted order was rejected.
fn reason(receipt: &Receipt) -> Option<Span> {
    let Receipt::Order { order, .. } = receipt else {
        return None;
    };
    let why = order.reject_reason.as_ref()?;
    Some(Span::new(why.to_string(), Tone::Alert))
}
