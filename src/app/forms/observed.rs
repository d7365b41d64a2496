//! Fills in the observed price.

use super::{form::Form, step};
use crate::{
    app::{core::account::FormContext, forms::answer::Answer, keys::line::Line},
    model::{Num, draft::Field},
};

impl Form {
    /// Whether there is an observed price and a field for it.
    pub fn can_fill(&self, form_context: &FormContext) -> bool {
        let field = self.observed_field();
        field.is_some_and(|field| self.observed(field, form_context).is_some())
    }

    /// Writes the observed price into the focused price field, otherwise into the first required one.
    pub(crate) fn fill_observed(&mut self, form_context: &FormContext) -> Answer {
        let Some(field) = self.observed_field() else {
            return Answer::Refuse("there is no price field to fill".to_owned());
        };
        let Some(price) = self.observed(field, form_context) else {
            return Answer::Refuse(
                "no observed price: no price of this market is known".to_owned(),
            );
        };
        self.focus_on(field);
        self.change(|line| *line = Line::new(&price.to_string()));
        Answer::Stay
    }

    fn observed_field(&self) -> Option<Field> {
        let fields = self.draft.fields();
        let focused = Some(self.focus).filter(|field| field.is_price());
        let must = |field: &Field| field.is_price() && self.draft.is_required(*field);
        let limit = Some(Field::LimitPrice).filter(|field| fields.contains(field));
        let first = fields.iter().copied().find(must);
        focused.or(limit).or(first)
    }

    fn observed(&self, field: Field, form_context: &FormContext) -> Option<Num> {
        let side = self
            .side(form_context)
            .filter(|_| field == Field::LimitPrice);
        step::observed(field, &self.seen(form_context), side)
    }
}
