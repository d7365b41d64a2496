//! Everything impure: the loop, the terminal, the clock, the tasks. Names every module except `cli` and `exchange`.
//!
//! Contract: the loop takes one message at a time, calls `app::update`, sends the effects and has the painter draw. It
//! never waits for a terminal, a disk or a socket, and does nothing while nothing happens.

pub(crate) mod accounts;
pub(crate) mod base;
mod desk;
pub(crate) mod journal;
mod outbox;
mod picture;
pub(crate) mod polling;
mod quiet;
pub(crate) mod recovery;
pub(crate) mod terminal;

pub use accounts::kept::{LockedAlerts, change_alerts, keep_bracket, kept_alerts, kept_trades};
pub use accounts::services::{OpenAccount, Opened, OtherAccount};
pub use accounts::settings_thread::{SettingsReply, SettingsThread};
pub use base::clock::Clock;
pub use desk::{End, Start, desk};
pub(crate) use journal::earlier::{done, read_back};
pub(crate) use journal::events::FILE as EVENTS_FILE;
pub use journal::export::write as write_export;
pub use journal::journal_writer::prune as prune_journal;
pub use journal::shared_journal::{AccountAddress, ResumedIntents};
pub(crate) use outbox::interrupted;
pub use picture::{Picture, PictureOptions, picture};
pub use polling::poller::Poller;
pub use recovery::dispatch::{Outbox, VerbRun};
pub use terminal::escape::Terminal;
#[cfg(fuzzing)]
pub use terminal::input::testing::typed;
pub use terminal::mouse::Mouse;
pub use terminal::screen_mode::columns;

use crate::{
    app::{
        AccountScope, AccountSet, Effect, Model, Msg, ShownMarkets, TerminalOut,
        activity::notice::Tone, keys::keymap::Chord, market::market_spot::LadderEvent,
        markets_shown, tables::click_target::ClickTarget,
    },
    config::Theme,
    ui::{self, DrawState, ThemeSet},
};
use base::inboxes::{Inboxes, Incoming};
use futures_util::{Stream, StreamExt};
use journal::events::EventLog;
use quiet::{cause_of_frame, market_picture, quiet, rests_at, seen_at_once};
use ratatui::{buffer::Buffer, layout::Rect};
use std::{future::pending, io, time::Duration};
use terminal::drawing::{Render, ShownFrame, news_of_frame};
use terminal::frame::{Cause, FrameGate};
use terminal::input::{Keyboard, TerminalInput};
use tokio::{select, time::Instant};

/// A frame delayed longer than this (the process was stopped, motion is reduced) is rebuilt, so that its ages are
/// current.
const OF_ANOTHER_TIME: Duration = Duration::from_millis(250);

/// The channels of the loop.
struct LoopChannels<I> {
    input: I,
    keyboard: Keyboard,
    inboxes: Inboxes,
    clock: Clock,
    draw_state: DrawState,
    /// The mouse is being dragged over the price ladder or the chart.
    is_dragging: bool,
    render: Render,
    /// What the last frame showed.
    shown_frame: ShownFrame,
    looks: ThemeSet,
    terminal: Terminal,
    settings_thread: SettingsThread,
    events: EventLog,
    attention: Attention,
}

/// What the pollers know of the person at the desk.
#[derive(Debug, Default)]
struct Attention {
    /// The last key of which they know.
    key: Option<Instant>,
    account: usize,
    markets: ShownMarkets,
}

/// Keys closer together are one to the pollers.
const ATTENTION_EVERY: Duration = Duration::from_secs(1);

/// What is written to the terminal.
#[derive(Debug)]
enum Out {
    /// What a frame changes: parts of the screen, later ones over earlier ones.
    Frame(Vec<Buffer>),
    /// Control sequences, which draw nothing.
    Control(Vec<u8>),
    /// The next frame is written whole, on an emptied screen.
    Repaint,
}

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoopEnd {
    Quit,
    TerminalGone,
}

/// What the loop waited for.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one at a time, and nearly always a message"
)]
enum LoopEvent {
    Message(AccountScope, Cause, Msg),
    Handled,
    TerminalGone,
}

const BELL: &[u8] = b"\x07";

/// Runs until the desk quits or the input ends. `show` gets every frame and every control sequence.
async fn run<I>(
    mut channels: LoopChannels<I>,
    mut size: Rect,
    account_set: &mut AccountSet,
    mut show: impl FnMut(Out),
) -> LoopEnd
where
    I: Stream<Item = io::Result<TerminalInput>> + Unpin,
{
    let mut gate = FrameGate::open();
    let begins = resized(size);
    let first = take(account_set, AccountScope::Shown, begins, channels.clock);
    for (at, effect) in first {
        channels.inboxes.send(at, effect);
    }
    loop {
        let (whose, cause, msg) = match channels
            .next(&mut size, account_set, &mut gate, &mut show)
            .await
        {
            LoopEvent::Message(whose, cause, msg) => (whose, cause, msg),
            LoopEvent::Handled => continue,
            LoopEvent::TerminalGone => return LoopEnd::TerminalGone,
        };
        let before = seen_at_once(account_set.shown());
        let quiet = quiet(cause, &msg, account_set.shown(), channels.clock);
        let rests_at = rests_at(account_set.shown());
        let is_seen = account_set.is_on_screen(whose);
        let by_person = (cause == Cause::Person && msg.is_input()).then(Instant::now);
        let effects = take(account_set, whose, msg, channels.clock);
        channels.events.note(account_set);
        for (at, effect) in effects {
            if effect == Effect::Quit {
                return LoopEnd::Quit;
            }
            if let Some(out) = channels.dispatch(at, effect, account_set.shown()) {
                show(out);
            }
        }
        channels.tell_pollers(by_person, account_set);
        // A change that is not on the screen needs no frame.
        let shown = account_set.shown();
        channels.keyboard.update_bindings(shown);
        let has_news = seen_at_once(shown) != before;
        let is_unchanged = quiet == Some(market_picture(shown));
        if (is_seen && !is_unchanged) || has_news {
            let cause = if has_news {
                Cause::Person
            } else {
                cause_of_frame(cause, rests_at, shown)
            };
            gate.want(cause, shown.account.options.motion);
        }
        if channels.inboxes.is_settled(account_set.at()) && !shown.account.awaits_market_data() {
            gate.settle(shown.account.options.motion);
        }
    }
}

impl<I> LoopChannels<I>
where
    I: Stream<Item = io::Result<TerminalInput>> + Unpin,
{
    /// Waits for what happens next. A frame that a person waits for comes first (60 Hz at most), then the person, any
    /// other frame, the network, and time.
    async fn next(
        &mut self,
        size: &mut Rect,
        account_set: &mut AccountSet,
        gate: &mut FrameGate,
        show: &mut impl FnMut(Out),
    ) -> LoopEvent {
        select! {
            biased;
            () = gate.due_for_person() => self.draw_due(*size, account_set, gate, show),
            input = self.input.next() => match input {
                Some(Ok(input)) => match self.taken(input, size, show) {
                    Some(msg) => LoopEvent::Message(AccountScope::Shown, Cause::Person, msg),
                    None => LoopEvent::Handled,
                },
                Some(Err(_)) | None => LoopEvent::TerminalGone,
            },
            () = gate.due() => self.draw_due(*size, account_set, gate, show),
            incoming = self.inboxes.next() => match incoming {
                Incoming::Msg(whose, msg) => LoopEvent::Message(whose, cause(&msg), msg),
                Incoming::AddedAccount(options) => {
                    account_set.join(*options, self.clock.now());
                    gate.want(Cause::Background, account_set.shown().account.options.motion);
                    LoopEvent::Handled
                }
            },
            whose = next_change(account_set, self.clock) => {
                LoopEvent::Message(whose, Cause::Background, Msg::Tick)
            }
            Some(news) = self.settings_thread.news.recv() => {
                LoopEvent::Message(AccountScope::Shown, Cause::Person, self.renewed(news))
            }
        }
    }
}

impl<I> LoopChannels<I> {
    fn frame(&mut self, size: Rect, account_set: &AccountSet) -> Out {
        let (frame, shown_frame) = crate::runtime::terminal::drawing::frame(
            self.render,
            size,
            account_set,
            &mut self.draw_state,
        );
        self.shown_frame = shown_frame;
        Out::Frame(frame)
    }

    fn is_drawn(&self, screen: Rect) -> bool {
        self.shown_frame == ShownFrame::Desk && ui::fits(screen)
    }

    /// The message of an input, if the desk has one for it.
    fn taken(
        &mut self,
        input: TerminalInput,
        size: &mut Rect,
        show: &mut impl FnMut(Out),
    ) -> Option<Msg> {
        match input {
            TerminalInput::Key(chord) => Some(match self.shown_frame {
                ShownFrame::Desk => pressed(chord, *size),
                ShownFrame::StripOnly => Msg::Unseen(chord),
            }),
            TerminalInput::Paste(_) if !self.is_drawn(*size) => None,
            TerminalInput::Paste(text) => Some(Msg::Paste(text)),
            TerminalInput::Resize(now) => {
                *size = now;
                Some(resized(now))
            }
            TerminalInput::Click(at) => {
                let target = self.draw_state.pointed(at);
                Some(Msg::Click(target.unwrap_or(ClickTarget::Nothing)))
            }
            TerminalInput::OtherButton => Some(Msg::Click(ClickTarget::Nothing)),
            TerminalInput::Drag(at) => {
                let spot = self.draw_state.pointed_price(at)?;
                self.is_dragging = true;
                Some(Msg::Ladder(LadderEvent::Dragged(spot)))
            }
            TerminalInput::Release(at) => {
                let spot = self.draw_state.pointed_price(at);
                let was_dragging = std::mem::take(&mut self.is_dragging);
                was_dragging.then_some(Msg::Ladder(LadderEvent::Released(spot)))
            }
            TerminalInput::Wheel(at, notches) => Some(crate::runtime::terminal::mouse::turned(
                at,
                notches,
                &mut self.draw_state,
            )),
            TerminalInput::Lost => {
                show(Out::Control(BELL.to_vec()));
                None
            }
            TerminalInput::DroppedPaste => {
                show(Out::Control(BELL.to_vec()));
                let words = "a paste was dropped: it is longer than 64 KiB, or its end is missing";
                Some(Msg::Notify(Tone::Warn, words.to_owned()))
            }
        }
    }

    /// Draws the frame that is due, unless the desk is of another time; answers what must be taken in then.
    fn draw_due(
        &mut self,
        size: Rect,
        account_set: &AccountSet,
        gate: &mut FrameGate,
        show: &mut impl FnMut(Out),
    ) -> LoopEvent {
        if self.clock.now().since(account_set.shown().account.now) >= OF_ANOTHER_TIME {
            return LoopEvent::Message(AccountScope::Shown, Cause::Person, Msg::Tick);
        }
        show(self.frame(size, account_set));
        gate.drawn();
        let shown = account_set.shown();
        news_of_frame(&self.draw_state, shown).map_or(LoopEvent::Handled, |msg| {
            LoopEvent::Message(AccountScope::Shown, Cause::Background, msg)
        })
    }

    /// Applies a new theme; returns the reloaded settings as a message.
    fn renewed(&mut self, news: SettingsReply) -> Msg {
        if let Some(looks) = news.looks {
            self.draw_state.theme = looks.own.clone();
            self.looks = looks;
        }
        news.msg
    }

    /// Sends an effect of the account at this index to its receiver; returns effects of the terminal.
    fn dispatch(&mut self, at: usize, effect: Effect, shown: &Model) -> Option<Out> {
        if effect == Effect::Terminal(TerminalOut::Repaint) {
            return Some(Out::Repaint);
        }
        if let Effect::Terminal(signal) = &effect {
            let bytes = crate::runtime::terminal::escape::bytes(
                signal,
                shown,
                &self.draw_state.zone,
                self.terminal,
            );
            return Some(Out::Control(bytes));
        }
        if let Effect::SetTheme(theme) = effect {
            self.apply_theme(theme);
        } else if let Effect::Settings(request) = effect {
            // A desk that does not reload its settings is a picture.
            drop(self.settings_thread.requests.send(request));
        } else {
            self.inboxes.send(at, effect);
        }
        None
    }

    /// Notifies the pollers that a person is here, and which markets are on the screen.
    fn tell_pollers(&mut self, by_person: Option<Instant>, account_set: &AccountSet) {
        let (at, known) = (account_set.at(), &mut self.attention);
        if let Some(now) = by_person
            && known
                .key
                .is_none_or(|key| now.duration_since(key) >= ATTENTION_EVERY)
        {
            known.key = Some(now);
            self.inboxes.send(at, Effect::Attend);
        }
        let markets = markets_shown(account_set.shown());
        if at != known.account {
            self.inboxes
                .send(known.account, Effect::ShowMarkets(ShownMarkets::default()));
        } else if markets == known.markets {
            return;
        }
        (known.account, known.markets) = (at, markets.clone());
        self.inboxes.send(at, Effect::ShowMarkets(markets));
    }

    /// Every account is drawn with the same theme.
    fn apply_theme(&mut self, theme: Option<Theme>) {
        let looks = &self.looks;
        let named = theme.map(|theme| looks.named(&theme.to_string()));
        self.draw_state.theme = named.unwrap_or_else(|| looks.own.clone());
    }
}

/// Takes a message in, after the news that the wall clock was set.
fn take(
    account_set: &mut AccountSet,
    whose: AccountScope,
    msg: Msg,
    clock: Clock,
) -> Vec<(usize, Effect)> {
    let (now, drift) = (clock.now(), clock.drift());
    let is_set = drift.is_step(account_set.shown().account.drift);
    let set = is_set.then_some((AccountScope::Shown, Msg::ClockSet(drift)));
    let msgs = set.into_iter().chain([(whose, msg)]);
    msgs.flat_map(|(whose, msg)| account_set.update(now, whose, msg))
        .collect()
}

/// The person waits for the outcome of a command; poll results can wait for the next frame.
fn cause(msg: &Msg) -> Cause {
    match msg {
        Msg::Streamed(_, news) if news.moves_orders() => Cause::Orders,
        Msg::Met(_)
        | Msg::Polled(_)
        | Msg::MarketData(..)
        | Msg::Streamed(..)
        | Msg::CallEnded(_)
        | Msg::TriesAgain(..)
        | Msg::Traced(..)
        | Msg::Evidence(_)
        | Msg::Recalled(_)
        | Msg::DoneElsewhere(_)
        | Msg::Kept(_)
        | Msg::Tick => Cause::Background,
        Msg::Key(_)
        | Msg::Unseen(_)
        | Msg::Paste(_)
        | Msg::Click(_)
        | Msg::Scrolled(..)
        | Msg::Ladder(_)
        | Msg::Resized(..)
        | Msg::Opened(_)
        | Msg::Progress(..)
        | Msg::Settled(..)
        | Msg::Ended(..)
        | Msg::Resumed(..)
        | Msg::Outlived(_)
        | Msg::Offered(..)
        | Msg::Written(_)
        | Msg::ClockSet(_)
        | Msg::Flatten
        | Msg::Continues(_)
        | Msg::OperationEnded(..)
        | Msg::AlertsEdited(_)
        | Msg::Halted(_)
        | Msg::Reload(_)
        | Msg::Notify(..) => Cause::Person,
    }
}

/// The visible market panels, and so the polls, depend on the size.
fn resized(screen: Rect) -> Msg {
    Msg::Resized(screen.width, screen.height)
}

/// A part that is not drawn must take no key.
fn pressed(chord: Chord, screen: Rect) -> Msg {
    if ui::fits(screen) {
        Msg::Key(chord)
    } else {
        Msg::Unseen(chord)
    }
}

/// Sleeps until time alone changes something, and says on which account; for ever if nothing moves.
async fn next_change(account_set: &AccountSet, clock: Clock) -> AccountScope {
    match (account_set.wake(), clock) {
        (Some((at, whose)), Clock::Running(_)) => {
            tokio::time::sleep(clock.until(at)).await;
            whose
        }
        (Some(_), Clock::Frozen(_)) | (None, _) => pending().await,
    }
}

#[cfg(test)]
mod tests;
