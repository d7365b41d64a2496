//! Box and block characters as SVG shapes, so that they join in any font.

use crate::ui::cells::braille::{DOTS, EMPTY};
use std::fmt::Display;

/// Width and height of a cell in SVG units, for the font size [`FONT`].
pub(super) const CELL: (u32, u32) = (9, 20);
pub(super) const FONT: u32 = 15;

/// How a character is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SvgShape {
    /// As text.
    Glyph,
    /// A line through the cell, as an SVG path.
    Line { path: String, thickness: u32 },
    /// A filled part of the cell from its left end, so wide, in eighths.
    Block { width: u32, opacity: &'static str },
    /// A filled part of the whole width: from so far below the upper end, so high, in eighths.
    Bar { top: u32, height: u32 },
    /// Dots of braille, as an SVG path of squares.
    Dots(String),
}

/// The shape of a character in the cell with the top left corner `x`, `y`.
pub(super) fn shape(symbol: &str, x: u32, y: u32) -> SvgShape {
    let (wide, high) = CELL;
    let (right, low) = (x + wide, y + high);
    let (middle, centre) = (half(2 * x + wide), half(2 * y + high));
    let round = 4;
    let (before, behind) = (
        half(2 * x + wide - 2 * round),
        half(2 * x + wide + 2 * round),
    );
    let (above, below) = (
        half(2 * y + high - 2 * round),
        half(2 * y + high + 2 * round),
    );
    let (before_it, behind_it) = (half(2 * x + wide - 2), half(2 * x + wide + 2));
    let thin = |path| SvgShape::Line { path, thickness: 1 };
    match symbol {
        "┃" | "━" | "╸" | "╻" | "╹" => {
            thick(symbol, (x, middle, right), (y, centre, low))
        }
        "─" => thin(format!("M{x} {centre}H{right}")),
        "│" => thin(format!("M{middle} {y}V{low}")),
        "╷" => thin(format!("M{middle} {centre}V{low}")),
        "╵" => thin(format!("M{middle} {y}V{centre}")),
        // Two thin lines beside the middle one make it thick.
        "╽" => thin(format!(
            "M{middle} {y}V{low}M{before_it} {centre}V{low}M{behind_it} {centre}V{low}"
        )),
        "╿" => thin(format!(
            "M{middle} {y}V{low}M{before_it} {y}V{centre}M{behind_it} {y}V{centre}"
        )),
        "┼" => thin(format!("M{middle} {y}V{low}M{x} {centre}H{right}")),
        "┬" => thin(format!("M{middle} {centre}V{low}M{x} {centre}H{right}")),
        "┴" => thin(format!("M{middle} {y}V{centre}M{x} {centre}H{right}")),
        "╌" => thin(format!("M{} {centre}h2m3 0h2", x + 1)),
        "╭" => thin(format!(
            "M{middle} {low}V{below}Q{middle} {centre} {behind} {centre}H{right}"
        )),
        "╮" => thin(format!(
            "M{x} {centre}H{before}Q{middle} {centre} {middle} {below}V{low}"
        )),
        "╰" => thin(format!(
            "M{middle} {y}V{above}Q{middle} {centre} {behind} {centre}H{right}"
        )),
        "╯" => thin(format!(
            "M{x} {centre}H{before}Q{middle} {centre} {middle} {above}V{y}"
        )),
        "├" => thin(format!("M{middle} {y}V{low}M{middle} {centre}H{right}")),
        "└" => thin(format!("M{middle} {y}V{centre}H{right}")),
        _ => braille(symbol, x, y).unwrap_or_else(|| block(symbol)),
    }
}

/// A thick line through the cell or half of it, by its left, middle and right and its top, centre and bottom.
fn thick(
    symbol: &str,
    (left, middle, right): (u32, impl Display, u32),
    (top, centre, bottom): (u32, impl Display, u32),
) -> SvgShape {
    let (path, thickness) = match symbol {
        "━" => (format!("M{left} {centre}H{right}"), 4),
        "╸" => (format!("M{left} {centre}H{middle}"), 4),
        "╻" => (format!("M{middle} {centre}V{bottom}"), 3),
        "╹" => (format!("M{middle} {top}V{centre}"), 3),
        _ => (format!("M{middle} {top}V{bottom}"), 3),
    };
    SvgShape::Line { path, thickness }
}

fn braille(symbol: &str, x: u32, y: u32) -> Option<SvgShape> {
    let code = u32::from(symbol.chars().next()?);
    let bits = code.checked_sub(EMPTY).filter(|bits| *bits <= 0xff)?;
    let columns = (0_u32..).zip(DOTS).flat_map(|(side, column)| {
        (0_u32..)
            .zip(column)
            .map(move |(row, bit)| (bit, side, row))
    });
    let dots = columns.filter(|(bit, ..)| bits & bit != 0);
    let squares = dots.map(|(_, side, row)| {
        let (left, top) = (x + 1 + side * 4, y + 1 + row * 5);
        format!("M{left} {top}h3v3h-3z")
    });
    Some(SvgShape::Dots(squares.collect()))
}

fn block(symbol: &str) -> SvgShape {
    let eighths = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];
    let filled = (1_u32..).zip(eighths).find(|(_, block)| *block == symbol);
    match (filled, symbol) {
        (Some((width, _)), _) => SvgShape::Block {
            width,
            opacity: "1",
        },
        (None, "▀") => SvgShape::Bar { top: 0, height: 4 },
        (None, "░") => SvgShape::Block {
            width: 8,
            opacity: "0.25",
        },
        (None, _) => lower(symbol).map_or(SvgShape::Glyph, |height| SvgShape::Bar {
            top: 8 - height,
            height,
        }),
    }
}

/// Eighths of a cell from below.
fn lower(symbol: &str) -> Option<u32> {
    let eighths = ["▁", "▂", "▃", "▄", "▅", "▆", "▇"];
    let found = (1_u32..).zip(eighths).find(|(_, block)| *block == symbol);
    found.map(|(height, _)| height)
}

/// This many eighths of a cell's height below `y`, as SVG writes it.
pub(super) fn below(y: u32, eighths: u32) -> String {
    half(2 * y + CELL.1 * eighths / 4)
}

/// Eighths of a cell's height, as SVG writes it.
pub(super) fn high_eighths(count: u32) -> String {
    half(CELL.1 * count / 4)
}

/// Half of a whole number of units, in SVG notation.
fn half(twice: u32) -> String {
    if twice.is_multiple_of(2) {
        (twice / 2).to_string()
    } else {
        format!("{}.5", twice / 2)
    }
}

/// Eighths of a cell's width, in SVG notation.
pub(super) fn eighths(count: u32) -> String {
    let thousandths = CELL.0 * count * 125;
    let text = format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_meet_in_the_middle_of_their_cells() {
        let path = |symbol| match shape(symbol, 0, 0) {
            SvgShape::Line { path, .. } => path,
            SvgShape::Glyph | SvgShape::Block { .. } | SvgShape::Bar { .. } | SvgShape::Dots(_) => {
                String::new()
            }
        };
        assert_eq!(path("─"), "M0 10H9");
        assert_eq!(path("│"), "M4.5 0V20");
        assert_eq!(path("╭"), "M4.5 20V14Q4.5 10 8.5 10H9");
        assert_eq!(shape("a", 0, 0), SvgShape::Glyph);
        assert_eq!(eighths(3), "3.375");
        assert_eq!(shape("▂", 0, 0), SvgShape::Bar { top: 6, height: 2 });
        assert_eq!(high_eighths(3), "7.5");
    }
}
