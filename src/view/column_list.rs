//! The list in which the columns of a pane are chosen.

use super::{
    Span, Tone,
    detail::{DetailLine, DetailView},
    title,
};
use crate::app::{
    Model,
    overlay::{Columns, Sight},
};

pub fn column_list(model: &Model, columns: &Columns) -> DetailView {
    let names = (model.options.reading.columns)(columns.pane);
    let widest = names.iter().map(|name| name.title.chars().count()).max();
    let room = widest.unwrap_or(0);
    let line = |(at, (column, sight)): (usize, &(usize, Sight))| {
        let name = names.get(*column)?;
        let title = format!("{:<room$}  ", name.title);
        let mut value = vec![match sight {
            Sight::Shown => Span::new(title, Tone::Strong),
            Sight::Hidden => Span::muted(title),
        }];
        value.push(Span::muted(name.id));
        if name.tells_risk && *sight == Sight::Hidden {
            value.push(Span::new("  tells risk", Tone::Warn));
        }
        Some(DetailLine::Link {
            label: word(*sight).to_owned(),
            value,
            is_chosen: at == columns.at,
        })
    };
    DetailView {
        title: vec![
            Span::new("Columns", Tone::Accent),
            Span::muted(format!("  {}", title::name(columns.pane))),
        ],
        lines: columns.list.iter().enumerate().filter_map(line).collect(),
        chart: None,
    }
}

fn word(sight: Sight) -> &'static str {
    match sight {
        Sight::Shown => "shown",
        Sight::Hidden => "hidden",
    }
}
