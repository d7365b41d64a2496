//! Mouse clicks on a form.

use super::form::Form;
use crate::{
    app::{core::account::FormContext, tables::click_target::ClickTarget},
    model::draft::Field,
};

impl Form {
    /// A click focuses a field, or chooses an option. It never sends anything.
    pub(crate) fn click(&mut self, spot: &ClickTarget, form_context: &FormContext) {
        match spot {
            ClickTarget::Field(field) => self.point(*field),
            ClickTarget::Choice(field, option) => {
                self.point(*field);
                let choice = self.choice(self.focus, form_context);
                let at = choice.and_then(|choice| choice.options.iter().position(|o| o == option));
                if let Some(at) = at.filter(|_| self.focus == *field) {
                    self.pick(|form| form.choose(at, form_context));
                }
            }
            ClickTarget::NextChoice(field) => {
                self.point(*field);
                if self.focus == *field {
                    self.pick(|form| form.turn(1, form_context));
                }
            }
            ClickTarget::Pane(_)
            | ClickTarget::Panel(_)
            | ClickTarget::ChartOn(_)
            | ClickTarget::Ladder(_)
            | ClickTarget::Chart(_)
            | ClickTarget::Row(..)
            | ClickTarget::Key(..)
            | ClickTarget::Toast
            | ClickTarget::Account(_)
            | ClickTarget::Market(_)
            | ClickTarget::UserAlert(_)
            | ClickTarget::Over
            | ClickTarget::Nothing => {}
        }
    }

    /// The search letters stay while their field keeps the focus.
    fn point(&mut self, field: Field) {
        if self.focus != field && self.draft.fields().contains(&field) {
            self.focus_on(field);
        }
    }
}
