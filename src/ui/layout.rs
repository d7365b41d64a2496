//! Which panes are on the screen, and where, by its size.

use crate::app::tables::pane::{Focus, Pane};
use ratatui::layout::Rect;
use strum::IntoEnumIterator;

/// Smaller than this nothing true can be shown.
pub(super) const SMALLEST: (u16, u16) = (60, 16);

/// What the cards of the TWAPs need in order to say everything.
const CARDS: u16 = 54;

/// The least that is left of a pane: its border, its headings and two rows.
const LEAST_LOWEST: u16 = 5;

/// What positions and orders need in order to show all that a trader decides by: what is left over at the least width
/// of [`WidthTier::Wide`].
const TABLES: u16 = 106;

/// What working orders need in order to show type, price, trigger, reduce-only and state, each abbreviated.
const LEAST_ORDERS: u16 = 68;

/// And distance and time in force.
const ORDERS: u16 = 78;

/// Below this TWAPs are no cards.
const NARROW_CARDS: u16 = 42;

/// How much room there is. The height decides as well: a wide but low screen takes the next form down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WidthTier {
    /// Positions over orders, TWAP over scaled beside them, the history below.
    Wide,
    /// Positions over everything; orders beside TWAP and scaled; the history below.
    Medium,
    /// Positions, and one place with tabs for all other panes.
    Column,
    /// One pane at a time; what it leaves free shows positions, or the orders below those.
    List,
    TooSmall,
}

/// One place of the screen: the pane it shows, and the panes that share it as tabs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PanePlace {
    pub(super) area: Rect,
    pub(super) pane: Pane,
    pub(super) tabs: Vec<Pane>,
}

const TIERS: &[(WidthTier, u16, u16)] = &[
    (WidthTier::Wide, 160, 34),
    (WidthTier::Medium, 100, 30),
    (WidthTier::Column, 80, 20),
    (WidthTier::List, SMALLEST.0, SMALLEST.1),
];

pub(super) fn tier(screen: Rect) -> WidthTier {
    let fits = |(_, width, height): &&(WidthTier, u16, u16)| {
        screen.width >= *width && screen.height >= *height
    };
    TIERS
        .iter()
        .find(fits)
        .map_or(WidthTier::TooSmall, |(tier, ..)| *tier)
}

/// Divides `body` among the panes; `wanted` says how many lines a pane would fill, border included.
pub(super) fn places(
    tier: WidthTier,
    body: Rect,
    focus: &Focus,
    wanted: impl Fn(Pane) -> u16,
) -> Vec<PanePlace> {
    if focus.zoomed {
        return vec![shared(body, focus.pane, Pane::iter())];
    }
    match tier {
        WidthTier::Wide => wide(body, focus, wanted),
        WidthTier::Medium => medium(body, focus, wanted),
        WidthTier::Column => column(body, focus, wanted),
        WidthTier::List | WidthTier::TooSmall => list(body, focus, wanted),
    }
}

/// What stands above the keys for a moment takes its lines from the lowest panes while these keep enough to be read, so
/// that nothing else on the screen moves. `whole` is the body when nothing stands there.
pub(super) fn steady(
    tier: WidthTier,
    whole: Rect,
    body: Rect,
    focus: &Focus,
    wanted: impl Fn(Pane) -> u16,
) -> Vec<PanePlace> {
    let mut places = places(tier, whole, focus, &wanted);
    let taken = whole.bottom().saturating_sub(body.bottom());
    for place in &mut places {
        if place.area.bottom() < whole.bottom() {
            continue;
        }
        if place.area.height < taken.saturating_add(LEAST_LOWEST) {
            return self::places(tier, body, focus, wanted);
        }
        place.area.height = place.area.height.saturating_sub(taken);
    }
    places
}

fn wide(body: Rect, focus: &Focus, wanted: impl Fn(Pane) -> u16) -> Vec<PanePlace> {
    let left = wanted(Pane::Positions).saturating_add(wanted(Pane::Orders));
    let right = wanted(Pane::Twaps).saturating_add(wanted(Pane::Scaled));
    let low = (body.height / 4).max(8);
    let most = body.height.saturating_sub(low);
    let top = left.max(right).clamp((body.height / 2).min(most), most);
    let (top, history) = rows(body, top);
    let left = share(top.width, 32, 50).max(TABLES);
    let (left, right) = columns(top, left.min(top.width.saturating_sub(CARDS)));
    let mut places = stacked(left, [Pane::Positions, Pane::Orders], &wanted);
    places.extend(stacked(right, [Pane::Twaps, Pane::Scaled], &wanted));
    places.push(history_place(history, focus));
    places
}

fn medium(body: Rect, focus: &Focus, wanted: impl Fn(Pane) -> u16) -> Vec<PanePlace> {
    let (top, rest) = rows(
        body,
        wanted(Pane::Positions).clamp(5, (body.height / 3).max(5)),
    );
    let right = wanted(Pane::Twaps).saturating_add(wanted(Pane::Scaled));
    let middle = wanted(Pane::Orders)
        .max(right)
        .min(share(rest.height, 3, 5));
    let (middle, history) = rows(rest, middle.max(rest.height / 2));
    let (left, right) = columns(middle, orders_width(middle.width));
    let mut places = vec![alone(top, Pane::Positions), alone(left, Pane::Orders)];
    places.extend(stacked(right, [Pane::Twaps, Pane::Scaled], &wanted));
    places.push(history_place(history, focus));
    places
}

/// What the orders need for what never goes, and for distance and time in force where the TWAPs keep their cards.
fn orders_width(width: u16) -> u16 {
    let beside_cards = width.saturating_sub(NARROW_CARDS).min(ORDERS);
    share(width, 31, 50).max(LEAST_ORDERS).max(beside_cards)
}

fn column(body: Rect, focus: &Focus, wanted: impl Fn(Pane) -> u16) -> Vec<PanePlace> {
    let (top, rest) = rows(
        body,
        wanted(Pane::Positions).clamp(5, share(body.height, 2, 5).max(5)),
    );
    let below = if focus.pane == Pane::Positions {
        Pane::Orders
    } else {
        focus.pane
    };
    let tabs = Pane::iter().filter(|pane| *pane != Pane::Positions);
    vec![alone(top, Pane::Positions), shared(rest, below, tabs)]
}

fn list(body: Rect, focus: &Focus, wanted: impl Fn(Pane) -> u16) -> Vec<PanePlace> {
    let pane = focus.pane;
    let other = if pane == Pane::Positions {
        Pane::Orders
    } else {
        Pane::Positions
    };
    let (top, rest) = rows(body, wanted(pane));
    // Lists without an end, and lines between their rows.
    if pane.is_history() || rest.height < LEAST_LOWEST {
        return vec![shared(body, pane, Pane::iter())];
    }
    vec![shared(top, pane, Pane::iter()), alone(rest, other)]
}

/// Everything beside one another, and no more than there can be.
pub(super) fn sum<const COUNT: usize>(lengths: [u16; COUNT]) -> u16 {
    lengths.into_iter().fold(0, u16::saturating_add)
}

/// `number` of `whole`, as so much of `length`; nothing of nothing.
pub(super) fn part(number: usize, length: usize, whole: usize) -> usize {
    number
        .saturating_mul(length)
        .checked_div(whole)
        .unwrap_or(0)
}

/// So many parts of a length, whatever the length.
pub(super) fn share(length: u16, parts: u16, of: u16) -> u16 {
    let part = part(length.into(), parts.into(), of.max(1).into());
    u16::try_from(part).unwrap_or(u16::MAX)
}

fn history_place(area: Rect, focus: &Focus) -> PanePlace {
    shared(
        area,
        focus.tab,
        Pane::iter().filter(|pane| pane.is_history()),
    )
}

fn alone(area: Rect, pane: Pane) -> PanePlace {
    shared(area, pane, [pane].into_iter())
}

fn shared(area: Rect, pane: Pane, tabs: impl Iterator<Item = Pane>) -> PanePlace {
    PanePlace {
        area,
        pane,
        tabs: tabs.collect(),
    }
}

/// Two panes over one another: the upper one gets what it wants while the lower one keeps enough to be read.
fn stacked(area: Rect, panes: [Pane; 2], wanted: &impl Fn(Pane) -> u16) -> Vec<PanePlace> {
    let [upper, lower] = panes;
    let spare = area.height.saturating_sub(wanted(lower));
    let most = spare
        .max(share(area.height, 11, 20))
        .min(area.height.saturating_sub(5));
    let (above, below) = rows(area, wanted(upper).clamp(5.min(most), most));
    vec![alone(above, upper), alone(below, lower)]
}

fn rows(area: Rect, above: u16) -> (Rect, Rect) {
    let above = above.min(area.height);
    let upper = Rect {
        height: above,
        ..area
    };
    let lower = Rect {
        y: area.y.saturating_add(above),
        height: area.height.saturating_sub(above),
        ..area
    };
    (upper, lower)
}

fn columns(area: Rect, left: u16) -> (Rect, Rect) {
    let left = left.min(area.width);
    let first = Rect {
        width: left,
        ..area
    };
    let second = Rect {
        x: area.x.saturating_add(left),
        width: area.width.saturating_sub(left),
        ..area
    };
    (first, second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn areas(width: u16, height: u16) -> Vec<Rect> {
        let body = Rect::new(0, 1, width, height - 2);
        let screen = Rect::new(0, 0, width, height);
        let places = places(tier(screen), body, &Focus::default(), |_| 12);
        places.into_iter().map(|place| place.area).collect()
    }

    #[test]
    fn the_tiers_change_where_the_product_says() {
        let at = |width| tier(Rect::new(0, 0, width, 60));
        assert_eq!(
            [160, 159, 99, 79, 59].map(at),
            [
                WidthTier::Wide,
                WidthTier::Medium,
                WidthTier::Column,
                WidthTier::List,
                WidthTier::TooSmall
            ]
        );
        assert_eq!(tier(Rect::new(0, 0, 200, 15)), WidthTier::TooSmall);
    }

    #[test]
    fn what_comes_above_the_keys_takes_its_lines_from_the_lowest_pane_alone() {
        for (width, height) in [(200, 60), (160, 48), (100, 30), (80, 24)] {
            let whole = Rect::new(0, 1, width, height - 2);
            let body = Rect::new(0, 1, width, height - 5);
            let tier = tier(Rect::new(0, 0, width, height));
            let focus = Focus::default();
            let before = places(tier, whole, &focus, |_| 12);
            let after = steady(tier, whole, body, &focus, |_| 12);
            for (before, after) in before.iter().zip(&after) {
                let lowest = before.area.bottom() == whole.bottom();
                let taken = if lowest { 3 } else { 0 };
                assert_eq!(after.area.height, before.area.height - taken);
                assert_eq!(after.area.y, before.area.y, "{width}x{height}");
            }
        }
    }

    #[test]
    fn the_places_cover_the_body_without_overlap_at_every_size() {
        for width in (60..=220).step_by(7) {
            for height in 16..=70 {
                let areas = areas(width, height);
                let covered: u32 = areas.iter().map(|area| area.area()).sum();
                assert_eq!(
                    covered,
                    u32::from(width) * u32::from(height - 2),
                    "{width}x{height}"
                );
                for (at, area) in areas.iter().enumerate() {
                    let rest = areas.get(at + 1..).unwrap_or_default();
                    assert!(
                        rest.iter().all(|other| !area.intersects(*other)),
                        "{width}x{height}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_short_list_leaves_the_rest_of_a_small_screen_to_another() {
        let body = Rect::new(0, 1, 60, 14);
        let shown = |pane, lines| {
            let mut focus = Focus::default();
            focus.go(pane);
            let places = places(WidthTier::List, body, &focus, |_| lines);
            let places = places.iter().map(|place| (place.pane, place.area.height));
            places.collect::<Vec<_>>()
        };
        let both = [(Pane::Positions, 8), (Pane::Orders, 6)];
        assert_eq!(shown(Pane::Positions, 8), both);
        assert_eq!(shown(Pane::Positions, 10), [(Pane::Positions, 14)]);
        let both = [(Pane::Orders, 4), (Pane::Positions, 10)];
        assert_eq!(shown(Pane::Orders, 4), both);
        assert_eq!(shown(Pane::History, 4), [(Pane::History, 14)]);
    }
}
