//! Candles, the order book and the trades of one market, from configured sources.
//!
//! Contract: lenient in. A row that cannot be read is counted and left out; a book with a hole in it, or whose best bid
//! is not below its best ask, is refused whole, since it would mislead. `Ok(None)` where no source is set, and by default where the service
//! is no simulator. The key goes to the service only.

use super::{
    Client,
    source_row::{SourceRow, rows, unreadable, whole},
};
use crate::{
    config::{BookSource, CandleSource, TradeSource},
    model::{
        Book, Candle, Dated, Fallible, Interval, Level, MarketId, Num, Page, PublicTrade, Side,
        Timestamp,
    },
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

impl Client {
    /// So many candles of a market, the newest of all or of those that open before an instant.
    pub async fn candles(
        &self,
        market: &MarketId,
        interval: Interval,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Fallible<Option<Dated<Page<Candle>>>> {
        let choice = &self.connection().markets.candles;
        let Some(source) = &self.chosen(choice, CandleSource::paper).await? else {
            return Ok(None);
        };
        let values = [
            ("{market_id}", Some(market.raw().to_owned())),
            ("{interval}", Some(interval.to_string())),
            ("{limit}", Some(limit.to_string())),
            ("{before}", before.map(|before| before.0.to_string())),
        ];
        let answer = self.source_answer(&filled(&source.url, &values)).await?;
        let document = whole(&answer)?;
        let mut page = page(&document, &source.rows, |row| candle(row, source))?;
        if source.closed.is_none()
            && before.is_none()
            && let Some(newest) = page.rows.iter_mut().max_by_key(|row| row.open_time)
        {
            newest.is_closed = false;
        }
        Ok(Some(dated(&document, source.updated_at.as_deref(), page)))
    }

    /// The nearest levels of a market's order book; a source that does not take a depth tells as many as it likes.
    pub async fn book(
        &self,
        market: &MarketId,
        depth: Option<u32>,
    ) -> Fallible<Option<Dated<Book>>> {
        let choice = &self.connection().markets.books;
        let Some(source) = &self.chosen(choice, BookSource::paper).await? else {
            return Ok(None);
        };
        let values = [
            ("{market_id}", Some(market.raw().to_owned())),
            ("{depth}", depth.map(|depth| depth.to_string())),
        ];
        let answer = self.source_answer(&filled(&source.url, &values)).await?;
        let document = whole(&answer)?;
        let side = |pointer| levels(&document, pointer, source).map_err(unreadable);
        let book = Book::new(side(&source.bids)?, side(&source.asks)?);
        if book.is_crossed() {
            let best = |side| {
                book.best(side)
                    .map_or_else(String::new, |price| price.to_string())
            };
            let (bid, ask) = (best(Side::Buy), best(Side::Sell));
            let why = format!("the book is crossed: bid {bid} is not below ask {ask}");
            return Err(unreadable(why));
        }
        Ok(Some(dated(&document, source.updated_at.as_deref(), book)))
    }

    /// So many of a market's newest trades, in the order that the source tells.
    pub async fn trades(
        &self,
        market: &MarketId,
        limit: u32,
    ) -> Fallible<Option<Dated<Page<PublicTrade>>>> {
        let choice = &self.connection().markets.trades;
        let Some(source) = &self.chosen(choice, TradeSource::paper).await? else {
            return Ok(None);
        };
        let values = [
            ("{market_id}", Some(market.raw().to_owned())),
            ("{limit}", Some(limit.to_string())),
        ];
        let answer = self.source_answer(&filled(&source.url, &values)).await?;
        let document = whole(&answer)?;
        let page = page(&document, &source.rows, |row| trade(row, source))?;
        Ok(Some(dated(&document, source.updated_at.as_deref(), page)))
    }
}

/// An address with its placeholders replaced; a query parameter whose placeholder has no value is left out.
fn filled(template: &str, values: &[(&str, Option<String>)]) -> String {
    let fill = |text: &str| {
        values
            .iter()
            .try_fold(text.to_owned(), |text, (name, value)| {
                if !text.contains(name) {
                    return Some(text);
                }
                let value = utf8_percent_encode(value.as_deref()?, NON_ALPHANUMERIC).to_string();
                Some(text.replace(name, &value))
            })
    };
    let (path, query) = template.split_once('?').unwrap_or((template, ""));
    let path = fill(path).unwrap_or_else(|| path.to_owned());
    let pairs: Vec<_> = query.split('&').filter_map(fill).collect();
    match pairs.join("&").as_str() {
        "" => path,
        query => format!("{path}?{query}"),
    }
}

fn dated<T>(document: &SourceRow, updated_at: Option<&str>, value: T) -> Dated<T> {
    let made_at = updated_at.and_then(|pointer| document.instant(pointer).ok());
    Dated { value, made_at }
}

fn page<T>(
    document: &SourceRow,
    pointer: &str,
    read: impl Fn(&SourceRow) -> Result<T, String>,
) -> Fallible<Page<T>> {
    let mut page = Page::default();
    for (index, row) in rows(document, pointer)?.iter().enumerate() {
        match read(row) {
            Ok(row) => page.rows.push(row),
            Err(why) => page.unreadable.push(format!("row {index}: {why}").into()),
        }
    }
    match page.unreadable.first() {
        Some(why) if page.rows.is_empty() => Err(unreadable(why.to_string())),
        _ => Ok(page),
    }
}

fn candle(row: &SourceRow, source: &CandleSource) -> Result<Candle, String> {
    let amount = |pointer: &Option<String>| {
        let told = row.optional(pointer.as_deref())?;
        match told.filter(|amount| amount.is_negative()) {
            Some(amount) => Err(format!("{amount} is below 0")),
            None => Ok(told),
        }
    };
    let candle = Candle {
        open_time: row.instant(&source.open_time)?,
        open: row.needed(&source.open)?,
        high: row.needed(&source.high)?,
        low: row.needed(&source.low)?,
        close: row.needed(&source.close)?,
        volume: amount(&source.volume)?,
        turnover: amount(&source.turnover)?,
        trades: amount(&source.trades)?.and_then(whole_number),
        is_closed: row.flag(source.closed.as_deref()).unwrap_or(true),
        is_synthetic: row.flag(source.synthetic.as_deref()).unwrap_or(false),
    };
    let (low, high) = (candle.low, candle.high);
    let is_within = |price: Num| low <= price && price <= high;
    if !low.is_positive() || !is_within(candle.open) || !is_within(candle.close) {
        return Err(format!(
            "open {} and close {} are not within low {low} and high {high}",
            candle.open, candle.close
        ));
    }
    Ok(candle)
}

/// A level that cannot be read makes the book unreadable: a book with a hole in it misleads.
fn levels(document: &SourceRow, pointer: &str, source: &BookSource) -> Result<Vec<Level>, String> {
    let found = document.find(pointer);
    let found = found.ok_or_else(|| format!("nothing at `{pointer}`"))?;
    let rows = found.items();
    let rows = rows.ok_or_else(|| format!("no levels at `{pointer}`"))?;
    let read = |row: &SourceRow, pointer: &str| {
        let number = row.number(pointer)?;
        let number = number.ok_or_else(|| format!("nothing at `{pointer}` of a level"))?;
        if number.is_negative() {
            return Err(format!("{number} at `{pointer}` of a level is below 0"));
        }
        Ok(number)
    };
    let level = |row: &SourceRow| {
        Ok(Level {
            price: read(row, &source.level_price)?,
            size: read(row, &source.level_size)?,
        })
    };
    rows.iter().map(level).collect()
}

fn trade(row: &SourceRow, source: &TradeSource) -> Result<PublicTrade, String> {
    let positive = |pointer: &str| {
        let number = row.needed(pointer)?;
        if !number.is_positive() {
            return Err(format!("{number} at `{pointer}` is not above 0"));
        }
        Ok(number)
    };
    let id = row.optional(source.trade_id.as_deref()).ok().flatten();
    Ok(PublicTrade {
        id: id.and_then(whole_number),
        price: positive(&source.price)?,
        size: positive(&source.size)?,
        aggressor: aggressor(&row.word(&source.aggressor)?)?,
        at: row.instant(&source.time)?,
        is_own: row.flag(source.own.as_deref()),
    })
}

fn aggressor(word: &str) -> Result<Side, String> {
    match word.to_ascii_lowercase().as_str() {
        "buy" | "b" | "bid" => Ok(Side::Buy),
        "sell" | "s" | "a" | "ask" => Ok(Side::Sell),
        _ => Err("the aggressor is neither buy nor sell".to_owned()),
    }
}

fn whole_number(number: Num) -> Option<u64> {
    u64::try_from(number.to_i64()?).ok()
}

#[cfg(test)]
mod tests;
