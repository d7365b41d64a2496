//! What a request is for, which decides how long a short budget holds it back.

/// In the order in which a short budget serves them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestClass {
    /// Closes, cancels, and the reads that prove what became of them.
    Exit,
    /// What may raise exposure.
    Entry,
    /// The regular polls.
    Poll,
}
