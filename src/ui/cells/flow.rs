//! Words on several lines, broken between words; a key stays with its action.

use crate::{
    ui::cells::{
        area::sum,
        canvas::{spans_width, width, wrapped},
    },
    view::{Span, plain_text},
};

/// The fewest lines of at most `room` columns. Separators between keys never begin or end a line.
pub(in crate::ui) fn flowed(spans: &[Span], room: u16) -> Vec<Vec<Span>> {
    let mut lines: Vec<Vec<Span>> = vec![];
    let mut line: Vec<Span> = vec![];
    for piece in pieces(spans, room) {
        let wide = sum([spans_width(&line), width(plain_text(&piece).trim_end())]);
        if wide > room && !line.is_empty() {
            lines.push(trimmed(std::mem::take(&mut line)));
        }
        if !(line.is_empty() && piece.iter().all(is_gap)) {
            line.extend(piece);
        }
    }
    lines.push(line);
    lines
}

/// Unbreakable pieces: a key with its action, and each word of a text.
fn pieces(spans: &[Span], room: u16) -> Vec<Vec<Span>> {
    let mut pieces: Vec<Vec<Span>> = vec![];
    for span in spans {
        for text in words(span, room) {
            let next = Span {
                text,
                ..span.clone()
            };
            match pieces.last_mut().filter(|piece| holds(piece, &next, room)) {
                Some(piece) => piece.push(next),
                None => pieces.push(vec![next]),
            }
        }
    }
    pieces
}

fn words(span: &Span, room: u16) -> Vec<String> {
    if span.presses.is_some() {
        return vec![span.text.clone()];
    }
    let words = span.text.split_inclusive(' ');
    words.flat_map(|word| wrapped(word, room)).collect()
}

/// Whether the next span belongs to the same key, or no blank separates it.
fn holds(piece: &[Span], next: &Span, room: u16) -> bool {
    let is_of_it = piece.last().is_some_and(|last| {
        let is_one_key = next.presses.is_some() && last.presses == next.presses;
        is_one_key || !(last.text.ends_with(' ') || next.text.starts_with(' '))
    });
    is_of_it && sum([spans_width(piece), width(&next.text)]) <= room
}

fn is_gap(span: &Span) -> bool {
    span.text.trim_matches([' ', '·']).is_empty()
}

fn trimmed(mut line: Vec<Span>) -> Vec<Span> {
    while line.last().is_some_and(is_gap) {
        line.pop();
    }
    if let Some(last) = line.last_mut() {
        last.text.truncate(last.text.trim_end().len());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Action;

    fn lines(room: u16) -> Vec<String> {
        let key = |key: &str, does: &str, action| {
            [Span::plain(key), Span::plain(does)].map(|span| span.pressing(action))
        };
        let spans = [
            &[Span::plain("close all on chal-1"), Span::plain(":  ")][..],
            &key("y", " same request again", Action::Confirm),
            &[Span::plain(" · ")],
            &key("Esc", " later", Action::Dismiss),
        ];
        let lines = flowed(&spans.concat(), room).into_iter();
        lines
            .map(|line| line.into_iter().map(|span| span.text).collect())
            .collect()
    }

    #[test]
    fn a_key_stands_on_the_line_of_what_it_does_and_no_line_begins_with_what_is_between() {
        assert_eq!(
            lines(60),
            ["close all on chal-1:  y same request again · Esc later"]
        );
        assert_eq!(
            lines(42),
            ["close all on chal-1:  y same request again", "Esc later"]
        );
        assert_eq!(
            lines(24),
            ["close all on chal-1:", "y same request again", "Esc later"]
        );
    }

    #[test]
    fn a_word_longer_than_the_line_is_broken_rather_than_left_out() {
        let spans = [Span::plain("cancel ord_0123456789")];
        let lines = flowed(&spans, 8);
        let lines: Vec<String> = lines
            .into_iter()
            .map(|line| line.into_iter().map(|span| span.text).collect())
            .collect();
        assert_eq!(lines, ["cancel", "ord_0123", "456789"]);
    }
}
