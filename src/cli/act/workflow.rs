//! Runs a workflow from the command line: sends, reads and waits as it wants, and prints what came of it.
//!
//! Contract: each command is prepared, checked, recorded and sent like one of its own verb. The exit code is that of the
//! last answer, or partial where the first of two commands was done and the second was not.

use super::{
    consent::ActingService,
    prepared::{PreparedCommand, SendOutcome, Sent},
    receipt::print_outcome,
    remains::report,
    send_and_report::{send_before, would_be_refused},
    transport::Transport,
};
use crate::{
    app::{
        Remote, Store, Workflow,
        account::{
            poll::{Answer, Poll},
            trades::OpenBracket,
        },
        workflows::{
            Known, OrderMove, WorkflowEnd, WorkflowEvent, WorkflowRequest, is_without_effect,
            refusal,
        },
    },
    cli::{
        Exit,
        exit::UsageError,
        service::{Reading, Service},
    },
    model::{Command, Failure, IdempotencyKey, OrderId, Receipt, Timestamp},
    runtime::{done, keep_bracket},
};
use color_eyre::Result;
use std::{ops::ControlFlow, time::Duration};
use tokio::time::sleep;

struct WorkflowRun<'a> {
    service: &'a Service,
    store: &'a mut Store,
    workflow: Workflow,
    /// How its first command is sent, where that is decided already.
    first: Option<PreparedCommand>,
    /// The key under which its last command was sent.
    key: Option<IdempotencyKey>,
    /// Where it is a bracket.
    kept: Option<KeptBracket<'a>>,
    /// Of the last answer.
    exit: Exit,
}

/// Runs a confirmed workflow to its end; `store` is what it was decided on, and `first` its first command, if that is
/// prepared already.
pub(super) async fn run(
    service: &Service,
    store: &mut Store,
    workflow: Workflow,
    first: Option<PreparedCommand>,
) -> Result<Exit> {
    let entry = first
        .as_ref()
        .filter(|_| workflow.try_as_bracket_ref().is_some());
    let kept = entry.map(|entry| KeptBracket::new(service, &entry.command));
    let mut run = WorkflowRun {
        service,
        store,
        workflow,
        kept: kept.transpose()?,
        first,
        key: None,
        exit: Exit::Ok,
    };
    let mut requests = run.begin().await?;
    loop {
        // What is said of a command is said before it is sent.
        requests.sort_by_key(|request| matches!(request, WorkflowRequest::Send(_)));
        let mut next = None;
        for request in std::mem::take(&mut requests) {
            match run.fulfill(request).await? {
                ControlFlow::Continue(follows) => next = follows.or(next),
                ControlFlow::Break(exit) => return Ok(exit),
            }
        }
        requests = match next {
            Some(requests) => requests,
            None => run.pass().await,
        };
    }
}

/// Moves an order, or the exits of a position, once that is confirmed.
pub(super) async fn in_place(
    service: &ActingService,
    store: &mut Store,
    one: OrderMove,
) -> Result<Exit> {
    let command = one.what().command(store).map_err(UsageError)?;
    let prepared = PreparedCommand::new(command, None)?;
    if is_without_effect(&prepared.command) {
        let already = Ok(Receipt::AlreadySo(ALREADY.into()));
        return Ok(print_outcome(service.voice, &prepared, &already));
    }
    if let Some(exit) = service.withheld_one(&prepared).await? {
        return Ok(exit);
    }
    run(service, store, Workflow::Move(one), None).await
}

/// The pause before a workflow that waits for something looks for it again: a verb has no polls that would report it.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

const ALREADY: &str = "the exits of the position are already as requested";

impl WorkflowRun<'_> {
    /// Its first command. An order is not canceled for a replacement that could not be placed.
    async fn begin(&mut self) -> Result<Vec<WorkflowRequest>> {
        if let Workflow::Replace(one) = &self.workflow {
            let place = PreparedCommand::new(Command::from(one.order().clone()), None)?;
            if let Some(why) = would_be_refused(self.service, &place).await? {
                let words = format!("{} stays as it is: {why}", one.old());
                return Err(Failure::held_back(&words).into());
            }
        }
        let first = self.workflow.first(known(self.service, self.store));
        Ok(vec![WorkflowRequest::Send(first.map_err(UsageError)?)])
    }

    fn tell(&mut self, event: WorkflowEvent) -> Vec<WorkflowRequest> {
        let requests = self.workflow.tell(known(self.service, self.store), event);
        if let Workflow::Bracket(run) = &self.workflow
            && run.is_waiting_for_fill()
        {
            // A list that was read before would show its entry at work for good: without one the entry is searched for.
            self.store.orders = Remote::default();
        }
        self.keep();
        requests
    }

    /// What a desk takes over if the verb is killed now.
    fn keep(&mut self) {
        if let (Some(kept), Workflow::Bracket(run)) = (&mut self.kept, &self.workflow) {
            kept.keep(Some(run.open()));
        }
    }

    /// A desk takes over nothing of a bracket that is finished, or whose entry was not sent.
    fn leave(&mut self, end: WorkflowEnd) {
        if let Some(kept) = self.kept.as_mut().filter(|_| end != WorkflowEnd::Half) {
            kept.keep(None);
        }
    }

    /// Does what is wanted; gives what follows of it, or the exit code at the end.
    async fn fulfill(
        &mut self,
        request: WorkflowRequest,
    ) -> Result<ControlFlow<Exit, Option<Vec<WorkflowRequest>>>> {
        let voice = self.service.voice;
        let mut follows = None;
        match request {
            WorkflowRequest::Say(_, words) | WorkflowRequest::Offer { words, .. } => {
                voice.note(&words);
            }
            WorkflowRequest::Report(end) => self.exit = report(voice, self.key.as_ref(), &end),
            WorkflowRequest::Fail(why) => voice.note(why.message.raw()),
            WorkflowRequest::Remains(_) => {}
            WorkflowRequest::End(end) => {
                self.leave(end);
                return Ok(ControlFlow::Break(self.end(end)));
            }
            WorkflowRequest::Send(command) => follows = Some(self.send(command).await?),
            WorkflowRequest::ReadLists => {
                self.read_lists().await;
                follows = Some(self.tell(WorkflowEvent::Passed));
            }
            WorkflowRequest::ReadRemains(operation) => {
                let end = self.service.client.read_remains(*operation).await;
                follows = Some(self.tell(WorkflowEvent::OperationEnded(&end)));
            }
            WorkflowRequest::Find(order) => follows = Some(self.find(order).await),
            WorkflowRequest::Follow(next) => {
                self.workflow = *next;
                follows = Some(self.begin().await?);
            }
        }
        Ok(ControlFlow::Continue(follows))
    }

    /// Waits until it looks again.
    async fn pass(&mut self) -> Vec<WorkflowRequest> {
        match self.workflow.look_at() {
            Some(at) => sleep(self.service.clock.until(at)).await,
            None => sleep(LOOK_AGAIN).await,
        }
        if let (Some(kept), Workflow::Bracket(run)) = (&mut self.kept, &self.workflow)
            && run.awaits_replacement()
        {
            kept.read_journal(self.store);
        }
        self.tell(WorkflowEvent::Passed)
    }

    async fn send(&mut self, command: Command) -> Result<Vec<WorkflowRequest>> {
        let prepared = match self.first.take() {
            Some(prepared) => prepared,
            None => PreparedCommand::new(command, None)?,
        };
        self.key = prepared.kept_key().cloned();
        self.keep();
        let half_done = self.workflow.half_done();
        let deadline = self.workflow.deadline().filter(|_| half_done.is_some());
        let sending = send_before(self.service, &prepared, deadline).await;
        let Sent {
            outcome,
            was_unknown,
        } = match sending {
            Ok(sent) => sent,
            Err(why) => {
                let Some(words) = half_done else {
                    // A batch of exits has no key: it is the entry that was not sent.
                    if self.key.is_some() {
                        self.leave(WorkflowEnd::Answered);
                    }
                    return Err(why);
                };
                self.service.voice.explain(&why);
                self.service.voice.note(&words);
                return Ok(vec![WorkflowRequest::End(WorkflowEnd::Half)]);
            }
        };
        let event = if was_unknown {
            WorkflowEvent::SettledLate(&outcome)
        } else {
            WorkflowEvent::settled(&prepared.command, &outcome)
        };
        let requests = self.tell(event);
        Ok(self.report(&prepared, &outcome, requests))
    }

    /// Prints the outcome, unless something else is tried after a failure.
    fn report(
        &mut self,
        prepared: &PreparedCommand,
        outcome: &SendOutcome,
        requests: Vec<WorkflowRequest>,
    ) -> Vec<WorkflowRequest> {
        // An operation is reported with what it has left.
        if let [WorkflowRequest::ReadRemains(_)] = requests.as_slice() {
            return requests;
        }
        let ends = requests
            .iter()
            .any(|request| matches!(request, WorkflowRequest::End(_)));
        if let (Err(why), false) = (outcome, ends) {
            self.service
                .voice
                .note(&format!("{}; perpdeck goes on", why.message));
            self.exit = Exit::from(why);
            return requests;
        }
        self.exit = print_outcome(self.service.voice, prepared, outcome);
        match self.workflow.half_done() {
            // The failure is printed.
            Some(words) if refusal(outcome).is_some() => {
                self.service.voice.note(&words);
                vec![WorkflowRequest::End(WorkflowEnd::Half)]
            }
            Some(_) | None => requests,
        }
    }

    fn end(&self, end: WorkflowEnd) -> Exit {
        match (end, self.exit) {
            (WorkflowEnd::Answered, exit) => exit,
            (WorkflowEnd::Half, Exit::Unknown) => Exit::Unknown,
            (WorkflowEnd::Half, _) => Exit::Partial,
            (WorkflowEnd::Reached, _) => {
                self.service.voice.note(ALREADY);
                Exit::Ok
            }
        }
    }

    async fn read_lists(&mut self) {
        // Lists that are requested in the same millisecond as an answer came do not count as newer than it.
        sleep(Duration::from_millis(1)).await;
        let (client, at) = (&self.service.client, self.service.clock.now());
        let (open, working, ()) = tokio::join!(
            client.open_positions(),
            client.working_orders(),
            read_price(self.service, &self.workflow, self.store)
        );
        arrive(self.store, at, Answer::Positions(open));
        arrive(self.store, at, Answer::Orders(working));
    }

    async fn find(&mut self, id: OrderId) -> Vec<WorkflowRequest> {
        let row = self.service.client.order(&id).await;
        let found: Vec<_> = row.ok().flatten().into_iter().collect();
        self.tell(WorkflowEvent::Found(&[id], &found))
    }
}

/// A verb gives no order but those of its workflow.
fn known<'a>(service: &Service, store: &'a Store) -> Known<'a> {
    Known {
        store,
        now: service.clock.now(),
        opened_at: None,
    }
}

/// A flip opens at the price of its moment, and a target that the mark has reached is not placed.
async fn read_price(service: &Service, workflow: &Workflow, store: &mut Store) {
    let market = match workflow {
        Workflow::Flip(flip) => &flip.flip().position().market_id,
        Workflow::Bracket(one) => one.market(),
        Workflow::Replace(_) | Workflow::Move(_) | Workflow::Operation(_) => return,
    };
    let wanted = service.listed_ids(std::slice::from_ref(market)).await;
    store.arrive(service.read(&Reading::Prices(wanted)).await);
}

fn arrive(store: &mut Store, at: Timestamp, answer: Answer) {
    store.arrive(Poll { at, answer });
}

/// Rows of the journal that may say what has replaced an entry a moment ago.
const RECENT: u32 = 100;

/// The bracket of this verb as a desk takes it over once the verb has ended, however it ends.
struct KeptBracket<'a> {
    service: &'a Service,
    journal: Transport<'a>,
    kept: Option<OpenBracket>,
}

impl<'a> KeptBracket<'a> {
    fn new(service: &'a Service, entry: &Command) -> Result<Self, Failure> {
        Ok(Self {
            service,
            journal: Transport::open(service, entry)?,
            kept: None,
        })
    }

    /// Keeps what is not placed yet.
    fn keep(&mut self, open: Option<&OpenBracket>) {
        if self.kept.as_ref() == open {
            return;
        }
        self.kept = open.cloned();
        let (dir, identity) = (&self.service.journal_dir, self.service.identity());
        let own = self.journal.writer();
        let kept = own.map(|own| keep_bracket(dir, &identity, (own, open.cloned())));
        if let Some(Err(why)) = kept {
            let words = "if this command ends before it places the targets, no desk says so";
            self.service.voice.note(&format!("{words}: {why}"));
        }
    }

    /// Takes in what has been done on the account by this process and others: one of them may replace the entry.
    fn read_journal(&mut self, store: &mut Store) {
        let rows = self.journal.recent(RECENT).into_iter();
        store.trades.settled_elsewhere(&done(rows));
    }
}
