//! The one-line descriptions of what commands consist of.

use super::{CloseKind, ClosePosition, Exits, Leg, PlaceOrder, Risk, Trigger};
use crate::model::{MarketId, Num, TriggerDirection, value::words::spoken};
use std::fmt;

impl Exits {
    /// `stop loss 58,000`, and whether it can lose more than before.
    pub fn stop_words(&self) -> String {
        let words = format!("stop loss {}", self.stop_loss);
        match (self.stop_loss, self.risk) {
            (Leg::Set(_), Risk::Increasing) => format!("{words}, wider than before"),
            (Leg::Keep | Leg::Remove | Leg::Set(_), _) => words,
        }
    }
}

impl fmt::Display for PlaceOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {} {}",
            self.side,
            self.size.grouped(),
            self.market_id.symbol(),
            spoken(&self.kind)
        )?;
        if let Some(price) = self.limit_price {
            write!(f, " @ {}", price.grouped())?;
        }
        if let Some(trigger) = &self.trigger {
            f.write_str(&trigger.named(Some(&self.market_id)))?;
        }
        if let Some(tif) = self.time_in_force {
            write!(f, " {tif}")?;
        }
        if self.reduce_only {
            write!(f, " reduce-only")?;
        }
        Ok(())
    }
}

impl Trigger {
    /// As part of the description of an order in market `own`, if known; a trigger on another market names it.
    fn named(&self, own: Option<&MarketId>) -> String {
        let other = self.market_id.as_ref().filter(|other| Some(*other) != own);
        let Some(other) = other else {
            return format!(" trigger {}", self.price.grouped());
        };
        let reaches = match self.direction {
            Some(TriggerDirection::Above) => "≥",
            Some(TriggerDirection::Below) => "≤",
            None => "at",
        };
        format!(
            " when {} {reaches} {}",
            other.symbol(),
            self.price.grouped()
        )
    }
}

impl ClosePosition {
    /// One line with the name by which the reader knows the position.
    pub fn words(&self, position: &impl fmt::Display) -> String {
        let size = self.size.map_or_else(|| "all".to_owned(), Num::grouped);
        match (self.kind, self.limit_price) {
            (CloseKind::Limit, Some(price)) => {
                format!("close {size} of {position} limit @ {}", price.grouped())
            }
            (kind, _) => {
                let own = self.held.as_ref().map(|held| &held.market_id);
                let trigger = self.trigger.as_ref().map(|trigger| trigger.named(own));
                let trigger = trigger.unwrap_or_default();
                format!("close {size} of {position} {kind}{trigger}")
            }
        }
    }
}

impl fmt::Display for ClosePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(&self.position_id))
    }
}

impl fmt::Display for Leg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keep => write!(f, "unchanged"),
            Self::Remove => write!(f, "none"),
            Self::Set(price) => f.write_str(&price.grouped()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trigger_of_another_market_is_named_with_that_market() {
        let trigger = |market: &str| {
            let trigger = Trigger {
                price: Num::from(67_168_u32),
                market_id: Some(market.into()),
                direction: Some(TriggerDirection::Above),
            };
            trigger.named(Some(&"paper|SOL".into()))
        };
        assert_eq!(trigger("paper|SOL"), " trigger 67,168");
        assert_eq!(trigger("paper|BTC"), " when BTC ≥ 67,168");
    }

    #[test]
    fn a_close_that_waits_says_for_what() {
        let close = ClosePosition {
            kind: CloseKind::Conditional,
            trigger: Some(Trigger {
                price: Num::from(67_168_u32),
                market_id: Some("paper|BTC".into()),
                direction: Some(TriggerDirection::Above),
            }),
            ..ClosePosition::market("pos_7".into())
        };
        let words = "close all of pos_7 conditional when BTC ≥ 67,168";
        assert_eq!(close.to_string(), words);
    }
}
