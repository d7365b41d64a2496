//! A list that is read page by page and grows at its head.

use super::remote::Remote;
use crate::model::{Cursor, Failure, Num, Page, Timestamp};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    hash::Hash,
    ops::Range,
};

/// Rows that are kept of a growing list if nobody scrolls.
const KEPT: usize = 20_000;
/// The approximate distance between rows from which older ones can be read again.
const MARK_SPACING: isize = 1_000;

/// A list read page by page: polls update its head, scrolling fetches its tail. Rows are found by key at once, and a
/// poll costs one page however long the list is.
///
/// Contract: a growing list keeps the newest `KEPT` rows, or as many as were requested, plus at most `MARK_SPACING` and a
/// page. The others are dropped, [`Feed::has_more`] says so, and scrolling or an export reads them again.
#[derive(Debug, Clone, PartialEq)]
pub struct Feed<K: Eq + Hash, T> {
    head: Remote<()>,
    rows: VecDeque<T>,
    /// The index of each row, before the rows above it moved it down by `shift`.
    places: HashMap<K, isize>,
    shift: isize,
    /// Rises whenever a row changes.
    version: u64,
    /// How the indexes changed then.
    changed: Option<Shift>,
    next: Option<Cursor>,
    /// The page being fetched, so that scrolling does not request it twice.
    requested: Option<Cursor>,
    unreadable: usize,
    left_out: usize,
    stalled: bool,
    incomplete: bool,
    /// The least number of kept rows: [`KEPT`], or as many as were requested.
    most: usize,
    /// Indexes from which the following rows can be read again, as in `places`; topmost first.
    marks: VecDeque<(isize, Cursor)>,
}

impl<K: Eq + Hash, T> Default for Feed<K, T> {
    fn default() -> Self {
        Self {
            head: Remote::Loading,
            rows: VecDeque::new(),
            places: HashMap::new(),
            shift: 0,
            version: 0,
            changed: None,
            next: None,
            requested: None,
            unreadable: 0,
            left_out: 0,
            stalled: false,
            incomplete: false,
            most: KEPT,
            marks: VecDeque::new(),
        }
    }
}

/// The changes of an answer: the old rows that left or were renewed, and the indexes of the new ones. Totals are
/// updated from it, so that nothing counts all rows again.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerDiff<T> {
    pub gone: Vec<T>,
    /// The oldest rows, dropped to save space.
    pub cut: Vec<T>,
    pub come: Range<usize>,
    /// The changed indexes: new rows, and the rows that stayed among those that left.
    pub top: Range<usize>,
}

/// How the indexes changed from the previous version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shift {
    /// At the top, some rows were replaced by others, and the rest stayed.
    Top {
        left: usize,
        came: usize,
        kept: usize,
    },
    /// This many rows were added below all others.
    Below { came: usize },
}

/// Whether a row is added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowChange {
    Added,
    Removed,
}

impl RowChange {
    pub(crate) fn signed(self, amount: Num) -> Num {
        match self {
            Self::Added => amount,
            Self::Removed => amount.negated(),
        }
    }

    pub(crate) fn step(self, count: &mut usize) {
        *count = match self {
            Self::Added => count.saturating_add(1),
            Self::Removed => count.saturating_sub(1),
        };
    }
}

impl<T> AnswerDiff<T> {
    /// What a count over the rows takes back and adds; a renewed row is removed as it was, then added. `rows` are those
    /// after the change.
    pub(crate) fn changes<'a>(
        &'a self,
        rows: &'a VecDeque<T>,
    ) -> impl Iterator<Item = (&'a T, RowChange)> {
        let removed = self.lost().map(|row| (row, RowChange::Removed));
        let added = among(rows, self.come.clone()).map(|row| (row, RowChange::Added));
        removed.chain(added)
    }

    fn none() -> Self {
        Self {
            gone: vec![],
            cut: vec![],
            come: 0..0,
            top: 0..0,
        }
    }

    /// Every row that is gone or was renewed.
    pub(crate) fn lost(&self) -> impl Iterator<Item = &T> {
        self.gone.iter().chain(&self.cut)
    }
}

/// The rows at these indexes.
pub(crate) fn among<T>(
    rows: &VecDeque<T>,
    places: Range<usize>,
) -> impl DoubleEndedIterator<Item = &T> + Clone {
    rows.iter().skip(places.start).take(places.len())
}

impl<K: Eq + Hash, T> Feed<K, T> {
    /// Newest first.
    pub fn rows(&self) -> &VecDeque<T> {
        &self.rows
    }

    /// The index of the row with this key.
    pub fn position(&self, key: &K) -> Option<usize> {
        let place = self.places.get(key)?.checked_add(self.shift)?;
        usize::try_from(place).ok()
    }

    pub fn find(&self, key: &K) -> Option<&T> {
        self.rows.get(self.position(key)?)
    }

    /// As long as this number does not change, counts over the rows stay valid.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// How the indexes have changed since this version; `None` if that is no longer stored.
    pub fn shift_since(&self, version: u64) -> Option<Shift> {
        self.changed
            .filter(|_| version.checked_add(1) == Some(self.version))
    }

    /// Freshness of the newest page.
    pub fn head(&self) -> &Remote<()> {
        &self.head
    }

    /// Whether older rows exist that are not here.
    pub fn has_more(&self) -> bool {
        self.next.is_some()
    }

    pub fn is_fetching(&self) -> bool {
        self.requested.is_some()
    }

    /// Rows that are not shown: of another account, without an id, or listed twice.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Its pages bring no new row, though it says that it goes on.
    pub fn is_stalled(&self) -> bool {
        self.stalled
    }

    pub fn unreadable(&self) -> usize {
        self.unreadable
    }

    /// The service said that there are more, but not where.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// The next page to request, once: `None` until it arrives or fails.
    pub fn ask_more(&mut self) -> Option<Cursor> {
        if self.requested.is_some() {
            return None;
        }
        self.requested.clone_from(&self.next);
        self.requested.clone()
    }

    /// Adds the newest page, requested at `at`; an outdated one is dropped. Known rows are renewed in place and new
    /// ones go on top. Without an overlap there may be a gap, so the list starts anew from this page.
    pub fn arrive_head(
        &mut self,
        result: Result<Page<T>, Failure>,
        at: Timestamp,
        key: impl Fn(&T) -> K,
    ) -> AnswerDiff<T>
    where
        T: PartialEq,
    {
        if self.head.at().is_some_and(|known| known > at) {
            return AnswerDiff::none();
        }
        let page = match result {
            Ok(page) => page,
            Err(why) => {
                self.head.arrive(Err(why), at);
                return AnswerDiff::none();
            }
        };
        let is_known = self.begins_with(&page.rows);
        self.head.arrive(Ok(()), at);
        self.unreadable = page.unreadable.len();
        self.left_out = page.left_out;
        if is_known {
            return AnswerDiff::none();
        }
        self.version += 1;
        let places = page.rows.iter().filter_map(|row| self.position(&key(row)));
        match places.max() {
            Some(last_known) => self.merge_head(page, last_known, key),
            None => self.begin_again(page, key),
        }
    }

    /// Whether the page is not empty and has nothing new.
    fn begins_with(&self, page: &[T]) -> bool
    where
        T: PartialEq,
    {
        let here = self.rows.iter().take(page.len());
        !page.is_empty() && self.head.at().is_some() && here.eq(page)
    }

    /// Replaces the rows down to the last known one with the page; known rows that it lacks stay below it.
    fn merge_head(
        &mut self,
        page: Page<T>,
        last_known: usize,
        key: impl Fn(&T) -> K,
    ) -> AnswerDiff<T> {
        let fresh: HashSet<K> = page.rows.iter().map(&key).collect();
        let known = self.rows.drain(..=last_known);
        let (gone, kept): (Vec<T>, Vec<T>) = known.partition(|row| fresh.contains(&key(row)));
        let come = 0..page.rows.len();
        let top: Vec<T> = page.rows.into_iter().chain(kept).collect();
        let count = top.len();
        self.shift += count.cast_signed() - (last_known + 1).cast_signed();
        for row in top.into_iter().rev() {
            self.rows.push_front(row);
        }
        self.place(0..count, &key);
        self.mark_top(come.end, page.next);
        let cut = self.cut(&key);
        self.changed = Some(Shift::Top {
            left: last_known + 1,
            came: count,
            kept: self.rows.len(),
        });
        let top = 0..count;
        AnswerDiff {
            gone,
            cut,
            come,
            top,
        }
    }

    /// The rows below this index can be read with this cursor.
    fn mark_top(&mut self, below: usize, next: Option<Cursor>) {
        let place = below.cast_signed() - self.shift;
        let uppermost = self.marks.front().map(|(place, _)| *place);
        if let Some(next) = next
            && uppermost.is_none_or(|mark| mark - place >= MARK_SPACING)
        {
            self.marks.push_front((place, next));
        }
    }

    /// Drops the oldest rows of a list that is too long, from an index that can be read again.
    fn cut(&mut self, key: impl Fn(&T) -> K) -> Vec<T> {
        if self.rows.len() <= self.most {
            return vec![];
        }
        let most = self.most.cast_signed() - self.shift;
        let mark = self.marks.iter().find(|(place, _)| *place >= most);
        let Some((place, next)) = mark.cloned() else {
            return vec![];
        };
        self.marks.retain(|(mark, _)| *mark < place);
        let first = usize::try_from(place + self.shift).unwrap_or(self.rows.len());
        let cut: Vec<T> = self.rows.drain(first.min(self.rows.len())..).collect();
        for row in &cut {
            self.places.remove(&key(row));
        }
        self.next = Some(next);
        self.requested = None;
        cut
    }

    /// Starts anew from this page: the earlier rows may be incomplete.
    fn begin_again(&mut self, page: Page<T>, key: impl Fn(&T) -> K) -> AnswerDiff<T> {
        self.next = page.next;
        self.requested = None;
        self.incomplete = page.incomplete;
        let gone: Vec<T> = std::mem::replace(&mut self.rows, page.rows.into()).into();
        self.places.clear();
        self.shift = 0;
        self.most = KEPT;
        self.marks.clear();
        let come = 0..self.rows.len();
        self.changed = Some(Shift::Top {
            left: gone.len(),
            came: come.end,
            kept: come.end,
        });
        self.place(come.clone(), key);
        let top = come.clone();
        AnswerDiff {
            gone,
            cut: vec![],
            come,
            top,
        }
    }

    /// Adds an older page. One that was not requested (the list started anew meanwhile) is dropped.
    pub fn arrive_more(
        &mut self,
        cursor: &Cursor,
        result: Result<Page<T>, Failure>,
        key: impl Fn(&T) -> K,
    ) -> AnswerDiff<T> {
        if self.requested.as_ref() != Some(cursor) {
            return AnswerDiff::none();
        }
        self.requested = None;
        let Ok(page) = result else {
            return AnswerDiff::none();
        };
        self.version += 1;
        self.unreadable += page.unreadable.len();
        self.left_out += page.left_out;
        self.incomplete = page.incomplete;
        self.next = page.next;
        let (before, is_readable) = (self.rows.len(), page.unreadable.is_empty());
        let places = &self.places;
        let older = page.rows.into_iter();
        let older = older.filter(|row| !places.contains_key(&key(row)));
        self.rows.extend(older);
        let come = before..self.rows.len();
        // A list that says it goes on and brings no new row would be read for ever.
        self.stalled = come.is_empty() && is_readable && self.next.is_some();
        if self.stalled {
            (self.next, self.incomplete) = (None, true);
        }
        self.changed = Some(Shift::Below { came: come.len() });
        self.most = self.most.max(come.end);
        self.place(come.clone(), key);
        let top = come.clone();
        AnswerDiff {
            gone: vec![],
            cut: vec![],
            come,
            top,
        }
    }

    /// Stores the indexes of these rows.
    fn place(&mut self, range: Range<usize>, key: impl Fn(&T) -> K) {
        let shift = self.shift;
        let rows = range.clone().zip(among(&self.rows, range));
        let placed = rows.map(|(at, row)| (key(row), at.cast_signed() - shift));
        self.places.extend(placed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: &[u32], next: Option<&str>) -> Page<u32> {
        let next = next.map(|c| Cursor::from(c.to_owned()));
        Page {
            next,
            ..Page::of(rows.to_vec())
        }
    }

    #[test]
    fn a_newest_page_overtaken_by_a_newer_one_changes_no_row() {
        let mut feed: Feed<u32, u32> = Feed::default();
        feed.arrive_head(Ok(page(&[3, 2], None)), Timestamp(20), |r| *r);
        feed.arrive_head(Ok(page(&[2, 1], None)), Timestamp(10), |r| *r);
        assert_eq!(*feed.rows(), [3, 2]);
    }

    #[test]
    fn pages_join_without_a_row_lost_or_shown_twice() {
        let mut feed: Feed<u32, u32> = Feed::default();
        feed.arrive_head(Ok(page(&[9, 8, 7], Some("a"))), Timestamp(1), |r| *r);
        let cursor = feed.ask_more().unwrap();
        assert_eq!(feed.ask_more(), None);
        feed.arrive_more(&cursor, Ok(page(&[7, 6, 5], None)), |r| *r);
        feed.arrive_head(Ok(page(&[10, 9, 8], Some("b"))), Timestamp(2), |r| *r);
        assert_eq!(*feed.rows(), [10, 9, 8, 7, 6, 5]);
        assert!(!feed.has_more());
    }

    #[test]
    fn an_answer_says_what_it_changed_and_the_same_page_again_changes_nothing() {
        let mut feed: Feed<u32, (u32, char)> = Feed::default();
        let key = |row: &(u32, char)| row.0;
        let page = |rows: &[(u32, char)]| Ok(Page::of(rows.to_vec()));
        let churn = feed.arrive_head(page(&[(2, 'a'), (1, 'a')]), Timestamp(1), key);
        assert_eq!((churn.gone, churn.come), (vec![], 0..2));
        let version = feed.version();
        let churn = feed.arrive_head(page(&[(2, 'a'), (1, 'a')]), Timestamp(2), key);
        assert_eq!((churn, feed.version()), (AnswerDiff::none(), version));
        let churn = feed.arrive_head(page(&[(3, 'a'), (2, 'b')]), Timestamp(3), key);
        assert_eq!((churn.gone, churn.come), (vec![(2, 'a')], 0..2));
        let churn = feed.arrive_head(page(&[(9, 'a')]), Timestamp(4), key);
        assert_eq!(churn.gone, [(3, 'a'), (2, 'b'), (1, 'a')]);
    }

    #[test]
    fn a_gap_between_what_was_and_what_is_starts_the_list_again() {
        let mut feed: Feed<u32, u32> = Feed::default();
        feed.arrive_head(Ok(page(&[3, 2, 1], None)), Timestamp(1), |r| *r);
        feed.arrive_head(Ok(page(&[99, 98], Some("c"))), Timestamp(2), |r| *r);
        assert_eq!(*feed.rows(), [99, 98]);
        assert!(feed.has_more());
    }

    #[test]
    fn a_page_that_brings_nothing_new_changes_no_version() {
        let mut feed: Feed<u32, u32> = Feed::default();
        feed.arrive_head(Ok(page(&[3, 2], None)), Timestamp(1), |r| *r);
        let before = feed.version();
        feed.arrive_head(Ok(page(&[3, 2], None)), Timestamp(2), |r| *r);
        assert_eq!(
            (feed.version(), feed.head().at()),
            (before, Some(Timestamp(2)))
        );
        feed.arrive_head(Ok(page(&[4, 3], None)), Timestamp(3), |r| *r);
        assert_ne!(feed.version(), before);
    }

    #[test]
    fn every_row_is_found_by_its_key_however_the_list_has_grown() {
        let mut feed: Feed<u32, u32> = Feed::default();
        feed.arrive_head(Ok(page(&[9, 8, 7], Some("a"))), Timestamp(1), |r| *r);
        let cursor = feed.ask_more().unwrap();
        feed.arrive_more(&cursor, Ok(page(&[6, 5], None)), |r| *r);
        feed.arrive_head(Ok(page(&[12, 11, 8, 9], None)), Timestamp(2), |r| *r);
        feed.arrive_head(Ok(page(&[13, 12, 11], None)), Timestamp(3), |r| *r);
        assert_eq!(*feed.rows(), [13, 12, 11, 8, 9, 7, 6, 5]);
        let found = feed.rows().iter().map(|row| feed.find(row));
        assert!(found.eq(feed.rows().iter().map(Some)));
        assert_eq!((feed.find(&4), feed.position(&5)), (None, Some(7)));
    }

    /// Polls of a list with ascending row numbers, fifty a page; each cursor names the page's last row.
    fn polled(feed: &mut Feed<u32, u32>, newest: u32) -> AnswerDiff<u32> {
        let rows: Vec<_> = (newest.saturating_sub(49)..=newest).rev().collect();
        let cursor = format!("after {}", newest.saturating_sub(49));
        let at = Timestamp(newest.into());
        feed.arrive_head(Ok(page(&rows, Some(&cursor))), at, |r| *r)
    }

    #[test]
    fn a_list_that_grows_while_nobody_scrolls_drops_its_oldest_rows_and_they_can_be_read_again() {
        let mut feed: Feed<u32, u32> = Feed::default();
        let mut cut = vec![];
        for newest in (50..=30_000).step_by(10) {
            cut.extend(polled(&mut feed, newest).cut);
        }
        let kept = feed.rows().len();
        assert!((KEPT..=KEPT + 1_100).contains(&kept), "{kept}");
        let oldest = *feed.rows().back().unwrap();
        assert_eq!(usize::try_from(30_000 - oldest).unwrap(), kept - 1);
        cut.sort_unstable();
        assert!(cut.into_iter().eq(1..oldest), "each once");
        assert_eq!(
            (feed.find(&(oldest - 1)), feed.find(&oldest)),
            (None, Some(&oldest))
        );

        let cursor = feed.ask_more().unwrap();
        assert_eq!(cursor, Cursor::from(format!("after {oldest}")));
        let older: Vec<_> = (oldest - 50..oldest).rev().collect();
        feed.arrive_more(&cursor, Ok(page(&older, None)), |r| *r);
        assert_eq!(feed.rows().len(), kept + 50);
        assert_eq!(feed.find(&(oldest - 50)), Some(&(oldest - 50)));
    }

    #[test]
    fn as_many_rows_as_somebody_scrolled_to_stay() {
        let mut feed: Feed<u32, u32> = Feed::default();
        polled(&mut feed, 30_000);
        let cursor = feed.ask_more().unwrap();
        let older: Vec<_> = (1..=29_950).rev().collect();
        feed.arrive_more(&cursor, Ok(page(&older, None)), |r| *r);
        for newest in (30_010..=65_000).step_by(10) {
            polled(&mut feed, newest);
            assert!(feed.rows().len() >= 30_000);
        }
        assert!(feed.rows().len() < 32_000);
    }
}
