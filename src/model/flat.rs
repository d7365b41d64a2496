//! Flat: nothing open, nothing working, nothing that trades later. Only reads can show it: a completed close-all has
//! submitted orders, and the positions may still be open.

use super::{CloseAll, Timestamp};
use std::{fmt, time::Duration};

/// What complete reads show as still open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Leftovers {
    pub positions: usize,
    pub orders: usize,
    pub twaps: usize,
}

impl Leftovers {
    pub fn is_flat(self) -> bool {
        self == Self::default()
    }
}

impl fmt::Display for Leftovers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.positions, "open position"),
            (self.orders, "working order"),
            (self.twaps, "active TWAP"),
        ];
        let mut before = "";
        for (count, what) in parts.into_iter().filter(|(count, _)| *count > 0) {
            let plural = if count == 1 { "" } else { "s" };
            write!(f, "{before}{count} {what}{plural}")?;
            before = ", ";
        }
        if before.is_empty() {
            write!(f, "nothing")?;
        }
        Ok(())
    }
}

/// Two complete reads that found nothing, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlatProof {
    pub first: Timestamp,
    pub second: Timestamp,
}

/// Two reads closer together could show the same moment of the service.
pub const PROOF_APART: Duration = Duration::from_secs(2);

impl fmt::Display for FlatProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let apart = self.second.since(self.first);
        write!(
            f,
            "no position, order or TWAP on two reads {}.{} s apart",
            apart.as_secs(),
            apart.subsec_millis() / 100
        )
    }
}

/// A position that a close left may only be filling: this many complete reads must find it.
const PATIENT_READS: u32 = 3;
const BETWEEN_READS: Duration = Duration::from_secs(1);

/// Complete reads after a close, until they decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proving {
    clean_since: Option<Timestamp>,
    patience: u32,
}

/// The result of the reads so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlatFinding {
    Proved(FlatProof),
    /// Something is left and is not just filling.
    Left,
    /// Undecided.
    Open,
}

impl Default for Proving {
    fn default() -> Self {
        Self {
            clean_since: None,
            patience: PATIENT_READS,
        }
    }
}

impl Proving {
    /// One more read, requested at `at`.
    pub fn saw(&mut self, at: Timestamp, found: Leftovers) -> FlatFinding {
        if !found.is_flat() {
            self.clean_since = None;
            self.patience = self.patience.saturating_sub(1);
            return if self.patience == 0 {
                FlatFinding::Left
            } else {
                FlatFinding::Open
            };
        }
        let Some(first) = self.clean_since else {
            self.clean_since = Some(at);
            return FlatFinding::Open;
        };
        FlatFinding::Proved(FlatProof { first, second: at })
    }

    /// The first of the consecutive reads that found nothing.
    pub fn clean_since(self) -> Option<Timestamp> {
        self.clean_since
    }

    /// How long until the next read.
    pub fn pause(self) -> Duration {
        match self.clean_since {
            Some(_) => PROOF_APART,
            None => BETWEEN_READS,
        }
    }
}

/// The progress of a flatten.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Flattening {
    /// From 1; each round closes with a key of its own.
    pub round: u32,
    /// `None` until the first complete read.
    pub left: Option<Leftovers>,
    /// The close-all of this round, once it has a response.
    pub operation: Option<CloseAll>,
    /// The first of two reads that found nothing.
    pub clean_since: Option<Timestamp>,
}

impl fmt::Display for Flattening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "round {}", self.round)?;
        if let Some(operation) = &self.operation {
            let (done, total) = (operation.done_count(), operation.total_count);
            write!(f, ", {done} of {total} positions tried")?;
        }
        match (self.clean_since, self.left) {
            (Some(_), _) => write!(f, ", nothing left, reading once more"),
            (None, Some(left)) => write!(f, ", {left} left"),
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_only_on_its_way_is_waited_for_and_what_comes_back_begins_the_proof_anew() {
        let [none, one] = [0, 1].map(|positions| Leftovers {
            positions,
            ..Leftovers::default()
        });
        let findings = |reads: &[Leftovers]| {
            let mut proving = Proving::default();
            let reads = (1..).zip(reads);
            let seen = reads.map(|(at, found)| proving.saw(Timestamp(at), *found));
            seen.collect::<Vec<_>>()
        };
        let proved = |first, second| {
            let [first, second] = [first, second].map(Timestamp);
            FlatFinding::Proved(FlatProof { first, second })
        };
        let (open, left) = (FlatFinding::Open, FlatFinding::Left);
        assert_eq!(
            findings(&[one, one, none, none]),
            [open, open, open, proved(3, 4)]
        );
        assert_eq!(findings(&[one, one, one]), [open, open, left]);
        assert_eq!(findings(&[none, one, none, none])[3], proved(3, 4));
        assert_eq!(findings(&[none, one, none, one, one])[4], left);
    }

    #[test]
    fn what_is_left_and_what_is_proved_read_as_sentences() {
        let left = Leftovers {
            positions: 1,
            orders: 2,
            twaps: 0,
        };
        assert_eq!(left.to_string(), "1 open position, 2 working orders");
        let proof = FlatProof {
            first: Timestamp(1_000),
            second: Timestamp(3_150),
        };
        assert_eq!(
            proof.to_string(),
            "no position, order or TWAP on two reads 2.1 s apart"
        );
        let going = Flattening {
            round: 2,
            left: Some(left),
            ..Flattening::default()
        };
        assert_eq!(
            going.to_string(),
            "round 2, 1 open position, 2 working orders left"
        );
    }
}
