//! Forms: a [`Draft`] that is filled in, field by field, until it is sent.
//!
//! Contract: the object of a form is fixed by id when it opens. Typing never acts; text that does not parse is never
//! sent. A sent form closes, and if its command fails everything typed is still there.

pub use super::{
    around::{Around, Used},
    choice::Choice,
    scroll::Scroll,
};

use crate::{
    app::{
        account::fees,
        forms::answer::Answer,
        keys::{
            keymap::{Action, Chord},
            line::Line,
        },
    },
    model::{
        Charges, Failure, MarketId, Num, Order, OrderId, Page, Position, Side, Timestamp,
        draft::{Draft, Field, FieldInput, Seen},
    },
};

#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    pub draft: Draft,
    /// The focused field; always one of `draft.fields()`.
    pub focus: Field,
    /// Sending was tried: every error is shown from now on, including empty fields.
    pub tried: bool,
    pub shows_json: bool,
    /// Why the last attempt failed.
    pub failure: Option<Failure>,
    /// Why a paste or letter was refused.
    pub refusal: Option<&'static str>,
    /// When it asked about a likely mistake, or was answered; reset by any change.
    pub asked: Option<Timestamp>,
    /// The size that a preset wrote last.
    pub(super) preset: Option<String>,
    /// The choice at which a number was typed that nothing took.
    pub untaken: Option<Field>,
    /// The choice before the last digits were pressed.
    pub(super) before_digit: Option<Box<Draft>>,
    pub hand: Hand,
    pub(super) purpose: Purpose,
    pub replaces: Option<Replaces>,
    /// The typed letters of a market's or option's name, while a choice has the focus.
    pub search: String,
    pub scroll: Scroll,
    pub(super) frozen: Frozen,
    pub(super) line: Line,
}

/// Whether a derived choice (reduce-only, trigger direction) was set by a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Derived from type, side and market, or from the trigger price.
    Guessed,
    /// Set by a person; no longer derived.
    Chosen,
}

/// What a person did to the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hand {
    Untouched,
    /// Something was typed or chosen.
    Touched,
    /// The leave key was pressed once: pressed again, it discards the form.
    Leaving,
}

/// The order that a new one replaces. It is canceled first (see [`amend`](crate::app::orders::amend)); the stop of an
/// open position last (see `stop_move`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaces {
    pub order: OrderId,
    /// How much of it had filled when the form opened.
    pub filled: Num,
}

/// The form's object when it opened, for when a poll no longer lists it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Frozen {
    Nothing,
    Position(Box<Position>),
    Order(Box<Order>),
}

impl Form {
    /// Focuses the first required field that is empty.
    pub(super) fn new(draft: Draft, frozen: Frozen) -> Self {
        let mut form = Self {
            draft,
            focus: Field::Kind,
            tried: false,
            shows_json: false,
            failure: None,
            refusal: None,
            asked: None,
            preset: None,
            untaken: None,
            before_digit: None,
            hand: Hand::Untouched,
            purpose: Purpose::Guessed,
            replaces: None,
            search: String::new(),
            scroll: Scroll::Focus,
            frozen,
            line: Line::default(),
        };
        form.start();
        form
    }

    /// Focuses the first required field that is still empty.
    pub(crate) fn start(&mut self) {
        let draft = &self.draft;
        let is_open = |f: &&Field| draft.is_required(**f) && draft.text(**f) == Some("");
        let fields = draft.fields();
        let first = fields.iter().find(is_open).or(fields.first()).copied();
        self.focus_on(first.unwrap_or(self.focus));
    }

    /// Handles a key; `action` is its binding in a form, if any.
    pub fn press(&mut self, chord: Chord, action: Option<Action>, around: &Around) -> Answer {
        let before = self.draft.text(Field::TriggerPrice).map(str::to_owned);
        let next = self.pressed(chord, action, around);
        if self.draft.text(Field::TriggerPrice) != before.as_deref() {
            self.guess_direction(around);
        }
        next
    }

    fn pressed(&mut self, chord: Chord, action: Option<Action>, around: &Around) -> Answer {
        if action == Some(Action::Dismiss) {
            return self.leave();
        }
        if self.hand == Hand::Leaving {
            self.hand = Hand::Touched;
        }
        if let Some(action @ (Action::PageDown | Action::PageUp)) = action {
            self.page(action);
            return Answer::Stay;
        }
        self.scroll = Scroll::Focus;
        let before_digit = self.before_digit.take();
        if let Some(action) = action.filter(|_| self.focus.takes() != FieldInput::Market)
            && self.choose_type(action, around)
        {
            return Answer::Stay;
        }
        if let Some(c) = self.typing(chord, action) {
            self.type_in(c, around);
            return Answer::Stay;
        }
        match action {
            Some(Action::ShowJson) => self.show_json(),
            Some(Action::NextField) => self.go(1, around),
            Some(Action::PreviousField) => self.go(-1, around),
            Some(Action::Submit) => return self.submit(around),
            Some(Action::ObservedPrice) => return self.fill_observed(around),
            Some(Action::StepUp) => self.step(1, around),
            Some(Action::StepDown) => self.step(-1, around),
            Some(Action::LeapUp) => self.step(10, around),
            Some(Action::LeapDown) => self.step(-10, around),
            _ if self.is_typing() => self.change(|line| line.edit(chord)),
            Some(Action::NextChoice) => self.pick(|form| form.turn(1, around)),
            Some(Action::PreviousChoice) => self.pick(|form| form.turn(-1, around)),
            _ if chord.edits().is_some() => {
                self.search.pop();
            }
            _ => self.pick_numbered(chord, before_digit, around),
        }
        Answer::Stay
    }

    /// Closes the JSON view first, then the form; a filled-in one asks once.
    fn leave(&mut self) -> Answer {
        if self.shows_json {
            self.shows_json = false;
            return Answer::Stay;
        }
        if self.hand == Hand::Touched {
            self.hand = Hand::Leaving;
            return Answer::Stay;
        }
        Answer::Close
    }

    fn type_in(&mut self, c: char, around: &Around) {
        if self.begins_size(c) {
            self.draft.write(Field::Size, "");
            self.focus_on(Field::Size);
        }
        if self.is_typing() {
            self.change(|line| line.type_in(c));
        } else {
            self.forget_failure();
            self.look_for(c, around);
        }
    }

    /// A digit on the share field starts a typed size: choosing a share by it would turn a typed `100` into a quarter.
    fn begins_size(&self, c: char) -> bool {
        self.focus == Field::Share && (c.is_ascii_digit() || matches!(c, '.' | '$'))
    }

    /// Pastes into the focused text field, completely or not at all.
    pub fn paste(&mut self, text: &str, around: &Around) {
        let taken = if self.is_typing() {
            self.line.paste(text)
        } else {
            Err("not pasted: this field is a choice")
        };
        if taken.is_ok() {
            self.change(|_| {});
            self.guess_direction(around);
        }
        self.refusal = taken.err();
    }

    /// The current data about the form's object.
    pub fn seen<'a>(&'a self, around: &Around<'a>) -> Seen<'a> {
        let store = around.store;
        let market_id = self.market_id();
        let here = || {
            let mut open = store.positions.rows().iter();
            open.find(|position| Some(&position.market_id) == market_id)
        };
        let (position, order) = match &self.frozen {
            Frozen::Nothing => (here(), None),
            Frozen::Position(frozen) => {
                (store.position(&frozen.id).or(Some(frozen.as_ref())), None)
            }
            Frozen::Order(frozen) => {
                let order = store.order(&frozen.id).or(Some(frozen.as_ref()));
                (here(), order)
            }
        };
        let market = market_id.and_then(|id| store.market(id));
        let seen = Seen {
            market,
            position,
            lists_all: store.positions.value().is_some_and(Page::is_whole),
            cross_backing: store.cross_backing(position),
            free_margin: store.account.value().and_then(|a| a.available_margin),
            order,
            book: market.and_then(|market| store.books.fit(market, around.own)?.ok()),
            watched: None,
            now: around.now,
            zone: Some(around.zone),
            charges: market_id.map_or_else(Charges::default, |id| {
                fees::charges((store, around.fees), id)
            }),
        };
        let watched = match &self.draft {
            Draft::Entry(draft) => draft.watched(),
            Draft::Close(draft) => draft.watched(&seen),
            Draft::Exits(_) | Draft::Margin(_) => None,
        };
        Seen {
            watched: watched.and_then(|id| store.market(id)),
            ..seen
        }
    }

    pub fn market_id(&self) -> Option<&MarketId> {
        match (&self.draft, &self.frozen) {
            (Draft::Entry(draft), _) => draft.market_id.as_ref(),
            (_, Frozen::Position(position)) => Some(&position.market_id),
            (_, Frozen::Order(order)) => Some(&order.market_id),
            (_, Frozen::Nothing) => None,
        }
    }

    /// The order it would replace is gone: from now on it is an ordinary new order of this size.
    pub(crate) fn stand_alone(&mut self, size: Num) {
        self.replaces = None;
        self.draft.write(Field::Size, &size.to_string());
        self.focus_on(self.focus);
    }

    /// Something else filled it in as a person would.
    pub(crate) fn touch(&mut self) {
        self.hand = Hand::Touched;
        self.focus_on(self.focus);
    }

    /// The cursor in the focused text field, in characters.
    pub fn cursor(&self) -> usize {
        self.line.cursor()
    }

    /// Whether the next typed character replaces the focused text.
    pub fn is_selected(&self) -> bool {
        self.line.is_selected()
    }

    /// The side of a new order from this form.
    pub fn side(&self, around: &Around) -> Option<Side> {
        self.draft.side(&self.seen(around))
    }

    fn is_typing(&self) -> bool {
        self.draft.text(self.focus).is_some()
    }

    /// The character that a field takes from a key, whatever else the key does: any in a text field, letters of a name
    /// in a choice. Only `=` is never part of a price or size.
    fn typing(&self, chord: Chord, action: Option<Action>) -> Option<char> {
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
        edit(&mut self.line);
        self.draft.write(self.focus, self.line.text());
        self.hand = Hand::Touched;
        self.forget_failure();
    }

    pub(super) fn pick(&mut self, choose: impl FnOnce(&mut Self)) {
        choose(self);
        self.search.clear();
        self.hand = Hand::Touched;
        self.forget_failure();
    }

    /// In a choice a digit selects an option: `1` is the first. Digits that include no valid option were meant for
    /// another field, and select nothing.
    pub(super) fn pick_numbered(
        &mut self,
        chord: Chord,
        before: Option<Box<Draft>>,
        around: &Around,
    ) {
        let Some(digit) = chord.typed().and_then(|c| c.to_digit(10)) else {
            return;
        };
        let options = self.choice(self.focus, around);
        let options = options.map_or(0, |choice| choice.options.len());
        let is_number = before.is_some() && self.untaken == Some(self.focus);
        let index = usize::try_from(digit).ok().and_then(|d| d.checked_sub(1));
        let index = index.filter(|index| *index < options && !is_number);
        let before = before.unwrap_or_else(|| Box::new(self.draft.clone()));
        if let Some(index) = index {
            self.pick(|form| form.choose(index, around));
            self.untaken = None;
        } else {
            self.draft = (*before).clone();
            self.forget_failure();
            self.untaken = Some(self.focus);
            self.refusal = Some("not taken: this field is a choice, and no number");
        }
        self.before_digit = Some(before);
    }

    /// A changed form is another command; but one with an unknown outcome is not forgotten.
    fn forget_failure(&mut self) {
        (self.refusal, self.asked) = (None, None);
        self.failure = self.failure.take().filter(Failure::is_doubtful);
    }

    fn go(&mut self, steps: isize, around: &Around) {
        self.resolve_prices(around);
        let fields = self.draft.fields();
        let len = fields.len().cast_signed();
        let at = fields.iter().position(|f| *f == self.focus).unwrap_or(0);
        let there = (at.cast_signed() + steps).rem_euclid(len.max(1));
        if let Some(field) = fields.get(there.cast_unsigned()) {
            self.focus_on(*field);
        }
    }

    pub(crate) fn focus_on(&mut self, field: Field) {
        self.focus = field;
        self.search.clear();
        self.line = Line::selected(self.draft.text(field).unwrap_or_default());
    }

    /// One step for a number; in a list of options, up is the previous one.
    fn step(&mut self, count: i64, around: &Around) {
        if !self.is_typing() {
            return self.pick(|form| form.turn(if count > 0 { -1 } else { 1 }, around));
        }
        let (text, seen) = (self.line.text(), self.seen(around));
        let last = self.last_size(around).filter(|_| count > 0);
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
    pub fn last_size<'a>(&self, around: &Around<'a>) -> Option<&'a str> {
        let Draft::Entry(draft) = &self.draft else {
            return None;
        };
        let used = around.used.of(draft.market_id.as_ref())?;
        (self.focus == Field::Size).then_some(&*used.size)
    }

    fn submit(&mut self, around: &Around) -> Answer {
        if self.resolve_prices(around) {
            self.refusal = Some("the price is filled in: send it as it stands");
            return Answer::Stay;
        }
        self.tried = true;
        let command = match self.draft.command(&self.seen(around)) {
            Ok(command) => command,
            Err(faults) => {
                if let Some((field, _)) = faults.0.first() {
                    self.focus_on(*field);
                }
                return Answer::Stay;
            }
        };
        // A second order would have another key, and could be placed in addition.
        if command.is_keyed() && self.failure.as_ref().is_some_and(Failure::is_doubtful) {
            return Answer::Refuse(
                "the last one may have been done: look at the orders, then start again".to_owned(),
            );
        }
        self.failure = None;
        Answer::Send(command)
    }
}
