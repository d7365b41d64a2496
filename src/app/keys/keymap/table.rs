//! Reads key files: a section is a place, a row the keys of an action there.
//!
//! Contract: the built-in file and a person's have one form and one parser. Only the built-in one has columns beside the
//! keys, so that a person's file keeps its meaning when a footer or a help changes.

use super::{
    action::Action,
    context::Context,
    keys::Keys,
    presentation::{Presentation, Presented},
};
use std::collections::BTreeMap;
use strum::VariantNames;
use toml::de::{DeTable, DeValue};

/// The column that every file has.
const KEYS: &str = "keys";

/// Who bound it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Default,
    Person,
}

/// The keys of each action in each place, and who bound them.
pub(super) type Bound = BTreeMap<(Context, Action), (By, Vec<Keys>)>;

/// Key files laid over each other.
#[derive(Default)]
pub(super) struct KeyTable {
    pub(super) bound: Bound,
    pub(super) presented: Presented,
    pub(super) faults: Vec<String>,
}

impl KeyTable {
    /// Applies a key file.
    pub(super) fn lay_over(&mut self, text: &str, by: By) {
        match DeTable::parse(text) {
            Ok(sections) => {
                for (section, rows) in sections.get_ref() {
                    self.lay_over_section(section.get_ref(), rows.get_ref(), by);
                }
            }
            Err(why) => self.faults.push(why.to_string()),
        }
    }

    fn lay_over_section(&mut self, section: &str, rows: &DeValue<'_>, by: By) {
        let Ok(context) = section.parse::<Context>() else {
            let known = Context::VARIANTS.join(", ");
            let words = format!("[{section}]: no such section; known: {known}");
            return self.faults.push(words);
        };
        let Some(rows) = rows.as_table() else {
            let words = format!("{section}: write `[{section}]` on a line above its actions");
            return self.faults.push(words);
        };
        for (name, row) in rows {
            if let Err(why) = self.lay_over_row(context, name.get_ref(), (row.get_ref(), by)) {
                self.faults
                    .push(format!("[{section}] {}: {why}", name.get_ref()));
            }
        }
    }

    fn lay_over_row(
        &mut self,
        context: Context,
        name: &str,
        (row, by): (&DeValue<'_>, By),
    ) -> Result<(), String> {
        let action = name.parse::<Action>().map_err(|_| "no such action")?;
        let mut keys = Some(row);
        if let DeValue::Table(columns) = row {
            keys = columns.get(KEYS).map(toml::Spanned::get_ref);
            let presentation = presentation(columns, by)?;
            if by == By::Default {
                self.presented.insert((context, action), presentation);
            }
        }
        match (keys, by) {
            (Some(keys), _) => {
                let keys = parsed(context, keys)?;
                self.bound.insert((context, action), (by, keys));
                Ok(())
            }
            (None, By::Default) => Ok(()),
            (None, By::Person) => Err(format!("no keys: write `{name} = \"x\"`")),
        }
    }
}

fn presentation(columns: &DeTable<'_>, by: By) -> Result<Presentation, String> {
    let mut presentation = Presentation::default();
    for (column, cell) in columns {
        let column: &str = column.get_ref();
        if column == KEYS {
            continue;
        }
        if by == By::Person {
            return Err(format!("{column}: your own file holds only keys"));
        }
        let set = presentation.set(column, cell.get_ref());
        set.map_err(|why| format!("{column}: {why}"))?;
    }
    Ok(presentation)
}

fn parsed(context: Context, written: &DeValue<'_>) -> Result<Vec<Keys>, String> {
    let key = |written: &DeValue<'_>| match written.as_str() {
        Some(key) => key.parse::<Keys>(),
        None => Err(format!(
            "not a key but {}: write `\"x\"`, or `[\"x\", \"y\"]`",
            written.type_str()
        )),
    };
    let keys = match written.as_array() {
        Some(keys) => keys.iter().map(|one| key(one.get_ref())).collect(),
        None => key(written).map(|one| vec![one]),
    }?;
    let two = keys.iter().find(|keys: &&Keys| keys.then.is_some());
    match two.filter(|_| context.panes().next().is_none()) {
        Some(two) => Err(format!(
            "{two}: two keys one after another are for panes only"
        )),
        None => Ok(keys),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str, by: By) -> Vec<String> {
        let mut table = KeyTable::default();
        table.lay_over(text, by);
        table.faults
    }

    #[test]
    fn a_row_that_cannot_be_read_says_where_it_is_what_is_wrong_and_what_to_write() {
        for (file, fault) in [
            (
                "[desk]\nbuy = 5",
                "[desk] buy: not a key but integer: write `\"x\"`, or `[\"x\", \"y\"]`",
            ),
            (
                "[desk]\nbuy = [\"b\", 5]",
                "[desk] buy: not a key but integer: write `\"x\"`, or `[\"x\", \"y\"]`",
            ),
            (
                "[desk]\nbuy = { keys = \"b\", foter = 5 }",
                "[desk] buy: foter: no such column; known: keys, footer, word, pair, help, empty, elsewhere",
            ),
            (
                "[desk]\nbuy = { footer = \"first\" }",
                "[desk] buy: footer: write a number from 1 to 99",
            ),
            (
                "[desk]\nbuy = { footer = 0 }",
                "[desk] buy: footer: write a number from 1 to 99",
            ),
            (
                "[desk]\nbuy = { word = 1 }",
                "[desk] buy: word: write a text",
            ),
            (
                "[desk]\nbuy = { pair = \"sel\" }",
                "[desk] buy: pair: no action is called sel",
            ),
            (
                "[desk]\nbuy = { help = \"trade\" }",
                "[desk] buy: help: no section is called trade; known: Trade, Desk, Find, Panes, Move",
            ),
        ] {
            assert_eq!(faults(file, By::Default), [fault], "{file}");
        }
    }

    #[test]
    fn a_persons_row_may_stand_as_in_the_built_in_file_but_changes_only_keys() {
        assert_eq!(
            faults("[desk]\nbuy = { keys = \"N\" }", By::Person),
            [""; 0]
        );
        for (file, fault) in [
            (
                "[desk]\nbuy = { keys = \"N\", footer = 1 }",
                "[desk] buy: footer: your own file holds only keys",
            ),
            (
                "[desk]\nbuy = {}",
                "[desk] buy: no keys: write `buy = \"x\"`",
            ),
            (
                "[desk]\nbuy = { keys = { keys = \"N\" } }",
                "[desk] buy: not a key but table: write `\"x\"`, or `[\"x\", \"y\"]`",
            ),
            (
                "[[desk]]\nbuy = \"N\"",
                "desk: write `[desk]` on a line above its actions",
            ),
        ] {
            assert_eq!(faults(file, By::Person), [fault], "{file}");
        }
    }
}
