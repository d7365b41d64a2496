//! Which fields each type of order has. `api.md` does not show what a type requires: this is a guess that the
//! paper exchange shares, and only what a form asks for; the service has the last word.

use super::{
    super::{PlaceKind, TimeInForce},
    Field,
};

/// What every new order is asked first, and last.
const HEAD: &[Field] = &[Field::Kind, Field::Market, Field::Side, Field::Size];
const TAIL: &[Field] = &[
    Field::Leverage,
    Field::MarginMode,
    Field::ReduceOnly,
    Field::ExpectedPrice,
];

/// What stands between, by type, and the times in force it can have.
struct Row {
    kind: PlaceKind,
    own: &'static [Field],
    times: &'static [TimeInForce],
}

const LASTING: &[TimeInForce] = &[TimeInForce::Gtc, TimeInForce::Gtd];
const ANY: &[TimeInForce] = &[
    TimeInForce::Gtc,
    TimeInForce::Ioc,
    TimeInForce::Fok,
    TimeInForce::Gtd,
];

const TRIGGERED_MARKET: &[Field] = &[
    Field::TriggerPrice,
    Field::Slippage,
    Field::TimeInForce,
    Field::Expires,
];
const TRIGGERED_LIMIT: &[Field] = &[
    Field::TriggerPrice,
    Field::LimitPrice,
    Field::TimeInForce,
    Field::Expires,
];

const ROWS: &[Row] = &[
    Row {
        kind: PlaceKind::Market,
        own: &[Field::TakeProfit, Field::StopLoss, Field::Slippage],
        times: &[],
    },
    Row {
        kind: PlaceKind::Limit,
        own: &[
            Field::LimitPrice,
            Field::TimeInForce,
            Field::Expires,
            Field::TakeProfit,
            Field::StopLoss,
        ],
        times: ANY,
    },
    Row {
        kind: PlaceKind::Chase,
        own: &[
            Field::ChaseOffset,
            Field::ChaseCap,
            Field::TimeInForce,
            Field::Expires,
        ],
        times: LASTING,
    },
    Row {
        kind: PlaceKind::StopMarket,
        own: TRIGGERED_MARKET,
        times: LASTING,
    },
    Row {
        kind: PlaceKind::StopLimit,
        own: TRIGGERED_LIMIT,
        times: ANY,
    },
    Row {
        kind: PlaceKind::TakeMarket,
        own: TRIGGERED_MARKET,
        times: LASTING,
    },
    Row {
        kind: PlaceKind::TakeLimit,
        own: TRIGGERED_LIMIT,
        times: ANY,
    },
    Row {
        kind: PlaceKind::TakeProfit,
        own: &[
            Field::TargetPosition,
            Field::TriggerPrice,
            Field::Slippage,
            Field::TimeInForce,
            Field::Expires,
        ],
        times: LASTING,
    },
    Row {
        kind: PlaceKind::Conditional,
        own: &[
            Field::TriggerMarket,
            Field::TriggerDirection,
            Field::TriggerPrice,
            Field::Slippage,
            Field::TimeInForce,
            Field::Expires,
        ],
        times: LASTING,
    },
];

fn row(kind: PlaceKind) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.kind == kind)
}

/// The fields of a type, in the order they are asked for. A take profit only ever reduces: it is not asked.
pub(super) fn fields(kind: PlaceKind) -> impl Iterator<Item = Field> {
    let own = row(kind).map_or(&[] as &[Field], |row| row.own);
    let only_reduces = kind == PlaceKind::TakeProfit;
    HEAD.iter()
        .chain(own)
        .chain(TAIL)
        .copied()
        .filter(move |field| *field != Field::ReduceOnly || !only_reduces)
}

/// The times in force a type can have.
pub fn times_in_force(kind: PlaceKind) -> &'static [TimeInForce] {
    row(kind).map_or(&[], |row| row.times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray as _;

    #[test]
    fn every_type_that_can_be_placed_has_its_fields() {
        let listed: Vec<_> = ROWS.iter().map(|row| row.kind).collect();
        assert_eq!(listed, PlaceKind::VARIANTS);
    }

    #[test]
    fn a_time_in_force_is_asked_for_where_there_is_one_to_choose() {
        for row in ROWS {
            assert_eq!(
                row.own.contains(&Field::TimeInForce),
                !row.times.is_empty(),
                "{}",
                row.kind
            );
        }
    }
}
