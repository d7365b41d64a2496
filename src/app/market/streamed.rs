//! News of the service's streams, in the words of the polls.

use super::answer::MarketAnswer;
use crate::{
    app::account::streamed::{StreamedPrice, StreamedRows},
    model::{MarketId, StreamKind},
};

/// What the streams told since they were last looked at.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamNews {
    /// From now on it tells everything as it happens.
    Up(StreamKind),
    /// Polls alone tell what is new.
    Down(StreamKind),
    /// A sign of life, with nothing new.
    Heard(StreamKind),
    Account(StreamedRows),
    Markets {
        answers: Vec<(MarketId, MarketAnswer)>,
        prices: Vec<StreamedPrice>,
    },
}

impl StreamNews {
    /// Whether it changes the screen at most by what is known of the market that is shown.
    pub(crate) fn is_quiet(&self) -> bool {
        match self {
            Self::Heard(_) => true,
            Self::Markets { prices, .. } => prices.is_empty(),
            Self::Up(_) | Self::Down(_) | Self::Account(_) => false,
        }
    }
}
