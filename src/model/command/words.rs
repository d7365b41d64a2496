//! The one-line descriptions of what commands consist of.

use super::{CloseKind, ClosePosition, Exits, Leg, PlaceOrder, Risk};
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
        if let Some(price) = self.trigger_price {
            let watched = (self.trigger_market_id.as_ref(), self.trigger_direction);
            words.push_str(&trigger_words(price, watched, Some(&self.market_id), names));
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

/// As part of the description of an order in market `own`, if known; a trigger on another market names it.
fn trigger_words(
    price: Num,
    (watched, direction): (Option<&MarketId>, Option<TriggerDirection>),
    own: Option<&MarketId>,
    names: &MarketNames,
) -> String {
    let Some(other) = watched.filter(|other| Some(*other) != own) else {
        return format!(" trigger {}", price.grouped());
    };
    let reaches = match direction {
        Some(TriggerDirection::Above) => "≥",
        Some(TriggerDirection::Below) => "≤",
        None => "at",
    };
    format!(" when {} {reaches} {}", names.shown(other), price.grouped())
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
                let watched = (self.trigger_market_id.as_ref(), self.trigger_direction);
                let words = |price| trigger_words(price, watched, own, names);
                let trigger = self.trigger_price.map(words).unwrap_or_default();
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
            let watched = (Some(&market.into()), Some(TriggerDirection::Above));
            let (price, own) = (Num::from(67_168_u32), "paper|SOL".into());
            trigger_words(price, watched, Some(&own), &MarketNames::default())
        };
        assert_eq!(trigger("paper|SOL"), " trigger 67,168");
        assert_eq!(trigger("paper|BTC"), " when BTC ≥ 67,168");
    }

    #[test]
    fn a_close_that_waits_says_for_what() {
        let close = ClosePosition {
            kind: CloseKind::Conditional,
            trigger_price: Some(Num::from(67_168_u32)),
            trigger_market_id: Some("paper|BTC".into()),
            trigger_direction: Some(TriggerDirection::Above),
            ..ClosePosition::market("pos_7".into())
        };
        let words = "close all of pos_7 conditional when BTC ≥ 67,168";
        let told = close.words(&close.position_id, &MarketNames::default());
        assert_eq!(told, words);
    }
}
