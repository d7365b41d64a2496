//! How a form starts: what it is about, and what is filled in already.

use super::{Form, Frozen};
use crate::{
    app::Store,
    model::{
        AccountId, CloseKind, MarginMode, MarketId, Num, Order, PlaceKind, Position, Side,
        TimeInForce,
        draft::{CloseDraft, Draft, ExitsDraft, MarginDraft, PlaceDraft},
    },
};
use std::collections::BTreeSet;

/// Where nothing says otherwise; a market that allows less gets less.
const LEVERAGE: u32 = 5;

impl Form {
    /// A new order for `account_id`, in `market` if one is meant, else in the first that is known.
    pub fn order(
        account_id: AccountId,
        side: Side,
        market: Option<&MarketId>,
        store: &Store,
    ) -> Self {
        let first = || known_markets(store).into_iter().next();
        let market_id = market.cloned().or_else(first);
        let terms = terms(market_id.as_ref(), store);
        let draft = Draft::Place(PlaceDraft {
            account_id,
            market_id,
            kind: PlaceKind::Market,
            side,
            size: String::new(),
            limit_price: String::new(),
            time_in_force: TimeInForce::Gtc,
            leverage: terms.leverage,
            margin_mode: terms.margin_mode,
            reduce_only: false,
            take_profit: String::new(),
            stop_loss: String::new(),
            slippage: String::new(),
        });
        Self::new(draft, Frozen::Nothing)
    }

    /// The close of this position and no other, all of it at the market unless changed.
    pub fn close(position: &Position) -> Self {
        let draft = Draft::Close(CloseDraft {
            position_id: position.id.clone(),
            kind: CloseKind::Market,
            size: "100%".to_owned(),
            limit_price: String::new(),
            slippage: String::new(),
            acknowledged: false,
        });
        Self::new(draft, Frozen::Position(Box::new(position.clone())))
    }

    /// The exits attached to this order, as they are now.
    pub fn exits(order: &Order) -> Self {
        let leg = |price: Option<Num>| price.map(|p| p.to_string()).unwrap_or_default();
        let draft = Draft::Exits(ExitsDraft {
            order_id: order.id.clone(),
            take_profit: leg(order.attached_take_profit_price),
            stop_loss: leg(order.attached_stop_loss_price),
        });
        Self::new(draft, Frozen::Order(Box::new(order.clone())))
    }

    /// The extra margin of this isolated position.
    pub fn margin(position: &Position) -> Self {
        let draft = Draft::Margin(MarginDraft {
            position_id: position.id.clone(),
            extra: String::new(),
        });
        Self::new(draft, Frozen::Position(Box::new(position.clone())))
    }
}

/// Leverage and margin mode a new order starts with.
pub(super) struct Terms {
    pub leverage: String,
    pub margin_mode: MarginMode,
}

/// As the open position in that market has them, else as the newest order there had them.
pub(super) fn terms(market: Option<&MarketId>, store: &Store) -> Terms {
    let here = |id: &MarketId| Some(id) == market;
    let held = store.positions.rows().iter().find(|p| here(&p.market_id));
    let mut orders = store.orders.rows().iter().chain(store.history.rows());
    let newest = orders.find(|o| here(&o.market_id));
    let usual = usual_leverage(market, store);
    let leverage = held.and_then(|p| p.leverage).or(newest.map(|o| o.leverage));
    Terms {
        leverage: leverage.unwrap_or(usual).to_string(),
        margin_mode: match (held, newest.and_then(|o| o.margin_mode.known())) {
            (Some(position), _) if position.is_isolated() => MarginMode::Isolated,
            (None, Some(mode)) => mode,
            (Some(_), _) | (None, None) => MarginMode::Cross,
        },
    }
}

fn usual_leverage(market: Option<&MarketId>, store: &Store) -> Num {
    let most = market
        .and_then(|id| store.market(id))
        .and_then(|m| m.max_leverage);
    Num::from(most.map_or(LEVERAGE, |most| most.min(LEVERAGE)))
}

/// The markets prices are known of; without any, those that positions and orders name.
pub(super) fn known_markets(store: &Store) -> Vec<MarketId> {
    if let Some(markets) = store.markets.value().filter(|known| !known.is_empty()) {
        return markets.keys().cloned().collect();
    }
    let positions = store.positions.rows().iter().chain(store.closed.rows());
    let orders = store.orders.rows().iter().chain(store.history.rows());
    let named: BTreeSet<_> = positions
        .map(|p| &p.market_id)
        .chain(orders.map(|o| &o.market_id))
        .collect();
    named.into_iter().cloned().collect()
}
