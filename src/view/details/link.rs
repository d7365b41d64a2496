//! The rows that a detail links to, one per line.

use crate::{
    app::RowId,
    view::{
        details::DetailLine,
        tables::{orders, positions, scaled, twaps},
        text::{Scene, Span, format, words},
    },
};

/// The most links shown at once, around the chosen one.
const VISIBLE_LINKS: usize = 6;

/// The links of a row with the chosen one marked; empty without links.
pub(crate) fn lines(
    row: &RowId,
    links: &[RowId],
    choice: usize,
    scene: &Scene<'_>,
) -> Vec<DetailLine> {
    if links.is_empty() {
        return vec![];
    }
    let chosen = choice.min(links.len() - 1);
    let first = (chosen + 1).saturating_sub(VISIBLE_LINKS);
    let shown = links.iter().enumerate().skip(first).take(VISIBLE_LINKS);
    let mut section = vec![DetailLine::section("Leads to")];
    section.extend(
        shown.map(|(at, row)| DetailLine::field(kind(row), words_of(row, scene)).at(at, chosen)),
    );
    if links.len() > VISIBLE_LINKS {
        let counted = format!("{} of {}", chosen + 1, format::count(links.len()));
        section.push(DetailLine::field("", Span::muted(counted)));
    }
    section.push(DetailLine::section(rest(row)));
    section
}

/// The note below the links of a row.
fn rest(row: &RowId) -> &'static str {
    let is_line = matches!(row, RowId::Line(_));
    if is_line { "What happened" } else { "Fields" }
}

fn kind(row: &RowId) -> &'static str {
    match row {
        RowId::Position(_) => "position",
        RowId::Order(_) => "order",
        RowId::Twap(_) => "TWAP",
        RowId::Scaled(_) => "scaled order",
        RowId::Rung(..) => "rung",
        RowId::Line(_) => "line",
    }
}

fn words_of(row: &RowId, scene: &Scene<'_>) -> Vec<Span> {
    let store = scene.store;
    match row {
        RowId::Position(id) => {
            let position = store.position(id).or_else(|| store.closed.find(id));
            with_id(id, position.map(|held| positions::head(held, scene).into()))
        }
        RowId::Order(id) => {
            let known = store.order(id).map(|order| {
                let of = store.market(&order.market_id);
                let words = format!("{}  ", words::order(order, of, &store.names));
                vec![Span::plain(words), orders::status(order, scene)]
            });
            with_id(id, known)
        }
        RowId::Twap(id) => with_id(id, store.twap(id).map(|twap| twaps::head(twap, scene))),
        RowId::Scaled(id) => {
            let known = store.scaled_order(id);
            with_id(id, known.map(|scaled| scaled::head(scaled, scene)))
        }
        RowId::Rung(..) | RowId::Line(_) => vec![],
    }
}

fn with_id(id: &impl ToString, known: Option<Vec<Span>>) -> Vec<Span> {
    let mut spans = vec![Span::muted(format!("{}  ", id.to_string()))];
    spans.extend(known.unwrap_or_else(|| vec![Span::muted("not in the data")]));
    spans
}
