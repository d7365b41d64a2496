//! The reads of the service: rows, and the histories of markets and accounts. They change nothing; lookups by id return
//! `None` for missing and foreign ids alike.

use crate::{
    exchange::engine::{
        core::Engine,
        market::history::{CandleRange, CandleWindow},
        risk::margin::MarginAssumption,
        state::{
            AccountIx, AccountReport, AccountSpec, BookLevel, EquityRecord, FundingRecord,
            MarginMode, MarketIx, MarketReport, MarketSpec, Millis, OrderEvidence, OrderId,
            OrderRecord, PositionId, PositionRecord, PositionState, ReceivedRules, RowKey,
            ScaledId, ScaledRecord, Side, TapeRecord, TwapId, TwapRecord, target,
        },
    },
    model::ClientOrderId,
};

impl Engine {
    pub fn market_ixs(&self) -> impl DoubleEndedIterator<Item = MarketIx> + use<> {
        self.markets.ids()
    }

    pub fn market_spec(&self, market: MarketIx) -> &MarketSpec {
        &self.markets.at(market).spec
    }

    /// By `market_id`, `paper|BTC`.
    pub fn market(&self, market_id: &str) -> Option<MarketIx> {
        let (provider, coin) = market_id.split_once('|')?;
        self.markets.ids().find(|ix| {
            let spec = self.market_spec(*ix);
            spec.provider == provider && spec.coin == coin
        })
    }

    pub fn account_ixs(&self) -> impl DoubleEndedIterator<Item = AccountIx> + use<> {
        self.accounts.ids()
    }

    pub fn account_spec(&self, account: AccountIx) -> &AccountSpec {
        &self.accounts.at(account).spec
    }

    /// Searches all accounts; a service with many keeps its own map.
    pub fn account(&self, id: &str) -> Option<AccountIx> {
        let mut accounts = self.accounts.ids();
        accounts.find(|ix| self.account_spec(*ix).id == id)
    }

    pub fn order(&self, account: AccountIx, id: OrderId) -> Option<&OrderRecord> {
        self.orders.get(id).filter(|row| row.account == account)
    }

    /// The order that the client gave this name.
    pub fn order_named(&self, account: AccountIx, name: &ClientOrderId) -> Option<&OrderRecord> {
        let id = self.accounts.at(account).named.get(name)?;
        self.order(account, *id)
    }

    /// Newest first, from just after `before` in that order (`None`: from the newest).
    pub fn orders(
        &self,
        account: AccountIx,
        before: Option<RowKey<OrderId>>,
    ) -> impl Iterator<Item = &OrderRecord> {
        let ids = &self.accounts.at(account).orders;
        page(ids, before, |id| Some(self.orders.at(id).key())).map(|id| self.orders.at(id))
    }

    /// The rows of executions, newest first, from just after `before`.
    pub fn filled_orders(
        &self,
        account: AccountIx,
        before: Option<RowKey<OrderId>>,
    ) -> impl Iterator<Item = &OrderRecord> {
        let ids = &self.accounts.at(account).fills;
        page(ids, before, |id| self.orders.at(id).fill_key()).map(|id| self.orders.at(id))
    }

    /// Pending and resting orders, newest first.
    pub fn working_orders(&self, account: AccountIx) -> impl Iterator<Item = &OrderRecord> {
        let working = self.accounts.at(account).working.iter();
        working.rev().map(|id| self.orders.at(*id))
    }

    /// The working exits of an open position, oldest first.
    pub fn position_exits(&self, account: AccountIx, id: PositionId) -> Vec<&OrderRecord> {
        let held = self.position_of(account, id);
        let held = held.filter(|position| position.closed_at.is_none());
        held.into_iter()
            .flat_map(|held| self.exits(account, held.market, held.closing_side()))
            .collect()
    }

    pub fn position(&self, account: AccountIx, id: PositionId) -> Option<PositionRecord> {
        self.position_of(account, id)
            .map(|position| self.position_row(position))
    }

    /// By (`opened_at`, id), oldest first: the order of a close-all snapshot.
    pub fn open_positions(&self, account: AccountIx) -> Vec<PositionRecord> {
        let open = self.accounts.at(account).open.values();
        let mut ids: Vec<PositionId> = open.copied().collect();
        // Ids rise with time.
        ids.sort_unstable();
        ids.into_iter()
            .map(|id| self.position_row(self.positions.at(id)))
            .collect()
    }

    /// Newest first, from just after `before`.
    pub fn closed_positions(
        &self,
        account: AccountIx,
        before: Option<RowKey<PositionId>>,
    ) -> impl Iterator<Item = PositionRecord> {
        let ids = &self.accounts.at(account).closed;
        let key = |id| {
            let closed_at = self.positions.at(id).closed_at;
            closed_at.map(|at| RowKey { at, id })
        };
        page(ids, before, key).map(|id| self.position_row(self.positions.at(id)))
    }

    pub fn twap(&self, account: AccountIx, id: TwapId) -> Option<&TwapRecord> {
        self.twaps.get(id).filter(|row| row.account == account)
    }

    /// Pending and active ones, newest first.
    pub fn live_twaps(&self, account: AccountIx) -> impl Iterator<Item = &TwapRecord> {
        let live = self.accounts.at(account).live_twaps.iter();
        live.rev().map(|id| self.twaps.at(*id))
    }

    /// All of them, including ended ones, newest first.
    pub fn twap_orders(&self, account: AccountIx) -> impl Iterator<Item = &TwapRecord> {
        let rows = self.twaps.each().rev();
        rows.filter(move |row| row.account == account)
    }

    pub fn scaled(&self, account: AccountIx, id: ScaledId) -> Option<&ScaledRecord> {
        self.scaled.get(id).filter(|row| row.account == account)
    }

    /// All scaled orders, newest first.
    pub fn scaled_orders(&self, account: AccountIx) -> impl Iterator<Item = &ScaledRecord> {
        let listed = self.accounts.at(account).scaled.iter();
        listed.rev().map(|id| self.scaled.at(*id))
    }

    pub fn account_facts(&self, account: AccountIx) -> AccountReport {
        let state = self.accounts.at(account);
        let balance = self.balance_if(account, &MarginAssumption::default());
        let (challenge, spec) = (&state.challenge, &state.spec);
        AccountReport {
            opened_at: state.opened_at,
            standing: challenge.standing,
            unrealized_pnl: balance.unrealized,
            equity: balance.equity(),
            isolated_margin: balance.isolated,
            cross_margin: balance.cross_margin,
            available_margin: balance.available(),
            open_notional: balance.open_notional,
            daily_floor: challenge.daily_floor(&spec.rules),
            drawdown_floor: challenge.drawdown_floor(spec),
            profit_target: target(spec),
        }
    }

    pub fn market_facts(&self, market: MarketIx) -> MarketReport {
        let state = self.markets.at(market);
        let book = self.public_book(market);
        MarketReport {
            market,
            mark: state.mark,
            oracle: state.oracle,
            bid: book.best(Side::Buy),
            ask: book.best(Side::Sell),
            mid: book.mid(state.spec.size_decimals),
            last: state.last,
            prev_day: state.day.first_mark().unwrap_or(state.mark),
            day_volume: state.day.volume(),
            funding_rate: self.funding_rate(market),
            next_funding_at: self.next_funding_at(market),
            updated_at: state.updated_at,
        }
    }

    /// One side of the public book, best first, as fills have left it.
    pub fn book_levels(
        &self,
        market: MarketIx,
        side: Side,
    ) -> impl Iterator<Item = BookLevel> + use<'_> {
        self.public_book(market).levels(side)
    }

    /// The venue's own instant on a received market, if it reported one that is still ahead.
    fn next_funding_at(&self, market: MarketIx) -> Millis {
        let received = self.received.get(market);
        let own = received.and_then(|received| received.prices.next_funding_at);
        own.filter(|at| *at > self.now)
            .unwrap_or(self.now.next_hour())
    }

    /// Of the received markets, if there are any.
    pub fn received_rules(&self) -> Option<ReceivedRules> {
        self.received.each().next().map(|received| received.rules)
    }

    /// Since when frames of a received market have been missing.
    pub fn gap_since(&self, market: MarketIx) -> Option<Millis> {
        self.received.get(market)?.gap_since()
    }

    /// Whether a payment is at the last known rate, for want of that hour's.
    pub fn is_estimated(&self, paid: &FundingRecord) -> bool {
        let received = self.received.get(paid.market);
        received.is_some_and(|received| received.estimated.contains(&paid.at))
    }

    /// Why an order filled as it did; `None` for an unknown order, and for one of a market that is not received.
    pub fn order_evidence(&self, account: AccountIx, id: OrderId) -> Option<OrderEvidence<'_>> {
        let row = self.order(account, id)?;
        let row = self.order(account, row.root.unwrap_or(id))?;
        let received = self.received.get(row.market)?;
        let evidence = self.evidence.at(row.market);
        let fills = evidence.numbered().map(|(_, fill)| fill);
        Some(OrderEvidence {
            order: row.id,
            filled: row.filled_size,
            optimistic_filled: received.claims.filled(row.id),
            fills: fills.filter(|fill| fill.order == row.id).collect(),
        })
    }

    /// SHA-256 chained over everything that happened, in hex.
    pub fn log_hash(&self) -> String {
        self.log.hash()
    }

    /// The beginning of [`Engine::log_hash`] as a number.
    pub fn log_mark(&self) -> u64 {
        self.log.mark()
    }

    /// How many events the hash covers.
    pub fn log_len(&self) -> u64 {
        self.log.len()
    }

    /// The last candle is the interval that has not ended.
    pub fn candles(&self, market: MarketIx, range: CandleRange) -> CandleWindow {
        let history = self.market_histories.at(market);
        let window = history.candles(self.market_spec(market), &self.rng, self.now, range);
        if self.received.get(market).is_some() {
            window.without_synthetic()
        } else {
            window
        }
    }

    /// Newest first, from just before the trade of that number; a few thousand are kept.
    pub fn trades(
        &self,
        market: MarketIx,
        before: Option<i64>,
    ) -> impl Iterator<Item = (i64, &TapeRecord)> {
        self.market_histories.at(market).trades.before(before)
    }

    /// Newest first.
    pub fn equity_curve(&self, account: AccountIx) -> impl Iterator<Item = &EquityRecord> {
        let samples = self.account_histories.at(account).equity.before(None);
        samples.map(|(_, sample)| sample)
    }

    /// Newest first, from just before the payment of that number.
    pub fn funding_payments(
        &self,
        account: AccountIx,
        before: Option<i64>,
    ) -> impl Iterator<Item = (i64, &FundingRecord)> {
        self.account_histories.at(account).funding.before(before)
    }

    fn position_row(&self, position: &PositionState) -> PositionRecord {
        let market = self.markets.at(position.market);
        let decimals = market.spec.size_decimals;
        let open = position.closed_at.is_none();
        let closed = position.closed;
        let (size, cost) = if open {
            (position.size, position.cost)
        } else {
            (closed.size, closed.cost)
        };
        PositionRecord {
            id: position.id,
            account: position.account,
            market: position.market,
            size,
            entry_price: cost.per(size, decimals).unwrap_or_default(),
            leverage: position.leverage,
            margin_mode: position.margin_mode,
            isolated_margin_extra: (position.margin_mode == MarginMode::Isolated)
                .then_some(position.extra),
            opened_at: position.opened_at,
            liquidation_price: if open {
                self.liquidation_price(position)
            } else {
                None
            },
            closed_at: position.closed_at,
            exit_price: closed.exit.per(closed.size, decimals),
            realized_pnl: position.realized,
            realized_margin_basis: position.basis,
            fees: position.fees,
            funding: position.funding,
        }
    }
}

/// The ids from just after `before`, newest first. They are in the order of their keys, which all have one.
fn page<Id: Copy + Ord>(
    ids: &[Id],
    before: Option<RowKey<Id>>,
    key: impl Fn(Id) -> Option<RowKey<Id>>,
) -> impl Iterator<Item = Id> {
    let end = match before {
        None => ids.len(),
        before => ids.partition_point(|id| key(*id) < before),
    };
    ids.iter().take(end).rev().copied()
}
