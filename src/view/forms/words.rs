//! Words shared by a form's fields, preview and warnings.

use crate::{
    model::{
        Market, Num, Position, Side, TimeInForce, TriggerDirection,
        draft::{DraftFault, Field, Seen},
        estimate::{self, LiquidationEstimate},
    },
    view::{
        tables::positions,
        text::{
            Span, Tone, format,
            words::{known, position_side},
        },
    },
};

/// `58,000 → 59,000 (-1.67%)`: old, new, and the distance from the entry.
pub(super) fn moved(
    entry: Option<Num>,
    now: Option<Num>,
    wanted: &Result<Option<Num>, DraftFault>,
    seen: &Seen,
) -> Span {
    let Ok(wanted) = *wanted else {
        return Span::unknown();
    };
    let words = |price: Option<Num>| {
        price.map_or_else(|| "none".to_owned(), |p| format::price(p, seen.market))
    };
    let distance = entry
        .zip(wanted)
        .map(|(entry, price)| distance(entry, price));
    let distance = distance.unwrap_or_default();
    let is_removed = wanted.is_none() && now.is_some();
    let tone = if is_removed { Tone::Warn } else { Tone::Plain };
    Span::new(
        format!("{} → {}{distance}", words(now), words(wanted)),
        tone,
    )
}

/// ` (+1.56%)`: how far a price is from another.
fn distance(from: Num, price: Num) -> String {
    let share = price.minus(from).and_then(|apart| apart.over(from));
    let share = share.map(|share| format!(" ({})", format::signed_percent(share)));
    share.unwrap_or_default()
}

pub(super) fn quantity(size: Num, seen: &Seen) -> String {
    format::size(size, seen.size_decimals())
}

/// Uses the positions pane's word for "no liquidation price".
pub(super) fn liquidated(
    liquidation: Option<LiquidationEstimate>,
    market: Option<&Market>,
) -> Span {
    match liquidation {
        Some(LiquidationEstimate::Never) => Span::plain(format!("est. {}", positions::NEVER)),
        Some(LiquidationEstimate::At(price)) => estimated(Some(price), market),
        None => Span::unknown(),
    }
}

/// Labels a price as an estimate.
pub(super) fn estimated(price: Option<Num>, market: Option<&Market>) -> Span {
    known(price.map(|p| format!("est. {}", format::average(p, market))))
}

pub(crate) type PreviewLine = (&'static str, Span);

/// What a limit order does at once.
pub(crate) fn execution(side: Side, limit: Option<Num>, lasting: TimeInForce, seen: &Seen) -> Span {
    let crosses = limit
        .zip(seen.market)
        .and_then(|(limit, market)| estimate::crosses(market, side, limit));
    match (crosses, lasting) {
        (Some(true), _) => Span::warn("fills now (taker)"),
        (Some(false), TimeInForce::Gtc | TimeInForce::Gtd) => Span::plain("rests (maker)"),
        (Some(false), TimeInForce::Ioc | TimeInForce::Fok) => {
            Span::warn("nothing fills, and nothing rests")
        }
        (None, _) => Span::unknown(),
    }
}

/// `BTC ≥ 65,000 (+1.56%)`: the trigger, and its distance.
pub(crate) fn fires(price: Option<Num>, direction: Option<TriggerDirection>, seen: &Seen) -> Span {
    let market = seen.market_of(Field::TriggerPrice);
    let (Some(price), Some(direction)) = (price, direction) else {
        return Span::unknown();
    };
    let symbol = market.map_or_else(|| "mark".to_owned(), |m| format!("{} mark", m.symbol));
    let sign = match direction {
        TriggerDirection::Above => "≥",
        TriggerDirection::Below => "≤",
    };
    let mark = market.and_then(|market| market.mark);
    let away = mark.map_or_else(String::new, |mark| distance(mark, price));
    let price = format::price(price, market);
    Span::plain(format!("{symbol} {sign} {price}{away}"))
}

/// The profit or loss of this part of the position at that price, before fees and funding.
pub(crate) fn gross(
    position: Option<&Position>,
    exit: Option<Num>,
    size: Option<Num>,
) -> PreviewLine {
    let usd = || {
        let position = position?;
        let per_coin = estimate::gain(position.side()?, position.entry_price?, exit?)?;
        per_coin.times(size?)
    };
    ("gross profit", profit(usd()))
}

pub(crate) fn change(held: Option<&Position>, after: Option<Num>, seen: &Seen) -> Span {
    let words = |size: Option<Num>, side: Option<Side>| match size {
        None => format::UNKNOWN.to_owned(),
        Some(size) if size.is_zero() => "flat".to_owned(),
        Some(size) => format!("{} {}", position_side(side).text, quantity(size, seen)),
    };
    let before = match held {
        Some(position) => words(Some(position.quantity()), position.side()),
        None => "flat".to_owned(),
    };
    if after.is_some() && after == held.map_or(Some(Num::ZERO), Position::signed_size) {
        return Span::plain(format!("{before}, unchanged"));
    }
    let is_short = after.is_some_and(Num::is_negative);
    let side = after.map(|_| if is_short { Side::Sell } else { Side::Buy });
    Span::plain(format!("{before} → {}", words(after, side)))
}

pub(crate) fn sized(size: Option<Num>, seen: &Seen) -> Span {
    let symbol = seen
        .market
        .map_or_else(String::new, |m| m.symbol.to_string());
    let words = |size| {
        format!("{} {symbol}", quantity(size, seen))
            .trim_end()
            .to_owned()
    };
    known(size.map(words))
}

pub(crate) fn dollars(usd: Option<Num>) -> Span {
    known(usd.map(|usd| format!("{} USD", format::usd(usd))))
}

pub(crate) fn profit(usd: Option<Num>) -> Span {
    usd.map_or_else(Span::unknown, |usd| {
        let tone = if usd.is_negative() {
            Tone::Bad
        } else {
            Tone::Good
        };
        Span::new(format!("est. {} USD", format::signed_usd(usd)), tone)
    })
}
