//! What a row of an order says that cannot be true. Such a row is shown and can be acted on, but it is never believed in
//! silence (docs/service-api.md 2.1).

use super::Order;
use crate::model::{Num, OrderStatus, Side};

impl Order {
    /// What it says that cannot be true, or that perpdeck does not know; one phrase each.
    pub fn contradictions(&self) -> Vec<String> {
        let found = [
            self.id.raw().is_empty().then(|| "no id".to_owned()),
            self.unknown_status(),
            self.impossible_fill(),
            self.overfill(),
            self.worse_than_its_limit(),
        ];
        found.into_iter().flatten().collect()
    }

    fn unknown_status(&self) -> Option<String> {
        let is_unknown = self.status.known().is_none();
        is_unknown.then(|| format!("unknown status \"{}\"", self.status))
    }

    /// A price or size of its fill that no fill has. Where sizes are signed, `size` and `filled_size` are so alike.
    fn impossible_fill(&self) -> Option<String> {
        if let Some(price) = self.fill_price.filter(|price| !price.is_positive()) {
            return Some(format!("fill price {price}"));
        }
        let filled = self.filled_size?;
        let is_over = self.status.is(&OrderStatus::Filled);
        let is_opposite = filled.is_negative() && !self.size.is_negative();
        (is_opposite || (is_over && filled.is_zero())).then(|| format!("filled size {filled}"))
    }

    fn overfill(&self) -> Option<String> {
        let (filled, requested) = (self.filled_size?.abs(), self.initial_size?.abs());
        (filled > requested).then(|| format!("filled {filled} of {requested}"))
    }

    /// A fill beyond the limit price. Only a final row counts: a limit that was moved in place is not that of the fills
    /// before it. A chase moves its limit itself, up to its cap.
    fn worse_than_its_limit(&self) -> Option<String> {
        let limit = match self.chase_offset {
            Some(_) => self.chase_cap_price?,
            None => self.limit_price?,
        };
        let fill = self.fill_price?;
        let is_worse = self.is_over() && is_beyond(self.side.known()?, fill, limit);
        is_worse.then(|| format!("filled at {fill}, beyond its limit {limit}"))
    }
}

/// Whether a fill at `price` breaks `limit`.
fn is_beyond(side: Side, price: Num, limit: Num) -> bool {
    match side {
        Side::Buy => price > limit,
        Side::Sell => price < limit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contradictions(rest: &str) -> Vec<String> {
        let json = format!(
            r#"{{"id":"o","account_id":"a","market_id":"paper|BTC","provider":"paper","symbol":"BTC",
            "coin":"BTC","type":"limit","mode":"limit","side":"buy","size":2,"expected_price":1,
            "leverage":5,"margin_mode":"cross","reduce_only":false,"requested_at":1790000000000,{rest}}}"#
        );
        let order: Order = serde_json::from_str(&json).unwrap();
        order.contradictions()
    }

    #[test]
    fn a_plausible_order_has_no_contradiction() {
        for rest in [
            r#""status":"resting","limit_price":100"#,
            r#""status":"filled","filled_size":2,"initial_size":2,"fill_price":100,"limit_price":100"#,
            r#""status":"canceled","filled_size":0,"limit_price":100"#,
            // Moved from 110 to 100 after its first part.
            r#""status":"resting","filled_size":1,"initial_size":2,"fill_price":110,"limit_price":100"#,
        ] {
            assert_eq!(contradictions(rest), [""; 0], "{rest}");
        }
    }

    #[test]
    fn what_cannot_be_true_of_an_order_is_named() {
        for (rest, expected) in [
            (r#""status":"amended""#, r#"unknown status "amended""#),
            (r#""status":"filled","fill_price":0"#, "fill price 0"),
            (r#""status":"filled","fill_price":-5"#, "fill price -5"),
            (r#""status":"resting","filled_size":-1"#, "filled size -1"),
            (r#""status":"filled","filled_size":0"#, "filled size 0"),
            (
                r#""status":"filled","filled_size":5,"initial_size":2"#,
                "filled 5 of 2",
            ),
            (
                r#""status":"filled","fill_price":101,"limit_price":100"#,
                "filled at 101, beyond its limit 100",
            ),
        ] {
            assert_eq!(contradictions(rest), [expected], "{rest}");
        }
    }
}
