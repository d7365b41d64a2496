//! Remote data: absent, fresh or stale, and since when.

use crate::model::{Failure, FailureKind, Page, Timestamp};

/// Remote data may not have arrived yet, or its last refresh may have failed.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Remote<T> {
    #[default]
    Loading,
    /// Nothing has arrived yet, and why.
    Failed(Failure),
    Fresh {
        value: T,
        at: Timestamp,
    },
    /// The last value, and why there is no newer one.
    Stale {
        value: T,
        at: Timestamp,
        why: Failure,
    },
}

impl<T> Remote<T> {
    /// Records the answer to a request sent at `at`. A failure keeps the old value and its age; an outdated answer is
    /// dropped.
    pub fn arrive(&mut self, result: Result<T, Failure>, at: Timestamp) {
        if self.at().is_some_and(|known| known > at) {
            return;
        }
        *self = match (result, std::mem::take(self)) {
            (Ok(value), _) => Self::Fresh { value, at },
            (Err(why), Self::Fresh { value, at } | Self::Stale { value, at, .. }) => {
                Self::Stale { value, at, why }
            }
            (Err(why), Self::Loading | Self::Failed(_)) => Self::Failed(why),
        };
    }

    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Loading | Self::Failed(_) => None,
            Self::Fresh { value, .. } | Self::Stale { value, .. } => Some(value),
        }
    }

    /// When the value's request was sent: the value may be that old.
    pub fn at(&self) -> Option<Timestamp> {
        match self {
            Self::Loading | Self::Failed(_) => None,
            Self::Fresh { at, .. } | Self::Stale { at, .. } => Some(*at),
        }
    }

    pub fn trouble(&self) -> Option<&Failure> {
        match self {
            Self::Loading | Self::Fresh { .. } => None,
            Self::Failed(why) | Self::Stale { why, .. } => Some(why),
        }
    }
}

impl<T> Remote<Page<T>> {
    pub fn rows(&self) -> &[T] {
        self.value().map_or(&[], |page| &page.rows)
    }

    /// Why a row that is not in the list may exist all the same: the list, or a part of it, could not be read.
    pub fn gap(&self) -> Option<Failure> {
        let partly = |page: &Page<T>| Some(Failure::new(FailureKind::Unreadable, page.gap()?));
        let unread = self.trouble().cloned();
        unread.or_else(|| self.value().and_then(partly))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn down() -> Failure {
        Failure::new(FailureKind::Unavailable, "down")
    }

    #[test]
    fn a_failed_poll_keeps_the_number_and_its_age() {
        let mut remote = Remote::default();
        remote.arrive(Ok(7), Timestamp(1));
        remote.arrive(Err(down()), Timestamp(5));
        assert_eq!(
            remote,
            Remote::Stale {
                value: 7,
                at: Timestamp(1),
                why: down()
            }
        );
    }

    #[test]
    fn a_first_failure_is_not_an_empty_account() {
        let mut remote: Remote<u32> = Remote::default();
        remote.arrive(Err(down()), Timestamp(5));
        assert_eq!((remote.value(), remote.trouble()), (None, Some(&down())));
    }

    #[test]
    fn an_answer_overtaken_by_a_newer_one_is_dropped() {
        let mut remote = Remote::default();
        remote.arrive(Ok(2), Timestamp(20));
        remote.arrive(Ok(1), Timestamp(10));
        assert_eq!(remote.value(), Some(&2));
    }
}
