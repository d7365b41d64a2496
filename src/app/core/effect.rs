//! Requests to the outside.

use super::sheet::Sheet;
use crate::{
    app::{
        account::{
            labels::{Switch, Visibility},
            pane::Pane,
            poll::Source,
            row_id::RowId,
        },
        activity::{
            notice::Notice,
            user_alerts::{AlertRun, KeptState},
        },
        market::{
            chart_lines::ChartLine,
            screen::LayoutPreset,
            wanted_data::{MarketRequest, ShownMarkets},
            width_tier::WidthTier,
        },
    },
    config::Theme,
    model::{Command, Cursor, MarketId, OrderId, PastMark, ScaledId, SlicedOperation, Ticket},
};
use std::collections::BTreeSet;

/// Everything the app can request. The only way out of the app.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Send(Ticket, Command),
    /// Resends the parked command of this ticket, with the same key.
    Resend(Ticket),
    /// Gives up the parked command of this ticket, whatever became of it.
    GiveUp(Ticket),
    /// Reads what the operation of this ticket has left; answered by
    /// [`Msg::OperationEnded`](crate::app::desk::msg::Msg::OperationEnded).
    ReadRemains(Ticket, Box<SlicedOperation>),
    /// A person resumes entries after a halt.
    Rearm,
    /// Shows another account: handled by the desk itself.
    SwitchAccount(Switch),
    /// Whether this account is on the screen from now on.
    Visibility(Visibility),
    /// Polls these sources now, whatever their interval.
    Poll(Vec<Source>),
    Read(ReadOnce),
    /// Reads the page of earlier sessions before this mark.
    Earlier(PastMark),
    /// A person is at the desk: the service is asked more often for a while.
    Attend,
    /// The markets on the screen need prices, from now on these.
    ShowMarkets(ShownMarkets),
    /// Reads of these decide limits: from now on a stream makes them no rarer.
    ReadOften(BTreeSet<Source>),
    /// Polls these scaled orders, too, from now on.
    Watch(Vec<ScaledId>),
    /// A control sequence for the terminal.
    Terminal(TerminalOut),
    /// Uses this theme for the session; `None` for the configured one.
    SetTheme(Option<Theme>),
    /// Stores this for the next session.
    Keep(KeptState),
    /// Runs `alert_command`, because an alert fired.
    RunAlertCommand(Box<AlertRun>),
    /// Reads or stores settings of the whole desk.
    Settings(SettingsRequest),
    /// Writes an export file; answered by [`crate::app::desk::msg::Msg::Written`].
    Write(Box<Sheet>),
    Quit,
}

/// What is read once, beside the polls.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadOnce {
    /// An older page of closed positions.
    MoreClosed(Cursor),
    /// An older page of order history.
    MoreHistory(Cursor),
    /// These orders, in older pages of history as far back as they can be; answered by
    /// [`Msg::Traced`](crate::app::desk::msg::Msg::Traced).
    Trace(Vec<OrderId>),
    /// Why this order filled as it did; answered by [`Msg::Evidence`](crate::app::desk::msg::Msg::Evidence).
    Evidence(OrderId),
    /// Answered by [`Msg::MarketData`](crate::app::desk::msg::Msg::MarketData).
    Market(MarketId, MarketRequest),
}

/// A request to the thread that reloads the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsRequest {
    /// Read the settings now, and report the result in any case; answered by
    /// [`Msg::Reload`](crate::app::desk::msg::Msg::Reload).
    Read,
    /// Store these columns of the pane for the next session; `None` means all, in the default order. Applies to every
    /// account of the desk.
    Keep(Pane, Option<Vec<usize>>),
    /// Keep the layout of screens of this size for the next session.
    KeepLayout(WidthTier, LayoutPreset),
    /// Keep the lines of this market for the next session.
    KeepLines(MarketId, Vec<ChartLine>),
}

/// Output to the terminal that draws nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum TerminalOut {
    Bell,
    /// A desktop notification.
    Notify(Box<Notice>),
    /// A copy to the clipboard.
    Copy(Clip),
    /// The whole screen anew: something else may have written on it.
    Repaint,
}

/// What is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clip {
    Text(String),
    /// One per line.
    Lines(Vec<String>),
    /// The full detail of this row.
    Detail(RowId),
}
