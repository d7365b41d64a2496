//! Who may be on the wire: one command per resource, in the order given.

use crate::model::Resource;
use std::collections::HashMap;
use tokio::sync::watch;

/// The last command of each resource that still has one.
#[derive(Debug, Default)]
pub(super) struct Lanes(HashMap<Resource, watch::Receiver<()>>);

/// A place in a lane; dropping it lets the next one go.
#[derive(Debug)]
pub(super) struct Turn {
    before: Option<watch::Receiver<()>>,
    _mine: watch::Sender<()>,
}

impl Lanes {
    /// Takes the place at the end of the resource's lane. New orders have no lane.
    pub(super) fn join(&mut self, resource: Resource) -> Turn {
        self.0.retain(|_, last| last.has_changed().is_ok());
        let (mine, after_me) = watch::channel(());
        let before = if resource == Resource::NewOrder {
            None
        } else {
            self.0.insert(resource, after_me)
        };
        Turn {
            before,
            _mine: mine,
        }
    }
}

impl Turn {
    /// Returns when the command before this one is over.
    pub(super) async fn come(&self) {
        if let Some(before) = &self.before {
            // Nothing is ever sent on it: the change waited for is that its sender is gone.
            let _gone = before.clone().changed().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn commands_for_one_order_go_one_after_the_other() {
        let mut lanes = Lanes::default();
        let order = || Resource::Order("o".into());
        let (first, second, third) = (
            lanes.join(order()),
            lanes.join(order()),
            lanes.join(order()),
        );
        let other = lanes.join(Resource::Order("p".into()));
        let is_due = |turn: &Turn| turn.come().now_or_never().is_some();
        assert!(is_due(&first) && is_due(&other));
        assert!(!is_due(&second) && !is_due(&third));
        drop(first);
        assert!(is_due(&second) && !is_due(&third));
        drop(second);
        assert!(is_due(&third));
    }

    #[tokio::test]
    async fn new_orders_do_not_wait_for_each_other() {
        let mut lanes = Lanes::default();
        let _first = lanes.join(Resource::NewOrder);
        let second = lanes.join(Resource::NewOrder);
        assert!(second.come().now_or_never().is_some());
    }
}
