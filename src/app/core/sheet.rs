//! What an export writes to a file.

use crate::{
    app::{account::trades::TradeLog, activity::notice::Notice},
    model::{
        Call, EquitySample, FundingPayment, Market, Order, Page, Position, Scaled, Timestamp, Twap,
    },
};
use strum::Display;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
#[strum(serialize_all = "lowercase")]
pub enum Format {
    Csv,
    Json,
}

/// Everything for a file besides the store.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// As in the panel of the export.
    pub to: Option<String>,
    pub format: Format,
    pub account: String,
    pub at: Timestamp,
    pub rows: SheetRows,
    pub markets: Vec<Market>,
    /// The working orders, which show what protects a position; `None` for other lists.
    pub working: Option<Page<Order>>,
    /// Notes and what was seen of trades; of other lists than those of positions it is empty.
    pub trades: TradeLog,
}

/// The list of one pane, or one that the command line alone exports.
#[derive(Debug, Clone, PartialEq)]
pub enum SheetRows {
    Positions(Vec<Position>),
    Working(Vec<Order>),
    Twaps(Vec<Twap>),
    Scaled(Vec<Scaled>),
    Closed(Vec<Position>),
    History(Vec<Order>),
    /// Orders that have filled.
    Fills(Vec<Order>),
    Funding(Vec<FundingPayment>),
    Equity(Vec<EquitySample>),
    Activity(Vec<Notice>),
    Calls(Vec<Call>),
}

impl Format {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Csv => Self::Json,
            Self::Json => Self::Csv,
        }
    }
}
