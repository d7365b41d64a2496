//! Reads a list page by page.

use crate::{
    cli::{service::patiently, voice::Output},
    model::{Cursor, Failure, Page},
};
use std::{collections::HashSet, hash::Hash, num::NonZeroUsize};

/// How much of a list is wanted. What is open is cut only where somebody has said where.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Pages {
    /// At most this many rows, the newest first [default: 50 of a history, all of an open list]
    #[arg(long, short = 'L', value_name = "ROWS", conflicts_with = "all")]
    limit: Option<NonZeroUsize>,
    /// Every row, from every page
    #[arg(long)]
    all: bool,
}

/// A question about a row.
pub(super) type RowTest<T> = Box<dyn Fn(&T) -> bool>;

/// Which rows of a list are wanted.
pub(super) struct Selection<T> {
    /// Whether it is one of them.
    pub(super) keeps: RowTest<T>,
    /// Whether this row and all older ones are too old.
    pub(super) ends: RowTest<T>,
    pub(super) extent: Extent,
}

/// How many rows are wanted by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The newest.
    First,
    /// All that a filter by time leaves.
    Whole,
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
        match (self.limit, wanted.extent) {
            _ if self.all => usize::MAX,
            (Some(limit), _) => limit.get(),
            (None, Extent::Whole) => usize::MAX,
            (None, Extent::First) => FIRST,
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
    pub(super) async fn read<T, K, F>(
        self,
        voice: Output,
        (key, wanted): (impl Fn(&T) -> K, &Selection<T>),
        mut fetch: impl FnMut(Option<Cursor>) -> F,
    ) -> Result<Page<T>, Failure>
    where
        K: Eq + Hash,
        F: Future<Output = Result<Page<T>, Failure>>,
    {
        let most = self.most(wanted);
        let (mut whole, mut known, mut asked) = (Page::default(), HashSet::new(), HashSet::new());
        let mut cursor: Option<Cursor> = None;
        loop {
            let page = patiently(|| fetch(cursor.clone())).await?;
            let is_past = page.rows.iter().any(|row| (wanted.ends)(row));
            let fresh = page.rows.into_iter().filter(|row| known.insert(key(row)));
            whole.rows.extend(fresh.filter(|row| (wanted.keeps)(row)));
            whole.unreadable.extend(page.unreadable);
            whole.incomplete |= page.incomplete && !is_past;
            if is_past && whole.rows.len() <= most {
                return Ok(whole);
            }
            let more = page.next.is_some() || whole.rows.len() > most;
            if whole.rows.len() >= most {
                whole.rows.truncate(most);
                if more {
                    cut(voice, most);
                }
                return Ok(whole);
            }
            match page.next {
                // Follows no cursor twice.
                Some(next) if asked.insert(next.raw().to_owned()) => cursor = Some(next),
                Some(_) => {
                    whole.incomplete = true;
                    return Ok(whole);
                }
                None => return Ok(whole),
            }
        }
    }
}
