//! `perpdeck wait ORDER_ID…`: until orders are in a state.
//!
//! Contract: the exit code says how it ended: 0 once every order is there, 16 as soon as one can no longer get there, 17
//! after the time that was allowed. A read that fails is reported once and repeated; a refused key, and an order that does
//! not exist, end the wait.

use super::{each, watch};
use crate::{
    cli::{
        Exit,
        named::id,
        out,
        service::Service,
        voice::{FormOutput, Output, json},
    },
    config::Sources,
    model::{FailureKind, Order, OrderId, OrderStatus},
};
use color_eyre::Result;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct WaitArgs {
    /// As `orders` shows them
    #[arg(required = true, value_name = "ORDER_ID", value_parser = id::<OrderId>)]
    order_ids: Vec<OrderId>,
    /// The state to wait for
    #[arg(long, value_enum, value_name = "STATE", default_value = "filled")]
    until: AwaitedState,
    /// Gives up after this time: 30s, 2m
    #[arg(long, value_name = "TIME", value_parser = watch::length)]
    timeout: Option<Duration>,
    /// How often the orders are read: 200ms to 1h
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = watch::interval)]
    interval: Duration,
    #[command(flatten)]
    output: FormOutput,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, strum::Display)]
#[strum(serialize_all = "kebab-case")]
enum AwaitedState {
    /// In the book, whether or not some of it is filled
    Working,
    /// Filled in part, or whole
    PartiallyFilled,
    Filled,
    Canceled,
    /// Filled, canceled, rejected or expired
    Ended,
}

/// How an order stands to the state that is awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reached {
    Yes,
    NotYet,
    Never,
}

impl AwaitedState {
    fn of(self, order: &Order) -> Reached {
        let part = order.filled_size.is_some_and(|size| !size.is_zero());
        let is_filled = order.status.is(&OrderStatus::Filled);
        let is_there = match self {
            Self::Working => !order.is_over() && !order.is_armed(),
            Self::PartiallyFilled => part || is_filled,
            Self::Filled => is_filled,
            Self::Canceled => order.status.is(&OrderStatus::Canceled),
            Self::Ended => order.is_over(),
        };
        if is_there {
            Reached::Yes
        } else if order.is_over() {
            Reached::Never
        } else {
            Reached::NotYet
        }
    }
}

pub(in crate::cli) async fn run(args: WaitArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    let service = Service::open(sources, voice).await?;
    let end = args.timeout.map(|time| Instant::now() + time);
    let client = &service.client;
    let mut is_failing = false;
    loop {
        let next = Instant::now() + args.interval;
        let read = |id| async move { client.order(&id).await };
        let read = each(&args.order_ids, read, |id| {
            format!("there is no order {id}; \"perpdeck orders --history\" lists the newest")
        });
        match read.await {
            Ok(orders) => {
                is_failing = false;
                if let Some(exit) = args.settled(voice, &orders)? {
                    return Ok(exit);
                }
            }
            Err(why) if matches!(why.kind, FailureKind::Auth | FailureKind::NotFound) => {
                return Err(why.into());
            }
            Err(why) => {
                if !is_failing {
                    voice.failure(&why);
                    voice.note("the wait continues");
                }
                is_failing = true;
            }
        }
        if end.is_some_and(|end| next > end) {
            let words = format!("not every order is {} within the time allowed", args.until);
            return Ok(voice.ended("timeout", &words, Exit::TimedOut));
        }
        sleep_until(next).await;
    }
}

impl WaitArgs {
    /// The exit code once nothing is left to wait for; the orders are printed then.
    fn settled(&self, voice: Output, orders: &[Order]) -> Result<Option<Exit>> {
        let lost = orders
            .iter()
            .find(|order| self.until.of(order) == Reached::Never);
        let is_open = |order: &Order| self.until.of(order) == Reached::NotYet;
        if lost.is_none() && orders.iter().any(is_open) {
            return Ok(None);
        }
        for order in orders {
            let line = if voice.is_json() {
                json(order)
            } else {
                format!("order {}: {}", order.id, order.status)
            };
            out::say(&format!("{line}\n"))?;
        }
        Ok(Some(lost.map_or(Exit::Ok, |order| {
            let words = format!("order {} is {} and stays so", order.id, order.status);
            voice.ended("ended otherwise", &words, Exit::EndedOtherwise)
        })))
    }
}
