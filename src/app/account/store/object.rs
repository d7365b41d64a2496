//! What a command is about, from the store as it is now.

use super::Store;
use crate::{
    app::account::about::{About, Target},
    model::{Command, Order, Placed, Position, Resource},
};

impl Store {
    /// The object of `command` as it is known now.
    pub fn object_of(&self, command: &Command) -> About {
        let target = self.target(command);
        let market_id = match command.facts().places {
            Some(Placed::Order(order)) => Some(&order.market_id),
            Some(Placed::Twap(order)) => Some(&order.market_id),
            Some(Placed::Scaled(order)) => Some(&order.market_id),
            Some(Placed::Close(_)) | None => target.as_ref().map(Target::market_id),
        };
        About {
            market: market_id.and_then(|id| self.market(id)).cloned(),
            names: self.names.clone(),
            target,
            running_twaps: self.active_twaps().count(),
        }
    }

    fn target(&self, command: &Command) -> Option<Target> {
        let boxed = |position: &Position| Target::Position(Box::new(position.clone()));
        let order = |order: &Order| Target::Order(Box::new(order.clone()));
        match command.resource() {
            Resource::Position(id) => self.position(&id).map(boxed),
            Resource::Order(id) => self.order(&id).map(order),
            Resource::Twap(id) => self.twap(&id).cloned().map(Box::new).map(Target::Twap),
            Resource::Scaled(id) => self
                .scaled_order(&id)
                .cloned()
                .map(Box::new)
                .map(Target::Scaled),
            Resource::NewOrder | Resource::Account(_) => None,
        }
    }
}
