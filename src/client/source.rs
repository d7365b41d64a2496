//! Prices and account figures from a configured JSON document, found by RFC 6901 pointers.
//!
//! Contract: decimals are exact (read from the text, never as `f64`); numbers may be JSON numbers or numeric strings. A
//! value that a pointer does not find stays unknown; one that cannot be read makes the row unreadable. The document may
//! come from anywhere; the API key goes to the service only. On this machine the paper exchange's sources are the
//! default. They are no part of the documented API: a service that answers 404 is not asked again.

use super::{
    Client, base,
    lock::locked,
    response::ServiceResponse,
    source_row::{SourceRow, rows, unreadable, whole},
};
use crate::{
    config::{FactsSource, PriceSource},
    model::{
        AccountFacts, AccountId, Failure, FailureKind, Grid, Market, Num, Page, RuleFact, Text,
        Timestamp,
    },
};

impl Client {
    /// Prices of every market of the configured source, in its order.
    pub async fn markets(&self) -> Result<Page<Market>, Failure> {
        let source = self.connection().prices.as_ref();
        let source = source.ok_or_else(|| Failure::local("no price source is configured"))?;
        let document = self.document(&source.url).await?;
        let mut page = Page::default();
        for (index, row) in rows(&whole(&document)?, &source.rows)?
            .into_iter()
            .enumerate()
        {
            match market(&row, source) {
                Ok(market) => page.rows.push(market),
                Err(why) => page.unreadable.push(format!("row {index}: {why}").into()),
            }
        }
        Ok(page)
    }

    /// The account's figures from the configured source.
    pub async fn account_facts(&self, account: &AccountId) -> Result<AccountFacts, Failure> {
        let source = self.connection().facts.as_ref();
        let source = source.ok_or_else(|| Failure::local("no account source is configured"))?;
        let document = self.document(&source.url).await?;
        let row = rows(&whole(&document)?, &source.rows)?
            .into_iter()
            .find(|row| {
                row.word(&source.account_id)
                    .is_ok_and(|id| id == account.raw())
            })
            .ok_or_else(|| {
                Failure::new(
                    FailureKind::NotFound,
                    format!("the account source has no row for {account}"),
                )
            })?;
        facts(&row, source).map_err(unreadable)
    }

    async fn document(&self, url: &str) -> Result<ServiceResponse, Failure> {
        let is_preset = url == PriceSource::paper().url || url == FactsSource::paper().url;
        let preset = if is_preset {
            Preset::Paper
        } else {
            Preset::None
        };
        self.read_source(url, url, preset).await
    }

    /// The document at `url`; `name` is what a service without it is not asked for again.
    pub(super) async fn read_source(
        &self,
        url: &str,
        name: &str,
        preset: Preset,
    ) -> Result<ServiceResponse, Failure> {
        if let Some(why) = self.not_offered(name) {
            return Err(why);
        }
        let answer = self.fetch(base::source(&self.0.base, url)?).await?;
        if matches!(answer.status, 404 | 405 | 410 | 501) && preset == Preset::Paper {
            locked(&self.0.not_offered).insert(name.to_owned());
        }
        self.not_offered(name).map_or(Ok(answer), Err)
    }

    /// As if no source were set, where the service has shown that it has none there.
    pub(super) fn not_offered(&self, name: &str) -> Option<Failure> {
        let words =
            || format!("the service does not offer {name}; perpdeck does not request it again");
        locked(&self.0.not_offered)
            .contains(name)
            .then(|| Failure::local(words()))
    }
}

/// Whether a source is what stands for "auto" and "paper": no service promises to have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Preset {
    Paper,
    None,
}

fn market(row: &SourceRow, source: &PriceSource) -> Result<Market, String> {
    let optional = |pointer: &Option<String>| row.optional(pointer.as_deref());
    Ok(Market {
        id: row.word(&source.market_id)?.into(),
        mark: row.number(&source.mark)?,
        bid: optional(&source.bid)?,
        ask: optional(&source.ask)?,
        size_decimals: optional(&source.size_decimals)?.and_then(count),
        max_leverage: optional(&source.max_leverage)?.and_then(count),
        funding_rate: optional(&source.funding_rate)?,
        grid: grid(row, source)?,
        updated_at: optional(&source.updated_at)?.and_then(Timestamp::from_wire),
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

fn facts(row: &SourceRow, source: &FactsSource) -> Result<AccountFacts, String> {
    let optional = |pointer: &Option<String>| row.optional(pointer.as_deref());
    let said = |pointer: &Option<String>| {
        let word = pointer.as_ref().and_then(|pointer| row.word(pointer).ok());
        word.map(Text::from)
    };
    Ok(AccountFacts {
        equity: row.number(&source.equity)?,
        cash: optional(&source.cash)?,
        available_margin: optional(&source.available_margin)?,
        day_pnl: optional(&source.day_pnl)?,
        daily_loss_left: optional(&source.daily_loss_left)?,
        starting_cash: optional(&source.starting_cash)?,
        rules: rules(row, source.rules.as_deref())?,
        as_of: optional(&source.as_of)?.and_then(Timestamp::from_wire),
        standing: said(&source.standing),
        broken_rule: said(&source.broken_rule),
    })
}

/// A rule without figures is none that could be shown.
fn rules(row: &SourceRow, pointer: Option<&str>) -> Result<Vec<RuleFact>, String> {
    let Some(found) = pointer.and_then(|pointer| row.find(pointer)) else {
        return Ok(vec![]);
    };
    let rows = found.items().ok_or("the rules are not an array")?;
    let mut rules = vec![];
    for row in rows {
        let id = row.word("/rule_id")?.into();
        if let (Some(value), Some(limit)) = (row.number("/value")?, row.number("/limit")?) {
            let from = row.number("/from")?;
            rules.push(RuleFact {
                id,
                value,
                limit,
                from,
            });
        }
    }
    Ok(rules)
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
                id: "x|BTC".into(),
                mark: Some("64000.10".parse().unwrap()),
                bid: Some("12345678901234567.12345678".parse().unwrap()),
                ask: None,
                size_decimals: Some(5),
                max_leverage: Some(40),
                funding_rate: None,
                grid: Grid::Guessed,
                updated_at: None,
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
