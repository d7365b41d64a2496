//! A failure as a line of JSON on standard error.

use super::Exit;
use crate::model::{Failure, FieldIssue, IdempotencyKey};
use schemars::JsonSchema;
use serde::Serialize;

/// The member `error` of the line.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Told")]
pub(super) struct FailureLine<'a> {
    /// The kind of failure.
    kind: &'static str,
    /// What happened, in words.
    pub(super) message: String,
    /// The exit code of the verb.
    exit_code: u8,
    /// The HTTP status of the answer.
    status: Option<u16>,
    /// The service's word for it.
    code: Option<String>,
    /// The rule that refused it.
    rule_id: Option<String>,
    /// The order that the refusal was recorded in.
    order_id: Option<String>,
    /// The id of the request at the service.
    request_id: Option<String>,
    /// Seconds until the service takes it again.
    retry_after: Option<u64>,
    /// What is wrong with each field of the request.
    #[serde(skip_serializing_if = "<[FieldIssue]>::is_empty")]
    details: &'a [FieldIssue],
    /// The key that repeats the command safely.
    idempotency_key: Option<&'a str>,
    /// What to do now.
    next: Option<String>,
}

impl<'a> FailureLine<'a> {
    /// Without an answer of a service.
    pub(super) fn local(kind: &'static str, message: &str, exit: Exit) -> Self {
        Self {
            kind,
            message: message.to_owned(),
            exit_code: exit.code(),
            ..Self::default()
        }
    }

    /// Of a command that was sent under this key.
    pub(super) fn under(self, key: Option<&'a IdempotencyKey>) -> Self {
        Self {
            idempotency_key: key.map(IdempotencyKey::raw),
            ..self
        }
    }

    pub(super) fn of(why: &'a Failure, exit: Exit, key: Option<&'a IdempotencyKey>) -> Self {
        Self {
            kind: why.kind.word(),
            message: why.message.to_string(),
            exit_code: exit.code(),
            status: why.status,
            code: why.code.as_ref().map(ToString::to_string),
            rule_id: why.rule_id.as_ref().map(ToString::to_string),
            order_id: why.order_id.as_ref().map(ToString::to_string),
            request_id: why.request_id.as_ref().map(ToString::to_string),
            retry_after: why.retry_after.map(|wait| wait.as_secs()),
            details: &why.fields,
            idempotency_key: key.map(IdempotencyKey::raw),
            next: next(why, key),
        }
    }
}

/// What to do about an unknown outcome.
pub(super) fn next(why: &Failure, key: Option<&IdempotencyKey>) -> Option<String> {
    let key = key.filter(|_| why.is_doubtful())?;
    Some(format!(
        "run the same command with --idempotency-key {key} to repeat it safely"
    ))
}
