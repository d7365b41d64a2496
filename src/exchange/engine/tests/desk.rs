//! A desk on a scripted market: the test sets the prices.

use crate::exchange::engine::{risk::margin::MarginAssumption, state::tick::tests::exact, *};
use std::ops::Deref;

pub(super) const BTC: usize = 0;
pub(super) const ETH: usize = 1;
pub(super) const SOL: usize = 2;

/// 00:00:00 of a UTC day.
pub(super) const START: Millis = Millis(1_767_225_600_000);

pub(super) struct Desk {
    pub(super) engine: Engine,
    pub(super) me: AccountIx,
    pub(super) shown: Vec<MarketTick>,
}

/// Rules that never apply.
pub(super) fn lax() -> ChallengeRules {
    ChallengeRules {
        max_daily_loss: Bps(1_000_000),
        max_drawdown: Bps(1_000_000),
        max_order_leverage: 100,
        max_account_leverage: 1_000,
        max_position_multiple: 1_000_000,
        cooldown: Millis::ZERO,
        ..ChallengeRules::default()
    }
}

pub(super) fn spec(coin: &str, size_decimals: u32, max_leverage: u32, price: &str) -> MarketSpec {
    MarketSpec {
        provider: "paper".to_owned(),
        symbol: coin.to_owned(),
        coin: coin.to_owned(),
        category: "crypto".to_owned(),
        access: MarketAccess::Open,
        size_decimals,
        max_leverage,
        tiers: Vec::new(),
        start_price: px_of(price, size_decimals),
        volatility: Bps(5_000),
        beta: Bps(8_500),
        base_depth: Usd::dollars(120_000),
        impact_notional: Usd::dollars(20_000),
    }
}

pub(super) fn markets() -> Vec<MarketSpec> {
    vec![
        spec("BTC", 5, 40, "50000"),
        spec("ETH", 4, 25, "3000"),
        spec("SOL", 2, 20, "100"),
    ]
}

fn decimal(text: &str) -> (i128, u32) {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part}");
    (digits.parse().unwrap(), u32::try_from(part.len()).unwrap())
}

fn px_of(text: &str, size_decimals: u32) -> Px {
    let (mantissa, scale) = decimal(text);
    Px(exact(mantissa, scale, 6 - size_decimals).unwrap())
}

/// "12.5" as money.
pub(super) fn usd(text: &str) -> Usd {
    let (mantissa, scale) = decimal(text);
    Usd(mantissa * 10_i128.pow(6 - scale))
}

/// "12.5" as an average price.
pub(super) fn nano(text: &str) -> NanoPx {
    let (mantissa, scale) = decimal(text);
    NanoPx(i64::try_from(mantissa * 10_i128.pow(9 - scale)).unwrap())
}

/// At the market, 10x cross.
pub(super) fn order(market: MarketIx, side: Side, lots: Lots) -> OrderParams {
    OrderParams {
        market,
        side,
        size: lots,
        leverage: 10,
        margin_mode: MarginMode::Cross,
        expected_price: NanoPx::ZERO,
        reduction: Reduction::May,
        tif: Tif::Gtc,
        slippage: None,
        exits: AttachedExits::default(),
        overlap: ExitOverlap::Refused,
        mode: PlaceMode::Market,
        client_order_id: None,
    }
}

impl Desk {
    pub(super) fn new(cash: i64) -> Self {
        Self::with(cash, lax(), markets())
    }

    pub(super) fn with(cash: i64, rules: ChallengeRules, markets: Vec<MarketSpec>) -> Self {
        Self::starting(START, cash, rules, markets)
    }

    /// Starts at an instant that is no whole number of steps, as a wall clock does.
    pub(super) fn starting(
        start: Millis,
        cash: i64,
        rules: ChallengeRules,
        markets: Vec<MarketSpec>,
    ) -> Self {
        let account = |id: &str| AccountSpec {
            id: id.to_owned(),
            cash: Usd::dollars(cash),
            rules,
            terms: AccountTerms::default(),
        };
        let count = markets.len();
        let engine = Engine::new(EngineConfig {
            seed: 1,
            start,
            feed: PriceFeed::Scripted,
            fees: FeeRates::default(),
            venue: VenueSpec::default(),
            markets,
            accounts: vec![account("me"), account("other")],
        });
        let mut desk = Self {
            me: engine.account("me").unwrap(),
            engine,
            shown: vec![MarketTick::default(); count],
        };
        let opening = [(BTC, "50000"), (ETH, "3000"), (SOL, "100")];
        for (market, price) in opening.into_iter().take(count) {
            desk.show_at(market, price);
        }
        desk.step();
        desk
    }

    pub(super) fn px(&self, market: usize, text: &str) -> Px {
        px_of(text, self.decimals(market))
    }

    pub(super) fn lots(&self, market: usize, text: &str) -> Lots {
        let (mantissa, scale) = decimal(text.trim_start_matches('-'));
        let lots = Lots(exact(mantissa, scale, self.decimals(market)).unwrap());
        if text.starts_with('-') { -lots } else { lots }
    }

    fn decimals(&self, market: usize) -> u32 {
        self.engine.market_spec(market.into()).size_decimals
    }

    fn level(&self, market: usize, (px, size): (&str, &str)) -> BookLevel {
        BookLevel {
            px: self.px(market, px),
            size: self.lots(market, size),
        }
    }

    /// From the next step on: this book, and the index at `oracle`.
    pub(super) fn show(
        &mut self,
        market: usize,
        bids: &[(&str, &str)],
        asks: &[(&str, &str)],
        oracle: &str,
    ) {
        let tick = MarketTick {
            trades: Vec::new(),
            bids: bids.iter().map(|row| self.level(market, *row)).collect(),
            asks: asks.iter().map(|row| self.level(market, *row)).collect(),
            oracle: self.px(market, oracle),
        };
        self.shown[market] = tick.clone();
        self.engine.inject(market.into(), tick);
    }

    /// From the next step on: any size, both ways, at exactly this price, which is the mark too.
    pub(super) fn show_at(&mut self, market: usize, price: &str) {
        self.show(market, &[(price, "100000")], &[(price, "100000")], price);
    }

    pub(super) fn at(&mut self, market: usize, price: &str) {
        self.show_at(market, price);
        self.step();
    }

    pub(super) fn book(
        &mut self,
        market: usize,
        bids: &[(&str, &str)],
        asks: &[(&str, &str)],
        oracle: &str,
    ) {
        self.show(market, bids, asks, oracle);
        self.step();
    }

    /// Somebody else trades; the book does not change.
    pub(super) fn trade(&mut self, market: usize, aggressor: Side, px: &str, size: &str) {
        let level = self.level(market, (px, size));
        let tick = MarketTick {
            trades: vec![MarketTrade {
                aggressor,
                px: level.px,
                size: level.size,
            }],
            ..self.shown[market].clone()
        };
        self.engine.inject(market.into(), tick);
        self.step();
    }

    pub(super) fn step(&mut self) {
        self.engine.advance_to(self.engine.now() + Millis::STEP);
    }

    /// To the first step of the next UTC day, skipping the hours between.
    pub(super) fn next_day(&mut self) {
        let midnight = (self.engine.now.day() + 1) * Millis::DAY.0;
        self.engine.now = Millis(midnight - Millis::STEP.0);
        self.step();
    }

    /// To the first step of the next hour, likewise.
    pub(super) fn next_hour(&mut self) {
        let hour = self.engine.now.next_hour();
        self.engine.now = Millis(hour.0 - Millis::STEP.0);
        self.step();
    }

    pub(super) fn pass(&mut self, span: Millis) {
        self.engine.advance_to(self.engine.now() + span);
    }

    pub(super) fn order(&self, market: usize, side: Side, coins: &str) -> OrderParams {
        order(market.into(), side, self.lots(market, coins))
    }

    /// Five minutes of even slices, 10x cross.
    pub(super) fn twap(&self, market: usize, side: Side, coins: &str) -> TwapParams {
        TwapParams {
            kind: Curve::Twap,
            market: market.into(),
            side,
            size: self.lots(market, coins),
            leverage: 10,
            margin_mode: MarginMode::Cross,
            reduction: Reduction::May,
            duration_minutes: 5,
            slice_interval_seconds: None,
            pacing: Pacing::Even,
            trigger_price: None,
            max_price: None,
            min_price: None,
        }
    }

    pub(super) fn limit(&self, market: usize, side: Side, coins: &str, px: &str) -> OrderParams {
        OrderParams {
            mode: PlaceMode::Limit {
                price: self.px(market, px),
            },
            ..self.order(market, side, coins)
        }
    }

    pub(super) fn apply(
        &mut self,
        command: EngineCommand,
    ) -> Result<CommandOutcome, CommandRefusal> {
        self.engine.apply(self.me, command)
    }

    pub(super) fn place(&mut self, order: OrderParams) -> Result<OrderId, CommandRefusal> {
        let done = self.apply(EngineCommand::Place(order))?;
        let CommandOutcome::Order(id) = done else {
            panic!("an order was placed, not {done:?}")
        };
        Ok(id)
    }

    /// The refusal of the order.
    pub(super) fn refused(&mut self, order: OrderParams) -> (RefusalKind, Reason) {
        let refusal = self.place(order).unwrap_err();
        (refusal.kind, refusal.code)
    }

    pub(super) fn market(&mut self, market: usize, side: Side, coins: &str) -> OrderId {
        let order = self.order(market, side, coins);
        self.place(order).unwrap()
    }

    /// 10x isolated at the market.
    pub(super) fn isolated(&mut self, market: usize, side: Side, coins: &str) -> OrderId {
        let order = OrderParams {
            margin_mode: MarginMode::Isolated,
            ..self.order(market, side, coins)
        };
        self.place(order).unwrap()
    }

    pub(super) fn reduce_only(mut order: OrderParams) -> OrderParams {
        order.reduction = Reduction::Only;
        order
    }

    pub(super) fn row(&self, id: OrderId) -> OrderRecord {
        self.engine.order(self.me, id).unwrap().clone()
    }

    /// Status, what it filled, and why it ended.
    pub(super) fn ending(&self, id: OrderId) -> (OrderStatus, Lots, Option<Reason>) {
        let row = self.row(id);
        (row.status, row.filled_size, row.reason)
    }

    pub(super) fn position(&self, market: usize) -> Option<PositionRecord> {
        self.engine
            .open_positions(self.me)
            .into_iter()
            .find(|row| row.market == market.into())
    }

    pub(super) fn held(&self, market: usize) -> Lots {
        self.position(market).map_or(Lots::ZERO, |row| row.size)
    }

    pub(super) fn last_closed(&self) -> PositionRecord {
        self.engine.closed_positions(self.me, None).next().unwrap()
    }

    pub(super) fn facts(&self) -> AccountFacts {
        facts(&self.engine, self.me)
    }

    /// Isolated: its own margin. Cross: its initial margin at mark.
    pub(super) fn margin(&self, market: usize) -> Usd {
        let held = self.engine.held(self.me, market.into()).unwrap();
        let market = self.engine.markets.at(market.into());
        let cross = || market.initial_margin(held.notional(market.mark), held.leverage);
        held.own_margin().unwrap_or_else(cross)
    }

    pub(super) fn liquidation(&self, market: usize) -> Option<NanoPx> {
        self.position(market).unwrap().liquidation_price
    }

    pub(super) fn set_extra(
        &mut self,
        market: usize,
        extra: &str,
    ) -> Result<CommandOutcome, CommandRefusal> {
        let position = self.position(market).unwrap().id;
        let extra = usd(extra);
        self.apply(EngineCommand::SetIsolatedMargin(SetIsolatedMargin {
            position,
            extra,
        }))
    }
}

/// The report of an account, and what it does not report.
#[derive(Debug, PartialEq)]
pub(super) struct AccountFacts {
    report: AccountReport,
    pub(super) starting_cash: Usd,
    /// Deposits + gross realized − fees + funding + insurance; never below 0.
    pub(super) cash: Usd,
    /// What the insurance account paid for losses beyond a margin or the cash, including the advance.
    pub(super) insurance_paid: Usd,
    /// The part that the profit of open cross positions pays back.
    pub(super) insurance_advance: Usd,
    pub(super) maintenance_margin: Usd,
    pub(super) order_holds: Usd,
    pub(super) open_positions: usize,
    pub(super) working_orders: usize,
}

impl Deref for AccountFacts {
    type Target = AccountReport;

    fn deref(&self) -> &AccountReport {
        &self.report
    }
}

pub(super) fn facts(engine: &Engine, account: AccountIx) -> AccountFacts {
    let state = engine.accounts.at(account);
    let balance = engine.balance_if(account, &MarginAssumption::default());
    let advance = (-state.cash).max(Usd::ZERO);
    AccountFacts {
        report: engine.account_facts(account),
        starting_cash: state.spec.cash,
        cash: state.cash + advance,
        insurance_paid: state.flows.insurance + advance,
        insurance_advance: advance,
        maintenance_margin: balance.maintenance,
        order_holds: balance.holds,
        open_positions: state.open.len(),
        working_orders: state.working.len(),
    }
}

impl Engine {
    /// Replaces the feed's next step for one market. Several queue up.
    pub(super) fn inject(&mut self, market: MarketIx, tick: MarketTick) {
        self.markets.at_mut(market).injected.push_back(tick);
    }

    /// The events since it was made or restored, newest first, each with its number.
    pub(super) fn recent_events(&self) -> impl Iterator<Item = &(u64, EngineEvent)> {
        self.log.events.iter().rev()
    }

    /// The sum of all money, positions at mark. Always equals the deposits.
    pub(super) fn money(&self) -> Usd {
        let accounts = self.accounts.ids();
        let users: Usd = accounts.map(|account| self.balance(account).equity()).sum();
        let mark = |market| self.markets.at(market).mark;
        users + self.counterparty.value(mark)
    }
}

/// To the micro-USD, as docs/engine.md prints prices.
pub(super) fn six(price: Option<NanoPx>) -> String {
    let micro = (price.unwrap().0 + 500) / 1_000;
    format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000)
}
