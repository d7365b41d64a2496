//! The preview of the stop and target of a position.

use super::{
    trade::TradePlan,
    words::{PreviewLine, moved, sized},
};
use crate::{
    model::{
        ExitBatch, LiquidityRole, Num, Position, Protection, Risk,
        draft::{Field, ProtectDraft, Seen, only_exit},
    },
    view::text::span::{Span, Tone},
};

pub(super) fn protect(draft: &ProtectDraft, seen: &Seen) -> Vec<PreviewLine> {
    let Some(position) = seen.position else {
        return vec![];
    };
    let line = |field: Field, purpose| {
        let now = price_now(purpose, position, seen);
        moved(position.entry_price, now, &draft.price(field), seen)
    };
    let size = draft.size(seen).ok().flatten();
    let mut lines = vec![
        (
            Field::TakeProfit.label(),
            line(Field::TakeProfit, Protection::Target),
        ),
        (
            Field::StopLoss.label(),
            looser(line(Field::StopLoss, Protection::Stop), draft, seen),
        ),
    ];
    lines.extend(size.map(|size| (Field::Size.label(), sized(Some(size), seen))));
    lines.extend(reward(draft, position, (size, seen)));
    lines
}

fn price_now(purpose: Protection, position: &Position, seen: &Seen) -> Option<Num> {
    only_exit(purpose, position, seen.working)?.trigger_price
}

/// A stop after which more can be lost is labeled, as in the strip and the journal.
fn looser(line: Span, draft: &ProtectDraft, seen: &Seen) -> Span {
    let batch = draft.batch(seen).ok();
    match batch.filter(|batch: &ExitBatch| batch.risk == Risk::Increasing) {
        Some(_) => Span::new(
            format!("{}, protects less than before", line.text),
            Tone::Warn,
        ),
        None => line,
    }
}

fn reward(
    draft: &ProtectDraft,
    position: &Position,
    (part, seen): (Option<Num>, &Seen),
) -> Vec<PreviewLine> {
    let price = |field| draft.price(field).ok().flatten();
    let Some(side) = position.side() else {
        return vec![];
    };
    let trade = TradePlan {
        side,
        quantity: part.or(Some(position.quantity())),
        entry: position.entry_price,
        target: price(Field::TakeProfit),
        stop: price(Field::StopLoss),
        liquidation: None,
        role: LiquidityRole::Taker,
        charges: seen.charges,
    };
    trade.reward().into()
}
