//! The router: one message in, the changed model and the effects out.

use super::{
    arrival::polled,
    mouse,
    press::{paste, press, press_unseen},
};
use crate::{
    app::{
        account::{labels::Switch, pane::Pane, poll::Source},
        activity::notice::Tone,
        core::{
            account::Account,
            alerts,
            effect::{Clip, Effect, ReadOnce, TerminalOut},
            user_alerts,
        },
        desk::{
            cursor, evidence, freeze, market_shown, model::Model, msg::Msg, older_pages,
            row_replacement, table_view, tour,
        },
        dialogs::{
            next::Next,
            overlay::{Bulk, Overlay, Strip, StripAction},
            prompt::Prompt,
        },
        keys::keymap::{Action, Chord, Urgency},
        market::width_tier::WidthTier,
        orders::{
            brackets, bulk, doubt, flip,
            pending::{advance, settle, traced},
            send::{give, resume, tell, tell_some},
            submit::{refuse, send_form},
            trailing,
        },
        rules::{halt, objection::objection},
        update::{
            act, arrival, closing_keys,
            export::{proceed, written},
            ladder_follow, market, market_data,
            reload::take,
            review, streamed,
            unanswered::Unanswered,
            wake,
        },
        workflows::{StopReason, WorkflowEvent},
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
    let mut effects = if is_of_display(&msg) {
        handled(model, msg)
    } else {
        freeze::behind(model, |model| handled(model, msg))
    };
    if let Some(input) = input {
        input.answer(model, &effects);
    }
    effects.extend(after_every_message(model));
    effects
}

/// Whether it is about what a person sees: a frozen display answers it with what it shows.
fn is_of_display(msg: &Msg) -> bool {
    let is_for_screen = matches!(
        msg,
        Msg::Resized(..) | Msg::Tick | Msg::MarketData(..) | Msg::Written(_) | Msg::Reload(_)
    );
    is_for_screen || msg.is_input()
}

/// The requests of one message alone.
fn handled(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(chord) => key(model, chord),
        Msg::Unseen(chord) => follow_of(model, |model| press_unseen(model, chord)),
        Msg::Paste(text) => follow_of(model, |model| paste(model, &text)),
        Msg::Click(spot) => follow_of(model, |model| mouse::click(model, spot)),
        Msg::Scrolled(spot, seen) => follow_of(model, |model| mouse::scrolled(model, &spot, seen)),
        Msg::Ladder(event) => follow_of(model, |model| mouse::on_ladder(model, event)),
        Msg::Resized(width, height) => {
            model.market_screen.tier = WidthTier::from_size(width, height);
            vec![]
        }
        Msg::Tick => tick(model),
        Msg::MarketData(id, at, answer) => market_data::arrive(model, id, at, answer),
        Msg::Streamed(at, news) => streamed::streamed(model, at, *news),
        Msg::Opened(identity) => follow_of(model, |model| closing_keys::opened(model, identity)),
        Msg::Polled(poll) => polled(model, poll),
        Msg::Met(about) => met(&mut model.account, *about),
        Msg::CallEnded(call) => called(&mut model.account, call),
        Msg::TriesAgain(source, at) => {
            model.account.store.health.tries_again(source, at);
            vec![]
        }
        Msg::Traced(requested, found) => traced(model, &requested, &found),
        Msg::Evidence(evidence) => {
            model.account.store.evidence.arrive(*evidence);
            vec![]
        }
        Msg::Progress(ticket, progress) => advance(model, ticket, &progress),
        Msg::Settled(ticket, result) => settle(model, ticket, &result),
        Msg::Ended(order, result) => doubt::end(model, &order, result),
        Msg::Resumed(ticket, command) => {
            resume(&mut model.account, ticket, command);
            vec![]
        }
        Msg::Outlived(ticket) => {
            model.account.store.outlived(ticket);
            vec![]
        }
        Msg::Offered(text, command) => doubt::offer(model, text, command),
        Msg::Recalled(page) => arrival::recalled(&mut model.account, page),
        Msg::DoneElsewhere(rows) => arrival::done_elsewhere(&mut model.account, &rows),
        Msg::Written(result) => written(model, result),
        Msg::Kept(kept) => user_alerts::recall(&mut model.account, kept),
        Msg::ClockSet(drift) => set_clock(&mut model.account, drift),
        Msg::Flatten => doubt::flatten_now(model),
        Msg::Continues(ticket) => tell_some(model, Some(ticket), WorkflowEvent::Continues),
        Msg::OperationEnded(ticket, end) => {
            tell_some(model, Some(ticket), WorkflowEvent::OperationEnded(&end))
        }
        Msg::AlertsEdited(edit) => vec![user_alerts::edit(&mut model.account, &edit)],
        Msg::Halted(why) => halted(model, why),
        Msg::Reload(reread) => take(model, reread),
        Msg::Notify(tone, text) => {
            model.account.say(tone, text);
            vec![]
        }
    }
}

/// What the market needs that the cursor now rests on is requested before it is drawn.
fn tick(model: &mut Model) -> Vec<Effect> {
    market_shown::follow(model);
    market_data::ask_on_beat(model)
}

/// The service says what it is.
fn met(account: &mut Account, about: ServiceAbout) -> Vec<Effect> {
    account.store.about = Some(about);
    vec![]
}

/// A key, and the older rows that the selection has come near to.
fn key(model: &mut Model, chord: Chord) -> Vec<Effect> {
    let mut effects = close_share_before(model, chord);
    let Some(next) = press(model, chord) else {
        return effects;
    };
    effects.extend(follow(model, next));
    effects.extend(older_pages::more(model));
    effects
}

/// A key of something else does not wait for the share that a digit chose: it is closed first.
fn close_share_before(model: &mut Model, chord: Chord) -> Vec<Effect> {
    let action = model.keymap.lookup(model.context(), chord);
    let Some(Overlay::Form(form)) = model.overlays.last_mut() else {
        return vec![];
    };
    if !form.closes_share_before(chord, action) {
        return vec![];
    }
    let next = form.close_share(&model.account.form_context()).into();
    follow(model, next)
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
    effects.extend(freeze::behind(model, follow_up));
    effects.extend(evidence::ask(model));
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

/// What the desk does by itself, whatever the display shows.
fn follow_up(model: &mut Model) -> Vec<Effect> {
    let mut effects = bulk::proceed(model);
    effects.extend(tell(model, WorkflowEvent::Passed));
    effects.extend(trailing::proceed(model));
    effects.extend(brackets::proceed(model));
    effects
}

/// Nothing is opened after a close that was on its way when the desk was halted.
fn halted(model: &mut Model, why: Option<String>) -> Vec<Effect> {
    if let Some(why) = &why {
        let stopped = WorkflowEvent::Stopped(StopReason::Halted(why));
        drop(tell(model, stopped));
    }
    halt::halt(&mut model.account, why)
}

fn called(account: &mut Account, call: Call) -> Vec<Effect> {
    account.store.call(call);
    let alerts = alerts::called(account);
    alerts::raise(account, alerts)
}

/// Displayed instants were computed with the old clock: polls again.
fn set_clock(account: &mut Account, drift: Drift) -> Vec<Effect> {
    let step = drift.step_from(std::mem::replace(&mut account.drift, drift));
    let text = format!(
        "the machine's clock was set by {step}: countdowns and ages stay correct; perpdeck reads everything again"
    );
    account.say(Tone::Warn, text);
    refresh(account)
}

const REPAINT: Effect = Effect::Terminal(TerminalOut::Repaint);

/// Asks for everything now, and for what is shown of the markets. The key may be another one by now.
fn refresh(account: &mut Account) -> Vec<Effect> {
    account.store.key_scope = None;
    account.market_polls.renew();
    vec![Effect::Poll(Source::iter().collect())]
}

/// Follows what a handler answers.
fn follow_of<N: Into<Next>>(
    model: &mut Model,
    handler: impl FnOnce(&mut Model) -> N,
) -> Vec<Effect> {
    let next = handler(model).into();
    follow(model, next)
}

pub(crate) fn follow(model: &mut Model, next: Next) -> Vec<Effect> {
    match next {
        Next::Stay => vec![],
        Next::Close => {
            model.overlays.pop();
            vec![]
        }
        Next::Open(overlay) => open(model, *overlay),
        Next::PressKeys(keys) => keys.presses().flat_map(|chord| key(model, chord)).collect(),
        Next::Press(Action::Quit) => leave(model),
        Next::Leave => vec![Effect::Quit],
        Next::Press(Action::Refresh) => [refresh(&mut model.account), vec![REPAINT]].concat(),
        Next::Press(Action::Repaint) => vec![REPAINT],
        Next::Press(Action::CloseAll) => follow_of(model, closing_keys::close_all),
        Next::Press(Action::Flatten) => follow_of(model, closing_keys::flatten),
        Next::Press(action) => follow_of(model, |model| act::act(model, action)),
        Next::ShowFiltered(pane, filter) => show(model, pane, &filter),
        Next::ChooseColumns(pane, columns) => choose(model, pane, columns),
        Next::Ask(effect) => vec![effect],
        Next::AskEach(effects) => effects,
        Next::Type(text) => open(model, Overlay::Prompt(Prompt::with_text(&text))),
        Next::OfAlerts(request) => user_alerts::follow(&mut model.account, request),
        Next::ReadOlder => read_older(model),
        Next::NewOrder(side, market) => {
            follow_of(model, |model| act::order(model, side, Some(&market)))
        }
        Next::ShowChart(market) => show_chart(model, market),
        Next::OpenMarket(market) => open_market(model, market),
        Next::OfWatchlists(edit) => user_alerts::edit_watchlists(&mut model.account, edit),
        Next::Switch(switch) => leave_for(model, switch),
        Next::Freeze => freeze_or_thaw(model),
        Next::Run(command) => run(model, command),
        Next::Flip(flip) => {
            model.overlays.pop();
            follow_of(model, |model| flip::begin(model, *flip).map(Next::AskEach))
        }
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
        Next::Copy(clip) => copy(&mut model.account, clip),
        Next::Refuse(why) => {
            model.account.activity.refuse(why, model.account.now);
            vec![]
        }
    }
}

/// The chart in place of the panel that requested it.
fn show_chart(model: &mut Model, market: MarketId) -> Vec<Effect> {
    model.overlays.pop();
    follow_of(model, |model| market::show_chart(model, market))
}

/// Where chart or ladder has the keys, it shows the market.
fn open_market(model: &mut Model, market: MarketId) -> Vec<Effect> {
    if model.focus.panel.is_none() {
        return show_chart(model, market);
    }
    model.overlays.pop();
    model.market_screen.pin(market);
    vec![]
}

/// Lists the commands with what comes of each, in place of the strip that asked.
fn run_each(model: &mut Model, commands: Vec<Command>) -> Vec<Effect> {
    model.overlays.pop();
    let list = Bulk::going(commands, &model.account.store);
    model.overlays.push(Overlay::Bulk(list));
    vec![]
}

/// The next page of closed positions, unless it is on its way.
fn read_older(model: &mut Model) -> Vec<Effect> {
    let closed = &mut model.account.store.closed;
    if !closed.has_more() {
        let why = "every closed position has been read".to_owned();
        return follow(model, Next::Refuse(why));
    }
    let next = closed
        .ask_more()
        .map(ReadOnce::MoreClosed)
        .map(Effect::Read);
    next.into_iter().collect()
}

/// Unless something objects to it, or the form must be answered first.
fn send_from_form(model: &mut Model, command: Command) -> Vec<Effect> {
    let account = &model.account;
    let form = model.overlays.last_mut().and_then(Overlay::try_as_form_mut);
    let sent = match objection(account, &command) {
        Some(why) => Err(why),
        None if form.is_some_and(|form| form.must_ask(account, &command)) => return vec![],
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
    if let Some(why) = objection(&model.account, &command) {
        return follow(
            model,
            Next::Refuse(format!(
                "{}: {why}",
                command.words(&model.account.store.names)
            )),
        );
    }
    vec![give(model, command)]
}

/// Quitting leaves commands in progress or unknown to the journal, and ends what a paper exchange that keeps nothing
/// holds: it asks once, and the same key again confirms.
fn leave(model: &mut Model) -> Vec<Effect> {
    let loses = model.account.options.ends_with_desk && model.account.store.holds_something();
    if model.account.workflows.is_settled(&model.account.store) && !loses {
        return vec![Effect::Quit];
    }
    let strip = Strip::confirm(StripAction::Leave, model.account.now);
    open(model, Overlay::Strip(strip))
}

fn freeze_or_thaw(model: &mut Model) -> Vec<Effect> {
    if model.frozen.is_some() {
        freeze::thaw(model);
    } else {
        freeze::freeze(model);
    }
    vec![]
}

/// Ends a paused display, and opens no question about a command that would not be sent.
fn open(model: &mut Model, overlay: Overlay) -> Vec<Effect> {
    if model.account.options.read_only && overlay.only_sends() {
        return follow(model, Next::Refuse(READ_ONLY.to_owned()));
    }
    model.account.activity.forget_refusal();
    if overlay.acts() {
        freeze::thaw(model);
    }
    model.overlays.push(overlay);
    vec![]
}

fn show(model: &mut Model, pane: Pane, filter: &str) -> Vec<Effect> {
    model.overlays.pop();
    model.focus.go(pane);
    table_view::show(model, pane, filter);
    vec![]
}

/// Closes the list that asked.
fn choose(model: &mut Model, pane: Pane, columns: Option<Vec<usize>>) -> Vec<Effect> {
    let overlays = &mut model.overlays;
    overlays.pop_if(|top| matches!(top, Overlay::Columns(_)));
    vec![table_view::choose(model, pane, columns)]
}

/// Closes the list that asked.
fn leave_for(model: &mut Model, switch: Switch) -> Vec<Effect> {
    let overlays = &mut model.overlays;
    overlays.pop_if(|top| matches!(top, Overlay::Accounts(_)));
    vec![Effect::SwitchAccount(switch)]
}

fn lift(model: &mut Model) -> Vec<Effect> {
    model.overlays.pop();
    let account = &mut model.account;
    account.guard.lift();
    account.say(Tone::Warn, "lock overridden: new entries allowed");
    vec![]
}

/// Closes the panel that asked.
fn close_with(model: &mut Model, effect: Effect) -> Vec<Effect> {
    model.overlays.pop();
    vec![effect]
}

fn copy(account: &mut Account, clip: Clip) -> Vec<Effect> {
    let words = match &clip {
        Clip::Text(text) => format!("copied {}", Text::from(text.as_str())),
        Clip::Lines(lines) => format!("copied {} ids", lines.len()),
        Clip::Detail(..) => "copied the details of this row".to_owned(),
    };
    account.say(Tone::Plain, words);
    vec![Effect::Terminal(TerminalOut::Copy(clip))]
}

/// The effects of passing time: a countdown ends, an unanswered strip disarms.
fn pass_time(model: &mut Model) -> Vec<Effect> {
    let next = match model.overlays.last_mut() {
        Some(Overlay::Strip(strip)) => {
            strip.pass(model.account.now, wake::beat(model.account.options.motion))
        }
        Some(Overlay::Bulk(bulk)) => bulk.pass(model.account.now),
        Some(Overlay::Form(form))
            if form
                .closes_share_at()
                .is_some_and(|at| at <= model.account.now) =>
        {
            form.close_share(&model.account.form_context()).into()
        }
        _ => Next::Stay,
    };
    follow(model, next)
}
