//! The TOML of a scenario, and the engine configuration it describes.

use super::super::{
    engine::{
        AccountSpec, AccountTerms, Bps, EngineConfig, FeeRates, ImpactModel, LiquidationMode,
        MAX_COUNT, MarginTier, MarketAccess, MarketSpec, Millis, PriceFeed, Px, ReceivedRules,
        SelfTrade, Usd, VenueSpec,
    },
    faults::FaultRule,
    rate_limit::RateLimits,
    received::ReceivedSetup,
};
use super::{
    fault::{ScenarioFault, ScenarioResult, within},
    rules::ScenarioRules,
    script::ScriptEntry,
};
use crate::model::{AccountStage, Num};
use serde::Deserialize;
use serde_with::DisplayFromStr;
use std::collections::BTreeSet;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioFile {
    pub(super) seed: u64,
    /// The users' keys come from the seed; otherwise they are random.
    #[serde(default)]
    pub(super) fixed_keys: bool,
    /// How long before the start virtual time begins; the script runs in that time.
    #[serde(default)]
    pub(super) warm_up_seconds: u32,
    /// Absent: those of the venue.
    fees: Option<FeesShape>,
    #[serde(default)]
    venue: VenueShape,
    #[serde(default)]
    pub(super) budgets: RateLimits,
    pub(super) keys_per_user: Option<u32>,
    /// Added before the first request, as `POST /sim/faults` would.
    #[serde(default)]
    pub(super) faults: Vec<FaultRule>,
    pub(super) markets: Vec<ScenarioMarket>,
    pub(super) users: Vec<ScenarioUser>,
    #[serde(default)]
    pub(super) script: Vec<ScriptEntry>,
}

/// Rates as fractions of the notional: `"0.00045"` is 4.5 bps. Decimals are text: TOML numbers would go through a float.
#[serde_with::serde_as]
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct FeesShape {
    #[serde_as(as = "DisplayFromStr")]
    taker: Num,
    #[serde_as(as = "DisplayFromStr")]
    maker: Num,
}

impl FeesShape {
    fn rates(self) -> ScenarioResult<FeeRates> {
        Ok(FeeRates {
            taker: fee(self.taker)?,
            maker: fee(self.maker)?,
        })
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct VenueShape {
    /// Large positions are liquidated a fifth at a time.
    gradual_liquidation: bool,
    /// The users' trades move the fair price.
    user_impact: bool,
    /// What happens to an order that would trade with one of its own account.
    self_trade: SelfTrade,
    /// On received markets: the time from the acceptance of an order until it takes effect is drawn between the two.
    execution_delay_min_ms: u32,
    execution_delay_max_ms: u32,
    /// On received markets: an older book is a gap.
    max_book_staleness_ms: u32,
}

impl Default for VenueShape {
    fn default() -> Self {
        let ReceivedRules {
            min_delay,
            max_delay,
            max_book_age,
        } = ReceivedRules::default();
        let millis = |span: Millis| u32::try_from(span.0).unwrap_or(0);
        Self {
            gradual_liquidation: false,
            user_impact: false,
            self_trade: SelfTrade::default(),
            execution_delay_min_ms: millis(min_delay),
            execution_delay_max_ms: millis(max_delay),
            max_book_staleness_ms: millis(max_book_age),
        }
    }
}

/// The longest delay of an order.
const MAX_DELAY_MS: u32 = 60_000;
/// A book has to be newer than this.
const MAX_STALENESS_MS: u32 = 600_000;

impl VenueShape {
    fn received(self) -> ScenarioResult<ReceivedRules> {
        let shortest = self.execution_delay_min_ms;
        let longest = self.execution_delay_max_ms.max(shortest);
        within("execution_delay_max_ms", longest, 0..=MAX_DELAY_MS)?;
        let oldest = self.max_book_staleness_ms;
        within("max_book_staleness_ms", oldest, 250..=MAX_STALENESS_MS)?;
        let [min_delay, max_delay, max_book_age] =
            [shortest, longest, oldest].map(|millis| Millis(millis.into()));
        Ok(ReceivedRules {
            min_delay,
            max_delay,
            max_book_age,
        })
    }

    fn spec(self) -> VenueSpec {
        VenueSpec {
            liquidation: if self.gradual_liquidation {
                LiquidationMode::Gradual
            } else {
                LiquidationMode::Whole
            },
            impact: if self.user_impact {
                ImpactModel::Linear
            } else {
                ImpactModel::Off
            },
            self_trade: self.self_trade,
        }
    }
}

#[serde_with::serde_as]
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioMarket {
    /// Absent: `paper`.
    provider: Option<String>,
    symbol: String,
    /// Absent: the symbol.
    coin: Option<String>,
    /// Absent: `crypto`.
    category: Option<String>,
    /// If it is false no order is accepted.
    trading_enabled: Option<bool>,
    /// Only orders that reduce are accepted.
    #[serde(default)]
    reduce_only: bool,
    size_decimals: u32,
    max_leverage: u32,
    /// Price at the beginning of the warm-up.
    #[serde_as(as = "DisplayFromStr")]
    start_price: Num,
    /// Annual; 5 000 is 50 %.
    volatility_bps: i64,
    /// Share of the common factor of all coins; 10 000 is all of it.
    beta_bps: Option<i64>,
    /// Typical depth of one book level.
    depth_usd: u32,
    /// Notional at which funding reads the book.
    impact_usd: Option<u32>,
    #[serde(default)]
    tiers: Vec<ScenarioTier>,
}

const USUAL_BETA_BPS: i64 = 7000;
const USUAL_IMPACT_USD: u32 = 6000;

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioTier {
    from_usd: u32,
    max_leverage: u32,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioUser {
    /// Together with the seed decides the key, if `fixed_keys` is set.
    pub(super) name: String,
    /// The user has a second key, which may only read.
    #[serde(default)]
    pub(super) read_only_key: bool,
    pub(super) accounts: Vec<ScenarioAccount>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioAccount {
    pub(super) id: String,
    /// Absent: its place among all accounts, from 1.
    number: Option<u32>,
    #[serde(default)]
    name: String,
    /// Absent: an evaluation.
    stage: Option<AccountStage>,
    /// Why it may only reduce.
    restriction: Option<String>,
    cash_usd: u32,
    #[serde(default)]
    rules: ScenarioRules,
}

impl ScenarioFile {
    pub(super) fn engine_config(&self, seed: u64, start: Millis) -> ScenarioResult<EngineConfig> {
        let markets: Result<Vec<_>, _> = self.markets.iter().map(ScenarioMarket::spec).collect();
        let markets = markets?;
        distinct("market", markets.iter().map(MarketSpec::market_id))?;
        distinct("user", self.users.iter().map(|user| user.name.clone()))?;
        let accounts = self.users.iter().flat_map(|user| &user.accounts);
        distinct(
            "account",
            accounts.clone().map(|account| account.id.clone()),
        )?;
        Ok(EngineConfig {
            seed,
            start,
            feed: PriceFeed::Synthetic,
            fees: self
                .fees
                .map_or(Ok(FeeRates::default()), FeesShape::rates)?,
            venue: self.venue.spec(),
            markets,
            accounts: (1..)
                .zip(accounts)
                .map(|(place, account)| account.spec(place))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl ScenarioFile {
    /// The accounts and rules of the scenario, on these markets. One whose symbol the scenario knows has its leverage there.
    pub(super) fn received_config(
        &self,
        seed: u64,
        setup: &ReceivedSetup,
    ) -> ScenarioResult<EngineConfig> {
        let config = self.engine_config(seed, setup.start)?;
        Ok(EngineConfig {
            feed: PriceFeed::Received(self.venue.received()?),
            fees: self.fees.map_or(Ok(setup.fees), FeesShape::rates)?,
            markets: setup
                .markets
                .iter()
                .map(|market| with_leverage_of(&config.markets, market))
                .collect(),
            ..config
        })
    }
}

fn with_leverage_of(known: &[MarketSpec], market: &MarketSpec) -> MarketSpec {
    let same = known.iter().find(|known| known.symbol == market.symbol);
    let same = same.unwrap_or(market);
    MarketSpec {
        max_leverage: same.max_leverage,
        tiers: same.tiers.clone(),
        ..market.clone()
    }
}

fn fee(given: Num) -> ScenarioResult<i64> {
    let rate = given.to_scaled(5);
    rate.filter(|rate| (0..=1000).contains(rate))
        .ok_or_else(|| ScenarioFault::entry("fee", &given, "must be 0 to 0.01 in steps of 0.00001"))
}

fn distinct(entry: &'static str, names: impl Iterator<Item = String>) -> ScenarioResult<()> {
    let mut seen = BTreeSet::new();
    for name in names {
        if name.is_empty() || seen.contains(&name) {
            return Err(ScenarioFault::entry(
                entry,
                &name,
                "must have a name of its own",
            ));
        }
        seen.insert(name);
    }
    if seen.is_empty() {
        return Err(ScenarioFault::entry(entry, "", "at least one is needed"));
    }
    Ok(())
}

impl ScenarioMarket {
    fn spec(&self) -> ScenarioResult<MarketSpec> {
        let provider = self.provider.as_deref().unwrap_or("paper");
        name("provider", provider)?;
        let coin = self.coin.as_ref().unwrap_or(&self.symbol);
        market_name("symbol", &self.symbol)?;
        market_name("coin", coin)?;
        within("size_decimals", self.size_decimals, 0..=5)?;
        within("max_leverage", self.max_leverage, 1..=100)?;
        within("volatility_bps", self.volatility_bps, 0..=1_000_000)?;
        let beta = self.beta_bps.unwrap_or(USUAL_BETA_BPS);
        within("beta_bps", beta, 0..=10_000)?;
        within("depth_usd", self.depth_usd, 1..=u32::MAX)?;
        let impact = self.impact_usd.unwrap_or(USUAL_IMPACT_USD);
        within("impact_usd", impact, 1..=u32::MAX)?;
        Ok(MarketSpec {
            provider: provider.to_owned(),
            symbol: self.symbol.clone(),
            coin: coin.clone(),
            category: self.category.as_deref().unwrap_or("crypto").to_owned(),
            access: match (self.trading_enabled.unwrap_or(true), self.reduce_only) {
                (false, _) => MarketAccess::Disabled,
                (true, true) => MarketAccess::ReduceOnly,
                (true, false) => MarketAccess::Open,
            },
            size_decimals: self.size_decimals,
            max_leverage: self.max_leverage,
            tiers: self.tiers()?,
            start_price: self.price()?,
            volatility: Bps(self.volatility_bps),
            beta: Bps(beta),
            base_depth: Usd::dollars(self.depth_usd.into()),
            impact_notional: Usd::dollars(impact.into()),
        })
    }

    /// Each tier begins above the previous one and allows less leverage.
    fn tiers(&self) -> ScenarioResult<Vec<MarginTier>> {
        let (mut from, mut leverage) = (1, self.max_leverage);
        let mut tiers = vec![];
        for tier in &self.tiers {
            within("from_usd of a tier", tier.from_usd, from..=u32::MAX)?;
            within("max_leverage of a tier", tier.max_leverage, 1..=leverage)?;
            (from, leverage) = (tier.from_usd.saturating_add(1), tier.max_leverage);
            tiers.push(MarginTier {
                lower: Usd::dollars(tier.from_usd.into()),
                max_leverage: tier.max_leverage,
            });
        }
        Ok(tiers)
    }

    fn price(&self) -> ScenarioResult<Px> {
        let count = self.start_price.to_scaled(6 - self.size_decimals);
        count
            .filter(|count| (1..=MAX_COUNT).contains(count))
            .map(Px)
            .ok_or_else(|| {
                ScenarioFault::entry(
                    "start_price",
                    &self.start_price,
                    "must be above 0 with at most 6 - size_decimals decimals",
                )
            })
    }
}

impl ScenarioAccount {
    fn spec(&self, place: u32) -> ScenarioResult<AccountSpec> {
        name("account", &self.id)?;
        within("cash_usd", self.cash_usd, 1..=u32::MAX)?;
        Ok(AccountSpec {
            id: self.id.clone(),
            cash: Usd::dollars(self.cash_usd.into()),
            rules: self.rules.spec()?,
            terms: AccountTerms {
                number: self.number.unwrap_or(place),
                name: self.name.clone(),
                stage: self.stage.unwrap_or(AccountStage::Evaluation),
                restriction: self.restriction.clone(),
            },
        })
    }
}

/// A name that appears in ids, and so in paths and queries.
fn name(entry: &'static str, given: &str) -> ScenarioResult<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/".contains(c);
    if (1..=32).contains(&given.len()) && given.chars().all(plain) {
        return Ok(());
    }
    let wanted = "must be 1 to 32 letters, digits or - _ . : /";
    Err(ScenarioFault::entry(entry, given, wanted))
}

/// Venues name their coins with nearly any character: `xyz:TSLA`, `@107`, `kPEPE`, `币安人生`. A `|` would end the
/// provider, and what has no shape of its own could not be told apart.
fn market_name(entry: &'static str, given: &str) -> ScenarioResult<()> {
    let plain = |c: char| c.is_alphanumeric() || (c.is_ascii_graphic() && c != '|');
    if (1..=32).contains(&given.chars().count()) && given.chars().all(plain) {
        return Ok(());
    }
    let wanted = "must be 1 to 32 letters, digits or signs without spaces and |";
    Err(ScenarioFault::entry(entry, given, wanted))
}
