//! The units of a market, in both directions, and the field checks that all body readers share.

use super::super::{
    api_error::{ApiError, ApiResult, ServiceCode},
    engine::{
        Bps, Engine, Lots, MAX_COUNT, MarketIx, MarketSpec, NanoPx, NanoRate, Px, Reason, Usd,
        decimal, price_decimals,
    },
};
use crate::model::{ClientOrderId, MarketId, Num};

/// The steps of a market: sizes in `10^-size_decimals`, prices in `10^-(6 - size_decimals)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MarketUnits {
    pub(crate) size_decimals: u32,
}

impl From<&MarketSpec> for MarketUnits {
    fn from(spec: &MarketSpec) -> Self {
        Self {
            size_decimals: spec.size_decimals,
        }
    }
}

impl MarketUnits {
    /// Of a market of this engine.
    pub(crate) fn of(engine: &Engine, market: MarketIx) -> Self {
        Self::from(engine.market_spec(market))
    }

    /// A price above zero within the market's decimals. The engine checks the five significant figures; the error for
    /// too many decimals states the tick they require too.
    pub(crate) fn price(self, field: &'static str, given: Num) -> ApiResult<Px> {
        let decimals = price_decimals(self.size_decimals);
        counted(given, decimals, MAX_COUNT).map(Px).map_err(|why| {
            let near = given.rounded(decimals).to_scaled(decimals);
            let tick = Px(near.unwrap_or(0)).tick(self.size_decimals);
            why.into_error(
                field,
                given,
                tick.shown(self.size_decimals),
                Reason::InvalidTick,
            )
        })
    }

    /// A price distance of zero or more.
    pub(crate) fn offset(self, field: &'static str, given: Num) -> ApiResult<Px> {
        if given.is_zero() {
            return Ok(Px::ZERO);
        }
        not_negative(field, given, Reason::InvalidPrice)?;
        let decimals = price_decimals(self.size_decimals);
        counted(given, decimals, MAX_COUNT)
            .map(Px)
            .map_err(|why| why.into_error(field, given, decimal(1, decimals), Reason::InvalidTick))
    }

    /// A size above zero in whole lots.
    pub(crate) fn size(self, field: &'static str, given: Num) -> ApiResult<Lots> {
        counted(given, self.size_decimals, MAX_COUNT)
            .map(Lots)
            .map_err(|why| {
                why.into_error(
                    field,
                    given,
                    decimal(1, self.size_decimals),
                    Reason::InvalidSize,
                )
            })
    }

    /// `None` for a size between two lots.
    pub(crate) fn whole_lots(self, size: Num) -> Option<Lots> {
        let count: i128 = size.to_scaled(self.size_decimals)?;
        // Larger than every book.
        Some(Lots(i64::try_from(count).unwrap_or(i64::MAX)))
    }

    pub(crate) fn px(self, px: Px) -> Num {
        px.shown(self.size_decimals)
    }

    pub(crate) fn lots(self, lots: Lots) -> Num {
        lots.shown(self.size_decimals)
    }
}

/// Why a number is no multiple of its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CountError {
    NotPositive,
    OffStep,
    /// Above this limit.
    TooLarge(Num),
}

impl CountError {
    /// `step` is what the number must be a multiple of.
    fn into_error(self, field: &'static str, given: Num, step: Num, code: Reason) -> ApiError {
        let message = match self {
            Self::NotPositive => format!("{field} {given} must be above 0"),
            Self::OffStep => format!("{field} {given} is not a multiple of {step}"),
            Self::TooLarge(most) => {
                format!("{field} {given} is above the largest accepted, {most}")
            }
        };
        // What the market's steps allow is a rule of trading; anything else is wrong on every market.
        match (self, code.rule()) {
            (Self::OffStep, Some(rule)) => ApiError::rule(rule, field, code, message),
            (Self::OffStep | Self::NotPositive | Self::TooLarge(_), _) => {
                ApiError::field(field, code, message)
            }
        }
    }
}

fn counted(given: Num, decimals: u32, most: i64) -> Result<i64, CountError> {
    if !given.is_positive() {
        return Err(CountError::NotPositive);
    }
    let most = decimal(most.into(), decimals);
    if given > most {
        return Err(CountError::TooLarge(most));
    }
    given.to_scaled(decimals).ok_or(CountError::OffStep)
}

pub(crate) fn usd(amount: Usd) -> Num {
    decimal(amount.0, 6)
}

pub(crate) fn nano(price: NanoPx) -> Num {
    decimal(price.0.into(), 9)
}

pub(crate) fn rate(rate: NanoRate) -> Num {
    decimal(rate.0.into(), 9)
}

fn not_negative(field: &'static str, given: Num, code: Reason) -> ApiResult<()> {
    if given.is_negative() {
        let message = format!("{field} {given} must be 0 or more");
        return Err(ApiError::field(field, code, message));
    }
    Ok(())
}

/// A billion dollars, in micro-USD.
const MAX_AMOUNT: i64 = 1_000_000_000_000_000;

/// A USD amount of zero or more, exact to the micro-dollar.
pub(crate) fn amount(field: &'static str, given: Num) -> ApiResult<Usd> {
    if given.is_zero() {
        return Ok(Usd::ZERO);
    }
    not_negative(field, given, Reason::InvalidMargin)?;
    counted(given, 6, MAX_AMOUNT)
        .map(|micro| Usd(micro.into()))
        .map_err(|why| why.into_error(field, given, decimal(1, 6), Reason::InvalidMargin))
}

/// A whole number of at least 1; the engine checks the market's limit.
pub(crate) fn leverage(given: Num) -> ApiResult<u32> {
    whole("leverage", given, Reason::InvalidLeverage)
}

/// A whole number of at least 1.
pub(crate) fn whole(field: &'static str, given: Num, code: Reason) -> ApiResult<u32> {
    given
        .to_scaled(0)
        .filter(|count| *count >= 1)
        .ok_or_else(|| {
            ApiError::field(
                field,
                code,
                format!("{field} must be a whole number of at least 1, not {given}"),
            )
        })
}

/// Basis points are whole: rounding would silently widen or tighten a cap.
pub(super) fn slippage(given: Num) -> ApiResult<Bps> {
    given
        .to_scaled(0)
        .filter(|count| *count >= 0)
        .map(Bps)
        .ok_or_else(|| {
            ApiError::field(
                "slippage_tolerance_bps",
                Reason::InvalidSlippage,
                format!(
                    "slippage_tolerance_bps must be a whole number of basis points from 0 up, not {given}"
                ),
            )
        })
}

/// The client's midpoint: recorded to nine decimals, never used.
pub(crate) fn observed(field: &'static str, given: Num) -> ApiResult<NanoPx> {
    given
        .truncated(9)
        .to_scaled(9)
        .filter(|count| *count > 0)
        .map(NanoPx)
        .ok_or_else(|| {
            ApiError::field(
                field,
                Reason::InvalidPrice,
                format!("{field} {given} is not a price"),
            )
        })
}

/// Ids in bodies are at most this long; longer ones are refused before any lookup.
const ID_LIMIT: usize = 128;

pub(crate) fn account_limit(field: &'static str, id: &str) -> ApiResult<()> {
    if (1..=ID_LIMIT).contains(&id.len()) {
        return Ok(());
    }
    Err(ApiError::invalid(
        field,
        format!(
            "{field} must be 1 to {ID_LIMIT} bytes long, not {}",
            id.len()
        ),
    ))
}

pub(crate) fn market<'a>(
    engine: &'a Engine,
    field: &'static str,
    id: &MarketId,
) -> ApiResult<(MarketIx, &'a MarketSpec)> {
    account_limit(field, id.raw())?;
    let found = engine.market(id.raw()).ok_or_else(|| {
        let message = format!("{field} `{id}` is not a market here; GET /v1/markets lists them");
        ApiError::field(field, ServiceCode::UnknownMarket, message)
    });
    found.map(|ix| (ix, engine.market_spec(ix)))
}

/// The client's own name of an order; a longer one than 128 characters is refused with the body.
pub(super) fn client_order_id(given: Option<&ClientOrderId>) -> ApiResult<Option<ClientOrderId>> {
    match given {
        Some(name) if name.raw().is_empty() => Err(ApiError::invalid(
            "client_order_id",
            "client_order_id must be 1 to 128 characters long",
        )),
        Some(_) | None => Ok(given.cloned()),
    }
}

pub(crate) fn optional_price(
    units: MarketUnits,
    field: &'static str,
    given: Option<Num>,
) -> ApiResult<Option<Px>> {
    given.map(|price| units.price(field, price)).transpose()
}

pub(super) fn required_price(
    units: MarketUnits,
    field: &'static str,
    given: Option<Num>,
    kind: impl std::fmt::Display,
) -> ApiResult<Px> {
    units.price(field, required(field, given, kind)?)
}

pub(super) fn required<T>(
    field: &'static str,
    given: Option<T>,
    kind: impl std::fmt::Display,
) -> ApiResult<T> {
    given.ok_or_else(|| ApiError::invalid(field, format!("{field} is required for type {kind}")))
}

/// Refuses the first field that `kind` does not have.
pub(super) fn refuse(
    given: &[(&'static str, bool)],
    known: &[&str],
    kind: impl std::fmt::Display,
) -> ApiResult<()> {
    let unknown = given
        .iter()
        .find(|(field, is_given)| *is_given && !known.contains(field));
    unknown.map_or(Ok(()), |(field, _)| {
        let message = format!("{field} cannot be used with type {kind}");
        Err(ApiError::invalid(*field, message))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ETH: MarketUnits = MarketUnits { size_decimals: 4 };

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    #[test]
    fn a_size_between_two_lots_is_refused_with_value_and_step() {
        assert_eq!(ETH.size("size", num("0.1250")).unwrap(), Lots(1250));
        for (text, words) in [
            ("0.12345", "size 0.12345 is not a multiple of 0.0001"),
            ("0", "size 0 must be above 0"),
            ("-1", "size -1 must be above 0"),
            (
                "1e9",
                "size 1000000000 is above the largest accepted, 100000000",
            ),
        ] {
            assert_eq!(ETH.size("size", num(text)).unwrap_err().message, words);
        }
    }

    #[test]
    fn a_price_keeps_every_digit_both_ways() {
        let px = ETH.price("limit_price", num("3000.10")).unwrap();
        assert_eq!(px, Px(300_010));
        assert_eq!(ETH.px(px).to_string(), "3000.1");
        let fault = ETH.price("limit_price", num("3000.123")).unwrap_err();
        assert_eq!(
            (fault.code.into_str(), fault.message.as_str()),
            (
                "invalid_tick",
                "limit_price 3000.123 is not a multiple of 0.1"
            )
        );
    }

    #[test]
    fn a_count_loses_its_trailing_zeros_and_no_other_digit() {
        let wide = i128::from(i64::MAX) * 10;
        for (count, decimals, text) in [
            (0, 6, "0"),
            (-1_500_000, 6, "-1.5"),
            (1_000, 2, "10"),
            (100, 0, "100"),
            (i64::MIN.into(), 9, "-9223372036.854775808"),
            (wide, 9, "92233720368.54775807"),
        ] {
            assert_eq!(decimal(count, decimals).to_string(), text);
        }
    }
}
