//! What streams report, beside the reads.
//!
//! Contract: an event changes what is shown as a read would, but proves nothing. The instant of a list's last read
//! stays, so that only reads decide what came of a command.

use super::{Source, Store, from_receipts::rows_mut};
use crate::{
    app::account::{
        poll::Answer,
        remote::Remote,
        streamed::{StreamState, StreamedPrice},
    },
    model::{ScaledId, StreamKind, Timestamp},
};

impl Store {
    pub(crate) fn stream_mut(&mut self, kind: StreamKind) -> &mut StreamState {
        match kind {
            StreamKind::Market => &mut self.streams.market,
            StreamKind::Account => &mut self.streams.account,
        }
    }

    /// Takes a list as a stream reports it; before its first read, nothing. Returns newly found scaled orders.
    pub(crate) fn arrive_streamed(&mut self, answer: Answer) -> Vec<ScaledId> {
        self.learn_names(&answer);
        match answer {
            Answer::Positions(Ok(page)) => {
                if let Some(rows) = rows_mut(&mut self.positions) {
                    *rows = page.rows;
                }
                self.lay_over_positions();
            }
            Answer::Orders(Ok(page)) => {
                self.remember_rungs();
                if let Some(rows) = rows_mut(&mut self.orders) {
                    *rows = page.rows;
                }
                self.lay_over_orders();
                return self.scaled_at_work();
            }
            Answer::Account(Ok(facts)) => {
                if let Remote::Fresh { value, .. } | Remote::Stale { value, .. } = &mut self.account
                {
                    *value = facts;
                }
            }
            Answer::Positions(Err(_))
            | Answer::Orders(Err(_))
            | Answer::Account(Err(_))
            | Answer::Twaps(_)
            | Answer::Scaled(..)
            | Answer::Closed(_)
            | Answer::MoreClosed(..)
            | Answer::History(_)
            | Answer::MoreHistory(..)
            | Answer::Markets(_) => {}
        }
        vec![]
    }

    /// Takes prices of listed markets. Without instants of their own they are of now.
    pub(crate) fn arrive_prices(&mut self, streamed: Vec<StreamedPrice>, now: Timestamp) {
        let newest = streamed.iter().filter_map(|price| price.at).max();
        let newest = newest.or((!streamed.is_empty()).then_some(now));
        let (Remote::Fresh { value, .. } | Remote::Stale { value, .. }) = &mut self.markets else {
            return;
        };
        for price in streamed {
            let Some(market) = value.get_mut(&price.market_id) else {
                continue;
            };
            market.mark = price.mark.over(market.mark);
            market.bid = price.bid.or(market.bid);
            market.ask = price.ask.or(market.ask);
            market.funding_rate = price.funding_rate.over(market.funding_rate);
            market.gap_since = price.gap_since.over(market.gap_since);
            market.day = price.day.unwrap_or(market.day);
            market.updated_at = price.at.or(market.updated_at);
            if let Some(mark) = price.mark.over(None) {
                let prices = self.prices.entry(price.market_id).or_default();
                prices.mark(now, mark);
            }
        }
        if newest.is_some() {
            self.date(Source::Markets, newest, now);
        }
    }
}
