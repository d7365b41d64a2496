//! Applies settings that change while the desk runs.

use crate::{
    app::{
        activity::notice::Tone,
        core::{alerts, effect::Effect},
        desk::{
            model::Model,
            reload::{Reload, ReloadStatus, Renewal},
        },
        keys::keymap::Keymap,
        rules::{checks, guard},
    },
    config::{Change, Leeway, Takes},
    model::Text,
};

/// More changes are only counted in the toast; `:config` lists them all.
const LISTED_CHANGES: usize = 4;

pub(crate) fn take(model: &mut Model, reread: Reload) -> Vec<Effect> {
    model.settings.read_at = Some(model.account.now);
    match reread {
        Reload::Good(reload) => renew(model, *reload),
        Reload::Bad(faults) => refuse(model, &faults),
    }
}

fn refuse(model: &mut Model, faults: &[String]) -> Vec<Effect> {
    let faults: Vec<_> = faults.iter().map(|line| plain(line)).collect();
    let words = format!(
        "settings not applied, the old ones stay in force: {}",
        faults.join("; ")
    );
    model.settings.faults = faults;
    model.account.say(Tone::Alert, words);
    vec![]
}

fn renew(model: &mut Model, reload: Renewal) -> Vec<Effect> {
    let (tone, words) = summary(&reload.changes, &model.settings.faults);
    model.settings = ReloadStatus {
        faults: vec![],
        read_at: model.settings.read_at,
        changes: reload
            .changes
            .iter()
            .map(|c| plain(&c.to_string()))
            .collect(),
        waiting: reload.waiting,
        files: reload.files,
    };
    model.account.say(tone, words);
    if reload.keymap.notes() != model.keymap.notes()
        && let Some(words) = key_notes(&reload.keymap)
    {
        model.account.say(Tone::Warn, words);
    }
    model.set_keymap(reload.keymap);
    let read_before = checks::read_by(&model.account.options.checks);
    model.account.options.checks = reload.options.checks;
    model.account.options.guard = reload.options.guard;
    model.account.options.size_presets = reload.options.size_presets;
    model.account.options.brackets = reload.options.brackets;
    let news = guard::measure(&mut model.account);
    let mut effects = alerts::raise(&mut model.account, news);
    let read = checks::read_by(&model.account.options.checks);
    effects.extend((read != read_before).then_some(Effect::ReadOften(read)));
    effects
}

/// Actions that own bindings left without a key, and sections of an earlier version, if any.
pub(crate) fn key_notes(keymap: &Keymap) -> Option<String> {
    let lines = keymap.notes();
    (!lines.is_empty()).then(|| format!("your own keys: {}", lines.join(" · ")))
}

pub(crate) fn summary(changes: &[Change], faults: &[String]) -> (Tone, String) {
    if changes.is_empty() {
        let words = if faults.is_empty() {
            "settings: nothing has changed"
        } else {
            "settings are valid again; nothing has changed"
        };
        return (Tone::Good, words.to_owned());
    }
    let (now, later): (Vec<_>, Vec<_>) = changes.iter().partition(|c| c.takes == Takes::Now);
    let mut parts: Vec<String> = now
        .iter()
        .take(LISTED_CHANGES)
        .map(ToString::to_string)
        .collect();
    if now.len() > LISTED_CHANGES {
        parts.push(format!("{} more", now.len() - LISTED_CHANGES));
    }
    if !later.is_empty() {
        let names: Vec<_> = later.iter().map(|change| change.key.as_str()).collect();
        parts.push(format!("needs a restart: {}", names.join(", ")));
    }
    let is_looser = changes.iter().any(|change| change.leeway == Leeway::More);
    let tone = if is_looser { Tone::Warn } else { Tone::Good };
    (tone, plain(&format!("settings: {}", parts.join(" · "))))
}

/// Text from a file, made safe for the terminal.
fn plain(text: &str) -> String {
    Text::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{CloseAllRule, Effect, Model, activity::notice::Tone},
        config::Leeway,
    };
    use crate::{
        app::{
            account::{options::Options, poll::Source},
            activity::notice::Event,
            desk::msg::Msg,
            dialogs::overlay::Overlay,
            testing::*,
            update::router::update,
        },
        config::SettingValues,
    };
    fn changed(key: &str, was: &str, is: &str) -> Change {
        Change {
            key: key.to_owned(),
            values: SettingValues::Told {
                was: was.to_owned(),
                is: is.to_owned(),
            },
            takes: Takes::Now,
            leeway: Leeway::Same,
        }
    }

    fn reads(
        model: &mut Model,
        change: impl FnOnce(&mut Options),
        changes: Vec<Change>,
    ) -> Vec<Effect> {
        let mut options = model.account.options.clone();
        change(&mut options);
        let reload = Renewal {
            options,
            others: vec![],
            keymap: Keymap::default(),
            changes,
            waiting: vec![],
            files: vec!["/home/me/config.toml".into()],
        };
        let now = model.account.now;
        update(model, now, Msg::Reload(Reload::Good(Box::new(reload))))
    }

    #[test]
    fn a_limit_that_reads_decide_has_them_made_as_often_as_without_streams() {
        let mut model = desk();
        let limit = |options: &mut Options| options.checks.max_open_notional = Some(num("500"));
        let changes = || vec![changed("checks.max_open_notional", "none", "500")];
        let asked = reads(&mut model, limit, changes());
        assert_eq!(asked, [Effect::ReadOften([Source::Positions].into())]);
        assert_eq!(reads(&mut model, limit, changes()), [], "nothing new");
    }

    fn toast(model: &Model) -> Option<(Tone, String)> {
        let Event::Message(tone, words) = &model.account.activity.toast(model.account.now)?.event
        else {
            return None;
        };
        Some((*tone, words.clone()))
    }

    #[test]
    fn a_limit_that_was_set_holds_back_the_next_order_and_the_toast_names_it() {
        let mut model = desk();
        let limit = |options: &mut Options| options.checks.max_size = Some(num("0.01"));
        let changes = vec![changed("checks.max_size", "none", "0.01")];
        assert_eq!(reads(&mut model, limit, changes), []);
        let said = "settings: checks.max_size = 0.01 (was none)".to_owned();
        assert_eq!(toast(&model), Some((Tone::Good, said)));
        assert_eq!(press(&mut model, "b 0 . 1 enter"), []);
        let Some(Overlay::Form(form)) = model.overlays.last() else {
            panic!("the form stays open");
        };
        assert!(
            form.failure
                .as_ref()
                .unwrap()
                .message
                .to_string()
                .contains("max_size")
        );
    }

    #[test]
    fn no_other_option_changes_while_the_desk_runs() {
        let mut model = desk();
        let before = model.account.options.clone();
        let others = |options: &mut Options| {
            (options.read_only, options.dry_run) = (true, true);
            options.intervals.clear();
            options.close_all = CloseAllRule::Confirmed;
        };
        assert_eq!(reads(&mut model, others, vec![]), []);
        assert_eq!(model.account.options, before);
    }

    #[test]
    fn a_looser_limit_is_the_traders_wish_and_is_said_aloud() {
        let mut model = desk();
        let looser = Change {
            leeway: Leeway::More,
            ..changed("checks.max_size", "0.01", "none")
        };
        reads(&mut model, |_| {}, vec![looser]);
        let said = "settings: checks.max_size = none (was 0.01), LOOSER".to_owned();
        assert_eq!(toast(&model), Some((Tone::Warn, said)));
    }

    #[test]
    fn settings_with_a_fault_change_nothing_and_the_fault_stays_until_it_is_mended() {
        let mut model = desk();
        model.account.options.read_only = true;
        let fault = "/c.toml: theme: \"\u{1b}[31mdrak\" is not one of \"dark\"".to_owned();
        let now = model.account.now;
        let effects = update(&mut model, now, Msg::Reload(Reload::Bad(vec![fault])));
        let shown = "/c.toml: theme: \"\u{fffd}[31mdrak\" is not one of \"dark\"";
        let said = format!("settings not applied, the old ones stay in force: {shown}");
        assert_eq!(
            (effects, toast(&model)),
            (vec![], Some((Tone::Alert, said)))
        );
        assert!(model.account.options.read_only);
        press(&mut model, "esc");
        assert_eq!(model.settings.faults, [shown]);
        reads(&mut model, |_| {}, vec![]);
        let said = "settings are valid again; nothing has changed".to_owned();
        assert_eq!(toast(&model), Some((Tone::Good, said)));
        assert_eq!(model.settings.faults, Vec::<String>::new());
    }

    #[test]
    fn what_needs_a_restart_says_so() {
        let mut model = desk();
        let later = Change {
            takes: Takes::Restart,
            ..changed("base_url", "http://127.0.0.1:1", "http://127.0.0.1:2")
        };
        reads(&mut model, |_| {}, vec![later]);
        let said = "settings: needs a restart: base_url".to_owned();
        assert_eq!(toast(&model), Some((Tone::Good, said)));
    }

    #[test]
    fn a_long_list_of_changes_is_counted() {
        let changes: Vec<_> = (1..=6)
            .map(|n| changed(&format!("checks.c{n}"), "1", "2"))
            .collect();
        let (_, words) = summary(&changes, &[]);
        assert!(words.ends_with("checks.c4 = 2 (was 1) · 2 more"), "{words}");
    }
}
