//! Local estimates of an order's effect. Every result is an estimate or `None`; only the service knows. Formulas:
//! `docs/engine.md 6.1, 6.3`, without tiers.

use super::{Market, Num, Position, Side};
use crate::model::Tick;

/// Whether a limit on `side` would fill at once against the observed book; `None` when that is not known.
pub fn crosses(market: &Market, side: Side, limit: Num) -> Option<bool> {
    Some(match side {
        Side::Buy => limit >= market.ask?,
        Side::Sell => limit <= market.bid?,
    })
}

/// Maintenance margin as a share of the notional: half of the initial margin at the highest leverage.
pub fn maintenance_rate(market: &Market) -> Option<Num> {
    let leverage = market.max_leverage.filter(|l| *l > 0)?;
    Num::ONE.over(Num::from(leverage).times(Num::from(2_u32))?)
}

/// Where a position is liquidated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiquidationEstimate {
    At(Num),
    /// At no price above zero.
    Never,
}

impl LiquidationEstimate {
    /// Where a position on `side` is liquidated, if that is before it is stopped out at `stop`.
    pub fn before(self, side: Side, stop: Num) -> Option<Num> {
        match self {
            Self::At(price) => is_beyond(side, price, stop).then_some(price),
            Self::Never => None,
        }
    }
}

impl From<Num> for LiquidationEstimate {
    fn from(price: Num) -> Self {
        if price.is_positive() {
            Self::At(price)
        } else {
            Self::Never
        }
    }
}

/// The liquidation price of a position of `quantity` entered at `entry`, backed by `backing` USD besides its own
/// profit.
pub fn liquidation(
    side: Side,
    quantity: Num,
    entry: Num,
    backing: Num,
    maintenance: Num,
) -> Option<LiquidationEstimate> {
    let value = quantity.times(entry)?;
    let covered = match side {
        Side::Buy => value.minus(backing)?,
        Side::Sell => value.plus(backing)?,
    };
    let price = covered.over(quantity.times(steepness(side, maintenance)?)?)?;
    Some(price.into())
}

/// What backs one cross position: the account's cash less the margin of isolated positions and what the other cross
/// positions need beyond their own profit. `others` come with their markets.
pub fn cross_backing<'a>(
    cash: Num,
    others: impl IntoIterator<Item = (&'a Position, Option<&'a Market>)>,
) -> Option<Num> {
    others
        .into_iter()
        .try_fold(cash, |left, (position, market)| {
            let held = if position.is_isolated() {
                let extra = position.isolated_margin_extra.unwrap_or_default();
                let funding = position.funding.unwrap_or_default();
                position.entry_margin()?.plus(extra)?.plus(funding)?
            } else {
                let (market, mark) = (market?, market?.mark?);
                let needed = position.quantity().times(mark)?;
                let needed = needed.times(maintenance_rate(market)?)?;
                needed.minus(position.unrealized_pnl(mark)?)?
            };
            left.minus(held)
        })
}

/// The liquidation price after the isolated margin changes by `change` USD.
pub fn moved_liquidation(
    position: &Position,
    change: Num,
    maintenance: Num,
) -> Option<LiquidationEstimate> {
    let (side, now) = (position.side()?, position.liquidation_price?);
    let step = change.over(position.quantity().times(steepness(side, maintenance)?)?)?;
    let moved = match side {
        Side::Buy => now.minus(step)?,
        Side::Sell => now.plus(step)?,
    };
    Some(moved.into())
}

/// Whether a position on `side` is liquidated at `liquidation` before the mark reaches `stop`.
pub fn is_beyond(side: Side, liquidation: Num, stop: Num) -> bool {
    match side {
        Side::Buy => stop <= liquidation,
        Side::Sell => stop >= liquidation,
    }
}

/// How fast equity above maintenance falls per coin as the price moves against the position.
fn steepness(side: Side, maintenance: Num) -> Option<Num> {
    match side {
        Side::Buy => Num::ONE.minus(maintenance),
        Side::Sell => Num::ONE.plus(maintenance),
    }
}

/// Quantity and average entry after adding `added` on `side` at `entry`; `None` if that reduces or reverses the
/// position.
pub fn merged(
    position: Option<&Position>,
    side: Side,
    added: Num,
    entry: Num,
) -> Option<(Num, Num)> {
    let Some(held) = position else {
        return Some((added, entry));
    };
    let quantity = held.quantity().plus(added)?;
    let value = held.quantity().times(held.entry_price?)?;
    let average = value.plus(added.times(entry)?)?.over(quantity)?;
    (held.side() == Some(side)).then_some((quantity, average))
}

/// The signed size of a position after `quantity` more on `side`; `None` if its side is unknown.
pub fn size_after(position: Option<&Position>, side: Side, quantity: Num) -> Option<Num> {
    let held = match position {
        None => Num::ZERO,
        Some(position) => signed(position.side()?, position.quantity()),
    };
    held.plus(signed(side, quantity))
}

fn signed(side: Side, quantity: Num) -> Num {
    match side {
        Side::Buy => quantity,
        Side::Sell => quantity.negated(),
    }
}

/// Profit per coin from `entry` to `exit`; negative is a loss.
pub fn gain(side: Side, entry: Num, exit: Num) -> Option<Num> {
    match side {
        Side::Buy => exit.minus(entry),
        Side::Sell => entry.minus(exit),
    }
}

/// Reward divided by risk, each after fees per coin; `None` unless the target gains and the stop loses.
pub fn reward_to_risk(side: Side, entry: Num, target: (Num, Num), stop: (Num, Num)) -> Option<Num> {
    let after = |(exit, fees): (Num, Num)| gain(side, entry, exit)?.minus(fees);
    let (reward, risk) = (after(target)?, after(stop)?);
    (reward.is_positive() && risk.is_negative()).then(|| reward.over(risk.abs()))?
}

// What a position comes to when its stops fire.

/// Profit before fees, USD, where `stops` fire at their prices, the nearest first: together they close no more than the
/// position, and what they leave is liquidated. `None` where nothing tells what becomes of that.
pub fn pnl_at_stops(
    position: &Position,
    stops: impl IntoIterator<Item = (Num, Num)>,
) -> Option<Num> {
    let (side, entry) = (position.side()?, position.entry_price?);
    let (mut left, mut sum) = (position.quantity(), Num::ZERO);
    for (price, quantity) in stops {
        let closed = quantity.min(left);
        left = left.minus(closed)?;
        sum = sum.plus(gain(side, entry, price)?.times(closed)?)?;
    }
    if left.is_positive() {
        let rest = gain(side, entry, position.liquidation_price?)?;
        sum = sum.plus(rest.times(left)?)?;
    }
    Some(sum)
}

// Where a position is closed without a loss: its entry, the fees of both ends and the funding it received.

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

    fn rounded(liquidation: Option<LiquidationEstimate>) -> Option<String> {
        liquidation.map(|liquidation| match liquidation {
            LiquidationEstimate::At(price) => price.rounded(6).to_string(),
            LiquidationEstimate::Never => "never".to_owned(),
        })
    }

    #[test]
    fn isolated_liquidation_prices_are_those_of_the_worked_examples() {
        for (side, extra, price) in [
            (Side::Buy, "0", "45569.620253"),
            (Side::Buy, "500", "44556.962025"),
            (Side::Sell, "0", "54320.987654"),
            (Side::Sell, "500", "55308.641975"),
        ] {
            let margin = num("2500").plus(num(extra)).unwrap();
            let (size, entry) = (num("0.5"), num("50000"));
            let liquidation = liquidation(side, size, entry, margin, num("0.0125"));
            assert_eq!(rounded(liquidation), Some(price.to_owned()));
        }
    }

    #[test]
    fn extra_margin_moves_the_liquidation_price_by_the_worked_amount() {
        for (size, from, to) in [
            ("0.5", "45569.620253", "44556.962025"),
            ("-0.5", "54320.987654", "55308.641975"),
        ] {
            let json = format!(
                r#"{{"id":"p","market_id":"x|BTC","size":{size},"liquidation_price":{from}}}"#
            );
            let position: Position = serde_json::from_str(&json).unwrap();
            let moved = moved_liquidation(&position, num("500"), num("0.0125"));
            assert_eq!(rounded(moved), Some(to.to_owned()));
        }
    }

    #[test]
    fn a_position_fully_paid_for_has_no_liquidation_price() {
        let paid = liquidation(Side::Buy, num("1"), num("100"), num("100"), num("0.05"));
        assert_eq!(paid, Some(LiquidationEstimate::Never));
        let long = held(r#""size":1,"liquidation_price":100"#);
        let moved = moved_liquidation(&long, num("1000"), num("0.05"));
        assert_eq!(moved, Some(LiquidationEstimate::Never));
    }

    fn held(json: &str) -> Position {
        serde_json::from_str(&format!(r#"{{"id":"p","market_id":"x|Y",{json}}}"#)).unwrap()
    }

    #[test]
    fn adding_to_a_position_averages_it_and_reducing_it_is_not_guessed() {
        let long = held(r#""size":0.25,"entry_price":40000"#);
        let (size, price) = (num("0.25"), num("60000"));
        let (quantity, average) = merged(Some(&long), Side::Buy, size, price).unwrap();
        assert_eq!((quantity, average), (num("0.5"), num("50000")));
        assert_eq!(merged(Some(&long), Side::Sell, size, price), None);
        assert_eq!(merged(None, Side::Sell, size, price), Some((size, price)));
    }

    #[test]
    fn cross_liquidation_prices_are_those_of_the_worked_examples() {
        let market = |mark, max_leverage| Market {
            mark: Some(num(mark)),
            max_leverage: Some(max_leverage),
            ..Market::new("x|Y".into())
        };
        let (btc, eth) = (market("49000", 40), market("3100", 25));
        let long = held(r#""size":1,"entry_price":50000"#);
        let short = held(r#""size":-10,"entry_price":3000"#);
        let pocket =
            held(r#""size":1,"entry_price":1000,"leverage":2,"isolated_margin_extra":100"#);
        let price = |side, (size, entry), others: &[(&Position, Option<&Market>)], maintenance| {
            let backing = cross_backing(num("10000"), others.iter().copied())?;
            liquidation(side, size, entry, backing, num(maintenance))
        };
        let one = (num("1"), num("50000"));
        let ten = (num("10"), num("3000"));
        for (found, worked) in [
            (price(Side::Buy, one, &[], "0.0125"), "40506.329114"),
            (price(Side::Sell, one, &[], "0.0125"), "59259.259259"),
            (
                price(Side::Buy, one, &[(&short, Some(&eth))], "0.0125"),
                "42146.835443",
            ),
            (
                price(Side::Sell, ten, &[(&long, Some(&btc))], "0.02"),
                "3763.480392",
            ),
            (
                price(
                    Side::Buy,
                    one,
                    &[(&short, Some(&eth)), (&pocket, None)],
                    "0.0125",
                ),
                "42754.430380",
            ),
        ] {
            assert_eq!(rounded(found), Some(worked.to_owned()));
        }
        assert_eq!(price(Side::Buy, one, &[(&short, None)], "0.0125"), None);
    }

    #[test]
    fn reward_to_risk_needs_a_target_that_gains_and_a_stop_that_loses() {
        let after = |target, stop| {
            let exit = |(price, fee)| (num(price), num(fee));
            reward_to_risk(Side::Sell, num("100"), exit(target), exit(stop))
        };
        assert_eq!(after(("90", "1"), ("104", "2")), Some(num("1.5")));
        let ratio = |target, stop| after((target, "0"), (stop, "0"));
        assert_eq!(ratio("80", "110"), Some(num("2")));
        assert_eq!(ratio("120", "110"), None);
        assert_eq!(ratio("80", "90"), None);
    }
}

#[cfg(test)]
mod at_stops_tests {
    use super::*;

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    #[test]
    fn stops_close_the_nearest_first_no_more_than_there_is_and_the_rest_is_liquidated() {
        let position = |size: &str, liquidation: &str| -> Position {
            let json = format!(
                r#"{{"id":"p","market_id":"x|Y","size":{size},"entry_price":100{liquidation}}}"#
            );
            serde_json::from_str(&json).unwrap()
        };
        let at = |position: &Position, stops: &[(&str, &str)]| {
            let stops = stops.iter().map(|(price, size)| (num(price), num(size)));
            pnl_at_stops(position, stops).map(|pnl| pnl.normalized().to_string())
        };
        let long = position("10", r#","liquidation_price":50"#);
        assert_eq!(at(&long, &[("90", "10")]).as_deref(), Some("-100"));
        assert_eq!(
            at(&long, &[("90", "4"), ("80", "6")]).as_deref(),
            Some("-160")
        );
        assert_eq!(
            at(&long, &[("90", "8"), ("80", "8")]).as_deref(),
            Some("-120")
        );
        assert_eq!(at(&long, &[("90", "4")]).as_deref(), Some("-340"));
        assert_eq!(at(&long, &[]).as_deref(), Some("-500"));
        let short = position("-10", r#","liquidation_price":150"#);
        assert_eq!(at(&short, &[("110", "5")]).as_deref(), Some("-300"));
        let untold = position("10", "");
        assert_eq!(at(&untold, &[("110", "10")]).as_deref(), Some("100"));
        assert_eq!(at(&untold, &[("110", "9")]), None);
    }
}

#[cfg(test)]
mod break_even_tests {
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
