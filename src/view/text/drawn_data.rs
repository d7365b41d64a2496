//! What the cells of a place are made from, in a form that is cheap to compare: versions instead of rows.
//!
//! Contract: what a pane or a panel of the market shows is a function of these, its titles and its focus.

use super::{Scene, Tone};
use crate::{
    app::{
        CandleChart, Context, Identity, Model, Motion, SizeBasis,
        market::{price_ladder::PriceLadder, two_charts::ShownChart},
    },
    model::{Drift, MarketId, Timestamp},
};

/// The versions of all data that rows are made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataKey {
    account: usize,
    store: u64,
    activity: u64,
    sent_forms: u64,
    table_views: u64,
    marks: u64,
    identity: Option<Identity>,
    /// The moment of ages and countdowns.
    second: Timestamp,
    drift: Drift,
    motion: Motion,
    priced: Option<Tone>,
}

/// What panels of the market are made from besides.
#[derive(Debug, Clone, PartialEq)]
pub struct MarketKey {
    id: Option<MarketId>,
    is_pinned: bool,
    data: u64,
    alerts: u64,
    chart: Option<CandleChart>,
    /// The version of the trader's own lines.
    lines: u64,
    ladder: PriceLadder,
    size_basis: SizeBasis,
    has_one_key: bool,
    /// What has the keys: under a dialog those press nothing.
    context: Context,
}

impl DataKey {
    pub fn new(model: &Model, scene: &Scene<'_>) -> Self {
        Self {
            account: model.roster.at,
            store: model.account.store.generation(),
            activity: model.account.activity.generation(),
            sent_forms: model.sent_forms.generation(),
            table_views: model.table_views.generation(),
            marks: model.marks.generation(),
            identity: model.account.identity.clone(),
            second: scene.own_now,
            drift: model.account.drift,
            motion: scene.motion,
            priced: scene.priced,
        }
    }
}

impl MarketKey {
    /// Of the ladder, or of this chart.
    pub fn new(model: &Model, chart: Option<ShownChart<'_>>) -> Self {
        let screen = &model.market_screen;
        let market = chart.map_or(screen.market(), |chart| chart.market);
        Self {
            id: market.cloned(),
            is_pinned: screen.is_pinned(),
            data: model.account.market_data.generation(),
            alerts: model.account.user_alerts.generation(),
            lines: screen.lines.version(),
            chart: chart.map(|chart| CandleChart {
                // Reported by drawing it.
                row: None,
                ..chart.chart.clone()
            }),
            ladder: model.price_ladder.as_drawn(),
            size_basis: model.size_basis(market),
            has_one_key: model.account.options.ladder_one_key,
            context: model.context(),
        }
    }
}
