//! Getting out: TWAPs stopped, ladders and orders canceled, everything closed, again until two reads find
//! nothing.
//!
//! Contract: the close-all goes out at once, beside the reads that find what else there is; each round
//! closes with a key of its own (the same key would only repeat the old answer), three more rounds after
//! the first. What only reduces, stops and targets, is canceled when a read finds no position: until then it is
//! all the protection there is. Nothing that raises exposure is sent meanwhile, nor after it until a person
//! re-arms the desk. It needs no journal and no screen, and what is in doubt on the way is decided by the
//! reads at the end. It never says flat without two complete reads that found nothing.
//!
//! Known limit: a ladder is found by its working rungs; one without any cannot fill anyway.

use super::outbox::{Desk, Errand, Origin, Teller};
use crate::{
    app::{Msg, notice::Tone},
    client::policy::Tries,
    journal::{IntentId, Standing, State},
    model::{
        CloseAll, Command, Failure, FailureKind, FlatProof, Flattening, Leftovers, Order,
        PROOF_APART, Position, Progress, Receipt, ScaledId, Ticket, TwapId,
    },
};
use futures_util::{StreamExt as _, future::join, stream};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tokio::{
    sync::mpsc::{UnboundedSender, unbounded_channel},
    time::sleep,
};

const ROUNDS: u32 = 4;
/// Commands on the wire beside the close-all.
const ABREAST: usize = 4;
/// Complete reads that may fail before a round is taken to have proved nothing.
const READS: u32 = 10;
/// What a close leaves open may only be on its way: it is looked at this often before the next round.
const PATIENT_READS: u32 = 3;
const BETWEEN_READS: Duration = Duration::from_secs(1);

/// A flatten that an earlier session had begun.
#[derive(Debug)]
pub(super) struct Resumed {
    pub(super) deed: IntentId,
    /// The close-all that was under way: it goes on with its own key.
    pub(super) closing: Option<Arc<Errand>>,
}

type Remains = (Vec<Position>, Vec<Order>, Vec<TwapId>);

struct Run<'a> {
    desk: &'a Desk,
    ticket: Option<Ticket>,
    deed: Option<IntentId>,
    state: Flattening,
    /// The last complete read, and what the last close-all said of it.
    remains: Remains,
}

/// Until it is flat, or the rounds are spent.
pub(super) async fn flatten(
    desk: &Desk,
    ticket: Option<Ticket>,
    resumed: Option<Resumed>,
) -> Result<Receipt, Failure> {
    let _latch = desk.latch();
    if desk.client.is_read_only() {
        return Err(Failure::local("the desk is read-only and sends nothing"));
    }
    let command = Command::Flatten(desk.client.connection().account_id.clone());
    let (deed, closing) = match resumed {
        Some(resumed) => (Some(resumed.deed), resumed.closing),
        None => (desk.record_deed(&command).await?, None),
    };
    // A desk that dies on the way must not trade on when it is started again.
    drop(desk.note_halt("a flatten was begun, and did not come to its end".to_owned()));
    let mut run = Run {
        desk,
        ticket,
        deed,
        state: Flattening::default(),
        remains: (vec![], vec![], vec![]),
    };
    let result = run.rounds(closing).await;
    run.note_end(&result).await;
    let why = match &result {
        Ok(_) => "it was flattened",
        Err(_) => "it was flattened, and is not proved flat",
    };
    desk.halt(why).await;
    result
}

impl Run<'_> {
    async fn rounds(&mut self, mut closing: Option<Arc<Errand>>) -> Result<Receipt, Failure> {
        for round in 1..=ROUNDS {
            self.state = Flattening {
                round,
                left: self.state.left,
                ..Flattening::default()
            };
            self.tell().await;
            self.round(closing.take()).await;
            if let Some(proof) = self.prove().await {
                return Ok(Receipt::Flat(proof));
            }
            if self.desk.client.key_refused() {
                // Further rounds would only be refused too.
                let why = "the service refuses the key: nothing can be closed or read with it";
                return Err(Failure::new(FailureKind::Auth, why));
            }
        }
        Err(self.failure())
    }

    /// One close-all, and beside it everything that could open something again.
    async fn round(&mut self, closing: Option<Arc<Errand>>) {
        let (operations, mut told) = unbounded_channel();
        let nothing_open = self.state.left.is_some_and(|left| left.positions == 0);
        let (desk, deed) = (self.desk, self.deed);
        let close = async {
            match closing {
                Some(errand) => go_on(&errand).await,
                None if nothing_open => {}
                None => close_all(desk, deed, operations).await,
            }
        };
        let mut work = Box::pin(join(close, sweep(desk, deed)));
        loop {
            tokio::select! {
                _ended = &mut work => return,
                Some(operation) = told.recv() => {
                    self.state.operation = Some(operation);
                    self.tell().await;
                }
            }
        }
    }

    /// Two complete reads that find nothing; `None` when there is something, or nothing can be read.
    async fn prove(&mut self) -> Option<FlatProof> {
        let tempo = self.desk.client.tempo();
        let mut patience = PATIENT_READS;
        for _ in 0..READS {
            let at = self.desk.clock.now();
            if let Ok(remains) = read(self.desk).await {
                let left = counted(&remains);
                self.remains = remains;
                self.state.left = Some(left);
                match self.state.clean_since {
                    Some(first) if left.is_flat() => {
                        return Some(FlatProof { first, second: at });
                    }
                    _ if left.is_flat() => self.state.clean_since = Some(at),
                    _ => {
                        self.state.clean_since = None;
                        patience = patience.saturating_sub(1);
                    }
                }
                self.tell().await;
                self.sweep_protection().await;
            }
            if patience == 0 || self.desk.client.key_refused() {
                return None;
            }
            let apart = match self.state.clean_since {
                Some(_) => PROOF_APART,
                None => BETWEEN_READS,
            };
            sleep(tempo.of(apart)).await;
        }
        None
    }

    /// Cancels what is left when nothing is open that it could protect.
    async fn sweep_protection(&self) {
        let (positions, orders, _) = &self.remains;
        if positions.is_empty() {
            let left = orders.iter().map(|order| Command::Cancel(order.id.clone()));
            end_all(self.desk, self.deed, left.collect()).await;
        }
    }

    async fn tell(&self) {
        if let Some(ticket) = self.ticket {
            let progress = Progress::Flattening(self.state.clone());
            self.desk.say(Msg::Progress(ticket, progress)).await;
        }
    }

    fn failure(&self) -> Failure {
        let (positions, orders, twaps) = &self.remains;
        let mut left: Vec<_> = positions.iter().map(|p| self.told_of(p)).collect();
        left.extend(orders.iter().map(|order| format!("order {}", order.id)));
        left.extend(twaps.iter().map(|id| format!("TWAP {id}")));
        let message = if left.is_empty() {
            "whether anything is left could not be read".to_owned()
        } else {
            format!("still there: {}", left.join(", "))
        };
        Failure::new(
            FailureKind::Conflict,
            format!("not proved flat after {ROUNDS} rounds; {message}"),
        )
    }

    fn told_of(&self, position: &Position) -> String {
        let results = self.state.operation.iter().flat_map(|o| &o.results);
        let result = results.into_iter().find(|r| r.position_id == position.id);
        let words: Vec<_> = result
            .into_iter()
            .flat_map(|result| [&result.failure_code, &result.rule_id])
            .flatten()
            .map(ToString::to_string)
            .collect();
        let why = if words.is_empty() {
            String::new()
        } else {
            format!(" ({})", words.join(", "))
        };
        format!("{} {}{why}", position.market_id.symbol(), position.size)
    }

    /// The deed in the journal; and its parts still in doubt are of no more consequence once it is flat.
    async fn note_end(&self, result: &Result<Receipt, Failure>) {
        let Some(deed) = self.deed else { return };
        let (now, flat) = (self.desk.clock.now(), result.is_ok());
        let standing = match result {
            Ok(receipt) => Standing::of(&Ok(receipt.clone())),
            Err(why) => Standing::new(State::Abandoned, why.to_string()),
        };
        let noted = self.desk.scribe.write_soon(move |journal| {
            journal.tell(now, deed, &standing)?;
            if flat {
                journal.moot(now, deed)
            } else {
                Ok(())
            }
        });
        let _noted = noted.await;
    }
}

async fn close_all(desk: &Desk, deed: Option<IntentId>, operations: UnboundedSender<CloseAll>) {
    let command = Command::CloseAll(desk.client.connection().account_id.clone());
    let teller = Teller::Flatten(operations);
    let tries = Tries::of(&command, desk.client.tempo());
    match desk
        .start(teller, command, Origin::part(deed), desk.clock.now())
        .await
    {
        Ok(errand) => complain(desk, errand.deliver(tries).await).await,
        Err(why) => desk.note(Tone::Alert, format!("flatten: {why}")).await,
    }
}

async fn go_on(errand: &Arc<Errand>) {
    let tempo = errand.desk().client.tempo();
    let doubt = Failure::new(
        FailureKind::Unknown,
        "it was under way when the desk stopped",
    );
    let tries = Tries::in_doubt(errand.command(), tempo, doubt);
    complain(errand.desk(), errand.deliver(tries).await).await;
}

async fn complain(desk: &Desk, result: Result<Receipt, Failure>) {
    if let Err(why) = result {
        desk.note(Tone::Warn, format!("flatten: {why}")).await;
    }
}

/// Stops TWAPs first (a slice opens anew), then ladders, then what else could open something.
async fn sweep(desk: &Desk, deed: Option<IntentId>) {
    let Some((_, orders, twaps)) = complete_read(desk).await else {
        return;
    };
    let ladders: BTreeSet<ScaledId> = orders
        .iter()
        .filter_map(|o| o.scaled_order_id.clone())
        .collect();
    let entries = orders
        .iter()
        .filter(|order| order.scaled_order_id.is_none() && !order.reduce_only)
        .map(|order| Command::Cancel(order.id.clone()));
    let first = twaps.into_iter().map(Command::StopTwap);
    let then = ladders.into_iter().map(Command::CancelScaled);
    end_all(desk, deed, first.collect()).await;
    end_all(desk, deed, then.chain(entries).collect()).await;
}

async fn end_all(desk: &Desk, deed: Option<IntentId>, commands: Vec<Command>) {
    stream::iter(commands)
        .for_each_concurrent(ABREAST, |command| end(desk, deed, command))
        .await;
}

/// Everything that is left, tried until it can be read or there is no hope of it.
async fn complete_read(desk: &Desk) -> Option<Remains> {
    for _ in 0..READS {
        match read(desk).await {
            Ok(remains) => return Some(remains),
            Err(why) => {
                desk.note(Tone::Warn, format!("flatten: {why}")).await;
                if desk.client.key_refused() {
                    return None;
                }
            }
        }
    }
    None
}

async fn end(desk: &Desk, deed: Option<IntentId>, command: Command) {
    let (silent, _heard) = unbounded_channel();
    let tries = Tries::of(&command, desk.client.tempo());
    let started = desk.start(
        Teller::Flatten(silent),
        command,
        Origin::part(deed),
        desk.clock.now(),
    );
    match started.await {
        // What is gone by now is what was wanted.
        Ok(errand) => drop(errand.deliver(tries).await),
        Err(why) => desk.note(Tone::Alert, format!("flatten: {why}")).await,
    }
}

/// Everything that is left, read whole; tried a few times, and never before the service wants to hear.
async fn read(desk: &Desk) -> Result<Remains, Failure> {
    let tempo = desk.client.tempo();
    let mut wait = tempo.of(Duration::from_millis(250));
    loop {
        sleep(desk.client.pause_left()).await;
        match desk.client.leftovers().await {
            Ok(remains) => return Ok(remains),
            Err(why) if why.kind == FailureKind::Auth => return Err(why),
            Err(why) if wait > tempo.of(Duration::from_secs(4)) => return Err(why),
            Err(why) => sleep(wait.max(why.retry_after.unwrap_or_default())).await,
        }
        wait *= 2;
    }
}

fn counted((positions, orders, twaps): &Remains) -> Leftovers {
    Leftovers {
        positions: positions.len(),
        orders: orders.len(),
        twaps: twaps.len(),
    }
}
