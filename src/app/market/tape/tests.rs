use super::*;

const START: Timestamp = Timestamp(1_000_000);

fn trade(id: u64, second: i64, price: i64, size: i64) -> PublicTrade {
    PublicTrade {
        id: Some(id),
        price: Num::from(price),
        size: Num::from(size),
        aggressor: if id.is_multiple_of(2) {
            Side::Buy
        } else {
            Side::Sell
        },
        at: Timestamp(START.0 + second * 1_000),
        is_own: None,
    }
}

fn merged(tape: &mut Tape, page: Vec<PublicTrade>, second: i64) {
    let now = Timestamp(START.0 + second * 1_000);
    tape.merge(page, now, now, None);
}

fn ids(tape: &Tape) -> Vec<Option<u64>> {
    tape.trades().map(|trade| trade.id).collect()
}

#[test]
fn pages_that_overlap_are_one_tape_the_newest_first() {
    let mut tape = Tape::default();
    merged(
        &mut tape,
        vec![trade(3, 3, 10, 1), trade(2, 2, 10, 1), trade(1, 1, 9, 1)],
        3,
    );
    let version = tape.version();
    merged(&mut tape, vec![trade(3, 3, 10, 1), trade(2, 2, 10, 1)], 4);
    assert_eq!(tape.version(), version, "nothing new");
    merged(
        &mut tape,
        vec![trade(5, 4, 11, 1), trade(4, 4, 11, 1), trade(3, 3, 10, 1)],
        5,
    );
    assert_eq!(ids(&tape), [5, 4, 3, 2, 1].map(Some));
    assert_eq!(tape.whole_since(), Some(trade(1, 1, 9, 1).at));
    merged(&mut tape, vec![trade(9, 9, 11, 1)], 9);
    assert_eq!(
        tape.whole_since(),
        Some(trade(9, 9, 11, 1).at),
        "6 to 8 are missing"
    );
}

#[test]
fn trades_without_ids_are_told_apart_by_time_and_number() {
    let bare = |second, price| PublicTrade {
        id: None,
        ..trade(0, second, price, 1)
    };
    let mut tape = Tape::default();
    merged(&mut tape, vec![bare(2, 10), bare(1, 9)], 2);
    merged(
        &mut tape,
        vec![bare(3, 11), bare(2, 12), bare(2, 10), bare(1, 9)],
        3,
    );
    let prices: Vec<_> = tape.trades().map(|trade| trade.price.to_i64()).collect();
    assert_eq!(prices, [11, 12, 10, 9].map(Some));
}

#[test]
fn the_volume_at_a_price_counts_eight_minutes_and_names_who_crossed() {
    let mut tape = Tape::default();
    merged(
        &mut tape,
        vec![trade(3, 400, 10, 4), trade(2, 2, 10, 2), trade(1, 1, 9, 1)],
        400,
    );
    let volume = |bought: i64, sold: i64| TradedVolume {
        bought: Num::from(bought),
        sold: Num::from(sold),
        large: 0,
    };
    let volumes = |tape: &Tape| tape.volume_at_price().clone();
    let all = BTreeMap::from([
        (Num::from(9_u32), volume(0, 1)),
        (Num::from(10_u32), volume(2, 4)),
    ]);
    assert_eq!(volumes(&tape), all);
    merged(&mut tape, vec![], 500);
    assert_eq!(
        volumes(&tape),
        BTreeMap::from([(Num::from(10_u32), volume(0, 4))])
    );
    assert_eq!(
        tape.trades().len(),
        3,
        "the recent trades stay, however old"
    );
}

#[test]
fn a_busy_tape_stays_bounded() {
    let mut tape = Tape::default();
    for page in 0..200_u64 {
        let page = (page * 90..page * 90 + 100).map(|id| {
            let second = i64::try_from(id / 50).unwrap();
            trade(id, second, 10 + i64::try_from(id % 7).unwrap(), 1)
        });
        merged(&mut tape, page.collect(), 360);
    }
    assert_eq!(tape.trades().len(), TRADES_KEPT);
    let total: i64 = tape
        .volume_at_price()
        .values()
        .filter_map(|volume| volume.total()?.to_i64())
        .sum();
    assert_eq!(
        usize::try_from(total),
        Ok(TRADES_KEPT),
        "the sums are those of the kept trades"
    );
    merged(&mut tape, vec![], 10_000);
    assert_eq!(
        (tape.trades().len(), tape.volume_at_price().len()),
        (TRADES_SHOWN, 0)
    );
}

#[test]
fn a_market_whose_numbers_begin_anew_begins_a_new_tape() {
    let mut tape = Tape::default();
    merged(
        &mut tape,
        vec![trade(51, 11, 10, 1), trade(50, 10, 10, 1)],
        11,
    );
    let version = tape.version();
    merged(&mut tape, vec![trade(50, 10, 10, 1)], 12);
    assert_eq!(ids(&tape), [51, 50].map(Some), "an old answer is not one");
    assert_eq!(tape.version(), version);
    merged(
        &mut tape,
        vec![trade(2, 13, 11, 3), trade(1, 12, 11, 1)],
        13,
    );
    assert_eq!(ids(&tape), [2, 1].map(Some));
    assert!(tape.version() > version);
    assert_eq!(tape.whole_since(), Some(trade(1, 12, 11, 1).at));
    let traded: Vec<_> = tape.volume_at_price().keys().copied().collect();
    assert_eq!(traded, [Num::from(11_u32)]);
}

/// A paper exchange that is reset reports the same trades again, from the start.
#[test]
fn a_source_whose_clock_went_back_begins_a_new_tape() {
    let at = |second: i64| Timestamp(START.0 + second * 1_000);
    let page = |ids: &[u64]| -> Vec<PublicTrade> {
        let second = |id: u64| i64::try_from(id).unwrap();
        ids.iter()
            .map(|id| trade(*id, second(*id), 10, 1))
            .collect()
    };
    let mut tape = Tape::default();
    tape.merge(page(&[3, 2, 1]), at(3), at(3), Some(at(3)));
    tape.merge(page(&[1]), at(4), at(4), Some(at(1)));
    assert_eq!(ids(&tape), [1].map(Some));
    tape.merge(vec![], at(5), at(5), Some(at(0)));
    assert_eq!(ids(&tape), []);
}

#[test]
fn an_empty_market_is_whole_since_the_services_time_not_the_desks() {
    let mut tape = Tape::default();
    let (desk, service) = (Timestamp(5), Timestamp(START.0));
    tape.merge(vec![], desk, service, None);
    assert_eq!(tape.whole_since(), Some(service));
    assert_eq!(tape.counts_since(service), Some(service));
    assert_eq!(tape.counts_since(service.plus(VOLUME_WINDOW)), None);
    assert!(!tape.is_stale(desk.plus(MARKET_STALE_AFTER)));
    assert!(tape.is_stale(desk.plus(MARKET_STALE_AFTER * 2)));
}

#[test]
fn the_delta_counts_from_its_reset_and_begins_anew_where_trades_are_missing() {
    let mut tape = Tape::default();
    assert_eq!(tape.delta(), None);
    // Odd numbers are sold, even ones bought.
    merged(&mut tape, vec![trade(2, 2, 10, 5), trade(1, 1, 9, 2)], 2);
    assert_eq!(tape.delta(), Some((Num::from(3_u32), trade(1, 1, 9, 1).at)));
    let now = Timestamp(START.0 + 10_000);
    tape.reset_delta(now);
    assert_eq!(tape.delta(), Some((Num::ZERO, now)));
    merged(&mut tape, vec![trade(3, 11, 10, 4), trade(2, 2, 10, 5)], 11);
    assert_eq!(tape.delta(), Some((Num::from(-4_i64), now)));
    merged(&mut tape, vec![trade(3, 11, 10, 4)], 700);
    assert_eq!(
        tape.delta(),
        Some((Num::from(-4_i64), now)),
        "trades that are too old for the volumes still count"
    );
    merged(&mut tape, vec![trade(8, 800, 10, 1)], 800);
    let since = trade(8, 800, 10, 1).at;
    assert_eq!(tape.delta(), Some((Num::ONE, since)), "4 to 7 are missing");
}

#[test]
fn a_large_trade_is_marked_at_its_price_while_its_volume_counts() {
    let mut tape = Tape::new(Some(Num::from(50_u32)));
    let large = |tape: &Tape| -> Vec<(Num, usize)> {
        let volumes = tape.volume_at_price().iter();
        let marked = volumes.filter(|(_, volume)| volume.large > 0);
        marked
            .map(|(price, volume)| (*price, volume.large))
            .collect()
    };
    let page = vec![trade(3, 3, 10, 5), trade(2, 2, 10, 4), trade(1, 1, 9, 6)];
    merged(&mut tape, page, 3);
    let [nine, ten] = [9_u32, 10].map(Num::from);
    assert_eq!(large(&tape), [(nine, 1), (ten, 1)]);
    tape.mark_large(Some(Num::from(40_u32)));
    assert_eq!(large(&tape), [(nine, 1), (ten, 2)]);
    tape.mark_large(None);
    assert_eq!(large(&tape), []);
    tape.mark_large(Some(Num::from(54_u32)));
    merged(&mut tape, vec![trade(3, 3, 10, 5)], 600);
    assert_eq!(large(&tape), [], "it is eight minutes old");
}
