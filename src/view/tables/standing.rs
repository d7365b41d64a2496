//! The rows of an account's figures, of the configured accounts and of fills, for the command line.
//!
//! Contract: as [`super::rows`]: USD, coin, shares of 1; what is not known is absent.

use crate::{
    model::{
        AccountFacts, AccountId, FundingPayment, Lenient, LiquidityRole, MarketId, Num, Order,
        OrderId, ScaledId, Side, Text, Timestamp, TwapId,
    },
    view::text::{
        Align::{Left, Number, Words},
        Column, Span, Tone,
        format::{self, percent, signed_bps, usd},
        words,
    },
};
use schemars::JsonSchema;
use serde::Serialize;

/// The figures of an account, USD.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AccountRow {
    pub account_id: AccountId,
    /// Cash and unrealized profit, USD.
    pub equity: Option<Num>,
    /// Without what is open.
    pub cash: Option<Num>,
    /// What is free for new orders, USD.
    pub available_margin: Option<Num>,
    /// Since the start of the service's day.
    pub day_pnl: Option<Num>,
    /// The share of the daily loss limit that is left.
    pub daily_loss_left: Option<Num>,
    /// What may still be lost today; absent without a limit.
    pub daily_loss_room: Option<Num>,
    /// What may still be lost in all; absent without a limit.
    pub max_drawdown_room: Option<Num>,
    /// The balance that the limits are measured from, USD.
    pub starting_cash: Option<Num>,
    /// The state of the challenge, in the service's word: `failed` means lost.
    pub standing: Option<Text>,
    /// The rule that ended it.
    pub broken_rule: Option<Text>,
    /// The restriction of the account, in the service's word: `reduce_only`.
    pub restriction: Option<Text>,
    /// Whether a payout is under way.
    pub payout_pending: Option<bool>,
    /// Whether it copies another account and takes no orders.
    pub copy_follower_locked: Option<bool>,
    /// Why the account may open nothing now.
    pub entries_locked: Option<String>,
    /// The service's clock when it answered.
    pub updated_at: Option<Timestamp>,
    /// In JSON only.
    pub rules: Vec<RuleRow>,
}

/// A rule of the challenge: the measured value and its limit, both in the unit of the rule.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RuleRow {
    pub rule_id: Text,
    /// Absent where the service states the limit alone.
    pub value: Option<Num>,
    pub limit: Num,
    /// The value at 0 % of the limit; for a drawdown that trails, its peak.
    pub from: Option<Num>,
}

/// A configured account.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ProfileRow {
    /// Its name in the settings; absent for the account above the profiles.
    pub profile: Option<String>,
    pub account_id: AccountId,
    /// The address of the service.
    pub base_url: String,
    /// Whether verbs use it without `--profile`.
    pub chosen: bool,
    /// Whether it refuses every command.
    pub read_only: bool,
    /// USD.
    pub equity: Option<Num>,
    /// USD, since the start of the service's day.
    pub day_pnl: Option<Num>,
    /// How many.
    pub open_positions: Option<u32>,
    /// How many.
    pub working_orders: Option<u32>,
    /// Why something above is absent.
    pub problem: Option<String>,
}

/// An order that has filled, or a part of one.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FillRow {
    /// The order that filled.
    pub order_id: OrderId,
    /// Absent where the service does not date it.
    pub filled_at: Option<Timestamp>,
    pub market_id: MarketId,
    /// buy or sell.
    pub side: Lenient<Side>,
    /// In coin.
    pub size: Num,
    /// The average price, USD.
    pub price: Num,
    /// USD: price times size.
    pub notional: Option<Num>,
    /// USD.
    pub fee: Option<Num>,
    /// USD, of what it closed.
    pub realized_pnl: Option<Num>,
    /// maker or taker.
    pub liquidity_role: Option<Lenient<LiquidityRole>>,
    /// The mid price when the order was placed, USD.
    pub expected_price: Num,
    /// Basis points against the expected or the trigger price; below 0 is worse.
    pub slippage_bps: Option<Num>,
    /// Whether it can only make a position smaller.
    pub reduce_only: bool,
    /// The TWAP that it is a slice of.
    pub twap_order_id: Option<TwapId>,
    /// The scaled order that it is a rung of.
    pub scaled_order_id: Option<ScaledId>,
}

impl AccountRow {
    pub fn new(account: &AccountId, facts: &AccountFacts) -> Self {
        let rules = facts.rules.iter().map(|rule| RuleRow {
            rule_id: rule.id.clone(),
            value: rule.value,
            limit: rule.limit,
            from: rule.from,
        });
        let policy = facts.policy.as_ref();
        let restriction = policy.and_then(|policy| policy.restriction.as_ref());
        Self {
            account_id: account.clone(),
            equity: facts.equity,
            cash: facts.cash,
            available_margin: facts.available_margin,
            day_pnl: facts.day_pnl,
            daily_loss_left: facts.daily_loss_left,
            daily_loss_room: facts.daily_loss_room,
            max_drawdown_room: facts.max_drawdown_room,
            starting_cash: facts.starting_cash,
            standing: facts.standing.clone(),
            broken_rule: facts.broken_rule.clone(),
            restriction: restriction.map(|restriction| restriction.restriction.to_string().into()),
            payout_pending: policy.and_then(|policy| policy.payout_pending),
            copy_follower_locked: policy.and_then(|policy| policy.copy_follower_locked),
            entries_locked: facts.lock().map(|lock| lock.words),
            updated_at: facts.as_of,
            rules: rules.collect(),
        }
    }
}

impl FillRow {
    /// `None` for an order without a fill of its own.
    pub fn new(order: &Order) -> Option<Self> {
        let price = order.fill_price?;
        let size = order.executed_size();
        Some(Self {
            order_id: order.id.clone(),
            filled_at: order.settled_at,
            market_id: order.market_id.clone(),
            side: order.side.clone(),
            size,
            price,
            notional: price.times(size),
            fee: order.fee,
            realized_pnl: order.realized_pnl,
            liquidity_role: order.liquidity_role.clone(),
            expected_price: order.expected_price,
            slippage_bps: order.fill_bps(),
            reduce_only: order.reduce_only,
            twap_order_id: order.twap_order_id.clone(),
            scaled_order_id: order.scaled_order_id.clone(),
        })
    }
}

/// The columns of a table.
pub const ACCOUNT: &[Column<AccountRow>] = &[
    Column::text("account_id", "account", 0, |row| row.account_id.to_string()),
    Column::number("equity", "equity", 0, usd, |row| row.equity),
    Column::profit("day_pnl", "day", 0, |row| row.day_pnl),
    Column::number("daily_loss_left", "daily loss left", 1, percent, |row| {
        row.daily_loss_left
    }),
    Column::number("daily_loss_room", "daily loss room", 2, usd, |row| {
        row.daily_loss_room
    }),
    Column::number("max_drawdown_room", "drawdown room", 2, usd, |row| {
        row.max_drawdown_room
    }),
    Column::text("entries_locked", "locked", 4, |row: &AccountRow| {
        row.entries_locked.clone().unwrap_or_default()
    })
    .aligned(Words)
    .toned(Tone::Alert),
    Column::number("cash", "cash", 3, usd, |row| row.cash),
    Column::number("available_margin", "free margin", 2, usd, |row| {
        row.available_margin
    }),
    Column::known("standing", "state", 1, |row| {
        row.standing.as_ref().map(ToString::to_string)
    }),
];

pub const RULES: &[Column<RuleRow>] = &[
    Column::text("rule_id", "rule", 0, |row| row.rule_id.to_string()),
    Column::number("value", "value", 0, exact, |row| row.value),
    Column::number("limit", "limit", 0, exact, |row| Some(row.limit)),
];

pub const PROFILES: &[Column<ProfileRow>] = &[
    Column::known("profile", "profile", 0, |row| row.profile.clone()),
    Column::text("chosen", "chosen", 2, |row| {
        if row.chosen { "yes" } else { "" }.to_owned()
    }),
    Column::text("account_id", "account", 0, |row| row.account_id.to_string()),
    Column::number("equity", "equity", 0, usd, |row| row.equity),
    Column::profit("day_pnl", "day", 0, |row| row.day_pnl),
    Column::known("open_positions", "open", 1, |row: &ProfileRow| {
        counted(row.open_positions)
    })
    .aligned(Number),
    Column::known("working_orders", "orders", 2, |row: &ProfileRow| {
        counted(row.working_orders)
    })
    .aligned(Number),
    Column::text("base_url", "service", 5, |row| {
        Text::from(row.base_url.as_str()).to_string()
    }),
    Column::text("problem", "problem", 3, |row: &ProfileRow| {
        row.problem.clone().unwrap_or_default()
    })
    .aligned(Words)
    .toned(Tone::Alert),
];

pub const FILLS: &[Column<FillRow>] = &[
    Column::time("filled_at", "time", 0, |row| row.filled_at),
    Column::new("market_id", "market", Left, 0, |row, scene| {
        scene.market(&row.market_id).into()
    }),
    Column::new("side", "side", Left, 0, |row, _| {
        words::order_side(&row.side).into()
    }),
    Column::new("size", "size", Number, 0, |row, scene| {
        let market = scene.store.market(&row.market_id);
        Span::plain(words::order_size(row.size, market)).into()
    }),
    Column::new("price", "price", Number, 0, |row, scene| {
        let market = scene.store.market(&row.market_id);
        Span::plain(format::fill(row.price, market)).into()
    }),
    Column::number("notional", "notional", 4, usd, |row| row.notional),
    Column::number("fee", "fee", 3, usd, |row| row.fee),
    Column::profit("realized_pnl", "PnL", 1, |row| row.realized_pnl),
    Column::number("slippage_bps", "slip bps", 4, signed_bps, |row| {
        row.slippage_bps
    }),
    Column::known("liquidity_role", "role", 5, |row| {
        row.liquidity_role.as_ref().map(ToString::to_string)
    }),
    Column::text("order_id", "order", 2, |row| row.order_id.to_string()),
];

pub const FUNDING: &[Column<FundingPayment>] = &[
    Column::time("paid_at", "time", 0, |row| Some(row.paid_at)),
    Column::new("market_id", "market", Left, 0, |row, scene| {
        scene.market(&row.market_id).into()
    }),
    Column::number("size", "size", 1, exact, |row| Some(row.size)),
    Column::number("rate", "rate", 2, format::exact_percent, |row| {
        Some(row.rate)
    }),
    Column::profit("amount", "paid", 0, |row| Some(row.amount)),
    Column::text("position_id", "position", 3, |row| {
        row.position_id.to_string()
    }),
];

/// Every digit of it.
fn exact(number: Num) -> String {
    number.normalized().to_string()
}

fn counted(count: Option<u32>) -> Option<String> {
    count.map(|count| count.to_string())
}

/// The columns of a CSV, in their order.
#[rustfmt::skip]
pub mod columns_of {
    pub const ACCOUNT: &[&str] = &[
        "account_id", "equity", "cash", "available_margin", "day_pnl", "daily_loss_left", "daily_loss_room",
        "max_drawdown_room", "starting_cash", "standing", "broken_rule", "restriction", "payout_pending",
        "copy_follower_locked", "entries_locked", "updated_at",
    ];
    pub const PROFILE: &[&str] = &[
        "profile", "account_id", "base_url", "chosen", "read_only", "equity", "day_pnl", "open_positions",
        "working_orders", "problem",
    ];
    pub const FUNDING: &[&str] = &[
        "payment_id", "paid_at", "market_id", "position_id", "size", "rate", "amount", "estimated",
    ];
    pub const EQUITY: &[&str] = &["sampled_at", "equity", "cash", "unrealized_pnl", "insurance_advance"];
    pub const FILL: &[&str] = &[
        "order_id", "filled_at", "market_id", "side", "size", "price", "notional", "fee", "realized_pnl",
        "liquidity_role", "expected_price", "slippage_bps", "reduce_only", "twap_order_id", "scaled_order_id",
    ];
}
