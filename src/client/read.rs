//! The reads: one method per `GET` of `docs/service-api.md 3`.
//!
//! Filters are checked again on the rows, so that a service that ignores one never shows a finished row as a live one,
//! nor a row of another account as one's own.

use super::{
    Client, base,
    response::ServiceResponse,
    rows::{self, Owned},
    send::{NoResponse, OutgoingRequest},
};
use crate::{
    api::{
        Data, OrderFilter, OrdersQuery, PAGE_DEFAULT, PAGE_LIMIT, PageQuery, PositionSelector,
        PositionsQuery, QuoteSize, Route, TwapSelector, TwapsQuery,
    },
    model::{
        Account, AccountId, ClientOrderId, Cursor, Failure, FailureKind, Fallible, Listing,
        MarketId, Order, OrderId, Page, Position, PositionId, Quote, Scaled, ScaledId,
        ServiceAbout, Timestamp, TradingPolicy, Twap, TwapId,
    },
};
use serde::de::DeserializeOwned;

impl Client {
    /// What the service says of itself.
    pub async fn about(&self) -> Fallible<ServiceAbout> {
        // The one answer that may come without an envelope.
        let answer = self.read(&Route::About).await?;
        let enveloped = answer.decoded().map(|Data { data }| data);
        enveloped.or_else(|_| answer.decoded())
    }

    /// Every market that the service lists.
    pub async fn listings(&self) -> Fallible<Page<Listing>> {
        self.list_at(&Route::Markets, None, None).await
    }

    /// A quote, and when the service answered.
    pub(super) async fn quote_at(
        &self,
        market: &MarketId,
        size: Option<QuoteSize>,
    ) -> Fallible<(Quote, Option<Timestamp>)> {
        let answer = self.read(&Route::Quote(market.clone(), size)).await?;
        let Data { data } = answer.decoded()?;
        Ok((data, answer.date))
    }

    /// The accounts of the key.
    pub async fn accounts(&self) -> Fallible<Page<Account>> {
        self.list_at(&Route::Accounts, None, None).await
    }

    pub(super) async fn account_row(&self, account: &AccountId) -> Fallible<Account> {
        self.one(&Route::Account(account.clone())).await
    }

    /// What the account may do now.
    pub(super) async fn trading_policy(&self, account: &AccountId) -> Fallible<TradingPolicy> {
        self.one(&Route::TradingPolicy(account.clone())).await
    }

    /// Every pending and resting order.
    pub async fn working_orders(&self, account: &AccountId) -> Fallible<Page<Order>> {
        let page = |cursor: Option<Cursor>| async {
            let query = page_query(account, PAGE_LIMIT, cursor);
            let route = Route::Orders(OrdersQuery::Of(query.clone(), OrderFilter::Working));
            self.owned_page(&route, &query).await
        };
        let mut whole: Page<Order> = rows::walk_on(page(None).await?, page).await?;
        // An order with an unknown status stays: a missing stop would be placed twice.
        whole.rows.retain(|order| !order.is_over());
        Ok(whole)
    }

    /// One page of every order, newest first.
    pub async fn orders(
        &self,
        account: &AccountId,
        cursor: Option<Cursor>,
    ) -> Fallible<Page<Order>> {
        let query = page_query(account, PAGE_DEFAULT, cursor);
        let route = Route::Orders(OrdersQuery::Of(query.clone(), OrderFilter::All));
        self.owned_page(&route, &query).await
    }

    /// One order, working or ended; `None` if the service has none of this id.
    pub async fn order(&self, id: &OrderId) -> Fallible<Option<Order>> {
        found(self.one(&Route::Order(id.clone())).await)
    }

    /// The order of this name; `None` if the service has none. A row of another name or account is no answer.
    pub async fn order_named(&self, name: &ClientOrderId) -> Fallible<Option<Order>> {
        let route = Route::Orders(OrdersQuery::Named(name.clone()));
        let page = match self.list_at::<Order>(&route, None, None).await {
            Err(why) if why.kind == FailureKind::NotFound => return Ok(None),
            page => page?,
        };
        if !page.unreadable.is_empty() {
            let why = "the row of the order could not be read";
            return Err(Failure::new(FailureKind::Unreadable, why));
        }
        let account = &self.connection().account_id;
        Ok(page.rows.into_iter().find(|order| {
            order.client_order_id.as_ref() == Some(name) && order.account_id == *account
        }))
    }

    /// One page of filled orders, newest settlement first.
    pub async fn fills(
        &self,
        account: &AccountId,
        cursor: Option<Cursor>,
    ) -> Fallible<Page<Order>> {
        let query = page_query(account, PAGE_DEFAULT, cursor);
        self.owned_page(&Route::Fills(query.clone()), &query).await
    }

    /// Every open position.
    pub async fn open_positions(&self, account: &AccountId) -> Fallible<Page<Position>> {
        let page = |cursor: Option<Cursor>| async {
            let query = page_query(account, PAGE_LIMIT, cursor);
            self.positions_page(query, PositionSelector::Open).await
        };
        let mut whole = rows::walk_on(page(None).await?, page).await?;
        whole.rows.retain(|position| !position.is_closed());
        Ok(whole)
    }

    /// One page of closed positions, newest first.
    ///
    /// Open positions among them are left out and the page is marked incomplete: the service ignored the selector.
    pub async fn closed_positions(
        &self,
        account: &AccountId,
        cursor: Option<Cursor>,
    ) -> Fallible<Page<Position>> {
        let query = page_query(account, PAGE_DEFAULT, cursor);
        let page = self.positions_page(query, PositionSelector::Closed);
        let mut page = page.await?;
        let answered = page.rows.len();
        page.rows.retain(Position::is_closed);
        page.incomplete |= page.rows.len() < answered;
        Ok(page)
    }

    async fn positions_page(
        &self,
        page: PageQuery,
        selector: PositionSelector,
    ) -> Fallible<Page<Position>> {
        let query = PositionsQuery { page, selector };
        let route = Route::Positions(query.clone());
        self.owned_page(&route, &query.page).await
    }

    /// One position, open or closed; `None` if the service has none of this id.
    pub async fn position(&self, id: &PositionId) -> Fallible<Option<Position>> {
        found(self.one(&Route::Position(id.clone())).await)
    }

    /// Every active TWAP and VWAP order of the account, without the ended ones that some services list.
    pub async fn active_twaps(&self, account: &AccountId) -> Fallible<Page<Twap>> {
        let query = PageQuery::first(account.clone());
        let mut page = self.twaps_page(query, TwapSelector::Active).await?;
        // The active ones are not paged: if the service pages them anyway, the rest cannot be read.
        page.incomplete |= page.next.take().is_some();
        page.rows.retain(|twap| twap.ended_at().is_none());
        Ok(page)
    }

    /// One page of ended TWAP and VWAP orders, newest first.
    pub async fn ended_twaps(
        &self,
        account: &AccountId,
        ended: TwapSelector,
        cursor: Option<Cursor>,
    ) -> Fallible<Page<Twap>> {
        let query = page_query(account, PAGE_DEFAULT, cursor);
        self.twaps_page(query, ended).await
    }

    async fn twaps_page(&self, page: PageQuery, selector: TwapSelector) -> Fallible<Page<Twap>> {
        let query = TwapsQuery { page, selector };
        let route = Route::Twaps(query.clone());
        self.owned_page(&route, &query.page).await
    }

    /// One TWAP or VWAP order; `None` if the service has none of this id.
    pub async fn twap(&self, id: &TwapId) -> Fallible<Option<Twap>> {
        found(self.one(&Route::Twap(id.clone())).await)
    }

    /// One page of scaled orders, newest first.
    pub async fn scaled_orders(
        &self,
        account: &AccountId,
        cursor: Option<Cursor>,
    ) -> Fallible<Page<Scaled>> {
        let query = page_query(account, PAGE_DEFAULT, cursor);
        let route = Route::ScaledOrders(query.clone());
        self.owned_page(&route, &query).await
    }

    /// One scaled order with its rungs.
    pub async fn scaled(&self, id: &ScaledId) -> Fallible<Scaled> {
        self.one(&Route::Scaled(id.clone())).await
    }

    async fn owned_page<T: DeserializeOwned + Owned>(
        &self,
        route: &Route,
        query: &PageQuery,
    ) -> Fallible<Page<T>> {
        let page = self.list_at(route, query.cursor.as_ref(), query.limit);
        Ok(rows::own(page.await?, &query.account_id))
    }

    async fn one<T: DeserializeOwned>(&self, route: &Route) -> Fallible<T> {
        let answer = self.read(route).await?;
        answer.decoded().map(|Data { data }| data)
    }

    pub(super) async fn read(&self, route: &Route) -> Fallible<ServiceResponse> {
        self.fetch(base::endpoint(&self.0.base, &route.target())?)
            .await
    }

    /// One `GET`. The response may still be an error: see [`ServiceResponse::decoded`].
    pub(super) async fn fetch(&self, url: reqwest::Url) -> Fallible<ServiceResponse> {
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

fn page_query(account: &AccountId, limit: u32, cursor: Option<Cursor>) -> PageQuery {
    PageQuery {
        account_id: account.clone(),
        limit: Some(limit),
        cursor,
    }
}

/// 404 is an answer: there is none.
fn found<T>(read: Fallible<T>) -> Fallible<Option<T>> {
    match read {
        Err(why) if why.kind == FailureKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}
