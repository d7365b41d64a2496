//! Steps prices and sizes with the arrows: by tick, lot or unit.

use crate::model::{
    Num, Side, Tick,
    draft::{Field, FieldInput, Seen, number},
};

/// Characters around the digits of a typed number.
const BEFORE: &[char] = &['$', 'r', 'R', '+', '-', '='];

/// `text` of `field` after `count` steps; `None` if it is no number or would leave its range.
pub(crate) fn stepped(field: Field, text: &str, count: i64, seen: &Seen) -> Option<String> {
    let text = text.trim();
    if text.is_empty() {
        return first(field, count, seen);
    }
    let digits = text.trim_start_matches(BEFORE).trim_end_matches('%');
    let (before, after) = text.split_once(digits)?;
    let value = number(digits).ok()?;
    let unit = match (before, after) {
        ("", "") => unit(field, value, seen),
        _ => Tick::fine(0),
    };
    let next = on_tick(field, along_grid(value, unit, count)?, seen);
    let lowest_is_zero = matches!(
        field,
        Field::ExtraMargin | Field::Slippage | Field::ChaseOffset
    );
    let makes_sense = next.is_positive() || (lowest_is_zero && next.is_zero());
    makes_sense.then(|| format!("{before}{next}{after}"))
}

/// An empty price starts at the observed one, an empty margin at the current one, everything else at zero.
fn first(field: Field, count: i64, seen: &Seen) -> Option<String> {
    if field.is_price() {
        return observed(field, seen, None).map(|price| price.to_string());
    }
    if field == Field::ExtraMargin {
        let now = seen.position?.isolated_margin_extra?;
        return stepped(field, &now.to_string(), count, seen);
    }
    (count > 0).then(|| stepped(field, "0", count, seen))?
}

/// The step of a number in this field; USD amounts and percentages step by one.
fn unit(field: Field, value: Num, seen: &Seen) -> Tick {
    let market = seen.market_of(field);
    let grid = match field.takes() {
        FieldInput::Size => seen.size_decimals().map(Tick::fine),
        FieldInput::Price | FieldInput::WatchedPrice => {
            market.and_then(|market| market.tick(value))
        }
        FieldInput::Number if field == Field::ChaseOffset => {
            market.and_then(|market| market.tick(market.mid()?))
        }
        FieldInput::Choice
        | FieldInput::Market
        | FieldInput::Number
        | FieldInput::Instant
        | FieldInput::Span => Some(Tick::fine(0)),
    };
    grid.unwrap_or(Tick::fine(value.decimals()))
}

/// `count` steps of `unit`; a value between two steps first moves to the nearer one.
fn along_grid(value: Num, unit: Tick, count: i64) -> Option<Num> {
    let first = if count < 0 {
        unit.above(value)
    } else {
        unit.below(value)
    };
    first.plus(unit.step().times(Num::from(count))?)
}

/// After ten steps up the tick may be larger.
fn on_tick(field: Field, value: Num, seen: &Seen) -> Num {
    let market = seen.market_of(field).filter(|_| field.is_price());
    let tick = market.and_then(|market| market.tick(value));
    tick.map_or(value, |tick| tick.near(value))
}

/// The observed midpoint on the price grid, rounded to the passive side of `side`; unrounded for the observed-price
/// field.
pub(crate) fn observed(field: Field, seen: &Seen, side: Option<Side>) -> Option<Num> {
    let market = seen.market_of(field)?;
    let mid = market.mid()?;
    let tick = market.tick(mid).filter(|_| field != Field::ExpectedPrice);
    let Some(tick) = tick else {
        return Some(mid);
    };
    Some(tick.resting(mid, side.unwrap_or(Side::Buy)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Market;

    fn eth() -> Market {
        Market {
            bid: Some(Num::new(30_000, 1)),
            ask: Some(Num::new(30_001, 1)),
            size_decimals: Some(2),
            max_leverage: Some(25),
            ..Market::new("paper|ETH".into())
        }
    }

    fn step(field: Field, text: &str, count: i64) -> Option<String> {
        let market = eth();
        let seen = Seen {
            market: Some(&market),
            ..Seen::default()
        };
        stepped(field, text, count, &seen)
    }

    #[test]
    fn a_price_moves_by_ticks_a_size_by_lots_and_the_rest_by_one() {
        for (field, text, count, next) in [
            (Field::LimitPrice, "3000", 1, Some("3000.1")),
            (Field::LimitPrice, "3000.1", -10, Some("2999.1")),
            (Field::LimitPrice, "3000.17", 1, Some("3000.2")),
            (Field::LimitPrice, "3000.17", -1, Some("3000.1")),
            (Field::LimitPrice, "", 1, Some("3000.0")),
            (Field::LimitPrice, "9999.5", 10, Some("10001")),
            (Field::LimitPrice, "10000", -1, Some("9999.0")),
            (Field::Size, "0.5", 1, Some("0.51")),
            (Field::Size, "", 10, Some("0.10")),
            (Field::Size, "$1000", -10, Some("$990")),
            (Field::Size, "50%", 1, Some("51%")),
            (Field::Leverage, "5", 1, Some("6")),
            (Field::ExtraMargin, "+50", -1, Some("+49")),
            (Field::Slippage, "", 1, Some("1")),
        ] {
            assert_eq!(
                step(field, text, count).as_deref(),
                next,
                "{field:?} {text}"
            );
        }
    }

    #[test]
    fn a_step_never_makes_nonsense_of_a_number_nor_a_number_of_nonsense() {
        for (field, text, count) in [
            (Field::Size, "0.01", -1),
            (Field::Leverage, "1", -1),
            (Field::LimitPrice, "1,5", 1),
            (Field::LimitPrice, "%", 1),
            (Field::Size, "", -1),
            (Field::ExtraMargin, "", 1),
        ] {
            assert_eq!(step(field, text, count), None, "{field:?} {text}");
        }
    }

    #[test]
    fn the_observed_price_is_put_on_the_grid_on_the_side_that_rests() {
        let market = eth();
        let seen = Seen {
            market: Some(&market),
            ..Seen::default()
        };
        assert_eq!(seen.mid(), Some(Num::new(300_005, 2)));
        assert_eq!(
            observed(Field::LimitPrice, &seen, Some(Side::Buy)),
            Some(Num::new(30_000, 1))
        );
        assert_eq!(
            observed(Field::LimitPrice, &seen, Some(Side::Sell)),
            Some(Num::new(30_001, 1))
        );
    }
}
