//! Prices said by another become digits: shown while they are written, put in their place before the form goes on.

use super::form::{Around, Form};
use crate::{
    app::keys::line::Line,
    model::{
        Num,
        draft::{Draft, DraftFault, Field},
    },
};

impl Form {
    /// What a price said by another comes to now; `None` where the field says none.
    pub fn meant(&self, field: Field, around: &Around) -> Option<Result<Num, DraftFault>> {
        self.draft.meant(field, &self.seen(around))
    }

    /// With the digits of such prices in their place.
    pub(crate) fn in_digits(&self, around: &Around) -> Draft {
        let mut draft = self.draft.clone();
        for field in self.draft.fields() {
            if let Some(Ok(price)) = self.meant(field, around) {
                draft.write(field, &price.to_string());
            }
        }
        draft
    }

    /// As it would be sent: what follows from it is told of that.
    #[must_use]
    pub fn reckoned(&self, around: &Around) -> Self {
        Self {
            draft: self.in_digits(around),
            ..self.clone()
        }
    }

    /// Puts them there. Whether any were.
    pub(crate) fn resolve_prices(&mut self, around: &Around) -> bool {
        let draft = self.in_digits(around);
        let has_changed = draft != self.draft;
        if has_changed {
            self.draft = draft;
            let text = self.draft.text(self.focus).unwrap_or_default();
            self.line = Line::new(text);
        }
        has_changed
    }
}
