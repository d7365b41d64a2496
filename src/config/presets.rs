//! The sizes that one key writes, and what a market has of its own.

use crate::model::{
    MarketId, MarketNames,
    draft::{Amount, amount},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::collections::BTreeMap;

/// One of them, in the words that a form takes: `0.05`, `$500`, `r25`; `10%` is of the equity.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
#[display("{text}")]
pub struct SizePreset {
    text: String,
    amount: Amount,
}

impl SizePreset {
    pub fn amount(&self) -> Amount {
        self.amount
    }
}

impl TryFrom<&str> for SizePreset {
    type Error = String;

    fn try_from(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let amount = amount(text).map_err(|why| {
            format!("{text:?} is no size ({why}): write \"0.05\", \"$500\", \"10%\" or \"r25\"")
        })?;
        Ok(Self {
            text: text.to_owned(),
            amount,
        })
    }
}

/// The sizes that a key goes through, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SizePresets(pub Vec<SizePreset>);

#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenPresets {
    List(Vec<String>),
    /// The environment has no lists.
    Text(String),
}

impl<'de> Deserialize<'de> for SizePresets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = match WrittenPresets::deserialize(deserializer)? {
            WrittenPresets::List(texts) => texts,
            WrittenPresets::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
        };
        let presets = texts.iter().map(|text| SizePreset::try_from(text.as_str()));
        let presets = presets
            .collect::<Result<_, _>>()
            .map_err(D::Error::custom)?;
        Ok(Self(presets))
    }
}

impl Serialize for SizePresets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(ToString::to_string))
    }
}

/// Those of single markets, by symbol, coin or id.
pub type MarketPresets<T> = BTreeMap<String, T>;

/// As a setting that is not set.
pub(super) fn unless_empty<T: Serialize, S: Serializer>(
    presets: &MarketPresets<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if presets.is_empty() {
        serializer.serialize_none()
    } else {
        presets.serialize(serializer)
    }
}

/// Every preset of an account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PresetTable<T> {
    /// Where a market has none of its own.
    pub everywhere: T,
    pub of: MarketPresets<T>,
}

impl<T> PresetTable<T> {
    /// Those of this market.
    pub fn in_market(&self, market: &MarketId, names: &MarketNames) -> &T {
        let own = self.of.iter();
        let own = own.filter_map(|(name, presets)| Some((names.fit(market, name)?, presets)));
        let own = own.min_by_key(|(fit, _)| *fit).map(|(_, presets)| presets);
        own.unwrap_or(&self.everywhere)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Num;

    #[test]
    fn a_preset_is_a_size_as_forms_take_it() {
        let amounts: Vec<_> = ["0.5", " $500", "10%", "r25"]
            .into_iter()
            .map(|text| SizePreset::try_from(text).unwrap().amount())
            .collect();
        let num = Num::from;
        let expected = [
            Amount::Coin(Num::new(5, 1)),
            Amount::Notional(num(500_u32)),
            Amount::Percent(num(10_u32)),
            Amount::AtRisk(num(25_u32)),
        ];
        assert_eq!(amounts, expected);
        for text in ["", "$", "0", "-1", "1,5", "five"] {
            let why = SizePreset::try_from(text).unwrap_err();
            assert!(why.contains("is no size"), "{why}");
        }
    }

    #[test]
    fn a_market_has_its_own_or_those_of_all() {
        let presets = |text: &str| SizePresets(vec![SizePreset::try_from(text).unwrap()]);
        let table = PresetTable {
            everywhere: presets("$500"),
            of: MarketPresets::from([("btc".to_owned(), presets("0.1"))]),
        };
        let first = |id: &str| {
            let names = MarketNames::default();
            table.in_market(&id.into(), &names).0[0].to_string()
        };
        assert_eq!([first("paper|BTC"), first("paper|ETH")], ["0.1", "$500"]);
    }
}
