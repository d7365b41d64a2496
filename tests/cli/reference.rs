//! The pages of `docs/reference` are what the program says of itself.
//!
//! `UPDATE_DOCS=1 cargo test --test cli reference` writes them instead of comparing them.

use super::{perpdeck, ran};
use perpdeck::{
    cli::Exit,
    model::{Failure, FailureKind},
};
use serde_json::Value;
use std::{
    cmp::Reverse, collections::BTreeMap, env, fmt::Write as _, fs, path::Path,
    process::Termination as _,
};
use strum::VariantArray as _;
use tempfile::TempDir;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference");

#[track_caller]
fn same_as_written(page: &str, text: &str) {
    let path = Path::new(FOLDER).join(page);
    if env::var_os("UPDATE_DOCS").is_some() {
        return fs::write(path, text).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == text,
        "docs/reference/{page} is not what the program says: UPDATE_DOCS=1 cargo test --test cli reference"
    );
}

fn says(arguments: &[&str]) -> String {
    let home = TempDir::new().unwrap();
    let (code, said, complained) = ran(perpdeck(home.path()).args(arguments));
    assert_eq!(code, 0, "{arguments:?}: {complained}");
    said
}

/// The names below `Commands:` in a help text.
fn subcommands(help: &str) -> Vec<String> {
    let (_, list) = help.split_once("\nCommands:\n").unwrap_or_default();
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names
        .filter(|name| !name.is_empty() && *name != "help")
        .map(str::to_owned)
        .collect()
}

/// A line of a list: what a flag, an argument or a field means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    line: String,
    /// How the list of a place that shares the entry calls it.
    name: String,
}

/// What one `--help` says, section by section.
struct Help {
    title: String,
    about: String,
    usage: String,
    flags: Vec<Entry>,
    settings: Vec<String>,
}

impl Help {
    fn name(&self) -> &str {
        self.title.trim_start_matches("perpdeck ")
    }

    fn having(&self, names: &[&str]) -> Vec<&Entry> {
        let flags = self.flags.iter();
        flags.filter(|flag| flag.is_one_of(names)).collect()
    }

    fn prints_rows(&self) -> bool {
        !self.having(&OF_ROWS[3..]).is_empty()
    }

    /// The flags that stand with the command itself.
    fn listed(&self) -> Vec<Entry> {
        let elsewhere = if self.prints_rows() {
            &OF_ROWS[..]
        } else {
            &[]
        };
        let mut flags = self.flags.clone();
        flags.retain(|flag| !flag.is_one_of(&OF_MOST) && !flag.is_one_of(elsewhere));
        flags
    }

    /// The help of a command, and those of its subcommands behind it.
    fn read_all(command: &[&str]) -> Vec<Self> {
        let text = says(&[command, &["--help"]].concat());
        let title = [&["perpdeck"], command].concat().join(" ");
        let mut all = vec![Self::read(title, &text)];
        for name in subcommands(&text) {
            all.extend(Self::read_all(&[command, &[name.as_str()]].concat()));
        }
        all
    }

    fn read(title: String, text: &str) -> Self {
        let (about, rest) = text.split_once("Usage: ").unwrap();
        let part = |heading: &str| {
            let start = format!("\n{heading}:\n");
            let (_, part) = rest.split_once(&start).unwrap_or_default();
            let lines = part.lines().take_while(|line| {
                let is_heading = !line.starts_with(' ') && line.ends_with(':');
                !is_heading
                    && !line.starts_with("There is no flag")
                    && !line.starts_with("Exit codes")
            });
            lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
        };
        Self {
            title,
            about: about.trim().to_owned(),
            usage: rest.lines().next().unwrap_or_default().to_owned(),
            flags: ["Arguments", "Options"]
                .into_iter()
                .flat_map(|heading| flags(&part(heading)))
                .map(|(flag, about)| Entry::of_flag(&flag, &about))
                .collect(),
            settings: flags(&part("Settings"))
                .into_iter()
                .map(|(flag, _)| flag)
                .collect(),
        }
    }
}

/// The flags of a section and what is said of each. One begins at the margin; what is further right goes on with it.
fn flags(section: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = vec![];
    for line in section.lines() {
        let words = line.trim_start();
        let is_entry = line.len() - words.len() <= 6 && words.starts_with(['-', '<', '[']);
        match found.last_mut() {
            _ if is_entry => {
                let (flag, about) = words.split_once("  ").unwrap_or((words, ""));
                found.push((flag.trim().to_owned(), plain(about)));
            }
            Some((_, about)) => *about = plain(&format!("{about} {words}")),
            None => {}
        }
    }
    found.retain(|(flag, _)| !flag.contains("--help") && !flag.contains("--version"));
    found
}

/// What nearly every command has.
const OF_MOST: [&str; 2] = ["--quiet", "--verbose"];
/// What each command that prints rows has; the last one is of these alone.
const OF_ROWS: [&str; 4] = ["--output", "--fields", "--sort", "--jq"];

impl Entry {
    fn of_flag(flag: &str, about: &str) -> Self {
        let about = about
            .replace("[possible values: ", "[")
            .replace(" Possible values: -", "; one of:");
        let name = long_name(flag).unwrap_or(flag);
        Self {
            line: format!("- `{flag}`: {about}"),
            name: format!("`{name}`"),
        }
    }

    fn is_one_of(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.name == format!("`{name}`"))
    }
}

fn write_command(page: &mut String, help: &Help) {
    write!(page, "\n## {}\n\n{}\n", help.title, help.about).unwrap();
    let is_plain = |word: &str| matches!(word, "[OPTIONS]" | "[COMMAND]" | "<COMMAND>");
    let own = help.usage.strip_prefix(&help.title).unwrap_or_default();
    if !own.split_whitespace().all(is_plain) {
        writeln!(page, "\n`{}`", help.usage.replace(" [OPTIONS]", "")).unwrap();
    }
}

/// A place of a page with what is listed there.
struct Place<'a> {
    title: &'a str,
    entries: &'a [Entry],
}

/// The entries that neither all places share nor an earlier place has, then the names of the others.
fn write_entries(page: &mut String, place: &Place<'_>, shared: &[Entry], earlier: &[Place<'_>]) {
    let same_as = |entry: &Entry| {
        let mut others = earlier.iter().filter(|_| !shared.contains(entry));
        others.find(|other| other.entries.contains(entry))
    };
    let (new, known): (Vec<_>, Vec<_>) = place
        .entries
        .iter()
        .partition(|entry| !shared.contains(entry) && same_as(entry).is_none());
    if !new.is_empty() {
        page.push('\n');
    }
    for entry in new {
        writeln!(page, "{}", entry.line).unwrap();
    }
    let mut others: Vec<(String, Vec<&str>)> = vec![];
    for entry in known {
        let of = same_as(entry).map_or(String::new(), |other| format!(" as in `{}`", other.title));
        match others.iter_mut().find(|(known, _)| *known == of) {
            Some((_, names)) => names.push(&entry.name),
            None => others.push((of, vec![&entry.name])),
        }
    }
    if !others.is_empty() {
        let others = others
            .iter()
            .map(|(of, names)| format!("{}{of}", names.join(", ")));
        writeln!(page, "\nAlso {}.", others.collect::<Vec<_>>().join("; ")).unwrap();
    }
}

/// The flags of rows as the first of their commands explains them, and the names of these commands.
fn write_flags_of_rows(page: &mut String, helps: &[Help]) {
    let of_rows: Vec<_> = helps.iter().filter(|help| help.prints_rows()).collect();
    let names = of_rows.iter().map(|help| format!("`{}`", help.name()));
    let names: Vec<_> = names.collect();
    write!(page, "\n## Flags of rows\n\nOf {}:\n\n", names.join(", ")).unwrap();
    let flags = of_rows[0].having(&OF_ROWS);
    for flag in &flags {
        writeln!(page, "{}", flag.line).unwrap();
    }
    for help in of_rows {
        assert_eq!(help.having(&OF_ROWS), flags, "{}", help.title);
    }
}

/// `--limit` of `-L, --limit <ROWS>`.
fn long_name(flag: &str) -> Option<&str> {
    let mut names = flag.split([' ', ',', '[', '=']);
    names.find(|name| name.starts_with("--"))
}

#[test]
fn the_page_of_commands_has_every_flag_of_every_help() {
    let helps = Help::read_all(&[]);
    let listed: Vec<_> = helps.iter().map(Help::listed).collect();
    let of_most = helps.iter().flat_map(|help| help.having(&OF_MOST));
    let all: Vec<_> = listed.iter().flatten().chain(of_most).collect();
    let shared = said_often(&all, |entry| entry.name.starts_with("`--"));
    let mut page = "# Commands\n\nWhat `--help` says of each command; the values of a flag stand in brackets. \
                    [command-line.md](../command-line.md) has examples.\n\n\
                    ## Settings\n\nA command takes those that it needs as flags. [default.toml](../../assets/default.toml) explains \
                    them; `--config` names a file, `--profile` an account of it.\n\n"
        .to_owned();
    let settings = helps[0].settings.iter();
    let settings: Vec<_> = settings.map(|flag| format!("`{flag}`")).collect();
    write!(
        page,
        "{}\n\n## Flags of several commands\n",
        settings.join(", ")
    )
    .unwrap();
    let common = Place {
        title: "",
        entries: &shared,
    };
    write_entries(&mut page, &common, &[], &[]);
    write_flags_of_rows(&mut page, &helps);
    let places = helps.iter().map(Help::name).zip(&listed);
    let places = places.map(|(title, entries)| Place { title, entries });
    let places: Vec<_> = places.collect();
    for (at, (help, place)) in helps.iter().zip(&places).enumerate() {
        write_command(&mut page, help);
        write_entries(&mut page, place, &shared, &places[..at]);
    }
    same_as_written("commands.md", &page);
}

/// Text on one line.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What several places say in the same words, with each name once: the most frequent meaning.
fn said_often(all: &[&Entry], counts_for: impl Fn(&Entry) -> bool) -> Vec<Entry> {
    let mut counts: BTreeMap<&Entry, usize> = BTreeMap::new();
    for entry in all.iter().filter(|entry| counts_for(entry)) {
        *counts.entry(entry).or_default() += 1;
    }
    let mut often: Vec<_> = counts
        .into_iter()
        .filter(|(_, count)| *count >= 2)
        .collect();
    often.sort_by_key(|(_, count)| Reverse(*count));
    let mut shared: Vec<Entry> = vec![];
    for (entry, _) in often {
        if !shared.iter().any(|other| other.name == entry.name) {
            shared.push(entry.clone());
        }
    }
    shared.sort();
    shared
}

fn kind(field: &Value) -> String {
    let of = |value: &Value| {
        value
            .as_str()
            .filter(|name| *name != "null")
            .map(str::to_owned)
    };
    let types = &field["type"];
    let names: Vec<_> = match types.as_array() {
        Some(names) => names.iter().filter_map(of).collect(),
        None => of(types).into_iter().collect(),
    };
    match field["format"].as_str() {
        Some("unix-time-ms") => "instant".to_owned(),
        Some(_) | None if names.is_empty() => "any".to_owned(),
        Some(_) | None => names.join(" or "),
    }
}

/// The fields of a row, which may be described under another name.
fn fields(schema: &Value) -> &Value {
    match schema["$ref"].as_str() {
        Some(reference) => {
            &schema.pointer(reference.trim_start_matches('#')).unwrap()["properties"]
        }
        None => &schema["properties"],
    }
}

/// What `perpdeck schema` says of one row.
struct Row {
    name: String,
    verbs: String,
    fields: Vec<Entry>,
}

impl Row {
    fn read(line: &str) -> Self {
        let (name, verbs) = line.split_once(' ').unwrap();
        let schema: Value = serde_json::from_str(&says(&["schema", name])).unwrap();
        let fields = fields(&schema).as_object().unwrap().iter();
        let fields = fields.map(|(field, about)| {
            let meaning = plain(about["description"].as_str().unwrap_or_default());
            Entry::of_field(field, &kind(about), &meaning)
        });
        Self {
            name: name.to_owned(),
            verbs: verbs.trim().to_owned(),
            fields: fields.collect(),
        }
    }
}

impl Entry {
    fn of_field(field: &str, kind: &str, meaning: &str) -> Self {
        assert!(!meaning.is_empty(), "{field} has no meaning");
        let kind = match kind {
            "number" => String::new(),
            other => format!(", {other}"),
        };
        Self {
            line: format!("- `{field}`{kind}: {meaning}"),
            name: format!("`{field}`"),
        }
    }
}

#[test]
fn the_page_of_rows_is_their_schemas() {
    let rows: Vec<_> = says(&["schema"]).lines().map(Row::read).collect();
    let all: Vec<_> = rows.iter().flat_map(|row| &row.fields).collect();
    let shared = said_often(&all, |_| true);
    let mut page = "# Rows\n\nWhat the verbs write as JSON and CSV, from `perpdeck schema`. A field without a type is a number. \
                    Unknown values are absent in JSON and empty in CSV.\n\n## Fields of several rows\n"
        .to_owned();
    let common = Place {
        title: "",
        entries: &shared,
    };
    write_entries(&mut page, &common, &[], &[]);
    let places = rows.iter().map(|row| Place {
        title: &row.name,
        entries: &row.fields,
    });
    let places: Vec<_> = places.collect();
    for (at, (row, place)) in rows.iter().zip(&places).enumerate() {
        writeln!(page, "\n## {}\n\nWritten by: {}.", row.name, row.verbs).unwrap();
        write_entries(&mut page, place, &shared, &places[..at]);
    }
    same_as_written("rows.md", &page);
}

/// The codes of the manual with their meanings.
fn exit_codes() -> Vec<(String, String)> {
    let manual = says(&["man"]);
    let (_, rest) = manual.split_once(".SH \"EXIT STATUS\"\n").unwrap();
    let (section, _) = rest.split_once(".SH").unwrap();
    let entries = section.split(".TP\n").skip(1);
    let entry = |entry: &str| {
        let (code, meaning) = entry.split_once('\n').unwrap();
        let code = code.trim_start_matches("\\fB").trim_end_matches("\\fR");
        let lines = meaning.lines().filter(|line| !line.starts_with('.'));
        let meaning = lines.collect::<Vec<_>>().join(" ").replace("\\-", "-");
        (code.to_owned(), meaning)
    };
    entries.map(entry).collect()
}

/// The `kind` and the `exit_code` of the error that these arguments end with.
fn ends_with(arguments: &[&str]) -> (String, String) {
    let home = TempDir::new().unwrap();
    let (_, _, complained) = ran(perpdeck(home.path()).args(arguments));
    let told: Value = serde_json::from_str(complained.lines().last().unwrap()).unwrap();
    let kind = told["error"]["kind"].as_str().unwrap();
    (kind.to_owned(), told["error"]["exit_code"].to_string())
}

/// What a process that fails like this ends with.
fn exit_code(kind: FailureKind) -> String {
    let exit = Exit::from(&Failure::new(kind, "")).report();
    let digits = format!("{exit:?}");
    digits.chars().filter(char::is_ascii_digit).collect()
}

#[test]
fn the_page_of_errors_has_every_exit_code_and_kind() {
    let mut page = "# Exit codes and error kinds\n\nFrom `perpdeck man`. A signal ends a verb with 128 and its number.\n\n"
        .to_owned();
    let codes = exit_codes();
    assert!(codes.len() >= 9, "{codes:?}");
    for (code, meaning) in &codes {
        writeln!(page, "- {code}: {meaning}").unwrap();
    }
    page.push_str(
        "\n## Error kinds\n\nThe `kind` of an error as JSON ([command-line.md](../command-line.md#output)). `code`, `rule_id` and \
         `request_id` are the service's: [openapi.yaml](../../assets/openapi.yaml) lists those of the paper exchange. Each with its exit code:\n\n",
    );
    let kinds = FailureKind::VARIANTS.iter();
    let kinds = kinds.map(|kind| (kind.word().to_owned(), exit_code(*kind)));
    let own = [
        ends_with(&["orders", "--nothing"]),
        // A file where a directory would be.
        ends_with(&["journal", "rearm", "--state-dir", "/dev/null"]),
        // Needs a service that answers about another order: deeds.rs.
        ("mismatch".to_owned(), "15".to_owned()),
        ("ended otherwise".to_owned(), "16".to_owned()),
        ("timeout".to_owned(), "17".to_owned()),
    ];
    for (kind, code) in kinds.chain(own) {
        let of_key = if kind == "rejected" {
            "; 10 if the key may only read (`status` 403)"
        } else {
            ""
        };
        writeln!(page, "- `{kind}`: {code}{of_key}").unwrap();
    }
    same_as_written("errors.md", &page);
}
