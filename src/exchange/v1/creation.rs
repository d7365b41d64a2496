//! Creates orders, TWAP, VWAP and scaled orders (docs/service-api.md 4.1 to 4.3).
//! With an `Idempotency-Key` a creation happens once; a repetition returns the current state of what it made.

use super::super::{
    api_error::{ApiError, ApiResult},
    call::ApiAnswer,
    engine::{Engine, EngineCommand},
    idempotency::{IdempotentRequest, IdempotentResult, KeyedRequest},
    message::ApiResponse,
    state::{CommandCall, ExchangeState},
    wire,
};
use crate::{
    api::Data,
    model::{AccountId, ClientOrderId, PlaceOrder, PlaceScaled, PlaceTwap},
};
use hyper::StatusCode;

/// What a body creates, and the request that its key identifies. An order needs a key, a strategy may have one.
struct Creation<'a> {
    key: Option<&'a str>,
    request: IdempotentRequest,
    account_id: &'a AccountId,
    client_order_id: Option<&'a ClientOrderId>,
}

pub(super) fn order(call: CommandCall<'_>) -> ApiAnswer {
    let (key, body) = (call.request.key()?, call.request.json::<PlaceOrder>()?);
    let creation = Creation {
        key: Some(key),
        request: IdempotentRequest::Place(Box::new(body.clone())),
        account_id: &body.account_id,
        client_order_id: body.client_order_id.as_ref(),
    };
    create(call, creation, |engine| {
        wire::place(engine, &body).map(EngineCommand::Place)
    })
}

pub(super) fn twap(call: CommandCall<'_>) -> ApiAnswer {
    let key = call.request.key_if_given()?;
    let body: PlaceTwap = call.request.json()?;
    let creation = Creation {
        key,
        request: IdempotentRequest::PlaceTwap(Box::new(body.clone())),
        account_id: &body.account_id,
        client_order_id: None,
    };
    create(call, creation, |engine| {
        wire::twap(engine, &body).map(EngineCommand::PlaceTwap)
    })
}

pub(super) fn scaled(call: CommandCall<'_>) -> ApiAnswer {
    let key = call.request.key_if_given()?;
    let body: PlaceScaled = call.request.json()?;
    let creation = Creation {
        key,
        request: IdempotentRequest::PlaceScaled(Box::new(body.clone())),
        account_id: &body.account_id,
        client_order_id: None,
    };
    create(call, creation, |engine| {
        wire::scaled(engine, &body).map(EngineCommand::PlaceScaled)
    })
}

/// 201 with what was made; 200 with its current state if the key is known.
fn create(
    CommandCall { state, caller, .. }: CommandCall<'_>,
    creation: Creation<'_>,
    command: impl FnOnce(&Engine) -> ApiResult<EngineCommand>,
) -> ApiAnswer {
    let keyed = KeyedRequest {
        user: caller.user,
        key: creation.key,
        request: creation.request,
    };
    if let Some(created) = state.recalled(&keyed)? {
        return answer(state, StatusCode::OK, &created);
    }
    let account = state.account(caller, creation.account_id.raw())?;
    let command = command(&state.engine)?;
    state.check_client_order_id(caller, creation.client_order_id)?;
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
