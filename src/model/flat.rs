//! Flat: nothing open, nothing working, nothing that trades later. Only reads can say so: a completed
//! close-all is orders submitted, not positions gone.

use super::{CloseAll, Timestamp};
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// What complete reads say is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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

/// Two complete reads that found nothing, at these instants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlatProof {
    pub first: Timestamp,
    pub second: Timestamp,
}

/// Nearer together, two reads could be one moment of the service.
pub const PROOF_APART: Duration = Duration::from_secs(2);

impl fmt::Display for FlatProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let apart = self.second.since(self.first);
        write!(
            f,
            "flat: no position, order or TWAP on two reads {}.{} s apart",
            apart.as_secs(),
            apart.subsec_millis() / 100
        )
    }
}

/// How far a flatten has come.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Flattening {
    /// From 1; each round closes with a key of its own.
    pub round: u32,
    /// `None` until the first complete read.
    pub left: Option<Leftovers>,
    /// The close-all of this round, once it has answered.
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
            "flat: no position, order or TWAP on two reads 2.1 s apart"
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
