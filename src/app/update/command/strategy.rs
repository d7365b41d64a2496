//! The commands that create a TWAP or scaled order: open the form, filled in.

use super::{
    CommandArgs,
    fill::{fill, market, opened, parsed},
    trade::markets,
};
use crate::{
    app::{
        desk::model::Model, dialogs::next::Next, forms::form::Form, tables::table_view::Fault,
        update::act,
    },
    model::{
        Curve, Side,
        draft::{Draft, DraftShape, Field},
    },
};
use strum::VariantArray as _;

/// The words without a flag after side and market, in order.
const TWAP_WORDS: &[Field] = &[Field::Size, Field::Duration];
const SCALED_WORDS: &[Field] = &[
    Field::Size,
    Field::StartPrice,
    Field::EndPrice,
    Field::Rungs,
];

pub(super) fn twap(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    let curve = match args.flag(Field::Curve.flag()) {
        Some(word) => parsed(word)?,
        None => Curve::Twap,
    };
    strategy(model, args, DraftShape::Sliced(curve), TWAP_WORDS)
}

pub(super) fn scaled(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    strategy(model, args, DraftShape::Scaled, SCALED_WORDS)
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
    let mut form = Form::of_shape(
        account_id,
        shape,
        named.as_ref(),
        &model.account.form_context(),
    );
    if let Draft::Entry(draft) = &mut form.draft {
        draft.side = side;
    }
    let texts: Vec<_> = fields.iter().map(|field| (*field, words.next())).collect();
    if let Some(word) = words.next() {
        return Err(word.fault("this command takes no more arguments"));
    }
    fill(model, &mut form, args, texts)?;
    Ok(opened(form))
}

/// Completions of the first words.
pub(super) fn offers(model: &Model) -> Vec<String> {
    let sides = Side::VARIANTS.iter().map(ToString::to_string);
    sides.chain(markets(model)).collect()
}
