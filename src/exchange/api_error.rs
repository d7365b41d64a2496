//! An error response: status, envelope and headers.

use super::decode::{FieldFault, WHOLE_BODY};
use super::engine::{CommandRefusal, OrderId, Reason, RefusalKind, RuleId};
use crate::api::{ErrorDetail, ErrorEnvelope};
use hyper::StatusCode;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::value::{RawValue, to_raw_value};
use serde_with::TryFromInto;
use std::time::Duration;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

/// A refused request. Idempotency records keep it, so it has no `request_id` of its own.
#[serde_with::serde_as]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ApiError {
    #[serde_as(as = "TryFromInto<u16>")]
    pub(super) status: StatusCode,
    pub(super) code: ErrorCode,
    /// Names the field or the object, its value and what is allowed.
    pub(super) message: String,
    /// The offending body fields, query parameters or headers; a 400 sends them as `details`.
    pub(super) faults: Vec<FieldFault>,
    pub(super) order: Option<OrderId>,
    pub(super) rule: Option<RuleId>,
    pub(super) header: Option<ErrorHeader>,
    /// The exact wait behind a `Retry-After` ([`RetryWait`](super::clock::RetryWait)). Not stored: what waits is not recorded.
    #[serde(skip)]
    pub(super) hold: Option<Duration>,
}

/// An answer to a request, or why there is none.
pub(super) type ApiResult<T> = Result<T, ApiError>;

/// `error.code`: the service's own, or the engine's reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display, derive_more::From)]
#[display("{}", self.into_str())]
pub(super) enum ErrorCode {
    Service(ServiceCode),
    Trade(Reason),
}

/// Codes of the service; the engine's are [`Reason`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(super) enum ServiceCode {
    InvalidRequest,
    Unauthorized,
    InsufficientScope,
    NotFound,
    UnknownEndpoint,
    UpgradeRequired,
    MethodNotAllowed,
    HostNotServed,
    HeadTooLarge,
    BodyTooLarge,
    RequestTimeout,
    UnsupportedMediaType,
    UnsupportedContentEncoding,
    RateLimited,
    TooManyConnections,
    TooManyKeys,
    IdempotencyConflict,
    ClientOrderIdConflict,
    ExpectedStateMoved,
    InvalidCursor,
    UnknownMarket,
    QuoteUnavailable,
    RecordsUnavailable,
    SnapshotUnavailable,
    PlantedFault,
    InternalError,
}

impl ServiceCode {
    fn status(self) -> StatusCode {
        match self {
            Self::InvalidRequest | Self::InvalidCursor | Self::UnknownMarket => {
                StatusCode::BAD_REQUEST
            }
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::InsufficientScope => StatusCode::FORBIDDEN,
            Self::NotFound | Self::UnknownEndpoint => StatusCode::NOT_FOUND,
            Self::UpgradeRequired => StatusCode::UPGRADE_REQUIRED,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::HostNotServed => StatusCode::MISDIRECTED_REQUEST,
            Self::HeadTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::UnsupportedMediaType | Self::UnsupportedContentEncoding => {
                StatusCode::UNSUPPORTED_MEDIA_TYPE
            }
            Self::RateLimited | Self::TooManyKeys => StatusCode::TOO_MANY_REQUESTS,
            Self::TooManyConnections
            | Self::QuoteUnavailable
            | Self::RecordsUnavailable
            | Self::SnapshotUnavailable
            | Self::PlantedFault => StatusCode::SERVICE_UNAVAILABLE,
            Self::IdempotencyConflict | Self::ClientOrderIdConflict | Self::ExpectedStateMoved => {
                StatusCode::CONFLICT
            }
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl ErrorCode {
    pub(super) fn into_str(self) -> &'static str {
        match self {
            Self::Service(code) => code.into_str(),
            Self::Trade(reason) => reason.into_str(),
        }
    }
}

/// The word that idempotency records store.
impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.into_str())
    }
}

impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = String::deserialize(from)?;
        let reason = word.parse().map(Self::Trade);
        let code = reason.or_else(|_| word.parse().map(Self::Service));
        code.map_err(|_| D::Error::custom(format_args!("no error code: {word:.40}")))
    }
}

/// The header that some statuses require.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ErrorHeader {
    /// Whole seconds, at least 1 (`docs/service-api.md 6`).
    RetryAfter(u64),
    /// The methods that a path accepts.
    Allow(String),
    /// 401 only.
    Challenge,
}

impl ApiError {
    pub(super) fn new(
        status: StatusCode,
        code: impl Into<ErrorCode>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            status,
            code: code.into(),
            message: message.into(),
            faults: vec![],
            order: None,
            rule: None,
            header: None,
            hold: None,
        }
    }

    /// With the status of its code.
    pub(super) fn service(code: ServiceCode, message: impl Into<String>) -> Self {
        Self::new(code.status(), code, message)
    }

    /// 400 of the body as a whole.
    pub(super) fn body(message: impl Into<String>) -> Self {
        Self::invalid(WHOLE_BODY, message)
    }

    /// 400 for a field that no request may have so.
    pub(super) fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::field(field, ServiceCode::InvalidRequest, message)
    }

    /// 400 that names the field.
    pub(super) fn field(
        field: impl Into<String>,
        code: impl Into<ErrorCode>,
        message: impl Into<String>,
    ) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message).of_field(field)
    }

    /// 400 that names every field.
    pub(super) fn fields(faults: Vec<FieldFault>) -> Self {
        let issues: Vec<&str> = faults.iter().map(|fault| fault.issue.as_str()).collect();
        let message = issues.join("; ");
        Self {
            faults,
            ..Self::service(ServiceCode::InvalidRequest, message)
        }
    }

    /// 422 by a rule that concerns one field.
    pub(super) fn rule(
        rule: RuleId,
        field: impl Into<String>,
        code: Reason,
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule: Some(rule),
            ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message).of_field(field)
        }
    }

    /// The message is what is wrong with this field.
    #[must_use]
    pub(super) fn of_field(self, field: impl Into<String>) -> Self {
        Self {
            faults: vec![FieldFault::new(field, self.message.as_str())],
            ..self
        }
    }

    /// Of a part of the body: its fields are named below the part's path.
    #[must_use]
    pub(super) fn within(mut self, part: &str) -> Self {
        for fault in &mut self.faults {
            fault.field = format!("{part}.{}", fault.field);
        }
        self
    }

    /// The same for missing and foreign objects: the text depends on the kind of object only.
    pub(super) fn not_found(what: &str) -> Self {
        let message = format!("no such {what}, or it is not yours");
        Self::service(ServiceCode::NotFound, message)
    }

    pub(super) fn conflict(code: impl Into<ErrorCode>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// A repeated key, when what its first use made was dropped (`serve --keep`): nothing is made again.
    pub(super) fn no_longer_kept() -> Self {
        Self::service(
            ServiceCode::IdempotencyConflict,
            "this Idempotency-Key was used before, and what it made has ended and is no longer kept",
        )
    }

    /// 503, to be tried again in a second.
    pub(super) fn unavailable(code: impl Into<ErrorCode>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message).retry_after(1)
    }

    /// 500: the exchange itself failed, and processes nothing further.
    pub(super) fn broken(message: impl Into<String>) -> Self {
        Self::service(ServiceCode::InternalError, message)
    }

    #[must_use]
    pub(super) fn retry_after(self, seconds: u64) -> Self {
        Self {
            header: Some(ErrorHeader::RetryAfter(seconds.max(1))),
            ..self
        }
    }

    /// `wait` is the wall time in whole seconds that a cooldown refusal requests.
    pub(super) fn from_refusal(refusal: CommandRefusal, wait: u64) -> Self {
        let status = match refusal.kind {
            RefusalKind::Payload => StatusCode::BAD_REQUEST,
            RefusalKind::NotFound => return Self::not_found("resource"),
            RefusalKind::Conflict => StatusCode::CONFLICT,
            RefusalKind::Rule => StatusCode::UNPROCESSABLE_ENTITY,
            RefusalKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            RefusalKind::Cooldown { .. } => StatusCode::TOO_MANY_REQUESTS,
        };
        let fault = Self {
            order: refusal.order,
            rule: refusal.rule,
            ..Self::new(status, refusal.code, refusal.message)
        };
        let fault = match refusal.field {
            Some(field) => fault.of_field(field),
            None => fault,
        };
        match refusal.kind {
            RefusalKind::Cooldown { .. } | RefusalKind::Unavailable => fault.retry_after(wait),
            RefusalKind::Payload
            | RefusalKind::NotFound
            | RefusalKind::Conflict
            | RefusalKind::Rule => fault,
        }
    }

    pub(super) fn envelope(&self, request_id: Uuid) -> Vec<u8> {
        let envelope = ErrorEnvelope {
            error: ErrorDetail {
                code: self.code.into_str().into(),
                message: self.message.as_str().into(),
                request_id: Some(request_id.to_string().into()),
                order_id: self.order.map(|id| id.to_string().into()),
                rule_id: self.rule.map(|rule| rule.into_str().into()),
                details: self.details(),
            },
        };
        serde_json::to_vec(&envelope).unwrap_or_default()
    }

    /// A list of fields, but an object where a trading rule refuses.
    fn details(&self) -> Option<Box<RawValue>> {
        if self.status == StatusCode::UNPROCESSABLE_ENTITY {
            let field = self.faults.first().map(|fault| &fault.field);
            return to_raw_value(&RuleDetails { field }).ok();
        }
        let named = Some(&self.faults).filter(|faults| !faults.is_empty())?;
        to_raw_value(named).ok()
    }
}

/// `details` of a refusal by a trading rule.
#[derive(Serialize)]
struct RuleDetails<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a String>,
}
