//! What an alert watches, as a number: known only where all that it is made of is fresh.

use super::condition::{AlertSample, AlertSubject, UserAlert};
use crate::{
    app::{account::store::Store, activity::alerts::liquidation_distance},
    model::{MarketId, Num, Page, Position, Tick},
};

/// Which sources tell the truth of now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreshSources {
    pub markets: Freshness,
    pub positions: Freshness,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    Fresh,
    Stale,
}

/// The value that the alert watches, while it is known and fresh.
pub fn sample(store: &Store, fresh: FreshSources, alert: &UserAlert) -> Option<AlertSample> {
    if fresh.markets == Freshness::Stale {
        return None;
    }
    let positions = || held(store, fresh);
    let (value, step) = match &alert.subject {
        AlertSubject::Price(id) => {
            let market = store.market(id)?;
            let step = market.tick(alert.level).map(Tick::step);
            (market.mark.or(market.mid())?, step.unwrap_or(Num::ZERO))
        }
        AlertSubject::Funding(id) => (store.market(id)?.funding_rate?, Num::new(1, 6)),
        AlertSubject::PositionPnl(id) => (of_market(store, id, positions()?)?, Num::new(1, 2)),
        AlertSubject::AccountPnl => (total(store, positions()?.iter())?, Num::new(1, 2)),
        AlertSubject::LiquidationDistance(id) => {
            let held = positions()?.iter().filter(|held| held.market_id == *id);
            let nearest = held
                .filter_map(|held| liquidation_distance(store, held))
                .min();
            (nearest?, Num::new(1, 4))
        }
    };
    Some(AlertSample { value, step })
}

/// All that is open, where that is known and fresh.
fn held(store: &Store, fresh: FreshSources) -> Option<&[Position]> {
    let page = store.positions.value().filter(|page| Page::is_whole(page));
    let page = page.filter(|_| fresh.positions == Freshness::Fresh);
    page.map(|page| page.rows.as_slice())
}

/// `None` where nothing is open in the market.
fn of_market(store: &Store, id: &MarketId, held: &[Position]) -> Option<Num> {
    let here = held.iter().filter(|held| held.market_id == *id);
    here.clone().next()?;
    total(store, here)
}

/// `None` where one of them is not known.
fn total<'a>(store: &Store, mut held: impl Iterator<Item = &'a Position>) -> Option<Num> {
    held.try_fold(Num::ZERO, |sum, position| {
        let mark = store.mark(&position.market_id)?;
        sum.plus(position.unrealized_pnl(mark)?)
    })
}
