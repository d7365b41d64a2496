//! Words that several panes share: sides, markets, reasons, and the full description of a command.

use super::{Scene, Span, Tone, format};
use crate::{
    api::Request,
    app::{About, Action, Closing, Context, Model, Target},
    model::{
        Command, Exits, Lenient, MarginMode, Market, MarketNames, Num, Order, OrderMode,
        OrderStatus, Position, Side, Text, TriggerDirection, Twap, spoken,
    },
};
use std::fmt;

pub(crate) fn order_side(side: &Lenient<Side>) -> Span {
    let tone = side.known().map_or(Tone::Warn, side_tone);
    Span::new(side.to_string().to_uppercase(), tone)
}

/// `LONG`, `SHORT`, or `?` if the service does not say.
pub(crate) fn position_side(side: Option<Side>) -> Span {
    match side {
        Some(Side::Buy) => Span::good("LONG"),
        Some(Side::Sell) => Span::bad("SHORT"),
        None => Span::warn("?"),
    }
}

pub(crate) fn closing(closing: Closing) -> &'static str {
    match closing {
        Closing::UnderWay => "closing",
        Closing::InPart => "part closed",
        Closing::Whole => "closed",
    }
}

/// `BUY`, `SELL`, or `?` if the service does not say.
pub(crate) fn strategy_side(side: Option<Side>) -> Span {
    side.map_or_else(|| Span::warn("?"), |side| order_side(&side.into()))
}

fn side_tone(side: Side) -> Tone {
    match side {
        Side::Buy => Tone::Good,
        Side::Sell => Tone::Bad,
    }
}

/// A profit or loss in USD, marked by both sign and tone.
pub(crate) fn pnl(amount: Option<Num>) -> Span {
    amount.map_or_else(Span::unknown, signed_pnl)
}

pub(crate) fn signed_pnl(amount: Num) -> Span {
    // 0.00 is neither profit nor loss.
    Span::new(format::signed_usd(amount), pnl_tone(amount.rounded(2)))
}

pub(crate) fn pnl_percent(share: Option<Num>) -> Span {
    share.map_or_else(Span::unknown, |share| {
        Span::new(format::signed_percent(share), pnl_tone(share.rounded(4)))
    })
}

/// The same for a column whose width today's rows must not change.
pub(crate) fn return_percent(share: Option<Num>) -> Span {
    share.map_or_else(Span::unknown, |share| {
        Span::new(format::return_percent(share), pnl_tone(share.rounded(4)))
    })
}

/// `+1.25`: a multiple of what was risked.
pub(crate) fn multiple(multiple: Num) -> Span {
    let sign = if multiple.is_positive() { "+" } else { "" };
    let text = format!("{sign}{}", multiple.rounded(2));
    Span::new(text, pnl_tone(multiple))
}

/// Good if positive, bad if negative.
pub(crate) fn pnl_tone(amount: Num) -> Tone {
    match amount {
        _ if amount.is_positive() => Tone::Good,
        _ if amount.is_negative() => Tone::Bad,
        _ => Tone::Plain,
    }
}

/// The text, or [`format::UNKNOWN`].
pub(crate) fn known(text: Option<String>) -> Span {
    text.map_or_else(Span::unknown, Span::plain)
}

/// As [`known`], in the tone of secondary text.
pub(crate) fn known_muted(text: Option<String>) -> Span {
    text.map_or_else(Span::unknown, Span::muted)
}

/// The parts that there are, with this between them.
pub(crate) fn listed(parts: impl IntoIterator<Item = Option<String>>, between: &str) -> String {
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    parts.join(between)
}

/// The key of an action there; empty if it has none.
pub(crate) fn key(model: &Model, place: Context, action: Action) -> String {
    let chord = model.keymap.chord(place, action);
    chord.map(|chord| chord.to_string()).unwrap_or_default()
}

/// A key behind `lead`, and what it does; nothing without a key.
pub(crate) fn key_hint(
    model: &Model,
    place: Context,
    action: Action,
    lead: &str,
    does: &str,
) -> Vec<Span> {
    let chord = model.keymap.chord(place, action);
    let hint = chord.map(|chord| [Span::accent(format!("{lead}{chord}")), Span::muted(does)]);
    hint.into_iter().flatten().collect()
}

/// `1 mark`, `2 marks`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    let words = if count == 1 { one } else { many };
    format!("{} {words}", format::count(count))
}

/// `2 TWAPs still run`, if any does.
pub(crate) fn twaps_still_run(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 TWAP still runs".to_owned()),
        many => Some(format!("{many} TWAPs still run")),
    }
}

/// `take_profit` as `take profit`.
pub(crate) fn spaced(word: &impl ToString) -> String {
    word.to_string().replace('_', " ")
}

/// An order's size, with its market's decimals.
pub(crate) fn order_size(size: Num, market: Option<&Market>) -> String {
    format::size(size, market.and_then(|m| m.size_decimals))
}

pub(crate) fn mode(mode: &Lenient<OrderMode>) -> String {
    match mode.known() {
        Some(known) => spoken(&known),
        None => spaced(mode),
    }
}

/// A shorter form for a narrow window.
pub(crate) fn brief_mode(mode: &Lenient<OrderMode>) -> String {
    match mode.known() {
        Some(known) => known.facts().brief.to_owned(),
        None => self::mode(mode),
    }
}

/// As short as in the positions pane.
fn margin_mode(mode: &Lenient<MarginMode>) -> String {
    match mode.known() {
        Some(MarginMode::Isolated) => "iso".to_owned(),
        Some(MarginMode::Cross) | None => mode.to_string(),
    }
}

/// `iso   10×`.
pub(crate) fn margin(mode: &Lenient<MarginMode>, leverage: Option<Num>) -> Span {
    let leverage = leverage.map(|leverage| format::grouped(leverage.normalized()));
    let leverage = format::or_unknown(leverage);
    Span::muted(format!("{:<5} {leverage:>2}×", margin_mode(mode)))
}

/// The service's status; shortened only for an order that was partly filled before it ended.
pub(crate) fn status(status: &Lenient<OrderStatus>) -> Span {
    let tone = match status.known() {
        Some(OrderStatus::Filled) => Tone::Strong,
        Some(OrderStatus::Resting) => Tone::Plain,
        Some(OrderStatus::Pending) => Tone::Info,
        Some(OrderStatus::Canceled | OrderStatus::Expired) => Tone::Muted,
        Some(OrderStatus::Rejected) => Tone::Alert,
        None => Tone::Warn,
    };
    match status.known() {
        Some(OrderStatus::Resting) => Span::new("working", tone),
        _ => Span::new(status.to_string(), tone),
    }
}

/// Method, path and body exactly as they would be sent, or why that is not possible.
pub(crate) fn call(command: &Command) -> String {
    // The key is created at sending and is no part of the body.
    match Request::encode(command, "".into()) {
        Ok(request) => {
            let body = Text::from(String::from_utf8_lossy(&request.body).into_owned());
            format!("{} {}\n{body}", request.method, request.target)
        }
        Err(why) => format!("not yet: {why}"),
    }
}

/// A command with everything known about its target.
pub(crate) fn command(command: &Command, about: &About) -> String {
    let (of, names) = (about.market.as_ref(), &about.names);
    match (command, &about.target) {
        (Command::Close(close), Some(Target::Position(held))) => {
            close.words(&position(held, of, names), names)
        }
        (Command::Margin { extra, .. }, Some(Target::Position(held))) => format!(
            "extra margin of {} to {} USD",
            position(held, of, names),
            format::usd(*extra)
        ),
        (Command::Cancel(id) | Command::Unprotect(id), Some(Target::Order(order))) => {
            format!("cancel {} ({id})", self::order(order, of, names))
        }
        (Command::Exits(exits), Some(Target::Order(order))) => {
            self::exits(exits, &self::order(order, of, names))
        }
        (Command::Exits(exits), _) => self::exits(exits, &exits.order_id.to_string()),
        (Command::StopTwap(id), Some(Target::Twap(twap))) => {
            format!("stop TWAP {} ({id})", self::twap(twap, of, names))
        }
        (Command::CancelScaled(id), Some(Target::Scaled(scaled))) => {
            let rungs = scaled.rungs.len();
            let side = strategy_side(scaled.side()).text;
            let market = names.shown(&scaled.market_id);
            format!("cancel scaled order {side} {market}, {rungs} rungs ({id})")
        }
        (command, _) => command.words(names),
    }
}

fn exits(exits: &Exits, order: &str) -> String {
    let (take, stop) = (exits.take_profit, exits.stop_words());
    format!("exits of {order}: take profit {take}, {stop}")
}

/// `SELL 0.50000 BTC limit @ 65,000`.
pub(crate) fn order(order: &Order, of: Option<&Market>, names: &MarketNames) -> String {
    let side = known_or_quoted("side", &order.side, |_| order_side(&order.side).text);
    let market = names.shown(&order.market_id);
    let kind = known_or_quoted("type", &order.mode, |_| mode(&order.mode));
    let elsewhere = elsewhere(order, of, names);
    let own = order.trigger_price.filter(|_| elsewhere.is_none());
    let price = match (order.limit_price, own) {
        (Some(limit), _) => format!(" @ {}", format::price(limit, of)),
        (None, Some(own)) => format!(" at {}", format::price(own, of)),
        (None, None) => String::new(),
    };
    let elsewhere = elsewhere.unwrap_or_default();
    let of_size = order_size(order.size, of);
    format!("{side} {of_size} {market} {kind}{price}{elsewhere}")
}

/// ` when BTC ≥ 67,168`, for an order triggered by another market. Also for a conditional order, which may watch any
/// market and then executes at the market.
fn elsewhere(order: &Order, of: Option<&Market>, names: &MarketNames) -> Option<String> {
    let waits_for = order.trigger_market_id.as_ref().unwrap_or(&order.market_id);
    let is_conditional = order.mode.is(&OrderMode::Conditional);
    let other = Some(waits_for).filter(|other| **other != order.market_id || is_conditional)?;
    let of = of.filter(|_| *other == order.market_id);
    let (sign, price) = (reaches(order), format::price(order.trigger_price?, of));
    Some(format!(" when {} {sign} {price}", names.shown(other)))
}

/// `≥` or `≤`, by the direction of its trigger; `at` if unknown.
pub(crate) fn reaches(order: &Order) -> String {
    let Some(direction) = &order.trigger_direction else {
        return "at".to_owned();
    };
    match direction.known() {
        Some(TriggerDirection::Above) => "≥".to_owned(),
        Some(TriggerDirection::Below) => "≤".to_owned(),
        None => direction.to_string(),
    }
}

/// The service's word within a sentence; an unknown word is quoted, with what it describes.
pub(crate) fn known_or_quoted<T: Copy + fmt::Display>(
    what: &str,
    word: &Lenient<T>,
    known: impl FnOnce(T) -> String,
) -> String {
    match word.known() {
        Some(value) => known(value),
        None => format!("{what} \"{word}\""),
    }
}

pub(crate) fn twap(twap: &Twap, of: Option<&Market>, names: &MarketNames) -> String {
    let total = twap.total_size.map(|total| order_size(total, of));
    let (side, market) = (
        strategy_side(twap.side()).text,
        names.shown(&twap.market_id),
    );
    format!("{side} {} {market}", format::or_unknown(total))
}

/// `LONG 0.50000 BTC (pos_3)`.
pub(crate) fn position(position: &Position, of: Option<&Market>, names: &MarketNames) -> String {
    let side = position_side(position.side()).text;
    let quantity = quantity(position, of);
    let market = names.shown(&position.market_id);
    format!("{side} {quantity} {market} ({})", position.id)
}

pub(crate) fn position_size(position: &Position, scene: &Scene<'_>) -> String {
    quantity(position, scene.store.market(&position.market_id))
}

fn quantity(position: &Position, of: Option<&Market>) -> String {
    let by_market = || of?.size_decimals;
    format::size(position.size, position.size_decimals.or_else(by_market))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing,
        model::{CloseKind, ClosePosition},
    };

    #[test]
    fn a_close_names_its_position_once_however_short_its_id_is() {
        let close = Command::Close(ClosePosition {
            kind: CloseKind::Limit,
            size: Some("0.1".parse().unwrap()),
            limit_price: Some("61000".parse().unwrap()),
            ..ClosePosition::market("1".into())
        });
        let held = testing::position("1", "BTC", "0.5", r#""status":"open""#);
        let about = About {
            target: Some(Target::Position(Box::new(held))),
            ..About::default()
        };
        assert_eq!(
            command(&close, &about),
            "close 0.1 of LONG 0.50000 BTC (1) limit @ 61,000"
        );
    }
}
