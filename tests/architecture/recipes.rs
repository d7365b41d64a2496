//! The recipes of docs/contributing.md name the files that a change touches. Where a recipe says by which names its
//! example is found, its table must name those files and no others, and the number of those that are not new must be
//! the one that the recipe states.

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
        let all: BTreeSet<_> = recipe.files.union(&recipe.new).cloned().collect();
        assert_eq!(all, naming(&recipe.names), "{}", recipe.title);
        assert_eq!(recipe.touched(), recipe.stated, "{}", recipe.title);
    }
}

struct Recipe<'a> {
    title: &'a str,
    /// The words of `<!-- found by: one two -->`.
    names: Vec<&'a str>,
    /// The files under `src` in the first column of its table, without those of the rows below.
    files: BTreeSet<String>,
    /// The files under `src` in the rows that begin with `new:`.
    new: BTreeSet<String>,
    /// Files of the table outside `src`: defaults, descriptions.
    assets: usize,
    /// The number in `**12 files`.
    stated: usize,
}

impl<'a> Recipe<'a> {
    fn read(section: &'a str) -> Option<Self> {
        let (_, rest) = section.split_once("<!-- found by: ")?;
        let (names, rest) = rest.split_once(" -->")?;
        let cells = |start: &'static str| {
            let rows = rest.lines().filter(move |line| line.starts_with(start));
            let cells = rows.filter_map(|row| row.split('|').nth(1));
            cells.flat_map(|cell| cell.split('`').skip(1).step_by(2))
        };
        let sources = |start| {
            let paths = cells(start).filter(|path| path.starts_with("src/"));
            paths.map(str::to_owned).collect()
        };
        let (number, _) = section.split_once(" files.**")?;
        let (_, number) = number.rsplit_once("**")?;
        Some(Self {
            title: section.lines().next()?,
            names: names.split(' ').collect(),
            files: sources("| `"),
            new: sources("| new: `"),
            assets: cells("| `")
                .filter(|path| path.starts_with("assets/"))
                .count(),
            stated: number.parse().ok()?,
        })
    }

    fn touched(&self) -> usize {
        self.files.len() + self.assets
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
