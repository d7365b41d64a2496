//! The kinds of orders: one row per mode, with what the desk and the paper exchange need to know about it. The compiler
//! requests the row of a new mode.

use crate::model::{Side, TriggerDirection, value::words::words};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};

words! {
    /// How the engine executes the order.
    OrderType {
        Market, Limit, StopMarket, StopLimit, TakeMarket, TakeLimit, TakeProfit, Liquidation, CloseOut,
    }
    /// What the trader (or the system) placed.
    OrderMode {
        Market, Limit, Chase, StopMarket, StopLimit, TakeMarket, TakeLimit, TakeProfit, Conditional,
        Liquidation, CloseOut,
    }
    /// The `type` of `POST /v1/orders`.
    PlaceKind {
        Market, Limit, Chase, StopMarket, StopLimit, TakeMarket, TakeLimit, TakeProfit, Conditional,
    }
}

/// Which move of the mark triggers an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriggersOn {
    /// It has no trigger.
    Nothing,
    /// A buy above its trigger price, a sell below: a stop.
    Loss,
    /// A buy below its trigger price, a sell above: a target.
    Profit,
    /// The direction that the order names.
    Chosen,
}

/// The facts of a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderModeFacts {
    pub order_type: OrderType,
    /// The `type` that places it; `None` if only the service creates such orders.
    pub placed_as: Option<PlaceKind>,
    pub triggers_on: TriggersOn,
    /// Its short form for a narrow window.
    pub brief: &'static str,
}

impl OrderMode {
    /// The table. Chase executes as a limit, conditional as a market order; every other mode is its own type.
    pub const fn facts(self) -> OrderModeFacts {
        use PlaceKind as Kind;
        use TriggersOn::{Chosen, Loss, Nothing, Profit};
        let (order_type, placed_as, triggers_on, brief) = match self {
            Self::Market => (OrderType::Market, Some(Kind::Market), Nothing, "mkt"),
            Self::Limit => (OrderType::Limit, Some(Kind::Limit), Nothing, "lim"),
            Self::Chase => (OrderType::Limit, Some(Kind::Chase), Nothing, "chase"),
            Self::StopMarket => (
                OrderType::StopMarket,
                Some(Kind::StopMarket),
                Loss,
                "stp mkt",
            ),
            Self::StopLimit => (OrderType::StopLimit, Some(Kind::StopLimit), Loss, "stp lim"),
            Self::TakeMarket => (
                OrderType::TakeMarket,
                Some(Kind::TakeMarket),
                Profit,
                "tp mkt",
            ),
            Self::TakeLimit => (
                OrderType::TakeLimit,
                Some(Kind::TakeLimit),
                Profit,
                "tp lim",
            ),
            Self::TakeProfit => (OrderType::TakeProfit, Some(Kind::TakeProfit), Profit, "tp"),
            Self::Conditional => (OrderType::Market, Some(Kind::Conditional), Chosen, "cond"),
            Self::Liquidation => (OrderType::Liquidation, None, Nothing, "liq"),
            Self::CloseOut => (OrderType::CloseOut, None, Nothing, "close"),
        };
        OrderModeFacts {
            order_type,
            placed_as,
            triggers_on,
            brief,
        }
    }
}

impl PlaceKind {
    pub fn facts(self) -> OrderModeFacts {
        let mut all = OrderMode::VARIANTS.iter().map(|mode| mode.facts());
        all.find(|facts| facts.placed_as == Some(self))
            .unwrap_or(OrderMode::Market.facts())
    }
}

impl OrderType {
    /// Whether it executes at its own price; every other type executes at the market's.
    pub fn is_limit(self) -> bool {
        matches!(self, Self::Limit | Self::StopLimit | Self::TakeLimit)
    }

    /// Which move of the mark triggers orders of this type, as far as the type says.
    pub fn triggers_on(self) -> TriggersOn {
        let mut all = OrderMode::VARIANTS.iter().map(|mode| mode.facts());
        all.find(|facts| facts.order_type == self)
            .map_or(TriggersOn::Nothing, |facts| facts.triggers_on)
    }
}

impl TriggersOn {
    /// The direction for an order of this side; `None` if the mode does not decide it.
    pub fn direction(self, side: Side) -> Option<TriggerDirection> {
        match (self, side) {
            (Self::Nothing | Self::Chosen, _) => None,
            (Self::Loss, Side::Buy) | (Self::Profit, Side::Sell) => Some(TriggerDirection::Above),
            (Self::Loss, Side::Sell) | (Self::Profit, Side::Buy) => Some(TriggerDirection::Below),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_that_can_be_placed_has_exactly_one_mode_of_its_name() {
        for kind in PlaceKind::VARIANTS {
            let modes = OrderMode::VARIANTS.iter();
            let modes: Vec<_> = modes
                .filter(|mode| mode.facts().placed_as == Some(*kind))
                .map(ToString::to_string)
                .collect();
            assert_eq!(modes, [kind.to_string()]);
        }
    }

    #[test]
    fn modes_of_one_type_agree_on_their_trigger_unless_the_order_names_it() {
        for mode in OrderMode::VARIANTS {
            let facts = mode.facts();
            let by_type = facts.order_type.triggers_on();
            let agrees = facts.triggers_on == by_type || facts.triggers_on == TriggersOn::Chosen;
            assert!(agrees, "{mode}");
        }
    }
}
