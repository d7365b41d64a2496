//! Resolves relative prices: shown while they are typed, replaced by digits before the form is sent.

use super::form::{Around, Form};
use crate::{
    app::keys::line::Line,
    model::{
        Num,
        draft::{Draft, DraftFault, Field},
    },
};

impl Form {
    /// The current value of a relative price; `None` if the field has none.
    pub fn meant(&self, field: Field, around: &Around) -> Option<Result<Num, DraftFault>> {
        self.draft.meant(field, &self.seen(around))
    }

    /// The draft with digits in place of relative prices.
    pub(crate) fn in_digits(&self, around: &Around) -> Draft {
        let mut draft = self.draft.clone();
        for field in self.draft.fields() {
            if let Some(Ok(price)) = self.meant(field, around) {
                draft.write(field, &price.to_string());
            }
        }
        draft
    }

    /// The form as it would be sent, for estimates.
    #[must_use]
    pub fn reckoned(&self, around: &Around) -> Self {
        Self {
            draft: self.in_digits(around),
            ..self.clone()
        }
    }

    /// Replaces relative prices; returns whether there were any.
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
