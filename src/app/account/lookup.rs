//! Finds markets and positions by name, for the desk's command line and the shell's.

use super::store::Store;
use crate::model::{MarketId, Position};

impl Store {
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

    /// The known markets with this name; several only if providers share a symbol.
    pub fn markets_named(&self, name: &str) -> Vec<MarketId> {
        let mut known = self.known_markets();
        known.retain(|id| match self.market(id) {
            Some(market) => market.is_called(name),
            None => id.is_called(name),
        });
        known
    }

    /// The open positions with this id, or in the market with this name.
    pub fn positions_named(&self, name: &str) -> Vec<&Position> {
        let rows = self.positions.rows().iter();
        match rows.clone().find(|position| position.id.raw() == name) {
            Some(position) => vec![position],
            None => rows.filter(|p| p.market_id.is_called(name)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::app::testing::desk;

    #[test]
    fn a_market_answers_to_its_id_and_its_symbol_in_any_case() {
        let store = desk().store;
        for name in ["btc", "BTC", "paper|BTC", "Paper|btc"] {
            assert_eq!(store.markets_named(name), ["paper|BTC".into()], "{name}");
        }
        assert_eq!(store.markets_named("doge"), []);
    }

    #[test]
    fn a_position_answers_to_its_id_and_to_its_market() {
        let store = desk().store;
        for name in ["pos-2", "sol", "paper|SOL"] {
            let found = store.positions_named(name);
            let ids: Vec<_> = found.iter().map(|position| position.id.raw()).collect();
            assert_eq!(ids, ["pos-2"], "{name}");
        }
        assert_eq!(store.positions_named("POS-2").len(), 0, "an id is exact");
    }
}
