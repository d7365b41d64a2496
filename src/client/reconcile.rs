//! Reads that find out whether a command took effect when its response does not say (docs/delivery.md 4).
//!
//! Contract: only complete reads count. A missing or incomplete page is [`ReconcileOutcome::Inconclusive`] or a
//! [`Failure`], never "not there". A new order and a close are found by the name that they were sent with: one exact
//! read. TWAPs, scaled orders and operations have no such name.

use super::Client;
use crate::model::{
    CancelResult, ClientOrderId, ClosePosition, Command, ExitBatch, ExitOperation, Exits, Failure,
    FailureKind, IdempotencyKey, Leg, ModifyOrder, Num, OpenExposure, Order, OrderId, OrderStatus,
    PositionId, Proof, Receipt, ScaledId, TwapId,
};
use futures_util::future::join3;

/// Whether a command took effect, as far as reads can tell.
#[derive(Debug, Clone, PartialEq)]
pub enum ReconcileOutcome {
    /// It took effect.
    Done(Receipt),
    /// Its object exists and is unchanged.
    NotDone,
    /// Its object ended in another way: the command can no longer take effect.
    Ended(Failure),
    /// The reads prove neither.
    Inconclusive,
}

impl Client {
    /// Reads what became of `command`, which was sent with `key` if it has one.
    pub async fn reconcile(
        &self,
        command: &Command,
        key: Option<&IdempotencyKey>,
    ) -> Result<ReconcileOutcome, Failure> {
        match command {
            Command::Place(_) => self.named(key).await,
            Command::Close(close) => self.closing(close, key).await,
            Command::Cancel(id) | Command::Unprotect(id) => {
                self.reconcile_order(id, canceled).await
            }
            Command::Exits(exits) => {
                let wanted = |order: &Order| exits_of(exits, order);
                self.reconcile_order(&exits.order_id, wanted).await
            }
            Command::Modify(modify) => {
                let wanted = |order: &Order| modified(modify, order);
                self.reconcile_order(&modify.order_id, wanted).await
            }
            Command::ExitBatch(batch) => self.reconcile_exits(batch).await,
            Command::Margin {
                position_id, extra, ..
            } => self.reconcile_margin(position_id, *extra).await,
            Command::StopTwap(id) => self.reconcile_twap(id).await,
            Command::CancelScaled(id) => self.reconcile_ladder(id).await,
            // Nothing that is listed has their key.
            Command::PlaceTwap(_)
            | Command::PlaceScaled(_)
            | Command::CloseAll(_)
            | Command::CancelAll(_)
            | Command::Flatten(_) => Ok(ReconcileOutcome::Inconclusive),
        }
    }

    /// The order of this name, whatever became of it. Without one the request has not arrived, or not yet.
    async fn named(&self, key: Option<&IdempotencyKey>) -> Result<ReconcileOutcome, Failure> {
        let Some(name) = key.and_then(ClientOrderId::of) else {
            return Ok(ReconcileOutcome::Inconclusive);
        };
        let order = self.order_named(&name).await?;
        Ok(order.map_or(ReconcileOutcome::NotDone, |order| {
            ReconcileOutcome::Done(receipt(order))
        }))
    }

    async fn closing(
        &self,
        close: &ClosePosition,
        key: Option<&IdempotencyKey>,
    ) -> Result<ReconcileOutcome, Failure> {
        let seen = self.named(key).await?;
        if matches!(seen, ReconcileOutcome::Done(_)) {
            return Ok(seen);
        }
        let id = &close.position_id;
        let position = self.position(id).await?;
        let is_gone = position.is_none_or(|position| position.is_closed());
        Ok(if is_gone {
            // Whoever closed it: this command can no longer take effect.
            ReconcileOutcome::Done(Receipt::AlreadySo(
                format!("position {id} is not open").into(),
            ))
        } else {
            ReconcileOutcome::NotDone
        })
    }

    /// Whether the exits of the position are those that the batch wanted.
    async fn reconcile_exits(&self, batch: &ExitBatch) -> Result<ReconcileOutcome, Failure> {
        let id = &batch.position_id;
        let Some(position) = self.position(id).await?.filter(|row| !row.is_closed()) else {
            let why = over(format!("position {id} is closed"));
            return Ok(ReconcileOutcome::Ended(why));
        };
        let working = self.working_orders(&position.account_id).await?;
        if !working.is_whole() {
            return Ok(ReconcileOutcome::Inconclusive);
        }
        let is_done = batch
            .operations
            .iter()
            .all(|operation| is_applied(operation, &position.id, &working.rows));
        Ok(if is_done {
            ReconcileOutcome::Done(Receipt::Position(Box::new(position)))
        } else {
            ReconcileOutcome::NotDone
        })
    }

    async fn reconcile_order(
        &self,
        id: &OrderId,
        wanted: impl Fn(&Order) -> Option<Receipt>,
    ) -> Result<ReconcileOutcome, Failure> {
        let Some(order) = self.order(id).await? else {
            return Ok(ReconcileOutcome::Inconclusive);
        };
        Ok(match wanted(&order) {
            Some(receipt) => ReconcileOutcome::Done(receipt),
            None if order.is_over() => {
                ReconcileOutcome::Ended(over(format!("order {id} is {}", order.status)))
            }
            // An order with an unknown status may still execute.
            None => ReconcileOutcome::NotDone,
        })
    }

    async fn reconcile_margin(
        &self,
        id: &PositionId,
        extra: Num,
    ) -> Result<ReconcileOutcome, Failure> {
        let page = self.open_positions(&self.connection().account_id).await?;
        let is_whole = page.is_whole();
        let found = page.rows.into_iter().find(|position| position.id == *id);
        Ok(match found {
            Some(position) if position.isolated_margin_extra == Some(extra) => {
                ReconcileOutcome::Done(Receipt::Position(Box::new(position)))
            }
            Some(_) => ReconcileOutcome::NotDone,
            None if !is_whole => ReconcileOutcome::Inconclusive,
            None => ReconcileOutcome::Ended(over(format!("position {id} is closed"))),
        })
    }

    async fn reconcile_twap(&self, id: &TwapId) -> Result<ReconcileOutcome, Failure> {
        let page = self.active_twaps(&self.connection().account_id).await?;
        let is_active = page.rows.iter().any(|twap| twap.id == *id);
        Ok(match (is_active, page.is_whole()) {
            (true, _) => ReconcileOutcome::NotDone,
            (false, false) => ReconcileOutcome::Inconclusive,
            (false, true) => ReconcileOutcome::Done(Receipt::AlreadySo(
                format!("TWAP {id} is not active any more").into(),
            )),
        })
    }

    async fn reconcile_ladder(&self, id: &ScaledId) -> Result<ReconcileOutcome, Failure> {
        let ladder = match self.scaled(id).await {
            Ok(ladder) => ladder,
            Err(why) if why.kind == FailureKind::NotFound => {
                return Ok(ReconcileOutcome::Inconclusive);
            }
            Err(why) => return Err(why),
        };
        Ok(if ladder.canceled_at.is_some() {
            ReconcileOutcome::Done(Receipt::Scaled(Box::new(ladder)))
        } else if ladder.completed_at.is_some() {
            ReconcileOutcome::Ended(over(format!("ladder {id} is complete")))
        } else {
            ReconcileOutcome::NotDone
        })
    }

    /// Open positions, working orders and active TWAPs, read in parallel.
    pub async fn remains(&self) -> OpenExposure {
        let account = &self.connection().account_id;
        let (positions, orders, twaps) = join3(
            self.open_positions(account),
            self.working_orders(account),
            self.active_twaps(account),
        )
        .await;
        OpenExposure {
            positions,
            orders,
            twaps,
        }
    }
}

fn over(message: String) -> Failure {
    Failure {
        proves: Proof::Refused,
        ..Failure::new(FailureKind::Conflict, message)
    }
}

fn receipt(order: Order) -> Receipt {
    Receipt::Order {
        order: Box::new(order),
        queued: false,
    }
}

fn canceled(order: &Order) -> Option<Receipt> {
    order.status.is(&OrderStatus::Canceled).then(|| {
        Receipt::Cancel(CancelResult {
            id: order.id.clone(),
            canceled: true,
            queued: false,
        })
    })
}

fn exits_of(exits: &Exits, order: &Order) -> Option<Receipt> {
    let is = |leg: Leg, price: Option<Num>| match leg {
        Leg::Keep => true,
        Leg::Remove => price.is_none(),
        Leg::Set(wanted) => price == Some(wanted),
    };
    let both = is(exits.take_profit, order.attached_take_profit_price)
        && is(exits.stop_loss, order.attached_stop_loss_price);
    (both && order.is_working()).then(|| receipt(order.clone()))
}

fn modified(modify: &ModifyOrder, order: &Order) -> Option<Receipt> {
    (modify.is_done(order) && order.is_working()).then(|| receipt(order.clone()))
}

/// Whether the working orders show that an operation of an exit batch was applied.
fn is_applied(operation: &ExitOperation, position: &PositionId, working: &[Order]) -> bool {
    let named = |id: &OrderId| working.iter().find(|order| order.id == *id);
    match operation {
        ExitOperation::Cancel { order_id } => named(order_id).is_none(),
        ExitOperation::Modify {
            order_id,
            price,
            size,
        } => named(order_id).is_some_and(|order| is_exit_at(order, *price, *size)),
        ExitOperation::Place { price, size, .. } => working.iter().any(|order| {
            order.target_position_id.as_ref() == Some(position)
                && is_exit_at(order, *price, Some(*size))
        }),
    }
}

fn is_exit_at(order: &Order, price: Num, size: Option<Num>) -> bool {
    order.trigger_price == Some(price) && size.is_none_or(|size| order.size.abs() == size)
}
