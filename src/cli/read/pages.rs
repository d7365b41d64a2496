//! Reads a list page by page.

use crate::{
    cli::{service::patiently, voice::Output},
    model::{Cursor, Failure, Page},
};
use std::{collections::HashSet, hash::Hash, num::NonZeroUsize};

/// How much of a list is wanted. What is open is cut only where somebody has said where.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Pages {
    /// At most this many rows, the newest first; 50 of a past list when left out, and all that is open
    #[arg(long, value_name = "ROWS", conflicts_with = "all")]
    limit: Option<NonZeroUsize>,
    /// Every row, however many pages that is
    #[arg(long)]
    all: bool,
}

/// Rows of a long list by default.
const FIRST: usize = 50;

fn cut(voice: Output, most: usize) {
    voice.note(&format!(
        "the newest {most} rows; --limit ROWS or --all for more"
    ));
}

impl Pages {
    /// A complete list, cut if requested.
    pub(super) fn within<T>(self, voice: Output, mut page: Page<T>) -> Page<T> {
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
        key: impl Fn(&T) -> K,
        mut fetch: impl FnMut(Option<Cursor>) -> F,
    ) -> Result<Page<T>, Failure>
    where
        K: Eq + Hash,
        F: Future<Output = Result<Page<T>, Failure>>,
    {
        let most = if self.all {
            usize::MAX
        } else {
            self.limit.map_or(FIRST, NonZeroUsize::get)
        };
        let (mut whole, mut known, mut asked) = (Page::default(), HashSet::new(), HashSet::new());
        let mut cursor: Option<Cursor> = None;
        loop {
            let page = patiently(|| fetch(cursor.clone())).await?;
            let fresh = page.rows.into_iter().filter(|row| known.insert(key(row)));
            whole.rows.extend(fresh);
            whole.unreadable.extend(page.unreadable);
            whole.incomplete |= page.incomplete;
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
