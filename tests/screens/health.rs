//! Whether the far end answers, and what an account that is shut out shows.

use crate::{
    desk,
    dump::{drawn, press, screen},
    words::{cell, footer, header},
};
use perpdeck::{
    app::{
        Effect, Model, Msg,
        account::{
            pane::Pane,
            poll::{Answer, Poll, Source},
        },
        dialogs::overlay::Overlay,
        update,
    },
    model::{
        AccountFacts, Call, Command, Failure, FailureKind, Market, Order, Page, Proof, Ticket,
        Timestamp, Zone,
    },
    ui::{Theme, picture},
    view::{self, RowBody, Scene, Title, Tone},
};
use std::time::Duration;

fn called(model: &mut Model, call: Call) {
    update(model, desk::NOW, Msg::CallEnded(call));
}

fn failed(model: &mut Model, seconds: i64, kind: FailureKind) {
    let why = || Failure::new(kind, "no");
    desk::arrive(model, seconds, Answer::Orders(Err(why())));
    desk::arrive(model, seconds, Answer::History(Err(why())));
    desk::arrive(model, seconds, Answer::Positions(Err(why())));
}

fn freshness(title: &Title) -> String {
    let words: Vec<_> = title.freshness.iter().map(|s| s.text.as_str()).collect();
    words.join(" ")
}

#[test]
fn a_pause_ordered_by_one_429_is_named_with_its_end_everywhere() {
    let mut model = desk::full();
    let limited = Call {
        pause: Some(Duration::from_secs(40)),
        ..desk::call(
            "POST",
            "/v1/accounts/chal-1/close-all-positions",
            Ok(429),
            0,
        )
    };
    called(&mut model, limited);
    assert!(
        header(&model).contains("api LIMITED 39s"),
        "{}",
        header(&model)
    );
    let title = view::title(&model, Pane::Positions);
    assert_eq!(freshness(&title), "waiting 39s 1s");
    let over = Timestamp(desk::NOW.0 + 39_000);
    update(&mut model, over, Msg::Tick);
    assert!(header(&model).contains("api OK"), "{}", header(&model));
}

#[test]
fn what_a_429_taught_is_named_in_requests_a_minute_beside_the_pause() {
    let mut model = desk::full();
    assert!(!header(&model).contains("budget"), "{}", header(&model));
    let limited = Call {
        pause: Some(Duration::from_secs(12)),
        budget: Some(40),
        ..desk::call("GET", "/v1/orders", Ok(429), 0)
    };
    called(&mut model, limited);
    let words = header(&model);
    assert!(words.contains("api LIMITED 11s"), "{words}");
    assert!(words.contains("budget 40/min"), "{words}");
}

#[test]
fn a_far_end_that_is_down_is_tried_again_at_a_time_that_is_counted_down() {
    let mut model = desk::full();
    let call = || desk::call("GET", "/v1/orders", Err(FailureKind::Unreachable), 2);
    called(&mut model, call());
    called(&mut model, call());
    for (source, seconds) in [
        (Source::Orders, 9),
        (Source::Twaps, 4),
        (Source::Closed, 20),
    ] {
        let at = desk::NOW.plus(Duration::from_secs(seconds));
        update(&mut model, desk::NOW, Msg::TriesAgain(source, at));
    }
    let words = header(&model);
    assert!(words.contains("api DOWN, retry 2 in 4s"), "{words}");
    let second = desk::NOW.plus(Duration::from_secs(1));
    assert!(perpdeck::app::wake(&model).is_some_and(|at| at <= second));
    update(&mut model, second, Msg::Tick);
    assert!(
        header(&model).contains("retry 2 in 3s"),
        "{}",
        header(&model)
    );
    called(&mut model, desk::call("GET", "/v1/orders", Ok(200), 4));
    assert!(header(&model).contains("api OK"), "{}", header(&model));
}

#[test]
fn a_slow_source_does_not_keep_up_an_alarm_that_is_over() {
    for kind in [
        FailureKind::Unavailable,
        FailureKind::Limited,
        FailureKind::Unreadable,
        FailureKind::Broken,
    ] {
        let mut model = desk::full();
        failed(&mut model, 0, kind);
        assert!(!header(&model).contains("api OK"), "{}", header(&model));
        let orders: Page<Order> = Page::of(vec![]);
        desk::arrive(&mut model, -1, Answer::Orders(Ok(orders)));
        assert!(
            header(&model).contains("api OK"),
            "{kind:?}: {}",
            header(&model)
        );
        let history = view::title(&model, Pane::History);
        assert!(
            freshness(&history).contains(kind.word()),
            "its data is as old as it was"
        );
    }
}

#[test]
fn one_source_that_cannot_be_read_is_not_ok_however_well_the_others_do() {
    let mut model = desk::full();
    let why = Failure::new(FailureKind::Unreadable, "not the documented JSON");
    desk::arrive(&mut model, 0, Answer::Twaps(Err(why)));
    let orders: Page<Order> = Page::of(vec![]);
    desk::arrive(&mut model, -1, Answer::Orders(Ok(orders)));
    let header = header(&model);
    assert!(header.contains("api UNREADABLE ANSWERS"), "{header}");
}

#[test]
fn sources_that_ask_at_once_are_one_try_of_the_connection() {
    let mut model = desk::full();
    for round in 1..=3 {
        for target in [
            "/v1/orders?account_id=chal-1",
            "/v1/positions",
            "/sim/markets",
        ] {
            let call = desk::call("GET", target, Err(FailureKind::Unreachable), 2);
            called(&mut model, call);
        }
        let words = format!("api DOWN, retry {round}");
        assert!(header(&model).contains(&words), "{}", header(&model));
    }
    called(&mut model, desk::call("GET", "/v1/orders", Ok(200), 4));
    assert!(header(&model).contains("api OK"), "{}", header(&model));
}

/// A desk whose key the service refuses from the beginning.
fn shut_out() -> Model {
    let mut model = desk::opened();
    let why = || Failure {
        status: Some(401),
        ..Failure::new(FailureKind::Auth, "invalid API key")
    };
    desk::arrive(&mut model, 0, Answer::Orders(Err(why())));
    desk::arrive(&mut model, 0, Answer::Positions(Err(why())));
    desk::arrive(&mut model, 0, Answer::History(Err(why())));
    model
}

/// Prices fail for a quarter of a minute while everything else is read.
fn without_prices() -> (Model, Timestamp) {
    let mut model = desk::full();
    let later = desk::NOW.plus(Duration::from_secs(15));
    update(&mut model, later, Msg::Tick);
    let positions = model.account.store.positions.value().cloned().unwrap();
    desk::arrive(&mut model, -15, Answer::Positions(Ok(positions)));
    let busy = Failure::new(FailureKind::Unavailable, "busy");
    desk::arrive(&mut model, -15, Answer::Markets(Err(busy)));
    (model, later)
}

#[test]
fn positions_are_as_old_as_the_prices_they_are_computed_with() {
    let (model, _) = without_prices();
    let title = view::title(&model, Pane::Positions);
    assert_eq!(freshness(&title), "prices OLD 15s");
    let zone = Zone::utc();
    let scene = Scene::of(&model, &zone);
    let table = view::pane_table(Pane::Positions, &model.rows(Pane::Positions), 0..1, &scene);
    let Some(RowBody::Cells(cells)) = table.rows.first().map(|row| &row.body) else {
        panic!("no position");
    };
    let shown = table.headings.iter().zip(cells);
    let warns: Vec<_> = shown
        .filter(|(_, cell)| cell.spans.iter().any(|span| span.tone == Tone::Warn))
        .map(|(heading, _)| heading.title)
        .collect();
    for computed in ["mark", "to liq", "uPnL", "ROE"] {
        assert!(warns.contains(&computed), "{computed}: {warns:?}");
    }
    for told in ["size", "entry", "liq", "fees"] {
        assert!(!warns.contains(&told), "{told}: {warns:?}");
    }
    for (width, height) in [(60, 16), (70, 20), (120, 40)] {
        let shown = screen(&model, width, height);
        assert!(
            shown.contains("prices OLD 15s"),
            "{width}x{height}\n{shown}"
        );
    }
}

#[test]
fn trouble_of_one_source_counts_down_to_its_next_question() {
    let (mut model, now) = without_prices();
    let at = now.plus(Duration::from_secs(4));
    update(&mut model, now, Msg::TriesAgain(Source::Markets, at));
    let words = header(&model);
    assert!(words.contains("api UNAVAILABLE, again in 4s"), "{words}");
    called(&mut model, desk::call("GET", "/v1/orders", Ok(200), 4));
    let words = header(&model);
    assert!(
        words.contains("UNAVAILABLE, again in 4s"),
        "others answer: {words}"
    );
}

#[test]
fn what_the_account_was_worth_says_how_long_ago_that_was() {
    let mut model = desk::full();
    let busy = Failure::new(FailureKind::Unavailable, "busy");
    desk::arrive(&mut model, -14, Answer::Account(Err(busy)));
    let later = desk::NOW.plus(Duration::from_secs(24));
    update(&mut model, later, Msg::Tick);
    let words = header(&model);
    assert!(words.contains("equity 101,240.18 OLD 2"), "{words}");
    for width in [70, 80, 120] {
        let text = picture::text(&drawn(&model, width, 20, Theme::default()));
        let first = text.lines().next().unwrap_or_default();
        assert!(first.contains("101,240.18 OLD"), "{width}: {first}");
    }
}

/// The account's figures come every two seconds, with the time that a simulator's clock tells then.
fn served(model: &mut Model, clock: impl Fn(i64) -> i64) -> Timestamp {
    let mut now = desk::NOW;
    for passed in (2_000..=30_000).step_by(2_000) {
        now = Timestamp(desk::NOW.0 + passed);
        let facts = AccountFacts {
            answered_at: Some(Timestamp(desk::NOW.0 + clock(passed))),
            ..AccountFacts::default()
        };
        let answer = Answer::Account(Ok(facts));
        update(model, now, Msg::Polled(Box::new(Poll { at: now, answer })));
    }
    now
}

/// State, drift and what is left of the first TWAP.
fn twap(model: &Model) -> String {
    let zone = Zone::utc();
    let scene = Scene::of(model, &zone);
    let cards = view::cards(&scene, &model.rows(Pane::Twaps).at(0..1));
    let bars = cards[0]
        .bars
        .iter()
        .flat_map(|bar| bar.words.iter().skip(1));
    let said = cards[0].state.iter().chain(bars);
    said.map(|span| span.text.as_str()).collect()
}

#[test]
fn a_twap_drifts_from_what_was_read_of_it_and_not_from_what_nobody_has_read_since() {
    let mut model = desk::full();
    let drift = |model: &Model| cell(model, Pane::Twaps, 0, "drift");
    let before = drift(&model);
    let why = Failure::new(FailureKind::TimedOut, "no answer within 10 s");
    desk::arrive(&mut model, 0, Answer::Twaps(Err(why)));
    let later = desk::NOW.plus(Duration::from_mins(5));
    update(&mut model, later, Msg::Tick);
    assert_eq!(drift(&model), before);
}

#[test]
fn what_the_service_dates_is_measured_by_its_own_clock_which_the_header_names() {
    for (hours, named) in [(1, "service clock +1h00m"), (-1, "service clock -1h00m")] {
        let (mut model, mut same) = (desk::full(), desk::full());
        served(&mut same, |passed| passed);
        assert!(!header(&same).contains("clock"), "{}", header(&same));
        let ahead = hours * 3_600_000;
        let now = served(&mut model, |passed| passed + ahead);
        assert!(header(&model).contains(named), "{}", header(&model));
        let order = model.account.store.orders.rows()[0].clone();
        let dated = Order {
            requested_at: Timestamp(now.0 + ahead - 40_000),
            ..order
        };
        desk::arrive(&mut model, -30, Answer::Orders(Ok(Page::of(vec![dated]))));
        assert_eq!(cell(&model, Pane::Orders, 0, "age"), "40s");
    }
}

#[test]
fn what_this_desk_dates_is_measured_by_its_own_clock_whatever_the_services_says() {
    for (pane, ago) in [("7", "0s ago"), ("8", "2s ago")] {
        let mut model = desk::full();
        let now = served(&mut model, |passed| passed - 32_000);
        assert!(
            header(&model).contains("service clock -"),
            "{}",
            header(&model)
        );
        let cancel = perpdeck::model::Command::Cancel("ord_12".into());
        update(&mut model, now, Msg::Resumed(Ticket(9), cancel));
        update(
            &mut model,
            now,
            Msg::Settled(Ticket(9), Err(desk::refusal())),
        );
        let call = Call {
            at: Timestamp(now.0 - 2_000),
            ..desk::call("GET", "/v1/orders", Ok(200), 4)
        };
        called(&mut model, call);
        press(&mut model, &format!("\u{1b}{pane}\n"));
        let shown = screen(&model, 120, 40);
        assert!(shown.contains(&format!("UTC  {ago}")), "{shown}");
    }
}

#[test]
fn no_wait_is_counted_down_by_a_clock_that_does_not_run_like_ours() {
    for (rate, named) in [(60, "service clock ×60"), (0, "service clock stalled")] {
        let mut model = desk::full();
        served(&mut model, |passed| passed * rate);
        assert!(header(&model).contains(named), "{}", header(&model));
        let words = twap(&model);
        assert!(words.contains("next in –"), "{words}");
        assert!(words.contains("– left"), "{words}");
        assert_eq!(cell(&model, Pane::Orders, 4, "tif"), "gtd –");
    }
}

#[test]
fn without_figures_the_head_of_an_answer_tells_the_services_clock() {
    let mut model = desk::opened();
    let ahead = Timestamp(desk::NOW.0 + 90_000);
    let call = Call {
        at: desk::NOW,
        date: Some(ahead),
        ..desk::call("GET", "/v1/orders", Ok(200), 4)
    };
    called(&mut model, call);
    assert!(header(&model).contains("clock +1m"), "{}", header(&model));
}

#[test]
fn prices_that_stand_still_grow_old_however_often_they_are_told() {
    let mut model = desk::full();
    let told = |made: i64| {
        let market = |market: &Market| Market {
            grid: perpdeck::model::Grid::default(),
            updated_at: Some(Timestamp(made)),
            ..market.clone()
        };
        desk::markets().iter().map(market).collect()
    };
    let mut now = desk::NOW;
    for seconds in 0..=25 {
        now = desk::NOW.plus(Duration::from_secs(seconds));
        let answer = Answer::Markets(Ok(told(desk::NOW.0)));
        update(
            &mut model,
            now,
            Msg::Polled(Box::new(Poll { at: now, answer })),
        );
    }
    let words = header(&model);
    assert!(words.contains("prices OLD 25s"), "{words}");
    let title = view::title(&model, Pane::Positions);
    assert!(freshness(&title).contains("prices OLD 25s"));
    let answer = Answer::Markets(Ok(told(desk::NOW.0 + 1)));
    update(
        &mut model,
        now,
        Msg::Polled(Box::new(Poll { at: now, answer })),
    );
    assert!(!header(&model).contains("prices"), "{}", header(&model));
}

#[test]
fn a_refused_key_shows_no_count_and_offers_only_what_the_service_may_still_take() {
    let mut model = shut_out();
    let title = view::title(&model, Pane::Scaled);
    assert_eq!(
        (title.count.as_str(), freshness(&title).as_str()),
        ("", "failed: not authorized (401)")
    );
    assert_eq!(
        view::emptiness(Pane::Scaled, &model)[0].text,
        "not authorized: invalid API key"
    );
    for key in ["1", "2", "4"] {
        press(&mut model, key);
        let footer = footer(&model);
        for offer in ["X CLOSE ALL", "F FLATTEN"] {
            assert!(footer.contains(offer), "no {offer} in {footer}");
        }
        for offer in ["buy", "sell", "cancel", "detail"] {
            assert!(!footer.contains(offer), "{offer} in {footer}");
        }
    }
}

#[test]
fn flatten_is_offered_while_a_row_that_cannot_be_read_may_be_open() {
    let mut model = desk::opened();
    desk::arrive(&mut model, 0, Answer::Orders(Ok(Page::default())));
    desk::arrive(&mut model, 0, Answer::Twaps(Ok(Page::default())));
    let cut = Page {
        unreadable: vec!["a row does not read".into()],
        ..Page::default()
    };
    for (seconds, positions, is_offered) in [(1, cut, true), (0, Page::default(), false)] {
        desk::arrive(&mut model, seconds, Answer::Positions(Ok(positions)));
        let footer = footer(&model);
        assert_eq!(footer.contains("F FLATTEN"), is_offered, "{footer}");
    }
}

#[test]
fn a_refused_key_is_asked_about_again_by_a_key_that_the_header_names() {
    let mut model = shut_out();
    let words = header(&model);
    assert!(
        words.contains("api AUTH: key refused, r asks again"),
        "{words}"
    );
    let r = Msg::Key('r'.into());
    let polls = update(&mut model, desk::NOW, r);
    assert!(
        matches!(polls.as_slice(), [Effect::Poll(_), ..]),
        "{polls:?}"
    );
}

#[test]
fn a_halted_desk_says_so_at_every_width_why_where_there_is_room_and_how_it_goes_on() {
    let mut model = desk::full();
    assert!(!footer(&model).contains("RESUME"));
    let why = "flattened".to_owned();
    update(&mut model, desk::NOW, Msg::Halted(Some(why)));
    assert!(header(&model).contains("HALTED: flattened"));
    assert!(footer(&model).contains("R RESUME"), "{}", footer(&model));
    for (width, height) in [(60, 16), (80, 24), (200, 60)] {
        let text = picture::text(&drawn(&model, width, height, Theme::default()));
        let first = text.lines().next().unwrap_or_default();
        assert!(first.contains("HALTED"), "{width}x{height}: {first}");
    }
    press(&mut model, "R");
    assert!(screen(&model, 120, 40).contains("resume entries on"));
    update(&mut model, desk::NOW, Msg::Halted(None));
    assert!(!header(&model).contains("HALTED"));
}

#[test]
fn help_and_quit_are_offered_at_every_size() {
    for (width, height) in [(60, 16), (80, 24), (100, 30)] {
        for keys in ["1", "2", "3", "4", "6"] {
            let mut model = desk::full();
            press(&mut model, keys);
            let text = picture::text(&drawn(&model, width, height, Theme::default()));
            let last = text.lines().last().unwrap_or_default();
            assert!(last.contains("? help  q quit"), "{width}x{height}: {last}");
        }
    }
}

#[test]
fn a_toast_that_says_esc_goes_first_and_takes_nothing_else_with_it() {
    let mut model = desk::full();
    press(&mut model, "2\n");
    let why = desk::refusal();
    update(
        &mut model,
        desk::NOW,
        Msg::Resumed(Ticket(9), perpdeck::model::Command::Cancel("ord_12".into())),
    );
    update(&mut model, desk::NOW, Msg::Settled(Ticket(9), Err(why)));
    assert!(screen(&model, 120, 40).contains("Esc dismiss"));
    press(&mut model, "\u{1b}");
    assert!(matches!(model.overlays.last(), Some(Overlay::Detail(_))));
    assert!(!screen(&model, 120, 40).contains("Esc dismiss"));
    press(&mut model, "\u{1b}");
    assert_eq!(model.overlays, vec![]);
}

#[test]
fn the_detail_of_a_failure_names_the_status_that_came_and_invents_none() {
    let looked = Failure {
        proves: Proof::Refused,
        ..Failure::new(FailureKind::Conflict, "order ord_12 is filled: no answer")
    };
    for (why, status) in [(desk::refusal(), true), (looked, false)] {
        let mut model = desk::full();
        let cancel = perpdeck::model::Command::Cancel("ord_12".into());
        update(&mut model, desk::NOW, Msg::Resumed(Ticket(9), cancel));
        let message = why.message.to_string();
        update(&mut model, desk::NOW, Msg::Settled(Ticket(9), Err(why)));
        press(&mut model, "\u{1b}7\n");
        let shown = screen(&model, 120, 40);
        assert!(
            shown.contains("kind ") && shown.contains(&message),
            "{shown}"
        );
        assert_eq!(shown.contains("status "), status, "{shown}");
    }
}

#[test]
fn a_refused_order_speaks_in_one_place_its_line_or_its_form() {
    let mut model = desk::full();
    press(&mut model, "b0.5\n");
    assert_eq!(model.overlays, vec![], "a sent form closes at once");
    update(
        &mut model,
        desk::NOW,
        Msg::Settled(Ticket(1), Err(desk::refusal())),
    );
    let shown = screen(&model, 120, 40);
    assert_eq!(shown.matches("order ord_12 does not exist").count(), 1);
    assert!(shown.contains("U opens the form again"), "{shown}");
    press(&mut model, "U");
    let shown = screen(&model, 120, 40);
    assert_eq!(shown.matches("order ord_12 does not exist").count(), 1);
    assert!(shown.contains("▸ size           0.5"), "{shown}");
    assert!(!shown.contains("Esc dismiss"), "{shown}");
    press(&mut model, "\u{1b}\u{1b}");
    assert_eq!(model.overlays, vec![]);
    assert!(view::toast(&model).is_none(), "it was read in the form");
}

#[test]
fn a_key_that_does_nothing_says_why_although_a_form_is_open() {
    let mut unpriced = desk::full();
    desk::arrive(&mut unpriced, -1, Answer::Markets(Ok(vec![])));
    press(&mut unpriced, "c");
    press(&mut unpriced, "=");
    for width in [60, 120] {
        let shown = screen(&unpriced, width, 24);
        assert!(
            shown.contains("there is no price field") || shown.contains("no observed price"),
            "{shown}"
        );
    }
}

#[test]
fn whose_account_it_is_and_what_it_is_worth_stay_in_the_header_when_data_is_late() {
    let mut model = desk::full();
    let later = desk::NOW.plus(Duration::from_secs(90));
    called(&mut model, desk::call("GET", "/v1/orders", Ok(503), 5));
    update(&mut model, later, Msg::Tick);
    for width in [60, 80, 100, 120, 200] {
        let text = picture::text(&drawn(&model, width, 24, Theme::default()));
        let first = text.lines().next().unwrap_or_default();
        for kept in ["PAPER", "chal-1", "101,240.18", "61%"] {
            assert!(first.contains(kept), "{width}: {first}");
        }
    }
    update(&mut model, later, Msg::Halted(Some("flattened".to_owned())));
    let text = picture::text(&drawn(&model, 60, 16, Theme::default()));
    let first = text.lines().next().unwrap_or_default();
    assert!(
        first.contains("chal-1") && first.contains("HALTED"),
        "{first}"
    );
}

#[test]
fn a_desk_that_may_only_look_offers_no_key_that_sends_and_refuses_each_at_once() {
    let mut model = desk::full();
    model.account.options.read_only = true;
    let sending = ["X", "F", "b", "s", "t", "T", "c", "x", "m", "e", "K"];
    for pane in ["1", "2", "3", "4"] {
        press(&mut model, pane);
        let hints = view::footer(&model);
        let shown: Vec<_> = hints.iter().filter(|hint| hint.action.sends()).collect();
        assert!(shown.is_empty(), "{shown:?}");
        for key in sending {
            press(&mut model, key);
            assert_eq!(model.overlays, vec![], "{key} in {pane}");
        }
    }
    press(&mut model, "1X");
    let shown = screen(&model, 80, 24);
    assert!(
        shown.contains("the desk is read-only and sends nothing"),
        "{shown}"
    );
}

#[test]
fn a_dry_run_is_named_on_every_screen_and_says_what_it_did_not_send() {
    let mut model = desk::full();
    model.account.options.dry_run = true;
    press(&mut model, "X");
    for (wide, high) in [(60, 16), (80, 24), (120, 40), (200, 60)] {
        let shown = screen(&model, wide, high);
        assert!(shown.contains(" DRY-RUN "), "{shown}");
    }
    // The strip that asks says it too, whatever it asks about.
    for keys in ["X", "F", "K", "2x"] {
        let mut model = desk::full();
        model.account.options.dry_run = true;
        press(&mut model, keys);
        for (wide, high) in [(60, 16), (80, 24), (120, 40)] {
            let shown = screen(&model, wide, high);
            assert!(
                shown.contains("DRY RUN: nothing is sent"),
                "{keys}: {shown}"
            );
            assert!(
                shown.contains("y yes") || shown.contains("y now"),
                "{shown}"
            );
        }
    }
    let close_all = Command::CloseAll("chal-1".into());
    let ticket = Ticket(1_000_001);
    let path = "/v1/accounts/chal-1/close-all-positions";
    let why = Failure::dry_run(format!("POST {path}"));
    let told = Msg::Settled(ticket, Err(why));
    press(&mut model, "\u{1b}");
    update(&mut model, desk::NOW, Msg::Resumed(ticket, close_all));
    update(&mut model, desk::NOW, told);
    press(&mut model, "7");
    for (wide, high) in [(80, 24), (200, 60)] {
        let shown = screen(&model, wide, high);
        assert!(shown.contains("dry run: not sent"), "{shown}");
        assert!(shown.contains("POST") && shown.contains(path), "{shown}");
    }
}

#[test]
fn a_service_that_hangs_is_called_quiet_before_a_single_call_has_failed() {
    let mut model = desk::full();
    let later = desk::NOW.plus(Duration::from_secs(9));
    update(&mut model, later, Msg::Tick);
    assert!(header(&model).contains("api QUIET"), "{}", header(&model));
    for width in [80, 100, 120, 200] {
        let buffer = drawn(&model, width, 30, Theme::default());
        let first = picture::text(&buffer);
        let first = first.lines().next().unwrap_or_default();
        for kept in ["QUIET", "101,240.18", "61% left"] {
            assert!(first.contains(kept), "{width}: {first}");
        }
    }
}
