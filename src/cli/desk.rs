//! `perpdeck`, `perpdeck desk` and `perpdeck demo`: the desk.

mod reload;
pub(super) mod running;
pub(super) mod setup;

use super::{
    Exit, columns,
    desk::setup as desk_setup,
    disk_wait::{AT_ONCE, Work},
    exchange_args::{FIXED_KEYS, World},
    exit::UsageError,
    log, out,
    paper::Paper,
    paths::state_dir,
};
use crate::{
    app::{LayoutPreset, WidthTier, desk::tour_step::Tour, market::chart_lines::ChartLines},
    config::{Loaded, LogLevel, Sources, memory},
    runtime::{self, End},
};
use clap::ValueHint;
use color_eyre::{Result, eyre::Context as _};
use std::{
    collections::BTreeMap,
    env,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio_util::sync::CancellationToken;

#[derive(Debug, Default, clap::Args)]
pub(super) struct DataDirFlag {
    /// Stores the desk's own paper exchange in this directory, and continues from it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) data_dir: Option<PathBuf>,
}

/// The service to trade with.
#[derive(Debug)]
pub(super) enum DeskMode {
    /// The configured service, or the paper exchange if none is configured.
    Configured(DataDirFlag),
    /// The paper exchange, whatever is configured.
    Paper(World),
}

const ELSEWHERE: &str = "--data-dir keeps the desk's own paper exchange, and the settings name a service to trade \
     with: \"perpdeck demo --data-dir\" opens the paper desk";

impl From<DataDirFlag> for World {
    fn from(keep: DataDirFlag) -> Self {
        Self {
            data_dir: keep.data_dir,
            ..Self::default()
        }
    }
}

pub(super) async fn run(choice: DeskMode, sources: &Sources, loaded: Loaded) -> Result<Exit> {
    let settings = &loaded.settings;
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        let words = "the desk needs a terminal; \"perpdeck snapshot\" prints one frame without one";
        return Err(UsageError(words.to_owned()).into());
    }
    if let Some(why) = lacking(&env::var("TERM").unwrap_or_default()) {
        out::complain(&why);
        return Ok(Exit::Usage);
    }
    let dir = state_dir(settings);
    let mut start = desk_setup::start(settings)?;
    let (settings_thread, watching) = reload::watch(sources, loaded.clone(), &start)?;
    start.settings_thread = settings_thread;
    remember(&mut start, &dir, settings.log_level);
    let shows_around = settings.tour.then(|| dir.clone());
    let stop = CancellationToken::new();
    let ended = match choice {
        DeskMode::Configured(keep) => match desk_setup::configured(&loaded, &dir)? {
            Some(_) if keep.data_dir.is_some() => {
                return Err(UsageError(ELSEWHERE.to_owned()).into());
            }
            Some(opened) => {
                let revealed = settings.market_data.reveals().map(str::to_owned);
                start.warnings.extend(revealed);
                let opening = desk_setup::with_accounts_at_last(opened, start.options.clone());
                Box::pin(runtime::desk(start, opening)).await
            }
            None => {
                start.tour = shows_around.as_deref().and_then(first_tour);
                Box::pin(paper(start, keep.into(), stop.clone())).await
            }
        },
        DeskMode::Paper(world) => {
            start.tour = shows_around.as_deref().and_then(first_tour);
            let world = World {
                settings: Some(Arc::new(settings.clone())),
                ..world
            };
            Box::pin(paper(start, world, stop.clone())).await
        }
    };
    stop.cancel();
    watching.ends();
    Ok(match ended.wrap_err("the terminal cannot be used")? {
        End::Quit => Exit::Ok,
        End::Signal(code) => Exit::Signal(code),
    })
}

/// What this type of terminal lacks; `None` if the desk can be drawn on it.
fn lacking(term: &str) -> Option<String> {
    let problem = match term {
        "" => "TERM is not set",
        "dumb" => "TERM=dumb: this terminal cannot place the cursor",
        _ => return None,
    };
    Some(format!(
        "{problem}; the desk draws the whole screen. Set TERM to what your terminal is (TERM=xterm-256color), or use \
         \"perpdeck snapshot\" and the verbs (orders, positions, close, flatten …; \"perpdeck --help\" lists them)"
    ))
}

/// Loads what earlier sessions stored, and starts the log. A disk that is full, read-only or slow must not prevent the
/// desk: closes and cancels need none of it.
fn remember(start: &mut runtime::Start, dir: &Path, level: LogLevel) {
    let (kept, logs) = (dir.to_owned(), dir.to_owned());
    let kept = Work::begin(move || (columns::recall(&kept), layouts(&kept), lines(&kept)));
    // Continues once the disk responds.
    let logs = Work::begin(move || log::start(&logs, level));
    let dir = dir.display();
    if let Some((recalled, layouts, lines)) = kept.within(AT_ONCE) {
        start.layouts = layouts;
        match lines {
            Ok(lines) => start.lines = lines,
            Err(why) => start.warnings.push(why),
        }
        start.columns = recalled.columns;
        start.warnings.extend(recalled.warnings);
    } else {
        let warning = format!("{dir} does not answer: the default columns are used");
        start.warnings.push(warning);
    }
    let why = match logs.within(AT_ONCE) {
        Some(Ok(())) => return,
        Some(Err(why)) => why.to_string(),
        None => "its disk does not answer".to_owned(),
    };
    let warning = format!("the log in {dir} cannot be written: {why}");
    start.warnings.push(warning);
}

/// The layouts that were chosen in earlier sessions; what this version does not know is as good as never chosen.
fn layouts(state_dir: &Path) -> BTreeMap<WidthTier, LayoutPreset> {
    let kept = memory::kept_layouts(state_dir).into_iter();
    kept.filter_map(|(size, layout)| Some((size.parse().ok()?, layout.parse().ok()?)))
        .collect()
}

/// The trader's own lines on the charts.
fn lines(state_dir: &Path) -> Result<ChartLines, String> {
    let kept = memory::kept_lines(state_dir)?.into_iter();
    let kept = kept.map(|(market, lines)| (market.into(), lines));
    Ok(ChartLines::new(kept.collect()))
}

/// The tour, if it was never shown; marks it as shown.
fn first_tour(state_dir: &Path) -> Option<Tour> {
    let dir = state_dir.to_owned();
    let is_first = Work::begin(move || memory::is_first_tour(&dir));
    let is_first = is_first.within(AT_ONCE).unwrap_or(false);
    is_first.then(Tour::default)
}

async fn paper(
    mut start: runtime::Start,
    world: World,
    stop: CancellationToken,
) -> io::Result<End> {
    if world.has_keys_from_seed() {
        out::complain(FIXED_KEYS);
        start.warnings.push(FIXED_KEYS.to_owned());
    }
    let (virtual_start, pace) = (world.start(), world.pace());
    start.options.ends_with_desk = world.data_dir.is_none();
    let paper = Paper::new(world);
    let options = start.options.clone();
    let opening = paper.open(virtual_start, pace, options, stop.clone());
    // On the heap, because it is large.
    let ended = Box::pin(runtime::desk(start, opening)).await;
    stop.cancel();
    paper.ended().await;
    ended
}
