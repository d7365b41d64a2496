//! The parts of a dialect that a service's responses can show, and what they showed.

use super::{Dialect, QueryPair};
use crate::model::TimestampUnit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use strum::{EnumIter, IntoEnumIterator};

/// A guess of [`Dialect`] that reads can settle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter)]
pub enum Term {
    WorkingFilter,
    PositionSelector,
    TwapsAccount,
    TimestampUnit,
    SignedSizes,
}

impl Term {
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// The setting that fixes it, whatever the service shows.
    pub fn setting(self) -> &'static str {
        match self {
            Self::WorkingFilter => "dialect.working_filter",
            Self::PositionSelector => "dialect.position_selector",
            Self::TwapsAccount => "dialect.twaps_account",
            Self::TimestampUnit => "dialect.timestamp_unit",
            Self::SignedSizes => "dialect.signed_sizes",
        }
    }

    /// Its description for a person.
    pub fn words(self) -> &'static str {
        match self {
            Self::WorkingFilter => "working orders",
            Self::PositionSelector => "open and closed positions",
            Self::TwapsAccount => "the account of TWAPs",
            Self::TimestampUnit => "timestamps",
            Self::SignedSizes => "sizes of positions",
        }
    }
}

/// What differs from the settings; a missing value is as configured. Stored between sessions, by base URL.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Learned {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_filter: Option<QueryPair>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position_selector: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twaps_account: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp_unit: Option<TimestampUnit>,
    /// For this session only: a wrong value would show a long as a short, so each session proves it again.
    #[serde(skip)]
    pub signed_sizes: Option<bool>,
}

impl Learned {
    /// Copies the spelling of `term` from `spoken`.
    pub fn take(&mut self, term: Term, spoken: &Dialect) {
        match term {
            Term::WorkingFilter => self.working_filter = Some(spoken.working_filter.clone()),
            Term::PositionSelector => {
                self.position_selector = Some(spoken.position_selector.clone());
            }
            Term::TwapsAccount => self.twaps_account = Some(spoken.twaps_account.clone()),
            Term::TimestampUnit => self.timestamp_unit = Some(spoken.timestamp_unit),
            Term::SignedSizes => self.signed_sizes = Some(spoken.signed_sizes),
        }
    }

    /// The same without terms that a setting fixes.
    #[must_use]
    pub fn without(&self, pinned: &BTreeSet<Term>) -> Self {
        let free = |term| !pinned.contains(&term);
        let kept = self.clone();
        Self {
            working_filter: kept.working_filter.filter(|_| free(Term::WorkingFilter)),
            position_selector: kept
                .position_selector
                .filter(|_| free(Term::PositionSelector)),
            twaps_account: kept.twaps_account.filter(|_| free(Term::TwapsAccount)),
            timestamp_unit: kept.timestamp_unit.filter(|_| free(Term::TimestampUnit)),
            signed_sizes: kept.signed_sizes.filter(|_| free(Term::SignedSizes)),
        }
    }
}

impl Dialect {
    /// This dialect with what was learned.
    #[must_use]
    pub fn with(&self, learned: &Learned) -> Self {
        let (own, other) = (self.clone(), learned.clone());
        Self {
            working_filter: other.working_filter.unwrap_or(own.working_filter),
            position_selector: other.position_selector.unwrap_or(own.position_selector),
            twaps_account: other.twaps_account.unwrap_or(own.twaps_account),
            timestamp_unit: other.timestamp_unit.unwrap_or(own.timestamp_unit),
            signed_sizes: other.signed_sizes.unwrap_or(own.signed_sizes),
            ..own
        }
    }

    /// The same without a name for `term`: it is not sent.
    #[must_use]
    pub fn bare(&self, term: Term) -> Self {
        let mut bare = self.clone();
        match term {
            Term::WorkingFilter => bare.working_filter.name.clear(),
            Term::PositionSelector => bare.position_selector.clear(),
            Term::TwapsAccount => bare.twaps_account.clear(),
            Term::TimestampUnit | Term::SignedSizes => {}
        }
        bare
    }

    pub fn is_bare(&self, term: Term) -> bool {
        match term {
            Term::WorkingFilter => self.working_filter.name.is_empty(),
            Term::PositionSelector => self.position_selector.is_empty(),
            Term::TwapsAccount => self.twaps_account.is_empty(),
            Term::TimestampUnit | Term::SignedSizes => false,
        }
    }

    /// The current spelling, for a person.
    pub fn spelling(&self, term: Term) -> String {
        let filter = &self.working_filter;
        match term {
            Term::WorkingFilter if self.is_bare(term) => {
                "every page, filtered by perpdeck".to_owned()
            }
            Term::WorkingFilter => format!("{}={}", filter.name, filter.value),
            Term::PositionSelector | Term::TwapsAccount if self.is_bare(term) => {
                "no parameter".to_owned()
            }
            Term::PositionSelector => format!("{}=open|closed", self.position_selector),
            Term::TwapsAccount => self.twaps_account.clone(),
            Term::TimestampUnit => self.timestamp_unit.to_string(),
            Term::SignedSizes if self.signed_sizes => "negative is short".to_owned(),
            Term::SignedSizes => "never negative".to_owned(),
        }
    }
}
