//! The review over the desk follows what is read while it is open.

use crate::app::{
    desk::model::Model,
    dialogs::overlay::{Overlay, Review},
};

/// Of the month that it is now.
pub(crate) fn open(model: &Model) -> Review {
    let today = model.account.options.zone.day(model.account.wall_now());
    Review::new(&model.account.store, today)
}

pub(crate) fn refresh(model: &mut Model) {
    let store = &model.account.store;
    for overlay in &mut model.overlays {
        if let Overlay::Review(review) = overlay {
            review.refresh(store);
        }
    }
}
