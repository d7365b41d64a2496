//! Triggers by price, so that a step checks only those that the mark has passed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::exchange::engine::state::{CompletionReason, OrderId, Px, TriggerDirection, TwapId};

/// What a trigger starts. Orders sort before strategies: a stop acts before a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum TriggerTarget {
    Order(OrderId),
    TwapStart(TwapId),
    TwapBound(TwapId, TwapBound),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum TwapBound {
    Max,
    Min,
}

impl TwapBound {
    /// The bounds that a strategy has.
    pub(crate) fn given(max: Option<Px>, min: Option<Px>) -> impl Iterator<Item = (Self, Px)> {
        let bounds = [(Self::Max, max), (Self::Min, min)].into_iter();
        bounds.filter_map(|(bound, px)| Some((bound, px?)))
    }

    pub(crate) fn reason(self) -> CompletionReason {
        match self {
            Self::Max => CompletionReason::MaxPriceReached,
            Self::Min => CompletionReason::MinPriceReached,
        }
    }

    pub(crate) fn direction(self) -> TriggerDirection {
        match self {
            Self::Max => TriggerDirection::Above,
            Self::Min => TriggerDirection::Below,
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Triggers {
    above: BTreeSet<(Px, TriggerTarget)>,
    below: BTreeSet<(Px, TriggerTarget)>,
}

impl Triggers {
    fn side(&mut self, direction: TriggerDirection) -> &mut BTreeSet<(Px, TriggerTarget)> {
        match direction {
            TriggerDirection::Above => &mut self.above,
            TriggerDirection::Below => &mut self.below,
        }
    }

    pub(crate) fn arm(&mut self, direction: TriggerDirection, px: Px, target: TriggerTarget) {
        self.side(direction).insert((px, target));
    }

    pub(crate) fn disarm(&mut self, direction: TriggerDirection, px: Px, target: TriggerTarget) {
        self.side(direction).remove(&(px, target));
    }

    /// Removes and returns the triggers that `mark` has reached (inclusive), in order of creation.
    pub(crate) fn fired(&mut self, mark: Px) -> Vec<TriggerTarget> {
        let least = TriggerTarget::Order(OrderId::from(0));
        let waiting_above = self.above.split_off(&(mark + Px(1), least));
        let reached_above = std::mem::replace(&mut self.above, waiting_above);
        let reached_below = self.below.split_off(&(mark, least));
        let mut fired: Vec<TriggerTarget> = reached_above
            .into_iter()
            .chain(reached_below)
            .map(|(_, target)| target)
            .collect();
        fired.sort_unstable();
        fired
    }
}

/// Whether `mark` has reached `trigger` (inclusive).
pub(crate) fn reached(direction: TriggerDirection, mark: Px, trigger: Px) -> bool {
    match direction {
        TriggerDirection::Above => mark >= trigger,
        TriggerDirection::Below => mark <= trigger,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trigger_fires_when_the_mark_touches_it_and_only_once() {
        let mut triggers = Triggers::default();
        let order = |n: usize| TriggerTarget::Order(OrderId::from(n));
        triggers.arm(TriggerDirection::Above, Px(110), order(2));
        triggers.arm(TriggerDirection::Above, Px(105), order(1));
        triggers.arm(TriggerDirection::Below, Px(105), order(0));
        assert_eq!(triggers.fired(Px(104)), [order(0)]);
        assert_eq!(triggers.fired(Px(104)), []);
        assert_eq!(triggers.fired(Px(110)), [order(1), order(2)]);
        assert_eq!(triggers.fired(Px(200)), []);
    }
}
