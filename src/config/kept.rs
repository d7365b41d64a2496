//! The trader's choice of columns, stored between sessions in one small file of the state directory.
//!
//! Contract: a missing file holds nothing, an unreadable one says why. The last writer wins, and a reader finds the old
//! or the new contents, never a part. Columns are stored by id, including hidden ones, so that another version finds
//! those it knows and shows new ones.

use super::memory::{read, write};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

const FILE: &str = "columns.json";

/// By pane name.
pub type KeptChoices = BTreeMap<String, ColumnChoice>;

/// The ids of all columns of a pane, shown ones in order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnChoice {
    pub shown: Vec<String>,
    #[serde(default)]
    pub hidden: Vec<String>,
}

/// The path of the file.
pub fn columns_file(state_dir: &Path) -> PathBuf {
    state_dir.join(FILE)
}

/// The choices of earlier sessions. Fails if the file exists and cannot be read.
pub fn kept_columns(state_dir: &Path) -> io::Result<KeptChoices> {
    read(state_dir, FILE)
}

/// Stores the choice of one pane; `None` removes it. Replaces an unreadable file.
pub fn keep_columns(state_dir: &Path, pane: &str, choice: Option<ColumnChoice>) -> io::Result<()> {
    let mut kept = kept_columns(state_dir).unwrap_or_default();
    match choice {
        Some(choice) => kept.insert(pane.to_owned(), choice),
        None => kept.remove(pane),
    };
    write(state_dir, FILE, &serde_json::to_vec_pretty(&kept)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn choice(shown: &[&str]) -> ColumnChoice {
        ColumnChoice {
            shown: shown.iter().map(ToString::to_string).collect(),
            hidden: vec!["fees".to_owned()],
        }
    }

    #[test]
    fn each_pane_keeps_its_columns_and_forgets_them_alone() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        assert_eq!(kept_columns(&state).unwrap(), KeptChoices::new());
        keep_columns(&state, "positions", Some(choice(&["size", "market"]))).unwrap();
        keep_columns(&state, "orders", Some(choice(&["side"]))).unwrap();
        keep_columns(&state, "orders", None).unwrap();
        let kept = KeptChoices::from([("positions".to_owned(), choice(&["size", "market"]))]);
        assert_eq!(kept_columns(&state).unwrap(), kept);
        let files: Vec<_> = fs::read_dir(&state).unwrap().collect();
        assert_eq!(files.len(), 1, "nothing half written is left: {files:?}");
    }

    #[test]
    fn a_broken_file_says_why_and_gives_way_to_the_next_choice() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(columns_file(dir.path()), "{\"orders\": 3}").unwrap();
        let why = kept_columns(dir.path()).unwrap_err().to_string();
        assert!(why.contains("line 1"), "{why}");
        keep_columns(dir.path(), "orders", Some(choice(&["side"]))).unwrap();
        assert_eq!(kept_columns(dir.path()).unwrap().len(), 1);
    }
}
