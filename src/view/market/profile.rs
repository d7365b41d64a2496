//! What traded at each price: the volume of the candles in view, spread over the rows that each of them reaches.
//!
//! Known limit: a candle does not say at which of its prices how much traded, so that each row of it gets as much.

use super::{
    chart_slot::{ChartRoom, ChartSlot},
    scale::{PriceRange, PriceUnit},
};

/// Volumes are counted in so many digits after the point.
const DECIMALS: u32 = 6;

/// Columns of each row of prices, from above; as many as the room has where most traded. Empty without room or volume.
pub(super) fn columns(
    slots: &[ChartSlot],
    (range, unit): (PriceRange, PriceUnit),
    room: ChartRoom,
) -> Vec<u16> {
    if room.profile == 0 {
        return vec![];
    }
    let last = i64::from(room.rows) - 1;
    let mut rows = vec![0_i128; usize::from(room.rows)];
    for candle in slots.iter().filter_map(|slot| slot.candle) {
        let row = |price| {
            let half = range.half(unit.count(price)?, room.rows);
            Some(half.div_euclid(2))
        };
        let volume: Option<i128> = candle
            .volume
            .and_then(|volume| volume.rounded(DECIMALS).to_scaled(DECIMALS));
        let (Some(top), Some(bottom), Some(volume)) = (row(candle.high), row(candle.low), volume)
        else {
            continue;
        };
        let share = volume / i128::from(bottom.saturating_sub(top).max(0) + 1);
        let (top, bottom) = (top.max(0), bottom.min(last));
        let reached = usize::try_from(top).unwrap_or(0)..usize::try_from(bottom + 1).unwrap_or(0);
        for row in rows.get_mut(reached).unwrap_or_default() {
            *row = row.saturating_add(share);
        }
    }
    let most = rows.iter().copied().max().filter(|most| *most > 0);
    let Some(most) = most else { return vec![] };
    let column = |row: &i128| {
        let columns = row.saturating_mul(i128::from(room.profile)) / most;
        u16::try_from(columns).unwrap_or(0)
    };
    rows.iter().map(column).collect()
}
