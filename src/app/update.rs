//! The router: one message in, the changed model and the effects out.

use super::{
    About, Clip, Effect, Model, Msg, Next, Signal, Switch, alerts, books, bulk, checks, doubt,
    export,
    form::Around,
    freeze, guard, guest, halt,
    keymap::{Action, Chord, Context},
    lens,
    lineage::links,
    mouse,
    notice::{Event, Tone},
    overlay::{Bulk, Overlay},
    pane::Pane,
    poll::{Answer, Poll, Source},
    prompt, renewal, screen,
    submit::{learn, refuse, send_form, settle_form},
    tour, unseen,
};
use crate::model::{Command, Drift, Failure, Progress, Receipt, Text, Ticket, Timestamp};
use strum::IntoEnumIterator;

/// Takes in what happened at `now`. Never fails, never blocks; whatever it wants done is in the answer.
pub fn update(model: &mut Model, now: Timestamp, msg: Msg) -> Vec<Effect> {
    model.now = model.now.max(now);
    let mut effects = match msg {
        Msg::Key(chord) => press(model, chord),
        Msg::Unseen(chord) => unseen::hear(model, chord),
        Msg::Paste(text) => paste(model, &text),
        Msg::Click(spot) => mouse::click(model, spot),
        Msg::Scrolled(spot, seen) => mouse::scrolled(model, &spot, seen),
        Msg::Tick => books::ask(model).into_iter().collect(),
        Msg::Booked(market, at, result) => {
            model.store.books.arrive(market, result, at);
            vec![]
        }
        Msg::Opened(identity) => {
            model.identity = Some(identity);
            doubt::opened(model)
        }
        Msg::Polled(poll) => polled(model, poll),
        Msg::Called(call) => {
            model.store.call(call);
            let alerts = alerts::called(model);
            alerts::raise(model, alerts)
        }
        Msg::TriesAgain(at) => {
            model.store.health.tries_again(at, model.now);
            vec![]
        }
        Msg::Progress(ticket, progress) => advance(model, ticket, progress),
        Msg::Settled(ticket, result) => settle(model, ticket, result),
        Msg::Ended(order, result) => doubt::end(model, &order, result),
        Msg::Resumed(ticket, command) => {
            model.store.resume(ticket, command, model.now);
            vec![]
        }
        Msg::Offered(text, command) => {
            doubt::offer(model, text, command);
            vec![]
        }
        Msg::Written(result) => {
            export::written(model, result);
            vec![]
        }
        Msg::ClockSet(drift) => set_clock(model, drift),
        Msg::Flatten => doubt::flatten_now(model),
        Msg::Asked(guest, wish) => guest::asked(model, guest, wish),
        Msg::Halted(why) => halt::halt(model, why),
        Msg::Reread(reread) => renewal::take(model, reread),
        Msg::Said(tone, text) => {
            model
                .activity
                .note(None, Event::Said(tone, text), model.now);
            vec![]
        }
    };
    effects.extend(pass_time(model));
    effects.extend(bulk::proceed(model));
    lens::refresh(model);
    tour::proceed(model);
    effects.extend(export::proceed(model));
    effects
}

/// What a poll brings, unless the display is held.
fn polled(model: &mut Model, poll: Box<Poll>) -> Vec<Effect> {
    let Some(poll) = freeze::hold(model, poll) else {
        return vec![];
    };
    let mut effects = arrive(model, *poll);
    effects.extend(books::ask(model));
    effects
}

/// Whatever is shown was dated before: it is asked for again.
fn set_clock(model: &mut Model, drift: Drift) -> Vec<Effect> {
    let step = drift.step_from(std::mem::replace(&mut model.drift, drift));
    let text = format!(
        "the machine's clock was set by {step}: countdowns and ages go on by the time that really passes, \
         everything is asked for again"
    );
    model
        .activity
        .note(None, Event::Said(Tone::Warn, text), model.now);
    vec![Effect::Poll(Source::iter().collect())]
}

pub(super) fn press(model: &mut Model, chord: Chord) -> Vec<Effect> {
    let (now, wall_now) = (model.now, model.wall_now());
    let action = model.keymap.lookup(model.context(), chord);
    if action == Some(Action::QuitNow) {
        return vec![Effect::Quit];
    }
    if is_said_by_toast(model, chord) {
        model.activity.dismiss_toast(now);
        return vec![];
    }
    let links = match model.overlays.last() {
        Some(Overlay::Detail(detail)) => links(model, &detail.row),
        _ => vec![],
    };
    let next = match (model.overlays.last_mut(), action) {
        (Some(_), Some(action)) if action.is_way_out() => Next::Press(action),
        (Some(Overlay::Prompt(_)), action) => prompt::press(model, chord, action),
        (Some(Overlay::Detail(detail)), Some(Action::Copy)) => {
            Next::Copy(Clip::Detail(detail.row.clone()))
        }
        (Some(Overlay::Form(form)), action) => {
            let around = Around {
                store: &model.store,
                used: &model.used,
                now: wall_now,
                zone: &model.options.zone,
            };
            form.press(chord, action, &around)
        }
        (Some(Overlay::Help { offset, search, .. }), None) => self::search(offset, search, chord),
        (_, None) => Next::Stay,
        (Some(Overlay::Strip(strip)), Some(action)) => strip.act(action, now),
        (Some(Overlay::Bulk(bulk)), Some(action)) => bulk.act(action, now),
        (Some(Overlay::Export(export)), Some(action)) => export.act(action),
        (Some(Overlay::Accounts(list)), Some(action)) => list.act(action, model.roster.seats.len()),
        (Some(Overlay::Limits { .. }), Some(Action::Lift)) => guard::ask_to_lift(model),
        (
            Some(
                Overlay::Help { offset, .. }
                | Overlay::Settings { offset }
                | Overlay::Limits { offset },
            ),
            Some(action),
        ) => scroll(offset, action),
        (Some(Overlay::Chart(chart)), Some(action)) => {
            let markets: Vec<_> = model.store.prices.keys().cloned().collect();
            chart.act(action, &markets)
        }
        (Some(Overlay::Quality(report)), Some(action)) => report.act(action, &model.store),
        (Some(Overlay::Detail(detail)), Some(action)) => detail.act(action, &links),
        (None, Some(action)) => Next::Press(action),
    };
    let mut effects = follow(model, next);
    effects.extend(screen::more(model));
    effects
}

/// What is typed over the help finds keys in it.
fn search(offset: &mut usize, search: &mut String, chord: Chord) -> Next {
    match (chord.typed(), chord.edits()) {
        (Some(c), _) => search.push(c),
        (None, Some(_)) => {
            search.pop();
        }
        (None, None) => return Next::Stay,
    }
    *offset = 0;
    Next::Stay
}

/// A toast over a help or a detail says which key dismisses it: that key closes nothing else first.
fn is_said_by_toast(model: &Model, chord: Chord) -> bool {
    let is_over = matches!(
        model.overlays.last(),
        Some(
            Overlay::Help { .. }
                | Overlay::Detail(_)
                | Overlay::Chart(_)
                | Overlay::Quality(_)
                | Overlay::Settings { .. }
                | Overlay::Limits { .. }
                | Overlay::Accounts(_)
        )
    );
    let waits =
        model.activity.toast(model.now).is_some() && model.activity.toast_ends_at().is_none();
    let key = model.keymap.chord(Context::Desk, Action::Dismiss);
    is_over && waits && key == Some(chord)
}

/// How many lines the moving keys scroll.
const STEPS: &[(Action, isize)] = &[
    (Action::Down, 1),
    (Action::Up, -1),
    (Action::PageDown, 10),
    (Action::PageUp, -10),
];

fn scroll(offset: &mut usize, action: Action) -> Next {
    if action == Action::Dismiss {
        return Next::Close;
    }
    let step = STEPS.iter().find(|(of, _)| *of == action);
    *offset = offset.saturating_add_signed(step.map_or(0, |(_, lines)| *lines));
    Next::Stay
}

fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    // Pasted text reaches text fields only: keys inside it must never act.
    match model.overlays.last_mut().and_then(Overlay::try_as_form_mut) {
        Some(form) => form.paste(text),
        None => prompt::paste(model, text),
    }
    vec![]
}

pub(super) fn follow(model: &mut Model, next: Next) -> Vec<Effect> {
    match next {
        Next::Stay => vec![],
        Next::Close => {
            model.overlays.pop();
            vec![]
        }
        Next::Open(overlay) => {
            // Nobody acts on what is held.
            let effects = if overlay.acts() { thaw(model) } else { vec![] };
            model.overlays.push(*overlay);
            effects
        }
        Next::Press(Action::Quit) => vec![Effect::Quit],
        Next::Press(Action::Refresh) => vec![Effect::Poll(Source::iter().collect())],
        Next::Press(action) => {
            let next = screen::act(model, action);
            follow(model, next)
        }
        Next::Show(pane, filter) => show(model, pane, &filter),
        Next::Want(effect) => vec![effect],
        Next::Switch(switch) => leave_for(model, switch),
        Next::Freeze => hold_or_thaw(model),
        Next::Run(command) => {
            model.overlays.pop();
            if let Some(why) = objection(model, &command) {
                return follow(model, Next::Refuse(format!("{command}: {why}")));
            }
            let (_, effect) = send(model, command);
            vec![effect]
        }
        Next::RunEach(commands) => {
            model.overlays.pop();
            let list = Bulk::going(commands, &model.store);
            model.overlays.push(Overlay::Bulk(list));
            vec![]
        }
        Next::Again(_) if model.options.read_only => {
            model.overlays.pop();
            follow(model, Next::Refuse(READ_ONLY.to_owned()))
        }
        Next::Again(ticket) => close_with(model, Effect::Again(ticket)),
        Next::GiveUp(ticket) => close_with(model, Effect::GiveUp(ticket)),
        Next::Rearm => close_with(model, Effect::Rearm),
        Next::RunAndStay(command) => {
            if let Some(why) = objection(model, &command) {
                return refuse(model, why);
            }
            send_form(model, command)
        }
        Next::Lift => lift(model),
        Next::Copy(clip) => copy(model, clip),
        Next::Refuse(why) => {
            model
                .activity
                .note(None, Event::Said(Tone::Warn, why), model.now);
            vec![]
        }
    }
}

fn show(model: &mut Model, pane: Pane, filter: &str) -> Vec<Effect> {
    model.overlays.pop();
    model.focus.go(pane);
    lens::show(model, pane, filter);
    vec![]
}

/// The list that asked closes.
fn leave_for(model: &mut Model, switch: Switch) -> Vec<Effect> {
    if let Some(Overlay::Accounts(_)) = model.overlays.last() {
        model.overlays.pop();
    }
    vec![Effect::Show(switch)]
}

fn lift(model: &mut Model) -> Vec<Effect> {
    model.overlays.pop();
    model.guard.lift();
    let words = "the lock on new risk is lifted".to_owned();
    follow(model, Next::Refuse(words))
}

const READ_ONLY: &str = "the desk is read-only and sends nothing";

/// The overlay that asked has its answer.
fn close_with(model: &mut Model, effect: Effect) -> Vec<Effect> {
    model.overlays.pop();
    vec![effect]
}

fn copy(model: &mut Model, clip: Clip) -> Vec<Effect> {
    let words = match &clip {
        Clip::Text(text) => format!("copied {}", Text::from(text.as_str())),
        Clip::Lines(lines) => format!("copied {} ids", lines.len()),
        Clip::Detail(..) => "copied what is known of this row".to_owned(),
    };
    let event = Event::Said(Tone::Plain, words);
    model.activity.note(None, event, model.now);
    vec![Effect::Signal(Signal::Copy(clip))]
}

/// Why the desk itself does not send this, if so.
pub(super) fn objection(model: &Model, command: &Command) -> Option<String> {
    if model.options.read_only {
        return Some(READ_ONLY.to_owned());
    }
    if let Some(why) = halt::objection(model, command) {
        return Some(why);
    }
    let limits = &model.options.checks;
    let held = checks::objection(limits, &model.store, &model.session, model.now, command);
    held.or_else(|| guard::objection(model, command))
}

pub(super) fn send(model: &mut Model, command: Command) -> (Ticket, Effect) {
    model.session.sent(&command, model.now);
    let ticket = model.store.begin(command.clone(), model.now);
    let about = About::of(&command, &model.store);
    let event = Event::Sent(command.clone());
    model
        .activity
        .note_of(about, Some(ticket), event, model.now);
    (ticket, Effect::Send(ticket, command))
}

fn hold_or_thaw(model: &mut Model) -> Vec<Effect> {
    if model.frozen.is_some() {
        return thaw(model);
    }
    freeze::start(model);
    vec![]
}

/// The display goes on with what has come meanwhile.
pub(super) fn thaw(model: &mut Model) -> Vec<Effect> {
    let held = freeze::end(model).into_iter();
    held.flat_map(|poll| arrive(model, poll)).collect()
}

fn arrive(model: &mut Model, poll: Poll) -> Vec<Effect> {
    // A page that failed is not asked for again at once: the next newest page will.
    let traces = matches!(
        poll.answer,
        Answer::Scaled(..) | Answer::History(_) | Answer::MoreHistory(_, Ok(_))
    );
    let source = poll.answer.source();
    let ended: Vec<_> = model
        .store
        .ended_twaps
        .iter()
        .map(|e| e.twap.id.clone())
        .collect();
    let mut news = alerts::arriving(model, &poll);
    let ladders = model.store.arrive(poll);
    model.session.seen(&model.store);
    news.extend(alerts::arrived(model, source, &ended));
    if matches!(source, Source::Account | Source::Closed | Source::Positions) {
        news.extend(guard::measure(model));
    }
    let watch = (!ladders.is_empty()).then_some(Effect::Watch(ladders));
    let trace = traces.then(|| screen::trace(model)).flatten();
    let told = alerts::raise(model, news);
    watch.into_iter().chain(trace).chain(told).collect()
}

fn advance(model: &mut Model, ticket: Ticket, progress: Progress) -> Vec<Effect> {
    let Some(flight) = model.store.flights.get_mut(&ticket) else {
        return vec![];
    };
    flight.progress = progress.clone();
    let silent = matches!(progress, Progress::Sending { .. });
    let parked = matches!(progress, Progress::Parked { .. });
    let polls = matches!(progress, Progress::Running { .. } | Progress::Flattening(_));
    if !silent {
        let event = Event::Progress(flight.command.clone(), progress);
        let about = flight.about.clone();
        model
            .activity
            .note_of(about, Some(ticket), event, model.now);
    }
    if parked {
        doubt::park(model, ticket);
    } else {
        doubt::unask(model, ticket);
    }
    polls
        .then(|| Effect::Poll(vec![Source::Positions]))
        .into_iter()
        .collect()
}

fn settle(model: &mut Model, ticket: Ticket, result: Result<Receipt, Failure>) -> Vec<Effect> {
    let Some(flight) = model.store.flights.remove(&ticket) else {
        return vec![];
    };
    // Close-all is about what still runs when it is over; all else about what it was sent for.
    let about = match flight.about.target {
        Some(_) => flight.about,
        None => About::of(&flight.command, &model.store),
    };
    let mut placed = vec![];
    if let Ok(receipt) = &result {
        placed = model.store.settle(receipt, flight.since);
        model.watch.settled(receipt);
    }
    learn(model, &flight.command, &result);
    let is_told = settle_form(model, ticket, &result) | bulk::settle(model, ticket, &result);
    doubt::unask(model, ticket);
    let event = Event::Settled(flight.command, result);
    model
        .activity
        .note_of(about, Some(ticket), event, model.now);
    if is_told {
        model.activity.dismiss_toast(model.now);
    }
    let polls = Source::iter().filter(|s| *s != Source::Markets).collect();
    let watch = (!placed.is_empty()).then_some(Effect::Watch(placed));
    watch.into_iter().chain([Effect::Poll(polls)]).collect()
}

/// What time alone does: a countdown goes, an unanswered strip disarms.
fn pass_time(model: &mut Model) -> Vec<Effect> {
    let next = match model.overlays.last() {
        Some(Overlay::Strip(strip)) => strip.pass(model.now),
        Some(Overlay::Bulk(bulk)) => bulk.pass(model.now),
        _ => Next::Stay,
    };
    follow(model, next)
}

/// The pane keys of the desk: which pane has the keys, and how much of the screen.
pub(super) fn focus(model: &mut Model, action: Action) -> bool {
    match (Pane::of(action), action) {
        (Some(pane), _) => model.focus.go(pane),
        (_, Action::NextPane) => model.focus.next(),
        (_, Action::PreviousPane) => model.focus.previous(),
        (_, Action::Zoom) => model.focus.zoomed = !model.focus.zoomed,
        _ => return false,
    }
    true
}
