//! What the documents say of the program is what the program does.

use super::{
    curl::path,
    deeds::{LADDER, TWAP},
    ran,
    served::Served,
    with,
};
use perpdeck::app::keys::keymap::{Binding, Context, default_bindings};
use std::{env, fs, process::Command};

const KEYS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/keys.md");
const MARKS: [&str; 2] = ["<!-- keys -->\n", "<!-- /keys -->"];

/// One table row per place: `key does, key does`. What has the same keys in every pane is named there without them. What chart
/// and ladder share is in a row of its own.
fn table() -> String {
    let bindings = default_bindings();
    let of_panes = bindings
        .iter()
        .filter(|binding| binding.context == Context::Desk);
    let of_panes: Vec<_> = of_panes.map(words).collect();
    let mut rows: Vec<(Context, Vec<String>)> = vec![];
    // An action without a key of its own is for a typed word, a click, or a key file.
    let with_keys = bindings.iter().filter(|binding| !binding.keys.is_empty());
    for binding in with_keys {
        let is_known = binding.context != Context::Desk && of_panes.contains(&words(binding));
        let words = if is_known {
            binding.action.label().to_owned()
        } else {
            words(binding)
        };
        match rows.last_mut() {
            Some((place, does)) if *place == binding.context => does.push(words),
            _ => rows.push((binding.context, vec![words])),
        }
    }
    let of = |place| {
        let row = rows.iter().find(|(known, _)| *known == place);
        row.map_or(&[][..], |(_, does)| does)
    };
    let of_ladder = of(Context::PriceLadder);
    let common = of(Context::MarketChart).iter();
    let common: Vec<_> = common.filter(|does| of_ladder.contains(does)).collect();
    let row = |(place, does): &(Context, Vec<String>)| {
        let has_common = matches!(place, Context::MarketChart | Context::PriceLadder);
        let mut own: Vec<_> = does.iter().collect();
        own.retain(|does| !has_common || !common.contains(does));
        let behind = (*place == Context::PriceLadder).then(|| line("chart and ladder", &common));
        line(&name(*place), &own) + &behind.unwrap_or_default()
    };
    let rows: String = rows.iter().map(row).collect();
    format!("| where | keys |\n|---|---|\n{rows}")
}

fn line(place: &str, does: &[&String]) -> String {
    // A cell ends at a bar, in code as well.
    let does: Vec<_> = does.iter().map(|does| does.replace('|', "\\|")).collect();
    format!("| {place} | {} |\n", does.join(", "))
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

const COMMAND_LINE: &str = include_str!("../../docs/command-line.md");

/// The blocks of this language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let begin = format!("```{language}\n");
    let after = page.split(begin.as_str()).skip(1);
    after
        .filter_map(|after| after.split("```").next())
        .collect()
}

/// The ids of the page stand for any: in their places come new ones, of what the exchange then holds.
fn with_ids(served: &Served, line: &str) -> String {
    let is_margin = line.contains(" margin ");
    let mut words = vec![];
    for word in line.split(' ') {
        let id = match word.split_once('_').map(|(kind, _)| kind) {
            Some("ord") => served.waiting("limit"),
            Some("pos") if is_margin => served.holding("paper|ETH", 1.0, "isolated"),
            Some("pos") => served.holding("paper|SOL", 5.0, "cross"),
            Some("scl") => made(served, LADDER),
            Some("twp") => made(served, TWAP),
            _ => word.to_owned(),
        };
        words.push(id);
    }
    words.join(" ")
}

fn made(served: &Served, verb: &[&str]) -> String {
    let told = served.json(&with(verb, &["--yes"]));
    told["data"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn every_command_of_the_page_of_the_command_line_works() {
    let served = Served::bare();
    let orders = blocks(COMMAND_LINE, "json").concat();
    fs::write(served.home.path().join("orders.jsonl"), orders).unwrap();
    let lines = blocks(COMMAND_LINE, "console")
        .into_iter()
        .flat_map(str::lines);
    let commands: Vec<_> = lines.filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(commands.len() > 30, "only {} commands", commands.len());
    for command in commands {
        let line = with_ids(&served, command);
        let mut bash = Command::new("bash");
        bash.args(["-c", &line]).env_clear();
        // A picture is of the paper exchange that it starts.
        if !command.starts_with("perpdeck snapshot") {
            bash.envs(served.environment());
        }
        bash.env("PATH", path())
            .env("HOME", served.home.path())
            .current_dir(served.home.path());
        let (code, out, err) = ran(&mut bash);
        assert_eq!(code, 0, "{line}\n{out}\n{err}");
        // The service wants a moment between two orders at the market.
        served.post("/sim/clock", &serde_json::json!({ "advance_ms": 5_000 }));
    }
}

/// `.ci/gallery` joins it from frames.
#[test]
fn the_moving_picture_of_the_readme_is_small_and_stands_still_for_whoever_wants_that() {
    let picture = include_str!("../../assets/desk.svg");
    assert!(picture.len() < 600_000, "{} bytes", picture.len());
    assert!(picture.contains("step-end infinite") && !picture.contains("<script"));
    assert!(picture.contains("@media(prefers-reduced-motion:reduce){g{animation:none!important}}"));
    // Without animation the first frame is what is seen.
    assert!(
        picture.contains("<g class=\"f0\">")
            && picture.contains("<g class=\"f1\" visibility=\"hidden\">")
    );
}
