//! What a close-all or cancel-all has left: its `completed` only means submitted, so perpdeck reads.

use super::Client;
use crate::model::{
    CancelAll, CloseCheck, Failure, FailureKind, Fallible, FlatFinding, Leftovers, OperationEnd,
    Order, Page, Position, Proving, SlicedOperation,
};
use std::time::Duration;
use tokio::time::sleep;

/// Inconclusive reads before it gives up.
const READS: u32 = 20;

/// Reads of the working orders while cancels are queued, and the pause between two.
const QUEUED_READS: u32 = 30;
const QUEUED_INTERVAL: Duration = Duration::from_millis(500);

impl Client {
    /// Reads what an operation that has ended has left.
    pub async fn read_remains(&self, operation: SlicedOperation) -> OperationEnd {
        match operation {
            SlicedOperation::CloseAll(operation) => {
                OperationEnd::CloseAll(operation, self.check_closed().await)
            }
            SlicedOperation::CancelAll(operation) => {
                let read = self.check_canceled(&operation).await;
                OperationEnd::CancelAll(operation, read)
            }
        }
    }

    /// The working orders once no cancel of the operation is queued any more, or after about fifteen seconds.
    async fn check_canceled(&self, operation: &CancelAll) -> Fallible<Page<Order>> {
        let is_queued = |order: &Order| operation.queued().any(|id| *id == order.id);
        let mut read = self.working_orders().await;
        for _ in 0..QUEUED_READS {
            match &read {
                Ok(page) if !page.rows.iter().any(is_queued) => break,
                Err(why) if !why.is_passing() => break,
                Ok(_) | Err(_) => {}
            }
            let pause = self.timeouts().scaled(QUEUED_INTERVAL);
            sleep(pause.max(self.pause_left())).await;
            read = self.working_orders().await;
        }
        read
    }

    /// Reads the open positions until the result is certain; fails if it stays uncertain.
    pub async fn check_closed(&self) -> Fallible<CloseCheck> {
        let mut proving = Proving::default();
        let mut trouble = incomplete();
        for _ in 0..READS {
            sleep(self.pause_left()).await;
            let at = self.now();
            match self.open_positions().await {
                Ok(page) if page.is_whole() => match proving.saw(at, found(&page)) {
                    FlatFinding::Proved(proof) => return Ok(CloseCheck::Closed(proof)),
                    FlatFinding::Left => return Ok(CloseCheck::Open(page.rows)),
                    FlatFinding::Open => {}
                },
                Ok(_) => trouble = incomplete(),
                Err(why) if why.kind == FailureKind::Auth => return Err(why),
                Err(why) => trouble = why,
            }
            sleep(self.timeouts().scaled(proving.pause())).await;
        }
        Err(trouble)
    }
}

fn found(page: &Page<Position>) -> Leftovers {
    Leftovers {
        positions: page.rows.len(),
        ..Leftovers::default()
    }
}

fn incomplete() -> Failure {
    let why = "the list of open positions is not complete";
    Failure::new(FailureKind::Unreadable, why)
}
