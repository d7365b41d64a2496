//! The lists: complete for what is open or works, paged by cursor for history.

use super::super::{
    api_error::{ApiError, ApiResult, ServiceCode},
    auth::AuthenticatedUser,
    cursor::{CursorSigner, ListName, invalid_cursor},
    engine::{AccountIx, Millis, OrderRecord, RowKey, ScaledRecord, TwapRecord},
    state::ExchangeState,
};
use crate::{
    api::{
        List, OrderFilter, OrdersQuery, PAGE_DEFAULT, PageQuery, PositionSelector, PositionsQuery,
        TwapSelector, TwapsQuery,
    },
    model::{Order, Position, Scaled, Twap},
};

/// When a TWAP ended, if it ended so.
type EndOfTwap = fn(&TwapRecord) -> Option<Millis>;

/// Reads the lists of one caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListReader<'a> {
    pub(super) state: &'a ExchangeState,
    pub(super) caller: &'a AuthenticatedUser,
    pub(super) cursors: &'a CursorSigner,
}

impl<'a> ListReader<'a> {
    /// The one of a name, the working ones, or a page of all, newest first.
    pub(super) fn orders(self, query: &OrdersQuery) -> ApiResult<List<Order>> {
        let (engine, rows) = (&self.state.engine, self.state.rows());
        match query {
            OrdersQuery::Named(name) => {
                let row = self.state.order_named(self.caller, name);
                Ok(complete(row.map(|row| rows.order(row))))
            }
            OrdersQuery::Of(page, OrderFilter::Working) => {
                let account = self.account_of_all(page)?;
                let working = engine.working_orders(account);
                Ok(complete(working.map(|row| rows.order(row))))
            }
            OrdersQuery::Of(page, OrderFilter::All) => self.page(
                ListName::Orders,
                page,
                |account, before| engine.orders(account, before),
                |row| Some((row.key(), rows.order(row))),
            ),
        }
    }

    /// The open ones, oldest first, or a page of the closed ones, the last closed first.
    pub(super) fn positions(self, query: &PositionsQuery) -> ApiResult<List<Position>> {
        let (engine, rows) = (&self.state.engine, self.state.rows());
        match query.selector {
            PositionSelector::Open => {
                let open = engine.open_positions(self.account_of_all(&query.page)?);
                Ok(complete(open.iter().map(|row| rows.position(row))))
            }
            PositionSelector::Closed => self.page(
                ListName::ClosedPositions,
                &query.page,
                |account, before| engine.closed_positions(account, before),
                |row| {
                    let (at, id) = (row.closed_at?, row.id);
                    Some((RowKey { at, id }, rows.position(&row)))
                },
            ),
        }
    }

    /// Filled orders, the newest settlement first. An order that filled in several parts has one row per part here.
    pub(super) fn fills(self, query: &PageQuery) -> ApiResult<List<Order>> {
        self.page(
            ListName::Fills,
            query,
            |account, before| self.state.engine.filled_orders(account, before),
            |row: &OrderRecord| Some((row.fill_key()?, self.state.rows().order(row))),
        )
    }

    /// Newest first: all that run, or a page of those that ended.
    pub(super) fn twaps(self, query: &TwapsQuery) -> ApiResult<List<Twap>> {
        let (engine, rows) = (&self.state.engine, self.state.rows());
        let (list, ended_at): (_, EndOfTwap) = match query.selector {
            TwapSelector::Active => {
                if query.page.limit.is_some() {
                    return Err(ApiError::field(
                        "limit",
                        ServiceCode::InvalidRequest,
                        "limit is for ended TWAPs: those that run come all at once",
                    ));
                }
                let live = engine.live_twaps(self.account_of_all(&query.page)?);
                return Ok(complete(live.map(|row| rows.twap(row))));
            }
            TwapSelector::Completed => (ListName::CompletedTwaps, |row| row.completed_at),
            TwapSelector::Canceled => (ListName::CanceledTwaps, |row| row.canceled_at),
        };
        self.page(
            list,
            &query.page,
            |account, before| {
                let before = before.map(|before| before.id);
                let ended = engine.twap_orders(account);
                let ended = ended.filter(move |row| ended_at(row).is_some());
                ended.filter(move |row| before.is_none_or(|before| row.id < before))
            },
            |row| {
                let (at, id) = (row.started_at, row.id);
                Some((RowKey { at, id }, rows.twap(row)))
            },
        )
    }

    /// Newest first.
    pub(super) fn scaled_orders(self, query: &PageQuery) -> ApiResult<List<Scaled>> {
        self.page(
            ListName::ScaledOrders,
            query,
            |account, before| {
                let before = before.map(|before| before.id);
                let all = self.state.engine.scaled_orders(account);
                all.filter(move |row| before.is_none_or(|before| row.id < before))
            },
            |row: &ScaledRecord| {
                let (at, id) = (row.started_at, row.id);
                Some((RowKey { at, id }, self.state.rows().scaled(row)))
            },
        )
    }

    /// The account of a list that is complete: it issues no cursor, so none is valid for it.
    fn account_of_all(self, query: &PageQuery) -> ApiResult<AccountIx> {
        let account = self.state.account(self.caller, query.account_id.raw())?;
        match query.cursor {
            None => Ok(account),
            Some(_) => Err(invalid_cursor()),
        }
    }

    /// One page of `rows`, which begin after a key, and whether another row follows. `encode` returns the key of a row
    /// and its resource. Keys are unique, so equal milliseconds neither skip nor repeat a row.
    fn page<Id, Row, Resource, Rows>(
        self,
        list: ListName,
        query: &PageQuery,
        rows: impl FnOnce(AccountIx, Option<RowKey<Id>>) -> Rows,
        encode: impl Fn(Row) -> Option<(RowKey<Id>, Resource)>,
    ) -> ApiResult<List<Resource>>
    where
        Id: From<usize> + Copy + 'a,
        usize: From<Id>,
        Rows: Iterator<Item = Row>,
    {
        let account = self.state.account(self.caller, query.account_id.raw())?;
        let verify = |cursor| self.cursors.verify(list, account, cursor);
        let before = query.cursor.as_ref().map(verify).transpose()?;
        let mut found = rows(account, before);
        let limit = usize::try_from(query.limit.unwrap_or(PAGE_DEFAULT)).unwrap_or(usize::MAX);
        // A vector of pairs made into one of rows is the same block, cut shorter. The allocator gives the piece that was
        // cut off to a record that stays, and never joins the block again: each page would take 40 KiB more.
        let mut tail = None;
        let mut data = Vec::new();
        for (key, resource) in found.by_ref().take(limit).filter_map(encode) {
            data.push(resource);
            tail = Some(key);
        }
        let has_more = found.next().is_some();
        let tail = tail.filter(|_| has_more);
        Ok(List {
            data,
            has_more: Some(has_more),
            next_cursor: tail.map(|key| self.cursors.issue(list, account, key)),
        })
    }
}

fn complete<T>(rows: impl IntoIterator<Item = T>) -> List<T> {
    List {
        data: rows.into_iter().collect(),
        has_more: Some(false),
        next_cursor: None,
    }
}
