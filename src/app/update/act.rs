//! The keys that act. Whatever they open or send is bound to the id that was selected when they were pressed.

use crate::{
    app::{
        account::{labels::Switch, pane::Pane, row_id::RowId},
        core::{account::Account, effect::Clip},
        desk::{cursor, freeze, market_shown::market_of, model::Model, table_view, tour},
        dialogs::{
            export::Export,
            next::{Next, Reply},
            overlay::{Accounts, Columns, Detail, Markets, Overlay, Strip, UserAlertList},
            prompt::Prompt,
            quality::Report,
        },
        forms::form::Form,
        keys::keymap::Action,
        orders::{
            bulk, doubt,
            of_row::{cancel_of, moved, replaced},
            sent,
        },
        rules::guard,
        tables::table_view::TableView,
        update::{
            idle, market,
            position_keys::{is_of_position, of_position, position_shown},
            price_ladder::alert_at,
            review,
        },
    },
    model::{Curve, MarketId, Order, OrderId, PositionId, Side, draft::DraftShape},
};

pub(crate) fn act(model: &mut Model, action: Action) -> Reply {
    if focus(model, action) {
        return Ok(Next::Stay);
    }
    if let Some(next) = market::act(model, action)? {
        return Ok(next);
    }
    if travel(model, action) || tour::step(model, action) {
        return Ok(Next::Stay);
    }
    if let Some(next) = bulk::mark(model, action)? {
        return Ok(next);
    }
    if let Some(next) = bulk::act(model, action)? {
        return Ok(next);
    }
    match cursor::objection(model, action) {
        Some(why) => Err(why),
        None => begin(model, action),
    }
}

/// The pane keys: focus and zoom.
fn focus(model: &mut Model, action: Action) -> bool {
    match (Pane::of(action), action) {
        (Some(pane), _) => model.focus.go(pane),
        (_, Action::NextPane) => market::step(model, 1),
        (_, Action::PreviousPane) => market::step(model, -1),
        (_, Action::Zoom) => model.focus.zoomed = !model.focus.zoomed,
        _ => return false,
    }
    true
}

/// What the key opens or sends.
fn begin(model: &mut Model, action: Action) -> Reply {
    if action.acts_on_its_row() {
        freeze::thaw(model);
    }
    let row = model.selected().or_else(|| position_shown(model, action));
    Ok(match (action, row) {
        (Action::Help, _) => Next::open(Overlay::Help {
            of: model.context(),
            offset: 0,
            search: String::new(),
        }),
        (Action::Dismiss, _) => dismiss(model),
        (Action::Filter, _) => {
            let pane = model.focus.pane;
            Next::open(Prompt::filter(pane, model.table_views.of(pane)))
        }
        (Action::Command, _) => Next::open(Prompt::command()),
        (Action::Freeze, _) => Next::Freeze,
        (Action::Sort | Action::SortDirection, _) => sort(model, action),
        (Action::Columns, _) => Next::open(columns(model)),
        (Action::Export, _) => export(model),
        (Action::Limits, _) => Next::open(Overlay::Limits { offset: 0 }),
        (Action::NextAccount, _) => next(model)?,
        (Action::Accounts, _) => Next::open(Accounts::at(model.roster.at)),
        (Action::CancelAll, _) => bulk::cancel_all(model)?,
        (Action::FindMarket, _) => find_market(model)?,
        (Action::ResumeEntries, _) => Strip::to_rearm(&model.account)?,
        (Action::Quality, _) => Next::open(Report::default()),
        (Action::Chart, row) => chart(model, row.as_ref())?,
        (Action::Decide, row) => doubt::decide(model, row.as_ref())?,
        (Action::Correct, _) => sent::reopen(model)?,
        (Action::AlertHere, row) => alert_here(model, row.as_ref())?,
        (Action::UserAlerts, _) => Next::open(UserAlertList::default()),
        (Action::Review, _) => Next::open(review::open(model)),
        (Action::Note, Some(RowId::Position(id))) => note(&model.account, id),
        (Action::Markets, row) => markets(model, row.as_ref())?,
        (Action::Buy, row) => new_order(model, Side::Buy, row.as_ref())?,
        (Action::Sell, row) => new_order(model, Side::Sell, row.as_ref())?,
        (Action::Copy, Some(row)) => copy(model, row),
        (Action::Detail, Some(row)) => Next::open(Detail::of(row)),
        (Action::NextStep, _) => return Err("no tour is on; :tour begins it".to_owned()),
        (Action::NewTwap, row) => strategy(model, DraftShape::Sliced(Curve::Twap), row.as_ref())?,
        (Action::NewScaled, row) => strategy(model, DraftShape::Scaled, row.as_ref())?,
        (Action::Cancel, Some(row)) => cancel(model, &row)?,
        (action, Some(RowId::Position(id))) => of_position(model, action, &id)?,
        (action, Some(RowId::Order(id))) => of_order(model, action, &id)?,
        (action, None) if model.focus.panel.is_some() && is_of_position(action) => {
            return Err("there is no position in this market".to_owned());
        }
        (_, row) => idle::not_for(model, row.as_ref())?,
    })
}

fn of_order(model: &Model, action: Action, id: &OrderId) -> Reply {
    match (action, model.account.store.order(id)) {
        (Action::Exits, Some(order)) => exits(model, order),
        (Action::Amend, Some(order)) => moved(&model.account, order).map(Next::open),
        _ => idle::not_for(model, Some(&RowId::Order(id.clone()))),
    }
}

/// The wall clock dates the file.
fn export(model: &Model) -> Next {
    let export = Export::new(model.focus.pane, model.account.wall_now());
    Next::open(export)
}

fn sort(model: &mut Model, action: Action) -> Next {
    if action == Action::Sort {
        table_view::next_sort(model);
    } else {
        table_view::turn_sort(model);
    }
    Next::Stay
}

/// The current columns of the focused pane.
pub(crate) fn columns(model: &Model) -> Columns {
    let pane = model.focus.pane;
    let count = (model.reading.columns)(pane).len();
    let table_view = model.table_views.of(pane);
    Columns::of(
        pane,
        count,
        table_view.and_then(|table_view| table_view.columns.as_deref()),
    )
}

/// The movement keys; the selection stays an id.
pub(crate) fn travel(model: &mut Model, action: Action) -> bool {
    let pane = model.focus.pane;
    let rows = model.rows(pane);
    let at = model.focus.selected(pane, &rows).map_or(0, |(at, _)| at);
    let Some(there) = action.moves(at, rows.len().saturating_sub(1)) else {
        return false;
    };
    let row = rows.get(there);
    if let Some(row) = row {
        model.focus.select(pane, row);
    }
    true
}

/// Esc on the desk closes, in this order: the toast, the tour, the marks, the pane's filter, the zoom.
fn dismiss(model: &mut Model) -> Next {
    let pane = model.focus.pane;
    let is_filtered = |table_view: &TableView| table_view.filter.is_some();
    let was_shown = model.account.activity.dismiss_toast(model.account.now) || tour::end(model);
    if was_shown || model.marks.clear(pane) {
        return Next::Stay;
    }
    if model.table_views.of(pane).is_some_and(is_filtered) {
        table_view::change(model, pane, |table_view| table_view.filter = None);
    } else {
        model.focus.zoomed = false;
    }
    Next::Stay
}

/// The id of the row, or of every marked one; a line of the desk's own is copied whole.
fn copy(model: &Model, row: RowId) -> Next {
    let marked = bulk::marked(model);
    let ids: Vec<_> = marked
        .iter()
        .filter_map(|row| id_of(&model.account, row))
        .collect();
    if ids.len() > 1 {
        return Next::Copy(Clip::Lines(ids));
    }
    let one = ids
        .into_iter()
        .next()
        .or_else(|| id_of(&model.account, &row));
    Next::Copy(match one {
        Some(id) => Clip::Text(id),
        None => Clip::Detail(row),
    })
}

fn id_of(account: &Account, row: &RowId) -> Option<String> {
    let id = match row {
        RowId::Position(id) => id.raw(),
        RowId::Order(id) => id.raw(),
        RowId::Twap(id) => id.raw(),
        RowId::Scaled(id) => id.raw(),
        RowId::Rung(id, number) => {
            let scaled = account.store.scaled_order(id)?;
            scaled.rungs.get(*number)?.order_id.as_ref()?.raw()
        }
        RowId::Line(_) => return None,
    };
    Some(id.to_owned())
}

fn cancel(model: &Model, row: &RowId) -> Reply {
    let command = cancel_of(&model.account, row)?;
    Ok(Next::open(Strip::confirm(command, model.account.now)))
}

/// Attached exits belong to a resting limit entry (`docs/service-api.md 4.4`); an armed order is moved by replacing it.
fn exits(model: &Model, order: &Order) -> Reply {
    if order.is_working() && !order.is_armed() {
        return Ok(Next::open(Form::exits(order)));
    }
    replaced(&model.account, order).map(Next::open)
}

/// That of the row, or the one that the panel with the keys shows.
fn market_of_row_or_panel(model: &Model, row: Option<&RowId>) -> Option<MarketId> {
    let of_row = row.and_then(|row| market_of(model, row));
    let shown = || model.market_screen.market().cloned();
    of_row.or_else(|| model.focus.panel.and_then(|_| shown()))
}

fn new_order(model: &Model, side: Side, row: Option<&RowId>) -> Reply {
    let market = market_of_row_or_panel(model, row);
    order(model, side, market.as_ref())
}

pub(crate) fn order(model: &Model, side: Side, market: Option<&MarketId>) -> Reply {
    if let Some(held) = guard::held(&model.account) {
        let limits = model.keymap.chord(model.context(), Action::Limits);
        let key = limits
            .map(|key| format!(", {key} shows the limits"))
            .unwrap_or_default();
        return Err(format!("{held}{key}"));
    }
    Form::new_order(&model.account, side, market).map(Next::open)
}

/// The chart of the row's market on the whole screen, otherwise of the market shown; again, back.
fn chart(model: &mut Model, row: Option<&RowId>) -> Reply {
    let market = row.and_then(|row| market_of(model, row));
    market::visit_chart(model, market)
}

/// The line that sets an alert on the market of the row or of the panel with the keys, at its price.
fn alert_here(model: &Model, row: Option<&RowId>) -> Reply {
    let market = market_of_row_or_panel(model, row);
    let first = || model.account.store.known_markets().into_iter().next();
    let market = market.or_else(first).ok_or("no market is known yet")?;
    let mark = model.account.store.mark(&market);
    Ok(alert_at(model, &market, mark))
}

/// The note and tags of a position, open or closed.
fn note(account: &Account, id: PositionId) -> Next {
    let text = account.store.trades.text(&id);
    Next::open(Prompt::note(id, &text))
}

/// From the market of the row on. Nothing is listed where no source lists markets.
fn markets(model: &Model, row: Option<&RowId>) -> Reply {
    let known = &model.account.store.markets;
    if let (None, Some(why)) = (known.value(), known.trouble()) {
        return Err(format!("no markets to list: {}", why.message));
    }
    let market = market_of_row_or_panel(model, row);
    let first = || known.value()?.keys().next().cloned();
    Ok(Next::open(Markets::at(market.or_else(first))))
}

fn find_market(model: &Model) -> Reply {
    markets(model, None)?;
    Ok(Next::open(Markets::to_find()))
}

fn strategy(model: &Model, shape: DraftShape, row: Option<&RowId>) -> Reply {
    let market = market_of_row_or_panel(model, row);
    Form::new_of_shape(&model.account, shape, market.as_ref()).map(Next::open)
}

/// The key that goes on to the next account.
pub(crate) fn next(model: &Model) -> Reply {
    if model.roster.has_others() {
        Ok(Next::Switch(Switch::Next))
    } else {
        Err("this desk has one account; [profiles] in the settings adds others".to_owned())
    }
}
