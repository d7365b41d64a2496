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

impl Verb {
    const fn takes(self, shape: &'static str, offers: fn(&Model) -> Vec<String>) -> Self {
        Self {
            shape,
            offers,
            ..self
        }
    }

    const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }
}

fn nothing(_: &Model) -> Vec<String> {
    vec![]
}

/// Every command. Those that the CLI also has use its words; a test compares them.
pub const VERBS: &[Verb] = &[
    say("place", "opens the order form, filled in", trade::place)
        .takes("buy|sell MARKET SIZE [PRICE] [FLAGS]", trade::markets),
    say("buy", "opens the order form, filled in", trade::buy)
        .takes("MARKET SIZE [PRICE] [FLAGS]", trade::markets),
    say("sell", "opens the order form, filled in", trade::sell)
        .takes("MARKET SIZE [PRICE] [FLAGS]", trade::markets),
    say(
        "twap",
        "opens the form of a new TWAP, filled in; lists, shows or stops them",
        strategy::twap,
    )
    .takes(
        "start buy|sell MARKET SIZE DURATION [FLAGS] | list | show ID | stop ID…",
        strategy::twap_words,
    ),
    say(
        "scaled",
        "opens the form of a new scaled order, filled in; lists, shows or cancels them",
        strategy::scaled,
    )
    .takes(
        "place buy|sell MARKET SIZE START END RUNGS [FLAGS] | list | show ID | cancel ID…",
        strategy::scaled_words,
    ),
    say("close", "closes a position, or part of it", close::close)
        .takes("MARKET|POSITION_ID|all [SIZE|PERCENT] [FLAGS]", trade::held),
    say(
        "flip",
        "closes a position, then opens the other way",
        control::flip,
    )
    .takes("[MARKET|POSITION_ID]", trade::held),
    say(
        "be",
        "moves the stop of a position to break-even",
        control::break_even,
    )
    .takes("[MARKET|POSITION_ID]", trade::held)
    .also(&["break-even"]),
    say(
        "trail",
        "lets the stop of a position trail, or ends that",
        control::trail,
    )
    .takes("[MARKET|POSITION_ID] [40t|0.5%|1.5atr|$25]", trade::held),
    say("cancel", "cancels orders", trade::cancel).takes(
        "ORDER_ID… | --market MARKET | --side buy|sell | --all",
        trade::cancelable,
    ),
    say(
        "stop",
        "opens the form of the exits of a position, with this stop loss",
        trade::stop,
    )
    .takes("MARKET|POSITION_ID PRICE|none [--size SIZE]", trade::held),
    say(
        "target",
        "opens the form of the exits of a position, with this take profit",
        trade::target,
    )
    .takes("MARKET|POSITION_ID PRICE|none [--size SIZE]", trade::held),
    say(
        "exits",
        "opens the form of the exits of a position or order, filled in",
        trade::exits,
    )
    .takes(
        "MARKET|POSITION_ID|ORDER_ID [--take-profit PRICE|none] [--stop-loss PRICE|none] \
             [--size SIZE]",
        trade::exits_offered,
    ),
    say(
        "move",
        "opens the form that moves an order, filled in",
        amend::amend,
    )
    .takes("ORDER_ID [PRICE] [--size SIZE] [FLAGS]", amend::offers),
    say(
        "margin",
        "opens the form of the isolated margin, filled in",
        trade::margin,
    )
    .takes("MARKET|POSITION_ID [+50|-50|200]", trade::held),
    press("close-all", "closes every position", Action::CloseAll),
    press(
        "flatten",
        "stops TWAPs, cancels orders, closes positions",
        Action::Flatten,
    ),
    say(
        "filter",
        "shows the matching rows only; without words, all",
        look::filter,
    )
    .takes("[btc side:sell size>1]", look::columns),
    say("sort", "sorts this pane", look::sort).takes("[COLUMN [asc|desc]]", look::columns),
    say(
        "columns",
        "chooses the columns of this pane and their order; without words, from a list",
        look::choose,
    )
    .takes("[COLUMN… | +COLUMN | -COLUMN]", look::columns),
    press(
        "freeze",
        "freezes the display, or resumes it",
        Action::Freeze,
    ),
    press("zoom", "this pane alone", Action::Zoom),
    press("refresh", "refreshes everything now", Action::Refresh),
    say("account", "shows that account", look::account).takes("NAME", look::accounts),
    press("accounts", "lists every account", Action::Accounts),
    press("markets", "lists every market", Action::Markets),
    say(
        "watchlist",
        "shows the list of markets of that name, a new one if there is none; without a name, \
             every market",
        look::watch,
    )
    .takes("[NAME]", look::watchlists),
    say("alert", "sets an alert of your own", alert::alert).takes(
        "MARKET [pnl|funding|liq] >|<|crosses LEVEL [every] [for 2h|until 18:00]",
        alert::offers,
    ),
    press("alerts", "lists your alerts", Action::UserAlerts),
    say(
        "line",
        "draws, moves or removes a line of your own on the chart",
        look::line,
    )
    .takes("PRICE NAME | remove NAME", look::lines),
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
    say(
        "export",
        "writes a list to a file, every page of it; without a name, this pane",
        look::export,
    )
    .takes(
        "[LIST] [--to PATH] [--output csv|json] [--since WHEN]",
        look::lists,
    ),
    say(
        "theme",
        "these colors for the session; without a name, those of the settings",
        settings::theme,
    )
    .takes("[NAME]", settings::themes),
    say(
        "config",
        "shows whether the settings files are applied, and their errors",
        settings::standing,
    )
    .also(&["settings"]),
    say("reload", "reads the settings files now", settings::reload),
    press("help", "lists the keys", Action::Help),
    say("glossary", "explains the terms", look::glossary).takes("[WORD]", look::terms),
    say("tour", "shows you around the paper desk", look::tour),
    press("quit", "leaves the desk", Action::Quit).also(&["q"]),
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
    // A verb of the shell: it must not make a list of markets.
    let is_of_shell = word == "watch";
    let starting = |verb: &&Verb| verb.name.starts_with(word) && !is_of_shell;
    let starting: Vec<_> = VERBS.iter().filter(starting).collect();
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
