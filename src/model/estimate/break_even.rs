//! Where a position is closed without a loss: its entry, the fees of both ends and the funding it received.

use crate::model::{Num, Position, Side, Tick};

/// What opening and closing are charged, as shares of the notional.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundTrip {
    pub opened: Num,
    pub closes: Num,
}

/// The exact price: long `(E(1+f_o) − F/q)/(1−f_c)`, short `(E(1−f_o) + F/q)/(1+f_c)`. Slippage comes on top of it.
pub fn break_even(position: &Position, rates: RoundTrip) -> Option<Num> {
    let entry = position.entry_price?;
    let fee = entry.times(rates.opened)?;
    let received = position.funding.unwrap_or_default();
    let received = received.over(position.quantity())?;
    match position.side()? {
        Side::Buy => entry
            .plus(fee)?
            .minus(received)?
            .over(Num::ONE.minus(rates.closes)?),
        Side::Sell => entry
            .minus(fee)?
            .plus(received)?
            .over(Num::ONE.plus(rates.closes)?),
    }
}

/// The nearest price that a stop may have and that loses nothing, `extra` ticks beyond it.
pub fn safe_stop(side: Side, exact: Num, tick: Tick, extra: u32) -> Option<Num> {
    let more = tick.step().times(Num::from(extra))?;
    match side {
        Side::Buy => tick.above(exact).plus(more),
        Side::Sell => tick.below(exact).minus(more),
    }
}

/// Whether the mark is far enough for a stop there not to fire at once.
pub fn has_passed(side: Side, mark: Num, stop: Num) -> bool {
    match side {
        Side::Buy => mark > stop,
        Side::Sell => mark < stop,
    }
}

/// Whether a stop at `old` guards as well as one at `new`, or better.
pub fn is_as_good(side: Side, old: Num, new: Num) -> bool {
    match side {
        Side::Buy => old >= new,
        Side::Sell => old <= new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    fn position(size: &str, funding: &str) -> Position {
        let json = format!(
            r#"{{"id":"p","market_id":"x|BTC","size":{size},"entry_price":65617,"funding":{funding}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    const RATE: &str = "0.00045";

    fn rates() -> RoundTrip {
        RoundTrip {
            opened: num(RATE),
            closes: num(RATE),
        }
    }

    /// What closing at `price` brings after both fees and funding, USD.
    fn net(position: &Position, price: Num) -> Num {
        let traded = position.entry_price.unwrap().plus(price).unwrap();
        let fees = traded.times(position.quantity()).unwrap();
        let fees = fees.times(num(RATE)).unwrap();
        let gain = position.unrealized_pnl(price).unwrap();
        let funding = position.funding.unwrap_or_default();
        gain.minus(fees).unwrap().plus(funding).unwrap()
    }

    // Long and short, with and without funding.
    #[test]
    fn the_worked_prices_net_nothing_below_zero_and_one_tick_worse_loses() {
        let tick = Tick::of(Num::ONE).unwrap();
        for (size, funding, exact, stop) in [
            ("0.5", "0", "65676.08", "65677"),
            ("-0.5", "0", "65557.97", "65557"),
            ("0.5", "-4", "65684.09", "65685"),
        ] {
            let position = position(size, funding);
            let side = position.side().unwrap();
            let price = break_even(&position, rates()).unwrap();
            assert_eq!(price.rounded(2), num(exact), "{size} {funding}");
            let safe = safe_stop(side, price, tick, 0).unwrap();
            assert_eq!(safe, num(stop));
            assert!(!net(&position, safe).is_negative(), "{size} {funding}");
            let step = Num::from(side.sign());
            let worse = safe.minus(step).unwrap();
            assert!(net(&position, worse).is_negative(), "{size} {funding}");
        }
        let long = position("0.5", "0");
        assert_eq!(net(&long, num("65677")).rounded(2), num("0.46"));
        let short = position("-0.5", "0");
        assert_eq!(net(&short, num("65557")).rounded(2), num("0.49"));
    }

    #[test]
    fn extra_ticks_go_the_safe_way() {
        let tick = Tick::of(num("0.5")).unwrap();
        let stop = |side, extra| safe_stop(side, num("100.2"), tick, extra);
        assert_eq!(stop(Side::Buy, 0), Some(num("100.5")));
        assert_eq!(stop(Side::Buy, 2), Some(num("101.5")));
        assert_eq!(stop(Side::Sell, 0), Some(num("100")));
        assert_eq!(stop(Side::Sell, 2), Some(num("99")));
    }

    #[test]
    fn a_stop_that_would_fire_at_once_or_guards_less_is_told_apart() {
        let (low, high) = (num("99"), num("100"));
        assert!(has_passed(Side::Buy, high, low) && !has_passed(Side::Buy, low, low));
        assert!(has_passed(Side::Sell, low, high) && !has_passed(Side::Sell, high, low));
        assert!(is_as_good(Side::Buy, high, low) && is_as_good(Side::Buy, low, low));
        assert!(is_as_good(Side::Sell, low, high) && !is_as_good(Side::Sell, high, low));
    }

    #[test]
    fn without_an_entry_nothing_is_computed() {
        let bare: Position =
            serde_json::from_str(r#"{"id":"p","market_id":"x|BTC","size":0.5}"#).unwrap();
        assert_eq!(break_even(&bare, rates()), None);
    }
}
