//! The commands that create a TWAP or scaled order: open the form, filled in.

use super::{
    CommandArgs,
    trade::{fill, market, markets, parsed, texts},
};
use crate::{
    app::{
        desk::model::Model,
        dialogs::{next::Next, overlay::Overlay},
        forms::form::Form,
        tables::table_view::Fault,
        update::act,
    },
    model::{
        Curve, Side,
        draft::{Draft, DraftShape, Field},
    },
};
use strum::VariantArray as _;

pub(super) const TWAP_FLAGS: &[&str] = &[
    "--market=",
    "--side=",
    "--size=",
    "--duration=",
    "--curve=",
    "--randomize",
    "--trigger-price=",
    "--slice-interval=",
    "--expected-price=",
    "--min-price=",
    "--max-price=",
    "--leverage=",
    "--margin-mode=",
    "--reduce-only",
];

pub(super) const LADDER_FLAGS: &[&str] = &[
    "--market=",
    "--side=",
    "--size=",
    "--start-price=",
    "--end-price=",
    "--rungs=",
    "--distribution=",
    "--leverage=",
    "--margin-mode=",
    "--reduce-only",
];

/// The words without a flag after side and market, in order.
const TWAP_WORDS: &[Field] = &[Field::Size, Field::Duration];
const LADDER_WORDS: &[Field] = &[
    Field::Size,
    Field::StartPrice,
    Field::EndPrice,
    Field::Rungs,
];

pub(super) fn twap(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    let curve = match args.flag("--curve") {
        Some(word) => parsed(word)?,
        None => Curve::Twap,
    };
    strategy(model, args, DraftShape::Sliced(curve), TWAP_WORDS)
}

pub(super) fn ladder(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    strategy(model, args, DraftShape::Ladder, LADDER_WORDS)
}

/// Fills the form from `SIDE MARKET …` and the flags; the form asks, and shows errors.
fn strategy(
    model: &Model,
    args: &CommandArgs,
    shape: DraftShape,
    fields: &[Field],
) -> Result<Next, Fault> {
    let mut words = args.words.iter();
    let side = args.flag("--side").or_else(|| words.next());
    let side = parsed::<Side>(side.ok_or_else(|| args.missing("buy or sell"))?)?;
    let named = args.flag("--market").or_else(|| words.next());
    let named = named.map(|word| market(model, word)).transpose()?;
    let account_id = match model.account.account_for(act::NEW_ORDER) {
        Ok(account_id) => account_id,
        Err(why) => return Ok(Next::Refuse(why)),
    };
    let mut form = Form::strategy(account_id, shape, named.as_ref(), &model.form_context());
    choices(&mut form, args, side)?;
    for (field, word) in fields.iter().zip(&mut words) {
        fill(&mut form, *field, word)?;
    }
    if let Some(word) = words.next() {
        return Err(word.fault("this command takes no more arguments"));
    }
    for (field, word) in texts(args) {
        fill(&mut form, field, word)?;
    }
    form.start();
    Ok(Next::Open(Box::new(Overlay::Form(Box::new(form)))))
}

fn choices(form: &mut Form, args: &CommandArgs, side: Side) -> Result<(), Fault> {
    if args.has("--reduce-only").is_some() {
        form.reduce();
    }
    let Draft::Entry(draft) = &mut form.draft else {
        return Ok(());
    };
    draft.side = side;
    draft.randomize = args.has("--randomize").is_some();
    if let Some(word) = args.flag("--distribution") {
        draft.distribution = parsed(word)?;
    }
    if let Some(word) = args.flag("--margin-mode") {
        draft.margin_mode = parsed(word)?;
    }
    Ok(())
}

/// Completions of the first words.
pub(super) fn offers(model: &Model) -> Vec<String> {
    let sides = Side::VARIANTS.iter().map(ToString::to_string);
    sides.chain(markets(model)).collect()
}
