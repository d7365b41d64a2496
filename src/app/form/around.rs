//! What a form is read against, and what this session has used so far.

use super::super::Store;
use crate::model::{
    MarginMode, MarketId, PlaceKind, TimeInForce, Timestamp, Zone,
    draft::{EntryDraft, Field, Shape},
};
use std::collections::BTreeMap;

/// The desk as a form sees it.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    pub store: &'a Store,
    pub used: &'a Used,
    pub now: Timestamp,
    pub zone: &'a Zone,
}

/// The values of the last order sent in each market, for the session. Prices are not among them: they mean
/// nothing later; nor is what an order was for (reduce-only, its exits).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Used(BTreeMap<MarketId, Values>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    pub kind: PlaceKind,
    pub time_in_force: TimeInForce,
    pub margin_mode: MarginMode,
    pub leverage: String,
    pub slippage: String,
    /// Offered, never filled in: an order needs a size that was meant.
    pub size: String,
}

impl Used {
    pub fn of(&self, market: Option<&MarketId>) -> Option<&Values> {
        self.0.get(market?)
    }

    /// Takes note of an order that leaves.
    pub fn keep(&mut self, draft: &EntryDraft) {
        let (Some(market), Shape::Order(kind)) = (&draft.market_id, draft.shape) else {
            return;
        };
        let text = |field| draft.texts.of(field).trim().to_owned();
        let is_dated = draft.time_in_force == TimeInForce::Gtd;
        let values = Values {
            kind,
            // A date is of one order.
            time_in_force: if is_dated {
                TimeInForce::Gtc
            } else {
                draft.time_in_force
            },
            margin_mode: draft.margin_mode,
            leverage: text(Field::Leverage),
            slippage: text(Field::Slippage),
            size: text(Field::Size),
        };
        self.0.insert(market.clone(), values);
    }
}
