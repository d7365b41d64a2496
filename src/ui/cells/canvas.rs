//! The cells of the screen. Nothing can be drawn outside its area, whatever the screen's size.

use crate::{
    app::{ClickTarget, Context},
    ui::{
        cells::{
            area::{after, before, length, line, without_last},
            click_map::{ClickList, ClickMap},
        },
        theme::{Theme, ThemePart},
    },
    view::{Gauge, Span, Tone},
};
use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
    style::Style,
};
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// An eighth to seven eighths of a cell, from the left.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

#[derive(Debug)]
pub(in crate::ui) struct Canvas<'a> {
    buffer: &'a mut Buffer,
    pub(in crate::ui) theme: &'a Theme,
    /// The context of the drawn keys: what a click on one presses.
    pub(in crate::ui) place: Context,
    clicks: ClickMap,
}

impl<'a> Canvas<'a> {
    pub(in crate::ui) fn new(buffer: &'a mut Buffer, theme: &'a Theme, place: Context) -> Self {
        Self {
            buffer,
            theme,
            place,
            clicks: ClickMap::default(),
        }
    }

    /// The click targets of the frame.
    pub(in crate::ui) fn into_clicks(self) -> ClickMap {
        self.clicks
    }

    pub(in crate::ui) fn spot(&mut self, area: Rect, spot: ClickTarget) {
        self.clicks.spot(area, spot);
    }

    /// A list that the wheel scrolls.
    pub(in crate::ui) fn list(&mut self, area: Rect, spot: ClickTarget, list: ClickList) {
        self.clicks.list(area, spot, list);
    }

    /// Writes at most `room.width` columns on the first line of `room`; returns the rest of the line.
    pub(in crate::ui) fn text(&mut self, room: Rect, text: &str, style: Style) -> Rect {
        let room = room.intersection(self.buffer.area);
        if room.is_empty() {
            return room;
        }
        if text.chars().all(is_one_cell) {
            return self.cells(room, text, style);
        }
        let most = usize::from(room.width);
        let (end, _) = self.buffer.set_stringn(room.x, room.y, text, most, style);
        after(room, end.saturating_sub(room.x))
    }

    /// Writes characters of one cell each, without looking for those that belong together.
    fn cells(&mut self, room: Rect, text: &str, style: Style) -> Rect {
        let first = self.buffer.index_of(room.x, room.y);
        let row = first..first.saturating_add(room.width.into());
        let row = self.buffer.content.get_mut(row).unwrap_or_default();
        let mut used = 0_u16;
        for (cell, symbol) in row.iter_mut().zip(text.chars()) {
            cell.set_char(symbol).set_style(style);
            used = used.saturating_add(1);
        }
        after(room, used)
    }

    /// Writes one character, as wide as a cell.
    pub(in crate::ui) fn put(&mut self, at: (u16, u16), symbol: char, style: Style) {
        if let Some(cell) = self.buffer.cell_mut(at) {
            cell.set_char(symbol).set_style(style);
        }
    }

    /// The same where nothing is written yet.
    pub(in crate::ui) fn put_blank(&mut self, at: (u16, u16), symbol: char, style: Style) {
        if let Some(cell) = self.buffer.cell_mut(at)
            && cell.symbol() == " "
        {
            cell.set_char(symbol).set_style(style);
        }
    }

    pub(in crate::ui) fn toned(&mut self, room: Rect, text: &str, tone: Tone) -> Rect {
        let style = self.theme.tone(tone);
        self.text(room, text, style)
    }

    /// Writes spans while they fit completely; drops the first that does not, and all after it.
    pub(in crate::ui) fn spans(&mut self, mut room: Rect, spans: &[Span]) -> Rect {
        for (at, span) in spans.iter().enumerate() {
            if width(&span.text) > room.width {
                let rest = spans.get(at..).unwrap_or_default();
                if rest.iter().any(|span| !span.text.trim().is_empty()) && room.width > 0 {
                    return self.toned(room, " …", Tone::Muted);
                }
                return room;
            }
            let rest = self.toned(room, &span.text, span.tone);
            if let Some(action) = span.presses {
                self.spot(before(room, rest), ClickTarget::Key(self.place, action));
            }
            room = rest;
        }
        room
    }

    pub(in crate::ui) fn span(&mut self, room: Rect, span: &Span) -> Rect {
        self.spans(room, std::slice::from_ref(span))
    }

    pub(in crate::ui) fn span_right(&mut self, room: Rect, span: &Span) -> Rect {
        self.spans_right(room, std::slice::from_ref(span))
    }

    /// Writes spans at the right end of `room`; returns the part before them.
    pub(in crate::ui) fn spans_right(&mut self, room: Rect, spans: &[Span]) -> Rect {
        let wide = spans_width(spans).min(room.width);
        self.spans(after(room, room.width.saturating_sub(wide)), spans);
        without_last(room, wide)
    }

    /// Writes spans in the middle of an area; a sentence longer than a line takes several.
    pub(in crate::ui) fn spans_centered(&mut self, area: Rect, spans: &[Span]) {
        let lines: Vec<_> = match spans {
            [sentence] => wrapped(&sentence.text, area.width)
                .into_iter()
                .map(|text| vec![Span::new(text.trim_end(), sentence.tone)])
                .collect(),
            _ => vec![spans.to_vec()],
        };
        let first = area.height.saturating_sub(length(lines.len())) / 2;
        for (number, spans) in (first..area.height).zip(&lines) {
            let room = line(area, number);
            let lead = room.width.saturating_sub(spans_width(spans)) / 2;
            self.spans(after(room, lead), spans);
        }
    }

    pub(in crate::ui) fn fill(&mut self, area: Rect, part: ThemePart) {
        let style = self.theme.part(part);
        self.ground(area, style);
    }

    /// Gives an area this ground; what is written there later keeps it.
    pub(in crate::ui) fn ground(&mut self, area: Rect, style: Style) {
        self.buffer
            .set_style(area.intersection(self.buffer.area), style);
    }

    /// Clears an area for a panel, including its click targets.
    pub(in crate::ui) fn clear(&mut self, area: Rect) {
        self.spot(area.intersection(self.buffer.area), ClickTarget::Over);
        self.blank(area);
    }

    /// Clears an area.
    pub(in crate::ui) fn blank(&mut self, area: Rect) {
        let area = area.intersection(self.buffer.area);
        let mut cell = Cell::EMPTY;
        cell.set_style(self.theme.part(ThemePart::Base));
        for y in (area.top()..area.bottom()).filter(|_| !area.is_empty()) {
            let first = self.buffer.index_of(area.x, y);
            let row = first..first.saturating_add(area.width.into());
            let row = self.buffer.content.get_mut(row).unwrap_or_default();
            row.fill(cell.clone());
        }
    }

    /// A thin line across the first line of `room`.
    pub(in crate::ui) fn rule(&mut self, room: Rect) {
        let style = self.theme.part(ThemePart::Border);
        self.text(room, &"─".repeat(usize::from(room.width)), style);
    }

    /// A bar over the first line of `room`, with its track.
    pub(in crate::ui) fn gauge(&mut self, room: Rect, gauge: Gauge) {
        let line = Rect { height: 1, ..room };
        if !self.theme.has_grounds() {
            self.text(line, &"░".repeat(usize::from(line.width)), Style::new());
        }
        self.fill(line, ThemePart::Track);
        self.bar(line, gauge);
    }

    /// As [`gauge`](Self::gauge), but thin, so that two on adjacent lines stay separate.
    pub(in crate::ui) fn rail(&mut self, room: Rect, gauge: Gauge) {
        let line = Rect { height: 1, ..room };
        let halves = gauge.share.eighths(line.width).div_ceil(4);
        let style = self.theme.part(ThemePart::Border);
        self.text(line, &"╌".repeat(usize::from(line.width)), style);
        let full = "━".repeat(usize::from(halves / 2));
        let end = if halves % 2 == 1 { "╸" } else { "" };
        self.toned(line, &format!("{full}{end}"), gauge.tone);
    }

    /// A bar in eighths of a cell, without a track: tracks on adjacent lines would merge.
    pub(in crate::ui) fn bar(&mut self, room: Rect, gauge: Gauge) {
        let line = Rect { height: 1, ..room };
        let eighths = gauge.share.eighths(line.width);
        let (full, part) = (eighths / 8, eighths % 8);
        let bar = "█".repeat(usize::from(full));
        let end = EIGHTHS.get(usize::from(part)).copied().unwrap_or_default();
        self.toned(line, &format!("{bar}{end}"), gauge.tone);
    }
}

/// How many columns a text takes.
pub(in crate::ui) fn width(text: &str) -> u16 {
    let wide = if text.chars().all(is_one_cell) {
        text.chars().count()
    } else {
        text.width()
    };
    length(wide)
}

/// The characters that nearly all of the screen consists of: printable ASCII, borders, bars, and a few signs. Each takes
/// one cell, and none combines with another of them.
fn is_one_cell(symbol: char) -> bool {
    matches!(symbol, ' '..='~' | '─'..='▟' | '·' | '–' | '…')
}

pub(in crate::ui) fn spans_width(spans: &[Span]) -> u16 {
    let widths = spans.iter().map(|span| width(&span.text));
    widths.fold(0, u16::saturating_add)
}

/// The text in at most `room` columns, with `…` if it was cut.
pub(in crate::ui) fn shortened(text: &str, room: u16) -> Cow<'_, str> {
    if width(text) <= room {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let (mut used, room) = (0_usize, usize::from(room));
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        let with_more = used.saturating_add(wide);
        if with_more >= room {
            break;
        }
        used = with_more;
        kept.push(c);
    }
    drop_part(&mut kept, text);
    drop_number(&mut kept);
    if room > 0 {
        kept.push('…');
    }
    Cow::Owned(kept)
}

/// Drops the last partial word, unless it is most of the text: an id, a path.
fn drop_part(kept: &mut String, text: &str) {
    let rest = text.get(kept.len()..);
    let ends_a_word = rest.is_none_or(|rest| rest.starts_with(' '));
    let end = kept.rfind(' ').filter(|end| *end >= kept.len() / 2);
    if let (false, Some(end)) = (ends_a_word, end) {
        kept.truncate(end);
        let bare = kept.trim_end_matches([':', ';', ',', ' ']).len();
        kept.truncate(bare);
    }
}

/// Drops a number before the cut: it could be incomplete. Digits within a name (`ord_12`) belong to the name.
fn drop_number(kept: &mut String) {
    let is_of_a_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | '%');
    let before = kept.trim_end_matches(is_of_a_number);
    let is_in_a_name = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    if before.len() < kept.len() && !is_in_a_name {
        let signed = before.trim_end_matches(['$', '+', '-']);
        kept.truncate(signed.len());
    }
}

/// The text in lines of at most `room` columns, broken between words if possible.
pub(in crate::ui) fn wrapped(text: &str, room: u16) -> Vec<String> {
    let mut lines = vec![];
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_inclusive(' ') {
            if !line.is_empty() && width(&line).saturating_add(width(word.trim_end())) > room {
                lines.push(fitted(std::mem::take(&mut line), room));
            }
            line.push_str(word);
            while width(line.trim_end()) > room && room > 0 && line.chars().count() > 1 {
                let (head, tail) = broken(&line, room);
                lines.push(head);
                line = tail;
            }
        }
        lines.push(fitted(line, room));
    }
    lines
}

/// A trailing blank needs no line.
fn fitted(mut line: String, room: u16) -> String {
    if width(&line) > room {
        line.truncate(line.trim_end().len());
    }
    line
}

/// A word longer than the line is cut at its end.
fn broken(text: &str, room: u16) -> (String, String) {
    let mut used = 0_usize;
    let fits = text.char_indices().take_while(|(at, c)| {
        used = used.saturating_add(c.width().unwrap_or(0));
        *at == 0 || used <= usize::from(room)
    });
    let end = fits
        .last()
        .map_or(0, |(at, c)| at.saturating_add(c.len_utf8()));
    let (head, tail) = text.split_at_checked(end).unwrap_or((text, ""));
    (head.to_owned(), tail.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written without looking for characters that belong together is what the library writes.
    #[test]
    fn characters_of_one_cell_are_written_as_all_others_are() {
        let one_cell: Vec<char> = ('\0'..='\u{3000}').filter(|c| is_one_cell(*c)).collect();
        assert!(one_cell.len() > 200);
        assert!(one_cell.iter().all(|c| c.width() == Some(1)));
        let theme = Theme::default();
        let area = Rect::new(0, 0, 12, 1);
        let room = Rect::new(1, 0, 9, 1);
        let style = Style::new().red();
        for text in [
            "",
            "BTC 64,000.5",
            "─│╭▏█·–…",
            "a\u{301}b",
            "日本語",
            "tab\tx",
        ] {
            let (mut ours, mut theirs) = (Buffer::empty(area), Buffer::empty(area));
            let mut canvas = Canvas::new(&mut ours, &theme, Context::Desk);
            let rest = canvas.text(room, text, style);
            let (end, _) = theirs.set_stringn(1, 0, text, 9, style);
            assert_eq!((rest.x, ours), (end, theirs), "{text:?}");
        }
        for text in ["BTC 64,000.5", "─│╭▏█·–…", "a\u{301}b", "日本語"] {
            assert_eq!(usize::from(width(text)), text.width(), "{text:?}");
        }
    }

    #[test]
    fn words_are_shortened_by_what_they_take_on_screen() {
        assert_eq!(shortened("rejected", 8), "rejected");
        assert_eq!(shortened("rejected", 5), "reje…");
        assert_eq!(shortened("日本語", 5), "日本…");
        assert_eq!(shortened("x", 0), "");
    }

    #[test]
    fn a_number_is_shortened_to_nothing_and_a_name_with_digits_is_a_name() {
        assert_eq!(shortened("waits 3,200.5", 10), "waits…");
        assert_eq!(shortened("net -1,234.5", 8), "net…");
        assert_eq!(shortened("1,234.5", 4), "…");
        assert_eq!(shortened("done 100.00% of it", 12), "done …");
        assert_eq!(shortened("3,200 was it", 8), "…");
        assert_eq!(shortened("3,200 was it", 6), "…");
        assert_eq!(
            shortened("margin would be exceeded", 17),
            "margin would be…"
        );
        assert_eq!(shortened("ord_123456", 8), "ord_123…");
    }

    #[test]
    fn a_sentence_in_the_middle_takes_the_lines_that_it_needs() {
        let drawn = |words: &str, (width, height): (u16, u16)| {
            let area = Rect::new(0, 0, width, height);
            let mut buffer = Buffer::empty(area);
            let theme = Theme::default();
            let mut canvas = Canvas::new(&mut buffer, &theme, Context::Desk);
            canvas.spans_centered(area, &[Span::alert(words)]);
            let symbols = buffer.content.iter().map(Cell::symbol);
            let symbols: Vec<_> = symbols.collect();
            let rows = symbols.chunks(width.into()).map(<[&str]>::concat);
            rows.collect::<Vec<_>>()
        };
        assert_eq!(
            drawn("no orders", (11, 3)),
            ["           ", " no orders ", "           "]
        );
        assert_eq!(
            drawn("unreachable: refused", (13, 4)),
            [
                "             ",
                "unreachable: ",
                "   refused   ",
                "             "
            ]
        );
        assert_eq!(drawn("unreachable: refused", (13, 1)), ["unreachable: "]);
    }

    #[test]
    fn long_texts_break_between_words_and_long_words_anywhere() {
        assert_eq!(
            wrapped("risk limit exceeded", 11),
            ["risk limit ", "exceeded"]
        );
        assert_eq!(
            wrapped("risk limit exceeded", 10),
            ["risk limit", "exceeded"]
        );
        assert_eq!(wrapped("aaaaaa", 4), ["aaaa", "aa"]);
        assert_eq!(wrapped("日本語", 1).len(), 3);
    }
}
