//! Freezes the display: it shows the lists as they were, while the desk goes on with the present ones.
//!
//! Contract: only what is drawn is frozen. Lists arrive, alerts fire, and workflows place, move and cancel as ever: a fill has
//! its targets, a trailing stop trails. On the screen ages, the activity and the outcomes of this desk's own commands keep
//! changing. Anything that opens in order to act ends the pause first: nobody acts on frozen data.

use super::model::Model;
use crate::{app::account::store::Store, model::Timestamp};

#[derive(Debug)]
pub struct Frozen {
    pub since: Timestamp,
    /// The lists that the desk does not show: those of now, or the frozen ones while something [`behind`] runs.
    hidden: Box<Store>,
    in_use: Lists,
}

/// The lists that the account has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    Frozen,
    OfNow,
}

/// Freezes the display.
pub(crate) fn freeze(model: &mut Model) {
    model.frozen = Some(Frozen {
        since: model.account.now,
        hidden: Box::new(Store::clone(&model.account.store)),
        in_use: Lists::Frozen,
    });
}

/// The display shows the present again.
pub(crate) fn thaw(model: &mut Model) {
    if let Some(mut frozen) = model.frozen.take()
        && frozen.in_use == Lists::Frozen
    {
        model.account.store.swap_lists(&mut frozen.hidden);
    }
}

/// Does something with the lists of now, behind a display that is frozen.
pub(crate) fn behind<T>(model: &mut Model, act: impl FnOnce(&mut Model) -> T) -> T {
    turn(model, Lists::OfNow);
    let done = act(model);
    turn(model, Lists::Frozen);
    done
}

fn turn(model: &mut Model, to: Lists) {
    if let Some(frozen) = &mut model.frozen
        && frozen.in_use != to
    {
        model.account.store.swap_lists(&mut frozen.hidden);
        frozen.in_use = to;
    }
}

impl Frozen {
    /// The lists as they are shown, while something [`behind`] runs.
    pub(crate) fn shown(&mut self) -> Option<&mut Store> {
        (self.in_use == Lists::OfNow).then_some(&mut *self.hidden)
    }
}
