//! What the exchange answers when it says no: status, envelope and headers of one wire error.

use super::engine::{OrderId, Refusal, RefusalKind, RuleId};
use crate::api::{ErrorDetail, ErrorEnvelope};
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{json, value::to_raw_value};
use std::borrow::Cow;
use uuid::Uuid;

/// A refused request. Kept by the idempotency records too, so it carries no `request_id` of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Fault {
    #[serde(with = "status")]
    pub(super) status: StatusCode,
    pub(super) code: Cow<'static, str>,
    /// Names the field or the thing, its value and what is allowed.
    pub(super) message: String,
    /// The offending body field or query parameter; told as `details.field`.
    pub(super) field: Option<String>,
    pub(super) order: Option<OrderId>,
    pub(super) rule: Option<RuleId>,
    pub(super) header: Option<FaultHeader>,
}

/// The header some statuses owe the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum FaultHeader {
    /// Whole seconds, at least 1 (`api.md`, Limits).
    RetryAfter(u64),
    /// The methods a path does take.
    Allow(String),
    /// 401 only.
    Challenge,
}

impl Fault {
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            code: Cow::Borrowed(code),
            message: message.into(),
            field: None,
            order: None,
            rule: None,
            header: None,
        }
    }

    /// 400 without a single field to blame.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", message)
    }

    /// 400 that names the field.
    pub(super) fn field(
        field: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            field: Some(field.into()),
            ..Self::new(StatusCode::BAD_REQUEST, code, message)
        }
    }

    /// Missing and foreign things alike: the words depend on the kind of thing only.
    pub(super) fn not_found(what: &str) -> Self {
        let message = format!("no such {what}, or it is not yours");
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    pub(super) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// 500: the exchange itself is at fault and took nothing further.
    pub(super) fn broken(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", message)
    }

    #[must_use]
    pub(super) fn retry_after(self, seconds: u64) -> Self {
        Self {
            header: Some(FaultHeader::RetryAfter(seconds.max(1))),
            ..self
        }
    }

    /// `wait` is the wall time, in whole seconds, a cooldown refusal asks for.
    pub(super) fn of(refusal: Refusal, wait: u64) -> Self {
        let status = match refusal.kind {
            RefusalKind::Payload => StatusCode::BAD_REQUEST,
            RefusalKind::NotFound => return Self::not_found("resource"),
            RefusalKind::Conflict => StatusCode::CONFLICT,
            RefusalKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            RefusalKind::Cooldown { .. } => StatusCode::TOO_MANY_REQUESTS,
        };
        let fault = Self {
            field: refusal.field.map(str::to_owned),
            order: refusal.order,
            rule: refusal.rule,
            ..Self::new(status, refusal.code.into_str(), refusal.message)
        };
        match refusal.kind {
            RefusalKind::Cooldown { .. } | RefusalKind::Unavailable => fault.retry_after(wait),
            RefusalKind::Payload | RefusalKind::NotFound | RefusalKind::Conflict => fault,
        }
    }

    pub(super) fn envelope(&self, request_id: Uuid) -> Vec<u8> {
        let details = self
            .field
            .as_ref()
            .and_then(|field| to_raw_value(&json!({ "field": field })).ok());
        let envelope = ErrorEnvelope {
            error: ErrorDetail {
                code: self.code.as_ref().into(),
                message: self.message.as_str().into(),
                request_id: Some(request_id.to_string().into()),
                order_id: self.order.map(|id| id.to_string().into()),
                rule_id: self.rule.map(|rule| rule.into_str().into()),
                details,
            },
        };
        serde_json::to_vec(&envelope).unwrap_or_default()
    }
}

/// A status as its number.
mod status {
    use hyper::StatusCode;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    pub(super) fn serialize<S: Serializer>(status: &StatusCode, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u16(status.as_u16())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<StatusCode, D::Error> {
        StatusCode::from_u16(u16::deserialize(from)?).map_err(D::Error::custom)
    }
}
