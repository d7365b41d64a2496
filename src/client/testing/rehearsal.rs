//! A response as if it had come over the wire, for tests in virtual time.

use crate::{
    client::{Attempt, Client, Mutation, response::ServiceResponse},
    model::{Fallible, Timestamp},
};
use reqwest::{StatusCode, header::HeaderMap};
use tokio::time::Instant;

/// Status, headers and body.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Client {
    /// What a mutation's response proves, after the client has learned from it.
    pub(crate) fn rehearse(
        &self,
        (sent, now): (Instant, Timestamp),
        reply: &Reply,
        mutation: Mutation,
    ) -> Attempt {
        let answer = self.observe((sent, now), reply);
        self.proves(&answer, mutation)
    }

    /// The failure that a read's response means.
    pub(crate) fn rehearse_read(
        &self,
        (sent, now): (Instant, Timestamp),
        reply: &Reply,
    ) -> Fallible<()> {
        let answer = self.observe((sent, now), reply);
        if answer.is_success() {
            Ok(())
        } else {
            Err(answer.failure())
        }
    }

    fn observe(&self, (sent, now): (Instant, Timestamp), reply: &Reply) -> ServiceResponse {
        let headers: HeaderMap = reply
            .headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        let status = StatusCode::from_u16(reply.status).unwrap();
        let mut answer = ServiceResponse::head(self.1, status, &headers, now);
        answer.body = reply.body.clone().into_bytes();
        self.learn(sent, &answer);
        answer
    }
}
