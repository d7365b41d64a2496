//! The typed line, and the line below it: an error, completions, or a description.

use crate::{
    app::{
        Action, Context, Model,
        dialogs::prompt::{Asks, Prompt},
        tables::table_view::TableView,
        update::command,
    },
    view::text::{Span, format, words},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptView {
    /// The prefix of the line, not part of its text.
    pub sign: &'static str,
    pub text: String,
    /// The cursor, in characters.
    pub cursor: usize,
    pub under: Under,
}

/// The second line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Under {
    /// The error, and its position.
    Fault {
        at: usize,
        what: String,
    },
    /// Completions, and the chosen one.
    Words {
        words: Vec<String>,
        taken: Option<usize>,
    },
    Note(Vec<Span>),
}

pub fn prompt(model: &Model, prompt: &Prompt) -> PromptView {
    let under = match (&prompt.completion, &prompt.fault) {
        (Some(completion), _) if completion.words.len() > 1 => Under::Words {
            words: completion
                .words
                .iter()
                .map(|word| named(model, word))
                .collect(),
            taken: completion.at,
        },
        (_, Some(fault)) => Under::Fault {
            at: fault.at.start,
            what: fault.what.clone(),
        },
        (_, None) => Under::Note(note(model, prompt)),
    };
    let sign = match &prompt.asks {
        Asks::Filter(_) => "/",
        Asks::Command => ":",
        Asks::Note(_) => "note ",
    };
    PromptView {
        sign,
        text: prompt.text().to_owned(),
        cursor: prompt.cursor(),
        under,
    }
}

/// `ord_1 BTC SELL stop mkt 63291`: an id alone says nothing to a person.
fn named(model: &Model, word: &str) -> String {
    match command::about(model, word) {
        Some(about) => format!("{word} {about}"),
        None => word.to_owned(),
    }
}

/// What may be typed, and the keys.
fn note(model: &Model, prompt: &Prompt) -> Vec<Span> {
    let (text, keys) = match &prompt.asks {
        Asks::Command => {
            let first = prompt.text().split_whitespace().next();
            if let Some(Ok(verb)) = first.map(command::named) {
                return vec![
                    Span::accent(verb.name),
                    Span::plain(format!(" {}", verb.shape)),
                    Span::muted(format!("  {}", verb.does)),
                ];
            }
            let examples = "close btc 50%  cancel all btc  flatten  sort upnl   ";
            (Span::muted(examples), COMMAND_KEYS)
        }
        Asks::Note(_) => {
            let words = "words and #tags of this trade; kept for good   ";
            (Span::muted(words), NOTE_KEYS)
        }
        Asks::Filter(pane) => {
            let hits = model.table_views.of(*pane).and_then(TableView::hits);
            let hits = hits.map(|hits| Span::plain(format!("{} shown   ", format::count(hits))));
            let examples = || Span::muted("btc  side:sell  size>1  -status:armed   ");
            (hits.unwrap_or_else(examples), FILTER_KEYS)
        }
    };
    let keys = keys.iter().flat_map(|(action, does)| {
        words::key_hint(model, Context::Prompt, *action, "", &format!(" {does}  "))
    });
    std::iter::once(text).chain(keys).collect()
}

const COMMAND_KEYS: [(Action, &str); 3] = [
    (Action::NextChoice, "commands"),
    (Action::Up, "earlier"),
    (Action::Dismiss, "leave"),
];
const NOTE_KEYS: [(Action, &str); 3] = [
    (Action::Submit, "keep"),
    (Action::NextChoice, "tags"),
    (Action::Dismiss, "leave"),
];
const FILTER_KEYS: [(Action, &str); 3] = [
    (Action::Submit, "keep"),
    (Action::Dismiss, "show all"),
    (Action::NextChoice, "columns"),
];
