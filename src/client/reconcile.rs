//! Reads that find out whether a command took effect when its response does not say (docs/delivery.md 4).
//!
//! Contract: only complete reads count. A missing or incomplete page is [`ReconcileOutcome::Inconclusive`] or a
//! [`Failure`], never "not there". A new order and a close are found by the name that they were sent with: one exact
//! read. TWAPs, scaled orders and operations have no such name.

use super::Client;
use crate::model::{
    CancelResult, ClientOrderId, ClosePosition, Command, ExecutionType, ExitBatch, ExitOperation,
    Exits, Failure, FailureKind, Fallible, IdempotencyKey, Leg, ModifyOrder, Num, OpenExposure,
    Order, OrderId, OrderStatus, Position, PositionId, Proof, Receipt, ScaledId, Timestamp, TwapId,
};
use futures_util::future::join3;
use std::time::Duration;

/// How far the clock that dates a command may be off the service's.
const CLOCKS_APART: Duration = Duration::from_secs(5);

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
    /// Reads what became of `command`, which was sent at `since` for the first time, with `key` if it has one.
    pub async fn reconcile(
        &self,
        command: &Command,
        key: Option<&IdempotencyKey>,
        since: Timestamp,
    ) -> Fallible<ReconcileOutcome> {
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
            Command::ExitBatch(batch) => self.reconcile_exits(batch, since).await,
            Command::Margin {
                position_id, extra, ..
            } => self.reconcile_margin(position_id, *extra).await,
            Command::StopTwap(id) => self.reconcile_twap(id).await,
            Command::CancelScaled(id) => self.reconcile_scaled(id).await,
            // Nothing that is listed has their key.
            Command::PlaceTwap(_)
            | Command::PlaceScaled(_)
            | Command::CloseAll(_)
            | Command::CancelAll(_)
            | Command::Flatten(_) => Ok(ReconcileOutcome::Inconclusive),
        }
    }

    /// The order of this name, whatever became of it. Without one the request has not arrived, or not yet.
    async fn named(&self, key: Option<&IdempotencyKey>) -> Fallible<ReconcileOutcome> {
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
    ) -> Fallible<ReconcileOutcome> {
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

    /// Whether the exits of the position are those that the batch wanted. What it placed may have triggered since: the
    /// newest orders show that.
    async fn reconcile_exits(
        &self,
        batch: &ExitBatch,
        since: Timestamp,
    ) -> Fallible<ReconcileOutcome> {
        let id = &batch.position_id;
        let Some(position) = self.position(id).await?.filter(|row| !row.is_closed()) else {
            let why = over(format!("position {id} is closed"));
            return Ok(ReconcileOutcome::Ended(why));
        };
        let working = self.working_orders().await?;
        if !working.is_whole() {
            return Ok(ReconcileOutcome::Inconclusive);
        }
        let mut is_done = is_applied(batch, &position, (&working.rows, &[]));
        if !is_done && batch.places() {
            let recent = self.orders(None).await?;
            let ended = since_then(recent.rows, since);
            is_done = is_applied(batch, &position, (&working.rows, &ended));
        }
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
    ) -> Fallible<ReconcileOutcome> {
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

    async fn reconcile_margin(&self, id: &PositionId, extra: Num) -> Fallible<ReconcileOutcome> {
        let page = self.open_positions().await?;
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

    async fn reconcile_twap(&self, id: &TwapId) -> Fallible<ReconcileOutcome> {
        let page = self.active_twaps().await?;
        let is_active = page.rows.iter().any(|twap| twap.id == *id);
        Ok(match (is_active, page.is_whole()) {
            (true, _) => ReconcileOutcome::NotDone,
            (false, false) => ReconcileOutcome::Inconclusive,
            (false, true) => ReconcileOutcome::Done(Receipt::AlreadySo(
                format!("TWAP {id} is not active any more").into(),
            )),
        })
    }

    async fn reconcile_scaled(&self, id: &ScaledId) -> Fallible<ReconcileOutcome> {
        let scaled = match self.scaled(id).await {
            Ok(scaled) => scaled,
            Err(why) if why.kind == FailureKind::NotFound => {
                return Ok(ReconcileOutcome::Inconclusive);
            }
            Err(why) => return Err(why),
        };
        Ok(if scaled.canceled_at.is_some() {
            ReconcileOutcome::Done(Receipt::Scaled(Box::new(scaled)))
        } else if scaled.completed_at.is_some() {
            ReconcileOutcome::Ended(over(format!("scaled order {id} is complete")))
        } else {
            ReconcileOutcome::NotDone
        })
    }

    /// Open positions, working orders and active TWAPs, read in parallel.
    pub async fn remains(&self) -> OpenExposure {
        let (positions, orders, twaps) = join3(
            self.open_positions(),
            self.working_orders(),
            self.active_twaps(),
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

/// The orders that do not wait for their trigger any more and were requested since, each as it was when it was placed.
fn since_then(recent: Vec<Order>, since: Timestamp) -> Vec<Order> {
    let later = recent
        .into_iter()
        .filter(|order| !order.is_armed() && order.requested_at.plus(CLOCKS_APART) >= since);
    let placed = later.map(|order| Order {
        size: order.requested_size(),
        status: OrderStatus::Resting.into(),
        triggered_at: None,
        stop_triggered_at: None,
        cancel_requested_at: None,
        ..order
    });
    placed.collect()
}

/// Whether the working orders and what has `ended` show that an exit batch was applied. An exit that was seen before it was
/// sent is not one that it placed, and no order is two of those.
fn is_applied(
    batch: &ExitBatch,
    position: &Position,
    (working, ended): (&[Order], &[Order]),
) -> bool {
    let was_seen = |id: &OrderId| {
        batch
            .expected_orders
            .iter()
            .any(|seen| seen.order_id == *id)
    };
    let mut new: Vec<_> = working
        .iter()
        .chain(ended)
        .filter(|order| order.closes(position) && !was_seen(&order.id))
        .collect();
    batch.operations.iter().all(|operation| match operation {
        ExitOperation::Cancel { order_id } => working.iter().all(|order| order.id != *order_id),
        ExitOperation::Modify {
            order_id,
            price,
            size,
        } => working
            .iter()
            .any(|order| order.id == *order_id && is_exit_at(order, *price, *size)),
        ExitOperation::Place { .. } => {
            let placed = new
                .iter()
                .position(|order| is_placed_by(operation, order, position));
            placed.map(|at| new.swap_remove(at)).is_some()
        }
    })
}

/// Whether `order` has the price, size and type that the operation places, and is of its group.
fn is_placed_by(operation: &ExitOperation, order: &Order, position: &Position) -> bool {
    let ExitOperation::Place {
        group,
        execution_type,
        price,
        size,
        ..
    } = operation
    else {
        return false;
    };
    let wanted = execution_type.unwrap_or(ExecutionType::Market);
    let is_type = ExecutionType::of(order).is_none_or(|found| found == wanted);
    is_type && group.is_of(order, position) && is_exit_at(order, *price, Some(*size))
}

fn is_exit_at(order: &Order, price: Num, size: Option<Num>) -> bool {
    order.trigger_price == Some(price) && size.is_none_or(|size| order.size.abs() == size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ExitGroup, WantedExit, WantedExits};

    fn long() -> Position {
        let json =
            r#"{"id":"pos-1","market_id":"paper|BTC","size":0.5,"side":"long","account_id":"a"}"#;
        serde_json::from_str(json).unwrap()
    }

    fn exit(id: &str, kind: &str, more: &str) -> Order {
        let is_said = more.contains("status");
        let status = if is_said {
            ""
        } else {
            r#","status":"resting""#
        };
        let json = format!(
            r#"{{"id":"{id}","account_id":"a","market_id":"paper|BTC","provider":"paper","symbol":"BTC","coin":"BTC",
            "type":"{kind}","mode":"{kind}","side":"sell","size":0.5,"expected_price":60000,"leverage":1,
            "margin_mode":"cross","reduce_only":true,"requested_at":0,"trigger_price":58000,
            "target_position_id":"pos-1"{more}{status}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn stop_at(price: u32) -> WantedExits {
        WantedExits {
            stop_loss: WantedExit::At {
                price: price.into(),
                size: None,
            },
            ..WantedExits::default()
        }
    }

    #[test]
    fn only_an_exit_of_its_kind_and_type_is_what_a_batch_placed() {
        let batch = stop_at(58_000).batch(&long(), &[]).unwrap();
        let is_done = |order: Order| is_applied(&batch, &long(), (&[order], &[]));
        assert!(is_done(exit("ord-5", "stop_market", "")));
        let limit = exit("ord-5", "stop_limit", r#","limit_price":58000"#);
        assert!(!is_done(limit), "it may not fill");
        assert!(!is_done(exit("ord-5", "take_market", "")), "a target");
    }

    #[test]
    fn an_exit_that_was_there_before_is_not_what_a_batch_placed() {
        let seen = exit("ord-5", "stop_market", "");
        let mut batch = stop_at(58_000).batch(&long(), &[]).unwrap();
        batch
            .expected_orders
            .extend(crate::model::ExpectedExit::of(&seen));
        let with = |working: &[Order]| is_applied(&batch, &long(), (working, &[]));
        assert!(!with(std::slice::from_ref(&seen)));
        let new = exit("ord-6", "stop_market", "");
        assert!(with(&[seen, new]));
    }

    #[test]
    fn what_a_batch_placed_may_have_filled_since() {
        let batch = stop_at(58_000).batch(&long(), &[]).unwrap();
        let filled = r#","triggered_at":60000,"filled_size":0.5,"status":"filled""#;
        let mut filled = exit("ord-5", "stop_market", filled);
        let sent = Timestamp(100_000);
        filled.requested_at = sent;
        let is_done = |row: Order| is_applied(&batch, &long(), (&[], &since_then(vec![row], sent)));
        assert!(is_done(filled.clone()));
        filled.requested_at = Timestamp(90_000);
        assert!(!is_done(filled), "it was placed before");
    }

    #[test]
    fn two_that_were_placed_are_two_orders() {
        let mut batch = stop_at(58_000).batch(&long(), &[]).unwrap();
        batch.operations.extend(batch.operations.clone());
        assert!(matches!(
            batch.operations[1],
            ExitOperation::Place {
                group: ExitGroup::Sl,
                ..
            }
        ));
        let one = exit("ord-5", "stop_market", "");
        let two = exit("ord-6", "stop_market", "");
        let with = |working: &[Order]| is_applied(&batch, &long(), (working, &[]));
        assert!(!with(std::slice::from_ref(&one)));
        assert!(with(&[one, two]));
    }
}
