//! Words about what the fills of an order rest on.

use crate::{
    model::{EvidenceLevel, FillEvidence, Num, OrderEvidence},
    view::text::format::grouped,
};

/// `0.337–0.5`: what is booked, and what an optimistic queue would have filled.
pub(crate) fn bracket(evidence: &OrderEvidence) -> Option<String> {
    let (booked, optimistic) = evidence.bracket()?;
    Some(format!("{}–{}", grouped(booked), grouped(optimistic)))
}

/// `walk`, and `0.5 · hyperliquid btc.gz line 12 · 0.5 @ 105,056`
pub(crate) fn fill(fill: &FillEvidence) -> (String, String) {
    let number = fill.line;
    let at = match (&fill.file, fill.connection) {
        (Some(name), _) => format!("{} {name} line {number}", fill.feed),
        (None, Some(connection)) => {
            format!("{} connection {connection} frame {number}", fill.feed)
        }
        (None, None) => format!("{} frame {number}", fill.feed),
    };
    let parts = [Some(grouped(fill.size)), Some(at)];
    let parts = parts.into_iter().chain([
        levels(&fill.levels),
        fill.ahead.map(queue),
        fill.after_gap.then(|| "after a gap".to_owned()),
    ]);
    let words: Vec<String> = parts.flatten().collect();
    (fill.cause.to_string(), words.join(" · "))
}

fn levels(levels: &[EvidenceLevel]) -> Option<String> {
    let level =
        |level: &EvidenceLevel| format!("{} @ {}", grouped(level.taken), grouped(level.price));
    let words: Vec<String> = levels.iter().map(level).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn queue(ahead: Num) -> String {
    format!("{} ahead", grouped(ahead))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence() -> OrderEvidence {
        serde_json::from_str(
            r#"{"order_id": "ord_000001", "filled_size": 0.337, "optimistic_filled": 0.5, "fills": [
                {"time": 1, "size": 0.2, "cause": "walk", "feed": "hyperliquid", "file": "btc.gz", "line": 7,
                 "received_at": 1, "venue_time": 0, "after_gap": true, "optimistic_filled": 0.2,
                 "levels": [{"price": 105056, "shown": 2, "consumed": 0, "taken": 0.2}]},
                {"time": 1, "size": 0.137, "cause": "trade", "feed": "bybit", "connection": 2, "line": 9,
                 "received_at": 1, "venue_time": 0, "after_gap": false, "optimistic_filled": 0.5,
                 "levels": [], "trade_id": 5, "ahead": 0.04}]}"#,
        )
        .unwrap()
    }

    #[test]
    fn a_fill_names_its_frame_and_what_it_took_or_waited_for() {
        let fills: Vec<_> = evidence().fills.iter().map(fill).collect();
        let words = |cause: &str, words: &str| (cause.to_owned(), words.to_owned());
        assert_eq!(
            fills,
            [
                words(
                    "walk",
                    "0.2 · hyperliquid btc.gz line 7 · 0.2 @ 105,056 · after a gap"
                ),
                words("trade", "0.137 · bybit connection 2 frame 9 · 0.04 ahead"),
            ]
        );
    }

    #[test]
    fn two_readings_of_a_market_make_a_bracket_and_one_makes_none() {
        let evidence = evidence();
        assert_eq!(bracket(&evidence).as_deref(), Some("0.337–0.5"));
        let certain = OrderEvidence {
            optimistic_filled: Some(evidence.filled_size),
            ..evidence
        };
        assert_eq!(bracket(&certain), None);
    }
}
