//! What a position comes to when its stops fire.

use super::gain;
use crate::model::{Num, Position};

/// Profit before fees, USD, where `stops` fire at their prices, the nearest first: together they close no more than the
/// position, and what they leave is liquidated. `None` where nothing shows what becomes of that.
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

#[cfg(test)]
mod tests {
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
