//! Who may be on the wire: one command per resource, in the order given.
//!
//! Known limit: a way out does not wait for a change. Closing a position or canceling an order goes out beside a `PUT`
//! of its margin or exits that is still being tried: what the change would have set is of no more use then.

use crate::model::{Command, Resource};
use std::collections::HashMap;
use tokio::sync::watch;

/// The last command of each resource that still has one.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    /// What sets something: it waits for all before it.
    changes: HashMap<Resource, Tail>,
    /// What ends something: it waits for its like.
    ends: HashMap<Resource, Tail>,
}

/// Nothing is ever sent on it; it ends with its command.
type Tail = watch::Receiver<()>;

/// A place in a lane; dropping it lets the next one go.
#[derive(Debug)]
pub(crate) struct Turn {
    before: Vec<Tail>,
    _mine: watch::Sender<()>,
}

impl Lanes {
    /// Takes the place at the end of the lane of what `command` changes. New orders have no lane.
    pub(super) fn join(&mut self, command: &Command) -> Turn {
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
        Turn {
            before,
            _mine: mine,
        }
    }
}

impl Turn {
    /// Returns when the commands before this one are over.
    pub(super) async fn come(&self) {
        for before in &self.before {
            // The change waited for is that its sender is gone.
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

    fn is_due(turn: &Turn) -> bool {
        turn.come().now_or_never().is_some()
    }

    #[tokio::test]
    async fn commands_for_one_order_go_one_after_the_other() {
        for command in [cancel("o"), exits("o")] {
            let mut lanes = Lanes::default();
            let (first, second, third) = (
                lanes.join(&command),
                lanes.join(&command),
                lanes.join(&command),
            );
            let other = lanes.join(&cancel("p"));
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
        let mut lanes = Lanes::default();
        let stuck = lanes.join(&exits("o"));
        let out = lanes.join(&cancel("o"));
        let later = lanes.join(&exits("o"));
        assert!(is_due(&stuck) && is_due(&out) && !is_due(&later));
        drop(out);
        assert!(!is_due(&later));
        drop(stuck);
        assert!(is_due(&later));
    }

    #[tokio::test]
    async fn new_orders_do_not_wait_for_each_other() {
        let order = crate::runtime::outbox::tests::buy();
        let mut lanes = Lanes::default();
        let _first = lanes.join(&order);
        assert!(is_due(&lanes.join(&order)));
    }
}
