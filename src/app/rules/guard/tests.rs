//! The measured figures, the alerts, and what the lock refuses.

use super::*;
use crate::{
    app::{
        account::poll::Answer,
        activity::notice::Event,
        core::effect::{Effect, ReadOnce},
        desk::model::Model,
        dialogs::overlay::{Overlay, StripAction},
        rules::objection::objection,
        testing::*,
    },
    config,
    model::{Command, Cursor, Failure, FailureKind, Page, Position, RuleFact, Timestamp},
};

const DAY: i64 = 86_400_000;

fn day_of(at: Timestamp) -> i64 {
    at.0.div_euclid(DAY)
}

/// The facts of a service with challenges.
fn facts(daily_loss_left: &str, equity: &str) -> AccountFacts {
    let rule = |id: &str, value, limit| RuleFact {
        id: id.into(),
        value: Some(num(value)),
        limit: num(limit),
        from: None,
    };
    AccountFacts {
        equity: Some(num(equity)),
        daily_loss_left: Some(num(daily_loss_left)),
        starting_cash: Some(num("100000")),
        rules: vec![
            rule("max_drawdown", equity, "90000"),
            rule("profit_target", "102000", "110000"),
            rule("min_trading_days", "3", "5"),
            rule("consistency", "0.2", "0.4"),
        ],
        ..AccountFacts::default()
    }
}

fn stated_by_service(daily_loss_left: &str, equity: &str) -> Model {
    let mut model = desk();
    model.account.options.guard.lock = true;
    arrive(
        &mut model,
        Answer::Account(Ok(facts(daily_loss_left, equity))),
    );
    model
}

fn used(model: &Model) -> Vec<(Limit, String, Origin)> {
    let gauges = model.account.guard.gauges.iter();
    gauges
        .map(|g| (g.limit, g.used.normalized().to_string(), g.origin))
        .collect()
}

#[test]
fn what_the_service_tells_is_measured_as_a_share_of_the_whole_way() {
    let model = stated_by_service("0.61", "98000");
    let service = |limit, used: &str| (limit, used.to_owned(), Origin::Service);
    assert_eq!(
        used(&model),
        [
            service(Limit::DailyLoss, "0.39"),
            service(Limit::Drawdown, "0.2"),
            service(Limit::Target, "0.2"),
            service(Limit::TradingDays, "0.6"),
            service(Limit::Consistency, "0.5"),
        ]
    );
}

fn closed(day: i64, net: &str) -> Position {
    let at = day * DAY + 6 * 3_600_000;
    let more = format!(r#""closed_at":{at},"realized_pnl":{net},"fees":0,"funding":0"#);
    position(&format!("c{day}"), "BTC", "1", &more)
}

fn local() -> Model {
    let mut model = bare_desk();
    let some = |text| Some(num(text));
    model.account.options.guard = config::Guard {
        start_balance: some("10000"),
        daily_loss: some("500"),
        drawdown: some("1000"),
        target: some("800"),
        trading_days: some("4"),
        consistency: some("50"),
        lock: true,
    };
    model
}

#[test]
fn without_a_service_that_tells_them_the_desk_measures_by_its_own_settings() {
    let mut model = local();
    let today = day_of(model.account.now);
    let rows = vec![
        closed(today, "-400"),
        closed(today - 1, "300"),
        closed(today - 2, "100"),
    ];
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![]))));
    arrive(&mut model, Answer::Closed(Ok(Page::of(rows))));
    let own = |limit, used: &str| (limit, used.to_owned(), Origin::Local);
    let computed = [
        own(Limit::DailyLoss, "0.8"),
        own(Limit::Drawdown, "0"),
        own(Limit::Target, "0"),
        own(Limit::TradingDays, "0.75"),
        own(Limit::Consistency, "1.5"),
    ];
    assert_eq!(used(&model), computed);
    let facts = AccountFacts {
        equity: Some(num("9500")),
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts)));
    assert_eq!(used(&model)[1], own(Limit::Drawdown, "0.5"));
    assert_eq!(used(&model)[2], own(Limit::Target, "0"));
}

#[test]
fn of_a_loss_limit_that_both_set_the_stricter_one_counts_and_locks() {
    let mut model = local();
    let told = AccountFacts {
        day_pnl: Some(num("-510")),
        ..facts("0.9", "98000")
    };
    arrive(&mut model, Answer::Account(Ok(told)));
    let daily = model.account.guard.gauge(Limit::DailyLoss).unwrap();
    assert_eq!((daily.used, daily.origin), (num("1.02"), Origin::Local));
    let held = held(&model.account).unwrap();
    assert_eq!(held, "entries locked by the daily loss");
    model.account.options.guard.daily_loss = Some(num("50000"));
    arrive(&mut model, Answer::Account(Ok(facts("0.9", "98000"))));
    let daily = model.account.guard.gauge(Limit::DailyLoss).unwrap();
    assert_eq!(daily.origin, Origin::Service, "the laxer one does not");
}

fn page(rows: Vec<Position>, next: Option<&str>) -> Page<Position> {
    let next = next.map(|next| next.to_owned().into());
    Page {
        next,
        ..Page::of(rows)
    }
}

fn lacks(model: &Model, limit: Limit) -> Vec<Lack> {
    model.account.guard.gauge(limit).unwrap().lacks.clone()
}

fn more(cursor: &str) -> Effect {
    Effect::Read(ReadOnce::MoreClosed(cursor.to_owned().into()))
}

#[test]
fn figures_of_days_that_have_not_all_been_read_are_unknown_and_of_today_is_told_what_is() {
    let mut model = local();
    let today = day_of(model.account.now);
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![]))));
    let first = page(vec![closed(today, "-400")], Some("more"));
    arrive(&mut model, Answer::Closed(Ok(first)));
    let daily_loss = (Limit::DailyLoss, "0.8".to_owned(), Origin::Local);
    assert_eq!(used(&model), [daily_loss]);
    assert_eq!(lacks(&model, Limit::DailyLoss), [Lack::Unread(1)]);
    let unread = Some(Missing::Lacks(Lack::Unread(1)));
    assert_eq!(model.account.guard.missing(Limit::TradingDays), unread);
    assert_eq!(model.account.guard.missing(Limit::Drawdown), unread);
}

#[test]
fn a_loss_that_is_realised_locks_although_no_price_is_known_of_what_is_open() {
    let mut model = local();
    let today = day_of(model.account.now);
    let open = position("pos-1", "BTC", "0.5", r#""leverage":10"#);
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![open]))));
    let rows = vec![closed(today, "-1350"), closed(today - 1, "300")];
    arrive(&mut model, Answer::Closed(Ok(Page::of(rows))));
    assert_eq!(lacks(&model, Limit::DailyLoss), [Lack::Unpriced(1)]);
    assert_eq!(lacks(&model, Limit::Drawdown), [Lack::Unpriced(1)]);
    let own = |limit, used: &str| (limit, used.to_owned(), Origin::Local);
    assert_eq!(
        used(&model)[..2],
        [own(Limit::DailyLoss, "2.7"), own(Limit::Drawdown, "1.05")]
    );
    assert_eq!(locked(&model.account).unwrap().limit, Limit::DailyLoss);
}

#[test]
fn what_an_open_position_has_realised_counts_today_only_if_it_was_opened_today() {
    let of_its_own = r#""leverage":10,"realized_pnl":-240,"fees":10,"funding":0"#;
    let daily_loss = |opened_at: i64| {
        let mut model = local();
        arrive(&mut model, Answer::Closed(Ok(Page::of(vec![]))));
        let mut open = position("pos-1", "BTC", "0.5", of_its_own);
        open.opened_at = Some(Timestamp(opened_at));
        arrive(&mut model, Answer::Positions(Ok(Page::of(vec![open]))));
        used(&model)[..2]
            .iter()
            .map(|(_, used, _)| used.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(daily_loss(NOON.0), ["0.5", "0.25"]);
    assert_eq!(daily_loss(NOON.0 - DAY), ["0", "0.25"]);
}

#[test]
fn today_is_read_to_its_beginning_without_anybody_scrolling() {
    let mut model = local();
    let today = day_of(model.account.now);
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![]))));
    let lines = model.account.activity.lines.len();
    let row = |id: &str, net| Position {
        id: id.into(),
        ..closed(today, net)
    };
    let first = page(vec![row("a", "-300"), row("b", "-300")], Some("1"));
    let effects = arrive(&mut model, Answer::Closed(Ok(first)));
    assert_eq!(effects, [more("1")]);
    assert_eq!(
        locked(&model.account).unwrap().limit,
        Limit::DailyLoss,
        "a loss that is known locks before the rest of the day is read"
    );
    assert_eq!(
        model.account.activity.lines.len(),
        lines,
        "and is not told of yet"
    );
    let asked = |cursor: &str| -> Cursor { cursor.to_owned().into() };
    let second = page(vec![row("c", "100")], Some("2"));
    let effects = arrive(&mut model, Answer::MoreClosed(asked("1"), Ok(second)));
    assert_eq!(effects, [more("2")]);
    let third = page(vec![row("d", "-100"), closed(today - 1, "50")], Some("3"));
    let effects = arrive(&mut model, Answer::MoreClosed(asked("2"), Ok(third)));
    assert!(!effects.contains(&more("3")), "the day is covered");
    assert_eq!(lacks(&model, Limit::DailyLoss), []);
    assert_eq!(used(&model)[0].1, "1.2");
    assert_eq!(model.account.activity.lines.len(), lines + 1);
}

#[test]
fn the_past_is_read_a_page_with_every_newest_one_and_then_drawdown_and_target_are_known() {
    let mut model = local();
    let today = day_of(model.account.now);
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![]))));
    let newest = || page(vec![closed(today - 1, "-500")], Some("1"));
    let first = arrive(&mut model, Answer::Closed(Ok(newest())));
    assert_eq!(first, [more("1")]);
    let older = page(vec![closed(today - 2, "-200")], Some("2"));
    let effects = arrive(
        &mut model,
        Answer::MoreClosed("1".to_owned().into(), Ok(older)),
    );
    assert_eq!(effects, [], "not one after the other");
    assert_eq!(
        model.account.guard.missing(Limit::Drawdown),
        Some(Missing::Lacks(Lack::Unread(2)))
    );
    assert_eq!(
        arrive(&mut model, Answer::Closed(Ok(newest()))),
        [more("2")]
    );
    let oldest = page(vec![closed(today - 3, "-50")], None);
    arrive(
        &mut model,
        Answer::MoreClosed("2".to_owned().into(), Ok(oldest)),
    );
    let own = |limit, used: &str| (limit, used.to_owned(), Origin::Local);
    assert_eq!(used(&model)[1], own(Limit::Drawdown, "0.75"));
    assert_eq!(used(&model)[2], own(Limit::Target, "0"));
    assert_eq!(arrive(&mut model, Answer::Closed(Ok(newest()))), []);
}

#[test]
fn a_loss_is_not_told_of_before_the_prices_that_may_make_up_for_it_have_come() {
    let mut model = local();
    let today = day_of(model.account.now);
    let intervals = [(Source::Markets, std::time::Duration::from_secs(1))];
    model.account.options.intervals = intervals.into();
    let open = position("pos-1", "BTC", "0.5", r#""leverage":10"#);
    let lines = model.account.activity.lines.len();
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![open]))));
    let rows = vec![closed(today, "-600")];
    arrive(&mut model, Answer::Closed(Ok(Page::of(rows))));
    assert_eq!(model.account.activity.lines.len(), lines);
    let none = Failure::local("not found");
    arrive(&mut model, Answer::Markets(Err(none)));
    assert_eq!(model.account.activity.lines.len(), lines + 1);
}

#[test]
fn what_is_not_set_is_not_read_for() {
    let mut model = bare_desk();
    let today = day_of(model.account.now);
    let first = page(vec![closed(today, "-400")], Some("1"));
    assert_eq!(arrive(&mut model, Answer::Closed(Ok(first))), []);
    assert_eq!(
        model.account.guard.missing(Limit::DailyLoss),
        Some(Missing::Unset)
    );
}

fn place(model: &Model, reduce_only: &str) -> Command {
    let mut open = model.account.store.positions.rows().iter();
    let held = open.next().unwrap();
    let json = format!(
        r#"{{"type":"market","account_id":"chal-1","market_id":"{}","side":"sell","size":0.1,"leverage":1,
        "margin_mode":"cross","reduce_only":{reduce_only}}}"#,
        held.market_id.raw()
    );
    let request = crate::api::Request {
        method: crate::api::Method::Post,
        target: "/v1/orders".to_owned(),
        key: None,
        body: json.into_bytes(),
    };
    request.command().unwrap()
}

#[test]
fn at_the_limit_new_risk_is_held_and_no_exit_ever_is() {
    let model = stated_by_service("0", "95000");
    let margin = |extra| Command::margin("pos-2".into(), num(extra), Some(num("120.5")));
    assert!(
        objection(&model.account, &place(&model, "false"))
            .unwrap()
            .contains("daily loss")
    );
    assert!(
        objection(&model.account, &margin("100")).is_some(),
        "less margin is more risk"
    );
    let form = crate::app::forms::form::Form::close(
        model.account.store.position(&"pos-1".into()).unwrap(),
    );
    let exits = [
        place(&model, "true"),
        margin("200"),
        form.command(&model.account.form_context()).unwrap(),
        Command::Cancel("ord-1".into()),
        Command::StopTwap("t".into()),
        Command::CancelScaled("l".into()),
        Command::CloseAll("chal-1".into()),
        Command::Flatten("chal-1".into()),
    ];
    for exit in exits {
        assert_eq!(objection(&model.account, &exit), None, "{exit}");
    }
}

#[test]
fn the_keys_that_open_positions_say_why_they_do_not() {
    let mut model = stated_by_service("0", "95000");
    press(&mut model, "b s");
    assert_eq!(model.overlays, vec![]);
    let last = model
        .account
        .activity
        .lines
        .back()
        .map(|line| line.event.clone());
    let words = "entries locked by the daily loss, L shows the limits".to_owned();
    assert_eq!(
        last,
        Some(Event::Message(
            crate::app::activity::notice::Tone::Warn,
            words
        ))
    );
    press(&mut model, "c");
    assert!(
        matches!(model.overlays.last(), Some(Overlay::Form(_))),
        "a close opens as ever"
    );
}

#[test]
fn the_lock_is_lifted_by_asking_twice_and_comes_back_with_the_next_breach() {
    let mut model = stated_by_service("0", "95000");
    press(&mut model, "L o");
    let lift = StripAction::Lift("chal-1".into());
    assert!(matches!(model.overlays.last(), Some(Overlay::Strip(strip)) if strip.proposal == lift));
    assert_eq!(press(&mut model, "y"), vec![], "the strip is still deaf");
    assert!(locked(&model.account).is_some());
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "y esc"), vec![]);
    assert_eq!(objection(&model.account, &place(&model, "false")), None);
    arrive(&mut model, Answer::Account(Ok(facts("0.5", "97000"))));
    arrive(&mut model, Answer::Account(Ok(facts("0", "95000"))));
    assert!(locked(&model.account).is_some());
}

#[test]
fn where_the_settings_say_so_nothing_is_locked() {
    let mut model = stated_by_service("0", "95000");
    model.account.options.guard.lock = false;
    assert_eq!(objection(&model.account, &place(&model, "false")), None);
}

#[test]
fn four_fifths_and_the_whole_of_a_limit_are_told_once_each() {
    let mut model = stated_by_service("0.5", "99000");
    let told = |model: &mut Model, left: &str| -> Vec<Effect> {
        arrive(model, Answer::Account(Ok(facts(left, "99000"))))
    };
    let lines = |model: &Model| model.account.activity.lines.len();
    let before = lines(&model);
    told(&mut model, "0.21");
    assert_eq!(lines(&model), before);
    told(&mut model, "0.2");
    told(&mut model, "0.1");
    assert_eq!(lines(&model), before + 1);
    told(&mut model, "0");
    told(&mut model, "0");
    assert_eq!(lines(&model), before + 2);
}

#[test]
fn a_poll_that_fails_neither_locks_nor_unlocks() {
    let mut model = stated_by_service("0", "95000");
    let down = Failure::new(FailureKind::Unavailable, "down");
    arrive(&mut model, Answer::Account(Err(down)));
    assert!(locked(&model.account).is_some());
}

/// A trailing drawdown of 8 %: 100 000 at the start, now `equity` above `floor`.
fn trailing(model: &mut Model, equity: &str, floor: &str, from: Option<&str>) -> String {
    let mut told = facts("1", equity);
    told.rules[0].limit = num(floor);
    told.rules[0].from = from.map(num);
    arrive(model, Answer::Account(Ok(told)));
    used(model)[1].1.clone()
}

#[test]
fn a_floor_that_trails_is_measured_from_its_peak_and_locks_when_it_is_reached() {
    let mut model = stated_by_service("1", "104000");
    let mut at = |equity, floor| trailing(&mut model, equity, floor, Some("108000"));
    assert_eq!(at("108500", "100000"), "0");
    assert_eq!(at("102000", "100000"), "0.75");
    assert_eq!(at("100000", "100000"), "1", "the floor stands at the start");
    assert_eq!(at("99000", "100000"), "1");
    assert_eq!(lacks(&model, Limit::Drawdown), []);
    assert_eq!(locked(&model.account).unwrap().limit, Limit::Drawdown);
}

#[test]
fn without_a_peak_that_is_told_the_highest_equity_seen_stands_in_for_it_and_says_so() {
    let mut model = stated_by_service("1", "99000");
    assert_eq!(trailing(&mut model, "99000", "92000", None), "0.125");
    assert_eq!(lacks(&model, Limit::Drawdown), []);
    assert_eq!(trailing(&mut model, "105000", "97000", None), "0");
    assert_eq!(trailing(&mut model, "99000", "97000", None), "0.75");
    assert_eq!(lacks(&model, Limit::Drawdown), [Lack::Peak]);
    assert_eq!(trailing(&mut model, "100000", "100000", None), "1");
}

#[test]
fn the_end_of_a_challenge_is_told_once_as_the_settings_say() {
    let mut model = stated_by_service("0.5", "99000");
    model.account.options.alerts.guard = [config::AlertChannel::Bell].into_iter().collect();
    let ended = |word: &str| AccountFacts {
        standing: Some(word.into()),
        ..facts("0.5", "99000")
    };
    for (word, verdict) in [
        ("passed", Verdict::Passed),
        ("failed", Verdict::Breached("a rule".to_owned())),
    ] {
        let effects = arrive(&mut model, Answer::Account(Ok(ended(word))));
        assert!(effects.contains(&Effect::Terminal(
            crate::app::core::effect::TerminalOut::Bell
        )));
        let newest = model.account.activity.lines.back().map(|line| &line.event);
        assert_eq!(newest, Some(&Event::Alert(Alert::Challenge(verdict))));
        let again = arrive(&mut model, Answer::Account(Ok(ended(word))));
        assert!(!again.contains(&Effect::Terminal(
            crate::app::core::effect::TerminalOut::Bell
        )));
    }
}

#[test]
fn older_pages_are_read_once_everything_has_answered_in_whatever_order() {
    let mut model = local();
    let today = day_of(model.account.now);
    let polled = [Source::Positions, Source::Closed];
    model.account.options.intervals = polled
        .map(|source| (source, std::time::Duration::from_secs(1)))
        .into();
    let newest = page(vec![closed(today - 1, "-500")], Some("1"));
    assert_eq!(arrive(&mut model, Answer::Closed(Ok(newest))), []);
    let positions = Answer::Positions(Ok(Page::of(vec![])));
    assert_eq!(arrive(&mut model, positions), [more("1")]);
}
