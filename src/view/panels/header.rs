//! The header: where orders go, the account's value and its limits; then what is late, and the state of the service.

use super::{guard, segment::Segment};
use crate::{
    app::{
        Action, Context, Identity, Mode, Model, Motion, Source, StreamState, Streams, Tint,
        account::{guard::Limit, poll::LATE},
    },
    model::{Call, ClockRate, EntryLock, FailureKind, KeyScope, Num, ServiceAbout, Timestamp},
    view::{
        tables::calls,
        text::{Gauge, Scene, Span, Tone, age, format, passing, spark, words},
    },
};
use std::{cmp::Ordering, collections::VecDeque, time::Duration};

/// The whole line, left to right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// `None` until the service is known.
    pub mode: Option<Mode>,
    /// What the desk may not do; always visible.
    pub badges: Vec<&'static str>,
    /// The account, if there are several or it has a name.
    pub chip: Option<Chip>,
    pub segments: Vec<Segment>,
}

/// The account's name in its own color; always visible, like the mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chip {
    /// `swing · chal-2`.
    pub words: String,
    /// The name alone, for a narrow window.
    pub brief: String,
    pub tint: Tint,
}

/// A paused display must not pass for live.
fn frozen(model: &Model) -> Option<Segment> {
    let since = model.frozen.as_ref()?.since;
    let age = passing::age(model.account.now.since(since), model.account.options.motion);
    let frozen = Span::alert(format!("FROZEN {age}"));
    let hint = words::key_hint(model, Context::Desk, Action::Freeze, " ", " goes on");
    let words = [vec![frozen.clone()], hint].concat();
    Some(Segment::new(0, words).brief(frozen))
}

pub fn header(model: &Model) -> Header {
    let Some(identity) = &model.account.identity else {
        let connecting = Segment::new(0, Span::info("connecting…"));
        return Header {
            mode: None,
            badges: badges(model),
            chip: None,
            segments: vec![connecting, api(model)],
        };
    };
    let chip = chip(model);
    let mut segments: Vec<Segment> = frozen(model).into_iter().collect();
    segments.extend(chip.is_none().then(|| account(identity, model)));
    segments.extend(halted(model));
    segments.extend(locked(model));
    segments.extend([worth(model), daily_loss(model)]);
    segments.extend(guard::segments(model));
    segments.push(margin(model));
    segments.extend(sparkline(model));
    segments.extend(late_ages(model));
    segments.extend(clock(model));
    segments.extend(budget(model));
    segments.extend(stream(model));
    segments.push(api(model));
    Header {
        mode: model.account.mode(),
        badges: badges(model),
        chip,
        segments,
    }
}

/// A longer id says nothing to a person.
const LONGEST_SHOWN_ID: usize = 16;

/// What a person calls the account: its profile, a short id, the name that the service gives it, or how its id begins.
pub(crate) fn account_name(model: &Model) -> Option<String> {
    let profile = || model.roster.own()?.name.clone();
    let id = model.account.identity.as_ref()?.account_id.to_string();
    let short = Some(&id).filter(|id| id.chars().count() <= LONGEST_SHOWN_ID);
    let facts = model.account.store.account.value();
    let given = || facts?.name.as_ref().map(ToString::to_string);
    let begins = || format!("{}…", id.chars().take(8).collect::<String>());
    let name = profile().or(short.cloned()).or_else(given);
    Some(name.unwrap_or_else(begins))
}

/// Its name, and its id if that is another.
fn account(identity: &Identity, model: &Model) -> Segment {
    let id = identity.account_id.to_string();
    let name = account_name(model).unwrap_or_default();
    let more = (name != id).then(|| Span::muted(format!(" {id}")));
    let name = Span::strong(name);
    let words = [Span::muted("acct "), name.clone()].into_iter().chain(more);
    Segment::new(1, words.collect::<Vec<_>>()).brief(name)
}

fn badges(model: &Model) -> Vec<&'static str> {
    let about = model.account.store.about.as_ref();
    let is_test = about.is_some_and(ServiceAbout::is_test);
    let reads_only = model.account.store.key_scope == Some(KeyScope::ReadOnly);
    let badges = [
        (is_test, "TEST"),
        (reads_only, "READ-ONLY KEY"),
        (model.account.options.read_only, "READ-ONLY"),
        (model.account.options.dry_run, "DRY-RUN"),
    ];
    let badges = badges.into_iter().filter(|(is_so, _)| *is_so);
    badges.map(|(_, words)| words).collect()
}

fn chip(model: &Model) -> Option<Chip> {
    let profile = &model.account.identity.as_ref()?.profile;
    let is_named = profile.name.is_some() || profile.tint.is_some();
    if !(is_named || model.roster.has_others()) {
        return None;
    }
    let seat = model.roster.own()?;
    let id = seat.account_id.as_ref()?.to_string();
    let name = account_name(model)?;
    let words = if name == id {
        id
    } else {
        format!("{name} · {id}")
    };
    Some(Chip {
        words,
        brief: name,
        tint: seat.tint,
    })
}

/// That no order is sent comes first, then why if there is room.
fn halted(model: &Model) -> Option<Segment> {
    let why = model.account.halted.as_ref()?;
    let word = Span::alert("HALTED");
    let words = [word.clone(), Span::alert(format!(": {why}"))];
    Some(Segment::new(0, words).brief(word))
}

/// That the account may open nothing, and why.
fn locked(model: &Model) -> Option<Segment> {
    let EntryLock { brief, words } = model.account.store.account.value()?.lock()?;
    let words = Span::alert(format!("{brief}: {words}"));
    Some(Segment::new(0, words).brief(Span::alert(brief)))
}

fn worth(model: &Model) -> Segment {
    let facts = model.account.store.account.value();
    let age = age::age_of(model, Source::Account).filter(|_| facts.is_some());
    let late = age.as_ref().filter(|age| age.tone != Tone::Muted);
    let fresh = age.as_ref().filter(|age| age.tone == Tone::Muted);
    let fresh = fresh.map(|age| Span::muted(format!(" {}", age.text)));
    // Old figures say so, in words that stay in a narrow window.
    let late_words = late.map_or("", |late| &late.text);
    let equity = |age: &str| match facts.and_then(|facts| facts.equity) {
        Some(equity) => {
            let words = format!("{} {age}", format::usd(equity));
            Span::new(
                words.trim_end(),
                late.map_or(Tone::Strong, |late| late.tone),
            )
        }
        None => Span::unknown(),
    };
    let day = words::pnl(facts.and_then(|facts| facts.day_pnl));
    let tone = late.map_or(day.tone, |late| late.tone);
    let day = Span { tone, ..day };
    let with_day = |label: Option<Span>, day_label: &str| {
        let equity = label
            .into_iter()
            .chain([equity(late_words)])
            .chain(fresh.clone());
        let spans = equity.chain([Span::muted(day_label), day.clone()]);
        spans.collect::<Vec<_>>()
    };
    let fewest = equity(late_words.split(' ').next().unwrap_or_default());
    Segment::new(2, with_day(Some(Span::muted("equity ")), "  day "))
        .brief(with_day(None, " day "))
        .fewest(fewest)
}

/// What of the equity is posted as margin, and what is available for new positions, by the service's figures.
fn margin(model: &Model) -> Segment {
    let facts = model.account.store.account.value();
    let free = facts.and_then(|facts| facts.available_margin);
    let used = facts.and_then(|facts| facts.equity?.minus(free?));
    let used = used.map(|used| Span::plain(format::whole_usd(used.max(Num::ZERO))));
    let label = Span::muted("margin ");
    let is_spent = free.is_some_and(|free| !free.is_positive());
    let free = match free {
        Some(none) if is_spent => Span::warn(format::usd(none)),
        Some(free) => Span::plain(format::whole_usd(free)),
        None => Span::unknown(),
    };
    let free = vec![free, Span::muted(" free")];
    let Some(used) = used else {
        return Segment::new(6, [vec![label], free].concat());
    };
    let used = vec![label.clone(), used, Span::muted(" used")];
    let whole = [used.clone(), vec![Span::muted(", ")], free.clone()].concat();
    // What is used shows what is free beside the equity, unless there is less than that.
    let brief = if is_spent {
        [vec![label], free].concat()
    } else {
        used
    };
    Segment::new(6, whole).brief(brief)
}

/// The time span of the equity sparkline, and its cells.
const SPARKLINE: (Duration, usize) = (Duration::from_mins(15), 20);

/// With enough room: how equity has moved since the desk was opened.
fn sparkline(model: &Model) -> Option<Segment> {
    let (span, cells) = SPARKLINE;
    let marks = model.account.store.worth.marks.iter().copied();
    let sparkline = spark(marks, (model.account.now, span), cells)?;
    let label = format!("equity {} ", format::age(span));
    let words = [Span::muted(label), Span::plain(sparkline)];
    Some(Segment::new(9, words).brief([]))
}

/// How much may still be lost today, and of what is permitted; warns from half of it used.
fn daily_loss(model: &Model) -> Segment {
    let facts = model.account.store.account.value();
    let room = facts.and_then(|facts| facts.daily_loss_room);
    let Some(left) = facts.and_then(|facts| facts.daily_loss_left) else {
        return daily_loss_unmeasured(model, room);
    };
    let tone = match left {
        _ if left < Num::new(20, 2) => Tone::Alert,
        _ if left < Num::new(50, 2) => Tone::Warn,
        _ => Tone::Info,
    };
    let percent = format::whole_percent(left);
    let room = room.map(format::whole_usd);
    let amount = room.clone().unwrap_or_else(|| percent.clone());
    let tail = room.map_or_else(|| "left".to_owned(), |_| format!("left ({percent})"));
    let words = |label, tail| {
        let amount = Span::new(format!("{amount} "), guard::plain_if(tone, Tone::Info));
        [Span::muted(label), amount, Span::muted(tail)]
    };
    Segment::new(
        guard::rank(model, Limit::DailyLoss),
        words("daily loss ", tail),
    )
    .brief(words("loss ", "left".to_owned()))
    .gauge(Gauge::new(left, tone))
}

/// Without a limit in percent: the amount that the service states, what the trader's own limit leaves, or unknown.
fn daily_loss_unmeasured(model: &Model, room: Option<Num>) -> Segment {
    let rank = guard::rank(model, Limit::DailyLoss);
    if let Some(room) = room {
        let words = format!("{} ", format::whole_usd(room));
        let words = |label| {
            [
                Span::muted(label),
                Span::plain(words.clone()),
                Span::muted("left"),
            ]
        };
        return Segment::new(rank, words("daily loss ")).brief(words("loss "));
    }
    match model.account.guard.gauge(Limit::DailyLoss) {
        Some(gauge) => guard::segment(gauge, rank),
        None => Segment::new(4, [Span::muted("daily loss "), Span::unknown()]),
    }
}

/// Whether the service responds. Trouble stays longest: the other figures mean nothing without it. While all is well it
/// is the first to leave the room to them.
fn api(model: &Model) -> Segment {
    let state = api_state(model);
    let rank = if state.tone == Tone::Muted { 8 } else { 0 };
    let mut words = vec![Span::muted("api "), state.clone()];
    words.extend(retry_notice(model));
    words.extend(troubled_until(model));
    Segment::new(rank, words).brief(state)
}

/// When a failing source is retried: `, again in 4s`.
fn troubled_until(model: &Model) -> Option<Span> {
    let health = &model.account.store.health;
    if health.tries() > 0 || health.limited_until(model.account.now).is_some() {
        return None;
    }
    let (kind, ..) = FAILURE_WORDS.iter().find(|(kind, ..)| health.has(*kind))?;
    let at = health.retries_at(*kind, model.account.now)?;
    let scene = Scene::of(model, &model.account.options.zone);
    let at = scene.until_own(at, passing::NEXT);
    Some(Span::muted(format!(", again {at}")))
}

/// A refused key is tried twice a minute, and at once on request.
fn retry_notice(model: &Model) -> Option<Span> {
    let refused = model.account.store.health.has(FailureKind::Auth);
    let key = model.keymap.chord(Context::Desk, Action::Refresh)?;
    refused.then(|| Span::muted(format!(", {key} asks again")))
}

/// The service's clock clearly differs from this machine's: its instants are measured by its own clock.
fn clock(model: &Model) -> Option<Segment> {
    let scene = Scene::of(model, &model.account.options.zone);
    let words = match model.account.store.clocks.rate() {
        ClockRate::Same => apart(scene.served(), scene.now)?,
        ClockRate::Still => "stalled".to_owned(),
        ClockRate::Other(rate) => format!("×{}", Num::new(rate, 3).rounded(1).normalized()),
        ClockRate::Unsteady => "unsteady".to_owned(),
    };
    let words = |label| [Span::muted(label), Span::warn(words.clone())];
    Some(Segment::new(3, words("service clock ")).brief(words("clock ")))
}

/// `+1h`, `-40s`; `None` if they count as equal.
fn apart(service: Timestamp, wall: Timestamp) -> Option<String> {
    let span = format::span(service.gap_to(wall));
    match service.cmp(&wall) {
        Ordering::Greater => Some(format!("+{span}")),
        Ordering::Less => Some(format!("-{span}")),
        Ordering::Equal => None,
    }
}

/// Requests a minute that the service accepts from this key, after its first 429.
fn budget(model: &Model) -> Option<Segment> {
    let a_minute = model.account.store.health.budget()?;
    let rate = Span::plain(format!("{a_minute}/min"));
    Some(Segment::new(5, [Span::muted("budget "), rate]))
}

/// Failures of the last responses and their words, most serious first.
const FAILURE_WORDS: &[(FailureKind, &str, Tone)] = &[
    (FailureKind::Limited, "LIMITED", Tone::Warn),
    (FailureKind::Unavailable, "UNAVAILABLE", Tone::Alert),
    (FailureKind::Broken, "BROKEN ANSWERS", Tone::Alert),
    (FailureKind::Unreadable, "UNREADABLE ANSWERS", Tone::Alert),
    (FailureKind::TimedOut, "TIMEOUTS", Tone::Warn),
];

pub(crate) fn api_state(model: &Model) -> Span {
    let health = &model.account.store.health;
    let scene = Scene::of(model, &model.account.options.zone);
    if health.has(FailureKind::Auth) {
        return Span::alert("AUTH: key refused");
    }
    if let Some(until) = health.limited_until(model.account.now) {
        let left = scene.until_own(until, passing::FOR);
        return Span::warn(format!("LIMITED {left}"));
    }
    if health.tries() > 0 {
        let when = health.next_try(model.account.now);
        let when = when.map(|at| format!(" {}", scene.until_own(at, passing::NEXT)));
        let when = when.unwrap_or_default();
        return Span::alert(format!("DOWN, retry {}{when}", health.tries()));
    }
    let trouble = FAILURE_WORDS.iter().find(|(kind, ..)| health.has(*kind));
    match (trouble, quiet(model)) {
        (Some((_, words, tone)), _) => Span::new(*words, *tone),
        (None, Some(quiet)) => Span::warn(format!("QUIET {}", scene.age(quiet))),
        (None, None) => typical(&model.account.store.calls)
            .map_or_else(Span::unknown, |took| pace(took, scene.motion)),
    }
}

/// A single slow response is shown as slow.
const QUIET: Duration = Duration::from_secs(5);

/// How long nothing has arrived, if that is too long: a hanging service has not failed a call yet, and its last
/// response times say nothing.
fn quiet(model: &Model) -> Option<Duration> {
    let quiet = model
        .account
        .now
        .since(model.account.store.health.last_answer_at()?);
    let sources = [Source::Orders, Source::Positions].into_iter();
    let intervals = sources.filter_map(|source| model.account.interval_of(source));
    let most = (intervals.max()? * LATE).max(QUIET);
    (quiet > most).then_some(quiet)
}

/// The response time is the median of this many calls, so that one slow response does not count.
const MEDIAN_CALLS: usize = 9;

fn typical(calls: &VecDeque<(u64, Call)>) -> Option<Duration> {
    let recent = calls.iter().rev().take(MEDIAN_CALLS);
    let mut recent: Vec<_> = recent.map(|(_, call)| call.elapsed).collect();
    recent.sort_unstable();
    recent.get(recent.len() / 2).copied()
}

/// The milliseconds change constantly: with reduced motion only the calls pane shows them.
fn pace(elapsed: Duration, motion: Motion) -> Span {
    let (word, tone) = if elapsed >= calls::SLOW {
        ("SLOW", Tone::Warn)
    } else {
        ("OK", Tone::Muted)
    };
    let words = match motion {
        Motion::Full => format!("{word} {}", format::elapsed(elapsed)),
        Motion::Reduced => word.to_owned(),
    };
    Span::new(words, tone)
}

/// Whether the streams of the service report what is new, or polls alone; nothing where the settings name no stream.
fn stream(model: &Model) -> Option<Segment> {
    let Streams {
        market, account, ..
    } = model.account.store.streams;
    let is = |state| [market, account].contains(&state);
    let (priority, word) = if is(StreamState::Down) {
        (3, Span::warn("POLL"))
    } else if market.is_up() || account.is_up() {
        (5, Span::muted("STREAM"))
    } else {
        return None;
    };
    Some(Segment::new(priority, [word]))
}

/// The ages of what is late; the panes say how old the rest is, and the account's figures show their own.
fn late_ages(model: &Model) -> Vec<Segment> {
    let sources = [
        (Source::Orders, "orders "),
        (Source::Positions, "positions "),
        (Source::Markets, "prices "),
    ];
    let segment = |(source, label)| {
        let age = age::age_of(model, source)?;
        let is_late = age.tone != Tone::Muted;
        is_late.then(|| Segment::new(3, [Span::muted(label), age]))
    };
    sources.into_iter().filter_map(segment).collect()
}
