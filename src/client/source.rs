//! Prices and account figures from a configured JSON document, found by RFC 6901 pointers.
//!
//! Contract: exact decimals (the text of the number is read, never an `f64`), numbers may be JSON numbers
//! or numeric strings, what a pointer does not find stays unknown, what it finds and cannot be read makes
//! the row unreadable. The document may come from anywhere; the API key goes to the service only. The paper exchange's own
//! sources are what is asked for on this machine unless something else is set, and are no part of the documented API: a
//! service without them (404) is not asked again.

use super::{Client, base, lock::locked, response::ServiceResponse};
use crate::{
    config::{FactsSource, PriceSource},
    model::{
        AccountFacts, AccountId, Book, Failure, FailureKind, Grid, Level, Market, MarketId, Num,
        Page, RuleFact, Text, Timestamp,
    },
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

impl Client {
    /// Prices of every market of the configured source, in its order.
    pub async fn markets(&self) -> Result<Page<Market>, Failure> {
        let source = self.connection().prices.as_ref();
        let source = source.ok_or_else(|| Failure::local("no price source is configured"))?;
        let asked_at = self.now();
        let document = self.document(&source.url).await?;
        let mut page = Page::default();
        for (index, row) in rows(whole(&document)?, &source.rows)?
            .into_iter()
            .enumerate()
        {
            match market(row, source) {
                Ok(market) => page.rows.push(market),
                Err(why) => page.unreadable.push(format!("row {index}: {why}").into()),
            }
        }
        self.observe_marks(&page, asked_at);
        Ok(page)
    }

    /// The nearest levels of a market's order book; `None` where the configured source tells none.
    pub async fn book(&self, market: &MarketId) -> Result<Option<Book>, Failure> {
        let source = self.connection().prices.as_ref();
        let Some((source, url)) = source.and_then(|s| Some((s, s.book_url.as_deref()?))) else {
            return Ok(None);
        };
        if self.not_offered(&source.url).is_some() {
            return Ok(None);
        }
        let id = utf8_percent_encode(market.raw(), NON_ALPHANUMERIC).to_string();
        let document = self.document(&url.replace("{market_id}", &id)).await?;
        let document = whole(&document)?;
        let side = |pointer: &Option<String>| levels(document, pointer.as_deref(), source);
        let (bids, asks) = (side(&source.bids), side(&source.asks));
        let book = Book::new(bids.map_err(unreadable)?, asks.map_err(unreadable)?);
        Ok(Some(book))
    }

    /// The account's figures from the configured source.
    pub async fn account_facts(&self, account: &AccountId) -> Result<AccountFacts, Failure> {
        let source = self.connection().facts.as_ref();
        let source = source.ok_or_else(|| Failure::local("no account source is configured"))?;
        let document = self.document(&source.url).await?;
        let row = rows(whole(&document)?, &source.rows)?
            .into_iter()
            .find(|row| word(row, &source.account_id).is_ok_and(|id| id == account.raw()))
            .ok_or_else(|| {
                Failure::new(
                    FailureKind::NotFound,
                    format!("the account source has no row for {account}"),
                )
            })?;
        facts(row, source).map_err(unreadable)
    }

    async fn document(&self, url: &str) -> Result<ServiceResponse, Failure> {
        if let Some(why) = self.not_offered(url) {
            return Err(why);
        }
        let answer = self.fetch(base::source(&self.0.base, url)?).await?;
        if matches!(answer.status, 404 | 405 | 410 | 501) && is_preset(url) {
            locked(&self.0.not_offered).insert(url.to_owned());
        }
        self.not_offered(url).map_or(Ok(answer), Err)
    }

    /// As if no source were set, where the service has shown that it has none there.
    fn not_offered(&self, url: &str) -> Option<Failure> {
        let words = || format!("the service does not offer {url}, and is not asked for it again");
        locked(&self.0.not_offered)
            .contains(url)
            .then(|| Failure::local(words()))
    }
}

fn is_preset(url: &str) -> bool {
    url == PriceSource::paper().url || url == FactsSource::paper().url
}

fn market(row: &RawValue, source: &PriceSource) -> Result<Market, String> {
    let optional = |pointer: &Option<String>| match pointer {
        Some(pointer) => number(row, pointer),
        None => Ok(None),
    };
    Ok(Market {
        id: word(row, &source.market_id)?.into(),
        mark: number(row, &source.mark)?,
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
fn grid(row: &RawValue, source: &PriceSource) -> Result<Grid, String> {
    let told = |pointer: &Option<String>| {
        let found = pointer.as_ref().map(|pointer| number(row, pointer));
        found.transpose().map(Option::flatten)
    };
    let step = told(&source.tick_size)?.filter(|step| step.is_positive());
    let figures = told(&source.price_figures)?.and_then(count);
    Ok(match (step, figures) {
        (Some(step), _) => Grid::Step(step),
        (None, Some(figures)) => Grid::Figures(figures),
        (None, None) => Grid::Guessed,
    })
}

/// A level that cannot be read makes the book unreadable: a book with a hole in it misleads.
fn levels(
    document: &RawValue,
    pointer: Option<&str>,
    source: &PriceSource,
) -> Result<Vec<Level>, String> {
    let pointer = pointer.unwrap_or_default();
    let found = find(document, pointer).ok_or_else(|| format!("nothing at `{pointer}`"))?;
    let rows: Vec<&RawValue> =
        serde_json::from_str(found.get()).map_err(|_| format!("no levels at `{pointer}`"))?;
    let read = |row: &RawValue, pointer: &Option<String>| {
        let pointer = pointer.as_deref().unwrap_or_default();
        number(row, pointer)?.ok_or_else(|| format!("nothing at `{pointer}` of a level"))
    };
    let level = |row: &RawValue| {
        Ok(Level {
            price: read(row, &source.level_price)?,
            size: read(row, &source.level_size)?,
        })
    };
    rows.into_iter().map(level).collect()
}

fn facts(row: &RawValue, source: &FactsSource) -> Result<AccountFacts, String> {
    let optional = |pointer: &Option<String>| match pointer {
        Some(pointer) => number(row, pointer),
        None => Ok(None),
    };
    let said = |pointer: &Option<String>| {
        let word = pointer.as_ref().and_then(|pointer| word(row, pointer).ok());
        word.map(Text::from)
    };
    Ok(AccountFacts {
        equity: number(row, &source.equity)?,
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
fn rules(row: &RawValue, pointer: Option<&str>) -> Result<Vec<RuleFact>, String> {
    let Some(found) = pointer.and_then(|pointer| find(row, pointer)) else {
        return Ok(vec![]);
    };
    let rows: Vec<&RawValue> =
        serde_json::from_str(found.get()).map_err(|_| "the rules are no array".to_owned())?;
    let mut rules = vec![];
    for row in rows {
        let id = word(row, "/rule_id")?.into();
        if let (Some(value), Some(limit)) = (number(row, "/value")?, number(row, "/limit")?) {
            let from = number(row, "/from")?;
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

/// The body of a good answer as one JSON value.
fn whole(answer: &ServiceResponse) -> Result<&RawValue, Failure> {
    if !answer.is_success() {
        return Err(answer.failure());
    }
    serde_json::from_slice(&answer.body)
        .map_err(|why| unreadable(format!("the source's answer is not JSON: {why}")))
}

/// The array `pointer` names; a lone object counts as an array of one.
fn rows<'a>(document: &'a RawValue, pointer: &str) -> Result<Vec<&'a RawValue>, Failure> {
    let found = find(document, pointer)
        .ok_or_else(|| unreadable(format!("the source's answer has nothing at `{pointer}`")))?;
    if found.get().starts_with('{') {
        return Ok(vec![found]);
    }
    serde_json::from_str(found.get())
        .map_err(|_| unreadable(format!("the source's answer has no rows at `{pointer}`")))
}

fn unreadable(why: String) -> Failure {
    Failure::new(FailureKind::Unreadable, why)
}

/// RFC 6901 over unparsed JSON, so that no number is read before its digits are wanted.
fn find<'a>(value: &'a RawValue, pointer: &str) -> Option<&'a RawValue> {
    let Some(rest) = pointer.strip_prefix('/') else {
        return pointer.is_empty().then_some(value);
    };
    rest.split('/').try_fold(value, |value, token| {
        let token = token.replace("~1", "/").replace("~0", "~");
        if value.get().starts_with('[') {
            let items: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
            return items.get(token.parse::<usize>().ok()?).copied();
        }
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(value.get()).ok()?;
        members.get(&token).copied()
    })
}

/// The number at `pointer`; `None` where there is none or `null`.
fn number(row: &RawValue, pointer: &str) -> Result<Option<Num>, String> {
    let Some(found) = find(row, pointer).filter(|found| found.get() != "null") else {
        return Ok(None);
    };
    let text: String = serde_json::from_str(found.get()).unwrap_or_else(|_| found.get().to_owned());
    match text.parse() {
        Ok(number) => Ok(Some(number)),
        Err(why) => Err(format!("{pointer}: {why}: {}", Text::from(excerpt(&text)))),
    }
}

/// As of every id.
const LONGEST_WORD: usize = 128;

/// The id at `pointer`: a string, or a number as it is written.
fn word(row: &RawValue, pointer: &str) -> Result<String, String> {
    let found = find(row, pointer).ok_or_else(|| format!("nothing at `{pointer}`"))?;
    let text: String = serde_json::from_str(found.get()).unwrap_or_else(|_| found.get().to_owned());
    if text.is_empty() || text.starts_with(['{', '[']) || text == "null" {
        return Err(format!("no id at `{pointer}`"));
    }
    let length = text.chars().count();
    if length > LONGEST_WORD {
        return Err(format!(
            "{length} characters at `{pointer}`, the limit is {LONGEST_WORD}"
        ));
    }
    Ok(text)
}

fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_is_read_level_by_level_and_never_with_a_hole_in_it() {
        let text = r#"{"data":{"bids":[{"price":99,"size":"1.5"}],"asks":[{"price":101}]}}"#;
        let document: Box<RawValue> = serde_json::from_str(text).unwrap();
        let source = PriceSource::paper();
        let side = |pointer: &Option<String>| levels(&document, pointer.as_deref(), &source);
        let bid = Level {
            price: "99".parse().unwrap(),
            size: "1.5".parse().unwrap(),
        };
        assert_eq!(side(&source.bids), Ok(vec![bid]));
        assert_eq!(
            side(&source.asks),
            Err("nothing at `/size` of a level".to_owned())
        );
    }

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn pointers_follow_the_rfc() {
        let document = raw(r#"{"a":[{"b/c":1},{"d~e":"x"}],"":2}"#);
        let at = |pointer| find(&document, pointer).map(RawValue::get);
        assert_eq!(at("/a/0/b~1c"), Some("1"));
        assert_eq!(at("/a/1/d~0e"), Some("\"x\""));
        assert_eq!(at("/"), Some("2"));
        assert_eq!(at(""), Some(document.get()));
        for nothing in ["/a/2", "/a/x", "/z", "a"] {
            assert_eq!(at(nothing), None, "{nothing}");
        }
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
            market(&row, &source),
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
            assert_eq!(grid(&row, &source), Ok(found));
        }
    }

    #[test]
    fn a_price_that_is_no_number_is_told_not_guessed() {
        let row = raw(r#"{"market_id":"x|BTC","mark_price":"soon"}"#);
        let why = market(&row, &PriceSource::paper()).unwrap_err();
        assert_eq!(why, "/mark_price: not a number: soon");
        let row = raw(r#"{"market_id":null,"mark_price":1}"#);
        let why = market(&row, &PriceSource::paper()).unwrap_err();
        assert_eq!(why, "no id at `/market_id`");
    }
}
