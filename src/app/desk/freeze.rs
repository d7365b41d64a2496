//! Freezes the display: it shows the lists as they were, while the desk goes on with the present ones.
//!
//! Contract: only what is drawn is frozen. Lists arrive, alerts fire, and workflows place, move and cancel as ever: a fill has
//! its targets, a trailing stop trails. On the screen ages, the activity and the outcomes of this desk's own commands keep
//! changing. Anything that opens in order to act ends the pause first: nobody acts on frozen data.

use super::{
    frozen::{Frozen, Lists},
    model::Model,
};

/// Freezes the display.
pub(crate) fn freeze(model: &mut Model) {
    let account = &model.account;
    model.frozen = Some(Frozen::new(&account.store, account.now));
}

/// The display shows the present again.
pub(crate) fn thaw(model: &mut Model) {
    turn(model, Lists::OfNow);
    model.frozen = None;
}

/// Does something with the lists of now, behind a display that is frozen.
pub(crate) fn behind<T>(model: &mut Model, act: impl FnOnce(&mut Model) -> T) -> T {
    turn(model, Lists::OfNow);
    let done = act(model);
    turn(model, Lists::Frozen);
    done
}

fn turn(model: &mut Model, to: Lists) {
    if let Some(frozen) = &mut model.frozen {
        frozen.turn(&mut model.account.store, to);
    }
}
