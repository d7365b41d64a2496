//! The object of a command as it was at one moment. The words of an event use only this, so that a written line never
//! changes when positions and orders move on.

use super::store::Store;
use crate::model::{
    Command, Market, MarketId, MarketNames, Order, Placed, Position, Resource, Scaled, Twap,
};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct About {
    /// `None` if it was unknown, or if the command has no single object.
    pub target: Option<Target>,
    /// The target's market, for its decimals.
    pub market: Option<Market>,
    /// What markets were called then.
    pub names: MarketNames,
    /// TWAPs that would go on trading after all positions are closed.
    pub running_twaps: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    Position(Box<Position>),
    Order(Box<Order>),
    Twap(Box<Twap>),
    Scaled(Box<Scaled>),
}

impl Target {
    pub(super) fn market_id(&self) -> &MarketId {
        match self {
            Self::Position(position) => &position.market_id,
            Self::Order(order) => &order.market_id,
            Self::Twap(twap) => &twap.market_id,
            Self::Scaled(scaled) => &scaled.market_id,
        }
    }
}

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
