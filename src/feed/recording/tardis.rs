//! The CSV files of tardis.dev: changes of a book (`incremental_book_L2`), and `trades`.
//!
//! Contract: rows of one instant of receipt are one line of what is reported, with the number of the first of them. A row that
//! cannot be read is reported with its number.

use super::{Belief, DecodedLine, LineOutcome, Nanos, RecordingFault, RecordingResult, TextLines};
use crate::{
    feed::{
        event::{Liveness, MarketEvent},
        market_frame::{positive, sound_trade},
        venue::{
            book_change::{BookChange, Follows},
            book_mirror::{BookMirror, Mirrored},
            trades::{TradeMemory, VenueTrade},
        },
    },
    model::{MarketId, Num, Side, Timestamp},
};

/// What the rows of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TardisColumns {
    BookChanges,
    Trades,
}

const BOOK_CHANGES: &str =
    "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount";
const TRADES: &str = "exchange,symbol,timestamp,local_timestamp,id,side,price,amount";

/// What this first line of a file is a head of.
pub(super) fn columns(head: &str) -> Option<TardisColumns> {
    match head.trim_end_matches('\r') {
        BOOK_CHANGES => Some(TardisColumns::BookChanges),
        TRADES => Some(TardisColumns::Trades),
        _ => None,
    }
}

/// What tardis calls the exchanges that perpdeck knows.
const EXCHANGES: [(&str, &str); 3] = [
    ("hyperliquid", "hyperliquid"),
    ("binance-futures", "binance"),
    ("bybit", "bybit"),
];

/// A row of either kind.
#[derive(Debug, Clone)]
struct TardisRow {
    line: u64,
    market: MarketId,
    made_at: Timestamp,
    received: Nanos,
    /// `is_snapshot`, or the id of a trade.
    fifth: String,
    side: String,
    price: Num,
    amount: Num,
}

fn row(line: u64, text: &str) -> Result<TardisRow, &'static str> {
    let cells: Vec<_> = text.trim_end_matches('\r').split(',').collect();
    let [exchange, symbol, made, received, fifth, side, price, amount] = cells.as_slice() else {
        return Err("it has not the columns of its file");
    };
    let provider = EXCHANGES.iter().find(|(theirs, _)| theirs == exchange);
    let (_, provider) =
        provider.ok_or("its exchange is not one of hyperliquid, binance-futures and bybit")?;
    let micros = |text: &str| {
        text.parse::<i64>()
            .map_err(|_| "it has no instant in microseconds")
    };
    let number = |text: &str| {
        text.parse::<Num>()
            .map_err(|_| "its price or amount is no number")
    };
    Ok(TardisRow {
        line,
        market: MarketId::from(format!("{provider}|{symbol}").as_str()),
        made_at: Timestamp(micros(made)?.div_euclid(1_000)),
        received: Nanos(micros(received)?.saturating_mul(1_000)),
        fifth: (*fifth).to_owned(),
        side: (*side).to_owned(),
        price: positive(Some(number(price)?)).ok_or("its price is not above 0")?,
        amount: Some(number(amount)?)
            .filter(|amount| !amount.is_negative())
            .ok_or("its amount is below 0")?,
    })
}

/// The rows of a file as what they report.
pub(super) struct TardisRows {
    lines: TextLines,
    columns: TardisColumns,
    /// Read, and not part of what was reported.
    next: Option<RecordingResult<TardisRow>>,
    newest: Option<Nanos>,
    mirror: BookMirror,
    /// Changes so far.
    count: u64,
    trades: TradeMemory,
}

impl TardisRows {
    /// Lines from the second on.
    pub(super) fn new(columns: TardisColumns, lines: TextLines) -> Self {
        Self {
            lines,
            columns,
            next: None,
            newest: None,
            mirror: BookMirror::default(),
            count: 0,
            trades: TradeMemory::default(),
        }
    }

    /// The market of the first row; `None` if there is no row.
    pub(super) fn market(&mut self) -> Option<RecordingResult<MarketId>> {
        let first = self.read()?;
        Some(first.map(|row| {
            let market = row.market.clone();
            self.next = Some(Ok(row));
            market
        }))
    }

    fn read(&mut self) -> Option<RecordingResult<TardisRow>> {
        if let Some(read) = self.next.take() {
            return Some(read);
        }
        let (line, text) = match self.lines.next()? {
            Ok(line) => line,
            Err(fault) => return Some(Err(fault)),
        };
        let row = row(line, &text).and_then(|row| self.in_order(row));
        Some(row.map_err(|what| RecordingFault {
            line,
            what: what.to_owned(),
        }))
    }

    fn in_order(&mut self, row: TardisRow) -> Result<TardisRow, &'static str> {
        if self.newest.is_some_and(|newest| row.received < newest) {
            return Err("it was received before the line before it");
        }
        self.newest = Some(row.received);
        Ok(row)
    }

    /// The rows that were received with this one.
    fn with_others(&mut self, first: TardisRow) -> Vec<TardisRow> {
        let (received, is_snapshot) = (first.received, first.fifth.clone());
        let mut rows = vec![first];
        let is_of_book = |row: &TardisRow| row.fifth == is_snapshot;
        while let Some(read) = self.read() {
            let is_trade = self.columns == TardisColumns::Trades;
            match read {
                Ok(row) if row.received == received && (is_trade || is_of_book(&row)) => {
                    rows.push(row);
                }
                next @ (Ok(_) | Err(_)) => {
                    self.next = Some(next);
                    break;
                }
            }
        }
        rows
    }

    fn outcome(&mut self, rows: &[TardisRow]) -> LineOutcome {
        let Some(first) = rows.first() else {
            return LineOutcome::Events(vec![]);
        };
        match self.columns {
            TardisColumns::BookChanges => self.book(first, rows),
            TardisColumns::Trades => {
                let trades = rows.iter().filter_map(TardisRow::trade).collect();
                LineOutcome::Events(self.trades.take(&first.market, trades, Liveness::Live))
            }
        }
    }

    fn book(&mut self, first: &TardisRow, rows: &[TardisRow]) -> LineOutcome {
        let previous = self.count;
        self.count += 1;
        let side = |side: &str| {
            let rows = rows.iter().filter(|row| row.side == side);
            rows.map(|row| (row.price, row.amount)).collect()
        };
        let change = BookChange {
            follows: if first.fifth == "true" {
                Follows::Nothing
            } else {
                let first = self.count;
                Follows::Book { first, previous }
            },
            last: self.count,
            made_at: Some(first.made_at),
            bids: side("bid"),
            asks: side("ask"),
        };
        match self.mirror.take(change) {
            Mirrored::Shown(book) => LineOutcome::Events(vec![MarketEvent::Book {
                market: first.market.clone(),
                book,
            }]),
            Mirrored::Waits => LineOutcome::Events(vec![]),
            Mirrored::Gap => LineOutcome::Gap,
        }
    }
}

impl TardisRow {
    /// `None` if it is not known who was the taker.
    fn trade(&self) -> Option<VenueTrade> {
        let aggressor = match &*self.side {
            "buy" => Side::Buy,
            "sell" => Side::Sell,
            _ => return None,
        };
        let trade = sound_trade(self.price, self.amount, aggressor, self.made_at)?;
        let identity = format!("{} {}", self.made_at.0, self.fifth);
        Some(VenueTrade { identity, trade })
    }
}

impl Iterator for TardisRows {
    type Item = RecordingResult<DecodedLine>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = match self.read()? {
            Ok(first) => first,
            Err(fault) => {
                // What the row changed of the book is not known.
                self.mirror.forget();
                return Some(Err(fault));
            }
        };
        let (line, received) = (first.line, first.received);
        let rows = self.with_others(first);
        Some(Ok(DecodedLine {
            line,
            received,
            conn: 0,
            outcome: self.outcome(&rows),
            belief: Belief::Believed,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::recording::market::MarketRecording;
    use std::io::Cursor;

    fn outcome(text: &str) -> Vec<String> {
        let file = Cursor::new(text.to_owned().into_bytes());
        let recording = MarketRecording::open(file, None).unwrap();
        assert_eq!(recording.market, MarketId::from("binance|BTCUSDT"));
        recording
            .lines
            .map(|line| match line {
                Ok(line) => format!("{} {}", line.line, words(&line.outcome)),
                Err(fault) => fault.to_string(),
            })
            .collect()
    }

    fn words(outcome: &LineOutcome) -> String {
        let LineOutcome::Events(events) = outcome else {
            return "gap".to_owned();
        };
        let words = events.iter().map(|event| match event {
            MarketEvent::Book { book, .. } => {
                let best = [Side::Buy, Side::Sell].map(|side| {
                    let level = book.value.levels(side).first().unwrap();
                    format!("{}x{}", level.size, level.price)
                });
                best.join(" ")
            }
            MarketEvent::Trade { trade, .. } => {
                format!("{} {}x{}", trade.aggressor, trade.size, trade.price)
            }
            MarketEvent::Candle { .. }
            | MarketEvent::Tick { .. }
            | MarketEvent::Stats { .. }
            | MarketEvent::Refused { .. } => String::new(),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn changes_of_one_instant_are_one_change_of_the_book() {
        let rows = [
            "1585699200245000,1585699200355684,true,bid,100.5,2",
            "1585699200245000,1585699200355684,true,ask,101,3",
            "1585699200345000,1585699200455684,false,bid,100.5,0",
            "1585699200345000,1585699200455684,false,bid,100,1.5",
            "1585699200445000,1585699200355000,false,bid,99,1",
            "1585699200445000,1585699200555684,false,ask,100.75,0.25",
            "1585699200545000,1585699200655684,true,bid,100,1.5",
            "1585699200545000,1585699200655684,true,ask,100.75,0.25",
        ];
        let rows = rows.map(|row| format!("binance-futures,BTCUSDT,{row}\n"));
        let text = format!("{BOOK_CHANGES}\n{}", rows.concat());
        assert_eq!(
            outcome(&text),
            [
                "1 2x100.5 3x101",
                "3 1.5x100 3x101",
                "line 6: it was received before the line before it",
                // Nobody knows what the row before it has changed.
                "6 ",
                "7 1.5x100 0.25x100.75",
            ]
        );
    }

    #[test]
    fn trades_are_told_with_their_takers_side() {
        let rows = [
            "1585699200245000,1585699200355684,7,buy,100.5,2",
            "1585699200245000,1585699200355684,8,unknown,100.5,2",
            "1585699200245000,1585699200955684,9,sell,100,0.1",
            "1585699200245000,1585699200955684,x",
        ];
        let rows = rows.map(|row| format!("binance-futures,BTCUSDT,{row}\n"));
        let text = format!("{TRADES}\n{}", rows.concat());
        assert_eq!(
            outcome(&text),
            [
                "1 buy 2x100.5",
                "3 sell 0.1x100",
                "line 5: it has not the columns of its file",
            ]
        );
    }
}
