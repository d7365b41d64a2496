//! The list of accounts, one line each: value, open positions, and whether the data is current.

use super::header;
use crate::{
    app::{
        AccountLabel, Desks, Mode, Model, Visibility, account::poll::Source,
        dialogs::overlay::Accounts, keys::keymap::Context, rules::guard,
        tables::click_target::ClickTarget,
    },
    model::Order,
    view::{
        tables::protection,
        text::{
            age, format,
            listed::{self, ListView},
            scene::Scene,
            span::{Span, Tone},
            table::{
                Align::{Left, Number},
                Cell, Column, Table, TableRow,
            },
            words,
        },
    },
};

/// In a narrow window, columns about risk are dropped last.
const COLUMNS: &[Column<Model>] = &[
    Column::new("account", "account", Left, 0, name),
    Column::new("account_id", "id", Left, 6, id),
    Column::new("mode", "mode", Left, 5, mode),
    Column::new("equity", "equity", Number, 2, equity),
    Column::new("day_pnl", "day", Number, 0, day),
    Column::new("positions", "open", Number, 1, positions),
    Column::new("unprotected", "no stop", Number, 0, unprotected),
    Column::new("orders", "orders", Number, 4, orders),
    Column::new("state", "state", Left, 0, state),
    Column::new("age", "age", Left, 3, age),
];

/// As many lines as fit into `room`; times are shown in `zone`.
pub fn accounts(desks: &Desks<'_>, list: &Accounts, zone: &format::Zone, room: usize) -> ListView {
    let found = list.rows(&desks.shown.roster);
    let chosen = list.place(&found);
    let seen = listed::seen(found.len(), chosen, room);
    let visible = found.get(seen.clone()).unwrap_or_default();
    let models = visible.iter().filter_map(|at| desks.all.get(*at));
    let rows = models.map(|model| {
        let scene = Scene {
            now: desks.shown.account.now,
            ..Scene::of(model, zone)
        };
        TableRow::cells(COLUMNS, *model, &scene)
    });
    let mut title = vec![Span::new("Accounts", Tone::Accent)];
    title.extend(listed::count(&list.search, found.len(), desks.all.len()));
    let none = " no account is called ";
    ListView {
        title,
        table: Table::new(COLUMNS, rows.collect()),
        chosen: chosen - seen.start,
        spots: visible.iter().copied().map(ClickTarget::Account).collect(),
        emptiness: listed::nothing_found(desks.shown, Context::Accounts, none, &list.search),
    }
}

/// The account on the screen is highlighted.
fn name(model: &Model, _: &Scene<'_>) -> Cell {
    let label = header::account_name(model).or_else(|| model.roster.own().map(AccountLabel::label));
    let tone = match model.account.visibility {
        Visibility::OnScreen => Tone::Accent,
        Visibility::Background => Tone::Strong,
    };
    label
        .filter(|label| !label.is_empty())
        .map_or_else(Span::unknown, |label| Span::new(label, tone))
        .into()
}

/// Only if its name differs.
fn id(model: &Model, _: &Scene<'_>) -> Cell {
    let identity = model.account.identity.as_ref();
    let id = identity.map(|identity| identity.account_id.to_string());
    let id = id.filter(|id| header::account_name(model).as_ref() != Some(id));
    Span::muted(id.unwrap_or_default()).into()
}

fn mode(model: &Model, _: &Scene<'_>) -> Cell {
    let word = match model
        .account
        .identity
        .as_ref()
        .map(|identity| identity.mode)
    {
        Some(Mode::Paper) => "PAPER",
        Some(Mode::LiveApi) => "LIVE-API",
        None => return Span::unknown().into(),
    };
    let more = if model.account.options.read_only {
        " read-only"
    } else {
        ""
    };
    Span::plain(format!("{word}{more}")).into()
}

fn equity(model: &Model, _: &Scene<'_>) -> Cell {
    let facts = model.account.store.account.value();
    let equity = facts.and_then(|facts| facts.equity);
    words::known(equity.map(format::usd)).into()
}

fn day(model: &Model, _: &Scene<'_>) -> Cell {
    let facts = model.account.store.account.value();
    words::pnl(facts.and_then(|facts| facts.day_pnl)).into()
}

fn positions(model: &Model, _: &Scene<'_>) -> Cell {
    let page = model.account.store.positions.value();
    words::known(page.map(|page| page.rows.len().to_string())).into()
}

fn orders(model: &Model, _: &Scene<'_>) -> Cell {
    let page = model.account.store.orders.value();
    let working = |rows: &[Order]| rows.iter().filter(|order| order.is_working()).count();
    words::known(page.map(|page| working(&page.rows).to_string())).into()
}

/// Open positions without a stop. A partly covered one is not counted: its own row shows the share.
fn unprotected(model: &Model, scene: &Scene<'_>) -> Cell {
    if model.account.store.orders.value().is_none() {
        return Span::unknown().into();
    }
    let Some(page) = model.account.store.positions.value() else {
        return Span::unknown().into();
    };
    let rows = page.rows.iter();
    let bare = rows.filter(|position| protection::is_bare(position, scene));
    match bare.count() {
        0 => Span::muted("0").into(),
        bare => Span::new(bare.to_string(), Tone::Warn).into(),
    }
}

/// A block on new entries comes before the state of the service.
fn state(model: &Model, _: &Scene<'_>) -> Cell {
    if model.account.halted.is_some() {
        return Span::new("HALTED", Tone::Alert).into();
    }
    if guard::breach(model).is_some() {
        return Span::new("BREACHED", Tone::Alert).into();
    }
    if guard::locked(model).is_some() {
        return Span::new("LOCKED", Tone::Alert).into();
    }
    if model.account.store.parked().next().is_some() {
        return Span::new("UNKNOWN", Tone::Alert).into();
    }
    if model.account.second.is_some() {
        return Span::new(header::SECOND_DESK, Tone::Alert).into();
    }
    header::api_state(model).into()
}

/// The age of the older of the sources that matter here.
fn age(model: &Model, scene: &Scene<'_>) -> Cell {
    let sources = [Source::Positions, Source::Orders];
    let oldest = sources.into_iter().max_by_key(|source| {
        model
            .account
            .store
            .polled_at(*source)
            .map(|at| scene.own_now.since(at))
    });
    let known = sources
        .iter()
        .all(|source| model.account.store.polled_at(*source).is_some());
    let age = oldest
        .filter(|_| known)
        .and_then(|source| age::age_at(model, source, scene.own_now));
    age.unwrap_or_else(Span::unknown).into()
}
