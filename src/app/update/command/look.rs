//! The commands that change what is shown.

use super::{CommandArgs, Word};
use crate::{
    app::{
        account::{labels::Switch, pane::Pane, watchlists::WatchlistEdit},
        core::{
            effect::{Effect, SettingsRequest},
            sheet::Format,
        },
        desk::{model::Model, table_view, tour},
        dialogs::{
            export::{Export, Span},
            glossary::{self, Glossary},
            next::Next,
        },
        market::chart_lines::ChartLine,
        tables::table_view::{ColumnName, Direction, Fault, Filter, Sort, find},
        update::act,
    },
    model::draft::{NOT_PAST, number, past},
};

/// The column ids of the focused pane.
pub(super) fn columns(model: &Model) -> Vec<String> {
    let columns = names(model).into_iter();
    columns.map(|column| column.id.to_owned()).collect()
}

fn names(model: &Model) -> Vec<ColumnName> {
    (model.reading.columns)(model.focus.pane)
}

/// The names of the lines on the chart.
pub(super) fn lines(model: &Model) -> Vec<String> {
    let market = model.market_screen.market();
    let lines = market.map(|market| model.market_screen.lines.of(market));
    let lines = lines.into_iter().flatten();
    lines.map(|line| line.name.clone()).collect()
}

/// The longest name of a line, in characters.
const LONGEST_NAME: usize = 24;

/// `65000 weekly low` draws that line in the market shown, or moves it; `remove weekly low` removes it.
pub(super) fn line(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    let first = args.needed(0, "which price?")?;
    let name = args.words.iter().skip(1).map(|word| word.text.as_str());
    let name = name.collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(args.missing("what is the line called?"));
    }
    if name.chars().count() > LONGEST_NAME {
        return Err(first.fault(format!("a name has at most {LONGEST_NAME} characters")));
    }
    let Some(market) = model.market_screen.market().cloned() else {
        return Err(first.fault("no market is shown"));
    };
    let lines = &mut model.market_screen.lines;
    if first.text == "remove" {
        if !lines.remove(&market, &name) {
            return Err(first.fault(format!("no line here is called {name}")));
        }
    } else {
        let price = number(&first.text).map_err(|fault| first.fault(fault.to_string()))?;
        if !lines.put(&market, ChartLine { name, price }) {
            return Err(first.fault("this market has 50 lines: remove one first"));
        }
    }
    let kept = lines.of(&market).to_vec();
    Ok(Next::Ask(Effect::Settings(SettingsRequest::KeepLines(
        market, kept,
    ))))
}

pub(super) fn accounts(model: &Model) -> Vec<String> {
    model.roster.labels()
}

pub(super) fn watchlists(model: &Model) -> Vec<String> {
    let names = model.account.store.watchlists.names();
    names.map(str::to_owned).collect()
}

pub(super) fn watch(_: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(1)?;
    let name = args.word(0).map(|word| word.text.clone());
    let edit = name.map_or(WatchlistEdit::ShowEvery, WatchlistEdit::Show);
    Ok(Next::OfWatchlists(edit))
}

/// By profile name or account id.
pub(super) fn account(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(1)?;
    let word = args.needed(0, "which account?")?;
    let at = model.roster.find(&word.text);
    let at = at.map_err(|what| word.fault(what))?;
    Ok(Next::Switch(Switch::To(at)))
}

/// The filter is the text after the command, including quotes.
pub(super) fn filter(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    let texts = args.words.iter().map(|word| {
        if word.text.contains(char::is_whitespace) {
            format!("\"{}\"", word.text)
        } else {
            word.text.clone()
        }
    });
    let text = texts.collect::<Vec<_>>().join(" ");
    let start = args.word(0).map_or(0, |word| word.at.start);
    let filter = Filter::parse(&text, &names(model)).map_err(|fault| Fault {
        at: start + fault.at.start..start + fault.at.end,
        ..fault
    })?;
    let pane = model.focus.pane;
    table_view::change(model, pane, |table_view| table_view.filter = filter);
    Ok(Next::Stay)
}

pub(super) fn sort(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(2)?;
    let sort = match args.word(0) {
        None => None,
        Some(word) => Some(Sort {
            column: column(model, word, &word.text)?,
            direction: direction(args.word(1))?,
        }),
    };
    let pane = model.focus.pane;
    table_view::change(model, pane, |table_view| table_view.sort = sort);
    Ok(Next::Stay)
}

fn direction(word: Option<&Word>) -> Result<Direction, Fault> {
    match word.map(|word| (word, word.text.as_str())) {
        None | Some((_, "desc" | "down")) => Ok(Direction::Descending),
        Some((_, "asc" | "up")) => Ok(Direction::Ascending),
        Some((word, _)) => Err(word.fault("asc or desc")),
    }
}

/// The terms, by their first names: `cross, isolated` is found as `cross`.
pub(super) fn terms(_: &Model) -> Vec<String> {
    let names = glossary::terms().filter_map(|(term, _)| term.split(',').next());
    names.map(str::to_owned).collect()
}

/// A term may have several words.
pub(super) fn glossary(_: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    let words: Vec<_> = args.words.iter().map(|word| word.text.as_str()).collect();
    let open = Glossary::at(words.join(" "));
    if let (Some(word), []) = (args.word(0), open.found().as_slice()) {
        return Err(word.fault("no term has that; Tab lists the terms"));
    }
    Ok(Next::open(open))
}

pub(super) fn tour(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(0)?;
    Ok(tour::start(model))
}

/// `market size upnl` sets the columns; `+fees` and `-age` change the current choice.
pub(super) fn choose(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    let pane = model.focus.pane;
    if args.words.is_empty() {
        return Ok(Next::open(act::columns(model)));
    }
    let all = || (0..names(model).len()).collect::<Vec<_>>();
    let now = model
        .table_views
        .of(pane)
        .and_then(|table_view| table_view.columns.clone());
    let changes = args.words.iter().all(|w| w.text.starts_with(['+', '-']));
    let mut chosen = if changes {
        now.unwrap_or_else(all)
    } else {
        vec![]
    };
    for word in &args.words {
        let bare = word.text.trim_start_matches(['+', '-']);
        let at = column(model, word, bare)?;
        chosen.retain(|known| *known != at);
        if !word.text.starts_with('-') {
            chosen.push(at);
        }
    }
    if chosen.is_empty() {
        let last = args.needed(args.words.len() - 1, "")?;
        return Err(last.fault("at least one column must stay"));
    }
    let is_own = chosen.iter().copied().eq(0..names(model).len());
    Ok(Next::ChooseColumns(pane, (!is_own).then_some(chosen)))
}

fn column(model: &Model, word: &Word, name: &str) -> Result<usize, Fault> {
    find(name, &names(model)).map_err(|what| word.fault(what))
}

/// The lists, by the names that the shell has for them; the last two are the desk's own.
const LISTS: [(&str, Pane); 8] = [
    ("positions", Pane::Positions),
    ("orders", Pane::Orders),
    ("twaps", Pane::Twaps),
    ("scaled", Pane::Scaled),
    ("closed", Pane::Closed),
    ("history", Pane::History),
    ("activity", Pane::Activity),
    ("calls", Pane::Calls),
];

const FORMATS: [(&str, Format); 2] = [("csv", Format::Csv), ("json", Format::Json)];

pub(super) fn lists(_: &Model) -> Vec<String> {
    LISTS.map(|(name, _)| name.to_owned()).into()
}

/// Starts at once; the panel shows the progress.
pub(super) fn export(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(1)?;
    let pane = chosen(args.word(0), &LISTS)?.unwrap_or(model.focus.pane);
    let to = args.flag("--to").map(|word| word.text.clone());
    let format = chosen(args.flag("--output"), &FORMATS)?.unwrap_or(Format::Csv);
    let now = model.account.wall_now();
    let mut export = Export::running(pane, format, to, now);
    if let Some(word) = args.flag("--since") {
        if !export.is_paged() {
            return Err(word.fault("only closed and history take --since"));
        }
        let past = past(&word.text, &model.account.options.zone);
        let past = past.ok_or_else(|| word.fault(NOT_PAST))?;
        export.span = Span::Since(past.before(now));
    }
    Ok(Next::open(export))
}

/// The value of a name; none where there is no word.
fn chosen<T: Copy>(word: Option<&Word>, known: &[(&str, T)]) -> Result<Option<T>, Fault> {
    let Some(word) = word else { return Ok(None) };
    if let Some((_, value)) = known.iter().find(|(name, _)| *name == word.text) {
        return Ok(Some(*value));
    }
    let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
    Err(word.fault(format!("one of {}", names.join(", "))))
}
