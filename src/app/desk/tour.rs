//! The tour of the first start: a few steps on the paper desk, each about one pane, completed by doing it or by a key.
//!
//! Contract: it is shown beside the desk and takes only its own two keys. It never appears on a service, and never
//! again once dismissed. A step counts as done only by a change while it is shown.

use super::{
    model::Model,
    tour_step::{Step, Tour},
};
use crate::{
    app::{
        account::{identity::Mode, pane::Pane, row_id::RowId},
        core::account::Account,
        dialogs::{
            next::Next,
            overlay::{Overlay, StripAction},
        },
        keys::keymap::Action,
    },
    model::{Command, draft::Draft},
};
use strum::IntoEnumIterator;

#[cfg(test)]
mod tests;

impl Tour {
    /// The next step; `None` after the last.
    fn next(self, model: &Model) -> Option<Self> {
        let step = Step::iter().skip_while(|step| *step != self.step).nth(1)?;
        let tour = Self { step, ..self };
        let was_so = tour.is_so(model);
        Some(Self { was_so, ..tour })
    }

    fn after(self, model: &Model) -> Option<Self> {
        if is_on_a_service(&model.account) {
            return None;
        }
        let is_so = self.is_so(model);
        if is_so && !self.was_so {
            return self.next(model);
        }
        Some(Self {
            row: self.row.or_else(|| position(model)),
            was_so: is_so,
            ..self
        })
    }

    /// Whether the step's goal is met now.
    fn is_so(&self, model: &Model) -> bool {
        let top = model.overlays.last();
        match self.step {
            Step::Move => self.row.is_some() && position(model) != self.row,
            Step::Detail => matches!(top, Some(Overlay::Detail(_))),
            Step::Orders => model.focus.pane == Pane::Orders,
            Step::Buy => {
                matches!(top, Some(Overlay::Form(form)) if matches!(form.draft, Draft::Entry(_)))
            }
            Step::Twaps => model.focus.pane == Pane::Twaps,
            Step::History => model.focus.pane.is_history(),
            Step::CloseAll => {
                let strip = top.and_then(Overlay::try_as_strip_ref);
                strip.is_some_and(|strip| {
                    matches!(strip.proposal, StripAction::One(Command::CloseAll(_)))
                })
            }
            Step::Help => matches!(top, Some(Overlay::Help { .. })),
        }
    }
}

fn position(model: &Model) -> Option<RowId> {
    model.selected_in(Pane::Positions).map(|(_, row)| row)
}

fn is_on_a_service(account: &Account) -> bool {
    let identity = account.identity.as_ref();
    identity.is_some_and(|identity| identity.mode == Mode::LiveApi)
}

/// Starts at the first step.
pub(crate) fn start(model: &mut Model) -> Next {
    if is_on_a_service(&model.account) {
        return Next::Refuse("the tour is for the paper desk: perpdeck demo".to_owned());
    }
    model.tour = Some(Tour::default());
    Next::Stay
}

/// Skips the step; returns whether it was that key.
pub(crate) fn step(model: &mut Model, action: Action) -> bool {
    let is_step = action == Action::NextStep && model.tour.is_some();
    if is_step {
        model.tour = model.tour.take().and_then(|tour| tour.next(model));
    }
    is_step
}

/// Ends it; returns whether there was one.
pub(crate) fn end(model: &mut Model) -> bool {
    model.tour.take().is_some()
}

/// Moves on if the step's goal was met.
pub(crate) fn proceed(model: &mut Model) {
    model.tour = model.tour.take().and_then(|tour| tour.after(model));
}
