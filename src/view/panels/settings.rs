//! Whether the settings on disk are in force, which need a restart, and where they are.

use crate::{
    app::{Model, desk::reload::ReloadStatus},
    view::{
        details::lines::{DetailLine, DetailView},
        text::{
            format::Zone,
            span::{Span, Tone},
        },
    },
};

pub fn settings(model: &Model, zone: &Zone) -> DetailView {
    let standing = &model.settings;
    let mut lines = vec![DetailLine::Field {
        label: "in force".to_owned(),
        value: vec![in_force(standing)],
    }];
    let read = standing.read_at.map_or_else(
        || "at the start".to_owned(),
        |at| zone.moment(model.account.drift.on_wall(at), model.account.wall_now()),
    );
    lines.push(field("last read", Span::plain(read)));
    let lists = [
        ("wrong", Tone::Alert, standing.faults.clone()),
        ("changed", Tone::Plain, standing.changes.clone()),
        ("at the next start", Tone::Warn, standing.waiting.clone()),
        ("files", Tone::Plain, files(standing)),
    ];
    for (label, tone, entries) in lists {
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        let fields = labels.zip(entries);
        lines.extend(fields.map(|(label, text)| field(label, Span::new(text, tone))));
    }
    lines.push(field(
        "",
        Span::muted(
            "\"perpdeck config show\" lists every setting and where it stands; :reload \
                                      reads them now",
        ),
    ));
    DetailView {
        title: vec![Span::new("Settings", Tone::Accent)],
        lines,
    }
}

fn in_force(standing: &ReloadStatus) -> Span {
    if standing.faults.is_empty() {
        Span::new("as in the files", Tone::Good)
    } else {
        Span::new("as before: the changed files are not applied", Tone::Alert)
    }
}

fn files(standing: &ReloadStatus) -> Vec<String> {
    let there = standing.files.iter();
    there.map(|file| file.display().to_string()).collect()
}

fn field(label: &str, value: Span) -> DetailLine {
    DetailLine::Field {
        label: label.to_owned(),
        value: vec![value],
    }
}
