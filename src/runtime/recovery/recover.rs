//! Recovery: decides what became of the commands that were open when the last session stopped (docs/delivery.md 7.2).
//!
//! Contract: recovery reads the service before it sends anything. An order that may exist is found by its name;
//! otherwise a person decides, and it is never resent automatically. A close-all goes on with its own key, a flatten
//! begins anew, a full market close and a cancel of something that still works are resent (none of them can open a
//! position); a person decides about a change, unless a newer one replaced it. A command that never left is dropped if it
//! increases exposure, and otherwise offered: only a person sends it. A command that is too old is not sent. A command of
//! another service, account or key is shown as a question and never sent from here. Each command gets one line. New
//! entries wait until recovery is over, and stay blocked if the last session was halted. A verb, which ends with its own
//! command, names what is open, settles what reads decide, and sends nothing: see [`decision`].

mod decision;

use super::flatten::{self, ResumedFlatten};
use crate::{
    api::Route,
    app::{Msg, activity::notice::Tone},
    client::ReconcileOutcome,
    journal::{IntentId, IntentRow, IntentState, JournalError, StateUpdate},
    model::{
        Command, Failure, FailureKind, FollowUp, Order, Progress, Receipt, Risk, Ticket, Timestamp,
    },
    runtime::{
        base::process::ProcessKind,
        journal::{earlier::read_back, shared_journal::OpenRows},
        outbox::{Delivery, OutboxContext, Ownership, ProgressSink, Resume},
    },
};
use decision::{RecoveryCase, RecoveryDecision};
use std::{sync::Arc, time::Duration};
use tokio::{sync::oneshot, time::sleep};

/// Reads of one row before a person must decide.
const RECONCILE_ATTEMPTS: u32 = 4;
/// Commands that a verb lists one by one.
const NAMED: usize = 3;
/// Tickets of this session count from 1; those of earlier sessions from here.
const FIRST_EARLIER_TICKET: u64 = 1_000_000;

/// What recovery decides rows by.
struct Recovery<'a> {
    context: &'a OutboxContext,
    fingerprint: String,
    /// What was recorded of this account, newest first.
    recent: Vec<IntentRow>,
    /// `None` if they could not be read.
    working: Option<Vec<Order>>,
}

/// A row of this account, parsed back into its command.
struct OpenRow {
    entry: IntentRow,
    delivery: Delivery,
    ticket: Ticket,
    ownership: Ownership,
}

/// Settles, resumes or asks about every open row; ends when each is under way.
pub(crate) async fn recover(
    context: OutboxContext,
    left: oneshot::Receiver<Result<OpenRows, JournalError>>,
) {
    let ready = context.ready_when_dropped();
    let OpenRows {
        mut open,
        fingerprint,
        recent,
    } = match context
        .writer
        .wait_for_answer(left)
        .await
        .unwrap_or(Err(JournalError::Stopped))
    {
        Ok(left) => left,
        Err(why) => {
            context.writer.tell(&why).await;
            context.apply_noted_halt().await;
            return;
        }
    };
    context.apply_noted_halt().await;
    if open.is_empty() {
        return;
    }
    context.set_left_open(open.len());
    if context.process == ProcessKind::Verb {
        context.note(Tone::Warn, named(&open)).await;
    }
    open.reverse();
    let working = context.client.working_orders().await.ok();
    let recovery = Recovery {
        context: &context,
        fingerprint,
        recent,
        working: working
            .filter(|page| !page.incomplete)
            .map(|page| page.rows),
    };
    recovery.after_attempt(open).await;
    drop(ready);
}

impl Recovery<'_> {
    async fn after_attempt(&self, open: Vec<IntentRow>) {
        let (ours, foreign): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|entry| self.is_ours(entry));
        // The parts of a foreign flatten are shown instead.
        for entry in foreign.iter().filter(|entry| !entry.intent.is_flatten()) {
            self.judge_one(entry, Ownership::Foreign, None).await;
        }
        let (flattens, rows): (Vec<_>, Vec<_>) = ours
            .into_iter()
            .partition(|entry| entry.intent.is_flatten());
        let parent = self.flatten_to_resume(flattens).await;
        let mut closing = None;
        for entry in &rows {
            let joins = self.judge_one(entry, Ownership::Own, parent).await;
            closing = joins.or(closing);
        }
        if let Some(parent) = parent {
            self.resume_flatten(ResumedFlatten { parent, closing });
        }
    }

    /// Decides one row, as far as a person or the service need not. Returns what the flatten `parent` goes on with.
    async fn judge_one(
        &self,
        entry: &IntentRow,
        ownership: Ownership,
        parent: Option<IntentId>,
    ) -> Option<Delivery> {
        let Some(row) = self.row(entry.clone(), ownership) else {
            let words = format!("cannot be read back: perpdeck journal show {}", entry.id.0);
            self.settle(entry, IntentState::Parked, (Tone::Alert, &words))
                .await;
            return None;
        };
        let command = row.delivery.command().clone();
        let case = RecoveryCase {
            entry,
            command: &command,
            ownership,
            process: self.context.process,
            now: self.context.clock.now(),
            is_overtaken: ownership == Ownership::Own && self.is_overtaken(entry, &command),
            is_part: parent.is_some() && entry.intent.parent == parent,
            working: self.working.as_deref().unwrap_or_default(),
        };
        let mut decision = case.decision();
        let is_shown = decision == RecoveryDecision::Reconcile && case.may_have_placed_exits();
        if is_shown {
            self.show(&row).await;
        }
        if decision == RecoveryDecision::Reconcile {
            decision = case.after(self.outcome(&row).await);
        }
        if let (RecoveryDecision::Decided(result), true) = (&decision, is_shown) {
            self.tell(&row.entry, &StateUpdate::of(result)).await;
            let settled = Msg::Settled(row.ticket, result.clone());
            self.context.say(settled).await;
            return None;
        }
        self.apply(row, decision).await
    }

    /// Until it is decided, the desk places no other exit there.
    async fn show(&self, row: &OpenRow) {
        let (ticket, command) = (row.ticket, row.delivery.command().clone());
        let why = "from the last session: it may have executed";
        let progress = Progress::Unknown {
            why: Failure::new(FailureKind::Unknown, why),
            retry_at: self.context.clock.now(),
            then: FollowUp::Look,
        };
        self.context.say(Msg::Resumed(ticket, command)).await;
        self.context.say(Msg::Progress(ticket, progress)).await;
    }

    /// The journal has a later change of the same object, whatever became of it.
    fn is_overtaken(&self, entry: &IntentRow, command: &Command) -> bool {
        let intent = &entry.intent;
        let is_later = |other: &IntentRow| {
            other.id > entry.id
                && (&other.intent.method, &other.intent.target) == (&intent.method, &intent.target)
        };
        command.facts().mutation.is_put() && self.recent.iter().any(is_later)
    }

    /// When a close-all or flatten was last recorded.
    fn closed_all_at(&self) -> Option<Timestamp> {
        let account = &self.context.client.connection().account_id;
        let close_all = Route::CloseAll(account.clone()).target();
        let closes = |entry: &&IntentRow| {
            let intent = &entry.intent;
            intent.is_flatten() || intent.target == close_all
        };
        let last = self.recent.iter().find(closes);
        last.map(|entry| entry.created_at)
    }

    async fn apply(&self, row: OpenRow, decision: RecoveryDecision) -> Option<Delivery> {
        let entry = &row.entry;
        match decision {
            RecoveryDecision::Join => return Some(row.delivery),
            RecoveryDecision::Drop => {
                let words = "was never sent, and is not sent now";
                self.settle(entry, IntentState::Unsent, (Tone::Warn, words))
                    .await;
            }
            RecoveryDecision::Superseded => {
                let words = "was superseded by a newer one and is not sent again";
                self.settle(entry, IntentState::Abandoned, (Tone::Warn, words))
                    .await;
            }
            RecoveryDecision::Foreign => {
                let place = place(entry);
                let words = format!("was never sent; it is of {place}, and never sent from here");
                self.account_for(entry, Tone::Warn, &words).await;
            }
            RecoveryDecision::Offer => {
                let words = if entry.is_overdue(self.context.clock.now()) {
                    "was never sent, and its deadline has passed: decide whether you still want it"
                } else {
                    "was never sent: decide whether to send it now"
                };
                self.account_for(entry, Tone::Alert, words).await;
                go(row, Resume::Ask);
            }
            RecoveryDecision::Resend => {
                let words = "is sent again with the same key";
                self.account_for(entry, Tone::Warn, words).await;
                go(row, Resume::Send);
            }
            RecoveryDecision::Follow => {
                self.account_for(entry, Tone::Plain, "is still queued")
                    .await;
                Arc::new(row.delivery).follow();
            }
            RecoveryDecision::Decided(result) => self.done(&row, result).await,
            RecoveryDecision::Ask => self.ask(row).await,
            // The reads are done, or the row is left to a desk.
            RecoveryDecision::Reconcile | RecoveryDecision::Leave => {}
        }
        None
    }

    /// Left open by this desk's service, account and key.
    fn is_ours(&self, entry: &IntentRow) -> bool {
        let connection = self.context.client.connection();
        let intent = &entry.intent;
        intent.base_url == connection.base_url
            && intent.account_id == connection.account_id
            && (intent.credential.is_empty() || intent.credential == self.fingerprint)
    }

    /// The newest flatten, if it is recent enough to still be wanted; a verb leaves it to a desk.
    async fn flatten_to_resume(&self, flattens: Vec<IntentRow>) -> Option<IntentId> {
        let mut wanted = None;
        for parent in flattens {
            let young = parent.is_replayable(self.context.clock.now());
            if young && self.context.process == ProcessKind::Verb {
                continue;
            }
            let (state, words) = if young {
                (IntentState::Inflight, "goes on")
            } else {
                (
                    IntentState::Abandoned,
                    "is too old to continue: F starts a new one",
                )
            };
            self.settle(&parent, state, (Tone::Alert, words)).await;
            wanted = young.then_some(parent.id).or(wanted);
        }
        wanted
    }

    fn resume_flatten(&self, resumed: ResumedFlatten) {
        let (context, ticket) = (self.context.clone(), earlier(resumed.parent.0));
        // Entries are blocked now, not when recovery reaches the row: the desk is about to accept orders.
        let block_entries = context.block_entries();
        tokio::spawn(async move {
            let _block = block_entries;
            let command = Command::Flatten(context.client.connection().account_id.clone());
            context.say(Msg::Resumed(ticket, command)).await;
            let result = flatten::flatten(&context, Some(ticket), Some(resumed)).await;
            context.say(Msg::Settled(ticket, result)).await;
        });
    }

    /// Parses the row and gives it a ticket of this session.
    fn row(&self, entry: IntentRow, ownership: Ownership) -> Option<OpenRow> {
        let (request, command) = read_back(&entry.intent)?;
        let ticket = earlier(entry.id.0);
        let delivery = Delivery::resumed(
            self.context.clone(),
            ProgressSink::Ticket(ticket),
            command,
            request,
            (&entry, ownership),
        );
        Some(OpenRow {
            entry,
            delivery,
            ticket,
            ownership,
        })
    }

    async fn outcome(&self, row: &OpenRow) -> Result<ReconcileOutcome, Failure> {
        let (key, since) = (row.entry.intent.key.as_ref(), row.entry.created_at);
        let timeouts = self.context.client.timeouts();
        let mut wait = timeouts.scaled(Duration::from_millis(250));
        let command = row.delivery.command();
        let mut reads = 1;
        loop {
            match self.context.client.reconcile(command, key, since).await {
                Err(why) if reads < RECONCILE_ATTEMPTS => {
                    sleep(wait.max(why.retry_after.unwrap_or_default())).await;
                }
                seen => return seen,
            }
            (wait, reads) = (wait * 2, reads + 1);
        }
    }

    async fn done(&self, row: &OpenRow, result: Result<Receipt, Failure>) {
        let update = StateUpdate::of(&result);
        let tone = if result.is_ok() {
            Tone::Good
        } else {
            Tone::Warn
        };
        self.account_for(&row.entry, tone, &update.detail).await;
        self.tell(&row.entry, &update).await;
        if let Ok(Receipt::Cancel(cancel)) = &result
            && cancel.canceled
        {
            self.context
                .say(Msg::Ended(cancel.id.clone(), result))
                .await;
        }
    }

    /// A row that another desk must decide stays visible here, with an unknown outcome.
    async fn ask(&self, row: OpenRow) {
        let is_outlived = row.delivery.command().risk() == Risk::Increasing
            && self.closed_all_at() > Some(row.entry.created_at);
        let words = match row.ownership {
            Ownership::Own if is_outlived => {
                "may have executed, and reading the service does not settle it; a close-all was requested since, and \
                 sending it again opens a new position: decide"
                    .to_owned()
            }
            Ownership::Own => "may have executed, and reading the service does not settle it: decide".to_owned(),
            Ownership::Foreign => format!(
                "belongs to {}, where its status is unknown: it is never sent from here",
                place(&row.entry)
            ),
        };
        self.account_for(&row.entry, Tone::Alert, &words).await;
        if is_outlived {
            self.context.say(Msg::Outlived(row.ticket)).await;
        }
        go(row, Resume::Ask);
    }

    /// Records this state of the row, and says it.
    async fn settle(&self, entry: &IntentRow, state: IntentState, (tone, words): (Tone, &str)) {
        self.tell(entry, &StateUpdate::new(state, words)).await;
        self.account_for(entry, tone, words).await;
    }

    async fn tell(&self, entry: &IntentRow, update: &StateUpdate) {
        let (now, id, update) = (self.context.clock.now(), entry.id, update.clone());
        let written = self
            .context
            .writer
            .write_soon(move |journal| journal.record_state(now, id, &update));
        // If it fails, the journal's thread has reported why; a slow disk does it later.
        let _written = written.await;
    }

    async fn account_for(&self, entry: &IntentRow, tone: Tone, words: &str) {
        let text = format!("from the last session: {}: {words}", entry.intent.command);
        self.context.note(tone, text).await;
    }
}

/// The list a verb prints of open commands, most of which it does not resume.
fn named(open: &[IntentRow]) -> String {
    let names = open.iter().rev().take(NAMED);
    let names: Vec<_> = names.map(|entry| entry.intent.command.as_str()).collect();
    let more = match open.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "left open by an earlier session: {}{more}; a desk decides what reads do not settle (\"perpdeck journal list --open\")",
        names.join("; ")
    )
}

fn place(IntentRow { intent, .. }: &IntentRow) -> String {
    format!("{}, account {}", intent.base_url, intent.account_id)
}

/// Delivers the row under a ticket of this session.
fn go(row: OpenRow, resume: Resume) {
    tokio::spawn(Arc::new(row.delivery).resume(row.ticket, resume));
}

fn earlier(id: i64) -> Ticket {
    Ticket(FIRST_EARLIER_TICKET.saturating_add(id.unsigned_abs()))
}
