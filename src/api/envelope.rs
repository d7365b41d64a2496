//! What wraps every answer: `data` around success, `error` around failure.

use crate::model::{Cursor, OrderId, Text};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// `{data: …}`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Data<T> {
    pub data: T,
}

/// `{data: …, queued: …}` of placement, close and attached exits. A missing `queued` reads as false.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataQueued<T> {
    pub data: T,
    #[serde(default)]
    pub queued: bool,
}

/// `{data: […], has_more, next_cursor}`. Rows stay raw so that one bad row cannot cost the page.
#[derive(Debug, Serialize, Deserialize)]
pub struct List<T = Box<RawValue>> {
    pub data: Vec<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
}

/// `{error: …}`
#[derive(Debug, Serialize, Deserialize)]
pub struct ErrorEnvelope {
    pub error: ErrorDetail,
}

/// `code`, `message` and `request_id` are documented as always there; reading does not depend on it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ErrorDetail {
    #[serde(default)]
    pub code: Text,
    #[serde(default)]
    pub message: Text,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<OrderId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Box<RawValue>>,
}
