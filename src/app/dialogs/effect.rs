//! What goes out.

use super::export;
use crate::{
    app::{
        account::{
            labels::{Switch, Visibility},
            poll::Source,
            row_id::RowId,
            trades::TradeLog,
        },
        activity::{
            notice::Notice,
            user_alerts::{AlertRun, KeptAlerts},
        },
        dialogs::caller::CallerId,
        market::{screen::LayoutPreset, wants::MarketRequest, width_tier::WidthTier},
        tables::pane::Pane,
    },
    config::Theme,
    model::{Command, Cursor, IdempotencyKey, MarketId, OrderId, PastMark, ScaledId, Ticket},
};
use std::{collections::BTreeMap, time::Duration};

/// Everything the app may ask of the world. The only way out.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Send(Ticket, Command),
    /// The same for a command that somebody else has named.
    SendAs(Ticket, Command, IdempotencyKey),
    /// From now on this caller hears how the ticket goes.
    ReportTo(CallerId, Ticket),
    /// What this caller wanted is not sent, and why.
    RefuseCaller(CallerId, String),
    /// The parked command of this ticket: the same request with the same key once more.
    Resend(Ticket),
    /// The parked command of this ticket is given up, whatever became of it.
    GiveUp(Ticket),
    /// A person trades on after a halt.
    Rearm,
    /// Another account is wanted on the screen: the desk's own to do.
    SwitchAccount(Switch),
    /// From now on this account is looked at, or not.
    Visibility(Visibility),
    /// Poll these now, whatever their interval.
    Poll(Vec<Source>),
    MoreClosed(Cursor),
    MoreHistory(Cursor),
    /// Look for these orders on older pages of the history too; answered by [`Msg::Traced`](crate::app::desk::msg::Msg::Traced).
    Trace(Vec<OrderId>),
    /// What earlier sessions did before this.
    Earlier(PastMark),
    /// Ask once for this; answered by [`Msg::MarketData`](crate::app::desk::msg::Msg::MarketData).
    Market(MarketId, MarketRequest),
    /// From now on poll these ladders too.
    Watch(Vec<ScaledId>),
    /// Something for the terminal itself, outside the screen.
    Terminal(TerminalOut),
    /// From now on poll this often.
    SetIntervals(BTreeMap<Source, Duration>),
    /// From now on nothing but reads leaves; and the end of that.
    StopSending,
    AllowSending,
    /// These colours for the session; `None` for those of the settings.
    SetTheme(Option<Theme>),
    /// These columns of the pane from now on, and in the next session; `None` for all in their own order. Every account
    /// of the desk is looked at like this.
    KeepColumns(Pane, Option<Vec<usize>>),
    /// The trader's alerts of this account, for the next session.
    KeepUserAlerts(Box<KeptAlerts>),
    /// What is kept of this account's trades, for the next session.
    KeepTrades(Box<TradeLog>),
    /// A program of the trader's, because an alert fired.
    RunAlertCommand(Box<AlertRun>),
    /// Screens of this size are divided like this in the next session, too.
    KeepLayout(WidthTier, LayoutPreset),
    /// Read the settings now; answered by [`crate::app::desk::msg::Msg::Reread`].
    Reread,
    /// Into a file of its own; answered by [`crate::app::desk::msg::Msg::Written`].
    Write(Box<export::Sheet>),
    Quit,
}

/// What is said to the terminal and not drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum TerminalOut {
    Bell,
    /// A desktop notification of this.
    Notify(Box<Notice>),
    /// Into the clipboard.
    Copy(Clip),
}

/// What is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clip {
    Text(String),
    /// One below the other.
    Lines(Vec<String>),
    /// All that is known of this row.
    Detail(RowId),
}
