//! The flags of verbs that fill a draft: one for each field, named and read as the field is.

use super::typed::id;
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

const MARKET: &str = "The market by its symbol, coin or id: BTC, btc or 'paper|BTC'";
const TOTAL: &str = "The total size: coin (0.5), USD ($1000), or a share (50%) of the free margin; with --reduce-only \
                     a share of the position";
const REDUCE_ONLY: &str = "Can only reduce the position";
const LEVERAGE: &str = "The leverage [default: that of the open position in the market, otherwise 5 or the highest \
                        that the market allows]";
const MARGIN_MODE: &str =
    "The margin mode [default: that of the open position in the market, otherwise cross]";
const TRIGGER_PRICE: &str = "The trigger price, USD";
const TRIGGER_DIRECTION: &str = "Whether it triggers above or below the trigger price";
const TRIGGER_MARKET: &str = "The market of the trigger price [default: the order's own]";
const EXPECTED_PRICE: &str =
    "The mid price that you saw, USD [default: the current one, if it is known]";
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
            "The size: coin (0.5), USD ($1000), by the loss at the stop (r25 loses 25 USD), or a share (50%) of the \
             free margin; with --reduce-only a share of the position",
        ),
        optional(
            Field::LimitPrice,
            "The limit price, USD. Every price is a number or an expression (bid-100, mid+0.5%)",
        ),
        optional(Field::TimeInForce, "The time in force [default: gtc]").of(words::<TimeInForce>),
        optional(
            Field::Expires,
            "The end of a gtd order: 2h or 1d from now, 18:00 or 2026-01-05T18:00 local time, or 2026-01-05T14:30:00Z",
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
            "Replaces exits of the position that attached ones overlap; without it the service refuses such an order",
        ),
        optional(Field::ExpectedPrice, EXPECTED_PRICE),
        optional(Field::Slippage, SLIPPAGE),
        optional(
            Field::ChaseOffset,
            "The distance of a chase order from the best price, USD",
        ),
        optional(
            Field::ChaseCap,
            "The last price that a chase order follows to, USD",
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
        optional(
            Field::Curve,
            "Whether slices follow time (twap) or volume (vwap)",
        )
        .of(words::<Curve>)
        .or("twap"),
        optional(
            Field::SliceInterval,
            "The seconds between two slices, 30 to 43200 and at most half of the duration [default: the service's choice]",
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
pub(in crate::cli) struct LadderFlags;

impl EntryTable for LadderFlags {
    const SHAPE: DraftShape = DraftShape::Scaled;
}

impl FlagTable for LadderFlags {
    const FLAGS: &'static [FieldFlag] = &[
        required(Field::Market, MARKET),
        required(Field::Side, "").of(words::<Side>),
        required(Field::Size, TOTAL),
        required(Field::StartPrice, "The price of the first rung, USD"),
        required(Field::EndPrice, "The price of the last rung, USD"),
        required(Field::Rungs, "The number of rungs"),
        optional(
            Field::Distribution,
            "Whether the rungs are of one size, or grow or shrink from the first to the last",
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
            "The size: coin (0.1), a share of the position (50%) or USD ($1000) [default: everything]",
        ),
        optional(Field::Kind, "")
            .of(words::<CloseKind>)
            .or("market"),
        optional(
            Field::LimitPrice,
            "The limit price, USD. Every price is a number or an expression (bid-100, entry+2%)",
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
