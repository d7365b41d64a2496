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
    is_behind: bool,
}

/// Freezes the display.
pub(crate) fn freeze(model: &mut Model) {
    model.frozen = Some(Frozen {
        since: model.account.now,
        hidden: Box::new(Store::clone(&model.account.store)),
        is_behind: false,
    });
}

/// The display shows the present again.
pub(crate) fn thaw(model: &mut Model) {
    if let Some(mut frozen) = model.frozen.take()
        && !frozen.is_behind
    {
        model.account.store.swap_lists(&mut frozen.hidden);
    }
}

/// Does something with the lists of now, behind a display that is frozen.
pub(crate) fn behind<T>(model: &mut Model, act: impl FnOnce(&mut Model) -> T) -> T {
    turn(model, true);
    let done = act(model);
    turn(model, false);
    done
}

fn turn(model: &mut Model, behind: bool) {
    if let Some(frozen) = &mut model.frozen
        && frozen.is_behind != behind
    {
        model.account.store.swap_lists(&mut frozen.hidden);
        frozen.is_behind = behind;
    }
}

impl Frozen {
    /// The lists as they are shown, while something [`behind`] runs.
    pub(crate) fn shown(&mut self) -> Option<&mut Store> {
        self.is_behind.then_some(&mut *self.hidden)
    }
}
