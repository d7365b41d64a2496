use super::{Size, ansi::ansi, cells, instant, svg::svg};
use crate::{config::Theme, model::Timestamp};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Style, Stylize},
    text::{Line, Span},
    widgets::Widget,
};

fn frame() -> Buffer {
    let mut frame = Buffer::empty(Rect::new(0, 0, 12, 2));
    let line = Line::from(vec![
        Span::from("up ").fg(Color::Green).bold(),
        Span::from("<1"),
        Span::styled("円", Style::new().bg(Color::Rgb(1, 2, 3))),
        Span::from("x").reversed(),
    ]);
    line.render(Rect::new(0, 0, 12, 1), &mut frame);
    Line::from("  &")
        .fg(Color::Indexed(196))
        .render(Rect::new(0, 1, 12, 1), &mut frame);
    frame
}

#[test]
fn as_text_a_frame_is_its_characters() {
    assert_eq!(cells::text(&frame()), "up <1円x\n  &\n");
}

#[test]
fn for_a_terminal_a_frame_keeps_its_colours() {
    assert_eq!(
        ansi(&frame()),
        "\x1b[1;32mup \x1b[0m<1\x1b[48;2;1;2;3m円\x1b[0m\x1b[7mx\x1b[0m    \n\
         \x1b[38;5;196m  &         \x1b[0m\n"
    );
}

#[test]
fn as_a_picture_every_run_stands_on_its_cells() {
    let picture = svg(&frame(), Theme::Dark).unwrap();
    let lines: Vec<_> = picture.lines().skip(2).collect();
    assert_eq!(
        lines,
        [
            r##"<text x="0" y="13.5" textLength="16.8" lengthAdjust="spacingAndGlyphs" fill="#3fb950" font-weight="bold">up</text>"##,
            r##"<text x="25.2" y="13.5" textLength="16.8" lengthAdjust="spacingAndGlyphs" fill="#c9d1d9">&lt;1</text>"##,
            r##"<rect x="42" y="0" width="16.8" height="18" fill="#010203"/>"##,
            r##"<text x="42" y="13.5" textLength="16.8" lengthAdjust="spacingAndGlyphs" fill="#c9d1d9">円</text>"##,
            r##"<rect x="58.8" y="0" width="8.4" height="18" fill="#c9d1d9"/>"##,
            r##"<text x="58.8" y="13.5" textLength="8.4" lengthAdjust="spacingAndGlyphs" fill="#0d1117">x</text>"##,
            r##"<text x="16.8" y="31.5" textLength="8.4" lengthAdjust="spacingAndGlyphs" fill="#ff0000">&amp;</text>"##,
            "</svg>",
        ]
    );
}

#[test]
fn a_size_is_columns_and_rows() {
    let size = |columns, rows| Ok(Size { columns, rows });
    assert_eq!("160x48".parse(), size(160, 48));
    assert_eq!("1×1000".parse(), size(1, 1000));
    for text in [
        "", "80", "80x", "0x24", "80x1001", "80x24x1", "-80x24", "+80x24x",
    ] {
        let refused = text.parse::<Size>().unwrap_err();
        assert_eq!(
            refused, "a size is columns x rows, each 1 to 1000, as in 160x48",
            "{text}"
        );
    }
}

#[test]
fn an_instant_has_a_zone() {
    assert_eq!(
        instant("2026-01-05T14:30:00Z"),
        Ok(Timestamp(1_767_623_400_000))
    );
    assert!(instant("2026-01-05").is_err());
}
