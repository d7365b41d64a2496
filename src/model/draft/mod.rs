//! What a person typed, before it is anything: texts and choices in, a [`Command`] or a fault per field out.
//! The forms of the desk and the verbs of the command line share it.
//!
//! Contract: pure; a text that does not parse never becomes a number, and nothing is filled in that was
//! not typed or chosen. What the service might still accept is not refused here, only what has no meaning.

mod amend;
mod close;
mod number;
mod place;

pub use amend::{ExitsDraft, MarginDraft};
pub use close::CloseDraft;
pub use number::{Amount, amount, number, positive};
pub use place::PlaceDraft;

use super::{Command, Market, Num, Order, Position};
use std::fmt;

/// A field of a draft. Each is one body field of the API, [`Field::Share`] excepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    Kind,
    Market,
    Side,
    /// A quick way to write the size of a close.
    Share,
    Size,
    LimitPrice,
    TimeInForce,
    Leverage,
    MarginMode,
    ReduceOnly,
    TakeProfit,
    StopLoss,
    Slippage,
    Acknowledged,
    ExtraMargin,
}

impl Field {
    pub fn label(self) -> &'static str {
        match self {
            Self::Kind => "type",
            Self::Market => "market",
            Self::Side => "side",
            Self::Share => "part",
            Self::Size => "size",
            Self::LimitPrice => "limit price",
            Self::TimeInForce => "time in force",
            Self::Leverage => "leverage",
            Self::MarginMode => "margin mode",
            Self::ReduceOnly => "reduce-only",
            Self::TakeProfit => "take profit",
            Self::StopLoss => "stop loss",
            Self::Slippage => "slippage bps",
            Self::Acknowledged => "may fill at once",
            Self::ExtraMargin => "extra margin",
        }
    }

    pub fn is_price(self) -> bool {
        matches!(self, Self::LimitPrice | Self::TakeProfit | Self::StopLoss)
    }

    /// How the API's bodies spell it; a refusal that names one is shown beside the field.
    fn body_names(self) -> &'static [&'static str] {
        match self {
            Self::Kind => &["type"],
            Self::Market => &["market_id"],
            Self::Side => &["side"],
            Self::Share => &[],
            Self::Size => &["size"],
            Self::LimitPrice => &["limit_price"],
            Self::TimeInForce => &["time_in_force"],
            Self::Leverage => &["leverage"],
            Self::MarginMode => &["margin_mode"],
            Self::ReduceOnly => &["reduce_only"],
            Self::TakeProfit => &["attached_take_profit_price", "take_profit_price"],
            Self::StopLoss => &["attached_stop_loss_price", "stop_loss_price"],
            Self::Slippage => &["slippage_tolerance_bps"],
            Self::Acknowledged => &["marketable_limit_acknowledged"],
            Self::ExtraMargin => &["extra_margin"],
        }
    }

    /// Whether `words` (a message of the service) name this field as a whole word.
    pub fn is_named_in(self, words: &str) -> bool {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        words
            .split(|c| !is_word(c))
            .any(|word| self.body_names().contains(&word))
    }
}

/// Why a field cannot be sent as it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("required")]
    Missing,
    #[error("no commas: write 1.5 or 1000")]
    Comma,
    #[error("write the digits out, without an exponent")]
    Exponent,
    #[error("write the minus as -")]
    ForeignMinus,
    #[error("write the digits as 0 to 9")]
    ForeignDigits,
    #[error("not a number: digits and one point only")]
    NotANumber,
    #[error("more digits than can be held exactly (28)")]
    TooManyDigits,
    #[error("must be above 0")]
    NotPositive,
    #[error("must be 0 or more")]
    Negative,
    #[error("a percentage is of a position: only a close takes one")]
    PercentOfNothing,
    #[error("more than 100 %")]
    AboveAll,
    #[error("more than the position, {0}")]
    AbovePosition(Num),
    #[error("less than the smallest size, {0}")]
    BelowLot(Num),
    #[error("the smallest size of this market is not known: write it in coin")]
    UnknownLot,
    #[error("no price to convert with: write it in coin")]
    UnknownPrice,
    #[error("r needs a limit price and a stop loss")]
    RiskWithoutStop,
    #[error("the stop loss is not on the losing side of the limit price")]
    StopOnWrongSide,
    #[error("r is for an entry with a stop loss")]
    RiskOnExit,
    #[error("this limit crosses the market and would fill at once: choose yes to send it")]
    Crosses,
    #[error("the position is not known")]
    UnknownPosition,
    #[error("the total would be below 0: there is {0} now")]
    BelowZero(Num),
}

/// What is wrong, field by field, in the order of the fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faults(pub Vec<(Field, Fault)>);

impl Faults {
    pub fn of(&self, field: Field) -> Option<&Fault> {
        let mut here = self.0.iter().filter(|(known, _)| *known == field);
        here.next().map(|(_, fault)| fault)
    }

    /// The value, or the fault noted and nothing.
    fn take<T>(&mut self, field: Field, read: Result<T, Fault>) -> Option<T> {
        read.map_err(|fault| self.0.push((field, fault))).ok()
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (field, fault)) in self.0.iter().enumerate() {
            let before = if i == 0 { "" } else { "; " };
            write!(f, "{before}{}: {fault}", field.label())?;
        }
        Ok(())
    }
}

/// What was known of the world when the draft was read; sizes and prices are resolved against it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen<'a> {
    pub market: Option<&'a Market>,
    /// The position it is about: of a new order, the open one in its market.
    pub position: Option<&'a Position>,
    pub order: Option<&'a Order>,
}

impl Seen<'_> {
    /// The observed midpoint.
    pub fn mid(&self) -> Option<Num> {
        self.market?.mid()
    }

    /// Decimals of a size in this market; the lot is 10^-n.
    pub fn size_decimals(&self) -> Option<u32> {
        let of_position = self.position.and_then(|p| p.size_decimals);
        of_position.or_else(|| self.market?.size_decimals)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Draft {
    Place(PlaceDraft),
    Close(CloseDraft),
    Exits(ExitsDraft),
    Margin(MarginDraft),
}

/// Which fields are typed, once for reading and writing.
macro_rules! text_field {
    ($draft:expr, $field:expr, $($borrow:tt)+) => {
        match ($draft, $field) {
            (Draft::Place(d), Field::Size) => Some($($borrow)+ d.size),
            (Draft::Place(d), Field::LimitPrice) => Some($($borrow)+ d.limit_price),
            (Draft::Place(d), Field::Leverage) => Some($($borrow)+ d.leverage),
            (Draft::Place(d), Field::TakeProfit) => Some($($borrow)+ d.take_profit),
            (Draft::Place(d), Field::StopLoss) => Some($($borrow)+ d.stop_loss),
            (Draft::Place(d), Field::Slippage) => Some($($borrow)+ d.slippage),
            (Draft::Close(d), Field::Size) => Some($($borrow)+ d.size),
            (Draft::Close(d), Field::LimitPrice) => Some($($borrow)+ d.limit_price),
            (Draft::Close(d), Field::Slippage) => Some($($borrow)+ d.slippage),
            (Draft::Exits(d), Field::TakeProfit) => Some($($borrow)+ d.take_profit),
            (Draft::Exits(d), Field::StopLoss) => Some($($borrow)+ d.stop_loss),
            (Draft::Margin(d), Field::ExtraMargin) => Some($($borrow)+ d.extra),
            _ => None,
        }
    };
}

impl Draft {
    /// The finished command, or everything that is wrong at once.
    pub fn command(&self, seen: &Seen) -> Result<Command, Faults> {
        match self {
            Self::Place(draft) => draft
                .order(seen)
                .map(|order| Command::Place(Box::new(order))),
            Self::Close(draft) => draft.close(seen).map(Command::Close),
            Self::Exits(draft) => draft.exits().map(Command::Exits),
            Self::Margin(draft) => draft.margin(seen),
        }
    }

    /// The fields that count as it stands now, in the order they are asked for.
    pub fn fields(&self) -> &'static [Field] {
        match self {
            Self::Place(draft) => PlaceDraft::fields(draft.kind),
            Self::Close(draft) => CloseDraft::fields(draft.kind),
            Self::Exits(_) => ExitsDraft::FIELDS,
            Self::Margin(_) => MarginDraft::FIELDS,
        }
    }

    /// What is typed in a text field; `None` for a choice.
    pub fn text(&self, field: Field) -> Option<&str> {
        text_field!(self, field, &).map(String::as_str)
    }

    /// A text field for writing; `None` for a choice.
    pub fn text_mut(&mut self, field: Field) -> Option<&mut String> {
        text_field!(self, field, &mut)
    }

    /// Whether an empty text there blocks sending.
    pub fn is_required(&self, field: Field) -> bool {
        !matches!(
            (self, field),
            (_, Field::Slippage | Field::TakeProfit | Field::StopLoss)
        )
    }
}
