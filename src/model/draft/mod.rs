//! Drafts: texts and choices in, a [`Command`] or an error per field out. Shared by the desk's forms and the verbs of
//! the command line.
//!
//! Contract: pure. A text that does not parse never becomes a number, and nothing is filled in that was not typed or
//! chosen. A draft refuses only what has no meaning, not what the service might accept.

mod amend;
mod bracket;
mod close;
mod entry;
mod fault;
mod field;
mod instant;
mod kinds;
mod number;
mod opening;
mod part;
mod protect;
mod relative;
mod texts;

pub use amend::{ExitsDraft, MarginDraft};
pub use bracket::{Bracket, BracketTarget, Distance, DistanceBasis, DistanceFault, LaterTarget};
pub use close::CloseDraft;
pub use entry::{EntryDraft, ReplacedExits};
pub use fault::{DraftFault, Faults};
pub use field::{Field, FieldInput};
pub use instant::{NOT_PAST, PastInstant, instant, past, span};
pub use kinds::{DraftShape, times_in_force};
pub use number::{Amount, amount, number, positive, share_of};
pub use opening::OpeningOrder;
pub use protect::{ProtectDraft, only_exit};
pub use relative::{Entered, RelativePrice};
pub use texts::Texts;

use super::{
    Book, Charges, Command, Market, Num, Order, Position, Side, SizedQuote, Timestamp, Zone,
    estimate,
};

/// The market and account when the draft was read; sizes and prices are resolved against them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen<'a> {
    pub market: Option<&'a Market>,
    /// Its position; for a new order, the open one in its market.
    pub position: Option<&'a Position>,
    /// The list of positions is complete: a market without one has none open.
    pub lists_all: bool,
    /// What backs a cross position in its market after the needs of the others, USD.
    pub cross_backing: Option<Num>,
    /// The margin available for new positions, USD.
    pub free_margin: Option<Num>,
    pub order: Option<&'a Order>,
    /// The working orders as far as they are known.
    pub working: &'a [Order],
    /// The book of its market, if known and recent enough.
    pub book: Option<&'a Book>,
    /// Without a book: what the service expects of an order as it was last written.
    pub quote: Option<&'a SizedQuote>,
    /// The trigger's market, if it is another one.
    pub watched: Option<&'a Market>,
    /// The fees of its market.
    pub charges: Charges,
    /// The current time by the clock that ends dated orders, and the zone to show it in; UTC by default.
    pub now: Timestamp,
    pub zone: Option<&'a Zone>,
}

impl Seen<'_> {
    /// Whether it is known if a position is open in its market: an incomplete list proves nothing.
    pub fn is_held_known(&self) -> bool {
        self.position.is_some() || self.lists_all
    }

    /// The observed midpoint.
    pub fn mid(&self) -> Option<Num> {
        self.market?.mid()
    }

    /// A valid order price or distance. A price known to be between two ticks of `market` is refused; the observed
    /// price may be anything.
    fn ticked(
        field: Field,
        price: Option<Num>,
        market: Option<&Market>,
    ) -> Result<Option<Num>, DraftFault> {
        let is_sent = field.is_price() && field != Field::ExpectedPrice;
        let tick = |price| {
            let offset = || market?.stated_offset_tick();
            let own = is_sent.then(|| market?.stated_tick(price)).flatten();
            own.or_else(|| (field == Field::ChaseOffset).then(offset)?)
        };
        let off = price.and_then(|price| Some((price, tick(price)?)));
        match off.filter(|(price, tick)| !tick.holds(*price)) {
            Some((price, tick)) => Err(DraftFault::OffTick {
                tick: tick.step(),
                below: tick.below(price),
                above: tick.above(price),
            }),
            None => Ok(price),
        }
    }

    /// The price at which an order of this side fills now: the other side's best price, else the midpoint.
    pub fn taken(&self, side: Side) -> Option<Num> {
        let market = self.market?;
        let best = match side {
            Side::Buy => market.ask,
            Side::Sell => market.bid,
        };
        best.or_else(|| market.mid())
    }

    /// The estimated price of a limit: itself if it rests, the market if it crosses.
    pub fn limit_estimate(&self, side: Side, limit: Num) -> Num {
        let crosses = |market| estimate::crosses(market, side, limit) == Some(true);
        let market = self.market.filter(|market| crosses(market));
        market.and_then(|_| self.taken(side)).unwrap_or(limit)
    }

    /// The average fill price of `quantity` sent now: by the book if known, with the rest at its limit; else by the
    /// service's estimate, or at the best price.
    pub fn filled(&self, side: Side, quantity: Num, limit: Option<Num>) -> Option<Num> {
        let best = match limit {
            Some(limit) => Some(self.limit_estimate(side, limit)),
            None => self.taken(side),
        };
        let rests = |market: &Market| {
            limit.is_some_and(|limit| estimate::crosses(market, side, limit) != Some(true))
        };
        let by_book = || {
            let sweep = self.book?.sweep(side, quantity, limit)?;
            let average = sweep.average.filter(|_| !self.market.is_none_or(rests))?;
            match limit {
                Some(limit) => sweep.cost.plus(sweep.rest.times(limit)?)?.over(quantity),
                None => Some(average),
            }
        };
        let by_quote = || self.quote?.fills_at(side, quantity, limit);
        by_book().or_else(by_quote).or(best)
    }

    /// The market of a price field.
    pub fn market_of(&self, field: Field) -> Option<&Market> {
        let watched = (field.takes() == FieldInput::WatchedPrice).then_some(self.watched);
        watched.flatten().or(self.market)
    }

    /// Decimals of a size in this market; the lot is 10^-n.
    pub fn size_decimals(&self) -> Option<u32> {
        let of_position = self.position.and_then(|p| p.size_decimals);
        of_position.or_else(|| self.market?.size_decimals)
    }
}

/// A form's contents as typed: texts and choices, valid or not, until [`Draft::command`] reads them.
#[derive(Debug, Clone, PartialEq)]
pub enum Draft {
    Entry(EntryDraft),
    Close(CloseDraft),
    Exits(ExitsDraft),
    Protect(ProtectDraft),
    Margin(MarginDraft),
}

impl Draft {
    /// The finished command, or all errors at once.
    pub fn command(&self, seen: &Seen) -> Result<Command, Faults> {
        match self {
            Self::Entry(draft) => draft.command(seen),
            Self::Close(draft) => draft.close(seen).map(Command::Close),
            Self::Exits(draft) => draft.exits(seen).map(Command::Exits),
            Self::Protect(draft) => draft.command(seen),
            Self::Margin(draft) => draft.margin(seen),
        }
    }

    /// The fields of its type, in form order.
    pub fn fields(&self) -> Vec<Field> {
        match self {
            Self::Entry(draft) => draft.fields(),
            Self::Close(draft) => draft.fields(),
            Self::Exits(_) => ExitsDraft::FIELDS.to_vec(),
            Self::Protect(_) => ProtectDraft::FIELDS.to_vec(),
            Self::Margin(_) => MarginDraft::FIELDS.to_vec(),
        }
    }

    /// The text of a field; `None` for a choice.
    pub fn text(&self, field: Field) -> Option<&str> {
        field.is_typed().then(|| self.texts().of(field))
    }

    /// Writes a text field.
    pub fn write(&mut self, field: Field, text: &str) {
        if field.is_typed() {
            self.texts_mut().set(field, text);
        }
    }

    /// Writes a text, or makes the choice that this word names: for a market or a position its id, for a switch `true` or
    /// `false`. A field that the draft does not have stays as it is.
    ///
    /// # Errors
    /// If the word is none of the choices.
    pub fn fill(&mut self, field: Field, word: &str) -> Result<(), strum::ParseError> {
        if field.is_typed() {
            self.write(field, word);
            return Ok(());
        }
        match (self, field) {
            (Self::Entry(draft), Field::Kind | Field::Curve) => {
                draft.shape = draft.shape.with_type(word)?;
            }
            (Self::Entry(draft), Field::Market) => draft.market_id = Some(word.into()),
            (Self::Entry(draft), Field::Side) => draft.side = word.parse()?,
            (Self::Entry(draft), Field::TimeInForce) => draft.time_in_force = word.parse()?,
            (Self::Entry(draft), Field::MarginMode) => draft.margin_mode = word.parse()?,
            (Self::Entry(draft), Field::Distribution) => draft.distribution = word.parse()?,
            (Self::Entry(draft), Field::ReduceOnly) => draft.reduce_only = switch(word)?,
            (Self::Entry(draft), Field::Randomize) => draft.randomize = switch(word)?,
            (Self::Entry(draft), Field::ReplacedExits) => {
                draft.replaces = if switch(word)? {
                    ReplacedExits::Any
                } else {
                    ReplacedExits::Known
                };
            }
            (Self::Entry(draft), Field::TargetPosition) => draft.target = Some(word.into()),
            (Self::Close(draft), Field::Kind) => draft.kind = word.parse()?,
            (Self::Close(draft), Field::Acknowledged) => draft.acknowledged = switch(word)?,
            (
                Self::Entry(EntryDraft { trigger_market, .. })
                | Self::Close(CloseDraft { trigger_market, .. }),
                Field::TriggerMarket,
            ) => *trigger_market = Some(word.into()),
            (
                Self::Entry(EntryDraft {
                    trigger_direction, ..
                })
                | Self::Close(CloseDraft {
                    trigger_direction, ..
                }),
                Field::TriggerDirection,
            ) => *trigger_direction = Some(word.parse()?),
            _ => {}
        }
        Ok(())
    }

    /// Whether an empty text prevents sending.
    pub fn is_required(&self, field: Field) -> bool {
        match self {
            Self::Entry(draft) => draft.is_required(field),
            Self::Close(_) => !matches!(field, Field::Slippage | Field::ExpectedPrice),
            Self::Exits(_) | Self::Protect(_) => false,
            Self::Margin(_) => true,
        }
    }

    fn texts(&self) -> &Texts {
        match self {
            Self::Entry(draft) => &draft.texts,
            Self::Close(draft) => &draft.texts,
            Self::Exits(draft) => &draft.texts,
            Self::Protect(draft) => &draft.texts,
            Self::Margin(draft) => &draft.texts,
        }
    }

    fn texts_mut(&mut self) -> &mut Texts {
        match self {
            Self::Entry(draft) => &mut draft.texts,
            Self::Close(draft) => &mut draft.texts,
            Self::Exits(draft) => &mut draft.texts,
            Self::Protect(draft) => &mut draft.texts,
            Self::Margin(draft) => &mut draft.texts,
        }
    }
}

fn switch(word: &str) -> Result<bool, strum::ParseError> {
    word.parse().map_err(|_| strum::ParseError::VariantNotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_neither_yes_nor_no_turns_no_switch() {
        let position = || CloseDraft {
            position_id: "pos-1".into(),
            kind: super::super::CloseKind::Limit,
            trigger_market: None,
            trigger_direction: None,
            acknowledged: false,
            texts: Texts::default(),
            also: vec![],
        };
        for (word, expected) in [
            ("true", Ok(true)),
            ("false", Ok(false)),
            ("no", Err(strum::ParseError::VariantNotFound)),
            ("", Err(strum::ParseError::VariantNotFound)),
        ] {
            let mut draft = Draft::Close(position());
            let filled = draft.fill(Field::Acknowledged, word);
            let Draft::Close(close) = draft else {
                panic!("{draft:?}");
            };
            assert_eq!(filled.map(|()| close.acknowledged), expected, "{word}");
        }
    }
}
