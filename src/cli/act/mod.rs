//! Verbs that change something: each makes commands, and all of them go out through the desk's own outbox.
//!
//! Contract: an intent is on disk before its first byte leaves, every attempt carries the same key and the same bytes,
//! and what may have taken effect is never told as failed (exit 14, with the key that repeats it safely). Nothing is
//! sent without `--yes` or a `y` typed on a terminal; `--dry-run` reads what it needs and sends nothing. Orders that
//! raise exposure keep to the limits under `[checks]`, exits never wait for any.

pub(super) mod cancel;
mod checks;
pub(super) mod close;
pub(super) mod close_all;
mod consent;
mod dry;
pub(super) mod exits;
pub(super) mod flatten;
mod ground;
pub(super) mod margin;
mod market;
pub(super) mod place;
mod post;
mod recall;
mod receipt;
mod repeat;
pub(super) mod strategy;
mod typed;

use super::{
    Exit,
    service::Service,
    voice::{FormOutput, Voice},
};
use crate::{
    api::{IDEMPOTENCY_KEY_LIMIT, Request},
    journal::{IntentRow, Journal},
    model::{Command, Failure, FailureKind, IdempotencyKey, Receipt, Risk},
    runtime::Clock,
};
use color_eyre::Result;
use post::Post;
use repeat::Wish;

/// How any of them is done.
#[derive(Debug, Clone, Copy, clap::Args)]
struct How {
    /// Does it without asking; needed where there is no terminal
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    output: FormOutput,
}

#[derive(Debug, Clone, clap::Args)]
struct Key {
    /// The name of this deed: the same command under the same key is done once, however often and late it is asked for
    #[arg(long = "idempotency-key", value_name = "KEY", value_parser = key)]
    chosen: Option<IdempotencyKey>,
}

/// `docs/service-api.md 6`; a header keeps no blanks at its ends.
fn key(text: &str) -> Result<IdempotencyKey, String> {
    let printable = text.bytes().all(|b| (b' '..=b'~').contains(&b));
    let fits = (1..=IDEMPOTENCY_KEY_LIMIT).contains(&text.len());
    if printable && fits && text.trim() == text {
        return Ok(IdempotencyKey::from(text));
    }
    Err(format!(
        "a key is 1 to {IDEMPOTENCY_KEY_LIMIT} printable ASCII characters without blanks at its ends"
    ))
}

/// One command, complete, and the key it goes out under.
#[derive(Debug, Clone)]
struct Deed {
    command: Command,
    request: Request,
    /// None of a flatten: each of its requests has its own.
    key: Option<IdempotencyKey>,
}

impl Deed {
    /// Under a key of its own where none was chosen.
    fn new(service: &Service, command: Command, chosen: Option<IdempotencyKey>) -> Result<Self> {
        let key = chosen.unwrap_or_else(|| uuid::Uuid::new_v4().to_string().into());
        let dialect = &service.client.dialect();
        Ok(Self {
            request: Request::of(&command, key.clone(), dialect)?,
            command,
            key: Some(key),
        })
    }

    /// The key, where the service keeps it.
    fn kept_key(&self) -> Option<&IdempotencyKey> {
        self.request.key.as_ref()
    }
}

/// What came of a deed that was sent.
type Outcome = Result<Receipt, Failure>;

/// Does one thing: shown, agreed to, sent, told.
async fn perform(service: &Service, how: How, deed: Deed, reckoned: &[&str]) -> Result<Exit> {
    let voice = how.output.voice();
    if service.is_dry_run() {
        return dry::show(service, voice, &[&deed.request]);
    }
    writable(service)?;
    let what = format!("{} on {}", consent::spelled(&deed), service.place());
    if !consent::given(how, what).await? {
        return Ok(Exit::Usage);
    }
    let outcome = send(service, voice, &deed, reckoned).await?;
    receipt::told(voice, &deed, &outcome)
}

async fn send(service: &Service, voice: Voice, deed: &Deed, reckoned: &[&str]) -> Result<Outcome> {
    writable(service)?;
    let post = Post::open(service, voice, deed.command.risk()).await?;
    let known = post.known(deed);
    let deed = &match repeat::settled(known.as_ref(), deed.clone(), service, reckoned)? {
        Wish::Due(deed) => deed,
        Wish::Past(deed) => {
            return Ok(recalled(service, voice, &post, (&deed, known.as_ref())).await);
        }
    };
    let is_checked = repeat::may_have_acted(known.as_ref());
    if !is_checked {
        checks::room(service, &post, deed).await?;
    }
    if let Some(journal) = post.journal() {
        let objection = match halted(service, journal, deed) {
            None if !is_checked => checks::objection(service, &post, deed).await,
            objection => objection,
        };
        if let Some(why) = objection {
            return Ok(Err(held_back(&why)));
        }
    }
    let mut outcomes = post.deliver(std::slice::from_ref(deed)).await?;
    let lost = || Err(Failure::local("the outbox ended without an answer"));
    Ok(outcomes.pop().unwrap_or_else(lost))
}

/// What came of a deed that is too old to be sent again.
async fn recalled(
    service: &Service,
    voice: Voice,
    post: &Post<'_>,
    (deed, known): (&Deed, Option<&IntentRow>),
) -> Outcome {
    let (Some(entry), Some(key)) = (known, deed.kept_key()) else {
        return Err(Failure::local("the journal knows nothing of it"));
    };
    let ago = Clock::start().now().since(entry.created_at).as_secs() / 60;
    voice.note(&format!(
        "the key {key} was first sent {ago} min ago, and the service may have forgotten it: nothing is sent, this is what \
         came of it"
    ));
    recall::outcome(service, deed, entry, post.linked().as_deref()).await
}

/// What raises exposure waits until a person has seen why a desk or a verb before this was halted.
fn halted(service: &Service, journal: &Journal, deed: &Deed) -> Option<String> {
    let base_url = &service.client.connection().base_url;
    let why = journal.halted(base_url, &service.account)?;
    let raises = deed.command.risk() == Risk::Increasing;
    raises.then(|| {
        format!("it is HALTED: {why}; \"perpdeck journal rearm\", or R in a desk, trades on")
    })
}

/// The person's own limits say no; nothing was sent, and asking again changes nothing.
fn held_back(why: &str) -> Failure {
    let words = format!("held back by this side, nothing was sent: {why}");
    Failure::new(FailureKind::Invalid, words)
}

/// Before anybody is asked whether it is meant.
fn writable(service: &Service) -> Result<(), Failure> {
    if service.client.connection().read_only {
        return Err(held_back("read_only is set"));
    }
    Ok(())
}
