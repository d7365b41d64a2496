//! A screen as one self-contained SVG without scripts, font files or links, so that code hosts show it.
//!
//! Backgrounds are rectangles over runs of cells, borders and bars are shapes, and every run of text is stretched to
//! its cells, so that columns align in any monospaced font.

use super::{
    super::theme::Theme,
    cells,
    shapes::{CELL, FONT, SvgShape, below, eighths, high_eighths, shape},
};
use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
    style::{Color, Modifier},
};
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr;

/// Space around the screen.
const MARGIN: u32 = 14;
const FONTS: &str =
    "ui-monospace,'SF Mono',Menlo,'Cascadia Mono','DejaVu Sans Mono',Consolas,monospace";
/// For a theme without colors.
const INK: &str = "#202020";
const PAPER: &str = "#ffffff";

/// The style of a cell in SVG terms.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SvgStyle {
    ink: String,
    paper: String,
    marks: &'static str,
}

/// A run of cells with one style.
#[derive(Debug)]
struct SvgRun {
    x: u32,
    width: u32,
    text: String,
    look: SvgStyle,
}

/// The screen as an SVG document.
pub fn svg(screen: &Buffer, theme: &Theme) -> String {
    let area = screen.area;
    let (width, height) = (
        u32::from(area.width) * CELL.0,
        u32::from(area.height) * CELL.1,
    );
    let ground = ground(theme);
    let mut out = String::new();
    let (outer_width, outer_height) = (width + 2 * MARGIN, height + 2 * MARGIN);
    put(
        &mut out,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {outer_width} {outer_height}\" \
         width=\"{outer_width}\" height=\"{outer_height}\" font-family=\"{FONTS}\" font-size=\"{FONT}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"{}\"/>\n<g transform=\"translate({MARGIN} {MARGIN})\">\n",
            ground.paper
        ),
    );
    for (number, row) in (0_u32..).zip(area.rows()) {
        line(&mut out, screen, row, number * CELL.1, &ground);
    }
    out.push_str("</g>\n</svg>\n");
    out
}

fn ground(theme: &Theme) -> SvgStyle {
    let (ink, paper) = match theme.base_colors() {
        Some((text, background)) => (hex(text), hex(background)),
        None => (None, None),
    };
    SvgStyle {
        ink: ink.unwrap_or_else(|| INK.to_owned()),
        paper: paper.unwrap_or_else(|| PAPER.to_owned()),
        marks: "",
    }
}

fn line(out: &mut String, screen: &Buffer, row: Rect, y: u32, ground: &SvgStyle) {
    let runs = runs(screen, row, ground);
    for run in runs.iter().filter(|run| run.look.paper != ground.paper) {
        let (x, width, height) = (run.x, run.width, CELL.1);
        let fill = &run.look.paper;
        put(
            out,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>\n"
            ),
        );
    }
    for run in &runs {
        draw(out, run, y);
    }
}

/// Adjacent cells with one style; shapes form runs of their own kind.
fn runs(screen: &Buffer, row: Rect, ground: &SvgStyle) -> Vec<SvgRun> {
    let mut runs: Vec<SvgRun> = vec![];
    for (column, cell) in cells(screen, row) {
        let look = look(cell, ground);
        let x = u32::from(column - row.x) * CELL.0;
        let wide = u32::try_from(cell.symbol().width().max(1)).unwrap_or(1) * CELL.0;
        match runs.last_mut().filter(|run| goes_on(run, cell, &look)) {
            Some(run) => {
                run.text.push_str(cell.symbol());
                run.width += wide;
            }
            None => runs.push(SvgRun {
                x,
                width: wide,
                text: cell.symbol().to_owned(),
                look,
            }),
        }
    }
    runs
}

/// Characters that fill their cells from side to side, and can be drawn in one piece.
const SEAMLESS: [&str; 3] = ["─", "█", "░"];

fn first(run: &SvgRun) -> String {
    run.text.chars().take(1).collect()
}

/// A run of shapes repeats one seamless character; a run of text contains no shapes.
fn goes_on(run: &SvgRun, cell: &Cell, look: &SvgStyle) -> bool {
    let first = first(run);
    let same_kind = if shape(cell.symbol(), 0, 0) == SvgShape::Glyph {
        shape(&first, 0, 0) == SvgShape::Glyph
    } else {
        first == cell.symbol() && SEAMLESS.contains(&cell.symbol())
    };
    same_kind && run.look == *look
}

fn draw(out: &mut String, run: &SvgRun, y: u32) {
    let first = first(run);
    let ink = &run.look.ink;
    let count = run.width / CELL.0;
    match shape(&first, run.x, y) {
        SvgShape::Glyph => text(out, run, y),
        SvgShape::Dots(path) => put(out, format_args!("<path d=\"{path}\" fill=\"{ink}\"/>\n")),
        SvgShape::Line { path, thickness } => {
            // Only the horizontal line repeats along a row.
            let path = if first == "─" {
                path.replace(
                    &format!("H{}", run.x + CELL.0),
                    &format!("H{}", run.x + run.width),
                )
            } else {
                path
            };
            put(
                out,
                format_args!(
                    "<path d=\"{path}\" stroke=\"{ink}\" stroke-width=\"{thickness}\" fill=\"none\"/>\n"
                ),
            );
        }
        SvgShape::Bar { top, height } => {
            let (x, width, height) = (run.x, run.width, high_eighths(height));
            let top = below(y, top);
            put(
                out,
                format_args!(
                    "<rect x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{ink}\"/>\n",
                ),
            );
        }
        SvgShape::Block { width, opacity } => {
            let (x, height) = (run.x, CELL.1);
            let width = if count > 1 {
                run.width.to_string()
            } else {
                eighths(width)
            };
            put(
                out,
                format_args!(
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{ink}\" fill-opacity=\"{opacity}\"/>\n"
                ),
            );
        }
    }
}

fn text(out: &mut String, run: &SvgRun, y: u32) {
    let trimmed = run.text.trim_end();
    let lead = trimmed.len() - trimmed.trim_start().len();
    let words = trimmed.trim_start();
    if words.is_empty() {
        return;
    }
    let x = run.x + u32::try_from(lead).unwrap_or(0) * CELL.0;
    let wide = u32::try_from(words.width()).unwrap_or(0) * CELL.0;
    let SvgStyle { ink, marks, .. } = &run.look;
    let base = y + FONT;
    let words = words
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    put(
        out,
        format_args!(
            "<text x=\"{x}\" y=\"{base}\" fill=\"{ink}\"{marks} textLength=\"{wide}\" \
         lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\">{words}</text>\n"
        ),
    );
}

fn look(cell: &Cell, ground: &SvgStyle) -> SvgStyle {
    let ink = hex(cell.fg).unwrap_or_else(|| ground.ink.clone());
    let paper = hex(cell.bg).unwrap_or_else(|| ground.paper.clone());
    let (ink, paper) = if cell.modifier.contains(Modifier::REVERSED) {
        (paper, ink)
    } else {
        (ink, paper)
    };
    let has = |modifier| cell.modifier.contains(modifier);
    let marks = match (
        has(Modifier::BOLD),
        has(Modifier::UNDERLINED),
        has(Modifier::DIM),
    ) {
        (true, true, _) => " font-weight=\"700\" text-decoration=\"underline\"",
        (true, false, _) => " font-weight=\"700\"",
        (false, true, _) => " text-decoration=\"underline\"",
        (false, false, true) => " fill-opacity=\"0.6\"",
        (false, false, false) => "",
    };
    SvgStyle { ink, paper, marks }
}

/// Themes use only these colors.
fn hex(color: Color) -> Option<String> {
    let (r, g, b) = if let Color::Rgb(r, g, b) = color {
        (r, g, b)
    } else if let Color::Indexed(n) = color {
        of_index(n)
    } else {
        return None;
    };
    Some(format!("#{r:02x}{g:02x}{b:02x}"))
}

/// The color cube and the grays of a 256-color terminal.
fn of_index(index: u8) -> (u8, u8, u8) {
    if index >= 232 {
        let grey = 8 + 10 * (index - 232);
        return (grey, grey, grey);
    }
    let cube = index.saturating_sub(16);
    let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    (step(cube / 36), step(cube / 6 % 6), step(cube % 6))
}

/// Writing to a String cannot fail.
fn put(out: &mut String, words: std::fmt::Arguments<'_>) {
    out.write_fmt(words).unwrap_or_default();
}
