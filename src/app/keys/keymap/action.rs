//! The actions of keys, each with its description; tests require one.

use strum::{Display, EnumIter, EnumString, VariantNames};

/// One line for each action: its name, and its words in the footer and the help.
macro_rules! actions {
    ($($action:ident $label:literal)*) => {
        /// The action of a key.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(Display, EnumString, EnumIter, VariantNames)]
        #[strum(serialize_all = "snake_case")]
        pub enum Action {
            $($action,)*
        }

        impl Action {
            /// The words in the footer and the help.
            pub fn label(self) -> &'static str {
                match self {
                    $(Self::$action => $label,)*
                }
            }
        }
    };
}

actions! {
    QuitNow "quit"
    Quit "quit"
    Help "help"
    Glossary "glossary"
    Dismiss "back"
    Positions "positions"
    Orders "working orders"
    Twaps "TWAP / VWAP"
    Scaled "scaled"
    Closed "closed positions"
    History "order history"
    Activity "activity"
    Calls "calls"
    PriceLadder "price ladder"
    MarketChart "candle chart"
    PinMarket "pin the market shown"
    Layout "layout: market, risk, history"
    OlderCandle "older candle"
    NewerCandle "newer candle"
    LeapOlder "ten candles back"
    LeapNewer "ten candles on"
    ShorterInterval "shorter interval"
    LongerInterval "longer interval"
    NextMarket "next market"
    PreviousMarket "previous market"
    ZoomIn "wider candles"
    ZoomOut "narrower candles"
    StretchPrices "prices further apart"
    SqueezePrices "prices closer together"
    CandleLook "candles: solid, hollow, Heikin-Ashi, line"
    Averages "averages, bands and the session's prices on or off"
    OwnLine "line of your own here, or remove it"
    TwoCharts "two charts side by side, or one"
    StopBuy "stop entry, buy"
    StopSell "stop entry, sell"
    StopHere "stop of the position here"
    TargetHere "target of the position here"
    Drop "drop the order here"
    CancelBids "cancel all bids"
    CancelAsks "cancel all asks"
    Centre "centre the market"
    NextMark "next price of yours"
    FinerRows "finer rows"
    CoarserRows "coarser rows"
    OneKey "one-key trading"
    ResetDelta "delta from now on"
    LargeTrades "large trades only, from how much USD"
    NextPane "next pane"
    PreviousPane "previous pane"
    Down "down"
    Up "up"
    Top "first row"
    Bottom "last row"
    PageDown "page down"
    PageUp "page up"
    Detail "detail"
    Limits "challenge limits"
    Lift "override the lock"
    Mark "mark"
    MarkRange "mark a range"
    MarkAll "mark all shown"
    Copy "copy"
    Export "export to a file"
    Zoom "zoom"
    Filter "filter"
    Command "command line"
    Freeze "freeze the display"
    Sort "sort by the next column"
    SortDirection "sort the other way"
    Columns "choose the columns"
    ShowColumn "show or hide"
    MoveDown "one place down"
    MoveUp "one place up"
    Reset "built-in columns"
    Keep "keep"
    NextAccount "next account"
    Accounts "all accounts"
    ShowAccount "show this account"
    NextStep "next step of the tour"
    Refresh "refresh now"
    Repaint "draw the whole screen again"
    Buy "buy"
    Sell "sell"
    NewTwap "new TWAP / VWAP"
    NewScaled "new scaled order"
    ClosePosition "close position"
    CloseQuarter "close 25%"
    CloseHalf "close 50%"
    CloseThreeQuarters "close 75%"
    CloseWhole "close 100%"
    Cover "cover all of it"
    Trail "trailing stop on or off"
    PlaceTargets "place the bracket's missing targets"
    Bracket "bracket on or off"
    Cancel "cancel"
    Exits "stop and target, move a stop"
    Amend "move: another price or size"
    Margin "isolated margin"
    Flip "flip"
    BreakEven "break-even"
    StopDown "stop one tick down"
    StopUp "stop one tick up"
    TargetDown "target one tick down"
    TargetUp "target one tick up"
    AddTo "add to it"
    Reduce "reduce it"
    CloseAll "CLOSE ALL"
    CancelAll "cancel all orders"
    Flatten "FLATTEN"
    Decide "decide a command of unknown status"
    Correct "correct the refused order"
    FindMarket "find a market"
    Watch "on or off the list"
    NewWatchlist "new list"
    ResumeEntries "resume entries after a halt"
    Confirm "yes"
    Reopen "send it again after a close-all"
    GiveUp "give up"
    NextField "next field"
    PreviousField "previous field"
    NextChoice "next choice"
    PreviousChoice "previous choice"
    StepUp "one tick up"
    StepDown "one tick down"
    LeapUp "ten ticks up"
    LeapDown "ten ticks down"
    TypeMarket "type: market"
    TypeLimit "type: limit"
    TypeStop "type: stop"
    TypeTake "type: take profit at the market"
    TypeChase "type: chase"
    NextSize "next size preset"
    PreviousSize "previous size preset"
    ObservedPrice "observed price"
    ShowJson "exact JSON"
    Submit "send"
    NextLink "next link"
    PreviousLink "previous link"
    Follow "follow the link"
    Markets "markets"
    Chart "chart of its market, and back"
    Quality "execution quality"
    AlertHere "set an alert here"
    UserAlerts "your alerts"
    EditAlert "change this alert"
    DeleteAlert "delete this alert"
    Review "review of trades"
    Note "note and tags"
    ReadOlder "read older rows"
    NextMonth "next month"
    PreviousMonth "previous month"
    LetAlertsFire "let alerts fire again"
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
    pub fn closes_all(self) -> bool {
        matches!(self, Self::CloseAll | Self::Flatten)
    }

    /// Whether it works over every panel: the command line, the help, and a new drawing.
    pub fn works_everywhere(self) -> bool {
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
        self.closes_all() || matches!(self, Self::CancelAll | Self::QuitNow)
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
