//! The verbs about the settings and the looks of the desk.

use super::{
    super::{Effect, Model, Next, lens::Fault, overlay::Overlay},
    Said,
};

pub(super) fn standing(_: &mut Model, said: &Said) -> Result<Next, Fault> {
    said.at_most(0)?;
    Ok(Next::Open(Box::new(Overlay::Settings { offset: 0 })))
}

pub(super) fn reload(_: &mut Model, said: &Said) -> Result<Next, Fault> {
    said.at_most(0)?;
    Ok(Next::Want(Effect::Reread))
}
