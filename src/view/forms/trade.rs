//! The possible win and loss of an entry, as far as its exits are filled in.

use crate::{
    model::{
        Charges, LiquidityRole, Num, Side,
        draft::{EntryDraft, Field, Seen},
        estimate::{self, LiquidationEstimate},
    },
    view::{
        forms::words::{PreviewLine, profit},
        text::{Span, format, words::known},
    },
};

/// An entry with its exits.
pub(crate) struct TradePlan {
    pub(crate) side: Side,
    /// The quantity it opens, in coin.
    pub(crate) quantity: Option<Num>,
    pub(crate) entry: Option<Num>,
    pub(crate) target: Option<Num>,
    pub(crate) stop: Option<Num>,
    /// Of the resulting position, if estimated.
    pub(crate) liquidation: Option<LiquidationEstimate>,
    /// The role of the entry; exits take liquidity.
    pub(crate) role: LiquidityRole,
    pub(crate) charges: Charges,
}

impl TradePlan {
    pub(crate) fn of(draft: &EntryDraft, seen: &Seen) -> Self {
        Self {
            side: draft.side,
            quantity: draft.opens(seen),
            entry: entered_at(draft, seen),
            target: draft.known(Field::TakeProfit),
            stop: draft.known(Field::StopLoss),
            liquidation: draft.liquidation(seen),
            role: draft.role(seen),
            charges: seen.charges,
        }
    }

    /// The loss at the stop, and the reward for it. A stop beyond the liquidation price loses what the liquidation
    /// does, and gives no ratio.
    pub(crate) fn reward(&self) -> [PreviewLine; 2] {
        if let Some(liquidation) = self.liquidated_before_stop() {
            let lost = profit(self.gain_at(Some(liquidation)));
            let words = format!("liquidated first, {}", lost.text);
            return [("at stop", Span::alert(words)), ("R:R", Span::unknown())];
        }
        let ratio = self.ratio();
        [
            ("at stop", self.at_stop().unwrap_or_else(Span::unknown)),
            ("R:R", known(ratio.map(|r| format!("{} : 1", r.rounded(2))))),
        ]
    }

    /// The loss at the stop, or at the liquidation before it, USD.
    pub(crate) fn loss(&self) -> Option<Num> {
        let gain = if let Some(liquidation) = self.liquidated_before_stop() {
            self.gain_at(Some(liquidation))?
        } else {
            let fees = self.fees_to(self.stop?).unwrap_or_default();
            self.lost_at_stop()?.minus(fees.times(self.quantity?)?)?
        };
        gain.is_negative().then(|| gain.abs())
    }

    fn ratio(&self) -> Option<Num> {
        let with_fees = |exit: Num| (exit, self.fees_to(exit).unwrap_or_default());
        let opens = self.quantity.is_none_or(Num::is_positive);
        let (target, stop) = self.target.zip(self.stop).filter(|_| opens)?;
        estimate::reward_to_risk(self.side, self.entry?, with_fees(target), with_fees(stop))
    }

    /// The total loss, or the loss before unknown fees.
    fn at_stop(&self) -> Option<Span> {
        let gross = self.lost_at_stop()?;
        let fees = self
            .fees_to(self.stop?)
            .and_then(|fees| fees.times(self.quantity?));
        let usd = gross.minus(fees.unwrap_or_default())?;
        let words = fees.map(|fees| format!(" with fees {}", format::usd(fees)));
        let words = words.unwrap_or_else(|| " before fees".to_owned());
        let lost = profit(Some(usd));
        Some(Span::new(format!("{}{words}", lost.text), lost.tone))
    }

    /// `None` if the stop is not on the losing side: it would fire at once, and not at its price.
    fn lost_at_stop(&self) -> Option<Num> {
        self.gain_at(self.stop).filter(|usd| usd.is_negative())
    }

    /// Per coin, entry and exit, USD.
    fn fees_to(&self, exit: Num) -> Option<Num> {
        self.charges.in_and_out(self.role, self.entry?, exit)
    }

    fn gain_at(&self, exit: Option<Num>) -> Option<Num> {
        estimate::gain(self.side, self.entry?, exit?)?.times(self.quantity?)
    }

    fn liquidated_before_stop(&self) -> Option<Num> {
        self.liquidation?.before(self.side, self.stop?)
    }
}

/// The one price that all estimates of a preview use.
pub(crate) fn entered_at(draft: &EntryDraft, seen: &Seen) -> Option<Num> {
    let size = draft.fillable(seen).filter(|size| size.is_positive());
    size.map_or_else(|| draft.entry(seen), |size| draft.fills_at(size, seen))
}
