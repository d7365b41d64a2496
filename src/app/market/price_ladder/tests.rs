use super::*;
use proptest::prelude::*;

const START: Timestamp = Timestamp(1_790_000_000_000);
const ROWS: usize = 21;

fn num(text: &str) -> Num {
    text.parse().unwrap()
}

fn quote(middle: Num, at: Timestamp) -> LadderQuote {
    LadderQuote {
        middle,
        tick: Tick::of(Num::ONE).unwrap(),
        at,
    }
}

impl PriceLadder {
    /// By rows of the ladder.
    fn step_cursor(&mut self, up: i64, from: Num) {
        let spacing = self.spacing().unwrap();
        self.step_cursor_by(spacing, up, from);
    }
}

fn later(millis: u64) -> Timestamp {
    START.plus(Duration::from_millis(millis))
}

/// BTC by 1, centred on 100.
fn ladder() -> PriceLadder {
    let mut ladder = PriceLadder::default();
    ladder.show(Some(&"paper|BTC".into()));
    ladder.drawn(ROWS);
    ladder.follow(quote(num("100"), START), LadderHold::Free, START);
    ladder
}

fn top(ladder: &PriceLadder) -> Num {
    ladder.prices(ROWS)[0]
}

#[test]
fn the_highest_price_is_on_top_and_rows_are_one_step_apart() {
    let mut ladder = ladder();
    assert_eq!(ladder.prices(5), ["102", "101", "100", "99", "98"].map(num));
    ladder.group(GroupStep::coarser);
    assert_eq!(ladder.prices(3), ["102", "100", "98"].map(num));
    ladder.group(|step| step.coarser().coarser().coarser().coarser());
    let prices = ladder.prices(9);
    assert_eq!(prices.last(), Some(&num("50")), "{prices:?}");
}

#[test]
fn rows_move_only_after_a_warning_and_then_jump_at_once() {
    let mut ladder = ladder();
    let generation = ladder.generation();
    ladder.follow(quote(num("107"), later(1)), LadderHold::Free, later(1));
    assert!(!ladder.is_leaving(), "four rows from the edge");
    ladder.follow(quote(num("108"), later(2)), LadderHold::Free, later(2));
    assert!(ladder.is_leaving());
    assert_eq!(
        (top(&ladder), ladder.generation()),
        (num("110"), generation)
    );
    ladder.follow(quote(num("108"), later(2)), LadderHold::Free, later(500));
    assert_eq!(top(&ladder), num("110"), "the same book moves nothing");
    ladder.follow(quote(num("109"), later(502)), LadderHold::Free, later(502));
    assert_eq!(top(&ladder), num("119"));
    assert!(ladder.generation() > generation && !ladder.is_leaving());
    assert!(ladder.is_deaf_to_keys(later(651)) && !ladder.is_deaf_to_keys(later(652)));
    assert!(ladder.is_deaf_to_clicks(later(801)) && !ladder.is_deaf_to_clicks(later(802)));
}

/// Follows the market far beyond the edge, some polls long.
fn run_away(ladder: &mut PriceLadder, hold: LadderHold, from: u64) {
    for poll in 1..=3 {
        let at = later(from + poll);
        ladder.follow(quote(num("400"), at), hold, at);
    }
}

#[test]
fn rows_that_are_held_do_not_move() {
    type Holding = fn(&mut PriceLadder);
    let holds: [Holding; 4] = [
        |ladder| ladder.step_cursor(1, num("100")),
        |ladder| ladder.pick_up("ord-1".into()),
        |ladder| ladder.scroll(2),
        |ladder| ladder.point(START),
    ];
    for hold in holds {
        let mut ladder = ladder();
        hold(&mut ladder);
        let before = top(&ladder);
        run_away(&mut ladder, LadderHold::Free, 0);
        assert_eq!(top(&ladder), before);
        assert!(ladder.is_leaving(), "and it is said");
    }
    let mut open = ladder();
    run_away(&mut open, LadderHold::Held, 0);
    assert_eq!(top(&open), num("110"), "a form is open");
    let mut pointed = ladder();
    pointed.point(START);
    run_away(&mut pointed, LadderHold::Free, 2_000);
    assert_eq!(top(&pointed), num("410"), "the mouse was still for 2 s");
}

#[test]
fn the_view_goes_with_the_cursor_and_centring_sends_it_home() {
    let mut ladder = ladder();
    ladder.step_cursor(1, num("101"));
    assert_eq!(ladder.cursor(), Some(num("101")), "from home to the market");
    ladder.step_cursor(10, num("101"));
    assert_eq!(ladder.cursor(), Some(num("111")));
    assert_eq!(top(&ladder), num("112"));
    ladder.centre(num("100"), START);
    assert_eq!((ladder.cursor(), top(&ladder)), (None, num("110")));
    ladder.pick_up("ord-1".into());
    ladder.put_cursor(num("90"));
    ladder.centre(num("100"), START);
    assert_eq!(ladder.cursor(), Some(num("90")), "it carries an order");
}

#[test]
fn steps_are_kept_by_market_and_another_market_begins_anew() {
    let mut ladder = ladder();
    ladder.group(GroupStep::coarser);
    ladder.step_cursor(1, num("100"));
    ladder.pick_up("ord-1".into());
    ladder.one_key.arm(START);
    let before = ladder.generation();
    assert!(ladder.show(Some(&"paper|ETH".into())), "it was armed");
    assert_eq!(ladder.step(), GroupStep::default());
    assert_eq!((ladder.cursor(), ladder.carried()), (None, None));
    assert!(ladder.generation() > before && !ladder.is_armed(START));
    ladder.show(Some(&"paper|BTC".into()));
    assert_eq!(ladder.step().ticks(), 2);
}

proptest! {
    #[test]
    fn the_cursor_keeps_its_price_while_the_market_walks(
        steps in proptest::collection::vec(-6_i64..=6, 1..200), up in -9_i64..=9,
    ) {
        let mut ladder = ladder();
        ladder.step_cursor(0, num("100"));
        ladder.step_cursor(up, num("100"));
        let (cursor, before) = (ladder.cursor(), top(&ladder));
        let mut middle = 100;
        for (poll, step) in (1..).zip(steps) {
            middle = (middle + step).max(1);
            ladder.follow(quote(middle.into(), later(poll)), LadderHold::Free, later(poll));
            prop_assert_eq!((ladder.cursor(), top(&ladder)), (cursor, before));
        }
    }

    #[test]
    fn rows_get_other_prices_only_with_another_generation(
        steps in proptest::collection::vec((-6_i64..=6, 0_u8..5), 1..200),
    ) {
        let mut ladder = ladder();
        let mut middle = 100;
        for (poll, (step, key)) in (1..).zip(steps) {
            let before = (ladder.generation(), ladder.prices(ROWS));
            middle = (middle + step).max(1);
            let at = later(poll * 600);
            match key {
                0 => ladder.step_cursor(step, middle.into()),
                1 => ladder.scroll(step),
                2 => ladder.centre(middle.into(), at),
                3 => ladder.group(if step > 0 { GroupStep::coarser } else { GroupStep::finer }),
                _ => ladder.follow(quote(middle.into(), at), LadderHold::Free, at),
            }
            if ladder.generation() == before.0 {
                prop_assert_eq!(ladder.prices(ROWS), before.1);
            }
        }
    }
}

#[test]
fn the_cursor_of_a_chart_goes_in_steps_that_are_rows_of_the_ladder_too() {
    let mut ladder = PriceLadder::default();
    ladder.show(Some(&"paper|BTC".into()));
    assert_eq!(
        ladder.spacing_on_chart(Some(num("17"))),
        None,
        "no tick is known"
    );
    ladder.tick = Tick::of(num("0.5"));
    let spacing = |ladder: &PriceLadder, row: Option<&str>| {
        let spacing = ladder.spacing_on_chart(row.map(num));
        spacing.unwrap().step().normalized()
    };
    assert_eq!(spacing(&ladder, None), num("0.5"));
    assert_eq!(spacing(&ladder, Some("0.1")), num("0.5"));
    assert_eq!(spacing(&ladder, Some("17")), num("10"));
    ladder.group(GroupStep::coarser);
    assert_eq!(
        spacing(&ladder, Some("3")),
        num("1"),
        "2.5 is no multiple of 1"
    );
    assert_eq!(
        spacing(&ladder, Some("0.6")),
        num("1"),
        "never finer than the ladder"
    );
}

#[test]
fn the_cursor_stays_in_view_where_fewer_rows_are_drawn() {
    let mut ladder = ladder();
    for _ in 0..30 {
        ladder.step_cursor(-1, num("100"));
    }
    let cursor = ladder.cursor().unwrap();
    ladder.drawn(9);
    assert!(ladder.prices(9).contains(&cursor), "{cursor}");
}
