//! A form as words: its fields, what would come of it, what is wrong with it.

use super::Span;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FormView {
    /// What is being done, to what, on which account.
    pub title: Vec<Span>,
    pub fields: Vec<FieldView>,
    /// Label and value of each consequence: notional, margin, liquidation estimate, resulting position.
    pub preview: Vec<(&'static str, Span)>,
    /// The service's answer or what blocks sending: one span per line.
    pub trouble: Vec<Span>,
    /// The exact body that would be sent, when asked for.
    pub json: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldView {
    pub label: &'static str,
    pub value: ValueView,
    pub focused: bool,
    /// What the field accepts, shown beside it while focused.
    pub hint: String,
    pub fault: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueView {
    /// Typed text; `cursor` counts characters from its start.
    Text { text: String, cursor: usize },
    /// One of a closed set.
    Choice { options: Vec<String>, chosen: usize },
}

/// Replaced by the forms branch.
pub fn form(_: &crate::app::form::Form, _: &crate::app::Model) -> FormView {
    FormView::default()
}
