//! The order flow of the price ladder: what traded at each price and for how much more or less rests there than before.
//!
//! Contract: what the book does not report now, or did not report then, has no change. Sums of trades are kept by the tape,
//! which adds them up as trades arrive.

use super::{
    ladder_form::{LadderForm, SizeFormat},
    ladder_scene::LadderScene,
};
use crate::{
    app::market::{
        depth::{Depth, GroupedBook},
        tape::TradedVolume,
    },
    model::{Num, Side},
    view::text::{Scene, Share, Span, Tone, format},
};
use std::collections::BTreeMap;

/// A size and how long its bar is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LadderCell {
    pub size: Span,
    pub bar: Share,
}

/// What traded at the rows within eight minutes, and how it is written.
pub(super) struct LadderFlow {
    rows: BTreeMap<Num, TradedVolume>,
    /// The largest sum of a row, and the largest of one side.
    most: Option<Num>,
    most_of_side: Option<Num>,
    formats: [SizeFormat; 2],
}

/// The cells of one row.
pub(super) struct FlowCells {
    pub(super) sold: LadderCell,
    pub(super) bought: LadderCell,
    pub(super) traded: LadderCell,
    pub(super) has_large: bool,
}

impl LadderFlow {
    pub(super) fn new(ladder: &LadderScene<'_>, form: LadderForm) -> Self {
        let mut rows = BTreeMap::new();
        if let Some((tape, (low, high))) = ladder.tape.zip(ladder.range()) {
            for (price, volume) in tape.volume_at_price().range(low..=high) {
                let row = rows.entry(ladder.spacing.near(*price));
                let row = row.or_insert(TradedVolume::NOTHING);
                *row = row.and(*volume);
            }
        }
        let most = rows.values().filter_map(|volume| volume.total()).max();
        let of_side = rows
            .values()
            .flat_map(|volume| [volume.sold, volume.bought]);
        let most_of_side = of_side.max();
        let usual = format::usual_size(ladder.market);
        let format = |most, room| SizeFormat::new((most, usual), ladder.decimals(), room);
        Self {
            rows,
            most,
            most_of_side,
            formats: [format(most_of_side, form.flow), format(most, form.traded)],
        }
    }

    pub(super) fn cells(&self, price: Num) -> FlowCells {
        let volume = self.rows.get(&price).copied();
        let volume = volume.unwrap_or(TradedVolume::NOTHING);
        let [of_side, of_both] = self.formats;
        FlowCells {
            sold: cell(volume.sold, (self.most_of_side, of_side), Tone::Bad),
            bought: cell(volume.bought, (self.most_of_side, of_side), Tone::Good),
            traded: cell(
                volume.total().unwrap_or_default(),
                (self.most, of_both),
                Tone::Muted,
            ),
            has_large: volume.large > 0,
        }
    }
}

/// Nothing where nothing traded.
fn cell(size: Num, (most, format): (Option<Num>, SizeFormat), tone: Tone) -> LadderCell {
    if size.is_zero() {
        return LadderCell::default();
    }
    LadderCell {
        size: Span::new(format.words(size), tone),
        bar: share(size, most),
    }
}

pub(super) fn share(size: Num, largest: Option<Num>) -> Share {
    let share = largest.and_then(|largest| size.over(largest));
    share.map(Share::of).unwrap_or_default()
}

/// How much more rests at a row than did then: `+1.2` was added, `-0.4` was taken or pulled.
pub(super) fn change(
    (now, then): (Option<&GroupedBook>, Option<&GroupedBook>),
    (side, price): (Side, Num),
    format: SizeFormat,
) -> Span {
    let resting = |book: Option<&GroupedBook>| match book?.depth(side, price) {
        Depth::Hidden => None,
        Depth::Empty => Some(Num::ZERO),
        Depth::Size(shown) => Some(shown),
    };
    let change = resting(now).zip(resting(then));
    let change = change.and_then(|(now, then)| now.minus(then));
    match change {
        Some(more) if more.is_positive() => Span::good(format!("+{}", format.words(more))),
        Some(less) if !less.is_zero() => Span::bad(format!("-{}", format.words(less.abs()))),
        Some(_) | None => Span::default(),
    }
}

impl LadderScene<'_> {
    /// `Δ +12.4 since 14:03:22`: what buyers took less what sellers hit; the longest form first.
    pub(super) fn delta(&self, scene: &Scene<'_>) -> Option<[Span; 2]> {
        let (delta, since) = self.tape?.delta()?;
        let sizes = SizeFormat::new(
            (None, format::usual_size(self.market)),
            self.decimals(),
            DELTA,
        );
        let (sign, tone) = match delta {
            delta if delta.is_positive() => ("+", Tone::Good),
            delta if delta.is_zero() => ("", Tone::Muted),
            _ => ("-", Tone::Bad),
        };
        let words = format!("Δ {sign}{}", sizes.words(delta.abs()));
        let since = scene.zone.time_of_day(since);
        let long = Span::new(format!("{words} since {since}"), tone);
        Some([long, Span::new(words, tone)])
    }
}

/// The room of the delta's size.
const DELTA: u16 = 8;
