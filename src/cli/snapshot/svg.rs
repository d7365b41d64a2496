//! A frame as a picture that looks the same whatever fonts the viewer has: each run is stretched to its cells.

use super::cells::{Run, rows};
use crate::config::Theme;
use ratatui::{
    buffer::Buffer,
    style::{Color, Modifier},
};
use std::fmt::{self, Write};
use unicode_width::UnicodeWidthStr;

/// A cell, in tenths of a pixel, so that positions stay whole numbers.
const CELL: (usize, usize) = (84, 180);
/// From the top of a cell to the line its letters stand on.
const BASELINE: usize = 135;
const FONT: &str = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace";

/// What a terminal means by its sixteen colours, in the order of their numbers.
const SIXTEEN: [&str; 16] = [
    "#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
    "#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc",
];
/// The same, to be read on white.
const SIXTEEN_ON_WHITE: [&str; 16] = [
    "#24292f", "#cf222e", "#116329", "#7d4e00", "#0969da", "#8250df", "#1b7c83", "#6e7781",
    "#57606a", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#8c959f",
];

/// What stands for the colours a terminal chooses itself.
struct Palette {
    ground: &'static str,
    ink: &'static str,
    sixteen: &'static [&'static str; 16],
}

impl Palette {
    fn of(theme: Theme) -> Self {
        match theme {
            Theme::Dark => Self {
                ground: "#0d1117",
                ink: "#c9d1d9",
                sixteen: &SIXTEEN,
            },
            Theme::Light => Self {
                ground: "#ffffff",
                ink: "#24292f",
                sixteen: &SIXTEEN_ON_WHITE,
            },
        }
    }
}

/// The picture of a frame.
pub(super) fn svg(frame: &Buffer, theme: Theme) -> Result<String, fmt::Error> {
    let palette = Palette::of(theme);
    let [width, height] = [frame.area.width, frame.area.height].map(usize::from);
    let [width, height] = [width * CELL.0, height * CELL.1].map(pixels);
    let mut out = String::new();
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="{FONT}" font-size="14" xml:space="preserve">"#
    )?;
    writeln!(
        out,
        r#"<rect width="100%" height="100%" fill="{}"/>"#,
        palette.ground
    )?;
    for (row, runs) in rows(frame).enumerate() {
        for run in runs {
            draw(&mut out, &palette, row, &run)?;
        }
    }
    out += "</svg>\n";
    Ok(out)
}

fn draw(out: &mut String, palette: &Palette, row: usize, run: &Run) -> fmt::Result {
    let (ink, ground) = colors(palette, run);
    let [x, y, width] = [run.column * CELL.0, row * CELL.1, run.width * CELL.0];
    if ground != palette.ground {
        let [x, y, width, height] = [x, y, width, CELL.1].map(pixels);
        writeln!(
            out,
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{ground}"/>"#
        )?;
    }
    // Blanks at the ends would be stretched like letters, where a viewer does not drop them.
    let text = run.text.trim();
    if text.is_empty() {
        return Ok(());
    }
    let blanks = run.width - text.width();
    let before = run.text.len() - run.text.trim_start().len();
    let [x, y, width] = [x + before * CELL.0, y + BASELINE, width - blanks * CELL.0].map(pixels);
    let (look, text) = (look(run), escaped(text));
    writeln!(
        out,
        r#"<text x="{x}" y="{y}" textLength="{width}" lengthAdjust="spacingAndGlyphs" fill="{ink}"{look}>{text}</text>"#
    )
}

/// Ink and ground, swapped where the run is reversed.
fn colors(palette: &Palette, run: &Run) -> (String, String) {
    let ink = color(palette, run.style.fg, palette.ink);
    let ground = color(palette, run.style.bg, palette.ground);
    if run.style.add_modifier.contains(Modifier::REVERSED) {
        (ground, ink)
    } else {
        (ink, ground)
    }
}

fn color(palette: &Palette, color: Option<Color>, otherwise: &str) -> String {
    let number = match color {
        None | Some(Color::Reset) => return otherwise.to_owned(),
        Some(Color::Rgb(r, g, b)) => return format!("#{r:02x}{g:02x}{b:02x}"),
        Some(Color::Indexed(index)) if index >= 16 => return indexed(index),
        Some(Color::Indexed(index)) => index,
        Some(Color::Black) => 0,
        Some(Color::Red) => 1,
        Some(Color::Green) => 2,
        Some(Color::Yellow) => 3,
        Some(Color::Blue) => 4,
        Some(Color::Magenta) => 5,
        Some(Color::Cyan) => 6,
        Some(Color::Gray) => 7,
        Some(Color::DarkGray) => 8,
        Some(Color::LightRed) => 9,
        Some(Color::LightGreen) => 10,
        Some(Color::LightYellow) => 11,
        Some(Color::LightBlue) => 12,
        Some(Color::LightMagenta) => 13,
        Some(Color::LightCyan) => 14,
        Some(Color::White) => 15,
    };
    palette
        .sixteen
        .get(usize::from(number))
        .map_or(otherwise, |color| *color)
        .to_owned()
}

/// The colours above sixteen are the same on every terminal: a cube of 6 x 6 x 6, then 24 greys.
fn indexed(index: u8) -> String {
    let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    let (r, g, b) = match index.checked_sub(232) {
        Some(grey) => (8 + 10 * grey, 8 + 10 * grey, 8 + 10 * grey),
        None => {
            let n = index.saturating_sub(16);
            (level(n / 36), level(n / 6 % 6), level(n % 6))
        }
    };
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn look(run: &Run) -> String {
    [
        (Modifier::BOLD, r#" font-weight="bold""#),
        (Modifier::DIM, r#" opacity="0.6""#),
        (Modifier::ITALIC, r#" font-style="italic""#),
        (Modifier::UNDERLINED, r#" text-decoration="underline""#),
    ]
    .into_iter()
    .filter(|(modifier, _)| run.style.add_modifier.contains(*modifier))
    .map(|(_, attribute)| attribute)
    .collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Tenths of a pixel, as a decimal number.
fn pixels(tenths: usize) -> String {
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        rest => format!("{}.{rest}", tenths / 10),
    }
}
