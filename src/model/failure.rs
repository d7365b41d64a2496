//! Why something did not work, in words a person can act on. The only error the app sees.

use super::{OrderId, Text};
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};
use strum::VariantArray;

/// Why nothing is sent by a desk that may only look.
pub const READ_ONLY: &str = "the desk is read-only and sends nothing";

/// What kind of trouble it is; decides what the desk does and the word in front of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// 400/422, and a 409 that names a rule: the service did not understand or accept the request.
    Invalid,
    /// 401/403: the key is missing, wrong, revoked or not allowed.
    Auth,
    /// 404: not there, or not ours.
    NotFound,
    /// 409 that names no rule: conflicts with what is so now.
    Conflict,
    /// 429: a request budget is spent.
    Limited,
    /// 503 and other 5xx on a read.
    Unavailable,
    /// Could not be reached: name, connection, TLS.
    Unreachable,
    /// No answer in time.
    TimedOut,
    /// The connection stood, and broke before the whole answer had come.
    Broken,
    /// An answer that is not what the documentation shows.
    Unreadable,
    /// A mutation may or may not have taken effect. Never shown as failed.
    Unknown,
    /// Answers that cannot all be true: what took effect is not known, nor what else to believe.
    Contradiction,
    /// Refused on this side, before anything was sent.
    Local,
    /// All of it but the sending was done; the message is the request that was not sent.
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

    /// Where nothing more is known than the kind.
    fn proves(self) -> Proof {
        if matches!(self, Self::Unknown | Self::Contradiction) {
            Proof::Nothing
        } else {
            Proof::Unsent
        }
    }
}

/// What a failure proves about the request it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// That nothing of it left this side. A read that failed is as good as that: it changes nothing.
    Unsent,
    /// That it did not do what it was for: the service said no, or reads have shown it.
    Refused,
    /// Nothing: it may have taken effect all the same. Never shown as failed.
    Nothing,
}

/// A failure as a person sees it: what happened, the service's own words, and how to look it up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Heard")]
pub struct Failure {
    pub kind: FailureKind,
    /// Of a command at its end; what one attempt on the way proves, the client says beside it.
    pub proves: Proof,
    pub message: Text,
    /// What the service answered with, and nothing else: absent where there was no answer.
    pub status: Option<u16>,
    pub code: Option<Text>,
    pub rule_id: Option<Text>,
    /// An order row exists although the request failed.
    pub order_id: Option<OrderId>,
    pub request_id: Option<Text>,
    pub retry_after: Option<Duration>,
}

/// A failure as another perpdeck wrote it. An older one let the status say what is proved.
#[derive(Deserialize)]
struct Heard {
    kind: FailureKind,
    proves: Option<Proof>,
    // Whole: it may show a request.
    message: String,
    status: Option<u16>,
    code: Option<Text>,
    rule_id: Option<Text>,
    order_id: Option<OrderId>,
    request_id: Option<Text>,
    retry_after: Option<Duration>,
}

impl From<Heard> for Failure {
    fn from(heard: Heard) -> Self {
        let proved = match (heard.kind.proves(), heard.status) {
            (Proof::Unsent, Some(_)) => Proof::Refused,
            (proof, _) => proof,
        };
        Self {
            kind: heard.kind,
            proves: heard.proves.unwrap_or(proved),
            message: heard.message.into(),
            status: heard.status,
            code: heard.code,
            rule_id: heard.rule_id,
            order_id: heard.order_id,
            request_id: heard.request_id,
            retry_after: heard.retry_after,
        }
    }
}

impl Failure {
    /// Nothing was sent, unless the kind is that nobody knows.
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
        }
    }

    /// Refused here, nothing was sent.
    pub fn local(message: impl Into<Text>) -> Self {
        Self::new(FailureKind::Local, message)
    }

    /// What would have been sent, in a dry run: nothing was.
    pub fn dry_run(request: impl Into<Text>) -> Self {
        Self::new(FailureKind::DryRun, request)
    }

    /// What its `Display` wrote, which keeps the kind and the message; `None` where that is something else.
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

    /// Whether the request may have taken effect all the same.
    pub fn is_doubtful(&self) -> bool {
        self.proves == Proof::Nothing
    }

    /// Everything that helps to look the failure up, after the message: code, rule, order, request.
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

    /// As an older perpdeck told the command line of it, before what is proved was said.
    fn heard(kind: FailureKind, status: &str) -> Failure {
        let kind = serde_json::to_string(&kind).unwrap();
        let line = format!(
            r#"{{"kind":{kind},"message":"why","status":{status},"code":null,"rule_id":null,
                "order_id":null,"request_id":null,"retry_after":null}}"#
        );
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn what_an_older_desk_tells_proves_what_it_did_then() {
        for kind in FailureKind::VARIANTS {
            let expected = match kind {
                FailureKind::Unknown | FailureKind::Contradiction => [Proof::Nothing; 2],
                FailureKind::Invalid
                | FailureKind::Auth
                | FailureKind::NotFound
                | FailureKind::Conflict
                | FailureKind::Limited
                | FailureKind::Unavailable
                | FailureKind::Unreachable
                | FailureKind::TimedOut
                | FailureKind::Broken
                | FailureKind::Unreadable
                | FailureKind::Local
                | FailureKind::DryRun => [Proof::Unsent, Proof::Refused],
            };
            let proved = ["null", "409"].map(|status| heard(*kind, status).proves);
            assert_eq!(proved, expected, "{kind:?}");
        }
    }

    #[test]
    fn what_a_desk_of_today_tells_is_heard_as_it_was_meant() {
        for proves in [Proof::Unsent, Proof::Refused, Proof::Nothing] {
            let told = Failure {
                proves,
                ..Failure::new(FailureKind::Conflict, "order o-1 is filled")
            };
            let line = serde_json::to_string(&told).unwrap();
            assert_eq!(serde_json::from_str::<Failure>(&line).unwrap(), told);
        }
    }
}
