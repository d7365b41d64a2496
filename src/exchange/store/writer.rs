//! The writer thread: one synced transaction for all waiting batches, then their waiters are notified.
//!
//! After the first failure nothing more is written: a failed commit may appear on disk later, so nothing after it could
//! be trusted.

use super::super::api_error::{ApiError, ServiceCode};
use super::{WriteProgress, fault::StoreFault, file::DirectoryClaim, record::WriteBatch};
use crate::disk::HeldFile;
use rusqlite::Connection;
use std::sync::{Arc, mpsc::Receiver};
use tokio::sync::watch::Sender;

/// The most batches in one commit.
const MAX_BATCHES_PER_COMMIT: usize = 1_024;

/// Drops the connection and then the lock before `written`: whoever sees `written` closed may open the directory again.
pub(super) fn run(
    mut connection: Connection,
    claim: DirectoryClaim,
    inbox: &Receiver<WriteBatch>,
    written: &Sender<WriteProgress>,
) {
    if let Err(why) = write_all(&mut connection, &claim.database, inbox, written) {
        tracing::error!(%why, "the exchange's records cannot be written");
        written.send_replace(WriteProgress::Failed(Arc::new(why)));
    }
    drop(connection);
    drop(claim);
}

fn write_all(
    connection: &mut Connection,
    database: &HeldFile,
    inbox: &Receiver<WriteBatch>,
    written: &Sender<WriteProgress>,
) -> Result<(), StoreFault> {
    while let Ok(first) = inbox.recv() {
        let mut batches = vec![first];
        batches.extend(inbox.try_iter().take(MAX_BATCHES_PER_COMMIT - 1));
        if database.is_gone() {
            return Err(StoreFault::Gone(database.path().to_owned()));
        }
        let last = commit(connection, &batches)?;
        written.send_replace(WriteProgress::Upto(last));
    }
    Ok(())
}

/// Returns the number of the last batch once all are on disk.
fn commit(connection: &mut Connection, batches: &[WriteBatch]) -> rusqlite::Result<u64> {
    let transaction = connection.transaction()?;
    let mut last = 0;
    for batch in batches {
        for record in &batch.records {
            record.write(&transaction)?;
        }
        last = batch.number;
    }
    transaction.commit()?;
    Ok(last)
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
