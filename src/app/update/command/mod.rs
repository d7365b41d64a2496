//! The command line `:`: the CLI's verbs and flags on the desk. One table of verbs; each returns what its key would.
//!
//! Contract: a line runs completely or not at all, and an error says where it is. A command that increases risk opens
//! the form with the fields filled in, which asks as usual; one that reduces risk asks for one key at most.

mod alert;
mod amend;
mod close;
mod command_args;
mod control;
mod look;
mod offered;
mod settings;
mod strategy;
#[cfg(test)]
mod tests;
mod trade;

pub(crate) use alert::typed as typed_alert;
pub use command_args::{CommandArgs, Word};
pub use offered::about;
pub(crate) use offered::offers;

use crate::app::{
    desk::model::Model, dialogs::next::Next, keys::keymap::Action, tables::table_view::Fault,
};

/// A command and its function.
#[derive(Debug)]
pub struct Verb {
    pub name: &'static str,
    /// Its other names.
    pub also: &'static [&'static str],
    /// Its arguments, in the CLI's notation.
    pub shape: &'static str,
    pub does: &'static str,
    /// Its flags in the CLI's spelling; those that end in `=` take a value.
    pub flags: &'static [&'static str],
    /// Completions of its arguments.
    pub offers: fn(&Model) -> Vec<String>,
    does_it: Handler,
}

impl Verb {
    /// Whether a key does the same.
    pub fn has_key(&self) -> bool {
        matches!(self.does_it, Handler::Press(_))
    }
}

/// The result of a line, or its error.
type Meaning = fn(&mut Model, &CommandArgs) -> Result<Next, Fault>;

#[derive(Debug, Clone, Copy)]
enum Handler {
    /// As if this key had been pressed.
    Press(Action),
    Say(Meaning),
}

const fn press(name: &'static str, does: &'static str, action: Action) -> Verb {
    Verb {
        name,
        also: &[],
        shape: "",
        does,
        flags: &[],
        offers: nothing,
        does_it: Handler::Press(action),
    }
}

fn nothing(_: &Model) -> Vec<String> {
    vec![]
}

/// Every command. Those that the CLI also has use its words; a test compares them.
pub const VERBS: &[Verb] = &[
    Verb {
        name: "place",
        also: &[],
        shape: "buy|sell MARKET SIZE [PRICE] [FLAGS]",
        does: "opens the order form, filled in",
        flags: trade::PLACE_FLAGS,
        offers: trade::markets,
        does_it: Handler::Say(trade::place),
    },
    Verb {
        name: "buy",
        also: &[],
        shape: "MARKET SIZE [PRICE] [FLAGS]",
        does: "opens the order form, filled in",
        flags: trade::PLACE_FLAGS,
        offers: trade::markets,
        does_it: Handler::Say(trade::buy),
    },
    Verb {
        name: "sell",
        also: &[],
        shape: "MARKET SIZE [PRICE] [FLAGS]",
        does: "opens the order form, filled in",
        flags: trade::PLACE_FLAGS,
        offers: trade::markets,
        does_it: Handler::Say(trade::sell),
    },
    Verb {
        name: "twap",
        also: &[],
        shape: "buy|sell MARKET SIZE DURATION [FLAGS]",
        does: "opens the form of a new TWAP, filled in",
        flags: strategy::TWAP_FLAGS,
        offers: strategy::offers,
        does_it: Handler::Say(strategy::twap),
    },
    Verb {
        name: "ladder",
        also: &[],
        shape: "buy|sell MARKET SIZE START END RUNGS [FLAGS]",
        does: "opens the form of a new ladder, filled in",
        flags: strategy::LADDER_FLAGS,
        offers: strategy::offers,
        does_it: Handler::Say(strategy::ladder),
    },
    Verb {
        name: "close",
        also: &[],
        shape: "MARKET|POSITION_ID|all [SIZE|PERCENT] [FLAGS]",
        does: "closes a position, or part of it",
        flags: close::FLAGS,
        offers: trade::held,
        does_it: Handler::Say(close::close),
    },
    Verb {
        name: "flip",
        also: &[],
        shape: "[MARKET|POSITION_ID]",
        does: "closes a position, then opens the other way",
        flags: &[],
        offers: trade::held,
        does_it: Handler::Say(control::flip),
    },
    Verb {
        name: "be",
        also: &["break-even"],
        shape: "[MARKET|POSITION_ID]",
        does: "moves the stop of a position to break-even",
        flags: &[],
        offers: trade::held,
        does_it: Handler::Say(control::break_even),
    },
    Verb {
        name: "cancel",
        also: &[],
        shape: "ORDER_ID | all [MARKET] | --twap ID | --scaled ID",
        does: "cancels orders, a TWAP or a ladder",
        flags: &["--twap=", "--scaled=", "--all"],
        offers: trade::cancelable,
        does_it: Handler::Say(trade::cancel),
    },
    Verb {
        name: "exits",
        also: &[],
        shape: "MARKET|POSITION_ID|ORDER_ID [--take-profit PRICE|none] [--stop-loss PRICE|none] [--size SIZE]",
        does: "opens the form of the exits of a position or order, filled in",
        flags: &["--take-profit=", "--stop-loss=", "--size="],
        offers: trade::exits_offered,
        does_it: Handler::Say(trade::exits),
    },
    Verb {
        name: "move",
        also: &[],
        shape: "ORDER_ID [PRICE] [--size SIZE] [FLAGS]",
        does: "opens the form that moves an order, filled in",
        flags: amend::FLAGS,
        offers: amend::offers,
        does_it: Handler::Say(amend::amend),
    },
    Verb {
        name: "margin",
        also: &[],
        shape: "MARKET|POSITION_ID [+50|-50|200]",
        does: "opens the form of the isolated margin, filled in",
        flags: &["--extra="],
        offers: trade::held,
        does_it: Handler::Say(trade::margin),
    },
    press("close-all", "closes every position", Action::CloseAll),
    press(
        "flatten",
        "stops TWAPs, cancels orders, closes positions",
        Action::Flatten,
    ),
    Verb {
        name: "filter",
        also: &[],
        shape: "[btc side:sell size>1]",
        does: "shows the matching rows only; without words, all",
        flags: &[],
        offers: look::columns,
        does_it: Handler::Say(look::filter),
    },
    Verb {
        name: "sort",
        also: &[],
        shape: "[COLUMN [asc|desc]]",
        does: "sorts this pane",
        flags: &[],
        offers: look::columns,
        does_it: Handler::Say(look::sort),
    },
    Verb {
        name: "columns",
        also: &[],
        shape: "[COLUMN… | +COLUMN | -COLUMN]",
        does: "chooses the columns of this pane and their order; without words, from a list",
        flags: &[],
        offers: look::columns,
        does_it: Handler::Say(look::choose),
    },
    press(
        "freeze",
        "freezes the display, or resumes it",
        Action::Freeze,
    ),
    press("zoom", "this pane alone", Action::Zoom),
    press("refresh", "refreshes everything now", Action::Refresh),
    Verb {
        name: "account",
        also: &[],
        shape: "NAME",
        does: "shows that account",
        flags: &[],
        offers: look::accounts,
        does_it: Handler::Say(look::account),
    },
    press("accounts", "lists every account", Action::Accounts),
    press("markets", "lists every market", Action::Markets),
    Verb {
        name: "alert",
        also: &[],
        shape: "MARKET [pnl|funding|liq] >|<|crosses LEVEL [every] [for 2h|until 18:00]",
        does: "sets an alert of your own",
        flags: alert::FLAGS,
        offers: alert::offers,
        does_it: Handler::Say(alert::alert),
    },
    press("alerts", "lists your alerts", Action::UserAlerts),
    press(
        "review",
        "reviews your trades: by day, market and hour, and against their risk",
        Action::Review,
    ),
    press("positions", "goes to that pane", Action::Positions),
    press("orders", "goes to that pane", Action::Orders),
    press("twaps", "goes to that pane", Action::Twaps),
    press("scaled", "goes to that pane", Action::Scaled),
    press("closed", "goes to that pane", Action::Closed),
    press("history", "goes to that pane", Action::History),
    press("activity", "goes to that pane", Action::Activity),
    press("calls", "goes to that pane", Action::Calls),
    Verb {
        name: "export",
        also: &[],
        shape: "[csv|json] [FILE|DIRECTORY]",
        does: "writes this pane to a file, every page of it",
        flags: &[],
        offers: look::formats,
        does_it: Handler::Say(look::export),
    },
    Verb {
        name: "theme",
        also: &[],
        shape: "[NAME]",
        does: "these colors for the session; without a name, those of the settings",
        flags: &[],
        offers: settings::themes,
        does_it: Handler::Say(settings::theme),
    },
    Verb {
        name: "config",
        also: &["settings"],
        shape: "",
        does: "shows whether the settings files are applied, and their errors",
        flags: &[],
        offers: nothing,
        does_it: Handler::Say(settings::standing),
    },
    Verb {
        name: "reload",
        also: &[],
        shape: "",
        does: "reads the settings files now",
        flags: &[],
        offers: nothing,
        does_it: Handler::Say(settings::reload),
    },
    press("help", "lists the keys", Action::Help),
    Verb {
        name: "glossary",
        also: &[],
        shape: "[WORD]",
        does: "explains the terms",
        flags: &[],
        offers: look::terms,
        does_it: Handler::Say(look::glossary),
    },
    Verb {
        name: "tour",
        also: &[],
        shape: "",
        does: "shows you around the paper desk",
        flags: &[],
        offers: nothing,
        does_it: Handler::Say(look::tour),
    },
    Verb {
        also: &["q"],
        ..press("quit", "leaves the desk", Action::Quit)
    },
];

/// Runs a line.
pub(crate) fn run(model: &mut Model, text: &str) -> Result<Next, Fault> {
    let words = command_args::words(text)?;
    let Some((first, _)) = words.split_first() else {
        return Ok(Next::Stay);
    };
    let verb = match (named(&first.text), pressed(model, &first.text)) {
        (Ok(verb), _) => verb,
        (Err(_), Some(action)) if words.len() == 1 => return Ok(Next::Press(action)),
        (Err(what), _) => return Err(first.fault(what)),
    };
    let args = CommandArgs::of(verb, &words, text.chars().count())?;
    match verb.does_it {
        Handler::Press(action) => {
            args.at_most(0)?;
            Ok(Next::Press(action))
        }
        Handler::Say(does) => does(model, &args),
    }
}

/// The command of a word: its name, or an unambiguous beginning.
pub fn named(word: &str) -> Result<&'static Verb, String> {
    let is_it = |verb: &&Verb| verb.name == word || verb.also.contains(&word);
    if let Some(verb) = VERBS.iter().find(is_it) {
        return Ok(verb);
    }
    let begun: Vec<_> = VERBS.iter().filter(|v| v.name.starts_with(word)).collect();
    match begun.as_slice() {
        [verb] => Ok(*verb),
        [] => Err(format!("no command {word:?}; Tab lists them")),
        several => {
            let names: Vec<_> = several.iter().map(|verb| verb.name).collect();
            Err(format!("{word:?} could be {}", names.join(", ")))
        }
    }
}

/// Every action of a desk key also works by its name, with or without a key.
fn pressed(model: &Model, word: &str) -> Option<Action> {
    let action = word.replace('-', "_").parse().ok()?;
    model.keymap.is_of_desk(action).then_some(action)
}
