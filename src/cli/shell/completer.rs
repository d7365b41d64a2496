//! Completion of ids, markets, profiles and rows: the shell runs the program at each Tab.
//!
//! Contract: it asks the configured service for what the word can be, for at most [`PATIENCE`], and offers what came in
//! time. It prints no error, writes no file, starts no exchange and runs no program for a key: where one is set
//! (`api_key_command`, `api_key_keyring`), only profiles are offered.

use super::help::explain;
use crate::{
    app::{Store, account::poll::Answer},
    cli::{
        flags::SettingsFlags,
        service::{arrive, client},
    },
    client::Client,
    config::{self, Settings, Sources, load},
    model::{Failure, MarketNames, Order, Page},
    view::text::words,
};
use clap::{ArgMatches, Command, FromArgMatches as _};
use clap_complete::{ArgValueCompleter, CompleteEnv, CompletionCandidate};
use std::{
    env,
    ffi::{OsStr, OsString},
    sync::Arc,
    time::Duration,
};
use strum::Display;

/// How long Tab may take.
const PATIENCE: Duration = Duration::from_millis(800);

/// The variable that asks for a completion; its value names the shell.
pub(super) const VARIABLE: &str = "COMPLETE";

/// What a word can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
enum Offered {
    Orders,
    Positions,
    Twaps,
    Scaled,
    Markets,
    Profiles,
}

/// Arguments by their names, and what each can be.
const ARGUMENTS: &[(&str, Offered)] = &[
    ("order_id", Offered::Orders),
    ("of", Offered::Positions),
    ("what", Offered::Orders),
    ("order_ids", Offered::Orders),
    ("target_position_id", Offered::Positions),
    ("position_ids", Offered::Positions),
    ("twap_ids", Offered::Twaps),
    ("scaled_ids", Offered::Scaled),
    ("market", Offered::Markets),
    ("trigger_market_id", Offered::Markets),
    ("profile", Offered::Profiles),
];

/// A word, and what it is.
struct Candidate {
    word: String,
    about: String,
}

/// Whether a shell asked for a completion of this command line, which is printed then.
pub(in crate::cli) fn answer(
    variables: impl Iterator<Item = (OsString, OsString)>,
    whole: fn() -> Command,
) -> bool {
    if env::var_os(VARIABLE).is_none_or(|shell| shell.is_empty()) {
        return false;
    }
    let sources = Arc::new(sources(variables, whole()));
    let here = env::current_dir().ok();
    let done = CompleteEnv::with_factory(|| offering(explain(whole()), &sources))
        .var(VARIABLE)
        .try_complete(env::args_os(), here.as_deref());
    // An unknown shell gets nothing rather than an error in the middle of a line.
    done.unwrap_or(true)
}

/// The settings that the line so far would have.
fn sources(variables: impl Iterator<Item = (OsString, OsString)>, whole: Command) -> Sources {
    let typed: Vec<OsString> = env::args_os()
        .skip_while(|word| word != "--")
        .skip(1)
        .collect();
    let whole = whole.ignore_errors(true);
    let matches = whole.try_get_matches_from(typed).unwrap_or_default();
    let flags = SettingsFlags::from_arg_matches(deepest(&matches));
    let file = config::user_file();
    match flags {
        Ok(flags) => flags.sources(variables, file),
        Err(_) => SettingsFlags::default().sources(variables, file),
    }
}

/// Global flags stand with the last command of the line.
fn deepest(matches: &ArgMatches) -> &ArgMatches {
    matches
        .subcommand()
        .map_or(matches, |(_, matches)| deepest(matches))
}

/// With what each argument can be.
fn offering(mut command: Command, sources: &Arc<Sources>) -> Command {
    command = command.mut_args(|arg| {
        let mut known = ARGUMENTS.iter();
        let Some((_, what)) = known.find(|(id, _)| arg.get_id() == id) else {
            return arg;
        };
        let (sources, what) = (Arc::clone(sources), *what);
        arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
            candidates(&sources, what, &typed.to_string_lossy())
        }))
    });
    let verbs: Vec<_> = command
        .get_subcommands()
        // The number of a journal entry is not offered.
        .filter(|verb| verb.get_name() != "journal")
        .map(|verb| verb.get_name().to_owned())
        .collect();
    verbs.iter().fold(command, |command, name| {
        command.mut_subcommand(name, |verb| offering(verb, sources))
    })
}

fn candidates(sources: &Sources, what: Offered, typed: &str) -> Vec<CompletionCandidate> {
    let typed = typed.to_lowercase();
    let found = found(sources, what).unwrap_or_default().into_iter();
    found
        .filter(|candidate| candidate.word.to_lowercase().starts_with(&typed))
        .map(|Candidate { word, about }| {
            let about = Some(about).filter(|about| !about.is_empty());
            CompletionCandidate::new(word).help(about.map(Into::into))
        })
        .collect()
}

fn found(sources: &Sources, what: Offered) -> Option<Vec<Candidate>> {
    if what == Offered::Profiles {
        // The profile that is being typed is none yet.
        let mut sources = sources.clone();
        sources.flags.retain(|flag| flag.key != "profile");
        let loaded = load(&sources).ok()?;
        return Some(loaded.accounts().filter_map(profile).collect());
    }
    let loaded = load(sources).ok()?;
    let settings = &loaded.settings;
    if settings.key_program().is_some() || settings.base_url.is_none() {
        return None;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .ok()?;
    let read = async {
        let client = client(settings).await.ok()?;
        Some(candidates_of(&client, what).await)
    };
    let read = async { tokio::time::timeout(PATIENCE, read).await };
    let found = runtime.block_on(read);
    // A name that is being looked up must not delay the shell.
    runtime.shutdown_background();
    found.ok().flatten()
}

fn profile(settings: &Settings) -> Option<Candidate> {
    Some(Candidate {
        word: settings.name.clone()?,
        about: settings.account_id.clone().unwrap_or_default(),
    })
}

async fn candidates_of(client: &Client, what: Offered) -> Vec<Candidate> {
    match what {
        Offered::Orders => rows(client.working_orders().await, |order| Candidate {
            word: order.id.to_string(),
            about: words::order(&order, None, &MarketNames::default()),
        }),
        Offered::Positions => rows(client.open_positions().await, |position| Candidate {
            word: position.id.to_string(),
            about: words::position(&position, None, &MarketNames::default()),
        }),
        Offered::Twaps => rows(client.active_twaps().await, |twap| Candidate {
            word: twap.id.to_string(),
            about: words::twap(&twap, None, &MarketNames::default()),
        }),
        Offered::Scaled => scaled_orders(client.working_orders().await),
        Offered::Markets => {
            let read = client
                .markets(&std::collections::BTreeSet::new(), 0)
                .await
                .map(|page| page.rows);
            let mut store = Store::default();
            arrive(&mut store, Answer::Markets(read));
            let known = store.known_markets().into_iter();
            known
                .map(|id| Candidate {
                    word: store.names.shown(&id).to_string(),
                    about: id.to_string(),
                })
                .collect()
        }
        Offered::Profiles => vec![],
    }
}

fn rows<T>(read: Result<Page<T>, Failure>, candidate: impl Fn(T) -> Candidate) -> Vec<Candidate> {
    let rows = read.map(|page| page.rows).unwrap_or_default();
    rows.into_iter().map(candidate).collect()
}

/// A scaled order is known through its working rungs.
fn scaled_orders(read: Result<Page<Order>, Failure>) -> Vec<Candidate> {
    let orders = read.map(|page| page.rows).unwrap_or_default();
    let mut ids: Vec<_> = orders
        .into_iter()
        .filter_map(|order| order.scaled_order_id)
        .collect();
    ids.sort();
    ids.dedup();
    ids.into_iter()
        .map(|id| Candidate {
            word: id.to_string(),
            about: String::new(),
        })
        .collect()
}
