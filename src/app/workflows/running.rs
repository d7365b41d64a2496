//! The workflows of a desk that have begun and not ended.

use super::{
    BracketRun, Known, OrderMove, Replacement, Trail, Workflow, WorkflowEvent, WorkflowRequest,
    goals::Moved,
};
use crate::{
    app::account::{store::Store, trades::OpenBracket},
    model::{MarketId, Num, OrderId, PositionId, Ticket, Timestamp},
};

#[derive(Debug, Default)]
pub struct Workflows {
    running: Vec<Running>,
    /// The stops that trail.
    pub(crate) trails: Vec<Trail>,
    /// When the last batch of exits was answered, and its ticket: older lists do not show what came of it.
    pub(crate) exits_answered: Option<(Timestamp, Ticket)>,
}

#[derive(Debug)]
pub(crate) struct Running {
    /// Of its last command.
    pub(crate) ticket: Ticket,
    pub(crate) workflow: Workflow,
}

/// What some workflows want. Those that go on are with the others again once that is done.
type WorkflowRequests = Vec<(Running, Vec<WorkflowRequest>)>;

impl Workflows {
    pub(crate) fn begin(&mut self, ticket: Ticket, workflow: Workflow) {
        self.running.push(Running { ticket, workflow });
    }

    /// The trailing stop of this position.
    pub fn trail(&self, position: &PositionId) -> Option<&Trail> {
        self.trails.iter().find(|one| one.position == *position)
    }

    /// Whether there was one.
    pub(crate) fn end_trail(&mut self, position: &PositionId) -> bool {
        let before = self.trails.len();
        self.trails.retain(|one| one.position != *position);
        self.trails.len() < before
    }

    /// The workflow of this command.
    pub(crate) fn owner(&self, ticket: Ticket) -> Option<&Workflow> {
        let mut all = self.running.iter();
        let own = all.find(|one| one.ticket == ticket)?;
        Some(&own.workflow)
    }

    /// Notifies the workflow of this command, or all of them. Takes those out that want something.
    pub(crate) fn tell(
        &mut self,
        whom: Option<Ticket>,
        known: Known,
        event: WorkflowEvent,
    ) -> WorkflowRequests {
        let mut requests = vec![];
        for mut one in std::mem::take(&mut self.running) {
            let is_addressed = whom.is_none_or(|ticket| ticket == one.ticket);
            let wanted = is_addressed.then(|| one.workflow.tell(known, event));
            match wanted.filter(|wanted| !wanted.is_empty()) {
                Some(wanted) => requests.push((one, wanted)),
                None => self.running.push(one),
            }
        }
        requests
    }

    /// Those that wait for reads between two commands.
    pub fn waiting(&self, store: &Store) -> impl Iterator<Item = &Workflow> {
        let waits =
            |one: &&Running| !store.pending.contains_key(&one.ticket) && one.workflow.may_send();
        let waiting = self.running.iter().filter(waits);
        waiting.map(|one| &one.workflow)
    }

    /// The commands in progress and the workflows between two of them, without those that wait for a person.
    pub fn under_way(&self, store: &Store) -> usize {
        store.under_way() + self.waiting(store).count()
    }

    /// Whether every command has a known outcome, nothing is to follow, and no stop trails.
    pub fn is_settled(&self, store: &Store) -> bool {
        store.pending.is_empty() && self.waiting(store).next().is_none() && self.trails.is_empty()
    }

    /// When the next of them is to be notified that time has passed.
    pub(crate) fn look_at(&self) -> Option<Timestamp> {
        self.all().filter_map(Workflow::look_at).min()
    }

    fn all(&self) -> impl Iterator<Item = &Workflow> {
        self.running.iter().map(|one| &one.workflow)
    }

    /// The brackets that are to be finished.
    pub(crate) fn brackets(&self) -> impl Iterator<Item = &OpenBracket> {
        let all = self.all().filter_map(Workflow::try_as_bracket_ref);
        all.map(BracketRun::open)
    }

    /// The bracket of this entry.
    pub(crate) fn bracket_of(&self, entry: &OrderId) -> Option<&OpenBracket> {
        self.brackets()
            .find(|open| open.order.as_ref() == Some(entry))
    }

    /// Whether targets of a bracket are being placed in this market.
    pub(crate) fn is_placing_targets(&self, market: &MarketId) -> bool {
        let mut brackets = self.all().filter_map(Workflow::try_as_bracket_ref);
        brackets.any(|one| one.market() == market && one.is_placing())
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Workflow> {
        self.running.iter_mut().map(|one| &mut one.workflow)
    }

    /// Whether this position is being flipped.
    pub(crate) fn is_flipping(&self, position: &PositionId) -> bool {
        let mut flips = self.all().filter_map(Workflow::try_as_flip_ref);
        flips.any(|one| one.flip().position().id == *position)
    }

    /// The replacements that are not sent yet.
    pub(crate) fn replacements(&self) -> impl Iterator<Item = &Replacement> {
        let all = self.all().filter_map(Workflow::try_as_replace_ref);
        all.filter(|one| one.is_open())
    }

    /// The replacement of this order that is not sent yet.
    pub(crate) fn replacement(&self, old: &OrderId) -> Option<&Replacement> {
        self.replacements().find(|one| one.old() == old)
    }

    pub(crate) fn replacement_mut(&mut self, old: &OrderId) -> Option<&mut Replacement> {
        let mut all = self.all_mut().filter_map(Workflow::try_as_replace_mut);
        all.find(|one| one.is_open() && one.old() == old)
    }

    fn moves(&self) -> impl Iterator<Item = &OrderMove> {
        self.all().filter_map(Workflow::try_as_move_ref)
    }

    /// Whether the same position or order is being moved.
    pub(crate) fn move_beside(&self, what: &Moved) -> bool {
        self.moves().any(|one| one.what().is_beside(what))
    }

    /// Records this for after the move of the same position or order; `Err` with it if there is none.
    pub(crate) fn add(&mut self, what: Moved) -> Result<(), Moved> {
        let mut moves = self.all_mut().filter_map(Workflow::try_as_move_mut);
        match moves.find(|one| one.what().is_beside(&what)) {
            Some(one) => {
                one.then(what);
                Ok(())
            }
            None => Err(what),
        }
    }

    /// The price that this order is being moved to.
    pub(crate) fn moved_to(&self, order: &OrderId, store: &Store) -> Option<Num> {
        self.moves().find_map(|one| one.goal(order, store))
    }

    /// The last batch of exits, if no list of orders shows yet what came of it.
    pub(crate) fn unlisted_exits(&self, store: &Store) -> Option<(Timestamp, Ticket)> {
        let is_unlisted = |(at, _): &(Timestamp, Ticket)| store.orders.at() <= Some(*at);
        self.exits_answered.filter(is_unlisted)
    }
}
