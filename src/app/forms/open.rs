//! Opens forms, with their object and initial values.

use super::form::{Form, Frozen, Purpose, Replaces};
use crate::{
    app::{
        account::store::Store,
        core::account::{Account, FormContext},
    },
    model::{
        AccountId, CloseKind, Distribution, Lenient, MarginMode, MarketId, Num, Order, OrderMode,
        OrderStatus, PlaceKind, Position, PositionId, Side, TriggerDirection,
        draft::{
            CloseDraft, Draft, DraftShape, EntryDraft, ExitsDraft, Field, MarginDraft,
            ProtectDraft, ReplacedExits, Texts,
        },
    },
};
use std::collections::BTreeSet;

/// How many history rows a form reads: it is drawn with every key.
const NEWEST: usize = 500;

/// The default leverage; a market with a lower maximum gets that.
const LEVERAGE: u32 = 5;

/// The words for an order, a TWAP and a scaled order in a form.
const NEW_ORDER: &str = "new order";

impl Form {
    /// [`Self::order`] on the account of the desk; or why there is none yet.
    pub(crate) fn new_order(
        account: &Account,
        side: Side,
        market: Option<&MarketId>,
    ) -> Result<Self, String> {
        let account_id = account.account_for(NEW_ORDER)?;
        Ok(Self::order(
            account_id,
            side,
            market,
            &account.form_context(),
        ))
    }

    /// [`Self::of_shape`] on the account of the desk; or why there is none yet.
    pub(crate) fn new_of_shape(
        account: &Account,
        shape: DraftShape,
        market: Option<&MarketId>,
    ) -> Result<Self, String> {
        let account_id = account.account_for(NEW_ORDER)?;
        Ok(Self::of_shape(
            account_id,
            shape,
            market,
            &account.form_context(),
        ))
    }

    /// A market order for `account_id`, in `market` if given, otherwise in the first known one; the type never follows
    /// the last order.
    pub fn order(
        account_id: AccountId,
        side: Side,
        market: Option<&MarketId>,
        form_context: &FormContext,
    ) -> Self {
        Self::entry(account_id, (None, side), market, form_context)
    }

    /// A new order of this shape.
    pub fn of_shape(
        account_id: AccountId,
        shape: DraftShape,
        market: Option<&MarketId>,
        form_context: &FormContext,
    ) -> Self {
        Self::entry(account_id, (Some(shape), Side::Buy), market, form_context)
    }

    fn entry(
        account_id: AccountId,
        (shape, side): (Option<DraftShape>, Side),
        market: Option<&MarketId>,
        form_context: &FormContext,
    ) -> Self {
        let first = || known_markets(form_context.store).into_iter().next();
        let market_id = market.cloned().or_else(first);
        let terms = terms(market_id.as_ref(), form_context);
        let kind = PlaceKind::Market;
        let habit = form_context.used.habit(market_id.as_ref(), kind);
        let draft = Draft::Entry(EntryDraft {
            account_id,
            trigger_market: market_id.clone(),
            trigger_direction: Some(TriggerDirection::Above),
            target: positions_in(market_id.as_ref(), form_context.store)
                .into_iter()
                .next(),
            shape: shape.unwrap_or(DraftShape::Order(kind)),
            side,
            time_in_force: habit.time_in_force,
            margin_mode: terms.margin_mode,
            reduce_only: false,
            replaces: ReplacedExits::Known,
            randomize: false,
            distribution: Distribution::Flat,
            texts: Texts::default()
                .with(Field::Leverage, terms.leverage)
                .with(Field::Slippage, habit.slippage),
            market_id,
            also: vec![],
        });
        let mut form = Self::new(draft, Frozen::Nothing);
        form.guess_purpose(form_context);
        form
    }

    /// A replacement of this armed order with another trigger: the service cannot move one (`docs/service-api.md 4.4`:
    /// attached exits are for resting limit entries). `None` if its type cannot be placed.
    pub fn replacing(order: &Order, form_context: &FormContext) -> Option<Self> {
        let replaces = Replaces {
            order: order.id.clone(),
            filled: order.filled(),
        };
        Self::in_place_of(order, (replaces, Field::TriggerPrice), form_context)
    }

    /// A replacement of this resting limit order with another price or size; or why it cannot be moved.
    pub fn moved(order: &Order, form_context: &FormContext) -> Result<Self, &'static str> {
        movable(order)?;
        let replaces = Replaces {
            order: order.id.clone(),
            filled: order.filled(),
        };
        let form = Self::in_place_of(order, (replaces, Field::LimitPrice), form_context);
        form.ok_or("its side is not known")
    }

    fn in_place_of(
        order: &Order,
        (replaces, first): (Replaces, Field),
        form_context: &FormContext,
    ) -> Option<Self> {
        let kind = order.mode.known()?.facts().placed_as?;
        let side = order.side.known()?;
        let place = (Some(DraftShape::Order(kind)), side);
        let market = Some(&order.market_id);
        let mut form = Self::entry(order.account_id.clone(), place, market, form_context);
        if let Draft::Entry(draft) = &mut form.draft {
            copy_terms(draft, order, form_context);
        }
        form.purpose = Purpose::Chosen;
        form.replaces = Some(replaces);
        form.focus_on(first);
        Some(form)
    }

    /// A close of this position, all of it at the market by default.
    pub fn close(position: &Position) -> Self {
        let draft = Draft::Close(CloseDraft {
            position_id: position.id.clone(),
            kind: CloseKind::Market,
            trigger_market: Some(position.market_id.clone()),
            trigger_direction: position.side().map(TriggerDirection::losing),
            acknowledged: false,
            texts: Texts::default().with(Field::Size, "100%"),
            also: vec![],
        });
        Self::new(draft, Frozen::Position(Box::new(position.clone())))
    }

    /// The stop loss and take profit of this position, as they are.
    pub fn protect(position: &Position, working: &[Order]) -> Self {
        let draft = Draft::Protect(ProtectDraft::of(position, working));
        let mut form = Self::new(draft, Frozen::Position(Box::new(position.clone())));
        form.focus_on(Field::StopLoss);
        form
    }

    /// The current exits attached to this order.
    pub fn exits(order: &Order) -> Self {
        let leg = |price: Option<Num>| price.map(|p| p.to_string()).unwrap_or_default();
        let draft = Draft::Exits(ExitsDraft {
            order_id: order.id.clone(),
            texts: Texts::default()
                .with(Field::TakeProfit, leg(order.attached_take_profit_price))
                .with(Field::StopLoss, leg(order.attached_stop_loss_price)),
        });
        Self::new(draft, Frozen::Order(Box::new(order.clone())))
    }

    /// The extra margin of this isolated position.
    pub fn margin(position: &Position) -> Self {
        let draft = Draft::Margin(MarginDraft {
            position_id: position.id.clone(),
            texts: Texts::default(),
        });
        Self::new(draft, Frozen::Position(Box::new(position.clone())))
    }
}

/// The rest of the order with its terms. The service does not report its slippage cap.
fn copy_terms(draft: &mut EntryDraft, order: &Order, form_context: &FormContext) {
    let price = |price: Option<Num>| price.map(|p| p.to_string()).unwrap_or_default();
    draft.reduce_only = order.reduce_only;
    draft.target.clone_from(&order.target_position_id);
    if let Some(mode) = order.margin_mode.known() {
        draft.margin_mode = mode;
    }
    if let Some(time) = order.time_in_force.as_ref().and_then(Lenient::known) {
        draft.time_in_force = time;
    }
    if let Some(market) = &order.trigger_market_id {
        draft.trigger_market = Some(market.clone());
    }
    draft.trigger_direction = order.trigger_direction.as_ref().and_then(Lenient::known);
    let expires = order.gtd_expires_at.map(|at| form_context.zone.minute(at));
    for (field, text) in [
        (Field::Size, order.size.abs().to_string()),
        (Field::TriggerPrice, price(order.trigger_price)),
        (Field::LimitPrice, price(order.limit_price)),
        (Field::TakeProfit, price(order.attached_take_profit_price)),
        (Field::StopLoss, price(order.attached_stop_loss_price)),
        (Field::Leverage, order.leverage.to_string()),
        (Field::Expires, expires.unwrap_or_default()),
    ] {
        draft.texts.set(field, text);
    }
}

/// Initial leverage and margin mode of a new order.
pub(crate) struct Terms {
    pub leverage: String,
    pub margin_mode: MarginMode,
}

/// As the open position in that market, otherwise as this session's last order there, otherwise as the newest order
/// there.
pub(crate) fn terms(market: Option<&MarketId>, form_context: &FormContext) -> Terms {
    let store = form_context.store;
    let here = |id: &MarketId| Some(id) == market;
    let held = store.positions.rows().iter().find(|p| here(&p.market_id));
    let used = form_context.used.of(market);
    let past = store.history.rows().iter().take(NEWEST);
    let mut orders = store.orders.rows().iter().chain(past);
    let newest = orders.find(|o| here(&o.market_id));
    let usual = || usual_leverage(market, store).to_string();
    let leverage = held.and_then(|p| p.leverage).map(|l| l.to_string());
    let leverage = leverage.or_else(|| used.map(|used| used.leverage.clone()));
    Terms {
        leverage: leverage
            .or_else(|| newest.map(|o| o.leverage.to_string()))
            .unwrap_or_else(usual),
        margin_mode: match held {
            Some(position) => position.used_margin_mode(),
            None => used
                .map(|used| used.margin_mode)
                .or_else(|| newest?.margin_mode.known())
                .unwrap_or(MarginMode::Cross),
        },
    }
}

/// The open positions of the market.
pub(crate) fn positions_in(market: Option<&MarketId>, store: &Store) -> Vec<PositionId> {
    let open = store.positions.rows().iter();
    let here = open.filter(|position| Some(&position.market_id) == market);
    here.map(|position| position.id.clone()).collect()
}

fn usual_leverage(market: Option<&MarketId>, store: &Store) -> Num {
    let most = market
        .and_then(|id| store.market(id))
        .and_then(|m| m.max_leverage);
    Num::from(most.map_or(LEVERAGE, |most| most.min(LEVERAGE)))
}

/// The markets with prices; without any, those of positions and the newest orders.
pub(crate) fn known_markets(store: &Store) -> Vec<MarketId> {
    if let Some(markets) = store.markets.value().filter(|known| !known.is_empty()) {
        return markets.keys().cloned().collect();
    }
    let closed = store.closed.rows().iter().take(NEWEST);
    let past = store.history.rows().iter().take(NEWEST);
    let positions = store.positions.rows().iter().chain(closed);
    let orders = store.orders.rows().iter().chain(past);
    let named: BTreeSet<_> = positions
        .map(|p| &p.market_id)
        .chain(orders.map(|o| &o.market_id))
        .collect();
    named.into_iter().cloned().collect()
}

/// Whether an order that waits for no trigger can be moved, or why not.
pub(crate) fn movable(order: &Order) -> Result<(), &'static str> {
    let is_limit = order.mode.is(&OrderMode::Limit);
    if !is_limit || !order.status.is(&OrderStatus::Resting) {
        return Err("only a resting limit order is moved: cancel it and place a new one");
    }
    if order.scaled_order_id.is_some() || order.twap_order_id.is_some() {
        return Err(
            "an order of a TWAP or scaled order cannot be moved: the new order would not belong to it",
        );
    }
    Ok(())
}
