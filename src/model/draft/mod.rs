//! What a person typed, before it is anything: texts and choices in, a [`Command`] or a fault per field out.
//! The forms of the desk and the verbs of the command line share it.
//!
//! Contract: pure; a text that does not parse never becomes a number, and nothing is filled in that was
//! not typed or chosen. What the service might still accept is not refused here, only what has no meaning.

mod amend;
mod close;
mod entry;
mod fault;
mod field;
mod instant;
mod kinds;
mod number;
mod opening;
mod relative;
mod texts;

pub use amend::{ExitsDraft, MarginDraft};
pub use close::CloseDraft;
pub use entry::EntryDraft;
pub use fault::{DraftFault, Faults};
pub use field::{Field, FieldInput};
pub use instant::{instant, span};
pub use kinds::{DraftShape, times_in_force};
pub use number::{Amount, amount, number, positive, share_of};
pub use opening::OpeningOrder;
pub use relative::{Entered, RelativePrice};
pub use texts::Texts;

use super::{
    Book, Charges, Command, Market, Num, Order, Position, Side, Timestamp, Zone, estimate,
};

/// What was known of the world when the draft was read; sizes and prices are resolved against it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen<'a> {
    pub market: Option<&'a Market>,
    /// The position it is about: of a new order, the open one in its market.
    pub position: Option<&'a Position>,
    /// Every open position is listed: where none is in its market, none is open there.
    pub lists_all: bool,
    /// What stands behind a cross position in its market when the needs of the others are taken off, USD.
    pub cross_backing: Option<Num>,
    /// What the account may still post for new positions, USD.
    pub free_margin: Option<Num>,
    pub order: Option<&'a Order>,
    /// What rests in its market, where that is known and no older than what counts.
    pub book: Option<&'a Book>,
    /// The market whose mark is watched, where it is another one.
    pub watched: Option<&'a Market>,
    /// What trading costs in its market.
    pub charges: Charges,
    /// When it was read by the clock that ends what has a date, and in whose zone that is told; UTC where nobody says.
    pub now: Timestamp,
    pub zone: Option<&'a Zone>,
}

impl Seen<'_> {
    /// Whether it is known what is open in its market, if anything is: nothing listed is not nothing there.
    pub fn is_held_known(&self) -> bool {
        self.position.is_some() || self.lists_all
    }

    /// The observed midpoint.
    pub fn mid(&self) -> Option<Num> {
        self.market?.mid()
    }

    /// A price of an order, or a distance of one, as it can be sent: what is known to lie between two ticks of `market`
    /// is refused by whoever trades there. What is observed may lie anywhere.
    fn ticked(
        field: Field,
        price: Option<Num>,
        market: Option<&Market>,
    ) -> Result<Option<Num>, DraftFault> {
        let is_sent = field.is_price() && field != Field::ExpectedPrice;
        let tick = |price| {
            let offset = || market?.told_offset_tick();
            let own = is_sent.then(|| market?.told_tick(price)).flatten();
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

    /// What an order of this side pays or gets that fills now: the best price of the other side, else the midpoint.
    pub fn taken(&self, side: Side) -> Option<Num> {
        let market = self.market?;
        let best = match side {
            Side::Buy => market.ask,
            Side::Sell => market.bid,
        };
        best.or_else(|| market.mid())
    }

    /// What a limit is reckoned at: itself where it rests, the market where it crosses.
    pub fn reckoned(&self, side: Side, limit: Num) -> Num {
        let crosses = |market| estimate::crosses(market, side, limit) == Some(true);
        let market = self.market.filter(|market| crosses(market));
        market.and_then(|_| self.taken(side)).unwrap_or(limit)
    }

    /// What a coin of `quantity` that is sent now is filled at on average: by the book where one is known, what is left of it
    /// at its limit; else at the best price.
    pub fn filled(&self, side: Side, quantity: Num, limit: Option<Num>) -> Option<Num> {
        let best = match limit {
            Some(limit) => Some(self.reckoned(side, limit)),
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
        by_book().or(best)
    }

    /// The market whose prices a field is written in.
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

/// A form's contents as they are typed: texts and choices, right or wrong, until [`Draft::command`] reads them.
#[derive(Debug, Clone, PartialEq)]
pub enum Draft {
    Entry(EntryDraft),
    Close(CloseDraft),
    Exits(ExitsDraft),
    Margin(MarginDraft),
}

impl Draft {
    /// The finished command, or everything that is wrong at once.
    pub fn command(&self, seen: &Seen) -> Result<Command, Faults> {
        match self {
            Self::Entry(draft) => draft.command(seen),
            Self::Close(draft) => draft.close(seen).map(Command::Close),
            Self::Exits(draft) => draft.exits(seen).map(Command::Exits),
            Self::Margin(draft) => draft.margin(seen),
        }
    }

    /// The fields that count as it stands now, in the order they are asked for.
    pub fn fields(&self) -> Vec<Field> {
        match self {
            Self::Entry(draft) => draft.fields(),
            Self::Close(draft) => draft.fields(),
            Self::Exits(_) => ExitsDraft::FIELDS.to_vec(),
            Self::Margin(_) => MarginDraft::FIELDS.to_vec(),
        }
    }

    /// What is typed in a text field; `None` for a choice.
    pub fn text(&self, field: Field) -> Option<&str> {
        field.is_typed().then(|| self.texts().of(field))
    }

    /// Writes a text field.
    pub fn write(&mut self, field: Field, text: &str) {
        if field.is_typed() {
            self.texts_mut().set(field, text);
        }
    }

    /// Whether an empty text there blocks sending.
    pub fn is_required(&self, field: Field) -> bool {
        match self {
            Self::Entry(draft) => draft.is_required(field),
            Self::Close(_) => !matches!(field, Field::Slippage | Field::ExpectedPrice),
            Self::Exits(_) => false,
            Self::Margin(_) => true,
        }
    }

    fn texts(&self) -> &Texts {
        match self {
            Self::Entry(draft) => &draft.texts,
            Self::Close(draft) => &draft.texts,
            Self::Exits(draft) => &draft.texts,
            Self::Margin(draft) => &draft.texts,
        }
    }

    fn texts_mut(&mut self) -> &mut Texts {
        match self {
            Self::Entry(draft) => &mut draft.texts,
            Self::Close(draft) => &mut draft.texts,
            Self::Exits(draft) => &mut draft.texts,
            Self::Margin(draft) => &mut draft.texts,
        }
    }
}
