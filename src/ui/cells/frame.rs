//! The border of a pane, with its titles, age and totals.

use crate::{
    app::ClickTarget,
    ui::{
        cells::{
            area::{after, centered, inset, last_line, length, line, part, sum, without_last},
            canvas::{Canvas, spans_width, width},
            click_map::ClickList,
        },
        theme::ThemePart,
    },
    view::{self, Span, Title, Tone},
};
use ratatui::{
    layout::{Margin, Rect},
    style::Style,
};

/// The contents of a border.
#[derive(Debug)]
pub(in crate::ui) struct Border<'a> {
    /// The panes that share the place; one is shown.
    pub(in crate::ui) titles: &'a [Title],
    pub(in crate::ui) shown: usize,
    pub(in crate::ui) has_keys: bool,
    pub(in crate::ui) foot: &'a [Vec<Span>],
}

/// How detailed the titles are; the first variant that fits is used.
#[derive(Debug, Clone, Copy)]
enum FrameDetail {
    Full,
    Short,
    /// Short names, and the count of the shown pane only.
    Bare,
    /// The shown pane, and the keys of the others.
    KeysOnly,
    /// The same with its short name.
    KeysShort,
    KeysDense,
}

impl FrameDetail {
    const ALL: [Self; 6] = [
        Self::Full,
        Self::Short,
        Self::Bare,
        Self::KeysOnly,
        Self::KeysShort,
        Self::KeysDense,
    ];

    /// The separator between two titles.
    fn apart(self) -> &'static str {
        match self {
            Self::Full => "  │  ",
            Self::Short | Self::KeysOnly | Self::KeysShort => " │ ",
            Self::Bare => "  ",
            Self::KeysDense => " ",
        }
    }
}

impl Border<'_> {
    /// Draws it; returns the area inside.
    pub(in crate::ui) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) -> Rect {
        let part = if self.has_keys {
            ThemePart::FocusedBorder
        } else {
            ThemePart::Border
        };
        let inner = outline(canvas, area, canvas.theme.part(part));
        let top = Rect { height: 1, ..area };
        let room = inset(top, 2);
        let room = self.freshness(canvas, room);
        self.draw_titles(canvas, room);
        let room = without_last(last_line(area), 2);
        let foot = fitting(self.foot, room.width.saturating_sub(4));
        if !foot.is_empty() {
            canvas.spans_right(room, &padded(foot));
        }
        inner
    }

    fn freshness(&self, canvas: &mut Canvas<'_>, room: Rect) -> Rect {
        let Some(title) = self.titles.get(self.shown) else {
            return room;
        };
        if title.freshness.is_empty() {
            return room;
        }
        let spans = view::joined(title.freshness.iter().cloned(), " · ");
        canvas.spans_right(room, &padded(spans))
    }

    fn draw_titles(&self, canvas: &mut Canvas<'_>, room: Rect) {
        let fits = |detail: &FrameDetail| spans_width(&padded(self.words(*detail))) <= room.width;
        let detail = FrameDetail::ALL.into_iter().find(fits);
        let detail = detail.unwrap_or(FrameDetail::KeysDense);
        canvas.spans(room, &padded(self.words(detail)));
        let mut rest = after(room, 1);
        for (at, title) in self.titles.iter().enumerate() {
            let wide = spans_width(&self.one(at, title, detail)).min(rest.width);
            let area = Rect {
                width: wide,
                ..rest
            };
            canvas.spot(area, title.spot.clone());
            rest = after(rest, wide.saturating_add(width(detail.apart())));
        }
    }

    fn words(&self, detail: FrameDetail) -> Vec<Span> {
        let mut spans = vec![];
        for (at, title) in self.titles.iter().enumerate() {
            if !spans.is_empty() {
                spans.push(Span::muted(detail.apart()));
            }
            spans.extend(self.one(at, title, detail));
        }
        spans
    }

    fn one(&self, at: usize, title: &Title, detail: FrameDetail) -> Vec<Span> {
        let is_shown = at == self.shown;
        let tone = match (is_shown, self.has_keys) {
            (true, true) => Tone::Accent,
            (true, false) => Tone::Strong,
            (false, _) => Tone::Muted,
        };
        let name = match detail {
            FrameDetail::Full => title.name,
            FrameDetail::KeysOnly if is_shown => title.name,
            FrameDetail::Short | FrameDetail::Bare => title.short,
            FrameDetail::KeysShort | FrameDetail::KeysDense if is_shown => title.short,
            FrameDetail::KeysOnly | FrameDetail::KeysShort | FrameDetail::KeysDense => "",
        };
        let key_tone = if is_shown { tone } else { Tone::Plain };
        let mut spans = vec![Span::new(title.key.clone(), key_tone)];
        if !name.is_empty() {
            spans.push(Span::new(format!(" {name}"), tone));
        }
        let counts = is_shown || matches!(detail, FrameDetail::Full | FrameDetail::Short);
        if counts && !title.count.is_empty() {
            spans.push(Span::muted(format!(" {}", title.count)));
        }
        spans
    }
}

/// The first groups of words that fit.
fn fitting(groups: &[Vec<Span>], room: u16) -> Vec<Span> {
    let mut shown: Vec<Span> = vec![];
    for group in groups {
        let apart = if shown.is_empty() {
            vec![]
        } else {
            vec![Span::plain("  ")]
        };
        let longer = [shown.clone(), apart, group.clone()].concat();
        if spans_width(&longer) > room {
            break;
        }
        shown = longer;
    }
    shown
}

pub(in crate::ui) fn padded(mut spans: Vec<Span>) -> Vec<Span> {
    spans.insert(0, Span::plain(" "));
    spans.push(Span::plain(" "));
    spans
}

/// The area inside a border.
pub(in crate::ui) fn inside(area: Rect) -> Rect {
    if area.width < 2 || area.height < 2 {
        return Rect {
            width: 0,
            height: 0,
            ..area
        };
    }
    area.inner(Margin::new(1, 1))
}

/// A rounded border; returns the area inside.
pub(in crate::ui) fn outline(canvas: &mut Canvas<'_>, area: Rect, style: Style) -> Rect {
    if area.width < 2 || area.height < 2 {
        return inside(area);
    }
    let across = "─".repeat(usize::from(area.width.saturating_sub(2)));
    canvas.text(area, &format!("╭{across}╮"), style);
    for number in 1..area.height.saturating_sub(1) {
        let side = line(area, number);
        canvas.text(side, "│", style);
        canvas.text(after(side, side.width.saturating_sub(1)), "│", style);
    }
    canvas.text(last_line(area), &format!("╰{across}╯"), style);
    inside(area)
}

/// A scrollbar on the right border of `area`, if not all of the list is visible.
pub(in crate::ui) fn scrollbar(canvas: &mut Canvas<'_>, inner: Rect, first: usize, count: usize) {
    let seen = usize::from(inner.height);
    if count <= seen || seen == 0 {
        return;
    }
    let thumb = part(seen, seen, count).max(1);
    let hidden = count.saturating_sub(seen).max(1);
    let start = part(first, seen.saturating_sub(thumb), hidden);
    let style = canvas.theme.part(ThemePart::FocusedBorder);
    for offset in start..start.saturating_add(thumb).min(seen) {
        let row = line(inner, length(offset));
        let thumb = Rect {
            x: row.right(),
            width: 1.min(row.width),
            ..row
        };
        canvas.text(thumb, "┃", style);
    }
}

/// A panel of lines in the middle of the screen.
pub(in crate::ui) struct LinesPanel<'a> {
    pub(in crate::ui) title: &'a [Span],
    pub(in crate::ui) width: u16,
    pub(in crate::ui) lines: Vec<PanelLine>,
    /// The first line to be seen; without it the chosen one is.
    pub(in crate::ui) offset: Option<usize>,
}

/// One line of a panel.
pub(in crate::ui) struct PanelLine {
    pub(in crate::ui) spans: Vec<Span>,
    /// Whether the keys are on it.
    pub(in crate::ui) is_chosen: bool,
}

impl From<Vec<Span>> for PanelLine {
    fn from(spans: Vec<Span>) -> Self {
        let is_chosen = false;
        Self { spans, is_chosen }
    }
}

impl LinesPanel<'_> {
    pub(in crate::ui) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect) {
        let count = self.lines.len();
        let area = centered(body, self.width, sum([length(count), 2]));
        let inner = panel(canvas, area, self.title);
        let room = usize::from(inner.height);
        let chosen = self.lines.iter().rposition(|line| line.is_chosen);
        let with_chosen = || chosen.map_or(0, |at| at.saturating_add(1).saturating_sub(room));
        let first = self.offset.unwrap_or_else(with_chosen);
        let first = first.min(count.saturating_sub(room));
        if self.offset.is_some() {
            canvas.list(inner, ClickTarget::Over, ClickList { first, room, count });
        }
        scrollbar(canvas, inner, first, count);
        for (number, shown) in (0..inner.height).zip(self.lines.iter().skip(first)) {
            let row = line(inner, number);
            if shown.is_chosen {
                canvas.fill(row, ThemePart::Selection);
                canvas.toned(row, "▌", Tone::Accent);
            }
            canvas.spans(after(row, 1), &shown.spans);
        }
    }
}

/// Before a text that ends where the longest of its column does.
pub(in crate::ui) fn lead(text: &str, wide: u16) -> Span {
    Span::plain(" ".repeat(wide.saturating_sub(width(text)).into()))
}

/// A panel: clears its area, draws border and title, and returns the area inside.
pub(in crate::ui) fn panel(canvas: &mut Canvas<'_>, area: Rect, title: &[Span]) -> Rect {
    canvas.clear(area);
    let inner = outline(canvas, area, canvas.theme.part(ThemePart::FocusedBorder));
    let room = after(Rect { height: 1, ..area }, 2);
    let room = without_last(room, 2);
    canvas.spans(room, &padded(title.to_vec()));
    inner
}

/// The widest of some texts.
pub(in crate::ui) fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> u16 {
    texts.map(width).max().unwrap_or(0)
}
