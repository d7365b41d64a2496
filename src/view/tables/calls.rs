//! Every HTTP call of this desk.

use crate::{
    model::{Call, Num},
    view::text::{
        Align::{Left, Number, Words},
        Column, Scene, Span, Tone, format,
    },
};
use std::time::Duration;

/// A slower call is marked.
pub(crate) const SLOW: Duration = Duration::from_secs(1);

pub const CALLS: &[Column<Call>] = &[
    Column::new("at", "time", Left, 2, |call: &Call, scene| {
        Span::muted(scene.moment(scene.on_wall(call.at))).into()
    })
    .moment(|call| Some(call.at)),
    Column::text("method", "method", 1, |call: &Call| call.method.to_owned()).toned(Tone::Muted),
    Column::text("target", "target", 0, |call: &Call| call.target.to_string()).aligned(Words),
    Column::new("outcome", "status", Left, 0, |call: &Call, _| {
        outcome(call).into()
    })
    .code(|call| Some(Num::from(u32::from(call.outcome.ok()?)))),
    Column::new("elapsed", "took", Number, 0, |call: &Call, _| {
        let is_slow = call.elapsed >= SLOW;
        let tone = if is_slow { Tone::Warn } else { Tone::Plain };
        Span::new(format::elapsed(call.elapsed), tone).into()
    })
    .span(|call, _| Some(call.elapsed)),
    Column::text("request_id", "request", 5, |call: &Call| {
        call.request_id
            .as_ref()
            .map_or_else(String::new, ToString::to_string)
    })
    .toned(Tone::Muted),
];

/// The call at this index, newest first.
pub(crate) fn newest_first<'a>(scene: &Scene<'a>, at: usize) -> Option<&'a Call> {
    scene.store.calls.iter().nth_back(at).map(|(_, call)| call)
}

pub(crate) fn outcome(call: &Call) -> Span {
    match call.outcome {
        Ok(status @ 200..=299) => Span::plain(status.to_string()),
        Ok(status @ 429) => Span::warn(format!("{status} limited")),
        Ok(status) => Span::alert(status.to_string()),
        Err(kind) => Span::alert(kind.word()),
    }
}
