//! Hyperliquid: one socket at `/ws`, and `POST /info`.
//!
//! A name is the subscription itself, so that acknowledgements, errors and data name it alike. The book comes near and
//! often, and far and seldom. The first trades of a subscription are history.

pub(super) mod rest;

use super::{
    dialect::{
        AnswerSubject, BookDelivery, Dialect, FirstTrades, Update, VenueMessage, usual_interval,
    },
    trades::VenueTrade,
    whole_books::{Reach, WholeBook},
};
use crate::{
    feed::{
        event::Stats,
        market_frame::{
            Amount, amount, bare_candle, instant, levels, positive, sound_book, sound_candle,
            sound_trade,
        },
        topic::Channel,
    },
    model::{Candle, Num, Side, Timestamp},
};
use serde::Deserialize;
use serde_json::{json, value::RawValue};
use std::borrow::Cow;

pub(super) static SOCKET: Dialect = Dialect {
    names,
    subscribe: |names, _| frames("subscribe", names),
    unsubscribe: |names, _| frames("unsubscribe", names),
    query: |_| String::new(),
    ping: Some(r#"{"method":"ping"}"#),
    parse,
    books: BookDelivery::Whole,
    funding_hours: None,
    open_interest: None,
    first_trades: FirstTrades::History,
    longest_life: None,
};

/// What a socket says when it opens, which is no JSON.
const GREETING: &str = "Websocket connection established.";

fn names(channel: Channel, coin: &str) -> Vec<String> {
    let of = |kind| name(kind, coin, None, Reach::Far);
    match channel {
        Channel::Book => vec![name("l2Book", coin, None, Reach::Near), of("l2Book")],
        Channel::Trades => vec![of("trades")],
        Channel::Candles(interval) => {
            let word = usual_interval(interval);
            word.map(|word| name("candle", coin, Some(&word), Reach::Far))
                .into_iter()
                .collect()
        }
        Channel::Ticks => vec![of("bbo")],
        Channel::Stats => vec![of("activeAssetCtx")],
    }
}

fn name(kind: &str, coin: &str, interval: Option<&str>, reach: Reach) -> String {
    let mut name = json!({ "type": kind, "coin": coin });
    if let Some(map) = name.as_object_mut() {
        if let Some(interval) = interval {
            map.insert("interval".to_owned(), interval.into());
        }
        if reach == Reach::Near {
            map.insert("fast".to_owned(), true.into());
        }
    }
    name.to_string()
}

fn frames(method: &str, names: &[String]) -> Vec<String> {
    let frame = |name| format!(r#"{{"method":"{method}","subscription":{name}}}"#);
    names.iter().map(frame).collect()
}

#[serde_with::apply(Cow => #[serde(borrow)], Option<&RawValue> => #[serde(borrow)])]
#[derive(Deserialize)]
struct HyperliquidFrame<'a> {
    channel: Cow<'a, str>,
    data: Option<&'a RawValue>,
}

fn parse(text: &str) -> Option<VenueMessage> {
    if text == GREETING {
        return Some(VenueMessage::Nothing);
    }
    let frame: HyperliquidFrame<'_> = serde_json::from_str(text).ok()?;
    let data = frame.data.map_or("null", RawValue::get);
    match &*frame.channel {
        "l2Book" => book_message(data),
        "trades" => trades_message(data),
        "candle" => candle_message(data),
        "bbo" => best_message(data),
        "activeAssetCtx" => stats_message(data),
        "subscriptionResponse" => acknowledged(data),
        "error" => refused(data),
        _ => Some(VenueMessage::Nothing),
    }
}

/// What a subscription is of, whatever else the venue puts beside it.
#[serde_with::apply(Cow => #[serde(borrow)], Option<Cow> => #[serde(borrow)])]
#[derive(Deserialize)]
struct HyperliquidSubscription<'a> {
    #[serde(rename = "type")]
    kind: Cow<'a, str>,
    coin: Option<Cow<'a, str>>,
    interval: Option<Cow<'a, str>>,
    #[serde(default)]
    fast: Option<bool>,
}

impl HyperliquidSubscription<'_> {
    fn name(&self) -> String {
        let coin = self.coin.as_deref().unwrap_or_default();
        let reach = reach(self.fast);
        name(&self.kind, coin, self.interval.as_deref(), reach)
    }
}

fn reach(fast: Option<bool>) -> Reach {
    if fast == Some(true) {
        Reach::Near
    } else {
        Reach::Far
    }
}

#[serde_with::apply(Cow => #[serde(borrow)], HyperliquidSubscription<'a> => #[serde(borrow)])]
#[derive(Deserialize)]
struct Acknowledgement<'a> {
    method: Cow<'a, str>,
    subscription: HyperliquidSubscription<'a>,
}

fn acknowledged(data: &str) -> Option<VenueMessage> {
    let frame: Acknowledgement<'_> = serde_json::from_str(data).ok()?;
    Some(if frame.method == "subscribe" {
        VenueMessage::Accepted(AnswerSubject::Name(frame.subscription.name()))
    } else {
        VenueMessage::Nothing
    })
}

/// An error names the subscription that it is about behind its words.
fn refused(data: &str) -> Option<VenueMessage> {
    let words: String = serde_json::from_str(data).ok()?;
    let json = words.find('{').and_then(|at| words.get(at..));
    let subscription =
        json.and_then(|json| serde_json::from_str::<HyperliquidSubscription<'_>>(json).ok());
    let subject = subscription.map(|subscription| AnswerSubject::Name(subscription.name()));
    Some(match subject {
        Some(subject) if words.starts_with("Already subscribed") => VenueMessage::Accepted(subject),
        Some(subject) if words.starts_with("Invalid subscription") => {
            VenueMessage::Refused(subject)
        }
        Some(_) | None => VenueMessage::Nothing,
    })
}

#[serde_with::apply(Cow => #[serde(borrow)], [Vec<&RawValue>; 2] => #[serde(borrow)])]
#[derive(Deserialize)]
struct HyperliquidBook<'a> {
    coin: Cow<'a, str>,
    #[serde(default, deserialize_with = "instant")]
    time: Option<Timestamp>,
    levels: [Vec<&'a RawValue>; 2],
    fast: Option<bool>,
}

impl HyperliquidBook<'_> {
    fn checked(&self) -> Option<WholeBook> {
        let [bids, asks] = &self.levels;
        Some(WholeBook {
            book: sound_book(levels(bids)?, levels(asks)?)?,
            reach: reach(self.fast),
            made_at: self.time?,
        })
    }
}

fn book_message(data: &str) -> Option<VenueMessage> {
    let frame: HyperliquidBook<'_> = serde_json::from_str(data).ok()?;
    let name = name("l2Book", &frame.coin, None, reach(frame.fast));
    Some(VenueMessage::Data(name, frame.checked().map(Update::Book)))
}

#[serde_with::apply(Cow => #[serde(borrow)])]
#[derive(Deserialize)]
struct HyperliquidTrade<'a> {
    coin: Cow<'a, str>,
    side: Cow<'a, str>,
    px: Amount,
    sz: Amount,
    #[serde(default, deserialize_with = "instant")]
    time: Option<Timestamp>,
    tid: u64,
}

impl HyperliquidTrade<'_> {
    fn checked(&self) -> Option<VenueTrade> {
        let at = self.time?;
        let aggressor = match &*self.side {
            "B" => Side::Buy,
            "A" => Side::Sell,
            _ => return None,
        };
        Some(VenueTrade {
            // Its numbers do not rise with time.
            identity: format!("{} {}", at.0, self.tid),
            trade: sound_trade(self.px.0, self.sz.0, aggressor, at)?,
        })
    }
}

fn trades_message(data: &str) -> Option<VenueMessage> {
    let rows: Vec<HyperliquidTrade<'_>> = serde_json::from_str(data).ok()?;
    let Some(first) = rows.first() else {
        return Some(VenueMessage::Nothing);
    };
    let name = name("trades", &first.coin, None, Reach::Far);
    let is_of_one = rows.iter().all(|row| row.coin == first.coin);
    let trades = rows
        .iter()
        .map(HyperliquidTrade::checked)
        .collect::<Option<_>>();
    let trades = trades.filter(|_| is_of_one);
    Some(VenueMessage::Data(name, trades.map(Update::Trades)))
}

#[serde_with::apply(Cow => #[serde(borrow)])]
#[derive(Deserialize)]
struct HyperliquidCandle<'a> {
    #[serde(default, deserialize_with = "instant", rename = "t")]
    opens: Option<Timestamp>,
    s: Cow<'a, str>,
    i: Cow<'a, str>,
    o: Amount,
    c: Amount,
    h: Amount,
    l: Amount,
    #[serde(default, deserialize_with = "amount")]
    v: Option<Num>,
    n: Option<u64>,
}

impl HyperliquidCandle<'_> {
    fn checked(&self) -> Option<Candle> {
        sound_candle(Candle {
            volume: self.v,
            trades: self.n,
            ..bare_candle(self.opens?, [self.o, self.h, self.l, self.c])
        })
    }
}

/// One candle, or a list whose last is the newest.
fn candle_message(data: &str) -> Option<VenueMessage> {
    let of_one = |row: &HyperliquidCandle<'_>| {
        let interval = row.i.parse().ok();
        let update = interval.zip(row.checked());
        let update = update.map(|(interval, candle)| Update::Candle(interval, candle));
        VenueMessage::Data(name("candle", &row.s, Some(&row.i), Reach::Far), update)
    };
    if let Ok(row) = serde_json::from_str::<HyperliquidCandle<'_>>(data) {
        return Some(of_one(&row));
    }
    let rows: Vec<HyperliquidCandle<'_>> = serde_json::from_str(data).ok()?;
    Some(rows.last().map_or(VenueMessage::Nothing, of_one))
}

#[serde_with::apply(Cow => #[serde(borrow)], [Option<&RawValue>; 2] => #[serde(borrow)])]
#[derive(Deserialize)]
struct HyperliquidBest<'a> {
    coin: Cow<'a, str>,
    #[serde(default, deserialize_with = "instant")]
    time: Option<Timestamp>,
    bbo: [Option<&'a RawValue>; 2],
}

fn best_message(data: &str) -> Option<VenueMessage> {
    let frame: HyperliquidBest<'_> = serde_json::from_str(data).ok()?;
    let price = |level: Option<&RawValue>| match level {
        None => Some(None),
        Some(level) => Some(Some(levels(&[level])?.first()?.price)),
    };
    let [bid, ask] = frame.bbo;
    let best = price(bid).zip(price(ask)).zip(frame.time);
    let update = best.map(|((bid, ask), at)| Update::Best {
        bid,
        ask,
        at: Some(at),
    });
    Some(VenueMessage::Data(
        name("bbo", &frame.coin, None, Reach::Far),
        update,
    ))
}

#[derive(Deserialize)]
struct HyperliquidStats<'a> {
    #[serde(borrow)]
    coin: Cow<'a, str>,
    ctx: Context,
}

#[serde_with::apply(Option<Num> => #[serde(default, deserialize_with = "amount")])]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Context {
    mark_px: Option<Num>,
    oracle_px: Option<Num>,
    funding: Option<Num>,
    /// Coin.
    open_interest: Option<Num>,
    prev_day_px: Option<Num>,
    day_ntl_vlm: Option<Num>,
}

fn stats_message(data: &str) -> Option<VenueMessage> {
    let frame: HyperliquidStats<'_> = serde_json::from_str(data).ok()?;
    let name = name("activeAssetCtx", &frame.coin, None, Reach::Far);
    Some(VenueMessage::Data(
        name,
        frame.ctx.stats().map(Update::Stats),
    ))
}

impl Context {
    /// Funding is paid each hour, at its end.
    fn stats(&self) -> Option<Stats> {
        let mark = positive(self.mark_px)?;
        let before = positive(self.prev_day_px);
        Some(Stats {
            mark: Some(mark),
            oracle: positive(self.oracle_px),
            day_change: before.and_then(|before| mark.percent_from(before)),
            funding_rate: self.funding,
            funding_hours: Some(Num::ONE),
            next_funding_at: None,
            open_interest: self.open_interest.and_then(|coins| coins.times(mark)),
            day_volume: self.day_ntl_vlm,
            gap_since: None,
            at: None,
        })
    }
}
