//! Text of any length and screens of any size. Nothing that is drawn panics; what is parsed is cut long
//! before, so this holds where one cap is forgotten.

use crate::{
    desk::{self, arrive},
    dump::{drawn, press},
};
use perpdeck::{
    app::{Model, Msg, account::poll::Answer, activity::notice::Tone, update},
    model::{Failure, FailureKind, Page, Text},
    ui::{self, Theme},
};
use proptest::prelude::*;
use ratatui::{buffer::Buffer, layout::Rect};

/// Narrow, wide, combining, joined, right to left, a number, blanks.
const KINDS: [&str; 8] = ["x", "日", "a\u{301}", "👩\u{200d}👧", "א", "9", " ", "1.5"];

/// What lies over the desk.
const KEYS: [&str; 12] = ["", "\n", "b", "c", "X", "?", ":", "M", "p", "2\n", "7", "8"];

/// A desk on which every word that came from a server is this one.
fn desk_of(text: &str) -> Model {
    let mut model = desk::full();
    let mut positions = desk::positions();
    for (number, position) in positions.iter_mut().enumerate() {
        position.id = format!("{text}{number}").into();
        position.market_id = format!("{text}|{text}").into();
        position.symbol = text.into();
        position.coin = text.into();
        position.provider = text.into();
    }
    let mut orders = desk::working();
    for (number, order) in orders.iter_mut().enumerate() {
        order.id = format!("{text}{number}").into();
        order.market_id = format!("{text}|{text}").into();
        order.symbol = text.into();
        order.coin = text.into();
        order.reject_reason = Some(text.into());
    }
    arrive(&mut model, 0, Answer::Positions(Ok(Page::of(positions))));
    arrive(&mut model, 0, Answer::Orders(Ok(Page::of(orders.clone()))));
    arrive(&mut model, 0, Answer::History(Ok(Page::of(orders))));
    let mut failure = Failure::new(FailureKind::Invalid, text);
    failure.code = Some(Text::from(text));
    arrive(&mut model, 0, Answer::Twaps(Err(failure)));
    let now = model.account.now;
    update(&mut model, now, Msg::Notify(Tone::Alert, text.to_owned()));
    model
}

fn draws(text: &str, keys: &str, (width, height): (u16, u16)) {
    let mut model = desk_of(text);
    press(&mut model, keys);
    let buffer = drawn(&model, width, height, Theme::default());
    assert_eq!(buffer.area, Rect::new(0, 0, width, height));
}

#[test]
fn a_screen_of_any_size_is_drawn() {
    let sizes = [0, 1, 2, 16, 34, 79, 80, 160];
    for width in sizes {
        for height in sizes {
            draws("BTC", "", (width, height));
        }
    }
    for side in [1024, 2047, 2048, 6000, 22_000, 32_768, 65_535] {
        for other in [1, 16, 34, 60] {
            draws("BTC", "", (side, other));
            draws("BTC", "", (other, side));
        }
    }
    draws("BTC", "", (1024, 512));
}

#[test]
fn the_words_of_a_screen_that_cannot_be_drawn_fit_any_size() {
    let model = desk::full();
    for (width, height) in [(0, 0), (1, 1), (1, 65_535), (65_535, 1), (80, 24)] {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        ui::render_plain(&mut buffer, &"x".repeat(600), Some(&model));
    }
}

/// A position whose id had 65,533 characters ended the desk.
#[test]
fn words_of_any_length_are_drawn() {
    for length in [65_533, 65_537] {
        draws(&"x".repeat(length), "", (160, 48));
    }
    for kind in KINDS {
        draws(&kind.repeat(3_000), "", (100, 30));
    }
}

/// The limit is 100 ms a frame, asserted in release builds:
/// `cargo test --release --test screens hostile_frame -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stderr, reason = "what was measured is told")]
#[expect(clippy::disallowed_methods, reason = "real time is what is measured")]
fn a_hostile_frame_takes_no_longer_than_100_ms() {
    let mut rows = desk::full();
    let positions = (0..10_000).map(|number| {
        let mut position = desk::positions().swap_remove(0);
        position.id = format!("pos-{number}").into();
        position
    });
    let page = Page::of(positions.collect());
    arrive(&mut rows, 0, Answer::Positions(Ok(page)));
    // What the desk draws on at most; any larger terminal is cut to it.
    let largest = (1_024, 512);
    let timed = |name: &str, model: &Model, (width, height): (u16, u16)| {
        let began = std::time::Instant::now();
        let buffer = drawn(model, width, height, Theme::default());
        let took = began.elapsed();
        eprintln!("{name}: {took:?}");
        assert_eq!(buffer.area, Rect::new(0, 0, width, height));
        assert!(took.as_millis() <= 100 || cfg!(debug_assertions), "{name}");
    };
    timed("a usual desk at 2,048x60", &desk::full(), (1_024, 60));
    timed("a usual desk at 65,535x65,535", &desk::full(), largest);
    timed("10,000 rows at 200x60", &rows, (200, 60));
    // As long as a name may be: what is longer is cut where it is parsed.
    let wide = desk_of(&"日".repeat(64));
    timed("wide names of 64 characters", &wide, largest);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_words_over_anything_at_any_size_are_drawn(
        kind in prop::sample::select(&KINDS[..]),
        length in prop_oneof![0..3usize, 50..120usize, 500..600usize, Just(2_000)],
        keys in prop::sample::select(&KEYS[..]),
        width in prop_oneof![0..200u16, Just(1024), Just(2047), Just(2048)],
        height in prop_oneof![0..70u16, Just(512)],
    ) {
        draws(&kind.repeat(length), keys, (width, height));
    }
}
