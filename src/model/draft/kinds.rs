//! The fields of each order type. The documents do not say what a type requires (`docs/service-api.md 4.1`): this table
//! is a guess that the paper exchange shares, and only decides what a form asks for. The service decides.

use super::{
    super::{Curve, PlaceKind, TimeInForce},
    Field,
};

/// The shape of what is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftShape {
    Order(PlaceKind),
    /// A TWAP or VWAP order.
    Sliced(Curve),
    Scaled,
}

/// The first and the last fields of every new order.
const HEAD: &[Field] = &[
    Field::Kind,
    Field::Curve,
    Field::Market,
    Field::Side,
    Field::Size,
];
const TAIL: &[Field] = &[
    Field::Leverage,
    Field::MarginMode,
    Field::ReduceOnly,
    Field::ExpectedPrice,
];

/// The fields between them by type, and the allowed times in force.
struct KindRow {
    shape: DraftShape,
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

/// A triggered order usually closes a position, so `reduce_only` is a visible field.
const TRIGGERED_MARKET: &[Field] = &[
    Field::TriggerPrice,
    Field::ReduceOnly,
    Field::Slippage,
    Field::TimeInForce,
    Field::Expires,
    Field::TakeProfit,
    Field::StopLoss,
];
const TRIGGERED_LIMIT: &[Field] = &[
    Field::TriggerPrice,
    Field::LimitPrice,
    Field::ReduceOnly,
    Field::TimeInForce,
    Field::Expires,
    Field::TakeProfit,
    Field::StopLoss,
];

const SLICED: &[Field] = &[
    Field::Duration,
    Field::SliceInterval,
    Field::Randomize,
    Field::TriggerPrice,
    Field::MinPrice,
    Field::MaxPrice,
];

const ROWS: &[KindRow] = &[
    KindRow {
        shape: DraftShape::Order(PlaceKind::Market),
        own: &[Field::TakeProfit, Field::StopLoss, Field::Slippage],
        times: &[],
    },
    KindRow {
        shape: DraftShape::Order(PlaceKind::Limit),
        own: &[
            Field::LimitPrice,
            Field::TimeInForce,
            Field::Expires,
            Field::TakeProfit,
            Field::StopLoss,
        ],
        times: ANY,
    },
    KindRow {
        shape: DraftShape::Order(PlaceKind::Chase),
        own: &[
            Field::ChaseOffset,
            Field::ChaseCap,
            Field::TimeInForce,
            Field::Expires,
            Field::TakeProfit,
            Field::StopLoss,
        ],
        times: LASTING,
    },
    KindRow {
        shape: DraftShape::Order(PlaceKind::StopMarket),
        own: TRIGGERED_MARKET,
        times: LASTING,
    },
    KindRow {
        shape: DraftShape::Order(PlaceKind::StopLimit),
        own: TRIGGERED_LIMIT,
        times: ANY,
    },
    KindRow {
        shape: DraftShape::Order(PlaceKind::TakeMarket),
        own: TRIGGERED_MARKET,
        times: LASTING,
    },
    KindRow {
        shape: DraftShape::Order(PlaceKind::TakeLimit),
        own: TRIGGERED_LIMIT,
        times: ANY,
    },
    KindRow {
        shape: DraftShape::Order(PlaceKind::TakeProfit),
        own: &[
            Field::TargetPosition,
            Field::TriggerPrice,
            Field::Slippage,
            Field::TimeInForce,
            Field::Expires,
        ],
        times: LASTING,
    },
    KindRow {
        shape: DraftShape::Order(PlaceKind::Conditional),
        own: &[
            Field::TriggerMarket,
            Field::TriggerDirection,
            Field::TriggerPrice,
            Field::ReduceOnly,
            Field::Slippage,
            Field::TimeInForce,
            Field::Expires,
            Field::TakeProfit,
            Field::StopLoss,
        ],
        times: LASTING,
    },
    KindRow {
        shape: DraftShape::Sliced(Curve::Twap),
        own: SLICED,
        times: &[],
    },
    KindRow {
        shape: DraftShape::Sliced(Curve::Vwap),
        own: SLICED,
        times: &[],
    },
    KindRow {
        shape: DraftShape::Scaled,
        own: &[
            Field::StartPrice,
            Field::EndPrice,
            Field::Rungs,
            Field::Distribution,
        ],
        times: &[],
    },
];

fn row(shape: DraftShape) -> Option<&'static KindRow> {
    ROWS.iter().find(|row| row.shape == shape)
}

impl DraftShape {
    /// The same shape with the type that this word names; a scaled order has none.
    ///
    /// # Errors
    /// If the word is none of its types.
    pub fn with_type(self, word: &str) -> Result<Self, strum::ParseError> {
        Ok(match self {
            Self::Order(_) => Self::Order(word.parse()?),
            Self::Sliced(_) => Self::Sliced(word.parse()?),
            Self::Scaled => Self::Scaled,
        })
    }

    /// Its fields, in form order.
    pub fn fields(self) -> impl Iterator<Item = Field> {
        let own = row(self).map_or(&[] as &[Field], |row| row.own);
        let rest = TAIL.iter().filter(|field| !own.contains(field));
        let fields = HEAD.iter().chain(own).chain(rest).copied();
        fields.filter(move |field| is_asked(self, *field))
    }
}

/// A take profit always reduces; a scaled order has no other type, and no observed price.
fn is_asked(shape: DraftShape, field: Field) -> bool {
    match shape {
        DraftShape::Order(PlaceKind::TakeProfit) => {
            !matches!(field, Field::Curve | Field::ReduceOnly)
        }
        DraftShape::Order(_) => field != Field::Curve,
        DraftShape::Sliced(_) => field != Field::Kind,
        DraftShape::Scaled => !matches!(field, Field::Kind | Field::Curve | Field::ExpectedPrice),
    }
}

/// The times in force of a shape.
pub fn times_in_force(shape: DraftShape) -> &'static [TimeInForce] {
    row(shape).map_or(&[], |row| row.times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray as _;

    #[test]
    fn every_type_that_can_be_placed_has_its_fields() {
        let listed: Vec<_> = ROWS.iter().map(|row| row.shape).collect();
        let orders = PlaceKind::VARIANTS.iter().copied().map(DraftShape::Order);
        let sliced = Curve::VARIANTS.iter().copied().map(DraftShape::Sliced);
        let all: Vec<_> = orders.chain(sliced).chain([DraftShape::Scaled]).collect();
        assert_eq!(listed, all);
    }

    #[test]
    fn a_time_in_force_is_asked_for_where_there_is_one_to_choose() {
        for row in ROWS {
            assert_eq!(
                row.own.contains(&Field::TimeInForce),
                !row.times.is_empty(),
                "{:?}",
                row.shape
            );
        }
    }
}
