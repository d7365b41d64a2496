//! Click targets.

use crate::{
    app::{
        account::{pane::Pane, row_id::RowId},
        keys::keymap::{Action, Context},
        market::{
            market_spot::ChartSpot, market_spot::LadderSpot, screen::MarketPanel,
            two_charts::ChartSide,
        },
    },
    model::{MarketId, draft::Field},
};

/// A click target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClickTarget {
    /// A pane, or its tab.
    Pane(Pane),
    /// A panel of the market, or the tab that stands for it.
    Panel(MarketPanel),
    /// One of two charts, or the only one.
    ChartOn(ChartSide),
    /// A cell of the price ladder.
    Ladder(LadderSpot),
    /// A cell of the candle chart.
    Chart(ChartSpot),
    Row(Pane, RowId),
    /// A written key with its context.
    Key(Context, Action),
    /// A field of the open form.
    Field(Field),
    /// An option of a field, by its words: polls may change the options.
    Choice(Field, String),
    /// The only visible option of many: a click chooses the next.
    NextChoice(Field),
    Toast,
    /// A line in the list of accounts, by index.
    Account(usize),
    /// A line of the list of markets.
    Market(MarketId),
    /// A line of the list of the trader's alerts.
    UserAlert(u64),
    /// What lies over the desk and is for nothing itself.
    Over,
    /// No target at all, or a list that moves no further.
    Nothing,
}
