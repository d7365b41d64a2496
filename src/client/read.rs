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
        Account, ClientOrderId, Cursor, Failure, FailureKind, Fallible, Listing, MarketId, Order,
        OrderId, Page, Position, PositionId, Quote, Scaled, ScaledId, ServiceAbout, Timestamp,
        TradingPolicy, Twap, TwapId,
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

    pub(super) async fn account_row(&self) -> Fallible<Account> {
        let own = self.connection().account_id.clone();
        self.one(&Route::Account(own)).await
    }

    /// What the account may do now.
    pub(super) async fn trading_policy(&self) -> Fallible<TradingPolicy> {
        let own = self.connection().account_id.clone();
        self.one(&Route::TradingPolicy(own)).await
    }

    /// Every pending and resting order.
    pub async fn working_orders(&self) -> Fallible<Page<Order>> {
        let page = |cursor| {
            let route = |page| Route::Orders(OrdersQuery::Of(page, OrderFilter::Working));
            self.owned_page(Some(PAGE_LIMIT), cursor, route)
        };
        let mut whole: Page<Order> = rows::walk_on(page(None).await?, page).await?;
        // An order with an unknown status stays: a missing stop would be placed twice.
        whole.rows.retain(|order| !order.is_over());
        Ok(whole)
    }

    /// One page of every order, newest first.
    pub async fn orders(&self, cursor: Option<Cursor>) -> Fallible<Page<Order>> {
        let route = |page| Route::Orders(OrdersQuery::Of(page, OrderFilter::All));
        self.owned_page(Some(PAGE_DEFAULT), cursor, route).await
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
    pub async fn fills(&self, cursor: Option<Cursor>) -> Fallible<Page<Order>> {
        self.owned_page(Some(PAGE_DEFAULT), cursor, Route::Fills)
            .await
    }

    /// Every open position.
    pub async fn open_positions(&self) -> Fallible<Page<Position>> {
        let page = |cursor| self.positions_page(PAGE_LIMIT, cursor, PositionSelector::Open);
        let mut whole = rows::walk_on(page(None).await?, page).await?;
        whole.rows.retain(|position| !position.is_closed());
        Ok(whole)
    }

    /// One page of closed positions, newest first.
    ///
    /// Open positions among them are left out and the page is marked incomplete: the service ignored the selector.
    pub async fn closed_positions(&self, cursor: Option<Cursor>) -> Fallible<Page<Position>> {
        let page = self.positions_page(PAGE_DEFAULT, cursor, PositionSelector::Closed);
        let mut page = page.await?;
        let answered = page.rows.len();
        page.rows.retain(Position::is_closed);
        page.incomplete |= page.rows.len() < answered;
        Ok(page)
    }

    async fn positions_page(
        &self,
        limit: u32,
        cursor: Option<Cursor>,
        selector: PositionSelector,
    ) -> Fallible<Page<Position>> {
        let route = |page| Route::Positions(PositionsQuery { page, selector });
        self.owned_page(Some(limit), cursor, route).await
    }

    /// One position, open or closed; `None` if the service has none of this id.
    pub async fn position(&self, id: &PositionId) -> Fallible<Option<Position>> {
        found(self.one(&Route::Position(id.clone())).await)
    }

    /// Every active TWAP and VWAP order of the account, without the ended ones that some services list.
    pub async fn active_twaps(&self) -> Fallible<Page<Twap>> {
        let mut page = self.twaps_page(None, None, TwapSelector::Active).await?;
        // The active ones are not paged: if the service pages them anyway, the rest cannot be read.
        page.incomplete |= page.next.take().is_some();
        page.rows.retain(|twap| twap.ended_at().is_none());
        Ok(page)
    }

    /// One page of ended TWAP and VWAP orders, newest first.
    pub async fn ended_twaps(
        &self,
        ended: TwapSelector,
        cursor: Option<Cursor>,
    ) -> Fallible<Page<Twap>> {
        self.twaps_page(Some(PAGE_DEFAULT), cursor, ended).await
    }

    async fn twaps_page(
        &self,
        limit: Option<u32>,
        cursor: Option<Cursor>,
        selector: TwapSelector,
    ) -> Fallible<Page<Twap>> {
        let route = |page| Route::Twaps(TwapsQuery { page, selector });
        self.owned_page(limit, cursor, route).await
    }

    /// One TWAP or VWAP order; `None` if the service has none of this id.
    pub async fn twap(&self, id: &TwapId) -> Fallible<Option<Twap>> {
        found(self.one(&Route::Twap(id.clone())).await)
    }

    /// One page of scaled orders, newest first.
    pub async fn scaled_orders(&self, cursor: Option<Cursor>) -> Fallible<Page<Scaled>> {
        self.owned_page(Some(PAGE_DEFAULT), cursor, Route::ScaledOrders)
            .await
    }

    /// One scaled order with its rungs.
    pub async fn scaled(&self, id: &ScaledId) -> Fallible<Scaled> {
        self.one(&Route::Scaled(id.clone())).await
    }

    /// One page of a list of the account.
    async fn owned_page<T: DeserializeOwned + Owned>(
        &self,
        limit: Option<u32>,
        cursor: Option<Cursor>,
        route: impl FnOnce(PageQuery) -> Route,
    ) -> Fallible<Page<T>> {
        let account_id = &self.connection().account_id;
        let route = route(PageQuery {
            account_id: account_id.clone(),
            limit,
            cursor: cursor.clone(),
        });
        let page = self.list_at(&route, cursor.as_ref(), limit).await?;
        Ok(rows::own(page, account_id))
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

/// 404 is an answer: there is none.
fn found<T>(read: Fallible<T>) -> Fallible<Option<T>> {
    match read {
        Err(why) if why.kind == FailureKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}
