//! What an order would open if all of it filled at its price, and where that would be liquidated.

use super::{
    super::{
        MarginMode, Num, Order, Position, Side,
        estimate::{self, Liquidation},
    },
    EntryDraft, Seen,
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opening {
    pub side: Side,
    /// In coin.
    pub size: Num,
    pub price: Num,
    pub margin_mode: MarginMode,
    pub leverage: Num,
}

impl Opening {
    /// By what is left of a limit order that works.
    pub fn of(order: &Order) -> Option<Self> {
        (!order.reduce_only).then_some(())?;
        Some(Self {
            side: order.side.known()?,
            size: order.size,
            price: order.limit_price?,
            margin_mode: order.margin_mode.known()?,
            leverage: order.leverage,
        })
    }

    /// Of the position it would be part of; nothing where it reduces or turns one, or would change its mode.
    pub fn liquidation(&self, seen: &Seen) -> Option<Liquidation> {
        let is_isolated = self.margin_mode == MarginMode::Isolated;
        let is_other = |held: &Position| held.is_isolated() != is_isolated;
        if !seen.is_held_known() || seen.position.is_some_and(is_other) {
            return None;
        }
        let order = (self.size, self.price);
        let (quantity, average) = estimate::merged(seen.position, self.side, order)?;
        let backing = if is_isolated {
            let extra = seen.position.and_then(|p| p.isolated_margin_extra);
            let margin = quantity.times(average)?.over(self.leverage)?;
            margin.plus(extra.unwrap_or_default())?
        } else {
            seen.cross_backing?
        };
        let maintenance = estimate::maintenance_rate(seen.market?)?;
        estimate::liquidation(self.side, (quantity, average), backing, maintenance)
    }
}

impl EntryDraft {
    /// Where it would be liquidated if all of it filled at its price.
    pub fn liquidation(&self, seen: &Seen) -> Option<Liquidation> {
        let size = self.resolved_size(seen).ok()?;
        self.opening(size, seen)?.liquidation(seen)
    }

    pub(super) fn opening(&self, size: Num, seen: &Seen) -> Option<Opening> {
        (!self.only_reduces()).then_some(())?;
        Some(Opening {
            side: self.side,
            size,
            price: self.entry(seen)?,
            margin_mode: self.margin_mode,
            leverage: self.leverage().ok()?,
        })
    }
}
