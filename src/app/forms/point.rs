//! Mouse clicks on a form.

use super::form::{Around, Form};
use crate::{app::tables::spot::Spot, model::draft::Field};

impl Form {
    /// A click focuses a field, or chooses an option. It never sends anything.
    pub(crate) fn click(&mut self, spot: &Spot, around: &Around) {
        match spot {
            Spot::Field(field) => self.point(*field),
            Spot::Choice(field, option) => {
                self.point(*field);
                let choice = self.choice(self.focus, around);
                let at = choice.and_then(|choice| choice.options.iter().position(|o| o == option));
                if let Some(at) = at.filter(|_| self.focus == *field) {
                    self.pick(|form| form.choose(at, around));
                }
            }
            Spot::NextChoice(field) => {
                self.point(*field);
                if self.focus == *field {
                    self.pick(|form| form.turn(1, around));
                }
            }
            Spot::Pane(_)
            | Spot::Panel(_)
            | Spot::Ladder(_)
            | Spot::Row(..)
            | Spot::Key(..)
            | Spot::Toast
            | Spot::Account(_)
            | Spot::Market(_)
            | Spot::UserAlert(_)
            | Spot::Over => {}
        }
    }

    /// The search letters stay while their field keeps the focus.
    fn point(&mut self, field: Field) {
        if self.focus != field && self.draft.fields().contains(&field) {
            self.focus_on(field);
        }
    }
}
