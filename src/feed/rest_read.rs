//! What is to be read of a venue by REST.

use crate::model::MarketId;

/// One request: path and query behind the venue's `rest_url`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RestRead {
    pub(crate) target: String,
    /// A `POST` of this JSON; without one a `GET`.
    pub(crate) body: Option<String>,
    /// What it costs of the venue's limit.
    pub(crate) weight: u32,
}

impl RestRead {
    pub(crate) fn get(target: String, weight: u32) -> Self {
        Self {
            target,
            body: None,
            weight,
        }
    }
}

/// What a read of a stream is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ReadSubject {
    /// The whole book of a market whose changes the stream reports.
    Book(MarketId),
    /// The hours between two fundings, of all markets.
    FundingHours,
    /// How much of a market is open.
    OpenInterest(MarketId),
}

/// What a stream needs beside its frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StreamRead {
    pub(crate) subject: ReadSubject,
    pub(crate) rest: RestRead,
}
