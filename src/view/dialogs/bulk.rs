//! The list of bulk commands: the exact calls before sending, the outcomes afterwards.

use crate::{
    app::{
        Action, Context, Model,
        activity::notice,
        dialogs::overlay::{Bulk, Stage},
        workflows::{Item, State},
    },
    model::{Progress, Receipt},
    view::{
        panels::strip::{self, phrases},
        tables::{activity, protection},
        text::{Scene, Span, passing, words},
    },
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkView {
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
        title: title(model, scene, bulk),
        items: items(model, scene, bulk),
        left_out: bulk.left_out.clone(),
    }
}

fn title(model: &Model, scene: &Scene<'_>, bulk: &Bulk) -> Vec<Span> {
    let button = |action, does: &str| phrases::button(model, Context::Bulk, action, does);
    let account = phrases::account(model);
    let calls = words::counted(bulk.run.items.len(), "call", "calls");
    let settled: Vec<_> = bulk.run.settled().collect();
    let failed = settled.iter().filter(|(command, result)| match result {
        Ok(receipt) => notice::answer_tone(command, receipt) == notice::Tone::Alert,
        Err(_) => true,
    });
    let failed = match failed.count() {
        0 => Span::muted(", none failed"),
        failed => Span::alert(format!(", {failed} failed")),
    };
    let done = Span::strong(format!("{} of {calls} over{account}", settled.len()));
    let back = |does| {
        let done = vec![done, failed, Span::plain("  ")];
        [done, button(Action::Dismiss, does)].concat()
    };
    match bulk.stage {
        Stage::Asking { .. } => {
            let left = bulk.ends_at().map(|end| scene.until_own(end, passing::FOR));
            let left = left.map(|left| format!("  ({left})")).unwrap_or_default();
            [
                strip::rehearsed(model),
                vec![Span::strong(format!("{calls}{account}?  "))],
                button(Action::Confirm, "send"),
                vec![Span::plain(" · ")],
                button(Action::Dismiss, "no"),
                vec![Span::plain(left)],
            ]
            .concat()
        }
        Stage::Going if settled.len() < bulk.run.items.len() => back("stops the rest"),
        Stage::Going | Stage::Stopped => back("back"),
    }
}

/// While the list waits for confirmation, a stop says which position it leaves unprotected.
fn items(model: &Model, scene: &Scene<'_>, bulk: &Bulk) -> Vec<BulkItem> {
    let asks = matches!(bulk.stage, Stage::Asking { .. });
    let canceled = bulk
        .run
        .items
        .iter()
        .filter_map(|row| row.command.cancels());
    let canceled: Vec<_> = canceled.filter(|_| asks).collect();
    let rows = bulk.run.items.iter().map(|row| {
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
        State::Sent(ticket) => match model.account.store.pending.get(ticket).map(|f| &f.progress) {
            Some(Progress::Parked { why, .. }) => {
                let why = Span::alert(why.message.to_string());
                (Span::alert("unknown"), Some(why))
            }
            Some(Progress::Queued) => (Span::info("waiting"), call()),
            Some(Progress::Sending { attempt: 1 }) | None => (Span::info("sending"), call()),
            Some(progress) => {
                let words = Span::warn(activity::progress_words(progress));
                (Span::warn("waiting"), Some(words))
            }
        },
        State::Settled(Ok(receipt)) => {
            if let Some(state) = became(model, receipt) {
                (state, None)
            } else {
                let tone = notice::answer_tone(&item.command, receipt).into();
                let state = Span::new(activity::receipt_kind(receipt), tone);
                (state, reason(receipt))
            }
        }
        State::Settled(Err(why)) => {
            let words = format!("{}{}", why.message, activity::references(why));
            let tone = activity::failure_tone(why);
            let state = Span::new(why.kind.word(), tone);
            (state, Some(Span::new(words, tone)))
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
    Some(Span::alert(why.to_string()))
}
