//! Input without effect: whatever a person presses, clicks, turns or pastes is answered by a change or by a line
//! (docs/desk.md).
//!
//! Contract: one place for all panes, panels and dialogs, so that none can forget it. Input that asks something of the
//! world, or changes what a person sees or works with, has an effect.

use crate::{
    app::{
        core::effect::Effect,
        desk::{model::Model, msg::Msg, tour_step::Tour},
        dialogs::overlay::Overlay,
        keys::keymap::{Action, Chord},
        market::{price_ladder::PriceLadder, screen::MarketScreen},
        tables::{click_target::ClickTarget, marks::Marks, pane::Focus},
        update::{idle, press::awaited},
    },
    model::MarketId,
};
use std::collections::BTreeMap;

/// What came from a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Key(Chord),
    /// The screen is too small to draw what has the keys.
    Unseen(Chord),
    Click,
    Wheel,
    Paste,
}

impl Input {
    fn of(msg: &Msg) -> Option<Self> {
        if let Msg::Key(chord) = msg {
            Some(Self::Key(*chord))
        } else if let Msg::Unseen(chord) = msg {
            Some(Self::Unseen(*chord))
        } else if let Msg::Click(_) = msg {
            Some(Self::Click)
        } else if let Msg::Scrolled(ClickTarget::Nothing, _) = msg {
            // A list that moved is a change of the frame.
            Some(Self::Wheel)
        } else if let Msg::Paste(_) = msg {
            Some(Self::Paste)
        } else {
            None
        }
    }

    fn words(self, model: &Model) -> String {
        match self {
            Self::Key(chord) => idle::why(model, chord),
            Self::Unseen(chord) => {
                format!("{chord} does nothing in so small a window: enlarge it")
            }
            Self::Click => idle::click(model),
            Self::Wheel => "nothing scrolls further here".to_owned(),
            Self::Paste => "nothing of the pasted text fits here".to_owned(),
        }
    }
}

/// What input can change of a desk.
#[derive(PartialEq)]
struct Face {
    overlays: Vec<Overlay>,
    focus: Focus,
    market_screen: MarketScreen,
    price_ladder: PriceLadder,
    presets: BTreeMap<MarketId, usize>,
    tour: Option<Tour>,
    is_frozen: bool,
    /// The newest line, the lines' version and the toast.
    activity: (u64, u64, Option<u64>),
    marks: Marks,
    /// Of tables and alerts.
    generations: [u64; 2],
    command_lines: usize,
    commands: usize,
}

impl Face {
    fn of(model: &Model) -> Self {
        let toast = model
            .account
            .activity
            .toast(model.account.now)
            .map(|line| line.number);
        Self {
            overlays: model.overlays.clone(),
            focus: model.focus.clone(),
            market_screen: model.market_screen.clone(),
            price_ladder: model.price_ladder.clone(),
            presets: model.presets.clone(),
            tour: model.tour.clone(),
            is_frozen: model.frozen.is_some(),
            activity: (
                model.account.activity.newest(),
                model.account.activity.version(),
                toast,
            ),
            marks: Marks::clone(&model.marks),
            generations: [
                model.table_views.generation(),
                model.account.user_alerts.generation(),
            ],
            command_lines: model.spoken.len(),
            commands: model.account.store.pending.len(),
        }
    }
}

/// Input that waits for its answer.
pub(super) struct Unanswered {
    input: Input,
    /// The first key of a sequence, where the input may be its second.
    first: Option<Chord>,
    before: Face,
}

impl Unanswered {
    /// `None` for messages that are no input.
    pub(super) fn of(model: &Model, msg: &Msg) -> Option<Self> {
        let input = Input::of(msg)?;
        Some(Self {
            input,
            first: awaited(model).map(|prefix| prefix.first),
            before: Face::of(model),
        })
    }

    /// Says why nothing happened, if nothing did.
    pub(super) fn answer(self, model: &mut Model, effects: &[Effect]) {
        let begins = awaited(model).is_some();
        if begins || !effects.is_empty() || Face::of(model) != self.before {
            return;
        }
        let why = match (self.first, self.input) {
            (Some(_), Input::Key(chord)) if is_way_back(model, chord) => return,
            (Some(first), Input::Key(chord)) => {
                idle::nowhere(model, format_args!("{first} {chord}"))
            }
            (_, input) => input.words(model),
        };
        model.account.activity.remark(why, model.account.now);
    }
}

fn is_way_back(model: &Model, chord: Chord) -> bool {
    model.keymap.lookup(model.context(), chord) == Some(Action::Dismiss)
}
