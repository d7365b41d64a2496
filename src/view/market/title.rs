//! What stands in the border of a panel of the market: its key, its name, its market, how old its data is.

use crate::{
    app::{
        CandleOrigin, MarketPanel, Model,
        account::poll::Source,
        keys::keymap::{Action, Context},
        tables::click_target::ClickTarget,
    },
    view::{
        panels::title::Title,
        text::{
            age::{Lateness, age_words},
            span::{Span, Tone},
        },
    },
};
use std::time::Duration;

/// How often what is shown of the market is renewed where no interval of the prices is set.
const RENEWED: Duration = Duration::from_secs(2);

/// The title of a panel, or of the tab that stands for it.
pub fn panel_title(model: &Model, panel: MarketPanel) -> Title {
    let (name, short, action) = match panel {
        MarketPanel::Chart => ("Chart", "Chart", Action::MarketChart),
        MarketPanel::Ladder => ("Ladder", "Ladder", Action::PriceLadder),
    };
    let key = model.keymap.chord(Context::Desk, action);
    Title {
        spot: ClickTarget::Panel(panel),
        key: key.map(|chord| chord.to_string()).unwrap_or_default(),
        name,
        short,
        count: counted(model, panel),
        freshness: match panel {
            MarketPanel::Chart => candle_notes(model),
            MarketPanel::Ladder => vec![],
        },
    }
}

/// `BTC 1m`, and whether it is pinned.
fn counted(model: &Model, panel: MarketPanel) -> String {
    let screen = &model.market_screen;
    let name = screen
        .market()
        .map(|id| model.account.store.names.shown(id).to_string());
    let mut words: Vec<String> = name.into_iter().collect();
    if panel == MarketPanel::Chart {
        words.push(screen.chart.interval.to_string());
    }
    if screen.is_pinned() {
        words.push("pinned".to_owned());
    }
    words.join(" ")
}

/// Who made the candles, what is wrong with them, and how old the newest is.
fn candle_notes(model: &Model) -> Vec<Span> {
    let screen = &model.market_screen;
    let series = screen
        .market()
        .and_then(|id| model.account.market_data.candles(id, screen.chart.interval));
    let Some(series) = series else {
        return vec![];
    };
    let mut notes = vec![];
    if series.origin() == CandleOrigin::SeenMarks {
        notes.push(Span::muted("built from marks seen here"));
    }
    if series.awaits_older() {
        notes.push(Span::new("loading older…", Tone::Info));
    }
    if series.unreadable() > 0 {
        let words = format!("{} unreadable", series.unreadable());
        notes.push(Span::new(words, Tone::Warn));
    }
    if let Some(why) = series.trouble() {
        notes.push(Span::new(why.kind.word(), Tone::Warn));
    }
    let interval = model.account.options.intervals.get(&Source::Markets);
    let interval = interval.copied().unwrap_or(RENEWED).max(RENEWED);
    notes.extend(series.age(model.account.now).map(|age| {
        let lateness = Lateness::of(age, interval);
        age_words(age, lateness, model.account.options.motion)
    }));
    notes
}
