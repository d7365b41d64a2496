//! Asks why the order in the open detail filled as it did.

use crate::app::{
    account::row_id::RowId,
    core::effect::{Effect, ReadOnce},
    desk::model::Model,
    dialogs::overlay::{Detail, Overlay},
};

/// Borrows the store to change it only where something changes: each such borrow draws the desk anew.
pub(crate) fn ask(model: &mut Model) -> Option<Effect> {
    let store = &mut model.account.store;
    let Some(Overlay::Detail(Detail {
        row: RowId::Order(id),
        ..
    })) = model.overlays.last()
    else {
        if store.evidence.is_requested() {
            store.evidence.rest();
        }
        return None;
    };
    let about = store.about.as_ref();
    if about.is_some_and(|about| !about.is_simulator()) {
        return None;
    }
    let order = store.order(id)?;
    if !store.evidence.wants(order) {
        return None;
    }
    let order = order.clone();
    store.evidence.ask(&order);
    Some(Effect::Read(ReadOnce::Evidence(order.id)))
}
