//! The profit of the closed positions read so far, one after another: the equity curve.

use super::{Scene, Span, format, words};
use crate::model::{Num, Position};

/// Heights are thousandths of the whole chart, from its lower end.
pub const FULL: u16 = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curve {
    pub title: Vec<Span>,
    /// The running total, the oldest position first.
    pub heights: Vec<u16>,
    /// Where neither profit nor loss is.
    pub zero: u16,
    /// The highest and the lowest running total.
    pub high: Span,
    pub low: Span,
}

/// `None` until there are two points to join.
pub fn curve(scene: &Scene<'_>) -> Option<Curve> {
    let rows = scene.store.closed.rows();
    let totals = totals(rows.iter().rev())?;
    let high = totals.iter().max()?.max(&Num::ZERO);
    let low = totals.iter().min()?.min(&Num::ZERO);
    let range = high.minus(*low)?;
    let height = |total: Num| {
        let share = total
            .minus(*low)?
            .over(range)?
            .times(Num::from(u32::from(FULL)))?;
        u16::try_from(share.to_i64()?).ok()
    };
    Some(Curve {
        title: vec![
            Span::muted("net of the last "),
            Span::plain(format::count(totals.len())),
        ],
        heights: totals
            .iter()
            .map(|total| height(*total))
            .collect::<Option<_>>()?,
        zero: height(Num::ZERO)?,
        high: words::pnl(Some(*high)),
        low: words::pnl(Some(*low)),
    })
}

/// Positions whose net is not known add nothing: the curve stays level there.
fn totals<'a>(rows: impl Iterator<Item = &'a Position>) -> Option<Vec<Num>> {
    let mut total = Num::ZERO;
    let mut totals = vec![];
    for net in rows.filter_map(Position::net_pnl) {
        total = total.plus(net)?;
        totals.push(total);
    }
    (totals.len() > 1).then_some(totals)
}
