//! What an order would open if it filled completely at its price, and the resulting liquidation price.

use super::{
    super::{
        MarginMode, Num, Order, Position, Side,
        estimate::{self, LiquidationEstimate},
    },
    EntryDraft, Seen,
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpeningOrder {
    pub side: Side,
    /// In coin.
    pub size: Num,
    pub price: Num,
    pub margin_mode: MarginMode,
    pub leverage: Num,
}

impl OpeningOrder {
    /// From the remaining size of a working limit order.
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

    /// The liquidation price of the resulting position; `None` if the order reduces one, or would change its margin
    /// mode.
    pub fn liquidation(&self, seen: &Seen) -> Option<LiquidationEstimate> {
        let is_isolated = self.margin_mode == MarginMode::Isolated;
        let is_other = |held: &Position| held.is_isolated() != is_isolated;
        if !seen.is_held_known() || seen.position.is_some_and(is_other) {
            return None;
        }
        let after = self.after(seen.position)?;
        let backing = if is_isolated {
            let margin = after.quantity.times(after.entry)?.over(self.leverage)?;
            margin.plus(after.extra)?
        } else {
            seen.cross_backing?.plus(after.realized)?
        };
        let maintenance = estimate::maintenance_rate(seen.market?)?;
        let After {
            quantity, entry, ..
        } = after;
        estimate::liquidation(self.side, quantity, entry, backing, maintenance)
    }

    fn after(&self, held: Option<&Position>) -> Option<After> {
        let turned = held.filter(|held| held.side() == Some(self.side.opposite()));
        if let Some(held) = turned {
            let quantity = self.size.minus(held.quantity())?;
            let gain = estimate::gain(held.side()?, held.entry_price?, self.price)?;
            return quantity.is_positive().then_some(After {
                quantity,
                entry: self.price,
                extra: Num::ZERO,
                realized: gain.times(held.quantity())?,
            });
        }
        let (quantity, entry) = estimate::merged(held, self.side, self.size, self.price)?;
        Some(After {
            quantity,
            entry,
            extra: held
                .and_then(|held| held.isolated_margin_extra)
                .unwrap_or_default(),
            realized: Num::ZERO,
        })
    }
}

/// The position after the fill.
struct After {
    quantity: Num,
    entry: Num,
    /// Isolated margin beyond what its leverage requires, USD.
    extra: Num,
    /// The realized profit of closing the previous position, USD.
    realized: Num,
}

impl EntryDraft {
    /// The liquidation price after a complete fill at its price.
    pub fn liquidation(&self, seen: &Seen) -> Option<LiquidationEstimate> {
        let size = self.resolved_size(seen).ok()?;
        self.opening(size, seen)?.liquidation(seen)
    }

    pub(super) fn opening(&self, size: Num, seen: &Seen) -> Option<OpeningOrder> {
        (!self.only_reduces()).then_some(())?;
        Some(OpeningOrder {
            side: self.side,
            size,
            price: self.fills_at(size, seen)?,
            margin_mode: self.margin_mode,
            leverage: self.leverage().ok()?,
        })
    }
}
