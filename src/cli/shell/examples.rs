//! The examples of every command, for `--help` and the manual pages, from `assets/examples.txt`.

const EXAMPLES: &str = include_str!("../../../assets/examples.txt");

/// A command line, and what it does.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Example {
    pub(in crate::cli) line: &'static str,
    pub(in crate::cli) does: &'static str,
}

/// A command and its lines; the path of a subcommand has blanks between its words.
#[derive(Debug, Clone, Copy)]
struct ExampleSection {
    path: &'static str,
    lines: &'static str,
}

fn sections() -> impl Iterator<Item = ExampleSection> {
    EXAMPLES.split("\n\n").filter_map(|section| {
        let (path, lines) = section.strip_prefix('[')?.split_once("]\n")?;
        Some(ExampleSection { path, lines })
    })
}

/// The commands that have examples.
#[cfg(test)]
pub(in crate::cli) fn paths() -> impl Iterator<Item = &'static str> {
    sections().map(|section| section.path)
}

/// The examples of this command.
pub(in crate::cli) fn of(path: &str) -> Vec<Example> {
    let found = sections().find(|section| section.path == path);
    let lines = found.map_or("", |section| section.lines).lines();
    let does = lines.clone().filter_map(|line| line.strip_prefix("# "));
    let run = lines.filter(|line| !line.starts_with('#'));
    run.zip(does)
        .map(|(line, does)| Example { line, does })
        .collect()
}
