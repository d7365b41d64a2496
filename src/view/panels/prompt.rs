//! The typed line, and the line below it: an error, completions, or a description.

use crate::{
    app::{
        Model,
        account::pane::Pane,
        dialogs::prompt::{Asks, Prompt},
        keys::keymap::{Action, Context},
        tables::table_view::TableView,
        update::command,
    },
    view::text::{
        format,
        span::{Span, Tone},
    },
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

fn note(model: &Model, prompt: &Prompt) -> Vec<Span> {
    match &prompt.asks {
        Asks::Filter(pane) => filter_note(model, *pane),
        Asks::Command => command_note(model, prompt.text()),
        Asks::Note(_) => trade_note(model),
    }
}

/// The arguments and effect of a command, or the list of commands.
fn command_note(model: &Model, text: &str) -> Vec<Span> {
    let first = text.split_whitespace().next();
    if let Some(Ok(verb)) = first.map(command::named) {
        return vec![
            Span::new(verb.name, Tone::Accent),
            Span::plain(format!(" {}", verb.shape)),
            Span::muted(format!("  {}", verb.does)),
        ];
    }
    let mut spans = vec![Span::muted(
        "close btc 50%  cancel all btc  flatten  sort upnl   ",
    )];
    spans.extend(keys(
        model,
        &[
            (Action::NextChoice, "commands"),
            (Action::Up, "earlier"),
            (Action::Dismiss, "leave"),
        ],
    ));
    spans
}

/// What a note may hold, and the keys.
fn trade_note(model: &Model) -> Vec<Span> {
    let mut spans = vec![Span::muted(
        "words and #tags of this trade; nothing deletes it   ",
    )];
    spans.extend(keys(
        model,
        &[
            (Action::Submit, "keep"),
            (Action::NextChoice, "tags"),
            (Action::Dismiss, "leave"),
        ],
    ));
    spans
}

/// How many rows are left, and the keys.
fn filter_note(model: &Model, pane: Pane) -> Vec<Span> {
    let hits = model.table_views.of(pane).and_then(TableView::hits);
    let mut spans = match hits {
        Some(hits) => vec![Span::plain(format!("{} shown   ", format::count(hits)))],
        None => vec![Span::muted("btc  side:sell  size>1  -status:armed   ")],
    };
    spans.extend(keys(
        model,
        &[
            (Action::Submit, "keep"),
            (Action::Dismiss, "show all"),
            (Action::NextChoice, "columns"),
        ],
    ));
    spans
}

fn keys(model: &Model, keys: &[(Action, &str)]) -> Vec<Span> {
    let mut spans = vec![];
    for (action, does) in keys {
        if let Some(chord) = model.keymap.chord(Context::Prompt, *action) {
            spans.push(Span::new(chord.to_string(), Tone::Accent));
            spans.push(Span::muted(format!(" {does}  ")));
        }
    }
    spans
}
