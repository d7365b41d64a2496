//! Walking a list that is read page by page.

use crate::{
    cli::{service::patiently, voice::Voice},
    model::{Cursor, Failure, Page},
};
use std::{collections::HashSet, hash::Hash, num::NonZeroUsize};

/// How much of a long list is wanted. A verb that holds this has a flag with the id `past` that asks for such a list:
/// what is open is never cut.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Pages {
    /// At most this many rows, the newest first
    #[arg(
        long,
        value_name = "ROWS",
        default_value = "50",
        requires = "past",
        conflicts_with = "all"
    )]
    limit: NonZeroUsize,
    /// Every row, however many pages that is
    #[arg(long, requires = "past")]
    all: bool,
}

impl Pages {
    /// Reads pages until there is enough. A row that moves to a later page while we walk is taken once.
    pub(super) async fn read<T, K, F>(
        self,
        voice: Voice,
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
            self.limit.get()
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
                    voice.note(&format!(
                        "the newest {most} rows; --limit ROWS or --all for more"
                    ));
                }
                return Ok(whole);
            }
            match page.next {
                // A service that leads in a circle is not followed a second time round.
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
