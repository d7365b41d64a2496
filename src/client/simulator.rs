//! What perpdeck's own exchange reports beside the service's protocol (`/sim`): the prices of all markets at once, and
//! the candles, the order book and the trades of one.
//!
//! Contract: only an exchange that calls itself a simulator is asked; of any other service `Ok(None)`. A row that cannot
//! be read is counted and left out; a book whose best bid is not below its best ask is refused whole, since it would
//! mislead.

use super::{Client, base, response::ServiceResponse, rows};
use crate::{
    api::Data,
    model::{
        Book, Candle, Cursor, Dated, EquitySample, Failure, FailureKind, FundingPayment, Grid,
        Interval, Level, Market, MarketId, Num, OrderEvidence, OrderId, Page, PublicTrade, Side,
        Timestamp,
    },
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use std::cmp::Reverse;

/// Rows of one request for the history of an account.
const HISTORY_PAGE: usize = 1_000;

/// Rows, and the instant up to which they are complete.
#[derive(Deserialize)]
struct SimRows {
    data: Vec<Box<RawValue>>,
    updated_at: Option<Timestamp>,
}

#[derive(Deserialize)]
struct SimMarket {
    market_id: MarketId,
    mark_price: Option<Num>,
    bid_price: Option<Num>,
    ask_price: Option<Num>,
    size_decimals: Option<u32>,
    max_leverage: Option<u32>,
    price_figures: Option<u32>,
    funding_rate: Option<Num>,
    updated_at: Option<Timestamp>,
    gap_since: Option<Timestamp>,
    #[serde(default)]
    unreadable_lines: u64,
}

#[derive(Deserialize)]
struct SimBook {
    data: SimLevels,
}

#[derive(Deserialize)]
struct SimLevels {
    bids: Vec<Level>,
    asks: Vec<Level>,
    updated_at: Option<Timestamp>,
}

impl Client {
    /// The prices of every market. They are of the exchange's own clock, which may be any.
    pub(super) async fn sim_markets(&self) -> Result<Page<Market>, Failure> {
        let answer = self.sim("/sim/markets").await?;
        let SimRows { data, .. } = answer.decoded()?;
        Ok(rows::read_rows(&data, |row: SimMarket| Ok(row.into())))
    }

    /// This many candles of a market, the newest of all or of those that open before an instant.
    pub async fn candles(
        &self,
        market: &MarketId,
        interval: Interval,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Option<Dated<Page<Candle>>>, Failure> {
        let before = before.map_or_else(String::new, |before| format!("&before={}", before.0));
        let query = format!("candles?interval={interval}&limit={limit}{before}");
        self.sim_page(market, &query, sound_candle).await
    }

    /// This many of a market's newest trades.
    pub async fn trades(
        &self,
        market: &MarketId,
        limit: u32,
    ) -> Result<Option<Dated<Page<PublicTrade>>>, Failure> {
        let query = format!("trades?limit={limit}");
        self.sim_page(market, &query, sound_trade).await
    }

    /// The nearest levels of a market's order book.
    pub async fn book(
        &self,
        market: &MarketId,
        depth: Option<u32>,
    ) -> Result<Option<Dated<Book>>, Failure> {
        if !self.is_simulator().await? {
            return Ok(None);
        }
        let depth = depth.map_or_else(String::new, |depth| format!("?depth={depth}"));
        let answer = self.sim(&target(market, &format!("book{depth}"))).await?;
        let SimBook { data } = answer.decoded()?;
        for Level { price, size } in data.bids.iter().chain(&data.asks) {
            if price.is_negative() || size.is_negative() {
                let why = format!("a level of price {price} and size {size} is below 0");
                return Err(unreadable(why));
            }
        }
        let book = Book::new(data.bids, data.asks);
        if book.is_crossed() {
            let best = |side| {
                book.best(side)
                    .map_or_else(String::new, |price| price.to_string())
            };
            let (bid, ask) = (best(Side::Buy), best(Side::Sell));
            let why = format!("the book is crossed: bid {bid} is not below ask {ask}");
            return Err(unreadable(why));
        }
        Ok(Some(Dated {
            value: book,
            made_at: data.updated_at,
        }))
    }

    /// What the fills of an order rest on.
    pub async fn evidence(&self, order: &OrderId) -> Result<Option<OrderEvidence>, Failure> {
        if !self.is_simulator().await? {
            return Ok(None);
        }
        let id = utf8_percent_encode(order.raw(), NON_ALPHANUMERIC);
        let answer = self.sim(&format!("/sim/orders/{id}/evidence")).await?;
        answer.decoded().map(|Data { data }| Some(data))
    }

    /// A page of the account's funding payments, the newest first.
    pub async fn funding(
        &self,
        cursor: Option<Cursor>,
    ) -> Result<Option<Page<FundingPayment>>, Failure> {
        let number = |row: &FundingPayment| row.payment_id;
        self.sim_history("funding", cursor, number).await
    }

    /// A page of the samples of the account's equity, the newest first.
    pub async fn equity(
        &self,
        cursor: Option<Cursor>,
    ) -> Result<Option<Page<EquitySample>>, Failure> {
        let number = |row: &EquitySample| row.sampled_at.0;
        self.sim_history("equity", cursor, number).await
    }

    /// The rows of the account before the number that the cursor names; `number` grows with time.
    async fn sim_history<Row: DeserializeOwned>(
        &self,
        list: &str,
        cursor: Option<Cursor>,
        number: fn(&Row) -> i64,
    ) -> Result<Option<Page<Row>>, Failure> {
        if !self.is_simulator().await? {
            return Ok(None);
        }
        let account = &self.connection().account_id;
        let id = utf8_percent_encode(account.raw(), NON_ALPHANUMERIC);
        let before = cursor.map_or_else(String::new, |from| format!("&before={}", from.raw()));
        let target = format!("/sim/accounts/{id}/{list}?limit={HISTORY_PAGE}{before}");
        let SimRows { data, .. } = self.sim(&target).await?.decoded()?;
        let mut page: Page<Row> = rows::read_rows(&data, Ok);
        page.rows.sort_by_key(|row| Reverse(number(row)));
        let oldest = page.rows.last().map(|row| number(row).to_string().into());
        page.next = oldest.filter(|_| data.len() == HISTORY_PAGE);
        Ok(Some(page))
    }

    /// The rows of one market; without a readable one, why.
    async fn sim_page<Wire: DeserializeOwned, Row>(
        &self,
        market: &MarketId,
        query: &str,
        read: impl Fn(Wire) -> Result<Row, String>,
    ) -> Result<Option<Dated<Page<Row>>>, Failure> {
        if !self.is_simulator().await? {
            return Ok(None);
        }
        let answer = self.sim(&target(market, query)).await?;
        let SimRows { data, updated_at } = answer.decoded()?;
        let page = rows::read_rows(&data, read);
        match page.unreadable.first() {
            Some(why) if page.rows.is_empty() => Err(unreadable(why.to_string())),
            _ => Ok(Some(Dated {
                value: page,
                made_at: updated_at,
            })),
        }
    }

    async fn sim(&self, target: &str) -> Result<ServiceResponse, Failure> {
        self.fetch(base::endpoint(&self.0.base, target)?).await
    }
}

fn target(market: &MarketId, query: &str) -> String {
    let id = utf8_percent_encode(market.raw(), NON_ALPHANUMERIC);
    format!("/sim/markets/{id}/{query}")
}

fn unreadable(why: String) -> Failure {
    Failure::new(FailureKind::Unreadable, why)
}

impl From<SimMarket> for Market {
    fn from(row: SimMarket) -> Self {
        Self {
            mark: row.mark_price,
            bid: row.bid_price,
            ask: row.ask_price,
            size_decimals: row.size_decimals,
            max_leverage: row.max_leverage,
            grid: row.price_figures.map_or(Grid::Guessed, Grid::Figures),
            funding_rate: row.funding_rate,
            updated_at: row.updated_at,
            gap_since: row.gap_since,
            unreadable_lines: row.unreadable_lines,
            ..Self::new(row.market_id)
        }
    }
}

/// The same candle, if its prices and amounts can be such.
fn sound_candle(candle: Candle) -> Result<Candle, String> {
    let amounts = [candle.volume, candle.turnover].into_iter().flatten();
    if let Some(amount) = amounts.into_iter().find(|amount| amount.is_negative()) {
        return Err(format!("{amount} is below 0"));
    }
    let Candle {
        open,
        high,
        low,
        close,
        ..
    } = candle;
    let is_within = |price: Num| low <= price && price <= high;
    if !low.is_positive() || !is_within(open) || !is_within(close) {
        return Err(format!(
            "open {open} and close {close} are not within low {low} and high {high}"
        ));
    }
    Ok(candle)
}

fn sound_trade(trade: PublicTrade) -> Result<PublicTrade, String> {
    for (name, number) in [("price", trade.price), ("size", trade.size)] {
        if !number.is_positive() {
            return Err(format!("{name} {number} is not above 0"));
        }
    }
    Ok(trade)
}

#[cfg(test)]
mod tests;
