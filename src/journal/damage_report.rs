//! Compares the database, the ring and the write-ahead log of a journal before anything is written, and reports in
//! words what is damaged.

use super::{
    checksum::CheckedRow,
    ring::{RingContents, RingSlot, SLOTS},
};
use crate::model::IdempotencyKey;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

/// The database as it opens.
#[derive(Debug, Clone, Copy)]
pub(super) enum DatabaseState<'a> {
    /// No database, or an empty one.
    Empty,
    /// A schema version without a ring.
    Older,
    Rows {
        uuid: [u8; 16],
        /// Whether the ring has been filled: if so, a missing ring was lost.
        ring: RingState,
        rows: &'a [CheckedRow],
        /// The highest row number ever used.
        newest: i64,
    },
}

/// Whether the database expects a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RingState {
    Unfilled,
    Filled,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct FileContents<'a> {
    pub(super) base: DatabaseState<'a>,
    pub(super) ring: &'a RingContents,
    /// Commits of the log after a damaged frame.
    pub(super) lost_commits: usize,
}

/// One kind of damage.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DamageKind {
    DatabaseGone,
    DatabaseOlder,
    Log {
        commits: usize,
    },
    Lost(i64),
    Changed(i64),
    MissingBefore(i64),
    OutcomeLost(i64),
    RingMissing,
    RingUnreadable {
        slots: usize,
    },
    RingOfAnother,
    RingBehind {
        rows: usize,
    },
    /// In `SQLite`'s words.
    Structure(String),
}

/// What is damaged, and what the ring has of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DamageReport<'a> {
    pub(super) flaws: Vec<DamageKind>,
    /// Intents that the database lacks.
    pub(super) lost: Vec<&'a RingSlot>,
    /// Rows that the ring knows to be settled.
    pub(super) settled: Vec<&'a RingSlot>,
    /// Rows that do not match their checksums.
    pub(super) changed: Vec<(i64, Option<&'a RingSlot>)>,
}

pub(super) fn decide(facts: FileContents<'_>) -> DamageReport<'_> {
    let mut report = DamageReport::default();
    if facts.lost_commits > 1 {
        let commits = facts.lost_commits;
        report.flaws.push(DamageKind::Log { commits });
    }
    match facts.base {
        DatabaseState::Empty => report.without(DamageKind::DatabaseGone, facts.ring),
        DatabaseState::Older => report.without(DamageKind::DatabaseOlder, facts.ring),
        DatabaseState::Rows {
            uuid,
            ring,
            rows,
            newest,
        } => {
            let compared = Comparison::new(uuid, rows, newest, facts.ring);
            compared.judge_rows(&mut report);
            if ring == RingState::Filled {
                report.flaws.extend(compared.ring_flaw(facts.ring));
            }
        }
    }
    report.flaws.sort();
    report
}

impl<'a> DamageReport<'a> {
    /// The ring holds intents that the database cannot have.
    fn without(&mut self, flaw: DamageKind, ring: &'a RingContents) {
        if ring.slots.is_empty() && ring.unreadable == 0 {
            return;
        }
        self.flaws.push(flaw);
        if ring.unreadable > 0 {
            let slots = ring.unreadable;
            self.flaws.push(DamageKind::RingUnreadable { slots });
        }
        self.lost.extend(&ring.slots);
        self.lost.sort_by_key(|slot| slot.id);
        self.flaws
            .extend(ring.slots.iter().map(|slot| DamageKind::Lost(slot.id.0)));
    }
}

struct Comparison<'a> {
    rows: &'a [CheckedRow],
    newest: i64,
    /// Slots of this journal, by row number.
    slots: BTreeMap<i64, &'a RingSlot>,
    foreign: usize,
}

impl<'a> Comparison<'a> {
    fn new(uuid: [u8; 16], rows: &'a [CheckedRow], newest: i64, ring: &'a RingContents) -> Self {
        let own = ring.slots.iter().filter(|slot| slot.uuid == uuid);
        let slots: BTreeMap<_, _> = own.map(|slot| (slot.id.0, slot)).collect();
        let foreign = ring.slots.iter().filter(|slot| slot.uuid != uuid).count();
        Self {
            rows,
            newest,
            slots,
            foreign,
        }
    }

    fn judge_rows(&self, report: &mut DamageReport<'a>) {
        let mut before_is_whole = true;
        for row in self.rows {
            let slot = self.slots.get(&row.id).copied();
            if !row.is_whole {
                report.flaws.push(DamageKind::Changed(row.id));
                report.changed.push((row.id, slot));
            } else if !row.follows && before_is_whole {
                report.flaws.push(DamageKind::MissingBefore(row.id));
            }
            before_is_whole = row.is_whole;
        }
        let gap = report
            .flaws
            .iter()
            .any(|flaw| matches!(flaw, DamageKind::MissingBefore(_)));
        let rows: BTreeMap<i64, &CheckedRow> = self.rows.iter().map(|row| (row.id, row)).collect();
        for slot in self.slots.values() {
            let id = slot.id.0;
            match rows.get(&id) {
                Some(row) if !row.is_whole => {}
                Some(row)
                    if row.key.as_deref() == slot.intent.key.as_ref().map(IdempotencyKey::raw) =>
                {
                    if row.is_open() && !slot.is_open() {
                        report.flaws.push(DamageKind::OutcomeLost(id));
                        report.settled.push(slot);
                    }
                }
                // Rows settled long ago are pruned; their slots are freed later.
                None if id <= self.newest && !slot.is_open() && !gap => {}
                Some(_) | None => {
                    report.flaws.push(DamageKind::Lost(id));
                    report.lost.push(slot);
                }
            }
        }
    }

    fn ring_flaw(&self, ring: &RingContents) -> Option<DamageKind> {
        if !ring.is_there {
            return Some(DamageKind::RingMissing);
        }
        if self.foreign > 0 {
            return Some(DamageKind::RingOfAnother);
        }
        let newest = self.slots.last_key_value().map_or(0, |(id, _)| *id);
        let behind = self.rows.iter().filter(|row| row.id > newest).count();
        // A slot is written after its commit, so one row may be newer than the ring.
        if behind > 1 {
            return Some(DamageKind::RingBehind { rows: behind });
        }
        let slots = ring.unreadable;
        let is_torn = slots <= 1 && self.has_no_slot(newest);
        (slots > 0 && !is_torn).then_some(DamageKind::RingUnreadable { slots })
    }

    /// Whether one of the newest rows has no slot: a power cut may have torn it.
    fn has_no_slot(&self, newest: i64) -> bool {
        let oldest = newest.saturating_sub_unsigned(SLOTS as u64);
        let mut rows = self.rows.iter().filter(|row| row.id > oldest);
        rows.any(|row| !self.slots.contains_key(&row.id))
    }
}

/// The flaws, one clause each.
pub(super) fn words(flaws: &[DamageKind]) -> String {
    let mut clauses: Vec<String> = flaws.iter().filter_map(clause).collect();
    for what in [LOST, CHANGED, MISSING_BEFORE, OUTCOME_LOST] {
        let ids = flaws.iter().filter_map(numbered);
        let ids: BTreeSet<i64> = ids
            .filter(|(of, _)| *of == what)
            .map(|(_, id)| id)
            .collect();
        if !ids.is_empty() {
            clauses.push(format!("{} {what}", numbers(&ids)));
        }
    }
    clauses.join("; ")
}

const LOST: &str = "lost";
const CHANGED: &str = "changed on the disk";
const MISSING_BEFORE: &str = "no longer after the row that stood before";
const OUTCOME_LOST: &str = "without its recorded outcome";

/// The clause for a flaw of one row.
fn numbered(flaw: &DamageKind) -> Option<(&'static str, i64)> {
    match flaw {
        DamageKind::Lost(id) => Some((LOST, *id)),
        DamageKind::Changed(id) => Some((CHANGED, *id)),
        DamageKind::MissingBefore(id) => Some((MISSING_BEFORE, *id)),
        DamageKind::OutcomeLost(id) => Some((OUTCOME_LOST, *id)),
        DamageKind::DatabaseGone
        | DamageKind::DatabaseOlder
        | DamageKind::Log { .. }
        | DamageKind::RingMissing
        | DamageKind::RingUnreadable { .. }
        | DamageKind::RingOfAnother
        | DamageKind::RingBehind { .. }
        | DamageKind::Structure(_) => None,
    }
}

fn clause(flaw: &DamageKind) -> Option<String> {
    Some(match flaw {
        DamageKind::DatabaseGone => "the database is gone or empty".to_owned(),
        DamageKind::DatabaseOlder => "the database is an older copy".to_owned(),
        DamageKind::Log { commits } => {
            format!("{commits} commits behind a damaged frame of the write-ahead log are lost")
        }
        DamageKind::RingMissing => "journal.ring is missing or too short".to_owned(),
        DamageKind::RingUnreadable { slots } => {
            format!("{slots} of {SLOTS} slots of journal.ring are unreadable")
        }
        DamageKind::RingOfAnother => "journal.ring belongs to another journal".to_owned(),
        DamageKind::RingBehind { rows } => format!("journal.ring lacks the newest {rows} rows"),
        DamageKind::Structure(why) => format!("SQLite reports: {why}"),
        DamageKind::Lost(_)
        | DamageKind::Changed(_)
        | DamageKind::MissingBefore(_)
        | DamageKind::OutcomeLost(_) => {
            return None;
        }
    })
}

/// `rows 3, 7-13`.
pub(super) fn numbers(ids: &BTreeSet<i64>) -> String {
    let mut runs: Vec<(i64, i64)> = vec![];
    for id in ids {
        match runs.last_mut() {
            Some((_, last)) if last.saturating_add(1) == *id => *last = *id,
            Some(_) | None => runs.push((*id, *id)),
        }
    }
    let mut text = if ids.len() == 1 { "row" } else { "rows" }.to_owned();
    for (at, (first, last)) in runs.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        // Writing to a string cannot fail.
        let _written = if first == last {
            write!(text, "{comma} {first}")
        } else {
            write!(text, "{comma} {first}-{last}")
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        journal::{Intent, IntentId, IntentState, ring::SlotDetail},
        model::{Risk, Timestamp},
    };

    const OURS: [u8; 16] = [7; 16];

    fn slot(id: i64, state: IntentState) -> RingSlot {
        RingSlot {
            uuid: OURS,
            chain: [0; 32],
            id: IntentId(id),
            created_at: Timestamp(id),
            state,
            order_id: None,
            intent: Intent {
                base_url: String::new(),
                account_id: "a".into(),
                credential: String::new(),
                method: "POST".to_owned(),
                target: String::new(),
                body: vec![],
                key: Some(format!("k{id}").into()),
                risk: Risk::Increasing,
                command: String::new(),
                resource: None,
                parent: None,
                deadline: Timestamp(0),
                replay_until: Timestamp(0),
            },
            body_hash: [0; 32],
            kept: SlotDetail::All,
        }
    }

    fn row(id: i64, state: IntentState) -> CheckedRow {
        CheckedRow {
            id,
            key: Some(format!("k{id}")),
            state: Some(state),
            is_whole: true,
            follows: true,
        }
    }

    fn ring(slots: impl IntoIterator<Item = RingSlot>) -> RingContents {
        RingContents {
            is_there: true,
            slots: slots.into_iter().collect(),
            unreadable: 0,
        }
    }

    const OPEN: IntentState = IntentState::Inflight;
    const DONE: IntentState = IntentState::Done;

    /// The flaws in words, and the rows to restore.
    fn told(rows: &[CheckedRow], newest: i64, ring: &RingContents) -> (String, Vec<i64>) {
        let facts = FileContents {
            base: DatabaseState::Rows {
                uuid: OURS,
                ring: RingState::Filled,
                rows,
                newest,
            },
            ring,
            lost_commits: 0,
        };
        let report = decide(facts);
        let lost = report.lost.iter().map(|slot| slot.id.0).collect();
        (words(&report.flaws), lost)
    }

    /// Name, rows, ring, the words, and the lost rows.
    type Case = (
        &'static str,
        Vec<CheckedRow>,
        RingContents,
        &'static str,
        Vec<i64>,
    );

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table, one case after another")]
    fn every_way_in_which_the_database_and_the_ring_differ_has_its_verdict() {
        let whole = || (1..=4).map(|id| row(id, DONE)).collect::<Vec<_>>();
        let all = || ring((1..=4).map(|id| slot(id, DONE)));
        let changed = |at: usize, change: fn(&mut CheckedRow)| {
            let mut rows = whole();
            change(&mut rows[at]);
            rows
        };
        let spoilt = |unreadable, slots| RingContents {
            unreadable,
            ..ring(slots)
        };
        let other = |id| RingSlot {
            uuid: [9; 16],
            ..slot(id, DONE)
        };
        let cut = |n| (1..=n).map(|id| slot(id, DONE)).collect::<Vec<_>>();
        let cases: Vec<Case> = vec![
            ("all is well", whole(), all(), "", vec![]),
            (
                "killed between commit and slot",
                whole(),
                ring(cut(3)),
                "",
                vec![],
            ),
            (
                "a slot torn by a power cut",
                whole(),
                spoilt(1, cut(3)),
                "",
                vec![],
            ),
            (
                "the tail is gone",
                whole()[..2].to_vec(),
                all(),
                "rows 3-4 lost",
                vec![3, 4],
            ),
            (
                "an old ring",
                whole(),
                ring(cut(2)),
                "journal.ring lacks the newest 2 rows",
                vec![],
            ),
            (
                "slots spoilt that no power cut explains",
                whole(),
                spoilt(1, cut(4)),
                "1 of 128 slots of journal.ring are unreadable",
                vec![],
            ),
            (
                "no ring",
                whole(),
                RingContents::default(),
                "journal.ring is missing or too short",
                vec![],
            ),
            (
                "another's ring",
                whole(),
                ring((1..=4).map(other)),
                "journal.ring belongs to another journal",
                vec![],
            ),
            (
                "a body that changed",
                changed(1, |row| row.is_whole = false),
                all(),
                "row 2 changed on the disk",
                vec![],
            ),
            (
                "a row cut out",
                changed(2, |row| row.follows = false),
                all(),
                "row 3 no longer after the row that stood before",
                vec![],
            ),
            (
                "an outcome that is gone",
                changed(3, |row| row.state = Some(OPEN)),
                all(),
                "row 4 without its recorded outcome",
                vec![],
            ),
            (
                "another command under its number",
                changed(3, |row| row.key = None),
                all(),
                "row 4 lost",
                vec![4],
            ),
            (
                "pruned and still in the ring",
                whole()[1..].to_vec(),
                all(),
                "",
                vec![],
            ),
        ];
        for (what, rows, ring, flaws, lost) in cases {
            assert_eq!(
                told(&rows, 4.min(rows.last().unwrap().id), &ring),
                (flaws.to_owned(), lost),
                "{what}"
            );
        }
    }

    #[test]
    fn a_database_that_is_gone_or_older_than_its_ring_is_said_and_all_of_the_ring_restored() {
        let known = ring([slot(5, OPEN), slot(4, DONE)]);
        let said = |base, ring: &RingContents| {
            let report = decide(FileContents {
                base,
                ring,
                lost_commits: 0,
            });
            let lost: Vec<_> = report.lost.iter().map(|slot| slot.id.0).collect();
            (words(&report.flaws), lost)
        };
        let gone = "the database is gone or empty; rows 4-5 lost".to_owned();
        assert_eq!(said(DatabaseState::Empty, &known), (gone, vec![4, 5]));
        let older = "the database is an older copy; rows 4-5 lost".to_owned();
        assert_eq!(said(DatabaseState::Older, &known), (older, vec![4, 5]));
        let new = (String::new(), vec![]);
        assert_eq!(
            said(DatabaseState::Empty, &RingContents::default()),
            new,
            "the first start"
        );
        let both = RingContents {
            unreadable: 3,
            ..ring([])
        };
        let words = said(DatabaseState::Empty, &both).0;
        assert!(words.contains("3 of 128 slots"), "{words}");
    }
}
