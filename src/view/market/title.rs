//! What stands in the border of a panel of the market: its key, its name, its market.

use crate::{
    app::{
        MarketPanel, Model,
        keys::keymap::{Action, Context},
        tables::spot::Spot,
    },
    view::{panels::title::Title, text::words},
};

/// The title of a panel, or of the tab that stands for it.
pub fn panel_title(model: &Model, panel: MarketPanel) -> Title {
    let (name, short, action) = match panel {
        MarketPanel::Chart => ("Chart", "Chart", Action::MarketChart),
        MarketPanel::Ladder => ("Ladder", "Ladder", Action::PriceLadder),
    };
    let key = model.keymap.chord(Context::Desk, action);
    Title {
        spot: Spot::Panel(panel),
        key: key.map(|chord| chord.to_string()).unwrap_or_default(),
        name,
        short,
        count: market_name(model),
        freshness: vec![],
    }
}

/// `BTC`, and whether it is pinned.
fn market_name(model: &Model) -> String {
    let screen = &model.market_screen;
    let name = screen.market().map(|id| words::market(id).text);
    let name = name.unwrap_or_default();
    if screen.is_pinned() {
        format!("{name} pinned")
    } else {
        name
    }
}
