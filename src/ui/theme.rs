//! The look of each tone. Themes are files. A terminal with fewer colors gets the nearest ones; a terminal without
//! colors gets bold, reverse and underline. No meaning is lost, because the words carry it.

mod depth;

pub use depth::ColorDepth;

use crate::{app::Mode, config::Tint, view::Tone};
use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use strum::VariantArray as _;

macro_rules! built_in {
    ($($name:literal),+) => {
        /// The built-in themes by name, each with its file.
        const BUILT_IN: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../assets/themes/", $name, ".toml")))),+
        ];
    };
}
built_in!("dark", "light", "contrast", "blue_orange", "red_up");

/// Styles for everything that is drawn. Tones have no background, so that a selected row shows through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    palette: Option<Palette>,
    /// Whether there are background colors.
    grounds: Backgrounds,
    /// Text on badges and chips.
    ink: Color,
}

/// Nearly black: every background of the built-in themes is light enough for it.
const INK: Color = Color::Rgb(20, 18, 10);

/// The available backgrounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Backgrounds {
    Colors,
    /// Only the terminal's own background: it has no shades.
    One,
}

/// Parts of the screen that are not text with a tone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThemePart {
    /// The cleared screen.
    Base,
    Border,
    FocusedBorder,
    /// The row that the keys act on, in the focused pane and in the others.
    Selection,
    /// The empty part of a gauge.
    Track,
    /// An input field.
    Field,
    Cursor,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Palette {
    background: Hex,
    text: Hex,
    strong: Hex,
    muted: Hex,
    border: Hex,
    accent: Hex,
    info: Hex,
    good: Hex,
    bad: Hex,
    warn: Hex,
    alert: Hex,
    selection: Hex,
    track: Hex,
    paper: Hex,
    live: Hex,
    /// In the order of [`Tint`]; the same in every theme, so that an account keeps its color.
    #[serde(skip, default = "tints")]
    tints: [Hex; 7],
}

fn tints() -> [Hex; 7] {
    [
        (0x82, 0xaa, 0xff),
        (0x5c, 0xc5, 0xd8),
        (0xb3, 0x9d, 0xfa),
        (0xf0, 0x8f, 0xd0),
        (0xff, 0xa0, 0x5c),
        (0xe8, 0xd4, 0x4d),
        (0xaa, 0xb2, 0xc5),
    ]
    .map(|(red, green, blue)| Hex(Color::Rgb(red, green, blue)))
}

/// `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
struct Hex(Color);

impl TryFrom<String> for Hex {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.parse() {
            Ok(color @ Color::Rgb(..)) => Ok(Self(color)),
            _ => Err(format!("`{text}` is not a color (#rrggbb)")),
        }
    }
}

/// The desk's initial theme, and other themes for this terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThemeSet {
    /// From the settings.
    pub own: Theme,
    pub depth: ColorDepth,
}

impl ThemeSet {
    /// The built-in theme of this name; the configured one for an unknown name.
    pub fn named(&self, name: &str) -> Theme {
        let theme = Theme::named(name).map(|theme| theme.with_depth(self.depth));
        theme.unwrap_or_else(|| self.own.clone())
    }
}

impl Default for Theme {
    fn default() -> Self {
        Self::named("dark").unwrap_or_else(Self::colorless)
    }
}

impl Theme {
    /// A built-in theme; `None` for an unknown name.
    pub fn named(name: &str) -> Option<Self> {
        let (_, text) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name)?;
        Self::from_toml(text).ok()
    }

    /// Parses a theme file; the error names the line and the problem.
    pub fn from_toml(text: &str) -> Result<Self, toml::de::Error> {
        let palette = toml::from_str(text)?;
        Ok(Self {
            palette: Some(palette),
            grounds: Backgrounds::Colors,
            ink: INK,
        })
    }

    /// No colors: bold, dim, underline and reverse only.
    pub fn colorless() -> Self {
        Self {
            palette: None,
            grounds: Backgrounds::One,
            ink: Color::Reset,
        }
    }

    /// The same theme with the nearest colors of a terminal with this `depth`.
    #[must_use]
    pub fn with_depth(mut self, depth: ColorDepth) -> Self {
        match depth {
            ColorDepth::True => {}
            ColorDepth::Indexed => self.reduce(depth::indexed),
            ColorDepth::Basic => {
                self.reduce(depth::basic);
                self.grounds = Backgrounds::One;
            }
            ColorDepth::None => return Self::colorless(),
        }
        self
    }

    fn reduce(&mut self, nearest: impl Fn(Color) -> Color) {
        self.ink = nearest(self.ink);
        if let Some(palette) = &mut self.palette {
            palette.each(|hex| hex.0 = nearest(hex.0));
        }
    }

    /// Whether tones differ by color.
    pub(super) fn has_colors(&self) -> bool {
        self.palette.is_some()
    }

    /// Whether an empty gauge is visible by its background.
    pub(super) fn has_grounds(&self) -> bool {
        self.grounds == Backgrounds::Colors
    }

    /// Whether it is a console's: its font has shades and half blocks, and no lines of half a cell.
    pub(super) fn is_of_console(&self) -> bool {
        self.palette.is_some() && !self.has_grounds()
    }

    /// The tone as what lies behind something else: halfway to the background, where colors allow it.
    pub(super) fn faint(&self, tone: Tone) -> Style {
        let style = self.tone(tone).remove_modifier(Modifier::BOLD);
        let ground = self.palette.as_ref().map(|palette| palette.background.0);
        match (style.fg, ground) {
            (Some(Color::Rgb(red, green, blue)), Some(Color::Rgb(r, g, b))) => {
                let mixed = |of: u8, ground: u8| of.midpoint(ground);
                style.fg(Color::Rgb(mixed(red, r), mixed(green, g), mixed(blue, b)))
            }
            _ => style.add_modifier(Modifier::DIM),
        }
    }

    /// A ground in a shade of the tone, on which text of that tone is legible; `None` where grounds have no shades.
    pub(super) fn shade(&self, tone: Tone) -> Option<Style> {
        let ground = self.palette.as_ref()?.background.0;
        let (Some(Color::Rgb(red, green, blue)), Color::Rgb(r, g, b)) =
            (self.tone(tone).fg, ground)
        else {
            return None;
        };
        let mixed = |of: u8, ground: u8| of.midpoint(ground).midpoint(ground);
        let shade = Color::Rgb(mixed(red, r), mixed(green, g), mixed(blue, b));
        Some(Style::new().bg(shade))
    }

    /// Text and background of an empty screen, for pictures.
    pub(super) fn base_colors(&self) -> Option<(Color, Color)> {
        let palette = self.palette.as_ref()?;
        Some((palette.text.0, palette.background.0))
    }

    pub(super) fn tone(&self, tone: Tone) -> Style {
        let Some(palette) = &self.palette else {
            return plain_tone(tone);
        };
        let color = match tone {
            Tone::Plain => palette.text,
            Tone::Muted => palette.muted,
            Tone::Strong => palette.strong,
            Tone::Accent => palette.accent,
            Tone::Info => palette.info,
            Tone::Good => palette.good,
            Tone::Bad => palette.bad,
            Tone::Warn => palette.warn,
            Tone::Alert => palette.alert,
        };
        let style = Style::new().fg(color.0);
        match tone {
            Tone::Strong | Tone::Accent | Tone::Alert => style.add_modifier(Modifier::BOLD),
            // The sixteen basic colors have no gray.
            Tone::Muted if !self.has_grounds() => style.add_modifier(Modifier::DIM),
            Tone::Plain | Tone::Muted | Tone::Info | Tone::Good | Tone::Bad | Tone::Warn => style,
        }
    }

    pub(super) fn part(&self, part: ThemePart) -> Style {
        let Some(palette) = &self.palette else {
            return plain_part(part);
        };
        match part {
            ThemePart::FocusedBorder => Style::new().fg(palette.accent.0),
            _ if !self.has_grounds() => plain_part(part),
            ThemePart::Base => Style::new().fg(palette.text.0).bg(palette.background.0),
            ThemePart::Border => Style::new().fg(palette.border.0),
            ThemePart::Selection => Style::new().bg(palette.selection.0),
            ThemePart::Track | ThemePart::Field => Style::new().bg(palette.track.0),
            ThemePart::Cursor => Style::new().fg(palette.background.0).bg(palette.accent.0),
        }
    }

    /// The badge of the mode: paper or live.
    pub(super) fn badge(&self, mode: Mode) -> Style {
        let ground = self.palette.as_ref().map(|palette| match mode {
            Mode::Paper => palette.paper.0,
            Mode::LiveApi => palette.live.0,
        });
        self.on_ground(ground, Modifier::REVERSED)
    }

    /// The badge before a notice, or of what is restricted.
    pub(super) fn notice(&self, tone: Tone) -> Style {
        self.on_ground(self.tone(tone).fg, Modifier::REVERSED)
    }

    /// The chip with an account's name.
    pub(super) fn chip(&self, tint: Tint) -> Style {
        let tints = self.palette.as_ref().map(|palette| palette.tints);
        let mut tints = Tint::VARIANTS.iter().zip(tints.into_iter().flatten());
        let ground = tints.find(|(known, _)| **known == tint);
        self.on_ground(ground.map(|(_, hex)| hex.0), Modifier::UNDERLINED)
    }

    /// Text on this color, or with this modifier where there are no colors.
    fn on_ground(&self, ground: Option<Color>, otherwise: Modifier) -> Style {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        match ground {
            Some(ground) if self.has_grounds() => bold.fg(self.ink).bg(ground),
            Some(ground) => bold.fg(ground).add_modifier(Modifier::REVERSED),
            None => bold.add_modifier(otherwise),
        }
    }
}

impl Palette {
    fn each(&mut self, change: impl Fn(&mut Hex)) {
        for hex in [
            &mut self.background,
            &mut self.text,
            &mut self.strong,
            &mut self.muted,
            &mut self.border,
            &mut self.accent,
            &mut self.info,
            &mut self.good,
            &mut self.bad,
            &mut self.warn,
            &mut self.alert,
            &mut self.selection,
            &mut self.track,
            &mut self.paper,
            &mut self.live,
        ]
        .into_iter()
        .chain(&mut self.tints)
        {
            change(hex);
        }
    }
}

fn plain_tone(tone: Tone) -> Style {
    let style = Style::new();
    match tone {
        Tone::Plain | Tone::Info | Tone::Good | Tone::Bad => style,
        Tone::Muted => style.add_modifier(Modifier::DIM),
        Tone::Strong | Tone::Accent => style.add_modifier(Modifier::BOLD),
        Tone::Warn => style.add_modifier(Modifier::UNDERLINED),
        Tone::Alert => style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
    }
}

fn plain_part(part: ThemePart) -> Style {
    let style = Style::new();
    match part {
        ThemePart::Base | ThemePart::Track => style,
        ThemePart::Border => style.add_modifier(Modifier::DIM),
        ThemePart::FocusedBorder => style.add_modifier(Modifier::BOLD),
        ThemePart::Selection | ThemePart::Cursor => style.add_modifier(Modifier::REVERSED),
        ThemePart::Field => style.add_modifier(Modifier::UNDERLINED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_theme_can_be_read() {
        for (name, text) in BUILT_IN {
            assert!(Theme::from_toml(text).is_ok(), "{name}");
        }
        assert!(Theme::default().has_grounds());
    }

    #[test]
    fn a_wrong_color_is_named() {
        let (_, dark) = BUILT_IN[0];
        let text = dark.replace("#4cc38a", "greenish");
        let why = Theme::from_toml(&text).unwrap_err().to_string();
        assert!(why.contains("`greenish` is not a color"), "{why}");
    }

    #[test]
    fn with_sixteen_colors_nothing_is_outside_of_them() {
        for (name, text) in BUILT_IN {
            let theme = Theme::from_toml(text)
                .unwrap()
                .with_depth(ColorDepth::Basic);
            let styles = [
                theme.tone(Tone::Good),
                theme.tone(Tone::Muted),
                theme.part(ThemePart::Base),
                theme.part(ThemePart::Selection),
                theme.part(ThemePart::FocusedBorder),
                theme.badge(Mode::LiveApi),
                theme.chip(Tint::Violet),
            ];
            let colors = styles.iter().flat_map(|style| [style.fg, style.bg]);
            let own = |color: Color| !matches!(color, Color::Rgb(..) | Color::Indexed(_));
            assert!(colors.flatten().all(own), "{name}");
            let sides = [Tone::Good, Tone::Bad].map(|tone| theme.tone(tone).fg);
            assert_ne!(sides[0], sides[1], "{name}");
        }
    }

    #[test]
    fn without_colors_nothing_has_a_color() {
        let theme = Theme::default().with_depth(ColorDepth::None);
        for tone in [Tone::Good, Tone::Bad, Tone::Alert, Tone::Muted] {
            let style = theme.tone(tone);
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }

    /// The contrast ratio of WCAG 2.
    #[expect(clippy::float_arithmetic, reason = "brightness is a curve")]
    fn contrast(a: Hex, b: Hex) -> f64 {
        let brightness = |hex: Hex| {
            let Color::Rgb(red, green, blue) = hex.0 else {
                panic!("{hex:?} is no color of its own");
            };
            let [red, green, blue] = [red, green, blue].map(|part| {
                let part = f64::from(part) / 255.0;
                if part <= 0.040_45 {
                    part / 12.92
                } else {
                    ((part + 0.055) / 1.055).powf(2.4)
                }
            });
            0.2126f64.mul_add(red, 0.7152f64.mul_add(green, 0.0722 * blue))
        };
        let (a, b) = (brightness(a), brightness(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_word_can_be_read_on_the_background_and_on_the_selected_row() {
        for (name, text) in BUILT_IN {
            let palette = Theme::from_toml(text).unwrap().palette.unwrap();
            let words = [
                palette.text,
                palette.strong,
                palette.muted,
                palette.accent,
                palette.info,
                palette.good,
                palette.bad,
                palette.warn,
                palette.alert,
            ];
            for word in words {
                for ground in [palette.background, palette.selection] {
                    let contrast = contrast(word, ground);
                    assert!(
                        contrast >= 4.5,
                        "{name}: {word:?} on {ground:?}: {contrast}"
                    );
                }
            }
        }
    }
}
