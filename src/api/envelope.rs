//! The envelope of every response: `data` for success, `error` for failure.

use crate::model::{Cursor, FieldIssue, OrderId, Text};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{IgnoredAny, SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{fmt, marker::PhantomData};

/// The most rows of a list that are read: no account has as many, and a service that sends more is broken.
pub const MOST_ROWS: usize = 10_000;

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

/// `{data: […], has_more, next_cursor}`. Rows stay raw, so that one bad row does not lose the page; rows beyond
/// [`MOST_ROWS`] are dropped.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct List<T = Box<RawValue>> {
    #[serde(deserialize_with = "first_rows")]
    pub data: Vec<T>,
    pub has_more: Option<bool>,
    pub next_cursor: Option<Cursor>,
}

fn first_rows<'de, D, T>(from: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    from.deserialize_seq(FirstRows(PhantomData))
}

struct FirstRows<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for FirstRows<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Vec<T>, A::Error> {
        let mut kept = vec![];
        while kept.len() < MOST_ROWS {
            match rows.next_element()? {
                Some(row) => kept.push(row),
                None => return Ok(kept),
            }
        }
        while rows.next_element::<IgnoredAny>()?.is_some() {}
        Ok(kept)
    }
}

/// `{error: …}`
#[derive(Debug, Serialize, Deserialize)]
pub struct ErrorEnvelope {
    pub error: ErrorDetail,
}

/// `code`, `message` and `request_id` are documented as always present; reading does not depend on it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ErrorDetail {
    #[serde(default)]
    pub code: Text,
    #[serde(default)]
    pub message: Text,
    pub request_id: Option<Text>,
    pub order_id: Option<OrderId>,
    pub rule_id: Option<Text>,
    pub details: Option<Box<RawValue>>,
}

impl ErrorDetail {
    /// The fields that a 400 is about; the `details` of another refusal are an object (docs/service-api.md 5).
    pub fn fields(&self) -> Box<[FieldIssue]> {
        let details = self.details.as_ref();
        let fields = details.and_then(|raw| serde_json::from_str(raw.get()).ok());
        fields.unwrap_or_default()
    }
}
