//! `:alert btc > 66000`: an alert of the trader's own, from the words of a line.

use super::{CommandArgs, Word, fill, trade};
use crate::{
    app::{
        activity::user_alerts::{AlertRepeat, AlertRequest, AlertSubject, AlertTrigger, UserAlert},
        desk::model::Model,
        dialogs::next::Next,
        keys::keymap::Action,
        tables::table_view::Fault,
    },
    model::{
        MarketId, Num,
        draft::{instant, number},
    },
};
use std::slice::Iter;

/// The words of a trigger, the longer ones first.
const TRIGGERS: &[(&[&str], AlertTrigger)] = &[
    (&["crosses", "up"], AlertTrigger::CrossingUp),
    (&["crosses", "down"], AlertTrigger::CrossingDown),
    (&["crossing", "up"], AlertTrigger::CrossingUp),
    (&["crossing", "down"], AlertTrigger::CrossingDown),
    (&["crosses"], AlertTrigger::Crossing),
    (&["crossing"], AlertTrigger::Crossing),
    (&["up"], AlertTrigger::CrossingUp),
    (&["down"], AlertTrigger::CrossingDown),
    (&["above"], AlertTrigger::Above),
    (&["below"], AlertTrigger::Below),
    (&[">"], AlertTrigger::Above),
    (&["<"], AlertTrigger::Below),
];

/// What is watched of a market, by its word.
type OfMarket = fn(MarketId) -> AlertSubject;
const SUBJECTS: &[(&str, OfMarket)] = &[
    ("price", AlertSubject::Price),
    ("mark", AlertSubject::Price),
    ("funding", AlertSubject::Funding),
    ("pnl", AlertSubject::PositionPnl),
    ("liq", AlertSubject::LiquidationDistance),
    ("liquidation", AlertSubject::LiquidationDistance),
];

const SUBJECT: &str = "watch what: a market (btc), its pnl, funding or liq, or pnl of the account";
const TRIGGER: &str = "which way: >, <, crosses, crosses up, crosses down";
const REMOVE: &str = "# lists your alerts, and x removes one there";
const END: &str = "once, every, for 2h or until 18:00";

/// The alert of a line as it is typed after `:alert`, without setting it.
pub(crate) fn typed(model: &mut Model, line: &str) -> Result<UserAlert, Fault> {
    let line = format!("alert {line}");
    if let Next::OfAlerts(AlertRequest::Set(alert, None)) = super::run(model, &line)? {
        return Ok(*alert);
    }
    Err(Fault {
        at: 0..line.len(),
        what: SUBJECT.to_owned(),
    })
}

pub(super) fn alert(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    let replaced = replaced(model, args)?;
    let words: Vec<Word> = args.words.iter().flat_map(apart).collect();
    let mut rest = words.iter();
    // The verbs of the shell: `add` may be left out, and the list is where one is removed.
    match args.word(0).map(|word| (word, word.text.as_str())) {
        Some((_, "add")) => drop(rest.next()),
        Some((_, "list")) => return Ok(Next::Press(Action::UserAlerts)),
        Some((word, "remove")) => return Err(word.fault(REMOVE)),
        Some(_) | None => {}
    }
    let subject = subject(model, args, &mut rest)?;
    let trigger = trigger(args, &mut rest)?;
    let level = level(args, &subject, rest.next())?;
    let (mut repeat, mut expires_at) = (AlertRepeat::Once, None);
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "once" => repeat = AlertRepeat::Once,
            "every" => repeat = AlertRepeat::Every,
            "for" | "until" => {
                let until = rest.next().ok_or_else(|| args.missing("2h or 18:00"))?;
                let end = instant(
                    &until.text,
                    model.account.wall_now(),
                    &model.account.options.zone,
                );
                expires_at = Some(end.map_err(|fault| until.fault(fault.to_string()))?);
            }
            _ => return Err(word.fault(END)),
        }
    }
    let what = (subject, trigger, level);
    let alert = UserAlert::new(what, repeat, expires_at, model.account.wall_now());
    Ok(Next::OfAlerts(AlertRequest::Set(Box::new(alert), replaced)))
}

/// The alert that this one is in the place of.
fn replaced(model: &Model, args: &CommandArgs) -> Result<Option<u64>, Fault> {
    let Some(word) = args.flag("--replaces") else {
        return Ok(None);
    };
    let id = word.text.parse().ok();
    let known = id.filter(|id| model.account.user_alerts.get(*id).is_some());
    known
        .map(Some)
        .ok_or_else(|| word.fault("there is no such alert"))
}

/// `btc>66000` is three words.
fn apart(word: &Word) -> Vec<Word> {
    let mut parts = vec![];
    let mut open: Option<Word> = None;
    for (at, c) in (word.at.start..).zip(word.text.chars()) {
        if matches!(c, '<' | '>') {
            parts.extend(open.take());
            parts.push(Word {
                text: c.to_string(),
                at: at..at + 1,
            });
            continue;
        }
        let part = open.get_or_insert(Word {
            text: String::new(),
            at: at..at,
        });
        part.text.push(c);
        part.at.end = at + 1;
    }
    parts.extend(open);
    parts
}

fn subject(
    model: &Model,
    args: &CommandArgs,
    rest: &mut Iter<'_, Word>,
) -> Result<AlertSubject, Fault> {
    let first = rest.next().ok_or_else(|| args.missing(SUBJECT))?;
    if first.text == "pnl" {
        return Ok(AlertSubject::AccountPnl);
    }
    let market = fill::market(model, first)?;
    let next = rest.clone().next();
    let named = SUBJECTS
        .iter()
        .find(|(name, _)| next.is_some_and(|word| word.text == *name));
    let Some((_, of)) = named else {
        return Ok(AlertSubject::Price(market));
    };
    rest.next();
    Ok(of(market))
}

fn trigger(args: &CommandArgs, rest: &mut Iter<'_, Word>) -> Result<AlertTrigger, Fault> {
    let words: Vec<_> = rest.clone().map(|word| word.text.as_str()).collect();
    let known = TRIGGERS.iter().find(|(names, _)| words.starts_with(names));
    let Some((names, trigger)) = known else {
        let word = rest.next();
        return Err(word.map_or_else(|| args.missing(TRIGGER), |word| word.fault(TRIGGER)));
    };
    for _ in *names {
        rest.next();
    }
    Ok(*trigger)
}

/// Shares are typed in percent, with its sign or without.
fn level(args: &CommandArgs, subject: &AlertSubject, word: Option<&Word>) -> Result<Num, Fault> {
    let unit = if subject.is_share() { "5%" } else { "66000" };
    let word = word.ok_or_else(|| args.missing(&format!("which level, as in {unit}")))?;
    let text = word.text.trim_start_matches('$');
    let (digits, is_percent) = match text.strip_suffix('%') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    if is_percent && !subject.is_share() {
        return Err(word.fault("a level in USD"));
    }
    let level = number(&digits.replace(',', "")).map_err(|fault| word.fault(fault.to_string()))?;
    if matches!(subject, AlertSubject::Price(_)) && !level.is_positive() {
        return Err(word.fault("a price is above zero"));
    }
    if subject.is_share() {
        let share = level.over(Num::HUNDRED);
        return share.ok_or_else(|| word.fault("too many digits"));
    }
    Ok(level)
}

/// The markets, and the words that may follow one.
pub(super) fn offers(model: &Model) -> Vec<String> {
    let words = [
        "pnl", "funding", "liq", "crosses", "every", "once", "for", "until",
    ];
    let mut all = trade::markets(model);
    all.extend(words.map(str::to_owned));
    all
}
