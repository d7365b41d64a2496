//! The keyboard drills, with time as a parameter.

use super::*;
use crate::runtime::terminal::input::{TerminalInput, decode};
use proptest::prelude::*;

/// A terminal that sends these bytes at these milliseconds, and a person who waits a second afterwards.
struct TypedBytes {
    framer: Framer,
    start: Instant,
    frames: Vec<(u64, Frame)>,
}

impl TypedBytes {
    fn new() -> Self {
        let start = Instant::now();
        Self {
            framer: Framer::new(start),
            start,
            frames: vec![],
        }
    }

    fn hear(&mut self, at: u64, frames: Vec<Frame>) {
        self.frames.extend(frames.into_iter().map(|f| (at, f)));
    }

    /// Lets time pass as the thread does: it sleeps until the deadline.
    fn pass(&mut self, until: u64) {
        while let Some(due) = self.framer.deadline() {
            let at = u64::try_from((due - self.start).as_millis()).unwrap();
            if at > until {
                return;
            }
            let frames = self.framer.lapse(due);
            self.hear(at, frames);
        }
    }

    fn say(&mut self, at: u64, bytes: &[u8]) {
        self.pass(at);
        let now = self.start + Duration::from_millis(at);
        // A read returns no more than this.
        for part in bytes.chunks(4095) {
            let frames = self.framer.take(part, now);
            self.hear(at, frames);
        }
    }

    fn inputs(mut self) -> Vec<(u64, TerminalInput)> {
        self.pass(u64::MAX);
        assert_eq!(
            self.framer.deadline(),
            None,
            "somebody is woken for nothing"
        );
        let meant = |(at, frame)| {
            let input = match frame {
                Frame::Whole(bytes) => decode(&bytes)?,
                Frame::Paste(text) => TerminalInput::Paste(text),
                Frame::BrokenPaste => TerminalInput::DroppedPaste,
            };
            Some((at, input))
        };
        self.frames.into_iter().filter_map(meant).collect()
    }
}

fn said(parts: &[(u64, &str)]) -> Vec<(u64, TerminalInput)> {
    let mut said = TypedBytes::new();
    for (at, text) in parts {
        said.say(*at, text.as_bytes());
    }
    said.inputs()
}

fn key(name: &str) -> TerminalInput {
    TerminalInput::Key(name.parse().unwrap())
}

#[test]
fn wheel_reports_and_the_key_behind_them_are_all_read() {
    for count in [190, 1_400, 5_500] {
        let mut said = TypedBytes::new();
        said.say(0, "\x1b[<65;10;10M".repeat(count).as_bytes());
        said.say(0, b"F");
        let inputs = said.inputs();
        assert_eq!(inputs.len(), count + 1);
        assert_eq!(inputs.last(), Some(&(0, key("F"))));
    }
}

#[test]
fn an_end_key_that_arrives_split_is_end_and_never_f() {
    for gap in [0, 1, 5, 40] {
        for parts in [["\x1b", "[F"], ["\x1b[", "F"], ["\x1bO", "F"]] {
            let heard = said(&[(0, parts[0]), (gap, parts[1])]);
            assert_eq!(heard, [(gap, key("end"))], "{parts:?} {gap}");
        }
    }
    // Alt+End of some terminals.
    assert_eq!(
        said(&[(0, "\x1b\x1b[F")]),
        [(0, key("esc")), (0, key("end"))]
    );
    assert_eq!(said(&[(0, "\x1b[1;3F")]), [(0, key("alt-end"))]);
}

#[test]
fn what_comes_too_late_for_its_sequence_is_no_key_either() {
    assert_eq!(said(&[(0, "\x1b"), (90, "[F")]), [(50, key("esc"))]);
    assert_eq!(
        said(&[(0, "\x1b"), (90, "["), (170, "F")]),
        [(50, key("esc"))]
    );
    assert_eq!(said(&[(0, "\x1b["), (120, "1;3F")]), []);
    assert_eq!(said(&[(0, "\x1b[1"), (120, ";3F")]), []);
    assert_eq!(said(&[(0, "\x1bO"), (120, "F")]), []);
    assert_eq!(said(&[(0, "\x1b[M"), (120, " FF")]), []);
    let answer = said(&[(0, "\x1b]11;rgb:FF"), (100, "FF/FFFF/FFFF\x07"), (110, "F")]);
    assert_eq!(answer, [(110, key("F"))]);
    // A sequence without an end.
    let digits = format!("\x1b[{}", "1;".repeat(5_000));
    assert_eq!(
        said(&[(0, &digits), (10, "5F"), (11, "F")]),
        [(11, key("F"))]
    );
}

#[test]
fn what_closes_all_and_flattens_acts_right_after_an_escape_whole_or_in_halves() {
    for way_out in ["X", "F"] {
        let at_once = format!("\x1b{way_out}");
        let expected = [(0, key("esc")), (0, key(way_out))];
        assert_eq!(said(&[(0, &at_once)]), expected);
        let in_halves = said(&[(0, "\x1b"), (30, way_out)]);
        assert_eq!(in_halves, [(30, key("esc")), (30, key(way_out))]);
    }
    // The end key of some terminals.
    assert_eq!(said(&[(0, "\x1bOF")]), [(0, key("end"))]);
}

#[test]
fn a_lone_escape_is_a_key_and_what_a_person_presses_then_is_heard() {
    assert_eq!(said(&[(0, "\x1b")]), [(50, key("esc"))]);
    assert_eq!(
        said(&[(0, "\x1b"), (80, "F")]),
        [(50, key("esc")), (80, key("F"))]
    );
    assert_eq!(said(&[(0, "\x1b["), (200, "F")]), [(200, key("F"))]);
    assert_eq!(said(&[(0, "\x1bx")]), [(0, key("alt-x"))]);
    assert_eq!(said(&[(0, "\x1b]")]), [(50, key("alt-]"))]);
}

#[test]
fn a_mouse_report_that_is_cut_off_swallows_no_key() {
    assert_eq!(said(&[(0, "\x1b[<6"), (100, "F")]), [(100, key("F"))]);
    // A malformed report, not one that is cut off.
    assert_eq!(said(&[(0, "\x1b[<6F")]), []);
    assert_eq!(said(&[(0, "\x1b[<6"), (100, "5;3;4M")]), []);
}

#[test]
fn what_leaves_at_once_is_never_part_of_a_sequence() {
    for begun in [
        "\x1b", "\x1b[", "\x1b[<6", "\x1b[1;", "\x1bO", "\x1b]11", "\x1b[M", "\u{fc}",
    ] {
        for (control, name) in [("\x03", "ctrl-c"), ("\x06", "ctrl-f"), ("\x18", "ctrl-x")] {
            let mut heard = TypedBytes::new();
            heard.say(0, &begun.as_bytes()[..begun.len().min(5)]);
            heard.say(1, control.as_bytes());
            assert_eq!(heard.inputs().last(), Some(&(1, key(name))), "{begun:?}");
        }
    }
}

#[test]
fn a_paste_is_text_to_its_end() {
    let text = "Xyq\rF\u{3}".to_owned();
    let heard = said(&[(0, "\x1b[200~Xyq\rF\u{3}\x1b[20"), (20, "1~F")]);
    assert_eq!(heard, [(20, TerminalInput::Paste(text)), (20, key("F"))]);
}

#[test]
fn a_paste_whose_end_is_lost_leaves_the_keys_heard() {
    let heard = said(&[(0, "\x1b[200~hello"), (200, "F")]);
    assert_eq!(heard, [(150, TerminalInput::DroppedPaste), (200, key("F"))]);
    // Pressed repeatedly: for the first second it counts as text.
    let mut said = TypedBytes::new();
    said.say(0, b"\x1b[200~hello");
    for at in (30..2_000).step_by(30) {
        said.say(at, b"F");
    }
    let heard = said.inputs();
    assert_eq!(heard.first(), Some(&(1_000, TerminalInput::DroppedPaste)));
    assert_eq!(heard.get(1), Some(&(1_020, key("F"))));
}

#[test]
fn the_text_of_a_dropped_paste_never_acts() {
    let text = "XF\x03 ".repeat(1024 * 1024 / 4);
    for ends in [true, false] {
        let mut said = TypedBytes::new();
        said.say(0, b"\x1b[200~");
        // A slow connection that delivers small parts.
        for (number, part) in (1..).zip(text.as_bytes().chunks(1000)) {
            said.say(number, part);
        }
        said.say(1_060, b"FFF");
        if ends {
            said.say(1_070, b"F\x1b[201~");
        }
        said.say(1_300, b"F");
        let heard = said.inputs();
        assert_eq!(heard.len(), 2, "{heard:?}");
        assert_eq!(heard.last(), Some(&(1_300, key("F"))));
    }
    // A connection that stalls in the middle.
    let rest = format!("{text}F");
    let heard = said(&[(0, "\x1b[200~abc"), (800, &rest), (1_000, "F")]);
    assert_eq!(
        heard,
        [(150, TerminalInput::DroppedPaste), (1_000, key("F"))]
    );
}

#[test]
fn a_paste_that_is_too_long_is_dropped_whole() {
    let long = format!("\x1b[200~{}\x1b[201~j", "F".repeat(PASTE_BYTES + 1));
    assert_eq!(
        said(&[(0, &long)]),
        [(0, TerminalInput::DroppedPaste), (0, key("j"))]
    );
    let fits = "F".repeat(PASTE_BYTES);
    let long = format!("\x1b[200~{fits}\x1b[201~");
    assert_eq!(said(&[(0, &long)]), [(0, TerminalInput::Paste(fits))]);
}

#[test]
fn characters_that_arrive_in_parts_are_characters() {
    let mut said = TypedBytes::new();
    let bytes = "₿".as_bytes();
    said.say(0, &bytes[..1]);
    said.say(10, &bytes[1..]);
    said.say(11, b"\xff\xc0F");
    assert_eq!(said.inputs(), [(10, key("₿")), (11, key("F"))]);
}

proptest! {
    /// Whatever came before: after a pause a close key works at once.
    #[test]
    fn after_anything_at_all_a_key_is_heard(
        parts in prop::collection::vec((0..400u64, prop::collection::vec(any::<u8>(), 0..200)), 0..20),
    ) {
        let mut said = TypedBytes::new();
        let mut at = 0;
        for (gap, bytes) in &parts {
            at += gap;
            said.say(at, bytes);
        }
        said.say(at + 400, b"F");
        let heard = said.inputs();
        prop_assert_eq!(heard.last(), Some(&(at + 400, key("F"))));
    }

    /// The read boundaries make no difference as long as the bytes flow.
    #[test]
    fn cuts_do_not_matter(cuts in prop::collection::vec(1..9usize, 40)) {
        let text = "j\x1b[F\x1bOFä\x1b[1;3F\x1b\x1b[F\x1b[<65;10;10M\x1b[200~XF\x1b[201~\x1b[M !!₿\x1b]11;FF\x1b\\F";
        let whole = said(&[(0, text)]);
        let mut said = TypedBytes::new();
        let (mut rest, mut at) = (text.as_bytes(), 0);
        for cut in cuts.into_iter().cycle() {
            let (part, left) = rest.split_at(cut.min(rest.len()));
            said.say(at, part);
            (rest, at) = (left, at + 7);
            if rest.is_empty() {
                break;
            }
        }
        let heard = said.inputs();
        let inputs = |heard: &[(u64, TerminalInput)]| heard.iter().map(|(_, i)| i.clone()).collect::<Vec<_>>();
        prop_assert_eq!(inputs(&heard), inputs(&whole));
    }
}

#[test]
fn no_byte_of_a_malformed_mouse_report_is_a_key() {
    for report in [
        "\x1b[<0;1;20X",
        "\x1b[<0;1;20F",
        "\x1b[<0;1:2X",
        "\x1b[<;;q",
        "\x1b[<X",
        "\x1b[<0;1;20;4;5X",
    ] {
        let now = Instant::now();
        let mut framer = Framer::new(now);
        let read = framer.take(report.as_bytes(), now);
        let keys: Vec<_> = read
            .iter()
            .filter(|frame| match frame {
                Frame::Whole(bytes) => super::super::decode(bytes).is_some(),
                Frame::Paste(_) | Frame::BrokenPaste => true,
            })
            .collect();
        assert_eq!(keys, Vec::<&Frame>::new(), "{report:?}");
    }
}
