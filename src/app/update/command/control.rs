//! The verbs that flip a position and set its stop to break-even or let it trail.

use super::{CommandArgs, trade::position};
use crate::{
    app::{
        desk::model::Model,
        dialogs::next::Next,
        orders::{
            control::{run, to_break_even},
            flip, trailing,
        },
        tables::table_view::Fault,
    },
    model::draft::Distance,
};

/// `[MARKET|POSITION_ID]`: the strip asks, as the key does.
pub(super) fn flip(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(1)?;
    let position = position(model, args)?;
    Ok(flip::ask(model, position).into())
}

/// `[MARKET|POSITION_ID] [DISTANCE]`: without a distance as the key does.
pub(super) fn trail(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(2)?;
    let position = position(model, args)?.clone();
    let distance = args
        .word(1)
        .map(|word| Distance::read(&word.text).map_err(|why| word.fault(why)));
    let distance = distance.transpose()?;
    let trails = run(model, &position, |model, position| match distance {
        None => trailing::turn(model, position),
        distance => trailing::begin(model, position, distance),
    });
    Ok(trails.into())
}

pub(super) fn break_even(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(1)?;
    let position = position(model, args)?.clone();
    Ok(run(model, &position, to_break_even).into())
}
