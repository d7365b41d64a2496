//! A flip: a position is closed, then the same size is opened in the other direction.
//!
//! Contract: two commands with a key each; the second exists only once reads prove that the first left nothing behind.
//! The side comes from the position at the request, the size from what was closed. Anything that cannot be proved ends
//! the flip with the position closed; it never adds to what is open. The cases are in `docs/delivery.md 3.5`.

use super::{ClosePosition, Held, PlaceOrder};
use crate::model::{
    AccountId, Bps, MarketNames, Num, Order, OrderStatus, Page, Position, Side, Timestamp,
};
use std::time::Duration;

/// A price that was meant longer ago is not traded at.
const FLIP_WITHIN: Duration = Duration::from_secs(10);

/// The decision at the request.
#[derive(Debug, Clone, PartialEq)]
pub struct Flip {
    position: Box<Position>,
    side: Side,
    /// The order in the other direction; its size is set from what was closed.
    opening: Box<PlaceOrder>,
    since: Timestamp,
}

/// What reads show of a closed position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlipStanding {
    /// The position, or an order that closes it, is still listed.
    Waits(String),
    /// Neither is listed any more.
    Gone,
    /// Something else is open in its market.
    Stopped(String),
}

impl Flip {
    /// The other side is opened with the leverage and the margin mode of the position.
    ///
    /// # Errors
    /// If the side or the leverage of the position is unknown.
    pub fn new(
        position: &Position,
        account: AccountId,
        slippage: Option<Bps>,
        since: Timestamp,
    ) -> Result<Self, &'static str> {
        let side = position
            .side()
            .ok_or("its side is not known: close it and open the other way by hand")?;
        let leverage = position
            .leverage
            .ok_or("its leverage is not known: close it, then open the other way")?;
        let (market, coins) = (position.market_id.clone(), position.quantity());
        let opening = PlaceOrder {
            leverage,
            margin_mode: position.used_margin_mode(),
            slippage_tolerance: slippage,
            ..PlaceOrder::market(account, market, side.opposite(), coins)
        };
        Ok(Self {
            position: Box::new(position.clone()),
            side,
            opening: Box::new(opening),
            since,
        })
    }

    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The same, confirmed at `now`.
    #[must_use]
    pub fn agreed(self, now: Timestamp) -> Self {
        Self { since: now, ..self }
    }

    pub fn is_late(&self, now: Timestamp) -> bool {
        now > self.deadline()
    }

    /// The second command is not sent after this.
    pub fn deadline(&self) -> Timestamp {
        self.since.plus(FLIP_WITHIN)
    }

    /// The first command: closes all of it at the market.
    pub fn close(&self, observed: Option<Num>) -> ClosePosition {
        ClosePosition {
            held: Some(Held {
                market_id: self.position.market_id.clone(),
                side: self.side,
            }),
            expected_price: observed,
            slippage_tolerance: self.opening.slippage_tolerance,
            ..ClosePosition::market(self.position.id.clone())
        }
    }

    /// The second command, for the closed size.
    pub fn opening(&self, closed: Num, observed: Option<Num>) -> PlaceOrder {
        PlaceOrder {
            size: closed,
            expected_price: observed,
            ..(*self.opening).clone()
        }
    }

    /// How much the close has closed; `None` while its order works. A partial close ends the flip: the new order would
    /// net against the rest.
    ///
    /// # Errors
    /// How the close ended otherwise.
    pub fn closed_by(&self, order: &Order) -> Result<Option<Num>, String> {
        if !order.is_over() {
            return Ok(None);
        }
        let requested = order.initial_size.map(Num::abs);
        let requested = requested.unwrap_or_else(|| order.size.abs().max(self.position.quantity()));
        let filled = order.filled_size.map(Num::abs);
        let closed = if order.status.is(&OrderStatus::Filled) {
            filled.unwrap_or(order.size.abs())
        } else {
            filled.unwrap_or_default()
        };
        if closed.is_positive() && closed >= requested {
            return Ok(Some(closed));
        }
        Err(format!(
            "flip stopped: {} of {} closed",
            closed.normalized(),
            requested.normalized()
        ))
    }

    /// By complete lists of open positions and working orders, both requested after the close's response.
    pub fn standing(&self, open: &Page<Position>, working: &Page<Order>) -> FlipStanding {
        if !open.is_whole() || !working.is_whole() {
            return FlipStanding::Waits("the lists are not complete".to_owned());
        }
        let id = &self.position.id;
        if open.rows.iter().any(|row| row.id == *id) {
            return FlipStanding::Waits(format!("{id} is still listed"));
        }
        let market = &self.position.market_id;
        if let Some(other) = open.rows.iter().find(|row| row.market_id == *market) {
            return FlipStanding::Stopped(format!(
                "flip stopped: closed, nothing is opened: {} is open in {market} by now",
                other.id
            ));
        }
        let left = working.rows.iter();
        let mut left = left.filter(|order| order.closes(&self.position) && !order.is_over());
        match left.next() {
            Some(order) => {
                FlipStanding::Waits(format!("{} still stands, which closes {id}", order.id))
            }
            None => FlipStanding::Gone,
        }
    }
}

impl Flip {
    /// What is closed: `long 0.5 BTC`.
    pub fn closes(&self, names: &MarketNames) -> String {
        let side = match self.side {
            Side::Buy => "long",
            Side::Sell => "short",
        };
        format!("{side} {}", self.amount(names))
    }

    fn amount(&self, names: &MarketNames) -> String {
        let size = self.position.quantity().normalized().grouped();
        format!("{size} {}", names.shown(&self.position.market_id))
    }

    /// Both orders, as in the question.
    pub fn words(&self, names: &MarketNames) -> String {
        let verb = match self.side {
            Side::Buy => "sells",
            Side::Sell => "buys",
        };
        let (closes, amount) = (self.closes(names), self.amount(names));
        format!("Flip: closes {closes}, then {verb} {amount} (two orders)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MarginMode;

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    fn position(id: &str, size: &str) -> Position {
        let json = format!(
            r#"{{"id":"{id}","market_id":"paper|BTC","size":{size},"leverage":10,"margin_mode":"isolated"}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn flip(size: &str) -> Flip {
        let position = position("pos-1", size);
        Flip::new(&position, "a".into(), None, Timestamp(1_000)).unwrap()
    }

    fn order(more: &str) -> Order {
        let json = format!(
            r#"{{"id":"o-1","account_id":"a","market_id":"paper|BTC","provider":"paper","symbol":"BTC","coin":"BTC",
            "type":"market","mode":"market","side":"sell","expected_price":1,"leverage":1,"margin_mode":"cross",
            "reduce_only":true,"requested_at":0,{more}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn the_side_comes_from_the_position_and_the_size_from_what_was_closed() {
        for (size, side) in [("0.5", Side::Sell), ("-0.5", Side::Buy)] {
            let flip = flip(size);
            let opening = flip.opening(num("0.4"), Some(num("64000")));
            assert_eq!((opening.side, opening.size), (side, num("0.4")));
            assert_eq!(opening.market_id, "paper|BTC".into());
            assert_eq!(opening.margin_mode, MarginMode::Isolated);
            assert!(!opening.reduce_only);
            let close = flip.close(None);
            assert!(close.is_whole_at_market());
            assert_eq!(close.held.map(|held| held.side), Some(side.opposite()));
        }
    }

    #[test]
    fn only_a_close_that_filled_whole_is_followed_by_an_order() {
        let part = |closed: &str, of: &str| Err(format!("flip stopped: {closed} of {of} closed"));
        for (row, closed) in [
            (
                r#""size":1,"filled_size":1,"status":"filled""#,
                Ok(Some("1")),
            ),
            (r#""size":1,"status":"filled""#, Ok(Some("1"))),
            (r#""size":1,"status":"resting""#, Ok(None)),
            (r#""size":1,"status":"pending""#, Ok(None)),
            (r#""size":1,"status":"becoming""#, Ok(None)),
            (
                r#""size":0.4,"initial_size":1,"filled_size":0.6,"status":"canceled""#,
                part("0.6", "1"),
            ),
            (
                r#""size":1,"initial_size":1,"filled_size":0.60,"status":"expired""#,
                part("0.6", "1"),
            ),
            // Its own row covers only its last part: less than all of it is a partial close.
            (
                r#""size":0.4,"initial_size":1,"filled_size":0.4,"status":"filled""#,
                part("0.4", "1"),
            ),
            (r#""size":1,"status":"rejected""#, part("0", "1")),
            (r#""size":0.6,"status":"filled""#, part("0.6", "1")),
        ] {
            let found = flip("1").closed_by(&order(row));
            assert_eq!(found, closed.map(|size| size.map(num)), "{row}");
        }
    }

    #[test]
    fn nothing_is_due_while_the_position_or_what_closes_it_is_listed() {
        let flip = flip("1");
        let stop = r#""size":1,"trigger_price":1,"status":"pending","target_position_id":"pos-1""#;
        let (bare, none) = (Page::of(vec![]), Page::of(vec![]));
        assert_eq!(flip.standing(&bare, &none), FlipStanding::Gone);
        let listed = Page::of(vec![position("pos-1", "1")]);
        let waits = |words: &str| FlipStanding::Waits(words.to_owned());
        let still = waits("pos-1 is still listed");
        assert_eq!(flip.standing(&listed, &none), still);
        let stopped = Page::of(vec![order(stop)]);
        let guarded = waits("o-1 still stands, which closes pos-1");
        assert_eq!(flip.standing(&bare, &stopped), guarded);
        let cut = Page {
            unreadable: vec!["cut".into()],
            ..Page::of(vec![])
        };
        let unread = waits("the lists are not complete");
        assert_eq!(flip.standing(&cut, &none), unread);
        let other = Page::of(vec![position("pos-2", "1")]);
        let words = "flip stopped: closed, nothing is opened: pos-2 is open in paper|BTC by now";
        let ended = FlipStanding::Stopped(words.to_owned());
        assert_eq!(flip.standing(&other, &none), ended);
    }

    #[test]
    fn a_position_without_a_side_or_a_leverage_is_not_flipped() {
        let without_leverage = Position {
            leverage: None,
            ..position("pos-1", "1")
        };
        for position in [position("pos-1", "0"), without_leverage] {
            assert!(Flip::new(&position, "a".into(), None, Timestamp(0)).is_err());
        }
    }
}
