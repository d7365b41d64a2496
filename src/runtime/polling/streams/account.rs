//! From the account's stream to the desk: whole lists, as a read tells them.

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

/// The desk is told at most this often.
const TOLD_EVERY: Duration = Duration::from_millis(50);

/// The account, and what of it the desk was not told yet.
#[derive(Debug, Default)]
struct Account {
    picture: AccountPicture,
    untold: BTreeSet<Source>,
}

/// Runs until the stream or the desk is gone.
pub(super) async fn tell(context: StreamContext, mut signals: Receiver<Signal<AccountNews>>) {
    let mut account = Account::default();
    let (mut due, mut told_at) = (None::<Gathering>, Instant::now());
    let mut state = StreamUse::NotTold;
    loop {
        let signal = tokio::select! {
            signal = signals.recv() => signal,
            () = Gathering::ends(due.as_ref()) => {
                told_at = Instant::now();
                context.say(account.news()).await;
                due = None;
                continue;
            }
        };
        match signal {
            None => return,
            Some(Signal::Up) => {
                state = StreamUse::Told;
                context.cover.account(state);
                context.say(StreamNews::Up(StreamKind::Account)).await;
            }
            Some(Signal::Down(_)) => {
                let before = std::mem::replace(&mut state, StreamUse::NotTold);
                context.cover.account(state);
                // Told after the reads that follow, it would take back what they have.
                if due.take().is_some() {
                    context.say(account.news()).await;
                }
                context.say(StreamNews::Down(StreamKind::Account)).await;
                // Events may be lost: everything is read whole, now. A stream that was not up had none to lose.
                if before == StreamUse::Told {
                    context.nudges.iter().for_each(|nudge| nudge.notify_one());
                }
            }
            Some(Signal::Heard) => context.say(StreamNews::Heard(StreamKind::Account)).await,
            Some(Signal::Told(news)) => {
                for news in news {
                    context.cover.hint(account.take(news));
                }
                context.cover.told(&account.untold);
                due = due.or_else(|| Some(context.gather(told_at + TOLD_EVERY)));
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
                    untold: [Source::Orders, Source::Positions].into(),
                };
                for row in rows {
                    self.untold.extend(list_of(&row.row));
                    self.picture.take(row);
                }
                vec![]
            }
            AccountNews::Event(event) => {
                let hints = hints(&event);
                self.untold.extend(list_of(&event.row));
                self.picture.take(event);
                hints
            }
        }
    }

    /// What the desk was not told yet.
    fn news(&mut self) -> StreamNews {
        let untold = std::mem::take(&mut self.untold);
        let is_untold = |source| untold.contains(&source);
        let picture = &self.picture;
        let is_listed = |source| is_untold(source) && !picture.is_cut;
        let orders = is_listed(Source::Orders).then(|| picture.orders.clone());
        let positions = is_listed(Source::Positions).then(|| picture.positions.clone());
        let figures = is_untold(Source::Account).then(|| picture.account.clone());
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

/// What only reads tell of an event.
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
            Signal::Told(vec![snapshot]),
            Signal::Down(String::new()),
        ] {
            signals.send(signal).await.unwrap();
        }
        drop(signals);
        tell(desk.context.clone(), received).await;
        let told = [desk.news().await, desk.news().await, desk.news().await];
        assert!(matches!(
            told,
            [
                StreamNews::Up(_),
                StreamNews::Account(_),
                StreamNews::Down(_)
            ]
        ));
    }
}
