//! Choosing a market: the arrows move, letters search.

use crate::{
    app::keys::fuzzy::ranked_by,
    model::{MarketId, MarketNames},
};

/// The markets whose name has the letters of `search`, best match first; all of them for an empty text. Where no name
/// has them, the whole id is searched.
pub(crate) fn found<T: Clone>(
    markets: &[T],
    search: &str,
    (names, id): (&MarketNames, impl Fn(&T) -> &MarketId),
) -> Vec<T> {
    let shown = |market: &T| names.shown(id(market)).to_string();
    let raw = |market: &T| id(market).raw().to_owned();
    ranked_by(markets, search, shown, raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_market_comes_first_and_a_few_letters_are_enough() {
        let all = || {
            [
                "paper|BTC",
                "paper|ETH",
                "paper|kPEPE",
                "paper|WBTC",
                "paper|XRP",
            ]
        };
        let found = |search| {
            let all = all().map(MarketId::from);
            let found = found(&all, search, (&MarketNames::default(), |id| id)).into_iter();
            found.map(|id| id.coin().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(found("btc"), ["BTC", "WBTC"]);
        assert_eq!(found("B"), ["BTC", "WBTC"]);
        assert_eq!(found("pp"), ["kPEPE"]);
        assert_eq!(found("eh"), ["ETH"]);
        assert_eq!(found("r|x"), ["XRP"]);
        assert_eq!(found("doge"), [""; 0]);
        assert_eq!(found("").len(), 5);
    }
}
