//! Why something failed, in words a person can act on. The only error type of the app.

use super::{OrderId, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};
use strum::VariantArray;

/// Why a read-only desk sends nothing.
pub const READ_ONLY: &str = "the desk is read-only and sends nothing";

/// Why no entry is sent with a key that the service answers with 403.
pub const READ_ONLY_KEY: &str =
    "the API key is read-only: it cannot trade (r lets the next order try again)";

/// What a code or rule contains that refuses every change of an order in place. Its name is not documented.
const NOT_MODIFIABLE: &[&str] = &["modifiable", "not-modif", "cannot-modif"];

/// What was requested, or why there is none.
pub type Fallible<T> = Result<T, Failure>;

/// The kind of failure; decides the desk's reaction and the word before the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray)]
pub enum FailureKind {
    /// 400, 422, a 403 (the key may not do this), and a 409 that names a rule: the service refused the request.
    Invalid,
    /// 401: the key is missing, wrong or revoked.
    Auth,
    /// 404: missing, or another account's.
    NotFound,
    /// 409 without a rule: conflicts with the current state.
    Conflict,
    /// 429: a request budget is spent.
    Limited,
    /// 503 and other 5xx on a read.
    Unavailable,
    /// Could not be reached: name lookup, connection, TLS.
    Unreachable,
    /// No response in time.
    TimedOut,
    /// The connection broke before the response was complete.
    Broken,
    /// A response that does not match the documentation.
    Unreadable,
    /// A mutation may or may not have taken effect. Never shown as failed.
    Unknown,
    /// Responses that contradict each other: what took effect is unknown.
    Contradiction,
    /// Refused by perpdeck; nothing was sent.
    Local,
    /// A dry run; the message is the request that was not sent.
    DryRun,
}

impl FailureKind {
    /// One word for the header, the toast and the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Invalid => "rejected",
            Self::Auth => "not authorized",
            Self::NotFound => "not found",
            Self::Conflict => "conflict",
            Self::Limited => "rate limited",
            Self::Unavailable => "unavailable",
            Self::Unreachable => "unreachable",
            Self::TimedOut => "timed out",
            Self::Broken => "broken answer",
            Self::Unreadable => "unreadable answer",
            Self::Unknown => "outcome unknown",
            Self::Contradiction => "the service contradicts itself",
            Self::Local => "not sent",
            Self::DryRun => "dry run: not sent",
        }
    }

    /// What the kind alone proves.
    fn proves(self) -> Proof {
        if matches!(self, Self::Unknown | Self::Contradiction) {
            Proof::Nothing
        } else {
            Proof::Unsent
        }
    }
}

/// What a failure proves about its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Proof {
    /// Nothing was sent. Failed reads count as unsent: they change nothing.
    Unsent,
    /// It had no effect: the service refused it, or reads have shown so.
    Refused,
    /// Nothing: it may have taken effect. Never shown as failed.
    Nothing,
}

/// A failure as a person sees it: what happened, the service's message, and how to look it up.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub kind: FailureKind,
    /// About the command's final outcome. The client reports separately what a single attempt proves.
    pub proves: Proof,
    pub message: Text,
    /// The HTTP status of the response; `None` without a response.
    pub status: Option<u16>,
    pub code: Option<Text>,
    pub rule_id: Option<Text>,
    /// The order row that exists although the request failed.
    pub order_id: Option<OrderId>,
    pub request_id: Option<Text>,
    pub retry_after: Option<Duration>,
    /// The fields of the request that it is about.
    pub fields: Box<[FieldIssue]>,
}

/// What is wrong with one field of a request's body: `size`, or `operations[2].price` within a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FieldIssue {
    pub field: Text,
    pub issue: Text,
}

impl Failure {
    /// Nothing was sent, unless the kind is unknown.
    pub fn new(kind: FailureKind, message: impl Into<Text>) -> Self {
        Self {
            kind,
            proves: kind.proves(),
            message: message.into(),
            status: None,
            code: None,
            rule_id: None,
            order_id: None,
            request_id: None,
            retry_after: None,
            fields: Box::default(),
        }
    }

    /// Whether the service says that the key may not trade: a 403 in its own words (docs/service-api.md 5). One without
    /// a code comes from something in between, and says nothing of the key.
    pub fn shows_read_only_key(&self) -> bool {
        self.status == Some(403) && self.code.is_some()
    }

    /// Refused by perpdeck; nothing was sent.
    pub fn local(message: impl Into<Text>) -> Self {
        Self::new(FailureKind::Local, message)
    }

    /// The person's own limits refuse it; nothing was sent, and a retry would be refused too.
    pub fn held_back(why: &str) -> Self {
        let words = format!("perpdeck did not send it: {why}");
        Self::new(FailureKind::Invalid, words)
    }

    /// The request that a dry run would have sent.
    pub fn dry_run(request: impl Into<Text>) -> Self {
        Self::new(FailureKind::DryRun, request)
    }

    /// The same in other words.
    #[must_use]
    pub fn saying(&self, message: impl Into<Text>) -> Self {
        Self {
            message: message.into(),
            ..self.clone()
        }
    }

    /// Parses the output of `Display`, which keeps kind and message; `None` for other text.
    pub fn read(text: &str) -> Option<Self> {
        FailureKind::VARIANTS.iter().find_map(|kind| {
            let rest = text.strip_prefix(kind.word())?;
            let message = if rest.is_empty() {
                rest
            } else {
                rest.strip_prefix(": ")?
            };
            Some(Self::new(*kind, message))
        })
    }

    /// Whether a read that failed with it may be answered later.
    pub fn is_passing(&self) -> bool {
        match self.kind {
            FailureKind::Limited
            | FailureKind::Unavailable
            | FailureKind::Unreachable
            | FailureKind::TimedOut
            | FailureKind::Broken => true,
            FailureKind::Invalid
            | FailureKind::Auth
            | FailureKind::NotFound
            | FailureKind::Conflict
            | FailureKind::Unreadable
            | FailureKind::Unknown
            | FailureKind::Contradiction
            | FailureKind::Local
            | FailureKind::DryRun => false,
        }
    }

    /// Whether the request may have taken effect.
    pub fn is_doubtful(&self) -> bool {
        self.proves == Proof::Nothing
    }

    /// Whether the service says that it never changes this order in place, whatever the new terms are. A refusal of the
    /// new terms is another matter: the order stays.
    pub fn says_not_modifiable(&self) -> bool {
        let names = [&self.rule_id, &self.code].into_iter().flatten();
        names
            .map(|name| name.raw().replace('_', "-").to_lowercase())
            .any(|name| NOT_MODIFIABLE.iter().any(|words| name.contains(words)))
    }

    /// What helps to look the failure up: code, rule, order, request.
    pub fn references(&self) -> Vec<(&'static str, String)> {
        let shown = |name, value: &Option<Text>| value.as_ref().map(|v| (name, v.to_string()));
        [
            shown("code", &self.code),
            shown("rule", &self.rule_id),
            self.order_id.as_ref().map(|id| ("order", id.to_string())),
            shown("request", &self.request_id),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind.word())?;
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_that_was_written_down_is_read_as_what_it_was() {
        for kind in FailureKind::VARIANTS {
            for message in ["", "why: because"] {
                let failure = Failure::new(*kind, message);
                assert_eq!(Failure::read(&failure.to_string()), Some(failure));
            }
        }
        assert_eq!(Failure::read("given up: rejected: no"), None);
    }

    #[test]
    fn only_a_refusal_that_names_it_says_that_an_order_is_never_modified() {
        let refused = |rule: Option<&str>, code: Option<&str>| Failure {
            rule_id: rule.map(Into::into),
            code: code.map(Into::into),
            ..Failure::new(FailureKind::Invalid, "The order cannot be modified.")
        };
        assert!(refused(Some("order-not-modifiable"), None).says_not_modifiable());
        assert!(refused(None, Some("ORDER_NOT_MODIFIABLE")).says_not_modifiable());
        for rule in ["trigger-crossed", "price-band", "marketable-limit"] {
            assert!(!refused(Some(rule), Some("rejected")).says_not_modifiable());
        }
        assert!(!refused(None, None).says_not_modifiable());
    }
}
