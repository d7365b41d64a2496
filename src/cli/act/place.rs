//! `perpdeck place`: a new order of any type, or many from a file.
//!
//! Contract: every line of a file is read before anything is sent, and a line that cannot be read means that nothing is sent
//! (exit 2). The orders are then placed in their order, each as `place` does it: with its own key, draft, checks and
//! journal entry. One that is refused does not stop the others. Standard output has one line for each order.

use super::{
    bracket::BracketRule,
    consent::{self, ActingService},
    entry::{self, EntryArgs, WrittenEntry},
    field_flags::PlaceFlags,
    prepared::{KeyFlag, PreparedCommand, SendOutcome, key},
    readings::Readings,
    receipt,
    send_and_report::send_with_consent,
};
use crate::{
    cli::{
        Exit,
        exit::{self, UsageError},
        serve::interrupted,
        usage_error,
        voice::Output,
    },
    config::Sources,
    disk::at_most,
    model::{Failure, FailureKind, IdempotencyKey, Num},
};
use clap::{Arg, Args as _, Command, FromArgMatches as _, ValueHint};
use color_eyre::{Report, Result, eyre::Context as _};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::{json, value::RawValue};
use std::{
    collections::BTreeMap,
    fmt,
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};
use tokio::select;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct PlaceArgs {
    #[command(flatten)]
    order: EntryArgs<PlaceFlags>,
    #[arg(
        long,
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["market", "side", "type", "size"],
        help = "Places one order for each line of JSON; - is standard input",
        long_help = "Places one order for each line of JSON in this file; - is standard input. The members are the \
                     flags: {\"market\": \"btc\", \"side\": \"buy\", \"type\": \"limit\", \"size\": 0.1, \"limit_price\": 60000}. \
                     A line that cannot be read means that nothing is sent. With --idempotency-key KEY, the order of line N \
                     has the key KEY-N, so that the same file can be repeated",
    )]
    file: Option<PathBuf>,
    /// Adds the exits of `bracket`; several targets wait for the fill
    #[arg(long, conflicts_with = "file")]
    bracket: bool,
}

pub(in crate::cli) async fn run(args: PlaceArgs, sources: &Sources) -> Result<Exit> {
    let Some(file) = args.file else {
        let mut order = WrittenEntry::from(args.order);
        if args.bracket {
            order.bracket = BracketRule::OfSettings;
        }
        return entry::run(order, sources).await;
    };
    let service = ActingService::open(sources, args.order.how).await?;
    place(&service, &file, &args.order.key).await
}

/// Flags of the whole run, which a line cannot set.
const OF_THE_RUN: [&str; 4] = ["file", "yes", "output", "help"];

/// The members of a line, as they are written.
struct LineMembers(BTreeMap<String, Box<RawValue>>);

/// The longest file.
const LONGEST: u64 = 4 * 1024 * 1024;

/// One order and the number of its line.
struct NumberedOrder {
    line: usize,
    order: WrittenEntry,
}

/// `of_all` is the key that those of the orders begin with.
async fn place(service: &ActingService, file: &Path, of_all: &KeyFlag) -> Result<Exit> {
    let voice = service.voice;
    let text = text(file)?;
    let orders = match read(&text, of_all) {
        Ok(orders) => orders,
        Err(faults) => {
            for why in faults {
                voice.misused(why);
            }
            voice.note("nothing was sent");
            return Ok(Exit::Usage);
        }
    };
    if orders.is_empty() {
        voice.note("there is no order in it");
    }
    if service.is_dry_run() {
        return rehearse(service, orders).await;
    }
    let mut exits = vec![];
    let mut stopped = std::pin::pin!(interrupted()?);
    for NumberedOrder { line, order } in orders {
        let is_stopped = select! {
            biased;
            () = &mut stopped => true,
            () = std::future::ready(()) => false,
        };
        if is_stopped {
            voice.note(&format!(
                "interrupted: line {line} and those after it were not sent"
            ));
            return Ok(Exit::of_all(&exits).or(Exit::Partial));
        }
        exits.push(one(service, line, order).await?);
    }
    Ok(Exit::of_all(&exits))
}

fn text(path: &Path) -> Result<String> {
    let mut text = String::new();
    if path == Path::new("-") {
        at_most(LONGEST, io::stdin())
            .read_to_string(&mut text)
            .wrap_err("standard input cannot be read")?;
        return Ok(text);
    }
    File::open(path)
        .and_then(|file| at_most(LONGEST, file).read_to_string(&mut text))
        .wrap_err_with(|| format!("{} cannot be read", path.display()))?;
    Ok(text)
}

impl<'de> Deserialize<'de> for LineMembers {
    fn deserialize<D: Deserializer<'de>>(line: D) -> Result<Self, D::Error> {
        line.deserialize_map(LineVisitor)
    }
}

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = LineMembers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    /// A member that comes twice has no meaning: which of the two was meant is not known.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LineMembers, A::Error> {
        let mut members = BTreeMap::new();
        while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
            let name = name.replace('-', "_");
            if members.contains_key(&name) {
                return Err(A::Error::custom(format!(
                    "the member {name:?} is given twice"
                )));
            }
            members.insert(name, value);
        }
        Ok(LineMembers(members))
    }
}

/// The orders, or what is wrong with each line that is none.
fn read(text: &str, of_all: &KeyFlag) -> Result<Vec<NumberedOrder>, Vec<String>> {
    let (mut orders, mut faults) = (vec![], vec![]);
    let lines = (1..).zip(text.lines());
    for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
        match order(text, line, of_all) {
            Ok(order) => orders.push(NumberedOrder { line, order }),
            Err(why) => faults.push(format!("line {line}: {why}")),
        }
    }
    if faults.is_empty() {
        Ok(orders)
    } else {
        Err(faults)
    }
}

fn order(text: &str, line: usize, of_all: &KeyFlag) -> Result<WrittenEntry, String> {
    let LineMembers(members) = serde_json::from_str(text).map_err(|why| {
        // Its own number of the line is that within `text`.
        let why = why.to_string().replace(" at line 1 column ", " at column ");
        format!("no JSON object: {why}")
    })?;
    let flags = PlaceArgs::augment_args(
        Command::new("place")
            .no_binary_name(true)
            .disable_help_flag(true),
    );
    let words = words(members, &flags)?;
    let matches = flags
        .try_get_matches_from(words)
        .map_err(|why| usage_error::message(&why).replace('\n', " "))?;
    let args = PlaceArgs::from_arg_matches(&matches).map_err(|why| why.to_string())?;
    let mut order = WrittenEntry::from(args.order);
    if let (None, Some(of_all)) = (&order.key.chosen, &of_all.chosen) {
        order.key.chosen = Some(key(&format!("{}-{line}", of_all.raw()))?);
    }
    Ok(order)
}

/// The members as flags.
fn words(members: BTreeMap<String, Box<RawValue>>, flags: &Command) -> Result<Vec<String>, String> {
    let known = || {
        let longs = flags.get_arguments().filter_map(Arg::get_long);
        longs.filter(|long| !OF_THE_RUN.contains(long))
    };
    let mut words = vec![];
    for (name, value) in members {
        let long = name.replace('_', "-");
        if !known().any(|known| known == long) {
            let names: Vec<_> = known().map(|long| long.replace('-', "_")).collect();
            let names = names.join(", ");
            return Err(format!(
                "there is no member {name:?}; the members are {names}"
            ));
        }
        match value.get() {
            "null" | "false" => {}
            "true" => words.push(format!("--{long}")),
            text if text.starts_with(['[', '{']) => {
                return Err(format!("{name} is a text, a number or true"));
            }
            value => words.push(format!("--{long}={}", word(&name, value)?)),
        }
    }
    Ok(words)
}

/// A text as it is, a number in plain digits. A program that computes a price below 0 is wrong, and means no offset.
fn word(name: &str, value: &str) -> Result<String, String> {
    if let Ok(text) = serde_json::from_str(value) {
        return Ok(text);
    }
    let number: Num = value.parse().map_err(|why| format!("{name}: {why}"))?;
    if number.is_negative() {
        return Err(format!(
            "{name} is below 0; write an offset as a string: \"{number}\""
        ));
    }
    Ok(number.to_string())
}

async fn rehearse(service: &ActingService, orders: Vec<NumberedOrder>) -> Result<Exit> {
    let (mut prepared_commands, mut exits) = (vec![], vec![]);
    // Nothing changes between the lines.
    let readings = Readings::new(service);
    for NumberedOrder { line, order } in orders {
        match order.prepare(&readings).await {
            Ok(prepared) => prepared_commands.push(prepared),
            Err(why) => exits.push(refused(service.voice, line, &failure(&why), None)),
        }
    }
    let requests: Vec<_> = prepared_commands
        .iter()
        .map(|prepared| &prepared.request)
        .collect();
    let shown = consent::show(service, &requests)?;
    Ok(if exits.is_empty() {
        shown
    } else {
        Exit::of_all(&exits).or(shown)
    })
}

/// Places one order, and prints its line.
async fn one(service: &ActingService, line: usize, order: WrittenEntry) -> Result<Exit> {
    let (voice, key) = (service.voice, order.key.chosen.clone());
    let prepared = match order.prepare(&Readings::new(service)).await {
        Ok(prepared) => prepared,
        Err(why) => return Ok(refused(voice, line, &failure(&why), key.as_ref())),
    };
    match send_with_consent(service, &prepared).await {
        Ok(Err(exit)) => Ok(exit),
        Ok(Ok(outcome)) => Ok(print_line(voice, line, &prepared, &outcome)),
        Err(why) => Ok(refused(voice, line, &failure(&why), prepared.kept_key())),
    }
}

fn print_line(
    voice: Output,
    line: usize,
    prepared: &PreparedCommand,
    outcome: &SendOutcome,
) -> Exit {
    let receipt = match outcome {
        Ok(receipt) => receipt,
        Err(why) => return refused(voice, line, why, prepared.kept_key()),
    };
    if let Some(why) = receipt.refusal() {
        return refused(voice, line, &why, prepared.kept_key());
    }
    let text = if voice.is_json() {
        let data = receipt::data(prepared, receipt);
        let members = data.strip_prefix('{').unwrap_or_default();
        format!("{{\"line\":{line},{members}")
    } else {
        format!("line {line}: {}", receipt::sentence(receipt))
    };
    voice.result(&format!("{text}\n"), prepared.kept_key());
    receipt::checked(voice, prepared, receipt)
}

fn refused(voice: Output, line: usize, why: &Failure, key: Option<&IdempotencyKey>) -> Exit {
    let error = json!({ "line": line, "error": Output::failure_of(why, key) });
    voice.answer(&error, &format!("line {line}: {why}"), key);
    Exit::from(why)
}

/// What is wrong with the order itself counts as a refusal of this line.
fn failure(report: &Report) -> Failure {
    if let Some(why) = report.downcast_ref::<Failure>() {
        return why.clone();
    }
    let words = format!("{report:#}");
    if report.is::<UsageError>() || exit::of(report) == Exit::Usage {
        return Failure::new(FailureKind::Invalid, words);
    }
    Failure::local(words)
}
