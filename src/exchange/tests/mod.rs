pub(super) mod sequences;

use super::*;
use std::time::Duration;

const BARE: &str = include_str!("../../../tests/support/bare.toml");

pub(super) fn service(pace: ClockMode) -> Arc<ExchangeService> {
    let scenario = Scenario::parse(BARE).unwrap();
    let start = engine::Millis(1_790_000_000_000);
    served(LoadedExchange::in_memory(scenario, start, Some(pace)).unwrap())
}

pub(super) fn served(resumed: LoadedExchange) -> Arc<ExchangeService> {
    let users = resumed.scenario.users(&resumed.engine, &resumed.secret);
    let addr = "127.0.0.1:1".parse().unwrap();
    Arc::new(ExchangeService::new(
        resumed,
        &users,
        SimulatorAccess::Served,
        addr,
        Instant::now(),
    ))
}

#[tokio::test]
async fn whoever_started_the_exchange_hears_of_a_panic_with_the_floor_in_hand() {
    let service = service(ClockMode::Paused);
    drop(service.state().unwrap());
    assert!(!service.broken.is_cancelled());
    let request = Arc::clone(&service);
    let ended = tokio::spawn(async move {
        let _floor = request.state().unwrap();
        panic!("a sum that overflows");
    });
    assert!(ended.await.unwrap_err().is_panic());
    service.broken.cancelled().await;
    assert_eq!(service.state().unwrap_err().status.as_u16(), 500);
}

#[tokio::test(start_paused = true)]
async fn virtual_time_follows_the_wall_clock_in_whole_steps_and_stops_on_the_signal() {
    let service = service(ClockMode::Live(Speed::from_thousandths(2_000).unwrap()));
    let stop = CancellationToken::new();
    let ticking = tokio::spawn(tick(Arc::clone(&service), stop.clone()));
    tokio::time::sleep(Duration::from_millis(10_100)).await;
    let now = service.state().unwrap().engine.now();
    assert_eq!(now, engine::Millis(1_790_000_020_000));
    stop.cancel();
    ticking.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn whoever_listens_hears_of_the_first_step_of_a_resumed_clock_when_it_is_due() {
    let service = service(ClockMode::Paused);
    let ticked = (Arc::clone(&service), CancellationToken::new());
    let _ticking = tokio::spawn(tick(ticked.0, ticked.1));
    let mut changes = service.changes();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!changes.has_changed().unwrap());
    let request = message::ApiRequest {
        uri: "/sim/clock".parse().unwrap(),
        headers: hyper::HeaderMap::new(),
        body: br#"{"paused":false}"#.to_vec(),
        execution: message::Execution::Immediate,
    };
    sim::answer(&service, None, sim::SimRoute::SetClock, &request).unwrap();
    let resumed = Instant::now();
    changes.changed().await.unwrap();
    assert_eq!(resumed.elapsed(), Duration::from_millis(250));
}
