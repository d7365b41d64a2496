//! Every command to the service. A command is complete and immutable: what was shown is what is sent.

mod exit_batch;
mod facts;
mod flip;
mod modify;
mod mutation;
mod place_scaled;
mod place_twap;
mod wanted_exits;
mod words;

pub use exit_batch::{ExecutionType, ExitBatch, ExitGroup, ExitOperation, ExpectedExit};
pub use facts::{CommandFacts, Ends, Placed};
pub use flip::{Flip, FlipStanding};
pub use modify::ModifyOrder;
pub use mutation::{AnswerKind, Mutation, MutationFacts, Repetition};
pub use place_scaled::{Distribution, PlaceScaled};
pub use place_twap::{Curve, PlaceTwap};
pub use wanted_exits::{ExitConflict, WantedExit, WantedExits};

use super::{
    AccountId, Bps, ClientOrderId, MarginMode, MarketId, MarketNames, Num, Order, OrderId,
    PlaceKind, PositionId, ScaledId, Side, TimeInForce, Timestamp, TriggerDirection, TwapId,
    estimate, value::words::words,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use strum::{Display, EnumString, VariantArray};

words! {
    /// The `type` of `POST /v1/positions/{id}/close`.
    CloseKind { Market, Limit, Conditional }
}

/// A new order of any type except sliced and scaled ones, as in JSON: `POST /v1/orders` (docs/service-api.md 4.1).
/// `model::draft` checks which fields a type needs, and so does the exchange (`exchange::engine`); prices are in USD per
/// coin.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a field of the request of that name"
)]
pub struct PlaceOrder {
    /// Absent means a market order; perpdeck always sends it.
    #[serde(rename = "type", default = "market")]
    pub kind: PlaceKind,
    pub account_id: AccountId,
    pub market_id: MarketId,
    pub side: Side,
    /// In coin, above zero.
    pub size: Num,
    /// Derived from the `Idempotency-Key` when it is sent, so that one read by it settles a lost answer.
    pub client_order_id: Option<ClientOrderId>,
    /// The midpoint when the order was written; the service never prices by it.
    pub expected_price: Option<Num>,
    pub leverage: Num,
    pub margin_mode: MarginMode,
    #[serde(default)]
    pub reduce_only: bool,
    /// Absent means good till canceled.
    pub time_in_force: Option<TimeInForce>,
    pub gtd_expires_at: Option<Timestamp>,
    pub limit_price: Option<Num>,
    /// It waits until the mark of `trigger_market_id` (its own market if absent) reaches this.
    pub trigger_price: Option<Num>,
    pub trigger_market_id: Option<MarketId>,
    pub trigger_direction: Option<TriggerDirection>,
    pub chase_offset: Option<Num>,
    pub chase_cap_price: Option<Num>,
    pub take_profit_price: Option<Num>,
    pub stop_loss_price: Option<Num>,
    #[serde(rename = "slippage_tolerance_bps")]
    pub slippage_tolerance: Option<Bps>,
    pub target_position_id: Option<PositionId>,
    /// The trader knows that the limit crosses the market and would fill at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub marketable_limit_acknowledged: bool,
    /// Exits of the position that overlap the attached ones are replaced.
    #[serde(default, skip_serializing_if = "is_false")]
    pub replace_overlapping_exits: bool,
    /// The canceled order in whose place it is, by cancel/replace. Recorded, not sent.
    #[serde(skip)]
    pub replaces: Option<OrderId>,
}

fn market() -> PlaceKind {
    PlaceKind::Market
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn is_false(value: &bool) -> bool {
    !value
}

impl PlaceOrder {
    /// A market order with cross margin and leverage 1.
    pub fn market(account_id: AccountId, market_id: MarketId, side: Side, coins: Num) -> Self {
        Self {
            kind: PlaceKind::Market,
            account_id,
            market_id,
            side,
            size: coins,
            client_order_id: None,
            expected_price: None,
            leverage: Num::ONE,
            margin_mode: MarginMode::Cross,
            reduce_only: false,
            time_in_force: None,
            gtd_expires_at: None,
            limit_price: None,
            trigger_price: None,
            trigger_market_id: None,
            trigger_direction: None,
            chase_offset: None,
            chase_cap_price: None,
            take_profit_price: None,
            stop_loss_price: None,
            slippage_tolerance: None,
            target_position_id: None,
            marketable_limit_acknowledged: false,
            replace_overlapping_exits: false,
            replaces: None,
        }
    }
}

/// A position as it was when a decision about it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub market_id: MarketId,
    /// `Buy` is long.
    pub side: Side,
}

/// Closes a position in whole or in part, as in JSON: `POST /v1/positions/{position_id}/close`; market and leverage follow
/// from the position.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClosePosition {
    /// In the path.
    #[serde(skip)]
    pub position_id: PositionId,
    /// Not sent; the response is compared with it. `None` if the position was not seen.
    #[serde(skip)]
    pub held: Option<Held>,
    #[serde(rename = "type")]
    pub kind: CloseKind,
    /// As in a new order.
    pub client_order_id: Option<ClientOrderId>,
    /// In coin, above zero on either side. Absent closes the whole position as it is when the request arrives.
    pub size: Option<Num>,
    pub expected_price: Option<Num>,
    #[serde(rename = "slippage_tolerance_bps")]
    pub slippage_tolerance: Option<Bps>,
    pub limit_price: Option<Num>,
    pub trigger_price: Option<Num>,
    pub trigger_market_id: Option<MarketId>,
    pub trigger_direction: Option<TriggerDirection>,
    /// The trader knows that the limit crosses the market and would fill at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub marketable_limit_acknowledged: bool,
}

impl ClosePosition {
    /// Closes all of it at the market.
    pub fn market(position_id: PositionId) -> Self {
        Self {
            position_id,
            held: None,
            kind: CloseKind::Market,
            client_order_id: None,
            size: None,
            expected_price: None,
            slippage_tolerance: None,
            limit_price: None,
            trigger_price: None,
            trigger_market_id: None,
            trigger_direction: None,
            marketable_limit_acknowledged: false,
        }
    }

    /// Whole and at any price: however late or often it arrives, it opens nothing.
    pub fn is_whole_at_market(&self) -> bool {
        self.size.is_none() && self.kind == CloseKind::Market
    }
}

/// One leg of the attached exits: keep it (absent), remove it (null), or set a price.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<Num>", into = "Option<Num>")]
pub enum Leg {
    #[default]
    Keep,
    Remove,
    Set(Num),
}

impl From<Option<Num>> for Leg {
    fn from(written: Option<Num>) -> Self {
        written.map_or(Self::Remove, Self::Set)
    }
}

impl From<Leg> for Option<Num> {
    fn from(leg: Leg) -> Self {
        match leg {
            Leg::Keep | Leg::Remove => None,
            Leg::Set(price) => Some(price),
        }
    }
}

impl Leg {
    pub fn is_kept(&self) -> bool {
        *self == Self::Keep
    }
}

/// Take profit and stop loss attached to an order, as in JSON: `PUT /v1/orders/{order_id}/attached-exits`. They take effect
/// with its fill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exits {
    /// In the path.
    #[serde(skip)]
    pub order_id: OrderId,
    #[serde(
        rename = "take_profit_price",
        default,
        skip_serializing_if = "Leg::is_kept"
    )]
    pub take_profit: Leg,
    #[serde(
        rename = "stop_loss_price",
        default,
        skip_serializing_if = "Leg::is_kept"
    )]
    pub stop_loss: Leg,
    /// Compared with the stop at the time of the command. Not sent.
    #[serde(skip)]
    pub risk: Risk,
}

/// One command to the service. It is final: forms, strips and the command line build it, and nothing changes it on its
/// way to the journal and the wire.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    Place(Box<PlaceOrder>),
    PlaceTwap(Box<PlaceTwap>),
    PlaceScaled(Box<PlaceScaled>),
    Close(ClosePosition),
    Cancel(OrderId),
    /// Cancels the stop of an open position: more can be lost afterwards.
    Unprotect(OrderId),
    Exits(Exits),
    /// A new price or size of an order as it rests.
    Modify(ModifyOrder),
    /// Places, moves and cancels exits of a position together.
    ExitBatch(Box<ExitBatch>),
    /// Sets the total extra isolated margin in USD; not a change by that amount.
    Margin {
        position_id: PositionId,
        extra: Num,
        /// Compared with the total at the time of the command. Not sent.
        risk: Risk,
    },
    StopTwap(TwapId),
    CancelScaled(ScaledId),
    CloseAll(AccountId),
    /// Cancels every resting and armed order, but not the parents of TWAPs and scaled orders.
    CancelAll(AccountId),
    /// Stops TWAPs, cancels scaled orders and orders, closes everything, and proves the account flat: many requests,
    /// one command.
    Flatten(AccountId),
}

impl From<PlaceOrder> for Command {
    fn from(order: PlaceOrder) -> Self {
        Self::Place(Box::new(order))
    }
}

impl From<PlaceTwap> for Command {
    fn from(order: PlaceTwap) -> Self {
        Self::PlaceTwap(Box::new(order))
    }
}

impl From<PlaceScaled> for Command {
    fn from(order: PlaceScaled) -> Self {
        Self::PlaceScaled(Box::new(order))
    }
}

/// One line with the command and its target: for the strip, the toast, the activity pane and the journal.
impl Command {
    /// In one line, its market by the name that a person sees.
    pub fn words(&self, names: &MarketNames) -> String {
        match self {
            Self::Place(order) => order.words(names),
            Self::PlaceTwap(order) => order.words(names),
            Self::PlaceScaled(order) => order.words(names),
            Self::Close(close) => close.words(&close.position_id, names),
            Self::Cancel(id) => format!("cancel order {id}"),
            Self::Unprotect(id) => format!("cancel order {id}, a stop"),
            Self::Exits(exits) => format!(
                "exits of {}: take profit {}, {}",
                exits.order_id,
                exits.take_profit,
                exits.stop_words()
            ),
            Self::Modify(modify) => modify.to_string(),
            Self::ExitBatch(batch) => batch.to_string(),
            Self::Margin {
                position_id, extra, ..
            } => format!("extra margin of {position_id} to {extra} USD"),
            Self::StopTwap(id) => format!("stop TWAP {id}"),
            Self::CancelScaled(id) => format!("cancel scaled order {id}"),
            Self::CloseAll(id) => format!("close all positions on {id}"),
            Self::CancelAll(id) => format!("cancel all orders on {id}"),
            Self::Flatten(id) => format!("flatten {id}"),
        }
    }
}

/// Where no list of markets is at hand, as in the journal: a market by its coin.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(&MarketNames::default()))
    }
}

/// The target of a flatten in the journal begins with this; its account follows.
pub const FLATTEN: &str = "flatten:";

words! {
    /// The effect of a command on exposure. Only `Increasing` may be held back.
    Risk { Reducing, Neutral, Increasing }
}

/// Of a command whose object nobody has seen.
impl Default for Risk {
    fn default() -> Self {
        Self::Increasing
    }
}

/// What a command changes. At most one mutation per resource is in flight.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    NewOrder,
    Order(OrderId),
    Position(PositionId),
    Twap(TwapId),
    Scaled(ScaledId),
    Account(AccountId),
}

impl Resource {
    /// The id alone, for the journal; `None` for a new order.
    pub fn raw(&self) -> Option<&str> {
        match self {
            Self::NewOrder => None,
            Self::Order(id) => Some(id.raw()),
            Self::Position(id) => Some(id.raw()),
            Self::Twap(id) => Some(id.raw()),
            Self::Scaled(id) => Some(id.raw()),
            Self::Account(id) => Some(id.raw()),
        }
    }
}

impl Command {
    /// `held` is the total as seen. A lower one brings liquidation nearer, and so may any total if the old one is
    /// unknown.
    pub fn margin(position_id: PositionId, extra: Num, held: Option<Num>) -> Self {
        let risk = if held.is_none_or(|held| extra < held) {
            Risk::Increasing
        } else {
            Risk::Neutral
        };
        Self::Margin {
            position_id,
            extra,
            risk,
        }
    }

    /// With the risk determined when the command was given: the bytes of a cancel do not show what the order protected.
    #[must_use]
    pub fn classed(mut self, given: Risk) -> Self {
        if let (Self::Cancel(id), Risk::Increasing) = (&self, given) {
            return Self::Unprotect(id.clone());
        }
        if let Self::Exits(Exits { risk, .. }) | Self::Margin { risk, .. } = &mut self {
            *risk = given;
        }
        self
    }
}

impl Command {
    /// The entry whose bracket it places targets of.
    pub fn entry(&self) -> Option<&OrderId> {
        if let Self::ExitBatch(batch) = self {
            batch.entry.as_ref()
        } else {
            None
        }
    }

    /// The canceled order in whose place it puts a new one.
    pub fn replaces(&self) -> Option<&OrderId> {
        if let Self::Place(order) = self {
            order.replaces.as_ref()
        } else {
            None
        }
    }
}

impl Exits {
    /// For an order that was not seen: it may remove a stop.
    pub fn unseen(order_id: OrderId, take_profit: Leg, stop_loss: Leg) -> Self {
        let risk = match stop_loss {
            Leg::Remove => Risk::Increasing,
            Leg::Keep | Leg::Set(_) => Risk::Neutral,
        };
        Self {
            order_id,
            take_profit,
            stop_loss,
            risk,
        }
    }

    /// For an order as it is: moving its stop away from the entry, or removing it, can increase the loss, as canceling
    /// a stop does.
    pub fn of(order: &Order, take_profit: Leg, stop_loss: Leg) -> Self {
        let is_wider = match (stop_loss, order.attached_stop_loss_price) {
            (Leg::Keep, _) | (_, None) => false,
            (Leg::Remove, Some(_)) => true,
            (Leg::Set(to), Some(from)) => {
                let side = order.side.known();
                let nearer = side.and_then(|side| estimate::gain(side, from, to));
                nearer.is_some_and(Num::is_negative)
            }
        };
        let risk = if is_wider {
            Risk::Increasing
        } else {
            Risk::Neutral
        };
        Self {
            risk,
            ..Self::unseen(order.id.clone(), take_profit, stop_loss)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margin_that_is_added_is_let_through_where_new_risk_is_held_back() {
        let risk = |extra: i64, held: Option<i64>| {
            Command::margin("p".into(), Num::from(extra), held.map(Num::from)).risk()
        };
        assert_eq!(risk(200, Some(100)), Risk::Neutral);
        assert_eq!(risk(50, Some(100)), Risk::Increasing);
        assert_eq!(risk(200, None), Risk::Increasing, "nobody saw what it had");
    }
    #[test]
    fn a_stop_that_lets_more_be_lost_is_held_back_where_new_risk_is() {
        let entry = |side: &str, stop: &str| -> Order {
            let json = format!(
                r#"{{"id":"o","account_id":"a","market_id":"x|Y","provider":"x","symbol":"Y","coin":"Y",
                "type":"limit","mode":"limit","side":"{side}","size":1,"expected_price":100,"leverage":1,
                "margin_mode":"cross","reduce_only":false,"status":"resting","requested_at":0,"limit_price":100{stop}}}"#
            );
            serde_json::from_str(&json).unwrap()
        };
        let (long, short) = (
            entry("buy", r#","attached_stop_loss_price":90"#),
            entry("sell", r#","attached_stop_loss_price":110"#),
        );
        let bare = entry("buy", "");
        let to = |price: u32| Leg::Set(Num::from(price));
        for (order, stop, risk) in [
            (&long, to(89), Risk::Increasing),
            (&long, to(91), Risk::Neutral),
            (&long, to(90), Risk::Neutral),
            (&long, Leg::Keep, Risk::Neutral),
            (&long, Leg::Remove, Risk::Increasing),
            (&short, to(111), Risk::Increasing),
            (&short, to(109), Risk::Neutral),
            (&bare, Leg::Remove, Risk::Neutral),
            (&bare, to(50), Risk::Neutral),
        ] {
            let command = Command::Exits(Exits::of(order, Leg::Keep, stop));
            assert_eq!(command.risk(), risk, "{command}");
        }
        let wider = Command::Exits(Exits::of(&long, Leg::Keep, to(89)));
        let words = "exits of o: take profit unchanged, stop loss 89, wider than before";
        assert_eq!(wider.to_string(), words);
        let unseen = Command::Exits(Exits::unseen("o".into(), Leg::Keep, to(89)));
        assert_eq!(unseen.risk(), Risk::Neutral);
        assert_eq!(unseen.classed(Risk::Increasing), wider, "as it was given");
    }
}
