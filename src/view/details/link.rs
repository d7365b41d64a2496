//! The rows that a detail links to, one per line.

use crate::{
    app::account::row_id::RowId,
    view::{
        details::lines::DetailLine,
        tables::{orders, scaled, twaps},
        text::{format, scene::Scene, span::Span, words},
    },
};

/// The most links shown at once, around the chosen one.
const VISIBLE_LINKS: usize = 6;

/// The links of a row with the chosen one marked; empty without links.
pub(crate) fn lines(
    (row, links): (&RowId, &[RowId]),
    choice: usize,
    scene: &Scene<'_>,
) -> Vec<DetailLine> {
    if links.is_empty() {
        return vec![];
    }
    let chosen = choice.min(links.len() - 1);
    let first = (chosen + 1).saturating_sub(VISIBLE_LINKS);
    let shown = links.iter().enumerate().skip(first).take(VISIBLE_LINKS);
    let mut section = vec![DetailLine::Section("Leads to")];
    section.extend(shown.map(|(at, row)| DetailLine::Link {
        label: kind(row).to_owned(),
        value: words_of(row, scene),
        is_chosen: at == chosen,
    }));
    if links.len() > VISIBLE_LINKS {
        let counted = format!("{} of {}", chosen + 1, format::count(links.len()));
        section.push(DetailLine::Field {
            label: String::new(),
            value: vec![Span::muted(counted)],
        });
    }
    section.push(DetailLine::Section(rest(row)));
    section
}

/// The note below the links of a row.
fn rest(row: &RowId) -> &'static str {
    match row {
        RowId::Line(_) => "What happened",
        RowId::Position(_)
        | RowId::Order(_)
        | RowId::Twap(_)
        | RowId::Scaled(_)
        | RowId::Rung(..) => "Fields",
    }
}

fn kind(row: &RowId) -> &'static str {
    match row {
        RowId::Position(_) => "position",
        RowId::Order(_) => "order",
        RowId::Twap(_) => "TWAP",
        RowId::Scaled(_) => "ladder",
        RowId::Rung(..) => "rung",
        RowId::Line(_) => "line",
    }
}

fn words_of(row: &RowId, scene: &Scene<'_>) -> Vec<Span> {
    let store = scene.store;
    match row {
        RowId::Position(id) => {
            let position = store.position(id).or_else(|| store.closed.find(id));
            let known = position.map(|position| {
                vec![
                    words::position_side(position.side()),
                    Span::plain(format!(" {} ", words::position_size(position, scene))),
                    scene.market(&position.market_id),
                ]
            });
            with_id(id, known)
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
            let known = store.ladder(id);
            with_id(id, known.map(|ladder| scaled::head(ladder, scene)))
        }
        RowId::Rung(..) | RowId::Line(_) => vec![],
    }
}

fn with_id(id: &impl ToString, known: Option<Vec<Span>>) -> Vec<Span> {
    let mut spans = vec![Span::muted(format!("{}  ", id.to_string()))];
    spans.extend(known.unwrap_or_else(|| vec![Span::muted("not in the data")]));
    spans
}
