//! The click targets of a frame.
//!
//! Contract: the code that draws something records its target, so a click means what was visible. Later drawings cover
//! earlier ones.

use crate::app::ClickTarget;
use ratatui::layout::{Position, Rect};
use std::ops::Range;

#[derive(Debug, Clone, Default)]
pub(in crate::ui) struct ClickMap(Vec<ClickZone>);

#[derive(Debug, Clone)]
struct ClickZone {
    area: Rect,
    spot: ClickTarget,
    list: Option<ClickList>,
}

/// A list whose rows from `first` on are visible, `room` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ui) struct ClickList {
    pub(in crate::ui) first: usize,
    pub(in crate::ui) room: usize,
    pub(in crate::ui) count: usize,
}

/// The direction of the wheel, and the notches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Up(usize),
    Down(usize),
}

/// Rows per notch of the wheel, limited to this fraction of the visible rows.
const NOTCH: usize = 3;
const PART: usize = 4;

impl ClickList {
    fn turned(self, turn: Turn) -> usize {
        let step = (self.room / PART).clamp(1, NOTCH);
        let latest = self.count.saturating_sub(self.room);
        match turn {
            Turn::Up(notches) => self.first.saturating_sub(step.saturating_mul(notches)),
            Turn::Down(notches) => {
                let wanted = self.first.saturating_add(step.saturating_mul(notches));
                wanted.min(latest.max(self.first))
            }
        }
    }
}

impl ClickMap {
    pub(in crate::ui) fn spot(&mut self, area: Rect, spot: ClickTarget) {
        self.push(area, spot, None);
    }

    pub(in crate::ui) fn list(&mut self, area: Rect, spot: ClickTarget, list: ClickList) {
        self.push(area, spot, Some(list));
    }

    /// Those of another part of the frame, which lie above.
    pub(in crate::ui) fn extend(&mut self, others: &Self) {
        self.0.extend_from_slice(&others.0);
    }

    fn push(&mut self, area: Rect, spot: ClickTarget, list: Option<ClickList>) {
        if !area.is_empty() {
            self.0.push(ClickZone { area, spot, list });
        }
    }

    pub(in crate::ui) fn at(&self, place: Position) -> Option<&ClickTarget> {
        self.under(place).next().map(|zone| &zone.spot)
    }

    /// The list at this position, and its visible rows after the turn; `None` if nothing moves.
    pub(in crate::ui) fn turned(
        &self,
        place: Position,
        turn: Turn,
    ) -> Option<(&ClickTarget, Range<usize>)> {
        let ends = |zone: &&ClickZone| zone.list.is_some() || zone.spot == ClickTarget::Over;
        let zone = self.under(place).find(ends)?;
        let list = zone.list?;
        let first = list.turned(turn);
        let seen = first..first.saturating_add(list.room).min(list.count);
        (first != list.first).then_some((&zone.spot, seen))
    }

    /// Topmost first.
    fn under(&self, place: Position) -> impl Iterator<Item = &ClickZone> {
        self.0
            .iter()
            .rev()
            .filter(move |zone| zone.area.contains(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Pane;

    const SCREEN: Rect = Rect::new(0, 0, 80, 24);
    const PANEL: Rect = Rect::new(20, 5, 40, 10);

    fn list(first: usize) -> ClickList {
        ClickList {
            first,
            room: 20,
            count: 50,
        }
    }

    fn clicks(first: usize) -> ClickMap {
        let mut clicks = ClickMap::default();
        clicks.list(SCREEN, ClickTarget::Pane(Pane::Orders), list(first));
        clicks
    }

    #[test]
    fn what_lies_over_the_desk_hides_it() {
        let mut clicks = clicks(0);
        clicks.spot(PANEL, ClickTarget::Over);
        let at = |x, y| clicks.at(Position::new(x, y));
        assert_eq!(at(0, 0), Some(&ClickTarget::Pane(Pane::Orders)));
        assert_eq!(at(20, 5), Some(&ClickTarget::Over));
        assert_eq!(at(80, 0), None);
        assert_eq!(clicks.turned(Position::new(30, 8), Turn::Down(1)), None);
    }

    #[test]
    fn a_notch_moves_three_rows_and_stops_at_both_ends() {
        let turned = |first, turn| {
            let clicks = clicks(first);
            let moved = clicks.turned(Position::ORIGIN, turn);
            moved.map(|(_, seen)| seen)
        };
        assert_eq!(turned(0, Turn::Up(1)), None);
        assert_eq!(turned(0, Turn::Down(1)), Some(3..23));
        assert_eq!(turned(29, Turn::Down(1)), Some(30..50));
        assert_eq!(turned(30, Turn::Down(1)), None);
        assert_eq!(turned(2, Turn::Up(1)), Some(0..20));
        assert_eq!(turned(0, Turn::Down(4)), Some(12..32));
        assert_eq!(turned(0, Turn::Down(usize::MAX)), Some(30..50));
    }
}
