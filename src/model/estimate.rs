//! What an order would come to, as far as it can be reckoned here. Every answer is an estimate or nothing;
//! the service alone knows. Formulas: `reference/exchange.md` 4.1 and 4.2, without tiers.

use super::{Market, Num, Position, Side};

/// Whether a limit on `side` would fill at once against the observed book; `None` when that is not known.
pub fn crosses(market: &Market, side: Side, limit: Num) -> Option<bool> {
    Some(match side {
        Side::Buy => limit >= market.ask?,
        Side::Sell => limit <= market.bid?,
    })
}

/// Share of the notional that must stay as margin: half of what the highest leverage asks for.
pub fn maintenance_rate(market: &Market) -> Option<Num> {
    let leverage = market.max_leverage.filter(|l| *l > 0)?;
    Num::ONE.over(Num::from(leverage).times(Num::from(2_u32))?)
}

/// Liquidation price of an isolated position backed by `margin` USD; `None` also when none is above zero.
pub fn isolated_liquidation(
    side: Side,
    (quantity, entry): (Num, Num),
    margin: Num,
    maintenance: Num,
) -> Option<Num> {
    let value = quantity.times(entry)?;
    let covered = match side {
        Side::Buy => value.minus(margin)?,
        Side::Sell => value.plus(margin)?,
    };
    let price = covered.over(quantity.times(steepness(side, maintenance)?)?)?;
    price.is_positive().then_some(price)
}

/// Where a position's own liquidation price goes when its isolated margin changes by `change` USD.
pub fn moved_liquidation(position: &Position, change: Num, maintenance: Num) -> Option<Num> {
    let (side, now) = (position.side()?, position.liquidation_price?);
    let step = change.over(position.quantity().times(steepness(side, maintenance)?)?)?;
    let moved = match side {
        Side::Buy => now.minus(step)?,
        Side::Sell => now.plus(step)?,
    };
    moved.is_positive().then_some(moved)
}

/// How fast equity above maintenance falls per coin as the price moves against the position.
fn steepness(side: Side, maintenance: Num) -> Option<Num> {
    match side {
        Side::Buy => Num::ONE.minus(maintenance),
        Side::Sell => Num::ONE.plus(maintenance),
    }
}

/// Liquidation price of what an isolated order would leave, if all of it filled at `entry`; `None` when it
/// reduces or turns the position, or joins a cross one.
pub fn liquidation_after(
    (side, added, entry, leverage): (Side, Num, Num, Num),
    position: Option<&Position>,
    maintenance: Num,
) -> Option<Num> {
    let (quantity, value, extra) = match position {
        None => (added, added.times(entry)?, Num::ZERO),
        Some(held) if held.side() == Some(side) => (
            held.quantity().plus(added)?,
            held.quantity()
                .times(held.entry_price?)?
                .plus(added.times(entry)?)?,
            held.isolated_margin_extra?,
        ),
        Some(_) => return None,
    };
    let margin = value.over(leverage)?.plus(extra)?;
    let average = value.over(quantity)?;
    isolated_liquidation(side, (quantity, average), margin, maintenance)
}

/// The signed size a position would have after `quantity` more on `side`; `None` when its side is unknown.
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

/// Reward per unit of risk; `None` unless the target gains and the stop loses.
pub fn reward_to_risk(side: Side, entry: Num, target: Num, stop: Num) -> Option<Num> {
    let reward = gain(side, entry, target).filter(|g| g.is_positive())?;
    let risk = gain(side, entry, stop).filter(|g| g.is_negative())?;
    reward.over(risk.abs())
}

/// How far `price` is from `from`, in percent of it.
pub fn distance_percent(from: Num, price: Num) -> Option<Num> {
    price.minus(from)?.times(Num::HUNDRED)?.over(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    fn rounded(price: Option<Num>) -> Option<String> {
        price.map(|p| p.rounded(6).to_string())
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
            let liquidation =
                isolated_liquidation(side, (num("0.5"), num("50000")), margin, num("0.0125"));
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
        let paid = isolated_liquidation(Side::Buy, (num("1"), num("100")), num("100"), num("0.05"));
        assert_eq!(paid, None);
    }

    #[test]
    fn adding_to_an_isolated_position_averages_it_and_reducing_it_is_not_guessed() {
        let held: Position = serde_json::from_str(
            r#"{"id":"p","market_id":"x|BTC","size":0.25,"entry_price":40000,"isolated_margin_extra":0}"#,
        )
        .unwrap();
        let after = |side| {
            let order = (side, num("0.25"), num("60000"), num("10"));
            liquidation_after(order, Some(&held), num("0.0125"))
        };
        assert_eq!(rounded(after(Side::Buy)), Some("45569.620253".to_owned()));
        assert_eq!(after(Side::Sell), None);
    }

    #[test]
    fn reward_to_risk_needs_a_target_that_gains_and_a_stop_that_loses() {
        let ratio = |target, stop| reward_to_risk(Side::Sell, num("100"), num(target), num(stop));
        assert_eq!(ratio("80", "110"), Some(num("2")));
        assert_eq!(ratio("120", "110"), None);
        assert_eq!(ratio("80", "90"), None);
    }
}
