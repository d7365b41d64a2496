//! Exits by panic. The test runs itself on a terminal of its own and panics there, since no command of the program can
//! be made to panic.

use super::*;
use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
};
use std::{env, io::Read, num::NonZero, time::Instant};

const SIZE: (u16, u16) = (80, 24);
/// Far longer than the exit takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where the desk of [`a_desk_that_panics`] panics.
const PLACE: &str = "PERPDECK_TEST_PANICS";

#[test]
#[ignore = "not a test: what the tests below run"]
#[expect(
    clippy::disallowed_methods,
    reason = "a terminal is full when it has taken nothing for a while"
)]
fn a_desk_that_panics() {
    let Ok(place) = env::var(PLACE) else { return };
    let _taken = TerminalGuard::take(Mouse::Desk).unwrap();
    let painter = Painter::start(TerminalGuard::screen().unwrap());
    let (columns, rows) = SIZE;
    let area = Rect::new(0, 0, columns, rows);
    painter.show(vec![Buffer::filled(area, Cell::new("x"))]);
    match place.as_str() {
        "the loop" => panic!("broken in {place}"),
        "a thread" => drop(thread::spawn(move || panic!("broken in {place}")).join()),
        "two threads" => {
            let both = [1, 2].map(|number| {
                let place = place.clone();
                thread::spawn(move || panic!("broken in {place}, {number}"))
            });
            drop(both.map(thread::JoinHandle::join));
        }
        "a task" => {
            let tasks = tokio::runtime::Runtime::new().unwrap();
            drop(tasks.block_on(tasks.spawn(async move { panic!("broken in {place}") })));
        }
        "a full terminal" => {
            thread::spawn(|| {
                let mut out = io::stdout().lock();
                while out
                    .write_all(&[b'x'; 4096])
                    .and_then(|()| out.flush())
                    .is_ok()
                {}
            });
            // By then the writer holds the lock of standard output, for ever.
            thread::sleep(Duration::from_millis(500));
            panic!("broken in {place}");
        }
        _ => {}
    }
}

/// A desk on a terminal, and the terminal's mode before.
struct Broken {
    child: Box<dyn portable_pty::Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    found: String,
}

fn line_discipline(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

impl Broken {
    fn begin(place: &str) -> Self {
        let (cols, rows) = SIZE;
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pty = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env::current_exe().unwrap());
        let child = "runtime::terminal::screen_mode::tests::a_desk_that_panics";
        command.args([child, "--exact", "--ignored", "--nocapture"]);
        command.env(PLACE, place);
        command.env("RUST_BACKTRACE", "0");
        let found = line_discipline(&*pty.master);
        Self {
            child: pty.slave.spawn_command(command).unwrap(),
            master: pty.master,
            found,
        }
    }
}

#[test]
fn a_panic_anywhere_gives_the_terminal_back_before_it_is_told() {
    for place in ["the loop", "a thread", "two threads", "a task"] {
        let mut desk = Broken::begin(place);
        let mut bytes = vec![];
        let mut out = desk.master.try_clone_reader().unwrap();
        let reading = thread::spawn(move || {
            // Reading a terminal whose program has ended fails.
            let _ended = out.read_to_end(&mut bytes);
            bytes
        });
        let code = desk.child.wait().unwrap().exit_code();
        let bytes = reading.join().unwrap();
        let [rows, columns] = [SIZE.1, SIZE.0].map(|cells| NonZero::new(cells).unwrap());
        let mut parser = vt100::Parser::new(rows, columns, 0);
        parser.process(&bytes);
        let screen = parser.screen();
        assert_eq!(code, 101, "{place}: {}", screen.contents());
        assert!(
            screen.contents().contains(&format!("broken in {place}")),
            "{place}: {}",
            screen.contents()
        );
        let kept = [
            screen.alternate_screen(),
            screen.hide_cursor(),
            screen.bracketed_paste(),
            screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None,
        ];
        assert_eq!(kept, [false; 4], "{place}");
        assert_eq!(line_discipline(&*desk.master), desk.found, "{place}");
        let taken = String::from_utf8_lossy(&bytes);
        assert!(
            taken.contains("\u{1b}[?1049h"),
            "{place}: it was never taken"
        );
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a process ends in its own time")]
fn a_panic_on_a_terminal_that_nobody_reads_ends_the_desk_all_the_same() {
    let mut desk = Broken::begin("a full terminal");
    let end = Instant::now() + PATIENCE;
    let code = loop {
        if let Some(status) = desk.child.try_wait().unwrap() {
            break status.exit_code();
        }
        assert!(Instant::now() < end, "the desk never ended");
        thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(code, 101);
    assert_eq!(line_discipline(&*desk.master), desk.found);
}
