//! What a command is carried out with.

use super::{auth::AuthenticatedUser, message::ApiRequest, state::ExchangeState};

/// A request that changes something, and the locked state.
#[derive(Debug)]
pub(super) struct CommandCall<'a> {
    pub(super) state: &'a mut ExchangeState,
    pub(super) caller: &'a AuthenticatedUser,
    pub(super) request: &'a ApiRequest,
}
