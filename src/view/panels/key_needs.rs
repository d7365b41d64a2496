//! Which keys would have an effect now: the footer names no other.

use crate::{
    app::{
        Action, Context, Model, Pane, Remote, RowId, WidthTier,
        account::poll::Source,
        cursor_spacing,
        desk::market_shown::market_of,
        dialogs::overlay::{Overlay, ReviewTab},
        forms::{form::Form, open::movable},
        has_market, has_refused, links,
        market::own_orders::{own_orders, own_position},
        rules::guard,
        tables::marks::Marks,
    },
    model::{Command, FailureKind, Order, Position, draft::FieldInput},
};

/// A condition for a key to have an effect.
type Need = fn(&Model) -> bool;

/// Keys that work on some rows only; all others always work.
const NEEDS: &[(Action, Need)] = &[
    (Action::CloseAll, |model| {
        model.account.identity.is_some() && model.account.store.closing_all().is_none()
    }),
    (Action::Confirm, |model| match model.overlays.last() {
        Some(Overlay::Bulk(bulk)) => bulk.ends_at().is_some(),
        _ => true,
    }),
    (Action::Flatten, can_flatten),
    (Action::CancelAll, |model| {
        model.account.identity.is_some()
            && model
                .account
                .store
                .orders
                .rows()
                .iter()
                .any(Order::is_working)
    }),
    (Action::Mark, |model| {
        Marks::reach(model.focus.pane) && model.selected().is_some()
    }),
    (Action::NextAccount, |model| model.roster.has_others()),
    (Action::Quality, |model| {
        matches!(model.focus.pane, Pane::Closed | Pane::History)
    }),
    (Action::Markets, |model| {
        model
            .account
            .store
            .markets
            .value()
            .is_some_and(|all| !all.is_empty())
    }),
    (Action::Chart, leads_to_chart),
    (Action::TwoCharts, |model| {
        model.focus.zoomed && model.market_screen.tier == WidthTier::Wide
    }),
    (Action::NextChoice, can_choose),
    (Action::ReadOlder, |model| {
        model.account.store.closed.has_more()
    }),
    (Action::NextMonth, shows_calendar),
    (Action::EditAlert, has_user_alerts),
    (Action::DeleteAlert, has_user_alerts),
    (Action::NextField, |model| match model.overlays.last() {
        Some(Overlay::Export(export)) => export.is_paged(),
        _ => true,
    }),
    (Action::Limits, |model| {
        !model.account.guard.gauges.is_empty()
    }),
    (Action::Lift, |model| {
        guard::locked(&model.account).is_some()
    }),
    (Action::Buy, can_add),
    (Action::Sell, can_add),
    (Action::NewTwap, can_add),
    (Action::NewScaled, can_add),
    (Action::ObservedPrice, can_fill),
    (Action::StepUp, is_stepped),
    (Action::Drop, |model| model.price_ladder.carried().is_some()),
    (Action::StopHere, can_protect_here),
    (Action::TargetHere, can_protect_here),
    (Action::ResumeEntries, |model| {
        model.account.halted.is_some()
    }),
    (Action::Freeze, |model| model.frozen.is_some()),
    (Action::Decide, |model| {
        model.account.store.parked().next().is_some()
    }),
    (Action::Correct, has_refused),
    (Action::ClosePosition, is_on_a_position),
    (Action::Flip, is_on_a_position),
    (Action::Cover, is_on_a_position),
    (Action::Trail, is_on_a_position),
    (Action::PlaceTargets, lacks_targets),
    (Action::BreakEven, is_on_a_position),
    (Action::StopDown, is_on_a_position),
    (Action::TargetDown, is_on_a_position),
    (Action::AddTo, is_on_a_position),
    (Action::Reduce, is_on_a_position),
    (Action::Margin, |model| {
        selected_position(model).is_some_and(Position::is_isolated)
    }),
    (Action::Exits, |model| {
        selected_position(model).is_some() || selected_order(model).is_some_and(Order::is_working)
    }),
    (Action::Amend, |model| {
        let can_move = |order: &Order| movable(order).is_ok();
        own_at_cursor(model).unwrap_or_else(|| selected_order(model).is_some_and(can_move))
    }),
    (Action::Cancel, |model| {
        own_at_cursor(model).unwrap_or_else(|| can_cancel(model))
    }),
    (Action::Detail, |model| model.selected().is_some()),
    (Action::Follow, |model| {
        is_report(model) || leads_somewhere(model)
    }),
    (Action::NextLink, leads_somewhere),
    (Action::Copy, |model| match model.overlays.last() {
        Some(Overlay::Quality(_)) => false,
        Some(_) => true,
        None => model.selected().is_some(),
    }),
];

fn is_on_a_position(model: &Model) -> bool {
    selected_position(model).is_some()
}

fn lacks_targets(model: &Model) -> bool {
    let store = &model.account.store;
    let position = model.position_under_keys();
    let position = position.and_then(|id| store.position(&id));
    let left = position.and_then(|held| store.trades.left_bracket(held, store.orders.rows()));
    left.is_some()
}

/// Whether what has the keys is about a market.
fn leads_to_chart(model: &Model) -> bool {
    let is_about = match model.overlays.last() {
        Some(Overlay::Detail(detail)) => market_of(model, &detail.row).is_some(),
        Some(Overlay::Quality(_)) => false,
        _ => true,
    };
    is_about && has_market(model)
}

pub(super) fn is_report(model: &Model) -> bool {
    matches!(model.overlays.last(), Some(Overlay::Quality(_)))
}

fn leads_somewhere(model: &Model) -> bool {
    matches!(model.overlays.last(), Some(Overlay::Detail(detail)) if !links(model, &detail.row).is_empty())
}

/// Whether the key would have an effect on the selection.
pub(crate) fn works(model: &Model, action: Action) -> bool {
    if model.account.options.read_only && action.sends() {
        return false;
    }
    let mut needs = NEEDS.iter().filter(|(of, _)| *of == action);
    needs.all(|(_, need)| need(model))
}

/// The account is known and its key accepted. Exits do not ask: they are sent with a refused key too, which may have
/// been replaced.
fn can_trade(model: &Model) -> bool {
    model.account.identity.is_some() && !model.account.store.health.has(FailureKind::Auth)
}

/// Something is open that it would close, or may be: a list that was not read yet, or not whole, may have it.
fn can_flatten(model: &Model) -> bool {
    let store = &model.account.store;
    let mut scaled = store.scaled.values().filter_map(Remote::value);
    let is_unread = store.positions.value().is_none() || store.orders.value().is_none();
    let lists = [Source::Positions, Source::Orders, Source::Twaps];
    let is_partly_read = lists.iter().any(|list| store.is_incomplete(*list));
    let has_something = is_unread
        || is_partly_read
        || !store.positions.rows().is_empty()
        || store.orders.rows().iter().any(Order::is_working)
        || store.active_twaps().next().is_some()
        || scaled.any(|order| order.ended_at().is_none());
    let mut pending = store.pending.values();
    let is_flattening = pending.any(|one| matches!(one.command, Command::Flatten(_)));
    model.account.identity.is_some() && has_something && !is_flattening
}

/// New entries are allowed, and nothing is about to close what they would open.
fn can_add(model: &Model) -> bool {
    let is_held = model.account.halted.is_some() || guard::held(&model.account).is_some();
    can_trade(model) && !is_held && model.account.store.closing_all().is_none()
}

fn shows_calendar(model: &Model) -> bool {
    let review = model.overlays.last().and_then(Overlay::try_as_review_ref);
    review.is_some_and(|review| review.tab == ReviewTab::Days)
}

fn has_user_alerts(model: &Model) -> bool {
    !model.account.user_alerts.all().is_empty()
}

/// Whether the observed price would go anywhere.
fn can_fill(model: &Model) -> bool {
    form_of(model).is_some_and(|form| form.can_fill(&model.account.form_context()))
}

/// In a text field the arrows move the cursor.
fn can_choose(model: &Model) -> bool {
    let top = model.overlays.last();
    let is_list = matches!(top, Some(Overlay::Markets(_) | Overlay::Accounts(_)));
    let is_text = |form: &Form| form.draft.text(form.focus).is_some();
    !is_list && !form_of(model).is_some_and(is_text)
}

/// Whether the focused field is a number; an instant has no steps.
fn is_stepped(model: &Model) -> bool {
    let is_number = |form: &Form| {
        form.draft.text(form.focus).is_some() && form.focus.takes() != FieldInput::Instant
    };
    form_of(model).is_some_and(is_number)
}

fn form_of(model: &Model) -> Option<&Form> {
    Some(model.overlays.last()?.try_as_form_ref()?)
}

/// Whether the ladder's cursor is on a price of a market with an open position.
fn can_protect_here(model: &Model) -> bool {
    let ladder = &model.price_ladder;
    let market = ladder.market().filter(|_| ladder.cursor().is_some());
    market.is_some_and(|market| own_position(&model.account.store, market).is_some())
}

/// Whether an own order stands at the price that the cursor is on; `None` where neither ladder nor chart has the keys.
fn own_at_cursor(model: &Model) -> Option<bool> {
    let places = [Context::PriceLadder, Context::MarketChart];
    places.contains(&model.context()).then_some(())?;
    let ladder = &model.price_ladder;
    let is_there = || {
        let (market, row) = ladder.market().zip(ladder.cursor())?;
        let spacing = cursor_spacing(model)?;
        let mut own = own_orders(&model.account.store, market, spacing);
        Some(own.any(|own| own.row == spacing.near(row)))
    };
    Some(is_there().unwrap_or(false))
}

fn can_cancel(model: &Model) -> bool {
    let store = &model.account.store;
    let works = |order: &Order| order.is_working() && !store.is_over(order);
    match model.selected() {
        Some(RowId::Order(id)) => store.order(&id).is_some_and(works),
        Some(RowId::Twap(id)) => store.active_twaps().any(|twap| twap.id == id),
        Some(RowId::Scaled(id) | RowId::Rung(id, _)) => store
            .scaled_order(&id)
            .is_none_or(|l| l.ended_at().is_none()),
        Some(RowId::Position(_) | RowId::Line(_)) | None => false,
    }
}

fn selected_position(model: &Model) -> Option<&Position> {
    model
        .account
        .store
        .position(&model.selected()?.try_as_position()?)
}

pub(super) fn selected_order(model: &Model) -> Option<&Order> {
    model
        .account
        .store
        .order(&model.selected()?.try_as_order()?)
}
