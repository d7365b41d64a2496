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

const SCALED: &[Field] = &[
    Field::StartPrice,
    Field::EndPrice,
    Field::Rungs,
    Field::Distribution,
];

fn of_order(kind: PlaceKind) -> (&'static [Field], &'static [TimeInForce]) {
    match kind {
        PlaceKind::Market => (&[Field::TakeProfit, Field::StopLoss, Field::Slippage], &[]),
        PlaceKind::Limit => (
            &[
                Field::LimitPrice,
                Field::TimeInForce,
                Field::Expires,
                Field::TakeProfit,
                Field::StopLoss,
            ],
            ANY,
        ),
        PlaceKind::Chase => (
            &[
                Field::ChaseOffset,
                Field::ChaseCap,
                Field::TimeInForce,
                Field::Expires,
                Field::TakeProfit,
                Field::StopLoss,
            ],
            LASTING,
        ),
        PlaceKind::StopMarket | PlaceKind::TakeMarket => (TRIGGERED_MARKET, LASTING),
        PlaceKind::StopLimit | PlaceKind::TakeLimit => (TRIGGERED_LIMIT, ANY),
        PlaceKind::TakeProfit => (
            &[
                Field::TargetPosition,
                Field::TriggerPrice,
                Field::Slippage,
                Field::TimeInForce,
                Field::Expires,
            ],
            LASTING,
        ),
        PlaceKind::Conditional => (
            &[
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
            LASTING,
        ),
    }
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

    /// The fields between the first and the last ones, and the allowed times in force.
    fn own(self) -> (&'static [Field], &'static [TimeInForce]) {
        match self {
            Self::Order(kind) => of_order(kind),
            Self::Sliced(Curve::Twap | Curve::Vwap) => (SLICED, &[]),
            Self::Scaled => (SCALED, &[]),
        }
    }

    /// Its fields, in form order.
    pub fn fields(self) -> impl Iterator<Item = Field> {
        let (own, _) = self.own();
        let rest = TAIL.iter().filter(|field| !own.contains(field));
        let fields = HEAD.iter().chain(own).chain(rest).copied();
        fields.filter(move |field| has_field(self, *field))
    }
}

/// A take profit always reduces; a scaled order has no other type, and no observed price.
fn has_field(shape: DraftShape, field: Field) -> bool {
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
    shape.own().1
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray as _;

    fn all() -> impl Iterator<Item = DraftShape> {
        let orders = PlaceKind::VARIANTS.iter().copied().map(DraftShape::Order);
        let sliced = Curve::VARIANTS.iter().copied().map(DraftShape::Sliced);
        orders.chain(sliced).chain([DraftShape::Scaled])
    }

    #[test]
    fn every_type_that_can_be_placed_has_its_fields() {
        for shape in all() {
            assert!(!shape.own().0.is_empty(), "{shape:?}");
        }
    }

    #[test]
    fn a_time_in_force_is_asked_for_where_there_is_one_to_choose() {
        for shape in all() {
            let (own, times) = shape.own();
            let asks = own.contains(&Field::TimeInForce);
            assert_eq!(asks, !times.is_empty(), "{shape:?}");
        }
    }
}
