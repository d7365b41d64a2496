//! Finds markets and positions by name, for the desk's command line and the shell's.

use super::{poll::Answer, store::Store};
use crate::model::{Market, MarketId, Num, Order, Page, Position, Scaled, Text, Twap, estimate};

/// A market's id, symbol and coin.
type Named<'a> = (&'a MarketId, &'a Text, &'a Text);

impl Store {
    /// Learns what markets are called from rows that name them.
    pub(super) fn learn_names(&mut self, answer: &Answer) {
        let names = &mut self.names;
        match answer {
            Answer::Positions(read) | Answer::Closed(read) | Answer::MoreClosed(_, read) => {
                names.find(read.iter().flat_map(|page| &page.rows).map(of_position));
            }
            Answer::Orders(read) | Answer::History(read) | Answer::MoreHistory(_, read) => {
                names.find(read.iter().flat_map(|page| &page.rows).map(of_order));
            }
            Answer::Twaps(read) => {
                names.find(read.iter().flat_map(|page| &page.rows).map(of_twap));
            }
            Answer::Scaled(_, read) => names.find(read.iter().map(|scaled| of_scaled(scaled))),
            Answer::Markets(read) => names.list(read.iter().flatten().map(of_market)),
            Answer::Account(_) => {}
        }
    }

    /// The markets that have a price, a position or a working order.
    pub fn known_markets(&self) -> Vec<MarketId> {
        let priced = self.markets.value().into_iter().flat_map(|all| all.keys());
        let held = self.positions.rows().iter().map(|p| &p.market_id);
        let working = self.orders.rows().iter().map(|o| &o.market_id);
        let mut known: Vec<_> = priced.chain(held).chain(working).cloned().collect();
        known.sort();
        known.dedup();
        known
    }

    /// The known markets with this name; several only if they share it.
    pub fn markets_named(&self, name: &str) -> Vec<MarketId> {
        self.names.called(name, self.known_markets())
    }

    /// The open positions with this id, or in the markets with this name.
    pub fn positions_named(&self, name: &str) -> Vec<&Position> {
        let rows = self.positions.rows().iter();
        if let Some(position) = rows.clone().find(|position| position.id.raw() == name) {
            return vec![position];
        }
        let markets = self.markets_named(name);
        rows.filter(|p| markets.contains(&p.market_id)).collect()
    }
}

/// Why a name is refused in whose markets several positions are open.
pub fn several_positions(name: &str, positions: &[&Position]) -> String {
    let named = |held: &&Position| format!("{} ({})", held.id, held.market_id);
    let named: Vec<_> = positions.iter().map(named).collect();
    format!(
        "several positions are open in {}: write the position id, {}",
        Text::from(name),
        named.join(" or ")
    )
}

fn of_market(market: &Market) -> Named<'_> {
    (&market.id, &market.symbol, &market.coin)
}

fn of_position(position: &Position) -> Named<'_> {
    (&position.market_id, &position.symbol, &position.coin)
}

fn of_order(order: &Order) -> Named<'_> {
    (&order.market_id, &order.symbol, &order.coin)
}

fn of_twap(twap: &Twap) -> Named<'_> {
    (&twap.market_id, &twap.symbol, &twap.coin)
}

fn of_scaled(scaled: &Scaled) -> Named<'_> {
    (&scaled.market_id, &scaled.symbol, &scaled.coin)
}

impl Store {
    /// For `position`, or for one that is not open yet: the account's cash less the needs of all others, USD. `None` if
    /// a list is incomplete.
    pub fn cross_backing(&self, position: Option<&Position>) -> Option<Num> {
        let cash = self.account.value()?.cash?;
        let open = self.positions.value().filter(|page| Page::is_whole(page))?;
        let is_other = |other: &&Position| position.is_none_or(|held| held.id != other.id);
        let others = open.rows.iter().filter(is_other);
        estimate::cross_backing(cash, others.map(|p| (p, self.market(&p.market_id))))
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        app::{account::poll::Answer, testing::*},
        model::{Market, Page, Position},
    };

    #[test]
    fn a_market_answers_to_its_id_and_its_symbol_in_any_case() {
        let store = desk().account.store;
        for name in ["btc", "BTC", "paper|BTC", "Paper|btc"] {
            assert_eq!(store.markets_named(name), ["paper|BTC".into()], "{name}");
        }
        assert_eq!(store.markets_named("doge"), []);
    }

    #[test]
    fn a_position_answers_to_its_id_and_to_its_market() {
        let store = desk().account.store;
        for name in ["pos-2", "sol", "paper|SOL"] {
            let found = store.positions_named(name);
            let ids: Vec<_> = found.iter().map(|position| position.id.raw()).collect();
            assert_eq!(ids, ["pos-2"], "{name}");
        }
        assert_eq!(store.positions_named("POS-2").len(), 0, "an id is exact");
    }

    #[test]
    fn a_position_answers_to_the_symbol_of_its_market_with_a_list_of_markets_or_without() {
        let held = Position {
            market_id: "hyperliquid|xyz:TSLA".into(),
            symbol: "TSLA".into(),
            coin: "xyz:TSLA".into(),
            ..position("pos-9", "X", "2", r#""status":"open""#)
        };
        let listed = Market {
            symbol: "TSLA".into(),
            ..Market::new("hyperliquid|xyz:TSLA".into())
        };
        for markets in [vec![], vec![listed]] {
            let mut model = bare_desk();
            if !markets.is_empty() {
                arrive(&mut model, Answer::Markets(Ok(markets)));
            }
            arrive(
                &mut model,
                Answer::Positions(Ok(Page::of(vec![held.clone()]))),
            );
            for name in ["tsla", "xyz:TSLA", "hyperliquid|xyz:tsla"] {
                assert_eq!(model.account.store.positions_named(name), [&held], "{name}");
            }
        }
    }
}
