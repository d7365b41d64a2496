//! The list of markets of the service. The chosen line is stored by market, not by index, so that a poll does not
//! change it.

use super::{next::Next, search::ListSearch};
use crate::{
    app::{
        account::{store::Store, watchlists::WatchlistEdit},
        forms::markets::found,
        keys::keymap::{Action, Chord},
        market::watched,
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
    pub purpose: MarketsPurpose,
}

/// What it was opened for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MarketsPurpose {
    #[default]
    List,
    /// To go to a market by a few letters of its name: Enter opens the best match.
    Find,
}

impl Markets {
    pub fn at(market: Option<MarketId>) -> Self {
        Self {
            chosen: market,
            ..Self::default()
        }
    }

    pub(crate) fn to_find() -> Self {
        let mut list = Self {
            purpose: MarketsPurpose::Find,
            ..Self::default()
        };
        list.search.begin();
        list
    }

    /// The markets of the list shown, as sorted. A search looks at every market; its best match is first.
    pub fn rows<'a>(&self, store: &'a Store) -> Vec<&'a Market> {
        if self.search.text.is_empty() && self.purpose == MarketsPurpose::List {
            let mut listed = watched::watched(store);
            watched::sort(&mut listed, store);
            return listed;
        }
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
        if self.purpose == MarketsPurpose::Find {
            match action {
                Some(Action::Submit) => return self.open(store),
                Some(Action::Dismiss) => return Next::Close,
                Some(_) | None => {}
            }
        }
        if let Some(action) = self.search.press(chord, action) {
            self.travel(action, store);
        }
        Next::Stay
    }

    fn chosen(&self, store: &Store) -> Option<MarketId> {
        let rows = self.rows(store);
        rows.get(self.place(&rows)).map(|market| market.id.clone())
    }

    /// Opens the best match.
    fn open(&self, store: &Store) -> Next {
        let none = || Next::Refuse(format!("no market is called {}", self.search.text));
        self.chosen(store).map_or_else(none, Next::OpenMarket)
    }

    pub(crate) fn act(&mut self, action: Action, store: &Store) -> Next {
        match (action, self.chosen(store)) {
            (Action::Buy, Some(id)) => return Next::NewOrder(Side::Buy, id),
            (Action::Sell, Some(id)) => return Next::NewOrder(Side::Sell, id),
            (Action::Chart, Some(id)) => return Next::ShowChart(id),
            (Action::Watch, Some(id)) => return Next::OfWatchlists(WatchlistEdit::Toggle(id)),
            (Action::MoveDown, Some(id)) => return Next::OfWatchlists(WatchlistEdit::Move(id, 1)),
            (Action::MoveUp, Some(id)) => return Next::OfWatchlists(WatchlistEdit::Move(id, -1)),
            (Action::NextChoice, _) => return Next::OfWatchlists(WatchlistEdit::Turn(1)),
            (Action::PreviousChoice, _) => return Next::OfWatchlists(WatchlistEdit::Turn(-1)),
            (Action::Sort, _) => return Next::OfWatchlists(watched::next_sort(store)),
            (Action::SortDirection, _) => return Next::OfWatchlists(watched::turn_sort(store)),
            (Action::NewWatchlist, _) => return Next::Type("watchlist ".to_owned()),
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
        app::{
            StreamedPrice,
            account::{poll::Answer, watchlists::Watchlists},
            activity::user_alerts::KeptState,
            core::effect::Effect,
            desk::{model::Model, msg::Msg},
            keys::keymap::Context,
            market::watched::SORTS,
            testing::*,
            update,
        },
        model::{DayStats, Failure, draft::Draft},
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

    fn listed(model: &Model) -> Vec<String> {
        let list = model.overlays.last().unwrap().try_as_markets_ref().unwrap();
        let rows = list.rows(&model.account.store).into_iter();
        rows.map(|market| market.id.coin().to_string()).collect()
    }

    fn kept(effects: &[Effect]) -> Option<&Watchlists> {
        effects.iter().find_map(|effect| {
            let Effect::Keep(KeptState::Watchlists(lists)) = effect else {
                return None;
            };
            Some(&**lists)
        })
    }

    #[test]
    fn a_list_of_ones_own_has_the_markets_put_on_it_in_ones_own_order() {
        let mut model = desk();
        press(&mut model, "5 M");
        assert_eq!(press(&mut model, "tab"), [], "there is no list yet");
        let effects = press(&mut model, "space");
        let lists = kept(&effects).unwrap();
        assert_eq!(lists.names().collect::<Vec<_>>(), ["watchlist"]);
        press(&mut model, "G space tab");
        assert_eq!(listed(&model), ["BTC", "SOL"]);
        assert!(kept(&press(&mut model, "K")).is_some());
        assert_eq!(listed(&model), ["SOL", "BTC"]);
        assert_eq!(chosen(&model).as_deref(), Some("paper|SOL"));
        // The line under the header and its keys follow the list.
        press(&mut model, "esc 0 ]");
        let shown = model.market_screen.market().map(|id| id.coin().to_string());
        assert_eq!(shown.as_deref(), Some("SOL"));
        press(&mut model, "1 M g space");
        assert_eq!(listed(&model), ["BTC"]);
        press(&mut model, "space");
        assert_eq!(listed(&model), ["BTC", "ETH", "SOL"], "an empty list goes");
    }

    #[test]
    fn a_named_list_is_made_shown_and_kept_and_a_kept_one_comes_back() {
        let mut model = desk();
        let effects = press(&mut model, ": watchlist space scalps enter");
        let lists = kept(&effects).unwrap().clone();
        assert_eq!(lists.shown().unwrap().name, "scalps");
        let json = serde_json::to_string(&lists).unwrap();
        let mut next = desk();
        let lists: Watchlists = serde_json::from_str(&json).unwrap();
        let now = next.account.now;
        let kept = Msg::Kept(KeptState::Watchlists(Box::new(lists)));
        update(&mut next, now, kept);
        press(&mut next, "M");
        assert_eq!(listed(&next), [""; 0]);
        press(&mut next, "shift-tab space tab");
        assert_eq!(listed(&next).len(), 1);
    }

    #[test]
    fn the_list_sorts_by_each_column_and_what_is_unknown_is_last() {
        let mut model = desk();
        press(&mut model, "M o");
        assert_eq!(
            listed(&model),
            ["BTC", "ETH", "SOL"],
            "by the mark, the highest first"
        );
        press(&mut model, "O");
        assert_eq!(listed(&model), ["SOL", "ETH", "BTC"]);
        let now = model.account.now;
        let day = DayStats {
            volume: "5".parse().ok(),
            ..DayStats::default()
        };
        let price = StreamedPrice {
            market_id: "paper|ETH".into(),
            day: Some(day),
            at: Some(now),
            ..StreamedPrice::default()
        };
        model.account.store.arrive_prices(vec![price], now);
        let volume = SORTS
            .iter()
            .position(|(id, _)| *id == "day_volume")
            .unwrap();
        for _ in 0..volume {
            press(&mut model, "o");
        }
        assert_eq!(listed(&model)[0], "ETH");
        press(&mut model, "O");
        assert_eq!(listed(&model)[0], "ETH", "the others are unknown");
        let moved = press(&mut model, "J");
        assert_eq!(kept(&moved), None, "only a list of ones own has an order");
    }

    #[test]
    fn a_few_letters_open_a_market_from_every_pane_and_from_the_ladder() {
        let mut model = desk();
        press(&mut model, "2 ctrl-p s o enter");
        let shown = |model: &Model| model.market_screen.market().map(ToString::to_string);
        assert_eq!(shown(&model).as_deref(), Some("paper|SOL"));
        assert!(model.focus.zoomed && model.overlays.is_empty());
        let mut model = desk();
        press(&mut model, "9 ctrl-p e t enter");
        assert_eq!(shown(&model).as_deref(), Some("paper|ETH"));
        assert_eq!(model.context(), Context::PriceLadder, "it stays the ladder");
        press(&mut model, "ctrl-p q q q q enter");
        assert_eq!(shown(&model).as_deref(), Some("paper|ETH"));
        press(&mut model, "esc");
        assert_eq!(model.overlays, []);
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
