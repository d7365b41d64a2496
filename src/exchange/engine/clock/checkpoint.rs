//! The whole engine as bytes, and back.
//!
//! Contract: a restored engine behaves exactly as the original: random streams resume at their position and floats keep
//! their bits, so both reach the same [`Engine::log_hash`]. Rows are written in chunks, and only those touched since
//! the last checkpoint, so that a checkpoint costs what changed. The newest chunk of each place and the newest core are
//! the state.
//!
//! Known limit: the encoding (`postcard`) names no fields. Whoever changes a stored type raises the format of the
//! directory, and the oldest one that is still read (`store/file.rs`). A table that is new may be missing.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::exchange::engine::{
    core::Engine,
    state::{Arena, ArenaSize},
};

/// What changed since the last checkpoint; everything, the first time. One that is read may borrow its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint<Bytes = Vec<u8>> {
    /// Everything but the rows, and the row counts.
    pub core: Bytes,
    pub chunks: Vec<CheckpointChunk<Bytes>>,
}

/// Neighboring rows of one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointChunk<Bytes = Vec<u8>> {
    pub table: CheckpointTable,
    pub place: usize,
    pub rows: Bytes,
}

/// The names are on disk, and in the shipped recording the places in this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum CheckpointTable {
    Markets = 0,
    Accounts = 1,
    Orders = 2,
    Positions = 3,
    Twaps = 4,
    Scaled = 5,
    Origins = 6,
    Seconds = 7,
    Minutes = 8,
    Hours = 9,
    Days = 10,
    Trades = 11,
    Equity = 12,
    Funding = 13,
    /// How many rows of each table were dropped; missing while none was.
    Dropped = 14,
    /// What is known of received markets; missing if there are none.
    Received = 15,
    Evidence = 16,
}

/// Why bytes do not decode to an engine.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointFault {
    #[error("a record cannot be read")]
    Bytes(#[from] postcard::Error),
    #[error("rows are missing: {found} where {wanted} should be")]
    Rows { wanted: u64, found: u64 },
}

/// What bytes decode to, or why they do not.
pub(super) type CheckpointResult<T> = Result<T, CheckpointFault>;

/// Row counts of the first tables of [`CheckpointTable`]; histories are bounded and may be missing.
type Counts = [u64; 6];

/// The most rows of a table in a checkpoint that is read: a damaged count must not take all memory.
const MAX_ROWS: u64 = 1 << 32;

impl Engine {
    /// What changed since the last call. A checkpoint that is dropped makes the following ones incomplete.
    pub fn checkpoint(&mut self) -> CheckpointResult<Checkpoint> {
        let mut chunks = Vec::new();
        save(&mut self.markets, CheckpointTable::Markets, &mut chunks)?;
        save(&mut self.accounts, CheckpointTable::Accounts, &mut chunks)?;
        save(&mut self.orders, CheckpointTable::Orders, &mut chunks)?;
        save(&mut self.positions, CheckpointTable::Positions, &mut chunks)?;
        save(&mut self.twaps, CheckpointTable::Twaps, &mut chunks)?;
        save(&mut self.scaled, CheckpointTable::Scaled, &mut chunks)?;
        save(&mut self.received, CheckpointTable::Received, &mut chunks)?;
        self.save_histories(&mut chunks)?;
        self.save_dropped(&mut chunks)?;
        let core = postcard::to_stdvec(&(self.counts(), &*self))?;
        Ok(Checkpoint { core, chunks })
    }

    /// Builds the engine from the newest `core` and the newest chunk of every place.
    pub fn restore<Bytes: AsRef<[u8]>>(
        core: &[u8],
        chunks: impl IntoIterator<Item = CheckpointChunk<Bytes>>,
    ) -> CheckpointResult<Self> {
        let (counts, mut engine): (Counts, Self) = postcard::from_bytes(core)?;
        if let Some(wanted) = counts.into_iter().find(|count| *count > MAX_ROWS) {
            return Err(CheckpointFault::Rows { wanted, found: 0 });
        }
        let (mut histories, mut dropped) = (Vec::new(), Counts::default());
        for chunk in chunks {
            let rows = chunk.rows.as_ref();
            match chunk.table {
                CheckpointTable::Markets => load(&mut engine.markets, rows)?,
                CheckpointTable::Accounts => load(&mut engine.accounts, rows)?,
                CheckpointTable::Orders => load_kept(&mut engine.orders, rows, |row| row.id)?,
                CheckpointTable::Positions => load_kept(&mut engine.positions, rows, |row| row.id)?,
                CheckpointTable::Twaps => load_kept(&mut engine.twaps, rows, |row| row.id)?,
                CheckpointTable::Scaled => load_kept(&mut engine.scaled, rows, |row| row.id)?,
                CheckpointTable::Received => load(&mut engine.received, rows)?,
                CheckpointTable::Origins
                | CheckpointTable::Seconds
                | CheckpointTable::Minutes
                | CheckpointTable::Hours
                | CheckpointTable::Days
                | CheckpointTable::Trades
                | CheckpointTable::Equity
                | CheckpointTable::Funding
                | CheckpointTable::Evidence => histories.push(chunk),

                CheckpointTable::Dropped => dropped = postcard::from_bytes(rows)?,
            }
        }
        engine.load_histories(&histories)?;
        let mut engine = engine.complete(counts, dropped)?;
        engine.index_names();
        Ok(engine)
    }

    /// Of rows that were read back.
    fn index_names(&mut self) {
        for row in self.orders.each() {
            if let (Some(name), Some(_)) = (&row.client_order_id, self.accounts.get(row.account)) {
                let account = self.accounts.at_mut(row.account);
                account.named.insert(name.clone(), row.id);
            }
        }
    }

    /// With the rows at the end of a table that were dropped. A row that is missing and was not dropped was lost.
    fn complete(mut self, counts: Counts, dropped: Counts) -> CheckpointResult<Self> {
        let kept = |(count, dropped): (u64, u64)| count.saturating_sub(dropped);
        let wanted = counts.into_iter().zip(dropped).map(kept);
        let found = self.counts().into_iter().zip(self.dropped()).map(kept);
        same_counts(wanted, found)?;
        self.skip_dropped(counts);
        same_counts(counts.into_iter(), self.counts().into_iter())?;
        Ok(self)
    }

    /// Rows at the end of a table that were dropped.
    fn skip_dropped(&mut self, [_, _, orders, positions, twaps, scaled]: Counts) {
        self.orders.skip_to(counted(orders));
        self.positions.skip_to(counted(positions));
        self.twaps.skip_to(counted(twaps));
        self.scaled.skip_to(counted(scaled));
    }

    fn save_dropped(&self, chunks: &mut Vec<CheckpointChunk>) -> CheckpointResult<()> {
        let dropped = self.dropped();
        if dropped != Counts::default() {
            let (table, place) = (CheckpointTable::Dropped, 0);
            let rows = postcard::to_stdvec(&dropped)?;
            chunks.push(CheckpointChunk { table, place, rows });
        }
        Ok(())
    }

    fn dropped(&self) -> Counts {
        self.sizes().map(|size| size.dropped as u64)
    }

    /// The engine of a first checkpoint, with everything marked as changed, so that its next checkpoint is complete.
    pub fn from_first_checkpoint<Bytes: AsRef<[u8]>>(
        first: &Checkpoint<Bytes>,
    ) -> CheckpointResult<Self> {
        let chunks = first.chunks.iter().map(|chunk| CheckpointChunk {
            table: chunk.table,
            place: chunk.place,
            rows: chunk.rows.as_ref(),
        });
        let mut engine = Self::restore(first.core.as_ref(), chunks)?;
        engine.markets.touch_all();
        engine.received.touch_all();
        engine.accounts.touch_all();
        engine.orders.touch_all();
        engine.positions.touch_all();
        engine.twaps.touch_all();
        engine.scaled.touch_all();
        engine.touch_histories();
        Ok(engine)
    }

    fn counts(&self) -> Counts {
        self.sizes().map(|size| size.len as u64)
    }

    fn sizes(&self) -> [ArenaSize; 6] {
        [
            self.markets.size(),
            self.accounts.size(),
            self.orders.size(),
            self.positions.size(),
            self.twaps.size(),
            self.scaled.size(),
        ]
    }
}

fn same_counts(
    wanted: impl Iterator<Item = u64>,
    found: impl Iterator<Item = u64>,
) -> CheckpointResult<()> {
    match wanted.zip(found).find(|(wanted, found)| wanted != found) {
        Some((wanted, found)) => Err(CheckpointFault::Rows { wanted, found }),
        None => Ok(()),
    }
}

fn save<Id, Row>(
    arena: &mut Arena<Id, Row>,
    table: CheckpointTable,
    chunks: &mut Vec<CheckpointChunk>,
) -> CheckpointResult<()>
where
    Id: From<usize> + Copy,
    usize: From<Id>,
    Row: Serialize,
{
    for (place, rows) in arena.touched() {
        let rows = postcard::to_stdvec(rows)?;
        chunks.push(CheckpointChunk { table, place, rows });
    }
    Ok(())
}

fn load<Id, Row>(arena: &mut Arena<Id, Row>, rows: &[u8]) -> CheckpointResult<()>
where
    Id: From<usize> + Copy,
    usize: From<Id>,
    Row: DeserializeOwned,
{
    let rows: Vec<Row> = postcard::from_bytes(rows)?;
    for row in rows {
        arena.append(row);
    }
    Ok(())
}

/// Rows of a table in which some may have been dropped: each row knows its id. Chunks come in order.
fn load_kept<Id, Row>(
    arena: &mut Arena<Id, Row>,
    rows: &[u8],
    id: impl Fn(&Row) -> Id,
) -> CheckpointResult<()>
where
    Id: From<usize> + Copy,
    usize: From<Id>,
    Row: DeserializeOwned,
{
    let rows: Vec<Row> = postcard::from_bytes(rows)?;
    for row in rows {
        let (wanted, found) = (usize::from(id(&row)), arena.len());
        if wanted < found || wanted as u64 > MAX_ROWS {
            let (wanted, found) = (wanted as u64, found as u64);
            return Err(CheckpointFault::Rows { wanted, found });
        }
        arena.skip_to(id(&row));
        arena.append(row);
    }
    Ok(())
}

fn counted<Id: From<usize>>(count: u64) -> Id {
    Id::from(usize::try_from(count).unwrap_or(usize::MAX))
}
