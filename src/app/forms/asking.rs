//! The questions that a form asks before it sends; the key that sends is the answer.

use super::form::Form;
use crate::{
    app::{
        core::account::Account,
        keys::DEAF,
        rules::warnings::{self, OrderWarning},
    },
    model::{Command, Risk, Timestamp, draft::Draft},
};

impl Form {
    /// Whether it must ask before it sends this.
    pub(crate) fn must_ask(&mut self, account: &Account, command: &Command) -> bool {
        if self.question_at.is_some() {
            return !self.accepts_answer(account.now);
        }
        let raises = command.risk() == Risk::Increasing;
        let mut warnings = self.warnings(account).into_iter();
        let needs_answer = warnings.any(|warning| raises || warning.is_of_waiting_price());
        self.question_at = needs_answer.then_some(account.now);
        needs_answer
    }

    /// When it starts to accept the answer: an earlier key was pressed before the question could be read.
    pub fn accepts_answer_from(&self) -> Option<Timestamp> {
        self.question_at.map(|at| at.plus(DEAF))
    }

    pub fn accepts_answer(&self, now: Timestamp) -> bool {
        self.accepts_answer_from().is_some_and(|from| now >= from)
    }

    pub fn warnings(&self, account: &Account) -> Vec<OrderWarning> {
        let seen = self.seen(&account.form_context());
        let bracketed = self.bracketed(&account.form_context()).ok();
        let draft = bracketed.as_ref().unwrap_or(&self.draft);
        let is_entry = matches!(self.draft, Draft::Entry(_));
        let untaken = self.untaken.filter(|_| is_entry);
        // An order that is moved has brought its exits already.
        let is_new = self.replaces.is_none();
        let own = warnings::of_draft(draft, &seen, account).into_iter();
        let own = own.filter(|it| is_new || !matches!(it, OrderWarning::Replaces(_)));
        let untaken = untaken.map(OrderWarning::Untaken).into_iter();
        let small = self.small_target(&account.form_context());
        untaken.chain(small).chain(own).collect()
    }
}
