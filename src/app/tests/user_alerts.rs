//! Alerts of the trader's own: set, judged by what polls bring, reported, kept.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for one variant and names no others"
)]

use super::*;
use crate::{
    app::{
        account::poll::Poll,
        activity::{
            alerts::Alert,
            user_alerts::{
                AlertEdit, AlertPhase, AlertRepeat, AlertSubject, AlertTrigger, FiringOccasion,
                KeptAlerts, KeptState, UserAlert,
            },
        },
        core::effect::TerminalOut,
    },
    config::{AlertChannel, AlertChannels, AlertCommand},
    model::{MarketNames, Num, Timestamp},
};

/// Sets alerts by the command line; answers what was kept by it.
fn typed(model: &mut Model, line: &str) -> Option<KeptAlerts> {
    press(model, ":");
    for c in line.chars() {
        update(model, model.account.now, Msg::Key(c.into()));
    }
    let effects = press(model, "enter");
    effects.into_iter().find_map(|effect| match effect {
        Effect::Keep(KeptState::Alerts(kept)) => Some(*kept),
        _ => None,
    })
}

/// The price of BTC, a second later.
fn mark(model: &mut Model, price: &str) -> Vec<Effect> {
    model.account.now = model.account.now.plus(Duration::from_secs(1));
    arrive(
        model,
        Answer::Markets(Ok(vec![market("BTC", price, price, (5, 40))])),
    )
}

fn fired(model: &Model) -> Vec<(String, FiringOccasion)> {
    let lines = model.account.activity.lines.iter();
    let firings = lines.filter_map(|line| match &line.event {
        Event::Alert(Alert::User(firing)) => Some((firing.value.to_string(), firing.occasion)),
        _ => None,
    });
    firings.collect()
}

fn seen(value: &str) -> (String, FiringOccasion) {
    (value.to_owned(), FiringOccasion::Seen)
}

#[test]
fn what_another_process_changed_joins_what_this_desk_has() {
    let mut model = desk();
    let price = |level: u32| {
        let subject = AlertSubject::Price("paper|BTC".into());
        let trigger = (subject, AlertTrigger::Above, Num::from(level));
        UserAlert::new(trigger, AlertRepeat::Once, None, Timestamp(5))
    };
    let mut edit = |removed: &[u32], added: &[u32]| {
        let alerts = |levels: &[u32]| levels.iter().map(|level| price(*level)).collect();
        let edit = AlertEdit {
            removed: alerts(removed),
            added: alerts(added),
        };
        let now = model.account.now;
        let effects = update(&mut model, now, Msg::AlertsEdited(edit));
        let kept = Effect::Keep(KeptState::Alerts(Box::new(
            model.account.user_alerts.kept(),
        )));
        assert_eq!(effects, [kept]);
        let levels = model.account.user_alerts.all().iter();
        levels.map(|alert| alert.level).collect::<Vec<_>>()
    };
    let levels = |levels: &[u32]| {
        levels
            .iter()
            .map(|level| Num::from(*level))
            .collect::<Vec<_>>()
    };
    assert_eq!(edit(&[], &[66_000, 70_000]), levels(&[66_000, 70_000]));
    // Known already, or gone already: two processes may do the same.
    assert_eq!(edit(&[1], &[70_000]), levels(&[66_000, 70_000]));
    assert_eq!(edit(&[66_000], &[]), levels(&[70_000]));
}

#[test]
fn an_alert_that_is_set_fires_is_told_and_is_kept() {
    let mut model = desk();
    model.account.options.alerts.user_alert = [
        AlertChannel::Toast,
        AlertChannel::Bell,
        AlertChannel::Desktop,
    ]
    .into_iter()
    .collect::<AlertChannels>();
    let kept = typed(&mut model, "alert btc > 66000").unwrap();
    assert_eq!(kept.alerts.len(), 1);
    assert!(last_said(&model).1.starts_with("alert set: btc > 66000"));
    let btc = "paper|BTC".into();
    assert_eq!(
        model.account.user_alerts.prices(&btc).collect::<Vec<_>>(),
        [num("66000")]
    );
    // On which side the price is, is kept: the next session knows what it has passed.
    let effects = mark(&mut model, "65900");
    assert!(
        matches!(effects.as_slice(), [Effect::Keep(KeptState::Alerts(_))]),
        "{effects:?}"
    );
    assert_eq!(mark(&mut model, "65901"), vec![]);
    let effects = mark(&mut model, "66001");
    let [
        Effect::Terminal(TerminalOut::Bell),
        Effect::Terminal(TerminalOut::Notify(_)),
        Effect::Keep(KeptState::Alerts(kept)),
    ] = effects.as_slice()
    else {
        panic!("{effects:?}");
    };
    assert_eq!(kept.alerts[0].phase, AlertPhase::Done);
    assert_eq!(fired(&model), [seen("66001")]);
    let toast = model.account.activity.toast(model.account.now).unwrap();
    assert_eq!(toast.event.tone(), Tone::Alert, "it stays until it is read");
    mark(&mut model, "66002");
    assert_eq!(fired(&model).len(), 1, "once");
    assert_eq!(model.account.user_alerts.prices(&btc).count(), 0);
}

#[test]
fn a_stale_value_never_fires() {
    let mut model = desk();
    model
        .account
        .options
        .intervals
        .insert(Source::Markets, Duration::from_secs(1));
    typed(&mut model, "alert btc > 66000 every");
    let down = Failure::new(FailureKind::Unavailable, "down");
    mark(&mut model, "66001");
    assert_eq!(fired(&model).len(), 1);
    // A failed poll brings no value, and one that is asked long ago is of then.
    mark(&mut model, "65000");
    wait(&mut model, 120_000);
    arrive(&mut model, Answer::Markets(Err(down)));
    let old = Poll {
        at: Timestamp(model.account.now.0 - 60_000),
        answer: Answer::Markets(Ok(vec![market("BTC", "67000", "67000", (5, 40))])),
    };
    let now = model.account.now;
    update(&mut model, now, Msg::Polled(Box::new(old)));
    assert_eq!(fired(&model).len(), 1);
    mark(&mut model, "67000");
    assert_eq!(fired(&model).len(), 2, "the next fresh one does");
}

#[test]
fn pnl_and_liquidation_are_watched_of_what_is_open() {
    let mut model = desk();
    arrive(
        &mut model,
        Answer::Markets(Ok(vec![
            market("BTC", "64000", "64000", (5, 40)),
            market("SOL", "150", "150", (2, 20)),
        ])),
    );
    // BTC 0.5 long from 60,000, liquidated at 45,000; SOL 100 short from 160.
    typed(&mut model, "alert btc pnl < 1500");
    typed(&mut model, "alert btc liq < 28.5%");
    typed(&mut model, "alert pnl < 2600");
    let both = |btc: &str| {
        Answer::Markets(Ok(vec![
            market("BTC", btc, btc, (5, 40)),
            market("SOL", "150", "150", (2, 20)),
        ]))
    };
    arrive(&mut model, both("64000"));
    assert_eq!(fired(&model), []);
    arrive(&mut model, both("62900"));
    let values: Vec<_> = fired(&model).into_iter().map(|(value, _)| value).collect();
    assert_eq!(values.len(), 3, "{values:?}");
    assert_eq!(
        (values[0].as_str(), values[2].as_str()),
        ("1450.0", "2450.0")
    );
}

#[test]
fn the_key_on_a_row_begins_the_line_with_its_market_and_price() {
    let mut model = desk();
    press(&mut model, "j @");
    let prompt = model.overlays.last().unwrap().try_as_prompt_ref().unwrap();
    assert_eq!(prompt.text(), "alert sol crosses 150.01");
    press(&mut model, "backspace backspace backspace enter");
    assert_eq!(model.overlays, []);
    assert!(
        last_said(&model)
            .1
            .starts_with("alert set: sol crosses 150")
    );
}

#[test]
fn the_list_deletes_and_changes_and_stays_open() {
    let mut model = desk();
    typed(&mut model, "alert btc > 66000");
    typed(&mut model, "alert btc < 60000 every for 2h");
    press(&mut model, "# j enter");
    let prompt = model.overlays.last().unwrap().try_as_prompt_ref().unwrap();
    assert_eq!(prompt.text(), "alert btc < 60000 every --replaces 2");
    press(&mut model, "enter");
    let levels = |model: &Model| -> Vec<String> {
        let all = model.account.user_alerts.all().iter();
        all.map(|alert| alert.words(&model.account.store.names))
            .collect()
    };
    assert_eq!(levels(&model), ["btc > 66000", "btc < 60000 every"]);
    assert!(matches!(
        model.overlays.last(),
        Some(Overlay::UserAlerts(_))
    ));
    let effects = press(&mut model, "g x");
    assert!(
        matches!(effects.as_slice(), [Effect::Keep(KeptState::Alerts(_))]),
        "{effects:?}"
    );
    assert_eq!(levels(&model), ["btc < 60000 every"]);
    press(&mut model, "esc");
    assert_eq!(model.overlays, []);
}

#[test]
fn a_line_with_a_fault_says_where_and_sets_nothing() {
    let mut model = desk();
    for (line, at, what) in [
        ("alert", 5, "watch what"),
        ("alert xyz > 1", 6, "no such market"),
        ("alert btc", 9, "which way"),
        ("alert btc sideways 1", 10, "which way"),
        ("alert btc >", 11, "which level"),
        ("alert btc > abc", 12, ""),
        ("alert btc > 5%", 12, "a level in USD"),
        ("alert btc>0", 10, "a price is above zero"),
        ("alert btc > 66000 twice", 18, "once, every"),
        ("alert btc > 66000 for 2y", 22, ""),
        ("alert btc > 66000 until", 23, "2h or 18:00"),
        ("alert btc > 66000 --replaces 9", 29, "no such alert"),
    ] {
        assert_eq!(typed(&mut model, line), None, "{line}");
        let prompt = model.overlays.last().unwrap().try_as_prompt_ref().unwrap();
        let fault = prompt.fault.clone().unwrap();
        assert!(fault.what.contains(what), "{line}: {}", fault.what);
        assert_eq!(fault.at.start, at, "{line}: {}", fault.what);
        press(&mut model, "esc");
    }
    assert_eq!(model.account.user_alerts.all(), []);
}

#[test]
fn an_alert_expires_and_says_so() {
    let mut model = desk();
    typed(&mut model, "alert btc > 66000 for 1m");
    model.account.now = model.account.now.plus(Duration::from_mins(1));
    mark(&mut model, "66001");
    assert_eq!(fired(&model), []);
    assert_eq!(last_said(&model).1, "alert expired: btc > 66000");
}

#[test]
fn fifteen_in_three_minutes_halt_them_until_the_trader_goes_on() {
    let mut model = desk();
    for _ in 0..16 {
        typed(&mut model, "alert btc > 66000 every");
    }
    mark(&mut model, "66001");
    assert_eq!(fired(&model).len(), 15);
    let (tone, words) = last_said(&model);
    assert_eq!(tone, Tone::Alert);
    assert_eq!(
        words,
        "alerts halted: 15 fired within 3 minutes. #, then R lets them fire again"
    );
    mark(&mut model, "60000");
    wait(&mut model, 200_000);
    mark(&mut model, "66001");
    assert_eq!(fired(&model).len(), 15, "halted");
    press(&mut model, "# R");
    assert_eq!(last_said(&model), (Tone::Good, "alerts fire again"));
    mark(&mut model, "66002");
    assert_eq!(
        fired(&model).len(),
        16,
        "those that fired wait for the price to go back"
    );
}

#[test]
fn what_crossed_while_the_desk_was_closed_is_said_at_its_start_and_runs_nothing() {
    let mut before = desk();
    typed(&mut before, "alert btc crosses up 66000");
    let effects = mark(&mut before, "65000");
    let [Effect::Keep(KeptState::Alerts(kept))] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let text = serde_json::to_string(kept).unwrap();
    let mut model = desk();
    model.account.options.alert_command = AlertCommand::from(vec!["say".to_owned()]);
    let kept = Box::new(serde_json::from_str(&text).unwrap());
    let now = model.account.now;
    assert_eq!(
        update(&mut model, now, Msg::Kept(KeptState::Alerts(kept))),
        vec![]
    );
    let effects = mark(&mut model, "67000");
    assert_eq!(
        fired(&model),
        [("67000".to_owned(), FiringOccasion::WhileAway)]
    );
    let runs = |effect: &Effect| matches!(effect, Effect::RunAlertCommand(_));
    assert!(!effects.iter().any(runs), "{effects:?}");
}

#[test]
fn alerts_set_before_the_file_was_read_are_kept_with_those_in_it() {
    let mut before = desk();
    let kept = typed(&mut before, "alert btc > 70000").unwrap();
    let mut model = desk();
    typed(&mut model, "alert btc > 66000");
    let now = model.account.now;
    let effects = update(
        &mut model,
        now,
        Msg::Kept(KeptState::Alerts(Box::new(kept))),
    );
    let [Effect::Keep(KeptState::Alerts(both))] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let all: Vec<_> = both
        .alerts
        .iter()
        .map(|alert| alert.words(&MarketNames::default()))
        .collect();
    assert_eq!(all, ["btc > 70000", "btc > 66000"]);
}

#[test]
fn the_command_gets_the_facts_as_arguments_and_variables_and_never_a_key() {
    let mut model = desk();
    let parts = ["notify", "{symbol} at {value}", "{unknown} {", "{text}"];
    model.account.options.alert_command = AlertCommand::from(parts.map(str::to_owned).to_vec());
    typed(&mut model, "alert btc crosses 66000");
    mark(&mut model, "65000");
    let effects = mark(&mut model, "66001");
    let run = effects.iter().find_map(|effect| match effect {
        Effect::RunAlertCommand(run) => Some(run),
        _ => None,
    });
    let run = run.unwrap();
    assert_eq!(run.program, "notify");
    assert_eq!(
        run.arguments,
        [
            "BTC at 66001",
            "{unknown} {",
            "btc crosses 66000, now 66001"
        ]
    );
    let named: Vec<_> = run
        .environment
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let expected = [
        "ALERT_TEXT",
        "ALERT_ACCOUNT",
        "ALERT_MARKET",
        "ALERT_SYMBOL",
        "ALERT_SUBJECT",
        "ALERT_CONDITION",
        "ALERT_LEVEL",
        "ALERT_VALUE",
        "ALERT_TIME",
    ];
    assert_eq!(named, expected);
    let fact = |name: &str| {
        let mut all = run.environment.iter();
        all.find(|(known, _)| known == name).unwrap().1.clone()
    };
    assert_eq!(fact("ALERT_ACCOUNT"), "chal-1");
    assert_eq!(fact("ALERT_TIME"), "2026-09-21T14:13:22.000Z");
}

#[test]
fn the_ways_out_work_over_the_list_and_the_review() {
    for open in ["#", "W"] {
        let mut model = desk();
        press(&mut model, open);
        press(&mut model, "X");
        assert!(
            matches!(model.overlays.last(), Some(Overlay::Strip(_))),
            "{open}"
        );
    }
}
