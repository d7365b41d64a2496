//! A request as the endpoints receive it, and a successful response.

use super::{
    api_error::ApiError, auth::AuthenticatedUser, clock::RetryWait, decode,
    response_cache::CachedRead,
};
use crate::api::{Data, IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_LIMIT};
use hyper::{HeaderMap, StatusCode, Uri, body::Bytes};
use serde::{Serialize, de::DeserializeOwned};

pub(super) const JSON: &str = "application/json";

/// A success, already in its envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ApiResponse {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
    /// The `Content-Type`.
    pub(super) media: &'static str,
    /// On 202 only.
    pub(super) retry_after: Option<RetryWait>,
}

impl ApiResponse {
    pub(super) fn new(status: StatusCode, envelope: &impl Serialize) -> Result<Self, ApiError> {
        let body = serde_json::to_vec(envelope)
            .map_err(|why| ApiError::broken(format!("the answer could not be written: {why}")))?;
        Ok(Self::json(status, body.into()))
    }

    fn json(status: StatusCode, body: Bytes) -> Self {
        Self {
            status,
            body,
            media: JSON,
            retry_after: None,
        }
    }

    pub(super) fn ok(envelope: &impl Serialize) -> Result<Self, ApiError> {
        Self::new(StatusCode::OK, envelope)
    }

    /// 200 with `{data: …}`.
    pub(super) fn data(data: impl Serialize) -> Result<Self, ApiError> {
        Self::ok(&Data { data })
    }

    /// With the body of an earlier answer.
    pub(super) fn again(body: Bytes) -> Self {
        Self::json(StatusCode::OK, body)
    }
}

/// One request, fully read.
#[derive(Debug)]
pub(super) struct ApiRequest {
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    pub(super) execution: Execution,
}

/// Whether a command runs now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Execution {
    Immediate,
    /// Only begun, because of an injected fault.
    Deferred,
}

impl ApiRequest {
    /// As a read of this caller.
    pub(super) fn read_by(&self, caller: Option<&AuthenticatedUser>) -> CachedRead<'_> {
        let target = self.uri.path_and_query();
        CachedRead {
            user: caller.map(|caller| caller.user),
            target: target.map_or("", |target| target.as_str()),
        }
    }

    /// The `Idempotency-Key`: exactly one, 1 to 128 characters of 0x20 to 0x7E.
    pub(super) fn key(&self) -> Result<&str, ApiError> {
        let refused = |message: &str| ApiError::invalid("Idempotency-Key", message);
        let mut given = self.headers.get_all(IDEMPOTENCY_KEY).iter();
        let key = given
            .next()
            .ok_or_else(|| refused("the header Idempotency-Key is required"))?;
        if given.next().is_some() {
            return Err(refused("the header Idempotency-Key is given twice"));
        }
        let key = key
            .to_str()
            .ok()
            .filter(|key| key.bytes().all(|b| (b' '..=b'~').contains(&b)));
        key.filter(|key| (1..=IDEMPOTENCY_KEY_LIMIT).contains(&key.len()))
            .ok_or_else(|| refused("Idempotency-Key must be 1 to 128 printable ASCII characters"))
    }

    /// The `Idempotency-Key` of an endpoint where it is optional.
    pub(super) fn key_if_given(&self) -> Result<Option<&str>, ApiError> {
        if self.headers.contains_key(IDEMPOTENCY_KEY) {
            self.key().map(Some)
        } else {
            Ok(None)
        }
    }

    /// The body as `T`; an error names the path of every field that is wrong.
    pub(super) fn json<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        decode::json(&self.body).map_err(ApiError::fields)
    }

    /// For endpoints without a body: nothing, or the `{}` that some libraries always send.
    pub(super) fn no_body(&self) -> Result<(), ApiError> {
        match self.body.trim_ascii() {
            b"" | b"{}" => Ok(()),
            _ => Err(ApiError::body("this endpoint takes no body")),
        }
    }
}
