//! The engine alone: what a step costs, how large an account is, what a checkpoint takes.

use crate::{median, resident, world::MARKETS};
use perpdeck::exchange::engine::{
    AccountIx, AccountSpec, AccountTerms, AttachedExits, Bps, ChallengeRules, CommandOutcome,
    Engine, EngineCommand, EngineConfig, ExitOverlap, FeeRates, Lots, MarginMode, MarketAccess,
    MarketIx, MarketSpec, Millis, NanoPx, OrderParams, PlaceMode, PriceFeed, Px, Reduction, Side,
    Tif, Usd, VenueSpec,
};

const START: Millis = Millis(1_790_000_000_000);

pub(crate) fn measure() {
    println!("## Engine\n");
    println!(
        "| accounts × positions × orders | working orders | one step (250 ms) | memory per account |"
    );
    println!("|---|---|---|---|");
    for (accounts, positions, orders) in [
        (1_000, 0, 1),
        (1_000, 0, 10),
        (1_000, 0, 50),
        (1_000, 20, 0),
        (1_000, 20, 50),
    ] {
        let before = resident();
        let mut engine = engine(accounts);
        fill(&mut engine, positions, orders);
        let kib = (resident() - before) * 1024.0 / accounts as f64;
        let step = median(400, || engine.advance_to(engine.now() + Millis::STEP));
        println!(
            "| {accounts} × {positions} × {orders} | {} | {} µs | {kib:.0} KiB |",
            accounts * orders,
            step.as_micros()
        );
        if (positions, orders) == (20, 50) {
            checkpoints(&mut engine);
        }
    }
    println!();
}

/// Orders that have ended, and what it takes to drop them.
pub(crate) fn history() {
    const ORDERS: usize = 100_000;
    println!("## History\n");
    let mut engine = engine(1);
    let account = engine.account_ixs().next().unwrap();
    let before = resident();
    for _ in 0..ORDERS {
        let price = Px(50_000);
        let order = place(0, Side::Buy, PlaceMode::Limit { price });
        let CommandOutcome::Order(id) = engine.apply(account, order).unwrap() else {
            continue;
        };
        engine.apply(account, EngineCommand::Cancel(id)).unwrap();
    }
    let bytes = (resident() - before) * 1024.0 * 1024.0 / ORDERS as f64;
    println!("memory per order that has ended: {bytes:.0} bytes");
    engine.keep_for(Some(Millis::DAY));
    engine.skip_until(Millis((START.day() + 2) * Millis::DAY.0 - Millis::STEP.0));
    let next = engine.now() + Millis::STEP;
    let took = median(1, || engine.advance_to(next));
    let left = engine.orders(account, None).count();
    println!(
        "dropped {} of {ORDERS} in {} ms; resident since: {:+.1} MiB\n",
        ORDERS - left,
        took.as_millis(),
        resident() - before
    );
}

fn checkpoints(engine: &mut Engine) {
    let mut size = 0;
    let mut take = |engine: &mut Engine| {
        let time = median(1, || {
            let taken = engine.checkpoint().unwrap();
            size = taken.core.len() + taken.chunks.iter().map(|c| c.rows.len()).sum::<usize>();
        });
        (time.as_millis(), size / 1024)
    };
    let (whole, whole_kib) = take(engine);
    engine.advance_to(engine.now() + Millis::seconds(60));
    let (next, next_kib) = take(engine);
    println!(
        "\ncheckpoint of all that: {whole} ms, {whole_kib} KiB; of what a minute changed: {next} ms, {next_kib} KiB\n"
    );
}

fn engine(accounts: usize) -> Engine {
    let market = |n: usize| MarketSpec {
        provider: "paper".to_owned(),
        symbol: format!("M{n}"),
        coin: format!("M{n}"),
        category: "crypto".to_owned(),
        access: MarketAccess::Open,
        size_decimals: 3,
        max_leverage: 40,
        tiers: vec![],
        start_price: Px(100_000 + 1_000 * i64::try_from(n).unwrap()),
        volatility: Bps(5_000),
        beta: Bps(7_000),
        base_depth: Usd::dollars(120_000),
        impact_notional: Usd::dollars(6_000),
    };
    let rules = ChallengeRules {
        max_daily_loss: Bps(9_000),
        max_drawdown: Bps(9_000),
        max_account_leverage: 100,
        cooldown: Millis::ZERO,
        ..ChallengeRules::default()
    };
    let account = |n: usize| AccountSpec {
        id: format!("a{n}"),
        cash: Usd::dollars(1_000_000),
        rules,
        terms: AccountTerms::default(),
    };
    Engine::new(EngineConfig {
        seed: 1,
        start: START,
        feed: PriceFeed::Synthetic,
        fees: FeeRates::default(),
        venue: VenueSpec::default(),
        markets: (0..MARKETS).map(market).collect(),
        accounts: (0..accounts).map(account).collect(),
    })
}

/// So many positions and resting orders for every account.
fn fill(engine: &mut Engine, positions: usize, orders: usize) {
    let accounts: Vec<AccountIx> = engine.account_ixs().collect();
    for (turn, account) in accounts.into_iter().enumerate() {
        if turn % 20 == 0 {
            engine.advance_to(engine.now() + Millis::STEP);
        }
        for market in 0..positions {
            let side = if (turn + market) % 2 == 0 {
                Side::Buy
            } else {
                Side::Sell
            };
            engine
                .apply(account, place(market, side, PlaceMode::Market))
                .unwrap();
        }
        for order in 0..orders {
            let market = order % MARKETS;
            let price = Px(50_000 + 100 * i64::try_from(order).unwrap());
            engine
                .apply(
                    account,
                    place(market, Side::Buy, PlaceMode::Limit { price }),
                )
                .unwrap();
        }
    }
}

fn place(market: usize, side: Side, mode: PlaceMode) -> EngineCommand {
    EngineCommand::Place(OrderParams {
        market: MarketIx::from(market),
        side,
        size: Lots(1_000),
        leverage: 10,
        margin_mode: MarginMode::Cross,
        expected_price: NanoPx::ZERO,
        reduction: Reduction::May,
        tif: Tif::Gtc,
        slippage: None,
        exits: AttachedExits::default(),
        overlap: ExitOverlap::Refused,
        mode,
        client_order_id: None,
    })
}
