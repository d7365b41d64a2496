//! `perpdeck orders`, `fills`, `positions`, `funding`, `twap list` and `scaled list`: the lists of an account.

use super::{
    super::{
        Exit,
        exit::UsageError,
        service::{Service, patiently},
        voice::{ListFormat, ListOutput},
    },
    ListView, doubts,
    filters::{
        MarketFilter, OrderState, SideFilter, SinceFilter, TwapState, direction, executions,
    },
    listed::{ListFlags, OpenedList},
    pages::{Pages, Selection},
    views,
};
use crate::{
    api::TwapSelector,
    config::Sources,
    model::{
        Cursor, EquitySample, Failure, FundingPayment, Order, Page, Position, Scaled, Side, Twap,
    },
    view::tables::standing::{FILLS, FUNDING, FillRow, columns_of},
};
use color_eyre::Result;
use std::cmp::Reverse;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct OrdersArgs {
    /// Every order of the account, the newest first, instead of the working ones
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    side: SideFilter,
    /// Only orders in this state; ended ones are read from the history
    #[arg(long, value_enum, value_name = "STATUS")]
    status: Option<OrderState>,
    #[command(flatten)]
    list: ListFlags,
}

/// The working orders, or the whole history.
pub(in crate::cli) async fn orders(args: OrdersArgs, sources: &Sources) -> Result<Exit> {
    let OrdersArgs { side, status, .. } = args;
    let list = OpenedList::open(sources, args.list).await?;
    let wanted = list.wanted(|order: &Order| Some(order.requested_at));
    let wanted = wanted.filtered(move |order| {
        side.keeps(order.side.known()) && status.is_none_or(|state| state.is_of(order))
    });
    let is_past = args.history || status.is_some_and(OrderState::is_final);
    let service = &list.service;
    let page = if is_past {
        let fetch = |cursor| service.client.orders(cursor);
        list.pages(&wanted, fetch).await?
    } else {
        list.within(service.working_orders().await?, &wanted)?
    };
    doubts(list.output.voice(), &page.rows);
    let (view, priced) = if is_past {
        (views::history(), &[][..])
    } else {
        (views::working(), page.rows.as_slice())
    };
    view.print(&list.output, &page, &list.prices(priced).await)
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct FillsArgs {
    #[command(flatten)]
    side: SideFilter,
    #[command(flatten)]
    list: ListFlags,
}

/// Each fill once: where the list has an order's own row, which covers its parts (`Order::adds_to_its_parts`), the rows
/// of the parts are left out.
pub(in crate::cli) async fn fills(args: FillsArgs, sources: &Sources) -> Result<Exit> {
    let list = OpenedList::open(sources, args.list).await?;
    let wanted = filled(list.wanted(|order: &Order| order.settled_at));
    let wanted = wanted.filtered(move |order| args.side.keeps(order.side.known()));
    let service = &list.service;
    let fetch = |cursor| service.client.fills(cursor);
    let page = list.pages(&wanted, fetch).await?;
    doubts(list.output.voice(), &page.rows);
    let fills = page.with(|orders| {
        let mut rows: Vec<_> = orders.iter().filter_map(FillRow::new).collect();
        rows.sort_by_key(|row| Reverse(row.filled_at));
        rows
    });
    let store = list.prices::<Order>(&[]).await;
    ListView::plain(FILLS, columns_of::FILL).print(&list.output, &fills, &store)
}

/// Only what has filled, and no fill twice.
pub(super) fn filled(orders: Selection<Order>) -> Selection<Order> {
    Selection {
        lists: executions,
        ..orders.filtered(|order| order.fill_price.is_some())
    }
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct PositionsArgs {
    /// Closed positions, the newest first, instead of the open ones
    #[arg(long)]
    closed: bool,
    /// Only this side
    #[arg(long, value_name = "SIDE", value_parser = direction())]
    side: Option<Side>,
    #[command(flatten)]
    list: ListFlags,
}

/// Open or closed positions.
pub(in crate::cli) async fn positions(args: PositionsArgs, sources: &Sources) -> Result<Exit> {
    let list = OpenedList::open(sources, args.list).await?;
    let wanted = list.wanted(|row: &Position| row.closed_at.or(row.opened_at));
    let wanted = Selection {
        at: |row: &Position| row.closed_at,
        ..wanted.filtered(move |row| args.side.is_none_or(|side| row.side() == Some(side)))
    };
    let service = &list.service;
    if args.closed {
        let fetch = |cursor| service.client.closed_positions(cursor);
        let page = list.pages(&wanted, fetch).await?;
        // A closed position is compared with no price.
        let store = list.prices::<Position>(&[]).await;
        return views::closed().print(&list.output, &page, &store);
    }
    let page = list.within(service.open_positions().await?, &wanted)?;
    let mut store = list.prices(&page.rows).await;
    // The orders that may protect a position.
    service.take_orders(&mut store).await;
    views::open().print(&list.output, &page, &store)
}

/// What positions have paid and received. Only the paper exchange lists payments (docs/paper-exchange.md); of another
/// service the verb names the lists that have the sums, and exits with 2.
pub(in crate::cli) async fn funding(list: ListFlags, sources: &Sources) -> Result<Exit> {
    let list = OpenedList::open(sources, list).await?;
    let service = &list.service;
    needs_simulator(service, "positions\" and \"perpdeck positions --closed").await?;
    let wanted = list.wanted(|row: &FundingPayment| Some(row.paid_at));
    let page = list
        .pages(&wanted, |cursor| payments(service, cursor))
        .await?;
    let store = list.prices::<FundingPayment>(&[]).await;
    ListView::plain(FUNDING, columns_of::FUNDING).print(&list.output, &page, &store)
}

/// Refuses a service that keeps no such history; `instead` has what it does keep.
pub(super) async fn needs_simulator(service: &Service, instead: &str) -> Result<()> {
    if patiently(|| service.client.is_simulator()).await? {
        return Ok(());
    }
    let words =
        format!("this service keeps no such list; \"perpdeck {instead}\" have what it tells");
    Err(UsageError(words).into())
}

pub(super) async fn payments(
    service: &Service,
    cursor: Option<Cursor>,
) -> Result<Page<FundingPayment>, Failure> {
    let page = service.client.funding(cursor).await?;
    Ok(page.unwrap_or_default())
}

pub(super) async fn samples(
    service: &Service,
    cursor: Option<Cursor>,
) -> Result<Page<EquitySample>, Failure> {
    let page = service.client.equity(cursor).await?;
    Ok(page.unwrap_or_default())
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TwapsArgs {
    /// Completed and canceled ones, the newest first, instead of the active ones
    #[arg(long, conflicts_with = "status")]
    ended: bool,
    #[command(flatten)]
    side: SideFilter,
    /// Only orders in this state
    #[arg(long, value_enum, value_name = "STATUS")]
    status: Option<TwapState>,
    #[command(flatten)]
    list: ListFlags,
}

/// TWAP and VWAP orders, active or ended. The service lists those that were completed and those that were canceled
/// apart.
pub(in crate::cli) async fn twaps(args: TwapsArgs, sources: &Sources) -> Result<Exit> {
    let list = OpenedList::open(sources, args.list).await?;
    let (service, side, state) = (&list.service, args.side, args.status);
    let dated = if args.ended {
        Twap::ended_at
    } else {
        |twap: &Twap| twap.started_at
    };
    let wanted = list.wanted(dated).filtered(move |twap| {
        side.keeps(twap.side()) && state.is_none_or(|state| state.is_of(twap))
    });
    let page = if args.ended {
        let fetch = |list| move |cursor| service.client.ended_twaps(list, cursor);
        let lists = [TwapSelector::Completed, TwapSelector::Canceled].map(fetch);
        list.merged(&wanted, lists).await?
    } else {
        let page = patiently(|| service.client.active_twaps()).await?;
        list.within(page, &wanted)?
    };
    let store = list.prices(&page.rows).await;
    views::twaps().print(&list.output, &page, &store)
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ScaledArgs {
    #[command(flatten)]
    market: MarketFilter,
    #[command(flatten)]
    pages: Pages,
    #[command(flatten)]
    output: ListOutput,
}

/// A scaled order has no instant that a list could be cut at.
impl From<ScaledArgs> for ListFlags {
    fn from(args: ScaledArgs) -> Self {
        Self {
            market: args.market,
            since: SinceFilter::default(),
            pages: args.pages,
            output: args.output,
        }
    }
}

/// Scaled orders, working and ended.
pub(in crate::cli) async fn scaled(args: ScaledArgs, sources: &Sources) -> Result<Exit> {
    let list = OpenedList::open(sources, args.into()).await?;
    let service = &list.service;
    let fetch = |cursor| service.client.scaled_orders(cursor);
    let page = list.pages(&list.wanted(|_: &Scaled| None), fetch).await?;
    let mut store = list.prices(&page.rows).await;
    service.take_orders(&mut store).await;
    if list.output.voice().format == ListFormat::Csv {
        let page = page.with(|rows| views::rung_rows(&rows, &store));
        return views::rungs().print(&list.output, &page, &store);
    }
    views::scaled().print(&list.output, &page, &store)
}
