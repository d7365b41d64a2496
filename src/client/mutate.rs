//! One attempt at a mutation, and what its response proves.

use super::{
    Client, base,
    response::ServiceResponse,
    send::{NoResponse, OutgoingRequest},
};
use crate::{
    api::{Data, DataQueued, Method, Request},
    model::{
        AnswerKind, ClientOrderId, Failure, FailureKind, Fallible, Mutation, Operation, Order,
        READ_ONLY, Receipt, SlicedOperation,
    },
};
use serde::de::DeserializeOwned;
use std::time::Duration;

/// What one attempt at a mutation proves.
#[derive(Debug, Clone, PartialEq)]
pub enum Attempt {
    /// A readable 2xx: it took effect.
    Done(Receipt),
    /// A close-all or cancel-all in progress: repeat the request with the same key. `operation` is absent if the body
    /// has none.
    Running {
        operation: Option<SlicedOperation>,
        retry_after: Option<Duration>,
    },
    /// A status outside 2xx. What it proves depends on earlier attempts: [`super::policy`].
    Refused(Failure),
    /// No byte of the request left this machine.
    NotSent(Failure),
    /// It may have taken effect: no response, half a response, or an unreadable 2xx.
    Doubtful(Failure),
}

impl Attempt {
    /// Why it is not done, if so.
    pub fn trouble(&self) -> Option<&Failure> {
        match self {
            Self::Done(_) | Self::Running { .. } => None,
            Self::Refused(why) | Self::NotSent(why) | Self::Doubtful(why) => Some(why),
        }
    }

    /// The wait that the response requests, if any.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Running { retry_after, .. } => *retry_after,
            Self::Done(_) | Self::Refused(_) | Self::NotSent(_) | Self::Doubtful(_) => {
                self.trouble().and_then(|why| why.retry_after)
            }
        }
    }
}

impl Client {
    /// Sends `request` once, exactly as it is.
    pub async fn send(&self, request: &Request, mutation: Mutation) -> Attempt {
        if self.is_read_only() {
            return Attempt::NotSent(Failure::local(READ_ONLY));
        }
        if self.connection().dry_run {
            return Attempt::NotSent(Failure::dry_run(request.to_string()));
        }
        let url = match base::endpoint(&self.0.base, &request.target) {
            Ok(url) => url,
            Err(why) => return Attempt::NotSent(why),
        };
        let outgoing = OutgoingRequest {
            method: method(request.method),
            url,
            body: &request.body,
            key: request.key.as_ref(),
            timeout: if mutation.is_sliced() {
                self.timeouts().close_all()
            } else {
                self.timeouts().mutation()
            },
        };
        match self.exchange(outgoing).await {
            Err(NoResponse::NotSent(why)) => Attempt::NotSent(why),
            Err(NoResponse::MaybeSent(why)) => Attempt::Doubtful(why),
            Ok(answer) => named(self.proves(&answer, mutation), request),
        }
    }

    /// What a complete response proves about the attempt.
    pub(super) fn proves(&self, answer: &ServiceResponse, mutation: Mutation) -> Attempt {
        if answer.is_success() {
            self.taken(answer, mutation)
        } else {
            // The service's rules may have changed since they were read.
            self.0.policy.expire();
            Attempt::Refused(answer.failure())
        }
    }

    fn taken(&self, answer: &ServiceResponse, mutation: Mutation) -> Attempt {
        self.earn_retry();
        match mutation.facts().answer {
            AnswerKind::CloseAll => sliced(answer, SlicedOperation::CloseAll, Receipt::CloseAll),
            AnswerKind::CancelAll => sliced(answer, SlicedOperation::CancelAll, Receipt::CancelAll),
            kind @ (AnswerKind::Order
            | AnswerKind::Cancel
            | AnswerKind::Position
            | AnswerKind::Twap
            | AnswerKind::Scaled) => {
                receipt(answer, kind).map_or_else(Attempt::Doubtful, Attempt::Done)
            }
        }
    }
}

/// An order with another name than the one that was sent is another order: what became of ours is not known.
fn named(attempt: Attempt, request: &Request) -> Attempt {
    let sent = request.key.as_ref().and_then(ClientOrderId::of);
    let Attempt::Done(Receipt::Order { order, .. }) = &attempt else {
        return attempt;
    };
    match (&order.client_order_id, sent) {
        (Some(name), Some(sent)) if *name != sent => {
            let words = format!("the answer is about order {}, another one", order.id);
            Attempt::Doubtful(Failure::new(FailureKind::Unreadable, words))
        }
        _ => attempt,
    }
}

fn receipt(answer: &ServiceResponse, kind: AnswerKind) -> Fallible<Receipt> {
    Ok(match kind {
        AnswerKind::Order => {
            let DataQueued::<Order> { data, queued } = answer.decoded()?;
            Receipt::Order {
                order: Box::new(data),
                queued,
            }
        }
        AnswerKind::Cancel => Receipt::Cancel(data(answer)?),
        AnswerKind::Position => Receipt::Position(Box::new(data(answer)?)),
        AnswerKind::Twap => Receipt::Twap(Box::new(data(answer)?)),
        AnswerKind::Scaled => Receipt::Scaled(Box::new(data(answer)?)),
        AnswerKind::CloseAll => Receipt::CloseAll(data(answer)?),
        AnswerKind::CancelAll => Receipt::CancelAll(data(answer)?),
    })
}

fn data<T: DeserializeOwned>(answer: &ServiceResponse) -> Fallible<T> {
    answer.decoded().map(|Data { data }| data)
}

/// 202 means in progress, 200 and 201 the end; a body that says `running` overrules a 200.
fn sliced<R: DeserializeOwned>(
    answer: &ServiceResponse,
    running: impl Fn(Operation<R>) -> SlicedOperation,
    done: impl Fn(Operation<R>) -> Receipt,
) -> Attempt {
    let operation = data::<Operation<R>>(answer);
    let goes_on = answer.status == 202 || operation.as_ref().is_ok_and(Operation::is_running);
    match operation {
        operation if goes_on => Attempt::Running {
            operation: operation.ok().map(running),
            retry_after: answer.retry_after,
        },
        Ok(operation) => Attempt::Done(done(operation)),
        Err(why) => Attempt::Doubtful(why),
    }
}

fn method(method: Method) -> reqwest::Method {
    match method {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
        Method::Put => reqwest::Method::PUT,
        Method::Patch => reqwest::Method::PATCH,
        Method::Delete => reqwest::Method::DELETE,
    }
}
