//! The router: one message in, the changed model and the effects out.

use super::{
    arrival::{hold_or_thaw, polled, thaw},
    mouse,
    press::{paste, press},
    unseen,
};
use crate::{
    app::{
        account::{labels::Switch, poll::Source},
        activity::notice::Tone,
        desk::{
            alerts, cursor, market_shown, model::Model, msg::Msg, row_replacement, table_view,
            tour, user_alerts,
        },
        dialogs::{
            effect::{Clip, Effect, TerminalOut},
            next::Next,
            overlay::{Bulk, Overlay, Strip, StripAction},
            prompt::Prompt,
        },
        keys::keymap::{Action, Urgency},
        market::width_tier::WidthTier,
        orders::{
            bulk, caller, control, doubt,
            flight::{advance, objection, send, settle, traced},
            flip, moves,
            submit::{refuse, send_form},
        },
        rules::{halt, second, warnings},
        tables::pane::Pane,
        update::{
            act, arrival,
            export::{proceed, written},
            ladder_follow, market, market_data,
            reload::take,
            review, streamed,
            unanswered::Unanswered,
            wake, way_out,
        },
    },
    model::{Call, Command, Drift, MarketId, READ_ONLY, ServiceAbout, Text, Timestamp},
};
use strum::IntoEnumIterator;

/// Handles a message at `now`. Never fails, never blocks; every request is in the result.
pub fn update(model: &mut Model, now: Timestamp, msg: Msg) -> Vec<Effect> {
    model.account.now = model.account.now.max(now);
    if means_cursor(model, &msg) {
        model.market_screen.follow_at_once();
    }
    let input = Unanswered::of(model, &msg);
    let mut effects = handled(model, msg);
    if let Some(input) = input {
        input.answer(model, &effects);
    }
    effects.extend(after_every_message(model));
    effects
}

/// The requests of one message alone.
fn handled(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(chord) => press(model, chord),
        Msg::Unseen(chord) => unseen::press_unseen(model, chord),
        Msg::Paste(text) => paste(model, &text),
        Msg::Click(spot) => mouse::click(model, spot),
        Msg::Scrolled(spot, seen) => mouse::scrolled(model, &spot, seen),
        Msg::Ladder(event) => mouse::on_ladder(model, event),
        Msg::Resized(width, height) => {
            model.market_screen.tier = WidthTier::from_size(width, height);
            vec![]
        }
        Msg::Tick => market_data::ask_on_beat(model),
        Msg::MarketData(id, at, answer) => market_data::arrive(model, id, at, answer),
        Msg::Streamed(at, news) => streamed::streamed(model, at, *news),
        Msg::Opened(identity) => {
            model.account.identity = Some(identity);
            way_out::opened(model)
        }
        Msg::Polled(poll) => polled(model, poll),
        Msg::Met(about) => met(model, *about),
        Msg::CallEnded(call) => called(model, call),
        Msg::TriesAgain(source, at) => {
            model.account.store.health.tries_again(source, at);
            vec![]
        }
        Msg::Traced(asked, found) => traced(model, &asked, &found),
        Msg::Progress(ticket, progress) => advance(model, ticket, progress),
        Msg::Settled(ticket, result) => settle(model, ticket, &result),
        Msg::Ended(order, result) => doubt::end(model, &order, result),
        Msg::Resumed(ticket, command) => {
            model
                .account
                .store
                .resume(ticket, command, model.account.now);
            vec![]
        }
        Msg::Outlived(ticket) => doubt::outlived(model, ticket),
        Msg::Offered(text, command) => {
            doubt::offer(model, text, command);
            vec![]
        }
        Msg::Recalled(page) => arrival::recalled(model, page),
        Msg::Written(result) => {
            written(model, result);
            vec![]
        }
        Msg::Kept(kept) => user_alerts::recall(model, kept),
        Msg::ClockSet(drift) => set_clock(model, drift),
        Msg::Flatten => doubt::flatten_now(model),
        Msg::OpenedSince => doubt::close_the_rest(model),
        Msg::Asked(caller, request) => caller::asked(model, caller, request),
        Msg::Halted(why) => halted(model, why),
        Msg::Second(first) => second::take(model, first),
        Msg::Reload(reread) => take(model, reread),
        Msg::Notify(tone, text) => {
            model.account.say(tone, text);
            vec![]
        }
    }
}

/// The service says what it is.
fn met(model: &mut Model, about: ServiceAbout) -> Vec<Effect> {
    model.account.store.about = Some(about);
    vec![]
}

/// Whether it may be about the market under the cursor: anything that a person does but move.
fn means_cursor(model: &Model, msg: &Msg) -> bool {
    if let Msg::Key(chord) = msg {
        return model.keymap.urgency(*chord) != Urgency::Motion;
    }
    matches!(msg, Msg::Click(_) | Msg::Paste(_))
}

/// What time and the changed facts lead to, whatever the message was.
fn after_every_message(model: &mut Model) -> Vec<Effect> {
    let mut effects = pass_time(model);
    effects.extend(bulk::proceed(model));
    effects.extend(flip::proceed(model));
    effects.extend(moves::proceed(model));
    table_view::refresh(model);
    review::refresh(model);
    cursor::keep(model);
    row_replacement::follow(model);
    market_shown::follow(model);
    ladder_follow::follow(model);
    tour::proceed(model);
    effects.extend(proceed(model));
    effects
}

/// Nothing is opened after a close that was on its way when the desk was halted.
fn halted(model: &mut Model, why: Option<String>) -> Vec<Effect> {
    if let Some(why) = &why {
        flip::abandon(model, &format!("the desk is halted ({why})"), |_| true);
    }
    halt::halt(model, why)
}

fn called(model: &mut Model, call: Call) -> Vec<Effect> {
    model.account.store.call(call);
    let alerts = alerts::called(model);
    alerts::raise(model, alerts)
}

/// Displayed instants were computed with the old clock: polls again.
fn set_clock(model: &mut Model, drift: Drift) -> Vec<Effect> {
    let step = drift.step_from(std::mem::replace(&mut model.account.drift, drift));
    let text = format!(
        "the machine's clock was set by {step}: countdowns and ages stay correct; perpdeck reads everything again"
    );
    model.account.say(Tone::Warn, text);
    refresh(model)
}

const REPAINT: Effect = Effect::Terminal(TerminalOut::Repaint);

/// Asks for everything now, and for what is shown of the markets. The key may be another one by now.
fn refresh(model: &mut Model) -> Vec<Effect> {
    model.account.store.key_scope = None;
    model.account.market_polls.renew();
    vec![Effect::Poll(Source::iter().collect())]
}

pub(crate) fn follow(model: &mut Model, next: Next) -> Vec<Effect> {
    match next {
        Next::Stay => vec![],
        Next::Close => {
            model.overlays.pop();
            vec![]
        }
        Next::Open(overlay) => open(model, *overlay),
        Next::Press(Action::Quit) => leave(model),
        Next::Leave => vec![Effect::Quit],
        Next::Press(Action::Refresh) => [refresh(model), vec![REPAINT]].concat(),
        Next::Press(Action::Repaint) => vec![REPAINT],
        Next::Press(action) => {
            let next = act::act(model, action);
            follow(model, next)
        }
        Next::ShowFiltered(pane, filter) => show(model, pane, &filter),
        Next::ChooseColumns(pane, columns) => choose(model, pane, columns),
        Next::Ask(effect) => vec![effect],
        Next::AskEach(effects) => effects,
        Next::Type(text) => open(model, Overlay::Prompt(Prompt::begun(&text))),
        Next::OfAlerts(request) => user_alerts::follow(model, request),
        Next::ReadOlder => read_older(model),
        Next::NewOrder(side, market) => {
            let next = act::order(model, side, Some(&market));
            follow(model, next)
        }
        Next::ShowChart(market) => show_chart(model, market),
        Next::Switch(switch) => leave_for(model, switch),
        Next::Freeze => hold_or_thaw(model),
        Next::Run(command) => run(model, command),
        Next::Flip(flip) => {
            model.overlays.pop();
            or_refuse(model, |model| flip::begin(model, *flip))
        }
        Next::Control(wanted) => or_refuse(model, |model| control::run(model, &wanted)),
        Next::RunEach(commands) => run_each(model, commands),
        Next::Resend(_) | Next::Reopen(_) if model.account.options.read_only => {
            model.overlays.pop();
            follow(model, Next::Refuse(READ_ONLY.to_owned()))
        }
        Next::Resend(ticket) if model.account.store.reopens(ticket) => {
            let why = doubt::reopens(model);
            follow(model, Next::Refuse(why))
        }
        Next::Reopen(ticket) if !model.account.store.reopens(ticket) => vec![],
        Next::Resend(ticket) | Next::Reopen(ticket) => close_with(model, Effect::Resend(ticket)),
        Next::GiveUp(ticket) => close_with(model, Effect::GiveUp(ticket)),
        Next::Rearm => close_with(model, Effect::Rearm),
        Next::RunForm(command) => send_from_form(model, command),
        Next::LiftLock => lift(model),
        Next::Copy(clip) => copy(model, clip),
        Next::Refuse(why) => {
            model.account.activity.refuse(why, model.account.now);
            vec![]
        }
    }
}

/// The chart in place of the panel that asked for it.
fn show_chart(model: &mut Model, market: MarketId) -> Vec<Effect> {
    model.overlays.pop();
    let next = market::show_chart(model, market);
    follow(model, next)
}

/// Lists the commands with what comes of each, in place of the strip that asked.
fn run_each(model: &mut Model, commands: Vec<Command>) -> Vec<Effect> {
    model.overlays.pop();
    let list = Bulk::going(commands, &model.account.store);
    model.overlays.push(Overlay::Bulk(list));
    vec![]
}

/// What it does, or why it does not.
fn or_refuse(
    model: &mut Model,
    does: impl FnOnce(&mut Model) -> Result<Vec<Effect>, String>,
) -> Vec<Effect> {
    let done = does(model);
    done.unwrap_or_else(|why| follow(model, Next::Refuse(why)))
}

/// The next page of closed positions, unless it is on its way.
fn read_older(model: &mut Model) -> Vec<Effect> {
    let closed = &mut model.account.store.closed;
    if !closed.has_more() {
        let why = "every closed position has been read".to_owned();
        return follow(model, Next::Refuse(why));
    }
    closed
        .ask_more()
        .map(Effect::MoreClosed)
        .into_iter()
        .collect()
}

/// Unless something objects to it, or the form must be answered first.
fn send_from_form(model: &mut Model, command: Command) -> Vec<Effect> {
    let sent = match objection(model, &command) {
        Some(why) => Err(why),
        None if warnings::must_ask(model, &command) => return vec![],
        None => send_form(model, command),
    };
    sent.unwrap_or_else(|why| {
        let next = refuse(model, why);
        follow(model, next)
    })
}

/// Closes the panel that asked.
fn run(model: &mut Model, command: Command) -> Vec<Effect> {
    model.overlays.pop();
    if let Some(why) = objection(model, &command) {
        return follow(
            model,
            Next::Refuse(format!(
                "{}: {why}",
                command.words(&model.account.store.names)
            )),
        );
    }
    let (_, effect) = send(model, command);
    vec![effect]
}

/// Quitting leaves commands in progress or unknown to the journal, and ends what a paper exchange that keeps nothing
/// holds: it asks once, and the same key again confirms.
fn leave(model: &mut Model) -> Vec<Effect> {
    let loses = model.account.options.ends_with_desk && model.account.store.holds_something();
    if model.account.store.is_settled() && !loses {
        return vec![Effect::Quit];
    }
    let strip = Strip::confirm(StripAction::Leave, model.account.now);
    open(model, Overlay::Strip(strip))
}

/// Ends a paused display, and opens no question about a command that would not be sent.
fn open(model: &mut Model, overlay: Overlay) -> Vec<Effect> {
    if model.account.options.read_only && overlay.only_sends() {
        return follow(model, Next::Refuse(READ_ONLY.to_owned()));
    }
    model.account.activity.forget_refusal();
    let effects = if overlay.acts() { thaw(model) } else { vec![] };
    model.overlays.push(overlay);
    effects
}

fn show(model: &mut Model, pane: Pane, filter: &str) -> Vec<Effect> {
    model.overlays.pop();
    model.focus.go(pane);
    table_view::show(model, pane, filter);
    vec![]
}

/// Closes the list that asked.
fn choose(model: &mut Model, pane: Pane, columns: Option<Vec<usize>>) -> Vec<Effect> {
    if let Some(Overlay::Columns(_)) = model.overlays.last() {
        model.overlays.pop();
    }
    vec![table_view::choose(model, pane, columns)]
}

/// Closes the list that asked.
fn leave_for(model: &mut Model, switch: Switch) -> Vec<Effect> {
    if let Some(Overlay::Accounts(_)) = model.overlays.last() {
        model.overlays.pop();
    }
    vec![Effect::SwitchAccount(switch)]
}

fn lift(model: &mut Model) -> Vec<Effect> {
    model.overlays.pop();
    model.account.guard.lift();
    model
        .account
        .say(Tone::Warn, "lock overridden: new entries allowed");
    vec![]
}

/// Closes the panel that asked.
fn close_with(model: &mut Model, effect: Effect) -> Vec<Effect> {
    model.overlays.pop();
    vec![effect]
}

fn copy(model: &mut Model, clip: Clip) -> Vec<Effect> {
    let words = match &clip {
        Clip::Text(text) => format!("copied {}", Text::from(text.as_str())),
        Clip::Lines(lines) => format!("copied {} ids", lines.len()),
        Clip::Detail(..) => "copied the details of this row".to_owned(),
    };
    model.account.say(Tone::Plain, words);
    vec![Effect::Terminal(TerminalOut::Copy(clip))]
}

/// The effects of passing time: a countdown ends, an unanswered strip disarms.
fn pass_time(model: &mut Model) -> Vec<Effect> {
    let next = match model.overlays.last_mut() {
        Some(Overlay::Strip(strip)) => {
            strip.pass(model.account.now, wake::beat(model.account.options.motion))
        }
        Some(Overlay::Bulk(bulk)) => bulk.pass(model.account.now),
        _ => Next::Stay,
    };
    follow(model, next)
}

/// The pane keys: focus and zoom.
pub(crate) fn focus(model: &mut Model, action: Action) -> bool {
    match (Pane::of(action), action) {
        (Some(pane), _) => model.focus.go(pane),
        (_, Action::NextPane) => market::step(model, 1),
        (_, Action::PreviousPane) => market::step(model, -1),
        (_, Action::Zoom) => model.focus.zoomed = !model.focus.zoomed,
        _ => return false,
    }
    true
}
