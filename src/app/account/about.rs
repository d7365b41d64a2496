//! The object of a command as it was at one moment. The words of an event use only this, so that a written line never
//! changes when positions and orders move on.

use crate::{
    app::account::store::Store,
    model::{
        Command, Market, MarketId, MarketNames, Order, Placed, Position, Resource, Scaled, Twap,
    },
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

impl About {
    pub fn of(command: &Command, store: &Store) -> Self {
        let target = target(command, store);
        let market_id = match command.facts().places {
            Some(Placed::Order(order)) => Some(&order.market_id),
            Some(Placed::Twap(order)) => Some(&order.market_id),
            Some(Placed::Scaled(order)) => Some(&order.market_id),
            Some(Placed::Close(_)) | None => target.as_ref().map(Target::market_id),
        };
        Self {
            market: market_id.and_then(|id| store.market(id)).cloned(),
            names: store.names.clone(),
            target,
            running_twaps: store.active_twaps().count(),
        }
    }
}

fn target(command: &Command, store: &Store) -> Option<Target> {
    let boxed = |position: &Position| Target::Position(Box::new(position.clone()));
    let order = |order: &Order| Target::Order(Box::new(order.clone()));
    match command.resource() {
        Resource::Position(id) => store.position(&id).map(boxed),
        Resource::Order(id) => store.order(&id).map(order),
        Resource::Twap(id) => store.twap(&id).cloned().map(Box::new).map(Target::Twap),
        Resource::Scaled(id) => store
            .scaled_order(&id)
            .cloned()
            .map(Box::new)
            .map(Target::Scaled),
        Resource::NewOrder | Resource::Account(_) => None,
    }
}

impl Target {
    fn market_id(&self) -> &MarketId {
        match self {
            Self::Position(position) => &position.market_id,
            Self::Order(order) => &order.market_id,
            Self::Twap(twap) => &twap.market_id,
            Self::Scaled(scaled) => &scaled.market_id,
        }
    }
}
