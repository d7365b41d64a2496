use super::{
    reader::{LONGEST_PAUSE, RecordingReader},
    *,
};
use crate::feed::LONGEST_FRAME;
use proptest::prelude::*;
use std::{env, fs};

const AT: i64 = 1_790_000_000_123_456_789;

fn lines(bytes: impl Into<Vec<u8>>) -> Vec<Result<RecordedLine, RecordingFault>> {
    let lines = TextLines::new(io::Cursor::new(bytes.into())).unwrap();
    RecordingReader::new(lines).collect()
}

fn opened() -> RecordingMark {
    RecordingMark {
        event: MarkEvent::Open,
        conn: 1,
        market: Some("hyperliquid|BTC".to_owned()),
        socket: Some(VenueSocket::Hyperliquid),
    }
}

/// A recording of three parts, as three flushes write it.
fn recorded() -> Vec<u8> {
    let parts = [
        mark_line(Nanos(AT), &opened()).unwrap(),
        frame_line(Nanos(AT + 5), r#"{"channel":"l2Book","data":1}"#),
        frame_line(Nanos(AT + 5), r#"{"channel":"l2Book","data":2}"#),
    ];
    let parts = parts.iter().map(|part| compressed(part).unwrap());
    parts.flatten().collect()
}

#[test]
fn what_was_recorded_is_read_with_its_number_and_its_instant() {
    let read: Vec<_> = lines(recorded()).into_iter().map(Result::unwrap).collect();
    let numbers: Vec<_> = read
        .iter()
        .map(|line| (line.number, line.received.0 - AT))
        .collect();
    assert_eq!(numbers, [(0, 0), (1, 5), (2, 5)]);
    assert_eq!(read[0].content, Recorded::Mark(opened()));
    assert_eq!(read[0].received.timestamp(), Timestamp(1_790_000_000_123));
    let frame = r#"{"channel":"l2Book","data":2}"#.to_owned();
    assert_eq!(read[2].content, Recorded::Frame(frame));
}

#[test]
fn a_line_stands_as_other_programs_read_and_write_it() {
    let frame = "{\"channel\":\"trades\",\n\"data\":1}";
    let line = frame_line(Nanos(AT), frame);
    assert_eq!(
        line,
        "1790000000123456789 {\"channel\":\"trades\", \"data\":1}\n"
    );
    let mark = mark_line(Nanos(AT), &opened()).unwrap();
    let own = r#"{"channel":"perpdeck","data":{"event":"open","conn":1,"market":"hyperliquid|BTC","socket":"hyperliquid"}}"#;
    assert_eq!(mark, format!("{AT} {own}\n"));
    assert_eq!(
        file_name("xyz:NVDA", Timestamp(1_790_000_000_000)),
        "xyz_nvda_20260921.gz"
    );
}

#[test]
fn nobody_who_traded_is_recorded() {
    let frame = r#"{"channel":"trades","data":[{"coin":"BTC","hash":"0xaa","px":"1.0","users":["0xbb","0xcc"]}]}"#;
    let line = frame_line(Nanos(AT), frame);
    assert!(line.contains(r#""coin":"BTC","px":"1.0""#), "{line}");
    assert!(!line.contains("0x"), "{line}");
}

#[test]
fn a_line_that_cannot_be_read_is_reported_and_the_rest_is_read() {
    let far = AT + 2 * LONGEST_PAUSE;
    let text = format!("{AT} 1\nabc\n{} 2\n{far} 3\n{AT} 4\n{AT} 5", AT - 1);
    let read = lines(text);
    let said: Vec<_> = read
        .iter()
        .map(|line| match line {
            Ok(line) => format!("{:?}", line.content),
            Err(fault) => fault.to_string(),
        })
        .collect();
    assert_eq!(
        said,
        [
            "Frame(\"1\")",
            "line 2: it is no instant in nanoseconds, a space and a frame",
            "line 3: it was received before the line before it",
            "line 4: it was received more than a day after the line before it",
            "Frame(\"4\")",
            "line 6: it is cut short, or longer than a frame can be",
        ]
    );
}

#[test]
fn a_line_without_an_end_is_not_held() {
    let endless = format!("{AT} {}\n{AT} 1\n", "x".repeat(3 * LONGEST_FRAME));
    let read = lines(endless);
    assert_eq!(read.len(), 2);
    assert!(read[0].is_err());
    assert_eq!(read[1].as_ref().unwrap().number, 1);
}

#[test]
fn a_file_that_was_cut_short_ends_with_a_report_wherever_that_is() {
    let whole = recorded();
    for end in 2..whole.len() {
        let read = lines(&whole[..end]);
        let faults = read.iter().filter(|line| line.is_err()).count();
        let is_between_parts = read.len() < 3 && faults == 0;
        assert!(faults == 1 || is_between_parts, "cut at {end}: {read:?}");
    }
}

/// 25 seconds of a real market.
#[test]
#[ignore = "reads a recording: PERPDECK_SAMPLE names its file"]
fn a_real_recording_is_read_whole() {
    let path = env::var_os("PERPDECK_SAMPLE").expect("PERPDECK_SAMPLE names the recording");
    let read = lines(fs::read(path).unwrap());
    assert_eq!(
        (read.len(), read.iter().filter(|l| l.is_err()).count()),
        (55, 0)
    );
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic_or_go_on_for_ever(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        lines(bytes);
    }

    #[test]
    fn a_changed_byte_makes_it_neither_panic_nor_go_on_for_ever(at in 0..200_usize, to in any::<u8>()) {
        let mut bytes = recorded();
        let at = at % bytes.len();
        bytes[at] = to;
        lines(bytes);
    }
}
