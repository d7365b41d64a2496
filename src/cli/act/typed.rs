//! Typed flags, with all their errors reported at once.

use super::{
    market::{self, MarketPurpose},
    repeat,
};
use crate::{
    app::{Store, several_positions},
    cli::{exit::UsageError, service::Service, voice::Output},
    journal::IntentRow,
    model::{
        Failure, FailureKind, MarketId, PositionId, TriggerDirection,
        draft::{Draft, Faults, Field, RelativePrice, Seen},
    },
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use color_eyre::{Report, Result};
use std::{fmt::Display, str::FromStr};
use strum::VariantArray;

/// The words of one of our enums, as they are on the wire.
pub(super) fn word<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantArray + FromStr<Err: std::error::Error + Send + Sync> + Display + Clone + Send + Sync,
{
    let words: Vec<String> = T::VARIANTS.iter().map(ToString::to_string).collect();
    PossibleValuesParser::new(words).try_map(|word| word.parse::<T>())
}

/// An id as typed. An empty one would address the whole list, and one of dots another path.
pub(in crate::cli) fn id<T: From<String>>(text: &str) -> Result<T, String> {
    match text.trim() {
        "" => Err("an id is not empty".to_owned()),
        "." | ".." => Err("this is no id".to_owned()),
        _ => Ok(T::from(text.to_owned())),
    }
}

/// A name for people: no id consists of letters alone.
pub(super) fn is_word(name: &str) -> bool {
    name.chars().all(char::is_alphabetic)
}

/// The open position with this id or in this market; the service decides about any other id. A market's name is never
/// sent as an id.
pub(super) fn position(named: PositionId, store: &Store) -> Result<PositionId> {
    let found = store.positions_named(named.raw());
    let is_market = is_word(named.raw())
        || named.raw().contains('|')
        || !store.markets_named(named.raw()).is_empty();
    match (found.as_slice(), store.positions.trouble()) {
        ([position], _) => Ok(position.id.clone()),
        ([], None) if is_market => Err(Report::new(Failure::new(
            FailureKind::NotFound,
            format!("there is no open position in {named}; \"perpdeck positions\" lists them"),
        ))),
        ([], Some(why)) if is_market => Err(Report::new(Failure {
            message: format!(
                "the positions could not be read ({}); nothing was sent; write the position id, or use close-all",
                why.message
            )
            .into(),
            ..why.clone()
        })),
        ([], _) => Ok(named),
        (several, _) => Err(Report::new(UsageError(several_positions(
            named.raw(),
            several,
        )))),
    }
}

/// When a waiting order fires.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct TriggerFlags {
    /// The trigger price, USD
    #[arg(
        id = "trigger_price",
        long = "trigger-price",
        value_name = "PRICE",
        allow_hyphen_values = true
    )]
    pub(super) price: Option<String>,
    /// Whether it triggers above or below the trigger price
    #[arg(
        id = "trigger_direction",
        long = "trigger-direction",
        value_name = "WHERE",
        value_parser = word::<TriggerDirection>(),
        requires = "trigger_price"
    )]
    pub(super) direction: Option<TriggerDirection>,
    /// The market of the trigger price [default: the order's own]
    #[arg(
        id = "trigger_market_id",
        long = "trigger-market-id",
        value_name = "MARKET",
        value_parser = id::<MarketId>,
        requires = "trigger_price"
    )]
    pub(super) market_id: Option<MarketId>,
}

impl TriggerFlags {
    /// The market that it names, by its id.
    pub(super) fn resolve(
        &mut self,
        purpose: MarketPurpose,
        context: (&Store, &Service, Output),
    ) -> Result<()> {
        if let Some(name) = self.market_id.take() {
            let named = ("--trigger-market-id", name);
            self.market_id = Some(market::named(named, purpose, context)?);
        }
        Ok(())
    }
}

/// The fields with a relative price.
fn relative(draft: &Draft) -> Vec<Field> {
    let is_relative = |field: &Field| {
        let text = draft.text(*field).filter(|_| field.is_price());
        text.and_then(RelativePrice::read).is_some()
    };
    draft.fields().into_iter().filter(is_relative).collect()
}

/// Their names in the body: their digits would differ an hour later.
pub(super) fn relative_names(draft: &Draft) -> impl Iterator<Item = &'static str> {
    let names = |field: Field| field.body_names().iter().copied();
    relative(draft).into_iter().flat_map(names)
}

/// Under a used key they keep the earlier digits.
pub(super) fn as_sent(draft: &mut Draft, before: &IntentRow) {
    for field in relative(draft) {
        let mut names = field.body_names().iter();
        if let Some(sent) = names.find_map(|name| repeat::sent(before, name)) {
            draft.write(field, &sent);
        }
    }
}

/// The errors so far, by flag.
#[derive(Debug, Default)]
pub(super) struct FlagFaults(Vec<String>);

impl FlagFaults {
    /// Replaces relative prices with digits, and prints each.
    pub(super) fn in_digits(&mut self, draft: &Draft, seen: &Seen, voice: Output) -> Draft {
        let mut resolved = draft.clone();
        for field in draft.fields() {
            match resolved.resolved_price(field, seen) {
                None => {}
                Some(Ok(price)) => {
                    let (flag, text) = (field.flag(), draft.text(field).unwrap_or_default());
                    voice.note(&format!("{flag} {text} is {price}"));
                    resolved.write(field, &price.to_string());
                }
                Some(Err(fault)) => self.0.push(format!("{}: {fault}", field.flag())),
            }
        }
        resolved
    }

    /// The draft's result; its errors are recorded and give `None`.
    pub(super) fn faults<T>(&mut self, read: Result<T, Faults>) -> Option<T> {
        let Faults(faults) = match read {
            Ok(value) => return Some(value),
            Err(faults) => faults,
        };
        // A relative price that cannot be resolved was reported already.
        let is_told = |field: &Field| {
            let own = format!("{}: ", field.flag());
            self.0.iter().any(|told| told.starts_with(&own))
        };
        let faults: Vec<_> = faults
            .into_iter()
            .filter(|(field, _)| !is_told(field))
            .collect();
        let told = faults
            .into_iter()
            .map(|(field, fault)| format!("{}: {fault}", field.flag()));
        self.0.extend(told);
        None
    }

    /// The value, or one sentence with all errors.
    pub(super) fn finish<T>(self, value: Option<T>) -> Result<T, UsageError> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            Some(_) | None => Err(UsageError(self.0.join("; "))),
        }
    }
}
