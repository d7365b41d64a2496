//! The commands of TWAPs and scaled orders: open the form of a new one, filled in; list, show and end them.

use super::{
    CommandArgs,
    fill::{fill, market, opened, parsed},
    trade::{cancel_rows, markets},
};
use crate::{
    app::{
        account::row_id::RowId,
        desk::model::Model,
        dialogs::{next::Next, overlay::Detail},
        forms::form::Form,
        keys::keymap::Action,
        tables::table_view::Fault,
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

/// What the first word does to the strategies of a kind.
struct StrategyVerbs {
    begin: &'static str,
    end: &'static str,
    pane: Action,
    row: fn(&str) -> RowId,
    is_known: fn(&Model, &str) -> bool,
}

const TWAP: StrategyVerbs = StrategyVerbs {
    begin: "start",
    end: "stop",
    pane: Action::Twaps,
    row: |id| RowId::Twap(id.into()),
    is_known: |model, id| model.account.store.twap(&id.into()).is_some(),
};

const SCALED: StrategyVerbs = StrategyVerbs {
    begin: "place",
    end: "cancel",
    pane: Action::Scaled,
    row: |id| RowId::Scaled(id.into()),
    is_known: |model, id| model.account.store.scaled.contains_key(&id.into()),
};

pub(super) fn twap(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    TWAP.run(model, args, |model| {
        let curve = match args.flag(Field::Curve.flag()) {
            Some(word) => parsed(word)?,
            None => Curve::Twap,
        };
        strategy(model, args, DraftShape::Sliced(curve), TWAP_WORDS)
    })
}

pub(super) fn scaled(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    SCALED.run(model, args, |model| {
        strategy(model, args, DraftShape::Scaled, SCALED_WORDS)
    })
}

impl StrategyVerbs {
    fn run(
        &self,
        model: &Model,
        args: &CommandArgs,
        begin: impl FnOnce(&Model) -> Result<Next, Fault>,
    ) -> Result<Next, Fault> {
        let Self {
            begin: new, end, ..
        } = self;
        let verbs = format!("{new}, list, show or {end}");
        let verb = args.needed(0, &verbs)?;
        match verb.text.as_str() {
            "list" => {
                args.at_most(1)?;
                args.no_flags()?;
                Ok(Next::Press(self.pane))
            }
            "show" => {
                args.at_most(2)?;
                args.no_flags()?;
                let id = args.needed(1, "which one: an id")?;
                if !(self.is_known)(model, &id.text) {
                    return Err(id.fault("there is none of this id here"));
                }
                Ok(Next::open(Detail::of((self.row)(&id.text))))
            }
            word if word == *new => begin(model),
            word if word == *end => {
                args.no_flags()?;
                args.needed(1, "which one: an id")?;
                cancel_rows(model, args.words.iter().skip(1), self.row)
            }
            _ => Err(verb.fault(verbs)),
        }
    }

    /// Its own words, and those that a new one may begin with.
    fn offers(&self, model: &Model) -> Vec<String> {
        let own = [self.begin, "list", "show", self.end].map(str::to_owned);
        let sides = Side::VARIANTS.iter().map(ToString::to_string);
        own.into_iter().chain(sides).chain(markets(model)).collect()
    }
}

/// Fills the form from `SIDE MARKET …` and the flags; the form asks, and shows errors.
fn strategy(
    model: &Model,
    args: &CommandArgs,
    shape: DraftShape,
    fields: &[Field],
) -> Result<Next, Fault> {
    let mut words = args.words.iter().skip(1);
    let side = args.flag("--side").or_else(|| words.next());
    let side = parsed::<Side>(side.ok_or_else(|| args.missing("buy or sell"))?)?;
    let named = args.flag("--market").or_else(|| words.next());
    let named = named.map(|word| market(model, word)).transpose()?;
    let mut form = match Form::new_of_shape(&model.account, shape, named.as_ref()) {
        Ok(form) => form,
        Err(why) => return Ok(Next::Refuse(why)),
    };
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

/// Completions of the words.
pub(super) fn twap_words(model: &Model) -> Vec<String> {
    TWAP.offers(model)
}

pub(super) fn scaled_words(model: &Model) -> Vec<String> {
    SCALED.offers(model)
}
