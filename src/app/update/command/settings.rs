//! The commands about settings and themes.

use super::{CommandArgs, Word};
use crate::{
    app::{
        activity::notice::{Event, Tone},
        core::effect::{Effect, SettingsRequest},
        desk::model::Model,
        dialogs::{next::Next, overlay::Overlay},
        tables::table_view::Fault,
    },
    config::Theme,
};
use strum::VariantArray as _;

pub(super) fn standing(_: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(0)?;
    Ok(Next::open(Overlay::Settings { offset: 0 }))
}

pub(super) fn reload(_: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(0)?;
    Ok(Next::Ask(Effect::Settings(SettingsRequest::Read)))
}

pub(super) fn themes(_: &Model) -> Vec<String> {
    Theme::VARIANTS.iter().map(ToString::to_string).collect()
}

/// For this session and every account of the desk, until the configured theme changes.
pub(super) fn theme(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(1)?;
    let theme = args.word(0).map(|word| named(model, word)).transpose()?;
    let words = theme.map_or_else(
        || "the theme of the settings applies again".to_owned(),
        |theme| format!("theme {theme} for this session; `:theme` alone restores the settings"),
    );
    let event = Event::Message(Tone::Plain, words);
    model.account.activity.note(None, event, model.account.now);
    Ok(Next::Ask(Effect::SetTheme(theme)))
}

fn named(model: &Model, word: &Word) -> Result<Theme, Fault> {
    let wanted = word.text.to_lowercase();
    let mut known = Theme::VARIANTS.iter();
    let theme = known.find(|theme| theme.to_string() == wanted);
    let there_are = || format!("no such theme; the themes are {}", themes(model).join(", "));
    theme.copied().ok_or_else(|| word.fault(there_are()))
}
