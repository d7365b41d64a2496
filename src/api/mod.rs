//! The HTTP contract of `/v1` for both ends: the client builds requests from these types and the paper exchange parses
//! them, so the two cannot diverge. Names only `model`.
//!
//! Contract: pure text in and out (JSON bytes, paths), no I/O.

mod body;
mod envelope;
mod handshake;
mod query;
mod request;
mod route;

pub use body::{ExitBatchBody, ExitOperationBody, ExitOperationKind, MarginBody};
pub use envelope::{Data, DataQueued, ErrorDetail, ErrorEnvelope, List, MOST_ROWS};
pub use handshake::WebSocketKey;
pub use query::{
    OrderFilter, OrdersQuery, PageQuery, PositionSelector, PositionsQuery, QueryFault, QueryFaults,
    QueryPairs, QuoteSize, TwapSelector, TwapsQuery, no_parameters, parsed, whole,
};
pub use request::Request;
pub use route::{Method, Route, RouteFault, matched_route};

/// Path segments and query values: everything but the characters no URL parser treats specially.
const URL_SAFE: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The header that makes a placement, a close or a close-all safe to repeat.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// `docs/service-api.md 6`: 1 to 128 printable characters.
pub const IDEMPOTENCY_KEY_LIMIT: usize = 128;
/// `docs/service-api.md 6`: page size 1 to 100, default 50.
pub const PAGE_LIMIT: u32 = 100;
pub const PAGE_DEFAULT: u32 = 50;
/// `docs/service-api.md 6`: at most 1024 characters.
pub const CURSOR_LIMIT: usize = 1024;
