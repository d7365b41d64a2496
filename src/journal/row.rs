//! A row in memory. What was settled in an earlier session stays the text that it is in the file until somebody looks at
//! it: a large journal consists of such rows.

use super::{IntentId, IntentRow, IntentState, exact, record::Record};
use crate::model::{IdempotencyKey, Risk, Timestamp};
use serde::Deserialize;
use std::borrow::Cow;

#[derive(Debug, Clone)]
pub(super) enum Row {
    Whole(Box<IntentRow>),
    Settled(SettledRow),
}

/// Its record, and what is needed of it to find and to prune it.
#[derive(Debug, Clone)]
pub(super) struct SettledRow {
    text: Box<str>,
    created_at: Timestamp,
    settled_at: Timestamp,
    replay_until: Timestamp,
    parent: Option<IntentId>,
}

/// What is read of a row at first. Every value that a newer version could write in another way is among it: the whole can
/// be read later, too.
#[derive(Deserialize)]
pub(super) struct Glance {
    pub(super) id: IntentId,
    #[serde(deserialize_with = "exact::millis")]
    created_at: Timestamp,
    intent: IntentGlance,
    state: IntentState,
    outcome: Option<OutcomeGlance>,
}

#[derive(Deserialize)]
struct IntentGlance {
    key: Option<String>,
    #[serde(rename = "risk")]
    _risk: Risk,
    parent: Option<IntentId>,
    #[serde(deserialize_with = "exact::millis")]
    replay_until: Timestamp,
}

#[derive(Deserialize)]
struct OutcomeGlance {
    #[serde(deserialize_with = "exact::millis")]
    at: Timestamp,
}

#[derive(Deserialize)]
struct Line {
    intent: Glance,
}

impl Glance {
    /// Of the record of a settled row; `None` for all else.
    pub(super) fn at(text: &str) -> Option<(Self, SettledRow)> {
        text.strip_prefix("{\"intent\":")?;
        let Line { intent: glance } = serde_json::from_str(text).ok()?;
        let settled_at = glance.outcome.as_ref()?.at;
        let row = SettledRow {
            text: text.into(),
            created_at: glance.created_at,
            settled_at,
            replay_until: glance.intent.replay_until,
            parent: glance.intent.parent,
        };
        (!glance.state.is_open()).then_some((glance, row))
    }

    pub(super) fn key(self) -> Option<IdempotencyKey> {
        self.intent.key.map(IdempotencyKey::from)
    }
}

impl SettledRow {
    /// `None` cannot be: a [`Glance`] has read it.
    fn whole(&self) -> Option<IntentRow> {
        match serde_json::from_str(&self.text) {
            Ok(Record::Intent(row)) => Some(*row),
            Ok(_) | Err(_) => None,
        }
    }
}

impl Row {
    pub(super) fn whole(&self) -> Option<Cow<'_, IntentRow>> {
        match self {
            Self::Whole(row) => Some(Cow::Borrowed(row)),
            Self::Settled(row) => row.whole().map(Cow::Owned),
        }
    }

    /// To change it.
    pub(super) fn whole_mut(&mut self) -> Option<&mut IntentRow> {
        if let Self::Settled(row) = self {
            *self = Self::Whole(Box::new(row.whole()?));
        }
        self.open_or_recent_mut()
    }

    /// If it is open, or was settled in this session.
    pub(super) fn open_or_recent(&self) -> Option<&IntentRow> {
        match self {
            Self::Whole(row) => Some(row),
            Self::Settled(_) => None,
        }
    }

    /// To change it.
    pub(super) fn open_or_recent_mut(&mut self) -> Option<&mut IntentRow> {
        match self {
            Self::Whole(row) => Some(row),
            Self::Settled(_) => None,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        match self {
            Self::Whole(row) => row.state.is_open(),
            Self::Settled(_) => false,
        }
    }

    pub(super) fn created_at(&self) -> Timestamp {
        match self {
            Self::Whole(row) => row.created_at,
            Self::Settled(row) => row.created_at,
        }
    }

    pub(super) fn parent(&self) -> Option<IntentId> {
        match self {
            Self::Whole(row) => row.intent.parent,
            Self::Settled(row) => row.parent,
        }
    }

    /// `None` while it is open, and without a report.
    pub(super) fn settled_at(&self) -> Option<Timestamp> {
        match self {
            Self::Whole(row) if row.state.is_open() => None,
            Self::Whole(row) => row.outcome.as_ref().map(|outcome| outcome.at),
            Self::Settled(row) => Some(row.settled_at),
        }
    }

    /// Whether it was settled, and its key has lost its meaning, before that instant.
    pub(super) fn is_past(&self, before: Timestamp, now: Timestamp) -> bool {
        let replay_until = match self {
            Self::Whole(row) => row.intent.replay_until,
            Self::Settled(row) => row.replay_until,
        };
        !self.is_open()
            && self.created_at() < before
            && self.settled_at().is_none_or(|at| at < before)
            && replay_until < now
    }

    /// The line that has all of it.
    pub(super) fn line(&self) -> serde_json::Result<String> {
        match self {
            Self::Whole(row) => serde_json::to_string(&Record::Intent(row.clone())),
            Self::Settled(row) => Ok(row.text.to_string()),
        }
    }
}
