//! The lists: complete for what is open or works, paged by cursor for history.

use super::super::{
    api_error::{ApiError, ServiceCode},
    auth::AuthenticatedUser,
    cursor::{CursorSigner, ListName},
    engine::{
        AccountIx, FillKey, Millis, OrderId, OrderKey, OrderRecord, PositionId, PositionKey,
        PositionRecord, ScaledRecord, TwapRecord,
    },
    state::ExchangeState,
};
use crate::{
    api::{
        List, OrderFilter, OrdersQuery, PAGE_DEFAULT, PageQuery, PositionSelector, PositionsQuery,
        TwapSelector, TwapsQuery,
    },
    model::{ClientOrderId, Cursor, Order, Position, Scaled, Twap},
};

/// The orders that the query selects.
pub(super) fn orders(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    cursors: &CursorSigner,
    query: &OrdersQuery,
) -> Result<List<Order>, ApiError> {
    match query {
        OrdersQuery::Named(name) => Ok(named_order(state, caller, name)),
        OrdersQuery::Of(query, OrderFilter::Working) => working_orders(state, caller, query),
        OrdersQuery::Of(query, OrderFilter::All) => all_orders(state, caller, cursors, query),
    }
}

/// The positions that the query selects.
pub(super) fn positions(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    cursors: &CursorSigner,
    query: &PositionsQuery,
) -> Result<List<Position>, ApiError> {
    match query.selector {
        PositionSelector::Open => open_positions(state, caller, &query.page),
        PositionSelector::Closed => closed_positions(state, caller, cursors, &query.page),
    }
}

/// All orders, newest first. Sorted by (`requested_at`, counter), so equal milliseconds neither skip nor repeat.
fn all_orders(
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
fn working_orders(
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
fn named_order(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    name: &ClientOrderId,
) -> List<Order> {
    let row = state.order_named(caller, name);
    let data = row.and_then(|row| state.rows().order(row));
    complete(data.into_iter().collect())
}

/// Open positions, oldest first, all of them.
fn open_positions(
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
fn closed_positions(
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

/// Filled orders, the newest settlement first. An order that filled in several parts has one row per part here.
pub(super) fn fills(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    cursors: &CursorSigner,
    query: &PageQuery,
) -> Result<List<Order>, ApiError> {
    let account = state.account(caller, query.account_id.raw())?;
    let list = ListName::Fills;
    let before = match &query.cursor {
        Some(cursor) => {
            let (at, seq) = cursors.verify(list, account, cursor)?;
            Some(FillKey {
                settled_at: Millis(at),
                id: OrderId::from(index(seq)),
            })
        }
        None => None,
    };
    let rows = state.engine.filled_orders(account, before);
    let encode = |row: &OrderRecord| {
        let settled_at = row.settled_at?.0;
        Some((state.rows().order(row)?, (settled_at, row.id.seq())))
    };
    Ok(page(rows, query.limit, encode, |(at, seq)| {
        cursors.issue(list, account, at, seq)
    }))
}

/// The TWAPs and VWAPs that the query selects, newest first: all that run, or a page of those that ended.
pub(super) fn twaps(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    cursors: &CursorSigner,
    TwapsQuery {
        page: query,
        selector,
    }: &TwapsQuery,
) -> Result<List<Twap>, ApiError> {
    let account = state.account(caller, query.account_id.raw())?;
    let list = match selector {
        TwapSelector::Active => {
            refuse_cursor(query.cursor.as_ref())?;
            let rows = state.engine.live_twaps(account);
            return Ok(complete(
                rows.filter_map(|row| state.rows().twap(row)).collect(),
            ));
        }
        TwapSelector::Completed => ListName::CompletedTwaps,
        TwapSelector::Canceled => ListName::CanceledTwaps,
    };
    let before = older_than(cursors, list, account, query)?;
    let rows = state.engine.twap_orders(account).filter(|row| {
        let ended_at = match selector {
            TwapSelector::Active => None,
            TwapSelector::Completed => row.completed_at,
            TwapSelector::Canceled => row.canceled_at,
        };
        ended_at.is_some() && before.is_none_or(|before| row.id.seq() < before)
    });
    let encode = |row: &TwapRecord| {
        let place = (row.started_at.0, row.id.seq());
        Some((state.rows().twap(row)?, place))
    };
    Ok(page(rows, query.limit, encode, |(at, seq)| {
        cursors.issue(list, account, at, seq)
    }))
}

/// The scaled orders of the account, newest first.
pub(super) fn scaled_orders(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    cursors: &CursorSigner,
    query: &PageQuery,
) -> Result<List<Scaled>, ApiError> {
    let account = state.account(caller, query.account_id.raw())?;
    let list = ListName::ScaledOrders;
    let before = older_than(cursors, list, account, query)?;
    let is_older = |row: &&ScaledRecord| before.is_none_or(|before| row.id.seq() < before);
    let rows = state.engine.scaled_orders(account).filter(is_older);
    let encode = |row: &ScaledRecord| {
        let place = (row.started_at.0, row.id.seq());
        Some((state.rows().scaled(row)?, place))
    };
    Ok(page(rows, query.limit, encode, |(at, seq)| {
        cursors.issue(list, account, at, seq)
    }))
}

/// The counter of the row that a page continues after, in a list by id.
fn older_than(
    cursors: &CursorSigner,
    list: ListName,
    account: AccountIx,
    query: &PageQuery,
) -> Result<Option<u64>, ApiError> {
    let verify = |cursor| cursors.verify(list, account, cursor).map(|(_, seq)| seq);
    query.cursor.as_ref().map(verify).transpose()
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
    // A vector of pairs made into one of rows is the same block, cut shorter. The allocator gives the piece that was cut
    // off to a record that stays, and never joins the block again: each page would take 40 KiB more.
    let mut last = None;
    let mut data = Vec::new();
    for (row, place) in rows.by_ref().take(limit).filter_map(encode) {
        data.push(row);
        last = Some(place);
    }
    let has_more = rows.next().is_some();
    List {
        data,
        has_more: Some(has_more),
        next_cursor: last.filter(|_| has_more).map(issue),
    }
}

fn complete<T>(data: Vec<T>) -> List<T> {
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
