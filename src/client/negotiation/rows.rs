//! What rows tell of how the service writes them: whether sizes have signs, and what instants count in.

use crate::model::{Num, TimestampUnit};
use serde_json::value::RawValue;
use std::{cmp::Ordering, collections::BTreeMap};

/// What positions say about the sign of their sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Signs {
    /// Proof that a short is negative.
    pub negative: usize,
    /// Liquidated above the mark, and positive: shorts without a sign.
    pub bare_shorts: usize,
}

/// Of rows as size, liquidation price and mark of their market, if they are open and it is known.
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
    /// Whether sizes have signs; `None` where no short was there to tell.
    pub fn verdict(self) -> Option<bool> {
        match (self.negative, self.bare_shorts) {
            (0, 0) => None,
            (0, _) => Some(false),
            (_, _) => Some(true),
        }
    }

    pub fn words(self) -> String {
        match self.verdict() {
            None => "no short position was there to see".to_owned(),
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

/// What the instants of a row count in, by their magnitude.
pub fn unit_of(row: &RawValue) -> Option<TimestampUnit> {
    let fields: BTreeMap<&str, &RawValue> = serde_json::from_str(row.get()).ok()?;
    let number = |field: &&str| fields.get(field)?.get().parse::<Num>().ok();
    TimestampUnit::of(INSTANTS.iter().find_map(number)?)
}
