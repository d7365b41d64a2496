//! The line of markets under the header.

use crate::{
    app::{ClickTarget, Model},
    ui::cells::{Canvas, after, before, spans_width, sum},
    view::{
        Scene, Span,
        market::watchlist::{WatchedMarket, sparkline, watched_count, watchlist},
    },
};
use ratatui::layout::Rect;

/// Between two markets.
const GAP: u16 = 2;
/// The width of a sparkline and the blank before it.
const SPARKLINE_ROOM: u16 = 11;
/// A market takes at least so many columns: its sign, a name, a price, a change.
const LEAST: u16 = 19;

/// How much is reported of each market; the most that fits for all of them is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WatchDetail {
    Sparkline,
    Funding,
    /// Of the market shown what its last day was, and no funding.
    Day,
    Change,
}

impl WatchDetail {
    const ALL: [Self; 4] = [Self::Sparkline, Self::Funding, Self::Day, Self::Change];

    fn spans(self, market: &WatchedMarket) -> Vec<Span> {
        let (funding, day) = match self {
            Self::Sparkline | Self::Funding => (&market.funding[..], &market.day[..]),
            Self::Day => (&[][..], &market.day[..]),
            Self::Change => (&[][..], &[][..]),
        };
        let parts = [&market.price, &market.change, funding, day];
        parts.concat()
    }

    /// What a market takes, the blank after it included.
    fn width(self, market: &WatchedMarket) -> u16 {
        let sparkline = match self {
            Self::Sparkline => SPARKLINE_ROOM,
            Self::Funding | Self::Day | Self::Change => 0,
        };
        sum([spans_width(&self.spans(market)), sparkline, GAP])
    }
}

/// Draws as many markets as have room, the one shown among them; a click on one pins it.
pub(in crate::ui) fn draw(canvas: &mut Canvas<'_>, area: Rect, model: &Model, scene: &Scene<'_>) {
    let count = watched_count(model);
    let most = usize::from(area.width / LEAST).max(1).min(count);
    let mut markets = watchlist(model, scene, most);
    let is_all = |markets: &[WatchedMarket]| markets.len() == count;
    let total = |markets: &[WatchedMarket], detail: WatchDetail| {
        let widths = markets.iter().map(|market| detail.width(market));
        widths.fold(0, u16::saturating_add)
    };
    let fits = |detail: &WatchDetail| is_all(&markets) && total(&markets, *detail) <= area.width;
    let detail = WatchDetail::ALL.into_iter().find(fits);
    let detail = detail.unwrap_or(WatchDetail::Change);
    while total(&markets, detail) > area.width && markets.len() > 1 {
        drop_farthest(&mut markets);
    }
    let mut room = area;
    for market in &markets {
        let mut rest = canvas.spans(room, &detail.spans(market));
        if detail == WatchDetail::Sparkline {
            rest = canvas.spans(rest, &[sparkline(&market.id, scene)]);
        }
        canvas.spot(before(room, rest), ClickTarget::Market(market.id.clone()));
        room = after(rest, GAP);
    }
    if !is_all(&markets) && room.width > 0 {
        let more = count.saturating_sub(markets.len());
        canvas.spans(room, &[Span::muted(format!("+{more}"))]);
    }
}

/// Lets the last go, or the first where the last is the market shown.
fn drop_farthest(markets: &mut Vec<WatchedMarket>) {
    if markets.last().is_some_and(|last| last.is_shown) {
        markets.remove(0);
    } else {
        markets.pop();
    }
}
