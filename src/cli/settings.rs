//! `perpdeck config`: the settings in force, their errors, and their files.

use super::{Exit, desk::setup as desk_setup, out, paths::state_dir, voice::Output};
use crate::{
    config::{self, Loaded, Sources, load},
    disk,
};
use clap::Subcommand;
use color_eyre::{
    Result,
    eyre::{Context as _, bail},
};
use std::{fmt::Write as _, fs::DirBuilder, os::unix::fs::DirBuilderExt, path::Path};

#[derive(Debug, clap::Args)]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    verb: Option<ConfigVerb>,
}

#[derive(Debug, Subcommand)]
enum ConfigVerb {
    /// Prints every setting and where it is set (the default)
    Show,
    /// Names every error in settings, API key, key bindings and colors; exits with 2 if there is one
    Check,
    /// Prints every setting with its type, default and meaning as a JSON Schema
    Schema,
    /// Prints the files that are read and written
    Path,
    /// Creates your own settings file with every setting explained
    Init,
}

pub(super) fn run(args: &ConfigArgs, sources: &Sources) -> Result<Exit> {
    match args.verb.as_ref().unwrap_or(&ConfigVerb::Show) {
        ConfigVerb::Show => out::say(&load(sources)?.to_string())?,
        ConfigVerb::Check => return check(&load(sources)?),
        ConfigVerb::Schema => out::say(&config::schema())?,
        ConfigVerb::Path => out::say(&paths(sources)?)?,
        ConfigVerb::Init => return init(sources),
    }
    Ok(Exit::Ok)
}

/// The key may need a prompt, so everything else is checked first.
fn check(loaded: &Loaded) -> Result<Exit> {
    let settings = &loaded.settings;
    let own_files = [
        desk_setup::keymap(settings).map(drop),
        desk_setup::own_theme(settings).map(drop),
    ];
    let mut exit = Exit::Ok;
    for why in own_files.into_iter().filter_map(Result::err) {
        exit = Output::from_command_line().misused(format!("{why:#}"));
    }
    for account in loaded.accounts() {
        account.far_end()?;
    }
    if exit == Exit::Ok {
        out::say("settings: ok\n")?;
        if let Some(what) = settings.market_data.reveals() {
            Output::from_command_line().note(what);
        }
    }
    Ok(exit)
}

fn paths(sources: &Sources) -> Result<String> {
    let state_dir = state_dir(&load(sources)?.settings);
    let mut text = String::new();
    for path in sources.user_file.iter().chain(&sources.named_file) {
        let note = if path.exists() { "" } else { " (not there)" };
        writeln!(text, "settings  {}{note}", path.display())?;
    }
    writeln!(text, "state     {}", state_dir.display())?;
    Ok(text)
}

fn init(sources: &Sources) -> Result<Exit> {
    let Some(path) = &sources.user_file else {
        bail!("there is no home directory for settings; name a file with --config");
    };
    if path.exists() {
        bail!("{} exists and is not changed", path.display());
    }
    create(path).wrap_err_with(|| format!("{} cannot be written", path.display()))?;
    out::say(&format!("{}\n", path.display()))?;
    Ok(Exit::Ok)
}

/// Readable by the user alone from the first byte: it may come to hold a key.
fn create(path: &Path) -> std::io::Result<()> {
    if let Some(dir) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    }
    disk::create(path, config::template().as_bytes())
}
