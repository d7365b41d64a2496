//! Resolves relative prices: shown while they are typed, replaced by digits before the form is sent.

use super::form::Form;
use crate::{
    app::{core::account::FormContext, keys::line::Line},
    model::{
        Num,
        draft::{Draft, DraftFault, Field},
    },
};

impl Form {
    /// The current value of a relative price; `None` if the field has none.
    pub fn resolved_price(
        &self,
        field: Field,
        form_context: &FormContext,
    ) -> Option<Result<Num, DraftFault>> {
        self.draft.resolved_price(field, &self.seen(form_context))
    }

    /// The draft with digits in place of relative prices.
    pub(crate) fn in_digits(&self, form_context: &FormContext) -> Draft {
        let mut draft = self.draft.clone();
        for field in self.draft.fields() {
            if let Some(Ok(price)) = self.resolved_price(field, form_context) {
                draft.write(field, &price.to_string());
            }
        }
        draft
    }

    /// The form with digits in place of relative prices.
    #[must_use]
    pub(crate) fn with_digits(&self, form_context: &FormContext) -> Self {
        Self {
            draft: self.in_digits(form_context),
            ..self.clone()
        }
    }

    /// The form as it would be sent, for estimates.
    #[must_use]
    pub fn resolved(&self, form_context: &FormContext) -> Self {
        let written = self.with_digits(form_context);
        match written.bracketed(form_context) {
            Ok(draft) => Self { draft, ..written },
            Err(_) => written,
        }
    }

    /// Replaces relative prices; returns whether there were any.
    pub(crate) fn resolve_prices(&mut self, form_context: &FormContext) -> bool {
        let draft = self.in_digits(form_context);
        let has_changed = draft != self.draft;
        if has_changed {
            self.draft = draft;
            let text = self.draft.text(self.focus).unwrap_or_default();
            self.line = Line::new(text);
        }
        has_changed
    }
}
