//! The chosen columns of earlier sessions: the file names them, the desk numbers them.

use crate::{
    app::account::pane::Pane,
    config::{ColumnChoice, columns_file, keep_columns, kept_columns},
    view::READING,
};
use std::{collections::BTreeMap, io, path::Path};
use strum::IntoEnumIterator as _;

/// The stored choices, and warnings about them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StoredColumns {
    pub(super) columns: BTreeMap<Pane, Vec<usize>>,
    pub(super) warnings: Vec<String>,
}

/// As far as the panes and columns still exist; a column that is new since then comes last.
pub(super) fn recall(state_dir: &Path) -> StoredColumns {
    let mut recalled = StoredColumns::default();
    let kept = match kept_columns(state_dir) {
        Ok(kept) => kept,
        Err(why) => {
            recalled.warn(state_dir, &format!("{why}; the default columns are used"));
            return recalled;
        }
    };
    for (name, choice) in kept {
        let Some(pane) = Pane::iter().find(|pane| self::name(*pane) == name) else {
            recalled.warn(state_dir, &format!("there is no pane {name}"));
            continue;
        };
        let (columns, unknown) = chosen(pane, &choice);
        if !unknown.is_empty() {
            let unknown = unknown.join(", ");
            recalled.warn(state_dir, &format!("{name} has no column {unknown}"));
        }
        recalled.columns.insert(pane, columns);
    }
    recalled
}

/// Stores the columns of one pane; `None` means all in the default order.
pub(super) fn keep(state_dir: &Path, pane: Pane, columns: Option<&[usize]>) -> io::Result<()> {
    let names = (READING.columns)(pane);
    let choice = columns.map(|columns| {
        let hidden = names.iter().enumerate();
        let hidden = hidden.filter(|(at, _)| !columns.contains(at));
        let shown = columns.iter().filter_map(|at| names.get(*at));
        ColumnChoice {
            shown: shown.map(|name| name.id.to_owned()).collect(),
            hidden: hidden.map(|(_, name)| name.id.to_owned()).collect(),
        }
    });
    keep_columns(state_dir, &name(pane), choice)
}

/// The pane's name in the sections of a key file.
pub(super) fn name(pane: Pane) -> String {
    pane.context().to_string()
}

/// The column numbers of a choice, and the ids that do not exist.
fn chosen(pane: Pane, choice: &ColumnChoice) -> (Vec<usize>, Vec<String>) {
    let names = (READING.columns)(pane);
    let place = |id: &String| names.iter().position(|name| name.id == id);
    let (mut columns, mut unknown) = (vec![], vec![]);
    for id in &choice.shown {
        match place(id) {
            Some(at) if !columns.contains(&at) => columns.push(at),
            Some(_) => {}
            None => unknown.push(id.clone()),
        }
    }
    let hidden: Vec<_> = choice.hidden.iter().filter_map(place).collect();
    let new = (0..names.len()).filter(|at| !columns.contains(at) && !hidden.contains(at));
    let new: Vec<_> = new.collect();
    columns.extend(new);
    if columns.is_empty() {
        columns.extend(0..names.len());
    }
    (columns, unknown)
}

impl StoredColumns {
    fn warn(&mut self, state_dir: &Path, what: &str) {
        let file = columns_file(state_dir);
        self.warnings.push(format!("{}: {what}", file.display()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_was_kept_comes_back_in_its_order() {
        let dir = tempfile::tempdir().unwrap();
        keep(dir.path(), Pane::Orders, Some(&[4, 0, 1])).unwrap();
        keep(dir.path(), Pane::Positions, Some(&[1])).unwrap();
        keep(dir.path(), Pane::Positions, None).unwrap();
        let columns = BTreeMap::from([(Pane::Orders, vec![4, 0, 1])]);
        let warnings = vec![];
        assert_eq!(recall(dir.path()), StoredColumns { columns, warnings });
    }

    #[test]
    fn a_broken_file_is_explained_and_ignored() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(columns_file(dir.path()), "{\"positions\"").unwrap();
        let recalled = recall(dir.path());
        assert_eq!(recalled.columns, BTreeMap::new());
        let [said] = recalled.warnings.as_slice() else {
            panic!("{:?}", recalled.warnings)
        };
        assert!(
            said.contains("columns.json: EOF") && said.ends_with("; the default columns are used"),
            "{said}"
        );
    }

    #[test]
    fn what_another_version_wrote_counts_as_far_as_it_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let file = r#"{
            "positions": { "shown": ["size", "depth", "market", "size"], "hidden": ["side", "fees"] },
            "balances": { "shown": [] }
        }"#;
        fs::write(columns_file(dir.path()), file).unwrap();
        let recalled = recall(dir.path());
        let names = (READING.columns)(Pane::Positions);
        let ids = recalled.columns[&Pane::Positions].iter();
        let ids: Vec<_> = ids.map(|at| names[*at].id).collect();
        assert_eq!(
            ids[..3],
            ["size", "market", "entry_price"],
            "what is new comes last"
        );
        assert_eq!(ids.len(), names.len() - 2);
        let said = recalled.warnings.iter();
        let said: Vec<_> = said
            .filter_map(|words| words.split_once("columns.json: "))
            .collect();
        assert_eq!(
            said.iter().map(|(_, what)| *what).collect::<Vec<_>>(),
            ["there is no pane balances", "positions has no column depth"]
        );
    }
}
