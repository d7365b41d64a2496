//! The state of the exchange: the engine and everything that must change together with it, behind one lock.
//!
//! Why a mutex and not a task: each request is a few microseconds of synchronous work that must be atomic (an order,
//! its idempotency record and its effects), nothing is awaited while it is held, and a read copies its rows under
//! it and encodes them outside (`service`).

use super::{
    api_error::{ApiError, ServiceCode},
    auth::AuthenticatedUser,
    clock::VirtualClock,
    engine::{
        AccountIx, CommandOutcome, CommandRefusal, Engine, EngineCommand, MarketIx, Millis,
        OrderId, OrderRecord, RefusalKind,
    },
    idempotency::{IdempotencyRecords, IdempotentRequest, IdempotentResult},
    message::ApiResponse,
    operations::SlicedOperations,
    store::{self, EncodeFault, RecordingEngine, StoreRecord},
    wire::{ResourceEncoder, account_limit},
};
use crate::model::{ClientOrderId, MarketId, Order};
use hyper::StatusCode;
use tokio::time::Instant;

#[derive(Debug)]
pub(super) struct ExchangeState {
    pub(super) engine: RecordingEngine,
    pub(super) clock: VirtualClock,
    pub(super) keys: IdempotencyRecords,
    pub(super) operations: SlicedOperations,
    /// What [`Self::drop_old`] has dropped already.
    pub(super) dropped_before: Option<Millis>,
}

impl ExchangeState {
    /// Runs the steps that are due at `wall`.
    pub(super) fn tick(&mut self, wall: Instant) {
        let due = self.clock.due(wall, self.engine.now());
        self.engine.advance_to(due);
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

    /// Runs `span` of virtual time at once, in whole steps.
    pub(super) fn advance(&mut self, span: Millis, wall: Instant) {
        self.engine.advance_to(self.engine.now() + span);
        self.clock.reanchor(wall, self.engine.now());
        self.drop_old();
    }

    /// Changes since the last call, encoded for the store.
    pub(super) fn changes(&mut self) -> Result<Vec<StoreRecord>, EncodeFault> {
        let mut records = store::inputs(&mut self.engine);
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
    pub(super) fn account(
        &self,
        caller: &AuthenticatedUser,
        id: &str,
    ) -> Result<AccountIx, ApiError> {
        account_limit("account_id", id)?;
        self.engine
            .account(id)
            .filter(|account| caller.accounts.contains(account))
            .ok_or_else(|| ApiError::not_found("account"))
    }

    /// An object of the caller and its account; 404 naming `what` if it is missing, another user's or no valid id.
    pub(super) fn owned<Id: Copy>(
        &self,
        caller: &AuthenticatedUser,
        what: &'static str,
        id: Option<Id>,
        has: impl Fn(&Engine, AccountIx, Id) -> bool,
    ) -> Result<(AccountIx, Id), ApiError> {
        let missing = || ApiError::not_found(what);
        let id = id.ok_or_else(missing)?;
        let mut accounts = caller.accounts.iter().copied();
        let account = accounts.find(|account| has(&self.engine, *account, id));
        Ok((account.ok_or_else(missing)?, id))
    }

    /// 409 if an order of the caller has this name.
    pub(super) fn check_client_order_id(
        &self,
        caller: &AuthenticatedUser,
        name: Option<&ClientOrderId>,
    ) -> Result<(), ApiError> {
        match name.and_then(|name| self.order_named(caller, name)) {
            None => Ok(()),
            Some(row) => Err(ApiError::conflict(
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
    ) -> Result<CommandOutcome, ApiError> {
        let outcome = self.engine.apply(account, command);
        outcome.map_err(|refusal| self.fault(refusal))
    }

    /// Carries out a command that creates an order, once per key.
    pub(super) fn apply_keyed(
        &mut self,
        (user, key, keyed_request): (usize, &str, IdempotentRequest),
        account: AccountIx,
        command: EngineCommand,
    ) -> Result<Order, ApiError> {
        self.check_key_limit(user)?;
        let applied = self.apply(account, command);
        let result = match &applied {
            Ok(CommandOutcome::Order(id)) => Some(IdempotentResult::Order(account, *id)),
            Ok(_) => return Err(ApiError::broken("a placement that made no order")),
            Err(fault) if fault.order.is_some() => Some(IdempotentResult::Refused(fault.clone())),
            Err(_) => None,
        };
        if let Some(result) = result.clone() {
            let now = self.engine.now();
            self.keys.record((user, key), (keyed_request, result), now);
        }
        applied?;
        match result {
            Some(IdempotentResult::Order(account, id)) => self.order(account, id),
            _ => Err(ApiError::broken("a placement that made no order")),
        }
    }

    /// Creates a TWAP or a scaled order, once per key if there is one.
    pub(super) fn create_strategy(
        &mut self,
        (user, key, keyed_request): (usize, Option<&str>, IdempotentRequest),
        account: AccountIx,
        command: EngineCommand,
    ) -> Result<IdempotentResult, ApiError> {
        if key.is_some() {
            self.check_key_limit(user)?;
        }
        let created = match self.apply(account, command)? {
            CommandOutcome::Twap(id) => IdempotentResult::Twap(account, id),
            CommandOutcome::Scaled(id) => IdempotentResult::Scaled(account, id),
            CommandOutcome::Order(_) | CommandOutcome::Cancel(_) | CommandOutcome::Position(_) => {
                return Err(ApiError::broken("a creation that made something else"));
            }
        };
        if let Some(key) = key {
            let now = self.engine.now();
            self.keys
                .record((user, key), (keyed_request, created.clone()), now);
        }
        Ok(created)
    }

    /// What the request with this key created.
    pub(super) fn created(
        &self,
        user: usize,
        key: Option<&str>,
        keyed_request: &IdempotentRequest,
    ) -> Result<Option<IdempotentResult>, ApiError> {
        let recalled = key.map_or(Ok(None), |key| self.keys.recall(user, key, keyed_request))?;
        let is_gone = match &recalled {
            Some(IdempotentResult::Twap(account, id)) => self.engine.twap(*account, *id).is_none(),
            Some(IdempotentResult::Scaled(account, id)) => {
                self.engine.scaled(*account, *id).is_none()
            }
            Some(
                IdempotentResult::Order(..)
                | IdempotentResult::Refused(_)
                | IdempotentResult::Operation(_),
            )
            | None => false,
        };
        if is_gone {
            return Err(ApiError::no_longer_kept());
        }
        Ok(recalled)
    }

    /// 429 while the user has as many keys as allowed.
    pub(super) fn check_key_limit(&mut self, user: usize) -> Result<(), ApiError> {
        let room = self.keys.make_room(user, self.engine.now());
        room.map_err(|wait| {
            let message = "too many Idempotency-Keys in thirty days";
            ApiError::new(
                StatusCode::TOO_MANY_REQUESTS,
                ServiceCode::TooManyKeys,
                message,
            )
            .retry_after(self.clock.wait(wait).seconds)
        })
    }

    /// The current state of the order this key placed, or its refusal; `None` for a new key.
    pub(super) fn replay(
        &self,
        user: usize,
        key: &str,
        keyed_request: &IdempotentRequest,
    ) -> Result<Option<Order>, ApiError> {
        match self.keys.recall(user, key, keyed_request)? {
            None
            | Some(
                IdempotentResult::Twap(..)
                | IdempotentResult::Scaled(..)
                | IdempotentResult::Operation(_),
            ) => Ok(None),
            Some(IdempotentResult::Order(account, id)) => {
                let order = self.order(account, id);
                order.map(Some).map_err(|_| ApiError::no_longer_kept())
            }
            Some(IdempotentResult::Refused(fault)) => Err(fault),
        }
    }

    pub(super) fn order(&self, account: AccountIx, id: OrderId) -> Result<Order, ApiError> {
        self.engine
            .order(account, id)
            .and_then(|row| self.rows().order(row))
            .ok_or_else(|| ApiError::not_found("order"))
    }

    pub(super) fn market(&self, id: &MarketId) -> Result<MarketIx, ApiError> {
        let market = self.engine.market(id.raw());
        market.ok_or_else(|| ApiError::not_found("market"))
    }

    pub(super) fn rows(&self) -> ResourceEncoder<'_> {
        ResourceEncoder(&self.engine)
    }

    pub(super) fn fault(&self, refusal: CommandRefusal) -> ApiError {
        let RefusalKind::Cooldown { retry_in } = refusal.kind else {
            return ApiError::from_refusal(refusal, 1);
        };
        let wait = self.clock.wait(retry_in);
        let mut fault = ApiError::from_refusal(refusal, wait.seconds);
        fault.hold = wait.hold;
        if self.clock.is_paused() {
            fault
                .message
                .push_str("; no time passes: the clock is paused (POST /sim/clock)");
        }
        fault
    }
}

/// `{data: …}` of a row that must exist.
pub(super) fn data<T: serde::Serialize>(row: Option<T>) -> Result<ApiResponse, ApiError> {
    let data = existing(row)?;
    ApiResponse::ok(&crate::api::Data { data })
}

/// A row that must exist.
pub(super) fn existing<T>(row: Option<T>) -> Result<T, ApiError> {
    row.ok_or_else(|| ApiError::broken("a row in no market"))
}
