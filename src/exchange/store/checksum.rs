//! A checksum before every record: `SQLite` checks the structure of its file, not its bytes.

use super::fault::EncodeFault;
use sha2::{Digest, Sha256};

const CHECKSUM_BYTES: usize = 8;

/// The record, preceded by the first bytes of its SHA-256.
pub(super) fn with_checksum(record: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(CHECKSUM_BYTES + record.len());
    bytes.extend(Sha256::digest(record).iter().take(CHECKSUM_BYTES));
    bytes.extend(record);
    bytes
}

/// The record, if it matches its checksum.
pub(super) fn verified(mut bytes: Vec<u8>) -> Result<Vec<u8>, EncodeFault> {
    let (seal, record) = bytes
        .split_at_checked(CHECKSUM_BYTES)
        .ok_or(EncodeFault::Checksum)?;
    if Sha256::digest(record).starts_with(seal) {
        bytes.drain(..CHECKSUM_BYTES);
        Ok(bytes)
    } else {
        Err(EncodeFault::Checksum)
    }
}
