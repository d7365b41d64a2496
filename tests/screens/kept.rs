//! Places that show what they showed before are not drawn again: whatever happens, the screen is the one that drawing
//! everything gives.

use crate::{desk, price_ladder};
use perpdeck::{
    app::{
        Model, Msg,
        account::poll::{Answer, Poll},
        update,
    },
    model::{Num, Page, Timestamp, Zone},
    ui::{self, DrawState, Theme, Turn},
};
use proptest::prelude::*;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

/// What can happen between two frames.
#[derive(Debug, Clone)]
enum Step {
    Key(String),
    Passes(u64),
    Marks(i64),
    Orders(usize),
    Positions(usize),
    Book(i64),
    Wheel(u16, u16),
}

fn step() -> impl Strategy<Value = Step> {
    let keys = "jjjkkGg123456789090zvV *oO/p?i\n,.+-=P";
    let keys: Vec<String> = keys.chars().map(String::from).collect();
    prop_oneof![
        6 => proptest::sample::select(keys).prop_map(Step::Key),
        1 => Just(Step::Key("esc".to_owned())),
        2 => (1_u64..2_500).prop_map(Step::Passes),
        1 => (-50_i64..50).prop_map(Step::Marks),
        1 => (0_usize..9).prop_map(Step::Orders),
        1 => (0_usize..4).prop_map(Step::Positions),
        1 => (-3_i64..3).prop_map(Step::Book),
        1 => (0_u16..120, 0_u16..40).prop_map(|(x, y)| Step::Wheel(x, y)),
    ]
}

pub(crate) fn polled(model: &mut Model, answer: Answer) {
    let (at, now) = (model.account.now, model.account.now);
    update(model, now, Msg::Polled(Box::new(Poll { at, answer })));
}

fn take(model: &mut Model, draw_state: &mut DrawState, step: Step) {
    let now = model.account.now;
    match step {
        Step::Key(key) => {
            let chord = match key.as_str() {
                "\n" => "enter".parse().unwrap(),
                "esc" => "esc".parse().unwrap(),
                key => key.chars().next().unwrap().into(),
            };
            update(model, now, Msg::Key(chord));
        }
        Step::Passes(millis) => {
            let then = Timestamp(now.0 + i64::try_from(millis).unwrap());
            update(model, then, Msg::Tick);
        }
        Step::Marks(up) => {
            let mut markets = desk::markets();
            for market in &mut markets {
                market.mark = market.mark.and_then(|mark| mark.plus(Num::from(up)));
            }
            polled(model, Answer::Markets(Ok(markets)));
        }
        Step::Orders(count) => {
            let rows = desk::working().into_iter().take(count).collect();
            polled(model, Answer::Orders(Ok(Page::of(rows))));
        }
        Step::Positions(count) => {
            let rows = desk::positions().into_iter().take(count).collect();
            polled(model, Answer::Positions(Ok(Page::of(rows))));
        }
        Step::Book(up) => price_ladder::tell(model, price_ladder::book(64_010 + up, 64_012 + up)),
        Step::Wheel(x, y) => {
            if let Some((spot, seen)) = draw_state.turn(Position::new(x, y), Turn::Down(1)) {
                update(model, now, Msg::Scrolled(spot, seen));
            }
        }
    }
}

fn drawn(model: &Model, area: Rect, draw_state: &mut DrawState) -> Buffer {
    let mut frame = Buffer::empty(area);
    ui::render(&mut frame, model, draw_state);
    frame
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// The same with what drawing remembers of the last frame, and without the cells that it kept.
    #[test]
    fn a_frame_over_the_last_one_is_the_frame_drawn_whole(
        steps in proptest::collection::vec(step(), 1..40),
        is_wide in any::<bool>(),
    ) {
        let area = if is_wide { Rect::new(0, 0, 200, 60) } else { Rect::new(0, 0, 120, 40) };
        let mut model = price_ladder::traded();
        let size = Msg::Resized(area.width, area.height);
        let now = model.account.now;
        update(&mut model, now, size);
        let mut draw_state = DrawState::new(Theme::default(), Zone::utc());
        drawn(&model, area, &mut draw_state);
        for step in steps {
            take(&mut model, &mut draw_state, step);
            let mut afresh = draw_state.clone();
            afresh.forget_cells();
            let whole = drawn(&model, area, &mut afresh);
            prop_assert_eq!(drawn(&model, area, &mut draw_state), whole);
        }
    }
}

/// How many cells the parts of the screen have that a frame draws.
fn drawn_cells(model: &Model, area: Rect, draw_state: &mut DrawState) -> u32 {
    let parts = ui::render_changes(area, model, draw_state);
    parts.iter().map(|part| part.area.area()).sum()
}

#[test]
fn a_moved_cursor_draws_its_pane_and_the_lines_around_it_and_a_second_later_all_is_drawn() {
    let area = Rect::new(0, 0, 200, 60);
    let mut model = price_ladder::traded();
    let now = model.account.now;
    update(&mut model, now, Msg::Resized(area.width, area.height));
    let mut draw_state = DrawState::new(Theme::default(), Zone::utc());
    let whole = drawn_cells(&model, area, &mut draw_state);
    assert_eq!(whole, area.area());
    // The market panels do not follow the cursor.
    update(&mut model, now, Msg::Key('P'.into()));
    drawn_cells(&model, area, &mut draw_state);
    update(&mut model, now, Msg::Key('j'.into()));
    let moved = drawn_cells(&model, area, &mut draw_state);
    assert!(moved < whole / 4, "{moved} of {whole} cells");
    update(&mut model, Timestamp(now.0 + 1_000), Msg::Tick);
    let later = drawn_cells(&model, area, &mut draw_state);
    assert!(later > whole / 2, "{later} of {whole} cells");
}
