//! Rows as they are printed: as a table, JSON, JSON lines or CSV, of all fields or of those that were named.
//!
//! Contract: JSON and CSV hold the same row, with every digit. A field that the row does not have is a usage error. `--limit`
//! takes the newest rows; `--sort` then orders them, rows without the field last.

use super::{complete, drawn, sheet::TextTable, width};
use crate::{
    app::Store,
    cli::{
        Exit,
        exit::UsageError,
        jq, out,
        voice::{ListFormat, ListOutput, json},
    },
    model::{Num, Page},
    view::{
        Column, Scene,
        tables::rows::{RowMembers, csv, members, schema_of},
    },
};
use color_eyre::Result;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::{cmp::Ordering, collections::BTreeSet};

/// How the rows of a list are printed.
pub(in crate::cli) struct ListView<T: 'static, R> {
    table: TextTable<T>,
    row: fn(&T, &Scene<'_>) -> R,
    /// The columns of a CSV.
    csv: &'static [&'static str],
}

/// A row of the list, and as it is printed exactly.
struct ExactRow<'a, T, R> {
    row: &'a T,
    exact: R,
}

impl<Own: Serialize + JsonSchema + Clone> ListView<Own, Own> {
    /// Of rows that are printed as they are.
    pub(in crate::cli) fn plain(
        columns: &'static [Column<Own>],
        csv: &'static [&'static str],
    ) -> Self {
        Self {
            table: TextTable::of(columns),
            row: |row, _| row.clone(),
            csv,
        }
    }
}

impl<T, R: Serialize + JsonSchema> ListView<T, R> {
    pub(super) fn new(
        table: TextTable<T>,
        row: fn(&T, &Scene<'_>) -> R,
        csv: &'static [&'static str],
    ) -> Self {
        Self { table, row, csv }
    }

    /// Prints the rows of a list; `store` has the other data that they need.
    pub(in crate::cli) fn print(
        &self,
        output: &ListOutput,
        page: &Page<T>,
        store: &Store,
    ) -> Result<Exit> {
        out::say(&drawn(store, |scene| {
            let lines = self.text(output, &page.rows, scene)?;
            jq::filtered(output.jq.as_deref(), lines)
        })?)?;
        Ok(complete(output.voice(), page))
    }

    /// Prints rows that were named by their ids, of which one alone is no list; `below` stands under their table.
    pub(super) fn show(
        &self,
        output: &ListOutput,
        rows: &[T],
        store: &Store,
        below: impl Fn(&T, &Scene<'_>) -> String,
    ) -> Result<Exit> {
        out::say(&drawn(store, |scene| {
            let text = self.text(output, rows, scene)?;
            let text = match (output.voice().format, rows) {
                (ListFormat::Json, [_]) => alone(&text),
                (ListFormat::Table, rows) => {
                    let below: String = rows.iter().map(|row| below(row, scene)).collect();
                    text + &below
                }
                (ListFormat::Json | ListFormat::Jsonl | ListFormat::Csv, _) => text,
            };
            jq::filtered(output.jq.as_deref(), text)
        })?)?;
        Ok(Exit::Ok)
    }

    fn text(
        &self,
        output: &ListOutput,
        rows: &[T],
        scene: &Scene<'_>,
    ) -> Result<String, UsageError> {
        self.check(output)?;
        let exact = |row| ExactRow {
            row,
            exact: (self.row)(row, scene),
        };
        let mut rows: Vec<_> = rows.iter().map(exact).collect();
        if let Some(field) = &output.sort {
            sort(&mut rows, field);
        }
        let fields: Vec<_> = output.fields.iter().map(String::as_str).collect();
        Ok(match output.voice().format {
            ListFormat::Json => array(&lines(&rows, &fields)),
            ListFormat::Jsonl => lines(&rows, &fields)
                .into_iter()
                .map(|line| line + "\n")
                .collect(),
            ListFormat::Table => {
                let shown: Vec<_> = rows.iter().map(|row| row.row).collect();
                if fields.is_empty() {
                    self.table.table(&shown, scene, width())
                } else {
                    let members: Vec<_> = rows.iter().map(|row| members(&row.exact)).collect();
                    self.table.of_fields(&fields, &shown, &members, scene)
                }
            }
            ListFormat::Csv => {
                let exact: Vec<_> = rows.iter().map(|row| &row.exact).collect();
                csv(if fields.is_empty() { self.csv } else { &fields }, &exact)
            }
        })
    }

    /// Refuses fields that no row has.
    fn check(&self, output: &ListOutput) -> Result<(), UsageError> {
        let schema = schema_of::<R>();
        let properties = schema.get("properties").and_then(|all| all.as_object());
        let known: BTreeSet<_> = properties
            .into_iter()
            .flat_map(|all| all.keys().map(String::as_str))
            .chain(self.csv.iter().copied())
            .collect();
        let sorted = output
            .sort
            .as_deref()
            .map(|field| ("--sort", field_name(field)));
        let fields = output
            .fields
            .iter()
            .map(|field| ("--fields", field.as_str()));
        for (flag, field) in fields.chain(sorted) {
            if !known.contains(field) {
                let known: Vec<_> = known.into_iter().collect();
                let words = format!(
                    "{flag}: there is no field {field:?}; there are {}",
                    known.join(", ")
                );
                return Err(UsageError(words));
            }
        }
        let mut named = BTreeSet::new();
        // JSON with a member twice has no one meaning.
        match output.fields.iter().find(|field| !named.insert(*field)) {
            Some(field) => Err(UsageError(format!("--fields: {field} is there twice"))),
            None => Ok(()),
        }
    }
}

/// Without the sign of a descending order.
fn field_name(field: &str) -> &str {
    field.strip_prefix('-').unwrap_or(field)
}

/// Numbers by their value, other members by their text.
fn sort<T, R: Serialize>(rows: &mut [ExactRow<'_, T, R>], field: &str) {
    let name = field_name(field);
    let key = |row: &ExactRow<'_, T, R>| {
        members(&row.exact)
            .remove(name)
            .map(|raw| raw.get().to_owned())
    };
    rows.sort_by_cached_key(|row| SortKey {
        text: key(row),
        falls: name != field,
    });
}

/// A member, and whether the largest comes first.
#[derive(PartialEq, Eq)]
struct SortKey {
    text: Option<String>,
    falls: bool,
}

impl Ord for SortKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let (Some(one), Some(two)) = (&self.text, &other.text) else {
            return self.text.is_none().cmp(&other.text.is_none());
        };
        let order = match (one.parse::<Num>(), two.parse::<Num>()) {
            (Ok(one), Ok(two)) => one.cmp(&two),
            (Ok(_) | Err(_), _) => one.cmp(two),
        };
        if self.falls { order.reverse() } else { order }
    }
}

impl PartialOrd for SortKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Some members of a row, in the order in which they were named.
struct PickedMembers<'a> {
    members: RowMembers,
    fields: &'a [&'a str],
}

impl Serialize for PickedMembers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let picked = self
            .fields
            .iter()
            .filter_map(|name| Some((name, self.members.get(*name)?)));
        serializer.collect_map(picked)
    }
}

/// One row per line.
fn lines<T, R: Serialize>(rows: &[ExactRow<'_, T, R>], fields: &[&str]) -> Vec<String> {
    let line = |row: &ExactRow<'_, T, R>| {
        if fields.is_empty() {
            return json(&row.exact);
        }
        let members = members(&row.exact);
        json(&PickedMembers { members, fields })
    };
    rows.iter().map(line).collect()
}

/// Readable for people, `diff` and `jq`.
fn array(lines: &[String]) -> String {
    if lines.is_empty() {
        return "[]\n".to_owned();
    }
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// The only row of an array.
fn alone(array: &str) -> String {
    let row = array.trim_start_matches("[\n").trim_end_matches("\n]\n");
    format!("{row}\n")
}
