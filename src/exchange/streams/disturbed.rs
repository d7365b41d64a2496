//! Frames as they go out, with the faults that were planted on purpose (docs/engine.md 11.5).

use super::super::{
    api_error::ApiError,
    faults::{FaultKind, StreamFrame},
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
    /// The frames that are sent instead of these, and what happens then.
    pub(super) fn frames(
        &mut self,
        service: &ExchangeService,
        texts: Vec<String>,
    ) -> Result<(Vec<String>, After), ApiError> {
        let mut faults = service.faults()?;
        if !faults.has_stream_rules() && self.held.is_none() {
            return Ok((texts, After::GoOn));
        }
        let frames: Vec<_> = texts.iter().map(|text| StreamFrame::of(text)).collect();
        let together = frames.iter().find_map(|frame| frame.channel);
        let (mut out, mut late) = (vec![], vec![]);
        for (text, frame) in texts.into_iter().zip(&frames) {
            let before = self.held.take();
            match faults.draw_frame(frame, together) {
                None => out.push(text),
                Some(FaultKind::Close) => return Ok((out, After::Cut)),
                Some(FaultKind::Draining) => return Ok((out, After::Drain)),
                Some(FaultKind::Duplicate) => out.extend([text.clone(), text]),
                Some(FaultKind::Reorder) => self.held = Some(text),
                Some(FaultKind::LateAck) => late.push(text),
                Some(kind) => out.extend(altered(kind, &text)),
            }
            out.extend(before);
        }
        out.extend(late);
        Ok((out, After::GoOn))
    }
}

/// What is sent instead of a frame, if anything.
fn altered(kind: FaultKind, text: &str) -> Option<String> {
    if kind == FaultKind::MalformedFrame {
        return text.get(..text.len() / 2).map(str::to_owned);
    }
    let change = if kind == FaultKind::WrongSymbol {
        name_another
    } else if kind == FaultKind::CrossedBook {
        cross
    } else {
        return None;
    };
    let mut frame: Value = serde_json::from_str(text).ok()?;
    let events = frame.get_mut("events")?.as_array_mut()?;
    events.iter_mut().for_each(change);
    Some(frame.to_string())
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
