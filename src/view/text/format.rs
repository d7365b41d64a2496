//! One formatter per quantity, so that every pane, form, table and export agrees.
//!
//! Contract: an unknown value is [`UNKNOWN`], never 0. No digit that a trader typed, or that the service sent as a
//! price or size of an order, is rounded away.

use crate::model::{Market, Num, Timestamp};
use std::time::Duration;

/// The sign for an unknown value.
pub const UNKNOWN: &str = "–";
/// An average without a known tick shows at most this many decimals, below 1 this many significant figures; the detail
/// shows all.
const AVERAGE_DECIMALS: u32 = 6;
const FINER_THAN_TICK: u32 = 2;

/// The text, or the sign for an unknown value.
pub(crate) fn or_unknown(text: Option<String>) -> String {
    text.unwrap_or_else(|| UNKNOWN.to_owned())
}

/// The digits unchanged, with thousands separators.
pub fn grouped(value: Num) -> String {
    value.grouped()
}

/// As [`grouped`], with a plus sign if positive: for profits, drifts, funding.
fn signed(value: Num) -> String {
    let plus = if value.is_positive() { "+" } else { "" };
    format!("{plus}{}", grouped(value))
}

/// The price of an order, every digit of it, padded to the market's tick.
pub fn price(price: Num, market: Option<&Market>) -> String {
    let own = price.normalized().decimals();
    grouped(price.rounded(tick_decimals(price, market).map_or(own, |tick| tick.max(own))))
}

/// An average, a mark or a liquidation price, rounded to the market's tick, but never to zero.
pub fn average(price: Num, market: Option<&Market>) -> String {
    let own = price.normalized().decimals().min(average_decimals(price));
    let tick = tick_decimals(price, market).filter(|tick| !price.rounded(*tick).is_zero());
    grouped(price.rounded(tick.unwrap_or(own)))
}

/// The mark of a market as a price of it is written: so wide are its prices.
pub(crate) fn mark(market: Option<&Market>) -> Option<String> {
    Some(average(market?.mark?, market))
}

/// USD: sizes are given room up to this much.
const USUAL_NOTIONAL: i64 = 100_000;

/// The coins for [`USUAL_NOTIONAL`] at the market's mark, in whole coins: so long are the sizes of the market before the
/// decimal point.
pub(crate) fn usual_size(market: Option<&Market>) -> Option<Num> {
    let mark = market?.mark.filter(|mark| mark.is_positive())?;
    Some(Num::from(USUAL_NOTIONAL).over(mark)?.truncated(0))
}

/// A fill is an average: two digits finer than the tick distinguish two of them.
pub fn fill(price: Num, market: Option<&Market>) -> String {
    let own = price.normalized().decimals();
    let (least, most) = match tick_decimals(price, market) {
        Some(tick) => (tick, tick + FINER_THAN_TICK),
        None => (0, average_decimals(price)),
    };
    grouped(price.rounded(own.clamp(least, most)))
}

/// The decimals of an average without a known tick.
fn average_decimals(price: Num) -> u32 {
    let decimals = price.decimals();
    let zeros = (0..decimals).find(|zeros| !price.truncated(zeros + 1).is_zero());
    AVERAGE_DECIMALS.saturating_add(zeros.unwrap_or(0))
}

fn tick_decimals(price: Num, market: Option<&Market>) -> Option<u32> {
    Some(market?.tick(price)?.decimals())
}

/// A size in coin, without its sign, padded to the market's `size_decimals` and never rounded.
pub fn size(size: Num, size_decimals: Option<u32>) -> String {
    let own = size.normalized().decimals();
    grouped(size.abs().rounded(own.max(size_decimals.unwrap_or(0))))
}

/// USD with cents.
pub fn usd(amount: Num) -> String {
    grouped(amount.rounded(2))
}

/// USD with cents and its sign.
pub fn signed_usd(amount: Num) -> String {
    signed(amount.rounded(2))
}

/// USD without cents, never more than there is.
pub fn whole_usd(amount: Num) -> String {
    grouped(amount.truncated(0))
}

/// USD without cents, and its sign.
pub fn signed_whole_usd(amount: Num) -> String {
    signed(amount.rounded(0))
}

fn in_percent(share: Num, digits: impl FnOnce(Num) -> String) -> String {
    let percent = share.times(Num::HUNDRED).map(digits);
    percent.map_or_else(|| UNKNOWN.to_owned(), |digits| format!("{digits}%"))
}

/// A share (1 is all) as a percentage with two decimals.
pub fn percent(share: Num) -> String {
    in_percent(share, |percent| grouped(percent.rounded(2)))
}

/// A change as a percentage with two decimals and its sign.
pub fn signed_percent(share: Num) -> String {
    in_percent(share, |percent| signed(percent.rounded(2)))
}

/// A return as a percentage with its sign, in eight columns however large it is: `+12.14%`, `+14.0K%`.
pub fn return_percent(share: Num) -> String {
    in_percent(share, |percent| match percent.abs() {
        usual if usual.rounded(2) < Num::from(1_000_u32) => signed(percent.rounded(2)),
        large if percent.is_negative() => format!("-{}", short_usd(large.rounded(0))),
        large => format!("+{}", short_usd(large.rounded(0))),
    })
}

/// A rate as a percentage with its sign and the necessary decimals, six at most.
pub fn exact_percent(rate: Num) -> String {
    in_percent(rate, |percent| signed(percent.rounded(6).normalized()))
}

/// A share as a whole percentage, for gauges; rounded down so that 100% means all.
pub fn whole_percent(share: Num) -> String {
    in_percent(share, |percent| grouped(percent.truncated(0)))
}

/// How many of all, as the nearest whole percentage: 100% only if it is all, 0% only if it is none.
pub fn rate(share: Num) -> String {
    let least = Num::from(i64::from(share.is_positive()));
    let most = Num::from(if share < Num::ONE { 99_i64 } else { 100 });
    in_percent(share, |percent| {
        grouped(percent.rounded(0).clamp(least, most))
    })
}

/// A multiple with two decimals.
pub fn ratio(ratio: Num) -> String {
    grouped(ratio.rounded(2))
}

/// Basis points of a charge, with two decimals at most.
pub fn bps(bps: Num) -> String {
    grouped(bps.rounded(2).normalized())
}

/// An amount in the largest unit that it fills: `950`, `1.2K`, `34.5M`, `6.1B`.
pub fn short_usd(amount: Num) -> String {
    let units = [("B", 1_000_000_000_i64), ("M", 1_000_000), ("K", 1_000)];
    let fit = units.into_iter().find_map(|(word, unit)| {
        let unit = Num::from(unit);
        let of_unit = amount.over(unit).filter(|_| amount >= unit)?;
        Some(format!("{}{word}", grouped(of_unit.rounded(1))))
    });
    fit.unwrap_or_else(|| whole_usd(amount))
}

/// Basis points with one decimal and their sign.
pub fn signed_bps(bps: Num) -> String {
    signed(bps.rounded(1))
}

/// How long ago, in the largest unit that is at least one: `3s 4m 2h 3d`.
pub fn age(age: Duration) -> String {
    match age.as_secs() {
        s @ 0..60 => format!("{s}s"),
        s @ 60..3_600 => format!("{}m", s / 60),
        s @ 3_600..86_400 => format!("{}h", s / 3_600),
        s => format!("{}d", s / 86_400),
    }
}

/// A duration in two units at most: `12s`, `4m05s`, `2h05m`, `3d04h`.
pub fn span(span: Duration) -> String {
    match span.as_secs() {
        s @ 0..60 => format!("{s}s"),
        s @ 60..3_600 => format!("{}m{:02}s", s / 60, s % 60),
        s @ 3_600..86_400 => format!("{}h{:02}m", s / 3_600, s / 60 % 60),
        s => format!("{}d{:02}h", s / 86_400, s / 3_600 % 24),
    }
}

/// Time left until `at`; 0 only once it is reached.
pub fn countdown(at: Timestamp, now: Timestamp) -> String {
    let seconds = at.since(now).as_millis().div_ceil(1_000);
    span(Duration::from_secs(seconds.try_into().unwrap_or(u64::MAX)))
}

/// Time left in tenths of a second: for the strip.
pub fn tenths(left: Duration) -> String {
    let tenths = left.as_millis().div_ceil(100);
    format!("{}.{} s", tenths / 10, tenths % 10)
}

/// Milliseconds below ten seconds, seconds above.
pub fn elapsed(elapsed: Duration) -> String {
    match elapsed.as_millis() {
        ms @ 0..10_000 => format!("{} ms", grouped_count(ms)),
        _ => span(elapsed),
    }
}

/// A count with thousands separators.
pub fn count(count: usize) -> String {
    grouped_count(count as u128)
}

fn grouped_count(count: u128) -> String {
    i64::try_from(count).map_or_else(|_| count.to_string(), |n| grouped(Num::from(n)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Zone;

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    fn btc() -> Market {
        Market {
            mark: Some(num("64123")),
            size_decimals: Some(5),
            ..Market::new("paper|BTC".into())
        }
    }

    #[test]
    fn amounts_have_separators_cents_and_signs() {
        let shown = ["1234567.891", "-1234.5", "0", "999.999", "-0.001"].map(|n| usd(num(n)));
        assert_eq!(
            shown,
            ["1,234,567.89", "-1,234.50", "0.00", "1,000.00", "0.00"]
        );
        let shown = ["12", "-12", "0", "-0.001"].map(|n| signed_usd(num(n)));
        assert_eq!(shown, ["+12.00", "-12.00", "0.00", "0.00"]);
    }

    #[test]
    fn a_return_is_no_wider_than_eight_columns_however_large_it_is() {
        let shares = [
            "0.1214", "-9.9999", "9.99996", "140.35", "-140.35", "1400", "123456",
        ];
        let shown = shares.map(|share| return_percent(num(share)));
        let words = [
            "+12.14%", "-999.99%", "+1.0K%", "+14.0K%", "-14.0K%", "+140.0K%", "+12.3M%",
        ];
        assert_eq!(shown, words);
        assert!(shown.iter().all(|words| words.len() <= 8));
    }

    #[test]
    fn an_order_price_keeps_every_digit_and_an_average_is_cut_to_the_tick() {
        let btc = btc();
        assert_eq!(price(num("64123.5"), Some(&btc)), "64,123.5");
        assert_eq!(average(num("64123.456789"), Some(&btc)), "64,123");
        assert_eq!(average(num("0.123456789"), None), "0.123457");
        // A row far below the prices that are known of its market.
        assert_eq!(average(num("0.000009723"), Some(&btc)), "0.000009723");
        let fills = ["64123", "64123.456789", "64123.5"].map(|p| fill(num(p), Some(&btc)));
        assert_eq!(fills, ["64,123", "64,123.46", "64,123.5"]);
        assert_eq!(price(num("3.10"), None), "3.1");
    }

    #[test]
    fn a_rate_is_the_nearest_percentage_and_never_says_all_or_none_of_some() {
        let rates = ["79/155", "0/9", "1/999", "998/999", "9/9"].map(|of| {
            let (won, all) = of.split_once('/').unwrap();
            rate(num(won).over(num(all)).unwrap())
        });
        assert_eq!(rates, ["51%", "0%", "1%", "99%", "100%"]);
    }

    #[test]
    fn the_prices_of_cheap_coins_keep_their_digits_without_a_price_source() {
        for (row, shown) in [
            ("0.000009723", "0.000009723"),
            ("0.00000001", "0.00000001"),
            ("-0.00000001", "-0.00000001"),
            ("0.00000972312345", "0.00000972312"),
            ("0.0123456789", "0.0123457"),
            ("0", "0"),
        ] {
            let row = num(row);
            assert_eq!(
                (average(row, None), fill(row, None)),
                (shown.to_owned(), shown.to_owned())
            );
        }
    }

    #[test]
    fn a_size_is_never_rounded_up_past_the_holding() {
        assert_eq!(size(num("28.3393"), Some(2)), "28.3393");
        assert_eq!(size(num("-28.3"), Some(2)), "28.30");
    }

    #[test]
    fn large_amounts_are_told_in_the_largest_unit_they_fill() {
        for (amount, words) in [
            ("999", "999"),
            ("1000", "1.0K"),
            ("34549000", "34.5M"),
            ("6100000000", "6.1B"),
        ] {
            assert_eq!(short_usd(amount.parse().unwrap()), words);
        }
    }

    #[test]
    fn ages_and_countdowns_are_short_words() {
        let shown = [0, 59, 60, 3_599, 3_600, 86_399, 86_400].map(|s| age(Duration::from_secs(s)));
        assert_eq!(shown, ["0s", "59s", "1m", "59m", "1h", "23h", "1d"]);
        let shown = [12, 245, 7_500].map(|s| span(Duration::from_secs(s)));
        assert_eq!(shown, ["12s", "4m05s", "2h05m"]);
        assert_eq!(countdown(Timestamp(1_001), Timestamp(0)), "2s");
        assert_eq!(tenths(Duration::from_millis(1_450)), "1.5 s");
    }

    #[test]
    fn a_moment_of_today_needs_no_date() {
        let now = Timestamp(1_790_000_000_000);
        let zone = Zone::utc();
        assert_eq!(zone.moment(now, now), "14:13:20");
        assert_eq!(
            zone.moment(Timestamp(now.0 - 86_400_000), now),
            "09-20 14:13"
        );
        assert_eq!(zone.exact(now), "2026-09-21 14:13:20.000 UTC");
    }
}
