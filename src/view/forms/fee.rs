//! The estimated fees of an order, if the rates are known.

use crate::{
    app::{
        Model,
        account::fees::{Origin, Rate, rate},
    },
    model::{
        LiquidityRole, MarketId, MarketNames, Num, Side,
        draft::{DraftShape, EntryDraft, Seen},
        estimate,
    },
    view::{
        forms::words::PreviewLine,
        text::{format, words::known},
    },
};

/// The traded value by role, USD.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FeeBasis {
    taker: Num,
    maker: Num,
    /// Whether it may be less: without a book, or when triggered, the order may rest.
    certainty: Certainty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    Expected,
    AtMost,
}

impl FeeBasis {
    pub(crate) fn taking(taker: Num) -> Self {
        Self {
            taker,
            maker: Num::ZERO,
            certainty: Certainty::Expected,
        }
    }

    fn resting(maker: Num) -> Self {
        Self {
            maker,
            ..Self::taking(Num::ZERO)
        }
    }

    /// The taker fee as an upper bound.
    pub(crate) fn taking_at_most(usd: Num) -> Self {
        Self {
            certainty: Certainty::AtMost,
            ..Self::taking(usd)
        }
    }

    /// A limit order that is sent at once.
    pub(crate) fn at(limit: Num, side: Side, usd: Num, seen: &Seen) -> Self {
        let market = seen.market;
        let crosses = market.and_then(|market| estimate::crosses(market, side, limit));
        Self::knowing(crosses, usd)
    }

    /// Whether it takes liquidity, if known.
    fn knowing(takes: Option<bool>, usd: Num) -> Self {
        match takes {
            Some(true) => Self::taking(usd),
            Some(false) => Self::resting(usd),
            None => Self::taking_at_most(usd),
        }
    }

    fn and(self, other: Self) -> Option<Self> {
        Some(Self {
            taker: self.taker.plus(other.taker)?,
            maker: self.maker.plus(other.maker)?,
            certainty: self.certainty.max(other.certainty),
        })
    }
}

/// `est. 4.41 USD (taker 4.5 bps, by the last fill)`.
pub(crate) fn fee(
    traded: Option<FeeBasis>,
    market: Option<&MarketId>,
    model: &Model,
) -> PreviewLine {
    let words = || {
        let (traded, market) = (traded?, market?);
        let parts = [
            (LiquidityRole::Taker, traded.taker),
            (LiquidityRole::Maker, traded.maker),
        ];
        let (mut total, mut rates) = (Num::ZERO, vec![]);
        for (role, usd) in parts.into_iter().filter(|(_, usd)| usd.is_positive()) {
            let rate = rate(
                (&model.account.store, &model.account.options.fees),
                market,
                role,
            )?;
            total = total.plus(usd.times(rate.share)?)?;
            rates.push(charged(role, &rate, market, &model.account.store.names)?);
        }
        let at_most = match traded.certainty {
            Certainty::Expected => "",
            Certainty::AtMost => " at most",
        };
        if traded.taker.is_zero() && traded.maker.is_zero() {
            return Some(format!("{} USD", format::usd(Num::ZERO)));
        }
        let rates = (!rates.is_empty()).then(|| rates.join(" · "))?;
        let total = format::usd(total);
        Some(format!("est.{at_most} {total} USD ({rates})"))
    };
    ("fee", known(words()))
}

/// Names the source of the rate: a local setting is labeled.
fn charged(
    role: LiquidityRole,
    rate: &Rate,
    market: &MarketId,
    names: &MarketNames,
) -> Option<String> {
    let bps = format::bps(rate.share.times(Num::from(10_000_u32))?);
    let by = match &rate.origin {
        Origin::Fill(of) if of == market => "by the last fill".to_owned(),
        Origin::Fill(of) => format!("by the last fill in {}", names.shown(of)),
        Origin::Settings => "local".to_owned(),
    };
    Some(format!("{role} {bps} bps, {by}"))
}

/// For a new order, TWAP or scaled order.
pub(crate) fn traded(draft: &EntryDraft, usd: Option<Num>, seen: &Seen) -> Option<FeeBasis> {
    let usd = usd?;
    if usd.is_zero() {
        return Some(FeeBasis::taking(usd));
    }
    match draft.shape {
        DraftShape::Order(_) | DraftShape::Sliced(_) => {
            Some(FeeBasis::knowing(draft.takes(seen), usd))
        }
        DraftShape::Scaled => rungs(draft, seen),
    }
}

/// Rungs at or beyond the market do not rest.
fn rungs(draft: &EntryDraft, seen: &Seen) -> Option<FeeBasis> {
    let mut traded = FeeBasis::taking(Num::ZERO);
    for rung in draft.rungs_in(seen)? {
        traded = traded.and(FeeBasis::at(rung.price, draft.side, rung.worth, seen))?;
    }
    Some(traded)
}
