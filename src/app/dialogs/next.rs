//! What goes on inside, from what a key was pressed in to the app.

use super::{
    effect::{Clip, Effect},
    overlay::Overlay,
};
use crate::{
    app::{
        account::labels::Switch, activity::user_alerts::UserAlert, forms::answer::Answer,
        keys::keymap::Action, tables::pane::Pane,
    },
    model::{Command, Flip, MarketId, PositionId, Protection, Side, Ticket},
};

/// What a screen, a form or a strip may ask of the app; it never reaches sideways.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    Stay,
    Close,
    Open(Box<Overlay>),
    /// Send it; the overlay that asked for it, if one did, closes.
    Run(Command),
    /// Close the position, and open the other way once it is gone; the strip closes.
    Flip(Box<Flip>),
    /// Stops, targets and size of a position: what was decided goes at once.
    Control(PositionControl),
    /// Send them one by one, listed with what comes of each; the strip that asked closes.
    RunEach(Vec<Command>),
    /// Send the parked command of this ticket again; the strip closes.
    Resend(Ticket),
    /// The same although everything was to be closed since it was given.
    Reopen(Ticket),
    /// Let go of the parked command of this ticket; the strip closes.
    GiveUp(Ticket),
    /// Send what raises exposure again; the strip closes.
    Rearm,
    /// Of a form only: send it. The form closes, and is kept with its contents until the command is done.
    RunForm(Command),
    /// This pane, filtered like this; the overlay that asked closes.
    ShowFiltered(Pane, String),
    /// As if the key for this had been pressed on the desk.
    Press(Action),
    /// These columns of the pane, kept; `None` for all in their own order. The list that asked closes.
    ChooseColumns(Pane, Option<Vec<usize>>),
    /// Ask this of the world.
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
    /// Show another account; the list that asked closes.
    Switch(Switch),
    /// Hold the display, or let it go on.
    Freeze,
    /// Say why a key does nothing.
    Refuse(String),
    Copy(Clip),
    /// New risk is let through although a loss limit is reached; the strip closes.
    LiftLock,
    /// What was replaced works on beside the new one, and this would cancel it; the strip closes.
    KeepBoth(Command),
    /// Go, whatever is on its way.
    Leave,
}

/// What one key does to the orders that guard a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PositionControl {
    /// Its stops go to where nothing is lost any more.
    BreakEven(PositionId),
    /// The nearest stop or target goes one tick that way.
    Nudge(PositionId, Protection, PriceStep),
}

/// Which way a price goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceStep {
    Down,
    Up,
}

/// What becomes of the trader's alerts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlertRequest {
    /// Set it, in the place of that one.
    Set(Box<UserAlert>, Option<u64>),
    Delete(u64),
    /// They fire again after a storm.
    LetFire,
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
