//! The command line `:`: the CLI's verbs and flags on the desk. One table of verbs; each returns what its key would.
//!
//! Contract: a line runs completely or not at all, and an error says where it is. A command that increases risk opens
//! the form with the fields filled in, which asks as usual; one that reduces risk asks for one key at most.

mod alert;
mod amend;
mod close;
mod command_args;
mod control;
mod fill;
mod flags;
mod look;
mod offered;
mod settings;
mod strategy;
#[cfg(test)]
mod tests;
mod trade;

pub(crate) use alert::typed as typed_alert;
pub use command_args::{CommandArgs, Word};
pub use flags::VerbFlag;
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
    /// Completions of its arguments.
    pub offers: fn(&Model) -> Vec<String>,
    does_it: Handler,
}

impl Verb {
    /// Its flags in the CLI's spelling.
    pub fn flags(&self) -> Vec<VerbFlag> {
        flags::of(self.name)
    }

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
    verb(name, does, Handler::Press(action))
}

const fn say(name: &'static str, does: &'static str, meaning: Meaning) -> Verb {
    verb(name, does, Handler::Say(meaning))
}

const fn verb(name: &'static str, does: &'static str, does_it: Handler) -> Verb {
    Verb {
        name,
        also: &[],
        shape: "",
        does,
        offers: nothing,
        does_it,
    }
}

fn nothing(_: &Model) -> Vec<String> {
    vec![]
}

/// Every command. Those that the CLI also has use its words; a test compares them.
pub const VERBS: &[Verb] = &[
    Verb {
        shape: "buy|sell MARKET SIZE [PRICE] [FLAGS]",
        offers: trade::markets,
        ..say("place", "opens the order form, filled in", trade::place)
    },
    Verb {
        shape: "MARKET SIZE [PRICE] [FLAGS]",
        offers: trade::markets,
        ..say("buy", "opens the order form, filled in", trade::buy)
    },
    Verb {
        shape: "MARKET SIZE [PRICE] [FLAGS]",
        offers: trade::markets,
        ..say("sell", "opens the order form, filled in", trade::sell)
    },
    Verb {
        shape: "start buy|sell MARKET SIZE DURATION [FLAGS] | list | show ID | stop ID…",
        offers: strategy::twap_words,
        ..say(
            "twap",
            "opens the form of a new TWAP, filled in; lists, shows or stops them",
            strategy::twap,
        )
    },
    Verb {
        shape: "place buy|sell MARKET SIZE START END RUNGS [FLAGS] | list | show ID | cancel ID…",
        offers: strategy::scaled_words,
        ..say(
            "scaled",
            "opens the form of a new scaled order, filled in; lists, shows or cancels them",
            strategy::scaled,
        )
    },
    Verb {
        shape: "MARKET|POSITION_ID|all [SIZE|PERCENT] [FLAGS]",
        offers: trade::held,
        ..say("close", "closes a position, or part of it", close::close)
    },
    Verb {
        shape: "[MARKET|POSITION_ID]",
        offers: trade::held,
        ..say(
            "flip",
            "closes a position, then opens the other way",
            control::flip,
        )
    },
    Verb {
        also: &["break-even"],
        shape: "[MARKET|POSITION_ID]",
        offers: trade::held,
        ..say(
            "be",
            "moves the stop of a position to break-even",
            control::break_even,
        )
    },
    Verb {
        shape: "[MARKET|POSITION_ID] [40t|0.5%|1.5atr|$25]",
        offers: trade::held,
        ..say(
            "trail",
            "lets the stop of a position trail, or ends that",
            control::trail,
        )
    },
    Verb {
        shape: "ORDER_ID… | --market MARKET | --side buy|sell | --all",
        offers: trade::cancelable,
        ..say("cancel", "cancels orders", trade::cancel)
    },
    Verb {
        shape: "MARKET|POSITION_ID PRICE|none [--size SIZE]",
        offers: trade::held,
        ..say(
            "stop",
            "opens the form of the exits of a position, with this stop loss",
            trade::stop,
        )
    },
    Verb {
        shape: "MARKET|POSITION_ID PRICE|none [--size SIZE]",
        offers: trade::held,
        ..say(
            "target",
            "opens the form of the exits of a position, with this take profit",
            trade::target,
        )
    },
    Verb {
        shape: "MARKET|POSITION_ID|ORDER_ID [--take-profit PRICE|none] [--stop-loss PRICE|none] [--size SIZE]",
        offers: trade::exits_offered,
        ..say(
            "exits",
            "opens the form of the exits of a position or order, filled in",
            trade::exits,
        )
    },
    Verb {
        shape: "ORDER_ID [PRICE] [--size SIZE] [FLAGS]",
        offers: amend::offers,
        ..say(
            "move",
            "opens the form that moves an order, filled in",
            amend::amend,
        )
    },
    Verb {
        shape: "MARKET|POSITION_ID [+50|-50|200]",
        offers: trade::held,
        ..say(
            "margin",
            "opens the form of the isolated margin, filled in",
            trade::margin,
        )
    },
    press("close-all", "closes every position", Action::CloseAll),
    press(
        "flatten",
        "stops TWAPs, cancels orders, closes positions",
        Action::Flatten,
    ),
    Verb {
        shape: "[btc side:sell size>1]",
        offers: look::columns,
        ..say(
            "filter",
            "shows the matching rows only; without words, all",
            look::filter,
        )
    },
    Verb {
        shape: "[COLUMN [asc|desc]]",
        offers: look::columns,
        ..say("sort", "sorts this pane", look::sort)
    },
    Verb {
        shape: "[COLUMN… | +COLUMN | -COLUMN]",
        offers: look::columns,
        ..say(
            "columns",
            "chooses the columns of this pane and their order; without words, from a list",
            look::choose,
        )
    },
    press(
        "freeze",
        "freezes the display, or resumes it",
        Action::Freeze,
    ),
    press("zoom", "this pane alone", Action::Zoom),
    press("refresh", "refreshes everything now", Action::Refresh),
    Verb {
        shape: "NAME",
        offers: look::accounts,
        ..say("account", "shows that account", look::account)
    },
    press("accounts", "lists every account", Action::Accounts),
    press("markets", "lists every market", Action::Markets),
    Verb {
        shape: "[NAME]",
        offers: look::watchlists,
        ..say(
            "watchlist",
            "shows the list of markets of that name, a new one if there is none; without a name, every market",
            look::watch,
        )
    },
    Verb {
        shape: "MARKET [pnl|funding|liq] >|<|crosses LEVEL [every] [for 2h|until 18:00]",
        offers: alert::offers,
        ..say("alert", "sets an alert of your own", alert::alert)
    },
    press("alerts", "lists your alerts", Action::UserAlerts),
    Verb {
        shape: "PRICE NAME | remove NAME",
        offers: look::lines,
        ..say(
            "line",
            "draws, moves or removes a line of your own on the chart",
            look::line,
        )
    },
    press(
        "review",
        "reviews your trades: by day, market and hour, and against their risk",
        Action::Review,
    ),
    press("positions", "goes to that pane", Action::Positions),
    press("orders", "goes to that pane", Action::Orders),
    press("closed", "goes to that pane", Action::Closed),
    press("history", "goes to that pane", Action::History),
    press("activity", "goes to that pane", Action::Activity),
    press("calls", "goes to that pane", Action::Calls),
    Verb {
        shape: "[csv|json] [FILE|DIRECTORY]",
        offers: look::formats,
        ..say(
            "export",
            "writes this pane to a file, every page of it",
            look::export,
        )
    },
    Verb {
        shape: "[NAME]",
        offers: settings::themes,
        ..say(
            "theme",
            "these colors for the session; without a name, those of the settings",
            settings::theme,
        )
    },
    Verb {
        also: &["settings"],
        ..say(
            "config",
            "shows whether the settings files are applied, and their errors",
            settings::standing,
        )
    },
    say("reload", "reads the settings files now", settings::reload),
    press("help", "lists the keys", Action::Help),
    Verb {
        shape: "[WORD]",
        offers: look::terms,
        ..say("glossary", "explains the terms", look::glossary)
    },
    say("tour", "shows you around the paper desk", look::tour),
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
    let starting: Vec<_> = VERBS.iter().filter(|v| v.name.starts_with(word)).collect();
    match starting.as_slice() {
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
