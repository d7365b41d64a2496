//! What the streams report, and need not be polled as often.
//!
//! Contract: only while a stream is up and no poll fails. What an event hints at beyond itself is polled at the usual
//! pace, once; so is a list that events change while it is being read, and again while it is read once more, since the
//! answer may be the older of both.

use crate::{
    app::account::poll::{FULL_READ_EVERY, Source},
    model::Failure,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};
use strum::IntoEnumIterator as _;
use tokio::sync::watch;

/// Shared by all sources of one account.
#[derive(Debug, Clone, Default)]
pub(super) struct StreamCover(watch::Sender<Cover>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cover {
    covered: BTreeSet<Source>,
    /// What an event hinted at since it was read.
    hinted: BTreeSet<Source>,
    /// What a request was sent for.
    reading: BTreeSet<Source>,
    failing: BTreeSet<Source>,
    /// What limits are judged by.
    decisive: BTreeSet<Source>,
}

impl StreamCover {
    /// The account's stream is up, or down.
    pub(super) fn account(&self, is_up: StreamUse) {
        self.change(|cover| {
            for source in Source::iter().filter(|source| source.is_of_account_stream()) {
                cover.set(source, is_up);
            }
        });
    }

    /// Prices come by the market's stream, or do not.
    pub(super) fn prices(&self, stream_use: StreamUse) {
        self.change(|cover| cover.set(Source::Markets, stream_use));
    }

    /// These may have changed too.
    pub(super) fn hint(&self, sources: impl IntoIterator<Item = Source>) {
        self.change(|cover| cover.hinted.extend(sources));
    }

    /// An event changed these lists.
    pub(super) fn changed(&self, lists: &BTreeSet<Source>) {
        self.change(|cover| cover.hinted.extend(lists & &cover.reading));
    }

    /// Only reads count for these, from now on.
    pub(super) fn keep_reading(&self, decisive: BTreeSet<Source>) {
        self.change(|cover| cover.decisive = decisive);
    }

    /// A poll of this source begins: it sees whatever was hinted at.
    pub(super) fn begins(&self, source: Source) {
        self.0.send_if_modified(|cover| {
            cover.reading.insert(source);
            cover.hinted.remove(&source)
        });
    }

    /// Whether an event changed this list while it was read, and the desk is notified.
    pub(super) fn has_changed(&self, source: Source) -> bool {
        let is_of_account = matches!(source, Source::Positions | Source::Orders | Source::Account);
        is_of_account && self.0.borrow().hinted.contains(&source)
    }

    pub(super) fn polled(&self, source: Source, trouble: Option<&Failure>) {
        self.0.send_if_modified(|cover| {
            cover.reading.remove(&source);
            match trouble {
                Some(_) => cover.failing.insert(source),
                None => cover.failing.remove(&source),
            }
        });
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<Cover> {
        self.0.subscribe()
    }

    /// The intervals with what is reported read less often.
    pub(super) fn slowed(
        &self,
        mut intervals: BTreeMap<Source, Duration>,
    ) -> BTreeMap<Source, Duration> {
        let cover = self.0.borrow();
        for (source, interval) in &mut intervals {
            if cover.covers(*source) {
                *interval = FULL_READ_EVERY.max(*interval);
            }
        }
        intervals
    }

    fn change(&self, change: impl FnOnce(&mut Cover)) {
        self.0.send_if_modified(|cover| {
            let before = cover.clone();
            change(cover);
            *cover != before
        });
    }
}

/// Whether a stream reports something now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamUse {
    Covered,
    Uncovered,
}

impl Cover {
    fn set(&mut self, source: Source, stream_use: StreamUse) {
        match stream_use {
            StreamUse::Covered => self.covered.insert(source),
            StreamUse::Uncovered => self.covered.remove(&source),
        };
    }

    fn covers(&self, source: Source) -> bool {
        let is_needed = self.hinted.contains(&source) || self.decisive.contains(&source);
        self.failing.is_empty() && self.covered.contains(&source) && !is_needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(cover: &StreamCover, source: Source) -> u64 {
        let set = BTreeMap::from([(source, Duration::from_secs(1))]);
        cover.slowed(set)[&source].as_secs()
    }

    #[test]
    fn what_a_stream_tells_is_read_every_fifteen_seconds_until_it_hints_fails_or_is_down() {
        let cover = StreamCover::default();
        assert_eq!(seconds(&cover, Source::Orders), 1);
        cover.account(StreamUse::Covered);
        assert_eq!(seconds(&cover, Source::Orders), 15);
        assert_eq!(seconds(&cover, Source::Account), 1, "it moves with prices");
        assert_eq!(seconds(&cover, Source::Markets), 1);
        cover.hint([Source::History]);
        assert_eq!(seconds(&cover, Source::History), 1);
        cover.begins(Source::History);
        assert_eq!(seconds(&cover, Source::History), 15);
        cover.keep_reading([Source::Positions].into());
        assert_eq!(seconds(&cover, Source::Positions), 1, "a limit needs reads");
        cover.polled(Source::Account, Some(&Failure::local("no")));
        assert_eq!(
            seconds(&cover, Source::Orders),
            1,
            "a service that fails is watched"
        );
        cover.polled(Source::Account, None);
        cover.account(StreamUse::Uncovered);
        assert_eq!(seconds(&cover, Source::Orders), 1);
    }

    #[test]
    fn a_list_that_changes_while_it_is_read_is_read_again_at_the_usual_pace() {
        let (cover, lists) = (StreamCover::default(), [Source::Orders].into());
        cover.account(StreamUse::Covered);
        cover.changed(&lists);
        assert_eq!(seconds(&cover, Source::Orders), 15, "no read is under way");
        cover.begins(Source::Orders);
        cover.changed(&lists);
        cover.polled(Source::Orders, None);
        assert_eq!(seconds(&cover, Source::Orders), 1);
        cover.begins(Source::Orders);
        cover.polled(Source::Orders, None);
        assert_eq!(seconds(&cover, Source::Orders), 15);
    }
}
