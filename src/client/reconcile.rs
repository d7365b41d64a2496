//! Reads that find out whether a command took effect when its response does not say.
//!
//! Contract: only complete reads count. A missing or incomplete page is [`ReconcileOutcome::Inconclusive`] or a
//! [`Failure`], never "not there". A new order is matched by market, side, type, size, leverage, margin mode, prices
//! and the exact observed price. It must not be older than the first sending, nor belong to another intent. Two
//! matching orders prove nothing, and neither does one if no observed price was sent.

use super::Client;
use crate::model::{
    CancelResult, ClosePosition, Command, Exits, Failure, FailureKind, Leg, Num, OpenExposure,
    Order, OrderId, OrderStatus, Page, PlaceKind, PlaceOrder, PositionId, Proof, Receipt, ScaledId,
    Timestamp, Trigger, Twap, TwapId,
};
use futures_util::future::join3;
use std::time::Duration;

/// How far the clocks of service and desk may differ.
const SKEW: Duration = Duration::from_mins(5);
/// Pages of 50 orders that are read back to find one.
const PAGES: usize = 10;

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

/// What is known about a command besides the reads.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// When it was first sent, by this machine's clock.
    pub since: Timestamp,
    /// Orders that other intents made; `None` if unknown, and then no order counts as evidence.
    pub linked: Option<&'a [OrderId]>,
}

impl Client {
    /// Reads what became of `command`.
    pub async fn reconcile(
        &self,
        command: &Command,
        evidence: Evidence<'_>,
    ) -> Result<ReconcileOutcome, Failure> {
        match command {
            Command::Place(order) => {
                let wanted = |seen: &Order| is_match(order, seen);
                self.placed(evidence, wanted).await
            }
            Command::Close(close) => self.closing(close, evidence).await,
            Command::Cancel(id) | Command::Unprotect(id) => {
                self.reconcile_order(id, canceled).await
            }
            Command::Exits(exits) => {
                let wanted = |order: &Order| exits_of(exits, order);
                self.reconcile_order(&exits.order_id, wanted).await
            }
            Command::Margin {
                position_id, extra, ..
            } => self.reconcile_margin(position_id, *extra).await,
            Command::StopTwap(id) => self.reconcile_twap(id).await,
            Command::CancelScaled(id) => self.reconcile_ladder(id).await,
            // Two TWAPs of one shape cannot be told apart: no list has a distinguishing field.
            Command::PlaceTwap(_)
            | Command::PlaceScaled(_)
            | Command::CloseAll(_)
            | Command::Flatten(_) => Ok(ReconcileOutcome::Inconclusive),
        }
    }

    async fn placed(
        &self,
        evidence: Evidence<'_>,
        wanted: impl Fn(&Order) -> bool,
    ) -> Result<ReconcileOutcome, Failure> {
        let Some(linked) = evidence.linked else {
            return Ok(ReconcileOutcome::Inconclusive);
        };
        let from = Timestamp(
            evidence
                .since
                .0
                .saturating_sub(SKEW.as_millis().try_into().unwrap_or(0)),
        );
        let orders = self.orders_since(from).await?;
        let mut found = orders
            .into_iter()
            .filter(|order| order.requested_at >= from && !linked.contains(&order.id))
            .filter(wanted);
        Ok(match (found.next(), found.next()) {
            (Some(order), None) => ReconcileOutcome::Done(receipt(order)),
            _ => ReconcileOutcome::Inconclusive,
        })
    }

    async fn closing(
        &self,
        close: &ClosePosition,
        evidence: Evidence<'_>,
    ) -> Result<ReconcileOutcome, Failure> {
        let wanted = |order: &Order| is_close(close, order);
        let seen = self.placed(evidence, wanted).await?;
        if seen != ReconcileOutcome::Inconclusive {
            return Ok(seen);
        }
        let open = self.open_positions(&self.connection().account_id).await?;
        let id = &close.position_id;
        let is_gone = open.is_whole() && open.rows.iter().all(|position| position.id != *id);
        Ok(if is_gone {
            // Whoever closed it: this command can no longer take effect.
            ReconcileOutcome::Done(Receipt::AlreadySo(
                format!("position {id} is not open").into(),
            ))
        } else {
            ReconcileOutcome::Inconclusive
        })
    }

    /// Every order not older than `from`, and perhaps some older ones.
    async fn orders_since(&self, from: Timestamp) -> Result<Vec<Order>, Failure> {
        let account = &self.connection().account_id;
        let (mut all, mut cursor): (Vec<Order>, _) = (vec![], None);
        for _ in 0..PAGES {
            let page = self.orders(account, cursor.take()).await?;
            if !page.is_whole() {
                return Err(inconclusive());
            }
            let reached = page.rows.iter().any(|order| order.requested_at < from);
            all.extend(page.rows);
            match page.next {
                Some(next) if !reached => cursor = Some(next),
                _ => return Ok(all),
            }
        }
        Err(inconclusive())
    }

    /// One order, working or ended, wherever it is found.
    pub async fn order(&self, id: &OrderId) -> Result<Option<Order>, Failure> {
        let account = &self.connection().account_id;
        let working = self.working_orders(account).await?;
        if let Some(order) = working.rows.into_iter().find(|order| order.id == *id) {
            return Ok(Some(order));
        }
        let mut cursor = None;
        for _ in 0..PAGES {
            let page = self.orders(account, cursor.take()).await?;
            if let Some(order) = page.rows.into_iter().find(|order| order.id == *id) {
                return Ok(Some(order));
            }
            match page.next {
                Some(next) => cursor = Some(next),
                None => return Ok(None),
            }
        }
        Ok(None)
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
            self.active_twaps(),
        )
        .await;
        OpenExposure {
            positions,
            orders,
            twaps,
        }
    }

    /// The listed TWAPs without the ended ones that some services list.
    pub async fn active_twaps(&self) -> Result<Page<Twap>, Failure> {
        let mut page = self.twaps(&self.connection().account_id).await?;
        page.rows.retain(|twap| twap.ended_at().is_none());
        Ok(page)
    }
}

fn inconclusive() -> Failure {
    Failure::new(
        FailureKind::Unreadable,
        "the service's lists are incomplete: a row that is missing there proves nothing",
    )
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

/// Whether `seen` can be what `asked` made.
fn is_match(asked: &PlaceOrder, seen: &Order) -> bool {
    // Without the observed price, two orders of one shape cannot be told apart.
    asked.expected_price == Some(seen.expected_price)
        && asked.market_id == seen.market_id
        && seen.side.is(&asked.side)
        && is_kind(asked.kind, seen)
        && asked.size == seen.asked_size().abs()
        && asked.leverage == seen.leverage
        && seen.margin_mode.is(&asked.margin_mode)
        && asked.reduce_only == seen.reduce_only
        && asked
            .limit_price
            .is_none_or(|price| seen.limit_price == Some(price))
        && triggers_alike(asked.trigger.as_ref(), seen)
        && seen.twap_order_id.is_none()
        && seen.scaled_order_id.is_none()
}

/// Whether `seen` can be the order that `asked` made. The position's stops, targets and earlier closes reduce it too.
fn is_close(asked: &ClosePosition, seen: &Order) -> bool {
    asked.expected_price == Some(seen.expected_price)
        && seen.reduce_only
        && seen.target_position_id.as_ref() == Some(&asked.position_id)
        && seen.mode.to_string() == asked.kind.to_string()
        && asked
            .size
            .is_none_or(|size| seen.asked_size().abs() == size)
        && seen.limit_price == asked.limit_price
        && triggers_alike(asked.trigger.as_ref(), seen)
}

fn triggers_alike(asked: Option<&Trigger>, seen: &Order) -> bool {
    asked.map(|trigger| trigger.price) == seen.trigger_price
}

/// Compares the placed mode and type words with the order's mode and, for most kinds, its type.
fn is_kind(kind: PlaceKind, seen: &Order) -> bool {
    let word = kind.to_string();
    seen.mode.to_string() == word || seen.kind.to_string() == word
}
