//! Reads what earlier sessions did on an account. The journal's own thread reads; a dry run, which has no such thread,
//! opens the journal read-only for each read.
//!
//! Contract: a request made before the outbox starts sees the journal as it was at that moment, so commands that are
//! open now and settle in this session are not included. Rows of another service (known by its base URL) or account are
//! left out.

use super::journal_writer::JournalWriter;
use crate::{
    api::{Method, Request},
    app::{Msg, activity::earlier::PAGE},
    client::Client,
    journal::{Intent, IntentId, IntentRow, IntentState, Journal, JournalError, Outcome},
    model::{Attempted, Command, Failure, Past, PastMark, PastPage, Receipt, Record},
};
use std::path::PathBuf;
use tokio::{
    sync::{mpsc::Sender, oneshot},
    task::spawn_blocking,
};

/// How an account reaches the journal.
#[derive(Debug, Clone)]
pub(crate) enum JournalAccess {
    Writer(JournalWriter),
    /// A dry run opens the journal in this directory read-only.
    ReadOnly(PathBuf),
}

/// Requests the newest rows settled before `mark` at once; the answer arrives as [`Msg::Recalled`].
pub(crate) fn tell(
    client: &Client,
    journal_access: &JournalAccess,
    mark: PastMark,
    inbox: &Sender<Msg>,
) {
    let connection = client.connection();
    let (base_url, account) = (connection.base_url.clone(), connection.account_id.clone());
    let before = (mark.settled_at, IntentId(mark.number));
    // One row more than a page shows whether there are more.
    let read = move |journal: &Journal| journal.settled(&base_url, &account, before, PAGE + 1);
    let rows = match journal_access {
        JournalAccess::Writer(writer) => writer.ask(move |journal| read(journal)),
        JournalAccess::ReadOnly(dir) => looked(dir.clone(), read),
    };
    let inbox = inbox.clone();
    tokio::spawn(async move {
        let rows = rows.await.unwrap_or(Err(JournalError::Stopped));
        let page = rows.map(page);
        let answer = page.map_err(|why| why.to_string());
        // The desk is shutting down: nobody receives it.
        drop(inbox.send(Msg::Recalled(answer)).await);
    });
}

fn looked(
    dir: PathBuf,
    read: impl FnOnce(&Journal) -> Result<Vec<IntentRow>, JournalError> + Send + 'static,
) -> oneshot::Receiver<Result<Vec<IntentRow>, JournalError>> {
    let (sender, rows) = oneshot::channel();
    spawn_blocking(move || {
        let found = if Journal::is_there(&dir) {
            Journal::open_read_only(&dir).and_then(|journal| read(&journal))
        } else {
            Ok(vec![])
        };
        // The desk is shutting down: nobody receives it.
        drop(sender.send(found));
    });
    rows
}

fn page(rows: Vec<IntentRow>) -> PastPage {
    let most = usize::try_from(PAGE).unwrap_or(usize::MAX);
    PastPage {
        has_more: rows.len() > most,
        rows: rows.into_iter().take(most).map(past).collect(),
    }
}

/// Rows of which other processes have reported, and that are done.
pub(crate) fn done(rows: impl Iterator<Item = IntentRow>) -> PastPage {
    let done = rows.filter(|row| row.state == IntentState::Done);
    PastPage {
        rows: done.map(past).collect(),
        has_more: true,
    }
}

fn past(mut entry: IntentRow) -> Past {
    let command = command(&entry);
    let attempts = std::mem::take(&mut entry.attempts);
    let attempts = attempts.into_iter().map(|attempt| Attempted {
        at: attempt.ended_at,
        status: attempt.status,
        why: attempt.detail.map(Into::into),
    });
    let attempts: Vec<_> = attempts.collect();
    let status = attempts.last().and_then(|last| last.status);
    let outcome = entry.outcome.as_ref();
    let makes = entry.intent.method == Method::Post.to_string();
    Past {
        mark: PastMark {
            settled_at: outcome.map_or(entry.created_at, |outcome| outcome.at),
            number: entry.id.0,
        },
        requested_at: entry.created_at,
        request_line: entry.intent.command.as_str().into(),
        order_status: outcome.filter(|_| makes).and_then(Outcome::order_status),
        result: result(&entry, command.as_ref(), status),
        record: Record {
            attempts,
            ..record(entry)
        },
        command,
    }
}

/// The row as a command, if this desk can read it.
fn command(entry: &IntentRow) -> Option<Command> {
    let intent = &entry.intent;
    if entry.intent.is_flatten() {
        return Some(Command::Flatten(intent.account_id.clone()));
    }
    Some(read_back(intent)?.1)
}

/// The request as it was recorded, and its command; `None` if another version wrote it.
pub(crate) fn read_back(intent: &Intent) -> Option<(Request, Command)> {
    let request = Request {
        method: intent.method.parse().ok()?,
        target: intent.target.clone(),
        key: intent.key.clone(),
        body: intent.body.clone(),
    };
    let mut command = request.command()?.classed(intent.risk);
    if let Command::ExitBatch(batch) = &mut command {
        batch.entry.clone_from(&intent.entry);
    }
    if let Command::Place(order) = &mut command {
        order.replaces.clone_from(&intent.replaces);
    }
    Some((request, command))
}

/// The outcome as it was shown then; `status` is that of the last response.
fn result(
    entry: &IntentRow,
    command: Option<&Command>,
    status: Option<u16>,
) -> Result<Receipt, Failure> {
    let failure = entry.failure().map(|why| Failure { status, ..why });
    failure.map_or_else(|| Ok(entry.receipt(command)), Err)
}

fn record(entry: IntentRow) -> Record {
    let (intent, outcome) = (entry.intent, entry.outcome);
    let (order_id, request_id) = outcome.map_or((None, None), |outcome| {
        (outcome.order_id, outcome.request_id)
    });
    Record {
        state: entry.state.to_string(),
        risk: intent.risk,
        method: intent.method.into(),
        target: intent.target.into(),
        body: String::from_utf8_lossy(&intent.body).as_ref().into(),
        key: intent.key,
        base_url: intent.base_url.into(),
        account_id: intent.account_id,
        resource: intent.resource.map(Into::into),
        parent: intent.parent.map(|parent| parent.0),
        deadline: intent.deadline,
        replay_until: intent.replay_until,
        maybe_executed: entry.maybe_executed,
        order_id,
        request_id,
        attempts: vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        client::testing::responder::Responder,
        journal::{Intent, IntentState, ReplayWindow, StateUpdate},
        model::{FailureKind, OrderId, OrderStatus, Proof, Risk, Timestamp},
    };
    use std::path::Path;
    use tokio::sync::mpsc::channel;

    const NOW: Timestamp = Timestamp(1_790_000_000_000);

    fn settled(
        journal: &mut Journal,
        url: &str,
        command: &Command,
        update: &StateUpdate,
    ) -> IntentId {
        let number = journal.recent(99).unwrap().len() + 1;
        let key = format!("key-{number}").into();
        // A flatten has no request that could be parsed.
        let flatten = Request {
            method: Method::Post,
            target: "flatten:chal-1".to_owned(),
            key: None,
            body: vec![],
        };
        let request = Request::encode(command, key).unwrap_or(flatten);
        let intent = Intent {
            base_url: url.to_owned(),
            account_id: "chal-1".into(),
            credential: String::new(),
            method: request.method.to_string(),
            target: request.target,
            body: request.body,
            key: request.key,
            risk: Risk::Neutral,
            command: command.to_string(),
            resource: command.resource().raw().map(str::to_owned),
            parent: None,
            entry: None,
            replaces: None,
            deadline: NOW,
            replay_until: ReplayWindow::since(NOW).until(),
        };
        let id = journal.record(NOW, &intent).unwrap();
        let why = (update.state == IntentState::Rejected).then(|| Failure {
            status: Some(409),
            ..Failure::new(FailureKind::Conflict, "no")
        });
        journal.attempt(NOW, id, why.as_ref()).unwrap();
        journal.record_state(NOW, id, update).unwrap();
        id
    }

    /// What a desk at `url` shows of the journal in `dir`.
    async fn read_page(dir: &Path, responder: &Responder) -> Result<PastPage, String> {
        let (client, _calls) = responder.client();
        let (inbox, mut mail) = channel(8);
        let place = dir.to_owned();
        let writer = JournalWriter::spawn(
            crate::runtime::base::process::ProcessKind::Desk,
            dir,
            move || Journal::open(&place),
            |_| (),
            inbox.clone(),
        );
        tell(
            &client,
            &JournalAccess::Writer(writer),
            PastMark::END,
            &inbox,
        );
        let Some(Msg::Recalled(page)) = mail.recv().await else {
            panic!("told");
        };
        page
    }

    #[tokio::test]
    async fn what_came_of_each_command_then_is_what_is_told_now() {
        let dir = tempfile::tempdir().unwrap();
        let responder = Responder::answering(vec![]).await;
        let mut journal = Journal::open(dir.path()).unwrap();
        let buy = crate::runtime::outbox::tests::buy();
        let placed = StateUpdate {
            order_id: Some("o-1".into()),
            ..StateUpdate::new(IntentState::Done, "order o-1 resting")
        };
        let refused = StateUpdate {
            request_id: Some("r-1".into()),
            ..StateUpdate::new(IntentState::Rejected, "conflict: too late")
        };
        let closed = StateUpdate::new(IntentState::Done, "op-1: 3 of 4 submitted, 1 failed");
        let ends = [
            (buy.clone(), placed),
            (Command::Cancel("o-9".into()), refused),
            (Command::CloseAll("chal-1".into()), closed),
            (
                Command::Flatten("chal-1".into()),
                StateUpdate::new(IntentState::Done, "nothing is left"),
            ),
            (buy, StateUpdate::new(IntentState::Unsent, "was never sent")),
        ];
        for (command, update) in &ends {
            settled(&mut journal, &responder.url, command, update);
        }
        let elsewhere = StateUpdate::new(IntentState::Done, "elsewhere");
        settled(
            &mut journal,
            "http://127.0.0.1:1",
            &Command::Cancel("o".into()),
            &elsewhere,
        );
        drop(journal);
        let page = read_page(dir.path(), &responder).await.unwrap();
        assert!(!page.has_more);
        let [unsent, flat, all, cancel, placed] = page.rows.as_slice() else {
            panic!("{:?}", page.rows);
        };
        assert_eq!(placed.command, Some(ends[0].0.clone()));
        assert_eq!(placed.request_line.to_string(), ends[0].0.to_string());
        assert_eq!(placed.order_status, Some(OrderStatus::Resting));
        assert_eq!(placed.record.order_id, Some(OrderId::from("o-1")));
        assert_eq!(placed.record.key, Some("key-1".into()));
        let why = cancel.result.as_ref().unwrap_err();
        assert_eq!((why.kind, why.status), (FailureKind::Conflict, Some(409)));
        assert_eq!(why.proves, Proof::Refused, "it was sent, and turned down");
        assert_eq!(why.message.raw(), "too late");
        assert!(matches!(&all.result, Ok(Receipt::CloseAll(op)) if op.failed_count == 1));
        assert_eq!(flat.command, Some(Command::Flatten("chal-1".into())));
        assert_eq!(unsent.result.as_ref().unwrap_err().kind, FailureKind::Local);
    }

    #[tokio::test]
    async fn a_desk_that_only_reads_along_looks_back_too() {
        let dir = tempfile::tempdir().unwrap();
        let responder = Responder::answering(vec![]).await;
        let mut journal = Journal::open(dir.path()).unwrap();
        let done = StateUpdate::new(IntentState::Done, "order o-9 canceled");
        settled(
            &mut journal,
            &responder.url,
            &Command::Cancel("o-9".into()),
            &done,
        );
        journal.announce();
        let page = read_page(dir.path(), &responder).await.unwrap();
        assert_eq!(page.rows.len(), 1);
        assert_eq!(page.rows[0].order_status, None, "it made none");
    }

    #[tokio::test]
    async fn a_journal_that_does_not_open_is_told_as_such() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("journal.jsonl")).unwrap();
        let responder = Responder::answering(vec![]).await;
        let why = read_page(dir.path(), &responder).await.unwrap_err();
        assert!(why.contains("cannot be opened"), "{why}");
    }
}
