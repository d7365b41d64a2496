//! The command that closes a position in whole or in part: at the market with one key, otherwise in its form.

use super::{
    CommandArgs,
    trade::{fill, market, open, owned, parsed, position, strip, texts},
};
use crate::{
    app::{
        desk::model::Model,
        dialogs::{next::Next, overlay::Overlay},
        forms::form::Form,
        keys::keymap::Action,
        tables::table_view::Fault,
    },
    model::{
        CloseKind,
        draft::{Draft, Field},
    },
};

pub(super) const FLAGS: &[&str] = &[
    "--size=",
    "--type=",
    "--limit-price=",
    "--trigger-price=",
    "--trigger-direction=",
    "--trigger-market-id=",
    "--slippage-bps=",
    "--expected-price=",
    "--marketable-limit-acknowledged",
];

pub(super) fn close(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(2)?;
    if args.word(0).is_some_and(|word| word.text == "all") {
        args.at_most(1)?;
        args.no_flags()?;
        return Ok(Next::Press(Action::CloseAll));
    }
    let mut form = Form::close(position(model, args)?);
    choices(model, &mut form.draft, args)?;
    if let Some(word) = args.word(1) {
        fill(&mut form, Field::Size, word)?;
    }
    for (field, word) in texts(args) {
        fill(&mut form, field, word)?;
    }
    let is_at_market =
        matches!(&form.draft, Draft::Close(draft) if draft.kind == CloseKind::Market);
    if !is_at_market {
        form.start();
        return Ok(open(Overlay::Form(Box::new(form))));
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

/// The flags that are choices of the form.
fn choices(model: &Model, draft: &mut Draft, args: &CommandArgs) -> Result<(), Fault> {
    let chosen = kind(args)?;
    if let Draft::Close(draft) = draft {
        draft.kind = chosen;
    }
    let direction = owned(draft, args, Field::TriggerDirection)?;
    let elsewhere = owned(draft, args, Field::TriggerMarket)?;
    owned(draft, args, Field::Acknowledged)?;
    let Draft::Close(draft) = draft else {
        return Ok(());
    };
    draft.acknowledged = args.has(Field::Acknowledged.flag()).is_some();
    if let Some(word) = direction {
        draft.trigger_direction = Some(parsed(word)?);
    }
    if let Some(word) = elsewhere {
        draft.trigger_market = Some(market(model, word)?);
    }
    Ok(())
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
