//! How meanings look. Themes are files; a terminal with fewer colours gets the nearest it has, one with
//! none gets bold, reverse and underline, and loses no meaning because the words carry it.

use crate::{app::Mode, view::Tone};
use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

const DARK: &str = include_str!("../../assets/themes/dark.toml");
const LIGHT: &str = include_str!("../../assets/themes/light.toml");
const CONTRAST: &str = include_str!("../../assets/themes/contrast.toml");

/// The built-in themes by name.
pub const NAMES: [&str; 4] = ["dark", "light", "contrast", "none"];

/// How many colours the terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    #[default]
    True,
    Indexed,
    /// `NO_COLOR`, or a terminal without any.
    None,
}

/// Everything that is drawn, as styles. Tones carry no background, so that a selected row shows through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    palette: Option<Palette>,
}

/// What is not text with a tone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Text on the background: what the screen is cleared with.
    Base,
    Border,
    FocusedBorder,
    /// The row the keys act on, in the pane that has them and in the others.
    Selection,
    /// The empty part of a gauge.
    Track,
    /// The place where a text field is typed into.
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
            _ => Err(format!("`{text}` is not a colour (#rrggbb)")),
        }
    }
}

impl Default for Theme {
    fn default() -> Self {
        Self::named("dark").unwrap_or_else(Self::colourless)
    }
}

impl Theme {
    /// A built-in theme; `None` for a name that is none of [`NAMES`].
    pub fn named(name: &str) -> Option<Self> {
        let text = match name {
            "dark" => DARK,
            "light" => LIGHT,
            "contrast" => CONTRAST,
            "none" => return Some(Self::colourless()),
            _ => return None,
        };
        Self::from_toml(text).ok()
    }

    /// A theme file; the error names the line and what is wrong with it.
    pub fn from_toml(text: &str) -> Result<Self, toml::de::Error> {
        let palette = toml::from_str(text)?;
        Ok(Self {
            palette: Some(palette),
        })
    }

    /// No colours: bold, dim, underline and reverse only.
    pub fn colourless() -> Self {
        Self { palette: None }
    }

    /// The same theme with the nearest colours a terminal of `depth` has.
    #[must_use]
    pub fn with_depth(mut self, depth: Depth) -> Self {
        match depth {
            Depth::True => {}
            Depth::Indexed => {
                if let Some(palette) = &mut self.palette {
                    palette.each(|hex| hex.0 = indexed(hex.0));
                }
            }
            Depth::None => self.palette = None,
        }
        self
    }

    /// Whether an empty gauge can be seen by its background.
    pub(super) fn has_colours(&self) -> bool {
        self.palette.is_some()
    }

    /// Text and background of an empty screen, for pictures.
    pub(super) fn base_colours(&self) -> Option<(Color, Color)> {
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
            Tone::Plain | Tone::Muted | Tone::Info | Tone::Good | Tone::Bad | Tone::Warn => style,
        }
    }

    pub(super) fn part(&self, part: Part) -> Style {
        let Some(palette) = &self.palette else {
            return plain_part(part);
        };
        match part {
            Part::Base => Style::new().fg(palette.text.0).bg(palette.background.0),
            Part::Border => Style::new().fg(palette.border.0),
            Part::FocusedBorder => Style::new().fg(palette.accent.0),
            Part::Selection => Style::new().bg(palette.selection.0),
            Part::Track | Part::Field => Style::new().bg(palette.track.0),
            Part::Cursor => Style::new().fg(palette.background.0).bg(palette.accent.0),
        }
    }

    /// The badge that says where orders go.
    pub(super) fn badge(&self, mode: Mode) -> Style {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        match (&self.palette, mode) {
            (None, _) => bold.add_modifier(Modifier::REVERSED),
            (Some(palette), Mode::Paper) => bold.fg(Color::Rgb(20, 18, 10)).bg(palette.paper.0),
            (Some(palette), Mode::LiveApi) => bold.fg(Color::Rgb(28, 8, 12)).bg(palette.live.0),
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
        ] {
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

fn plain_part(part: Part) -> Style {
    let style = Style::new();
    match part {
        Part::Base | Part::Track => style,
        Part::Border => style.add_modifier(Modifier::DIM),
        Part::FocusedBorder => style.add_modifier(Modifier::BOLD),
        Part::Selection | Part::Cursor => style.add_modifier(Modifier::REVERSED),
        Part::Field => style.add_modifier(Modifier::UNDERLINED),
    }
}

/// The steps of each colour in the cube.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The nearest of the 6×6×6 cube and the 24 greys that every 256-colour terminal has.
fn indexed(color: Color) -> Color {
    let Color::Rgb(r, g, b) = color else {
        return color;
    };
    let step = |value: u8| {
        let steps = (0_u8..).zip(STEPS);
        steps
            .min_by_key(|(_, step)| step.abs_diff(value))
            .unwrap_or_default()
    };
    let ((ri, rv), (gi, gv), (bi, bv)) = (step(r), step(g), step(b));
    let greys = (0_u8..24).map(|n| (232 + n, 8 + 10 * n));
    let grey = greys
        .min_by_key(|(_, v)| far((r, g, b), (*v, *v, *v)))
        .unwrap_or((232, 8));
    let cube = 16 + 36 * ri + 6 * gi + bi;
    if far((r, g, b), (grey.1, grey.1, grey.1)) < far((r, g, b), (rv, gv, bv)) {
        Color::Indexed(grey.0)
    } else {
        Color::Indexed(cube)
    }
}

fn far(a: (u8, u8, u8), b: (u8, u8, u8)) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    square(a.0, b.0) + square(a.1, b.1) + square(a.2, b.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_theme_can_be_read() {
        for name in NAMES {
            assert!(Theme::named(name).is_some(), "{name}");
        }
        assert!(Theme::default().has_colours());
    }

    #[test]
    fn a_wrong_colour_is_named() {
        let text = DARK.replace("#4cc38a", "greenish");
        let why = Theme::from_toml(&text).unwrap_err().to_string();
        assert!(why.contains("`greenish` is not a colour"), "{why}");
    }

    #[test]
    fn fewer_colours_are_the_nearest_ones() {
        assert_eq!(indexed(Color::Rgb(255, 0, 0)), Color::Indexed(196));
        assert_eq!(indexed(Color::Rgb(16, 19, 26)), Color::Indexed(233));
    }

    #[test]
    fn without_colours_nothing_has_a_colour() {
        let theme = Theme::default().with_depth(Depth::None);
        for tone in [Tone::Good, Tone::Bad, Tone::Alert, Tone::Muted] {
            let style = theme.tone(tone);
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }
}
