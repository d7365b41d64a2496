//! The one-line descriptions of what commands consist of.

use super::{CloseKind, ClosePosition, Exits, Leg, PlaceOrder, Risk, Trigger};
use crate::model::{MarketId, MarketNames, Num, TriggerDirection, value::words::spoken};
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

impl PlaceOrder {
    /// `buy 0.1 BTC limit @ 61,000`
    pub(super) fn words(&self, names: &MarketNames) -> String {
        let mut words = format!(
            "{} {} {} {}",
            self.side,
            self.size.grouped(),
            names.shown(&self.market_id),
            spoken(&self.kind)
        );
        if let Some(price) = self.limit_price {
            words.extend([" @ ", &price.grouped()]);
        }
        if let Some(trigger) = &self.trigger {
            words.push_str(&trigger.words(Some(&self.market_id), names));
        }
        if let Some(tif) = self.time_in_force {
            words.extend([" ", &tif.to_string()]);
        }
        if self.reduce_only {
            words.push_str(" reduce-only");
        }
        words
    }
}

impl Trigger {
    /// As part of the description of an order in market `own`, if known; a trigger on another market names it.
    fn words(&self, own: Option<&MarketId>, names: &MarketNames) -> String {
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
            names.shown(other),
            self.price.grouped()
        )
    }
}

impl ClosePosition {
    /// One line with the name by which the reader knows the position.
    pub fn words(&self, position: &impl fmt::Display, names: &MarketNames) -> String {
        let size = self.size.map_or_else(|| "all".to_owned(), Num::grouped);
        match (self.kind, self.limit_price) {
            (CloseKind::Limit, Some(price)) => {
                format!("close {size} of {position} limit @ {}", price.grouped())
            }
            (kind, _) => {
                let own = self.held.as_ref().map(|held| &held.market_id);
                let trigger = self.trigger.as_ref();
                let trigger = trigger.map(|trigger| trigger.words(own, names));
                let trigger = trigger.unwrap_or_default();
                format!("close {size} of {position} {kind}{trigger}")
            }
        }
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
            trigger.words(Some(&"paper|SOL".into()), &MarketNames::default())
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
        let told = close.words(&close.position_id, &MarketNames::default());
        assert_eq!(told, words);
    }
}
