//! What rows show about the service's format: whether sizes are signed, and the unit of instants.

use crate::model::{Num, TimestampUnit};
use serde_json::value::RawValue;
use std::{cmp::Ordering, collections::BTreeMap};

/// What positions show about the sign of their sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Signs {
    /// Proof that shorts are negative.
    pub negative: usize,
    /// Liquidated above the mark and positive: unsigned shorts.
    pub bare_shorts: usize,
}

/// From rows of size, liquidation price and mark, if known.
pub fn signs(rows: impl Iterator<Item = (Option<Num>, Option<Num>, Option<Num>)>) -> Signs {
    let mut signs = Signs::default();
    for (size, liquidation, mark) in rows {
        let sign = size.map(|size| size.cmp(&Num::ZERO));
        let short = liquidation
            .zip(mark)
            .is_some_and(|(liquidation, mark)| liquidation > mark);
        signs.negative += usize::from(sign == Some(Ordering::Less));
        signs.bare_shorts += usize::from(short && sign == Some(Ordering::Greater));
    }
    signs
}

impl Signs {
    /// Whether sizes are signed; `None` without a short as evidence.
    pub fn verdict(self) -> Option<bool> {
        match (self.negative, self.bare_shorts) {
            (0, 0) => None,
            (0, _) => Some(false),
            (_, _) => Some(true),
        }
    }

    pub fn words(self) -> String {
        match self.verdict() {
            None => "there was no short position to learn from".to_owned(),
            Some(true) => format!("{} positions have a negative size", self.negative),
            Some(false) => format!(
                "{} positive sizes are liquidated above the mark, as shorts are",
                self.bare_shorts
            ),
        }
    }
}

/// Fields that hold an instant in every row that has them.
const INSTANTS: [&str; 3] = ["requested_at", "opened_at", "closed_at"];

/// The unit of a row's instants, from their magnitude.
pub fn unit_of(row: &RawValue) -> Option<TimestampUnit> {
    let fields: BTreeMap<&str, &RawValue> = serde_json::from_str(row.get()).ok()?;
    let number = |field: &&str| fields.get(field)?.get().parse::<Num>().ok();
    TimestampUnit::of(INSTANTS.iter().find_map(number)?)
}
