//! Creates orders, TWAP, VWAP and scaled orders (docs/service-api.md 4.1 to 4.3).
//! With an `Idempotency-Key` a creation happens once; a repetition returns the current state of what it made.

mod scaled;
mod twap;

use super::super::{
    api_error::{ApiError, ApiResult},
    engine::{Engine, EngineCommand},
    idempotency::{IdempotentRequest, IdempotentResult, KeyedRequest},
    message::{ApiRequest, ApiResponse},
    state::{CommandCall, ExchangeState},
    wire,
};
use crate::{
    api::Data,
    model::{AccountId, ClientOrderId, PlaceOrder},
};
use hyper::StatusCode;
use serde::de::DeserializeOwned;

/// A body that creates something.
pub(super) trait CreationBody: DeserializeOwned + Clone {
    /// What its key identifies.
    fn keyed_request(self) -> IdempotentRequest;

    /// An order needs a key, a strategy may have one.
    fn key(request: &ApiRequest) -> ApiResult<Option<&str>> {
        request.key_if_given()
    }

    fn account_id(&self) -> &AccountId;

    fn client_order_id(&self) -> Option<&ClientOrderId> {
        None
    }

    fn command(&self, engine: &Engine) -> ApiResult<EngineCommand>;
}

impl CreationBody for PlaceOrder {
    fn keyed_request(self) -> IdempotentRequest {
        IdempotentRequest::Place(Box::new(self))
    }

    fn key(request: &ApiRequest) -> ApiResult<Option<&str>> {
        request.key().map(Some)
    }

    fn account_id(&self) -> &AccountId {
        &self.account_id
    }

    fn client_order_id(&self) -> Option<&ClientOrderId> {
        self.client_order_id.as_ref()
    }

    fn command(&self, engine: &Engine) -> ApiResult<EngineCommand> {
        wire::place(engine, self).map(EngineCommand::Place)
    }
}

/// 201 with what was made; 200 with its current state if the key is known.
pub(super) fn create<Body: CreationBody>(call: CommandCall<'_>) -> ApiResult<ApiResponse> {
    let (state, caller, request) = (call.state, call.caller, call.request);
    let key = Body::key(request)?;
    let body: Body = request.json()?;
    let keyed = KeyedRequest {
        user: caller.user,
        key,
        request: body.clone().keyed_request(),
    };
    if let Some(created) = state.recalled(&keyed)? {
        return answer(state, StatusCode::OK, &created);
    }
    let account = state.account(caller, body.account_id().raw())?;
    let command = body.command(&state.engine)?;
    state.check_client_order_id(caller, body.client_order_id())?;
    let created = state.apply_once(keyed, account, command)?;
    answer(state, StatusCode::CREATED, &created)
}

/// The current state of what a creation made.
fn answer(
    state: &ExchangeState,
    status: StatusCode,
    created: &IdempotentResult,
) -> ApiResult<ApiResponse> {
    match created {
        IdempotentResult::Order(account, id) => {
            let data = state.read(*account, *id)?;
            ApiResponse::new(status, &Data { data })
        }
        IdempotentResult::Twap(account, id) => {
            let data = state.read(*account, *id)?;
            ApiResponse::new(status, &Data { data })
        }
        IdempotentResult::Scaled(account, id) => {
            let data = state.read(*account, *id)?;
            ApiResponse::new(status, &Data { data })
        }
        IdempotentResult::Refused(_) | IdempotentResult::Operation(_) => {
            Err(ApiError::broken("a creation that made something else"))
        }
    }
}
