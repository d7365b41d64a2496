//! Drawing that cannot end the desk: a panic there loses one frame.
//!
//! Contract: a frame is a function of the model, which drawing only reads, so a panic leaves nothing half changed. The
//! drawing state is reset. A panic anywhere else ends the program (`screen_mode.rs`).

use crate::{
    app::{AccountSet, Model, Msg, market::market_spot::LadderEvent},
    model::Text,
    ui::{self, DrawState},
};
use ratatui::{buffer::Buffer, layout::Rect};
use std::{
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind},
};

thread_local! {
    /// Whether this thread is drawing, for the panic hook.
    static IS_DRAWING: Cell<bool> = const { Cell::new(false) };
    /// The panic of the last frame, and its location.
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Draws one frame on a screen of this size: its changes.
pub(crate) type Render = fn(Rect, &AccountSet, &mut DrawState) -> Vec<Buffer>;

/// What the screen shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShownFrame {
    Desk,
    /// Only the question: the rest could not be drawn.
    StripOnly,
}

/// What a frame changes on a screen of this size.
pub(crate) fn frame(
    render: Render,
    size: Rect,
    account_set: &AccountSet,
    state: &mut DrawState,
) -> (Vec<Buffer>, ShownFrame) {
    match attempt(|| render(size, account_set, state)) {
        Ok(changes) => (changes, ShownFrame::Desk),
        Err(why) => {
            *state = DrawState::new(state.theme.clone(), state.zone.clone());
            (vec![plain(size, account_set, &why)], ShownFrame::StripOnly)
        }
    }
}

/// What the last frame shows that the desk does not know yet, if anything: how many rows the price ladder has, how high a
/// row of the chart is.
pub(crate) fn news_of_frame(draw_state: &DrawState, shown: &Model) -> Option<Msg> {
    let rows = draw_state.ladder_rows();
    let rows = rows.filter(|rows| shown.price_ladder.rows() != Some(*rows));
    let height = draw_state.chart_row(shown.market_screen.front_chart().side);
    let height = height.filter(|height| shown.market_screen.chart.row != Some(*height));
    let rows = rows.map(LadderEvent::Drawn);
    rows.or(height.map(LadderEvent::ChartDrawn))
        .map(Msg::Ladder)
}

/// The fallback frame: the reason, and the open question, if any.
fn plain(size: Rect, account_set: &AccountSet, why: &str) -> Buffer {
    let words = format!(
        "This screen cannot be drawn. The desk still runs: X, F and ^C work. Please report: {}",
        Text::from(why)
    );
    let drawn = |question| {
        attempt(|| {
            let mut frame = Buffer::empty(size);
            ui::render_plain(&mut frame, &words, question);
            frame
        })
    };
    drawn(Some(account_set.shown()))
        .or_else(|_| drawn(None))
        .unwrap_or_else(|_| Buffer::empty(size))
}

/// Draws; returns the panic's message if it panics.
fn attempt<T>(draw: impl FnOnce() -> T) -> Result<T, String> {
    IS_DRAWING.set(true);
    let drawn = catch_unwind(AssertUnwindSafe(draw));
    IS_DRAWING.set(false);
    let why = LAST_PANIC.take();
    drawn.map_err(|_| why.unwrap_or_else(|| "a panic".to_owned()))
}

/// For the panic hook: whether this panic happened while drawing, which survives it.
pub(crate) fn is_of_a_frame(info: &PanicHookInfo<'_>) -> bool {
    let is_of_a_frame = IS_DRAWING.get();
    if is_of_a_frame {
        let words = info.payload_as_str().unwrap_or("a panic");
        let place = info
            .location()
            .map_or_else(String::new, |at| format!(", {at}"));
        LAST_PANIC.set(Some(format!("{words}{place}")));
    }
    is_of_a_frame
}
