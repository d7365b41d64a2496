//! The events of earlier sessions, below those of this one.
//!
//! Contract: they show no toast, ring no bell and raise no alert, and no line of this session moves because of them.

use super::notice::{Activity, Event, Horizon, KEPT, Notice, Tone};
use crate::{
    app::account::about::About,
    model::{Past, PastMark, PastPage, Timestamp},
};

/// The most lines per page.
pub const PAGE: u32 = 200;

impl Activity {
    pub fn horizon(&self) -> Horizon {
        self.horizon
    }

    /// The oldest line, once, if there is room for a page before it.
    pub(crate) fn ask_earlier(&mut self) -> Option<PastMark> {
        let page = usize::try_from(PAGE).unwrap_or(usize::MAX);
        if self.horizon != Horizon::Part || self.lines.len().saturating_add(page) > KEPT {
            return None;
        }
        let Event::Past(oldest) = &self.lines.front()?.event else {
            return None;
        };
        let mark = oldest.mark;
        self.horizon = Horizon::Requested;
        Some(mark)
    }

    pub(crate) fn recall(&mut self, page: PastPage) {
        for past in page.rows {
            let at = past.mark.settled_at;
            self.put_below(Event::Past(Box::new(past)), at);
        }
        self.horizon = if page.has_more {
            Horizon::Part
        } else {
            Horizon::Whole
        };
    }

    /// Earlier pages stay; scrolling there again retries.
    pub(crate) fn cannot_recall(&mut self, why: &str, now: Timestamp) {
        if self.horizon == Horizon::Requested {
            self.horizon = Horizon::Part;
            return;
        }
        let words = format!("earlier activity cannot be shown: {why}");
        self.put_below(Event::Message(Tone::Warn, words), now);
        self.horizon = Horizon::Unreadable;
    }

    /// Adds a line below all others, with the previous number; a full pane takes no more.
    fn put_below(&mut self, event: Event, at: Timestamp) {
        if self.lines.len() >= KEPT {
            self.has_forgotten = true;
            return;
        }
        let number = match self.lines.front() {
            Some(oldest) => oldest.number.saturating_sub(1),
            None => self.newest(),
        };
        self.lines.push_front(Notice {
            number,
            at,
            ticket: None,
            about: About::default(),
            event,
        });
        self.changed();
    }
}

impl Notice {
    /// The earlier command of this line, if it is one: its time is the wall clock then.
    pub fn past(&self) -> Option<&Past> {
        match &self.event {
            Event::Past(past) => Some(past),
            Event::Sent(_)
            | Event::Progress(..)
            | Event::Settled(..)
            | Event::Message(..)
            | Event::Alert(_)
            | Event::Elsewhere(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Effect, Model, account::row_id::RowId};
    use crate::app::{
        activity::notice::Notice,
        desk::msg::Msg,
        testing::*,
        update::{
            account_set::{AccountScope, AccountSet},
            router::update,
        },
    };

    /// Settled so many minutes before noon.
    fn past(number: i64, minutes: i64) -> Past {
        crate::app::testing::past(number, Timestamp(NOON.0 - minutes * 60_000))
    }

    fn rows(numbers: impl Iterator<Item = i64>) -> Vec<Past> {
        numbers.map(|number| past(1_000 - number, number)).collect()
    }

    /// All there is.
    fn whole(numbers: impl Iterator<Item = i64>) -> Msg {
        let (rows, has_more) = (rows(numbers), false);
        Msg::Recalled(Ok(PastPage { rows, has_more }))
    }

    fn part(numbers: impl Iterator<Item = i64>) -> Msg {
        let (rows, has_more) = (rows(numbers), true);
        Msg::Recalled(Ok(PastPage { rows, has_more }))
    }

    fn say(model: &mut Model, words: &str) {
        update(
            model,
            model.account.now,
            Msg::Notify(Tone::Alert, words.to_owned()),
        );
    }

    fn numbers(model: &Model) -> Vec<u64> {
        model
            .account
            .activity
            .lines
            .iter()
            .map(|line| line.number)
            .collect()
    }

    #[test]
    fn what_was_before_stands_below_without_a_toast_and_each_line_is_found() {
        let mut model = desk();
        say(&mut model, "first");
        let (newest, shown) = (model.account.activity.newest(), numbers(&model));
        let toast = |model: &Model| {
            model
                .account
                .activity
                .toast(model.account.now)
                .map(|n| n.number)
        };
        let told = toast(&model);
        update(&mut model, NOON, whole(1..=3));
        assert_eq!(model.account.activity.newest(), newest, "nothing is new");
        assert_eq!(toast(&model), told);
        say(&mut model, "second");
        let all = numbers(&model);
        assert!(all.windows(2).all(|pair| pair[1] == pair[0] + 1), "{all:?}");
        assert!(shown.iter().all(|number| all.contains(number)));
        for number in &all {
            assert_eq!(
                model.account.activity.line(*number).unwrap().number,
                *number
            );
        }
        let times: Vec<_> = model
            .account
            .activity
            .lines
            .iter()
            .map(|line| line.at)
            .collect();
        assert!(times.is_sorted(), "{times:?}");
        press(&mut model, "7 G enter");
        let oldest = model.account.activity.lines.front().unwrap();
        assert_eq!(oldest.past().unwrap().mark.number, 997);
        let row = RowId::Line(oldest.number);
        assert!(
            matches!(model.overlays.last(), Some(crate::app::dialogs::overlay::Overlay::Detail(d)) if d.row == row)
        );
    }

    #[test]
    fn a_desk_that_has_done_nothing_yet_shows_what_was_before_and_goes_on_above_it() {
        let mut model = bare_desk();
        update(&mut model, NOON, whole(1..=2));
        assert_eq!(model.account.activity.toast(NOON), None);
        say(&mut model, "first");
        let kinds: Vec<_> = model
            .account
            .activity
            .lines
            .iter()
            .map(|l| l.past().is_some())
            .collect();
        assert_eq!(kinds, [true, true, false]);
        let toast = model.account.activity.toast(NOON).map(Notice::past);
        assert_eq!(toast, Some(None));
    }

    #[test]
    fn what_another_account_did_before_is_not_told_on_the_screen() {
        let mut account_set = AccountSet::of(desk());
        account_set.join(desk().account.options, NOON);
        let lines = account_set.shown().account.activity.lines.len();
        let effects = account_set.update(NOON, AccountScope::Account(1), whole(1..=2));
        assert_eq!(effects, vec![]);
        assert_eq!(account_set.shown().account.activity.lines.len(), lines);
        assert_eq!(
            account_set.account(1).unwrap().account.activity.lines.len(),
            2
        );
    }

    #[test]
    fn who_comes_near_the_end_gets_what_was_before_that_once() {
        let mut model = bare_desk();
        update(&mut model, NOON, part(1..=200));
        assert!(model.account.activity.has_more());
        assert_eq!(
            press(&mut model, "7"),
            vec![],
            "the top is far from the end"
        );
        let mark = past(800, 200).mark;
        assert_eq!(press(&mut model, "G"), vec![Effect::Earlier(mark)]);
        assert_eq!(press(&mut model, "k"), vec![], "it is on its way");
        update(&mut model, NOON, Msg::Recalled(Err("busy".to_owned())));
        assert_eq!(
            press(&mut model, "j"),
            vec![Effect::Earlier(mark)],
            "once more"
        );
        update(&mut model, NOON, whole(201..=210));
        assert_eq!(model.account.activity.lines.len(), 210);
        assert_eq!(press(&mut model, "G"), vec![]);
        assert!(!model.account.activity.has_more());
    }

    #[test]
    fn a_filter_finds_what_comes_after_it_was_set() {
        let mut model = bare_desk();
        say(&mut model, "first");
        press(&mut model, "7 / ord-998 enter");
        assert_eq!(model.rows(model.focus.pane).len(), 0);
        update(&mut model, NOON, whole(1..=3));
        assert_eq!(model.rows(model.focus.pane).len(), 1);
    }

    #[test]
    fn of_too_many_lines_those_of_this_session_stay() {
        let mut model = bare_desk();
        for first in (0..10).map(|n| n * 200 + 1) {
            update(&mut model, NOON, part(first..first + 200));
        }
        assert_eq!(model.account.activity.lines.len(), KEPT);
        say(&mut model, "first");
        assert_eq!(model.account.activity.lines.len(), KEPT);
        assert_eq!(model.account.activity.lines.back().unwrap().past(), None);
        assert_eq!(press(&mut model, "7 G"), vec![], "there is no room");
        assert!(model.account.activity.has_more());
    }

    #[test]
    fn a_journal_that_cannot_be_read_says_so_in_the_pane_and_nowhere_else() {
        let mut model = bare_desk();
        let why = "the journal is damaged".to_owned();
        update(&mut model, NOON, Msg::Recalled(Err(why)));
        assert_eq!(model.account.activity.toast(NOON), None);
        let Event::Message(Tone::Warn, words) = &model.account.activity.lines[0].event else {
            panic!("said");
        };
        assert!(
            words.ends_with("cannot be shown: the journal is damaged"),
            "{words}"
        );
        assert_eq!(model.account.activity.horizon(), Horizon::Unreadable);
        assert_eq!(press(&mut model, "7 G"), vec![]);
    }
}
