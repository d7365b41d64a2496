//! Every HTTP call of this desk.

use crate::{
    app::Rows,
    model::{Call, Num},
    view::text::{
        Align::{Left, Number, Words},
        Column, Scene, Span, Table, Tone, format,
    },
};
use std::{ops::Range, time::Duration};

/// A slower call is marked.
pub(crate) const SLOW: Duration = Duration::from_secs(1);

pub const CALLS: &[Column<Call>] = &[
    Column::new("at", "time", Left, 2, |call: &Call, scene| {
        Span::muted(scene.zone.moment(scene.on_wall(call.at), scene.now)).into()
    })
    .moment(|call| Some(call.at)),
    Column::new("method", "method", Left, 1, |call, _| {
        Span::muted(call.method).into()
    }),
    Column::new("target", "target", Words, 0, |call, _| {
        Span::plain(call.target.to_string()).into()
    }),
    Column::new("outcome", "status", Left, 0, |call: &Call, _| {
        outcome(call).into()
    })
    .code(|call| Some(Num::from(u32::from(call.outcome.ok()?)))),
    Column::new("elapsed", "took", Number, 0, |call: &Call, _| {
        let tone = if call.elapsed >= SLOW {
            Tone::Warn
        } else {
            Tone::Plain
        };
        Span::new(format::elapsed(call.elapsed), tone).into()
    })
    .span(|call, _| Some(call.elapsed)),
    Column::new("request_id", "request", Left, 5, |call, _| {
        Span::muted(
            call.request_id
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
        )
        .into()
    }),
];

pub(crate) fn table(scene: &Scene<'_>, rows: &Rows<'_>, range: Range<usize>) -> Table {
    let newest_first = |at| {
        let calls = &scene.store.calls;
        let (_, call) = calls.get(calls.len().checked_sub(at + 1)?)?;
        Some(call)
    };
    Table::of(CALLS, (rows, range), newest_first, scene)
}

pub(crate) fn outcome(call: &Call) -> Span {
    match call.outcome {
        Ok(status @ 200..=299) => Span::plain(status.to_string()),
        Ok(status @ 429) => Span::warn(format!("{status} limited")),
        Ok(status) => Span::alert(status.to_string()),
        Err(kind) => Span::alert(kind.word()),
    }
}
