//! Requests from a panel to the app.

use super::overlay::Overlay;
use crate::{
    app::{
        account::{labels::Switch, pane::Pane, watchlists::WatchlistEdit},
        activity::user_alerts::AlertRequest,
        core::effect::{Clip, Effect},
        forms::answer::Answer,
        keys::keymap::{Action, Keys},
    },
    model::{Command, Flip, MarketId, Side, Ticket},
};

/// What a screen, form or strip requests of the app; panels never call each other.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    Stay,
    Close,
    Open(Box<Overlay>),
    /// Sends the command, and closes the panel that requested it.
    Run(Command),
    /// Close the position, and open the other way once it is gone; the strip closes.
    Flip(Box<Flip>),
    /// Send them one by one, listed with what comes of each; the strip that asked closes.
    RunEach(Vec<Command>),
    /// Resends the parked command of this ticket; the strip closes.
    Resend(Ticket),
    /// The same, although a close-all came after it.
    Reopen(Ticket),
    /// Gives up the parked command of this ticket; the strip closes.
    GiveUp(Ticket),
    /// Allows new entries again; the strip closes.
    Rearm,
    /// Only from a form: sends it. The form closes, and is kept with its contents until the command settles.
    RunForm(Command),
    /// Shows this pane with this filter; the panel closes.
    ShowFiltered(Pane, String),
    /// As if the key for this action had been pressed on the desk.
    Press(Action),
    /// As if these keys had been pressed, one after another.
    PressKeys(Keys),
    /// Uses and stores these columns; `None` means all in the default order. The list closes.
    ChooseColumns(Pane, Option<Vec<usize>>),
    /// Sends this effect.
    Ask(Effect),
    /// And each of these.
    AskEach(Vec<Effect>),
    /// The command line, begun with these words.
    Type(String),
    /// Change the trader's alerts; the list of them stays open.
    OfAlerts(AlertRequest),
    /// The next page of closed positions.
    ReadOlder,
    /// A form for a new order there.
    NewOrder(Side, MarketId),
    /// The chart of this market, on the whole screen; the panel closes.
    ShowChart(MarketId),
    /// This market in the panel that has the keys, else its chart; the list closes.
    OpenMarket(MarketId),
    /// Changes the trader's watchlists; the list of markets stays open.
    OfWatchlists(WatchlistEdit),
    /// Shows another account; the list closes.
    Switch(Switch),
    /// Pauses the display, or continues it.
    Freeze,
    /// Explains why a key does nothing.
    Refuse(String),
    Copy(Clip),
    /// Allows entries although a loss limit is reached; the strip closes.
    LiftLock,
    /// Quits, whatever is in progress.
    Leave,
}

/// What an action leads to, or why it does nothing.
pub(crate) type Reply = Result<Next, String>;

impl From<Reply> for Next {
    fn from(reply: Reply) -> Self {
        reply.unwrap_or_else(Self::Refuse)
    }
}

impl Next {
    pub(crate) fn open(overlay: impl Into<Overlay>) -> Self {
        Self::Open(Box::new(overlay.into()))
    }
}

impl From<Answer> for Next {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Stay => Self::Stay,
            Answer::Close => Self::Close,
            Answer::Refuse(why) => Self::Refuse(why),
            Answer::Send(command) => Self::RunForm(command),
        }
    }
}
