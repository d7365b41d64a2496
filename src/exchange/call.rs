//! How an endpoint reads or changes the state.

use super::{
    api_error::{ApiError, ApiResult},
    auth::AuthenticatedUser,
    message::{ApiRequest, ApiResponse},
    service::ExchangeService,
    state::{CommandCall, ExchangeState},
};
use crate::api::Data;
use serde::Serialize;

pub(super) type ApiAnswer = ApiResult<ApiResponse>;

/// One request, and who sent it; without a caller on public routes only.
#[derive(Debug, Clone, Copy)]
pub(super) struct RouteCall<'a> {
    pub(super) service: &'a ExchangeService,
    pub(super) caller: Option<&'a AuthenticatedUser>,
    pub(super) request: &'a ApiRequest,
}

impl<'a> RouteCall<'a> {
    pub(super) fn caller(self) -> ApiResult<&'a AuthenticatedUser> {
        self.caller
            .ok_or_else(|| ApiError::broken("a private route without a caller"))
    }

    /// `{data: …}` for anybody.
    pub(super) fn public<T: Serialize>(
        self,
        row: impl FnOnce(&ExchangeState) -> ApiResult<T>,
    ) -> ApiAnswer {
        let read = self.request.read_by(self.caller);
        self.service.read(read, row, |data| Data { data })
    }

    /// `{data: …}` for the caller.
    pub(super) fn row<T: Serialize>(
        self,
        row: impl FnOnce(&ExchangeState, &AuthenticatedUser) -> ApiResult<T>,
    ) -> ApiAnswer {
        let caller = self.caller()?;
        self.public(|state| row(state, caller))
    }

    /// What changes something, under the lock of the state.
    pub(super) fn command(self, command: impl FnOnce(CommandCall<'_>) -> ApiAnswer) -> ApiAnswer {
        let (caller, request) = (self.caller()?, self.request);
        command(CommandCall {
            state: &mut *self.service.state()?,
            caller,
            request,
        })
    }
}
