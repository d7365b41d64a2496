//! The open exposure of an account. An unreadable list hides nothing of the others.

use super::{
    AccountId, Command, Failure, FailureKind, Leftovers, Order, OrderId, Page, Position, ScaledId,
    Twap, TwapId,
};
use std::collections::BTreeSet;

/// Open positions, working orders and active TWAPs.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenExposure {
    pub positions: Result<Page<Position>, Failure>,
    pub orders: Result<Page<Order>, Failure>,
    pub twaps: Result<Page<Twap>, Failure>,
}

impl OpenExposure {
    pub fn positions(&self) -> &[Position] {
        rows(&self.positions)
    }

    pub fn orders(&self) -> &[Order] {
        rows(&self.orders)
    }

    pub fn twaps(&self) -> &[Twap] {
        rows(&self.twaps)
    }

    /// The counts, if every list is complete; otherwise why they are unknown.
    pub fn left(&self) -> Result<Leftovers, Failure> {
        Ok(Leftovers {
            positions: count(&self.positions, "positions")?,
            orders: count(&self.orders, "orders")?,
            twaps: count(&self.twaps, "TWAPs")?,
        })
    }

    /// Why nothing could be read, if so.
    pub fn unread(&self) -> Option<&Failure> {
        match (&self.positions, &self.orders, &self.twaps) {
            (Err(why), Err(_), Err(_)) => Some(why),
            _ => None,
        }
    }

    /// Cancels reduce-only orders, and unreadable ones with an id. They are the only protection while a position is
    /// open.
    pub fn protection(&self) -> Vec<Command> {
        let orders = self.orders().iter();
        let reducing = orders.filter(|order| order.scaled_order_id.is_none() && order.reduce_only);
        let unread = lost(&self.orders).map(|id| Command::Cancel(OrderId::from(id)));
        reducing.map(cancel).chain(unread).collect()
    }

    /// The commands of a successful flatten; the exits of a position go with it.
    pub fn risk_reducing(&self, account: AccountId) -> Vec<Command> {
        [Command::CloseAll(account)]
            .into_iter()
            .chain(stops(&self.twaps))
            .chain(entries(&self.orders))
            .chain(self.protection())
            .collect()
    }

    /// Whether it is certain that no position is open.
    pub fn is_closed(&self) -> bool {
        count(&self.positions, "positions") == Ok(0)
    }
}

/// Stops every TWAP, including unreadable ones with an id: a slice opens a position again.
pub fn stops(twaps: &Result<Page<Twap>, Failure>) -> Vec<Command> {
    let read = rows(twaps).iter().map(|twap| twap.id.clone());
    let unread = lost(twaps).map(TwapId::from);
    read.chain(unread).map(Command::StopTwap).collect()
}

/// Cancels everything else that could open a position: scaled orders as a whole, and orders that are not reduce-only.
pub fn entries(orders: &Result<Page<Order>, Failure>) -> Vec<Command> {
    let orders = rows(orders);
    let scaled = orders
        .iter()
        .filter_map(|order| order.scaled_order_id.clone());
    let scaled: BTreeSet<ScaledId> = scaled.collect();
    let alone = orders.iter();
    let alone = alone.filter(|order| order.scaled_order_id.is_none() && !order.reduce_only);
    let scaled = scaled.into_iter().map(Command::CancelScaled);
    scaled.chain(alone.map(cancel)).collect()
}

fn cancel(order: &Order) -> Command {
    Command::Cancel(order.id.clone())
}

/// The ids of unreadable rows, if they have one.
fn lost<T>(list: &Result<Page<T>, Failure>) -> impl Iterator<Item = String> {
    list.iter().flat_map(|page| &page.lost).cloned()
}

fn rows<T>(list: &Result<Page<T>, Failure>) -> &[T] {
    list.as_ref().map_or(&[], |page| &page.rows)
}

fn count<T>(list: &Result<Page<T>, Failure>, what: &str) -> Result<usize, Failure> {
    let page = list.as_ref();
    let page = page.map_err(|why| why.saying(format!("{what}: {}", why.message)))?;
    match page.gap() {
        None => Ok(page.rows.len()),
        Some(gap) => Err(Failure::new(
            FailureKind::Unreadable,
            format!("{what}: {gap}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_nothing_could_be_read_is_told_only_where_nothing_was() {
        let why = Failure::new(FailureKind::Unavailable, "no");
        let mut remains = OpenExposure {
            positions: Err(why.clone()),
            orders: Err(why.clone()),
            twaps: Err(why.clone()),
        };
        assert_eq!(remains.unread(), Some(&why));
        remains.twaps = Ok(Page::of(vec![]));
        assert_eq!(remains.unread(), None);
    }
}
