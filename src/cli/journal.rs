//! `perpdeck journal`: commands, their outcomes, and what is still open.
//!
//! Contract: `list` and `show` read beside the process that holds the journal and do not block it. `settle` and `rearm`
//! write, so they need the lock. They only record what a person has found out: nothing is sent. For a damaged journal,
//! `list` and `show` print what is readable, report the damage, and fail.

use super::{
    Exit,
    disk_wait::{no_answer, saying},
    out,
    paths::state_dir,
    voice::{Output, json},
};
use crate::{
    config::{Sources, load},
    journal::{IntentId, IntentRow, IntentState, Journal, JournalError, StateUpdate},
    model::{IdempotencyKey, OrderId, Text, Timestamp},
    runtime::Clock,
    view::tables::rows::csv,
};
use clap::Subcommand;
use color_eyre::{
    Report, Result,
    eyre::{ensure, eyre},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    fmt::Write as _,
    io::{self, IsTerminal},
    path::Path,
};

#[derive(Debug, clap::Args)]
pub(super) struct JournalArgs {
    #[command(subcommand)]
    verb: Option<JournalVerb>,
    /// The format [default: table on a terminal, json elsewhere]
    #[arg(long, short, value_enum, global = true)]
    output: Option<JournalOutput>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum JournalOutput {
    Table,
    Json,
    /// For lists only.
    Csv,
}

#[derive(Debug, Subcommand)]
enum JournalVerb {
    /// Lists the newest commands and their outcomes (the default); exits with 1 if the journal is damaged
    List {
        /// Only commands whose outcome is open
        #[arg(long)]
        open: bool,
        /// At most this many rows
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Only commands before this id, for the next page
        #[arg(long, value_name = "ID", conflicts_with = "open")]
        before: Option<i64>,
    },
    /// Shows one command with the exact bytes of its request
    Show {
        /// As `journal list` shows it
        id: i64,
    },
    /// Records the outcome of a command whose outcome is unknown; sends nothing
    Settle {
        /// As `journal list` shows it
        id: i64,
        /// The outcome that you found
        #[arg(value_enum)]
        finding: ManualOutcome,
    },
    /// Resumes entries after a halt, on every account of this journal (R on an open desk)
    Rearm,
}

/// What a person can find out about an unknown outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ManualOutcome {
    /// It was executed
    Done,
    /// It was not executed
    Rejected,
    /// Its outcome no longer matters
    Abandoned,
}

impl ManualOutcome {
    fn state(self) -> IntentState {
        match self {
            Self::Done => IntentState::Done,
            Self::Rejected => IntentState::Rejected,
            Self::Abandoned => IntentState::Abandoned,
        }
    }
}

pub(super) fn run(args: &JournalArgs, sources: &Sources) -> Result<Exit> {
    let dir = state_dir(&load(sources)?.settings);
    let output = args.output.unwrap_or_else(|| {
        if io::stdout().is_terminal() {
            JournalOutput::Table
        } else {
            JournalOutput::Json
        }
    });
    let opening = || format!("{}; waiting for it", no_answer(&dir));
    let look = || saying(opening(), || readable(&dir));
    let open_mine = || saying(opening(), || Journal::open(&dir));
    let verb = args.verb.as_ref();
    match verb.unwrap_or(&JournalVerb::List {
        open: false,
        limit: 50,
        before: None,
    }) {
        JournalVerb::List {
            open,
            limit,
            before,
        } => {
            let journal = look()?;
            let mut entries = match before {
                Some(id) => journal.recent_before(IntentId(*id), *limit)?,
                None if *open => journal.open_intents()?,
                None => journal.recent(*limit)?,
            };
            entries.truncate(usize::try_from(*limit).unwrap_or(usize::MAX));
            out::say(&list(&entries, output)?)?;
            Ok(soundness(&journal))
        }
        JournalVerb::Show { id } => {
            let journal = look()?;
            Ok(show(&journal, *id, output)?.or(soundness(&journal)))
        }
        JournalVerb::Settle { id, finding } => settle(&mut open_mine()?, *id, *finding),
        JournalVerb::Rearm => rearm(&mut open_mine()?),
    }
}

/// Reports damage; the exit code says whether everything is reliable.
fn soundness(journal: &Journal) -> Exit {
    let Some(damage) = journal.damage() else {
        return Exit::Ok;
    };
    Output::from_command_line().explain(&eyre!(
        "{damage}; \"perpdeck journal rearm\", or R on a desk, accepts the journal as it is"
    ))
}

/// Creates a missing journal first, as a desk would.
fn readable(dir: &Path) -> Result<Journal, JournalError> {
    Journal::open_read_only(dir).or_else(|_| Journal::open(dir))
}

fn rearm(journal: &mut Journal) -> Result<Exit> {
    let reasons = journal.rearm_all()?;
    let words = match reasons.as_slice() {
        [] => "nothing is halted\n".to_owned(),
        reasons => format!("entries resumed; it was halted: {}\n", reasons.join("; ")),
    };
    Output::from_command_line().result(&words, None);
    Ok(Exit::Ok)
}

fn show(journal: &Journal, id: i64, output: JournalOutput) -> Result<Exit> {
    let Some(entry) = journal.entry(IntentId(id))? else {
        return Err(missing(id));
    };
    match output {
        JournalOutput::Json => out::say(&(json(&JournalRow::of(&entry)) + "\n"))?,
        JournalOutput::Table => out::say(&sheet(&entry))?,
        JournalOutput::Csv => out::say(&list(std::slice::from_ref(&entry), output)?)?,
    }
    Ok(Exit::Ok)
}

fn settle(journal: &mut Journal, id: i64, finding: ManualOutcome) -> Result<Exit> {
    let Some(entry) = journal.entry(IntentId(id))? else {
        return Err(missing(id));
    };
    ensure!(entry.state.is_open(), "{id} is already {}", entry.state);
    let update = StateUpdate::new(finding.state(), "settled by hand");
    let settled: Result<(), JournalError> =
        journal.record_state(Clock::start().now(), entry.id, &update);
    settled?;
    let words = format!("{id} is {} now\n", finding.state());
    Output::from_command_line().result(&words, None);
    Ok(Exit::Ok)
}

fn missing(id: i64) -> Report {
    eyre!("the journal has no command {id}")
}

/// One command as a script reads it. Instants are milliseconds since 1970.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Row")]
pub(super) struct JournalRow {
    /// Its number.
    id: i64,
    /// When it was recorded.
    created_at: Timestamp,
    /// As docs/delivery.md 2.3 lists them.
    state: String,
    /// The command in words.
    command: String,
    /// increasing, neutral or reducing.
    risk: String,
    /// The HTTP method.
    method: String,
    /// The path of the request.
    target: String,
    /// The exact body.
    body: String,
    /// The key of the command.
    idempotency_key: Option<String>,
    /// The address of the service.
    base_url: String,
    /// The account.
    account_id: String,
    /// The object that it changes.
    resource: Option<String>,
    /// The row of the flatten that it is a part of.
    parent: Option<i64>,
    /// Until when its key is repeated.
    replay_until: Timestamp,
    /// Whether it may have had an effect.
    maybe_executed: bool,
    /// How many attempts have ended.
    attempts: u32,
    /// When its outcome was recorded.
    told_at: Option<Timestamp>,
    /// Its outcome in words.
    detail: Option<String>,
    /// The order that came of it.
    order_id: Option<String>,
    /// The id of the request at the service.
    request_id: Option<String>,
}

impl JournalRow {
    fn of(entry: &IntentRow) -> Self {
        let (intent, outcome) = (&entry.intent, entry.outcome.as_ref());
        Self {
            id: entry.id.0,
            created_at: entry.created_at,
            state: entry.state.to_string(),
            command: intent.command.clone(),
            risk: intent.risk.to_string(),
            method: intent.method.clone(),
            target: intent.target.clone(),
            body: String::from_utf8_lossy(&intent.body).into_owned(),
            idempotency_key: intent.key.as_ref().map(|key| key.raw().to_owned()),
            base_url: intent.base_url.clone(),
            account_id: intent.account_id.raw().to_owned(),
            resource: intent.resource.clone(),
            parent: intent.parent.map(|parent| parent.0),
            replay_until: intent.replay_until,
            maybe_executed: entry.maybe_executed,
            attempts: u32::try_from(entry.attempts.len()).unwrap_or(u32::MAX),
            told_at: outcome.map(|outcome| outcome.at),
            detail: outcome.map(|outcome| outcome.detail.clone()),
            order_id: outcome
                .and_then(|outcome| outcome.order_id.as_ref())
                .map(|id| OrderId::raw(id).to_owned()),
            request_id: outcome
                .and_then(|outcome| outcome.request_id.as_ref())
                .map(|id| id.raw().to_owned()),
        }
    }
}

fn list(entries: &[IntentRow], output: JournalOutput) -> Result<String> {
    let rows = || entries.iter().map(JournalRow::of).collect::<Vec<_>>();
    match output {
        JournalOutput::Csv => return Ok(csv(&COLUMNS, &rows())),
        JournalOutput::Json => return Ok(json(&rows()) + "\n"),
        JournalOutput::Table => {}
    }
    let mut text = format!(
        "{:>5}  {:<20}  {:<9}  {}\n",
        "id", "at (UTC)", "state", "command"
    );
    for entry in entries {
        let detail = entry
            .outcome
            .as_ref()
            .map(|outcome| outcome.detail.as_str());
        writeln!(
            text,
            "{:>5}  {:<20}  {:<9}  {}{}",
            entry.id.0,
            entry.created_at.to_utc(),
            entry.state.to_string(),
            Text::from(entry.intent.command.as_str()),
            detail.map_or_else(String::new, |detail| {
                format!(": {}", Text::from(detail))
            }),
        )?;
    }
    Ok(text)
}

/// The fields of a row in order, as the header.
const COLUMNS: [&str; 20] = [
    "id",
    "created_at",
    "state",
    "command",
    "risk",
    "method",
    "target",
    "body",
    "idempotency_key",
    "base_url",
    "account_id",
    "resource",
    "parent",
    "replay_until",
    "maybe_executed",
    "attempts",
    "told_at",
    "detail",
    "order_id",
    "request_id",
];

fn sheet(entry: &IntentRow) -> String {
    let (intent, outcome) = (&entry.intent, entry.outcome.as_ref());
    let body = String::from_utf8_lossy(&intent.body);
    let lines = [
        ("command", intent.command.clone()),
        ("state", entry.state.to_string()),
        ("at (UTC)", entry.created_at.to_utc()),
        (
            "detail",
            outcome.map(|o| o.detail.clone()).unwrap_or_default(),
        ),
        ("request", format!("{} {}", intent.method, intent.target)),
        ("body", body.into_owned()),
        (
            "key",
            intent
                .key
                .as_ref()
                .map_or("none", IdempotencyKey::raw)
                .to_owned(),
        ),
        ("service", intent.base_url.clone()),
        ("account", intent.account_id.raw().to_owned()),
        ("risk", intent.risk.to_string()),
        ("attempts", entry.attempts.len().to_string()),
        (
            "may have acted",
            if entry.maybe_executed { "yes" } else { "no" }.to_owned(),
        ),
        ("repeatable until", intent.replay_until.to_utc()),
    ];
    let mut text = String::new();
    for (name, value) in lines {
        // Writing to a string cannot fail. Server text must not control the terminal.
        let _written = writeln!(text, "{name:<17} {}", Text::from(value));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        journal::Intent,
        model::{Risk, Timestamp},
    };

    #[test]
    fn who_lists_the_journal_keeps_no_desk_from_it() {
        let dir = tempfile::tempdir().unwrap();
        let new = readable(dir.path()).unwrap();
        assert_eq!(new.recent(9).unwrap(), []);
        drop(new);
        let reading = readable(dir.path()).unwrap();
        let desk = Journal::open(dir.path()).unwrap();
        assert_eq!(readable(dir.path()).unwrap().recent(9).unwrap(), []);
        drop((reading, desk));
    }

    #[test]
    fn what_a_service_hid_in_an_id_reaches_no_terminal_raw() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(dir.path()).unwrap();
        let hidden = "ord\u{9b}31m\u{202e}\u{1b}[2J";
        let intent = Intent {
            base_url: "https://x.test".into(),
            account_id: "chal-1".into(),
            credential: String::new(),
            method: "DELETE".into(),
            target: format!("/v1/orders/{hidden}"),
            body: hidden.into(),
            key: None,
            risk: Risk::Neutral,
            command: format!("cancel {hidden}"),
            resource: Some(hidden.to_owned()),
            parent: None,
            entry: None,
            replaces: None,
            deadline: Timestamp(30_000),
            replay_until: Timestamp(900_000),
        };
        let id = journal.record(Timestamp(1), &intent).unwrap();
        let entry = journal.entry(id).unwrap().unwrap();
        let csv = list(std::slice::from_ref(&entry), JournalOutput::Csv).unwrap();
        let mut lines = csv.split("\r\n");
        assert!(lines.next().unwrap().starts_with("id,created_at,state,"));
        let row = lines.next().unwrap();
        assert!(row.contains(",1970-01-01T00:00:00.001Z,"), "{row}");
        let members = serde_json::to_value(JournalRow::of(&entry)).unwrap();
        let names: Vec<_> = members.as_object().unwrap().keys().collect();
        assert!(
            names.len() == COLUMNS.len()
                && names.iter().all(|name| COLUMNS.contains(&name.as_str()))
        );
        assert!(!csv.contains('\u{1b}') && !csv.contains('\u{9b}'), "{csv}");
        let listed = list(&[entry], JournalOutput::Json).unwrap();
        assert!(
            listed
                .trim_end()
                .bytes()
                .all(|b| (b' '..=b'~').contains(&b))
        );
        let read: serde_json::Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(read[0]["resource"], hidden);
    }
}
