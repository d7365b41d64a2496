//! Whether the settings on disk are in force, which need a restart, and where they are.

use crate::{
    app::{Model, desk::reload::ReloadStatus},
    model::Zone,
    view::{
        details::{DetailLine, DetailView},
        text::{Span, Tone},
    },
};

pub fn settings(model: &Model, zone: &Zone) -> DetailView {
    let standing = &model.settings;
    let in_force = if standing.faults.is_empty() {
        Span::good("as in the files")
    } else {
        Span::alert("as before: the changed files are not applied")
    };
    let read = standing.read_at.map_or_else(
        || "at the start".to_owned(),
        |at| zone.moment(model.account.drift.on_wall(at), model.account.wall_now()),
    );
    let mut lines = vec![
        DetailLine::field("in force", in_force),
        DetailLine::field("last read", Span::plain(read)),
    ];
    let lists = [
        ("wrong", Tone::Alert, standing.faults.clone()),
        ("changed", Tone::Plain, standing.changes.clone()),
        ("needs a restart", Tone::Warn, standing.waiting.clone()),
        ("files", Tone::Plain, files(standing)),
    ];
    for (label, tone, entries) in lists {
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        let fields = labels.zip(entries);
        lines.extend(fields.map(|(label, text)| DetailLine::field(label, Span::new(text, tone))));
    }
    let words = "\"perpdeck config show\" lists every setting and where it stands; :reload \
                 reads them now";
    lines.push(DetailLine::field("", Span::muted(words)));
    DetailView {
        title: Span::accent("Settings").into(),
        lines,
    }
}

fn files(standing: &ReloadStatus) -> Vec<String> {
    let there = standing.files.iter();
    there.map(|file| file.display().to_string()).collect()
}
