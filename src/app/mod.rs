//! The desk's behavior as one pure function: [`update()`] takes an event ([`Msg`]) and returns requests to the outside
//! ([`Effect`]). Names `config` and `model`.
//!
//! Contract: no I/O, no clock, no terminal, no async. Every message carries the time.

pub mod account;
pub mod activity;
pub mod core;
pub mod desk;
pub mod dialogs;
pub mod forms;
pub mod keys;
pub mod market;
pub mod orders;
pub mod rules;
pub mod tables;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub mod update;
pub mod workflows;

pub use crate::{
    app::{
        account::labels::{AccountLabel, AccountLabels, Switch, Visibility},
        desk::links::links,
        update::press::awaited,
    },
    config::{Checks, Motion, Tint},
};
pub use account::about::{About, Target};
pub use account::books::{Books, UnusableBook};
pub use account::clocks::Clocks;
pub use account::data_age::DataAge;
pub use account::equity::Equity;
pub use account::feed::{AnswerDiff, Feed};
pub use account::health::Health;
pub use account::identity::{Identity, Mode, Profile};
pub use account::lineage::Lineage;
pub use account::lookup::several_positions;
pub use account::options::{CloseAllRule, Options};
pub use account::pane::Pane;
pub use account::poll::Source;
pub use account::prices::{Fill, Prices};
pub use account::remote::Remote;
pub use account::row_id::RowId;
pub use account::store::{Closing, Ended, EndedBy, FillCertainty, PendingCommand, Store};
pub use account::streamed::{StreamState, StreamedPrice, StreamedRows, Streams, VenueMarkets};
pub use account::tally::days::{DayResult, Days};
pub use account::tally::{Fills, MarketResults, Quality, Results, Rule, Sum};
pub use account::tracked::Tracked;
pub use account::tree::TreeRow;
pub use activity::alerts::Alert;
pub use core::account::{Account, FormContext};
pub use core::effect::{Clip, Effect, ReadOnce, SettingsRequest, TerminalOut};
pub use desk::frozen::Frozen;
pub use desk::market_shown::{
    charts, cursor_spacing, has_market, has_room_for_market, has_two_charts, panels, series_of,
    want_shown,
};
pub use desk::model::Model;
pub use desk::msg::Msg;
pub use desk::presets::{PresetSize, SizeBasis};
pub use dialogs::next::Next;
pub use keys::key_prefix::KeyPrefix;
pub use keys::keymap::{Action, Context};
pub use market::{
    answer::MarketAnswer,
    candles::{CandleOrigin, CandleSeries},
    chart::{CandleChart, CandleLook, session_of},
    data::{MarketData, RequestTime},
    poll::MarketPolls,
    screen::{LayoutPreset, MarketPanel, MarketScreen},
    streamed::StreamNews,
    tape::{Tape, TradedVolume},
    wanted_data::{CandleWant, MarketRequest, ShownMarkets, WantedMarketData},
    width_tier::WidthTier,
};
pub use orders::bulk::marked;
pub use orders::sent::{corrects, has_refused};
pub use tables::click_target::ClickTarget;
pub use tables::pane::PlaceContent;
pub use tables::rows::Rows;
pub use update::account_set::{AccountScope, AccountSet, Desks};
pub(crate) use update::market_data::{due as market_due, markets_shown};
pub use update::router::update;
pub use update::wake::{redraw, wake};
pub use workflows::{Workflow, Workflows};
