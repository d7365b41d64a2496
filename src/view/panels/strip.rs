//! What asks and what is on its way: the strip and the flights.

pub(super) mod phrases;

use super::question;
use crate::{
    app::{
        Mode, Model, Motion, PendingCommand,
        account::{
            store::{flips::ClosedFlip, moves::OrderMove},
            successor::Successor,
        },
        dialogs::overlay::{Arm, Strip, StripAction},
        keys::keymap::{Action, Context},
    },
    model::{AccountId, Command, Num, Progress, SlicedOperation, Ticket, Timestamp},
    view::{
        tables::activity,
        text::{
            passing,
            scene::Scene,
            span::{Span, Tone},
            table::{Gauge, Share},
            words,
        },
    },
};
use phrases::{account, button, named, question_words, stays};
use std::time::Duration;

/// The question before a destructive action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StripView {
    /// Amber for paper orders, red for real ones; the badge above says it in words.
    pub tone: Tone,
    pub words: Vec<Span>,
    /// Time left until it acts or disarms; with reduced motion only the words show it.
    pub left: Option<Gauge>,
}

/// A command without an outcome yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingCommandView {
    pub words: Vec<Span>,
    pub gauge: Option<Gauge>,
}

pub fn strip(model: &Model, scene: &Scene<'_>, strip: &Strip) -> StripView {
    let button = |action, does: &str| button(model, Context::Strip, action, does);
    let left = passing::left(strip.ends_at().since(scene.own_now), scene.motion);
    let words = match strip.arm {
        Arm::Question { ticket, .. } => question::words(model, scene, (strip, ticket)),
        Arm::Countdown { .. } => [
            vec![
                Span::new(starting(&strip.proposal, scene), Tone::Strong),
                Span::plain(format!(" in {left}: ")),
            ],
            button(Action::Confirm, "now"),
            vec![Span::plain(" · ")],
            button(Action::Dismiss, "stops it"),
            vec![Span::muted(in_brackets(&strip.proposal, scene))],
        ]
        .concat(),
        Arm::Confirm => [
            vec![
                Span::new(whole(&strip.proposal, model, scene), Tone::Strong),
                Span::plain("  "),
            ],
            button(Action::Confirm, "yes"),
            vec![Span::plain(" · ")],
            button(Action::Dismiss, "no"),
            vec![Span::plain(format!("  ({left})"))],
            vec![Span::muted(in_brackets(&strip.proposal, scene))],
        ]
        .concat(),
    };
    let note = if strip.sends() {
        rehearsed(model)
    } else {
        vec![]
    };
    let words = [note, words].concat();
    let whole = strip.ends_at().since(strip.drawn_at);
    let share = share_of(strip.ends_at(), scene.own_now, whole.as_millis());
    let tone = mode_tone(model);
    StripView {
        tone,
        words,
        left: (scene.motion == Motion::Full).then_some(Gauge { share, tone }),
    }
}

/// A dry run: confirming sends nothing.
pub(crate) fn rehearsed(model: &Model) -> Vec<Span> {
    let words = || Span::new("DRY RUN: nothing is sent  ", Tone::Warn);
    model
        .account
        .options
        .dry_run
        .then(words)
        .into_iter()
        .collect()
}

/// Every question names its account, if it has one.
fn whole(proposal: &StripAction, model: &Model, scene: &Scene<'_>) -> String {
    let asked = question_words(proposal, scene);
    match proposal {
        StripAction::Leave => asked,
        StripAction::One(_)
        | StripAction::Flip(_)
        | StripAction::CancelAll(..)
        | StripAction::CancelSide(..)
        | StripAction::Rearm
        | StripAction::Lift(_) => format!("{asked}{}?", account(model)),
    }
}

/// Amber for paper orders, red for real ones.
pub(crate) fn mode_tone(model: &Model) -> Tone {
    match model
        .account
        .identity
        .as_ref()
        .map(|identity| identity.mode)
    {
        Some(Mode::LiveApi) => Tone::Bad,
        Some(Mode::Paper) | None => Tone::Warn,
    }
}

fn share_of(ends_at: Timestamp, now: Timestamp, whole: u128) -> Share {
    let millis = |ms: u128| Num::from(i64::try_from(ms).unwrap_or(i64::MAX));
    let left = millis(ends_at.since(now).as_millis());
    Share::of(left.over(millis(whole)).unwrap_or(Num::ZERO))
}

fn starting(proposal: &StripAction, scene: &Scene<'_>) -> String {
    match proposal {
        StripAction::One(command) => going(command, scene),
        StripAction::Flip(_)
        | StripAction::CancelAll(..)
        | StripAction::CancelSide(..)
        | StripAction::Rearm
        | StripAction::Lift(_)
        | StripAction::Leave => question_words(proposal, scene),
    }
}

/// What a close-all or flatten does besides, after the keys: what, on which account and when are never cut.
fn in_brackets(proposal: &StripAction, scene: &Scene<'_>) -> String {
    let words = match proposal {
        StripAction::One(command @ (Command::CloseAll(_) | Command::Flatten(_))) => {
            terms(command, scene)
        }
        StripAction::One(_)
        | StripAction::Flip(_)
        | StripAction::CancelAll(..)
        | StripAction::CancelSide(..)
        | StripAction::Rearm
        | StripAction::Lift(_)
        | StripAction::Leave => return String::new(),
    };
    format!("  ({words})")
}

/// The service's own cap of a close-all (`docs/service-api.md 2.4`), and what stays.
fn terms(command: &Command, scene: &Scene<'_>) -> String {
    if let Command::Flatten(_) = command {
        return "TWAPs, ladders, orders and positions".to_owned();
    }
    let also = stays(scene).map_or_else(String::new, |words| format!("; {words}"));
    format!("≤ 2.5 % slippage{also}")
}

/// `closing 3 positions on chal-1`.
fn going(command: &Command, scene: &Scene<'_>) -> String {
    if let Command::Flatten(account) = command {
        return format!("flattening {account}");
    }
    let Command::CloseAll(account) = command else {
        return named(command, scene);
    };
    let open = scene.store.positions.value().map(|page| page.rows.len());
    let open = match open {
        // A position may have opened since the list was read.
        Some(0) => "what may be open (no position known)".to_owned(),
        Some(1) => "1 position".to_owned(),
        Some(n) => format!("{n} positions"),
        None => "all positions".to_owned(),
    };
    format!("closing {open} on {account}")
}

/// How long a command waits before the line says so.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// Every command in progress that takes long enough to be seen.
pub fn flights(scene: &Scene<'_>) -> Vec<PendingCommandView> {
    let flights = scene.store.flights.iter();
    let flights = flights.filter_map(|(ticket, flight)| flight_view(*ticket, flight, scene));
    let waiting = scene.store.successors.iter().map(|(_, next)| between(next));
    let flips = scene.store.flips.iter().map(|flip| flipping(flip, scene));
    let moves = scene.store.moves.iter().filter_map(reading_again);
    flights.chain(waiting).chain(flips).chain(moves).collect()
}

/// A flip between its close and what opens the other way.
fn flipping(one: &ClosedFlip, scene: &Scene<'_>) -> PendingCommandView {
    let what = one.flip.closes(&scene.store.names);
    let waits = format!("opens once nothing is left: {}", one.waits_for);
    PendingCommandView {
        words: vec![
            Span::plain(format!("flip of {what}: ")),
            Span::new(waits, Tone::Info),
        ],
        gauge: None,
    }
}

/// A move that waits for lists.
fn reading_again(one: &OrderMove) -> Option<PendingCommandView> {
    one.look_at()?;
    Some(PendingCommandView {
        words: vec![
            Span::plain(format!("move of {}: ", one.what.names().join(", "))),
            Span::new("reading the exits of the position again", Tone::Info),
        ],
        gauge: None,
    })
}

/// A moved order between its cancel and its replacement.
fn between(next: &Successor) -> PendingCommandView {
    PendingCommandView {
        words: vec![
            Span::plain(format!("{} is canceled: ", next.old())),
            Span::new("reading how much of it had filled", Tone::Info),
        ],
        gauge: None,
    }
}

fn flight_view(
    ticket: Ticket,
    flight: &PendingCommand,
    scene: &Scene<'_>,
) -> Option<PendingCommandView> {
    let plain = |words| PendingCommandView { words, gauge: None };
    match (&flight.command, &flight.progress) {
        (
            Command::CloseAll(account) | Command::CancelAll(account),
            Progress::Running {
                operation,
                retry_at,
            },
        ) => Some(PendingCommandView {
            words: running(account, operation, *retry_at, scene),
            gauge: Some(done_share(operation)),
        }),
        (
            _,
            Progress::Flattening(_) | Progress::Parked { .. } | Progress::Sending { attempt: 2.. },
        ) => Some(plain(standing(flight))),
        (
            command @ Command::CloseAll(_),
            progress @ (Progress::Queued | Progress::Sending { .. }),
        ) => Some(plain(vec![
            Span::new(going(command, scene), Tone::Info),
            Span::muted(format!(" ({})", terms(command, scene))),
            Span::muted(if *progress == Progress::Queued {
                " not sent yet"
            } else {
                " sending"
            }),
        ])),
        // Most commands pass these states at once, and what ends too soon to be read is not shown. A form that has
        // closed leaves this line.
        (_, Progress::Queued | Progress::Sending { .. }) => {
            let is_shown = scene.sent_forms.contains_key(&ticket)
                || scene.own_now.since(flight.since) >= SHOWN_AFTER;
            is_shown.then(|| plain(standing(flight)))
        }
        (_, _) => Some(plain(waiting(flight, scene))),
    }
}

fn done_share(operation: &SlicedOperation) -> Gauge {
    let done = Num::from(operation.done_count()).over(Num::from(operation.total_count()));
    Gauge {
        share: Share::of(done.unwrap_or(Num::ZERO)),
        tone: Tone::Info,
    }
}

fn running(
    account: &AccountId,
    operation: &SlicedOperation,
    retry_at: Timestamp,
    scene: &Scene<'_>,
) -> Vec<Span> {
    let doing = match operation {
        SlicedOperation::CloseAll(_) => "closing all",
        SlicedOperation::CancelAll(_) => "canceling all orders",
    };
    let (done, total) = (operation.done_count(), operation.total_count());
    let mut words = vec![
        Span::new(format!("{doing} on {account} "), Tone::Info),
        Span::new(format!("{done}/{total} done"), Tone::Strong),
    ];
    if operation.failed_count() > 0 {
        words.push(Span::new(
            format!("  {} failed", operation.failed_count()),
            Tone::Alert,
        ));
    }
    let next = scene.until_own(retry_at, passing::NEXT);
    words.push(Span::muted(format!("  next {next}")));
    words
}

/// States without a time at which they go on.
fn standing(flight: &PendingCommand) -> Vec<Span> {
    let tone = if matches!(flight.progress, Progress::Parked { .. }) {
        Tone::Alert
    } else {
        Tone::Info
    };
    vec![
        Span::plain(format!(
            "{}: ",
            words::command(&flight.command, &flight.about)
        )),
        Span::new(standing_words(&flight.progress), tone),
    ]
}

/// A parked command has its reason in the activity pane and the strip; here is only its name.
fn standing_words(progress: &Progress) -> String {
    match progress {
        Progress::Parked { why, .. } if why.is_doubtful() => "may have executed".to_owned(),
        Progress::Parked { .. } => "was never sent".to_owned(),
        Progress::Queued
        | Progress::Sending { .. }
        | Progress::Unknown { .. }
        | Progress::Waiting { .. }
        | Progress::Running { .. }
        | Progress::Flattening(_) => activity::progress_words(progress),
    }
}

fn waiting(flight: &PendingCommand, scene: &Scene<'_>) -> Vec<Span> {
    let progress = &flight.progress;
    let retry_at = match progress {
        Progress::Unknown { retry_at, .. }
        | Progress::Waiting { retry_at, .. }
        | Progress::Running { retry_at, .. } => *retry_at,
        Progress::Queued
        | Progress::Sending { .. }
        | Progress::Flattening(_)
        | Progress::Parked { .. } => scene.own_now,
    };
    let tone = match progress {
        Progress::Unknown { .. } | Progress::Parked { .. } => Tone::Alert,
        Progress::Queued
        | Progress::Sending { .. }
        | Progress::Waiting { .. }
        | Progress::Running { .. }
        | Progress::Flattening(_) => Tone::Warn,
    };
    vec![
        Span::plain(format!(
            "{}: ",
            words::command(&flight.command, &flight.about)
        )),
        Span::new(activity::progress_words(progress), tone),
        Span::muted(format!(" {}", scene.until_own(retry_at, passing::NEXT))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{dialogs::overlay::Overlay, testing::*},
        model::Zone,
        view::forms::form::form,
    };

    /// What the form or the strip on top says, and the toast.
    fn words(model: &Model) -> String {
        let zone = Zone::utc();
        let scene = Scene::of(model, &zone);
        let spans = match model.overlays.last() {
            Some(Overlay::Form(open)) => form(open, model).title,
            Some(Overlay::Strip(open)) => strip(model, &scene, open).words,
            other => panic!("{other:?}, {:?}", model.account.activity.lines.back()),
        };
        spans.into_iter().map(|span| span.text).collect()
    }

    #[test]
    fn every_form_and_strip_about_one_thing_names_its_market_its_side_and_its_account() {
        for (keys, market, sides) in [
            ("b", "BTC", "BUY"),
            ("s", "BTC", "SELL"),
            ("c", "BTC", "LONG"),
            ("e", "BTC", "LONG"),
            ("j m", "SOL", "SHORT"),
            ("j c", "SOL", "SHORT"),
            ("2 e", "BTC", "BUY"),
            ("2 j m", "ETH", "SELL"),
            ("2 x", "BTC", "BUY"),
            ("2 j x", "ETH", "SELL"),
            ("I", "BTC", "long"),
        ] {
            let mut model = desk();
            press(&mut model, keys);
            let words = words(&model);
            for word in [market, sides, "chal-1"] {
                assert!(words.contains(word), "{keys}: {words}");
            }
        }
    }
}
