//! Typed flags, with all their errors reported at once.

use super::repeat;
use crate::{
    app::{Store, several_positions},
    cli::{exit::UsageError, voice::Output},
    journal::IntentRow,
    model::{
        Failure, FailureKind, PositionId,
        draft::{Draft, Faults, Field, RelativePrice, Seen},
    },
};
use color_eyre::{Report, Result};

/// An id as typed. An empty one would address the whole list, and one of dots another path.
pub(in crate::cli) fn id<T: From<String>>(text: &str) -> Result<T, String> {
    match text.trim() {
        "" => Err("an id is not empty".to_owned()),
        "." | ".." => Err("this is no id".to_owned()),
        _ => Ok(T::from(text.to_owned())),
    }
}

/// A name for people: no id consists of letters alone.
pub(in crate::cli) fn is_word(name: &str) -> bool {
    name.chars().all(char::is_alphabetic)
}

/// The open position with this id or in this market; the service decides about any other id. A market's name is never
/// sent as an id.
pub(in crate::cli) fn position(named: PositionId, store: &Store) -> Result<PositionId> {
    let found = store.positions_named(named.raw());
    let is_market = is_word(named.raw())
        || named.raw().contains('|')
        || !store.markets_named(named.raw()).is_empty();
    match (found.as_slice(), store.positions.trouble()) {
        ([position], _) => Ok(position.id.clone()),
        ([], None) if is_market => Err(Report::new(Failure::new(
            FailureKind::NotFound,
            format!("there is no open position in {named}; \"perpdeck positions\" lists them"),
        ))),
        ([], Some(why)) if is_market => Err(Report::new(Failure {
            message: format!(
                "the positions could not be read ({}); nothing was sent; write the position id, or use close-all",
                why.message
            )
            .into(),
            ..why.clone()
        })),
        ([], _) => Ok(named),
        (several, _) => Err(Report::new(UsageError(several_positions(
            named.raw(),
            several,
        )))),
    }
}

/// The fields with a relative price.
fn relative(draft: &Draft) -> Vec<Field> {
    let is_relative = |field: &Field| {
        let text = draft.text(*field).filter(|_| field.is_price());
        text.and_then(RelativePrice::read).is_some()
    };
    draft.fields().into_iter().filter(is_relative).collect()
}

/// Their names in the body: their digits would differ an hour later.
pub(super) fn relative_names(draft: &Draft) -> impl Iterator<Item = &'static str> {
    let names = |field: Field| field.body_names().iter().copied();
    relative(draft).into_iter().flat_map(names)
}

/// Under a used key they keep the earlier digits.
pub(super) fn as_sent(draft: &mut Draft, before: &IntentRow) {
    for field in relative(draft) {
        let mut names = field.body_names().iter();
        if let Some(sent) = names.find_map(|name| repeat::sent(before, name)) {
            draft.write(field, &sent);
        }
    }
}

/// Reads a draft: with digits in place of relative prices, each of which is printed. Gives the draft that was read, and
/// the result.
///
/// # Errors
/// One sentence with everything that is wrong, by flag.
pub(super) fn read<T>(
    draft: &Draft,
    seen: &Seen,
    voice: Output,
    read: impl FnOnce(&Draft) -> Result<T, Faults>,
) -> Result<(Draft, T), UsageError> {
    let (mut faults, mut resolved) = (Faults::default(), draft.clone());
    for field in draft.fields() {
        match resolved.resolved_price(field, seen) {
            None => {}
            Some(Ok(price)) => {
                let (flag, text) = (field.flag(), draft.text(field).unwrap_or_default());
                voice.note(&format!("{flag} {text} is {price}"));
                resolved.write(field, &price.to_string());
            }
            Some(Err(fault)) => faults.0.push((field, fault)),
        }
    }
    let result = read(&resolved);
    if let Err(Faults(others)) = &result {
        // A relative price that cannot be resolved was reported already.
        let flags: Vec<_> = faults.0.iter().map(|(field, _)| field.flag()).collect();
        let others = others
            .iter()
            .filter(|(field, _)| !flags.contains(&field.flag()));
        faults.0.extend(others.cloned());
    }
    match result {
        Ok(value) if faults.0.is_empty() => Ok((resolved, value)),
        Ok(_) | Err(_) => {
            let faults = faults.0.iter();
            let words = faults.map(|(field, fault)| format!("{}: {fault}", field.flag()));
            Err(UsageError(words.collect::<Vec<_>>().join("; ")))
        }
    }
}
