//! What the README says of the keys is what the keys do.

use perpdeck::app::keys::keymap::{Binding, Context, default_bindings};
use std::{env, fs};

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
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

/// `UPDATE_README=1 cargo test --test cli readme` writes the table instead of comparing it.
#[test]
fn the_key_table_of_the_readme_is_the_one_the_desk_reads() {
    let readme = fs::read_to_string(README).unwrap();
    let (before, rest) = readme.split_once(MARKS[0]).unwrap();
    let (shown, after) = rest.split_once(MARKS[1]).unwrap();
    if env::var_os("UPDATE_README").is_some() {
        let written = [before, MARKS[0], &table(), MARKS[1], after].concat();
        return fs::write(README, written).unwrap();
    }
    assert_eq!(shown, table());
}
