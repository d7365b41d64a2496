//! `perpdeck snapshot`: one frame of the desk on standard output, with or without a terminal.

use super::{
    Exit, columns,
    desk::setup as desk_setup,
    exchange_args::{World, instant},
    exit::UsageError,
    out,
    paper::Paper,
    paths::state_dir,
    voice::Output,
};
use crate::{
    app::keys::keymap::{self, Chord},
    config::{FarEnd, Loaded, Sources, load},
    exchange::ClockMode,
    model::{Failure, FailureKind, Timestamp, Zone},
    runtime::{self, Clock, Picture, PictureOptions, Start},
    ui::{DrawState, Theme, picture},
};
use color_eyre::Result;
use jiff::SignedDuration;
use ratatui::layout::Rect;
use std::{str::FromStr, time::Duration};
use tokio_util::sync::CancellationToken;

#[derive(Debug, clap::Args)]
pub(super) struct SnapshotArgs {
    /// The size in columns and rows
    #[arg(long, value_name = "COLUMNSxROWS", default_value = "160x48")]
    size: Size,
    /// The format
    #[arg(long, value_enum, default_value_t = PictureFormat::Text)]
    format: PictureFormat,
    /// Keys to press first, separated by blanks: "1 c tab enter"
    #[arg(long, value_name = "KEYS", default_value = "")]
    keys: KeySequence,
    /// The seed of the market, on the paper exchange only [default: the scenario's]
    #[arg(long)]
    seed: Option<u64>,
    /// The instant of the frame, on the paper exchange only: 2026-01-05T14:30:00Z
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    at: Option<Timestamp>,
    /// How long to wait for answers at the start and after each key
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = patience)]
    wait: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PictureFormat {
    /// Plain text
    Text,
    /// Text with colors, for a terminal
    Ansi,
    /// A picture
    Svg,
}

/// Columns and rows of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    columns: u16,
    rows: u16,
}

/// The most columns or rows of a frame: no terminal is larger, and memory grows with both.
const MOST: u16 = 1000;

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.parse().ok().filter(|n| (1..=MOST).contains(n));
        text.split_once(['x', 'X', '×'])
            .and_then(|(columns, rows)| {
                Some(Self {
                    columns: number(columns)?,
                    rows: number(rows)?,
                })
            })
            .ok_or_else(|| format!("a size is columns x rows, each 1 to {MOST}, as in 160x48"))
    }
}

/// Keys to press, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KeySequence(Vec<Chord>);

impl FromStr for KeySequence {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let keys = text.split_whitespace().map(str::parse::<keymap::Keys>);
        let keys: Vec<_> = keys.collect::<Result<_, _>>()?;
        Ok(Self(
            keys.into_iter().flat_map(keymap::Keys::presses).collect(),
        ))
    }
}

impl SnapshotArgs {
    /// A flag that applies only to the paper exchange, if one is given.
    fn of_paper(&self) -> Option<&'static str> {
        let seed = self.seed.map(|_| "--seed");
        seed.or(self.at.map(|_| "--at"))
    }
}

/// A configured service is shown as it is now, in the columns chosen on its desk, with its own exit code if it does not
/// respond. The paper exchange is frozen at `--at` and shown in the default columns: one instant and seed always give
/// the same frame.
pub(super) async fn run(args: SnapshotArgs, sources: &Sources) -> Result<Exit> {
    let loaded = load(sources)?;
    let is_live = matches!(loaded.settings.far_end()?, FarEnd::LiveApi(_));
    if is_live && let Some(flag) = args.of_paper() {
        let words = format!(
            "{flag} applies to the paper exchange only; a service (base_url) is shown as it is now"
        );
        return Err(UsageError(words).into());
    }
    let theme = match args.format {
        PictureFormat::Ansi => desk_setup::ansi_theme(&loaded.settings)?,
        PictureFormat::Text | PictureFormat::Svg => desk_setup::picture_theme(&loaded.settings)?,
    };
    // On the heap, because it is large.
    let picture = Box::pin(frame(&args, &loaded, &theme)).await?;
    let frame = &picture.frame;
    out::say(&match args.format {
        PictureFormat::Text => picture::text(frame),
        PictureFormat::Ansi => picture::ansi(frame),
        PictureFormat::Svg => picture::svg(frame, &theme),
    })?;
    Ok(end(&picture))
}

/// A failed read counts before missing data.
fn end(picture: &Picture) -> Exit {
    if let Some(why) = &picture.trouble {
        let words = format!("some panes could not be read: {}", why.message);
        return Output::from_command_line().failure(&Failure {
            message: words.into(),
            ..why.clone()
        });
    }
    if picture.is_whole {
        return Exit::Ok;
    }
    let words = "the picture was taken before all answers had arrived";
    Output::from_command_line().failure(&Failure::new(FailureKind::Unavailable, words))
}

async fn frame(args: &SnapshotArgs, loaded: &Loaded, theme: &Theme) -> Result<Picture> {
    let settings = &loaded.settings;
    // UTC, so that a picture does not depend on the machine.
    let mut start = Start {
        draw_state: DrawState::new(theme.clone(), Zone::utc()),
        ..desk_setup::start(settings)?
    };
    start.options.zone = Zone::utc();
    let sitting = PictureOptions {
        size: Rect::new(0, 0, args.size.columns, args.size.rows),
        keys: &args.keys.0,
        patience: args.wait,
    };
    let dir = state_dir(settings);
    if let Some(opened) = desk_setup::configured(loaded, &dir)? {
        let recalled = columns::recall(&dir);
        start.columns = recalled.columns;
        for warning in recalled.warnings {
            Output::from_command_line().note(&warning);
        }
        let options = start.options.clone();
        let opening = async move { desk_setup::with_accounts(&opened, &options).await };
        return Ok(Box::pin(runtime::picture(start, Clock::start(), sitting, opening)).await);
    }
    let world = World {
        seed: args.seed,
        start: args.at,
        ..World::default()
    };
    let (at, stop) = (world.start(), CancellationToken::new());
    let paper = Paper::new(world);
    let options = start.options.clone();
    let opening = paper.open(at, Some(ClockMode::Paused), options, stop.clone());
    let frame = Box::pin(runtime::picture(start, Clock::Frozen(at), sitting, opening)).await;
    stop.cancel();
    Ok(frame)
}

fn patience(text: &str) -> Result<Duration, String> {
    let parsed = text.parse::<SignedDuration>().ok();
    parsed
        .and_then(|duration| Duration::try_from(duration).ok())
        .ok_or_else(|| "a number and its unit, as in \"500ms\" or \"30s\"".to_owned())
}
