//! Who holds the journal, and what a process may send then: the table of docs/delivery.md 8.1.

use super::{Command, Risk};
use strum::VariantArray;

/// Where a process that wants to send stands towards the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum JournalRole {
    /// It has the lock, and recovery is over.
    Holder,
    /// Another process has the lock, answers, and trades the account.
    Client,
    /// Another process has the lock, and does not answer or does not send for this one.
    Bypass,
    /// It opens the journal, or finds out what the last holder left open.
    TakingOver,
}

/// Which kind of process wants to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum ProcessKind {
    /// It resumes what an earlier session left open, follows what it sends, and takes over the journal.
    Desk,
    /// It only reads what became of open commands, waits for the end of its own, and takes nothing over.
    Verb,
}

/// Who sends a command, and where it is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatch {
    Here,
    /// Here, once recovery is over.
    AfterRecovery,
    /// The holder sends it, as a command of its own.
    ByHolder,
    /// Here, recorded in an overflow journal.
    FromOverflow,
    /// The same; a holder that does not answer finds it at its socket when it wakes.
    FromOverflowAndLeft,
    /// Nobody. The reason names the holder.
    Refused,
}

impl JournalRole {
    /// The table.
    pub fn dispatch(self, process: ProcessKind, command: &Command) -> Dispatch {
        use Dispatch::{AfterRecovery, ByHolder, FromOverflow, FromOverflowAndLeft, Here, Refused};
        let [increasing, reducing, flatten] = match (self, process) {
            (Self::Holder, _) => [Here, Here, Here],
            (Self::Client, ProcessKind::Desk) => [Refused, ByHolder, ByHolder],
            (Self::Client, ProcessKind::Verb) => [ByHolder, ByHolder, ByHolder],
            (Self::Bypass, ProcessKind::Desk) => [Refused, FromOverflow, FromOverflowAndLeft],
            (Self::Bypass, ProcessKind::Verb) => [Refused, FromOverflow, FromOverflow],
            (Self::TakingOver, _) => [AfterRecovery, Here, Here],
        };
        match (command, command.risk()) {
            (Command::Flatten(_), _) => flatten,
            (_, Risk::Increasing) => increasing,
            (_, Risk::Neutral | Risk::Reducing) => reducing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MarketId, Num, PlaceOrder, Side};

    const PAGE: &str = include_str!("../../../docs/delivery.md");

    fn role(words: &str) -> JournalRole {
        match words {
            "holder" => JournalRole::Holder,
            "client of a holder" => JournalRole::Client,
            "bypass" => JournalRole::Bypass,
            "taking over" => JournalRole::TakingOver,
            _ => panic!("unknown state {words}"),
        }
    }

    fn processes(words: &str) -> &'static [ProcessKind] {
        match words {
            "desk or verb" => ProcessKind::VARIANTS,
            "desk" => &[ProcessKind::Desk],
            "verb" => &[ProcessKind::Verb],
            _ => panic!("unknown process {words}"),
        }
    }

    fn words(dispatch: Dispatch) -> &'static str {
        match dispatch {
            Dispatch::Here => "sent here",
            Dispatch::AfterRecovery => "sent here after recovery (7)",
            Dispatch::ByHolder => "the holder sends it",
            Dispatch::FromOverflow => "sent here, from an overflow journal",
            Dispatch::FromOverflowAndLeft => {
                "sent here, from an overflow journal; left for the holder too"
            }
            Dispatch::Refused => "refused",
        }
    }

    /// The cells of the first table of section 8.1.
    fn documented() -> Vec<Vec<&'static str>> {
        let (_, section) = PAGE.split_once("### 8.1 ").unwrap();
        let (section, _) = section.split_once("### 8.2 ").unwrap();
        let lines = section.lines().skip_while(|line| !line.starts_with("|---"));
        let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
        rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
            .collect()
    }

    #[test]
    fn the_table_of_the_document_is_the_table_of_the_code() {
        let order =
            PlaceOrder::market("a".into(), MarketId::from("paper|BTC"), Side::Buy, Num::ONE);
        let placing = Command::Place(Box::new(order));
        let reducing = [
            Command::Cancel("o".into()),
            Command::CloseAll("a".into()),
            Command::StopTwap("t".into()),
        ];
        let flatten = Command::Flatten("a".into());
        let mut left: Vec<_> = JournalRole::VARIANTS
            .iter()
            .flat_map(|role| ProcessKind::VARIANTS.iter().map(|who| (*role, *who)))
            .collect();
        for row in documented() {
            let [state, who, cells @ ..] = row.as_slice() else {
                panic!("{row:?}");
            };
            for process in processes(who) {
                let here = (role(state), *process);
                let said = |command: &Command| words(here.0.dispatch(here.1, command));
                for command in &reducing {
                    let table = [said(&placing), said(command), said(&flatten)];
                    assert_eq!(cells, table, "{here:?} {command}");
                }
                let known = left.len();
                left.retain(|entry| *entry != here);
                assert_eq!(left.len(), known - 1, "{here:?} is there twice");
            }
        }
        assert_eq!(left, [], "not in the document");
    }
}
