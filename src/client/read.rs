//! The reads: one method per `GET` of `api.md`.
//!
//! What a service may ignore (a filter, a selector, an account parameter: their names are guesses of
//! [`crate::api::Dialect`]) is checked again on the rows, so an ignored parameter never shows a foreign
//! or finished row as a live one.

use super::{
    Client,
    answer::Answer,
    base, rows,
    send::{Outgoing, Unanswered},
};
use crate::{
    api::{
        Data, OrderFilter, OrdersQuery, PAGE_DEFAULT, PAGE_LIMIT, PositionSelector, PositionsQuery,
        Route, TwapsQuery,
    },
    model::{AccountId, Cursor, Failure, Order, Page, Position, Scaled, ScaledId, Twap},
};

impl Client {
    /// Every pending and resting order.
    pub async fn working_orders(&self, account: &AccountId) -> Result<Page<Order>, Failure> {
        let mut page = rows::walk(
            |a: &Order, b| a.id == b.id,
            |cursor| self.orders_page(account, OrderFilter::Working, cursor, PAGE_LIMIT),
        )
        .await?;
        page.rows.retain(Order::is_working);
        Ok(page)
    }

    /// One page of every order, newest first.
    pub async fn orders(
        &self,
        account: &AccountId,
        cursor: Option<Cursor>,
    ) -> Result<Page<Order>, Failure> {
        self.orders_page(account, OrderFilter::All, cursor, PAGE_DEFAULT)
            .await
    }

    async fn orders_page(
        &self,
        account: &AccountId,
        filter: OrderFilter,
        cursor: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<Order>, Failure> {
        let route = Route::Orders(OrdersQuery {
            account_id: account.clone(),
            filter,
            limit: Some(limit),
            cursor: cursor.clone(),
        });
        self.page_at(&route, cursor.as_ref(), Some(limit)).await
    }

    /// Every open position.
    pub async fn open_positions(&self, account: &AccountId) -> Result<Page<Position>, Failure> {
        let mut page = rows::walk(
            |a: &Position, b| a.id == b.id,
            |cursor| self.positions_page(account, PositionSelector::Open, cursor, PAGE_LIMIT),
        )
        .await?;
        page.rows.retain(|position| position.closed_at.is_none());
        Ok(page)
    }

    /// One page of closed positions, newest first.
    ///
    /// Rows without a `closed_at` are left out and the page is marked incomplete: the service took no
    /// notice of the selector and answered with open positions.
    pub async fn closed_positions(
        &self,
        account: &AccountId,
        cursor: Option<Cursor>,
    ) -> Result<Page<Position>, Failure> {
        let mut page = self
            .positions_page(account, PositionSelector::Closed, cursor, PAGE_DEFAULT)
            .await?;
        let answered = page.rows.len();
        page.rows.retain(|position| position.closed_at.is_some());
        page.incomplete |= page.rows.len() < answered;
        Ok(page)
    }

    async fn positions_page(
        &self,
        account: &AccountId,
        selector: PositionSelector,
        cursor: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<Position>, Failure> {
        let route = Route::Positions(PositionsQuery {
            account_id: account.clone(),
            selector,
            limit: Some(limit),
            cursor: cursor.clone(),
        });
        let mut page: Page<Position> = self.page_at(&route, cursor.as_ref(), Some(limit)).await?;
        page.rows = page.rows.into_iter().map(|row| self.sided(row)).collect();
        Ok(page)
    }

    /// Every active TWAP and VWAP order of the account.
    pub async fn twaps(&self, account: &AccountId) -> Result<Page<Twap>, Failure> {
        let route = Route::Twaps(TwapsQuery {
            account_id: Some(account.clone()),
        });
        let mut page: Page<Twap> = self.page_at(&route, None, None).await?;
        // Documented without paging: a service that pages it all the same cannot be asked for more.
        page.incomplete |= page.next.take().is_some();
        page.rows
            .retain(|twap| twap.account_id.raw().is_empty() || twap.account_id == *account);
        Ok(page)
    }

    /// One scaled order with its rungs.
    pub async fn scaled(&self, id: &ScaledId) -> Result<Scaled, Failure> {
        let answer = self.read(&Route::Scaled(id.clone())).await?;
        answer.decoded().map(|Data { data }| data)
    }

    pub(super) async fn read(&self, route: &Route) -> Result<Answer, Failure> {
        let target = route.target(&self.connection().dialect);
        self.fetch(base::endpoint(&self.0.base, &target)?).await
    }

    /// One `GET`. The answer may still be an error of the service: [`Answer::decoded`] tells.
    pub(super) async fn fetch(&self, url: reqwest::Url) -> Result<Answer, Failure> {
        let outgoing = Outgoing {
            method: reqwest::Method::GET,
            url,
            body: &[],
            key: None,
            timeout: self.tempo().read(),
        };
        self.exchange(outgoing).await.map_err(Unanswered::failure)
    }

    /// A position with the side the service's way of writing sizes gives it.
    pub(super) fn sided(&self, position: Position) -> Position {
        if self.connection().dialect.signed_sizes {
            position
        } else {
            position.with_side_inferred()
        }
    }
}
