//! Locking a mutex.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The data behind these locks is consistent after every statement, so a panic elsewhere cannot have left it half
/// changed.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
