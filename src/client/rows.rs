//! Lists: one bad row is counted, never costs the page; a walk over pages ends whatever the service does.

use super::{
    Client,
    answer::{Answer, clipped},
};
use crate::{
    api::{CURSOR_LIMIT, List},
    model::{Cursor, Failure, Page, Text},
};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// The working set is documented as bounded; 20 pages of 100 are far beyond any account. Only a service
/// that ignores the filter reaches it, and then the rest of the history is not worth a poll.
const WALK_PAGES: usize = 20;

/// The rows of one answer, in its order.
///
/// `asked` is where this page began: a service that answers with the same place again is not followed.
/// `limit` tells a full page, which may have a successor the service does not mention.
pub(super) fn page<T: DeserializeOwned>(
    answer: &Answer,
    asked: Option<&Cursor>,
    limit: Option<u32>,
) -> Result<Page<T>, Failure> {
    let list: List = answer.decoded()?;
    let full = limit.is_some_and(|limit| u32::try_from(list.data.len()).is_ok_and(|n| n >= limit));
    let usable = |cursor: &Cursor| {
        let length = cursor.raw().chars().count();
        (1..=CURSOR_LIMIT).contains(&length) && asked != Some(cursor)
    };
    let said = list.next_cursor.is_some();
    let next = list.next_cursor.filter(usable);
    let (next, incomplete) = match list.has_more {
        Some(false) => (None, false),
        Some(true) => (next.clone(), next.is_none()),
        None if said => (next.clone(), next.is_none()),
        None => (None, full),
    };
    let mut page = Page {
        next,
        incomplete,
        ..Page::default()
    };
    for (index, raw) in list.data.iter().enumerate() {
        match row(raw, index) {
            Ok(row) => page.rows.push(row),
            Err(why) => page.unreadable.push(why),
        }
    }
    Ok(page)
}

/// One row, or `data[3].size: why`.
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

/// A bounded list as a whole: pages are joined until the service says that it was the last.
///
/// A row that moves from one page to the next while we walk is taken once, as first seen (`same`). A
/// failure on a later page fails the walk: half a list shown as the list would be a lie.
pub(super) async fn walk<T, F>(
    same: impl Fn(&T, &T) -> bool,
    mut fetch: impl FnMut(Option<Cursor>) -> F,
) -> Result<Page<T>, Failure>
where
    F: Future<Output = Result<Page<T>, Failure>>,
{
    let mut whole = fetch(None).await?;
    let mut seen: Vec<Cursor> = vec![];
    while let Some(cursor) = whole.next.take() {
        if seen.contains(&cursor) || seen.len() + 1 >= WALK_PAGES {
            whole.incomplete = true;
            break;
        }
        let page = fetch(Some(cursor.clone())).await?;
        seen.push(cursor);
        for row in page.rows {
            if !whole.rows.iter().any(|known| same(known, &row)) {
                whole.rows.push(row);
            }
        }
        whole.unreadable.extend(page.unreadable);
        whole.incomplete |= page.incomplete;
        whole.next = page.next;
    }
    Ok(whole)
}

impl Client {
    /// The answer's rows as a page of its own, for a list that is read page by page.
    pub(super) async fn page_at<T: DeserializeOwned>(
        &self,
        route: &crate::api::Route,
        asked: Option<&Cursor>,
        limit: Option<u32>,
    ) -> Result<Page<T>, Failure> {
        page(&self.read(route).await?, asked, limit)
    }
}
