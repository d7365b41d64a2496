//! A command from its turn to its outcome: recorded, delivered, and parked if only a person can decide.

use super::{
    Delivery, OutboxContext, ProgressSink, context::ParkedDecision, follow, record::CommandOrigin,
    resource_queues::QueueTurn,
};
use crate::{
    app::{Msg, activity::notice::Tone},
    client::policy::RetryState,
    journal::{IntentState, StateUpdate},
    model::{Command, Failure, FailureKind, Progress, Receipt, Risk, Ticket, Timestamp, echo},
    runtime::base::process::ProcessKind,
};
use std::sync::Arc;

impl OutboxContext {
    /// Ends with one [`Msg::Settled`].
    pub(crate) async fn run(
        self,
        ticket: Ticket,
        command: Command,
        origin: CommandOrigin,
        turn: QueueTurn,
    ) {
        let (requested_at, intent_ref) = (self.clock.now(), Arc::clone(&origin.intent_ref));
        let start = async {
            turn.ready().await;
            // The turn may have come because the command before this one was stopped.
            if turn.had_to_wait() && self.stopped().is_some() {
                return Err(self.withdraw(&intent_ref).await);
            }
            let sink = ProgressSink::Ticket(ticket);
            self.start(sink, command, origin, requested_at).await
        };
        let settled = match self.unless_stopped(start).await {
            Some(Ok(delivery)) => self.run_recorded(&delivery, ticket, turn).await,
            Some(Err(why)) => Err(why),
            None => Err(self.withdraw(&intent_ref).await),
        };
        self.say(Msg::Settled(ticket, settled)).await;
    }

    async fn run_recorded(
        &self,
        delivery: &Arc<Delivery>,
        ticket: Ticket,
        turn: QueueTurn,
    ) -> Result<Receipt, Failure> {
        self.supersede(&delivery.command.resource(), ticket);
        let delivered = delivery.finish(ticket, delivery.first(), Some(turn));
        match self.unless_stopped(delivered).await {
            Some(settled) => settled,
            None if delivery.has_left() => Err(interrupted()),
            None => Err(self.withdraw(&delivery.recorded.intent).await),
        }
    }

    /// Records a command and makes it ready to be sent.
    pub(crate) async fn start(
        &self,
        sink: ProgressSink,
        command: Command,
        origin: CommandOrigin,
        requested_at: Timestamp,
    ) -> Result<Arc<Delivery>, Failure> {
        if command.risk() == Risk::Increasing {
            // Recovery may settle what this one would repeat.
            self.ready_within(self.patience(Risk::Increasing)).await?;
        }
        let epoch = origin.epoch;
        if let Some(why) = self.refusal(&command, epoch) {
            return Err(why);
        }
        let waited = self.clock.now().since(requested_at);
        if waited > self.patience(command.risk()) {
            return Err(Failure::local(format!(
                "it waited {} s for the command before it; decide again",
                waited.as_secs()
            )));
        }
        let now = self.clock.now();
        let recorded = self.record(&command, origin, requested_at).await?;
        let since = recorded
            .before
            .as_ref()
            .map_or(now, |before| before.created_at);
        if let (Some(_), ProgressSink::Ticket(ticket)) = (&recorded.before, &sink) {
            self.say(Msg::Continues(*ticket)).await;
        }
        let context = self.clone();
        let delivery = Delivery::new(context, sink, command, recorded, since);
        // The disk may have hung: an outdated decision is not sent when it comes back.
        delivery.begin(requested_at, epoch);
        Ok(Arc::new(delivery))
    }
}

/// The outcome of a command that was stopped after a byte may have been sent.
pub(crate) fn interrupted() -> Failure {
    let words = "interrupted; a request that was already sent may still take effect";
    Failure::new(FailureKind::Unknown, words)
}

/// How to resume a command of an earlier session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resume {
    Send,
    Ask,
}

enum DeliveryStage {
    Send(Box<RetryState>),
    Ask(Failure),
}

impl Delivery {
    /// Sends it until it is settled, or unknown.
    pub(crate) async fn deliver(self: &Arc<Self>, tries: RetryState) -> Result<Receipt, Failure> {
        let result = match self.pursue(tries).await {
            Ok(receipt) => self.accepted(receipt),
            failed @ Err(_) => failed,
        };
        if let Err(why) = &result
            && why.kind == FailureKind::Contradiction
        {
            self.context.halt(why.to_string()).await;
        }
        let mut update = StateUpdate::of(&result);
        if let Ok(receipt) = &result
            && let Some(what) = follow::check_echo(&self.context, &self.command, receipt).await
        {
            update.detail = format!("{}; DIFFERS FROM THE REQUEST: {what}", update.detail);
            if let ProgressSink::Flatten(_) = &self.sink {
                // It has no line of its own.
                self.context.note(Tone::Alert, update.detail.clone()).await;
            }
        }
        self.settle(update).await;
        follow::after(self, &result);
        match self.awaited(&result).await {
            Some(end) => {
                self.settle(StateUpdate::of(&end)).await;
                end
            }
            None => result,
        }
    }

    /// A verb waits for the end of its queued cancel: nobody would follow it later.
    async fn awaited(&self, result: &Result<Receipt, Failure>) -> Option<Result<Receipt, Failure>> {
        let (ProgressSink::Ticket(_), ProcessKind::Verb) = (&self.sink, self.context.process)
        else {
            return None;
        };
        follow::queued_end(&self.context.client, &self.command, result).await
    }

    /// [`Self::deliver`], then a person's decision if the outcome is unknown. The question does not hold the queue: the
    /// trader may want to act on the same object.
    async fn finish(
        self: &Arc<Self>,
        ticket: Ticket,
        mut stage: DeliveryStage,
        mut turn: Option<QueueTurn>,
    ) -> Result<Receipt, Failure> {
        loop {
            let why = match stage {
                DeliveryStage::Ask(why) => why,
                DeliveryStage::Send(tries) => match self.deliver(*tries).await {
                    Err(why) if why.is_doubtful() => why,
                    settled => return settled,
                },
            };
            drop(turn.take());
            match self.park(ticket, &why).await {
                ParkedDecision::GiveUp => return Err(self.give_up(why).await),
                ParkedDecision::Again => {
                    self.begin(self.context.clock.now(), self.context.epoch());
                    turn = Some(self.turn().await);
                }
            }
            // A newer command may have been given while this one waited for its turn.
            stage = match self.objection(ticket) {
                Some(objection) => {
                    self.context.note(Tone::Warn, objection).await;
                    DeliveryStage::Ask(why)
                }
                None => self.once_more(why),
            };
        }
    }

    /// Waits for the next turn in the queue of its resource.
    async fn turn(&self) -> QueueTurn {
        let turn = self.context.join(&self.command);
        turn.ready().await;
        turn
    }

    /// Accepts a receipt that belongs to this command and matches the earlier one.
    fn accepted(&self, receipt: Receipt) -> Result<Receipt, Failure> {
        let order = if let Receipt::Order { order, .. } = &receipt {
            Some(&order.id)
        } else {
            None
        };
        let account = &self.context.client.connection().account_id;
        let before = self.recorded.before.as_ref();
        let known = before.and_then(|before| before.outcome.as_ref()?.order_id.as_ref());
        let what = match (receipt.account(), order, known) {
            (Some(other), _, _) if other != account => {
                format!("{} is of account {other}", echo::name(&receipt))
            }
            (_, Some(order), Some(known)) if order != known => {
                format!("order {order} answers to the key of order {known}")
            }
            _ => return Ok(receipt),
        };
        let message = format!("{}: {what}", self.command);
        Err(Failure {
            order_id: order.cloned(),
            ..Failure::new(FailureKind::Contradiction, message)
        })
    }

    fn first(&self) -> DeliveryStage {
        let why = "it was sent before, and may have taken effect then";
        self.once_more(Failure::new(FailureKind::Unknown, why))
    }

    /// Combined with the unknown outcome of an earlier sending of the same request, if any.
    fn once_more(&self, doubt: Failure) -> DeliveryStage {
        let timeouts = self.context.client.timeouts();
        DeliveryStage::Send(Box::new(if self.has_left() {
            RetryState::with_unknown_outcome(&self.command, timeouts, doubt)
        } else {
            RetryState::new(&self.command, timeouts)
        }))
    }

    /// Resumes a command of an earlier session: resends it with its own key, or asks a person.
    pub(crate) async fn resume(self: Arc<Self>, ticket: Ticket, resume: Resume) {
        self.context
            .say(Msg::Resumed(ticket, self.command.clone()))
            .await;
        let why = self.inherited();
        self.begin(self.context.clock.now(), self.context.epoch());
        let (stage, turn) = match resume {
            Resume::Send => (self.once_more(why), Some(self.turn().await)),
            Resume::Ask => (DeliveryStage::Ask(why), None),
        };
        let settled = self.finish(ticket, stage, turn).await;
        self.context.say(Msg::Settled(ticket, settled)).await;
    }

    /// Follows a queued cancel.
    pub(crate) fn follow(self: &Arc<Self>) {
        tokio::spawn(follow::queued_cancel(Arc::clone(self)));
    }

    /// Asks a person until the decision can be carried out.
    async fn park(&self, ticket: Ticket, why: &Failure) -> ParkedDecision {
        loop {
            let decided = self.context.ask(ticket);
            let state = if self.has_left() {
                IntentState::Parked
            } else {
                IntentState::Prepared
            };
            self.settle(StateUpdate::new(state, why.to_string())).await;
            let parked = Progress::Parked {
                why: why.clone(),
                replay_until: self.window().until(),
            };
            self.progress(parked).await;
            // The desk is shutting down: the journal keeps the question.
            let Ok(decision) = decided.await else {
                return std::future::pending().await;
            };
            match (decision, self.objection(ticket)) {
                (ParkedDecision::Again, Some(objection)) => {
                    self.context.note(Tone::Warn, objection).await;
                }
                (ParkedDecision::Again | ParkedDecision::GiveUp, _) => return decision,
            }
        }
    }

    /// Why it must not be resent, if so.
    fn objection(&self, ticket: Ticket) -> Option<String> {
        if !self.window().is_open(self.context.clock.now()) {
            return Some(format!(
                "{}: cannot be sent again; the service may have forgotten its key and execute it twice, or is \
                 another service",
                self.command
            ));
        }
        let resource = self.command.resource();
        (self.mutation.is_put() && !self.context.is_newest(&resource, ticket)).then(|| {
            format!(
                "{}: a newer one was given since; it is not sent again",
                self.command
            )
        })
    }

    async fn give_up(&self, why: Failure) -> Failure {
        let state = if self.has_left() {
            IntentState::Abandoned
        } else {
            IntentState::Unsent
        };
        let update = StateUpdate::new(state, format!("given up: {why}"));
        self.settle(update).await;
        why
    }
}
