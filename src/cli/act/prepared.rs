//! The flags of every acting verb, the prepared command, and the errors of commands that are not sent.

use crate::{
    api::{IDEMPOTENCY_KEY_LIMIT, Request},
    cli::{
        disk_wait::{JOURNAL_OPEN_TIMEOUT, Work},
        service::Service,
        voice::FormOutput,
    },
    journal::Halts,
    model::{Command, Failure, IdempotencyKey, Receipt, Risk, draft::LaterTarget},
};
use color_eyre::Result;

/// How any of them is done.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct ActFlags {
    /// Answers every question with yes; required without a terminal
    #[arg(long, short)]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) output: FormOutput,
}

#[derive(Debug, Clone, clap::Args)]
pub(super) struct KeyFlag {
    /// Repeating the command under this key never executes it twice
    #[arg(long = "idempotency-key", value_name = "KEY", value_parser = key)]
    pub(super) chosen: Option<IdempotencyKey>,
}

impl KeyFlag {
    /// The key of one of several commands: `KEY-2`.
    pub(super) fn of_one(&self, at: usize, count: usize) -> Self {
        let numbered = |key: &IdempotencyKey| format!("{}-{}", key.raw(), at + 1).into();
        match &self.chosen {
            Some(key) if count > 1 => Self {
                chosen: Some(numbered(key)),
            },
            Some(_) | None => self.clone(),
        }
    }
}

/// `docs/service-api.md 6`; a header keeps no blanks at its ends.
pub(super) fn key(text: &str) -> Result<IdempotencyKey, String> {
    let printable = text.bytes().all(|b| (b' '..=b'~').contains(&b));
    let fits = (1..=IDEMPOTENCY_KEY_LIMIT).contains(&text.len());
    if printable && fits && text.trim() == text {
        return Ok(IdempotencyKey::from(text));
    }
    Err(format!(
        "a key has 1 to {IDEMPOTENCY_KEY_LIMIT} printable ASCII characters, without spaces at its ends"
    ))
}

/// One complete command and its key.
#[derive(Debug, Clone)]
pub(super) struct PreparedCommand {
    pub(super) command: Command,
    pub(super) request: Request,
    /// `None` for a flatten: each of its requests has its own.
    pub(super) key: Option<IdempotencyKey>,
    /// Whether a person has chosen it: that means another order than an equal one under another key.
    pub(super) is_key_chosen: bool,
    /// The body fields that would differ an hour later: they follow from prices, positions or the clock.
    pub(super) time_dependent: Vec<&'static str>,
    /// The targets of its bracket that follow its fill.
    pub(super) later_targets: Vec<LaterTarget>,
}

impl PreparedCommand {
    /// With a new key if none was chosen.
    pub(super) fn new(command: Command, chosen: Option<IdempotencyKey>) -> Result<Self> {
        let is_key_chosen = chosen.is_some();
        let key = chosen.unwrap_or_else(|| uuid::Uuid::new_v4().to_string().into());
        Ok(Self {
            request: Request::encode(&command, key.clone())?,
            command,
            key: Some(key),
            is_key_chosen,
            time_dependent: vec![],
            later_targets: vec![],
        })
    }

    /// Each under a new key.
    pub(super) fn all(commands: Vec<Command>) -> Result<Vec<Self>> {
        let commands = commands.into_iter();
        commands.map(|command| Self::new(command, None)).collect()
    }

    /// The key, if the service keeps it.
    pub(super) fn kept_key(&self) -> Option<&IdempotencyKey> {
        self.request.key.as_ref()
    }
}

/// The outcome of a command that was sent.
pub(super) type SendOutcome = Result<Receipt, Failure>;

/// What came of one command.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) outcome: SendOutcome,
    /// Whether it was unknown for a while.
    pub(super) was_unknown: bool,
}

impl From<SendOutcome> for Sent {
    fn from(outcome: SendOutcome) -> Self {
        Self {
            outcome,
            was_unknown: false,
        }
    }
}

/// Checked before the question for consent.
pub(super) fn writable(service: &Service) -> Result<(), Failure> {
    if service.client.connection().read_only {
        return Err(Failure::held_back("read_only is set"));
    }
    Ok(())
}

/// New entries wait until a person has seen why a desk or verb was halted.
pub(super) fn halted(service: &Service, command: &Command) -> Option<String> {
    (command.risk() == Risk::Increasing).then(|| halted_now(service))?
}

/// The same for a command that would follow another one.
pub(super) fn would_be_halted(service: &Service) -> Option<Failure> {
    halted_now(service).map(|why| Failure::held_back(&why))
}

fn halted_now(service: &Service) -> Option<String> {
    let base_url = service.client.connection().base_url.clone();
    let (dir, account) = (service.journal_dir.clone(), service.account.clone());
    // A disk that hangs shows none: then the first command is recorded late, and the second one waits for it.
    let read = Work::begin(move || Halts::of_journal(&dir).of(&base_url, &account));
    let why = read.within(JOURNAL_OPEN_TIMEOUT).flatten()?;
    Some(format!(
        "HALTED: {why}; \"perpdeck journal rearm\", or R on a desk, resumes entries"
    ))
}
