//! The histories in a checkpoint: the chunks of each ring that changed.
//!
//! A checkpoint of data format 3 has none; recording begins where it was taken.

use serde::{Serialize, de::DeserializeOwned};

use super::checkpoint::{CheckpointChunk, CheckpointResult, CheckpointTable};
use crate::exchange::engine::{
    core::Engine,
    market::{
        candles::CandleLevel,
        history::{HistoryOrigin, MarketHistory},
    },
    state::{AccountHistory, FillEvidence, RowRing},
};

/// A ring of one market or account: its table, and which of them it belongs to.
type RingOwner = (CheckpointTable, usize);

impl Engine {
    pub(super) fn save_histories(
        &mut self,
        chunks: &mut Vec<CheckpointChunk>,
    ) -> CheckpointResult<()> {
        for (owner, history) in self.market_histories.each_mut().enumerate() {
            if !history.is_origin_kept {
                history.is_origin_kept = true;
                let rows = postcard::to_stdvec(&history.origin)?;
                let (table, place) = (CheckpointTable::Origins, owner);
                chunks.push(CheckpointChunk { table, place, rows });
            }
            for (level, candles) in history.candles.each_mut() {
                save(candles.ring_mut(), (candle_table(level), owner), chunks)?;
            }
            let owner = (CheckpointTable::Trades, owner);
            save(&mut history.trades, owner, chunks)?;
        }
        for (owner, history) in self.account_histories.each_mut().enumerate() {
            let samples = (CheckpointTable::Equity, owner);
            save(&mut history.equity, samples, chunks)?;
            let payments = (CheckpointTable::Funding, owner);
            save(&mut history.funding, payments, chunks)?;
        }
        for (owner, evidence) in self.evidence.each_mut().enumerate() {
            save(evidence, (CheckpointTable::Evidence, owner), chunks)?;
        }
        Ok(())
    }

    /// After the rows of markets and accounts.
    pub(super) fn load_histories<Bytes: AsRef<[u8]>>(
        &mut self,
        chunks: &[CheckpointChunk<Bytes>],
    ) -> CheckpointResult<()> {
        for market in self.markets.ids() {
            let history = self.market_history(usize::from(market), chunks)?;
            self.market_histories.push(history);
        }
        for owner in 0..self.accounts.len() {
            let mut history = AccountHistory::default();
            let samples = (CheckpointTable::Equity, owner);
            load(&mut history.equity, samples, chunks)?;
            let payments = (CheckpointTable::Funding, owner);
            load(&mut history.funding, payments, chunks)?;
            self.account_histories.push(history);
        }
        for owner in 0..self.received.len() {
            let mut evidence = FillEvidence::none();
            load(&mut evidence, (CheckpointTable::Evidence, owner), chunks)?;
            self.evidence.push(evidence);
        }
        Ok(())
    }

    fn market_history<Bytes: AsRef<[u8]>>(
        &self,
        owner: usize,
        chunks: &[CheckpointChunk<Bytes>],
    ) -> CheckpointResult<MarketHistory> {
        let is_origin = |chunk: &&CheckpointChunk<Bytes>| {
            (chunk.table, chunk.place) == (CheckpointTable::Origins, owner)
        };
        let Some(origin) = chunks.iter().find(is_origin) else {
            let market = self.markets.at(owner.into());
            return Ok(MarketHistory::new(HistoryOrigin {
                at: self.now,
                px: market.last.unwrap_or(market.mark),
            }));
        };
        let mut history = MarketHistory::new(postcard::from_bytes(origin.rows.as_ref())?);
        history.is_origin_kept = true;
        for (level, candles) in history.candles.each_mut() {
            load(candles.ring_mut(), (candle_table(level), owner), chunks)?;
        }
        let owner = (CheckpointTable::Trades, owner);
        load(&mut history.trades, owner, chunks)?;
        Ok(history)
    }

    /// The next checkpoint has all of them.
    pub(super) fn touch_histories(&mut self) {
        for history in self.market_histories.each_mut() {
            history.is_origin_kept = false;
            for (_, candles) in history.candles.each_mut() {
                candles.ring_mut().touch_all();
            }
            history.trades.touch_all();
        }
        for history in self.account_histories.each_mut() {
            history.equity.touch_all();
            history.funding.touch_all();
        }
        self.evidence.each_mut().for_each(RowRing::touch_all);
    }
}

fn candle_table(level: CandleLevel) -> CheckpointTable {
    match level {
        CandleLevel::Second => CheckpointTable::Seconds,
        CandleLevel::Minute => CheckpointTable::Minutes,
        CandleLevel::Hour => CheckpointTable::Hours,
        CandleLevel::Day => CheckpointTable::Days,
    }
}

fn save<Row: Serialize>(
    ring: &mut RowRing<Row>,
    (table, owner): RingOwner,
    chunks: &mut Vec<CheckpointChunk>,
) -> CheckpointResult<()> {
    let before = owner * RowRing::<Row>::places(ring.capacity());
    for (place, rows) in ring.changed() {
        let (place, rows) = (before + place, postcard::to_stdvec(&rows)?);
        chunks.push(CheckpointChunk { table, place, rows });
    }
    Ok(())
}

fn load<Row: DeserializeOwned, Bytes: AsRef<[u8]>>(
    ring: &mut RowRing<Row>,
    (table, owner): RingOwner,
    chunks: &[CheckpointChunk<Bytes>],
) -> CheckpointResult<()> {
    let capacity = ring.capacity();
    let places = RowRing::<Row>::places(capacity);
    let own =
        |chunk: &&CheckpointChunk<Bytes>| chunk.table == table && chunk.place / places == owner;
    let rows = chunks.iter().filter(own);
    let rows: Result<_, _> = rows
        .map(|chunk| postcard::from_bytes(chunk.rows.as_ref()))
        .collect();
    if let Some(restored) = RowRing::restored(capacity, rows?) {
        *ring = restored;
    }
    Ok(())
}
