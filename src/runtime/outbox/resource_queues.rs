//! One command per resource is in flight; the others wait in order.
//!
//! Known limit: closing a position or canceling an order does not wait for a `PUT` of its margin or exits that is still
//! being retried, because what it sets no longer matters then.

use crate::model::{Command, Resource};
use std::collections::HashMap;
use tokio::sync::watch;

/// The last command in each queue.
#[derive(Debug, Default)]
pub(super) struct ResourceQueues {
    /// Commands that set something: each waits for all before it.
    changes: HashMap<Resource, Tail>,
    /// Commands that end something: each waits for others of its kind.
    ends: HashMap<Resource, Tail>,
}

/// Never carries a value; it closes when its command is over.
type Tail = watch::Receiver<()>;

/// A place in a queue; dropping it lets the next command go.
#[derive(Debug)]
pub(crate) struct QueueTurn {
    before: Vec<Tail>,
    _mine: watch::Sender<()>,
}

impl ResourceQueues {
    /// Joins the queue of the resource that `command` changes. New orders have none.
    pub(super) fn join(&mut self, command: &Command) -> QueueTurn {
        let is_used = |_: &Resource, last: &mut Tail| last.has_changed().is_ok();
        self.changes.retain(is_used);
        self.ends.retain(is_used);
        let (mine, after_me) = watch::channel(());
        let resource = command.resource();
        let mut before = vec![];
        if resource != Resource::NewOrder {
            before.extend(self.ends.get(&resource).cloned());
            if command.facts().is_change() {
                before.extend(self.changes.get(&resource).cloned());
                self.changes.insert(resource, after_me);
            } else {
                self.ends.insert(resource, after_me);
            }
        }
        QueueTurn {
            before,
            _mine: mine,
        }
    }
}

impl QueueTurn {
    /// Whether a command was before this one when it joined.
    pub(super) fn had_to_wait(&self) -> bool {
        !self.before.is_empty()
    }

    /// Returns when the commands before this one are over.
    pub(super) async fn ready(&self) {
        for before in &self.before {
            // The sender never sends; an error means that its command is over.
            let _gone = before.clone().changed().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Exits, Leg};
    use futures_util::FutureExt;

    fn cancel(order: &str) -> Command {
        Command::Cancel(order.into())
    }

    fn exits(order: &str) -> Command {
        Command::Exits(Exits::unseen(order.into(), Leg::Keep, Leg::Remove))
    }

    fn is_due(turn: &QueueTurn) -> bool {
        turn.ready().now_or_never().is_some()
    }

    #[tokio::test]
    async fn commands_for_one_order_go_one_after_the_other() {
        for command in [cancel("o"), exits("o")] {
            let mut resource_queues = ResourceQueues::default();
            let (first, second, third) = (
                resource_queues.join(&command),
                resource_queues.join(&command),
                resource_queues.join(&command),
            );
            let other = resource_queues.join(&cancel("p"));
            assert!(is_due(&first) && is_due(&other));
            assert!(!is_due(&second) && !is_due(&third));
            drop(first);
            assert!(is_due(&second) && !is_due(&third));
            drop(second);
            assert!(is_due(&third));
        }
    }

    #[tokio::test]
    async fn a_way_out_passes_a_change_that_is_stuck_and_a_change_passes_nothing() {
        let mut resource_queues = ResourceQueues::default();
        let stuck = resource_queues.join(&exits("o"));
        let out = resource_queues.join(&cancel("o"));
        let later = resource_queues.join(&exits("o"));
        assert!(is_due(&stuck) && is_due(&out) && !is_due(&later));
        drop(out);
        assert!(!is_due(&later));
        drop(stuck);
        assert!(is_due(&later));
    }

    #[tokio::test]
    async fn new_orders_do_not_wait_for_each_other() {
        let order = crate::runtime::outbox::tests::buy();
        let mut resource_queues = ResourceQueues::default();
        let _first = resource_queues.join(&order);
        assert!(is_due(&resource_queues.join(&order)));
    }
}
