//! News of the service's streams, in the words of the polls.

use super::answer::MarketAnswer;
use crate::{
    app::account::streamed::{StreamedPrice, StreamedRows, VenueMarkets},
    model::{MarketId, StreamKind},
};

/// What the streams reported since they were last looked at.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamNews {
    /// From now on it reports everything as it happens.
    Up(StreamKind),
    /// Polls alone report what is new.
    Down(StreamKind),
    /// A sign of life, with nothing new.
    Alive(StreamKind),
    Account(StreamedRows),
    /// From now on the venues serve these markets, and the service all others.
    ByVenue(VenueMarkets),
    Markets {
        answers: Vec<(MarketId, MarketAnswer)>,
        prices: Vec<StreamedPrice>,
    },
}

impl StreamNews {
    /// Whether it reports orders.
    pub(crate) fn moves_orders(&self) -> bool {
        match self {
            Self::Account(rows) => rows.orders.is_some(),
            Self::Up(_)
            | Self::Down(_)
            | Self::Alive(_)
            | Self::ByVenue(_)
            | Self::Markets { .. } => false,
        }
    }

    /// Whether it changes the screen at most by what is known of the market that is shown.
    pub(crate) fn is_quiet(&self) -> bool {
        match self {
            Self::Alive(_) => true,
            Self::Markets { prices, .. } => prices.is_empty(),
            Self::Up(_) | Self::Down(_) | Self::ByVenue(_) | Self::Account(_) => false,
        }
    }
}
