//! `perpdeck account` and `perpdeck accounts`: the figures of one account, and all that are configured.

use super::{
    super::{
        Exit,
        exit::UsageError,
        service::{Service, client, connection, found_accounts, patiently},
        voice::ListOutput,
    },
    ListView,
    sheet::TextTable,
    width,
};
use crate::{
    app::Store,
    config::{Loaded, Settings, Sources, load},
    model::{Account, AccountId, Page},
    view::{
        Scene,
        tables::standing::{ACCOUNT, AccountRow, PROFILES, ProfileRow, RULES, columns_of},
    },
};
use color_eyre::{Report, Result};
use futures_util::future::join_all;
use tokio::sync::mpsc::unbounded_channel;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct AccountArgs {
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn account(args: AccountArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    let service = Service::open(sources, voice).await?;
    let facts = patiently(|| service.client.account_facts()).await?;
    let row = AccountRow::new(&service.account, &facts);
    let view = ListView::plain(ACCOUNT, columns_of::ACCOUNT);
    view.show(&args.output, &[row], &Store::default(), rules)
}

/// The rules of the challenge, below the figures.
fn rules(row: &AccountRow, scene: &Scene<'_>) -> String {
    if row.rules.is_empty() {
        return String::new();
    }
    let rules: Vec<_> = row.rules.iter().collect();
    let table = TextTable::of(RULES).table(&rules, scene, width());
    format!("\n{table}")
}

pub(in crate::cli) async fn accounts(args: AccountArgs, sources: &Sources) -> Result<Exit> {
    let loaded = load(sources)?;
    let found = join_all(configured(&loaded).map(rows)).await;
    let found: Vec<_> = found.into_iter().flatten().collect();
    if found.is_empty() {
        let words = "no account is configured: set base_url and the key, or start a paper exchange with \"perpdeck serve\", which prints both";
        return Err(UsageError(words.to_owned()).into());
    }
    let rows = found.into_iter().enumerate();
    let rows = rows.map(|(at, row)| ProfileRow {
        chosen: at == 0,
        ..row
    });
    let page = Page::of(rows.collect());
    let view = ListView::plain(PROFILES, columns_of::PROFILE);
    let shown = view.print(&args.output, &page, &Store::default())?;
    let is_whole = page.rows.iter().all(|row| row.problem.is_none());
    Ok(shown.or(if is_whole { Exit::Ok } else { Exit::Partial }))
}

/// The chosen one first.
fn configured(loaded: &Loaded) -> impl Iterator<Item = &Settings> {
    let has_address = |settings: &&Settings| settings.base_url.is_some();
    loaded.accounts().filter(has_address)
}

/// The account that the settings name, or every one of the key.
async fn rows(settings: &Settings) -> Vec<ProfileRow> {
    if settings.account_id.is_some() {
        return vec![row(settings).await];
    }
    let found = match listed(settings).await {
        Ok(found) => found,
        Err(why) => return vec![unread(settings, &why)],
    };
    let of = |account: Account| {
        let mut settings = settings.clone();
        settings.account_id = Some(account.id.raw().to_owned());
        async move { row(&settings).await }
    };
    join_all(found.into_iter().map(of)).await
}

async fn listed(settings: &Settings) -> Result<Vec<Account>> {
    let (calls, _unread) = unbounded_channel();
    Ok(found_accounts(connection(settings)?, calls).await?)
}

/// The row before anything was read.
fn bare(settings: &Settings) -> ProfileRow {
    ProfileRow {
        profile: settings.name.clone(),
        account_id: AccountId::from(settings.account_id.as_deref().unwrap_or_default()),
        base_url: settings.base_url.clone().unwrap_or_default(),
        read_only: settings.read_only,
        ..ProfileRow::default()
    }
}

/// Nothing could be read, for this reason.
fn unread(settings: &Settings, why: &Report) -> ProfileRow {
    ProfileRow {
        problem: Some(format!("{why:#}")),
        ..bare(settings)
    }
}

/// What is known of one account; a figure that cannot be read is absent, and the row says why.
async fn row(settings: &Settings) -> ProfileRow {
    let bare = bare(settings);
    let client = match client(settings).await {
        Ok(client) => client,
        Err(why) => return unread(settings, &why),
    };
    let (open, working, facts) = tokio::join!(
        patiently(|| client.open_positions()),
        patiently(|| client.working_orders()),
        patiently(|| client.account_facts())
    );
    let failures = [
        open.as_ref().err(),
        working.as_ref().err(),
        facts.as_ref().err(),
    ];
    let problem = failures.into_iter().flatten().next();
    let problem = problem.map(ToString::to_string);
    let facts = facts.ok();
    ProfileRow {
        equity: facts.as_ref().and_then(|facts| facts.equity),
        day_pnl: facts.as_ref().and_then(|facts| facts.day_pnl),
        open_positions: open.ok().map(|page| count(&page)),
        working_orders: working.ok().map(|page| count(&page)),
        problem,
        ..bare
    }
}

fn count<T>(page: &Page<T>) -> u32 {
    u32::try_from(page.rows.len()).unwrap_or(u32::MAX)
}
