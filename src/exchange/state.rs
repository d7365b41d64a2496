//! The state of the exchange: the engine and everything that must change together with it, behind one lock.
//!
//! Why a mutex and not a task: each request is a few microseconds of synchronous work that must be atomic (an order,
//! its idempotency record and its effects), nothing is awaited while it is held, and a read copies its rows under
//! it and encodes them outside (`service`).

use super::{
    api_error::{ApiError, ApiResult, ServiceCode},
    auth::AuthenticatedUser,
    clock::VirtualClock,
    engine::{
        AccountIx, CommandOutcome, CommandRefusal, Engine, EngineCommand, MarketIx, Millis,
        OrderId, OrderRecord, PositionId, RefusalKind, ScaledId, TwapId,
    },
    idempotency::{IdempotencyRecords, IdempotentResult, KeyedRequest},
    message::ApiRequest,
    operations::SlicedOperations,
    received::{Reached, ReceivedMarkets},
    recorder::RecordingEngine,
    store::{EncodeFault, StoreRecord, inputs},
    wire::{ResourceEncoder, account_limit},
};
use crate::model::{ClientOrderId, MarketId, Order, Position, Scaled, Twap};
use serde::Serialize;
use std::time::Duration;
use tokio::time::Instant;

/// What live markets report waits no longer.
const LIVE_TICK_INTERVAL: Duration = Duration::from_millis(250);

#[derive(Debug)]
pub(super) struct ExchangeState {
    pub(super) engine: RecordingEngine,
    pub(super) clock: VirtualClock,
    /// Where the markets come from, if the engine does not make them.
    pub(super) markets: Option<ReceivedMarkets>,
    pub(super) keys: IdempotencyRecords,
    pub(super) operations: SlicedOperations,
    /// What [`Self::drop_old`] has dropped already.
    pub(super) dropped_before: Option<Millis>,
}

/// A request that changes something, and the locked state.
#[derive(Debug)]
pub(super) struct CommandCall<'a> {
    pub(super) state: &'a mut ExchangeState,
    pub(super) caller: &'a AuthenticatedUser,
    pub(super) request: &'a ApiRequest,
}

impl ExchangeState {
    /// Runs the steps that are due at `wall`.
    pub(super) fn tick(&mut self, wall: Instant) {
        let due = self.clock.due(wall, self.engine.now());
        self.advance_to(due);
    }

    /// Runs every whole step until `to`. At the end of a recording the clock stops.
    fn advance_to(&mut self, to: Millis) {
        match &mut self.markets {
            None => self.engine.advance_to(to),
            Some(markets) => match markets.advance_to(&mut self.engine, to) {
                Reached::Time => {}
                Reached::End => self.clock.pause(),
            },
        }
        self.drop_old();
    }

    /// As the engine drops its rows (`serve --keep`), at whole hours: every request comes by here.
    fn drop_old(&mut self) {
        let Some(before) = self.engine.prune_before() else {
            return;
        };
        if self.dropped_before.replace(before) != Some(before) {
            self.operations.drop_completed(before);
            self.keys.drop_expired(self.engine.now());
        }
    }

    /// How long virtual time may wait for its next update while nobody asks.
    pub(super) fn tick_interval(&self) -> Duration {
        match &self.markets {
            Some(markets) if markets.is_live() => LIVE_TICK_INTERVAL,
            Some(_) | None => self.clock.tick_interval(),
        }
    }

    /// Runs `span` of virtual time at once, in whole steps.
    pub(super) fn advance(&mut self, span: Millis, wall: Instant) {
        self.advance_to(self.engine.now() + span);
        self.clock.reanchor(wall, self.engine.now());
    }

    /// Changes since the last call, encoded for the store.
    pub(super) fn changes(&mut self) -> Result<Vec<StoreRecord>, EncodeFault> {
        let mut records = inputs(&mut self.engine);
        records.extend(self.keys.changes()?);
        records.extend(self.operations.changes()?);
        Ok(records)
    }

    /// For an exchange without a data directory.
    pub(super) fn discard_changes(&mut self) {
        self.engine.discard_entries();
        self.keys.discard_changes();
        self.operations.discard_changes();
    }

    /// The caller's account with that name; 404 for missing and foreign alike.
    pub(super) fn account(&self, caller: &AuthenticatedUser, id: &str) -> ApiResult<AccountIx> {
        account_limit("account_id", id)?;
        self.engine
            .account(id)
            .filter(|account| caller.accounts.contains(account))
            .ok_or_else(|| ApiError::not_found("account"))
    }

    /// An object of the caller and its account; 404 if it is missing, another user's or has no valid id.
    pub(super) fn owned<Id: OwnedId>(
        &self,
        caller: &AuthenticatedUser,
        id: &str,
    ) -> ApiResult<(AccountIx, Id)> {
        let missing = || ApiError::not_found(Id::RESOURCE);
        let id = Id::parse(id).ok_or_else(missing)?;
        let mut accounts = caller.accounts.iter().copied();
        let account = accounts.find(|account| id.is_in(&self.engine, *account));
        Ok((account.ok_or_else(missing)?, id))
    }

    /// 409 if an order of the caller has this name.
    pub(super) fn check_client_order_id(
        &self,
        caller: &AuthenticatedUser,
        name: Option<&ClientOrderId>,
    ) -> ApiResult<()> {
        match name.and_then(|name| self.order_named(caller, name)) {
            None => Ok(()),
            Some(row) => Err(ApiError::service(
                ServiceCode::ClientOrderIdConflict,
                format!("order {} has this client_order_id", row.id),
            )),
        }
    }

    /// The caller's order of this name.
    pub(super) fn order_named(
        &self,
        caller: &AuthenticatedUser,
        name: &ClientOrderId,
    ) -> Option<&OrderRecord> {
        let mut accounts = caller.accounts.iter();
        accounts.find_map(|account| self.engine.order_named(*account, name))
    }

    pub(super) fn apply(
        &mut self,
        account: AccountIx,
        command: EngineCommand,
    ) -> ApiResult<CommandOutcome> {
        let outcome = self.engine.apply(account, command);
        outcome.map_err(|refusal| self.error(refusal))
    }

    /// Carries out a command that creates something, once per key, and returns what its answer is read from.
    pub(super) fn apply_once(
        &mut self,
        keyed: KeyedRequest<'_>,
        account: AccountIx,
        command: EngineCommand,
    ) -> ApiResult<IdempotentResult> {
        if keyed.key.is_some() {
            self.check_key_limit(keyed.user)?;
        }
        let (result, refusal) = match self.apply(account, command) {
            Ok(CommandOutcome::Order(id)) => (IdempotentResult::Order(account, id), None),
            Ok(CommandOutcome::Twap(id)) => (IdempotentResult::Twap(account, id), None),
            Ok(CommandOutcome::Scaled(id)) => (IdempotentResult::Scaled(account, id), None),
            Ok(CommandOutcome::Cancel(_) | CommandOutcome::Position(_)) => {
                return Err(ApiError::broken("a creation that made something else"));
            }
            // The rejected order is a row.
            Err(refusal) if refusal.order.is_some() => {
                (IdempotentResult::Refused(refusal.clone()), Some(refusal))
            }
            Err(refusal) => return Err(refusal),
        };
        self.record_key(keyed, result.clone());
        refusal.map_or(Ok(result), Err)
    }

    pub(super) fn record_key(&mut self, keyed: KeyedRequest<'_>, result: IdempotentResult) {
        self.keys.record(keyed, result, self.engine.now());
    }

    /// What the request with this key did, or its refusal; `None` for a new key.
    pub(super) fn recalled(&self, keyed: &KeyedRequest<'_>) -> ApiResult<Option<IdempotentResult>> {
        let Some(result) = self.keys.recall(keyed)? else {
            return Ok(None);
        };
        let is_kept = match &result {
            IdempotentResult::Order(account, id) => id.is_in(&self.engine, *account),
            IdempotentResult::Twap(account, id) => id.is_in(&self.engine, *account),
            IdempotentResult::Scaled(account, id) => id.is_in(&self.engine, *account),
            IdempotentResult::Operation(index) => self.operations.get(*index).is_some(),
            IdempotentResult::Refused(refusal) => return Err(refusal.clone()),
        };
        if is_kept {
            Ok(Some(result))
        } else {
            Err(ApiError::no_longer_kept())
        }
    }

    /// 429 while the user has as many keys as allowed.
    pub(super) fn check_key_limit(&mut self, user: usize) -> ApiResult<()> {
        let room = self.keys.make_room(user, self.engine.now());
        room.map_err(|wait| {
            let message = "too many Idempotency-Keys in thirty days";
            ApiError::service(ServiceCode::TooManyKeys, message)
                .retry_after(self.clock.wait(wait).seconds)
        })
    }

    /// An object of the account as clients read it.
    pub(super) fn read<Id: OwnedId>(&self, account: AccountIx, id: Id) -> ApiResult<Id::Resource> {
        let resource = id.read(&self.engine, account);
        resource.ok_or_else(|| ApiError::not_found(Id::RESOURCE))
    }

    pub(super) fn market(&self, id: &MarketId) -> ApiResult<MarketIx> {
        let market = self.engine.market(id.raw());
        market.ok_or_else(|| ApiError::not_found("market"))
    }

    pub(super) fn rows(&self) -> ResourceEncoder<'_> {
        ResourceEncoder(&self.engine)
    }

    fn error(&self, refusal: CommandRefusal) -> ApiError {
        let RefusalKind::Cooldown { retry_in } = refusal.kind else {
            return ApiError::from_refusal(refusal, 1);
        };
        let wait = self.clock.wait(retry_in);
        let mut error = ApiError::from_refusal(refusal, wait.seconds);
        error.hold = wait.hold;
        if self.clock.is_paused() {
            let hint = "; no time passes: the clock is paused (POST /sim/clock)";
            error.message.push_str(hint);
        }
        error
    }
}

/// An id of something that an account has.
pub(super) trait OwnedId: Copy {
    /// What it is, in an error.
    const RESOURCE: &'static str;
    type Resource: Serialize;

    fn parse(text: &str) -> Option<Self>;

    fn is_in(self, engine: &Engine, account: AccountIx) -> bool;

    /// As clients read it; `None` if the account has none of this id.
    fn read(self, engine: &Engine, account: AccountIx) -> Option<Self::Resource>;
}

macro_rules! owned_ids {
    ($($id:ident, $name:literal, $resource:ident, $row:ident;)*) => {
        $(impl OwnedId for $id {
            const RESOURCE: &'static str = $name;
            type Resource = $resource;

            fn parse(text: &str) -> Option<Self> {
                Self::parse(text)
            }

            fn is_in(self, engine: &Engine, account: AccountIx) -> bool {
                engine.$row(account, self).is_some()
            }

            fn read(self, engine: &Engine, account: AccountIx) -> Option<$resource> {
                let row = engine.$row(account, self)?;
                Some(ResourceEncoder(engine).$row(&row))
            }
        })*
    };
}

owned_ids! {
    OrderId, "order", Order, order;
    PositionId, "position", Position, position;
    TwapId, "TWAP order", Twap, twap;
    ScaledId, "scaled order", Scaled, scaled;
}
