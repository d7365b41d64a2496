//! What an update says of one figure.

use super::Num;

/// An update that leaves a figure out keeps it; one that names it may clear it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patch<T = Num> {
    #[default]
    Keep,
    /// `None` clears it.
    Is(Option<T>),
}

impl<T> Patch<T> {
    pub fn over(self, before: Option<T>) -> Option<T> {
        match self {
            Self::Keep => before,
            Self::Is(figure) => figure,
        }
    }
}
