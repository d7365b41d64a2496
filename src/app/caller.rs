//! What the command line wants of a desk that has the journal: done as if it had been typed here.
//!
//! Contract: the same checks, the same ticket, the same line in the activity; only the answer also goes to the one who
//! asked. A flatten that is under way is joined, not begun twice.

use super::{
    Effect, Model,
    flight::{advance, objection, send},
    notice::Tone,
};
use crate::model::{Command, IdempotencyKey, Progress, Ticket};
use serde::{Deserialize, Serialize};

/// Who asked, by a number of the runtime's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallerId(pub u64);

/// What a caller wants done, and under which key.
#[derive(Debug, Clone, PartialEq)]
pub struct CallerRequest {
    pub command: Command,
    pub key: IdempotencyKey,
    pub sending: Sending,
}

/// Whether it may have taken effect under this key already: what was checked when it was first sent is only repeated.
/// What never had an effect is checked like new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sending {
    First,
    Again,
}

pub(super) fn asked(model: &mut Model, caller: CallerId, wish: CallerRequest) -> Vec<Effect> {
    let CallerRequest { command, key, .. } = wish;
    if let Some(ticket) = joined(model, &command) {
        return vec![Effect::ReportTo(caller, ticket)];
    }
    let is_checked = wish.sending == Sending::Again && !model.options.read_only;
    if !is_checked && let Some(why) = objection(model, &command) {
        model.say(Tone::Warn, format!("{command}: {why}"));
        return vec![Effect::RefuseCaller(caller, why)];
    }
    let words = format!("from the command line: {command}");
    model.say(Tone::Plain, words);
    let (ticket, effect) = send(model, command.clone());
    if wish.sending == Sending::Again {
        // It may have left before, under the same key.
        advance(model, ticket, Progress::Sending { attempt: 1 });
    }
    // A flatten is many requests, each under a key of its own.
    let effect = if matches!(command, Command::Flatten(_)) {
        effect
    } else {
        Effect::SendAs(ticket, command, key)
    };
    vec![Effect::ReportTo(caller, ticket), effect]
}

/// The flatten that is on its way already.
fn joined(model: &Model, command: &Command) -> Option<Ticket> {
    let flights = model.store.flights.iter();
    let mut same = flights.filter(|(_, flight)| flight.command == *command);
    let under_way = same.next().map(|(ticket, _)| *ticket);
    under_way.filter(|_| matches!(command, Command::Flatten(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Msg, notice::Event, testing::*, update};

    fn ask(model: &mut Model, command: Command) -> Vec<Effect> {
        let now = model.now;
        let wish = CallerRequest {
            command,
            key: "mine".into(),
            sending: Sending::First,
        };
        update(model, now, Msg::Asked(CallerId(7), wish))
    }

    #[test]
    fn what_the_command_line_asks_for_goes_out_under_its_own_key_and_shows_here() {
        let mut model = desk();
        let cancel = Command::Cancel("ord-1".into());
        let sent = ask(&mut model, cancel.clone());
        assert_eq!(
            sent,
            [
                Effect::ReportTo(CallerId(7), Ticket(1)),
                Effect::SendAs(Ticket(1), cancel.clone(), "mine".into()),
            ]
        );
        assert!(model.store.flights.contains_key(&Ticket(1)));
        let said = model.activity.lines.iter().map(|line| line.event.clone());
        let words = "from the command line: cancel order ord-1".to_owned();
        assert!(said.eq([Event::Said(Tone::Plain, words), Event::Sent(cancel)]));
    }

    #[test]
    fn a_desk_that_only_reads_turns_everybody_away() {
        let mut model = desk();
        model.options.read_only = true;
        let refused = ask(&mut model, Command::CloseAll("chal-1".into()));
        let why = "the desk is read-only and sends nothing".to_owned();
        assert_eq!(refused, [Effect::RefuseCaller(CallerId(7), why)]);
        assert!(model.store.flights.is_empty());
    }

    #[test]
    fn a_flatten_that_is_under_way_is_joined() {
        let mut model = desk();
        let flatten = Command::Flatten("chal-1".into());
        let first = ask(&mut model, flatten.clone());
        let send = Effect::Send(Ticket(1), flatten.clone());
        assert_eq!(first, [Effect::ReportTo(CallerId(7), Ticket(1)), send]);
        let second = ask(&mut model, flatten);
        assert_eq!(second, [Effect::ReportTo(CallerId(7), Ticket(1))]);
    }
}
