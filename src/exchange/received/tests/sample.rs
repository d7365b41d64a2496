//! A recording of Hyperliquid's BTC of the tests' own, in the shapes that the venue sends.

use crate::feed::recording::{Belief, Nanos, Received, Recorded};
use std::{fmt::Write as _, path::PathBuf};
use tempfile::TempDir;

/// When its first frame was received.
pub(super) const START: i64 = 1_790_000_000_000;

/// Lines of a recording as they are written, times in milliseconds from [`START`].
#[derive(Debug, Clone, Default)]
pub(super) struct Sample {
    pub(super) text: String,
    pub(super) trades: u64,
}

/// Price and size.
pub(super) type Row<'a> = (&'a str, &'a str);

impl Sample {
    pub(super) fn line(mut self, at: i64, frame: &str) -> Self {
        writeln!(self.text, "{} {frame}", (START + at) * 1_000_000).unwrap();
        self
    }

    /// Made 400 ms before its receipt.
    pub(super) fn book(self, at: i64, bids: &[Row<'_>], asks: &[Row<'_>]) -> Self {
        let side = |rows: &[Row<'_>]| {
            let rows = rows.iter();
            let rows: Vec<_> = rows
                .map(|(px, sz)| format!(r#"{{"n":1,"px":"{px}","sz":"{sz}"}}"#))
                .collect();
            format!("[{}]", rows.join(","))
        };
        let time = START + at - 400;
        let (bids, asks) = (side(bids), side(asks));
        self.line(
            at,
            &format!(r#"{{"channel":"l2Book","data":{{"coin":"BTC","levels":[{bids},{asks}],"time":{time}}}}}"#),
        )
    }

    /// `side` is the aggressor's: `B` buys, `A` sells.
    pub(super) fn trade(mut self, at: i64, side: &str, px: &str, sz: &str) -> Self {
        self.trades += 1;
        let (tid, time) = (self.trades, START + at - 300);
        self.line(
            at,
            &format!(r#"{{"channel":"trades","data":[{{"coin":"BTC","px":"{px}","side":"{side}","sz":"{sz}","tid":{tid},"time":{time}}}]}}"#),
        )
    }

    pub(super) fn figures(self, at: i64, mark: &str, oracle: &str, funding: &str) -> Self {
        self.line(
            at,
            &format!(r#"{{"channel":"activeAssetCtx","data":{{"coin":"BTC","ctx":{{"markPx":"{mark}","oraclePx":"{oracle}","funding":"{funding}"}}}}}}"#),
        )
    }

    /// A market that goes up and down for so many half seconds, with a trade in every other one.
    pub(super) fn walk(self, halves: i64) -> Self {
        let mut sample = self
            .book(
                0,
                &[("100000", "1.5"), ("99999", "2.12345")],
                &[("100001", "1.2"), ("100002", "3")],
            )
            .figures(10, "100000.5", "100001", "0.0000125")
            // The first trades of a subscription are history.
            .trade(20, "B", "100001", "0.5");
        let mut draw = 7_i64;
        let mut price = 100_000;
        for half in 1..halves {
            draw = (draw * 1_103_515_245 + 12_345) % 2_147_483_648;
            price += draw / 65_536 % 7 - 3;
            let at = 500 * half;
            let [bid, below, ask, above] =
                [price, price - 1, price + 1, price + 2].map(|px| px.to_string());
            let size = format!("{}.{:05}", 1 + draw % 3, draw % 100_000);
            sample = sample.book(
                at,
                &[(&bid, &size), (&below, "2.5")],
                &[(&ask, "1.25"), (&above, &size)],
            );
            sample = match half % 4 {
                1 => sample.trade(at + 40, "B", &ask, "0.7"),
                3 => sample.trade(at + 40, "A", &bid, "0.9"),
                _ => sample.figures(at + 60, &format!("{price}.5"), &ask, "0.00002"),
            };
        }
        sample
    }

    /// As a live feed reports it.
    pub(super) fn received(&self) -> impl Iterator<Item = Received> {
        self.text.lines().map(|line| {
            let (at, frame) = line.split_once(' ').unwrap();
            Received {
                at: Nanos(at.parse().unwrap()),
                content: Recorded::Frame(frame.to_owned()),
                belief: Belief::Believed,
            }
        })
    }

    /// As a file, which lives as long as its directory.
    pub(super) fn in_dir(&self, dir: &TempDir, name: &str) -> PathBuf {
        let path = dir.path().join(name);
        std::fs::write(&path, &self.text).unwrap();
        path
    }
}
