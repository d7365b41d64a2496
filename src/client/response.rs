//! A response: what its status, body and headers mean in terms of [`Failure`].

use super::RequestClass;
use crate::{
    api::{ErrorDetail, ErrorEnvelope},
    model::{Failure, FailureKind, Fallible, Text, Timestamp},
};
use reqwest::{
    StatusCode,
    header::{DATE, HeaderMap, HeaderName, RETRY_AFTER},
};
use serde::de::DeserializeOwned;
use std::time::Duration;

/// Bounds a wait, so that later sums of times do not overflow.
const LONGEST_WAIT: Duration = Duration::from_hours(366 * 24);

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Characters kept of a service's message, or of an unreadable body.
const MESSAGE_LIMIT: usize = 500;

#[derive(Debug)]
pub(super) struct ServiceResponse {
    pub status: u16,
    /// How long its sender waits: from one second to the longest pause of the request's class. `None` if the header is
    /// missing or unreadable.
    pub retry_after: Option<Duration>,
    /// What the service requested, if it is longer than that.
    pub longer: Option<Duration>,
    /// The service's clock at the response.
    pub date: Option<Timestamp>,
    /// The id under which the service's support finds the call.
    pub request_id: Option<Text>,
    /// Its request-budget headers, as text.
    pub budgets: Vec<String>,
    pub body: Vec<u8>,
}

impl ServiceResponse {
    pub(super) fn head(
        class: RequestClass,
        status: StatusCode,
        headers: &HeaderMap,
        now: Timestamp,
    ) -> Self {
        let (stated, longest) = (retry_after(headers, now), class.longest_pause());
        Self {
            status: status.as_u16(),
            retry_after: stated.map(|stated| stated.min(longest)),
            longer: stated.filter(|stated| *stated > longest),
            date: date(headers),
            request_id: request_id(headers),
            budgets: budgets(headers),
            body: vec![],
        }
    }

    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether another key might be answered otherwise.
    pub(super) fn refuses_the_key(&self) -> bool {
        self.status == 401 || self.failure().shows_read_only_key()
    }

    /// Whether it refuses every request of the key: a 429 without a rule. A trading rule (a cooldown between orders) is
    /// checked after all request budgets, so a 429 that names one concerns that order alone. Only responses to commands
    /// name rules.
    pub(super) fn pauses_the_key(&self) -> bool {
        let rule = || self.detail()?.rule_id.filter(|rule| !rule.is_empty());
        self.status == 429 && rule().is_none()
    }

    /// The body as `T`, or where and why it does not decode.
    pub(super) fn decoded<T: DeserializeOwned>(&self) -> Fallible<T> {
        if !self.is_success() {
            return Err(self.failure());
        }
        let mut json = serde_json::Deserializer::from_slice(&self.body);
        serde_path_to_error::deserialize(&mut json).map_err(|why| self.unreadable(&why))
    }

    /// The failure that a response outside 2xx means.
    pub(super) fn failure(&self) -> Failure {
        let detail = self.detail();
        let message = match &detail {
            Some(detail) if !detail.message.is_empty() => clipped(detail.message.raw()),
            _ => self.plain_words().into(),
        };
        let message = self.with_longer_pause(message);
        let detail = detail.unwrap_or_default();
        let kind = self.kind(detail.rule_id.as_ref());
        let fields = detail.fields();
        Failure {
            status: Some(self.status),
            code: Some(detail.code).filter(|code| !code.is_empty()),
            rule_id: detail.rule_id,
            order_id: detail.order_id,
            request_id: detail
                .request_id
                .filter(is_uuid)
                .or_else(|| self.request_id.clone()),
            retry_after: self.retry_after,
            fields,
            ..Failure::new(kind, message)
        }
    }

    /// Says that perpdeck does not wait for as long as the service asks.
    fn with_longer_pause(&self, message: Text) -> Text {
        let (Some(stated), Some(wait)) = (self.longer, self.retry_after) else {
            return message;
        };
        let (stated, wait) = (stated.as_secs(), wait.as_secs());
        format!(
            "{message}; the service asks to wait {stated} s, perpdeck asks again after {wait} s"
        )
        .into()
    }

    /// A 409 that names a rule is a refusal; a conflict names none.
    fn kind(&self, rule: Option<&Text>) -> FailureKind {
        match (kind(self.status), rule) {
            (FailureKind::Conflict, Some(rule)) if !rule.is_empty() => FailureKind::Invalid,
            (kind, _) => kind,
        }
    }

    fn detail(&self) -> Option<ErrorDetail> {
        let envelope: ErrorEnvelope = serde_json::from_slice(&self.body).ok()?;
        Some(envelope.error)
    }

    fn unreadable(&self, why: &serde_path_to_error::Error<serde_json::Error>) -> Failure {
        let message = match self.shape() {
            BodyShape::Json => format!(
                "the answer does not read at `{}`: {}",
                why.path(),
                why.inner()
            ),
            shape @ (BodyShape::Empty | BodyShape::Html | BodyShape::Other) => {
                format!("the answer is {shape}, not the documented JSON")
            }
        };
        Failure {
            status: Some(self.status),
            request_id: self.request_id.clone(),
            ..Failure::new(FailureKind::Unreadable, clipped(&message))
        }
    }

    /// For an error without a message: a proxy's page, an empty body, an unknown shape.
    fn plain_words(&self) -> String {
        let reason = StatusCode::from_u16(self.status)
            .ok()
            .and_then(|status| status.canonical_reason())
            .unwrap_or("an unknown status");
        let status = self.status;
        match (status, self.shape()) {
            (300..400, _) => format!(
                "the service redirects elsewhere ({status} {reason}); redirects are not followed, \
                 the base URL is probably wrong"
            ),
            (_, BodyShape::Json) => format!("{status} {reason}, without an explanation"),
            (_, shape) => format!("{status} {reason}, with {shape} in place of an explanation"),
        }
    }

    fn shape(&self) -> BodyShape {
        match self.body.trim_ascii_start().first() {
            None => BodyShape::Empty,
            Some(b'<') => BodyShape::Html,
            Some(b'{' | b'[') => BodyShape::Json,
            Some(_) => BodyShape::Other,
        }
    }
}

/// A message is for a line or two on the screen; a service could send megabytes.
pub(super) fn clipped(text: &str) -> Text {
    match text.char_indices().nth(MESSAGE_LIMIT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

#[derive(Debug, Clone, Copy, strum::Display)]
enum BodyShape {
    #[strum(to_string = "an empty body")]
    Empty,
    #[strum(to_string = "a web page")]
    Html,
    #[strum(to_string = "JSON")]
    Json,
    #[strum(to_string = "other text")]
    Other,
}

pub(super) fn kind(status: u16) -> FailureKind {
    match status {
        401 => FailureKind::Auth,
        404 => FailureKind::NotFound,
        408 => FailureKind::TimedOut,
        409 => FailureKind::Conflict,
        429 => FailureKind::Limited,
        400..500 => FailureKind::Invalid,
        500.. => FailureKind::Unavailable,
        _ => FailureKind::Unreadable,
    }
}

/// A request id is a UUID (`docs/service-api.md 1`); any other value is ignored.
fn is_uuid(text: &Text) -> bool {
    uuid::Uuid::try_parse(text.raw()).is_ok()
}

/// The longest wait of all `Retry-After` headers, in seconds or as an HTTP date; at least one second.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let sent = date(headers);
    headers
        .get_all(RETRY_AFTER)
        .iter()
        .filter_map(|value| {
            let text = value.to_str().ok()?.trim();
            if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
                return Some(text.parse().map_or(LONGEST_WAIT, Duration::from_secs));
            }
            Some(Timestamp::from_http_date(text)?.since(sent.unwrap_or(now)))
        })
        .max()
        .map(|wait| wait.clamp(Duration::from_secs(1), LONGEST_WAIT))
}

fn date(headers: &HeaderMap) -> Option<Timestamp> {
    Timestamp::from_http_date(headers.get(DATE)?.to_str().ok()?)
}

fn request_id(headers: &HeaderMap) -> Option<Text> {
    let id = headers.get(X_REQUEST_ID)?.to_str().ok()?;
    Some(Text::from(id)).filter(is_uuid)
}

/// `RateLimit-…` and `X-RateLimit-…` headers. Services write them differently, so they are only shown.
fn budgets(headers: &HeaderMap) -> Vec<String> {
    headers
        .iter()
        .filter(|(name, _)| {
            name.as_str()
                .trim_start_matches("x-")
                .starts_with("ratelimit")
        })
        .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_790_000_000_000);

    fn waits(values: &[(&'static str, &str)]) -> Option<u64> {
        let headers = values
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        retry_after(&headers, NOW).map(|wait| wait.as_secs())
    }

    #[test]
    fn every_way_to_say_retry_after_is_understood_or_ignored() {
        let after = |value| waits(&[("retry-after", value)]);
        assert_eq!(after("7"), Some(7));
        assert_eq!(after("0"), Some(1));
        assert_eq!(after("99999999999999999999"), Some(LONGEST_WAIT.as_secs()));
        for bad in ["-1", "1.5", "1e9", "soon", ""] {
            assert_eq!(after(bad), None, "{bad}");
        }
        assert_eq!(waits(&[]), None);
        assert_eq!(
            waits(&[("retry-after", "2"), ("retry-after", "9")]),
            Some(9)
        );
    }

    #[test]
    fn a_date_counts_from_the_services_own_clock_when_it_tells_it() {
        let date = ("retry-after", "Mon, 21 Sep 2026 14:13:50 GMT");
        assert_eq!(waits(&[date]), Some(30));
        let told = ("date", "Mon, 21 Sep 2026 14:13:45 GMT");
        assert_eq!(waits(&[date, told]), Some(5));
        let past = ("retry-after", "Mon, 21 Sep 2020 14:13:50 GMT");
        assert_eq!(waits(&[past]), Some(1));
    }

    fn failure(status: u16, body: &str) -> Failure {
        let answer = ServiceResponse {
            status,
            retry_after: None,
            longer: None,
            date: None,
            request_id: None,
            budgets: vec![],
            body: body.as_bytes().to_vec(),
        };
        answer.failure()
    }

    #[test]
    fn the_services_own_words_and_references_reach_the_trader() {
        let body = r#"{"error":{"code":"risk","message":"over the limit","rule_id":"max-size",
            "order_id":"o-1","request_id":"5f3c1c1e-9a54-4a52-8f50-0d2b7b9a8c11","details":{"a":1}}}"#;
        assert_eq!(
            failure(400, body),
            Failure {
                status: Some(400),
                code: Some("risk".into()),
                rule_id: Some("max-size".into()),
                order_id: Some("o-1".into()),
                request_id: Some("5f3c1c1e-9a54-4a52-8f50-0d2b7b9a8c11".into()),
                ..Failure::new(FailureKind::Invalid, "over the limit")
            }
        );
    }

    #[test]
    fn a_message_of_megabytes_is_cut_to_what_a_person_reads() {
        let body = format!(r#"{{"error":{{"message":"{}"}}}}"#, "ü".repeat(2_000_000));
        let shown = failure(400, &body).message.to_string();
        assert_eq!(shown, format!("{}…", "ü".repeat(500)));
    }

    #[test]
    fn the_request_id_of_the_header_names_a_call_whose_body_has_none() {
        let id = "5f3c1c1e-9a54-4a52-8f50-0d2b7b9a8c11";
        for (told, known) in [(id, Some(id)), ("\u{7f}]52;c", None), ("", None)] {
            let told = reqwest::header::HeaderValue::from_bytes(told.as_bytes()).ok();
            let headers: HeaderMap = told.map(|told| (X_REQUEST_ID, told)).into_iter().collect();
            let class = RequestClass::Poll;
            let answer = ServiceResponse::head(class, StatusCode::BAD_GATEWAY, &headers, NOW);
            let shown = answer.failure().request_id;
            assert_eq!(shown.as_ref().map(Text::raw), known);
        }
    }

    #[test]
    fn a_request_id_that_is_no_uuid_is_not_shown() {
        let body = r#"{"error":{"code":"x","message":"m","request_id":"\u001b]52;c;aGk="}}"#;
        assert_eq!(failure(404, body).request_id, None);
    }

    #[test]
    fn an_error_without_an_envelope_is_told_in_plain_words_without_its_body() {
        let says = |status, body| failure(status, body).to_string();
        assert_eq!(
            says(502, "<html><script>alert(1)</script>"),
            "unavailable: 502 Bad Gateway, with a web page in place of an explanation"
        );
        assert_eq!(
            says(500, ""),
            "unavailable: 500 Internal Server Error, with an empty body in place of an explanation"
        );
        assert_eq!(
            says(404, r#"{"detail":"x"}"#),
            "not found: 404 Not Found, without an explanation"
        );
        assert!(says(302, "").contains("base URL is probably wrong"));
    }

    #[test]
    fn a_409_that_names_a_rule_is_a_refusal_and_any_other_a_conflict() {
        let named = r#"{"error":{"code":"risk","message":"no","rule_id":"max-size"}}"#;
        assert_eq!(failure(409, named).to_string(), "rejected: no");
        for rule in ["", r#","rule_id":"""#] {
            let body =
                format!(r#"{{"error":{{"code":"order_not_working","message":"no"{rule}}}}}"#);
            assert_eq!(failure(409, &body).to_string(), "conflict: no");
        }
    }
}
