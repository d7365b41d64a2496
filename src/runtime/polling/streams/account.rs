//! From the account's stream to the desk: whole lists, as a read returns them.

use super::{
    super::cover::StreamUse,
    context::{Gathering, StreamContext},
    socket::Signal,
};
use crate::{
    app::{StreamNews, StreamedRows, account::poll::Source},
    feed::{
        account::AccountNews,
        event::{AccountEvent, AccountRow},
        picture::AccountPicture,
    },
    model::{Order, Page, StreamKind},
};
use std::{collections::BTreeSet, time::Duration};
use tokio::{sync::mpsc::Receiver, time::Instant};

/// The desk is notified at most this often.
const REPORT_INTERVAL: Duration = Duration::from_millis(50);

/// The account, and what of it the desk has not received yet.
#[derive(Debug, Default)]
struct Account {
    picture: AccountPicture,
    unreported: BTreeSet<Source>,
}

/// Runs until the stream or the desk is gone.
pub(super) async fn tell(context: StreamContext, mut signals: Receiver<Signal<AccountNews>>) {
    let mut account = Account::default();
    let (mut due, mut reported_at) = (None::<Gathering>, Instant::now());
    let mut state = StreamUse::Uncovered;
    loop {
        let signal = tokio::select! {
            signal = signals.recv() => signal,
            () = Gathering::ends(due.as_ref()) => {
                reported_at = Instant::now();
                context.say(account.news()).await;
                due = None;
                continue;
            }
        };
        match signal {
            None => return,
            Some(Signal::Up) => {
                state = StreamUse::Covered;
                context.cover.account(state);
                context.say(StreamNews::Up(StreamKind::Account)).await;
            }
            Some(Signal::Down(_)) => {
                let before = std::mem::replace(&mut state, StreamUse::Uncovered);
                context.cover.account(state);
                // Sent after the reads that follow, it would take back what they have.
                if due.take().is_some() {
                    context.say(account.news()).await;
                }
                context.say(StreamNews::Down(StreamKind::Account)).await;
                // Events may be lost: everything is read whole, now. A stream that was not up had none to lose.
                if before == StreamUse::Covered {
                    context.nudges.iter().for_each(|nudge| nudge.notify_one());
                }
            }
            Some(Signal::Alive) => context.say(StreamNews::Alive(StreamKind::Account)).await,
            Some(Signal::Events(news)) => {
                for news in news {
                    context.cover.hint(account.take(news));
                }
                context.cover.changed(&account.unreported);
                due = due.or_else(|| Some(context.gather(reported_at + REPORT_INTERVAL)));
            }
        }
    }
}

impl Account {
    /// Takes news in; returns what may have changed beside it.
    fn take(&mut self, news: AccountNews) -> Vec<Source> {
        match news {
            AccountNews::Snapshot(rows) => {
                *self = Self {
                    picture: AccountPicture::default(),
                    unreported: [Source::Orders, Source::Positions].into(),
                };
                for row in rows {
                    self.unreported.extend(list_of(&row.row));
                    self.picture.take(row);
                }
                vec![]
            }
            AccountNews::Event(event) => {
                let hints = hints(&event);
                self.unreported.extend(list_of(&event.row));
                self.picture.take(event);
                hints
            }
        }
    }

    /// What the desk has not received yet.
    fn news(&mut self) -> StreamNews {
        let unreported = std::mem::take(&mut self.unreported);
        let is_unreported = |source| unreported.contains(&source);
        let picture = &self.picture;
        let is_listed = |source| is_unreported(source) && !picture.is_cut;
        let orders = is_listed(Source::Orders).then(|| picture.orders.clone());
        let positions = is_listed(Source::Positions).then(|| picture.positions.clone());
        let figures = is_unreported(Source::Account).then(|| picture.account.clone());
        StreamNews::Account(StreamedRows {
            orders: orders.map(Page::of),
            positions: positions.map(Page::of),
            account: figures.flatten().map(Box::new),
        })
    }
}

/// The list that a row is of.
fn list_of(row: &AccountRow) -> Option<Source> {
    match row {
        AccountRow::Account(_) => Some(Source::Account),
        AccountRow::Position(_) => Some(Source::Positions),
        AccountRow::Order(_) => Some(Source::Orders),
        AccountRow::Fill(_) => None,
    }
}

/// What only reads report of an event.
fn hints(event: &AccountEvent) -> Vec<Source> {
    let of_order = |order: &Order| {
        let twap = order.twap_order_id.as_ref().map(|_| Source::Twaps);
        let scaled = order.scaled_order_id.as_ref().map(|_| Source::Scaled);
        let sliced = twap.into_iter().chain(scaled);
        sliced.chain([Source::History]).collect()
    };
    match &event.row {
        AccountRow::Order(order) | AccountRow::Fill(order) => of_order(order),
        AccountRow::Position(position) if position.is_closed() => vec![Source::Closed],
        AccountRow::Position(_) | AccountRow::Account(_) => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::polling::streams::tests::Desk;
    use tokio::sync::mpsc::channel;

    #[tokio::test(start_paused = true)]
    async fn what_a_stream_told_before_it_broke_off_comes_before_what_is_read_then() {
        let mut desk = Desk::at(None, None);
        let (signals, received) = channel(8);
        let snapshot = AccountNews::Snapshot(vec![]);
        for signal in [
            Signal::Up,
            Signal::Events(vec![snapshot]),
            Signal::Down(String::new()),
        ] {
            signals.send(signal).await.unwrap();
        }
        drop(signals);
        tell(desk.context.clone(), received).await;
        let changed = [desk.news().await, desk.news().await, desk.news().await];
        assert!(matches!(
            changed,
            [
                StreamNews::Up(_),
                StreamNews::Account(_),
                StreamNews::Down(_)
            ]
        ));
    }
}
