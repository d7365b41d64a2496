//! The actions of keys, each with its description; tests require one.

use strum::{Display, EnumIter, EnumMessage, EnumString, VariantNames};

/// The action of a key.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Display,
    EnumString,
    EnumIter,
    EnumMessage,
    VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    #[strum(message = "quit")]
    QuitNow,
    #[strum(message = "quit")]
    Quit,
    #[strum(message = "help")]
    Help,
    #[strum(message = "glossary")]
    Glossary,
    #[strum(message = "back")]
    Dismiss,
    #[strum(message = "positions")]
    Positions,
    #[strum(message = "working orders")]
    Orders,
    #[strum(message = "TWAP / VWAP")]
    Twaps,
    #[strum(message = "scaled")]
    Scaled,
    #[strum(message = "closed positions")]
    Closed,
    #[strum(message = "order history")]
    History,
    #[strum(message = "activity")]
    Activity,
    #[strum(message = "calls")]
    Calls,
    #[strum(message = "price ladder")]
    PriceLadder,
    #[strum(message = "candle chart")]
    MarketChart,
    #[strum(message = "pin the market shown")]
    PinMarket,
    #[strum(message = "layout: market, risk, history")]
    Layout,
    #[strum(message = "older candle")]
    OlderCandle,
    #[strum(message = "newer candle")]
    NewerCandle,
    #[strum(message = "ten candles back")]
    LeapOlder,
    #[strum(message = "ten candles on")]
    LeapNewer,
    #[strum(message = "shorter interval")]
    ShorterInterval,
    #[strum(message = "longer interval")]
    LongerInterval,
    #[strum(message = "next market")]
    NextMarket,
    #[strum(message = "previous market")]
    PreviousMarket,
    #[strum(message = "wider candles")]
    ZoomIn,
    #[strum(message = "narrower candles")]
    ZoomOut,
    #[strum(message = "prices further apart")]
    StretchPrices,
    #[strum(message = "prices closer together")]
    SqueezePrices,
    #[strum(message = "candles: solid, hollow, Heikin-Ashi, line")]
    CandleLook,
    #[strum(message = "averages, bands and the session's prices on or off")]
    Averages,
    #[strum(message = "line of your own here, or remove it")]
    OwnLine,
    #[strum(message = "two charts side by side, or one")]
    TwoCharts,
    #[strum(message = "stop entry, buy")]
    StopBuy,
    #[strum(message = "stop entry, sell")]
    StopSell,
    #[strum(message = "stop of the position here")]
    StopHere,
    #[strum(message = "target of the position here")]
    TargetHere,
    #[strum(message = "drop the order here")]
    Drop,
    #[strum(message = "cancel all bids")]
    CancelBids,
    #[strum(message = "cancel all asks")]
    CancelAsks,
    #[strum(message = "centre the market")]
    Centre,
    #[strum(message = "next price of yours")]
    NextMark,
    #[strum(message = "finer rows")]
    FinerRows,
    #[strum(message = "coarser rows")]
    CoarserRows,
    #[strum(message = "one-key trading")]
    OneKey,
    #[strum(message = "delta from now on")]
    ResetDelta,
    #[strum(message = "large trades only, from how much USD")]
    LargeTrades,
    #[strum(message = "next pane")]
    NextPane,
    #[strum(message = "previous pane")]
    PreviousPane,
    #[strum(message = "down")]
    Down,
    #[strum(message = "up")]
    Up,
    #[strum(message = "first row")]
    Top,
    #[strum(message = "last row")]
    Bottom,
    #[strum(message = "page down")]
    PageDown,
    #[strum(message = "page up")]
    PageUp,
    #[strum(message = "detail")]
    Detail,
    #[strum(message = "challenge limits")]
    Limits,
    #[strum(message = "override the lock")]
    Lift,
    #[strum(message = "mark")]
    Mark,
    #[strum(message = "mark a range")]
    MarkRange,
    #[strum(message = "mark all shown")]
    MarkAll,
    #[strum(message = "copy")]
    Copy,
    #[strum(message = "export to a file")]
    Export,
    #[strum(message = "zoom")]
    Zoom,
    #[strum(message = "filter")]
    Filter,
    #[strum(message = "command line")]
    Command,
    #[strum(message = "freeze the display")]
    Freeze,
    #[strum(message = "sort by the next column")]
    Sort,
    #[strum(message = "sort the other way")]
    SortDirection,
    #[strum(message = "choose the columns")]
    Columns,
    #[strum(message = "show or hide")]
    ShowColumn,
    #[strum(message = "one place down")]
    MoveDown,
    #[strum(message = "one place up")]
    MoveUp,
    #[strum(message = "built-in columns")]
    Reset,
    #[strum(message = "keep")]
    Keep,
    #[strum(message = "next account")]
    NextAccount,
    #[strum(message = "all accounts")]
    Accounts,
    #[strum(message = "show this account")]
    ShowAccount,
    #[strum(message = "next step of the tour")]
    NextStep,
    #[strum(message = "refresh now")]
    Refresh,
    #[strum(message = "draw the whole screen again")]
    Repaint,
    #[strum(message = "buy")]
    Buy,
    #[strum(message = "sell")]
    Sell,
    #[strum(message = "new TWAP / VWAP")]
    NewTwap,
    #[strum(message = "new scaled order")]
    NewScaled,
    #[strum(message = "close position")]
    ClosePosition,
    #[strum(message = "close 25%")]
    CloseQuarter,
    #[strum(message = "close 50%")]
    CloseHalf,
    #[strum(message = "close 75%")]
    CloseThreeQuarters,
    #[strum(message = "close 100%")]
    CloseWhole,
    #[strum(message = "cover all of it")]
    Cover,
    #[strum(message = "trailing stop on or off")]
    Trail,
    #[strum(message = "place the bracket's missing targets")]
    PlaceTargets,
    #[strum(message = "bracket on or off")]
    Bracket,
    #[strum(message = "cancel")]
    Cancel,
    #[strum(message = "stop and target, move a stop")]
    Exits,
    #[strum(message = "move: another price or size")]
    Amend,
    #[strum(message = "isolated margin")]
    Margin,
    #[strum(message = "flip")]
    Flip,
    #[strum(message = "break-even")]
    BreakEven,
    #[strum(message = "stop one tick down")]
    StopDown,
    #[strum(message = "stop one tick up")]
    StopUp,
    #[strum(message = "target one tick down")]
    TargetDown,
    #[strum(message = "target one tick up")]
    TargetUp,
    #[strum(message = "add to it")]
    AddTo,
    #[strum(message = "reduce it")]
    Reduce,
    #[strum(message = "CLOSE ALL")]
    CloseAll,
    #[strum(message = "cancel all orders")]
    CancelAll,
    #[strum(message = "FLATTEN")]
    Flatten,
    #[strum(message = "decide a command of unknown status")]
    Decide,
    #[strum(message = "correct the refused order")]
    Correct,
    #[strum(message = "find a market")]
    FindMarket,
    #[strum(message = "on or off the list")]
    Watch,
    #[strum(message = "new list")]
    NewWatchlist,
    #[strum(message = "resume entries after a halt")]
    ResumeEntries,
    #[strum(message = "yes")]
    Confirm,
    #[strum(message = "send it again after a close-all")]
    Reopen,
    #[strum(message = "give up")]
    GiveUp,
    #[strum(message = "next field")]
    NextField,
    #[strum(message = "previous field")]
    PreviousField,
    #[strum(message = "next choice")]
    NextChoice,
    #[strum(message = "previous choice")]
    PreviousChoice,
    #[strum(message = "one tick up")]
    StepUp,
    #[strum(message = "one tick down")]
    StepDown,
    #[strum(message = "ten ticks up")]
    LeapUp,
    #[strum(message = "ten ticks down")]
    LeapDown,
    #[strum(message = "type: market")]
    TypeMarket,
    #[strum(message = "type: limit")]
    TypeLimit,
    #[strum(message = "type: stop")]
    TypeStop,
    #[strum(message = "type: take profit at the market")]
    TypeTake,
    #[strum(message = "type: chase")]
    TypeChase,
    #[strum(message = "next size preset")]
    NextSize,
    #[strum(message = "previous size preset")]
    PreviousSize,
    #[strum(message = "observed price")]
    ObservedPrice,
    #[strum(message = "exact JSON")]
    ShowJson,
    #[strum(message = "send")]
    Submit,
    #[strum(message = "next link")]
    NextLink,
    #[strum(message = "previous link")]
    PreviousLink,
    #[strum(message = "follow the link")]
    Follow,
    #[strum(message = "markets")]
    Markets,
    #[strum(message = "chart of its market, and back")]
    Chart,
    #[strum(message = "execution quality")]
    Quality,
    #[strum(message = "set an alert here")]
    AlertHere,
    #[strum(message = "your alerts")]
    UserAlerts,
    #[strum(message = "change this alert")]
    EditAlert,
    #[strum(message = "delete this alert")]
    DeleteAlert,
    #[strum(message = "review of trades")]
    Review,
    #[strum(message = "note and tags")]
    Note,
    #[strum(message = "read older rows")]
    ReadOlder,
    #[strum(message = "next month")]
    NextMonth,
    #[strum(message = "previous month")]
    PreviousMonth,
    #[strum(message = "let alerts fire again")]
    LetAlertsFire,
}

/// Rows per page key.
const PAGE: usize = 10;

impl Action {
    /// Its entry in a table of actions.
    pub(crate) fn entry<T: Copy>(self, table: &[(Self, T)]) -> Option<T> {
        let mut entries = table.iter().filter(|(of, _)| *of == self);
        entries.next().map(|(_, entry)| *entry)
    }

    /// Whether it closes everything.
    pub fn is_way_out(self) -> bool {
        matches!(self, Self::CloseAll | Self::Flatten)
    }

    /// Whether it works over every panel: the command line, the help, and a new drawing.
    pub fn is_aside(self) -> bool {
        matches!(self, Self::Command | Self::Help | Self::Repaint)
    }

    /// Where it moves in a list from the row at `at`, with the last row at `last`; `None` if it does not move.
    pub fn moves(self, at: usize, last: usize) -> Option<usize> {
        Some(match (self, last) {
            (Self::Down, _) => (at + 1).min(last),
            (Self::Up, _) => at.saturating_sub(1),
            (Self::PageDown, _) => (at + PAGE).min(last),
            (Self::PageUp, _) => at.saturating_sub(PAGE),
            (Self::Top, _) => 0,
            (Self::Bottom, last) => last,
            _ => return None,
        })
    }

    /// Whether a single press acts, whatever was pressed before.
    pub fn is_at_once(self) -> bool {
        self.is_way_out() || matches!(self, Self::CancelAll | Self::QuitNow)
    }

    /// Whether it changes or ends what the row under the cursor is about.
    pub fn acts_on_its_row(self) -> bool {
        matches!(
            self,
            Self::Cancel
                | Self::ClosePosition
                | Self::CloseQuarter
                | Self::CloseHalf
                | Self::CloseThreeQuarters
                | Self::CloseWhole
                | Self::Cover
                | Self::Trail
                | Self::PlaceTargets
                | Self::Margin
                | Self::Exits
                | Self::Amend
                | Self::Flip
                | Self::BreakEven
                | Self::StopDown
                | Self::StopUp
                | Self::TargetDown
                | Self::TargetUp
                | Self::AddTo
                | Self::Reduce
        )
    }

    /// Whether it leads to something being sent, which a desk that may only look refuses.
    pub fn sends(self) -> bool {
        matches!(
            self,
            Self::Buy
                | Self::Sell
                | Self::NewTwap
                | Self::NewScaled
                | Self::CancelAll
                | Self::Correct
                | Self::StopBuy
                | Self::StopSell
                | Self::StopHere
                | Self::TargetHere
                | Self::Drop
                | Self::CancelBids
                | Self::CancelAsks
                | Self::OneKey
                | Self::CloseAll
                | Self::Flatten
        ) || self.acts_on_its_row()
    }

    /// The words in the footer and the help.
    pub fn label(self) -> &'static str {
        self.get_message().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::IntoEnumIterator;

    #[test]
    fn every_action_has_its_words() {
        let silent: Vec<_> = Action::iter().filter(|a| a.label().is_empty()).collect();
        assert_eq!(silent, []);
    }
}
