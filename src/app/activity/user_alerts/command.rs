//! What `alert_command` is reported of an alert that fired.

use super::AlertFiring;
use crate::{
    config::AlertCommand,
    model::{AccountId, MarketNames, Timestamp},
};

/// A program to run, with its arguments and what its environment has beside the desk's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertRun {
    pub program: String,
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
}

impl AlertRun {
    /// `None` where no command is set. `{name}` in an argument stands for a fact.
    pub(crate) fn new(
        command: &AlertCommand,
        firing: &AlertFiring,
        names: &MarketNames,
        (account, at): (Option<&AccountId>, Timestamp),
    ) -> Option<Self> {
        let (program, arguments) = command.parts()?;
        let facts = facts(firing, names, (account, at));
        let filled = arguments.iter().map(|argument| fill(argument, &facts));
        let environment = facts
            .iter()
            .map(|(name, fact)| (format!("ALERT_{}", name.to_uppercase()), fact.clone()));
        Some(Self {
            program: program.to_owned(),
            arguments: filled.collect(),
            environment: environment.collect(),
        })
    }
}

type AlertFact = (&'static str, String);

fn facts(
    AlertFiring { alert, value, .. }: &AlertFiring,
    names: &MarketNames,
    (account, at): (Option<&AccountId>, Timestamp),
) -> Vec<AlertFact> {
    let market = alert.subject.market_id();
    let value = alert.subject.written(*value);
    vec![
        ("text", format!("{}, now {value}", alert.words(names))),
        (
            "account",
            account.map(ToString::to_string).unwrap_or_default(),
        ),
        (
            "market",
            market.map(ToString::to_string).unwrap_or_default(),
        ),
        (
            "symbol",
            market
                .map(|id| names.shown(id).to_string())
                .unwrap_or_default(),
        ),
        ("subject", alert.subject.word().to_owned()),
        ("condition", alert.trigger.to_string()),
        ("level", alert.subject.written(alert.level)),
        ("value", value),
        ("time", at.to_rfc3339()),
    ]
}

/// Each `{name}` once, from left to right: what stands in a fact is never read again.
fn fill(argument: &str, facts: &[AlertFact]) -> String {
    let mut filled = String::new();
    let mut rest = argument;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let known = after.split_once('}').and_then(|(name, after)| {
            let (_, fact) = facts.iter().find(|(known, _)| *known == name)?;
            Some((fact, after))
        });
        if let Some((fact, after)) = known {
            filled.push_str(fact);
            rest = after;
        } else {
            filled.push('{');
            rest = after;
        }
    }
    filled + rest
}
