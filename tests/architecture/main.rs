//! Which module may name which, and which crates are whose. A new arrow is a decision, and it is made here.
//!
//! The house has these arrows beside those it was designed with, each for a reason:
//! - view -> api: a form shows the exact bytes it would send;
//! - runtime -> api, disk, view: the outbox journals a `Request`; an export is a private file and has the columns of the
//!   panes; a notice to the desktop is told in the words of the screen;
//! - exchange, journal -> disk: both keep themselves in files that nobody else may read, with commits that last;
//! - tokio in client, exchange and cli: each waits for sockets or timers of its own. The app, the views and the engine
//!   name no part of it, and the loop's own tasks stay in runtime;
//! - jiff beside model: in config for durations as people write them, in cli/snapshot for the instant of a picture, in
//!   `cli/local_zone` for the zone of this machine.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failed helper is a failed test"
)]

mod documents;
mod literals;
mod phrases;
mod recipes;
mod source;

use source::{Source, sources};
use std::{collections::BTreeSet, fs, path::Path};

/// Anything: the way in wires everything together.
const ALL: &[&str] = &["*"];

/// A module, and the modules of this crate it may name.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("api", &["model"]),
    // What it keeps for the next session is private like the journal.
    ("config", &["disk", "model"]),
    ("disk", &[]),
    ("journal", &["disk", "model"]),
    ("client", &["api", "config", "model"]),
    // A received market is what the decoders of the feeds say.
    ("exchange", &["api", "disk", "feed", "model"]),
    ("feed", &["api", "config", "model"]),
    ("app", &["config", "model"]),
    // A form shows the exact bytes it would send.
    ("view", &["api", "app", "model"]),
    ("ui", &["app", "config", "view"]),
    // What it writes for the trader, an export, is private like the journal.
    (
        "runtime",
        &[
            "api", "app", "client", "config", "disk", "feed", "journal", "model", "ui", "view",
        ],
    ),
    ("cli", ALL),
    ("lib", ALL),
    ("main", ALL),
];

type Rooms = (&'static [&'static str], &'static [&'static str]);

/// A module, and its rooms from bottom to top: a file of a room names those at or below its own, by their own paths and
/// not by the names that the module re-exports. Files beside the rooms stand above them.
const ROOMS: &[Rooms] = &[
    (
        &["app"],
        &[
            // The account half, which needs no screen: a verb has an account too.
            "account",
            "market",
            "activity",
            "workflows",
            "core",
            "rules",
            // The screen half.
            "keys",
            "tables",
            "forms",
            "dialogs",
            "desk",
            "orders",
            "update",
        ],
    ),
    (
        &["view"],
        &[
            "text", "tables", "details", "panels", "dialogs", "market", "forms",
        ],
    ),
    (
        &["runtime"],
        &[
            "base", "terminal", "journal", "polling", "outbox", "recovery", "accounts",
        ],
    ),
    (
        &["exchange", "engine"],
        // The engine's one struct holds the markets, and everything above is its methods.
        &[
            "state",
            "market",
            "core",
            "risk",
            "matching",
            "strategies",
            "clock",
        ],
    ),
];

/// A crate, and the places (files or folders under `src`) that may name it.
const BELONGS_TO: &[(&str, &[&str])] = &[
    ("reqwest", &["client"]),
    ("postcard", &["exchange"]),
    ("hyper", &["exchange"]),
    ("hyper_util", &["exchange"]),
    ("http_body_util", &["exchange"]),
    // The frames: at one end the exchange, at the other the sockets of the desk.
    (
        "tokio_websockets",
        &["exchange/streams", "runtime/polling/streams"],
    ),
    ("flate2", &["feed/recording"]),
    ("ring", &["api/handshake"]),
    ("base64", &["api/handshake", "exchange/store"]),
    ("rand_chacha", &["exchange"]),
    ("ratatui", &["ui", "runtime", "cli/snapshot"]),
    ("nucleo_matcher", &["app/keys"]),
    ("crossterm", &["app/keys", "runtime"]),
    ("rustix", &["disk", "runtime", "cli"]),
    ("tokio", &["client", "exchange", "runtime", "cli"]),
    ("tokio_util", &["client", "exchange", "runtime", "cli"]),
    ("futures_util", &["client", "exchange", "runtime", "cli"]),
    ("clap", &["cli", "main"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("color_eyre", &["cli", "main"]),
    ("tracing_subscriber", &["cli"]),
    ("config", &["config"]),
    ("serde_ignored", &["config"]),
    ("etcetera", &["config"]),
    ("rust_decimal", &["model"]),
    (
        "jiff",
        &["model", "config", "cli/local_zone", "cli/snapshot"],
    ),
];

#[test]
fn every_module_has_its_place_in_the_table() {
    let placed: BTreeSet<_> = MAY_NAME.iter().map(|(module, _)| *module).collect();
    let stray: Vec<_> = fs::read_dir("src")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|module| !placed.contains(module.as_str()))
        .collect();
    assert_eq!(stray, Vec::<String>::new());
}

#[test]
fn modules_name_only_what_they_may() {
    let modules: BTreeSet<_> = MAY_NAME.iter().map(|(module, _)| *module).collect();
    let mut broken = vec![];
    for file in sources(Path::new("src")) {
        let module = file.module[0].as_str();
        let (_, may) = MAY_NAME.iter().find(|(name, _)| *name == module).unwrap();
        let allowed = |used: &str| *may == ALL || used == module || may.contains(&used);
        let arrows = file.own_modules(&modules);
        let bad = arrows.into_iter().filter(|used| !allowed(used));
        broken.extend(bad.map(|used| format!("{}: {module} -> {used}", file.path)));
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn rooms_name_only_rooms_at_or_below_their_own() {
    let mut broken = vec![];
    for (module, rooms) in ROOMS {
        let place = module.join("/");
        let rank = |room: &str| rooms.iter().position(|known| *known == room);
        for file in sources(&Path::new("src").join(&place)) {
            let room = file.module.get(module.len()).map(String::as_str);
            let Some((room, own)) = room.and_then(|room| Some((room, rank(room)?))) else {
                continue;
            };
            for named in file.names_within(module) {
                if rank(&named[0]).is_none_or(|rank| rank > own) {
                    broken.push(format!("{}: {room} -> {}", file.path, named.join("::")));
                }
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn every_room_is_a_folder_and_every_folder_of_these_modules_is_a_room() {
    for (module, rooms) in ROOMS {
        let place = Path::new("src").join(module.join("/"));
        let folders = fs::read_dir(&place)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let folders: BTreeSet<_> = folders
            .filter(|path| path.is_dir() && !path.ends_with("tests"))
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        let is_folder = |room: &&&str| !place.join(format!("{room}.rs")).is_file();
        let rooms = rooms.iter().filter(is_folder);
        let rooms: BTreeSet<_> = rooms.map(|room| (*room).to_owned()).collect();
        assert_eq!(folders, rooms, "{}", place.display());
    }
}

#[test]
fn crates_are_named_only_where_they_belong() {
    let mut broken = vec![];
    for file in sources(Path::new("src")) {
        for (name, places) in BELONGS_TO {
            if file.names_crate(name) && !places.iter().any(|place| file.is_within(place)) {
                broken.push(format!("{}: {name}", file.path));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn the_reader_of_sources_sees_every_way_to_name_a_thing() {
    let file = Source::read(
        "src/app/form/size.rs",
        r##"
        //! Not an arrow: crate::client.
        use crate::{model::{Num, Side}, config};
        pub(crate) use super::super::super::view as other;
        use reqwest::{self, Client as C};
        fn f<'a>(x: &'a str) -> char { config::load(); crate::ui::draw(x); let s = "crate::journal"; '"' }
        fn g() { let r = r#"crate::runtime " "#; ratatui::Frame::new() }
        #[cfg(test)]
        mod tests { use crate::exchange; fn h() { tokio::spawn(f) } }
        fn after() -> crate::api::Route {}
        "##,
    );
    let known = BTreeSet::from([
        "api", "client", "config", "exchange", "journal", "model", "runtime", "ui", "view",
    ]);
    let seen: Vec<_> = file.own_modules(&known).into_iter().collect();
    assert_eq!(seen, ["api", "config", "model", "ui", "view"]);
    let crates = ["reqwest", "ratatui", "tokio", "config", "hyper"];
    let named = crates.map(|name| file.names_crate(name));
    assert_eq!(named, [true, true, false, false, false]);
    assert!(file.is_within("app/form") && file.is_within("app") && !file.is_within("app/for"));
}
