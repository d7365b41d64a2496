//! What typed characters, digits and steps do in the focused field.

use super::{
    answer::Answer,
    choice::SHARES,
    form::{Form, FormInput, ShareDigit},
};
use crate::{
    app::{
        core::account::FormContext,
        keys::{
            keymap::{Action, Chord},
            line::Line,
        },
    },
    model::{
        CloseKind, Failure, Timestamp,
        draft::{Draft, Field, FieldInput},
    },
};
use std::time::Duration;

/// How long a digit that chose a share waits for another one, which makes both a size.
const SHARE_WAIT: Duration = Duration::from_millis(250);
/// How late the desk may close that share, on a busy machine.
const SHARE_LATE: Duration = Duration::from_secs(2);

fn continues_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '.' | '%')
}

impl Form {
    pub(super) fn type_in(&mut self, c: char, form_context: &FormContext) {
        if self.begins_size(c) {
            self.draft.write(Field::Size, "");
            self.focus_on(Field::Size);
        }
        if self.is_typing() {
            self.change(|line| line.type_in(c));
        } else {
            self.forget_failure();
            self.look_for(c, form_context);
        }
    }

    /// A share that this key chooses while the share has the focus.
    fn share_key(&self, chord: Chord) -> Option<(char, usize)> {
        let digit = chord.typed().filter(|_| self.focus == Field::Share)?;
        let index = usize::try_from(digit.to_digit(10)?).ok()?.checked_sub(1)?;
        (index < SHARES.len()).then_some((digit, index))
    }

    /// Chooses the share of this key, or continues the number that the key before it began: `100` is a size, and
    /// not a quarter. Whether the key did either.
    pub(super) fn take_share(&mut self, chord: Chord, form_context: &FormContext) -> bool {
        let first = self.share_digit.take();
        let first = first.filter(|first| form_context.own < first.ends_at);
        if let Some((first, c)) = first.zip(chord.typed().filter(|c| continues_number(*c))) {
            self.focus_on(Field::Size);
            self.change(|line| *line = Line::new(&format!("{}{c}", first.digit)));
            return true;
        }
        let Some((digit, index)) = self.share_key(chord) else {
            return false;
        };
        self.pick(|form| form.choose(index, form_context));
        self.share_digit = Some(ShareDigit {
            digit,
            ends_at: form_context.own.plus(SHARE_WAIT),
        });
        true
    }

    /// When the share that a digit chose is closed at the market; for another type a price is still to be typed.
    pub fn closes_share_at(&self) -> Option<Timestamp> {
        let is_market =
            matches!(&self.draft, Draft::Close(draft) if draft.kind == CloseKind::Market);
        let digit = self.share_digit.filter(|_| is_market);
        digit.map(|digit| digit.ends_at)
    }

    /// Whether `chord` is a key that sends such a share first: it neither continues a number nor is about the form.
    pub(crate) fn closes_share_before(&self, chord: Chord, action: Option<Action>) -> bool {
        let is_of_form = matches!(action, Some(Action::Submit | Action::Dismiss));
        self.closes_share_at().is_some()
            && !is_of_form
            && !chord.typed().is_some_and(continues_number)
    }

    /// Closes the chosen share. A form that nobody looked at for long sends nothing by itself.
    pub(crate) fn close_share(&mut self, form_context: &FormContext) -> Answer {
        let due = self.closes_share_at();
        self.share_digit = None;
        match due.filter(|due| form_context.own.since(*due) < SHARE_LATE) {
            Some(_) => self.submit(form_context),
            None => Answer::Stay,
        }
    }

    /// A digit that closes no share starts a typed size on the share field.
    fn begins_size(&self, c: char) -> bool {
        self.focus == Field::Share && (c.is_ascii_digit() || matches!(c, '.' | '$'))
    }

    /// Pastes into the focused text field, completely or not at all.
    pub fn paste(&mut self, text: &str, form_context: &FormContext) {
        let taken = if self.is_typing() {
            self.line.paste(text)
        } else {
            Err("not pasted: this field is a choice")
        };
        if taken.is_ok() {
            self.change(|_| {});
            self.guess_direction(form_context);
        }
        self.refusal = taken.err();
    }

    /// The cursor in the focused text field, in characters.
    pub fn cursor(&self) -> usize {
        self.line.cursor()
    }

    /// Whether the next typed character replaces the focused text.
    pub fn is_selected(&self) -> bool {
        self.line.is_selected()
    }

    pub(super) fn is_typing(&self) -> bool {
        self.draft.text(self.focus).is_some()
    }

    /// The character that a field takes from a key, whatever else the key does: any in a text field, letters of a name
    /// in a choice. Only `=` is never part of a price or size.
    pub(super) fn typing(&self, chord: Chord, action: Option<Action>) -> Option<char> {
        let c = chord.typed()?;
        let acts = action == Some(Action::ObservedPrice)
            && !c.is_alphanumeric()
            && self.focus != Field::ExtraMargin;
        let takes = match self.focus.takes() {
            FieldInput::Choice => {
                action.is_none() && (c.is_alphabetic() || c == '_' || self.begins_size(c))
            }
            FieldInput::Market => !c.is_whitespace(),
            FieldInput::Price
            | FieldInput::WatchedPrice
            | FieldInput::Size
            | FieldInput::Number
            | FieldInput::Instant
            | FieldInput::Span => true,
        };
        (takes && !acts).then_some(c)
    }

    pub(super) fn change(&mut self, edit: impl FnOnce(&mut Line)) {
        self.share_digit = None;
        edit(&mut self.line);
        self.draft.write(self.focus, self.line.text());
        self.hand = FormInput::Touched;
        self.forget_failure();
    }

    pub(super) fn pick(&mut self, choose: impl FnOnce(&mut Self)) {
        self.share_digit = None;
        choose(self);
        self.search.clear();
        self.hand = FormInput::Touched;
        self.forget_failure();
    }

    /// In a choice a digit selects an option: `1` is the first. Digits that include no valid option were meant for
    /// another field, and select nothing.
    pub(super) fn pick_numbered(
        &mut self,
        chord: Chord,
        before: Option<Box<Draft>>,
        form_context: &FormContext,
    ) {
        let Some(digit) = chord.typed().and_then(|c| c.to_digit(10)) else {
            return;
        };
        let options = self.choice(self.focus, form_context);
        let options = options.map_or(0, |choice| choice.options.len());
        let is_number = before.is_some() && self.untaken == Some(self.focus);
        let index = usize::try_from(digit).ok().and_then(|d| d.checked_sub(1));
        let index = index.filter(|index| *index < options && !is_number);
        let before = before.unwrap_or_else(|| Box::new(self.draft.clone()));
        if let Some(index) = index {
            self.pick(|form| form.choose(index, form_context));
            self.untaken = None;
        } else {
            self.draft = (*before).clone();
            self.forget_failure();
            self.untaken = Some(self.focus);
            self.refusal = Some("not accepted: this field is a choice, not a number");
        }
        self.before_digit = Some(before);
    }

    /// A changed form is another command; but one with an unknown outcome is not forgotten.
    pub(super) fn forget_failure(&mut self) {
        (self.refusal, self.question_at) = (None, None);
        self.failure = self.failure.take().filter(Failure::is_doubtful);
    }

    /// One step for a number; in a list of options, up is the previous one.
    pub(super) fn step(&mut self, count: i64, form_context: &FormContext) {
        if !self.is_typing() {
            return self.pick(|form| form.turn(if count > 0 { -1 } else { 1 }, form_context));
        }
        let (text, seen) = (self.line.text(), self.seen(form_context));
        let last = self.last_size(form_context).filter(|_| count > 0);
        let text = match last.filter(|_| text.trim().is_empty()) {
            Some(last) => Some(last.to_owned()),
            None => super::step::stepped(self.focus, text, count, &seen),
        };
        if let Some(text) = text {
            self.change(|line| *line = Line::new(&text));
        }
    }

    /// Writes the size that a key chose, or says why it cannot.
    pub(crate) fn write_preset(&mut self, text: Result<String, &'static str>) {
        match text {
            Ok(text) => {
                // A digit that follows begins another size: it is no digit more of this one.
                self.change(|line| *line = Line::selected(&text));
                self.preset = Some(text);
            }
            Err(why) => self.refusal = Some(why),
        }
    }

    /// Whether its size is the one that a preset wrote.
    pub(crate) fn has_preset(&self) -> bool {
        self.preset.is_some() && self.draft.text(Field::Size) == self.preset.as_deref()
    }

    /// What the last order in this market was the size of, in a form for the next one.
    pub fn last_size<'a>(&self, form_context: &FormContext<'a>) -> Option<&'a str> {
        let Draft::Entry(draft) = &self.draft else {
            return None;
        };
        let used = form_context.used.of(draft.market_id.as_ref())?;
        (self.focus == Field::Size).then_some(&*used.size)
    }
}
