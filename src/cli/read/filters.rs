//! The filters of lists: by market, side, status and time.
//!
//! Contract: rows are filtered here, whatever the service can filter, so that a filter never shows a row that it should
//! not. A filter by time ends the reading at the first row that is older.

use super::pages::{RowTest, Since};
use crate::{
    app::Store,
    cli::{
        exit::UsageError, local_zone::local_zone, named::unknown_market, service::Service,
        voice::Output,
    },
    model::{
        MarketId, MarketNames, Order, OrderStatus, Side, Text, Twap, ambiguous,
        draft::{NOT_PAST, PastInstant, past},
    },
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::collections::HashSet;

/// The rows of one market.
#[derive(Debug, Clone, Default, clap::Args)]
pub(in crate::cli) struct MarketFilter {
    /// Only this market: its symbol, coin or id (BTC, btc or 'paper|BTC')
    #[arg(long, value_name = "MARKET")]
    market: Option<String>,
}

/// The market whose rows are wanted.
#[derive(Debug, Clone)]
pub(in crate::cli) enum WantedMarket {
    Any,
    Listed(MarketId),
    /// No market of the list has this name.
    Unlisted {
        name: Text,
        /// What may have been meant; `None` without a list.
        unknown: Option<String>,
    },
}

/// Rows since an instant.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(super) struct SinceFilter {
    /// Only rows since then: 2h or 7d ago, 2026-01-05 or 2026-01-05T18:00 here, or 2026-01-05T14:30:00Z
    #[arg(long, value_name = "WHEN", value_parser = since)]
    since: Option<PastInstant>,
}

/// Buys or sells.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(in crate::cli) struct SideFilter {
    /// Only this side
    #[arg(long, value_parser = side())]
    side: Option<Side>,
}

fn side() -> impl TypedValueParser<Value = Side> {
    PossibleValuesParser::new(["buy", "sell"]).try_map(|word| word.parse::<Side>())
}

/// Longs or shorts, by the side that opened them.
pub(super) fn direction() -> impl TypedValueParser<Value = Side> {
    PossibleValuesParser::new(["long", "short"]).map(|word| match word.as_str() {
        "long" => Side::Buy,
        _ => Side::Sell,
    })
}

/// The state of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum OrderState {
    /// Can fill now
    Working,
    /// Waits for its trigger
    Armed,
    /// Working, and filled in part
    PartiallyFilled,
    Filled,
    Canceled,
    Rejected,
    Expired,
}

impl OrderState {
    /// Whether such an order stands in the history only.
    pub(super) fn is_final(self) -> bool {
        match self {
            Self::Working | Self::Armed | Self::PartiallyFilled => false,
            Self::Filled | Self::Canceled | Self::Rejected | Self::Expired => true,
        }
    }

    pub(super) fn is_of(self, order: &Order) -> bool {
        let part = order.filled_size.is_some_and(|size| !size.is_zero());
        let ended = |status| order.status.is(&status);
        match self {
            Self::Working => !order.is_over() && !order.is_armed(),
            Self::Armed => order.is_armed(),
            Self::PartiallyFilled => !order.is_over() && part,
            Self::Filled => ended(OrderStatus::Filled),
            Self::Canceled => ended(OrderStatus::Canceled),
            Self::Rejected => ended(OrderStatus::Rejected),
            Self::Expired => ended(OrderStatus::Expired),
        }
    }
}

/// The state of a TWAP or VWAP order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TwapState {
    /// Waits for its trigger
    Armed,
    /// Sends slices
    Working,
}

impl TwapState {
    pub(super) fn is_of(self, twap: &Twap) -> bool {
        let is_armed = twap.activated_at.is_none() && twap.trigger_price.is_some();
        match self {
            Self::Armed => is_armed,
            Self::Working => !is_armed,
        }
    }
}

fn since(text: &str) -> Result<PastInstant, String> {
    past(text, &local_zone()).ok_or_else(|| NOT_PAST.to_owned())
}

impl MarketFilter {
    /// The market that it names.
    ///
    /// # Errors
    /// If several markets have this name.
    pub(in crate::cli) async fn wanted(
        &self,
        service: &Service,
    ) -> Result<WantedMarket, UsageError> {
        let Some(name) = self.market.as_deref() else {
            return Ok(WantedMarket::Any);
        };
        let mut store = Store::default();
        service.take_prices(&mut store, &[]).await;
        match store.markets_named(name).as_slice() {
            [] => Ok(WantedMarket::Unlisted {
                name: name.into(),
                unknown: (!store.known_markets().is_empty())
                    .then(|| unknown_market(&name.into(), &store)),
            }),
            [id] => Ok(WantedMarket::Listed(id.clone())),
            several => Err(UsageError(format!(
                "--market: {}",
                ambiguous(name, several)
            ))),
        }
    }
}

impl WantedMarket {
    /// For what reads the prices of those that it wants.
    pub(super) fn id(&self) -> Option<&MarketId> {
        match self {
            Self::Listed(id) => Some(id),
            Self::Any | Self::Unlisted { .. } => None,
        }
    }

    /// A market that is no longer listed keeps its rows, under its id or its coin.
    pub(in crate::cli) fn keeps(&self, market: &MarketId) -> bool {
        match self {
            Self::Any => true,
            Self::Listed(id) => id == market,
            Self::Unlisted { name, .. } => MarketNames::default().fit(market, name.raw()).is_some(),
        }
    }

    /// Refuses a name that neither a row nor the list of markets has: a mistyped market must not read as an empty account.
    pub(in crate::cli) fn check<'a>(
        &self,
        mut rows: impl Iterator<Item = &'a MarketId>,
        voice: Output,
    ) -> Result<(), UsageError> {
        match self {
            Self::Any | Self::Listed(_) => Ok(()),
            Self::Unlisted { .. } if rows.any(|market| self.keeps(market)) => Ok(()),
            Self::Unlisted {
                unknown: Some(words),
                ..
            } => Err(UsageError(format!("--market: {words}"))),
            Self::Unlisted {
                name,
                unknown: None,
            } => {
                voice.note(&format!(
                    "--market {name} was not checked: no list of markets is available"
                ));
                Ok(())
            }
        }
    }
}

impl SinceFilter {
    pub(super) fn is_given(self) -> bool {
        self.since.is_some()
    }

    /// An age is counted from the service's present.
    pub(super) async fn instant(self, service: &Service) -> Since {
        Since(match self.since {
            Some(past @ PastInstant::Ago(_)) => Some(past.before(service.now().await)),
            Some(PastInstant::At(at)) => Some(at),
            None => None,
        })
    }
}

impl SideFilter {
    pub(in crate::cli) fn keeps(self, side: Option<Side>) -> bool {
        self.side.is_none_or(|wanted| side == Some(wanted))
    }
}

/// The row of a part repeats the own row of its order, if that is listed and covers its parts.
pub(super) fn executions(orders: &[Order]) -> RowTest<Order> {
    let covering = orders.iter().filter(|order| !order.adds_to_its_parts());
    let covering: HashSet<_> = covering.map(|order| order.id.clone()).collect();
    Box::new(move |order| {
        let whole = order.partial_of_order_id.as_ref();
        whole.is_none_or(|whole| !covering.contains(whole))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::order;

    fn filled(id: &str, more: &str) -> Order {
        let common = r#""side":"buy","type":"limit","mode":"limit","size":2,"filled_size":2,"fill_price":64000,"status":"filled""#;
        order(id, "BTC", &format!("{common}{more}"))
    }

    #[test]
    fn a_part_is_listed_unless_the_row_of_its_whole_order_is() {
        let part = filled("part", r#","partial_of_order_id":"whole""#);
        let (whole, other) = (filled("whole", ""), filled("other", ""));
        let listed = |rows: &[Order]| {
            let lists = executions(rows);
            let ids = rows.iter().filter(|row| lists(row));
            ids.map(|row| row.id.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            listed(&[whole, part.clone(), other.clone()]),
            ["whole", "other"]
        );
        assert_eq!(listed(&[part, other]), ["part", "other"]);
    }
}
