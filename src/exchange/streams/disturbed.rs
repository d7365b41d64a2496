//! Frames as they go out, with the faults that were planted on purpose (docs/engine.md 11.5).

use super::super::{
    api_error::ApiError,
    faults::{FaultKind, FaultRule, StreamFrame},
    service::ExchangeService,
};
use serde_json::Value;

/// What happens to the connection after its frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    GoOn,
    /// It ends, without a word.
    Cut,
    /// The client is asked to come back, and it ends.
    Drain,
}

/// What a connection holds back.
#[derive(Debug, Default)]
pub(super) struct Disturbed {
    /// A frame that comes after the next one.
    held: Option<String>,
}

impl Disturbed {
    /// The frames that are sent instead of these, and what happens then. They answer what was `request`, if anything.
    pub(super) fn frames(
        &mut self,
        service: &ExchangeService,
        texts: Vec<String>,
        request: Option<&str>,
    ) -> Result<(Vec<String>, After), ApiError> {
        let mut faults = service.faults()?;
        if !faults.has_stream_rules() && self.held.is_none() {
            return Ok((texts, After::GoOn));
        }
        let frames = StreamFrame::of_all(&texts, request);
        let (mut out, mut late, mut without_snapshot) = (vec![], vec![], None);
        for (text, frame) in texts.into_iter().zip(&frames) {
            let before = self.held.take();
            let at_snapshot = without_snapshot.clone().filter(|_| frame.is_of_snapshot());
            let drawn = at_snapshot.or_else(|| faults.draw_frame(frame));
            match drawn.as_ref().map(|rule| rule.kind) {
                None => out.push(text),
                Some(FaultKind::Close) => return Ok((out, After::Cut)),
                Some(FaultKind::Draining) => return Ok((out, After::Drain)),
                Some(FaultKind::Duplicate) => out.extend([text.clone(), text]),
                Some(FaultKind::Reorder) => self.held = Some(text),
                Some(FaultKind::LateAck) => late.push(text),
                Some(FaultKind::SnapshotMissing) => without_snapshot = drawn,
                Some(FaultKind::MalformedFrame) => {
                    out.extend(text.get(..text.len() / 2).map(str::to_owned));
                }
                Some(_) => out.extend(drawn.and_then(|rule| altered(&rule, &text))),
            }
            out.extend(before);
        }
        out.extend(late);
        Ok((out, After::GoOn))
    }
}

/// What is left of a frame, if anything. A rule about one market leaves the others as they are.
fn altered(rule: &FaultRule, text: &str) -> Option<String> {
    let is_affected = |event: &Value| {
        let symbol = event.get("symbol").and_then(Value::as_str);
        rule.symbol.is_none() || rule.symbol.as_deref() == symbol
    };
    let mut frame: Value = serde_json::from_str(text).ok()?;
    let events = frame.get_mut("events")?.as_array_mut()?;
    let affected = events.iter_mut().filter(|event| is_affected(event));
    if rule.kind == FaultKind::WrongSymbol {
        affected.for_each(name_another);
    } else if rule.kind == FaultKind::CrossedBook {
        affected.for_each(cross);
    } else {
        events.retain(|event| !is_affected(event));
    }
    let is_empty = events.is_empty();
    (!is_empty).then(|| frame.to_string())
}

fn name_another(event: &mut Value) {
    if let Some(symbol) = event.get_mut("symbol") {
        *symbol = "WRONG".into();
    }
}

fn cross(event: &mut Value) {
    let bids = event.get_mut("bids").map(Value::take);
    let asks = event.get_mut("asks").map(Value::take);
    if let (Some(bids), Some(asks), Some(fields)) = (bids, asks, event.as_object_mut()) {
        fields.extend([("bids".to_owned(), asks), ("asks".to_owned(), bids)]);
    }
}
