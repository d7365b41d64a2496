//! Asks for the order book of the market that a form is open in, and for no other.

use crate::{
    app::{account::books::EVERY, desk::model::Model, dialogs::effect::Effect, forms::form::Form},
    model::{MarketId, Timestamp},
};

/// Asks for the book of the open form's market, when it is time to.
pub(crate) fn ask(model: &mut Model) -> Option<Effect> {
    let market = open(model).and_then(Form::market_id)?.clone();
    let now = model.now;
    let asked = model.store.books.asked.as_ref();
    let is_fresh = |(of, at): &(MarketId, Timestamp)| *of == market && now.since(*at) < EVERY;
    if asked.is_some_and(is_fresh) {
        return None;
    }
    model.store.books.asked = Some((market.clone(), now));
    Some(Effect::Book(market))
}

fn open(model: &Model) -> Option<&Form> {
    model.overlays.last()?.try_as_form_ref().map(|form| &**form)
}
