//! The streams of a service.

/// The two streams of a service (docs/service-api.md 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StreamKind {
    /// Market data, for everybody.
    Market,
    /// The accounts of a key.
    Account,
}
