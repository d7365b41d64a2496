//! The object of a command as it was at one moment. The words of an event use only this, so that a written line never
//! changes when positions and orders move on.

use crate::model::{Market, MarketId, MarketNames, Order, Position, Scaled, Twap};

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
