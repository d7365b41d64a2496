//! Plays a script on an engine before the first request.

use super::super::{
    engine::{
        self, AccountIx, AttachedExits, Bps, CloseHow, CloseParams, CommandOutcome, Engine,
        EngineCommand, ExitOverlap, Lots, MarketIx, Millis, NanoPx, OrderId, OrderParams,
        PlaceMode, PositionRecord, Px, Reduction, RefusalKind, ScaledParams, SetIsolatedMargin,
        Tif, TriggerDirection, TwapParams, Usd,
    },
    wire::MarketUnits,
};
use super::{
    fault::{ScenarioFault, ScenarioResult},
    script::{
        CloseAct, MarginAct, OrderAct, ScaledAct, ScriptAction, ScriptEntry, TwapAct,
        USUAL_LEVERAGE, USUAL_MARGIN,
    },
};
use crate::model::{Distribution, PlaceKind, TimeInForce};
use std::collections::BTreeMap;

/// Plays every entry at its time. A refused entry is part of the script (a rejected order is a row); an entry that
/// names a missing object is an error of the script.
pub(super) fn play(
    engine: &mut Engine,
    script: &[ScriptEntry],
    start: Millis,
) -> ScenarioResult<()> {
    let mut player = ScriptPlayer {
        engine,
        labels: BTreeMap::new(),
        queue: BTreeMap::new(),
    };
    for entry in script {
        player.enter(entry, start)?;
    }
    while let Some(((at, seq), (account, action))) = player.queue.pop_first() {
        player.engine.advance_to(at);
        if let Some(later) = player.send_and_report(account, &action)? {
            player
                .queue
                .insert((later.max(at + Millis::STEP), seq), (account, action));
        }
    }
    Ok(())
}

/// The time, and the index in the script.
type QueueTime = (Millis, usize);

pub(super) struct ScriptPlayer<'a> {
    pub(super) engine: &'a mut Engine,
    /// The orders by their label; `None` for one that was not placed or was refused.
    labels: BTreeMap<String, Option<OrderId>>,
    pub(super) queue: BTreeMap<QueueTime, (AccountIx, ScriptAction)>,
}

impl ScriptPlayer<'_> {
    fn enter(&mut self, entry: &ScriptEntry, start: Millis) -> ScenarioResult<()> {
        let account = self.engine.account(&entry.account);
        let account = account.ok_or_else(|| unknown_name("script account", &entry.account))?;
        let at = start + Millis::seconds(entry.at);
        if at < self.engine.now() || at > start {
            return Err(ScenarioFault::entry(
                "script entry at",
                &entry.at,
                "must lie within the warm-up",
            ));
        }
        if let ScriptAction::Order(OrderAct {
            label: Some(label), ..
        }) = &entry.action
        {
            self.labels.insert(label.clone(), None);
        }
        if let ScriptAction::Rounds(rounds) = &entry.action {
            return self.enter_rounds(account, at, rounds);
        }
        self.push(at, account, entry.action.clone());
        Ok(())
    }

    pub(super) fn push(&mut self, at: Millis, account: AccountIx, action: ScriptAction) {
        let seq = self.queue.len();
        self.queue.insert((at, seq), (account, action));
    }

    /// Returns when to retry an entry that the cooldown of market executions delays.
    fn send_and_report(
        &mut self,
        account: AccountIx,
        action: &ScriptAction,
    ) -> ScenarioResult<Option<Millis>> {
        if let ScriptAction::Nudge(nudge) = action {
            let market = self.snapshot(&nudge.market)?.market;
            self.engine.nudge(market, Bps(nudge.bps.into()));
        }
        let Some(command) = self.command(account, action)? else {
            return Ok(None);
        };
        match self.engine.apply(account, command) {
            Ok(outcome) => {
                if let (ScriptAction::Order(order), CommandOutcome::Order(id)) = (action, outcome)
                    && let Some(label) = &order.label
                {
                    self.labels.insert(label.clone(), Some(id));
                }
                Ok(None)
            }
            Err(refusal) => match refusal.kind {
                RefusalKind::Cooldown { retry_in } => Ok(Some(self.engine.now() + retry_in)),
                RefusalKind::Payload
                | RefusalKind::NotFound
                | RefusalKind::Conflict
                | RefusalKind::Rule
                | RefusalKind::Unavailable => {
                    tracing::debug!(%refusal, ?action, "refused in the script");
                    Ok(None)
                }
            },
        }
    }

    /// `None` when its object is already gone (a position that was stopped out before its close).
    fn command(
        &self,
        account: AccountIx,
        action: &ScriptAction,
    ) -> ScenarioResult<Option<EngineCommand>> {
        Ok(match action {
            ScriptAction::Order(order) => self
                .snapshot(&order.market)?
                .order(self, account, order)?
                .map(EngineCommand::Place),
            ScriptAction::Close(close) => self.close(account, close)?.map(EngineCommand::Close),
            ScriptAction::Cancel(label) => {
                let id = self.labels.get(label).copied();
                let id = id.ok_or_else(|| unknown_name("script label", label))?;
                id.map(EngineCommand::Cancel)
            }
            ScriptAction::Withdraw(label) => self
                .labels
                .get(label)
                .copied()
                .flatten()
                .map(EngineCommand::Cancel),
            ScriptAction::Margin(margin) => self.margin(account, margin)?,
            ScriptAction::Twap(twap) => Some(self.snapshot(&twap.market)?.twap(twap).into()),
            ScriptAction::Scaled(scaled) => {
                Some(self.snapshot(&scaled.market)?.scaled(scaled).into())
            }
            ScriptAction::Rounds(_) | ScriptAction::Nudge(_) => None,
        })
    }

    fn close(&self, account: AccountIx, close: &CloseAct) -> ScenarioResult<Option<CloseParams>> {
        let market = self.snapshot(&close.market)?.market;
        Ok(self.position(account, market).map(|row| CloseParams {
            position: row.id,
            size: close
                .percent
                .map(|percent| Lots((row.size.abs().0 * i64::from(percent)) / 100)),
            expected_price: None,
            how: CloseHow::Market { slippage: None },
            client_order_id: None,
        }))
    }

    fn margin(
        &self,
        account: AccountIx,
        margin: &MarginAct,
    ) -> ScenarioResult<Option<EngineCommand>> {
        let market = self.snapshot(&margin.market)?.market;
        let extra = Usd::dollars(margin.extra_usd.into());
        Ok(self.position(account, market).map(|row| {
            EngineCommand::SetIsolatedMargin(SetIsolatedMargin {
                position: row.id,
                extra,
            })
        }))
    }

    fn position(&self, account: AccountIx, market: MarketIx) -> Option<PositionRecord> {
        let positions = self.engine.open_positions(account);
        positions.into_iter().find(|row| row.market == market)
    }

    /// The market that an entry names.
    fn market(&self, name: &str) -> ScenarioResult<MarketIx> {
        let is_named = |ix: &MarketIx| {
            let spec = self.engine.market_spec(*ix);
            spec.symbol == name || spec.coin == name || spec.market_id() == name
        };
        let mut found = self.engine.market_ixs().filter(is_named);
        match (found.next(), found.next()) {
            (Some(market), None) => Ok(market),
            (None, _) => Err(unknown_name("script market", name)),
            (Some(_), Some(_)) => Err(ScenarioFault::entry(
                "script market",
                name,
                "is the name of several markets: write the id, as in hyperliquid|BTC",
            )),
        }
    }

    /// The current state of the market that an entry names.
    fn snapshot(&self, name: &str) -> ScenarioResult<MarketSnapshot> {
        let market = self.market(name)?;
        let facts = self.engine.market_facts(market);
        let units = MarketUnits::of(self.engine, market);
        let mark = facts.mark.nano(units.size_decimals);
        Ok(MarketSnapshot {
            market,
            units,
            mid: facts.mid.unwrap_or(mark),
            now: self.engine.now(),
        })
    }
}

/// One market at one moment.
struct MarketSnapshot {
    market: MarketIx,
    units: MarketUnits,
    mid: NanoPx,
    now: Millis,
}

impl MarketSnapshot {
    /// The price `bps` away from the mid, rounded down to the tick.
    fn price(&self, bps: i64) -> Px {
        let nano = i128::from(self.mid.0) * i128::from(10_000 + bps) / 10_000;
        let count = nano / 10_i128.pow(3 + self.units.size_decimals);
        let px = Px(i64::try_from(count).unwrap_or(0));
        px.round_passive(engine::Side::Buy, self.units.size_decimals)
    }

    /// Whole lots for this many dollars at the mid.
    fn lots(&self, usd: u32) -> Lots {
        let scale = 10_i128.pow(9 + self.units.size_decimals);
        let count = (i128::from(usd) * scale).checked_div(self.mid.0.into());
        Lots(count.and_then(|lots| i64::try_from(lots).ok()).unwrap_or(0))
    }

    fn order(
        &self,
        player: &ScriptPlayer<'_>,
        account: AccountIx,
        action: &OrderAct,
    ) -> ScenarioResult<Option<OrderParams>> {
        let position = player.position(account, self.market);
        let size = action.usd.map(|usd| self.lots(usd));
        let Some(size) = size.or(position.as_ref().map(|row| row.size.abs())) else {
            return Ok(None);
        };
        Ok(Some(OrderParams {
            market: self.market,
            side: action.side,
            size,
            leverage: action.leverage.unwrap_or(USUAL_LEVERAGE),
            margin_mode: action.margin_mode.unwrap_or(USUAL_MARGIN),
            expected_price: self.mid,
            reduction: action.reduce_only.into(),
            tif: self.tif(action),
            slippage: None,
            exits: AttachedExits {
                take_profit: action.take_profit_bps.map(|bps| self.price(bps)),
                stop_loss: action.stop_loss_bps.map(|bps| self.price(bps)),
            },
            overlap: ExitOverlap::Replaced,
            mode: self.mode(player, action, position.as_ref())?,
            client_order_id: None,
        }))
    }

    fn tif(&self, action: &OrderAct) -> Tif {
        match action.time_in_force.unwrap_or(TimeInForce::Gtc) {
            TimeInForce::Gtc => Tif::Gtc,
            TimeInForce::Ioc => Tif::Ioc,
            TimeInForce::Fok => Tif::Fok,
            TimeInForce::Gtd => Tif::Gtd {
                expires_at: self.now + Millis::seconds(action.expires_after.unwrap_or(0).into()),
            },
        }
    }

    fn mode(
        &self,
        player: &ScriptPlayer<'_>,
        action: &OrderAct,
        position: Option<&PositionRecord>,
    ) -> ScenarioResult<PlaceMode> {
        let price = self.price(action.price_bps.unwrap_or(0));
        let trigger = self.price(action.trigger_bps.unwrap_or(0));
        Ok(match action.kind.unwrap_or(PlaceKind::Market) {
            PlaceKind::Market => PlaceMode::Market,
            PlaceKind::Limit => PlaceMode::Limit { price },
            PlaceKind::Chase => PlaceMode::Chase {
                offset: Px::ZERO,
                cap: action.price_bps.map(|_| price),
            },
            PlaceKind::StopMarket => PlaceMode::StopMarket { trigger },
            PlaceKind::StopLimit => PlaceMode::StopLimit { trigger, price },
            PlaceKind::TakeMarket => PlaceMode::TakeMarket { trigger },
            PlaceKind::TakeLimit => PlaceMode::TakeLimit { trigger, price },
            PlaceKind::TakeProfit => PlaceMode::TakeProfit {
                trigger,
                target: position.map(|row| row.id),
            },
            PlaceKind::Conditional => {
                let watched = action.trigger_market.as_deref().unwrap_or(&action.market);
                let watched = player.snapshot(watched)?;
                PlaceMode::Conditional {
                    market: watched.market,
                    trigger: watched.price(action.trigger_bps.unwrap_or(0)),
                    direction: action.trigger_direction.unwrap_or(TriggerDirection::Above),
                }
            }
        })
    }

    fn twap(&self, action: &TwapAct) -> TwapParams {
        let price = |bps: Option<i64>| bps.map(|bps| self.price(bps));
        TwapParams {
            kind: action.kind,
            market: self.market,
            side: action.side,
            size: self.lots(action.usd),
            leverage: action.leverage.unwrap_or(USUAL_LEVERAGE),
            margin_mode: action.margin_mode.unwrap_or(USUAL_MARGIN),
            reduction: Reduction::May,
            duration_minutes: action.minutes,
            slice_interval_seconds: None,
            pacing: action.randomize.into(),
            trigger_price: price(action.trigger_bps),
            max_price: price(action.max_bps),
            min_price: price(action.min_bps),
        }
    }

    fn scaled(&self, action: &ScaledAct) -> ScaledParams {
        ScaledParams {
            market: self.market,
            side: action.side,
            size: self.lots(action.usd),
            leverage: action.leverage.unwrap_or(USUAL_LEVERAGE),
            margin_mode: action.margin_mode.unwrap_or(USUAL_MARGIN),
            reduction: Reduction::May,
            start_price: self.price(action.start_bps),
            end_price: self.price(action.end_bps),
            rung_count: action.rungs,
            distribution: action.distribution.unwrap_or(Distribution::Flat),
        }
    }
}

fn unknown_name(entry: &'static str, value: &str) -> ScenarioFault {
    ScenarioFault::entry(entry, value, "is not there")
}
