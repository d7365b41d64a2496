//! Requests older pages of a list: when somebody scrolls near the end, or when an order is missing.

use super::model::Model;
use crate::app::{
    account::pane::Pane,
    core::account::Account,
    core::effect::{Effect, ReadOnce},
};

/// How close to the end of the loaded rows the selection must be.
const READ_AHEAD: usize = 30;

/// How many history orders are searched for the orders of a scaled order.
const TRACED: usize = 500;

/// The next page of history, while a rung's order is on none of the pages read. No endpoint returns an order by its id,
/// and a rung that stopped working has filled or not.
pub(crate) fn trace(account: &mut Account) -> Option<Effect> {
    let store = &account.store;
    if store.history.rows().len() >= TRACED {
        return None;
    }
    let mut rungs = store
        .scaled
        .keys()
        .filter_map(|id| store.scaled_order(id))
        .flat_map(|l| &l.rungs);
    let is_lost = rungs.any(|rung| {
        rung.order_id
            .as_ref()
            .is_some_and(|id| store.order(id).is_none())
    });
    let next = is_lost.then(|| account.store.history.ask_more());
    next.flatten().map(ReadOnce::MoreHistory).map(Effect::Read)
}

/// The next page of a history pane, if the selection is near its end.
pub(crate) fn more(model: &mut Model) -> Option<Effect> {
    let pane = model.focus.pane;
    let at = model.selected_in(pane).map_or(0, |(at, _)| at);
    more_below(model, pane, at)
}

/// The same for a given index in a pane.
pub(crate) fn more_below(model: &mut Model, pane: Pane, at: usize) -> Option<Effect> {
    if at + READ_AHEAD < model.rows(pane).len() {
        return None;
    }
    match pane {
        Pane::Closed => model
            .account
            .store
            .closed
            .ask_more()
            .map(ReadOnce::MoreClosed)
            .map(Effect::Read),
        Pane::History => model
            .account
            .store
            .history
            .ask_more()
            .map(ReadOnce::MoreHistory)
            .map(Effect::Read),
        Pane::Activity => model.account.activity.ask_earlier().map(Effect::Earlier),
        Pane::Positions | Pane::Orders | Pane::Twaps | Pane::Scaled | Pane::Calls => None,
    }
}
