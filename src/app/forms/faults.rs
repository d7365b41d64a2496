//! The errors of a form, and when they are shown.

use super::form::Form;
use crate::{
    app::core::account::FormContext,
    model::draft::{DraftFault, Field, FieldInput, RelativePrice},
};

impl Form {
    /// The visible error of a field: all errors after an attempt to send; before that only errors of filled-in fields,
    /// unless the field is being typed and one more character could make it valid.
    pub fn visible_fault(&self, field: Field, form_context: &FormContext) -> Option<DraftFault> {
        let (fault, written) = self.faulty(field, form_context)?;
        let is_done = self.focus != field || self.is_past_mending(field, written, form_context);
        (self.tried || (!written.is_empty() && is_done)).then_some(fault)
    }

    /// A field's error and text, with relative prices resolved.
    fn faulty(&self, field: Field, form_context: &FormContext) -> Option<(DraftFault, &str)> {
        let written = self.draft.text(field).map_or("", str::trim);
        let resolved = self.resolved_price(field, form_context);
        if let Some(Err(fault)) = resolved {
            return Some((fault, written));
        }
        let digits = Self {
            draft: self.in_digits(form_context),
            ..self.clone()
        };
        let faults = digits.command(form_context).err()?;
        let fault = faults.of(field).cloned()?;
        let completions = RelativePrice::completions(written).filter(|_| field.is_price());
        Some((completions.map_or(fault, DraftFault::Incomplete), written))
    }

    fn is_past_mending(&self, field: Field, written: &str, form_context: &FormContext) -> bool {
        if field.is_price() && RelativePrice::completions(written).is_some() {
            return false;
        }
        let next = match field.takes() {
            FieldInput::Price
            | FieldInput::WatchedPrice
            | FieldInput::Size
            | FieldInput::Number => "0123456789",
            FieldInput::Span => "0123456789smhdw",
            FieldInput::Instant | FieldInput::Choice | FieldInput::Market => return false,
        };
        let seen = self.seen(form_context);
        let mends = |next| {
            let mut longer = self.draft.clone();
            longer.write(field, &format!("{written}{next}"));
            let faults = longer.command(&seen).err();
            faults.is_none_or(|faults| faults.of(field).is_none())
        };
        !next.chars().any(mends)
    }
}

#[cfg(test)]
mod tests {
    use crate::app::{dialogs::overlay::Overlay, testing::*};
    use crate::model::draft::Field;

    fn said(keys: &str, field: Field, text: &str) -> Option<String> {
        let mut model = desk();
        press(&mut model, keys);
        let Some(Overlay::Form(mut form)) = model.overlays.pop() else {
            panic!("no form");
        };
        let form_context = model.account.form_context();
        form.focus = field;
        form.draft.write(field, text);
        form.visible_fault(field, &form_context)
            .map(|fault| fault.to_string())
    }

    #[test]
    fn what_one_character_more_cannot_make_right_is_said_while_it_is_written() {
        for text in ["5s", "0m", "400d"] {
            assert!(said("t", Field::Duration, text).is_some(), "{text}");
        }
        for text in ["5", "2h1", "90"] {
            assert_eq!(said("t", Field::Duration, text), None, "{text}");
        }
        for text in ["41", "abc"] {
            assert!(said("b", Field::Leverage, text).is_some(), "{text}");
        }
    }
}
