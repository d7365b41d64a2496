//! Local estimates of an order's effect. Every result is an estimate or `None`; only the service knows. Formulas:
//! `docs/engine.md 6.1, 6.3`, without tiers.

use super::{Market, Num, Position, Side};

mod at_stops;
mod break_even;

pub use at_stops::pnl_at_stops;
pub use break_even::{RoundTrip, break_even, has_passed, is_as_good, safe_stop};

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
