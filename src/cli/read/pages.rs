//! Reads a list page by page.

use crate::{
    cli::{service::patiently, voice::Output},
    model::{Cursor, Failure, Page, Timestamp},
};
use std::{cmp::Reverse, collections::HashSet, num::NonZeroUsize};

/// How much of a list is wanted. What is open is cut only where somebody has said where.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Pages {
    /// At most this many rows, the newest first [default: 50 of a history, all of an open list]
    #[arg(long, short = 'L', value_name = "ROWS", conflicts_with = "all", value_parser = rows)]
    limit: Option<NonZeroUsize>,
    /// Every row, from every page
    #[arg(long)]
    all: bool,
}

fn rows(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "write a whole number above 0")
}

/// A question about a row.
pub(super) type RowTest<T> = Box<dyn Fn(&T) -> bool>;

/// From all the rows that were read, a question about each.
pub(super) type RowChoice<T> = fn(&[T]) -> RowTest<T>;

/// The instant that dates a row.
pub(super) type RowDate<T> = fn(&T) -> Option<Timestamp>;

/// The first instant of the wanted rows, by the service's clock; `None` wants rows of any age.
#[derive(Debug, Clone, Copy)]
pub(super) struct Since(pub(super) Option<Timestamp>);

impl Since {
    pub(super) fn keeps(self, at: Option<Timestamp>) -> bool {
        self.0.is_none_or(|since| at.is_some_and(|at| at >= since))
    }

    /// Whether a row of this instant and all older ones are too old.
    pub(super) fn ends(self, at: Option<Timestamp>) -> bool {
        at.zip(self.0).is_some_and(|(at, since)| at < since)
    }
}

/// Which rows of a list are wanted.
pub(super) struct Selection<T> {
    /// The id of a row, by which each is taken once.
    pub(super) id: fn(&T) -> String,
    pub(super) since: Since,
    /// Rows are read, and sorted, from the newest of these instants.
    pub(super) at: RowDate<T>,
    /// Whether a row is wanted.
    pub(super) keeps: RowTest<T>,
    /// Which of all the rows that were read are listed: rows that repeat others are not.
    pub(super) lists: RowChoice<T>,
}

impl<T: 'static> Selection<T> {
    /// Every row since then; an undated row is older than any instant.
    pub(super) fn dated(id: fn(&T) -> String, since: Since, at: RowDate<T>) -> Self {
        Self {
            id,
            since,
            at,
            keeps: Box::new(move |row| since.keeps(at(row))),
            lists: |_| Box::new(|_| true),
        }
    }

    /// Only those of these rows for which this holds.
    pub(super) fn filtered(self, holds: impl Fn(&T) -> bool + 'static) -> Self {
        let keeps = self.keeps;
        Self {
            keeps: Box::new(move |row| holds(row) && keeps(row)),
            ..self
        }
    }
}

/// What was read of a list.
pub(super) struct PagedRows<T> {
    page: Page<T>,
    /// There are more rows than were wanted.
    is_cut: bool,
}

/// Rows of a long list by default.
const FIRST: usize = 50;

fn cut(voice: Output, most: usize) {
    voice.note(&format!(
        "the newest {most} rows; --limit ROWS or --all for more"
    ));
}

impl Pages {
    /// However many there are.
    pub(super) fn all() -> Self {
        Self {
            limit: None,
            all: true,
        }
    }

    fn most<T>(self, wanted: &Selection<T>) -> usize {
        match (self.limit, wanted.since.0) {
            _ if self.all => usize::MAX,
            (Some(limit), _) => limit.get(),
            (None, Some(_)) => usize::MAX,
            (None, None) => FIRST,
        }
    }

    /// A complete list, cut if requested.
    pub(super) fn within<T>(
        self,
        voice: Output,
        mut page: Page<T>,
        wanted: &Selection<T>,
    ) -> Page<T> {
        page.rows.retain(|row| (wanted.keeps)(row));
        if let Some(most) = self.limit.map(NonZeroUsize::get)
            && page.rows.len() > most
        {
            page.rows.truncate(most);
            cut(voice, most);
        }
        page
    }

    /// Reads pages until there are enough rows. A row that moves to a later page during the walk is taken once.
    pub(super) async fn read<T, F>(
        self,
        voice: Output,
        wanted: &Selection<T>,
        fetch: impl FnMut(Option<Cursor>) -> F,
    ) -> Result<Page<T>, Failure>
    where
        F: Future<Output = Result<Page<T>, Failure>>,
    {
        let read = self.read_pages(wanted, fetch).await?;
        if read.is_cut {
            cut(voice, self.most(wanted));
        }
        Ok(read.page)
    }

    /// Two lists as one, the newest first.
    pub(super) fn merged<T>(
        self,
        voice: Output,
        wanted: &Selection<T>,
        [one, other]: [PagedRows<T>; 2],
    ) -> Page<T> {
        let (mut page, most) = (one.page, self.most(wanted));
        page.rows.extend(other.page.rows);
        page.rows.sort_by_key(|row| Reverse((wanted.at)(row)));
        page.unreadable.extend(other.page.unreadable);
        page.incomplete |= other.page.incomplete;
        if one.is_cut || other.is_cut || page.rows.len() > most {
            page.rows.truncate(most);
            cut(voice, most);
        }
        page
    }

    /// As [`read`](Self::read), without saying that there is more.
    pub(super) async fn read_pages<T, F>(
        self,
        wanted: &Selection<T>,
        mut fetch: impl FnMut(Option<Cursor>) -> F,
    ) -> Result<PagedRows<T>, Failure>
    where
        F: Future<Output = Result<Page<T>, Failure>>,
    {
        let most = self.most(wanted);
        let (mut whole, mut known, mut requested) =
            (Page::default(), HashSet::new(), HashSet::new());
        let mut cursor: Option<Cursor> = None;
        loop {
            let page = patiently(|| fetch(cursor.clone())).await?;
            let is_past = page
                .rows
                .iter()
                .any(|row| wanted.since.ends((wanted.at)(row)));
            let before = known.len() + whole.unreadable.len();
            let rows = page.rows.into_iter();
            let fresh = rows.filter(|row| known.insert((wanted.id)(row)));
            whole.rows.extend(fresh.filter(|row| (wanted.keeps)(row)));
            whole.unreadable.extend(page.unreadable);
            whole.left_out += page.left_out;
            whole.incomplete |= page.incomplete && !is_past;
            let is_new = known.len() + whole.unreadable.len() > before;
            let is_listed = (wanted.lists)(&whole.rows);
            let listed = whole.rows.iter().filter(|row| is_listed(row)).count();
            let is_enough = listed > most || (listed == most && !is_past);
            let goes_on = !is_enough && !is_past;
            match page.next {
                // Follows no cursor twice.
                Some(next) if goes_on && is_new && requested.insert(next.raw().to_owned()) => {
                    cursor = Some(next);
                }
                next => {
                    if next.is_some() && goes_on {
                        whole.stall();
                    }
                    whole.rows.retain(is_listed);
                    whole.rows.truncate(most);
                    return Ok(PagedRows {
                        page: whole,
                        is_cut: is_enough && (next.is_some() || listed > most),
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::ready;

    /// Rows of ten are repeated by those that follow them until the next ten.
    fn tens(_: &[u32]) -> RowTest<u32> {
        Box::new(|row| row % 10 == 0)
    }

    /// The newest `limit` of pages of four rows.
    async fn read(limit: usize) -> (Vec<u32>, usize) {
        let wanted = Selection {
            lists: tens,
            ..Selection::dated(u32::to_string, Since(None), |_| None)
        };
        let rows = [50, 42, 41, 40, 31, 30, 20, 10, 2, 1];
        let pages = Pages {
            limit: NonZeroUsize::new(limit),
            all: false,
        };
        let mut reads = 0;
        let fetch = |cursor: Option<Cursor>| {
            reads += 1;
            let from: usize = cursor.map_or(0, |cursor| cursor.raw().parse().unwrap());
            let next = (from + 4 < rows.len()).then(|| (from + 4).to_string().into());
            ready(Ok(Page {
                next,
                ..Page::of(rows[from..rows.len().min(from + 4)].to_vec())
            }))
        };
        let voice = Output::from_command_line();
        let page = pages.read(voice, &wanted, fetch);
        let rows = page.await.unwrap().rows;
        (rows, reads)
    }

    #[tokio::test]
    async fn rows_that_repeat_others_do_not_use_up_the_limit() {
        assert_eq!(read(1).await, (vec![50], 1));
        assert_eq!(read(2).await, (vec![50, 40], 1));
        assert_eq!(read(3).await, (vec![50, 40, 30], 2));
        assert_eq!(read(9).await, (vec![50, 40, 30, 20, 10], 3));
    }
}
