//! Scenarios: markets, users and rules in TOML, and a script that has run when the first request comes.
//!
//! The script runs before the start instant, in virtual time, as fast as the engine steps. Every entry is an ordinary
//! engine command, so everything on the desk was really traded. Prices are in basis points from the mid of that moment
//! and sizes in USD, so that a script works with any seed.

mod fault;
mod file;
mod play;
mod recorded;
mod rounds;
mod rules;
mod script;
#[cfg(test)]
mod shipped;

use super::{
    decode,
    engine::{AccountIx, Checkpoint, CheckpointFault, Engine, Millis},
    faults::FaultRule,
    keep::KeepTime,
    rate_limit::RateLimits,
    received::{ReceivedSetup, ReceivedSource},
    secret::{ApiKey, KeySource, ServerSecret},
};
pub use fault::ScenarioFault;

use crate::model::AccountId;
use fault::ScenarioResult;
use file::ScenarioFile;
use serde::{Deserialize, Serialize};
use std::{path::Path, sync::Arc};

/// Built in; what `perpdeck` and `perpdeck demo` start with.
const DEMO: &str = include_str!("../../../assets/scenario-demo.toml");

/// A scenario that has been read, not yet played.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Overrides the file's seed; see [`Scenario::seed`].
    pub(super) chosen_seed: Option<u64>,
    /// From the flag, or the file's `fixed_keys`.
    pub(super) keys: KeySource,
    pub(super) source: ScenarioSource,
    /// How long rows stay after their end; `None`: for ever.
    pub(super) keep: Option<KeepTime>,
    /// Where the markets come from, if the scenario does not make them.
    pub(super) source_of_markets: Option<ReceivedSource>,
    /// What its first lines say.
    pub(super) received: Option<ReceivedSetup>,
    /// The source text, which the store keeps.
    pub(super) text: Arc<str>,
    file: ScenarioFile,
}

/// The source of a scenario. The names are in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ScenarioSource {
    /// May differ between versions of perpdeck.
    BuiltIn,
    Given,
}

#[derive(Debug)]
pub(super) struct UserCredentials {
    pub(super) key: ApiKey,
    pub(super) read_only_key: Option<ApiKey>,
    pub(super) accounts: Vec<(AccountId, AccountIx)>,
}

impl Scenario {
    /// The scenario of the demo: every pane has rows.
    pub fn demo() -> ScenarioResult<Self> {
        let demo = Self::parse(DEMO)?;
        Ok(Self {
            source: ScenarioSource::BuiltIn,
            ..demo
        })
    }

    pub fn from_file(path: &Path) -> ScenarioResult<Self> {
        let text = crate::disk::read_text(path).map_err(|source| ScenarioFault::File {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text)
    }

    pub fn parse(text: &str) -> ScenarioResult<Self> {
        let file: ScenarioFile = decode::toml(text).map_err(Box::new)?;
        if let Some((_, why)) = file.faults.iter().find_map(FaultRule::invalid_field) {
            return Err(ScenarioFault::Fault(why));
        }
        Ok(Self {
            chosen_seed: None,
            keys: if file.fixed_keys {
                KeySource::Seed
            } else {
                KeySource::Random
            },
            source: ScenarioSource::Given,
            keep: None,
            source_of_markets: None,
            received: None,
            text: text.into(),
            file,
        })
    }

    /// The same with API keys derived from the seed: whoever knows the seed knows them.
    #[must_use]
    pub fn with_fixed_keys(self) -> Self {
        Self {
            keys: KeySource::Seed,
            ..self
        }
    }

    /// The same with another seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self {
            chosen_seed: Some(seed),
            ..self
        }
    }

    /// The same with a bound on how long rows stay after their end.
    #[must_use]
    pub fn with_keep(self, keep: Option<KeepTime>) -> Self {
        Self { keep, ..self }
    }

    /// Its accounts and rules on other markets; its script is not played.
    #[must_use]
    pub fn on_received(self, source: ReceivedSource) -> Self {
        Self {
            source_of_markets: Some(source),
            ..self
        }
    }

    /// Where the users' API keys come from.
    pub fn key_source(&self) -> KeySource {
        self.keys
    }

    /// Decides prices and everything random.
    pub fn seed(&self) -> u64 {
        self.chosen_seed.unwrap_or(self.file.seed)
    }

    /// Whether an engine can be built from it, without playing its script.
    #[cfg(fuzzing)]
    pub fn check(&self) -> ScenarioResult<()> {
        self.file
            .engine_config(self.seed(), Millis::seconds(0))
            .map(drop)
    }

    pub(super) fn faults(&self) -> &[FaultRule] {
        &self.file.faults
    }

    /// How many `Idempotency-Key`s one user may have, if the scenario says so.
    pub(super) fn keys_per_user(&self) -> Option<u32> {
        self.file.keys_per_user
    }

    pub(super) fn budgets(&self) -> RateLimits {
        self.file.budgets
    }

    /// Whether its script was played once and is shipped: the demo with its own seed.
    pub(super) fn is_recorded(&self) -> bool {
        self.source == ScenarioSource::BuiltIn
            && self.seed() == self.file.seed
            && self.received.is_none()
    }

    /// The engine after its script, at the last step until `start`.
    pub(super) fn open(&self, start: Millis) -> ScenarioResult<Engine> {
        self.recorded_or_played(start)
            .map(|engine| self.with_rows_kept(engine))
    }

    /// The engine as [`Self::open`] left it.
    pub(super) fn reopen(&self, first: &Checkpoint) -> Result<Engine, CheckpointFault> {
        Engine::from_first_checkpoint(first).map(|engine| self.with_rows_kept(engine))
    }

    fn with_rows_kept(&self, mut engine: Engine) -> Engine {
        engine.keep_for(self.keep.map(KeepTime::millis));
        engine
    }

    fn recorded_or_played(&self, start: Millis) -> ScenarioResult<Engine> {
        if let Some(setup) = &self.received {
            let config = self.file.received_config(self.seed(), setup)?;
            return Ok(Engine::new(config));
        }
        if self.is_recorded() {
            match recorded::demo_at(start) {
                Ok(engine) => return Ok(engine),
                Err(why) => tracing::warn!(%why, "the recorded demo cannot be read: playing it"),
            }
        }
        self.played(start)
    }

    /// Builds the engine and plays the script; virtual time is then `start`.
    fn played(&self, start: Millis) -> ScenarioResult<Engine> {
        let before = Millis::seconds(self.file.warm_up_seconds.into());
        let config = self.file.engine_config(self.seed(), start - before)?;
        let mut engine = Engine::new(config);
        play::play(&mut engine, &self.file.script, start)?;
        engine.advance_to(start);
        Ok(engine)
    }

    /// The users of the engine's accounts.
    pub(super) fn users(&self, engine: &Engine, secret: &ServerSecret) -> Vec<UserCredentials> {
        let users = self.file.users.iter().map(|user| UserCredentials {
            key: secret.api_key(&user.name),
            read_only_key: user
                .read_only_key
                .then(|| secret.read_only_api_key(&user.name)),
            accounts: user
                .accounts
                .iter()
                .filter_map(|account| {
                    let ix = engine.account(&account.id)?;
                    Some((account.id.as_str().into(), ix))
                })
                .collect(),
        });
        users.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::engine::{
        LiquidityRole, OrderRecord, OrderStatus, PositionRecord, TwapStatus, Usd,
    };

    const START: Millis = Millis(1_790_000_000_000);

    fn opened(seed: u64) -> Engine {
        let scenario = Scenario::demo().unwrap().with_seed(seed);
        scenario.open(START).unwrap()
    }

    #[test]
    fn every_pane_of_the_demo_has_something_true_in_it_whatever_the_seed() {
        for seed in [2, 12] {
            let engine = opened(seed);
            let mine = engine.account("chal-1").unwrap();
            positions(&engine, mine);
            strategies(&engine, mine);
            history(&engine, mine);
            assert!(engine.working_orders(mine).count() >= 10);
        }
    }

    /// Long and short, cross and isolated, one with extra margin.
    fn positions(engine: &Engine, account: AccountIx) {
        let positions = engine.open_positions(account);
        assert!(positions.iter().any(|row| row.size.0 > 0), "{positions:?}");
        assert!(positions.iter().any(|row| row.size.0 < 0), "{positions:?}");
        let extras = positions.iter().filter_map(|row| row.isolated_margin_extra);
        assert!(
            extras.clone().any(|extra| !extra.is_zero()),
            "{positions:?}"
        );
        assert!(extras.count() < positions.len(), "{positions:?}");
    }

    /// A TWAP with filled and pending slices, a scaled order with filled and working rungs.
    fn strategies(engine: &Engine, account: AccountIx) {
        let twaps: Vec<_> = engine.live_twaps(account).collect();
        assert!(twaps.iter().any(|row| !row.filled_size.is_zero()));
        assert!(twaps.iter().any(|row| row.status == TwapStatus::Pending));
        let scaled = engine.scaled_orders(account).next().unwrap();
        let rungs = scaled.rungs.iter().filter_map(|rung| rung.order);
        let states: Vec<_> = rungs
            .filter_map(|id| engine.order(account, id))
            .map(|row| row.status)
            .collect();
        assert!(states.contains(&OrderStatus::Filled), "{states:?}");
        assert!(states.contains(&OrderStatus::Resting), "{states:?}");
    }

    /// Several pages of closed positions, and orders that ended in every way.
    fn history(engine: &Engine, account: AccountIx) {
        assert!(engine.closed_positions(account, None).count() >= 130);
        let some = |wanted: fn(&OrderRecord) -> bool| engine.orders(account, None).any(wanted);
        assert!(some(|row| row.status == OrderStatus::Rejected));
        assert!(some(|row| row.status == OrderStatus::Expired));
        assert!(some(|row| row.status == OrderStatus::Canceled));
        assert!(some(|row| row.partial_of.is_some()));
    }

    /// The net result of each closed position in USD, oldest first.
    fn nets(engine: &Engine, account: AccountIx) -> Vec<i128> {
        let net = |row: PositionRecord| (row.realized_pnl - row.fees + row.funding).0;
        let mut nets: Vec<i128> = engine.closed_positions(account, None).map(net).collect();
        nets.reverse();
        nets
    }

    /// The largest drawdown of the running total, in USD.
    fn worst_fall(nets: &[i128]) -> i128 {
        let (mut total, mut highest, mut worst) = (0, 0, 0);
        for net in nets {
            total += net;
            highest = highest.max(total);
            worst = worst.max(highest - total);
        }
        worst / 1_000_000
    }

    #[test]
    fn the_morning_of_the_demo_is_a_persons_with_wins_losses_and_little_changed() {
        // Only with its own seed the trader is right more often than not.
        let shipped = Scenario::demo().unwrap().seed();
        for (seed, won_at_least) in [(shipped, 40), (7, 10)] {
            let engine = opened(seed);
            let mine = engine.account("chal-1").unwrap();
            let nets = nets(&engine, mine);
            let won = 100 * nets.iter().filter(|net| **net > 0).count() / nets.len();
            let made = nets.iter().sum::<i128>() / 1_000_000;
            let fell = worst_fall(&nets);
            let fills = |role| {
                let of_role = |row: &&OrderRecord| row.liquidity_role == Some(role);
                engine.orders(mine, None).filter(of_role).count()
            };
            let makers = fills(LiquidityRole::Maker);
            let equity = engine.account_facts(mine).equity;
            let told = format!(
                "seed {seed}: {} closed, {won} % won, {made} USD made, {fell} USD down at worst, {makers} maker fills, \
                 equity {equity}",
                nets.len()
            );
            assert!((130..200).contains(&nets.len()), "{told}");
            assert!((won_at_least..=62).contains(&won), "{told}");
            assert!((-300..=250).contains(&made) && fell >= 15, "{told}");
            assert!(makers > 40 && fills(LiquidityRole::Taker) > 40, "{told}");
            let left = Usd::dollars(99_400)..Usd::dollars(100_800);
            assert!(left.contains(&equity), "{told}");
        }
    }
}
