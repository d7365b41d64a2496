//! One way to lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is kept behind locks here is whole between any two statements: a panic elsewhere cannot have left it half changed.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
