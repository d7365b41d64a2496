//! The list for choosing a pane's columns.

use crate::{
    app::{
        Model,
        dialogs::overlay::{ColumnVisibility, Columns},
        tables::table_view::ColumnName,
    },
    view::{
        details::{DetailLine, DetailView},
        panels::title,
        text::Span,
    },
};

/// `drawn` are the titles of the columns that fit into the pane, if it is drawn in columns.
pub fn column_list(model: &Model, columns: &Columns, drawn: Option<&[&'static str]>) -> DetailView {
    let names = (model.reading.columns)(columns.pane);
    let chosen = model
        .table_views
        .of(columns.pane)
        .and_then(|table_view| table_view.columns.as_ref());
    let has_no_room = |column: usize, name: &ColumnName| {
        let is_in_the_pane = chosen.is_none_or(|chosen| chosen.contains(&column));
        is_in_the_pane && drawn.is_some_and(|drawn| !drawn.contains(&name.title))
    };
    let widest = names.iter().map(|name| name.title.chars().count()).max();
    let room = widest.unwrap_or(0);
    let line = |(at, (column, sight)): (usize, &(usize, ColumnVisibility))| {
        let name = names.get(*column)?;
        let title = format!("{:<room$}  ", name.title);
        let (title, label) = match sight {
            ColumnVisibility::Shown if has_no_room(*column, name) => {
                (Span::strong(title), "shown, no room")
            }
            ColumnVisibility::Shown => (Span::strong(title), "shown"),
            ColumnVisibility::Hidden => (Span::muted(title), "hidden"),
        };
        let is_missed = name.tells_risk && *sight == ColumnVisibility::Hidden;
        let risk = is_missed.then(|| Span::warn("  shows risk"));
        let value = [title, Span::muted(name.id)].into_iter().chain(risk);
        let value: Vec<_> = value.collect();
        Some(DetailLine::field(label, value).at(at, columns.at))
    };
    let pane = Span::muted(format!("  {}", title::name(columns.pane)));
    DetailView {
        title: vec![Span::accent("Columns"), pane],
        lines: columns.list.iter().enumerate().filter_map(line).collect(),
    }
}
