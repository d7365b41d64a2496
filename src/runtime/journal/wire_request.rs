//! What a caller sends through the socket: one line with the request, its account and the time it was made.

use super::shared_journal::AccountAddress;
use crate::{
    api::{Method, Request},
    app::{self, KeyOrigin, Sending, activity::user_alerts::AlertEdit},
    model::{AccountId, IdempotencyKey, Risk},
    runtime::base::clock::Shared,
};
use serde::{Deserialize, Serialize};

/// A request, its account, and when it was made. The field names are on the wire.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Envelope {
    pub(super) to: AccountAddress,
    pub(super) made: Shared,
    #[serde(rename = "wish")]
    pub(super) request: WireRequest,
}

impl Envelope {
    pub(super) fn new(to: AccountAddress, request: WireRequest) -> Self {
        let made = Shared::now();
        Self { to, made, request }
    }
}

/// A request on the wire.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WireRequest {
    Send {
        method: String,
        target: String,
        key: IdempotencyKey,
        body: String,
        sending: Sending,
        risk: Risk,
        /// An older desk reads none.
        #[serde(default, skip_serializing_if = "is_made")]
        key_origin: KeyOrigin,
    },
    Flatten,
    /// Boxed: the alert would make every request large.
    EditAlerts(Box<AlertEdit>),
}

impl WireRequest {
    /// Every request has a key, whether or not its endpoint uses it; the risk is the caller's classification.
    pub(crate) fn send(
        request: Request,
        key: IdempotencyKey,
        (sending, key_origin, risk): (Sending, KeyOrigin, Risk),
    ) -> Self {
        Self::Send {
            method: request.method.to_string(),
            target: request.target,
            key,
            body: String::from_utf8_lossy(&request.body).into_owned(),
            sending,
            risk,
            key_origin,
        }
    }

    /// `None` if it is no command.
    pub(super) fn command(self, account: &AccountId) -> Option<app::CallerRequest> {
        let (method, target, key, body, (sending, key_origin, risk)) = match self {
            Self::Flatten => return Some(app::CallerRequest::Flatten(account.clone())),
            Self::EditAlerts(edit) => return Some(app::CallerRequest::EditAlerts(*edit)),
            Self::Send {
                method,
                target,
                key,
                body,
                sending,
                risk,
                key_origin,
            } => (method, target, key, body, (sending, key_origin, risk)),
        };
        let request = Request {
            method: method.parse::<Method>().ok()?,
            target,
            key: Some(key.clone()),
            body: body.into_bytes(),
        };
        Some(app::CallerRequest::Send {
            command: request.command()?.classed(risk),
            key,
            sending,
            key_origin,
        })
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_made(origin: &KeyOrigin) -> bool {
    *origin == KeyOrigin::Made
}
