//! Every HTTP call of this desk.

use super::{
    Align::{Left, Number, Words},
    Column, Scene, Span, Table, Tone, format,
};
use crate::model::Call;
use std::{ops::Range, time::Duration};

/// Slower than this is worth a word.
pub(super) const SLOW: Duration = Duration::from_secs(1);

pub const CALLS: &[Column<Call>] = &[
    Column::new("at", "time", Left, 2, |call, scene| {
        Span::muted(scene.zone.moment(call.at, scene.now)).into()
    }),
    Column::new("method", "method", Left, 1, |call, _| {
        Span::muted(call.method).into()
    }),
    Column::new("target", "target", Words, 0, |call, _| {
        Span::plain(call.target.to_string()).into()
    }),
    Column::new("outcome", "status", Left, 0, |call, _| outcome(call).into()),
    Column::new("elapsed", "took", Number, 0, |call, _| {
        let tone = if call.elapsed >= SLOW {
            Tone::Warn
        } else {
            Tone::Plain
        };
        Span::new(format::elapsed(call.elapsed), tone).into()
    }),
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

pub(super) fn table(scene: &Scene<'_>, range: Range<usize>) -> Table {
    let newest_first = scene.store.calls.iter().rev().map(|(_, call)| call);
    Table::of(
        CALLS,
        newest_first.skip(range.start).take(range.len()),
        scene,
    )
}

pub(super) fn outcome(call: &Call) -> Span {
    match call.outcome {
        Ok(status @ 200..=299) => Span::plain(status.to_string()),
        Ok(status @ 429) => Span::new(format!("{status} limited"), Tone::Warn),
        Ok(status) => Span::new(status.to_string(), Tone::Alert),
        Err(kind) => Span::new(kind.word(), Tone::Alert),
    }
}
