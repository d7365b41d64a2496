//! A desk on a terminal, from the first frame to the exit code.

use super::{
    Attention, LoopChannels, LoopEnd, Out,
    accounts::{
        services::{Opened, Services},
        settings_thread::SettingsThread,
        trader_effects::Reach,
    },
    base::{
        clock::Clock,
        inboxes::{Inboxes, account_channel},
    },
    journal::events::EventLog,
    run,
    terminal::{
        drawing::{Render, ShownFrame},
        escape::Terminal,
        input::Keyboard,
        mouse::Mouse,
        painter::Painter,
        screen_mode::{self as terminal, TerminalGuard},
        signals::{HANGUP, SignalRequest, Signals, flatten_on_signal},
    },
};
use crate::{
    app::{
        AccountSet, LayoutPreset, Model, Msg, Options, WidthTier, account::pane::Pane,
        activity::notice::Tone, desk::tour_step::Tour, keys::keymap::Keymap,
        market::chart_lines::ChartLines,
    },
    model::Failure,
    ui::{self, DrawState, ThemeSet},
    view::READING,
};
use ratatui::layout::Rect;
use std::{collections::BTreeMap, env, io, path::PathBuf, pin::pin, time::Duration};
use tokio::{
    sync::mpsc::{Sender, channel},
    task::JoinHandle,
    time::timeout,
};

/// Messages of no account, and new accounts, that may wait.
const COMMON_QUEUE: usize = 16;

/// How long a desk that has left the terminal waits for its accounts.
const LAST_EFFECTS: Duration = Duration::from_millis(200);

/// How long the cursor rests before the market of its row is shown: longer than a held key takes to repeat.
const CURSOR_REST: Duration = Duration::from_millis(80);

/// What a desk starts with; the options are the first account's.
#[derive(Debug)]
pub struct Start {
    pub options: Options,
    pub keymap: Keymap,
    /// The initial drawing state: theme and zone.
    pub draw_state: DrawState,
    pub looks: ThemeSet,
    pub terminal: Terminal,
    pub settings_thread: SettingsThread,
    pub mouse: Mouse,
    /// The columns chosen in earlier sessions, by pane.
    pub columns: BTreeMap<Pane, Vec<usize>>,
    /// The layouts that were chosen in earlier sessions, by size of screen.
    pub layouts: BTreeMap<WidthTier, LayoutPreset>,
    /// The trader's own lines on the charts.
    pub lines: ChartLines,
    /// Shown from the first frame on.
    pub tour: Option<Tour>,
    /// Where exports go.
    pub export_dir: PathBuf,
    /// How many days settled rows stay in the journal; zero keeps all.
    pub journal_days: u32,
    /// Where the event log is written, if there is one.
    pub event_log: Option<PathBuf>,
    /// What could not be set up; the desk runs without it.
    pub warnings: Vec<String>,
}

/// How a desk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Quit,
    /// A signal ended it; 128 + the signal's number.
    Signal(u8),
}

/// Opens the desk on this process's terminal and runs it to its end. Draws the first frame before `opening` begins, and
/// restores the terminal on every exit.
pub async fn desk<F>(start: Start, opening: F) -> io::Result<End>
where
    F: Future<Output = Result<Opened, Failure>> + Send + 'static,
{
    let signals = Signals::listen()?;
    let taken = TerminalGuard::take(start.mouse)?;
    let painter = Painter::start(TerminalGuard::screen()?);
    let clock = Clock::start();
    let (common, common_mail) = channel(COMMON_QUEUE);
    let (newcomers, coming) = channel(COMMON_QUEUE);
    let (post, first) = account_channel();
    flatten_on_signal(common.clone())?;
    warn(&common, start.warnings);
    let log = |dir| EventLog::start(dir, common.clone());
    let events = start.event_log.map(log);
    let services = Services {
        clock,
        reach: Reach::Signal,
        export_dir: start.export_dir,
        journal_days: start.journal_days,
        common,
        newcomers,
        first,
    };
    let services = tokio::spawn(services.serve(start.options.clone(), opening));
    let mut model = Model::new(start.options, READING, start.keymap, clock.now());
    model.tour = start.tour;
    model.table_views.recall(start.columns);
    model.market_screen.recall(start.layouts);
    model.market_screen.lines = start.lines;
    model.market_screen.wait_for_rest(CURSOR_REST);
    let keyboard = Keyboard::start(&model)?;
    let mut account_set = AccountSet::of(model);
    let channels = LoopChannels {
        input: keyboard.inputs()?,
        keyboard,
        inboxes: Inboxes::new(common_mail, coming, post),
        clock,
        draw_state: start.draw_state,
        is_dragging: false,
        render: render(),
        shown_frame: ShownFrame::Desk,
        looks: start.looks,
        terminal: start.terminal,
        settings_thread: start.settings_thread,
        events: events.unwrap_or_default(),
        attention: Attention::default(),
    };
    let size = first_size()?;
    let running = run(channels, size, &mut account_set, |out| put(&painter, out));
    let end = ended(running, signals, |stopping| match stopping {
        Stopping::Begins => taken.stop(&painter),
        Stopping::IsOver => taken.resume(&painter),
    })
    .await;
    leaving();
    drop((painter, taken));
    end_accounts(services).await;
    Ok(end)
}

/// Read after the signal for its changes has a handler: many terminals get their size just after the program starts.
fn first_size() -> io::Result<Rect> {
    terminal::size()
}

/// The accounts end with the loop, after what it requested last; a service that is still being opened does not.
async fn end_accounts<T>(mut accounts: JoinHandle<T>) {
    if timeout(LAST_EFFECTS, &mut accounts).await.is_err() {
        accounts.abort();
    }
}

fn put(painter: &Painter, out: Out) {
    match out {
        Out::Frame(frame) => {
            // Continued there after a stop that could not be caught: the signal for it may still be on its way.
            if terminal::is_in_background() {
                painter.lend();
            }
            painter.show(frame);
        }
        Out::Control(bytes) => painter.say(bytes),
        Out::Repaint => painter.go_on(vec![]),
    }
}

fn warn(common: &Sender<Msg>, warnings: Vec<String>) {
    for warning in warnings {
        // The channel is empty and has room for them.
        drop(common.try_send(Msg::Notify(Tone::Warn, warning)));
    }
}

/// What happens to a process that a signal stops.
enum Stopping {
    Begins,
    /// It goes on, also after a stop that nobody could catch.
    IsOver,
}

/// Runs the desk until it quits or a signal ends it; calls `stops` whenever a signal stops or continues the process.
async fn ended(
    running: impl Future<Output = LoopEnd>,
    mut signals: Signals,
    stops: impl Fn(Stopping),
) -> End {
    let mut running = pin!(running);
    loop {
        let request = tokio::select! {
            over = &mut running => return match over {
                LoopEnd::Quit => End::Quit,
                LoopEnd::TerminalGone => End::Signal(HANGUP),
            },
            request = signals.caught() => request,
        };
        match request {
            SignalRequest::Leave(code) => return End::Signal(code),
            SignalRequest::Stop => stops(Stopping::Begins),
            // Also after a stop of the desk's own: it may have been continued more than once.
            SignalRequest::GoOn => stops(Stopping::IsOver),
        }
    }
}

/// Where the desk panics: `draw` in every frame, `leave` right before it restores the terminal.
const VARIABLE: &str = "DRILL_PANIC";

/// The render function.
pub(super) fn render() -> Render {
    if is_asked("draw") {
        |_, _, _| broken("draw")
    } else {
        |screen, account_set, state| ui::render_changes(screen, account_set, state)
    }
}

/// The desk has ended and still has the terminal.
pub(super) fn leaving() {
    if is_asked("leave") {
        broken("leave");
    }
}

fn is_asked(place: &str) -> bool {
    cfg!(debug_assertions) && env::var(VARIABLE).is_ok_and(|request| request == place)
}

#[expect(clippy::panic, reason = "a drill asked for it")]
fn broken(place: &str) -> ! {
    panic!("a drill forced this panic: {place}");
}
