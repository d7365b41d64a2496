//! The lists: complete for open positions and working orders, paged by cursor for history.

use super::super::{
    api_error::{ApiError, ServiceCode},
    auth::AuthenticatedUser,
    cursor::{CursorSigner, ListName},
    engine::{Millis, OrderId, OrderKey, OrderRecord, PositionId, PositionKey, PositionRecord},
    state::ExchangeState,
};
use crate::{
    api::{List, PAGE_DEFAULT, PageQuery},
    model::{ClientOrderId, Cursor, Order, Position},
};

/// All orders, newest first. Sorted by (`requested_at`, counter), so equal milliseconds neither skip nor repeat.
pub(super) fn orders(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    cursors: &CursorSigner,
    query: &PageQuery,
) -> Result<List<Order>, ApiError> {
    let account = state.account(caller, query.account_id.raw())?;
    let list = ListName::Orders;
    let before = match &query.cursor {
        Some(cursor) => {
            let (at, seq) = cursors.verify(list, account, cursor)?;
            Some(OrderKey {
                requested_at: Millis(at),
                id: OrderId::from(index(seq)),
            })
        }
        None => None,
    };
    let rows = state.engine.orders(account, before);
    let encode = |row: &OrderRecord| {
        let key = row.key();
        Some((state.rows().order(row)?, (key.requested_at.0, key.id.seq())))
    };
    Ok(page(rows, query.limit, encode, |(at, seq)| {
        cursors.issue(list, account, at, seq)
    }))
}

/// Pending and resting orders, all of them.
pub(super) fn working_orders(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    query: &PageQuery,
) -> Result<List<Order>, ApiError> {
    let account = state.account(caller, query.account_id.raw())?;
    refuse_cursor(query.cursor.as_ref())?;
    let rows = state.engine.working_orders(account);
    let data: Vec<Order> = rows.filter_map(|row| state.rows().order(row)).collect();
    Ok(complete(data))
}

/// The one order of the caller with this name, or none.
pub(super) fn named_order(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    name: &ClientOrderId,
) -> Result<List<Order>, ApiError> {
    let row = state.order_named(caller, name);
    let data = row.and_then(|row| state.rows().order(row));
    Ok(complete(data.into_iter().collect()))
}

/// Open positions, oldest first, all of them.
pub(super) fn open_positions(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    query: &PageQuery,
) -> Result<List<Position>, ApiError> {
    let account = state.account(caller, query.account_id.raw())?;
    refuse_cursor(query.cursor.as_ref())?;
    let rows = state.engine.open_positions(account);
    let data: Vec<Position> = rows
        .iter()
        .filter_map(|row| state.rows().position(row))
        .collect();
    Ok(complete(data))
}

/// Closed positions, the last closed first.
pub(super) fn closed_positions(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    cursors: &CursorSigner,
    query: &PageQuery,
) -> Result<List<Position>, ApiError> {
    let account = state.account(caller, query.account_id.raw())?;
    let list = ListName::ClosedPositions;
    let before = match &query.cursor {
        Some(cursor) => {
            let (at, seq) = cursors.verify(list, account, cursor)?;
            Some(PositionKey {
                closed_at: Millis(at),
                id: PositionId::from(index(seq)),
            })
        }
        None => None,
    };
    let rows = state.engine.closed_positions(account, before);
    let encode = |row: PositionRecord| {
        let closed_at = row.closed_at?.0;
        Some((state.rows().position(&row)?, (closed_at, row.id.seq())))
    };
    Ok(page(rows, query.limit, encode, |(at, seq)| {
        cursors.issue(list, account, at, seq)
    }))
}

/// The index of an id; an issued cursor never holds counter 0.
fn index(seq: u64) -> usize {
    usize::try_from(seq.saturating_sub(1)).unwrap_or(usize::MAX)
}

/// A row's position in its list.
type Place = (i64, u64);

/// One page, and whether another row follows. `encode` returns a row's wire form and its position in the list; `issue`
/// signs the cursor of the last one.
fn page<R, T>(
    mut rows: impl Iterator<Item = R>,
    limit: Option<u32>,
    encode: impl Fn(R) -> Option<(T, Place)>,
    issue: impl Fn(Place) -> Cursor,
) -> List<T> {
    let limit = usize::try_from(limit.unwrap_or(PAGE_DEFAULT)).unwrap_or(usize::MAX);
    let page: Vec<(T, Place)> = rows.by_ref().take(limit).filter_map(encode).collect();
    let has_more = rows.next().is_some();
    let last = page.last().map(|(_, place)| *place);
    List {
        data: page.into_iter().map(|(row, _)| row).collect(),
        has_more: Some(has_more),
        next_cursor: last.filter(|_| has_more).map(issue),
    }
}

pub(super) fn complete<T>(data: Vec<T>) -> List<T> {
    List {
        data,
        has_more: Some(false),
        next_cursor: None,
    }
}

/// Complete lists issue no cursor, so none is valid for them.
fn refuse_cursor(cursor: Option<&Cursor>) -> Result<(), ApiError> {
    match cursor {
        None => Ok(()),
        Some(_) => Err(ApiError::field(
            "cursor",
            ServiceCode::InvalidCursor,
            "cursor was not issued for this endpoint, account and filter",
        )),
    }
}
