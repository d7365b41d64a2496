use super::*;
use crate::{
    app::testing::{NOON, num},
    model::{MarketNames, Timestamp},
};

fn at(seconds: i64) -> Timestamp {
    Timestamp(NOON.0 + seconds * 1_000)
}

fn alert(trigger: AlertTrigger, repeat: AlertRepeat) -> UserAlert {
    let what = (
        AlertSubject::Price("paper|BTC".into()),
        trigger,
        num("66000"),
    );
    UserAlert::new(what, repeat, None, at(0))
}

/// The values, one each two minutes, that fire it.
fn firings(trigger: AlertTrigger, repeat: AlertRepeat, values: &[&str]) -> Vec<usize> {
    let mut alert = alert(trigger, repeat);
    let steps = values.iter().zip((0..).step_by(120)).enumerate();
    let fired = steps.filter(|(_, (value, second))| {
        let sample = AlertSample {
            value: num(value),
            step: num("1"),
        };
        alert.is_waiting() && alert.judge(sample, at(*second))
    });
    fired.map(|(number, _)| number).collect()
}

use AlertRepeat::{Every, Once};
use AlertTrigger::{Above, Below, Crossing, CrossingDown, CrossingUp};

#[test]
fn a_value_that_swings_about_its_level_fires_once() {
    let swings = [
        "65999", "66001", "65999", "66001", "65999", "66002", "65998",
    ];
    for repeat in [Once, Every] {
        assert_eq!(firings(CrossingUp, repeat, &swings), [1]);
        assert_eq!(firings(Crossing, repeat, &swings), [1]);
        assert_eq!(firings(CrossingDown, repeat, &swings), [2]);
        assert_eq!(firings(Above, repeat, &swings), [1]);
        assert_eq!(firings(Below, repeat, &swings), [0]);
    }
}

/// 0.05 % of 66,000 is 33, more than two ticks.
#[test]
fn it_fires_again_once_the_value_was_far_enough_on_the_other_side() {
    let back = ["65999", "66001", "65968", "66001", "65967", "66001"];
    assert_eq!(firings(CrossingUp, Every, &back), [1, 5]);
    assert_eq!(firings(CrossingUp, Once, &back), [1]);
}

#[test]
fn a_jump_over_the_level_counts_and_a_touch_does_too() {
    assert_eq!(firings(CrossingUp, Once, &["60000", "70000"]), [1]);
    assert_eq!(firings(CrossingDown, Once, &["70000", "60000"]), [1]);
    assert_eq!(
        firings(Crossing, Every, &["60000", "70000", "60000"]),
        [1, 2]
    );
    assert_eq!(firings(CrossingUp, Once, &["65999", "66000"]), [1]);
    assert_eq!(firings(CrossingDown, Once, &["66001", "66000"]), [1]);
}

#[test]
fn a_crossing_needs_a_value_before_it_and_above_and_below_do_not() {
    assert_eq!(firings(CrossingUp, Once, &["70000", "70001"]), [0_usize; 0]);
    assert_eq!(firings(Crossing, Once, &["66000", "66001"]), [0_usize; 0]);
    assert_eq!(firings(Above, Once, &["70000"]), [0]);
    assert_eq!(firings(Below, Once, &["60000"]), [0]);
    assert_eq!(firings(Above, Once, &["66000"]), [0_usize; 0]);
}

#[test]
fn every_time_is_once_a_minute_at_most() {
    let mut every = alert(Above, Every);
    let mut judge = |second, value: &str| {
        let sample = AlertSample {
            value: num(value),
            step: num("1"),
        };
        every.judge(sample, at(second))
    };
    assert!(judge(0, "66100"));
    assert!(!judge(10, "65900"));
    assert!(!judge(59, "66100"), "within the minute");
    assert!(judge(60, "66100"));
}

#[test]
fn its_words_are_those_that_set_it() {
    let words = |subject, trigger, level: &str, repeat| {
        UserAlert::new((subject, trigger, num(level)), repeat, None, at(0))
            .words(&MarketNames::default())
    };
    let btc = || "paper|BTC".into();
    assert_eq!(
        words(AlertSubject::Price(btc()), CrossingUp, "66000.50", Every),
        "btc crosses up 66000.5 every"
    );
    assert_eq!(
        words(
            AlertSubject::LiquidationDistance(btc()),
            Below,
            "0.05",
            Once
        ),
        "btc liq < 5%"
    );
    assert_eq!(
        words(AlertSubject::AccountPnl, Below, "-200", Once),
        "pnl < -200"
    );
    assert_eq!(
        words(AlertSubject::Funding(btc()), Above, "0.0001", Once),
        "btc funding > 0.01%"
    );
}

#[test]
fn the_oldest_that_is_over_makes_room() {
    let mut alerts = UserAlerts::default();
    for number in 0..MOST {
        let mut one = alert(Above, Once);
        if number == 5 {
            one.phase = AlertPhase::Done;
        }
        alerts.set(one);
    }
    alerts.set(alert(Below, Once));
    assert_eq!(alerts.all().len(), MOST);
    assert!(alerts.get(6).is_none() && alerts.get(1).is_some());
}
