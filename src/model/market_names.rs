//! What people call markets: by the symbol, by the venue's coin, or by the whole id.
//!
//! Contract: a market is shown by its symbol; where another market has the same symbol, by its whole id, which is never
//! shared. A name is typed in any case. A whole id always names its market; a symbol goes before a coin.

use super::{MarketId, Text};
use std::{collections::BTreeMap, sync::Arc};

/// The names of all markets that were listed, or that a row names. A clone shares them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MarketNames(Arc<BTreeMap<MarketId, MarketName>>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct MarketName {
    symbol: Text,
    coin: Text,
    /// No other market has this symbol or id.
    is_unique: bool,
}

/// How a typed name fits a market, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameFit {
    Id,
    IdInAnyCase,
    Symbol,
    Coin,
}

/// As it appears on the screen, and in lower case: what looks the same is the same name.
fn seen(name: &Text) -> String {
    name.to_string().trim().to_lowercase()
}

impl MarketName {
    fn fit(&self, id: &MarketId, typed: &str) -> Option<NameFit> {
        let lower = typed.to_lowercase();
        let is = |own: &str| own.to_lowercase() == lower;
        [
            (id.raw() == typed, NameFit::Id),
            (is(id.raw()), NameFit::IdInAnyCase),
            (is(self.symbol.raw()), NameFit::Symbol),
            (is(self.coin.raw()), NameFit::Coin),
        ]
        .into_iter()
        .find_map(|(fits, fit)| fits.then_some(fit))
    }

    /// Of a market that only its id describes.
    fn of_id(id: &MarketId) -> Self {
        Self {
            symbol: id.coin(),
            coin: id.coin(),
            is_unique: true,
        }
    }
}

impl MarketNames {
    /// Takes the names that a list of markets contains.
    pub fn list<'a>(&mut self, listed: impl Iterator<Item = (&'a MarketId, &'a Text, &'a Text)>) {
        self.learn(listed, |_| true);
    }

    /// Takes the names that rows contain; those of a market that is known already stay.
    pub fn find<'a>(&mut self, rows: impl Iterator<Item = (&'a MarketId, &'a Text, &'a Text)>) {
        self.learn(rows, |is_known| !is_known);
    }

    fn learn<'a>(
        &mut self,
        markets: impl Iterator<Item = (&'a MarketId, &'a Text, &'a Text)>,
        takes: impl Fn(bool) -> bool,
    ) {
        let mut is_changed = false;
        for (id, symbol, coin) in markets {
            let known = self.0.get(id);
            let is_same = known.is_some_and(|known| known.symbol == *symbol && known.coin == *coin);
            if symbol.raw().trim().is_empty() || is_same || !takes(known.is_some()) {
                continue;
            }
            let name = MarketName {
                symbol: symbol.clone(),
                coin: coin.clone(),
                is_unique: true,
            };
            Arc::make_mut(&mut self.0).insert(id.clone(), name);
            is_changed = true;
        }
        if is_changed {
            self.tell_apart();
        }
    }

    fn tell_apart(&mut self) {
        let mut users = BTreeMap::<String, u32>::new();
        for (id, name) in self.0.iter() {
            *users.entry(seen(&name.symbol)).or_default() += 1;
            // A symbol that reads as another market's id would be taken for that market.
            if seen(&name.symbol) != id.to_string().to_lowercase() {
                *users.entry(id.to_string().to_lowercase()).or_default() += 1;
            }
        }
        for name in Arc::make_mut(&mut self.0).values_mut() {
            name.is_unique = users.get(&seen(&name.symbol)) == Some(&1);
        }
    }

    /// What a person sees: `BTC`, or `hyperliquid|BTC` where another market is called BTC too.
    pub fn shown(&self, id: &MarketId) -> Text {
        let own = match self.0.get(id) {
            Some(name) if name.is_unique => name.symbol.clone(),
            Some(_) => Text::from(id.raw()),
            None => id.coin(),
        };
        if own.is_empty() {
            Text::from(id.raw())
        } else {
            own
        }
    }

    /// The same in lower case and as one word of a line: a name with blanks stands in quotes.
    pub fn typed(&self, id: &MarketId) -> String {
        let shown = self.shown(id);
        let word = shown.raw().to_lowercase();
        let needs_quotes = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
        match word.contains(needs_quotes) {
            true if word.contains('"') => format!("'{word}'"),
            true => format!("\"{word}\""),
            false => word,
        }
    }

    /// Those of `among` that `typed` fits best: several only if they share the name.
    pub fn called(&self, typed: &str, among: impl IntoIterator<Item = MarketId>) -> Vec<MarketId> {
        let fit = |id: MarketId| Some((self.fit(&id, typed)?, id));
        let fits: Vec<_> = among.into_iter().filter_map(fit).collect();
        let best = fits.iter().map(|(fit, _)| *fit).min();
        fits.into_iter()
            .filter_map(|(fit, id)| (Some(fit) == best).then_some(id))
            .collect()
    }

    /// Whether and how this names the market, in any case.
    pub fn fit(&self, id: &MarketId, typed: &str) -> Option<NameFit> {
        match self.0.get(id) {
            Some(name) => name.fit(id, typed),
            None => MarketName::of_id(id).fit(id, typed),
        }
    }
}

/// Why a name is refused that several markets have.
pub fn ambiguous(name: &str, ids: &[MarketId]) -> String {
    let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
    format!(
        "several markets are named {}: write the market id, {}",
        Text::from(name),
        ids.join(" or ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(markets: &[(&str, &str)]) -> MarketNames {
        let mut names = MarketNames::default();
        for (id, symbol) in markets {
            let id = MarketId::from(*id);
            let coin = id.coin();
            names.list([(&id, &Text::from(*symbol), &coin)].into_iter());
        }
        names
    }

    fn venues() -> MarketNames {
        names(&[
            ("binance|BTCUSDT", "BTC"),
            ("hyperliquid|BTC", "BTC"),
            ("hyperliquid|xyz:TSLA", "TSLA"),
            ("hyperliquid|@107", "PURR"),
            ("hyperliquid|kPEPE", "kPEPE"),
        ])
    }

    fn called(names: &MarketNames, typed: &str) -> Vec<String> {
        let all = names.0.keys().cloned();
        let found = names.called(typed, all).into_iter();
        found.map(|id| id.raw().to_owned()).collect()
    }

    #[test]
    fn a_market_is_shown_by_its_symbol_and_by_its_id_where_another_has_that_symbol() {
        let names = venues();
        for (id, shown) in [
            ("binance|BTCUSDT", "binance|BTCUSDT"),
            ("hyperliquid|BTC", "hyperliquid|BTC"),
            ("hyperliquid|xyz:TSLA", "TSLA"),
            ("hyperliquid|@107", "PURR"),
            ("hyperliquid|kPEPE", "kPEPE"),
            ("elsewhere|DOGEUSDT", "DOGEUSDT"),
            ("elsewhere|", "elsewhere|"),
            ("bare", "bare"),
        ] {
            assert_eq!(names.shown(&id.into()).raw(), shown);
        }
    }

    #[test]
    fn a_symbol_that_looks_like_another_name_is_not_shown() {
        let names = names(&[
            ("a|X", "kPEPE"),
            ("b|X", "KPEPE"),
            ("a|Y", "SOL"),
            ("b|Y", "SOL "),
            ("a|Z", "b|W"),
            ("b|W", "ETH"),
            ("c|Q", " "),
        ]);
        for id in ["a|X", "b|X", "a|Y", "b|Y", "a|Z"] {
            assert_eq!(names.shown(&id.into()).raw(), id);
        }
        assert_eq!(names.shown(&"b|W".into()).raw(), "ETH");
        assert_eq!(names.shown(&"c|Q".into()).raw(), "Q");
    }

    #[test]
    fn a_name_is_typed_in_any_case_and_fits_every_market_of_that_name() {
        let names = venues();
        for (typed, ids) in [
            ("btc", &["binance|BTCUSDT", "hyperliquid|BTC"][..]),
            ("btcusdt", &["binance|BTCUSDT"]),
            ("hyperliquid|btc", &["hyperliquid|BTC"]),
            ("hyperliquid|BTC", &["hyperliquid|BTC"]),
            ("tsla", &["hyperliquid|xyz:TSLA"]),
            ("XYZ:tsla", &["hyperliquid|xyz:TSLA"]),
            ("@107", &["hyperliquid|@107"]),
            ("purr", &["hyperliquid|@107"]),
            ("kpepe", &["hyperliquid|kPEPE"]),
            ("KPEPE", &["hyperliquid|kPEPE"]),
            ("pepe", &[]),
            ("", &[]),
        ] {
            assert_eq!(called(&names, typed), ids, "{typed}");
        }
        assert_eq!(
            ambiguous("btc", &names.called("btc", names.0.keys().cloned())),
            "several markets are named btc: write the market id, binance|BTCUSDT or hyperliquid|BTC"
        );
    }

    #[test]
    fn a_whole_id_names_its_market_whatever_others_are_called() {
        let names = names(&[("a|X", "b|Y"), ("b|Y", "Y"), ("a|k", "k"), ("a|K", "K")]);
        assert_eq!(called(&names, "b|Y"), ["b|Y"]);
        assert_eq!(called(&names, "a|k"), ["a|k"]);
        assert_eq!(called(&names, "A|K"), ["a|K", "a|k"]);
        assert_eq!(called(&names, "k"), ["a|K", "a|k"], "which one is meant?");
    }

    #[test]
    fn what_a_list_tells_goes_before_what_rows_tell() {
        let mut names = MarketNames::default();
        let (id, other) = (MarketId::from("v|@7"), MarketId::from("w|S"));
        let markets = |symbol: &str| (Text::from(symbol), Text::from("@7"));
        let (symbol, coin) = markets("S");
        names.find([(&id, &symbol, &coin)].into_iter());
        assert_eq!(names.shown(&id).raw(), "S");
        let (symbol, coin) = markets("T");
        names.find([(&id, &symbol, &coin)].into_iter());
        assert_eq!(names.shown(&id).raw(), "S");
        names.list([(&id, &symbol, &coin)].into_iter());
        assert_eq!(names.shown(&id).raw(), "T");
        names.find([(&other, &symbol, &coin)].into_iter());
        assert_eq!(names.shown(&id).raw(), "v|@7");
    }

    #[test]
    fn a_name_is_one_word_of_a_line() {
        let names = names(&[("v|1", "A B"), ("v|2", "A \"B"), ("v|3", "kPEPE")]);
        for (id, typed) in [
            ("v|1", "\"a b\""),
            ("v|2", "'a \"b'"),
            ("v|3", "kpepe"),
            ("v|xyz:TSLA", "xyz:tsla"),
        ] {
            assert_eq!(names.typed(&id.into()), typed);
        }
    }
}
