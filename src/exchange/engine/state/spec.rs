//! The engine's configuration: markets, accounts, fees and the numbers of its rules.

use serde::{Deserialize, Serialize};

use super::{Bps, Lots, Millis, Px, ReceivedRules, Usd};
use crate::model::AccountStage;

/// One perpetual market. `market_id` in the API is `<provider>|<coin>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarketSpec {
    pub provider: String,
    /// What a person sees and types.
    pub symbol: String,
    /// The venue's name of it.
    pub coin: String,
    /// `crypto`, `stocks` …: for display.
    pub category: String,
    pub access: MarketAccess,
    /// Decimals of a size, 0 to 5; prices have `6 - size_decimals`.
    pub size_decimals: u32,
    /// Largest leverage on the first margin tier.
    pub max_leverage: u32,
    /// Further margin tiers, by rising notional; empty for a flat market.
    pub tiers: Vec<MarginTier>,
    pub start_price: Px,
    /// Annual volatility in basis points (5 000 is 50 %).
    pub volatility: Bps,
    /// Loading on the common factor of all coins, in basis points of 1.
    pub beta: Bps,
    /// Typical depth of one book level.
    pub base_depth: Usd,
    /// Notional at which funding reads the book (20 000 USD for the large coins, 6 000 for others).
    pub impact_notional: Usd,
}

impl MarketSpec {
    /// `paper|BTC`
    #[must_use]
    pub fn market_id(&self) -> String {
        format!("{}|{}", self.provider, self.coin)
    }

    /// Every tier, by rising notional; the first starts at 0 (docs/engine.md 6.2).
    pub fn margin_tiers(&self) -> impl Iterator<Item = MarginTier> {
        let first = MarginTier {
            lower: Usd::ZERO,
            max_leverage: self.max_leverage,
        };
        std::iter::once(first).chain(self.tiers.iter().copied())
    }
}

/// Which orders a market accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum MarketAccess {
    #[default]
    Open,
    /// Only those that reduce.
    ReduceOnly,
    /// None.
    Disabled,
}

/// Applies from `lower` notional on, with at most `max_leverage`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarginTier {
    pub lower: Usd,
    pub max_leverage: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountSpec {
    pub id: String,
    /// Cash at the start, and the base of the challenge rules.
    pub cash: Usd,
    pub rules: ChallengeRules,
    pub terms: AccountTerms,
}

impl AccountSpec {
    /// The most that one position may be worth.
    #[must_use]
    pub fn max_position(&self) -> Usd {
        self.cash
            .mul_floor(i64::from(self.rules.max_position_multiple), 1)
    }
}

/// What an account is, beside its money and its rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountTerms {
    pub number: u32,
    pub name: String,
    pub stage: AccountStage,
    /// Why it may only reduce.
    pub restriction: Option<String>,
}

impl Default for AccountTerms {
    fn default() -> Self {
        Self {
            number: 1,
            name: String::new(),
            stage: AccountStage::Evaluation,
            restriction: None,
        }
    }
}

/// The numbers of docs/engine.md 7; `Default` is its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChallengeRules {
    pub max_daily_loss: Bps,
    pub daily_basis: DailyBasis,
    /// The time of the UTC day at which the daily base is set.
    pub day_offset: Millis,
    pub max_drawdown: Bps,
    pub drawdown: Drawdown,
    pub max_order_leverage: u32,
    /// Open notional over equity, in whole multiples.
    pub max_account_leverage: u32,
    /// Notional of one position, in whole multiples of the starting cash.
    pub max_position_multiple: u32,
    pub max_open_positions: usize,
    pub min_order_notional: Usd,
    pub cooldown: Millis,
    pub profit_target: Bps,
    pub min_trading_days: usize,
    /// Largest share of one day in the whole positive profit.
    pub consistency: Bps,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DailyBasis {
    Balance,
    Equity,
    Larger,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drawdown {
    Static,
    /// Below the highest balance so far, locking at the starting cash.
    Trailing,
}

impl Default for ChallengeRules {
    fn default() -> Self {
        Self {
            max_daily_loss: Bps(400),
            daily_basis: DailyBasis::Balance,
            day_offset: Millis::ZERO,
            max_drawdown: Bps(600),
            drawdown: Drawdown::Static,
            max_order_leverage: 20,
            max_account_leverage: 10,
            max_position_multiple: 2,
            max_open_positions: 100,
            min_order_notional: Usd::dollars(10),
            cooldown: Millis(500),
            profit_target: Bps(1000),
            min_trading_days: 5,
            consistency: Bps(4000),
        }
    }
}

/// Fee rates in hundred-thousandths of the notional (45 is 0.045 %).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeeRates {
    pub taker: i64,
    pub maker: i64,
}

impl Default for FeeRates {
    fn default() -> Self {
        Self {
            taker: 45,
            maker: 15,
        }
    }
}

/// Options of a venue (docs/engine.md 3.6, 6.5, 9.4); the defaults are the simple form of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VenueSpec {
    pub liquidation: LiquidationMode,
    pub impact: ImpactModel,
    pub self_trade: SelfTrade,
}

/// What happens to an order that would trade with an order of its own account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelfTrade {
    /// The one that enters ends, unless it only reduces.
    #[default]
    CancelNewest,
    /// The one that rests ends.
    CancelOldest,
}

/// How much of a position one liquidation sells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LiquidationMode {
    #[default]
    Whole,
    /// A fifth of a position above 100 000 USD; all of it at a second liquidation within 30 s.
    Gradual,
}

/// Whether users' trades move the fair price of the synthetic market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ImpactModel {
    #[default]
    Off,
    /// For good, and in proportion to what is taken, so that no round trip earns.
    Linear,
}

/// The source of prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceFeed {
    /// The generator of docs/engine.md 9, from the seed.
    Synthetic,
    /// Only ticks from injected market events.
    Scripted,
    /// The frames of a venue or of a recording: [`Engine::receive`](crate::exchange::engine::Engine::receive).
    Received(ReceivedRules),
}

#[derive(Debug, Clone)]
pub struct EngineConfig {
    pub seed: u64,
    pub start: Millis,
    pub feed: PriceFeed,
    pub fees: FeeRates,
    pub venue: VenueSpec,
    pub markets: Vec<MarketSpec>,
    pub accounts: Vec<AccountSpec>,
}

/// A market's state from a feed: trades since the last step, the current book, and the index price. Bids by falling,
/// asks by rising price.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarketTick {
    pub trades: Vec<MarketTrade>,
    pub bids: Vec<BookLevel>,
    pub asks: Vec<BookLevel>,
    pub oracle: Px,
}

/// One exogenous trade; `aggressor` is the taker's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarketTrade {
    pub aggressor: super::words::Side,
    pub px: Px,
    pub size: Lots,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookLevel {
    pub px: Px,
    pub size: Lots,
}
