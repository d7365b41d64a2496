//! Whatever comes through the terminal, what gets a trader out is heard; and half a key is never one.

use super::{Session, support::Served, *};
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::mpsc::channel,
    time::{Duration, Instant},
};

/// A desk with a position, on a market that stands still: what `F` does is seen at the service.
fn exposed() -> (Served, Session) {
    let service = Served::bare();
    service.json(&[
        "place",
        "--market",
        "paper|ETH",
        "--side",
        "buy",
        "--size",
        "1",
        "--type",
        "market",
        "--yes",
    ]);
    let desk = service.desk(&[]);
    desk.wait_for("1 Positions 1");
    (service, desk)
}

/// After this burst `F` flattens.
#[track_caller]
fn is_heard_after(burst: &[u8]) {
    let (service, mut desk) = exposed();
    desk.send(burst);
    desk.press("F");
    desk.wait_for("no position, order or TWAP on two reads");
    assert_eq!(
        service.json(&["positions"]).as_array().map(Vec::len),
        Some(0)
    );
    desk.press("\u{3}");
    assert_given_back(desk, 0);
}

#[test]
fn a_flatten_is_heard_after_any_burst() {
    for count in [190, 1_400, 5_500] {
        is_heard_after("\u{1b}[<65;30;10M".repeat(count).as_bytes());
    }
    is_heard_after("j".repeat(64 * 1024).as_bytes());
    is_heard_after(format!("\u{1b}[200~{}\u{1b}[201~", "FX ".repeat(21_000)).as_bytes());
    // A mouse report that is cut off takes the byte behind it as its end: here that is garbage as well.
    is_heard_after(&b"\x1b[<6\xff\x80".repeat(9_000));
}

#[test]
fn a_key_that_arrives_in_halves_flattens_nothing() {
    let (service, mut desk) = exposed();
    for keys in [
        &["\u{1b}", "[F"][..],
        &["\u{1b}[", "F"],
        &["\u{1b}O", "F"],
        &["\u{1b}\u{1b}[F"],
    ] {
        for (number, part) in keys.iter().enumerate() {
            if number > 0 {
                std::thread::sleep(Duration::from_millis(5));
            }
            desk.press(part);
        }
    }
    desk.press("?");
    desk.wait_for("keys that work here");
    desk.press("\u{1b}");
    desk.wait_until("the desk", |screen| !screen.contains("keys that work here"));
    assert_eq!(
        service.json(&["positions"]).as_array().map(Vec::len),
        Some(1)
    );
    assert!(!desk.screen().contains("flatten"), "{}", desk.screen());
    desk.press("\u{3}");
    assert_given_back(desk, 0);
}

#[test]
fn a_paste_or_a_report_that_is_cut_off_leaves_the_keys_heard() {
    for cut in ["\u{1b}[200~hello", "\u{1b}[<6"] {
        let (_service, mut desk) = exposed();
        desk.press(cut);
        std::thread::sleep(Duration::from_millis(200));
        desk.press("F");
        desk.wait_for("no position, order or TWAP on two reads");
        desk.press("\u{3}");
        assert_given_back(desk, 0);
    }
}

#[test]
fn a_desk_is_left_at_once_whatever_keys_wait() {
    let (mut session, _home) = desk();
    session.send("j".repeat(5_000).as_bytes());
    session.press("\u{3}");
    assert_given_back(session, 0);
}

/// A line to the service that knows when the first request left that is no read.
struct Line {
    address: std::net::SocketAddr,
    sent: std::sync::mpsc::Receiver<Instant>,
}

impl Line {
    fn to(service: &str) -> Self {
        let service = service.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, sent) = channel();
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(&service) else {
                    return;
                };
                let (back, home) = (far.try_clone().unwrap(), near.try_clone().unwrap());
                let sender = sender.clone();
                let leaves = move |bytes: &[u8]| {
                    let wrote = (!bytes.starts_with(b"GET ")).then(Instant::now);
                    // Nobody listens any more at the end.
                    let _unheard = wrote.map(|at| sender.send(at));
                };
                std::thread::spawn(move || hand_on(near, far, leaves));
                std::thread::spawn(move || hand_on(back, home, |_| {}));
            }
        });
        Self { address, sent }
    }
}

fn hand_on(mut from: TcpStream, mut to: TcpStream, mut seen: impl FnMut(&[u8])) {
    let mut bytes = [0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        seen(&bytes[..count]);
        if to.write_all(&bytes[..count]).is_err() {
            return;
        }
    }
    drop(to.shutdown(std::net::Shutdown::Both));
}

/// A desk with a position, whose requests are watched.
struct Watched {
    _service: Served,
    desk: Session,
    line: Line,
}

impl Watched {
    fn open(more: &[(&str, &str)], sees: &str) -> Self {
        let service = Served::bare();
        let place = "place --market paper|ETH --side buy --size 1 --type market --yes";
        service.json(&place.split(' ').collect::<Vec<_>>());
        let line = Line::to(&service.base_url);
        let address = format!("http://{}", line.address);
        let mut variables = service.environment().to_vec();
        variables[0].1 = &address;
        variables.extend(more);
        let at_once = ["--close-all-delay", "0s"];
        let desk = Session::start_with(service.home(), SIZE, &at_once, &variables);
        desk.wait_for(sees);
        while line.sent.try_recv().is_ok() {}
        Self {
            _service: service,
            desk,
            line,
        }
    }

    /// Presses `F`; answers how long after that the first byte of what it sends is at the service.
    fn flattens(mut self) -> Duration {
        self.desk.press("F");
        let pressed = Instant::now();
        let sent = self.line.sent.recv_timeout(Duration::from_mins(1)).unwrap();
        self.desk.press("\u{3}");
        assert_given_back(self.desk, 0);
        sent.saturating_duration_since(pressed)
    }
}

// 1 MiB of paste with X, F and ^C in it. Nothing of it acts; then F does.
#[test]
fn a_mebibyte_of_paste_does_nothing_and_a_flatten_behind_it_is_heard() {
    let mut watched = Watched::open(&[], "1 Positions 1");
    let text = "XF\u{3} y\r".repeat(1024 * 1024 / 6);
    let paste = format!("\u{1b}[200~{text}\u{1b}[201~");
    watched.desk.send(paste.as_bytes());
    // The terminal holds 4 kB: all else has been read by now.
    assert!(watched.line.sent.try_recv().is_err(), "the paste acted");
    let took = watched.flattens();
    assert!(took < Duration::from_secs(1), "{took:?}");
}

/// What the promise is for: the build that people use, on a machine that does nothing else.
const PROMISE: Duration = Duration::from_millis(250);

/// What comes before the key, the pause between its parts, and where the desk panics meanwhile.
type Burst = (
    &'static str,
    Vec<Vec<u8>>,
    &'static [(&'static str, &'static str)],
);

fn bursts() -> Vec<Burst> {
    let notch = b"\x1b[<65;30;10M";
    let whole = |name, bytes: Vec<u8>| (name, vec![bytes], &[][..]);
    vec![
        whole("nothing", vec![]),
        whole("190 notches", notch.repeat(190)),
        whole("1,400 notches", notch.repeat(1_400)),
        whole("5,500 notches", notch.repeat(5_500)),
        (
            "1,400 notches, one each ms",
            vec![notch.to_vec(); 1_400],
            &[],
        ),
        whole("64 kB of j", vec![b'j'; 64 * 1024]),
        whole(
            "64 kB of paste",
            format!("\u{1b}[200~{}\u{1b}[201~", "FX ".repeat(21_000)).into_bytes(),
        ),
        whole("64 kB of garbage", b"\xff\x80\x1b[<6".repeat(11_000)),
        #[cfg(debug_assertions)]
        (
            "a screen that cannot be drawn",
            vec![],
            &[("DRILL_PANIC", "draw")],
        ),
    ]
}

/// How long after the key the first byte of what it sends is at the service. The promise is 250 ms.
/// `cargo test --release --test e2e first_byte_after -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stderr, reason = "what was measured is told")]
fn first_byte_after_a_burst() {
    for (name, parts, variables) in bursts() {
        let mut took: Vec<_> = (0..5)
            .map(|_| first_byte_after(&parts, variables))
            .collect();
        took.sort();
        eprintln!("{name}: median {:?}, worst {:?}", took[2], took[4]);
        assert!(took[4] <= PROMISE || cfg!(debug_assertions), "{name}");
    }
}

fn first_byte_after(parts: &[Vec<u8>], variables: &[(&str, &str)]) -> Duration {
    let sees = match variables {
        [] => "1 Positions 1",
        _ => "This screen cannot be drawn",
    };
    let mut watched = Watched::open(variables, sees);
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        watched.desk.send(part);
    }
    watched.flattens()
}
