//! The pages of `docs/reference` are what the program says of itself.
//!
//! `UPDATE_DOCS=1 cargo test --test cli reference` writes them instead of comparing them.

use super::{perpdeck, ran};
use perpdeck::{
    cli::Exit,
    model::{Failure, FailureKind},
};
use serde_json::Value;
use std::{env, fmt::Write as _, fs, path::Path, process::Termination as _};
use strum::VariantArray as _;
use tempfile::TempDir;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference");
const OPENAPI: &str = include_str!("../../assets/openapi.yaml");

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

fn write_help(page: &mut String, command: &[&str]) {
    let help = says(&[command, &["--help"]].concat());
    let title = [&["perpdeck"], command].concat().join(" ");
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    writeln!(
        page,
        "\n## {title}\n\n```text\n{}\n```",
        lines.join("\n").trim_end()
    )
    .unwrap();
    for name in subcommands(&help) {
        write_help(page, &[command, &[name.as_str()]].concat());
    }
}

#[test]
fn the_page_of_commands_is_the_help_of_every_command() {
    let mut page = "# Commands\n\nThe help of every command.\n".to_owned();
    write_help(&mut page, &[]);
    same_as_written("commands.md", &page);
}

/// Text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}

fn word(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "`\"\"`".to_owned(),
        Value::String(text) => format!("`{}`", cell(text)),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            format!("`{}`", cell(&value.to_string()))
        }
    }
}

fn write_settings(page: &mut String, prefix: &str, schema: &Value) {
    for (name, setting) in schema["properties"].as_object().unwrap() {
        let path = format!("{prefix}{name}");
        let meaning = cell(setting["description"].as_str().unwrap_or_default());
        if setting["properties"].is_object() && setting["type"] == "object" {
            write_settings(page, &format!("{path}."), setting);
            continue;
        }
        writeln!(
            page,
            "| `{path}` | {} | {meaning} |",
            word(&setting["default"])
        )
        .unwrap();
    }
}

#[test]
fn the_page_of_settings_is_their_schema() {
    let schema: Value = serde_json::from_str(&says(&["config", "schema"])).unwrap();
    let mut page = "# Settings\n\n[settings.md](../settings.md) says where they are set. `a.b` is `b` in the table `[a]`.\n\n\
                    | setting | default | meaning |\n|---|---|---|\n"
        .to_owned();
    write_settings(&mut page, "", &schema);
    same_as_written("settings.md", &page);
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

#[test]
fn the_page_of_rows_is_their_schemas() {
    let list = says(&["schema"]);
    let mut page = "# Rows\n\nWhat the verbs write as JSON and CSV, from `perpdeck schema`. Unknown values are absent in JSON and \
                    empty in CSV.\n"
        .to_owned();
    for line in list.lines() {
        let (name, verbs) = line.split_once(' ').unwrap();
        let schema: Value = serde_json::from_str(&says(&["schema", name])).unwrap();
        writeln!(page, "\n## {name}\n\nWritten by: {}.\n", verbs.trim()).unwrap();
        page.push_str("| field | type | meaning |\n|---|---|---|\n");
        for (field, about) in fields(&schema).as_object().unwrap() {
            let meaning = cell(about["description"].as_str().unwrap_or_default());
            writeln!(page, "| `{field}` | {} | {meaning} |", kind(about)).unwrap();
        }
    }
    same_as_written("rows.md", &page);
}

#[test]
fn the_page_of_http_is_the_description_that_the_exchange_serves() {
    let api: serde_norway::Value = serde_norway::from_str(OPENAPI).unwrap();
    let mut page = "# HTTP\n\nThe paper exchange's endpoints, from [`assets/openapi.yaml`](../../assets/openapi.yaml). `/v1` is the \
                    documented API, `/sim` exists on the paper exchange only.\n\n| request | does |\n|---|---|\n"
        .to_owned();
    for (path, methods) in api["paths"].as_mapping().unwrap() {
        for (method, operation) in methods.as_mapping().unwrap() {
            let Some(summary) = operation.get("summary").and_then(|words| words.as_str()) else {
                continue;
            };
            let request = format!(
                "{} {}",
                method.as_str().unwrap().to_uppercase(),
                path.as_str().unwrap()
            );
            writeln!(page, "| `{request}` | {} |", cell(summary)).unwrap();
        }
    }
    for (schema, title) in [
        ("ErrorCode", "Error codes"),
        ("RejectReason", "Reject reasons"),
        ("RuleId", "Rules"),
    ] {
        let schema = &api["components"]["schemas"][schema];
        let words = schema["enum"].as_sequence().unwrap().iter();
        let words: Vec<_> = words
            .map(|word| format!("`{}`", word.as_str().unwrap()))
            .collect();
        let about = cell(schema["description"].as_str().unwrap_or_default());
        writeln!(page, "\n## {title}\n\n{about}\n\n{}", words.join(" · ")).unwrap();
    }
    same_as_written("http.md", &page);
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
    let mut page = "# Exit codes and error kinds\n\nFrom `perpdeck man`. A signal ends a verb with 128 and its number.\n\n\
                    | exit code | means |\n|---|---|\n"
        .to_owned();
    let codes = exit_codes();
    assert!(codes.len() >= 9, "{codes:?}");
    for (code, meaning) in &codes {
        writeln!(page, "| {code} | {meaning} |").unwrap();
    }
    page.push_str(
        "\n## Error kinds\n\nThe `kind` of an error as JSON ([command-line.md](../command-line.md#output)). `code`, `rule_id` and \
         `request_id` are the service's: [HTTP](http.md#error-codes) lists those of the paper exchange.\n\n\
         | kind | exit code |\n|---|---|\n",
    );
    let kinds = FailureKind::VARIANTS.iter();
    let kinds = kinds.map(|kind| (kind.word().to_owned(), exit_code(*kind)));
    let own = [
        ends_with(&["orders", "--nothing"]),
        // A file where a directory would be.
        ends_with(&["journal", "rearm", "--state-dir", "/dev/null"]),
        // Needs a service that answers about another order: deeds.rs.
        ("mismatch".to_owned(), "15".to_owned()),
    ];
    for (kind, code) in kinds.chain(own) {
        writeln!(page, "| `{kind}` | {code} |").unwrap();
    }
    same_as_written("errors.md", &page);
}
