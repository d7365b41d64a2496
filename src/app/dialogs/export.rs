//! Exports a pane to a file: reads every page, then writes once.
//!
//! Contract: the file has every row of the pane in its time range, read through the same pages as the pane shows. A
//! page that fails stops the reading and says so; Enter continues from there. Esc stops at any time, and then nothing
//! is written. No file is ever overwritten.

use super::next::Next;
use crate::{
    app::{
        account::{feed::Feed, pane::Pane, store::Store},
        activity::notice::Activity,
        core::sheet::Format,
        keys::keymap::Action,
    },
    model::{Page, Timestamp},
};
use std::{hash::Hash, time::Duration};
use strum::Display;

#[cfg(test)]
mod tests;

/// How far back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum Span {
    #[strum(to_string = "all")]
    All,
    #[strum(to_string = "last 24 hours")]
    Day,
    #[strum(to_string = "last 7 days")]
    Week,
    #[strum(to_string = "last 30 days")]
    Month,
    #[strum(to_string = "since the time given")]
    Since(Timestamp),
}

impl Span {
    fn next(self) -> Self {
        match self {
            Self::All => Self::Day,
            Self::Day => Self::Week,
            Self::Week => Self::Month,
            Self::Month | Self::Since(_) => Self::All,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    Asking,
    /// Reading pages; the number of rows at the last request.
    Reading(Option<usize>),
    Writing,
    /// Its path and number of rows, or why it failed.
    Over(Result<(String, usize), String>),
}

/// The export panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    pub pane: Pane,
    pub format: Format,
    pub span: Span,
    pub stage: Stage,
    /// The typed file or directory; `None` for a generated name in the export directory.
    pub to: Option<String>,
    /// When it was opened: time ranges count back from here.
    pub(crate) opened_at: Timestamp,
    /// What the file lacks, once it is made.
    pub(crate) lacks: Option<Lack>,
}

/// What a list is known to lack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lack {
    /// Unreadable rows.
    pub unreadable: usize,
    /// The service said there is more but gave no cursor, or a part could not be reached.
    pub is_cut: bool,
    /// Scaled orders that were not read yet.
    pub unread: usize,
    /// Ended ones that were dropped.
    pub forgotten: usize,
    /// Older lines exist.
    pub has_older: bool,
}

impl Lack {
    pub(crate) fn of(pane: Pane, store: &Store, activity: &Activity) -> Self {
        match pane {
            Pane::Positions => Self::of_page(store.positions.value()),
            Pane::Orders => Self::of_page(store.orders.value()),
            Pane::Twaps => Self::of_page(store.twaps.value()),
            // Scaled orders are known only through their orders.
            Pane::Scaled => Self {
                unread: store
                    .scaled
                    .values()
                    .filter(|l| l.value().is_none())
                    .count(),
                forgotten: store.forgotten_scaled(),
                ..Self::of_page(store.orders.value())
            },
            Pane::Closed => Self::of_feed(&store.closed),
            Pane::History => Self::of_feed(&store.history),
            Pane::Activity => Self {
                has_older: activity.lacks_lines(),
                ..Self::default()
            },
            Pane::Calls => Self {
                has_older: store.has_older_calls(),
                ..Self::default()
            },
        }
    }

    fn of_page<T>(page: Option<&Page<T>>) -> Self {
        page.map_or(Self::default(), |page| Self {
            unreadable: page.unreadable.len(),
            is_cut: page.incomplete,
            ..Self::default()
        })
    }

    fn of_feed<K: Eq + Hash, T>(feed: &Feed<K, T>) -> Self {
        Self {
            unreadable: feed.unreadable(),
            is_cut: feed.is_incomplete(),
            ..Self::default()
        }
    }
}

impl Export {
    pub fn new(pane: Pane, now: Timestamp) -> Self {
        Self {
            pane,
            format: Format::Csv,
            span: Span::All,
            stage: Stage::Asking,
            to: None,
            opened_at: now,
            lacks: None,
        }
    }

    /// An export with all questions answered.
    pub(crate) fn running(pane: Pane, format: Format, to: Option<String>, now: Timestamp) -> Self {
        Self {
            format,
            to,
            stage: Stage::Reading(None),
            ..Self::new(pane, now)
        }
    }

    /// Whether rows of this pane come in pages.
    pub fn is_paged(&self) -> bool {
        matches!(self.pane, Pane::Closed | Pane::History)
    }

    pub(crate) fn act(&mut self, action: Action) -> Next {
        let is_set = matches!(self.stage, Stage::Reading(_) | Stage::Writing);
        if action == Action::Dismiss {
            return Next::Close;
        }
        if is_set {
            return Next::Stay;
        }
        if action == Action::Submit {
            self.stage = Stage::Reading(None);
        } else if action == Action::NextChoice {
            self.format = self.format.other();
            self.stage = Stage::Asking;
        } else if action == Action::NextField && self.is_paged() {
            self.span = self.span.next();
            self.stage = Stage::Asking;
        }
        Next::Stay
    }

    /// The oldest instant in its time range.
    pub fn since(&self) -> Option<Timestamp> {
        let hours = match self.span {
            Span::All => return None,
            Span::Day => 24,
            Span::Week => 7 * 24,
            Span::Month => 30 * 24,
            Span::Since(at) => return Some(at),
        };
        let span = i64::try_from(Duration::from_hours(hours).as_millis()).ok()?;
        Some(Timestamp(self.opened_at.0.saturating_sub(span)))
    }

    /// What the file lacks, or would lack if it were made now.
    pub fn lack(&self, store: &Store, activity: &Activity) -> Lack {
        match self.stage {
            Stage::Writing | Stage::Over(Ok(_)) => self.lacks,
            Stage::Asking | Stage::Reading(_) | Stage::Over(Err(_)) => None,
        }
        .unwrap_or_else(|| Lack::of(self.pane, store, activity))
    }

    pub fn opened_at(&self) -> Timestamp {
        self.opened_at
    }

    /// How many rows are loaded, and the oldest one's time.
    pub fn reach(&self, store: &Store) -> (usize, Option<Timestamp>) {
        match self.pane {
            Pane::Closed => {
                let rows = store.closed.rows();
                (rows.len(), rows.back().and_then(|row| row.closed_at))
            }
            Pane::History => {
                let rows = store.history.rows();
                (rows.len(), rows.back().map(|row| row.requested_at))
            }
            Pane::Positions
            | Pane::Orders
            | Pane::Twaps
            | Pane::Scaled
            | Pane::Activity
            | Pane::Calls => (0, None),
        }
    }

    pub(crate) fn has_more(&self, store: &Store) -> bool {
        let more = match self.pane {
            Pane::Closed => store.closed.has_more(),
            Pane::History => store.history.has_more(),
            Pane::Positions
            | Pane::Orders
            | Pane::Twaps
            | Pane::Scaled
            | Pane::Activity
            | Pane::Calls => false,
        };
        let (_, oldest) = self.reach(store);
        let is_far_enough = oldest
            .zip(self.since())
            .is_some_and(|(oldest, since)| oldest < since);
        more && !is_far_enough
    }
}
