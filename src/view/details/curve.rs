//! The equity curve: the running profit of the closed positions read so far.

use crate::{
    model::Num,
    view::text::{Scene, Span, format, words},
};

/// Heights are thousandths of the chart, from the bottom.
pub const FULL: u16 = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curve {
    pub title: Vec<Span>,
    /// The running total, oldest position first.
    pub heights: Vec<u16>,
    /// The height of zero.
    pub zero: u16,
    /// The highest and lowest running total.
    pub high: Span,
    pub low: Span,
}

/// The most points: more cannot be distinguished.
const POINTS: usize = 512;

/// `None` with fewer than two points.
pub fn curve(scene: &Scene<'_>) -> Option<Curve> {
    let equity = &scene.store.equity;
    let last = equity.len().checked_sub(1).filter(|last| *last > 0)?;
    let (low, high) = equity.range()?;
    let (low, high) = (low.min(Num::ZERO), high.max(Num::ZERO));
    let range = high.minus(low)?;
    let height = |total: Num| {
        let share = total
            .minus(low)?
            .over(range)?
            .times(Num::from(u32::from(FULL)))?;
        u16::try_from(share.to_i64()?).ok()
    };
    let shown = equity.len().min(POINTS) - 1;
    let places = (0..=shown).map(|n| n * last / shown);
    Some(Curve {
        title: vec![
            Span::muted("net of the last "),
            Span::plain(format::count(equity.len())),
        ],
        heights: places
            .map(|at| height(equity.at(at)?))
            .collect::<Option<_>>()?,
        zero: height(Num::ZERO)?,
        high: words::pnl(Some(high)),
        low: words::pnl(Some(low)),
    })
}
