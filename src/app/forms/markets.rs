//! Choosing a market: the arrows move, letters search.

use crate::model::MarketId;

/// The markets that match `search`, best match first; all of them for an empty text.
pub(crate) fn found(markets: Vec<MarketId>, search: &str) -> Vec<MarketId> {
    if search.is_empty() {
        return markets;
    }
    let search = search.to_lowercase();
    let ranked = markets
        .into_iter()
        .filter_map(|id| Some((rank(&id, &search)?, id)));
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, id)| id).collect()
}

/// How well a name matches, best is lowest: its start, a part of it, its letters in order.
fn rank(id: &MarketId, search: &str) -> Option<(u8, usize)> {
    let (whole, symbol) = (
        id.raw().to_lowercase(),
        id.symbol().to_string().to_lowercase(),
    );
    let fits = [
        symbol.starts_with(search),
        symbol.contains(search),
        whole.contains(search),
        has_letters(&symbol, search),
    ];
    let rank = fits.iter().position(|fit| *fit)?;
    Some((u8::try_from(rank).ok()?, whole.len()))
}

fn has_letters(name: &str, search: &str) -> bool {
    let mut rest = name.chars();
    search.chars().all(|wanted| rest.any(|c| c == wanted))
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
            let all = all().map(MarketId::from).to_vec();
            let found = found(all, search).into_iter();
            found.map(|id| id.symbol().to_string()).collect::<Vec<_>>()
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
