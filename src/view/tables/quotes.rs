//! The rows of public market data, for the command line: markets, order book, candles and trades.
//!
//! Contract: as [`super::rows`]: prices in USD, sizes in coin, shares of 1, every digit that the source sent. What the
//! source does not report is absent.

use crate::{
    model::{
        Book, Candle, Interval, Level, Market, MarketId, Num, PublicTrade, Side, Text, Timestamp,
    },
    view::text::{
        Align::{Left, Number},
        Cell, Column, Scene, Span, Tone, format,
        words::{self, known},
    },
};
use schemars::JsonSchema;
use serde::Serialize;

/// A market and its prices.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct QuoteRow {
    pub market_id: MarketId,
    /// The market's short name.
    pub symbol: Text,
    /// USD, as the four below.
    pub mark_price: Option<Num>,
    /// The best bid.
    pub bid_price: Option<Num>,
    /// The best ask.
    pub ask_price: Option<Num>,
    /// Halfway between bid and ask; the mark where one is unknown.
    pub mid_price: Option<Num>,
    /// The step between order prices at the mark, if the source states it.
    pub tick_size: Option<Num>,
    /// From bid to ask, in basis points of the mid price.
    pub spread_bps: Option<Num>,
    /// Decimals of a size in coin.
    pub size_decimals: Option<u32>,
    /// The highest leverage of an order.
    pub max_leverage: Option<u32>,
    /// Such as crypto.
    pub category: Option<Text>,
    /// Whether orders are accepted.
    pub trading_enabled: Option<bool>,
    /// Whether only reducing orders are accepted.
    pub reduce_only: Option<bool>,
    /// Per hour, as a share: 0.0000125 is 0.00125 %.
    pub funding_rate: Option<Num>,
    /// When it was made, by the clock of the source.
    pub updated_at: Option<Timestamp>,
}

/// The side of an order book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum QuoteSide {
    Bid,
    Ask,
}

/// One price of an order book.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LevelRow {
    pub market_id: MarketId,
    pub side: QuoteSide,
    /// 1 is the best price of its side.
    pub level: u32,
    /// USD.
    pub price: Num,
    /// In coin.
    pub size: Num,
    /// In coin, from the best price to this one.
    pub total_size: Option<Num>,
    /// From the mid price to this one, as a share of the mid price.
    pub distance: Option<Num>,
    /// When it was made, by the clock of the source.
    pub updated_at: Option<Timestamp>,
}

/// The trades of one interval.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CandleRow {
    pub market_id: MarketId,
    /// 1s, 5s, 15s, 1m, 5m, 15m, 1h, 4h or 1d.
    pub interval: String,
    /// The start of the interval.
    pub opened_at: Timestamp,
    /// The first price, USD.
    pub open: Num,
    /// The highest price, USD.
    pub high: Num,
    /// The lowest price, USD.
    pub low: Num,
    /// The last price, USD.
    pub close: Num,
    /// In coin.
    pub volume: Option<Num>,
    /// USD: price times size, summed.
    pub turnover: Option<Num>,
    /// The volume-weighted average price, USD.
    pub vwap: Option<Num>,
    /// How many trades.
    pub trades: Option<u64>,
    /// Whether the interval is over.
    pub closed: bool,
    /// Whether it is generated, for the time before recording began.
    pub synthetic: bool,
}

/// Which side crossed the spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Aggressor {
    Buy,
    Sell,
}

/// A public trade.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TapeRow {
    pub market_id: MarketId,
    /// Rises from trade to trade within a market.
    pub trade_id: Option<u64>,
    /// When it was traded.
    pub traded_at: Timestamp,
    /// The side that crossed the spread.
    pub aggressor: Aggressor,
    /// USD.
    pub price: Num,
    /// In coin.
    pub size: Num,
    /// Whether this account was a side of it.
    pub own: Option<bool>,
}

impl QuoteRow {
    pub fn new(market: &Market, _: &Scene<'_>) -> Self {
        Self {
            market_id: market.id.clone(),
            symbol: market.symbol.clone(),
            mark_price: market.mark,
            bid_price: market.bid,
            ask_price: market.ask,
            mid_price: market.mid(),
            tick_size: tick_size(market),
            spread_bps: spread_bps(market),
            size_decimals: market.size_decimals,
            max_leverage: market.max_leverage,
            category: market.category.clone(),
            trading_enabled: market.trading_enabled,
            reduce_only: market.reduce_only,
            funding_rate: market.funding_rate,
            updated_at: market.updated_at,
        }
    }
}

impl LevelRow {
    /// Both sides, the highest price first.
    pub fn all(market: &MarketId, book: &Book, made_at: Option<Timestamp>) -> Vec<Self> {
        let mid = book.mid();
        let side = |side, name| {
            let mut total = Some(Num::ZERO);
            let levels = (1..).zip(book.levels(side));
            levels
                .map(|(number, level)| {
                    let Level { price, size } = *level;
                    total = total.and_then(|total| total.plus(size));
                    Self {
                        market_id: market.clone(),
                        side: name,
                        level: number,
                        price,
                        size,
                        total_size: total,
                        distance: mid.and_then(|mid| price.minus(mid)?.over(mid)),
                        updated_at: made_at,
                    }
                })
                .collect::<Vec<_>>()
        };
        let asks = side(Side::Sell, QuoteSide::Ask).into_iter().rev();
        asks.chain(side(Side::Buy, QuoteSide::Bid)).collect()
    }
}

impl CandleRow {
    pub fn new(market: &MarketId, interval: Interval, candle: &Candle) -> Self {
        Self {
            market_id: market.clone(),
            interval: interval.to_string(),
            opened_at: candle.open_time,
            open: candle.open,
            high: candle.high,
            low: candle.low,
            close: candle.close,
            volume: candle.volume,
            turnover: candle.turnover,
            vwap: candle.vwap(),
            trades: candle.trades,
            closed: candle.is_closed,
            synthetic: candle.is_synthetic,
        }
    }
}

impl TapeRow {
    pub fn new(market: &MarketId, trade: &PublicTrade) -> Self {
        Self {
            market_id: market.clone(),
            trade_id: trade.id,
            traded_at: trade.at,
            aggressor: match trade.aggressor {
                Side::Buy => Aggressor::Buy,
                Side::Sell => Aggressor::Sell,
            },
            price: trade.price,
            size: trade.size,
            own: trade.is_own,
        }
    }
}

/// The columns of a table.
pub const QUOTES: &[Column<Market>] = &[
    Column::text("market_id", "market", 0, |m| m.id.to_string()),
    Column::known("mark_price", "mark", 0, |m: &Market| quoted(m, m.mark)).aligned(Number),
    Column::known("bid_price", "bid", 1, |m: &Market| quoted(m, m.bid)).aligned(Number),
    Column::known("ask_price", "ask", 1, |m: &Market| quoted(m, m.ask)).aligned(Number),
    Column::number("spread_bps", "spread bps", 3, format::bps, spread_bps),
    Column::number("funding_rate", "funding/h", 2, format::exact_percent, |m| {
        m.funding_rate
    }),
    Column::known("tick_size", "tick", 4, |m: &Market| counted(tick_size(m))).aligned(Number),
    Column::known("size_decimals", "decimals", 6, |m: &Market| {
        counted(m.size_decimals)
    })
    .aligned(Number)
    .toned(Tone::Muted),
    Column::known("max_leverage", "max lev", 5, |m: &Market| {
        m.max_leverage.map(|times| format!("{times}x"))
    })
    .aligned(Number)
    .toned(Tone::Muted),
];

pub const BOOK: &[Column<LevelRow>] = &[
    Column::new("side", "side", Left, 0, |row, _| match row.side {
        QuoteSide::Bid => Span::good("bid").into(),
        QuoteSide::Ask => Span::bad("ask").into(),
    }),
    Column::new("price", "price", Number, 0, |row, scene| {
        priced(row.price, &row.market_id, scene)
    }),
    Column::new("size", "size", Number, 0, |row, scene| {
        sized(Some(row.size), &row.market_id, scene)
    }),
    Column::new("total_size", "total", Number, 1, |row, scene| {
        sized(row.total_size, &row.market_id, scene)
    }),
    Column::number("distance", "from mid", 2, format::signed_percent, |row| {
        row.distance
    }),
];

pub const CANDLES: &[Column<CandleRow>] = &[
    Column::time("opened_at", "opened", 0, |row| Some(row.opened_at)),
    Column::new("open", "open", Number, 0, |row, scene| {
        priced(row.open, &row.market_id, scene)
    }),
    Column::new("high", "high", Number, 0, |row, scene| {
        priced(row.high, &row.market_id, scene)
    }),
    Column::new("low", "low", Number, 0, |row, scene| {
        priced(row.low, &row.market_id, scene)
    }),
    Column::new("close", "close", Number, 0, |row, scene| {
        priced(row.close, &row.market_id, scene)
    }),
    Column::new("volume", "volume", Number, 1, |row, scene| {
        sized(row.volume, &row.market_id, scene)
    }),
    Column::new("vwap", "VWAP", Number, 3, |row, scene| {
        known(row.vwap.map(|price| scene.average(price, &row.market_id))).into()
    }),
    Column::known("trades", "trades", 2, |row: &CandleRow| counted(row.trades))
        .aligned(Number)
        .toned(Tone::Muted),
    Column::text("state", "state", 4, |row: &CandleRow| {
        match (row.closed, row.synthetic) {
            (false, _) => "open",
            (true, true) => "synthetic",
            (true, false) => "closed",
        }
        .to_owned()
    })
    .toned(Tone::Muted),
];

pub const TAPE: &[Column<TapeRow>] = &[
    Column::time("traded_at", "time", 0, |row| Some(row.traded_at)),
    Column::new("aggressor", "side", Left, 0, |row, _| match row.aggressor {
        Aggressor::Buy => Span::good("BUY").into(),
        Aggressor::Sell => Span::bad("SELL").into(),
    }),
    Column::new("price", "price", Number, 0, |row, scene| {
        priced(row.price, &row.market_id, scene)
    }),
    Column::new("size", "size", Number, 0, |row, scene| {
        sized(Some(row.size), &row.market_id, scene)
    }),
    Column::text("own", "own", 1, |row| {
        if row.own == Some(true) { "own" } else { "" }.to_owned()
    }),
    Column::known("trade_id", "id", 2, |row: &TapeRow| counted(row.trade_id))
        .aligned(Number)
        .toned(Tone::Muted),
];

fn counted(count: Option<impl ToString>) -> Option<String> {
    count.map(|count| count.to_string())
}

/// From bid to ask, as a share of the mid price.
fn spread_bps(market: &Market) -> Option<Num> {
    let spread = market.ask?.minus(market.bid?)?;
    spread.over(market.mid()?)?.times(Num::from(10_000_u32))
}

fn tick_size(market: &Market) -> Option<Num> {
    Some(market.stated_tick(market.mark?)?.step())
}

fn quoted(market: &Market, price: Option<Num>) -> Option<String> {
    price.map(|price| format::price(price, Some(market)))
}

fn priced(price: Num, market: &MarketId, scene: &Scene<'_>) -> Cell {
    Span::plain(format::price(price, scene.store.market(market))).into()
}

fn sized(size: Option<Num>, market: &MarketId, scene: &Scene<'_>) -> Cell {
    let market = scene.store.market(market);
    known(size.map(|size| words::order_size(size, market))).into()
}

/// The columns of a CSV, in their order.
#[rustfmt::skip]
pub mod columns_of {
    pub const QUOTE: &[&str] = &[
        "market_id", "mark_price", "bid_price", "ask_price", "mid_price", "spread_bps", "tick_size", "size_decimals",
        "max_leverage", "funding_rate", "updated_at", "symbol", "category", "trading_enabled", "reduce_only",
    ];
    pub const LEVEL: &[&str] = &[
        "market_id", "side", "level", "price", "size", "total_size", "distance", "updated_at",
    ];
    pub const CANDLE: &[&str] = &[
        "market_id", "interval", "opened_at", "open", "high", "low", "close", "volume", "turnover", "vwap", "trades",
        "closed", "synthetic",
    ];
    pub const TAPE: &[&str] = &["market_id", "trade_id", "traded_at", "aggressor", "price", "size", "own"];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(price: u32, size: u32) -> Level {
        Level {
            price: Num::from(price),
            size: Num::from(size),
        }
    }

    #[test]
    fn a_book_reads_from_the_highest_price_down_and_sums_from_the_best() {
        let book = Book::new(
            vec![level(99, 1), level(98, 2)],
            vec![level(101, 3), level(102, 4)],
        );
        let rows = LevelRow::all(&"x|BTC".into(), &book, None);
        let told: Vec<_> = rows
            .iter()
            .map(|row| {
                let total = row.total_size.unwrap();
                (
                    row.side,
                    row.level,
                    row.price.to_i64().unwrap(),
                    total.to_i64().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                (QuoteSide::Ask, 2, 102, 7),
                (QuoteSide::Ask, 1, 101, 3),
                (QuoteSide::Bid, 1, 99, 1),
                (QuoteSide::Bid, 2, 98, 3),
            ]
        );
        assert_eq!(rows[1].distance, Some(Num::new(1, 2)));
    }
}
