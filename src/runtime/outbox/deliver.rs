//! A command from its turn to its end: recorded, pursued, and parked where nobody but a person can end it.

use super::{Desk, Errand, Stay, Teller, desk::Decision, follow, lanes::Turn, record::Origin};
use crate::{
    app::{Msg, activity::notice::Tone},
    client::policy::RetryState,
    journal::{IntentState, StateUpdate},
    model::{Command, Failure, FailureKind, Progress, Receipt, Risk, Ticket, Timestamp},
};
use std::sync::Arc;

impl Desk {
    /// Ends with one [`Msg::Settled`].
    pub(crate) async fn run(self, ticket: Ticket, command: Command, origin: Origin, turn: Turn) {
        let (asked_at, slot) = (self.clock.now(), Arc::clone(&origin.slot));
        let start = async {
            turn.come().await;
            if let Some(end) = self.hand_over(ticket, &command).await {
                return Begun::Elsewhere(end);
            }
            let teller = Teller::Ticket(ticket);
            Begun::Here(self.start(teller, command, origin, asked_at).await)
        };
        let settled = match self.unless_stopped(start).await {
            Some(Begun::Here(Ok(errand))) => self.run_recorded(&errand, ticket, turn).await,
            Some(Begun::Here(Err(why))) => Err(why),
            Some(Begun::Elsewhere(end)) => end,
            None => Err(self.withdraw(&slot).await),
        };
        self.say(Msg::Settled(ticket, settled)).await;
    }

    async fn run_recorded(
        &self,
        errand: &Arc<Errand>,
        ticket: Ticket,
        turn: Turn,
    ) -> Result<Receipt, Failure> {
        self.supersede(&errand.command.resource(), ticket);
        let flight = errand.finish(ticket, errand.first(), Some(turn));
        match self.unless_stopped(flight).await {
            Some(settled) => settled,
            None if errand.has_left() => Err(interrupted()),
            None => Err(self.withdraw(&errand.recorded.intent).await),
        }
    }

    /// Records a command and makes it ready to be sent.
    pub(crate) async fn start(
        &self,
        teller: Teller,
        command: Command,
        origin: Origin,
        asked_at: Timestamp,
    ) -> Result<Arc<Errand>, Failure> {
        if command.risk() == Risk::Increasing {
            self.ready_within(self.patience(command.risk())).await?;
        }
        let wave = origin.wave;
        if let Some(why) = self.refusal(&command, wave) {
            return Err(why);
        }
        let waited = self.clock.now().since(asked_at);
        if waited > self.patience(command.risk()) {
            return Err(Failure::local(format!(
                "it waited {} s for the command before it; decide again",
                waited.as_secs()
            )));
        }
        let now = self.clock.now();
        let recorded = self.record(&command, origin, asked_at).await?;
        let since = recorded.before.as_ref().map_or(now, |before| before.at);
        let desk = self.clone();
        let errand = Errand::new(desk, teller, command, recorded, since);
        // The disk may have hung since: what was decided long ago is not sent when it comes back.
        errand.begin(asked_at, wave);
        Ok(Arc::new(errand))
    }
}

/// Where a command goes out.
enum Begun {
    Here(Result<Arc<Errand>, Failure>),
    /// On the desk that has the journal, where it has come to its end.
    Elsewhere(Result<Receipt, Failure>),
}

/// The outcome of what was stopped when it may have left.
pub(crate) fn interrupted() -> Failure {
    let words = "interrupted; what was on the wire may still take effect";
    Failure::new(FailureKind::Unknown, words)
}

/// What to begin a command of an earlier session with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resume {
    Send,
    Ask,
}

enum Stage {
    Send(Box<RetryState>),
    Ask(Failure),
}

impl Errand {
    /// Sends it once more or for the first time, to the end of what a machine can find out.
    pub(crate) async fn deliver(self: &Arc<Self>, tries: RetryState) -> Result<Receipt, Failure> {
        let result = match self.pursue(tries).await {
            Ok(receipt) => self.believed(receipt),
            failed @ Err(_) => failed,
        };
        if let Err(why) = &result
            && why.kind == FailureKind::Contradiction
        {
            self.desk.halt(why.to_string()).await;
        }
        let mut update = StateUpdate::of(&result);
        if let Ok(receipt) = &result
            && let Some(what) = follow::check_echo(&self.desk, &self.command, receipt).await
        {
            update.detail = format!("{}; NOT AS ASKED: {what}", update.detail);
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

    /// A verb has nobody who would follow its queued cancel: it waits for the end of it.
    async fn awaited(&self, result: &Result<Receipt, Failure>) -> Option<Result<Receipt, Failure>> {
        let (Teller::Ticket(_), Stay::Deeds) = (&self.teller, self.desk.stay) else {
            return None;
        };
        follow::queued_end(&self.desk.client, &self.command, result).await
    }

    /// [`Self::deliver`], and what a person decides where that ends in doubt. The turn is given up for the
    /// question: the trader may want to act on the same thing.
    async fn finish(
        self: &Arc<Self>,
        ticket: Ticket,
        mut stage: Stage,
        mut turn: Option<Turn>,
    ) -> Result<Receipt, Failure> {
        loop {
            let why = match stage {
                Stage::Ask(why) => why,
                Stage::Send(tries) => match self.deliver(*tries).await {
                    Err(why) if why.is_doubtful() => why,
                    settled => return settled,
                },
            };
            drop(turn.take());
            match self.park(ticket, &why).await {
                Decision::GiveUp => return Err(self.give_up(why).await),
                Decision::Again => {
                    self.begin(self.desk.clock.now(), self.desk.wave());
                    turn = Some(self.turn().await);
                }
            }
            // While it waited for its turn, a newer one may have been given.
            stage = match self.objection(ticket) {
                Some(objection) => {
                    self.desk.note(Tone::Warn, objection).await;
                    Stage::Ask(why)
                }
                None => self.once_more(why),
            };
        }
    }

    /// The next place in its lane, when it has come.
    async fn turn(&self) -> Turn {
        let turn = self.desk.join(&self.command);
        turn.come().await;
        turn
    }

    /// An answer that is ours, and the same as before.
    fn believed(&self, receipt: Receipt) -> Result<Receipt, Failure> {
        let Receipt::Order { order, .. } = &receipt else {
            return Ok(receipt);
        };
        let account = &self.desk.client.connection().account_id;
        let before = self.recorded.before.as_ref();
        let known = before.and_then(|before| before.order.as_ref());
        let what = if !order.account_id.raw().is_empty() && order.account_id != *account {
            format!("order {} is of account {}", order.id, order.account_id)
        } else if let Some(known) = known.filter(|known| **known != order.id) {
            format!("order {} answers to the key of order {known}", order.id)
        } else {
            return Ok(receipt);
        };
        let message = format!("{}: {what}", self.command);
        Err(Failure {
            order_id: Some(order.id.clone()),
            ..Failure::new(FailureKind::Contradiction, message)
        })
    }

    fn first(&self) -> Stage {
        let why = "it was sent before, and may have taken effect then";
        self.once_more(Failure::new(FailureKind::Unknown, why))
    }

    /// With the doubt that an earlier sending of the same request left, if there was one.
    fn once_more(&self, doubt: Failure) -> Stage {
        let timeouts = self.desk.client.timeouts();
        Stage::Send(Box::new(if self.has_left() {
            RetryState::with_unknown_outcome(&self.command, timeouts, doubt)
        } else {
            RetryState::new(&self.command, timeouts)
        }))
    }

    /// A command of an earlier session, to its end: sent again with its own key, or asked about.
    pub(crate) async fn resume(self: Arc<Self>, ticket: Ticket, resume: Resume) {
        self.desk
            .say(Msg::Resumed(ticket, self.command.clone()))
            .await;
        let why = self.inherited();
        self.begin(self.desk.clock.now(), self.desk.wave());
        let (stage, turn) = match resume {
            Resume::Send => (self.once_more(why), Some(self.turn().await)),
            Resume::Ask => (Stage::Ask(why), None),
        };
        let settled = self.finish(ticket, stage, turn).await;
        self.desk.say(Msg::Settled(ticket, settled)).await;
    }

    /// Goes on looking at a cancel that was queued.
    pub(crate) fn follow(self: &Arc<Self>) {
        tokio::spawn(follow::queued_cancel(
            self.desk.clone(),
            self.command.clone(),
            Some(Arc::clone(self)),
        ));
    }

    /// Asks until there is an answer that can be followed.
    async fn park(&self, ticket: Ticket, why: &Failure) -> Decision {
        loop {
            let decided = self.desk.ask(ticket);
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
            // The desk is leaving: the journal keeps the question.
            let Ok(decision) = decided.await else {
                return std::future::pending().await;
            };
            match (decision, self.objection(ticket)) {
                (Decision::Again, Some(objection)) => self.desk.note(Tone::Warn, objection).await,
                (Decision::Again | Decision::GiveUp, _) => return decision,
            }
        }
    }

    /// Why it must not be sent again, if so.
    fn objection(&self, ticket: Ticket) -> Option<String> {
        if !self.window().is_open(self.desk.clock.now()) {
            return Some(format!(
                "{}: not to be sent again; the service may have forgotten its key and act anew, or is another one",
                self.command
            ));
        }
        let resource = self.command.resource();
        let put = matches!(self.command, Command::Exits(_) | Command::Margin { .. });
        (put && !self.desk.is_newest(&resource, ticket)).then(|| {
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
