//! What follows in a draft when its type or market changes.

use super::open;
use crate::{
    app::{account::used_terms::UsualTerms, core::account::FormContext},
    model::{
        MarketId,
        draft::{DraftShape, EntryDraft, Field, Texts, times_in_force},
    },
};

/// A price of the previous trigger market means nothing in another one.
pub(super) fn watch(watched: &mut Option<MarketId>, texts: &mut Texts, id: MarketId) {
    if watched.as_ref() != Some(&id) {
        *watched = Some(id);
        texts.set(Field::TriggerPrice, "");
    }
}

/// Terms that were not edited follow the type.
pub(super) fn change_shape(draft: &mut EntryDraft, shape: DraftShape, form_context: &FormContext) {
    let habit = |draft: &EntryDraft| match draft.shape {
        DraftShape::Order(kind) => form_context.used.habit(draft.market_id.as_ref(), kind),
        DraftShape::Sliced(_) | DraftShape::Scaled => UsualTerms::default(),
    };
    let before = habit(draft);
    draft.shape = shape;
    let after = habit(draft);
    if draft.texts.of(Field::Slippage) == before.slippage {
        draft.texts.set(Field::Slippage, after.slippage);
    }
    if draft.time_in_force == before.time_in_force {
        draft.time_in_force = after.time_in_force;
    }
    fit(draft, form_context);
}

/// Drops the fields that this type lacks; sets the position of a take profit.
fn fit(draft: &mut EntryDraft, form_context: &FormContext) {
    let times = times_in_force(draft.shape);
    if !times.contains(&draft.time_in_force)
        && let Some(first) = times.first()
    {
        draft.time_in_force = *first;
    }
    let open = open::positions_in(draft.market_id.as_ref(), form_context.store);
    if draft.target.as_ref().is_none_or(|id| !open.contains(id)) {
        draft.target = open.into_iter().next();
    }
}

/// Prices of one market mean nothing in another; unedited terms follow the market.
pub(super) fn change_market(draft: &mut EntryDraft, id: MarketId, form_context: &FormContext) {
    if draft.market_id.as_ref() == Some(&id) {
        return;
    }
    let before = open::terms(draft.market_id.as_ref(), form_context);
    let terms = open::terms(Some(&id), form_context);
    let leverage = draft.texts.of(Field::Leverage);
    if (leverage, draft.margin_mode) == (&*before.leverage, before.margin_mode) {
        draft.texts.set(Field::Leverage, terms.leverage);
        draft.margin_mode = terms.margin_mode;
    }
    if draft.trigger_market == draft.market_id {
        draft.trigger_market = Some(id.clone());
    }
    draft.market_id = Some(id);
    for price in [
        Field::LimitPrice,
        Field::TriggerPrice,
        Field::ChaseOffset,
        Field::ChaseCap,
        Field::TakeProfit,
        Field::StopLoss,
        Field::ExpectedPrice,
        Field::MinPrice,
        Field::MaxPrice,
        Field::StartPrice,
        Field::EndPrice,
    ] {
        draft.texts.set(price, "");
    }
    fit(draft, form_context);
}
