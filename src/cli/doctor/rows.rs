//! A raw row, before any assumption.

use crate::{
    client::Probe,
    model::{Num, TimestampUnit},
};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct RawRow(BTreeMap<String, Box<RawValue>>);

/// Fields that hold an instant in every row that has them.
const INSTANTS: [&str; 3] = ["requested_at", "opened_at", "closed_at"];

impl RawRow {
    /// The rows of a response; none without a response.
    pub(super) fn all(probe: &Probe) -> Vec<Self> {
        let list = probe.list.as_ref().ok();
        let rows = list.into_iter().flat_map(|list| &list.data);
        rows.filter_map(|row| serde_json::from_str(row.get()).ok().map(Self))
            .collect()
    }

    pub(super) fn has(&self, field: &str) -> bool {
        self.0.get(field).is_some_and(|value| value.get() != "null")
    }

    pub(super) fn text(&self, field: &str) -> Option<String> {
        serde_json::from_str(self.0.get(field)?.get()).ok()
    }

    pub(super) fn number(&self, field: &str) -> Option<Num> {
        self.0.get(field)?.get().parse().ok()
    }

    /// The unit of its instants, by their magnitude: no real one is ambiguous.
    pub(super) fn unit(&self) -> Option<TimestampUnit> {
        TimestampUnit::of(INSTANTS.iter().find_map(|field| self.number(field))?)
    }

    pub(super) fn is_working(&self) -> bool {
        let status = self.text("status");
        status.is_some_and(|status| matches!(status.as_str(), "pending" | "resting"))
    }
}
