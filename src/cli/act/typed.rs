//! Typed flags, with all their errors reported at once.

use super::repeat;
use crate::{
    cli::{exit::UsageError, service::Service},
    journal::IntentRow,
    model::draft::{Draft, Faults, Field, RelativePrice, Seen},
};

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
    service: &Service,
    draft: &Draft,
    seen: &Seen,
    read: impl FnOnce(&Draft) -> Result<T, Faults>,
) -> Result<(Draft, T), UsageError> {
    let (mut faults, mut resolved) = (Faults::default(), draft.clone());
    for field in draft.fields() {
        match resolved.resolved_price(field, seen) {
            None => {}
            Some(Ok(price)) => {
                let (flag, text) = (field.flag(), draft.text(field).unwrap_or_default());
                service.voice.note(&format!("{flag} {text} is {price}"));
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
