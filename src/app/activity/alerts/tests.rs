//! Events that no key of this desk caused, and their alerts.

use super::*;
use crate::{
    api::{Method, Request},
    app::{
        Effect, Model, ReadOnce, TerminalOut,
        account::{poll::Answer, store::Store},
        activity::notice::{Event, Tone},
        core::effect::Clip,
        desk::msg::Msg,
        testing::*,
        update::router::update,
    },
    config::{AlertChannel, AlertChannels, Alerts},
    model::{
        AccountFacts, Call, CloseKind, ClosePosition, Command, Failure, FailureKind, FlatProof,
        Flattening, Order, Page, Progress, Receipt, Ticket, Twap,
    },
};

/// A desk that has read its history once and reports every kind of alert on every channel.
fn watching() -> Model {
    let mut model = desk();
    let all: AlertChannels = [
        AlertChannel::Toast,
        AlertChannel::Bell,
        AlertChannel::Desktop,
    ]
    .into_iter()
    .collect();
    model.account.options.alerts = Alerts {
        fill: all.clone(),
        partial: all.clone(),
        reject: all.clone(),
        twap_stalled: all.clone(),
        twap_ended: all.clone(),
        liquidation: all.clone(),
        guard: all.clone(),
        connection: all,
        liquidation_within: Some(num("5")),
        ..Alerts::default()
    };
    arrive(&mut model, Answer::History(Ok(history("resting"))));
    model
}

fn limit(status: &str, more: &str) -> Order {
    let body = format!(
        r#""type":"limit","mode":"limit","side":"buy","size":1,"limit_price":60000,"status":"{status}"{more}"#
    );
    order("o1", "BTC", &body)
}

fn history(status: &str) -> Page<Order> {
    Page::of(vec![limit(status, "")])
}

fn told(effects: &[Effect]) -> Vec<&Alert> {
    let notices = effects.iter().filter_map(|effect| {
        let Effect::Terminal(TerminalOut::Notify(notice)) = effect else {
            return None;
        };
        let Event::Alert(alert) = &notice.event else {
            panic!("no alert but {:?}", notice.event);
        };
        Some(alert)
    });
    notices.collect()
}

fn toast(model: &Model) -> Option<&Event> {
    model
        .account
        .activity
        .toast(model.account.now)
        .map(|notice| &notice.event)
}

#[test]
fn what_the_desk_finds_when_it_opens_is_no_news() {
    let mut model = watching();
    *model.account.store = Store::default();
    assert_eq!(
        arrive(&mut model, Answer::History(Ok(history("filled")))),
        vec![]
    );
}

#[test]
fn a_resting_order_that_fills_is_told_once_in_every_way_that_is_set() {
    let mut model = watching();
    let effects = arrive(&mut model, Answer::History(Ok(history("filled"))));
    let alert = Alert::Filled(Box::new(limit("filled", "")));
    assert_eq!(told(&effects), [&alert]);
    assert!(effects.contains(&Effect::Terminal(TerminalOut::Bell)));
    assert_eq!(toast(&model), Some(&Event::Alert(alert)));
    assert_eq!(
        arrive(&mut model, Answer::History(Ok(history("filled")))),
        vec![]
    );
}

#[test]
fn a_fill_that_cannot_be_true_is_an_alert_that_stays() {
    let mut model = watching();
    let mut page = history("filled");
    for order in &mut page.rows {
        order.fill_price = Some(num("-5"));
    }
    arrive(&mut model, Answer::History(Ok(page)));
    assert_eq!(toast(&model).map(Event::tone), Some(Tone::Alert));
    assert_eq!(model.account.activity.toast_ends_at(), None);
}

#[test]
fn what_is_not_to_be_told_is_in_the_activity_all_the_same() {
    let mut model = watching();
    model.account.options.alerts.reject = AlertChannels::default();
    assert_eq!(
        arrive(&mut model, Answer::History(Ok(history("rejected")))),
        vec![]
    );
    assert_eq!(toast(&model), None);
    let alert = Alert::Rejected(Box::new(limit("rejected", "")));
    let last = model.account.activity.lines.back().map(|line| &line.event);
    assert_eq!(last, Some(&Event::Alert(alert)));
}

#[test]
fn what_a_command_brought_at_once_is_not_told_again() {
    let mut model = watching();
    let command = Command::Cancel("o1".into());
    let now = model.account.now;
    update(&mut model, now, Msg::Resumed(Ticket(9), command));
    let receipt = Receipt::Order {
        order: Box::new(limit("filled", "")),
        queued: false,
    };
    settle(&mut model, Ticket(9), Ok(receipt));
    assert_eq!(
        arrive(&mut model, Answer::History(Ok(history("filled")))),
        vec![]
    );
}

#[test]
fn an_order_that_was_refused_is_told_by_its_command_and_not_by_its_row_in_the_history_too() {
    for (id, expected) in [("o1", 0), ("o7", 1)] {
        let mut model = watching();
        press(&mut model, "b 0 . 1 enter");
        let refused = Failure {
            order_id: Some(id.into()),
            ..Failure::new(FailureKind::Conflict, "trigger_would_fire")
        };
        settle(&mut model, Ticket(1), Err(refused));
        let effects = arrive(&mut model, Answer::History(Ok(history("rejected"))));
        assert_eq!(told(&effects).len(), expected, "{id}");
    }
}

#[test]
fn a_slice_of_a_twap_is_the_news_of_its_twap() {
    let mut model = watching();
    let slice = limit("filled", r#","twap_order_id":"twap-1""#);
    assert_eq!(
        arrive(&mut model, Answer::History(Ok(Page::of(vec![slice])))),
        vec![]
    );
}

#[test]
fn more_of_a_working_order_filled_is_a_partial_fill() {
    let mut model = watching();
    let filled =
        |size: &str| Page::of(vec![limit("resting", &format!(r#","filled_size":{size}"#))]);
    assert_eq!(
        arrive(&mut model, Answer::Orders(Ok(filled("0.2")))),
        vec![],
        "met for the first time"
    );
    let effects = arrive(&mut model, Answer::Orders(Ok(filled("0.5"))));
    assert_eq!(
        told(&effects),
        [&Alert::Partial(Box::new(filled("0.5").rows.remove(0)))]
    );
    assert_eq!(
        arrive(&mut model, Answer::Orders(Ok(filled("0.5")))),
        vec![]
    );
}

fn twap(next_run_at: i64) -> Twap {
    let json = format!(r#"{{"id":"twap-1","market_id":"paper|BTC","next_run_at":{next_run_at}}}"#);
    serde_json::from_str(&json).unwrap()
}

#[test]
fn a_twap_whose_slice_is_overdue_is_told_once_a_slice_and_its_end_once() {
    let mut model = watching();
    let due = model.account.now.0;
    let running = |due| Answer::Twaps(Ok(Page::of(vec![twap(due)])));
    assert_eq!(arrive(&mut model, running(due)), vec![]);
    wait(&mut model, 31_000);
    let stalled = Alert::TwapStalled(Box::new(twap(due)));
    assert_eq!(told(&arrive(&mut model, running(due))), [&stalled]);
    assert_eq!(arrive(&mut model, running(due)), vec![]);
    let gone = arrive(&mut model, Answer::Twaps(Ok(Page::of(vec![]))));
    assert!(
        matches!(told(&gone)[..], [Alert::TwapEnded(ended)] if ended.twap == twap(due)),
        "{gone:?}"
    );
    assert_eq!(
        arrive(&mut model, Answer::Twaps(Ok(Page::of(vec![])))),
        vec![]
    );
}

#[test]
fn a_twap_of_a_service_whose_clock_stands_has_not_stalled() {
    let mut model = watching();
    let start = model.account.now;
    let stands = |passed: i64| passed.min(4_000).max(passed - 90_000);
    for passed in (2_000..130_000).step_by(2_000) {
        wait(&mut model, 2_000);
        let told = Timestamp(start.0 + stands(passed));
        let facts = AccountFacts {
            answered_at: Some(told),
            ..AccountFacts::default()
        };
        arrive(&mut model, Answer::Account(Ok(facts)));
        let slices = Answer::Twaps(Ok(Page::of(vec![twap(told.0 + 5_000)])));
        assert_eq!(arrive(&mut model, slices), vec![], "after {passed} ms");
    }
}

fn at_price(model: &mut Model, bid: &str) -> Vec<Effect> {
    let market = market("SOL", bid, bid, (2, 20));
    arrive(model, Answer::Markets(Ok(vec![market])))
}

#[test]
fn a_position_near_its_liquidation_is_told_and_again_only_after_it_has_been_away() {
    let mut model = watching();
    let liquidated_at_190 = "pos-2";
    let near = at_price(&mut model, "182");
    assert!(matches!(
        told(&near)[..],
        [Alert::NearLiquidation(position, _)] if position.id == liquidated_at_190.into()
    ));
    assert_eq!(at_price(&mut model, "183"), vec![]);
    assert_eq!(at_price(&mut model, "180.5"), vec![], "not yet away");
    assert_eq!(at_price(&mut model, "182"), vec![]);
    assert_eq!(at_price(&mut model, "170"), vec![]);
    assert_eq!(told(&at_price(&mut model, "182")).len(), 1);
}

fn call(model: &mut Model, outcome: Result<u16, FailureKind>) -> Vec<Effect> {
    let call = Call {
        at: model.account.now,
        method: "GET",
        target: "/v1/orders".into(),
        outcome,
        elapsed: Duration::from_millis(4),
        request_id: None,
        pause: None,
        date: None,
        budget: None,
    };
    let now = model.account.now;
    update(model, now, Msg::CallEnded(call))
}

#[test]
fn a_service_that_does_not_answer_is_told_once_and_so_is_its_return() {
    let mut model = watching();
    let silent = Err(FailureKind::Unreachable);
    assert_eq!(
        (call(&mut model, silent), call(&mut model, silent)),
        (vec![], vec![])
    );
    assert_eq!(told(&call(&mut model, silent)), [&Alert::Down]);
    assert_eq!(call(&mut model, silent), vec![]);
    assert_eq!(told(&call(&mut model, Ok(200))), [&Alert::Up]);
    assert_eq!(toast(&model), None, "what was said to be down is not");
}

/// A limit buy of 1 BTC in progress under ticket 9.
fn buying(model: &mut Model) {
    let request = Request {
        method: Method::Post,
        target: "/v1/orders".to_owned(),
        key: Some("k".into()),
        body:
            br#"{"account_id":"chal-1","market_id":"paper|BTC","type":"limit","side":"buy","size":1,
            "leverage":5,"margin_mode":"cross","limit_price":60000}"#
                .to_vec(),
    };
    let command = request.command().unwrap();
    let now = model.account.now;
    update(model, now, Msg::Resumed(Ticket(9), command));
}

fn parked(model: &mut Model) -> Vec<Effect> {
    let now = model.account.now;
    let progress = Progress::Parked {
        why: Failure::new(FailureKind::Unknown, "no answer"),
        replay_until: now.plus(Duration::from_mins(15)),
    };
    update(model, now, Msg::Progress(Ticket(9), progress))
}

#[test]
fn a_fill_that_a_poll_shows_before_its_own_answer_is_told_once_by_the_answer() {
    let mut model = watching();
    buying(&mut model);
    let filled = || Answer::History(Ok(history("filled")));
    assert_eq!(arrive(&mut model, filled()), vec![]);
    let receipt = Receipt::Order {
        order: Box::new(limit("filled", "")),
        queued: false,
    };
    assert_eq!(
        told(&settle(&mut model, Ticket(9), Ok(receipt))),
        Vec::<&Alert>::new()
    );
    assert!(matches!(toast(&model), Some(Event::Settled(..))));
    assert_eq!(arrive(&mut model, filled()), vec![]);
}

#[test]
fn the_fill_of_another_order_like_the_one_on_its_way_is_told_when_that_has_its_answer() {
    let mut model = watching();
    buying(&mut model);
    arrive(&mut model, Answer::History(Ok(history("filled"))));
    let mut own = limit("resting", "");
    own.id = "o2".into();
    let receipt = Receipt::Order {
        order: Box::new(own),
        queued: false,
    };
    let effects = settle(&mut model, Ticket(9), Ok(receipt));
    assert_eq!(
        told(&effects),
        [&Alert::Filled(Box::new(limit("filled", "")))]
    );
}

#[test]
fn a_command_in_doubt_hides_no_fill_that_came_before_or_comes_after() {
    let alert = Alert::Filled(Box::new(limit("filled", "")));
    let mut before = watching();
    buying(&mut before);
    arrive(&mut before, Answer::History(Ok(history("filled"))));
    assert_eq!(told(&parked(&mut before)), [&alert]);

    let mut after = watching();
    buying(&mut after);
    parked(&mut after);
    let effects = arrive(&mut after, Answer::History(Ok(history("filled"))));
    assert_eq!(told(&effects), [&alert]);
}

#[test]
fn a_stop_that_fires_while_a_close_of_its_position_is_in_doubt_is_told() {
    let mut model = watching();
    let close = Command::Close(ClosePosition {
        position_id: "pos-1".into(),
        held: None,
        kind: CloseKind::Limit,
        size: None,
        expected_price: None,
        slippage_tolerance: None,
        limit_price: Some(num("70000")),
        client_order_id: None,
        trigger_price: None,
        trigger_market_id: None,
        trigger_direction: None,
        marketable_limit_acknowledged: false,
    });
    let now = model.account.now;
    update(&mut model, now, Msg::Resumed(Ticket(9), close));
    parked(&mut model);
    let stop = limit("filled", r#","target_position_id":"pos-1""#);
    let page = Page::of(vec![stop.clone()]);
    let effects = arrive(&mut model, Answer::History(Ok(page)));
    assert_eq!(told(&effects), [&Alert::Filled(Box::new(stop))]);
}

#[test]
fn what_this_desk_stops_or_closes_itself_is_no_news() {
    let mut model = watching();
    let due = model.account.now.0;
    arrive(&mut model, Answer::Twaps(Ok(Page::of(vec![twap(due)]))));
    let now = model.account.now;
    let flatten = Command::Flatten("chal-1".into());
    update(&mut model, now, Msg::Resumed(Ticket(9), flatten));
    let order = serde_json::to_string(&limit("pending", "")).unwrap();
    let operation = format!(
        r#"{{"id":"op-1","operation":"close_all_positions","account_id":"chal-1","status":"completed",
        "total_count":1,"succeeded_count":1,"failed_count":0,"created_at":{due},
        "results":[{{"position_id":"pos-1","status":"submitted","order":{order}}}]}}"#
    );
    let flattening = Flattening {
        operation: Some(serde_json::from_str(&operation).unwrap()),
        ..Flattening::default()
    };
    let progress = Msg::Progress(Ticket(9), Progress::Flattening(flattening));
    update(&mut model, now, progress);
    let closed = arrive(&mut model, Answer::History(Ok(history("filled"))));
    assert_eq!(told(&closed), Vec::<&Alert>::new());
    let proof = Receipt::Flat(FlatProof {
        first: now,
        second: now,
    });
    settle(&mut model, Ticket(9), Ok(proof));
    let gone = arrive(&mut model, Answer::Twaps(Ok(Page::of(vec![]))));
    assert_eq!(told(&gone), Vec::<&Alert>::new());
}

#[test]
fn good_news_does_not_take_the_place_of_bad_news_that_waits() {
    let mut model = watching();
    let why = Failure::new(FailureKind::Conflict, "no");
    let now = model.account.now;
    let command = Command::Cancel("ord-1".into());
    update(&mut model, now, Msg::Resumed(Ticket(9), command));
    settle(&mut model, Ticket(9), Err(why));
    arrive(&mut model, Answer::History(Ok(history("filled"))));
    assert!(matches!(toast(&model), Some(Event::Settled(..))));
}

mod leaving {
    use super::*;
    use crate::app::{Effect, Model};

    fn listed(orders: Vec<Order>) -> Answer {
        Answer::Orders(Ok(Page::of(orders)))
    }

    /// `ord-2` leaves the working orders and is not on the newest page of history.
    fn left(model: &mut Model) -> Vec<Effect> {
        let first = model.account.store.orders.rows()[0].clone();
        assert_eq!(arrive(model, listed(vec![first])), vec![]);
        arrive(model, Answer::History(Ok(history("resting"))))
    }

    fn sought() -> Effect {
        Effect::Read(ReadOnce::Trace(vec!["ord-2".into()]))
    }

    fn traced(model: &mut Model, found: Vec<Order>) -> Vec<Effect> {
        let now = model.account.now;
        update(model, now, Msg::Traced(vec!["ord-2".into()], found))
    }

    fn stop(model: &Model, status: &str) -> Order {
        let mut stop = model.account.store.order(&"ord-2".into()).unwrap().clone();
        stop.status = serde_json::from_str(&format!("{status:?}")).unwrap();
        stop
    }

    #[test]
    fn a_stop_that_fires_below_the_newest_page_is_looked_for_once_and_told() {
        let mut model = watching();
        let filled = stop(&model, "filled");
        assert_eq!(left(&mut model), vec![sought()]);
        let again = arrive(&mut model, Answer::History(Ok(history("resting"))));
        assert_eq!(again, vec![]);
        let effects = traced(&mut model, vec![filled.clone()]);
        assert_eq!(told(&effects), [&Alert::Filled(Box::new(filled))]);
    }

    #[test]
    fn one_that_a_search_told_is_remembered_until_the_newest_page_cannot_show_it_any_more() {
        let mut model = watching();
        let mut filled = stop(&model, "filled");
        filled.settled_at = Some(filled.requested_at.plus(Duration::from_mins(1)));
        left(&mut model);
        traced(&mut model, vec![filled]);
        let remembered = |model: &Model| model.account.watch.found.len();
        arrive(&mut model, Answer::History(Ok(history("resting"))));
        assert_eq!(remembered(&model), 1);
        let mut newer = limit("resting", "");
        newer.requested_at = newer.requested_at.plus(Duration::from_mins(2));
        arrive(&mut model, Answer::History(Ok(Page::of(vec![newer]))));
        assert_eq!(remembered(&model), 0);
    }

    #[test]
    fn one_that_was_canceled_is_no_news_and_one_that_is_not_found_no_longer_works() {
        let mut model = watching();
        let canceled = stop(&model, "canceled");
        left(&mut model);
        assert_eq!(traced(&mut model, vec![canceled]), vec![]);

        let mut model = watching();
        let worked = stop(&model, "pending");
        left(&mut model);
        let effects = traced(&mut model, vec![]);
        assert_eq!(told(&effects), [&Alert::Gone(Box::new(worked))]);
    }

    #[test]
    fn what_the_newest_page_tells_is_not_looked_for() {
        let mut model = watching();
        let filled = stop(&model, "filled");
        let first = model.account.store.orders.rows()[0].clone();
        arrive(&mut model, listed(vec![first]));
        let page = Page::of(vec![filled.clone(), limit("resting", "")]);
        let effects = arrive(&mut model, Answer::History(Ok(page)));
        assert_eq!(told(&effects), [&Alert::Filled(Box::new(filled))]);
        assert!(!effects.contains(&sought()));
    }

    #[test]
    fn a_slice_what_this_desk_cancels_and_what_a_list_leaves_out_are_not_looked_for() {
        let mut sliced = watching();
        let mut slice = stop(&sliced, "pending");
        slice.twap_order_id = Some("twap-1".into());
        let first = sliced.account.store.orders.rows()[0].clone();
        arrive(&mut sliced, listed(vec![first.clone(), slice]));
        assert!(!left(&mut sliced).contains(&sought()));

        let mut canceled = watching();
        let now = canceled.account.now;
        let cancel = Command::Cancel("ord-2".into());
        update(&mut canceled, now, Msg::Resumed(Ticket(9), cancel));
        assert!(!left(&mut canceled).contains(&sought()));

        let mut partly = watching();
        let page = Page {
            incomplete: true,
            ..Page::of(vec![first])
        };
        arrive(&mut partly, Answer::Orders(Ok(page)));
        let effects = arrive(&mut partly, Answer::History(Ok(history("resting"))));
        assert!(!effects.contains(&sought()));
    }
}

mod copy {
    use super::*;
    use crate::app::{Effect, TerminalOut};

    fn copied(effects: Vec<Effect>) -> Clip {
        let mut asked = effects.into_iter();
        // An open detail requests its evidence, too.
        match asked.find(|effect| !matches!(effect, Effect::Read(ReadOnce::Evidence(_)))) {
            Some(Effect::Terminal(TerminalOut::Copy(clip))) => clip,
            other => panic!("nothing was copied but {other:?}"),
        }
    }

    #[test]
    fn the_id_of_the_row_or_of_every_marked_one_goes_to_the_clipboard() {
        let mut model = desk();
        assert_eq!(
            copied(press(&mut model, "2 y")),
            Clip::Text("ord-1".to_owned())
        );
        let both = Clip::Lines(vec!["ord-1".to_owned(), "ord-2".to_owned()]);
        assert_eq!(copied(press(&mut model, "* y")), both);
    }

    #[test]
    fn over_a_detail_all_that_it_says_is_copied() {
        let mut model = desk();
        let row = crate::app::account::row_id::RowId::Order("ord-1".into());
        assert_eq!(copied(press(&mut model, "2 enter y")), Clip::Detail(row));
        assert_eq!(model.overlays.len(), 1);
    }

    #[test]
    fn in_a_strip_the_same_key_answers() {
        let mut model = desk();
        press(&mut model, "2 x");
        wait(&mut model, 200);
        assert!(matches!(press(&mut model, "y")[..], [Effect::Send(..)]));
    }
}
