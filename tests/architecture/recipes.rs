//! The recipes of docs/contributing.md name the files that a change touches. Where a recipe says by which names its
//! example is found, its table must name those files and no others.

use crate::source::sources;
use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn a_recipe_names_every_production_file_of_its_example_and_no_other() {
    let page = fs::read_to_string("docs/contributing.md").unwrap();
    let recipes: Vec<_> = page.split("\n### ").filter_map(Recipe::read).collect();
    assert!(
        recipes.len() >= 2,
        "{} recipes say their names",
        recipes.len()
    );
    for recipe in recipes {
        assert_eq!(recipe.files, naming(&recipe.names), "{}", recipe.title);
    }
}

struct Recipe<'a> {
    title: &'a str,
    /// The words of `<!-- found by: one two -->`.
    names: Vec<&'a str>,
    /// The files under `src` in the first column of its table.
    files: BTreeSet<String>,
}

impl<'a> Recipe<'a> {
    fn read(section: &'a str) -> Option<Self> {
        let (_, rest) = section.split_once("<!-- found by: ")?;
        let (names, rest) = rest.split_once(" -->")?;
        let rows = rest.lines().filter(|line| line.starts_with("| `"));
        let cells = rows.filter_map(|row| row.split('|').nth(1));
        let quoted = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
        Some(Self {
            title: section.lines().next()?,
            names: names.split(' ').collect(),
            files: quoted
                .filter(|path| path.starts_with("src/"))
                .map(str::to_owned)
                .collect(),
        })
    }
}

/// The production files in which one of these words stands.
fn naming(names: &[&str]) -> BTreeSet<String> {
    let all = sources(Path::new("src")).into_iter().map(|file| file.path);
    all.filter(|path| {
        let text = fs::read_to_string(path).unwrap();
        let production = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut words = production.split(|c| !is_part(c));
        words.any(|word| names.contains(&word))
    })
    .collect()
}
