//! The nearest colors for a terminal with fewer than a theme uses.

#![expect(
    clippy::arithmetic_side_effects,
    reason = "bytes of colors and their squares, in types wide enough for all of them"
)]

use ratatui::style::Color;

/// How many colors the terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorDepth {
    #[default]
    True,
    Indexed,
    /// The terminal's own sixteen, as configured by its owner.
    Basic,
    /// `NO_COLOR`, or a terminal without any.
    None,
}

/// Terminals with true color even without `COLORTERM`, by a part of their `TERM`.
const TRUE: [&str; 6] = ["direct", "kitty", "alacritty", "ghostty", "wezterm", "foot"];
/// Terminals with sixteen colors, by the start of their `TERM`.
const BASIC: [&str; 5] = ["linux", "ansi", "vt", "cons25", "xterm-16color"];

impl ColorDepth {
    /// From `TERM` and `COLORTERM`. Without further information, 256 colors.
    pub fn of(term: &str, colorterm: &str) -> Self {
        if ["", "dumb"].contains(&term) && colorterm.is_empty() {
            return Self::None;
        }
        let names = |part: &&str| term.contains(*part);
        if ["truecolor", "24bit"].contains(&colorterm) || TRUE.iter().any(names) {
            return Self::True;
        }
        if BASIC.iter().any(|start| term.starts_with(start)) {
            return Self::Basic;
        }
        Self::Indexed
    }
}

/// The steps of each channel in the cube.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The nearest of the 6×6×6 cube and the 24 grays of every 256-color terminal.
pub(super) fn indexed(color: Color) -> Color {
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

/// Below this difference between its strongest and weakest channel, a color counts as gray.
const GREY: u8 = 48;
/// The named hues of the color wheel: the first hue that is no longer that color.
const HUES: [(i32, Color); 7] = [
    (15, Color::Red),
    (72, Color::Yellow),
    (168, Color::Green),
    (198, Color::Cyan),
    (262, Color::Blue),
    (335, Color::Magenta),
    (361, Color::Red),
];

/// The one of the sixteen basic colors with the same name. A near-gray becomes the terminal's own text color, which is
/// readable on its background.
pub(super) fn basic(color: Color) -> Color {
    let Color::Rgb(r, g, b) = color else {
        return color;
    };
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    if most - least < GREY {
        return Color::Reset;
    }
    let [r, g, b, most, least] = [r, g, b, most, least].map(i32::from);
    let spread = most - least;
    let hue = match most {
        _ if most == r => 60 * (g - b) / spread,
        _ if most == g => 120 + 60 * (b - r) / spread,
        _ => 240 + 60 * (r - g) / spread,
    };
    let hue = hue.rem_euclid(360);
    let named = HUES.iter().find(|(end, _)| hue < *end);
    named.map_or(Color::Reset, |(_, color)| *color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_taken_at_its_word() {
        let depths = [
            ("xterm-256color", "truecolor", ColorDepth::True),
            ("xterm-kitty", "", ColorDepth::True),
            ("xterm-256color", "", ColorDepth::Indexed),
            ("screen", "", ColorDepth::Indexed),
            ("linux", "", ColorDepth::Basic),
            ("vt220", "", ColorDepth::Basic),
            ("dumb", "", ColorDepth::None),
            ("", "", ColorDepth::None),
        ];
        for (term, colorterm, depth) in depths {
            assert_eq!(ColorDepth::of(term, colorterm), depth, "{term} {colorterm}");
        }
    }

    #[test]
    fn fewer_colors_are_the_nearest_ones() {
        assert_eq!(indexed(Color::Rgb(255, 0, 0)), Color::Indexed(196));
        assert_eq!(indexed(Color::Rgb(16, 19, 26)), Color::Indexed(233));
    }

    #[test]
    fn sixteen_colors_are_chosen_by_name() {
        let named = [
            (Color::Rgb(76, 195, 138), Color::Green),
            (Color::Rgb(242, 102, 122), Color::Red),
            (Color::Rgb(226, 181, 90), Color::Yellow),
            (Color::Rgb(90, 180, 245), Color::Blue),
            (Color::Rgb(92, 197, 216), Color::Cyan),
            (Color::Rgb(195, 202, 217), Color::Reset),
        ];
        for (color, name) in named {
            assert_eq!(basic(color), name, "{color}");
        }
    }
}
