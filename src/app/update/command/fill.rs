//! Fills a form from the words and flags of a line, as a person would.

use super::{CommandArgs, Word};
use crate::{
    app::{desk::model::Model, dialogs::next::Next, forms::form::Form, tables::table_view::Fault},
    model::{
        MarketId, PositionId, ambiguous,
        draft::{Draft, Field, times_in_force},
    },
};
use std::str::FromStr;
use strum::IntoEnumIterator as _;

/// These chose the form, and a part of a close has the flag of its size.
const CHOSEN: [Field; 5] = [
    Field::Kind,
    Field::Curve,
    Field::Market,
    Field::Side,
    Field::Share,
];

/// Makes the choices that flags name, then writes the words, each in its field, and the texts of the other flags.
pub(super) fn fill<'a>(
    model: &Model,
    form: &mut Form,
    args: &'a CommandArgs,
    words: impl IntoIterator<Item = (Field, Option<&'a Word>)>,
) -> Result<(), Fault> {
    let choices = Field::iter().filter(|field| !field.is_typed() && !CHOSEN.contains(field));
    for field in choices {
        choose(model, form, args, field)?;
    }
    let words = words
        .into_iter()
        .filter_map(|(field, word)| Some((field, word?)));
    for (field, word) in words.chain(texts(args)) {
        write(form, field, word)?;
    }
    Ok(())
}

/// The text fields that flags name.
pub(super) fn texts(args: &CommandArgs) -> impl Iterator<Item = (Field, &Word)> {
    let typed = Field::iter().filter(|field| field.is_typed());
    typed.filter_map(|field| Some((field, args.flag(field.flag())?)))
}

/// An error if the form lacks the field.
pub(super) fn write(form: &mut Form, field: Field, word: &Word) -> Result<(), Fault> {
    if !form.draft.fields().contains(&field) {
        return Err(word.fault(format!("an order of this type has no {}", field.label())));
    }
    form.draft.write(field, &word.text);
    Ok(())
}

fn choose(model: &Model, form: &mut Form, args: &CommandArgs, field: Field) -> Result<(), Fault> {
    let Some(flag) = args.has(field.flag()) else {
        return Ok(());
    };
    // An order that only reduces, whatever is chosen, has no such field.
    if field == Field::ReduceOnly {
        form.reduce();
        return Ok(());
    }
    if !form.draft.fields().contains(&field) {
        let what = format!("an order of this type takes no {}", field.flag());
        return Err(flag.fault(what));
    }
    let word = args.flag(field.flag()).unwrap_or(flag);
    let named = if field.is_switch() {
        true.to_string()
    } else if field == Field::TriggerMarket {
        market(model, word)?.raw().to_owned()
    } else if field == Field::TargetPosition {
        open_position(model, word)?.raw().to_owned()
    } else {
        word.text.to_lowercase()
    };
    let filled = form.draft.fill(field, &named);
    filled.map_err(|_| no_choice(word))?;
    if let Draft::Entry(draft) = &form.draft
        && field == Field::TimeInForce
        && !times_in_force(draft.shape).contains(&draft.time_in_force)
    {
        return Err(word.fault("an order of this type has no such time in force"));
    }
    Ok(())
}

fn open_position(model: &Model, word: &Word) -> Result<PositionId, Fault> {
    let mut open = model.account.store.positions.rows().iter();
    let held = open.find(|position| position.id.raw() == word.text);
    let held = held.ok_or_else(|| word.fault("no open position has this id"))?;
    Ok(held.id.clone())
}

/// Opens the form at the first field that is still to be filled in.
pub(super) fn opened(mut form: Form) -> Next {
    form.start();
    Next::open(form)
}

/// A word of a closed vocabulary.
pub(super) fn parsed<T: FromStr>(word: &Word) -> Result<T, Fault> {
    let parsed = word.text.to_lowercase().parse();
    parsed.map_err(|_| no_choice(word))
}

fn no_choice(word: &Word) -> Fault {
    word.fault(format!("{:?} is not one of the choices", word.text))
}

/// A market by its id or its symbol.
pub(super) fn market(model: &Model, word: &Word) -> Result<MarketId, Fault> {
    match model.account.store.markets_named(&word.text).as_slice() {
        [id] => Ok(id.clone()),
        [] if model.account.store.markets.value().is_none() => {
            Err(word.fault("the markets have not been read yet"))
        }
        [] => Err(word.fault("no such market is known; Tab lists them")),
        several => Err(word.fault(ambiguous(&word.text, several))),
    }
}
