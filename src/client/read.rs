//! The reads: one method per `GET` of `docs/service-api.md 4.1`.
//!
//! The names of filters, selectors and account parameters are guesses of [`crate::api::Dialect`], which a service may
//! ignore. The client checks them again on the rows, so an ignored parameter never shows another account's or a
//! finished row as a live one.

use super::{
    Client, base,
    lock::locked,
    response::ServiceResponse,
    rows,
    send::{NoResponse, OutgoingRequest},
};
use crate::{
    api::{
        Data, Dialect, OrderFilter, OrdersQuery, PAGE_DEFAULT, PAGE_LIMIT, PositionSelector,
        PositionsQuery, Route, Term, TwapsQuery,
    },
    model::{AccountId, Cursor, Failure, Order, Page, Position, Scaled, ScaledId, Twap},
};
use std::sync::Mutex;

impl Client {
    /// Every pending and resting order.
    ///
    /// If the service has no filter for them, every page is read and filtered here; after the first time only the pages
    /// that can have changed.
    pub async fn working_orders(&self, account: &AccountId) -> Result<Page<Order>, Failure> {
        let first = self.working_page(account).await?;
        // The read before may just have changed it.
        let dialect = self.dialect();
        let mut page = if dialect.is_bare(Term::WorkingFilter) {
            self.sorted_out(account, &dialect, first).await?
        } else {
            let more = |cursor| self.orders_page(&dialect, account, OrderFilter::Working, cursor);
            rows::walk_on(first, same_order, more).await?
        };
        // A service that ignores the filter sends finished orders too. An order with an unknown status stays: a missing
        // stop would be placed twice.
        page.rows.retain(|order| !order.is_over());
        self.observe_working(&page);
        Ok(page)
    }

    /// The newest page of working orders, in a spelling that the service honors, if any.
    async fn working_page(&self, account: &AccountId) -> Result<Page<Order>, Failure> {
        let ask = |dialect: Dialect| async move {
            self.orders_page(&dialect, account, OrderFilter::Working, None)
                .await
        };
        self.negotiated(Term::WorkingFilter, ask, |page| {
            page.rows.iter().any(Order::is_over)
        })
        .await
    }

    async fn sorted_out(
        &self,
        account: &AccountId,
        dialect: &Dialect,
        first: Page<Order>,
    ) -> Result<Page<Order>, Failure> {
        let known = self.known_orders();
        let newest: Vec<_> = first.rows.iter().map(|order| order.id.clone()).collect();
        let seen = Mutex::new(known.unseen());
        let enough = |mut page: Page<Order>| {
            let mut unseen = locked(&seen);
            unseen.strike(page.rows.iter().map(|order| &order.id));
            if unseen.is_enough() {
                (page.next, page.incomplete) = (None, false);
            }
            page
        };
        let more = |cursor| async {
            let page = self.orders_page(dialect, account, OrderFilter::All, cursor);
            Ok(enough(page.await?))
        };
        let mut page = rows::walk_on(enough(first), same_order, more).await?;
        page.incomplete |= known.is_cut();
        self.remember_known_orders(&newest, &page);
        Ok(page)
    }

    /// One page of every order, newest first.
    pub async fn orders(
        &self,
        account: &AccountId,
        cursor: Option<Cursor>,
    ) -> Result<Page<Order>, Failure> {
        let is_newest = cursor.is_none();
        let route = Route::Orders(OrdersQuery {
            account_id: account.clone(),
            filter: OrderFilter::All,
            limit: Some(PAGE_DEFAULT),
            cursor: cursor.clone(),
        });
        let (dialect, limit) = (self.dialect(), Some(PAGE_DEFAULT));
        let page = self.page_at(&dialect, &route, cursor.as_ref(), limit);
        let page = page.await?;
        if is_newest {
            self.observe_orders(&page);
        }
        Ok(page)
    }

    async fn orders_page(
        &self,
        dialect: &Dialect,
        account: &AccountId,
        filter: OrderFilter,
        cursor: Option<Cursor>,
    ) -> Result<Page<Order>, Failure> {
        let route = Route::Orders(OrdersQuery {
            account_id: account.clone(),
            filter,
            limit: Some(PAGE_LIMIT),
            cursor: cursor.clone(),
        });
        self.page_at(dialect, &route, cursor.as_ref(), Some(PAGE_LIMIT))
            .await
    }

    /// Every open position.
    pub async fn open_positions(&self, account: &AccountId) -> Result<Page<Position>, Failure> {
        let open = PositionSelector::Open;
        let ask = |dialect: Dialect| async move {
            self.positions_page(&dialect, account, open, None).await
        };
        let first = self.negotiated(Term::PositionSelector, ask, |page| {
            page.rows
                .iter()
                .any(|position| position.closed_at.is_some())
        });
        let first = first.await?;
        let dialect = self.dialect();
        let more = |cursor| self.positions_page(&dialect, account, open, cursor);
        let mut page = rows::walk_on(first, |a: &Position, b| a.id == b.id, more).await?;
        page.rows.retain(|position| position.closed_at.is_none());
        self.read_marks_for(&page.rows).await;
        self.observe_sizes(&page.rows);
        page.rows = page.rows.into_iter().map(|row| self.sided(row)).collect();
        Ok(page)
    }

    /// One page of closed positions, newest first.
    ///
    /// Rows without a `closed_at` are left out and the page is marked incomplete: the service ignored the selector and
    /// returned open positions.
    pub async fn closed_positions(
        &self,
        account: &AccountId,
        cursor: Option<Cursor>,
    ) -> Result<Page<Position>, Failure> {
        let closed = PositionSelector::Closed;
        let page = if cursor.is_some() {
            let dialect = self.dialect();
            self.positions_page(&dialect, account, closed, cursor).await
        } else {
            let ask = |dialect: Dialect| async move {
                self.positions_page(&dialect, account, closed, None).await
            };
            self.negotiated(Term::PositionSelector, ask, |page| {
                page.rows
                    .iter()
                    .any(|position| position.closed_at.is_none())
            })
            .await
        };
        let mut page = page?;
        let answered = page.rows.len();
        page.rows.retain(|position| position.closed_at.is_some());
        page.incomplete |= page.rows.len() < answered;
        self.observe_negative(&page.rows);
        page.rows = page.rows.into_iter().map(|row| self.sided(row)).collect();
        // Without a selector nothing asked for closed positions, so an empty page proves nothing.
        page.incomplete |= self.dialect().is_bare(Term::PositionSelector);
        Ok(page)
    }

    async fn positions_page(
        &self,
        dialect: &Dialect,
        account: &AccountId,
        selector: PositionSelector,
        cursor: Option<Cursor>,
    ) -> Result<Page<Position>, Failure> {
        let limit = match selector {
            PositionSelector::Open => PAGE_LIMIT,
            PositionSelector::Closed => PAGE_DEFAULT,
        };
        let route = Route::Positions(PositionsQuery {
            account_id: account.clone(),
            selector,
            limit: Some(limit),
            cursor: cursor.clone(),
        });
        self.page_at(dialect, &route, cursor.as_ref(), Some(limit))
            .await
    }

    /// Every active TWAP and VWAP order of the account.
    pub async fn twaps(&self, account: &AccountId) -> Result<Page<Twap>, Failure> {
        let ask = |dialect: Dialect| async move {
            let route = Route::Twaps(TwapsQuery {
                account_id: Some(account.clone()),
            });
            self.page_at(&dialect, &route, None, None).await
        };
        let page = self.negotiated(Term::TwapsAccount, ask, |_| false);
        let mut page: Page<Twap> = page.await?;
        // Documented without paging: if the service pages it anyway, the rest cannot be read.
        page.incomplete |= page.next.take().is_some();
        page.rows
            .retain(|twap| twap.account_id.raw().is_empty() || twap.account_id == *account);
        Ok(page)
    }

    /// One scaled order with its rungs.
    pub async fn scaled(&self, id: &ScaledId) -> Result<Scaled, Failure> {
        let route = Route::Scaled(id.clone());
        let answer = self.read(&self.dialect(), &route).await?;
        answer.decoded().map(|Data { data }| data)
    }

    pub(super) async fn read(
        &self,
        dialect: &Dialect,
        route: &Route,
    ) -> Result<ServiceResponse, Failure> {
        let target = route.target(dialect);
        self.fetch(base::endpoint(&self.0.base, &target)?).await
    }

    /// One `GET`. The response may still be an error: see [`ServiceResponse::decoded`].
    pub(super) async fn fetch(&self, url: reqwest::Url) -> Result<ServiceResponse, Failure> {
        let outgoing = OutgoingRequest {
            method: reqwest::Method::GET,
            url,
            body: &[],
            key: None,
            timeout: self.timeouts().read(),
        };
        self.exchange(outgoing).await.map_err(NoResponse::failure)
    }
}

fn same_order(a: &Order, b: &Order) -> bool {
    a.id == b.id
}
