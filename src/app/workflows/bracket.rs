//! An entry whose bracket has several targets: the service takes its stop with it, and one batch of exits places the
//! targets once it has filled (`docs/delivery.md 3.7`).
//!
//! Contract: nothing is placed while a part of the entry works, and the sizes are shares of what has filled. The batch says
//! what lists show that were requested after the fill; where that has changed it is sent once more. The desk keeps what is not
//! placed yet: after a crash the entry has its stop, and the next session says which targets are missing.
//! Where another process cancels the entry and places one in its stead, the journal says so, and the targets follow that one.
//! What has replaced it unknown to the journal is left to a person, in words.

use super::{
    Known, LOOK_AGAIN, WorkflowEnd, WorkflowEvent, WorkflowRequest, refusal, stop, traced,
};
use crate::{
    app::{
        account::trades::{OpenBracket, ReplacedBy},
        activity::notice::Tone,
    },
    model::{
        Command, ExitBatch, ExitGroup, ExitOperation, Failure, FailureKind, MarketId, Num, Order,
        OrderId, OrderStatus, PlaceOrder, Position, Progress, Receipt, Timestamp,
        draft::LaterTarget, estimate::has_passed,
    },
};
use std::time::Duration;

/// How long reads may take to show the order, or its position.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// How long after its cancel an entry may be replaced: 10 s, and some for the journal to be read.
const REPLACED_WITHIN: Duration = Duration::from_secs(13);

/// The pause between two reads of lists that may show what has replaced it.
const LOOK_FOR_REPLACEMENT: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq)]
pub struct BracketRun {
    /// The command that begins it; `None` where an earlier session has sent it.
    entry: Option<Box<PlaceOrder>>,
    open: OpenBracket,
    /// The targets that were left out, since the mark has reached them: the service had refused all.
    reached: Vec<Num>,
    /// This process cancels the entry: what replaces it then has its bracket from there.
    is_ended_here: bool,
    /// The entry that somebody else has canceled.
    canceled: Option<CanceledEntry>,
    stage: BracketStage,
}

/// An entry that somebody else has canceled.
#[derive(Debug, Clone, PartialEq)]
struct CanceledEntry {
    id: OrderId,
    /// By the service's clock.
    canceled_at: Timestamp,
    /// When that was first seen.
    since: Timestamp,
}

#[derive(Debug, Clone, PartialEq)]
enum BracketStage {
    /// The entry has no response.
    Entering,
    /// It works. No list shows it any more since `missing`.
    Working {
        id: OrderId,
        missing: Option<Timestamp>,
        look_at: Timestamp,
    },
    /// This much has filled; only lists requested after `since` show its position.
    Filled {
        size: Num,
        since: Timestamp,
        look_at: Timestamp,
        next: Attempt,
    },
    Placing(Num, Attempt),
    /// It is canceled, and the targets of what had filled are placed: another order may replace it.
    Canceled {
        look_at: Timestamp,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    First,
    Second,
    /// After a refusal, without the targets that the mark has reached.
    Ahead,
}

impl BracketRun {
    pub(crate) fn new(order: Box<PlaceOrder>, targets: Vec<LaterTarget>) -> Self {
        let open = OpenBracket {
            order: None,
            market: order.market_id.clone(),
            side: order.side,
            targets,
        };
        Self {
            entry: Some(order),
            open,
            reached: vec![],
            is_ended_here: false,
            canceled: None,
            stage: BracketStage::Entering,
        }
    }

    /// Goes on with what was left when only the entry `id` had been sent.
    pub(crate) fn resumed(open: OpenBracket, id: OrderId, now: Timestamp) -> Self {
        Self {
            entry: None,
            open,
            reached: vec![],
            is_ended_here: false,
            canceled: None,
            stage: BracketStage::Working {
                id,
                missing: None,
                look_at: now,
            },
        }
    }

    pub(crate) fn market(&self) -> &MarketId {
        &self.open.market
    }

    /// Whether it places them as soon as lists show the position, or has sent them.
    pub(crate) fn is_placing(&self) -> bool {
        matches!(
            self.stage,
            BracketStage::Filled { .. } | BracketStage::Placing(..)
        )
    }

    /// Whether its entry works.
    pub(crate) fn is_waiting_for_fill(&self) -> bool {
        matches!(self.stage, BracketStage::Working { .. })
    }

    /// Whether its entry is canceled, and may be replaced.
    pub(crate) fn awaits_replacement(&self) -> bool {
        matches!(self.stage, BracketStage::Canceled { .. })
    }

    /// What is not placed yet.
    pub(crate) fn open(&self) -> &OpenBracket {
        &self.open
    }

    pub(super) fn first(&self) -> Result<Command, String> {
        let entry = self.entry.clone().map(Command::Place);
        entry.ok_or_else(|| "its entry was sent before".to_owned())
    }

    pub(super) fn look_at(&self) -> Option<Timestamp> {
        match &self.stage {
            BracketStage::Working {
                missing: Some(_),
                look_at,
                ..
            }
            | BracketStage::Filled { look_at, .. }
            | BracketStage::Canceled { look_at } => Some(*look_at),
            BracketStage::Entering | BracketStage::Working { .. } | BracketStage::Placing(..) => {
                None
            }
        }
    }

    pub(super) fn tell(&mut self, known: Known, event: WorkflowEvent) -> Vec<WorkflowRequest> {
        match event {
            WorkflowEvent::Settled(result) | WorkflowEvent::SettledLate(result) => {
                match self.stage {
                    BracketStage::Placing(size, attempt) => {
                        self.placed(known, (size, attempt), result)
                    }
                    BracketStage::Entering
                    | BracketStage::Working { .. }
                    | BracketStage::Filled { .. }
                    | BracketStage::Canceled { .. } => self.entered(known, result),
                }
            }
            WorkflowEvent::Found(requested, found) => self.found(known, requested, found),
            WorkflowEvent::Refused(why) => self.without(known, why),
            WorkflowEvent::Sent(command) if command.ends_everything() => {
                self.without(known, &format!("{command} was requested"))
            }
            WorkflowEvent::Sent(command) => {
                let is_own = command.cancels() == self.open.order.as_ref();
                self.is_ended_here |= is_own && command.cancels().is_some();
                vec![]
            }
            WorkflowEvent::Progressed(Progress::Parked { .. })
                if matches!(self.stage, BracketStage::Placing(..)) =>
            {
                // They may be placed: a person decides, and what they are missing then is said.
                vec![WorkflowRequest::End(WorkflowEnd::Half)]
            }
            WorkflowEvent::Passed => self.proceed(known),
            WorkflowEvent::Progressed(_)
            | WorkflowEvent::Mismatched(_)
            | WorkflowEvent::Continues
            | WorkflowEvent::OperationEnded(_)
            | WorkflowEvent::CancelEnded(..)
            | WorkflowEvent::Stopped(_) => vec![],
        }
    }

    /// A person decides about the order, and with one key about its targets.
    pub(super) fn mismatched(&mut self, known: Known, receipt: &Receipt) -> Vec<WorkflowRequest> {
        if let (BracketStage::Entering, Receipt::Order { order, .. }) = (&self.stage, receipt) {
            self.open.order = Some(order.id.clone()).filter(|id| !id.raw().is_empty());
        }
        self.without(known, "the answer differs from the request")
    }

    fn without(&self, known: Known, why: &str) -> Vec<WorkflowRequest> {
        let symbol = known.store.names.shown(&self.open.market);
        let words = format!("the targets of {symbol} are not placed: {}", why.trim());
        stop(words, WorkflowEnd::Half)
    }

    fn entered(&mut self, known: Known, result: &Result<Receipt, Failure>) -> Vec<WorkflowRequest> {
        if refusal(result).is_some() {
            return vec![WorkflowRequest::End(WorkflowEnd::Answered)];
        }
        match result {
            Ok(Receipt::Order { order, .. }) => self.take(known, order),
            Ok(_) | Err(_) => self.without(known, "the service did not tell the order"),
        }
    }

    /// The row of the entry.
    fn take(&mut self, known: Known, order: &Order) -> Vec<WorkflowRequest> {
        self.open.order = Some(order.id.clone());
        // An unknown status is not final: more may fill.
        if !order.is_over() {
            let is_listed = known.store.working(&order.id).is_some();
            let pause = if is_listed {
                Duration::ZERO
            } else {
                LOOK_AGAIN
            };
            self.stage = BracketStage::Working {
                id: order.id.clone(),
                missing: None,
                look_at: known.now.plus(pause),
            };
            return vec![];
        }
        let Some(filled) = order.filled() else {
            return self.without(known, "how much of the order filled is not known");
        };
        if order.status.is(&OrderStatus::Canceled) && !self.is_ended_here {
            let canceled_at = order.canceled_at.or(order.settled_at);
            self.canceled = Some(CanceledEntry {
                id: order.id.clone(),
                canceled_at: canceled_at.unwrap_or(order.requested_at),
                since: known.now,
            });
        }
        if !filled.is_positive() {
            return self.finish(known);
        }
        self.read(known, filled, Attempt::First)
    }

    /// Nothing is left to place, unless its entry was canceled by somebody else, who may put another one in its place.
    fn finish(&mut self, known: Known) -> Vec<WorkflowRequest> {
        if self.canceled.is_none() {
            return vec![WorkflowRequest::End(WorkflowEnd::Answered)];
        }
        self.stage = BracketStage::Canceled { look_at: known.now };
        self.look_for_replacement(known)
    }

    fn look_for_replacement(&mut self, known: Known) -> Vec<WorkflowRequest> {
        let (Some(canceled), BracketStage::Canceled { look_at }) =
            (&self.canceled, &mut self.stage)
        else {
            return vec![];
        };
        if known.store.trades.is_carried(&canceled.id) {
            return vec![WorkflowRequest::End(WorkflowEnd::Answered)];
        }
        if let Some(by) = known.store.trades.replacement(&canceled.id) {
            return self.follow(known, by.clone());
        }
        if known.now.since(canceled.since) > REPLACED_WITHIN {
            return self.not_replaced(known);
        }
        known.ask(look_at, LOOK_FOR_REPLACEMENT, WorkflowRequest::ReadLists)
    }

    /// The targets follow the fill of the order in the place of its entry.
    fn follow(&mut self, known: Known, by: ReplacedBy) -> Vec<WorkflowRequest> {
        let symbol = known.store.names.shown(&self.open.market);
        let (old, new) = (self.open.entry_name(), &by.order);
        if by.has_own_target {
            let words = format!(
                "{symbol}: {new} has replaced {old} with a target of its own: those of the bracket are dropped"
            );
            let say = WorkflowRequest::Say(Tone::Plain, words);
            return vec![say, WorkflowRequest::End(WorkflowEnd::Answered)];
        }
        let count = self.open.targets.len();
        let words = format!("{symbol}: {new} has replaced {old}: its {count} targets follow");
        self.canceled = None;
        self.open.order = Some(by.order.clone());
        self.stage = BracketStage::Working {
            id: by.order,
            missing: None,
            look_at: known.now,
        };
        let mut requests = vec![WorkflowRequest::Say(Tone::Plain, words)];
        requests.extend(self.proceed(known));
        requests
    }

    /// The journal knows of no order in its place. One may be of another machine: a person decides about that.
    fn not_replaced(&mut self, known: Known) -> Vec<WorkflowRequest> {
        let symbol = known.store.names.shown(&self.open.market);
        let (old, count) = (self.open.entry_name(), self.open.targets.len());
        let Some(new) = self.perhaps_replaced_by(known) else {
            let say = WorkflowRequest::Say(Tone::Warn, self.open.dropped(&symbol));
            return vec![say, WorkflowRequest::End(WorkflowEnd::Answered)];
        };
        let words = format!(
            "{symbol}: {old} was canceled, and {new} may be its replacement from elsewhere: the {count} targets of the bracket do not follow by themselves"
        );
        self.open.order = Some(new);
        stop(words, WorkflowEnd::Half)
    }

    /// An entry of the same side that came after the cancel, and that perpdeck has not placed.
    fn perhaps_replaced_by(&self, known: Known) -> Option<OrderId> {
        let canceled = self.canceled.as_ref()?;
        let is_alike = |order: &&Order| {
            order.market_id == self.open.market
                && order.side.is(&self.open.side)
                && !order.reduce_only
                && order.requested_at >= canceled.canceled_at
                && !known.store.trades.is_placed_by_perpdeck(&order.id)
        };
        let has_filled = |order: &Order| order.filled().is_some_and(|filled| !filled.is_zero());
        let lives = |order: &&Order| order.is_working() || has_filled(order);
        let all = known.store.orders.rows().iter();
        let all = all.chain(known.store.history.rows());
        let first = all.filter(is_alike).filter(lives);
        first
            .min_by_key(|order| order.requested_at)
            .map(|order| order.id.clone())
    }

    fn read(&mut self, known: Known, size: Num, next: Attempt) -> Vec<WorkflowRequest> {
        self.stage = BracketStage::Filled {
            size,
            since: known.now,
            look_at: known.now,
            next,
        };
        self.proceed(known)
    }

    fn found(
        &mut self,
        known: Known,
        requested: &[OrderId],
        found: &[Order],
    ) -> Vec<WorkflowRequest> {
        let BracketStage::Working { id, .. } = &self.stage else {
            return vec![];
        };
        match traced(id, requested, found) {
            Some(order) => self.take(known, order),
            None => vec![],
        }
    }

    fn proceed(&mut self, known: Known) -> Vec<WorkflowRequest> {
        match &self.stage {
            BracketStage::Entering | BracketStage::Placing(..) => vec![],
            BracketStage::Canceled { .. } => self.look_for_replacement(known),
            BracketStage::Working { id, .. } => {
                let listed = known.store.working(id);
                let row = listed.or_else(|| known.store.order(id)).cloned();
                // The history may be older than the list that lacks the entry, and show it at work.
                match row.filter(|row| listed.is_some() || row.is_over()) {
                    Some(order) => self.take(known, &order),
                    None => self.look_for(known),
                }
            }
            BracketStage::Filled { size, next, .. } => {
                let (size, next) = (*size, *next);
                self.place(known, size, next)
            }
        }
    }

    /// No list shows the entry: it has ended.
    fn look_for(&mut self, known: Known) -> Vec<WorkflowRequest> {
        let BracketStage::Working {
            id,
            missing,
            look_at,
        } = &mut self.stage
        else {
            return vec![];
        };
        let since = *missing.get_or_insert(known.now);
        if known.now.since(since) > READ_TIMEOUT {
            let why = format!("{id} was not found");
            return self.without(known, &why);
        }
        known.ask(look_at, LOOK_AGAIN, WorkflowRequest::Find(id.clone()))
    }

    fn place(&mut self, known: Known, filled: Num, attempt: Attempt) -> Vec<WorkflowRequest> {
        let BracketStage::Filled { since, look_at, .. } = &mut self.stage else {
            return vec![];
        };
        if known.has_lists_since(*since) {
            return match self.batch(known, filled, attempt) {
                Ok(command) => {
                    self.stage = BracketStage::Placing(filled, attempt);
                    let mut requests = self.say_reached(known);
                    requests.push(WorkflowRequest::Send(command));
                    requests
                }
                Err(why) => self.without(known, &why),
            };
        }
        if known.now.since(*since) > READ_TIMEOUT {
            return self.without(known, "positions and orders were not read within 10 s");
        }
        known.ask(look_at, LOOK_AGAIN, WorkflowRequest::ReadLists)
    }

    fn batch(&mut self, known: Known, filled: Num, attempt: Attempt) -> Result<Command, String> {
        let is_own = |position: &&Position| self.open.is_of(position);
        let mut open = known.store.positions.rows().iter();
        let position = open.find(is_own).ok_or("the position is closed")?;
        let market = known.store.market(&position.market_id);
        let own = position.size_decimals;
        let decimals = own.or_else(|| market?.size_decimals);
        let filled = filled.min(position.quantity());
        let sizes = LaterTarget::sizes(
            &self.open.targets,
            filled,
            decimals.unwrap_or(filled.decimals()),
        );
        let prices = self.open.targets.iter().map(|target| target.price);
        let parts: Vec<_> = prices
            .zip(sizes)
            .filter(|(_, size)| size.is_positive())
            .collect();
        if parts.is_empty() {
            return Err(format!("{} cannot be divided", filled.normalized()));
        }
        let (ahead, reached): (Vec<_>, Vec<_>) = parts
            .into_iter()
            .partition(|(price, _)| attempt != Attempt::Ahead || self.is_ahead(known, *price));
        if ahead.is_empty() {
            return Err("the mark has reached all of them".to_owned());
        }
        self.reached = reached.into_iter().map(|(price, _)| price).collect();
        let operations = ahead.into_iter().map(|(price, size)| ExitOperation::Place {
            group: ExitGroup::Tp,
            execution_type: None,
            price,
            size,
            oco_pair_with: None,
        });
        let batch = ExitBatch {
            entry: self.open.order.clone(),
            ..ExitBatch::of(position, known.store.orders.rows(), operations.collect())
        };
        Ok(Command::ExitBatch(Box::new(batch)))
    }

    fn is_ahead(&self, known: Known, price: Num) -> bool {
        let mark = known.store.mark(&self.open.market);
        mark.is_none_or(|mark| has_passed(self.open.side.opposite(), mark, price))
    }

    fn say_reached(&self, known: Known) -> Vec<WorkflowRequest> {
        let symbol = known.store.names.shown(&self.open.market);
        let prices = self.reached.iter().map(|price| price.grouped());
        let words = prices.map(|price| {
            format!("the mark has reached the target of {symbol} at {price}: it is not placed")
        });
        words
            .map(|words| WorkflowRequest::Say(Tone::Alert, words))
            .collect()
    }

    fn placed(
        &mut self,
        known: Known,
        (size, attempt): (Num, Attempt),
        result: &Result<Receipt, Failure>,
    ) -> Vec<WorkflowRequest> {
        let is_reached = |run: &Self| {
            let mut targets = run.open.targets.iter();
            targets.any(|target| !run.is_ahead(known, target.price))
        };
        match result {
            Ok(_) if self.reached.is_empty() => self.finish(known),
            Ok(_) => vec![WorkflowRequest::End(WorkflowEnd::Half)],
            Err(why) if why.kind == FailureKind::Conflict && attempt == Attempt::First => {
                self.read(known, size, Attempt::Second)
            }
            Err(why) if !why.is_doubtful() && attempt != Attempt::Ahead && is_reached(self) => {
                self.read(known, size, Attempt::Ahead)
            }
            Err(why) => self.without(known, why.message.raw()),
        }
    }
}
