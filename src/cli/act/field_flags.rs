//! The flags of verbs that fill a draft: one for each field, named and read as the field is.

use crate::cli::named::id;
use crate::model::{
    CloseKind, Curve, Distribution, MarginMode, PlaceKind, Side, TimeInForce, TriggerDirection,
    draft::{DraftShape, Field, Texts},
};
use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};
use std::{fmt::Display, marker::PhantomData};
use strum::VariantArray;

type Words = fn() -> Vec<String>;

/// The flag of one field.
pub(in crate::cli) struct FieldFlag {
    field: Field,
    help: &'static str,
    need: Need,
    /// The words of a choice.
    words: Option<Words>,
}

#[derive(Debug, Clone, Copy)]
enum Need {
    Optional,
    Required,
    Default(&'static str),
}

/// The flags of one verb.
pub(in crate::cli) trait FlagTable {
    /// In the order of the help.
    const FLAGS: &'static [FieldFlag];
}

/// The flags of a verb that places an order.
pub(in crate::cli) trait EntryTable: FlagTable {
    /// What it places where its flags choose no type.
    const SHAPE: DraftShape;
}

/// The texts and choices that were given, by field; a switch has any text.
#[derive(Debug)]
pub(in crate::cli) struct FieldArgs<T> {
    pub(super) given: Texts,
    table: PhantomData<T>,
}

const fn optional(field: Field, help: &'static str) -> FieldFlag {
    FieldFlag {
        field,
        help,
        need: Need::Optional,
        words: None,
    }
}

const fn required(field: Field, help: &'static str) -> FieldFlag {
    FieldFlag {
        need: Need::Required,
        ..optional(field, help)
    }
}

impl FieldFlag {
    const fn of(self, words: Words) -> Self {
        Self {
            words: Some(words),
            ..self
        }
    }

    const fn or(self, default: &'static str) -> Self {
        Self {
            need: Need::Default(default),
            ..self
        }
    }

    fn id(&self) -> &'static str {
        self.field.flag().trim_start_matches("--")
    }

    fn arg(&self) -> Arg {
        let mut arg = Arg::new(self.id()).long(self.id());
        if !self.help.is_empty() {
            arg = arg.help(self.help);
        }
        if matches!(self.field, Field::TriggerDirection | Field::TriggerMarket) {
            arg = arg.requires(optional(Field::TriggerPrice, "").id());
        }
        if self.field.is_switch() {
            return arg.action(ArgAction::SetTrue);
        }
        arg = match self.need {
            Need::Optional => arg,
            Need::Required => arg.required(true),
            Need::Default(word) => arg.default_value(word),
        };
        arg = arg
            .value_name(self.field.value_name())
            .allow_hyphen_values(self.field.is_price());
        match self.words {
            Some(words) => arg.value_parser(PossibleValuesParser::new(words())),
            None if self.field.is_typed() => arg,
            None => arg.value_parser(id::<String>),
        }
    }

    fn given(&self, matches: &ArgMatches) -> Option<String> {
        if self.field.is_switch() {
            return matches.get_flag(self.id()).then(|| "true".to_owned());
        }
        matches.get_one::<String>(self.id()).cloned()
    }
}

fn words<T: VariantArray + Display>() -> Vec<String> {
    T::VARIANTS.iter().map(ToString::to_string).collect()
}

impl<T: FlagTable> clap::Args for FieldArgs<T> {
    fn augment_args(command: Command) -> Command {
        command.args(T::FLAGS.iter().map(FieldFlag::arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: FlagTable> clap::FromArgMatches for FieldArgs<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Texts::default();
        for flag in T::FLAGS {
            if let Some(text) = flag.given(matches) {
                given.set(flag.field, text);
            }
        }
        Ok(Self {
            given,
            table: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

const MARKET: &str = "Its symbol, coin or id: BTC, btc or 'paper|BTC'";
const TOTAL: &str = "Coin (0.5), USD ($1000), or a share (50%) of the free margin; with --reduce-only, of the position";
const REDUCE_ONLY: &str = "Can only reduce the position";
const LEVERAGE: &str = "[default: the position's, else 5 or the market's highest]";
const MARGIN_MODE: &str = "[default: the position's, else cross]";
const TRIGGER_PRICE: &str = "The trigger price, USD";
const TRIGGER_DIRECTION: &str = "The side of the price";
const TRIGGER_MARKET: &str = "The market of the trigger price [default: the order's own]";
const EXPECTED_PRICE: &str = "The mid that you saw, USD [default: the current one]";
const SLIPPAGE: &str = "The slippage tolerance, basis points";

#[derive(Debug)]
pub(in crate::cli) struct PlaceFlags;

impl EntryTable for PlaceFlags {
    const SHAPE: DraftShape = DraftShape::Order(PlaceKind::Market);
}

impl FlagTable for PlaceFlags {
    const FLAGS: &'static [FieldFlag] = &[
        required(Field::Market, MARKET),
        required(Field::Side, "").of(words::<Side>),
        required(Field::Kind, "").of(words::<PlaceKind>),
        required(
            Field::Size,
            "0.5 coin, $1000, 50% of margin or position, r25 lost at the stop",
        ),
        optional(
            Field::LimitPrice,
            "USD; every price is a number or an expression (bid-100)",
        ),
        optional(Field::TimeInForce, "[default: gtc]").of(words::<TimeInForce>),
        optional(
            Field::Expires,
            "2h from now, 18:00, 2026-01-05T18:00 or 2026-01-05T14:30:00Z",
        ),
        optional(Field::TriggerPrice, TRIGGER_PRICE),
        optional(Field::TriggerDirection, TRIGGER_DIRECTION).of(words::<TriggerDirection>),
        optional(Field::TriggerMarket, TRIGGER_MARKET),
        optional(Field::ReduceOnly, REDUCE_ONLY),
        optional(Field::Leverage, LEVERAGE),
        optional(Field::MarginMode, MARGIN_MODE).of(words::<MarginMode>),
        optional(Field::TakeProfit, "The price of an attached take profit"),
        optional(Field::StopLoss, "The price of an attached stop loss"),
        optional(
            Field::ReplacedExits,
            "Replaces the exits of the position that they overlap",
        ),
        optional(Field::ExpectedPrice, EXPECTED_PRICE),
        optional(Field::Slippage, SLIPPAGE),
        optional(
            Field::ChaseOffset,
            "The distance of a chase from the best price, USD",
        ),
        optional(
            Field::ChaseCap,
            "The last price that a chase follows to, USD",
        ),
        optional(
            Field::TargetPosition,
            "The position of a `take_profit` order",
        ),
    ];
}

#[derive(Debug)]
pub(in crate::cli) struct TwapFlags;

impl EntryTable for TwapFlags {
    const SHAPE: DraftShape = DraftShape::Sliced(Curve::Twap);
}

impl FlagTable for TwapFlags {
    const FLAGS: &'static [FieldFlag] = &[
        required(Field::Market, MARKET),
        required(Field::Side, "").of(words::<Side>),
        required(Field::Size, TOTAL),
        required(
            Field::Duration,
            "The duration in whole minutes: 30, 30m, 2h",
        ),
        optional(Field::Curve, "Slices follow time or volume")
            .of(words::<Curve>)
            .or("twap"),
        optional(
            Field::SliceInterval,
            "Seconds between slices, 30 to 43200, at most half the duration",
        ),
        optional(
            Field::ExpectedPrice,
            "The observed mid [default: that of the market]",
        ),
        optional(Field::Randomize, "Varies the size of the slices"),
        optional(
            Field::TriggerPrice,
            "The mark at which it starts [default: at once]",
        ),
        optional(Field::MinPrice, "The lowest price of a slice, USD"),
        optional(Field::MaxPrice, "The highest price of a slice, USD"),
        optional(Field::Leverage, LEVERAGE),
        optional(Field::MarginMode, MARGIN_MODE).of(words::<MarginMode>),
        optional(Field::ReduceOnly, REDUCE_ONLY),
    ];
}

#[derive(Debug)]
pub(in crate::cli) struct ScaledFlags;

impl EntryTable for ScaledFlags {
    const SHAPE: DraftShape = DraftShape::Scaled;
}

impl FlagTable for ScaledFlags {
    const FLAGS: &'static [FieldFlag] = &[
        required(Field::Market, MARKET),
        required(Field::Side, "").of(words::<Side>),
        required(Field::Size, TOTAL),
        required(Field::StartPrice, "The price of the first rung, USD"),
        required(Field::EndPrice, "The price of the last rung, USD"),
        required(Field::Rungs, "The number of rungs"),
        optional(
            Field::Distribution,
            "The sizes from the first rung to the last",
        )
        .of(words::<Distribution>)
        .or("flat"),
        optional(Field::Leverage, LEVERAGE),
        optional(Field::MarginMode, MARGIN_MODE).of(words::<MarginMode>),
        optional(Field::ReduceOnly, REDUCE_ONLY),
    ];
}

#[derive(Debug)]
pub(in crate::cli) struct CloseFlags;

impl FlagTable for CloseFlags {
    const FLAGS: &'static [FieldFlag] = &[
        optional(
            Field::Size,
            "Coin (0.1), a share (50%) or USD ($1000) [default: everything]",
        ),
        optional(Field::Kind, "")
            .of(words::<CloseKind>)
            .or("market"),
        optional(
            Field::LimitPrice,
            "USD; every price is a number or an expression (entry+2%)",
        ),
        optional(Field::TriggerPrice, TRIGGER_PRICE),
        optional(Field::TriggerDirection, TRIGGER_DIRECTION).of(words::<TriggerDirection>),
        optional(Field::TriggerMarket, TRIGGER_MARKET),
        optional(Field::Slippage, SLIPPAGE),
        optional(Field::ExpectedPrice, EXPECTED_PRICE),
        optional(
            Field::Acknowledged,
            "Confirms a limit price that would fill at once",
        ),
    ];
}
