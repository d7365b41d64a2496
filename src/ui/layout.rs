//! Which panes and panels are on the screen, and where, by its size.

pub(super) mod regions;

use crate::{
    app::{
        LayoutPreset, MarketPanel, Model, Pane, PlaceContent, WidthTier, panels,
        tables::pane::Focus,
    },
    ui::cells::{columns, rows, share, sum},
};
use ratatui::layout::Rect;
use strum::IntoEnumIterator;

/// What the cards of the TWAPs need in order to say everything.
const CARDS: u16 = 54;

/// The least height of a pane: its border, its headings and two rows.
const LEAST_LOWEST: u16 = 5;

/// What positions and orders need in order to show all that a trader decides by.
const TABLES: u16 = 106;

/// The width of working orders with type, price, trigger, reduce-only and state, abbreviated.
const LEAST_ORDERS: u16 = 68;

/// And with distance and time in force.
const ORDERS: u16 = 78;

/// Below this width there are no TWAP cards.
const NARROW_CARDS: u16 = 42;

/// The least height of the history: its border, its headings and five rows.
const LEAST_HISTORY: u16 = 8;

/// Positions and orders get no more than leaves the chart this.
const LEAST_CHART: u16 = 60;

/// The least height of the ladder below positions: its border, its headings, what is around the rows, and eleven prices.
const LEAST_LADDER: u16 = 16;

/// How wide the ladder is, from the narrowest screen that has it beside the chart to the widest.
const LADDER: (u16, u16) = (30, 44);

/// From this height on TWAPs and scaled orders below the market have a place each.
const LEAST_TWO_STRATEGIES: u16 = 17;

/// From this height on the market stands above positions, orders and the history.
const LEAST_THREE_ROWS: u16 = 42;

/// One place of the screen: what it shows, and what shares it as tabs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) area: Rect,
    pub(super) content: PlaceContent,
    pub(super) tabs: Vec<PlaceContent>,
}

/// What decides about the places beside the size of the screen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrangement<'a> {
    focus: &'a Focus,
    preset: LayoutPreset,
    /// The panels of the market; none where there is no market.
    panels: &'a [MarketPanel],
    /// The one of them that is shown where there is room for one.
    front: Option<MarketPanel>,
}

impl<'a> Arrangement<'a> {
    pub(super) fn new(model: &'a Model, tier: WidthTier) -> Self {
        Self {
            focus: &model.focus,
            preset: model.market_screen.preset(tier),
            panels: panels(model),
            front: model.market_screen.front(),
        }
    }

    /// The panels, where they have places of their own.
    fn beside(&self) -> &'a [MarketPanel] {
        match self.preset {
            LayoutPreset::Market => self.panels,
            LayoutPreset::Risk | LayoutPreset::History => &[],
        }
    }

    /// Everything, each a tab.
    fn everything(&self) -> Vec<PlaceContent> {
        let panes = Pane::iter().map(PlaceContent::Pane);
        panes.chain(self.tabs()).collect()
    }

    /// The panels as tabs.
    fn tabs(&self) -> impl Iterator<Item = PlaceContent> + 'a {
        self.panels.iter().copied().map(PlaceContent::Panel)
    }

    /// The history, and the panels of the market where they have no place of their own.
    fn history(&self, area: Rect) -> Place {
        let panes = Pane::iter().filter(|pane| pane.is_history());
        let panes = panes.map(PlaceContent::Pane);
        let is_beside = !self.beside().is_empty();
        let content = match self.focus.panel {
            Some(focused) if !is_beside => PlaceContent::Panel(focused),
            Some(_) | None => PlaceContent::Pane(self.focus.tab),
        };
        let tabs = panes.chain(self.tabs().filter(|_| !is_beside));
        shared(area, content, tabs)
    }

    /// TWAPs and ladders in one place.
    fn strategies(&self, area: Rect) -> Place {
        let panes = Pane::iter().filter(|pane| pane.is_strategy());
        let content = PlaceContent::Pane(self.focus.strategy);
        shared(area, content, panes.map(PlaceContent::Pane))
    }

    /// The panels of the market in one place.
    fn market(&self, area: Rect) -> Option<Place> {
        let front = self.front.filter(|front| self.panels.contains(front));
        let front = front.or(self.panels.last().copied())?;
        Some(shared(area, PlaceContent::Panel(front), self.tabs()))
    }
}

/// Divides `body`; `wanted` says how many lines a pane would fill, border included.
pub(super) fn places(
    tier: WidthTier,
    body: Rect,
    arrangement: &Arrangement<'_>,
    wanted: impl Fn(Pane) -> u16,
) -> Vec<Place> {
    if arrangement.focus.zoomed {
        let tabs = arrangement.everything().into_iter();
        return vec![shared(body, arrangement.focus.content(), tabs)];
    }
    match (tier, arrangement.beside()) {
        (WidthTier::Wide, []) => wide(body, arrangement, wanted),
        (WidthTier::Wide, _) => wide_market(body, arrangement, wanted),
        (WidthTier::Medium, []) => medium(body, arrangement, wanted),
        (WidthTier::Medium, _) => medium_market(body, arrangement, wanted),
        (WidthTier::Column, _) => column(body, arrangement, wanted),
        (WidthTier::List | WidthTier::TooSmall, _) => list(body, arrangement, wanted),
    }
}

/// Temporary lines above the keys take their room from the lowest panes while those stay readable, so that nothing else
/// moves. `whole` is the body without such lines.
pub(super) fn steady(
    tier: WidthTier,
    whole: Rect,
    body: Rect,
    arrangement: &Arrangement<'_>,
    wanted: impl Fn(Pane) -> u16,
) -> Vec<Place> {
    let mut places = places(tier, whole, arrangement, &wanted);
    let taken = whole.bottom().saturating_sub(body.bottom());
    for place in &mut places {
        if place.area.bottom() < whole.bottom() {
            continue;
        }
        if place.area.height < taken.saturating_add(LEAST_LOWEST) {
            return self::places(tier, body, arrangement, wanted);
        }
        place.area.height = place.area.height.saturating_sub(taken);
    }
    places
}

/// The chart beside the price ladder, the largest thing; positions over orders below it, TWAPs and scaled orders beside
/// those; the history lowest. A low screen has no room for three rows of panes.
fn wide_market(
    body: Rect,
    arrangement: &Arrangement<'_>,
    wanted: impl Fn(Pane) -> u16,
) -> Vec<Place> {
    if body.height < LEAST_THREE_ROWS {
        return low_market(body, arrangement, wanted);
    }
    let (market, rest) = rows(body, share(body.height, 11, 20));
    let (chart, ladder) = columns(
        market,
        market.width.saturating_sub(ladder_width(body, arrangement)),
    );
    let mut places = vec![alone(chart, PlaceContent::Panel(MarketPanel::Chart))];
    if !ladder.is_empty() {
        places.push(alone(ladder, PlaceContent::Panel(MarketPanel::Ladder)));
    }
    let low = (rest.height / 4).max(LEAST_HISTORY);
    let (work, history) = rows(rest, rest.height.saturating_sub(low));
    let tables = share(work.width, 13, 20).max(TABLES);
    let (left, right) = columns(work, tables.min(work.width.saturating_sub(CARDS)));
    places.extend(stacked(left, [Pane::Positions, Pane::Orders], &wanted));
    if right.height < LEAST_TWO_STRATEGIES {
        places.push(arrangement.strategies(right));
    } else {
        places.extend(stacked(right, [Pane::Twaps, Pane::Scaled], &wanted));
    }
    places.push(arrangement.history(history));
    places
}

/// Positions, orders and history; the chart over TWAPs and scaled orders; the price ladder.
fn low_market(
    body: Rect,
    arrangement: &Arrangement<'_>,
    wanted: impl Fn(Pane) -> u16,
) -> Vec<Place> {
    let ladder = ladder_width(body, arrangement);
    let market = sum([ladder, LEAST_CHART]);
    let tables = TABLES.min(body.width.saturating_sub(market));
    let (left, rest) = columns(body, (body.width / 2).max(tables));
    let (middle, right) = columns(rest, rest.width.saturating_sub(ladder));
    let mut places = risk_and_history(left, arrangement, &wanted);
    let strategies = sum([Pane::Twaps, Pane::Scaled].map(&wanted));
    let (chart, below) = over_strategies(middle, strategies);
    places.push(alone(chart, PlaceContent::Panel(MarketPanel::Chart)));
    let strategies = [Pane::Twaps, Pane::Scaled];
    places.extend(stacked(below, strategies, &wanted));
    if !right.is_empty() {
        places.push(alone(right, PlaceContent::Panel(MarketPanel::Ladder)));
    }
    places
}

/// No columns where the market has no ladder.
fn ladder_width(body: Rect, arrangement: &Arrangement<'_>) -> u16 {
    let (least, most) = LADDER;
    if arrangement.panels.contains(&MarketPanel::Ladder) {
        share(body.width, 11, 50).clamp(least, most)
    } else {
        0
    }
}

/// The same with one place for the panels of the market, and one for TWAPs and ladders.
fn medium_market(
    body: Rect,
    arrangement: &Arrangement<'_>,
    wanted: impl Fn(Pane) -> u16,
) -> Vec<Place> {
    let (left, right) = columns(body, orders_width(body.width));
    let mut places = risk_and_history(left, arrangement, &wanted);
    let (market, below) = over_strategies(right, wanted(arrangement.focus.strategy));
    places.extend(arrangement.market(market));
    places.push(arrangement.strategies(below));
    places
}

/// The market gets at least half the height and at most what leaves the strategies enough to be read.
fn over_strategies(area: Rect, wanted: u16) -> (Rect, Rect) {
    let most = area.height.saturating_sub(LEAST_HISTORY);
    let spare = area.height.saturating_sub(wanted);
    rows(area, spare.min(most).max(share(area.height, 11, 20)))
}

/// Positions over orders, and about a fifth of the height for the history.
fn risk_and_history(
    area: Rect,
    arrangement: &Arrangement<'_>,
    wanted: &impl Fn(Pane) -> u16,
) -> Vec<Place> {
    let wanted_height = wanted(Pane::Positions).saturating_add(wanted(Pane::Orders));
    let low = share(area.height, 1, 5).max(LEAST_HISTORY);
    let most = area.height.saturating_sub(low);
    let (top, history) = rows(
        area,
        wanted_height.clamp(share(area.height, 7, 10).min(most), most),
    );
    let mut places = stacked(top, [Pane::Positions, Pane::Orders], wanted);
    places.push(arrangement.history(history));
    places
}

/// How many lines lie above the history.
fn above_history(body: Rect, arrangement: &Arrangement<'_>, wanted_height: u16) -> u16 {
    match arrangement.preset {
        LayoutPreset::Market | LayoutPreset::Risk => {
            let low = (body.height / 4).max(LEAST_HISTORY);
            let most = body.height.saturating_sub(low);
            wanted_height.clamp((body.height / 2).min(most), most)
        }
        LayoutPreset::History => share(body.height, 2, 5),
    }
}

/// Positions over orders, TWAP over scaled beside them, the history below.
fn wide(body: Rect, arrangement: &Arrangement<'_>, wanted: impl Fn(Pane) -> u16) -> Vec<Place> {
    let left = wanted(Pane::Positions).saturating_add(wanted(Pane::Orders));
    let right = wanted(Pane::Twaps).saturating_add(wanted(Pane::Scaled));
    let (top, history) = rows(body, above_history(body, arrangement, left.max(right)));
    let left = share(top.width, 32, 50).max(TABLES);
    let (left, right) = columns(top, left.min(top.width.saturating_sub(CARDS)));
    let mut places = stacked(left, [Pane::Positions, Pane::Orders], &wanted);
    places.extend(stacked(right, [Pane::Twaps, Pane::Scaled], &wanted));
    places.push(arrangement.history(history));
    places
}

/// Positions over everything; orders beside TWAP and scaled; the history below.
fn medium(body: Rect, arrangement: &Arrangement<'_>, wanted: impl Fn(Pane) -> u16) -> Vec<Place> {
    let (top, rest) = rows(
        body,
        wanted(Pane::Positions).clamp(5, (body.height / 3).max(5)),
    );
    let right = wanted(Pane::Twaps).saturating_add(wanted(Pane::Scaled));
    let middle = wanted(Pane::Orders)
        .max(right)
        .min(share(rest.height, 3, 5));
    let middle = match arrangement.preset {
        LayoutPreset::Market | LayoutPreset::Risk => middle.max(rest.height / 2),
        LayoutPreset::History => middle.min(share(rest.height, 2, 5)),
    };
    let (middle, history) = rows(rest, middle);
    let (left, right) = columns(middle, orders_width(middle.width));
    let positions = PlaceContent::Pane(Pane::Positions);
    let orders = PlaceContent::Pane(Pane::Orders);
    let mut places = vec![alone(top, positions), alone(left, orders)];
    places.extend(stacked(right, [Pane::Twaps, Pane::Scaled], &wanted));
    places.push(arrangement.history(history));
    places
}

/// The width that orders need for their fixed columns, and for distance and time in force where the TWAPs keep their
/// cards.
fn orders_width(width: u16) -> u16 {
    let beside_cards = width.saturating_sub(NARROW_CARDS).min(ORDERS);
    share(width, 31, 50).max(LEAST_ORDERS).max(beside_cards)
}

fn column(body: Rect, arrangement: &Arrangement<'_>, wanted: impl Fn(Pane) -> u16) -> Vec<Place> {
    let positions = PlaceContent::Pane(Pane::Positions);
    let content = arrangement.focus.content();
    let most = if content == PlaceContent::Panel(MarketPanel::Ladder) {
        body.height.saturating_sub(LEAST_LADDER)
    } else {
        share(body.height, 2, 5)
    };
    let (top, rest) = rows(
        body,
        wanted(Pane::Positions).clamp(LEAST_LOWEST, most.max(LEAST_LOWEST)),
    );
    let below = if content == positions {
        PlaceContent::Pane(Pane::Orders)
    } else {
        content
    };
    let tabs = arrangement.everything().into_iter();
    let tabs = tabs.filter(|tab| *tab != positions);
    vec![alone(top, positions), shared(rest, below, tabs)]
}

fn list(body: Rect, arrangement: &Arrangement<'_>, wanted: impl Fn(Pane) -> u16) -> Vec<Place> {
    let content = arrangement.focus.content();
    let tabs = arrangement.everything().into_iter();
    let PlaceContent::Pane(pane) = content else {
        return vec![shared(body, content, tabs)];
    };
    let other = if pane == Pane::Positions {
        Pane::Orders
    } else {
        Pane::Positions
    };
    let (top, rest) = rows(body, wanted(pane));
    // Lists without an end, and lines between their rows.
    if pane.is_history() || rest.height < LEAST_LOWEST {
        return vec![shared(body, content, tabs)];
    }
    let other = alone(rest, PlaceContent::Pane(other));
    vec![shared(top, content, tabs), other]
}

fn alone(area: Rect, content: PlaceContent) -> Place {
    shared(area, content, [content].into_iter())
}

fn shared(area: Rect, content: PlaceContent, tabs: impl Iterator<Item = PlaceContent>) -> Place {
    Place {
        area,
        content,
        tabs: tabs.collect(),
    }
}

/// Two panes over one another: the upper one gets what it wants while the lower one keeps enough to be read.
fn stacked(area: Rect, panes: [Pane; 2], wanted: &impl Fn(Pane) -> u16) -> Vec<Place> {
    let [upper, lower] = panes;
    let spare = area.height.saturating_sub(wanted(lower));
    let most = spare
        .max(share(area.height, 11, 20))
        .min(area.height.saturating_sub(5));
    let (above, below) = rows(area, wanted(upper).clamp(5.min(most), most));
    vec![
        alone(above, PlaceContent::Pane(upper)),
        alone(below, PlaceContent::Pane(lower)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &[MarketPanel] = &[MarketPanel::Ladder, MarketPanel::Chart];

    fn tier(width: u16, height: u16) -> WidthTier {
        WidthTier::from_size(width, height)
    }

    fn arrangement<'a>(
        focus: &'a Focus,
        preset: LayoutPreset,
        panels: &'a [MarketPanel],
    ) -> Arrangement<'a> {
        Arrangement {
            focus,
            preset,
            panels,
            front: None,
        }
    }

    /// Every arrangement there is, without a market and with one.
    fn every(focus: &Focus) -> Vec<Arrangement<'_>> {
        let panels: [&[MarketPanel]; 3] = [&[], &[MarketPanel::Chart], BOTH];
        let presets = LayoutPreset::iter();
        let all = presets.flat_map(|preset| panels.map(|of| arrangement(focus, preset, of)));
        all.collect()
    }

    #[test]
    fn the_tiers_change_where_the_product_says() {
        let at = |width| tier(width, 60);
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
        assert_eq!(tier(200, 15), WidthTier::TooSmall);
    }

    #[test]
    fn what_comes_above_the_keys_takes_its_lines_from_the_lowest_pane_alone() {
        let focus = Focus::default();
        for (width, height) in [(200, 60), (160, 48), (100, 30), (80, 24)] {
            let whole = Rect::new(0, 1, width, height - 2);
            let body = Rect::new(0, 1, width, height - 5);
            let tier = tier(width, height);
            for arrangement in every(&focus) {
                let before = places(tier, whole, &arrangement, |_| 12);
                let after = steady(tier, whole, body, &arrangement, |_| 12);
                for (before, after) in before.iter().zip(&after) {
                    let lowest = before.area.bottom() == whole.bottom();
                    let taken = if lowest { 3 } else { 0 };
                    assert_eq!(after.area.height, before.area.height - taken);
                    assert_eq!(after.area.y, before.area.y, "{width}x{height}");
                }
            }
        }
    }

    #[test]
    fn the_places_cover_the_body_without_overlap_at_every_size() {
        let focus = Focus::default();
        for width in (60..=220).step_by(7) {
            for height in 16..=70 {
                let body = Rect::new(0, 1, width, height - 2);
                for arrangement in every(&focus) {
                    let places = places(tier(width, height), body, &arrangement, |_| 12);
                    let areas: Vec<_> = places.into_iter().map(|place| place.area).collect();
                    let covered: u32 = areas.iter().map(|area| area.area()).sum();
                    let whole = u32::from(width) * u32::from(height - 2);
                    assert_eq!(covered, whole, "{width}x{height}");
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
    }

    fn contents(size: (u16, u16), arrangement: &Arrangement<'_>) -> Vec<PlaceContent> {
        let (width, height) = size;
        let body = Rect::new(0, 1, width, height - 2);
        let places = places(tier(width, height), body, arrangement, |_| 6);
        places.into_iter().map(|place| place.content).collect()
    }

    #[test]
    fn the_market_is_beside_positions_and_orders_and_its_room_goes_to_the_panes_without_one() {
        let focus = Focus::default();
        let chart = PlaceContent::Panel(MarketPanel::Chart);
        let ladder = PlaceContent::Panel(MarketPanel::Ladder);
        let panels = |size, of| {
            let shown = contents(size, &arrangement(&focus, LayoutPreset::Market, of));
            let is_panel = |content: &PlaceContent| matches!(content, PlaceContent::Panel(_));
            shown.into_iter().filter(is_panel).collect::<Vec<_>>()
        };
        assert_eq!(panels((200, 60), BOTH), [chart, ladder]);
        assert_eq!(panels((160, 48), BOTH), [chart, ladder]);
        assert_eq!(panels((120, 40), BOTH), [chart]);
        assert_eq!(panels((80, 24), BOTH), []);
        for size in [(200, 60), (120, 40), (80, 24), (60, 16)] {
            assert_eq!(panels(size, &[]), [], "{size:?}");
        }
    }

    #[test]
    fn a_panel_that_has_the_keys_is_on_the_screen_in_every_arrangement_and_size() {
        for panel in BOTH {
            let mut focus = Focus::default();
            focus.panel = Some(*panel);
            for mut arrangement in every(&focus) {
                arrangement.front = Some(*panel);
                if !arrangement.panels.contains(panel) {
                    continue;
                }
                for size in [
                    (200, 60),
                    (160, 48),
                    (120, 40),
                    (100, 30),
                    (80, 24),
                    (60, 16),
                ] {
                    let shown = contents(size, &arrangement);
                    let is_shown = shown.contains(&PlaceContent::Panel(*panel));
                    assert!(is_shown, "{panel} {size:?} {:?}", arrangement.preset);
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
            let arrangement = arrangement(&focus, LayoutPreset::Market, &[]);
            let places = places(WidthTier::List, body, &arrangement, |_| lines);
            let places = places
                .iter()
                .map(|place| (place.content, place.area.height));
            places.collect::<Vec<_>>()
        };
        let of = PlaceContent::Pane;
        let both = [(of(Pane::Positions), 8), (of(Pane::Orders), 6)];
        assert_eq!(shown(Pane::Positions, 8), both);
        assert_eq!(shown(Pane::Positions, 10), [(of(Pane::Positions), 14)]);
        let both = [(of(Pane::Orders), 4), (of(Pane::Positions), 10)];
        assert_eq!(shown(Pane::Orders, 4), both);
        assert_eq!(shown(Pane::History, 4), [(of(Pane::History), 14)]);
    }
}
