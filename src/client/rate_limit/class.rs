//! The class of a request decides how long a short budget holds it back.

/// In the order in which a short budget serves them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestClass {
    /// Closes, cancels, and the reads that prove their outcome.
    Exit,
    /// Commands that may increase exposure.
    Entry,
    /// The regular polls.
    Poll,
}
