//! Messages into the app.

use super::reload;
use crate::{
    app::{
        account::{
            identity::Identity,
            poll::{Poll, Source},
        },
        activity::{
            notice::Tone,
            user_alerts::{AlertEdit, KeptState},
        },
        keys::keymap::Chord,
        market::{answer::MarketAnswer, market_spot::LadderEvent, streamed::StreamNews},
        tables::click_target::ClickTarget,
    },
    model::{
        Call, Command, Drift, Failure, MarketId, OperationEnd, Order, OrderEvidence, OrderId,
        PastPage, Progress, Receipt, ServiceAbout, Ticket, Timestamp,
    },
};
use std::ops::Range;

/// Everything that can happen. The only way into the app.
#[derive(Debug, Clone, PartialEq)]
pub enum Msg {
    Key(Chord),
    /// A key on a screen too small to draw anything but a strip.
    Unseen(Chord),
    Paste(String),
    /// A click on this target of the last frame.
    Click(ClickTarget),
    /// Of the price ladder, beside keys and clicks.
    Ladder(LadderEvent),
    /// The wheel was turned over a list, of which the rows at these places are seen from now on.
    Scrolled(ClickTarget, Range<usize>),
    /// The terminal has so many columns and rows from now on.
    Resized(u16, u16),
    /// Only time has passed.
    Tick,
    /// The service is open: which one, and which account.
    Opened(Identity),
    /// What the service says of itself.
    Met(Box<ServiceAbout>),
    Polled(Box<Poll>),
    /// The answer to a request about a market that was sent at this instant.
    MarketData(MarketId, Timestamp, MarketAnswer),
    /// What the service's streams reported, at this instant.
    Streamed(Timestamp, Box<StreamNews>),
    CallEnded(Call),
    /// A poll failed; it is retried at this instant.
    TriesAgain(Source, Timestamp),
    /// The searched orders, and those that were found in the history.
    Traced(Vec<OrderId>, Vec<Order>),
    /// What the fills of an order rest on.
    Evidence(Box<OrderEvidence>),
    Progress(Ticket, Progress),
    Settled(Ticket, Result<Receipt, Failure>),
    /// A queued cancel has ended.
    Ended(OrderId, Result<Receipt, Failure>),
    /// An open command of an earlier session, with its new ticket.
    Resumed(Ticket, Command),
    /// A command of an earlier session that was given before the last close-all.
    Outlived(Ticket),
    /// An alert with a command that undoes its cause.
    Offered(String, Command),
    /// The next page of earlier sessions on this account, or why it cannot be read.
    Recalled(Result<PastPage, String>),
    /// What another process that shares the journal has done on this account.
    DoneElsewhere(PastPage),
    /// An export: its path and number of rows, or why it failed.
    Written(Result<(String, usize), String>),
    /// What earlier sessions kept for this account.
    Kept(KeptState),
    /// The machine's wall clock was set.
    ClockSet(Drift),
    /// Flatten now: requested from outside the terminal.
    Flatten,
    /// The command of this ticket goes on with an unfinished one of before.
    Continues(Ticket),
    /// The operation of this ticket has ended, and reads show what it has left.
    OperationEnded(Ticket, Box<OperationEnd>),
    /// Another process has changed the trader's alerts.
    AlertsEdited(AlertEdit),
    /// Why new entries are refused from now on; `None` when they are allowed again.
    Halted(Option<String>),
    /// The settings files changed, or a reload was requested.
    Reload(reload::Reload),
    /// A message for the trader from outside the app.
    Notify(Tone, String),
}

impl Msg {
    /// Whether it can come from a key or the mouse.
    pub fn is_input(&self) -> bool {
        matches!(
            self,
            Self::Key(_)
                | Self::Unseen(_)
                | Self::Paste(_)
                | Self::Click(_)
                | Self::Scrolled(..)
                | Self::Ladder(_)
        )
    }
}
