//! The loop under a paused clock: how often it draws, and that it sleeps.

use super::*;
use crate::{
    app::{
        CloseAllRule, MarketAnswer, Options,
        account::poll::{Answer, Poll},
        keys::keymap::Keymap,
        testing,
    },
    config::{AlertCommand, Alerts, Checks, Fees, Guard, Motion, PresetTable},
    model::{Book, Dated, Level, Num, Page, Timestamp},
    runtime::base::in_flight::InFlight,
};
use futures_util::stream;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};
use tokio::{
    sync::mpsc::{Sender, channel, unbounded_channel},
    time::{Instant, sleep},
};

const SCREEN: Rect = Rect::new(0, 0, 100, 30);
const MINUTE: Duration = Duration::from_mins(1);
const FROZEN: Clock = Clock::Frozen(Timestamp(1_790_000_000_000));

pub(super) fn model() -> Model {
    moving(Motion::Full)
}

fn moving(motion: Motion) -> Model {
    let options = Options {
        close_all: CloseAllRule::Confirmed,
        intervals: BTreeMap::new(),
        ladder_one_key: false,
        checks: Checks::default(),
        size_presets: PresetTable::default(),
        brackets: PresetTable::default(),
        read_only: false,
        dry_run: false,
        ends_with_desk: false,
        zone: crate::model::Zone::utc(),
        alerts: Alerts::default(),
        alert_command: AlertCommand::default(),
        guard: Guard::default(),
        fees: Fees::default(),
        be_extra_ticks: 0,
        lists_markets: false,
        motion,
    };
    Model::new(
        options,
        crate::view::READING,
        Keymap::default(),
        FROZEN.now(),
    )
}

/// Runs the loop for `span` beside `feed`; returns the instants at which it drew.
async fn frames<F>(span: Duration, feed: impl FnOnce(Sender<Msg>) -> F) -> Vec<Duration>
where
    F: Future<Output = ()> + Send + 'static,
{
    drawn(model(), span, vec![], |inbox, _| feed(inbox)).await
}

/// The same; `feed` says which reads are in flight.
async fn drawn_while_reading<F>(
    span: Duration,
    feed: impl FnOnce(Sender<Msg>, InFlight) -> F,
) -> Vec<Duration>
where
    F: Future<Output = ()> + Send + 'static,
{
    let reads = InFlight::default();
    let beside_reads = |inbox, _| feed(inbox, reads.clone());
    Box::pin(drawn_beside(&reads, model(), span, vec![], beside_reads)).await
}

/// The same; the terminal reports `events` halfway, and accounts may be added.
async fn drawn<F>(
    model: Model,
    span: Duration,
    events: Vec<TerminalInput>,
    feed: impl FnOnce(Sender<Msg>, Sender<base::inboxes::AddedAccount>) -> F,
) -> Vec<Duration>
where
    F: Future<Output = ()> + Send + 'static,
{
    Box::pin(drawn_beside(
        &InFlight::default(),
        model,
        span,
        events,
        feed,
    ))
    .await
}

/// The same, beside these reads.
async fn drawn_beside<F>(
    in_flight: &InFlight,
    model: Model,
    span: Duration,
    events: Vec<TerminalInput>,
    feed: impl FnOnce(Sender<Msg>, Sender<base::inboxes::AddedAccount>) -> F,
) -> Vec<Duration>
where
    F: Future<Output = ()> + Send + 'static,
{
    let (_common, common) = channel(4);
    let (coming, newcomers) = channel(4);
    let (inbox, mail) = channel(4);
    let (effects, _wanted) = unbounded_channel();
    let post = base::inboxes::AccountInbox {
        mail,
        effects,
        in_flight: in_flight.clone(),
    };
    tokio::spawn(feed(inbox, coming));
    let reports = stream::once(sleep(span / 2)).flat_map(move |()| {
        let events = events.clone().into_iter().map(Ok);
        stream::iter(events)
    });
    let input = reports.chain(stream::once(async move {
        sleep(span / 2).await;
        Err(io::Error::other("the terminal is gone"))
    }));
    let channels = LoopChannels {
        input: Box::pin(input),
        keyboard: Keyboard::default(),
        render: |screen, account_set, state| ui::render_changes(screen, account_set, state),
        shown_frame: ShownFrame::Desk,
        inboxes: Inboxes::new(common, newcomers, post),
        clock: FROZEN,
        draw_state: DrawState::default(),
        is_dragging: false,
        terminal: Terminal::Plain,
        looks: ThemeSet::default(),
        settings_thread: SettingsThread::none(),
        events: EventLog::default(),
        attention: Attention::default(),
    };
    let (mut shown, start) = (vec![], Instant::now());
    run(
        channels,
        SCREEN,
        &mut AccountSet::of(model),
        |out| match out {
            Out::Frame(_) => shown.push(start.elapsed()),
            Out::Control(_) | Out::Repaint => {}
        },
    )
    .await;
    shown
}

fn polled(number: u32) -> Msg {
    let at = Timestamp(i64::from(number));
    let answer = Answer::Orders(Ok(Page::default()));
    Msg::Polled(Box::new(Poll { at, answer }))
}

#[tokio::test(start_paused = true)]
async fn a_desk_on_which_nothing_happens_draws_one_frame_and_rests() {
    let drawn = frames(Duration::from_hours(1), |inbox| async move {
        inbox.closed().await;
    });
    assert_eq!(drawn.await, [Duration::ZERO]);
}

#[tokio::test(start_paused = true)]
async fn a_pointer_that_presses_nothing_draws_nothing() {
    let [moved, up, drag, wheel, down] = [
        "\x1b[<35;11;11M",
        "\x1b[<0;11;11m",
        "\x1b[<32;11;11M",
        "\x1b[<65;11;11M",
        "\x1b[<0;11;11M",
    ]
    .map(|report| terminal::input::decode(report.as_bytes()));
    assert_eq!(moved, None);
    // Nothing was picked up that could be dragged.
    let idle = [up, drag].into_iter().flatten().collect();
    let span = Duration::from_secs(1);
    let rests = |inbox: Sender<Msg>, _| async move { inbox.closed().await };
    let still = drawn(model(), span, idle, rests).await;
    assert_eq!(still, [Duration::ZERO]);
    // Nothing there is longer than it shows: it says so.
    for input in [down, wheel] {
        let answered = drawn(model(), span, input.into_iter().collect(), rests).await;
        assert_eq!(answered, [Duration::ZERO, span / 2]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_polls_is_drawn_in_flocks() {
    let drawn = frames(Duration::from_secs(2), |inbox| async move {
        for number in 0..2_000 {
            inbox.send(polled(number)).await.unwrap();
            if number % 2 == 0 {
                sleep(Duration::from_millis(2)).await;
            }
        }
    });
    // In the first second the desk fills, which is drawn sooner.
    let drawn = drawn.await.into_iter();
    let count = drawn.filter(|at| *at >= Duration::from_secs(1)).count();
    assert!(
        (10..=18).contains(&count),
        "{count} frames in a second of a thousand polls"
    );
}

/// The answer that comes late is awaited, for the 60 ms that answers are gathered at most.
#[tokio::test(start_paused = true)]
async fn what_all_reads_brought_is_drawn_at_once_and_a_slow_one_is_waited_for_a_moment() {
    let drawn = drawn_while_reading(Duration::from_secs(8), |inbox, reads| async move {
        for slow in [0, 20, 200] {
            sleep(Duration::from_secs(2)).await;
            let in_flight = reads.begin();
            inbox.send(polled(1)).await.unwrap();
            sleep(Duration::from_millis(slow)).await;
            inbox.send(polled(2)).await.unwrap();
            drop(in_flight);
        }
        inbox.closed().await;
    });
    let millis: Vec<_> = drawn.await.iter().map(Duration::as_millis).collect();
    assert_eq!(millis, [0, 2_000, 4_020, 6_080, 6_220]);
}

#[tokio::test(start_paused = true)]
async fn where_motion_is_reduced_the_first_answers_and_news_are_drawn_at_once_and_polls_once_a_second()
 {
    let calm = moving(Motion::Reduced);
    let feed = |inbox: Sender<Msg>, _| async move {
        for number in 0..100 {
            inbox.send(polled(number)).await.unwrap();
            sleep(Duration::from_millis(25)).await;
        }
        let text = "filled".to_owned();
        let said = Msg::Notify(crate::app::activity::notice::Tone::Good, text);
        inbox.send(said).await.unwrap();
        inbox.closed().await;
    };
    let drawn = drawn(calm, Duration::from_millis(2_900), vec![], feed).await;
    let millis: Vec<_> = drawn.iter().map(Duration::as_millis).collect();
    assert_eq!(millis, [0, 4, 1_004, 2_004, 2_500]);
}

#[tokio::test(start_paused = true)]
async fn what_became_of_a_command_is_drawn_at_once_not_with_the_next_flock() {
    let drawn = frames(Duration::from_secs(1), |inbox| async move {
        sleep(Duration::from_millis(500)).await;
        inbox.send(polled(1)).await.unwrap();
        inbox
            .send(Msg::Notify(
                crate::app::activity::notice::Tone::Good,
                "filled".to_owned(),
            ))
            .await
            .unwrap();
        inbox.closed().await;
    });
    let millis: Vec<_> = drawn.await.iter().map(Duration::as_millis).collect();
    assert_eq!(millis, [0, 500]);
}

#[tokio::test(start_paused = true)]
async fn what_happens_unseen_on_another_account_draws_nothing() {
    let drawn = drawn(
        model(),
        Duration::from_secs(9),
        vec![],
        |_inbox, coming| async move {
            let (channel, other) = base::inboxes::account_channel();
            let options = model().account.options;
            let newcomer = base::inboxes::AddedAccount { options, channel };
            coming.send(newcomer).await.unwrap();
            for number in 1..=8 {
                sleep(Duration::from_secs(1)).await;
                other.inbox.send(polled(number)).await.unwrap();
            }
            let text = "halted".to_owned();
            let bad = Msg::Notify(crate::app::activity::notice::Tone::Alert, text);
            other.inbox.send(bad).await.unwrap();
            other.inbox.closed().await;
        },
    );
    let seconds: Vec<_> = drawn.await.iter().map(Duration::as_secs).collect();
    // The first frame, the new account, and its notice.
    assert_eq!(seconds, [0, 0, 8]);
}

#[tokio::test(start_paused = true)]
async fn a_frame_waits_for_no_read_of_an_account_that_is_not_shown() {
    let span = Duration::from_secs(4);
    let drawn = drawn(model(), span, vec![], |inbox, coming| async move {
        let (channel, other) = base::inboxes::account_channel();
        let options = model().account.options;
        let newcomer = base::inboxes::AddedAccount { options, channel };
        coming.send(newcomer).await.unwrap();
        sleep(Duration::from_secs(2)).await;
        let _read = other.in_flight.begin();
        inbox.send(polled(1)).await.unwrap();
        inbox.closed().await;
    });
    let millis: Vec<_> = drawn.await.iter().map(Duration::as_millis).collect();
    // The first frame, the new account, and the answer at once.
    assert_eq!(millis, [0, 4, 2_000]);
}

/// A desk drawn by `render` while these keys are pressed; its frames and effects.
/// The rows follow the market with the second book that is near an edge, also where it is the same book: only then is the
/// screen another one.
#[tokio::test(start_paused = true)]
async fn an_unchanged_book_draws_only_where_the_rows_of_the_ladder_move_with_it() {
    let mut model = testing::desk();
    testing::press(&mut model, "9");
    let book = |middle: i64| {
        let level = |price: i64| Level {
            price: price.into(),
            size: Num::ONE,
        };
        let (bids, asks) = (vec![level(middle - 1)], vec![level(middle + 1)]);
        MarketAnswer::Book(Ok(Some(Dated::undated(Book::new(bids, asks)))))
    };
    let instants = drawn(model, MINUTE, vec![], move |inbox, _| async move {
        let middles = [64_000, 64_000, 64_200, 64_200, 64_200, 64_200];
        for (second, middle) in (1_u32..).zip(middles) {
            sleep(Duration::from_secs(1)).await;
            let at = Timestamp(FROZEN.now().0 + i64::from(second));
            let market = "paper|BTC".into();
            let answer = Msg::MarketData(market, at, book(middle));
            inbox.send(answer).await.unwrap();
        }
        sleep(MINUTE).await;
    })
    .await;
    let seconds: BTreeSet<u64> = instants.iter().map(Duration::as_secs).collect();
    // The first book; the market far away, a warning; the rows move.
    assert_eq!(seconds, BTreeSet::from([0, 1, 3, 4]));
}

fn keys(keys: &str) -> Vec<TerminalInput> {
    let chords = keys.split(' ').map(|key| key.parse().unwrap());
    chords.map(TerminalInput::Key).collect()
}

async fn shown_by(render: Render, inputs: Vec<TerminalInput>) -> (Vec<Buffer>, Vec<Effect>) {
    let (_common, common) = channel(4);
    let (_coming, newcomers) = channel(4);
    let (_inbox, mail) = channel(4);
    let (effects, mut wanted) = unbounded_channel();
    let post = base::inboxes::AccountInbox {
        mail,
        effects,
        in_flight: InFlight::default(),
    };
    let presses = stream::iter(inputs).then(|input| async move {
        sleep(Duration::from_secs(1)).await;
        Ok(input)
    });
    let channels = LoopChannels {
        input: Box::pin(presses),
        keyboard: Keyboard::default(),
        inboxes: Inboxes::new(common, newcomers, post),
        clock: FROZEN,
        draw_state: DrawState::default(),
        is_dragging: false,
        render,
        shown_frame: ShownFrame::Desk,
        terminal: Terminal::Plain,
        looks: ThemeSet::default(),
        settings_thread: SettingsThread::none(),
        events: EventLog::default(),
        attention: Attention::default(),
    };
    let (mut shown, mut screen) = (vec![], Buffer::empty(SCREEN));
    let mut desk = AccountSet::of(crate::app::testing::desk());
    let over = run(channels, SCREEN, &mut desk, |out| match out {
        Out::Frame(changes) => {
            for part in &changes {
                ui::copy_over(&mut screen, part);
            }
            shown.push(screen.clone());
        }
        Out::Control(_) | Out::Repaint => {}
    });
    assert_eq!(over.await, LoopEnd::TerminalGone);
    (
        shown,
        std::iter::from_fn(|| wanted.try_recv().ok()).collect(),
    )
}

fn words(frame: &Buffer) -> String {
    let cells = frame.content.iter().map(ratatui::buffer::Cell::symbol);
    let text: String = cells.collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

// A panic while drawing must not end the desk.
#[tokio::test(start_paused = true)]
async fn a_screen_that_cannot_be_drawn_costs_the_frame_and_no_way_out() {
    // As on the terminal: a panic while drawing is reported on the screen only.
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !terminal::drawing::is_of_a_frame(info) {
            report(info);
        }
    }));
    let (shown, _) = shown_by(|_, _, _| panic!("a number too wide"), keys("j X")).await;
    let [first, .., last] = shown.as_slice() else {
        panic!("{} frames", shown.len());
    };
    let says = words(first);
    assert!(says.contains("X, F and ^C work"), "{says}");
    assert!(
        says.contains("a number too wide, src/runtime/tests.rs"),
        "{says}"
    );
    // The strip with the question is on the screen.
    let asks = words(last);
    assert!(asks.contains("closing 2 positions"), "{asks}");

    // The full screen returns as soon as it can be drawn.
    let mends: Render = |screen, account_set, state| {
        assert!(
            !account_set.shown().overlays.is_empty(),
            "nothing lies over it"
        );
        ui::render_changes(screen, account_set, state)
    };
    let (shown, _) = shown_by(mends, keys("j X")).await;
    let [first, .., last] = shown.as_slice() else {
        panic!("{} frames", shown.len());
    };
    assert!(words(first).contains("cannot be drawn"));
    assert!(!words(last).contains("cannot be drawn"));
}

#[tokio::test(start_paused = true)]
async fn a_paste_that_is_dropped_is_said() {
    let draws: Render = |screen, account_set, state| ui::render_changes(screen, account_set, state);
    let (shown, _) = shown_by(draws, vec![TerminalInput::DroppedPaste]).await;
    let says = words(shown.last().unwrap());
    assert!(
        says.contains("a paste was dropped: it is longer than 64 KiB"),
        "{says}"
    );
}
