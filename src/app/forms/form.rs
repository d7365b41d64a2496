//! Forms: a [`Draft`] that is filled in, field by field, until it is sent.
//!
//! Contract: the object of a form is fixed by id when it opens. Typing never acts; text that does not parse is never
//! sent. A sent form closes, and if its command fails everything typed is still there.

pub use super::{choice::Choice, scroll::Scroll};

use crate::{
    app::{
        account::fees,
        core::account::FormContext,
        forms::answer::Answer,
        keys::{
            keymap::{Action, Chord},
            line::Line,
        },
    },
    model::{
        Charges, Command, Failure, MarketId, Num, Order, OrderId, Page, Position, Side, Timestamp,
        draft::{Draft, Faults, Field, FieldInput, Seen},
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
    pub question_at: Option<Timestamp>,
    /// The size that a preset wrote last.
    pub(super) preset: Option<String>,
    /// The choice at which a number was typed that nothing took.
    pub untaken: Option<Field>,
    /// The choice before the last digits were pressed.
    pub(super) before_digit: Option<Box<Draft>>,
    pub(super) share_digit: Option<ShareDigit>,
    pub hand: FormInput,
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
pub enum FormInput {
    Untouched,
    /// Something was typed or chosen.
    Touched,
    /// The leave key was pressed once: pressed again, it discards the form.
    Leaving,
}

/// The order that the form changes: it is moved in place, or canceled and replaced (`docs/delivery.md 3.6`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaces {
    pub order: OrderId,
    /// How much of it had filled when the form opened; `None` if the service does not report it.
    pub filled: Option<Num>,
}

/// The form's object when it opened, for when a poll no longer lists it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Frozen {
    Nothing,
    Position(Box<Position>),
    Order(Box<Order>),
}

/// The digit that chose a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShareDigit {
    pub(super) digit: char,
    pub(super) ends_at: Timestamp,
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
            question_at: None,
            preset: None,
            untaken: None,
            before_digit: None,
            share_digit: None,
            hand: FormInput::Untouched,
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
    pub fn press(
        &mut self,
        chord: Chord,
        action: Option<Action>,
        form_context: &FormContext,
    ) -> Answer {
        let before = self.draft.text(Field::TriggerPrice).map(str::to_owned);
        let next = self.pressed(chord, action, form_context);
        if self.draft.text(Field::TriggerPrice) != before.as_deref() {
            self.guess_direction(form_context);
        }
        next
    }

    fn pressed(
        &mut self,
        chord: Chord,
        action: Option<Action>,
        form_context: &FormContext,
    ) -> Answer {
        if action == Some(Action::Dismiss) {
            return self.leave();
        }
        if self.hand == FormInput::Leaving {
            self.hand = FormInput::Touched;
        }
        if let Some(action @ (Action::PageDown | Action::PageUp)) = action {
            self.page(action);
            return Answer::Stay;
        }
        self.scroll = Scroll::Focus;
        let before_digit = self.before_digit.take();
        if let Some(action) = action.filter(|_| self.focus.takes() != FieldInput::Market)
            && self.choose_type(action, form_context)
        {
            return Answer::Stay;
        }
        if self.take_share(chord, form_context) {
            return Answer::Stay;
        }
        if let Some(c) = self.typing(chord, action) {
            self.type_in(c, form_context);
            return Answer::Stay;
        }
        match action {
            Some(Action::ShowJson) => self.show_json(),
            Some(Action::NextField) => self.go(1, form_context),
            Some(Action::PreviousField) => self.go(-1, form_context),
            Some(Action::Submit) => return self.submit(form_context),
            Some(Action::ObservedPrice) => return self.fill_observed(form_context),
            Some(Action::StepUp) => self.step(1, form_context),
            Some(Action::StepDown) => self.step(-1, form_context),
            Some(Action::LeapUp) => self.step(10, form_context),
            Some(Action::LeapDown) => self.step(-10, form_context),
            _ if self.is_typing() => self.change(|line| line.edit(chord)),
            Some(Action::NextChoice) => self.pick(|form| form.turn(1, form_context)),
            Some(Action::PreviousChoice) => self.pick(|form| form.turn(-1, form_context)),
            _ if chord.edits().is_some() => {
                self.search.pop();
            }
            _ => self.pick_numbered(chord, before_digit, form_context),
        }
        Answer::Stay
    }

    /// Closes the JSON view first, then the form; a filled-in one asks once.
    fn leave(&mut self) -> Answer {
        self.share_digit = None;
        if self.shows_json {
            self.shows_json = false;
            return Answer::Stay;
        }
        if self.hand == FormInput::Touched {
            self.hand = FormInput::Leaving;
            return Answer::Stay;
        }
        Answer::Close
    }

    /// The command that it sends, or what is wrong in which field.
    pub fn command(&self, form_context: &FormContext) -> Result<Command, Faults> {
        let draft = self.bracketed(form_context)?;
        draft.command(&self.seen(form_context))
    }

    /// The current data about the form's object.
    pub fn seen<'a>(&'a self, form_context: &FormContext<'a>) -> Seen<'a> {
        let store = form_context.store;
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
            working: store.orders.rows(),
            book: market.and_then(|market| store.books.fit(market, form_context.own)?.ok()),
            quote: market_id.and_then(|id| Some(store.ticket_quote.of(id, form_context.own)?.0)),
            watched: None,
            now: form_context.now,
            zone: Some(form_context.zone),
            charges: market_id.map_or_else(Charges::default, |id| {
                fees::charges((store, form_context.fees), id)
            }),
        };
        let watched = match &self.draft {
            Draft::Entry(draft) => draft.watched(),
            Draft::Close(draft) => draft.watched(&seen),
            Draft::Exits(_) | Draft::Protect(_) | Draft::Margin(_) => None,
        };
        Seen {
            watched: watched.and_then(|id| store.market(id)),
            ..seen
        }
    }

    /// Side and size of what reaches the book at once; `None` for what waits, and where the size is not written.
    pub(crate) fn taken(&self, form_context: &FormContext<'_>) -> Option<(Side, Num)> {
        let seen = self.seen(form_context);
        let (side, quantity) = match &self.draft {
            Draft::Entry(draft) if draft.is_sent_now() => (draft.side, draft.fillable(&seen)?),
            Draft::Close(draft) if draft.is_sent_now() => {
                let held = seen.position?;
                let part = draft.resolved_size(&seen).ok()?;
                (held.side()?.opposite(), part.unwrap_or(held.quantity()))
            }
            Draft::Entry(_)
            | Draft::Close(_)
            | Draft::Exits(_)
            | Draft::Protect(_)
            | Draft::Margin(_) => return None,
        };
        quantity.is_positive().then_some((side, quantity))
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
        self.hand = FormInput::Touched;
        self.focus_on(self.focus);
    }

    /// The side of a new order from this form.
    pub fn side(&self, form_context: &FormContext) -> Option<Side> {
        self.draft.side(&self.seen(form_context))
    }

    fn go(&mut self, steps: isize, form_context: &FormContext) {
        self.resolve_prices(form_context);
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
        self.share_digit = None;
        self.search.clear();
        self.line = Line::selected(self.draft.text(field).unwrap_or_default());
    }

    pub(super) fn submit(&mut self, form_context: &FormContext) -> Answer {
        if self.resolve_prices(form_context) {
            self.refusal = Some("the price is filled in: check it, then send");
            return Answer::Stay;
        }
        self.tried = true;
        let command = match self.command(form_context) {
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
                "status unknown: the last order may have executed. Check the orders, then start again".to_owned(),
            );
        }
        self.failure = None;
        Answer::Send(command)
    }
}
