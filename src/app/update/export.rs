//! Runs an export: reads every page, then writes once.

use crate::{
    app::{
        account::{pane::Pane, poll::Source, store::Store, trades::TradeLog},
        activity::notice::Notice,
        core::{
            effect::{Effect, ReadOnce},
            sheet::{Sheet, SheetRows},
        },
        desk::model::Model,
        dialogs::{
            export::{Export, Lack, Stage},
            overlay::Overlay,
        },
    },
    model::Timestamp,
};

/// Continues an export: requests the next page, or writes the file.
pub(crate) fn proceed(model: &mut Model) -> Vec<Effect> {
    let Some(Overlay::Export(export)) = model.overlays.last_mut() else {
        return vec![];
    };
    let Stage::Reading(wanted) = export.stage else {
        return vec![];
    };
    let account = model.account.account_id();
    let account = account.map(ToString::to_string).unwrap_or_default();
    let store = &mut model.account.store;
    if !is_known(export.pane, store) {
        let why = "perpdeck has not read this pane yet".to_owned();
        export.stage = Stage::Over(Err(why));
        return vec![];
    }
    if !export.has_more(store) {
        let sheet = sheet(export, store, model.account.activity.lines.iter(), account);
        export.stage = Stage::Writing;
        export.lacks = Some(Lack::of(export.pane, store, &model.account.activity));
        return vec![Effect::Write(Box::new(sheet))];
    }
    let (count, _) = export.reach(store);
    let is_closed = export.pane == Pane::Closed;
    let fetching = if is_closed {
        store.closed.is_fetching()
    } else {
        store.history.is_fetching()
    };
    if fetching {
        return vec![];
    }
    if wanted == Some(count) {
        let why = format!("a page could not be read; {count} rows are here, Enter goes on");
        export.stage = Stage::Over(Err(why));
        return vec![];
    }
    export.stage = Stage::Reading(Some(count));
    let next = if is_closed {
        store
            .closed
            .ask_more()
            .map(ReadOnce::MoreClosed)
            .map(Effect::Read)
    } else {
        store
            .history
            .ask_more()
            .map(ReadOnce::MoreHistory)
            .map(Effect::Read)
    };
    next.into_iter().collect()
}

/// An empty file must mean that there is nothing.
fn is_known(pane: Pane, store: &Store) -> bool {
    // Scaled orders are known only through their orders.
    let source = if pane == Pane::Scaled {
        Some(Source::Orders)
    } else {
        pane.source()
    };
    source.is_none_or(|source| store.polled_at(source).is_some())
}

/// The file was written, or failed.
pub(crate) fn written(model: &mut Model, result: Result<(String, usize), String>) -> Vec<Effect> {
    for overlay in &mut model.overlays {
        if let Overlay::Export(export) = overlay
            && export.stage == Stage::Writing
        {
            export.stage = Stage::Over(result);
            break;
        }
    }
    vec![]
}

fn sheet<'a>(
    export: &Export,
    store: &Store,
    lines: impl Iterator<Item = &'a Notice>,
    account: String,
) -> Sheet {
    let since = export.since();
    let is_within =
        |at: Option<Timestamp>| since.is_none_or(|since| at.is_some_and(|at| at >= since));
    let rows = match export.pane {
        Pane::Positions => SheetRows::Positions(store.positions.rows().to_vec()),
        Pane::Orders => SheetRows::Working(store.orders.rows().to_vec()),
        Pane::Twaps => SheetRows::Twaps(store.active_twaps().cloned().collect()),
        Pane::Scaled => {
            let scaled = store.scaled.keys().filter_map(|id| store.scaled_order(id));
            SheetRows::Scaled(scaled.cloned().collect())
        }
        Pane::Closed => {
            let rows = store.closed.rows().iter();
            let within = rows.filter(|row| is_within(row.closed_at));
            SheetRows::Closed(within.cloned().collect())
        }
        Pane::History => {
            let rows = store.history.rows().iter();
            let within = rows.filter(|row| is_within(Some(row.requested_at)));
            SheetRows::History(within.cloned().collect())
        }
        Pane::Activity => SheetRows::Activity(lines.cloned().collect()),
        Pane::Calls => SheetRows::Calls(store.calls.iter().map(|(_, call)| call.clone()).collect()),
    };
    let working = store.orders.value();
    Sheet {
        working: working.filter(|_| export.pane == Pane::Positions).cloned(),
        trades: match export.pane {
            Pane::Closed => store.trades.clone(),
            Pane::Positions
            | Pane::Orders
            | Pane::Twaps
            | Pane::Scaled
            | Pane::History
            | Pane::Activity
            | Pane::Calls => TradeLog::default(),
        },
        to: export.to.clone(),
        format: export.format,
        account,
        at: export.opened_at,
        rows,
        markets: store
            .markets
            .value()
            .into_iter()
            .flat_map(|m| m.values().cloned())
            .collect(),
    }
}
