use super::*;
use crate::{
    app::market::{
        data::RequestTime,
        wanted_data::{CandleWant, LADDER_EVERY, QuoteWant, SHOWN_EVERY, TradesWant},
    },
    model::{Candle, Dated, Interval, Num, Page, PublicTrade, Side, SizedQuote},
};

const MINUTE: Interval = Interval::Minute1;
const START: i64 = 1_790_000_040_000;

/// What is shown, what is known, and what time it is: answers come at once unless a test says otherwise.
struct Shown {
    polls: MarketPolls,
    data: MarketData,
    wanted_data: WantedMarketData,
    now: i64,
}

fn btc() -> MarketId {
    "paper|BTC".into()
}

fn chart(since: Option<Timestamp>) -> Vec<CandleWant> {
    vec![CandleWant {
        market_id: btc(),
        interval: MINUTE,
        since,
    }]
}

fn candle(open_time: i64) -> Candle {
    Candle {
        open_time: Timestamp(open_time),
        open: Num::ONE,
        high: Num::ONE,
        low: Num::ONE,
        close: Num::ONE,
        volume: None,
        turnover: None,
        trades: None,
        is_closed: true,
        is_synthetic: false,
    }
}

impl Shown {
    fn new(wanted_data: WantedMarketData) -> Self {
        Self {
            polls: MarketPolls::default(),
            data: MarketData::default(),
            wanted_data,
            now: START,
        }
    }

    fn time(&self) -> PollTime {
        PollTime {
            now: Timestamp(self.now),
            service_now: Timestamp(self.now),
            price_interval: Duration::from_secs(1),
            lead: Duration::ZERO,
        }
    }

    fn asks(&mut self) -> Vec<MarketRequest> {
        let time = self.time();
        let asked = self.polls.ask(&self.wanted_data, &mut self.data, time);
        asked.into_iter().map(|(_, request)| request).collect()
    }

    fn answer(&mut self, answer: MarketAnswer) {
        self.polls.answered(&btc(), &answer);
        let at = RequestTime {
            desk: Timestamp(self.now),
            service: Timestamp(self.now),
        };
        self.data.arrive(&btc(), at, answer);
    }

    /// Candles of these minutes before the start.
    fn answer_candles(&mut self, before: Option<Timestamp>, minutes: std::ops::Range<i64>) {
        let rows = minutes.rev().map(|ago| candle(START - ago * 60_000));
        let page = Dated::undated(Page::of(rows.collect()));
        self.answer(MarketAnswer::Candles(MINUTE, before, Ok(Some(page))));
    }

    fn next_due(&self) -> Option<i64> {
        let due = self
            .polls
            .next_due(&self.wanted_data, &self.data, self.time());
        due.map(|due| due.0 - self.now)
    }
}

fn ladder(market: &str, every: Duration) -> WantedMarketData {
    let mut wanted_data = WantedMarketData::default();
    wanted_data.want_ladder(market.into(), 40, every);
    wanted_data
}

#[test]
fn two_charts_of_a_market_each_ask_for_their_own_interval() {
    let mut shown = Shown::new(WantedMarketData {
        candles: [Interval::Minute1, Interval::Minute5]
            .map(|interval| CandleWant {
                interval,
                ..chart(None).remove(0)
            })
            .into(),
        ..WantedMarketData::default()
    });
    let page = |interval| MarketRequest::Candles {
        interval,
        before: None,
        limit: 500,
    };
    let both = [page(Interval::Minute1), page(Interval::Minute5)];
    assert_eq!(shown.asks(), both);
}

fn candles(before: Option<Timestamp>, limit: u32) -> MarketRequest {
    MarketRequest::Candles {
        interval: MINUTE,
        before,
        limit,
    }
}

#[test]
fn a_chart_asks_for_a_page_then_for_the_last_rows_and_for_each_older_page_once() {
    let mut shown = Shown::new(WantedMarketData {
        candles: chart(None),
        ..WantedMarketData::default()
    });
    assert_eq!(shown.asks(), [candles(None, 500)]);
    assert_eq!(shown.asks(), []);
    shown.answer_candles(None, 0..500);
    assert_eq!((shown.asks(), shown.next_due()), (vec![], Some(1_000)));
    shown.now += 1_000;
    assert_eq!(shown.asks(), [candles(None, 2)]);
    shown.answer_candles(None, 0..2);
    shown.now += 3 * 60_000;
    assert_eq!(
        shown.asks(),
        [candles(None, 5)],
        "those that opened meanwhile too"
    );
    shown.answer_candles(None, -3..2);

    let oldest = Timestamp(START - 499 * 60_000);
    shown.wanted_data.candles = chart(Some(Timestamp(START - 499 * 60_000)));
    assert_eq!(shown.asks(), []);
    shown.wanted_data.candles = chart(Some(Timestamp(START - 600 * 60_000)));
    assert_eq!(shown.asks(), [candles(Some(oldest), 1_000)]);
    assert_eq!(shown.asks(), [], "once until it is answered");
    shown.answer_candles(Some(oldest), 500..1_500);
    assert_eq!(shown.asks(), [], "the chart does not reach further back");
    let series = shown.data.candles(&btc(), MINUTE).unwrap();
    assert_eq!(series.rows().len(), 1_503);
}

#[test]
fn the_book_and_the_trades_that_are_acted_on_are_renewed_twice_a_second() {
    let mut shown = Shown::new(ladder("paper|BTC", LADDER_EVERY));
    let book = MarketRequest::Book { depth: Some(40) };
    let trades = |limit| MarketRequest::Trades { limit };
    assert_eq!(shown.asks(), [book, trades(1_000)]);
    let trade = PublicTrade {
        id: Some(1),
        price: Num::ONE,
        size: Num::ONE,
        aggressor: Side::Buy,
        at: Timestamp(START),
        is_own: None,
    };
    let page = Dated::undated(Page::of(vec![trade]));
    shown.answer(MarketAnswer::Trades(Ok(Some(page))));
    shown.answer(MarketAnswer::Book(Ok(Some(Dated::default()))));
    assert_eq!(shown.next_due(), Some(500));
    shown.now += 499;
    assert_eq!(shown.asks(), []);
    shown.now += 1;
    assert_eq!(shown.asks(), [book, trades(100)]);
}

/// Beside the ladder's keys the book is renewed with the account, however the two clocks of them lie.
#[test]
fn what_falls_due_soon_is_asked_for_with_the_account_and_never_more_than_twice_a_second() {
    let mut shown = Shown::new(ladder("paper|BTC", SHOWN_EVERY));
    let lead = Duration::from_millis(100);
    let ask_on_beat = |shown: &mut Shown| {
        let time = PollTime {
            lead,
            ..shown.time()
        };
        let asked = shown.polls.ask(&shown.wanted_data, &mut shown.data, time);
        shown.answer(MarketAnswer::Book(Ok(Some(Dated::default()))));
        shown.answer(MarketAnswer::Trades(Ok(Some(Dated::default()))));
        asked.len()
    };
    assert_eq!(ask_on_beat(&mut shown), 2);
    shown.now += 899;
    assert_eq!(ask_on_beat(&mut shown), 0);
    shown.now += 1;
    assert_eq!(ask_on_beat(&mut shown), 2);
    assert_eq!(shown.next_due(), Some(1_000), "two seconds after the first");
    shown.wanted_data = ladder("paper|BTC", LADDER_EVERY);
    shown.now += 450;
    assert_eq!(ask_on_beat(&mut shown), 2);
    shown.now += 400;
    assert_eq!(ask_on_beat(&mut shown), 0, "the budget is spent");
}

#[test]
fn whoever_runs_through_the_markets_causes_two_requests_of_a_kind_a_second() {
    let mut shown = Shown::new(WantedMarketData::default());
    let mut sent = vec![];
    for step in 0..100_i64 {
        shown.wanted_data = ladder(&format!("paper|{}", step % 7), LADDER_EVERY);
        shown.wanted_data.trades = None;
        shown.now = START + step * 30;
        sent.extend(shown.asks().iter().map(|_| shown.now));
    }
    for at in &sent {
        let within = sent
            .iter()
            .filter(|other| (0..1_000).contains(&(*other - at)));
        assert!(within.count() <= 2, "{sent:?}");
    }
    assert_eq!(sent.len(), 6);
    shown.wanted_data = WantedMarketData::default();
    assert_eq!((shown.asks(), shown.next_due()), (vec![], None));
    shown.now += 60_000;
    shown.asks();
    assert_eq!(
        shown.polls.last,
        BTreeMap::new(),
        "nothing is remembered of what is gone"
    );
}

/// A page that does not reach back to the known rows would replace them all.
#[test]
fn the_newest_candles_reach_back_to_the_known_ones_however_late_they_are() {
    let second = Interval::Second1;
    let mut shown = Shown::new(WantedMarketData {
        candles: vec![CandleWant {
            interval: second,
            ..chart(None).remove(0)
        }],
        ..WantedMarketData::default()
    });
    let page = |newest: i64, limit: i64| {
        let rows = (newest - limit + 1..=newest).map(|ahead| candle(START + ahead * 1_000));
        let page = Dated::undated(Page::of(rows.collect()));
        MarketAnswer::Candles(second, None, Ok(Some(page)))
    };
    shown.asks();
    shown.answer(page(0, 500));
    for newest in [1, 16, 17] {
        shown.now = START + newest * 1_000;
        let asked = shown.asks();
        let [MarketRequest::Candles { limit, .. }] = asked[..] else {
            panic!("{asked:?}");
        };
        // The answer is made 14 s after the request.
        shown.answer(page(newest + 14, limit.into()));
    }
    let series = shown.data.candles(&btc(), second).unwrap();
    assert_eq!(series.rows().len(), 500 + 31);
}

#[test]
fn a_series_that_few_rows_have_replaced_is_filled_up_to_a_page_again() {
    let mut shown = Shown::new(WantedMarketData {
        candles: chart(None),
        ..WantedMarketData::default()
    });
    shown.asks();
    shown.answer_candles(None, 0..500);
    shown.now += 3_600_000;
    assert_eq!(shown.asks(), [candles(None, 62)]);
    shown.answer_candles(None, -60..-50);
    let oldest = Timestamp(START + 51 * 60_000);
    assert_eq!(shown.asks(), [candles(Some(oldest), 1_000)]);
}

#[test]
fn after_a_pause_as_many_trades_are_asked_for_as_at_first() {
    let mut shown = Shown::new(WantedMarketData {
        trades: Some(TradesWant {
            market_id: btc(),
            every: LADDER_EVERY,
        }),
        ..WantedMarketData::default()
    });
    let trades = |limit| MarketRequest::Trades { limit };
    let answer = |shown: &mut Shown, id| {
        let trade = PublicTrade {
            id: Some(id),
            price: Num::ONE,
            size: Num::ONE,
            aggressor: Side::Buy,
            at: Timestamp(shown.now),
            is_own: None,
        };
        let page = Dated::undated(Page::of(vec![trade]));
        shown.answer(MarketAnswer::Trades(Ok(Some(page))));
    };
    assert_eq!(shown.asks(), [trades(1_000)]);
    answer(&mut shown, 1);
    shown.now += 500;
    assert_eq!(shown.asks(), [trades(100)]);
    answer(&mut shown, 2);
    shown.now += 60_000;
    assert_eq!(
        shown.asks(),
        [trades(1_000)],
        "what traded within the minute"
    );
    answer(&mut shown, 900);
    shown.now += 500;
    assert_eq!(shown.asks(), [trades(100)]);
}

#[test]
fn a_chart_that_reaches_far_back_asks_for_two_older_pages_a_second() {
    let mut shown = Shown::new(WantedMarketData {
        candles: chart(Some(Timestamp(START - 20_000 * 60_000))),
        ..WantedMarketData::default()
    });
    shown.asks();
    shown.answer_candles(None, 0..500);
    let (mut sent, mut known) = (vec![], 500);
    for step in 0..60_i64 {
        shown.now = START + step * 50;
        for request in shown.asks() {
            if let MarketRequest::Candles {
                before: Some(before),
                ..
            } = request
            {
                sent.push(step * 50);
                shown.answer_candles(Some(before), known..known + 1_000);
                known += 1_000;
            }
        }
        let due = shown
            .polls
            .next_due(&shown.wanted_data, &shown.data, shown.time());
        let is_spent = sent.len() % 2 == 0;
        assert!(
            !is_spent || due > Some(Timestamp(shown.now)),
            "the desk would spin at {step}"
        );
    }
    assert_eq!(sent, [0, 50, 1_000, 1_050, 2_000, 2_050]);
}

#[test]
fn a_quote_of_the_written_order_is_asked_for_once_a_second_whatever_is_typed() {
    let mut shown = Shown::new(WantedMarketData::default());
    let mut sent = vec![];
    for step in 0..100_i64 {
        shown.wanted_data.quote = Some(QuoteWant {
            market_id: format!("paper|{}", step % 2).into(),
            side: Side::Buy,
            size: Num::from(step + 1),
        });
        shown.now = START + step * 40;
        let time = shown.time();
        for (market, request) in shown.polls.ask(&shown.wanted_data, &mut shown.data, time) {
            let MarketRequest::Quote { side, size } = request else {
                panic!("{request:?}");
            };
            let quote = crate::model::Quote::default();
            let answer = MarketAnswer::Quote(Ok(SizedQuote { side, size, quote }));
            shown.polls.answered(&market, &answer);
            sent.push(shown.now - START);
        }
    }
    assert_eq!(sent, [0, 1_000, 2_000, 3_000]);
    shown.wanted_data.quote = None;
    assert_eq!(
        (shown.asks(), shown.next_due()),
        (vec![], None),
        "no form is open"
    );
}

#[test]
fn what_a_stream_tells_is_read_every_fifteen_seconds_and_at_once_when_the_stream_is_late_or_gone() {
    let mut shown = Shown::new(ladder("paper|BTC", LADDER_EVERY));
    let book = || MarketAnswer::Book(Ok(Some(Dated::default())));
    let trades = || MarketAnswer::Trades(Ok(Some(Dated::undated(Page::of(vec![])))));
    assert_eq!(shown.asks().len(), 2);
    shown.answer(book());
    shown.answer(trades());
    let mut asked = vec![];
    for tenth in 1..=160 {
        shown.now = START + tenth * 100;
        for answer in [book(), trades()] {
            shown.polls.streamed(&btc(), &answer, Timestamp(shown.now));
        }
        for _ in shown.asks() {
            asked.push(tenth);
        }
        shown.answer(book());
        shown.answer(trades());
    }
    assert_eq!(asked, [150, 150]);
    // The stream is quiet: both are requested with a beat of the account, or soon after none has come.
    assert_eq!(shown.next_due(), Some(2_200));
    shown.now += 1_000;
    assert_eq!(shown.asks().len(), 0);
    shown.now += 1_000;
    assert_eq!(shown.asks().len(), 2);
    shown.answer(book());
    shown.answer(trades());
    assert_eq!(shown.next_due(), Some(2_200));
    shown.polls.stream_lost();
    shown.now += 1_000;
    assert!(shown.next_due() <= Some(0));
    assert_eq!(shown.asks().len(), 2);
}
