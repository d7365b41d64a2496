//! The pages of `docs/reference` are what the program says of itself.
//!
//! `UPDATE_DOCS=1 cargo test --test cli reference` writes them instead of comparing them.

use super::{perpdeck, ran};
use serde_json::Value;
use std::{env, fmt::Write as _, fs, path::Path};
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

#[test]
fn the_page_of_the_command_line_has_every_exit_code() {
    let help = says(&["--help"]);
    let (_, listed) = help.split_once("Exit codes:").unwrap();
    let codes = listed.split(|c: char| !c.is_ascii_digit());
    let codes: Vec<_> = codes.filter(|code| !code.is_empty()).collect();
    let page = include_str!("../../docs/command-line.md");
    for code in &codes {
        assert!(page.contains(&format!("\n| {code} |")), "exit code {code}");
    }
    assert!(codes.len() >= 9, "{codes:?}");
}
