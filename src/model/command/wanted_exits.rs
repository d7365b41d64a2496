//! What the exits of a position are to be, and the operations that make them so.

use super::{ExitBatch, ExitGroup, ExitOperation};
use crate::model::{Num, Order, OrderId, Position, Protection};

/// One kind of exit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WantedExit {
    /// As it is.
    #[default]
    Keep,
    Remove,
    At {
        price: Num,
        /// In coin. Absent keeps the size of the exit; a new one is for the whole position.
        size: Option<Num>,
    },
}

/// The take profit and the stop loss of a position. Reaching it again changes nothing more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WantedExits {
    pub take_profit: WantedExit,
    pub stop_loss: WantedExit,
}

/// Why exits cannot be made as wanted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExitConflict {
    #[error("the position has {0} of them: move or cancel each by itself")]
    Several(usize),
    #[error("{0} has a trigger and a limit: place another one, then cancel it")]
    TwoPrices(OrderId),
}

impl WantedExits {
    /// Only this exit; the other stays.
    pub fn of(purpose: Protection, wanted: WantedExit) -> Self {
        let mut exits = Self::default();
        match purpose {
            Protection::Stop => exits.stop_loss = wanted,
            Protection::Target => exits.take_profit = wanted,
        }
        exits
    }

    /// What `later` leaves as it is stays as wanted here.
    #[must_use]
    pub fn then(self, later: Self) -> Self {
        let either = |before, after| match after {
            WantedExit::Keep => before,
            WantedExit::Remove | WantedExit::At { .. } => after,
        };
        Self {
            take_profit: either(self.take_profit, later.take_profit),
            stop_loss: either(self.stop_loss, later.stop_loss),
        }
    }

    /// Where it wants something else than `done`.
    #[must_use]
    pub fn beyond(self, done: Self) -> Self {
        let new = |wanted, done| {
            if wanted == done {
                WantedExit::Keep
            } else {
                wanted
            }
        };
        Self {
            take_profit: new(self.take_profit, done.take_profit),
            stop_loss: new(self.stop_loss, done.stop_loss),
        }
    }

    /// The batch for a position and the working orders as they are known. Without operations the exits are so already.
    ///
    /// # Errors
    /// The exit that cannot be made so, and why.
    pub fn batch(
        &self,
        position: &Position,
        working: &[Order],
    ) -> Result<ExitBatch, (ExitGroup, ExitConflict)> {
        let operations = self.operations(position, working)?;
        Ok(ExitBatch::of(position, working, operations))
    }

    /// # Errors
    /// As [`Self::batch`].
    pub fn operations(
        &self,
        position: &Position,
        working: &[Order],
    ) -> Result<Vec<ExitOperation>, (ExitGroup, ExitConflict)> {
        let mut operations = vec![];
        for (group, wanted) in [
            (ExitGroup::Tp, self.take_profit),
            (ExitGroup::Sl, self.stop_loss),
        ] {
            let exits = working
                .iter()
                .filter(|order| group.is_of(order, position))
                .collect::<Vec<_>>();
            let own = wanted.operations(group, position, &exits);
            operations.extend(own.map_err(|why| (group, why))?);
        }
        pair(&mut operations);
        Ok(operations)
    }
}

impl WantedExit {
    pub fn price(self) -> Option<Num> {
        match self {
            Self::Keep | Self::Remove => None,
            Self::At { price, .. } => Some(price),
        }
    }

    fn operations(
        self,
        group: ExitGroup,
        position: &Position,
        exits: &[&Order],
    ) -> Result<Vec<ExitOperation>, ExitConflict> {
        let (price, size) = match self {
            Self::Keep => return Ok(vec![]),
            Self::Remove => return Ok(exits.iter().map(|exit| cancel(exit)).collect()),
            Self::At { price, size } => (price, size),
        };
        match exits {
            [] => Ok(vec![ExitOperation::Place {
                group,
                execution_type: None,
                price,
                size: size.unwrap_or_else(|| position.quantity()),
                oco_pair_with: None,
            }]),
            [exit] => Ok(modify(exit, price, size)?.into_iter().collect()),
            several => Err(ExitConflict::Several(several.len())),
        }
    }
}

fn cancel(exit: &Order) -> ExitOperation {
    ExitOperation::Cancel {
        order_id: exit.id.clone(),
    }
}

/// `None` if it is so already.
fn modify(
    exit: &Order,
    price: Num,
    size: Option<Num>,
) -> Result<Option<ExitOperation>, ExitConflict> {
    let size = size.filter(|size| *size != exit.requested_size().abs());
    if size.is_none() && exit.trigger_price == Some(price) {
        return Ok(None);
    }
    if exit.has_two_prices() {
        return Err(ExitConflict::TwoPrices(exit.id.clone()));
    }
    Ok(Some(ExitOperation::Modify {
        order_id: exit.id.clone(),
        price,
        size,
    }))
}

/// A take profit and a stop loss that are placed together are a pair: a fill of the one retires the same size of the
/// other. Only new orders can be paired.
fn pair(operations: &mut [ExitOperation]) {
    let is_placed = |operation: &ExitOperation| matches!(operation, ExitOperation::Place { .. });
    let Some(first) = operations.iter().position(is_placed) else {
        return;
    };
    let mut later = operations.iter_mut().skip(first + 1);
    let second = later.find(|operation| is_placed(operation));
    if let Some(ExitOperation::Place { oco_pair_with, .. }) = second {
        *oco_pair_with = Some(first);
    }
}

impl ExitGroup {
    pub fn purpose(self) -> Protection {
        match self {
            Self::Tp => Protection::Target,
            Self::Sl => Protection::Stop,
        }
    }

    /// Whether `order` is an exit of this kind of `position`, and not about to be canceled.
    pub fn is_of(self, order: &Order, position: &Position) -> bool {
        order.protects(position) == Some(self.purpose()) && !order.is_cancel_queued()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ExecutionType, Risk};

    fn long() -> Position {
        let json = r#"{"id":"pos-1","market_id":"paper|BTC","size":0.5,"side":"long","entry_price":60000}"#;
        serde_json::from_str(json).unwrap()
    }

    fn exit(id: &str, kind: &str, price: u32, more: &str) -> Order {
        let json = format!(
            r#"{{"id":"{id}","account_id":"a","market_id":"paper|BTC","provider":"paper","symbol":"BTC","coin":"BTC",
            "type":"{kind}","mode":"{kind}","side":"sell","size":0.5,"expected_price":60000,"leverage":1,
            "margin_mode":"cross","reduce_only":true,"status":"resting","requested_at":0,"trigger_price":{price},
            "target_position_id":"pos-1"{more}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn at(price: u32) -> WantedExit {
        WantedExit::At {
            price: price.into(),
            size: None,
        }
    }

    fn both(take_profit: WantedExit, stop_loss: WantedExit) -> WantedExits {
        WantedExits {
            take_profit,
            stop_loss,
        }
    }

    fn words(wanted: WantedExits, working: &[Order]) -> Vec<String> {
        let batch = wanted.batch(&long(), working).unwrap();
        batch.operations.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_stop_and_a_target_that_are_placed_together_are_a_pair() {
        let batch = both(at(68_000), at(58_000)).batch(&long(), &[]).unwrap();
        let place = |group, price: u32, oco_pair_with| ExitOperation::Place {
            group,
            execution_type: None,
            price: price.into(),
            size: Num::new(5, 1),
            oco_pair_with,
        };
        let expected = [
            place(ExitGroup::Tp, 68_000, None),
            place(ExitGroup::Sl, 58_000, Some(0)),
        ];
        assert_eq!(batch.operations, expected);
        assert_eq!(batch.risk, Risk::Neutral);
    }

    #[test]
    fn what_is_there_is_moved_and_what_is_so_already_is_left_alone() {
        let working = [
            exit("ord-5", "stop_market", 58_000, ""),
            exit("ord-6", "take_profit", 68_000, ""),
        ];
        let moved = words(both(WantedExit::Keep, at(59_000)), &working);
        assert_eq!(moved, ["move ord-5 to 59,000"]);
        assert_eq!(
            words(both(at(68_000), at(58_000)), &working),
            [""; 0],
            "nothing is sent"
        );
        let gone = words(both(WantedExit::Remove, WantedExit::Remove), &working);
        assert_eq!(gone, ["cancel ord-6", "cancel ord-5"]);
        let half = WantedExit::At {
            price: Num::from(58_000_u32),
            size: Some(Num::new(25, 2)),
        };
        let smaller = words(both(WantedExit::Keep, half), &working);
        assert_eq!(smaller, ["move ord-5 to 58,000, size 0.25"]);
    }

    #[test]
    fn a_stop_that_is_being_canceled_does_not_count_as_one() {
        let going = exit(
            "ord-5",
            "stop_market",
            58_000,
            r#","cancel_requested_at":1"#,
        );
        let batch = both(WantedExit::Keep, at(59_000)).batch(&long(), &[going]);
        let batch = batch.unwrap();
        assert_eq!(batch.expected_orders, []);
        assert!(matches!(
            batch.operations[..],
            [ExitOperation::Place { .. }]
        ));
    }

    #[test]
    fn of_several_stops_none_is_chosen_and_one_with_a_limit_stays() {
        let two = [
            exit("ord-5", "stop_market", 58_000, ""),
            exit("ord-7", "stop_market", 57_000, ""),
        ];
        let why = both(WantedExit::Keep, at(59_000)).batch(&long(), &two);
        assert_eq!(why, Err((ExitGroup::Sl, ExitConflict::Several(2))));
        let limit = [exit(
            "ord-5",
            "stop_limit",
            58_000,
            r#","limit_price":57900"#,
        )];
        let why = both(WantedExit::Keep, at(59_000)).batch(&long(), &limit);
        assert_eq!(
            why,
            Err((ExitGroup::Sl, ExitConflict::TwoPrices("ord-5".into())))
        );
    }

    #[test]
    fn the_guard_names_how_each_exit_executes() {
        let working = [
            exit("ord-5", "stop_market", 58_000, ""),
            exit("ord-6", "take_limit", 68_000, r#","limit_price":68000"#),
            exit(
                "ord-7",
                "conditional",
                70_000,
                r#","trigger_direction":"above""#,
            ),
        ];
        let batch = both(WantedExit::Keep, WantedExit::Keep).batch(&long(), &working);
        let expected = batch.unwrap().expected_orders;
        let types: Vec<_> = expected.iter().map(|exit| exit.execution_type).collect();
        assert_eq!(
            types,
            [
                Some(ExecutionType::Market),
                Some(ExecutionType::Limit),
                None
            ]
        );
    }
}
