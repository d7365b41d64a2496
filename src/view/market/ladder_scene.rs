//! What the price ladder and its words are made from.

use crate::{
    app::{
        Model, Source,
        market::{
            book_state::BookState,
            own_orders::{OwnOrder, own_orders, own_position},
            tape::Tape,
        },
    },
    model::{Book, Market, MarketId, Num, Position, Tick, Timestamp},
    view::text::{Span, age, format},
};

/// The ladder's market, and what is known of it.
pub(super) struct LadderScene<'a> {
    pub(super) model: &'a Model,
    pub(super) now: Timestamp,
    pub(super) market_id: &'a MarketId,
    pub(super) market: Option<&'a Market>,
    pub(super) book: Option<&'a Book>,
    pub(super) state: BookState,
    pub(super) spacing: Tick,
    pub(super) prices: Vec<Num>,
    pub(super) own: Vec<OwnOrder<'a>>,
    pub(super) position: Option<&'a Position>,
    pub(super) tape: Option<&'a Tape>,
    /// How old the mark is, where it is late.
    pub(super) late_mark: Option<Span>,
}

impl<'a> LadderScene<'a> {
    pub(super) fn new(model: &'a Model, now: Timestamp) -> Option<Self> {
        let market_id = model.price_ladder.market()?;
        let spacing = model.price_ladder.spacing()?;
        let store = &model.account.store;
        Some(Self {
            model,
            now,
            market_id,
            market: store.market(market_id),
            book: store.books.of(market_id).and_then(|known| known.value()),
            state: BookState::new(store, market_id, now),
            spacing,
            prices: vec![],
            own: own_orders(store, market_id, spacing).collect(),
            position: own_position(store, market_id),
            tape: model.account.market_data.tape(market_id),
            late_mark: age::priced(model).and_then(|_| age::age_at(model, Source::Markets, now)),
        })
    }

    pub(super) fn range(&self) -> Option<(Num, Num)> {
        Some((*self.prices.last()?, *self.prices.first()?))
    }

    /// The entry and the liquidation price of the position.
    pub(super) fn position_prices(&self) -> [Option<Num>; 2] {
        self.position
            .map_or([None; 2], |held| [held.entry_price, held.liquidation_price])
    }

    pub(super) fn label(&self, price: Num) -> String {
        format::price(price, self.market)
    }
}
