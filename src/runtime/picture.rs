//! One frame of a running desk without a terminal: the same services, a script of keys, then the frame.

use crate::{
    app::{
        AccountScope, AccountSet, Effect, Model, Msg, PendingCommand, account::poll::Source,
        activity::notice::Horizon, keys::keymap::Chord, market_due,
    },
    model::{Call, Failure, FailureKind, Progress, Timestamp},
    runtime::{
        accounts::{
            services::{Opened, Services},
            trader_effects::Reach,
        },
        base::{
            clock::Clock,
            inboxes::{Inboxes, Incoming, account_channel},
        },
        desk::Start,
        terminal::drawing::news_of_frame,
    },
    ui::{self, DrawState},
    view::READING,
};
use ratatui::{buffer::Buffer, layout::Rect};
use std::{collections::BTreeSet, time::Duration};
use strum::IntoEnumIterator;
use tokio::{sync::mpsc::channel, time::timeout};

/// The pause between scripted keys: longer than a new strip ignores keys.
const BETWEEN_KEYS: Duration = Duration::from_millis(200);

/// What is requested of the markets may show that more is needed: an older page of candles. Not for ever.
const MARKET_ROUNDS: u32 = 4;

/// What a frame reports of itself may change the next one. Not for ever.
const FRAMES: u32 = 4;

/// How a desk is pictured.
#[derive(Debug, Clone, Copy)]
pub struct PictureOptions<'a> {
    pub size: Rect,
    pub keys: &'a [Chord],
    /// How long to wait for answers at the start and after each key; then the desk is shown as it is.
    pub patience: Duration,
}

/// The frame, and whether it is complete.
#[derive(Debug)]
pub struct Picture {
    pub frame: Buffer,
    /// Whether everything had answered.
    pub is_whole: bool,
    /// Why some data is missing that the service should have.
    pub trouble: Option<Failure>,
}

/// The frame after every source has answered, the keys are pressed, and their commands have settled.
pub async fn picture<F>(
    start: Start,
    clock: Clock,
    options: PictureOptions<'_>,
    opening: F,
) -> Picture
where
    F: Future<Output = Result<Opened, Failure>> + Send + 'static,
{
    let (common, common_mail) = channel(16);
    let (newcomers, coming) = channel(16);
    let (post, first) = account_channel();
    let services = Services {
        clock,
        reach: Reach::Nothing,
        export_dir: start.export_dir,
        journal_days: start.journal_days,
        common,
        newcomers,
        first,
    };
    let services = tokio::spawn(services.serve(start.options.clone(), opening));
    let mut model = Model::new(start.options, READING, start.keymap, clock.now());
    model.table_views.recall(start.columns);
    model.market_screen.recall(start.layouts);
    model.market_screen.lines = start.lines;
    let mut desk = PicturedDesk {
        account_set: AccountSet::of(model),
        inboxes: Inboxes::new(common_mail, coming, post),
        clock,
        options,
        draw_state: start.draw_state,
        frame: Buffer::empty(options.size),
        pressed: 0,
        accounts: vec![PendingAnswers::everything()],
        is_whole: true,
    };
    let size = Msg::Resized(options.size.width, options.size.height);
    desk.account_set
        .update(clock.now(), AccountScope::Shown, size);
    desk.settle().await;
    desk.draw();
    for key in options.keys {
        desk.press(*key).await;
        desk.draw();
    }
    services.abort();
    Picture {
        trouble: desk.account_set.accounts().find_map(trouble).cloned(),
        frame: desk.frame,
        is_whole: desk.is_whole,
    }
}

/// Why a source has never answered. An unconfigured source is no failure.
fn trouble(model: &Model) -> Option<&Failure> {
    let store = &model.account.store;
    let mut unpolled = Source::iter().filter(|source| store.polled_at(*source).is_none());
    unpolled.find_map(|source| {
        let why = store.trouble(source);
        why.filter(|why| why.kind != FailureKind::Local)
    })
}

/// The desk of the picture.
struct PicturedDesk<'a> {
    account_set: AccountSet,
    inboxes: Inboxes,
    clock: Clock,
    options: PictureOptions<'a>,
    draw_state: DrawState,
    /// The last one.
    frame: Buffer,
    pressed: u32,
    /// Per account.
    accounts: Vec<PendingAnswers>,
    /// Nothing timed out.
    is_whole: bool,
}

/// What an account still waits for.
struct PendingAnswers {
    /// Sources that have not answered since the last key that acted.
    sources: BTreeSet<Source>,
    /// Calls of a frozen picture, reported sorted and without times: their order and pace depend on the machine.
    calls: Vec<Call>,
    /// Answers to polls, minus reported calls: a call may be reported before or after its answer.
    answers: usize,
    reports: usize,
    /// Answers about prices since the positions were read.
    price_answers: usize,
}

/// The answer to a request for prices that left before the positions were known has none of theirs; the next one has.
const PRICE_ANSWERS: usize = 2;

impl PendingAnswers {
    fn everything() -> Self {
        Self {
            sources: Source::iter().collect(),
            calls: vec![],
            answers: 0,
            reports: 0,
            price_answers: 0,
        }
    }

    fn is_over(&self, model: &Model, clock: Clock) -> bool {
        let store = &model.account.store;
        let scaled = store
            .scaled
            .values()
            .all(|l| l.value().is_some() || l.trouble().is_some());
        let only_scaled =
            self.sources.iter().all(|s| *s == Source::Scaled) && store.scaled.is_empty();
        let answered = self.sources.is_empty() || only_scaled;
        let fetching = store.closed.is_fetching() || store.history.is_fetching();
        // A close-all between two rounds waits for time, which is frozen here.
        let rests = |command: &PendingCommand| {
            let between_rounds = matches!(command.progress, Progress::Running { .. });
            between_rounds && clock.is_frozen()
        };
        let resting = store
            .pending
            .values()
            .filter(|command| rests(command))
            .count();
        let awaits = model.account.awaits_market_data();
        let landed = store.parked().count() + resting == store.pending.len();
        let recalled = model.account.activity.horizon() != Horizon::Session;
        let explained = self.reports >= self.answers || !clock.is_frozen();
        answered && scaled && !fetching && !awaits && landed && recalled && explained
    }
}

impl PicturedDesk<'_> {
    /// Draws what is shown; the desk learns from the frame what it learns on a terminal: a key then acts as it does there.
    fn draw(&mut self) {
        for _ in 0..FRAMES {
            self.frame.reset();
            ui::render(&mut self.frame, &self.account_set, &mut self.draw_state);
            let Some(news) = news_of_frame(&self.draw_state, self.account_set.shown()) else {
                return;
            };
            self.take(AccountScope::Shown, news);
        }
    }

    fn now(&self) -> Timestamp {
        match self.clock {
            Clock::Running(_) => self.clock.now(),
            Clock::Frozen(instant) => instant.plus(BETWEEN_KEYS * self.pressed),
        }
    }

    async fn press(&mut self, key: Chord) {
        self.pressed += 1;
        self.take(AccountScope::Shown, super::pressed(key, self.options.size));
        while self.account_set.shown().table_views.are_sifting() {
            self.take(AccountScope::Shown, Msg::Tick);
        }
        if !self.account_set.shown().account.store.pending.is_empty() {
            self.settle().await;
            // Every source is read once more after the time step.
            let at = self.account_set.at();
            if let Some(account) = self.accounts.get_mut(at) {
                account.sources = Source::iter().collect();
            }
            self.inboxes
                .send(at, Effect::Poll(Source::iter().collect()));
        }
        self.settle().await;
    }

    /// Takes messages in until nothing is awaited, and requests what of the markets the frame then shows.
    async fn settle(&mut self) {
        for _ in 0..MARKET_ROUNDS {
            self.await_answers().await;
            let due = market_due(self.account_set.shown());
            if due.is_none_or(|due| due > self.now()) {
                return;
            }
            self.take(AccountScope::Shown, Msg::Tick);
        }
        self.await_answers().await;
    }

    /// Takes messages in until every awaited source has answered and nothing is on its way.
    async fn await_answers(&mut self) {
        let settled = timeout(self.options.patience, async {
            while !self.is_settled() {
                match self.inboxes.next().await {
                    Incoming::Msg(whose, msg) => self.hear(whose, msg),
                    Incoming::AddedAccount(options) => {
                        self.account_set.join(*options, self.now());
                        self.accounts.push(PendingAnswers::everything());
                    }
                }
            }
        });
        self.is_whole &= settled.await.is_ok();
        for at in 0..self.accounts.len() {
            let shown = self.accounts.get_mut(at);
            let mut calls = shown.map(|account| std::mem::take(&mut account.calls));
            let calls = calls.get_or_insert_default();
            calls.sort_by(|a, b| (a.method, &a.target).cmp(&(b.method, &b.target)));
            for call in calls.drain(..) {
                self.take(AccountScope::Account(at), Msg::CallEnded(call));
            }
        }
    }

    fn hear(&mut self, whose: AccountScope, msg: Msg) {
        let at = match whose {
            AccountScope::Shown => self.account_set.at(),
            AccountScope::Account(at) => at,
        };
        let Some(account) = self.accounts.get_mut(at) else {
            return;
        };
        let source = if let Msg::Polled(poll) = &msg {
            Some(poll.answer.source())
        } else {
            None
        };
        if let Some(source) = source {
            account.sources.remove(&source);
            account.answers += 1;
        }
        if source == Some(Source::Positions) {
            account.price_answers = 0;
        }
        if source == Some(Source::Markets) {
            account.price_answers += 1;
        }
        if let Msg::MarketData(_, _, answer) = &msg {
            account.answers += usize::from(answer.was_requested());
        }
        match (msg, self.clock) {
            (Msg::CallEnded(call), Clock::Frozen(_)) => {
                account.reports += 1;
                account.calls.push(Call {
                    elapsed: Duration::ZERO,
                    request_id: None,
                    date: None,
                    ..call
                });
            }
            (msg, _) => self.take(whose, msg),
        }
        if let Some(Source::Positions | Source::Markets) = source {
            self.await_prices(at);
        }
    }

    /// Where markets are quoted one by one, those of positions are requested once the positions are known.
    fn await_prices(&mut self, at: usize) {
        let mut accounts = self.account_set.accounts();
        let store = accounts.nth(at).map(|model| &model.account.store);
        let unpriced = store.is_some_and(|store| {
            let mut positions = store.positions.rows().iter();
            positions.any(|position| store.mark(&position.market_id).is_none())
        });
        if unpriced
            && !self.clock.is_frozen()
            && let Some(account) = self.accounts.get_mut(at)
            && account.price_answers < PRICE_ANSWERS
        {
            account.sources.insert(Source::Markets);
        }
    }

    fn is_settled(&self) -> bool {
        let mut all = self.accounts.iter().zip(self.account_set.accounts());
        all.all(|(account, model)| account.is_over(model, self.clock))
    }

    fn take(&mut self, whose: AccountScope, msg: Msg) {
        let now = self.now();
        for (at, effect) in self.account_set.update(now, whose, msg) {
            // Services that have ended answer nothing; the wait times out and the picture says so.
            self.inboxes.send(at, effect);
        }
    }
}
