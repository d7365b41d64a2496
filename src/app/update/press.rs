//! A key or pasted text: the topmost panel handles it and returns a request.

use crate::{
    app::{
        account::row_id::RowId,
        core::effect::Clip,
        desk::{links::links, market_shown::market_of, model::Model, presets},
        dialogs::{
            glossary::Glossary,
            next::Next,
            overlay::{DialogContext, Overlay, Strip, StripAction},
        },
        keys::{
            key_prefix::{FORGET, KeyPrefix},
            keymap::{Action, Chord, Context},
        },
        orders::sent,
        update::{closing_keys, prompt},
    },
    model::Timestamp,
};

/// `None` for a key that is used up: it begins a sequence, or something takes it before what has the keys.
pub(crate) fn press(model: &mut Model, chord: Chord) -> Option<Next> {
    let Meaning::Now(action) = meaning(model, chord) else {
        return None;
    };
    if action == Some(Action::QuitNow) {
        return Some(Next::Leave);
    }
    let is_taken = is_taken_before(model, chord, action);
    (!is_taken).then(|| answer(model, chord, action))
}

/// A key on a screen too small to draw anything but a strip: a hidden form, list or line gets no keys. The strip does, and
/// keys that close everything work.
pub(crate) fn press_unseen(model: &mut Model, chord: Chord) -> Next {
    if let Some(Overlay::Strip(_)) = model.overlays.last() {
        return press(model, chord).unwrap_or(Next::Stay);
    }
    match model.keymap.lookup(Context::Desk, chord) {
        Some(Action::QuitNow) => Next::Leave,
        Some(Action::Dismiss) => {
            closing_keys::stop(model);
            Next::Stay
        }
        Some(Action::Quit) if model.overlays.is_empty() => Next::Press(Action::Quit),
        Some(action) if action.closes_all() => Next::Press(action),
        Some(_) | None => Next::Stay,
    }
}

/// The meaning of a press.
enum Meaning {
    /// A single key, or the last of a sequence; `None` if it is unbound.
    Now(Option<Action>),
    /// The first key of a sequence, or the end of one without effect.
    Pending,
}

/// Looks the press up, with the first key of a sequence before it.
fn meaning(model: &mut Model, chord: Chord) -> Meaning {
    let place = model.context();
    let awaited = awaited(model);
    model.key_prefix = None;
    let alone = model.keymap.lookup(place, chord);
    if let Some(prefix) = awaited {
        let second = model.keymap.second(place, prefix.first, chord);
        let action = alone.filter(|action| action.is_at_once()).or(second);
        return action.map_or(Meaning::Pending, |action| Meaning::Now(Some(action)));
    }
    if model.keymap.begins(place, chord) {
        model.key_prefix = Some(KeyPrefix {
            first: chord,
            place,
            at: model.account.now,
        });
        return Meaning::Pending;
    }
    Meaning::Now(alone)
}

/// The first key, while the second is awaited in the same context.
pub fn awaited(model: &Model) -> Option<KeyPrefix> {
    let prefix = model.key_prefix?;
    let is_fresh = model.account.now < prefix.at.plus(FORGET);
    (is_fresh && prefix.place == model.context()).then_some(prefix)
}

/// When that first key is dropped.
pub(crate) fn prefix_ends_at(model: &Model) -> Option<Timestamp> {
    awaited(model).map(|prefix| prefix.at.plus(FORGET))
}

/// What a key does to what has the keys.
fn answer(model: &mut Model, chord: Chord, action: Option<Action>) -> Next {
    let now = model.account.now;
    let of_desk = model.keymap.lookup(Context::Desk, chord);
    let quits = of_desk == Some(Action::Quit);
    let closing = of_desk.filter(|action| action.closes_all());
    match (model.overlays.last_mut(), action) {
        (Some(_), Some(action)) if action.closes_all() || action.works_everywhere() => {
            Next::Press(action)
        }
        (Some(Overlay::Prompt(_)), action) => prompt::press(model, chord, action),
        (Some(Overlay::Detail(detail)), Some(Action::Copy)) => {
            Next::Copy(Clip::Detail(detail.row.clone()))
        }
        (Some(Overlay::Detail(detail)), Some(Action::Chart)) => {
            let row = detail.row.clone();
            chart_of(model, &row)
        }
        (Some(Overlay::Form(form)), action) => {
            model.account.activity.forget_refusal();
            form.press(chord, action, &model.account.form_context())
                .into()
        }
        (Some(Overlay::Markets(list)), action) if list.search.is_typing() => {
            list.look_for(chord, action, &model.account.store)
        }
        (Some(Overlay::Accounts(list)), action) if list.search.is_typing() => {
            list.look_for(chord, action, &model.roster)
        }
        (Some(Overlay::Help { search, .. }), Some(Action::Glossary)) if search.is_empty() => {
            Next::open(Glossary::default())
        }
        (
            Some(
                Overlay::Help { offset, search, .. }
                | Overlay::Glossary(Glossary { offset, search }),
            ),
            None | Some(Action::Glossary),
        ) => self::search(offset, search, chord),
        // Nothing is typed there.
        (Some(Overlay::Settings { .. }), None) if closing.is_some() => {
            closing.map_or(Next::Stay, Next::Press)
        }
        // The quit key, pressed again, confirms.
        (Some(Overlay::Strip(strip)), None) if quits && strip.proposal == StripAction::Leave => {
            strip.act(Action::Confirm, now)
        }
        (_, None) => Next::Stay,
        (_, Some(action)) => over(model, action),
    }
}

/// From a detail to the chart of its market.
fn chart_of(model: &Model, row: &RowId) -> Next {
    let market = market_of(model, row).ok_or_else(|| "this row has no market".to_owned());
    market.map(Next::ShowChart).into()
}

/// What a key that means something does over what is on top; on the desk where nothing is.
fn over(model: &mut Model, action: Action) -> Next {
    let links = linked(model);
    let context = DialogContext {
        account: &model.account,
        accounts: &model.roster,
        links: &links,
    };
    match model.overlays.last_mut() {
        Some(Overlay::Limits { .. }) if action == Action::Lift => {
            Strip::to_lift(&model.account).into()
        }
        Some(overlay) => overlay.act(action, context),
        None => Next::Press(action),
    }
}

/// What the open detail leads to.
fn linked(model: &Model) -> Vec<RowId> {
    match model.overlays.last() {
        Some(Overlay::Detail(detail)) => links(model, &detail.row),
        _ => vec![],
    }
}

/// Whether the press ends here: the key stops what waits for the account, sends a form a second time, writes a size
/// preset, switches a bracket, or is the key that a toast names.
fn is_taken_before(model: &mut Model, chord: Chord, action: Option<Action>) -> bool {
    if action == Some(Action::Dismiss) && closing_keys::stop(model) {
        return true;
    }
    if action == Some(Action::Bracket) {
        let (tone, words) = presets::turn_bracket(model);
        model.account.say(tone, words);
        return true;
    }
    let steps = match action {
        Some(Action::NextSize) => Some(1),
        Some(Action::PreviousSize) => Some(-1),
        _ => None,
    };
    if steps.is_some_and(|steps| presets::write(model, steps)) {
        return true;
    }
    let sends = model.keymap.lookup(Context::Form, chord) == Some(Action::Submit);
    if sends && sent::is_second_press(model) {
        let words = "the form was sent once: this second press sent nothing";
        model
            .account
            .activity
            .remark(words.to_owned(), model.account.now);
        return true;
    }
    let dismisses = is_explained_by_toast(model, chord);
    if dismisses {
        model.account.activity.dismiss_toast(model.account.now);
    }
    dismisses
}

/// Text typed over the help or the glossary searches it. `/` begins a search too, for words that begin with a key.
fn search(offset: &mut usize, search: &mut String, chord: Chord) -> Next {
    match (chord.typed(), chord.edits()) {
        (Some(c), _) if search == "/" => *search = c.to_string(),
        (Some(c), _) => search.push(c),
        (None, Some(_)) => {
            search.pop();
        }
        (None, None) => return Next::Stay,
    }
    *offset = 0;
    Next::Stay
}

/// A toast over a help or a detail names the key that dismisses it: that key closes nothing else first.
fn is_explained_by_toast(model: &Model, chord: Chord) -> bool {
    let is_over = model.overlays.last().is_some_and(Overlay::is_read);
    let waits = model.account.activity.toast(model.account.now).is_some()
        && model.account.activity.toast_ends_at().is_none();
    let key = model.keymap.chord(Context::Desk, Action::Dismiss);
    is_over && waits && key == Some(chord.into())
}

const NO_TEXT_FIELD: &str =
    "not pasted: text goes into a field of a form, or into the line of : or /";

pub(crate) fn paste(model: &mut Model, text: &str) -> Next {
    // Pasted text reaches text fields only: keys in it must never act.
    let takes_text = model.takes_text();
    match model.overlays.last_mut().and_then(Overlay::try_as_form_mut) {
        Some(form) => form.paste(text, &model.account.form_context()),
        None if takes_text => prompt::paste(model, text),
        None => return Next::Refuse(NO_TEXT_FIELD.to_owned()),
    }
    Next::Stay
}

#[cfg(test)]
mod tests {
    use crate::{
        app::{
            core::effect::Effect,
            desk::{model::Model, msg::Msg},
            dialogs::overlay::Overlay,
            testing::*,
            update::router::update,
        },
        model::Command,
    };

    fn press_unseen(model: &mut Model, keys: &str) -> Vec<Effect> {
        let chords = keys.split_whitespace().map(|key| key.parse().unwrap());
        let now = model.account.now;
        chords
            .flat_map(|chord| update(model, now, Msg::Unseen(chord)))
            .collect()
    }

    #[test]
    fn a_form_a_list_or_a_line_that_is_not_drawn_sends_nothing_and_stays_as_it_is() {
        for keys in ["b 0.1", "* c", ": buy space btc"] {
            let mut model = desk();
            press(&mut model, keys);
            wait(&mut model, 200);
            let before = model.overlays.clone();
            assert!(!before.is_empty(), "{keys}");
            assert_eq!(
                press_unseen(&mut model, "enter y 7 esc q"),
                vec![],
                "{keys}"
            );
            assert_eq!(model.overlays, before, "{keys}");
        }
    }

    #[test]
    fn the_ways_out_and_their_strips_work_on_any_screen_and_over_what_waits() {
        let mut model = desk();
        press(&mut model, "b 0.1");
        press_unseen(&mut model, "X");
        assert_eq!(model.overlays.len(), 2);
        wait(&mut model, 200);
        let sent = press_unseen(&mut model, "y");
        let [Effect::Send(_, Command::CloseAll(_))] = sent.as_slice() else {
            panic!("{sent:?}");
        };
        assert!(matches!(model.overlays.as_slice(), [Overlay::Form(_)]));
        press_unseen(&mut model, "F");
        assert_eq!(model.overlays.len(), 2);
        press_unseen(&mut model, "esc");
        assert_eq!(model.overlays.len(), 1);
    }

    #[test]
    fn nothing_is_chosen_on_a_desk_that_is_not_seen_and_it_can_be_left() {
        let mut model = desk();
        assert_eq!(press_unseen(&mut model, "c x K b enter 2 j"), vec![]);
        assert_eq!(model.overlays, vec![]);
        assert_eq!(press_unseen(&mut model, "q"), vec![Effect::Quit]);
        // Asks first while an order is in progress.
        press(&mut model, "b 0.1 enter");
        assert_eq!(press_unseen(&mut model, "q"), vec![]);
        wait(&mut model, 200);
        assert_eq!(press_unseen(&mut model, "q"), vec![Effect::Quit]);
    }
}
