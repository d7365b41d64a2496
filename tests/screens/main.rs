//! Whole screens, styles included, at the sizes people have.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failed helper is a failed test"
)]

mod calm;
mod columns;
mod desk;
mod digits;
mod dump;
mod every;
mod finding;
mod forms;
mod health;
mod hostile;
mod kept;
mod market;
mod mouse;
mod noticed;
mod over;
mod price_ladder;
mod service;
mod truth;
mod venues;
mod words;

use dump::{changes, drawn, plain, press, screen};
use perpdeck::{
    app::{Model, Msg, account::poll::Answer, desk::reload::Reload, update},
    config::AlertChannel,
    model::{
        Call, CancelResult, Failure, FailureKind, FollowUp, Page, Progress, Receipt, Ticket,
        Timestamp,
    },
    ui::{DrawState, Theme, picture},
};
use std::{fs, path::PathBuf, time::Duration};

/// Whole screens: one for each size, and where nothing of the full desk is left.
macro_rules! screens {
    ($($name:ident: $model:expr, $width:literal x $height:literal;)+) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), screen(&$model, $width, $height));
        }
    )+};
}

/// What differs from a screen that has a picture of its own, so that a change of the desk rewrites that one alone.
macro_rules! changes {
    ($base:expr; $($name:ident: $model:expr, $width:literal x $height:literal;)+) => {$(
        #[test]
        fn $name() {
            let base = plain(&$base, $width, $height);
            let changed = changes(&base, &plain(&$model, $width, $height));
            insta::assert_snapshot!(stringify!($name), changed);
        }
    )+};
}

screens! {
    full_desk_200x60: desk::full(), 200 x 60;
    full_desk_160x48: desk::full(), 160 x 48;
    full_desk_120x40: desk::full(), 120 x 40;
    full_desk_100x30: desk::full(), 100 x 30;
    full_desk_80x24: desk::full(), 80 x 24;
    full_desk_60x16: desk::full(), 60 x 16;
    zoomed_chart_120x40: market::pressed("0z"), 120 x 40;
    two_charts_200x60: market::two_charts(), 200 x 60;
    calm_desk_200x60: calm::full(), 200 x 60;
    calm_desk_120x40: calm::full(), 120 x 40;
    calm_desk_80x24: calm::full(), 80 x 24;
    calm_desk_60x16: calm::full(), 60 x 16;
    connecting_80x24: desk::connecting(), 80 x 24;
    desk_on_a_service_200x60: service::with_a_read_only_key(), 200 x 60;
    desk_on_a_service_80x24: service::with_a_read_only_key(), 80 x 24;
    too_small_50x12: pressed("X"), 50 x 12;
}

// A pane, form or overlay of the full desk alone is in `every`.
changes! {
    desk::full();
    chart_200x60: market::pressed("0"), 200 x 60;
    chart_100x30: market::pressed("0"), 100 x 30;
    chart_80x24: market::pressed("0"), 80 x 24;
    chart_60x16: market::pressed("0"), 60 x 16;
    chart_of_a_row_120x40: market::pressed("pkk"), 120 x 40;
    chart_with_a_price_160x48: market::pressed("0kk"), 160 x 48;
    history_120x40: pressed("6"), 120 x 40;
    activity_200x60: pressed("7"), 200 x 60;
    calls_120x40: pressed("8"), 120 x 40;
    user_alerts_160x48: alerts(), 160 x 48;
    user_alerts_80x24: alerts(), 80 x 24;
    user_alert_fired_120x40: fired(), 120 x 40;
    alert_line_80x24: pressed("@"), 80 x 24;
    note_line_80x24: pressed("5N"), 80 x 24;
    review_days_160x48: pressed("W"), 160 x 48;
    review_markets_80x24: pressed("Wl"), 80 x 24;
    review_hours_80x24: pressed("Wll"), 80 x 24;
    review_risk_160x48: pressed("Wlll"), 160 x 48;
    review_drawdown_160x48: pressed("Wh"), 160 x 48;
    review_drawdown_80x24: pressed("Wh"), 80 x 24;
    orders_120x40: pressed("2"), 120 x 40;
    orders_100x30: pressed("2"), 100 x 30;
    twaps_200x60: pressed("3"), 200 x 60;
    twaps_100x30: pressed("3"), 100 x 30;
    scaled_200x60: pressed("4"), 200 x 60;
    scaled_120x40: pressed("4"), 120 x 40;
    closed_200x60: pressed("5"), 200 x 60;
    history_200x60: pressed("6"), 200 x 60;
    activity_of_before_120x40: before(), 120 x 40;
    followed_link_120x40: pressed("\n\n"), 120 x 40;
    stale_desk_120x40: stale(), 120 x 40;
    empty_account_120x40: desk::empty(), 120 x 40;
    close_all_progress_120x40: closing(), 120 x 40;
    close_all_progress_60x16: closing(), 60 x 16;
    refused_order_80x24: refused(), 80 x 24;
    refused_order_60x16: refused_over_positions(), 60 x 16;
    close_form_80x24: pressed("c0.25"), 80 x 24;
    margin_form_200x60: pressed("jm"), 200 x 60;
    exits_form_80x24: pressed("2e"), 80 x 24;
    move_form_120x40: pressed("2m"), 120 x 40;
    move_form_80x24: pressed("2m"), 80 x 24;
    faulty_form_120x40: pressed("babc\n"), 120 x 40;
    refused_form_120x40: refused_form(), 120 x 40;
    refused_line_120x40: refused_line(), 120 x 40;
    refused_line_80x24: refused_line(), 80 x 24;
    refused_line_60x16: refused_line(), 60 x 16;
    sent_order_120x40: pressed("b0.5\n"), 120 x 40;
    sent_order_80x24: pressed("b0.5\n"), 80 x 24;
    near_liquidation_200x60: near_liquidation(), 200 x 60;
    near_liquidation_120x40: near_liquidation(), 120 x 40;
    near_liquidation_80x24: near_liquidation(), 80 x 24;
    near_liquidation_60x16: near_liquidation(), 60 x 16;
    limits_200x60: locked("L"), 200 x 60;
    limits_120x40: locked("L"), 120 x 40;
    limits_80x24: locked("L"), 80 x 24;
    limits_60x16: locked("L"), 60 x 16;
    lift_strip_80x24: locked("Lo"), 80 x 24;
    accounts_200x60: desk::accounts(), 200 x 60;
    accounts_120x40: desk::accounts(), 120 x 40;
    accounts_80x24: desk::accounts(), 80 x 24;
    accounts_60x16: desk::accounts(), 60 x 16;
    other_account_120x40: desk::other_account(), 120 x 40;
    other_account_60x16: desk::other_account(), 60 x 16;
    export_120x40: pressed("6E\t\t\n"), 120 x 40;
    export_80x24: pressed("6E\t\t\n"), 80 x 24;
    export_60x16: pressed("E"), 60 x 16;
    marked_positions_120x40: pressed(" j "), 120 x 40;
    marked_twaps_120x40: pressed("3*"), 120 x 40;
    calls_after_200x60: each(), 200 x 60;
    calls_after_120x40: each(), 120 x 40;
    calls_after_80x24: each(), 80 x 24;
    calls_after_60x16: each(), 60 x 16;
    chosen_columns_200x60: chosen(), 200 x 60;
    chosen_columns_120x40: chosen(), 120 x 40;
    chosen_columns_80x24: chosen(), 80 x 24;
    chosen_columns_60x16: chosen(), 60 x 16;
    settings_120x40: unfit_settings(), 120 x 40;
    settings_60x16: unfit_settings(), 60 x 16;
}

changes! {
    calm::full();
    calm_strip_120x40: calm::closing(), 120 x 40;
    calm_strip_60x16: calm::closing(), 60 x 16;
}

fn pressed(keys: &str) -> Model {
    let mut model = desk::full();
    press(&mut model, keys);
    model
}

/// Three alerts of the trader's own, listed.
fn alerts() -> Model {
    let lines = ":alert btc > 66000\n:alert btc liq < 5% every for 2h\n:alert pnl < -500\n#";
    pressed(lines)
}

/// An alert of the trader's own that has fired.
fn fired() -> Model {
    let mut model = pressed(":alert btc > 66000\n");
    model.account.options.alerts.user_alert = [AlertChannel::Toast].into_iter().collect();
    let mut markets = desk::markets();
    for market in &mut markets {
        if market.id == "paper|BTC".into() {
            market.mark = Some("66001".parse().unwrap());
        }
    }
    desk::arrive(&mut model, 0, Answer::Markets(Ok(markets)));
    model
}

/// What earlier sessions did is below what this one does.
fn before() -> Model {
    let mut model = desk::recalled();
    press(&mut model, "7z");
    model
}

/// Positions tell first what could be lost, orders begin with their size, TWAPs stand in a table.
fn chosen() -> Model {
    let first = ":columns to_liq upnl market side size stop age fees\n";
    let first = first.replace("to_liq", "liquidation_distance");
    let first = first.replace("upnl", "unrealized_pnl");
    let orders = "2:columns size market side limit_price trigger_price status age\n";
    pressed(&format!("{first}{orders}3:columns -slices\n1"))
}

/// The settings were edited, and cannot be in force.
fn unfit_settings() -> Model {
    let mut model = desk::full();
    let why =
        "/home/me/.config/perpdeck/config.toml: theme: \"drak\" is not one of \"dark\", \"light\"";
    let now = model.account.now;
    let reread = Reload::Bad(vec![why.to_owned()]);
    update(&mut model, now, Msg::Reload(reread));
    press(&mut model, "\u{1b}:config\n");
    model
}

/// A close-all under way, with a doubtful cancel beside it.
fn closing() -> Model {
    let mut model = pressed("X");
    let later = Timestamp(desk::NOW.0 + 2_000);
    update(&mut model, later, Msg::Key('y'.into()));
    let progress = desk::half_closed(later);
    update(&mut model, later, Msg::Progress(Ticket(1), progress));
    press(&mut model, "2x");
    let later = Timestamp(later.0 + 300);
    update(&mut model, later, Msg::Key('y'.into()));
    let why = Failure::new(FailureKind::TimedOut, "no answer in 10 s");
    let retry_at = Timestamp(later.0 + 2_000);
    let doubt = Progress::Unknown {
        why,
        retry_at,
        then: FollowUp::Again,
    };
    update(&mut model, later, Msg::Progress(Ticket(2), doubt));
    model
}

/// Marked orders of which one is canceled, one refused, one in doubt.
fn each() -> Model {
    let mut model = pressed("2 jj x");
    let later = Timestamp(desk::NOW.0 + 300);
    update(&mut model, later, Msg::Key('y'.into()));
    let canceled = CancelResult {
        id: "ord_90".into(),
        canceled: true,
        queued: false,
    };
    let done = Ok(Receipt::Cancel(canceled));
    update(&mut model, later, Msg::Settled(Ticket(1), done));
    let refused = Err(desk::refusal());
    update(&mut model, later, Msg::Settled(Ticket(2), refused));
    model
}

/// The service says that the daily loss is used up.
fn locked(keys: &str) -> Model {
    let mut model = desk::full();
    model.account.options.guard.lock = true;
    desk::arrive(&mut model, 0, Answer::Account(Ok(desk::challenge("0"))));
    press(&mut model, "\u{1b}");
    press(&mut model, keys);
    model
}

/// The ETH short comes near its liquidation.
fn near_liquidation() -> Model {
    let mut model = desk::full();
    model.account.options.alerts.liquidation = [AlertChannel::Toast].into_iter().collect();
    model.account.options.alerts.liquidation_within = Some(desk::num("10"));
    desk::arrive(
        &mut model,
        0,
        Answer::Positions(Ok(Page::of(desk::positions()))),
    );
    model
}

/// An order that the service refused: the toast stays.
fn refused() -> Model {
    let mut model = pressed("2x");
    let later = Timestamp(desk::NOW.0 + 300);
    update(&mut model, later, Msg::Key('y'.into()));
    update(
        &mut model,
        later,
        Msg::Settled(Ticket(1), Err(desk::refusal())),
    );
    model
}

/// A new order that the service refused, with its form opened again: it keeps its contents and says why.
fn refused_form() -> Model {
    let mut model = refused_line();
    press(&mut model, "U");
    model
}

/// A new order that the service refused after its form closed: its line says why and which key opens the form.
fn refused_line() -> Model {
    let mut model = pressed("b0.5\n");
    let now = model.account.now;
    let why = Failure {
        code: Some("order_rejected".into()),
        rule_id: Some("max_order_value".into()),
        status: Some(409),
        ..Failure::new(
            FailureKind::Invalid,
            "order value above the account's limit",
        )
    };
    update(&mut model, now, Msg::Settled(Ticket(1), Err(why)));
    model
}

fn refused_over_positions() -> Model {
    let mut model = refused();
    press(&mut model, "1");
    model
}

/// Polls have failed for a while: numbers stay, ages tell.
fn stale() -> Model {
    let mut model = desk::full();
    let later = Timestamp(desk::NOW.0 + 14_000);
    let limited = Failure {
        retry_after: Some(Duration::from_secs(20)),
        ..Failure::new(FailureKind::Limited, "too many requests")
    };
    update(
        &mut model,
        later,
        Msg::CallEnded(Call {
            at: Timestamp(desk::NOW.0),
            pause: limited.retry_after,
            ..desk::call("GET", "/v1/orders", Ok(429), 5)
        }),
    );
    desk::arrive(&mut model, -14, Answer::Orders(Err(limited.clone())));
    desk::arrive(&mut model, -14, Answer::Positions(Err(limited)));
    update(&mut model, later, Msg::Tick);
    model
}

/// Pictures of the same screens, for looking at: `cargo test --test screens pictures -- --ignored`.
#[test]
#[ignore = "writes files to look at"]
fn pictures() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    fs::create_dir_all(&folder).unwrap();
    let models = vec![
        ("full", desk::full()),
        ("orders", pressed("2")),
        ("twaps", pressed("3")),
        ("scaled order", pressed("4")),
        ("history", pressed("6")),
        ("activity", pressed("7")),
        ("calls", pressed("8")),
        ("help", pressed("2?")),
        ("detail", pressed("\n")),
        ("chart", pressed("p")),
        ("quality", pressed("i")),
        ("strip", pressed("X")),
        ("stale", stale()),
        ("buy", pressed("b")),
        ("faulty", pressed("babc\n")),
        ("refusedform", refused_form()),
        ("margin", pressed("jm")),
        ("exits", pressed("2e")),
        ("closing", closing()),
        ("refused", refused()),
        ("empty", desk::empty()),
        ("before", pressed("*c")),
        ("after", each()),
    ];
    for (name, model) in &models {
        for (width, height) in [(200, 60), (160, 48), (120, 40), (80, 24), (60, 16)] {
            let theme = Theme::default();
            let buffer = drawn(model, width, height, theme.clone());
            let file = folder.join(format!("{name}-{width}x{height}.svg"));
            fs::write(file, picture::svg(&buffer, &theme)).unwrap();
        }
    }
    for (name, keys) in [("chart", "0"), ("zoomed", "0z")] {
        for (width, height) in [(200, 60), (120, 40), (80, 24)] {
            let model = market::pressed(keys);
            let theme = Theme::default();
            let buffer = drawn(&model, width, height, theme.clone());
            let file = folder.join(format!("{name}-{width}x{height}.svg"));
            fs::write(file, picture::svg(&buffer, &theme)).unwrap();
        }
    }
    let light = Theme::named("light").unwrap();
    let buffer = drawn(&models[0].1, 160, 48, light.clone());
    fs::write(folder.join("full-light.svg"), picture::svg(&buffer, &light)).unwrap();
}

#[test]
fn a_screen_drawn_twice_is_the_same_screen() {
    let model = desk::full();
    let mut draw_state = DrawState::new(Theme::default(), perpdeck::model::Zone::utc());
    let area = ratatui::layout::Rect::new(0, 0, 200, 60);
    let mut frame = || {
        let mut buffer = ratatui::buffer::Buffer::empty(area);
        perpdeck::ui::render(&mut buffer, &model, &mut draw_state);
        buffer
    };
    assert_eq!(frame(), frame());
}
