//! The list of accounts, one line each: value, open positions, and whether the data is current.

use crate::{
    app::{
        AccountLabel, ClickTarget, Context, Desks, Mode, Model, Source, Visibility,
        dialogs::overlay::Accounts, rules::guard,
    },
    view::{
        panels::header,
        tables::protection,
        text::{
            Align::{Left, Number},
            Cell, Column, Scene, Span, Table, TableRow, Tone, age, format,
            listed::{self, ListView},
        },
    },
};

/// In a narrow window, columns about risk are dropped last.
const COLUMNS: &[Column<Model>] = &[
    Column::new("account", "account", Left, 0, name),
    Column::text("account_id", "id", 6, id).toned(Tone::Muted),
    Column::known("mode", "mode", 5, mode),
    Column::number("equity", "equity", 2, format::usd, |model| {
        model.account.store.account.value()?.equity
    }),
    Column::profit("day_pnl", "day", 0, |model| {
        model.account.store.account.value()?.day_pnl
    }),
    Column::known("positions", "open", 1, positions).aligned(Number),
    Column::new("unprotected", "no stop", Number, 0, unprotected),
    Column::known("orders", "orders", 4, orders).aligned(Number),
    Column::new("state", "state", Left, 0, state),
    Column::new("age", "age", Left, 3, age),
];

/// As many lines as fit into `room`; times are shown in `zone`.
pub fn accounts(
    desks: &Desks<'_>,
    list: &Accounts,
    zone: &crate::model::Zone,
    room: usize,
) -> ListView {
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
    let count = listed::count(&list.search, found.len(), desks.all.len());
    let none = " no account is called ";
    ListView {
        title: [vec![Span::accent("Accounts")], count].concat(),
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
    let label = label.filter(|label| !label.is_empty());
    label
        .map_or_else(Span::unknown, |label| Span::new(label, tone))
        .into()
}

/// Only if its name differs.
fn id(model: &Model) -> String {
    let identity = model.account.identity.as_ref();
    let id = identity.map(|identity| identity.account_id.to_string());
    let id = id.filter(|id| header::account_name(model).as_ref() != Some(id));
    id.unwrap_or_default()
}

fn mode(model: &Model) -> Option<String> {
    let word = match model.account.mode()? {
        Mode::Paper => "PAPER",
        Mode::LiveApi => "LIVE-API",
    };
    let is_reader = model.account.options.read_only;
    let more = if is_reader { " read-only" } else { "" };
    Some(format!("{word}{more}"))
}

fn positions(model: &Model) -> Option<String> {
    Some(
        model
            .account
            .store
            .positions
            .value()?
            .rows
            .len()
            .to_string(),
    )
}

fn orders(model: &Model) -> Option<String> {
    let orders = model.account.store.orders.value()?.rows.iter();
    Some(
        orders
            .filter(|order| order.is_working())
            .count()
            .to_string(),
    )
}

/// Open positions without a stop. A partly covered one is not counted: its own row shows the share.
fn unprotected(model: &Model, scene: &Scene<'_>) -> Cell {
    let page = model.account.store.positions.value();
    let Some(page) = page.filter(|_| model.account.store.orders.value().is_some()) else {
        return Span::unknown().into();
    };
    let rows = page.rows.iter();
    let bare = rows.filter(|position| protection::is_bare(position, scene));
    match bare.count() {
        0 => Span::muted("0").into(),
        bare => Span::warn(bare.to_string()).into(),
    }
}

/// A block on new entries comes before the state of the service.
fn state(model: &Model, _: &Scene<'_>) -> Cell {
    let alarms = [
        (model.account.halted.is_some(), "HALTED"),
        (guard::breach(&model.account).is_some(), "BREACHED"),
        (guard::locked(&model.account).is_some(), "LOCKED"),
        (model.account.store.parked().next().is_some(), "UNKNOWN"),
    ];
    let alarm = alarms.into_iter().find(|(is_so, _)| *is_so);
    let alarm = alarm.map(|(_, word)| Span::alert(word));
    alarm.unwrap_or_else(|| header::api_state(model)).into()
}

/// The age of the older of the sources that matter here.
fn age(model: &Model, scene: &Scene<'_>) -> Cell {
    let ages = [Source::Positions, Source::Orders].map(|source| {
        let read = model.account.store.polled_at(source)?;
        Some((scene.own_now.since(read), source))
    });
    let oldest = || {
        let [positions, orders] = ages;
        let (positions, orders) = (positions?, orders?);
        let (_, source) = if orders.0 >= positions.0 {
            orders
        } else {
            positions
        };
        age::age_at(model, source, scene.own_now)
    };
    oldest().unwrap_or_else(Span::unknown).into()
}
