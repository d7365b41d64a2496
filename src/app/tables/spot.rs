//! What a place of the screen is for.

use crate::{
    app::{
        account::row_id::RowId,
        keys::keymap::{Action, Context},
        market::{ladder_spot::LadderSpot, screen::MarketPanel},
        tables::pane::Pane,
    },
    model::{MarketId, draft::Field},
};

/// What a place of the screen is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spot {
    /// A pane, or the tab that stands for it.
    Pane(Pane),
    /// A panel of the market, or the tab that stands for it.
    Panel(MarketPanel),
    /// A cell of the price ladder.
    Ladder(LadderSpot),
    Row(Pane, RowId),
    /// The key that does this in that place, wherever it is written.
    Key(Context, Action),
    /// A field of the open form.
    Field(Field),
    /// An option of a field, by its words: options come and go with what is polled.
    Choice(Field, String),
    /// The one option that is shown of many: the next comes in its place.
    NextChoice(Field),
    Toast,
    /// A line of the list of accounts, by the account's place.
    Account(usize),
    /// A line of the list of markets.
    Market(MarketId),
    /// A line of the list of the trader's alerts.
    UserAlert(u64),
    /// What lies over the desk and is for nothing itself.
    Over,
}
