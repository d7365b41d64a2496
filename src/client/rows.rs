//! Lists: a bad row is counted and the page is kept; a walk over pages ends whatever the service does.

use super::{
    Client,
    response::{ServiceResponse, clipped},
};
use crate::{
    api::{CURSOR_LIMIT, List, MOST_ROWS, Route},
    model::{AccountId, Cursor, Fallible, Order, Page, Position, Scaled, Text, Twap},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use std::collections::BTreeSet;

/// The working set is documented as bounded; 20 pages of 100 are far beyond any account. Only a service that ignores
/// the filter reaches the limit, and a poll does not need the rest of its history.
const WALK_PAGES: usize = 20;

/// The rows of one response, in its order.
///
/// `requested` is the cursor of this page: a service that returns the same cursor again is not followed. A page of `limit`
/// rows may have a successor that the service does not mention.
fn page<T: DeserializeOwned>(
    list: List,
    requested: Option<&Cursor>,
    limit: Option<u32>,
) -> Page<T> {
    let full = limit.is_some_and(|limit| u32::try_from(list.data.len()).is_ok_and(|n| n >= limit));
    let usable = |cursor: &Cursor| {
        let length = cursor.raw().chars().count();
        (1..=CURSOR_LIMIT).contains(&length) && requested != Some(cursor)
    };
    let is_stated = list.next_cursor.is_some();
    let next = list.next_cursor.filter(usable);
    let has_too_many = list.data.len() >= MOST_ROWS;
    let (next, incomplete) = match list.has_more {
        Some(false) => (None, false),
        Some(true) => (next.clone(), next.is_none()),
        None if is_stated => (next.clone(), next.is_none()),
        None => (None, full),
    };
    let mut page = Page {
        next,
        incomplete: incomplete || has_too_many,
        ..Page::default()
    };
    for (index, raw) in list.data.iter().enumerate() {
        match row(raw, index) {
            Ok(row) => page.rows.push(row),
            Err(why) => {
                page.unreadable.push(why);
                page.lost.extend(id(raw));
            }
        }
    }
    page
}

/// The row's id, if that alone can be read.
fn id(raw: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        id: AccountId,
    }
    let named = serde_json::from_str(raw.get());
    named.map(|Named { id }| id.raw().to_owned()).ok()
}

/// The rows that `read` takes, in their order; the others are counted.
pub(super) fn read_rows<Wire: DeserializeOwned, Row>(
    raw: &[Box<RawValue>],
    read: impl Fn(Wire) -> Result<Row, String>,
) -> Page<Row> {
    let mut page = Page::default();
    for (index, raw) in raw.iter().enumerate() {
        let value = row(raw, index);
        let value = value
            .and_then(|value| read(value).map_err(|why| clipped(&format!("data[{index}]: {why}"))));
        match value {
            Ok(row) => page.rows.push(row),
            Err(why) => page.unreadable.push(why),
        }
    }
    page
}

/// One row, or an error like `data[3].size: why`.
fn row<T: DeserializeOwned>(raw: &RawValue, index: usize) -> Result<T, Text> {
    let mut json = serde_json::Deserializer::from_str(raw.get());
    serde_path_to_error::deserialize(&mut json).map_err(|why| {
        let path = why.path().to_string();
        let dot = if path.starts_with(['.', '[']) {
            ""
        } else {
            "."
        };
        clipped(&format!("data[{index}]{dot}{path}: {}", why.inner()))
    })
}

/// A row of an account.
pub(super) trait Owned {
    fn id(&self) -> &str;
    /// Empty if the row does not say.
    fn account_id(&self) -> &AccountId;
}

macro_rules! owned {
    ($($row:ty),+) => {$(
        impl Owned for $row {
            fn id(&self) -> &str {
                self.id.raw()
            }

            fn account_id(&self) -> &AccountId {
                &self.account_id
            }
        }
    )+};
}
owned!(Order, Position, Twap, Scaled);

/// The rows of `account`, each id once; the others are counted and never acted on.
pub(super) fn own<T: Owned>(mut page: Page<T>, account: &AccountId) -> Page<T> {
    let mut seen = BTreeSet::new();
    let answered = page.rows.len();
    page.rows.retain(|row| {
        let owner = row.account_id();
        let is_own = owner.raw().is_empty() || owner == account;
        is_own && !row.id().is_empty() && seen.insert(row.id().to_owned())
    });
    page.left_out = answered - page.rows.len();
    page
}

/// A bounded list as a whole: joins the pages, from the first on, until the service says that one was the last.
///
/// A row that moves between pages during the walk is taken once, as first seen. A failure on a later page
/// fails the walk, so that half a list is never shown as all of it.
pub(super) async fn walk_on<T: Owned, F>(
    first: Page<T>,
    fetch: impl Fn(Option<Cursor>) -> F,
) -> Fallible<Page<T>>
where
    F: Future<Output = Fallible<Page<T>>>,
{
    let mut whole = first;
    let mut seen: Vec<Cursor> = vec![];
    while let Some(cursor) = whole.next.take() {
        if seen.contains(&cursor) {
            whole.stall();
            break;
        }
        if seen.len() + 1 >= WALK_PAGES {
            whole.incomplete = true;
            break;
        }
        let page = fetch(Some(cursor.clone())).await?;
        seen.push(cursor);
        let before = whole.rows.len();
        for row in page.rows {
            if !whole.rows.iter().any(|known| known.id() == row.id()) {
                whole.rows.push(row);
            }
        }
        let is_new = whole.rows.len() > before || !page.unreadable.is_empty();
        whole.unreadable.extend(page.unreadable);
        whole.lost.extend(page.lost);
        whole.left_out += page.left_out;
        whole.incomplete |= page.incomplete;
        whole.next = page.next;
        if whole.next.is_some() && !is_new {
            whole.stall();
        }
    }
    Ok(whole)
}

impl Client {
    /// One page of a list that is read page by page.
    pub(super) async fn list_at<T: DeserializeOwned>(
        &self,
        route: &Route,
        requested: Option<&Cursor>,
        limit: Option<u32>,
    ) -> Fallible<Page<T>> {
        let list = list(&self.read(route).await?)?;
        Ok(page(list, requested, limit))
    }
}

/// The rows of a response body, decoded as every list is. For the fuzz target `server_answer`.
#[cfg(fuzzing)]
pub fn rows_of<T: DeserializeOwned>(body: &[u8]) -> Fallible<Page<T>> {
    let answer = ServiceResponse {
        status: 200,
        retry_after: None,
        longer: None,
        date: None,
        request_id: None,
        budgets: vec![],
        body: body.to_vec(),
    };
    Ok(page(list(&answer)?, None, None))
}

/// The other place where paging fields may be.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PagingPlaces {
    pagination: Option<Box<RawValue>>,
    paging: Option<Box<RawValue>>,
    meta: Option<Box<RawValue>>,
}

/// Their other possible names.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Paging {
    has_more: Option<bool>,
    #[serde(alias = "cursor", alias = "next")]
    next_cursor: Option<Cursor>,
}

/// The raw rows and the cursor of the next page. The documents show paging fields for orders only.
fn list(answer: &ServiceResponse) -> Fallible<List> {
    let mut list: List = answer.decoded()?;
    if list.has_more.is_none() && list.next_cursor.is_none() {
        let PagingPlaces {
            pagination,
            paging,
            meta,
        } = serde_json::from_slice(&answer.body).unwrap_or_default();
        let places = [pagination, paging, meta].into_iter().flatten();
        let mut read = places.filter_map(|place| serde_json::from_str(place.get()).ok());
        let Paging {
            has_more,
            next_cursor,
        } = read.next().unwrap_or_default();
        (list.has_more, list.next_cursor) = (has_more, next_cursor);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Num, Position, TradingPolicy};

    fn read(rows: &str) -> Page<Position> {
        page(
            serde_json::from_str(&format!(r#"{{"data":[{rows}]}}"#)).unwrap(),
            None,
            None,
        )
    }

    #[test]
    fn a_row_with_an_id_that_is_too_long_is_counted_and_costs_no_other() {
        let row = |id: &str| format!(r#"{{"id":"{id}","market_id":"p|BTC","size":1}}"#);
        let page = read(&[row("pos_1"), row(&"x".repeat(65_533)), row("pos_2")].join(","));
        let ids: Vec<_> = page.rows.iter().map(|position| position.id.raw()).collect();
        assert_eq!(ids, ["pos_1", "pos_2"]);
        let [why] = page.unreadable.as_slice() else {
            panic!("{:?}", page.unreadable);
        };
        assert!(why.raw().contains("65533 characters"), "{why}");
        assert_eq!(page.lost, Vec::<String>::new());
    }

    #[test]
    fn a_number_in_quotes_reads_as_the_number() {
        let page = read(
            r#"{"id":"pos_1","market_id":"p|BTC","size":"1.50","entry_price":"64000.5","size_decimals":5,
               "fees":null},{"id":"pos_2","market_id":"p|BTC","size":"much"}"#,
        );
        assert_eq!(
            page.unreadable,
            ["data[1].size: not a number: \"much\" at line 1 column 48".into()]
        );
        let [position] = page.rows.as_slice() else {
            panic!("{:?}", page.rows);
        };
        let [size, entry] = ["1.50", "64000.5"].map(|number| number.parse().unwrap());
        assert_eq!((position.size, position.entry_price), (size, Some(entry)));
        assert_eq!((position.fees, position.leverage), (None, None));
        let policy = r#"{"maximum_total_notional_usd":"1000"}"#;
        let policy: TradingPolicy = serde_json::from_str(policy).unwrap();
        assert_eq!(
            policy.maximum_total_notional_usd,
            Some(Num::from(1_000_u32))
        );
    }

    #[test]
    fn a_list_without_end_is_read_to_its_limit_and_said_to_be_cut() {
        let page = read(&vec!["{}"; MOST_ROWS + 5].join(","));
        assert_eq!((page.unreadable.len(), page.incomplete), (MOST_ROWS, true));
    }

    fn pages(pages: &'static [(&str, &str)]) -> Page<Position> {
        let read = |cursor: Option<Cursor>| {
            let at = cursor.map_or(0, |cursor| cursor.raw().parse::<usize>().unwrap());
            let (id, next) = pages[at];
            let rows = format!(r#"{{"id":"{id}","market_id":"p|BTC","size":1}}"#);
            let mut page = own(read(&rows), &"a".into());
            page.next = (!next.is_empty()).then(|| Cursor::from(next.to_owned()));
            std::future::ready(Ok(page))
        };
        let walk = async { walk_on(read(None).await?, read).await };
        futures_util::FutureExt::now_or_never(walk)
            .unwrap()
            .unwrap()
    }

    #[test]
    fn a_list_whose_pages_bring_nothing_new_or_name_a_cursor_again_makes_no_progress() {
        let whole = pages(&[("a", "1"), ("b", "2"), ("c", "")]);
        assert_eq!((whole.rows.len(), whole.stalled), (3, false));
        for walked in [
            pages(&[("a", "1"), ("a", "2"), ("c", "")]),
            pages(&[("a", "1"), ("b", "1")]),
        ] {
            assert!(walked.stalled && walked.incomplete, "{walked:?}");
            assert_eq!(walked.next, None);
        }
    }

    #[test]
    fn a_row_without_an_id_or_of_another_account_is_left_out_and_counted() {
        let row = |id: &str, account: &str| {
            format!(r#"{{"id":"{id}","account_id":"{account}","market_id":"p|BTC","size":1}}"#)
        };
        let rows = [
            row("a", "me"),
            row("", "me"),
            row("b", "you"),
            row("a", "me"),
        ];
        let page = own(read(&rows.join(",")), &"me".into());
        assert_eq!((page.rows.len(), page.left_out), (1, 3));
    }
}
