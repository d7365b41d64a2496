//! What the documents say of the program is what the program does.

use perpdeck::app::keys::keymap::{Binding, Context, default_bindings};
use std::{env, fs};

const KEYS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/keys.md");
const MARKS: [&str; 2] = ["<!-- keys -->\n", "<!-- /keys -->"];

/// One table row per place: `key does · key does`.
fn table() -> String {
    let mut rows: Vec<(Context, Vec<String>)> = vec![];
    for binding in default_bindings() {
        let words = words(&binding);
        match rows.last_mut() {
            Some((place, does)) if *place == binding.context => does.push(words),
            _ => rows.push((binding.context, vec![words])),
        }
    }
    let row = |(place, does): (Context, Vec<String>)| {
        format!("| {} | {} |\n", name(place), does.join(" · "))
    };
    let rows: String = rows.into_iter().map(row).collect();
    format!("| where | keys |\n|---|---|\n{rows}")
}

fn words(binding: &Binding) -> String {
    let keys: Vec<_> = binding
        .keys
        .iter()
        .map(|chord| format!("`{chord}`"))
        .collect();
    format!("{} {}", keys.join(" "), binding.action.label())
}

fn name(place: Context) -> String {
    if place == Context::Desk {
        return "every pane".to_owned();
    }
    place.to_string()
}

/// `UPDATE_DOCS=1 cargo test --test cli documents` writes the table instead of comparing it.
#[test]
fn the_key_table_of_the_documents_is_the_one_the_desk_reads() {
    let page = fs::read_to_string(KEYS).unwrap();
    let (before, rest) = page.split_once(MARKS[0]).unwrap();
    let (shown, after) = rest.split_once(MARKS[1]).unwrap();
    if env::var_os("UPDATE_DOCS").is_some() {
        let written = [before, MARKS[0], &table(), MARKS[1], after].concat();
        return fs::write(KEYS, written).unwrap();
    }
    assert_eq!(shown, table());
}
