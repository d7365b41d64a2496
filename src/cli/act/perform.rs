//! Shows a prepared command, asks for consent, sends it and prints the outcome.

use crate::{
    cli::{
        Exit,
        act::{
            checks, consent,
            post::{Transport, outcomes::UnknownSeen},
            prepared::{ActFlags, PreparedCommand, SendOutcome, writable},
            recall, receipt,
            repeat::{self, RepeatDecision},
        },
        disk_wait::{JOURNAL_OPEN_TIMEOUT, Work},
        service::Service,
        voice::Output,
    },
    journal::{Halts, IntentRow},
    model::{Command, Failure, Risk, Timestamp},
};
use color_eyre::Result;

/// Shows one command, asks for consent, sends it and reports the outcome.
pub(super) async fn perform(
    service: &Service,
    how: ActFlags,
    prepared: PreparedCommand,
    reckoned: &[&str],
) -> Result<Exit> {
    Ok(
        match send_with_consent(service, how, &prepared, reckoned).await? {
            Ok(outcome) => receipt::print_outcome(how.output.voice(), &prepared, &outcome),
            Err(exit) => exit,
        },
    )
}

/// Asks for consent and sends; the exit code if nothing was sent.
pub(super) async fn send_with_consent(
    service: &Service,
    how: ActFlags,
    prepared: &PreparedCommand,
    reckoned: &[&str],
) -> Result<Result<SendOutcome, Exit>> {
    let (requests, what) = ([&prepared.request], consent::spelled(prepared));
    if let Some(exit) = consent::withheld(service, how, &requests, &what).await? {
        return Ok(Err(exit));
    }
    let sending = send(service, how.output.voice(), prepared, reckoned);
    sending.await.map(Ok)
}

/// What one of two commands needs beyond its outcome.
#[derive(Debug, Default)]
pub(super) struct CommandHalf {
    /// It is not sent after this.
    pub(super) deadline: Option<Timestamp>,
    pub(super) unknown: UnknownSeen,
}

pub(super) async fn send(
    service: &Service,
    voice: Output,
    prepared: &PreparedCommand,
    reckoned: &[&str],
) -> Result<SendOutcome> {
    send_half(
        service,
        voice,
        (prepared, reckoned),
        &CommandHalf::default(),
    )
    .await
}

pub(super) async fn send_half(
    service: &Service,
    voice: Output,
    (prepared, reckoned): (&PreparedCommand, &[&str]),
    half: &CommandHalf,
) -> Result<SendOutcome> {
    writable(service)?;
    let mut post = Transport::open(service, voice, &prepared.command)?;
    let known = post.known(prepared);
    let prepared = &match repeat::settled(known.as_ref(), prepared.clone(), service, reckoned)? {
        RepeatDecision::Due(prepared) => prepared,
        RepeatDecision::Past(prepared) => {
            return Ok(recalled(service, voice, &prepared, known.as_ref()).await);
        }
    };
    let is_checked = repeat::may_have_acted(known.as_ref());
    let objection = match halted(service, &prepared.command) {
        None if !is_checked => checks::objection(service, &mut post, prepared).await,
        objection => objection,
    };
    if let Some(why) = objection {
        return Ok(Err(Failure::held_back(&why)));
    }
    // Opening the journal, the rate and the limits take their time.
    if let Some(why) = lapsed(half.deadline, service.clock.now()) {
        return Ok(Err(why));
    }
    let prepared_commands = std::slice::from_ref(prepared);
    let mut outcomes = post.deliver(prepared_commands, &half.unknown).await?;
    let lost = || {
        Err(Failure::local(
            "perpdeck stopped before there was an answer",
        ))
    };
    Ok(outcomes.pop().unwrap_or_else(lost))
}

/// Why a command that was meant for an earlier moment is not sent, if so.
fn lapsed(deadline: Option<Timestamp>, now: Timestamp) -> Option<Failure> {
    let is_late = deadline.is_some_and(|deadline| now > deadline);
    is_late.then(|| Failure::local("not sent: its deadline has passed"))
}

/// The outcome of a command that is too old to be resent.
pub(super) async fn recalled(
    service: &Service,
    voice: Output,
    prepared: &PreparedCommand,
    known: Option<&IntentRow>,
) -> SendOutcome {
    let (Some(entry), Some(key)) = (known, prepared.kept_key()) else {
        return Err(Failure::local("the journal has no record of it"));
    };
    let ago = service.clock.now().since(entry.created_at).as_secs() / 60;
    voice.note(&format!(
        "the key {key} was first sent {ago} min ago, and the service may have forgotten it; nothing is sent; the \
         outcome recorded then:"
    ));
    recall::outcome(service, prepared, entry).await
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
        "HALTED: {why}; \"perpdeck journal rearm\", or R on a desk, re-enables trading"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_a_deadline_is_not_sent_after_it() {
        let deadline = Some(Timestamp(10_000));
        assert_eq!(lapsed(deadline, Timestamp(10_000)), None);
        assert!(lapsed(deadline, Timestamp(10_001)).is_some());
        assert_eq!(lapsed(None, Timestamp(i64::MAX)), None);
    }
}
