//! The bracket of a new order: the stop and the target that its market's preset adds where none is typed.
//!
//! Contract: an order that opens nothing, that is moved, or that adds to a position with exits of its own has none. The
//! prices follow from the order as it is when it is sent; what cannot be computed keeps the order from being sent.

use super::form::Form;
use crate::{
    app::{core::account::FormContext, rules::warnings::OrderWarning},
    model::{
        AccountFacts, MarketId, Num, Order, Position, Protection, Tick,
        draft::{
            Bracket, DistanceBasis, DistanceFault, Draft, DraftFault, DraftShape, EntryDraft,
            Faults, Field, LaterTarget, Seen,
        },
    },
};

impl FormContext<'_> {
    /// The bracket of this market, unless it is switched off or there is none.
    pub fn bracket(&self, market: &MarketId) -> Option<&Bracket> {
        let bracket = self.brackets.in_market(market, &self.store.names);
        let is_on = !self.brackets_off.contains(market);
        Some(bracket).filter(|it| is_on && it.is_attached())
    }
}

impl Form {
    /// The bracket that goes with this order.
    pub fn bracket<'a>(&self, context: &'a FormContext<'_>) -> Option<&'a Bracket> {
        let Draft::Entry(draft) = &self.draft else {
            return None;
        };
        let is_entry = matches!(draft.shape, DraftShape::Order(_)) && self.replaces.is_none();
        let opens = is_entry && draft.has(Field::StopLoss);
        let bracket = context.bracket(draft.market_id.as_ref()?)?;
        let held = self.seen(context);
        (opens && may_bring_exits(draft, &held)).then_some(bracket)
    }

    /// The draft with the prices of its bracket.
    ///
    /// # Errors
    /// What a distance of the bracket needs and nobody knows.
    pub(crate) fn bracketed(&self, context: &FormContext<'_>) -> Result<Draft, Faults> {
        let (Some(bracket), Draft::Entry(draft)) = (self.bracket(context), &self.draft) else {
            return Ok(self.draft.clone());
        };
        let mut draft = draft.clone();
        for (exit, distance) in [
            (Protection::Stop, bracket.stop),
            (Protection::Target, bracket.only_target()),
        ] {
            let field = Field::from(exit);
            let Some(distance) = distance.filter(|_| draft.texts.of(field).trim().is_empty())
            else {
                continue;
            };
            let price = self.basis(&draft, context);
            let price = price.and_then(|basis| distance.exit(exit, draft.side, basis));
            let price = price.map_err(|why| Faults(vec![(field, DraftFault::Bracket(why))]))?;
            draft.texts.set(field, price.to_string());
        }
        Ok(Draft::Entry(draft))
    }

    /// The targets that its bracket places once it has filled.
    ///
    /// # Errors
    /// As [`Self::bracketed`].
    pub(crate) fn later_targets(
        &self,
        context: &FormContext<'_>,
    ) -> Result<Vec<LaterTarget>, Faults> {
        let (Some(bracket), Draft::Entry(draft)) =
            (self.bracket(context), self.bracketed(context)?)
        else {
            return Ok(vec![]);
        };
        if !self
            .draft
            .text(Field::TakeProfit)
            .unwrap_or_default()
            .is_empty()
        {
            return Ok(vec![]);
        }
        let targets = bracket.later_targets().iter().map(|target| {
            let basis = self.basis(&draft, context)?;
            let price = target
                .distance
                .exit(Protection::Target, draft.side, basis)?;
            let share = target.share;
            Ok(LaterTarget { price, share })
        });
        let targets: Result<_, DistanceFault> = targets.collect();
        targets.map_err(|why| Faults(vec![(Field::TakeProfit, DraftFault::Bracket(why))]))
    }

    /// The first of these targets that could not be placed once all of the entry has filled.
    pub(crate) fn small_target(&self, context: &FormContext<'_>) -> Option<OrderWarning> {
        let targets = self.later_targets(context).ok()?;
        let Ok(Draft::Entry(draft)) = self.bracketed(context) else {
            return None;
        };
        let seen = self.seen(context);
        let (size, entry) = (draft.opens(&seen)?, draft.entry(&seen)?);
        let decimals = seen.size_decimals()?;
        let facts = context.store.account.value();
        let least = facts.and_then(AccountFacts::smallest_order);
        let sizes = LaterTarget::sizes(&targets, size, decimals);
        let mut parts = targets.iter().map(|target| target.price).zip(sizes);
        parts.find_map(|(target, part)| {
            if !part.is_positive() {
                let lot = Num::new(1, decimals);
                return Some(OrderWarning::LessThanLot { target, lot });
            }
            // All of a position may be closed, however small it is.
            let closes_all = part == size && seen.position.is_none();
            let least = least.filter(|_| !closes_all)?;
            let worth = part.times(entry.min(target))?;
            (worth < least).then_some(OrderWarning::SmallTarget {
                target,
                worth,
                least,
            })
        })
    }

    fn basis(
        &self,
        draft: &EntryDraft,
        context: &FormContext<'_>,
    ) -> Result<DistanceBasis, DistanceFault> {
        let seen = self.seen(context);
        let price = draft.entry(&seen).ok_or(DistanceFault::UnknownPrice)?;
        Ok(DistanceBasis {
            price,
            tick: Tick::at(seen.market, price),
            size: draft.resolved_size(&seen).ok(),
            range: draft.market_id.as_ref().and_then(|id| context.range(id)),
        })
    }
}

/// Whether the order opens something that has no exits yet.
fn may_bring_exits(draft: &EntryDraft, seen: &Seen) -> bool {
    let is_beside = |position: &Position| {
        let protects = |order: &Order| order.protects(position).is_some();
        position.side() == Some(draft.side) && !seen.working.iter().any(protects)
    };
    seen.position.is_none_or(is_beside)
}
