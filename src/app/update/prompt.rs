//! Typing in the line at the bottom.

use crate::{
    app::{
        account::pane::Pane,
        core::user_alerts,
        desk::{model::Model, table_view},
        dialogs::{
            next::Next,
            overlay::Overlay,
            prompt::{Asks, Prompt},
        },
        keys::{
            keymap::{Action, Chord},
            line::Line,
        },
        tables::table_view::{Fault, Filter, columns_starting},
        update::{act, command, complete::of},
    },
    model::PositionId,
};

/// The prompt on top, if it has the keys.
fn top(model: &mut Model) -> Option<&mut Prompt> {
    match model.overlays.last_mut() {
        Some(Overlay::Prompt(prompt)) => Some(prompt),
        _ => None,
    }
}

/// A key while a prompt is on top; `action` is its binding there, if any.
pub(crate) fn press(model: &mut Model, chord: Chord, action: Option<Action>) -> Next {
    let Some(prompt) = top(model) else {
        return Next::Stay;
    };
    let asks = prompt.asks.clone();
    if let Some(c) = chord.typed() {
        edit(model, |line| line.type_in(c));
        return Next::Stay;
    }
    match (action, asks) {
        (Some(Action::Dismiss), Asks::Filter(pane)) => {
            table_view::change(model, pane, |table_view| table_view.filter = None);
            Next::Close
        }
        (Some(Action::Dismiss), Asks::Command | Asks::Note(_)) => Next::Close,
        (Some(Action::Submit), asks) => submit(model, asks),
        (Some(action @ (Action::Up | Action::Down)), Asks::Filter(_)) => {
            act::travel(model, action);
            Next::Stay
        }
        (Some(action @ (Action::Up | Action::Down)), Asks::Command) => {
            recall(model, action);
            Next::Stay
        }
        (Some(Action::Up | Action::Down), Asks::Note(_)) => Next::Stay,
        (Some(action @ (Action::NextChoice | Action::PreviousChoice)), _) => {
            turn(model, action);
            Next::Stay
        }
        _ => {
            edit(model, |line| line.edit(chord));
            Next::Stay
        }
    }
}

/// Enter: an accepted line closes, one with an error stays.
fn submit(model: &mut Model, asks: Asks) -> Next {
    match asks {
        Asks::Filter(pane) => return submit_filter(model, pane),
        Asks::Note(id) => return submit_note(model, &id),
        Asks::Command => {}
    }
    let Some(prompt) = top(model) else {
        return Next::Stay;
    };
    let text = prompt.text().trim().to_owned();
    // What the command opens replaces the line.
    let Some(line) = model.overlays.pop() else {
        return Next::Stay;
    };
    match command::run(model, &text) {
        Ok(next) => {
            // What was looked at makes room for what the command shows.
            if !matches!(next, Next::Stay | Next::OfAlerts(_)) {
                model.overlays.clear();
            }
            model.spoken.retain(|known| *known != text);
            model.spoken.push(text);
            next
        }
        Err(fault) => {
            model.overlays.push(line);
            if let Some(prompt) = top(model) {
                prompt.line = Line::new(&text);
                prompt.fault = Some(fault);
            }
            Next::Stay
        }
    }
}

fn submit_filter(model: &mut Model, pane: Pane) -> Next {
    match parsed(model, pane) {
        Ok(filter) => {
            table_view::change(model, pane, |table_view| table_view.filter = filter);
            Next::Close
        }
        Err(_) => Next::Stay,
    }
}

fn submit_note(model: &mut Model, id: &PositionId) -> Next {
    let text = top(model).map_or("", |prompt| prompt.text()).to_owned();
    model.overlays.pop();
    Next::Ask(user_alerts::write_note(&mut model.account, id, &text))
}

/// Up and down through the earlier lines; below the newest is an empty one.
fn recall(model: &mut Model, action: Action) {
    let count = model.spoken.len();
    let at = top(model).and_then(|prompt| prompt.recalled);
    let at = match (action, at) {
        (Action::Up, None) => (count > 0).then_some(0),
        (Action::Up, Some(at)) => Some((at + 1).min(count.saturating_sub(1))),
        (_, at) => at.and_then(|at| at.checked_sub(1)),
    };
    let line = at.and_then(|at| model.spoken.iter().rev().nth(at)).cloned();
    if let Some(prompt) = top(model) {
        prompt.recalled = at;
        prompt.line = Line::new(&line.unwrap_or_default());
        prompt.fault = None;
        prompt.completion = None;
    }
}

/// Pasted text counts as typed: it never acts.
pub(crate) fn paste(model: &mut Model, text: &str) {
    let mut refusal = None;
    edit(model, |line| refusal = line.paste(text).err());
    if let (Some(why), Some(prompt)) = (refusal, top(model)) {
        let at = prompt.cursor()..prompt.cursor() + 1;
        let what = why.to_owned();
        prompt.fault = Some(Fault { at, what });
    }
}

fn edit(model: &mut Model, change: impl FnOnce(&mut Line)) {
    if let Some(prompt) = top(model) {
        change(&mut prompt.line);
        prompt.completion = None;
    }
    read(model);
}

/// Tab: the next or previous completion of the word at the cursor.
fn turn(model: &mut Model, action: Action) {
    let completion = match top(model) {
        Some(Prompt {
            completion: Some(known),
            ..
        }) => known.turned(action),
        Some(prompt) => {
            let (asks, text, cursor) = (
                prompt.asks.clone(),
                prompt.text().to_owned(),
                prompt.cursor(),
            );
            of(model, &asks, &text, cursor)
        }
        None => return,
    };
    if let Some(prompt) = top(model) {
        let (text, cursor) = completion.applied();
        prompt.line = Line::at(&text, cursor);
        prompt.completion = Some(completion);
    }
    read(model);
}

/// Reads the line as it is: a filter without an error takes effect at once.
fn read(model: &mut Model) {
    let Some(prompt) = top(model) else { return };
    prompt.fault = None;
    let Asks::Filter(pane) = &prompt.asks else {
        return;
    };
    let pane = *pane;
    let fault = match parsed(model, pane) {
        Ok(filter) => {
            table_view::change(model, pane, |table_view| table_view.filter = filter);
            keep_unfinished(model, pane);
            None
        }
        Err(fault) => Some(leave_out(model, pane, fault)),
    };
    if let Some(prompt) = top(model) {
        prompt.fault = fault;
    }
}

/// The part of a filter from an error on hides no row; the error says what to write.
fn leave_out(model: &mut Model, pane: Pane, fault: Fault) -> Fault {
    let text = top(model).map_or("", |prompt| prompt.text());
    let head: String = text.chars().take(fault.at.start).collect();
    let whole = head.rfind(char::is_whitespace);
    let whole = whole.and_then(|end| head.get(..end)).unwrap_or("").trim();
    let columns = (model.reading.columns)(pane);
    let filter = Filter::parse(whole, &columns).ok().flatten();
    let until = match &filter {
        Some(filter) => format!("until then the filter is {}", filter.text),
        None => "until then all rows are shown".to_owned(),
    };
    table_view::change(model, pane, |table_view| table_view.filter = filter);
    Fault {
        what: format!("{}; {until}", fault.what),
        ..fault
    }
}

fn parsed(model: &mut Model, pane: Pane) -> Result<Option<Filter>, Fault> {
    let columns = (model.reading.columns)(pane);
    let text = top(model).map_or("", |prompt| prompt.text());
    Filter::parse(text, &columns)
}

/// An incomplete column name is not a search text: the rows stay until the word is complete.
fn keep_unfinished(model: &mut Model, pane: Pane) {
    let Some(table_view) = model.table_views.of(pane).filter(|l| l.hits() == Some(0)) else {
        return;
    };
    let text = table_view.filter.as_ref().map_or("", |filter| &filter.text);
    let (before, last) = text.rsplit_once(' ').unwrap_or(("", text));
    let columns = (model.reading.columns)(pane);
    let bare = last.trim_start_matches(['-', '!']);
    if !columns_starting(bare, &columns).is_empty() {
        let filter = Filter::parse(before, &columns).ok().flatten();
        table_view::change(model, pane, |table_view| table_view.filter = filter);
    }
}
