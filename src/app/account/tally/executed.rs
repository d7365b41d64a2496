//! Totals of fills.

use super::sum::{Sum, join};
use crate::{
    app::account::feed::RowChange,
    model::{Lenient, LiquidityRole, Order},
};

/// Totals of rows with fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Executed {
    pub fills: usize,
    /// Fills with a reference price.
    pub measured: usize,
    /// Fills with a known role.
    pub(super) makers: usize,
    pub(super) roles: usize,
    /// Against the expected or trigger price, USD; and the value at those prices, USD.
    pub gain: Sum,
    pub(super) expected: Sum,
    pub fees: Sum,
}

impl Executed {
    pub(super) fn count(&mut self, order: &Order, change: RowChange) {
        self.fees.add(change.signed(order.fee.unwrap_or_default()));
        if order.fill_price.is_none() {
            return;
        }
        change.step(&mut self.fills);
        let size = order.executed_size();
        let measured = order.fill_gain().zip(order.yardstick());
        let amounts =
            measured.and_then(|(gain, against)| gain.times(size).zip(against.price().times(size)));
        if let Some((gain, expected)) = amounts {
            change.step(&mut self.measured);
            self.gain.add(change.signed(gain));
            self.expected.add(change.signed(expected));
        }
        if let Some(role) = order.liquidity_role.as_ref().and_then(Lenient::known) {
            change.step(&mut self.roles);
            if role == LiquidityRole::Maker {
                change.step(&mut self.makers);
            }
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        let counts = [
            (&mut self.fills, other.fills),
            (&mut self.measured, other.measured),
            (&mut self.makers, other.makers),
            (&mut self.roles, other.roles),
        ];
        let sums = [
            (&mut self.gain, other.gain),
            (&mut self.expected, other.expected),
            (&mut self.fees, other.fees),
        ];
        join(counts, sums);
    }
}
