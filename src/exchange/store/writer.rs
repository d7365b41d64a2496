//! The writer thread: one synced line for all waiting batches, then their waiters are notified.
//!
//! After the first failure nothing more is written: a failed write may appear on disk later, so nothing after it could
//! be trusted.

use super::super::api_error::{ApiError, ServiceCode};
use super::{WriteProgress, fault::StoreFault, file::StoreLog, record::WriteBatch};
use std::sync::{Arc, mpsc::Receiver};
use tokio::sync::watch::Sender;

/// The most batches in one line.
const MAX_BATCHES_PER_COMMIT: usize = 1_024;

/// Drops the log, and its lock, before `written`: whoever sees `written` closed may open the directory again.
pub(super) fn run(
    mut log: StoreLog,
    inbox: &Receiver<WriteBatch>,
    written: &Sender<WriteProgress>,
) {
    if let Err(why) = write_all(&mut log, inbox, written) {
        tracing::error!(%why, "the exchange's records cannot be written");
        written.send_replace(WriteProgress::Failed(Arc::new(why)));
    }
    drop(log);
}

fn write_all(
    log: &mut StoreLog,
    inbox: &Receiver<WriteBatch>,
    written: &Sender<WriteProgress>,
) -> Result<(), StoreFault> {
    while let Ok(WriteBatch { number, records }) = inbox.recv() {
        let (mut last, mut changes) = (number, records);
        for batch in inbox.try_iter().take(MAX_BATCHES_PER_COMMIT - 1) {
            last = batch.number;
            changes.extend(batch.records);
        }
        log.append(changes)?;
        written.send_replace(WriteProgress::Upto(last));
        log.trim()?;
    }
    Ok(())
}

impl From<&StoreFault> for ApiError {
    /// 503: whether the request took effect is unknown until a restart; the same key then returns the result.
    fn from(why: &StoreFault) -> Self {
        let next = if matches!(why, StoreFault::Gone(_)) {
            "restore a copy before you start it again: without it, a used key would be executed again"
        } else {
            "start the exchange again, then ask with the same key"
        };
        let message = format!("{why}: {next}");
        let status = hyper::StatusCode::SERVICE_UNAVAILABLE;
        Self::new(status, ServiceCode::RecordsUnavailable, message).retry_after(5)
    }
}
