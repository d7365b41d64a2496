//! The list of markets of the service. The chosen line is stored by market, not by index, so that a poll does not
//! change it.

use super::{next::Next, search::ListSearch};
use crate::{
    app::{
        account::store::Store,
        forms::markets::found,
        keys::keymap::{Action, Chord},
    },
    model::{Market, MarketId, Side},
};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Markets {
    /// `None` is the first.
    pub chosen: Option<MarketId>,
    /// Only markets that this finds.
    pub search: ListSearch,
}

impl Markets {
    pub fn at(market: Option<MarketId>) -> Self {
        Self {
            chosen: market,
            ..Self::default()
        }
    }

    /// The listed markets, by name; those that a search finds, best first.
    pub fn rows<'a>(&self, store: &'a Store) -> Vec<&'a Market> {
        let all = store.markets.value().into_iter();
        let all: Vec<_> = all.flat_map(BTreeMap::values).collect();
        found(&all, &self.search.text, (&store.names, |market| &market.id))
    }

    /// The index of the chosen one in `rows`; the first if it is missing.
    pub fn place(&self, rows: &[&Market]) -> usize {
        let mut ids = rows.iter().map(|market| &market.id);
        ids.position(|id| Some(id) == self.chosen.as_ref())
            .unwrap_or(0)
    }

    /// A key while letters search.
    pub(crate) fn look_for(&mut self, chord: Chord, action: Option<Action>, store: &Store) -> Next {
        if let Some(action) = self.search.press(chord, action) {
            self.travel(action, store);
        }
        Next::Stay
    }

    pub(crate) fn act(&mut self, action: Action, store: &Store) -> Next {
        let rows = self.rows(store);
        let id = rows.get(self.place(&rows)).map(|market| market.id.clone());
        match (action, id) {
            (Action::Buy, Some(id)) => return Next::NewOrder(Side::Buy, id),
            (Action::Sell, Some(id)) => return Next::NewOrder(Side::Sell, id),
            (Action::Chart, Some(id)) => return Next::ShowChart(id),
            (Action::Filter, _) => self.search.begin(),
            (Action::Dismiss, _) if self.search.is_cleared() => {}
            (Action::Dismiss, _) => return Next::Close,
            (action, _) => self.travel(action, store),
        }
        Next::Stay
    }

    fn travel(&mut self, action: Action, store: &Store) {
        let rows = self.rows(store);
        let at = self.place(&rows);
        let there = action.moves(at, rows.len().saturating_sub(1));
        self.chosen = rows
            .get(there.unwrap_or(at))
            .map(|market| market.id.clone());
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        app::{account::poll::Answer, core::effect::Effect, desk::model::Model, testing::*},
        model::{Failure, draft::Draft},
    };

    fn chosen(model: &Model) -> Option<String> {
        let list = model.overlays.last()?.try_as_markets_ref()?;
        let rows = list.rows(&model.account.store);
        Some(rows.get(list.place(&rows))?.id.to_string())
    }

    #[test]
    fn enter_opens_the_order_form_of_the_chosen_market_and_esc_comes_back() {
        let mut model = desk();
        press(&mut model, "M");
        assert_eq!(chosen(&model).as_deref(), Some("paper|BTC"));
        press(&mut model, "j enter");
        let form = model.overlays.last().unwrap().try_as_form_ref().unwrap();
        let Draft::Entry(draft) = &form.draft else {
            panic!("{:?}", form.draft);
        };
        assert_eq!(draft.market_id, Some("paper|ETH".into()));
        press(&mut model, "esc");
        assert_eq!(chosen(&model).as_deref(), Some("paper|ETH"));
        press(&mut model, "esc");
        assert_eq!(model.overlays, []);
    }

    #[test]
    fn it_opens_at_the_market_of_the_selected_row() {
        let mut model = desk();
        press(&mut model, "j M");
        assert_eq!(chosen(&model).as_deref(), Some("paper|SOL"));
    }

    #[test]
    fn letters_act_until_a_search_begins_and_esc_goes_back_step_by_step() {
        let mut model = desk();
        press(&mut model, ": markets enter / s o");
        assert_eq!(chosen(&model).as_deref(), Some("paper|SOL"));
        assert_eq!(press(&mut model, "X"), Vec::<Effect>::new(), "a letter");
        assert_eq!(chosen(&model), None);
        press(&mut model, "backspace enter");
        assert_eq!(chosen(&model).as_deref(), Some("paper|SOL"));
        press(&mut model, "esc");
        assert_eq!(chosen(&model).as_deref(), Some("paper|BTC"));
        press(&mut model, "j p");
        assert_eq!(model.overlays, []);
        let shown = model.market_screen.market().map(ToString::to_string);
        assert_eq!(shown.as_deref(), Some("paper|ETH"));
        assert!(model.market_screen.is_pinned() && model.focus.zoomed);
    }

    #[test]
    fn where_nobody_tells_of_markets_the_key_says_so() {
        let mut model = bare_desk();
        let why = Failure::local("not found");
        arrive(&mut model, Answer::Markets(Err(why)));
        press(&mut model, "M");
        assert_eq!(model.overlays, []);
        let said = model.account.activity.lines.back().unwrap();
        assert!(format!("{said:?}").contains("not found"));
    }

    #[test]
    fn a_market_that_is_listed_later_moves_no_choice() {
        let mut model = desk();
        press(&mut model, "5 M");
        assert_eq!(chosen(&model).as_deref(), Some("paper|BTC"));
        let markets = ["AAVE", "BTC"].map(|coin| market(coin, "99", "101", (2, 5)));
        arrive(&mut model, Answer::Markets(Ok(markets.into())));
        assert_eq!(chosen(&model).as_deref(), Some("paper|BTC"));
    }
}
