//! Every name that a person's files, scripts and fingers know, as it is today: settings, keys, verbs, flags and the members
//! of what the verbs print. Types, fields and variants in the code may be renamed; what changes here is another program.
//!
//! The wire and the disk stand in `tests/contract/frozen`.

use super::{
    deeds::{LADDER, TWAP},
    ran,
    served::Served,
    support::{BUY, perpdeck},
    with,
};
use serde_json::Value;
use std::fmt::Write;
use tempfile::TempDir;

/// Without what is only words for a reader.
fn bare(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("description").is_some_and(Value::is_string) {
                members.remove("description");
            }
            members.values_mut().for_each(bare);
        }
        Value::Array(items) => items.iter_mut().for_each(bare),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn said(args: &[&str]) -> String {
    let home = TempDir::new().unwrap();
    // So wide that no line of a help is broken.
    let (code, out, err) = ran(perpdeck(home.path()).env("COLUMNS", "1000").args(args));
    assert_eq!(code, 0, "{args:?}: {err}");
    out
}

fn schema(args: &[&str]) -> String {
    let mut schema = serde_json::from_str(&said(args)).unwrap();
    bare(&mut schema);
    serde_json::to_string_pretty(&schema).unwrap()
}

#[test]
fn every_setting_has_the_name_type_and_default_it_has_today() {
    insta::assert_snapshot!(schema(&["config", "schema"]));
}

#[test]
fn every_row_of_the_verbs_has_the_schema_it_has_today() {
    let rows = said(&["schema"]);
    let names = rows.lines().filter_map(|line| line.split(' ').next());
    let rows: Vec<String> = names
        .map(|name| format!("{name} {}", schema(&["schema", name])))
        .collect();
    insta::assert_snapshot!(rows.join("\n"));
}

/// The names in the shipped table: whoever has a key file of their own uses them.
#[test]
fn every_action_has_the_name_and_the_keys_it_has_today() {
    let table: Value = toml::from_str(include_str!("../../assets/keys.toml")).unwrap();
    let mut out = String::new();
    for (context, actions) in table.as_object().unwrap() {
        for (action, row) in actions.as_object().unwrap() {
            // Beside the keys, a row may have columns that no file of a person's own has, and it may have nothing else.
            let keys = row.as_object().map_or(Some(row), |row| row.get("keys"));
            if let Some(keys) = keys {
                writeln!(out, "{context}.{action} {keys}").unwrap();
            }
        }
    }
    insta::assert_snapshot!(out);
}

/// The lines of a help that name something to be typed, without their words.
fn names(help: &str) -> Vec<String> {
    let typed = |line: &str| {
        let text = line.trim();
        if let Some((_, variable)) = text.split_once("[env: ") {
            return Some(format!("    env {variable}"));
        }
        let is_name = text.starts_with(['-', '<', '[']) && !text.starts_with("[default");
        let name = text.split("  ").next()?.split(": ").next()?;
        let values = text
            .split_once("[possible values: ")
            .map(|(_, values)| values);
        match (values, is_name) {
            (Some(values), true) if !text.starts_with("[possible") => {
                Some(format!("  {name}: {values}"))
            }
            (Some(values), _) => Some(format!("    one of {values}")),
            (None, true) => Some(format!("  {name}")),
            (None, false) => None,
        }
    };
    help.lines().filter_map(typed).collect()
}

/// The verbs that a help lists.
fn verbs(help: &str) -> Vec<String> {
    let list = help.split("Commands:\n").nth(1).unwrap_or_default();
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

fn tell_verb(path: &[&str], everywhere: &[String], out: &mut String) {
    let help = said(&with(path, &["--help"]));
    writeln!(out, "perpdeck {}", path.join(" ")).unwrap();
    for name in names(&help) {
        if !everywhere.contains(&name) {
            writeln!(out, "{name}").unwrap();
        }
    }
    for verb in verbs(&help) {
        tell_verb(&with(path, &[&verb]), everywhere, out);
    }
}

#[test]
fn every_verb_and_every_flag_is_called_what_it_is_called_today() {
    let everywhere = names(&said(&["journal", "--help"]));
    let own = names(&said(&["--help"]));
    let (everywhere, _): (Vec<_>, Vec<_>) =
        everywhere.into_iter().partition(|name| own.contains(name));
    let mut out = format!("everywhere\n{}\n", everywhere.join("\n"));
    tell_verb(&[], &everywhere, &mut out);
    insta::assert_snapshot!(out);
}

/// The members of an answer by their paths, and of which type each is.
fn shape(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                shape(value, &format!("{at}.{name}"), out);
            }
        }
        Value::Array(items) => {
            for item in items {
                shape(item, &format!("{at}[]"), out);
            }
        }
        Value::String(_) => out.push(format!("{at} text")),
        Value::Number(_) => out.push(format!("{at} number")),
        Value::Bool(_) => out.push(format!("{at} flag")),
        Value::Null => out.push(format!("{at} null")),
    }
}

fn tell(served: &Served, args: &[&str], out: &mut String) -> Vec<Value> {
    let (code, printed, err) = served.run(args);
    writeln!(out, "{}: exit {code}", args.first().unwrap()).unwrap();
    let mut rows = vec![];
    for (stream, text) in [("out", printed), ("err", err)] {
        let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        let values: Vec<Value> = values.map(Result::unwrap).collect();
        let mut members = vec![];
        for value in &values {
            shape(value, stream, &mut members);
        }
        members.sort();
        members.dedup();
        for member in members {
            writeln!(out, "  {member}").unwrap();
        }
        rows.extend(values);
    }
    served.post("/sim/clock", &serde_json::json!({ "advance_ms": 5_000 }));
    rows
}

#[test]
fn what_the_verbs_print_has_the_members_it_has_today() {
    let served = Served::bare();
    let mut out = String::new();
    served.holding("paper|BTC", 0.5, "cross");
    let isolated = served.holding("paper|ETH", 1.0, "isolated");
    let yes = |verb: &[&'static str]| with(verb, &["--yes"]);
    tell(&served, &with(BUY, &["--dry-run"]), &mut out);
    let placed = tell(&served, &yes(BUY), &mut out);
    let order = placed[0]["data"]["id"].as_str().unwrap().to_owned();
    tell(&served, &yes(TWAP), &mut out);
    tell(&served, &yes(LADDER), &mut out);
    tell(
        &served,
        &["exits", &order, "--take-profit", "90000", "--yes"],
        &mut out,
    );
    tell(
        &served,
        &["margin", &isolated, "--extra", "5", "--yes"],
        &mut out,
    );
    tell(&served, &["cancel", &order, "--yes"], &mut out);
    tell(&served, &["cancel", "nothing", "--yes"], &mut out);
    tell(&served, &["close", &isolated, "--yes"], &mut out);
    tell(&served, &["close-all", "--yes"], &mut out);
    tell(&served, &["flatten", "--yes"], &mut out);
    tell(&served, &["doctor"], &mut out);
    insta::assert_snapshot!(out);
}
