//! What an update says of one number.

use super::Num;

/// An update that leaves a number out keeps it; one that names it may clear it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patch {
    #[default]
    Keep,
    /// `None` clears it.
    Is(Option<Num>),
}

impl Patch {
    pub fn over(self, before: Option<Num>) -> Option<Num> {
        match self {
            Self::Keep => before,
            Self::Is(number) => number,
        }
    }
}
