//! What comes in.

use super::renewal;
use crate::{
    app::{
        account::{
            identity::Identity,
            poll::{Poll, Source},
        },
        activity::{notice::Tone, user_alerts::KeptState},
        dialogs::caller::{CallerId, CallerRequest},
        keys::keymap::Chord,
        market::{answer::MarketAnswer, ladder_spot::LadderEvent},
        tables::spot::Spot,
    },
    model::{
        Call, Command, Drift, Failure, MarketId, Order, OrderId, PastPage, Progress, Receipt,
        Ticket, Timestamp,
    },
};
use std::ops::Range;

/// Everything that can happen. The only way in.
#[derive(Debug, Clone, PartialEq)]
pub enum Msg {
    Key(Chord),
    /// A key on a screen too small to draw anything but a strip.
    Unseen(Chord),
    Paste(String),
    /// The left button was pressed on what the last frame showed there.
    Click(Spot),
    /// Of the price ladder, beside keys and clicks.
    Ladder(LadderEvent),
    /// The wheel was turned over a list, of which the rows at these places are seen from now on.
    Scrolled(Spot, Range<usize>),
    /// The terminal has so many columns and rows from now on.
    Resized(u16, u16),
    /// Only time has passed.
    Tick,
    /// The far end is known: which it is and which account.
    Opened(Identity),
    Polled(Box<Poll>),
    /// The answer to a request about a market that was sent at this instant.
    MarketData(MarketId, Timestamp, MarketAnswer),
    CallEnded(Call),
    /// A poll was not answered, or with trouble; it is asked again at this instant.
    TriesAgain(Source, Timestamp),
    /// These orders were looked for in the order history, and those were found.
    Traced(Vec<OrderId>, Vec<Order>),
    Progress(Ticket, Progress),
    Settled(Ticket, Result<Receipt, Failure>),
    /// A cancel that was queued has come to its end.
    Ended(OrderId, Result<Receipt, Failure>),
    /// A command of an earlier session that is still in doubt: it has a number on this desk now.
    Resumed(Ticket, Command),
    /// Such a command was given before everything was last to be closed.
    Outlived(Ticket),
    /// An alert with a way to undo what it is about.
    Offered(String, Command),
    /// What earlier sessions did on this account: the next page of it, or why it cannot be read.
    Recalled(Result<PastPage, String>),
    /// An export: where it is and how many rows it holds, or why there is none.
    Written(Result<(String, usize), String>),
    /// What earlier sessions kept for this account.
    Kept(KeptState),
    /// The machine's wall clock was set.
    ClockSet(Drift),
    /// Get out now: from outside the terminal.
    Flatten,
    /// A close-all that went on with an earlier one has ended, and positions are open that this one did not know.
    OpenedSince,
    /// The command line wants this done while the desk has the journal.
    Asked(CallerId, CallerRequest),
    /// Why nothing that raises exposure is sent from now on; `None` when it is again.
    Halted(Option<String>),
    /// The desk that has the journal; `None` when it is this one's from now on.
    Second(Option<String>),
    /// The settings files read otherwise now, or were asked for.
    Reread(renewal::Reread),
    /// The world outside the desk has something to say to the trader.
    Said(Tone, String),
}
