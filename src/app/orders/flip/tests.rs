use crate::{
    app::{
        account::poll::{Answer, Source},
        activity::notice::Event,
        core::effect::{Effect, ReadOnce},
        desk::{model::Model, msg::Msg},
        dialogs::overlay::Overlay,
        testing::{self, *},
        update::{router::update, wake::wake},
    },
    model::{
        ClosePosition, Command, Failure, FailureKind, MarginMode, Order, Page, PlaceKind,
        PlaceOrder, Position, Progress, Receipt, Side, Ticket,
    },
    view,
};
use std::time::Duration;

/// What happens between the two commands.
type Between = Box<dyn Fn(&mut Model)>;
/// The lists that are read.
type Lists = fn() -> (Vec<Position>, Vec<Order>);
/// What is known of the close.
type Doubt = fn(&Model) -> Progress;

const FIRST: Ticket = Ticket(1);
const SECOND: Ticket = Ticket(2);

fn said(model: &Model) -> Option<String> {
    if let Event::Message(_, words) = &model.account.activity.toast(model.account.now)?.event {
        Some(words.clone())
    } else {
        None
    }
}

/// The first of the two commands was sent.
fn flipping() -> Model {
    let mut model = desk();
    press(&mut model, "I");
    wait(&mut model, 200);
    let sent = press(&mut model, "y");
    let [Effect::Send(FIRST, Command::Close(close))] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    assert!(close.is_whole_at_market());
    assert_eq!(close.position_id, "pos-1".into());
    model
}

fn closing(more: &str) -> Order {
    let json = format!(
        r#""type":"market","mode":"market","side":"sell","target_position_id":"pos-1",{more}"#
    );
    Order {
        reduce_only: true,
        ..testing::order("ord-9", "BTC", &json)
    }
}

fn receipt(order: Order) -> Receipt {
    Receipt::Order {
        order: Box::new(order),
        queued: false,
    }
}

const WHOLE: &str = r#""size":0.5,"initial_size":0.5,"filled_size":0.5,"status":"filled""#;

fn closed(model: &mut Model) -> Vec<Effect> {
    settle(model, FIRST, Ok(receipt(closing(WHOLE))))
}

/// The lists as they are requested a moment later.
fn reads(model: &mut Model, open: Vec<Position>, working: Vec<Order>) -> Vec<Effect> {
    let mut effects = wait(model, 50);
    effects.extend(arrive(model, Answer::Positions(Ok(Page::of(open)))));
    effects.extend(arrive(model, Answer::Orders(Ok(Page::of(working)))));
    effects
}

fn placed(effects: &[Effect]) -> Option<&PlaceOrder> {
    effects.iter().find_map(|effect| {
        let Effect::Send(_, Command::Place(order)) = effect else {
            return None;
        };
        Some(order.as_ref())
    })
}

fn closes(effects: &[Effect]) -> Option<&ClosePosition> {
    effects.iter().find_map(|effect| {
        let Effect::Send(_, Command::Close(close)) = effect else {
            return None;
        };
        Some(close)
    })
}

fn position_left(size: &str) -> Position {
    position("pos-1", "BTC", size, r#""leverage":10"#)
}

fn stop_of_it() -> Order {
    let json = r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":58000,
        "target_position_id":"pos-1","status":"pending""#;
    testing::order("ord-8", "BTC", json)
}

/// Nothing is opened from here on, whatever reads and time bring.
fn opens_nothing(model: &mut Model) {
    assert_eq!(placed(&reads(model, vec![], vec![])), None);
    assert_eq!(placed(&wait(model, 600)), None);
    assert_eq!(placed(&reads(model, vec![], vec![])), None);
    assert_eq!(placed(&wait(model, 11_000)), None);
    assert_eq!(
        model
            .account
            .workflows
            .waiting(&model.account.store)
            .count(),
        0
    );
}

#[test]
fn the_strip_says_both_orders_and_names_the_account() {
    let mut model = desk();
    assert_eq!(press(&mut model, "I"), vec![]);
    let Some(Overlay::Strip(strip)) = model.overlays.last() else {
        panic!("{:?}", model.overlays);
    };
    let zone = crate::model::Zone::utc();
    let scene = view::Scene::of(&model, &zone);
    let words = view::strip(&model, &scene, strip).words.into_iter();
    let words: String = words.map(|span| span.text).collect();
    let asked = "Flip: closes long 0.5 BTC, then sells 0.5 BTC (two orders) on chal-1?";
    assert!(words.starts_with(asked), "{words}");
    assert_eq!(press(&mut model, "esc"), vec![]);
    assert_eq!(wait(&mut model, 6_000), vec![], "nothing goes by itself");
}

#[test]
fn the_other_way_is_opened_once_reads_show_nothing_left_of_the_position() {
    let mut model = flipping();
    let effects = closed(&mut model);
    assert_eq!(placed(&effects), None);
    let polls = Effect::Poll(vec![Source::Positions, Source::Orders]);
    assert!(effects.contains(&polls), "{effects:?}");
    // Lists that were requested before the answer prove nothing.
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![]))));
    let early = arrive(&mut model, Answer::Orders(Ok(Page::of(vec![]))));
    assert_eq!(placed(&early), None);
    let effects = reads(&mut model, vec![], vec![]);
    let order = placed(&effects).unwrap();
    assert_eq!(
        (order.kind, order.side, order.size),
        (PlaceKind::Market, Side::Sell, num("0.5"))
    );
    assert_eq!(
        (order.leverage, order.margin_mode, order.reduce_only),
        (num("10"), MarginMode::Cross, false)
    );
    assert_eq!(order.expected_price, Some(num("64000")));
    assert_eq!(
        model
            .account
            .workflows
            .waiting(&model.account.store)
            .count(),
        0
    );
    // One opening per flip, whatever is read after it.
    opens_nothing(&mut model);
}

#[test]
fn a_short_is_flipped_to_a_long_of_what_was_closed() {
    let mut model = desk();
    press(&mut model, "j I");
    wait(&mut model, 200);
    let sent = press(&mut model, "y");
    assert_eq!(closes(&sent).unwrap().position_id, "pos-2".into());
    let json = r#""type":"market","mode":"market","side":"buy","size":80,"initial_size":80,"filled_size":80,
        "status":"filled""#;
    let order = Order {
        reduce_only: true,
        ..testing::order("ord-9", "SOL", json)
    };
    settle(&mut model, FIRST, Ok(receipt(order)));
    let effects = reads(&mut model, vec![position_left("0.5")], vec![]);
    let order = placed(&effects).unwrap();
    assert_eq!((order.side, order.size), (Side::Buy, num("80")));
    assert_eq!(order.margin_mode, MarginMode::Isolated);
}

#[test]
fn a_close_that_works_is_looked_for_until_it_is_final() {
    let mut model = flipping();
    let works = r#""size":0.5,"initial_size":0.5,"filled_size":0,"status":"pending""#;
    let effects = settle(&mut model, FIRST, Ok(receipt(closing(works))));
    let trace = Effect::Read(ReadOnce::Trace(vec!["ord-9".into()]));
    assert!(effects.contains(&trace), "{effects:?}");
    assert_eq!(placed(&reads(&mut model, vec![], vec![])), None);
    let found = |model: &mut Model, row: &str| {
        let now = model.account.now;
        let rows = vec![closing(row)];
        update(model, now, Msg::Traced(vec!["ord-9".into()], rows))
    };
    assert_eq!(placed(&found(&mut model, works)), None);
    assert!(wait(&mut model, 600).contains(&trace), "twice a second");
    assert_eq!(placed(&found(&mut model, WHOLE)), None);
    assert!(placed(&reads(&mut model, vec![], vec![])).is_some());
}

// docs/delivery.md 3.5, row by row.

#[test]
fn a_close_in_doubt_is_followed_by_nothing_however_it_ends() {
    let doubts: [Doubt; 2] = [
        |model| Progress::Unknown {
            why: Failure::new(FailureKind::Unknown, "no answer"),
            retry_at: model.account.now,
            then: crate::model::FollowUp::Again,
        },
        |model| Progress::Parked {
            why: Failure::new(FailureKind::Unknown, "no answer"),
            replay_until: model.account.now.plus(Duration::from_mins(15)),
        },
    ];
    for doubt in doubts {
        let mut model = flipping();
        let (now, progress) = (model.account.now, doubt(&model));
        update(&mut model, now, Msg::Progress(FIRST, progress));
        let words = "flip stopped: the outcome of the close is unknown; nothing is opened";
        assert_eq!(said(&model).as_deref(), Some(words));
        closed(&mut model);
        opens_nothing(&mut model);
    }
}

#[test]
fn a_close_of_a_part_leaves_the_rest_open_and_says_how_much() {
    let mut model = flipping();
    let part = r#""size":0.2,"initial_size":0.5,"filled_size":0.3,"status":"canceled""#;
    settle(&mut model, FIRST, Ok(receipt(closing(part))));
    assert_eq!(
        said(&model).as_deref(),
        Some("flip stopped: 0.3 of 0.5 closed")
    );
    opens_nothing(&mut model);
}

#[test]
fn a_close_that_is_refused_or_was_somebody_elses_opens_nothing() {
    let refused = Err(Failure::new(
        FailureKind::Conflict,
        "position pos-1 is closed",
    ));
    let elsewhere = Ok(Receipt::AlreadySo("the position is closed".into()));
    for (result, words) in [
        (
            refused,
            "flip stopped: nothing is opened: position pos-1 is closed",
        ),
        (
            elsewhere,
            "flip stopped: pos-1 is closed, but the size that this close closed is not known; nothing is opened",
        ),
    ] {
        let mut model = flipping();
        settle(&mut model, FIRST, result);
        assert_eq!(said(&model).as_deref(), Some(words));
        opens_nothing(&mut model);
    }
}

#[test]
fn a_close_that_is_answered_with_another_order_opens_nothing() {
    let whole = || closing(WHOLE);
    let others = [
        Order {
            market_id: "paper|SOL".into(),
            ..whole()
        },
        Order {
            target_position_id: Some("pos-2".into()),
            ..whole()
        },
        Order {
            reduce_only: false,
            ..whole()
        },
    ];
    for other in others {
        let mut model = flipping();
        settle(&mut model, FIRST, Ok(receipt(other)));
        let words = "the answer differs from the request: nothing more is sent";
        assert_eq!(said(&model).as_deref(), Some(words));
        opens_nothing(&mut model);
    }
}

#[test]
fn nothing_is_opened_while_the_position_or_a_stop_of_it_is_listed_and_not_after_ten_seconds() {
    let left = || (vec![position_left("0.5")], vec![]);
    let guarded = || (vec![], vec![stop_of_it()]);
    let cases: [(Lists, &str); 2] = [
        (left, "pos-1 is still listed"),
        (guarded, "ord-8 still stands, which closes pos-1"),
    ];
    for (lists, why) in cases {
        let mut model = flipping();
        closed(&mut model);
        let (open, working) = lists();
        assert_eq!(placed(&reads(&mut model, open, working)), None, "{why}");
        let again = Effect::Poll(vec![Source::Positions, Source::Orders]);
        assert!(wait(&mut model, 600).contains(&again), "{why}");
        assert!(wake(&model).unwrap() <= model.account.now.plus(Duration::from_millis(500)));
        wait(&mut model, 10_000);
        let words = format!("flip stopped: nothing is opened: it took longer than 10 s ({why})");
        assert_eq!(said(&model), Some(words));
        opens_nothing(&mut model);
    }
}

#[test]
fn it_goes_on_once_a_stop_of_the_old_position_is_gone_too() {
    let mut model = flipping();
    closed(&mut model);
    assert_eq!(placed(&reads(&mut model, vec![], vec![stop_of_it()])), None);
    assert!(placed(&reads(&mut model, vec![], vec![])).is_some());
}

#[test]
fn what_is_opened_in_the_market_meanwhile_is_not_added_to() {
    let mut model = flipping();
    closed(&mut model);
    let other = position("pos-7", "BTC", "0.1", r#""leverage":10"#);
    assert_eq!(placed(&reads(&mut model, vec![other], vec![])), None);
    let words = "flip stopped: closed, nothing is opened: pos-7 is open in paper|BTC by now";
    assert_eq!(said(&model).as_deref(), Some(words));
    opens_nothing(&mut model);
}

#[test]
fn a_list_that_is_cut_or_fails_proves_nothing() {
    let mut model = flipping();
    closed(&mut model);
    wait(&mut model, 50);
    let cut = Page {
        unreadable: vec!["a row".into()],
        ..Page::of(vec![])
    };
    arrive(&mut model, Answer::Orders(Ok(Page::of(vec![]))));
    assert_eq!(
        placed(&arrive(&mut model, Answer::Positions(Ok(cut)))),
        None
    );
    let down = Failure::new(FailureKind::Unreachable, "down");
    let failed = arrive(&mut model, Answer::Positions(Err(down)));
    assert_eq!(placed(&failed), None);
    assert!(placed(&reads(&mut model, vec![], vec![])).is_some());
}

#[test]
fn an_opening_that_is_refused_leaves_the_account_flat_and_says_why() {
    let mut model = flipping();
    closed(&mut model);
    reads(&mut model, vec![], vec![]);
    let why = Failure::new(FailureKind::Invalid, "too little margin");
    settle(&mut model, SECOND, Err(why));
    let words = "flip stopped: the position is closed, the other way is refused: too little margin";
    assert_eq!(said(&model).as_deref(), Some(words));
    opens_nothing(&mut model);
}

#[test]
fn a_way_out_a_halt_or_another_close_in_between_ends_it() {
    let halt = |model: &mut Model| {
        let now = model.account.now;
        update(
            model,
            now,
            Msg::Halted(Some("the journal failed".to_owned())),
        );
        update(model, now, Msg::Halted(None));
    };
    let press_and = |keys: &'static str| {
        move |model: &mut Model| {
            press(model, keys);
        }
    };
    let between: Vec<Between> = vec![
        Box::new(press_and("X esc")),
        Box::new(press_and("F esc")),
        Box::new(press_and("K")),
        Box::new(press_and("c enter")),
        Box::new(halt),
        Box::new(|model| {
            let now = model.account.now;
            update(model, now, Msg::Flatten);
        }),
    ];
    for (at, between) in between.iter().enumerate() {
        for is_answered in [false, true] {
            let mut model = flipping();
            if is_answered {
                closed(&mut model);
            }
            between(&mut model);
            if !is_answered {
                closed(&mut model);
            }
            let waiting = model
                .account
                .workflows
                .waiting(&model.account.store)
                .count();
            assert_eq!(waiting, 0, "{at} {is_answered}");
            opens_nothing(&mut model);
        }
    }
}

#[test]
fn a_flip_that_is_stopped_says_why_and_whether_the_position_is_closed() {
    for (is_closed, state) in [
        (false, "the close of pos-1 continues"),
        (true, "pos-1 is closed"),
    ] {
        for (keys, cause) in [
            ("X", "close all positions on chal-1 was requested"),
            ("K", "cancel-all was requested"),
        ] {
            let mut model = flipping();
            if is_closed {
                closed(&mut model);
            }
            press(&mut model, keys);
            let words = format!("flip stopped: {cause}; {state}, nothing is opened");
            assert_eq!(said(&model), Some(words));
        }
    }
}

#[test]
fn a_halt_while_the_question_is_open_keeps_the_close_back_too() {
    let mut model = desk();
    press(&mut model, "I");
    wait(&mut model, 200);
    let now = model.account.now;
    let why = Msg::Halted(Some("the journal failed".to_owned()));
    update(&mut model, now, why);
    assert_eq!(press(&mut model, "y"), vec![]);
    assert_eq!(model.account.store.pending.len(), 0);
    let words = said(&model).unwrap();
    assert!(words.starts_with("flip: the desk is HALTED"), "{words}");
}

#[test]
fn the_checks_run_again_when_it_is_due() {
    let mut model = flipping();
    closed(&mut model);
    model.account.options.checks.max_size = Some(num("0.1"));
    assert_eq!(placed(&reads(&mut model, vec![], vec![])), None);
    let words = "flip stopped: closed 0.5, nothing is opened: size 0.5 is above max_size 0.1";
    assert_eq!(said(&model).as_deref(), Some(words));
    opens_nothing(&mut model);
}

#[test]
fn what_could_not_be_finished_is_not_begun() {
    let mut halted = desk();
    let now = halted.account.now;
    let why = Msg::Halted(Some("flattened".to_owned()));
    update(&mut halted, now, why);
    assert_eq!(press(&mut halted, "I"), vec![]);
    assert_eq!(halted.overlays, vec![]);
    assert!(
        said(&halted)
            .unwrap()
            .starts_with("flip: the desk is HALTED")
    );

    let mut twice = flipping();
    press(&mut twice, "I");
    assert_eq!(
        said(&twice).as_deref(),
        Some("flip: pos-1 is being closed already")
    );
}

#[test]
fn leaving_in_between_is_asked_about() {
    let mut model = flipping();
    closed(&mut model);
    assert_eq!(press(&mut model, "q"), vec![]);
    assert_eq!(model.overlays.len(), 1);
    assert_eq!(model.account.workflows.under_way(&model.account.store), 1);
}

#[test]
fn in_a_dry_run_the_close_is_told_and_nothing_follows() {
    let mut model = desk();
    model.account.options.dry_run = true;
    press(&mut model, "I");
    wait(&mut model, 200);
    let sent = press(&mut model, "y");
    assert!(closes(&sent).is_some());
    let why = Failure::dry_run("POST /v1/positions/pos-1/close");
    settle(&mut model, FIRST, Err(why));
    opens_nothing(&mut model);
}
