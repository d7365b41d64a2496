//! Taking the terminal, and giving it back on every way out: return, error, panic and signal.

use super::mouse::{self, Mouse};
use crossterm::{
    cursor,
    event::{DisableBracketedPaste, EnableBracketedPaste},
    execute,
    terminal::{self, EnterAlternateScreen, LeaveAlternateScreen},
};
use ratatui::{Terminal, backend::CrosstermBackend};
use std::{
    io::{self, BufWriter, Stdout},
    panic,
    sync::{Once, mpsc},
    thread,
    time::Duration,
};

/// One write per frame: a full repaint at 200x60 is about 16 KB.
const FRAME_BYTES: usize = 128 * 1024;

/// How long leaving waits for a terminal that does not read.
const LAST_WORDS: Duration = Duration::from_millis(500);

pub(super) type Screen = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// How many characters one line of the terminal holds; `None` where there is none.
pub fn columns() -> Option<usize> {
    let (columns, _) = terminal::size().ok()?;
    Some(usize::from(columns))
}

/// The terminal is ours while this lives.
#[derive(Debug)]
pub(super) struct Taken(());

impl Taken {
    /// Raw mode, the other screen, no cursor, paste in brackets; the mouse where it is the desk's.
    pub(super) fn take(mouse: Mouse) -> io::Result<Self> {
        give_back_on_panic();
        terminal::enable_raw_mode()?;
        let taken = Self(());
        execute!(
            io::stdout(),
            EnterAlternateScreen,
            EnableBracketedPaste,
            cursor::Hide
        )?;
        if mouse == Mouse::Desk {
            execute!(io::stdout(), mouse::Take)?;
        }
        Ok(taken)
    }

    pub(super) fn screen() -> io::Result<Screen> {
        let out = BufWriter::with_capacity(FRAME_BYTES, io::stdout());
        Terminal::new(CrosstermBackend::new(out))
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        give_back();
    }
}

/// Undoes everything [`Taken::take`] did. Safe to repeat; a terminal that is gone cannot be helped, and one that nobody
/// reads holds nobody back.
fn give_back() {
    let (done, undone) = mpsc::channel();
    let saying = thread::Builder::new().spawn(move || {
        let said = execute!(
            io::stdout(),
            mouse::GiveBack,
            DisableBracketedPaste,
            LeaveAlternateScreen,
            cursor::Show
        );
        // Whoever waited has left.
        drop(done.send(said));
    });
    if saying.is_ok() {
        drop(undone.recv_timeout(LAST_WORDS));
    }
    drop(terminal::disable_raw_mode());
}

/// A panic in any thread gives the terminal back first, then reports, then ends the program: a desk in
/// an undefined state must not trade on.
fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            give_back();
            report(info);
            std::process::exit(101);
        }));
    });
}
