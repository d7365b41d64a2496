//! Prices from a JSON document, found by RFC 6901 pointers: the simulator's own, or one of the trader's choice.
//!
//! Contract: decimals are exact (read from the text, never as `f64`); numbers may be JSON numbers or numeric strings. A
//! value that a pointer does not find stays unknown; one that cannot be read makes the row unreadable. The document may
//! come from anywhere; the API key goes to the service only.

use super::{
    Client, base,
    response::ServiceResponse,
    source_row::{SourceRow, rows, whole},
};
use crate::{
    config::PriceSource,
    model::{Fallible, Grid, Market, MarketId, Num, Page, Timestamp},
};

impl Client {
    /// The answer of a source: a path on the service itself, or an address.
    pub(super) async fn source_answer(&self, url: &str) -> Fallible<ServiceResponse> {
        self.fetch(base::source(&self.0.base, url)?).await
    }
}

/// Prices of every market of a source, in its order.
pub(super) fn market_page(
    answer: &ServiceResponse,
    source: &PriceSource,
) -> Fallible<Page<Market>> {
    let mut page = Page::default();
    for (index, row) in rows(&whole(answer)?, &source.rows)?.iter().enumerate() {
        match market(row, source) {
            Ok(market) => page.rows.push(market),
            Err(why) => page.unreadable.push(format!("row {index}: {why}").into()),
        }
    }
    Ok(page)
}

fn market(row: &SourceRow, source: &PriceSource) -> Result<Market, String> {
    let optional = |pointer: &Option<String>| row.optional(pointer.as_deref());
    Ok(Market {
        mark: row.number(&source.mark)?,
        bid: optional(&source.bid)?,
        ask: optional(&source.ask)?,
        size_decimals: optional(&source.size_decimals)?.and_then(count),
        max_leverage: optional(&source.max_leverage)?.and_then(count),
        funding_rate: optional(&source.funding_rate)?,
        grid: grid(row, source)?,
        updated_at: optional(&source.updated_at)?.and_then(Timestamp::from_wire),
        ..Market::new(MarketId::from(row.word(&source.market_id)?))
    })
}

/// What nobody tells is guessed elsewhere, and refuses nothing.
fn grid(row: &SourceRow, source: &PriceSource) -> Result<Grid, String> {
    let told = |pointer: &Option<String>| row.optional(pointer.as_deref());
    let step = told(&source.tick_size)?.filter(|step| step.is_positive());
    let figures = told(&source.price_figures)?.and_then(count);
    Ok(match (step, figures) {
        (Some(step), _) => Grid::Step(step),
        (None, Some(figures)) => Grid::Figures(figures),
        (None, None) => Grid::Guessed,
    })
}

fn count(number: Num) -> Option<u32> {
    u32::try_from(number.to_i64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn a_price_keeps_every_digit_whether_number_or_text() {
        let row = raw(
            r#"{"id":"x|BTC","m":64000.10,"b":"12345678901234567.12345678","a":null,"d":5,"l":"40"}"#,
        );
        let source = PriceSource {
            market_id: "/id".into(),
            mark: "/m".into(),
            bid: Some("/b".into()),
            ask: Some("/a".into()),
            size_decimals: Some("/d".into()),
            max_leverage: Some("/l".into()),
            funding_rate: Some("/nowhere".into()),
            ..PriceSource::paper()
        };
        assert_eq!(
            market(&SourceRow::from(&*row), &source),
            Ok(Market {
                mark: Some("64000.10".parse().unwrap()),
                bid: Some("12345678901234567.12345678".parse().unwrap()),
                size_decimals: Some(5),
                max_leverage: Some(40),
                ..Market::new("x|BTC".into())
            })
        );
    }

    #[test]
    fn how_prices_are_spaced_is_known_where_the_source_tells_it_and_not_by_its_being_asked() {
        let source = |tick_size: &str, price_figures: &str| PriceSource {
            tick_size: Some(tick_size.into()),
            price_figures: Some(price_figures.into()),
            ..PriceSource::paper()
        };
        let row = raw(r#"{"t":"0.5","f":5,"zero":0}"#);
        for (source, found) in [
            (source("/t", "/f"), Grid::Step(Num::new(5, 1))),
            (source("/zero", "/f"), Grid::Figures(5)),
            (source("/nowhere", "/nowhere"), Grid::Guessed),
        ] {
            assert_eq!(grid(&SourceRow::from(&*row), &source), Ok(found));
        }
    }

    #[test]
    fn a_price_that_is_no_number_is_told_not_guessed() {
        let row = raw(r#"{"market_id":"x|BTC","mark_price":"soon"}"#);
        let why = market(&SourceRow::from(&*row), &PriceSource::paper()).unwrap_err();
        assert_eq!(why, "/mark_price: not a number: soon");
        let row = raw(r#"{"market_id":null,"mark_price":1}"#);
        let why = market(&SourceRow::from(&*row), &PriceSource::paper()).unwrap_err();
        assert_eq!(why, "no id at `/market_id`");
    }
}
