//! What asks and what is on its way: the strip and the pending commands.

pub(crate) mod phrases;

use super::question;
use crate::{
    app::{
        Action, Context, Mode, Model, Motion, PendingCommand, Workflow,
        dialogs::overlay::{Arm, Strip, StripAction},
    },
    model::{AccountId, Command, Num, Progress, SlicedOperation, Ticket, Timestamp},
    view::{
        tables::activity,
        text::{Gauge, Scene, Span, Tone, passing, words},
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

impl PendingCommandView {
    fn new(words: impl Into<Vec<Span>>) -> Self {
        Self {
            words: words.into(),
            gauge: None,
        }
    }
}

pub fn strip(model: &Model, scene: &Scene<'_>, strip: &Strip) -> StripView {
    let button = |action, does: &str| button(model, Context::Strip, action, does);
    let left = passing::left(strip.ends_at().since(scene.own_now), scene.motion);
    let apart = || vec![Span::plain(" · ")];
    let also = || vec![Span::muted(in_brackets(&strip.proposal, scene))];
    let words = match strip.arm {
        Arm::Question { ticket, .. } => question::words(model, scene, strip, ticket),
        Arm::Countdown { .. } => {
            let start = Span::strong(starting(&strip.proposal, scene));
            let head = vec![start, Span::plain(format!(" in {left}: "))];
            let (now, stop) = (
                button(Action::Confirm, "now"),
                button(Action::Dismiss, "stops it"),
            );
            [head, now, apart(), stop, also()].concat()
        }
        Arm::Confirm => {
            let question = Span::strong(whole(&strip.proposal, model, scene));
            let head = vec![question, Span::plain("  ")];
            let (yes, no) = (
                button(Action::Confirm, "yes"),
                button(Action::Dismiss, "no"),
            );
            let left = vec![Span::plain(format!("  ({left})"))];
            [head, yes, apart(), no, left, also()].concat()
        }
    };
    let note = if strip.sends() {
        rehearsed(model)
    } else {
        vec![]
    };
    let whole = strip.ends_at().since(strip.drawn_at);
    let tone = mode_tone(model);
    let gauge = || {
        Gauge::new(
            share_of(strip.ends_at(), scene.own_now, whole.as_millis()),
            tone,
        )
    };
    StripView {
        tone,
        words: [note, words].concat(),
        left: (scene.motion == Motion::Full).then(gauge),
    }
}

/// A dry run: confirming sends nothing.
pub(crate) fn rehearsed(model: &Model) -> Vec<Span> {
    let words = || Span::warn("DRY RUN: nothing is sent  ");
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
    let question = question_words(proposal, scene);
    if *proposal == StripAction::Leave {
        return question;
    }
    format!("{question}{}?", account(model))
}

/// Amber for paper orders, red for real ones.
pub(crate) fn mode_tone(model: &Model) -> Tone {
    match model.account.mode() {
        Some(Mode::LiveApi) => Tone::Bad,
        Some(Mode::Paper) | None => Tone::Warn,
    }
}

fn share_of(ends_at: Timestamp, now: Timestamp, whole: u128) -> Num {
    let millis = |ms: u128| Num::from(i64::try_from(ms).unwrap_or(i64::MAX));
    let left = millis(ends_at.since(now).as_millis());
    left.over(millis(whole)).unwrap_or(Num::ZERO)
}

fn starting(proposal: &StripAction, scene: &Scene<'_>) -> String {
    let StripAction::One(command) = proposal else {
        return question_words(proposal, scene);
    };
    going(command, scene)
}

/// What a close-all or flatten does besides, after the keys: what, on which account and when are never cut.
fn in_brackets(proposal: &StripAction, scene: &Scene<'_>) -> String {
    let StripAction::One(command @ (Command::CloseAll(_) | Command::Flatten(_))) = proposal else {
        return String::new();
    };
    format!("  ({})", terms(command, scene))
}

/// The service's own cap of a close-all (`docs/service-api.md 2.4`), and what stays.
fn terms(command: &Command, scene: &Scene<'_>) -> String {
    if let Command::Flatten(_) = command {
        return "TWAPs, scaled orders, orders and positions".to_owned();
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
pub fn pending_commands(scene: &Scene<'_>) -> Vec<PendingCommandView> {
    let pending = scene.store.pending.iter();
    let pending = pending.filter_map(|(ticket, pending)| pending_view(*ticket, pending, scene));
    let waiting = scene.workflows.waiting(scene.store);
    pending
        .chain(waiting.map(|one| between(one, scene)))
        .collect()
}

/// A workflow between two commands.
fn between(workflow: &Workflow, scene: &Scene<'_>) -> PendingCommandView {
    let (what, waits) = match workflow {
        Workflow::Flip(one) => (
            format!("flip of {}: ", one.flip().closes(&scene.store.names)),
            format!("opens once nothing is left: {}", one.waits_for()),
        ),
        Workflow::Replace(one) => (
            format!("{} is canceled: ", one.old()),
            "reading how much of it had filled".to_owned(),
        ),
        Workflow::Operation(one) => (
            format!("{}: ", one.command()),
            "reading what is left".to_owned(),
        ),
        Workflow::Bracket(one) => (
            format!("targets of {}: ", scene.store.names.shown(one.market())),
            "they are placed once the entry has filled".to_owned(),
        ),
        Workflow::Move(one) => (
            format!("move of {}: ", one.names()),
            "reading the exits of the position again".to_owned(),
        ),
    };
    PendingCommandView::new([Span::plain(what), Span::info(waits)])
}

fn pending_view(
    ticket: Ticket,
    pending: &PendingCommand,
    scene: &Scene<'_>,
) -> Option<PendingCommandView> {
    let words = match (&pending.command, &pending.progress) {
        (
            Command::CloseAll(account) | Command::CancelAll(account),
            Progress::Running {
                operation,
                retry_at,
            },
        ) => {
            let done = Num::from(operation.done_count()).over(Num::from(operation.total_count()));
            return Some(PendingCommandView {
                words: running(account, operation, *retry_at, scene),
                gauge: Some(Gauge::new(done.unwrap_or(Num::ZERO), Tone::Info)),
            });
        }
        (
            _,
            Progress::Flattening(_) | Progress::Parked { .. } | Progress::Sending { attempt: 2.. },
        ) => standing(pending),
        (command @ Command::CloseAll(_), Progress::Queued | Progress::Sending { .. }) => {
            let is_queued = pending.progress == Progress::Queued;
            vec![
                Span::info(going(command, scene)),
                Span::muted(format!(" ({})", terms(command, scene))),
                Span::muted(if is_queued {
                    " not sent yet"
                } else {
                    " sending"
                }),
            ]
        }
        // Most commands pass these states at once, and what ends too soon to be read is not shown. A form that has
        // closed leaves this line.
        (_, Progress::Queued | Progress::Sending { .. }) => {
            let is_shown = scene.sent_forms.contains_key(&ticket)
                || scene.own_now.since(pending.since) >= SHOWN_AFTER;
            is_shown.then(|| standing(pending))?
        }
        (_, _) => waiting(pending, scene),
    };
    Some(PendingCommandView::new(words))
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
    let failed = Some(operation.failed_count()).filter(|failed| *failed > 0);
    let failed = failed.map(|failed| Span::alert(format!("  {failed} failed")));
    let next = scene.until_own(retry_at, passing::NEXT);
    let mut words = vec![
        Span::info(format!("{doing} on {account} ")),
        Span::strong(format!("{done}/{total} done")),
    ];
    words.extend(failed);
    words.push(Span::muted(format!("  next {next}")));
    words
}

/// What was requested.
fn command_span(pending: &PendingCommand) -> Span {
    let command = words::command(&pending.command, &pending.about);
    Span::plain(format!("{command}: "))
}

/// States without a time at which they go on.
fn standing(pending: &PendingCommand) -> Vec<Span> {
    let is_parked = matches!(pending.progress, Progress::Parked { .. });
    let tone = if is_parked { Tone::Alert } else { Tone::Info };
    vec![
        command_span(pending),
        Span::new(standing_words(&pending.progress), tone),
    ]
}

/// A parked command has its reason in the activity pane and the strip; here is only its name.
fn standing_words(progress: &Progress) -> String {
    let Progress::Parked { why, .. } = progress else {
        return activity::progress_words(progress);
    };
    let is_doubtful = why.is_doubtful();
    if is_doubtful {
        "may have executed"
    } else {
        "was never sent"
    }
    .to_owned()
}

fn waiting(pending: &PendingCommand, scene: &Scene<'_>) -> Vec<Span> {
    let progress = &pending.progress;
    let (retry_at, tone) = match progress {
        Progress::Unknown { retry_at, .. } => (*retry_at, Tone::Alert),
        Progress::Waiting { retry_at, .. } | Progress::Running { retry_at, .. } => {
            (*retry_at, Tone::Warn)
        }
        Progress::Parked { .. } => (scene.own_now, Tone::Alert),
        Progress::Queued | Progress::Sending { .. } | Progress::Flattening(_) => {
            (scene.own_now, Tone::Warn)
        }
    };
    let retry = scene.until_own(retry_at, passing::NEXT);
    vec![
        command_span(pending),
        Span::new(activity::progress_words(progress), tone),
        Span::muted(format!(" {retry}")),
    ]
}
