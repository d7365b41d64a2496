//! The accounts of a desk, for drawing.

use super::AccountSet;
use crate::app::desk::model::Model;

/// The accounts to draw.
#[derive(Debug, Clone)]
pub struct Desks<'a> {
    pub shown: &'a Model,
    /// All of them, in order.
    pub all: Vec<&'a Model>,
}

impl<'a> From<&'a Model> for Desks<'a> {
    fn from(shown: &'a Model) -> Self {
        Self {
            shown,
            all: vec![shown],
        }
    }
}

impl<'a> From<&'a AccountSet> for Desks<'a> {
    fn from(account_set: &'a AccountSet) -> Self {
        Self {
            shown: account_set.shown(),
            all: account_set.accounts().collect(),
        }
    }
}
