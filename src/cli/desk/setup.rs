//! The service of a desk: a configured one, or a paper exchange started for it.

use crate::{
    app::{
        Identity, Mode, Options, Profile, keys::keymap::Keymap, market::chart_lines::ChartLines,
        update::reload::key_notes,
    },
    cli::{
        exit::UsageError, local_zone::local_zone, options::options, paths::state_dir,
        service::found_accounts,
    },
    config::{ColorChoice, Connection, FarEnd, Loaded, Settings},
    disk,
    model::{Account, Failure},
    runtime::{
        AccountAddress, Mouse, OpenAccount, Opened, OtherAccount, SettingsThread, Start, Terminal,
    },
    ui::{ColorDepth, DrawState, Theme, ThemeSet},
};
use color_eyre::{Result, eyre::Context as _};
use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{sync::mpsc::unbounded_channel, time::sleep};

/// What the settings decide about any desk.
pub(in crate::cli) fn start(settings: &Settings) -> Result<Start> {
    // An error in the theme must not prevent the desk.
    let (looks, mut warnings) = match theme_set(settings) {
        Ok(looks) => (looks, vec![]),
        Err(why) => {
            let named = settings.theme;
            let warning = format!("{why:#}; until it is corrected, theme = \"{named}\" is used");
            (in_depth(built_in(settings), settings), vec![warning])
        }
    };
    let keymap = keymap(settings)?;
    warnings.extend(key_notes(&keymap));
    Ok(Start {
        options: options(settings),
        keymap,
        journal_days: settings.journal_days,
        event_log: settings.event_log.then(|| state_dir(settings)),
        export_dir: settings
            .export_dir
            .clone()
            .unwrap_or_else(|| PathBuf::from(".")),
        warnings,
        terminal: if variable_or_empty("TMUX").is_empty() {
            Terminal::Plain
        } else {
            Terminal::Tmux
        },
        mouse: if settings.mouse {
            Mouse::Desk
        } else {
            Mouse::Terminal
        },
        draw_state: DrawState::new(looks.own.clone(), local_zone()),
        looks,
        settings_thread: SettingsThread::none(),
        columns: BTreeMap::new(),
        layouts: BTreeMap::new(),
        lines: ChartLines::default(),
        tour: None,
    })
}

/// The theme in as many colors as the settings or the terminal allow.
pub(in crate::cli) fn theme_set(settings: &Settings) -> Result<ThemeSet> {
    Ok(in_depth(picture_theme(settings)?, settings))
}

fn in_depth(theme: Theme, settings: &Settings) -> ThemeSet {
    let depth = chosen_depth(settings).unwrap_or_else(|| {
        ColorDepth::of(&variable_or_empty("TERM"), &variable_or_empty("COLORTERM"))
    });
    let depth = if has_colors(settings) {
        depth
    } else {
        ColorDepth::None
    };
    let own = theme.with_depth(depth);
    ThemeSet { own, depth }
}

/// The setting; `None` if the terminal decides.
fn chosen_depth(settings: &Settings) -> Option<ColorDepth> {
    match settings.color {
        ColorChoice::Auto | ColorChoice::Always => None,
        ColorChoice::Truecolor | ColorChoice::Never => Some(ColorDepth::True),
        ColorChoice::Indexed => Some(ColorDepth::Indexed),
        ColorChoice::Basic => Some(ColorDepth::Basic),
    }
}

fn has_colors(settings: &Settings) -> bool {
    match settings.color {
        ColorChoice::Auto => variable_or_empty("NO_COLOR").is_empty(),
        ColorChoice::Never => false,
        ColorChoice::Always
        | ColorChoice::Truecolor
        | ColorChoice::Indexed
        | ColorChoice::Basic => true,
    }
}

/// The theme with all colors, for a file; without any if the setting says so.
pub(in crate::cli) fn picture_theme(settings: &Settings) -> Result<Theme> {
    if !has_colors(settings) {
        return Ok(Theme::colorless());
    }
    Ok(own_theme(settings)?.unwrap_or_else(|| built_in(settings)))
}

/// For a picture with escape sequences: with the colors of the settings, all of them by default.
pub(in crate::cli) fn ansi_theme(settings: &Settings) -> Result<Theme> {
    let depth = chosen_depth(settings).unwrap_or_default();
    Ok(picture_theme(settings)?.with_depth(depth))
}

fn built_in(settings: &Settings) -> Theme {
    Theme::named(&settings.theme.to_string()).unwrap_or_default()
}

/// The trader's own theme, if there is one.
pub(in crate::cli) fn own_theme(settings: &Settings) -> Result<Option<Theme>> {
    let Some(path) = &settings.theme_file else {
        return Ok(None);
    };
    let text = disk::read_text(path)
        .wrap_err_with(|| format!("theme_file {} cannot be read", path.display()))?;
    let theme = Theme::from_toml(&text);
    theme
        .map(Some)
        .wrap_err_with(|| format!("theme_file {}", path.display()))
}

fn variable_or_empty(variable: &str) -> String {
    env::var(variable).unwrap_or_default()
}

/// The built-in keys with the trader's own on top. An invalid key file is an invalid setting.
pub(in crate::cli) fn keymap(settings: &Settings) -> Result<Keymap> {
    let Some(path) = &settings.keys_file else {
        return Ok(Keymap::default());
    };
    let text = disk::read_text(path)
        .wrap_err_with(|| UsageError(format!("keys_file {} cannot be read", path.display())))?;
    Keymap::with(&[&text]).wrap_err_with(|| UsageError(format!("keys_file {}", path.display())))
}

/// Every configured account, the chosen one first, without any request: the desk is drawn first. `None` if no account
/// is configured.
pub(in crate::cli) fn configured(loaded: &Loaded, journal_dir: &Path) -> Result<Option<Opened>> {
    let FarEnd::LiveApi(connection) = loaded.settings.far_end()? else {
        return Ok(None);
    };
    let first = service(&loaded.settings, *connection, journal_dir.to_owned());
    let mut opened = Opened::from(first);
    for settings in loaded.accounts().skip(1) {
        if let FarEnd::LiveApi(connection) = settings.far_end()? {
            opened.others.push(OtherAccount {
                options: options(settings),
                far: service(settings, *connection, journal_dir.to_owned()),
            });
        }
    }
    Ok(Some(opened))
}

/// How long until a service that did not report the accounts of the key is asked again.
const FIND_AGAIN: Duration = Duration::from_secs(5);

/// As [`with_accounts`], asked again for as long as the service does not answer.
pub(in crate::cli) async fn with_accounts_at_last(
    opened: Opened,
    options: Options,
) -> Result<Opened, Failure> {
    loop {
        match with_accounts(&opened, &options).await {
            Err(why) if why.is_passing() => {
                sleep(why.retry_after.unwrap_or_default().max(FIND_AGAIN)).await;
            }
            found => return found,
        }
    }
}

/// With the accounts of each key whose settings name none: of the first key the first active one is shown first, the
/// others are beside it. A further key whose accounts cannot be read costs no other account.
pub(in crate::cli) async fn with_accounts(
    opened: &Opened,
    options: &Options,
) -> Result<Opened, Failure> {
    let mut found = of_key(&opened.first).await?.into_iter();
    let first = found.next().unwrap_or_else(|| opened.first.clone());
    let mut others: Vec<_> = found.map(|far| (options.clone(), far)).collect();
    for OtherAccount { options, far } in &opened.others {
        let found = of_key(far).await.unwrap_or_else(|_| vec![far.clone()]);
        others.extend(found.into_iter().map(|far| (options.clone(), far)));
    }
    let mut known = vec![AccountAddress::from(&first.connection)];
    others.retain(|(_, far)| {
        let address = AccountAddress::from(&far.connection);
        let is_new = !known.contains(&address);
        known.push(address);
        is_new
    });
    let others = others.into_iter();
    Ok(Opened {
        others: others
            .map(|(options, far)| OtherAccount { options, far })
            .collect(),
        ..Opened::from(first)
    })
}

/// The account itself if it is named, else those of its key.
async fn of_key(far: &OpenAccount) -> Result<Vec<OpenAccount>, Failure> {
    if !far.connection.needs_account() {
        return Ok(vec![far.clone()]);
    }
    let (calls, _unread) = unbounded_channel();
    let found = found_accounts(far.connection.clone(), calls).await?;
    let of = |account: Account| OpenAccount {
        identity: Identity {
            account_id: account.id.clone(),
            ..far.identity.clone()
        },
        connection: Connection {
            account_id: account.id,
            ..far.connection.clone()
        },
        journal_dir: far.journal_dir.clone(),
    };
    Ok(found.into_iter().map(of).collect())
}

fn service(settings: &Settings, connection: Connection, journal_dir: PathBuf) -> OpenAccount {
    OpenAccount {
        identity: Identity {
            mode: Mode::LiveApi,
            account_id: connection.account_id.clone(),
            base_url: connection.base_url.clone(),
            profile: Profile {
                name: settings.name.clone(),
                tint: settings.badge_color,
            },
        },
        connection,
        journal_dir,
    }
}
