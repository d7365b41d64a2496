//! The command that closes a position in whole or in part: at the market with one key, otherwise in its form.

use super::{
    CommandArgs,
    fill::{fill, opened, parsed},
    trade::{position, strip},
};
use crate::{
    app::{
        desk::model::Model, dialogs::next::Next, forms::form::Form, keys::keymap::Action,
        tables::table_view::Fault,
    },
    model::{
        CloseKind,
        draft::{Draft, Field},
    },
};

pub(super) fn close(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(2)?;
    if args.word(0).is_some_and(|word| word.text == "all") {
        args.at_most(1)?;
        args.no_flags()?;
        return Ok(Next::Press(Action::CloseAll));
    }
    let mut form = Form::close(position(model, args)?);
    let chosen = kind(args)?;
    if let Draft::Close(draft) = &mut form.draft {
        draft.kind = chosen;
    }
    fill(model, &mut form, args, [(Field::Size, args.word(1))])?;
    if chosen != CloseKind::Market {
        return Ok(opened(form));
    }
    match form.command(&model.account.form_context()) {
        Ok(command) => Ok(strip(model, command)),
        Err(faults) => {
            let what = faults.to_string();
            let at = args.flag("--size").or(args.word(1)).or(args.word(0));
            Err(at.map_or_else(|| args.missing(&what), |word| word.fault(&*what)))
        }
    }
}

/// A price implies the type if it is not given.
fn kind(args: &CommandArgs) -> Result<CloseKind, Fault> {
    if let Some(word) = args.flag("--type") {
        return parsed(word);
    }
    Ok(if args.has("--limit-price").is_some() {
        CloseKind::Limit
    } else if args.has("--trigger-price").is_some() {
        CloseKind::Conditional
    } else {
        CloseKind::Market
    })
}
