//! The real binary in a pseudo-terminal, read the way a person reads a screen.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::{
    io::{Read, Write},
    num::NonZero,
    path::Path,
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// Longer than anything here takes on a loaded two-core machine.
const PATIENCE: Duration = Duration::from_mins(1);

type Process = Box<dyn Child + Send + Sync>;
type Master = Box<dyn MasterPty + Send>;

/// What a frame begins and ends with, for a terminal that shows it in one step.
const FRAME: [&[u8]; 2] = [b"\x1b[?2026h", b"\x1b[?2026l"];

/// What the program has written so far.
struct Heard {
    parser: vt100::Parser,
    bytes: Vec<u8>,
    /// How many of the bytes are on the screen.
    shown: usize,
}

impl Heard {
    /// Hears more; a frame is shown when all of it is there.
    fn hear(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // A mark may come in two parts.
        let from = self.shown.saturating_sub(FRAME[0].len());
        self.show(self.half_a_frame(from).unwrap_or(self.bytes.len()));
    }

    /// Where a frame begins that has not ended; looked for from `from` on.
    fn half_a_frame(&self, from: usize) -> Option<usize> {
        let [begin, end] = FRAME.map(|mark| {
            let mut places = self.bytes[from..].windows(mark.len());
            places.rposition(|part| part == mark).map(|at| from + at)
        });
        begin.filter(|begin| end < Some(*begin))
    }

    fn show(&mut self, until: usize) {
        if let Some(new) = self.bytes.get(self.shown..until) {
            self.parser.process(new);
            self.shown = until;
        }
    }

    fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }
}

pub(crate) struct Session {
    heard: Arc<(Mutex<Heard>, Condvar)>,
    keys: Box<dyn Write + Send>,
    child: Process,
    reader: Option<JoinHandle<()>>,
    hung_up: Arc<AtomicBool>,
    master: Master,
    /// How the terminal took keys before the program had it.
    found: String,
}

/// The real binary on a terminal that nobody reads: not one byte of what it writes.
pub(crate) struct Unread {
    keys: Box<dyn Write + Send>,
    child: Process,
    /// Open, so that the terminal is there.
    _master: Master,
}

impl Unread {
    pub(crate) fn start(
        home: &Path,
        size: (u16, u16),
        args: &[&str],
        environment: &[(&str, &str)],
    ) -> Self {
        let (child, master, _) = spawn(home, size, &of_perpdeck(args), environment);
        Self {
            keys: master.take_writer().unwrap(),
            child,
            _master: master,
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    pub(crate) fn signal(&self, name: &str) {
        signal(self.child.process_id().unwrap(), name);
    }

    pub(crate) fn ended(&mut self) -> Option<u32> {
        let ended = self.child.try_wait().unwrap();
        ended.map(|status| status.exit_code())
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// `perpdeck` and what it is called with.
fn of_perpdeck<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&[env!("CARGO_BIN_EXE_perpdeck")], args].concat()
}

/// The program, its terminal, and how that took keys before.
fn spawn(
    home: &Path,
    (columns, rows): (u16, u16),
    called: &[&str],
    environment: &[(&str, &str)],
) -> (Process, Master, String) {
    let size = PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pty = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::from_argv(called.iter().map(Into::into).collect());
    command.env_clear();
    for (name, value) in [
        ("HOME", home.to_str().unwrap()),
        ("TMPDIR", home.to_str().unwrap()),
        ("TERM", "xterm-256color"),
        ("LANG", "C.UTF-8"),
        ("PERPDECK_TOUR", "false"),
    ]
    .iter()
    .chain(environment)
    {
        command.env(name, value);
    }
    let found = line_discipline(&*pty.master);
    let child = pty.slave.spawn_command(command).unwrap();
    (child, pty.master, found)
}

/// Whether keys come one by one, are echoed, raise signals.
fn line_discipline(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

/// Sends a process a signal by name: `TERM`, `HUP`, `INT`.
pub(crate) fn signal(pid: u32, name: &str) {
    let sent = std::process::Command::new("kill")
        .args([format!("-{name}"), pid.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// Waits until the system says that the process is stopped, each of its threads.
#[track_caller]
pub(crate) fn wait_until_stopped(pid: u32) {
    let end = Instant::now() + PATIENCE;
    let is_stopped = || {
        let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
        let mut threads = threads.map(|thread| thread.unwrap().path().join("stat"));
        // A thread may have ended meanwhile.
        threads.all(|stat| std::fs::read_to_string(stat).is_ok_and(|stat| stat.contains(") T ")))
    };
    while !is_stopped() {
        assert!(Instant::now() < end, "never stopped");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What is left when the program has ended.
pub(crate) struct Ended {
    pub(crate) code: u32,
    /// Terminal modes it took and did not give back.
    pub(crate) kept: Vec<&'static str>,
    /// All that it wrote.
    pub(crate) bytes: Vec<u8>,
}

impl Session {
    /// Starts `perpdeck` with `args` at home in `home`, with nothing configured but the terminal.
    /// Nobody is shown around.
    pub(crate) fn start(home: &Path, size: (u16, u16), args: &[&str]) -> Self {
        Self::start_with(home, size, args, &[])
    }

    /// As [`start`](Self::start), with more of an environment.
    pub(crate) fn start_with(
        home: &Path,
        size: (u16, u16),
        args: &[&str],
        environment: &[(&str, &str)],
    ) -> Self {
        Self::call(home, size, &of_perpdeck(args), environment)
    }

    /// With a standard input that is at its end.
    pub(crate) fn start_without_input(
        home: &Path,
        size: (u16, u16),
        environment: &[(&str, &str)],
    ) -> Self {
        let [program] = of_perpdeck(&[])[..] else {
            unreachable!()
        };
        let call = ["/bin/sh", "-c", "exec \"$0\" < /dev/null", program];
        Self::call(home, size, &call, environment)
    }

    /// As a job of a shell, which says `at the shell` when the desk is stopped, and takes `fg` then. Also the desk's id.
    pub(crate) fn start_as_job(home: &Path, size: (u16, u16), args: &[&str]) -> (Self, u32) {
        let script = "set -m; \"$@\"; while echo at the shell && read word; do $word; done";
        let shell = ["/bin/bash", "--norc", "-c", script, "shell"];
        let session = Self::call(home, size, &[&shell[..], &of_perpdeck(args)].concat(), &[]);
        session.wait_for("F FLATTEN");
        let children = format!("/proc/{0}/task/{0}/children", session.pid());
        let children = std::fs::read_to_string(children).unwrap();
        (session, children.trim().parse().unwrap())
    }

    fn call(home: &Path, size: (u16, u16), called: &[&str], environment: &[(&str, &str)]) -> Self {
        let (columns, rows) = size;
        let (child, master, found) = spawn(home, size, called, environment);
        let heard = Heard {
            parser: vt100::Parser::new(at_least_one(rows), at_least_one(columns), 0),
            bytes: vec![],
            shown: 0,
        };
        let heard = Arc::new((Mutex::new(heard), Condvar::new()));
        let hung_up = Arc::new(AtomicBool::new(false));
        let reader = read_into(
            Arc::clone(&heard),
            Arc::clone(&hung_up),
            master.try_clone_reader().unwrap(),
        );
        Self {
            heard,
            keys: master.take_writer().unwrap(),
            child,
            reader: Some(reader),
            hung_up,
            master,
            found,
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Sends the form that is open, and answers what it asks: a busy machine reads late, and a form asks about late data.
    #[track_caller]
    pub(crate) fn sends(&mut self) {
        self.wait_for("Enter send");
        self.press("\r");
        let asks = |screen: &str| screen.contains("sends it");
        self.wait_until("the form gone, or its question", |screen| {
            !screen.contains("Enter send") || asks(screen)
        });
        if asks(&self.screen()) {
            self.press("\r");
        }
    }

    /// A strip listens only when it has been there for 150 ms; it says how long it stays, which is 5 s.
    #[track_caller]
    pub(crate) fn wait_for_strip(&self) {
        self.wait_until("a strip that listens", |screen| {
            let mut left = (20..=47).map(|tenths| format!("({}.{} s)", tenths / 10, tenths % 10));
            screen.contains("y yes") && left.any(|left| screen.contains(&left))
        });
    }

    /// Says yes to a strip.
    #[track_caller]
    pub(crate) fn agrees(&mut self) {
        self.wait_for_strip();
        self.press("y");
    }

    /// Sends bytes that may be no text; the terminal takes them as the program reads.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.keys.write_all(bytes).unwrap();
        self.keys.flush().unwrap();
    }

    /// Gives the terminal another size, as a window that is pulled; the screen that is read keeps its own where that is
    /// no person's.
    pub(crate) fn resize(&self, (columns, rows): (u16, u16)) {
        if columns < 1_000 && rows > 1 {
            let mut heard = self.heard.0.lock().unwrap();
            heard
                .parser
                .screen_mut()
                .set_size(at_least_one(rows), at_least_one(columns));
        }
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        self.master.resize(size).unwrap();
    }

    /// Clicks on the first place that says `text`, once there is one.
    #[track_caller]
    pub(crate) fn click(&mut self, text: &str) {
        self.wait_for(text);
        let (column, row) = self.place(text);
        self.click_at(column, row);
    }

    /// The left button down and up, as a terminal reports it; places count from 0.
    pub(crate) fn click_at(&mut self, column: u16, row: u16) {
        let at = format!("{};{}", column + 1, row + 1);
        self.press(&format!("\u{1b}[<0;{at}M\u{1b}[<0;{at}m"));
    }

    /// The left button down at one place, moved over each of the next, and up at the last.
    pub(crate) fn drag(&mut self, from: (u16, u16), over: &[(u16, u16)]) {
        let at = |(column, row): (u16, u16)| format!("{};{}", column + 1, row + 1);
        self.press(&format!("\u{1b}[<0;{}M", at(from)));
        for place in over {
            self.press(&format!("\u{1b}[<32;{}M", at(*place)));
        }
        let last = over.last().copied().unwrap_or(from);
        self.press(&format!("\u{1b}[<0;{}m", at(last)));
    }

    /// A notch of the wheel over a place, towards the end of what is there.
    pub(crate) fn wheel_at(&mut self, column: u16, row: u16) {
        self.press(&format!("\u{1b}[<65;{};{}M", column + 1, row + 1));
    }

    /// Column and row of the first place that says `text`.
    #[track_caller]
    pub(crate) fn place(&self, text: &str) -> (u16, u16) {
        let heard = self.heard.0.lock().unwrap();
        let (_, columns) = heard.screen().size();
        let mut rows = (0..).zip(heard.screen().rows(0, columns.get()));
        let found = rows.find_map(|(row, line)| {
            let before = &line[..line.find(text)?];
            Some((u16::try_from(before.chars().count()).unwrap(), row))
        });
        found.unwrap()
    }

    /// How many frames came as such: whole, for a terminal to show in one step.
    pub(crate) fn frames(&self) -> usize {
        let heard = self.heard.0.lock().unwrap();
        let places = heard.bytes.windows(FRAME[1].len());
        places.filter(|part| *part == FRAME[1]).count()
    }

    /// Whether the program has the terminal report clicks.
    pub(crate) fn hears_mouse(&self) -> bool {
        hears_mouse(self.heard.0.lock().unwrap().screen())
    }

    /// Waits until `holds` is true of the screen; fails with the screen if that never comes.
    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, holds: impl Fn(&str) -> bool) {
        self.wait(what, |heard| holds(&heard.screen().contents()));
    }

    /// Waits until the program has left its screen: one that is only empty may be about to be drawn.
    #[track_caller]
    pub(crate) fn wait_for_shell(&self) {
        self.wait("the shell's own screen", |heard| {
            !heard.screen().alternate_screen()
        });
    }

    /// Waits until all that was written holds these bytes.
    #[track_caller]
    pub(crate) fn wait_for_bytes(&self, bytes: &[u8]) {
        let what = String::from_utf8_lossy(bytes).escape_debug().to_string();
        self.wait(&what, |heard| {
            heard.bytes.windows(bytes.len()).any(|part| part == bytes)
        });
    }

    #[track_caller]
    fn wait(&self, what: &str, holds: impl Fn(&Heard) -> bool) {
        let (heard, changed) = &*self.heard;
        let end = Instant::now() + PATIENCE;
        let mut heard = heard.lock().unwrap();
        while !holds(&heard) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "never saw {what} on:\n{}",
                heard.screen().contents()
            );
            heard = changed.wait_timeout(heard, left).unwrap().0;
        }
    }

    /// As it is now.
    pub(crate) fn screen(&self) -> String {
        self.heard.0.lock().unwrap().screen().contents()
    }

    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait_until(&format!("{text:?}"), |screen| screen.contains(text));
    }

    pub(crate) fn signal(&self, name: &str) {
        signal(self.pid(), name);
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Closes the terminal's window: the reader lets go with the next byte, and nobody holds the far end any more.
    pub(crate) fn hang_up(self) -> u32 {
        self.hang_up_and_wait().0
    }

    /// The same, and what the end took.
    pub(crate) fn hang_up_and_wait(self) -> (u32, Took) {
        let Self {
            mut child,
            keys,
            master,
            reader,
            hung_up,
            ..
        } = self;
        hung_up.store(true, Ordering::SeqCst);
        // A screen that stands still is drawn again at another size: there is a next byte.
        let size = master.get_size().unwrap();
        let cols = size.cols - 1;
        master.resize(PtySize { cols, ..size }).unwrap();
        reader.unwrap().join().unwrap();
        let watch = Watch::begin(child.process_id().unwrap());
        drop((keys, master));
        let took = watch.until_dead();
        (child.wait().unwrap().exit_code(), took)
    }

    /// What it takes from here on until the program has ended.
    pub(crate) fn watch(&self) -> Watch {
        Watch::begin(self.child.process_id().unwrap())
    }

    /// What the program has of the terminal.
    pub(crate) fn kept(&self) -> Vec<&'static str> {
        let heard = self.heard.0.lock().unwrap();
        let screen = heard.screen();
        let modes = [
            ("alternate screen", screen.alternate_screen()),
            ("hidden cursor", screen.hide_cursor()),
            ("bracketed paste", screen.bracketed_paste()),
            ("mouse", hears_mouse(screen)),
            ("half a frame", heard.half_a_frame(0).is_some()),
            ("raw mode", line_discipline(&*self.master) != self.found),
        ];
        let kept = modes.into_iter().filter(|(_, on)| *on);
        kept.map(|(name, _)| name).collect()
    }

    /// Waits for the end; the reader is joined first, so the last bytes count. Fails with the screen if it never comes.
    #[track_caller]
    pub(crate) fn end(mut self) -> Ended {
        let end = Instant::now() + PATIENCE;
        while self.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "never ended, on:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(10));
        }
        let code = self.child.wait().unwrap().exit_code();
        self.reader.take().unwrap().join().unwrap();
        let kept = self.kept();
        let bytes = std::mem::take(&mut self.heard.0.lock().unwrap().bytes);
        Ended { code, kept, bytes }
    }
}

/// What the end of a process took: a person's time, and the machine's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Took {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
}

/// Measures how a process ends.
pub(crate) struct Watch {
    pid: u32,
    begun: Instant,
    cpu: Duration,
}

impl Watch {
    fn begin(pid: u32) -> Self {
        let (_, cpu) = stat(pid);
        Self {
            pid,
            begun: Instant::now(),
            cpu,
        }
    }

    /// Waits until the process has ended; nobody has taken its exit code yet, so that its times are still told.
    #[track_caller]
    pub(crate) fn until_dead(self) -> Took {
        loop {
            let (state, cpu) = stat(self.pid);
            let wall = self.begun.elapsed();
            if state == "Z" {
                let cpu = cpu.saturating_sub(self.cpu);
                return Took { wall, cpu };
            }
            assert!(wall < PATIENCE, "never ended; {cpu:?} of CPU");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The state of a process, and the processor's time it has had; Linux counts in hundredths of a second.
fn stat(pid: u32) -> (String, Duration) {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, after_name) = stat.rsplit_once(") ").unwrap();
    let fields: Vec<&str> = after_name.split(' ').collect();
    let ticks: u64 = [11, 12]
        .map(|at| fields[at].parse::<u64>().unwrap())
        .iter()
        .sum();
    (fields[0].to_owned(), Duration::from_millis(ticks * 10))
}

/// `size`, or the one size that `PERPDECK_STORY_SIZE` asks for, as in `80x24`.
pub(crate) fn at(size: (u16, u16)) -> (u16, u16) {
    let Ok(asked) = std::env::var("PERPDECK_STORY_SIZE") else {
        return size;
    };
    let (columns, rows) = asked.split_once('x').unwrap();
    (columns.parse().unwrap(), rows.parse().unwrap())
}

fn hears_mouse(screen: &vt100::Screen) -> bool {
    screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None
}

fn at_least_one(cells: u16) -> NonZero<u16> {
    NonZero::new(cells).unwrap()
}

fn read_into(
    heard: Arc<(Mutex<Heard>, Condvar)>,
    hung_up: Arc<AtomicBool>,
    mut out: Box<dyn Read + Send>,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut bytes = [0; 16 * 1024];
        while let Ok(count @ 1..) = out.read(&mut bytes) {
            let mut now = heard.0.lock().unwrap();
            now.hear(&bytes[..count]);
            drop(now);
            heard.1.notify_all();
            if hung_up.load(Ordering::SeqCst) {
                break;
            }
        }
        let mut last = heard.0.lock().unwrap();
        let all = last.bytes.len();
        last.show(all);
        drop(last);
        heard.1.notify_all();
    })
}
