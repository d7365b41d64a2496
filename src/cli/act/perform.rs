//! Shows a prepared command, asks for consent, sends it and prints the outcome.

use crate::{
    cli::{
        Exit,
        act::{
            checks,
            consent::ActingService,
            halts::halted,
            prepared::{PreparedCommand, SendOutcome, Sent, writable},
            receipt, repeat,
            transport::Transport,
        },
        service::Service,
    },
    model::{Failure, Timestamp},
};
use color_eyre::Result;

/// Shows one command, asks for consent, sends it and reports the outcome.
pub(super) async fn perform(service: &ActingService, prepared: PreparedCommand) -> Result<Exit> {
    Ok(match send_with_consent(service, &prepared).await? {
        Ok(outcome) => receipt::print_outcome(service.voice, &prepared, &outcome),
        Err(exit) => exit,
    })
}

/// Asks for consent and sends; the exit code if nothing was sent.
pub(super) async fn send_with_consent(
    service: &ActingService,
    prepared: &PreparedCommand,
) -> Result<Result<SendOutcome, Exit>> {
    if let Some(exit) = service.withheld_one(prepared).await? {
        return Ok(Err(exit));
    }
    send(service, prepared).await.map(Ok)
}

pub(super) async fn send(service: &Service, prepared: &PreparedCommand) -> Result<SendOutcome> {
    Ok(send_before(service, prepared, None).await?.outcome)
}

/// Sends it, unless a deadline has passed.
pub(super) async fn send_before(
    service: &Service,
    prepared: &PreparedCommand,
    deadline: Option<Timestamp>,
) -> Result<Sent> {
    writable(service)?;
    let mut transport = Transport::open(service, &prepared.command)?;
    let known = transport.known(prepared);
    let prepared = &repeat::settled(known.as_ref(), prepared.clone(), service)?;
    let now = service.clock.now();
    // The service may have dropped its key.
    if let Some(past) = known.as_ref().filter(|entry| !entry.is_replayable(now)) {
        return Ok(repeat::recorded(service, prepared, past).await.into());
    }
    let objection = if repeat::may_have_acted(known.as_ref()) {
        halted(service, &prepared.command)
    } else {
        checks::objection(service, &mut transport, prepared).await
    };
    if let Some(why) = objection {
        return Ok(Err(Failure::held_back(&why)).into());
    }
    // Opening the journal, the rate and the limits take their time.
    if let Some(why) = lapsed(deadline, service.clock.now()) {
        return Ok(Err(why).into());
    }
    let mut sent = transport.deliver(std::slice::from_ref(prepared)).await?;
    let without_answer = || Failure::local("perpdeck stopped before there was an answer");
    Ok(sent.pop().unwrap_or_else(|| Err(without_answer()).into()))
}

/// Why a command would not be sent now, if so.
pub(super) async fn would_be_refused(
    service: &Service,
    prepared: &PreparedCommand,
) -> Result<Option<String>, Failure> {
    let mut transport = Transport::open(service, &prepared.command)?;
    Ok(checks::objection(service, &mut transport, prepared).await)
}

/// Why a command that was meant for an earlier moment is not sent, if so.
fn lapsed(deadline: Option<Timestamp>, now: Timestamp) -> Option<Failure> {
    let is_late = deadline.is_some_and(|deadline| now > deadline);
    is_late.then(|| Failure::local("not sent: its deadline has passed"))
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
