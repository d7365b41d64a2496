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
    view::text::Span,
};

pub(super) fn protect(draft: &ProtectDraft, seen: &Seen) -> Vec<PreviewLine> {
    let Some(position) = seen.position else {
        return vec![];
    };
    let line = |field: Field, purpose| {
        let now = only_exit(purpose, position, seen.working).and_then(|exit| exit.trigger_price);
        moved(position.entry_price, now, &draft.price(field), seen)
    };
    let size = draft.size(seen).ok().flatten();
    let target = line(Field::TakeProfit, Protection::Target);
    let stop = looser(line(Field::StopLoss, Protection::Stop), draft, seen);
    let mut lines = vec![
        (Field::TakeProfit.label(), target),
        (Field::StopLoss.label(), stop),
    ];
    lines.extend(size.map(|size| (Field::Size.label(), sized(Some(size), seen))));
    lines.extend(reward(draft, position, size, seen));
    lines
}

/// A stop after which more can be lost is labeled, as in the strip and the journal.
fn looser(line: Span, draft: &ProtectDraft, seen: &Seen) -> Span {
    let batch = draft.batch(seen).ok();
    match batch.filter(|batch: &ExitBatch| batch.risk == Risk::Increasing) {
        Some(_) => Span::warn(format!("{}, protects less than before", line.text)),
        None => line,
    }
}

fn reward(
    draft: &ProtectDraft,
    position: &Position,
    part: Option<Num>,
    seen: &Seen,
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
