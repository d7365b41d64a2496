//! Reloads the settings of a running desk when their files change, and stores what the trader chooses.
//!
//! Contract: one thread that checks a few files every 2.4 s, twice a second while they change, and otherwise sleeps. The
//! desk hears from it only when a setting changed, is invalid, or a reload was requested. A reading counts only if the
//! files were the same in two checks before it and still are after it, so that half a file is never read. A missing
//! file gets time to return, because editors replace files by renaming. A settings file that is now missing or empty is
//! an error: its settings stay in force.
//!
//! Known limit: a change that keeps size, inode and time stamp is not detected; `:reload` reads it.

use crate::{
    app::{
        Msg, Options, SettingsRequest,
        account::pane::Pane,
        activity::notice::Tone,
        desk::reload::{Reload, Renewal},
        keys::keymap::Keymap,
    },
    cli::{columns, desk::setup as desk_setup, options::options, paths::state_dir},
    config::{Change, Loaded, Settings, Sources, Takes, load, memory},
    runtime::{SettingsReply, SettingsThread, Start},
    ui::ThemeSet,
};
use color_eyre::{Result, eyre::Context as _};
use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};
use tokio::sync::mpsc::{self, Sender};

/// Pause between two checks of files that have not changed since they were read: with the second check of those that have,
/// a change is read within three seconds.
const QUIET_INTERVAL: Duration = Duration::from_millis(2_400);
/// Pause between two checks of files that have changed.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Checks without a change before the files are read; more if a file is missing.
const UNCHANGED_CHECKS: u32 = 1;
const STILL_GONE: u32 = 6;
/// How long a desk that exits waits for pending writes.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// The thread, for the code that exits after the desk.
#[derive(Debug)]
pub(super) struct Watching(Receiver<()>);

impl Watching {
    /// Waits until the desk's requests are done, for a limited time.
    pub(super) fn ends(self) {
        // Nothing is ever sent: the wait ends when the sender is dropped.
        let _ended = self.0.recv_timeout(EXIT_TIMEOUT);
    }
}

/// Starts the thread; it ends after the desk.
pub(super) fn watch(
    sources: &Sources,
    loaded: Loaded,
    start: &Start,
) -> Result<(SettingsThread, Watching)> {
    let (requests, wanted) = channel();
    let (news, mail) = mpsc::channel(1);
    let (works, ended) = channel::<()>();
    let watch = SettingsWatch::new(sources.clone(), loaded, start);
    thread::Builder::new()
        .name("settings".to_owned())
        .spawn(move || {
            watch.run(&wanted, &news);
            drop(works);
        })
        .wrap_err("no thread could be started to watch the settings")?;
    Ok((
        SettingsThread {
            requests,
            news: mail,
        },
        Watching(ended),
    ))
}

/// The metadata of a file; `None` if it does not exist.
type FileStamp = Option<(i64, i64, u64, u64)>;

struct SettingsWatch {
    sources: Sources,
    /// At the start.
    first: Loaded,
    /// The last valid ones.
    valid: ValidSettings,
    files: Vec<PathBuf>,
    /// The result of the last check, and how many checks in a row had it.
    seen: Vec<FileStamp>,
    still: u32,
    /// The files at the last reading, and at the last valid one.
    read: Vec<FileStamp>,
    held: Vec<FileStamp>,
    is_faulty: bool,
}

/// Settings that can be in force.
struct ValidSettings {
    loaded: Loaded,
    keymap: Keymap,
    looks: ThemeSet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReloadRequest {
    ByFiles,
    ByPerson,
}

impl SettingsWatch {
    fn new(sources: Sources, loaded: Loaded, start: &Start) -> Self {
        let files = files(&sources, &loaded);
        // Errors in the theme at the start were reported already.
        let is_faulty = desk_setup::theme_set(&loaded.settings).is_err();
        Self {
            held: prints(&files),
            read: if is_faulty { prints(&files) } else { vec![] },
            files,
            sources,
            first: loaded.clone(),
            valid: ValidSettings {
                loaded,
                keymap: start.keymap.clone(),
                looks: start.looks.clone(),
            },
            seen: vec![],
            still: 0,
            is_faulty,
        }
    }

    /// Runs until the desk has ended and its requests are done.
    fn run(mut self, wanted: &Receiver<SettingsRequest>, news: &Sender<SettingsReply>) {
        loop {
            let found = match wanted.recv_timeout(self.pause()) {
                Ok(SettingsRequest::Read) => self.check_files(ReloadRequest::ByPerson),
                Ok(SettingsRequest::Keep(pane, columns)) => self.keep(pane, columns.as_deref()),
                Ok(SettingsRequest::KeepLayout(size, layout)) => {
                    let kept = memory::keep_layout(
                        &self.state_dir(),
                        &size.to_string(),
                        &layout.to_string(),
                    );
                    could_not_save("the layout", kept)
                }
                Ok(SettingsRequest::KeepLines(market, lines)) => {
                    let kept = memory::keep_lines(&self.state_dir(), market.raw(), &lines);
                    could_not_save("the lines of the chart", kept)
                }
                Err(RecvTimeoutError::Timeout) => self.check_files(ReloadRequest::ByFiles),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if let Some(found) = found {
                // A desk that has ended receives nothing.
                drop(news.blocking_send(found));
            }
        }
    }

    fn pause(&self) -> Duration {
        if self.seen == self.read {
            QUIET_INTERVAL
        } else {
            CHECK_INTERVAL
        }
    }

    fn state_dir(&self) -> PathBuf {
        state_dir(&self.first.settings)
    }

    /// Stores the choice; returns a message if that failed.
    fn keep(&self, pane: Pane, columns: Option<&[usize]>) -> Option<SettingsReply> {
        let kept = columns::keep(&self.state_dir(), pane, columns);
        could_not_save(&format!("the columns of {}", columns::name(pane)), kept)
    }

    /// Checks the files once; returns what to report to the desk.
    fn check_files(&mut self, request: ReloadRequest) -> Option<SettingsReply> {
        let now = prints(&self.files);
        self.still = if now == self.seen { self.still + 1 } else { 0 };
        self.seen.clone_from(&now);
        let mut looks = self.read.iter().zip(&now);
        let is_gone = looks.any(|(read, now)| read.is_some() && now.is_none());
        let patience = if is_gone {
            STILL_GONE
        } else {
            UNCHANGED_CHECKS
        };
        let is_due = now != self.read && self.still >= patience;
        if !is_due && request == ReloadRequest::ByFiles {
            return None;
        }
        let good = self.good(&now);
        if prints(&self.files) != now && request == ReloadRequest::ByFiles {
            // Somebody is writing: a later check will read it.
            return None;
        }
        self.read = now;
        match good {
            Ok(good) => self.take(good, request),
            Err(faults) => {
                self.is_faulty = true;
                Some(reply(None, Reload::Bad(faults)))
            }
        }
    }

    /// The settings as they are now, or all their errors.
    fn good(&self, now: &[FileStamp]) -> Result<ValidSettings, Vec<String>> {
        let lines = |text: String| text.lines().map(ToOwned::to_owned).collect::<Vec<_>>();
        let loaded = load(&self.sources).map_err(|why| lines(why.to_string()))?;
        let loaded = self.led(loaded)?;
        let lost = self.valid.loaded.lost(&loaded);
        if let Some(file) = lost.or_else(|| self.emptied(now)) {
            return Err(vec![format!(
                "{}: is missing or empty; restore it, or restart the desk without it",
                file.display()
            )]);
        }
        let keymap = desk_setup::keymap(&loaded.settings);
        let looks = desk_setup::theme_set(&loaded.settings);
        match (keymap, looks) {
            (Ok(keymap), Ok(looks)) => Ok(ValidSettings {
                loaded,
                keymap,
                looks,
            }),
            (keymap, looks) => {
                let faults = [keymap.err(), looks.err()].into_iter().flatten();
                Err(faults.flat_map(|why| lines(format!("{why:#}"))).collect())
            }
        }
    }

    /// The account that the desk was started with comes first, whichever is chosen now. A paper desk has none of them.
    fn led(&self, loaded: Loaded) -> Result<Loaded, Vec<String>> {
        let first = &self.first.settings;
        if first.base_url.is_none() {
            return Ok(loaded);
        }
        let led = loaded.led_by(first.name.as_deref());
        led.ok_or_else(|| {
            let what = first
                .name
                .as_ref()
                .map_or("the account above the profiles".to_owned(), |name| {
                    format!("profile {name}")
                });
            vec![format!(
                "{what}, which the desk was started with, is not set any more; restore it, or restart the desk without it"
            )]
        })
    }

    /// A file that has become empty: an editor may have just begun to write.
    fn emptied(&self, now: &[FileStamp]) -> Option<PathBuf> {
        let size = |print: &FileStamp| print.map_or(0, |(_, _, size, _)| size);
        let mut files = self.files.iter().zip(self.held.iter().zip(now));
        let emptied =
            files.find(|(_, (held, now))| size(held) > 0 && now.is_some() && size(now) == 0);
        emptied.map(|(file, _)| file.clone())
    }

    fn take(&mut self, good: ValidSettings, request: ReloadRequest) -> Option<SettingsReply> {
        let mut changes = self.valid.loaded.changes(&good.loaded);
        let behind = [
            (
                "keys_file",
                good.keymap != self.valid.keymap,
                &["keys_file"][..],
            ),
            (
                "theme_file",
                good.looks != self.valid.looks,
                &["theme_file", "theme", "color"],
            ),
        ];
        for (key, is_other, names) in behind {
            if is_other
                && !changes
                    .iter()
                    .any(|change| names.contains(&change.key.as_str()))
            {
                changes.push(Change::of_contents(key));
            }
        }
        let is_news = !changes.is_empty() || self.is_faulty || request == ReloadRequest::ByPerson;
        let looks = (good.looks != self.valid.looks).then(|| good.looks.clone());
        let waiting = self.first.changes(&good.loaded).into_iter();
        let waiting = waiting.filter(|change| change.takes == Takes::Restart);
        let reload = Renewal {
            options: options(&good.loaded.settings),
            others: others(&good.loaded),
            keymap: good.keymap.clone(),
            changes,
            waiting: waiting.map(|change| change.key).collect(),
            files: files(&self.sources, &good.loaded),
        };
        self.held.clone_from(&self.read);
        if self.files != reload.files {
            // A newly named file may have changed since: it is read again.
            self.files.clone_from(&reload.files);
            self.held = prints(&self.files);
            self.read.clear();
        }
        self.valid = good;
        self.is_faulty = false;
        is_news.then(|| reply(looks, Reload::Good(Box::new(reload))))
    }
}

fn others(loaded: &Loaded) -> Vec<(String, Options)> {
    let others = loaded.accounts().skip(1);
    let named = |settings: &Settings| Some((settings.name.clone()?, options(settings)));
    others.filter_map(named).collect()
}

fn reply(looks: Option<ThemeSet>, reread: Reload) -> SettingsReply {
    SettingsReply {
        looks,
        msg: Msg::Reload(reread),
    }
}

/// The files that are read, and those that may appear.
fn files(sources: &Sources, loaded: &Loaded) -> Vec<PathBuf> {
    let mut files: Vec<_> = sources
        .user_file
        .iter()
        .cloned()
        .chain(loaded.files())
        .collect();
    files.sort();
    files.dedup();
    files
}

fn prints(files: &[PathBuf]) -> Vec<FileStamp> {
    files.iter().map(|file| print(file)).collect()
}

fn print(file: &Path) -> FileStamp {
    let known = fs::metadata(file).ok()?;
    Some((known.mtime(), known.mtime_nsec(), known.len(), known.ino()))
}

/// A message where storing a choice failed.
fn could_not_save(what: &str, kept: io::Result<()>) -> Option<SettingsReply> {
    let why = kept.err()?;
    Some(SettingsReply {
        looks: None,
        msg: Msg::Notify(Tone::Warn, format!("{what} could not be saved: {why}")),
    })
}

#[cfg(test)]
mod tests {
    use crate::cli::desk::reload::*;
    use std::collections::HashMap;

    /// A desk whose settings are in a directory of its own.
    struct Scene {
        dir: tempfile::TempDir,
        watch: SettingsWatch,
    }

    impl Scene {
        fn of(text: &str) -> Self {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join("config.toml");
            let home = dir.path().display();
            fs::write(&file, text.replace("HOME", &home.to_string())).unwrap();
            let sources = Sources {
                user_file: Some(file),
                environment: HashMap::from([(
                    "PERPDECK_CHECKS__MAX_NOTIONAL".to_owned(),
                    "7".into(),
                )]),
                ..Sources::default()
            };
            let loaded = load(&sources).unwrap();
            let start = desk_setup::start(&loaded.settings).unwrap();
            let mut watch = SettingsWatch::new(sources, loaded, &start);
            assert!(first_report(&mut watch, 8).is_none(), "nothing has changed");
            Self { dir, watch }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.dir.path().join(name)
        }

        /// Renames a new file over the old one, as editors do.
        fn saves(&self, name: &str, text: &str) {
            let fresh = self.path("fresh~");
            fs::write(&fresh, text).unwrap();
            fs::rename(fresh, self.path(name)).unwrap();
        }

        fn good(&mut self) -> Renewal {
            match first_report(&mut self.watch, 8).map(|news| news.msg) {
                Some(Msg::Reload(Reload::Good(reload))) => *reload,
                other => panic!("{other:?}"),
            }
        }

        fn bad(&mut self) -> Vec<String> {
            match first_report(&mut self.watch, 8).map(|news| news.msg) {
                Some(Msg::Reload(Reload::Bad(faults))) => faults,
                other => panic!("{other:?}"),
            }
        }
    }

    /// The first report within this many checks.
    fn first_report(watch: &mut SettingsWatch, count: u32) -> Option<SettingsReply> {
        (0..count).find_map(|_| watch.check_files(ReloadRequest::ByFiles))
    }

    fn words(reload: &Renewal) -> Vec<String> {
        reload.changes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_good_change_is_taken_a_bad_one_leaves_everything_and_the_mended_one_is_taken_again() {
        let mut scene = Scene::of("[checks]\nmax_leverage = \"5\"\n");
        scene.saves(
            "config.toml",
            "[checks]\nmax_size = \"1\"\nmax_leverage = \"5\"\n",
        );
        let reload = scene.good();
        assert_eq!(words(&reload), ["checks.max_size = 1 (was none)"]);
        assert!(reload.options.checks.max_size.is_some());
        scene.saves("config.toml", "read_only = maybe\n");
        let file = scene.path("config.toml");
        assert!(scene.bad()[0].starts_with(&format!("{}: line 1: ", file.display())));
        scene.saves("config.toml", "reed_only = false\n");
        let fault = format!(
            "{}: reed_only: no such setting; did you mean read_only?",
            file.display()
        );
        assert_eq!(scene.bad(), [fault]);
        scene.saves(
            "config.toml",
            "[checks]\nmax_size = \"1\"\nmax_leverage = \"5\"\n",
        );
        assert_eq!(words(&scene.good()), Vec::<String>::new(), "in order again");
        scene.saves("config.toml", "[checks]\nmax_size = \"1\"\n");
        assert_eq!(
            words(&scene.good()),
            ["checks.max_leverage = none (was 5), LOOSER"]
        );
    }

    #[test]
    fn the_environment_stays_over_the_file() {
        let mut scene = Scene::of("");
        scene.saves(
            "config.toml",
            "theme = \"light\"\n[checks]\nmax_notional = \"9\"\n",
        );
        assert_eq!(words(&scene.good()), ["theme = light (was dark)"]);
    }

    #[test]
    fn a_file_that_is_being_written_is_not_read() {
        let mut scene = Scene::of("theme = \"dark\"\n");
        for length in 1..5 {
            scene.saves("config.toml", &"theme = \"li"[..length]);
            assert!(
                scene.watch.check_files(ReloadRequest::ByFiles).is_none(),
                "it still grows"
            );
        }
        scene.saves("config.toml", "theme = \"light\"\n");
        assert_eq!(words(&scene.good()), ["theme = light (was dark)"]);
    }

    #[test]
    fn a_file_that_is_briefly_gone_is_missed_by_nobody_and_one_that_stays_away_loosens_nothing() {
        let mut scene = Scene::of("[checks]\nmax_size = \"1\"\n");
        let file = scene.path("config.toml");
        fs::rename(&file, scene.path("config.toml~")).unwrap();
        assert!(first_report(&mut scene.watch, 3).is_none());
        fs::rename(scene.path("config.toml~"), &file).unwrap();
        assert!(first_report(&mut scene.watch, 8).is_none());
        fs::remove_file(&file).unwrap();
        assert!(
            scene.bad()[0]
                .ends_with("is missing or empty; restore it, or restart the desk without it")
        );
        scene.saves("config.toml", "");
        assert_eq!(scene.bad().len(), 1);
        scene.saves("config.toml", "theme = \"dark\"\n");
        assert_eq!(
            words(&scene.good()),
            ["checks.max_size = none (was 1), LOOSER"]
        );
    }

    #[test]
    fn keys_and_colors_are_read_again_wherever_they_stand() {
        let mut scene = Scene::of("");
        let theme = include_str!("../../../assets/themes/light.toml");
        scene.saves("keys.toml", "[desk]\nbuy = \"N\"\n");
        scene.saves("theme.toml", theme);
        let home = scene.dir.path().display().to_string();
        let both = "keys_file = \"HOME/keys.toml\"\ntheme_file = \"HOME/theme.toml\"\ncolor = \"truecolor\"\n";
        scene.saves("config.toml", &both.replace("HOME", &home));
        assert_eq!(words(&scene.good()).len(), 3);
        let bound = scene.watch.valid.keymap.clone();
        scene.saves("keys.toml", "[desk]\nbuy = \"N\"\nsell = []\n");
        let reload = scene.good();
        assert_eq!(words(&reload), ["keys_file changed"]);
        assert_ne!(reload.keymap, bound);
        scene.saves("keys.toml", "[desk]\nbye = \"n\"\n");
        let file = scene.path("keys.toml");
        let fault = format!("keys_file {}: [desk] bye: no such action", file.display());
        assert_eq!(scene.bad(), [fault]);
        scene.saves("keys.toml", "[desk]\nbuy = \"N\"\nsell = []\n");
        assert_eq!(words(&scene.good()), Vec::<String>::new());
        scene.saves("theme.toml", &theme.replace("text = \"#", "text = \"#0"));
        assert!(scene.bad().concat().contains("is not a color"));
        scene.saves(
            "theme.toml",
            include_str!("../../../assets/themes/contrast.toml"),
        );
        let news = first_report(&mut scene.watch, 8).unwrap();
        assert!(news.looks.is_some(), "{news:?}");
    }

    #[test]
    fn colors_that_were_broken_at_the_start_are_told_of_once_and_taken_when_they_are_mended() {
        let dir = tempfile::tempdir().unwrap();
        let [file, theme] = ["config.toml", "theme.toml"].map(|name| dir.path().join(name));
        let settings = "color = \"truecolor\"\ntheme_file = \"THEME\"\n";
        fs::write(&file, settings.replace("THEME", theme.to_str().unwrap())).unwrap();
        fs::write(&theme, "text = \"red\"\n").unwrap();
        let sources = Sources {
            user_file: Some(file),
            ..Sources::default()
        };
        let loaded = load(&sources).unwrap();
        let start = desk_setup::start(&loaded.settings).unwrap();
        let said = &start.warnings[0];
        assert!(
            said.starts_with(&format!("theme_file {}: ", theme.display())),
            "{said}"
        );
        assert_eq!(start.draw_state.theme, crate::ui::Theme::default());
        let watch = SettingsWatch::new(sources, loaded, &start);
        let mut scene = Scene { dir, watch };
        assert!(first_report(&mut scene.watch, 8).is_none());
        scene.saves(
            "theme.toml",
            include_str!("../../../assets/themes/light.toml"),
        );
        assert_eq!(words(&scene.good()), ["theme_file changed"]);
    }

    #[test]
    fn what_is_asked_for_is_answered_and_a_file_that_is_named_must_be_there() {
        let mut scene = Scene::of("");
        let news = scene.watch.check_files(ReloadRequest::ByPerson).unwrap();
        let Msg::Reload(Reload::Good(reload)) = news.msg else {
            panic!("{news:?}");
        };
        assert_eq!(words(&reload), Vec::<String>::new());
        scene.saves("config.toml", "keys_file = \"/nowhere/keys.toml\"\n");
        assert!(scene.bad()[0].starts_with("keys_file /nowhere/keys.toml cannot be read"));
    }

    #[test]
    fn what_waits_for_the_next_start_is_measured_by_the_start() {
        let mut scene = Scene::of("log_level = \"info\"\n");
        scene.saves("config.toml", "log_level = \"debug\"\n");
        assert_eq!(scene.good().waiting, ["log_level"]);
        scene.saves("config.toml", "log_level = \"info\"\ntheme = \"light\"\n");
        assert_eq!(scene.good().waiting, Vec::<String>::new());
    }
}
