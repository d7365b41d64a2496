//! Everything that shows is true: while markets and account move at random, each number on the screen is compared with the
//! facts that the desk was told.

use crate::{
    desk::{self, num, order, position},
    dump::press,
    kept::polled,
    price_ladder::tell,
};
use perpdeck::{
    app::{Model, Msg, account::poll::Answer, market::market_spot::LadderEvent, update},
    model::{
        AccountFacts, Book, Level, Market, MarketId, Num, Order, Page, Position, Side, Tick,
        Timestamp, Zone,
    },
    ui::{self, DrawState, Theme, picture},
};
use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::json;
use std::collections::BTreeMap;

const SIZES: [(u16, u16); 3] = [(200, 60), (120, 40), (80, 24)];
/// Each shows another pane where there is no room for all.
const PLACES: [&str; 5] = ["2", "9", "9.", "9]]", "9[["];
const STEPS: u64 = 20;

struct Coin {
    symbol: &'static str,
    /// At the beginning, with one digit more than its tick.
    mark: i64,
    /// Of a price, and of a size.
    tick_decimals: u32,
    lot_decimals: u32,
    /// The largest size, in lots.
    most: i64,
}

const COINS: [Coin; 4] = [
    coin("BTC", 640_185, 0, 5, 300_000),
    coin("ETH", 295_735, 1, 4, 900_000),
    coin("SOL", 149_621, 2, 2, 90_000),
    coin("DOGE", 122_013, 5, 0, 900_000),
];

const fn coin(
    symbol: &'static str,
    mark: i64,
    tick_decimals: u32,
    lot_decimals: u32,
    most: i64,
) -> Coin {
    Coin {
        symbol,
        mark,
        tick_decimals,
        lot_decimals,
        most,
    }
}

/// Numbers that look random, and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).unwrap() % end
    }

    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below(high - low)
    }

    fn is_one_of(&mut self, sides: i64) -> bool {
        self.below(sides) == 0
    }
}

/// What the desk is told.
struct Facts {
    markets: Vec<Market>,
    positions: Vec<Position>,
    orders: Vec<Order>,
    account: AccountFacts,
    book: Book,
}

impl Facts {
    /// `None` if the service lacks it just now.
    fn mark(&self, id: &MarketId) -> Option<Num> {
        let market = self.markets.iter().find(|market| market.id == *id);
        market?.mark
    }

    fn position(&self, symbol: &str) -> Option<&Position> {
        let mut positions = self.positions.iter();
        positions.find(|position| position.symbol.to_string() == symbol)
    }

    fn exit(&self, position: &Position, kind: &str) -> Option<&Order> {
        let id = format!("{kind}-{}", position.id);
        self.orders.iter().find(|order| order.id.to_string() == id)
    }

    fn unrealized(&self, position: &Position) -> Option<Num> {
        Some(profit(position, self.mark(&position.market_id)?))
    }
}

/// (mark − entry) × size, by hand.
fn profit(position: &Position, at: Num) -> Num {
    let per_coin = at.minus(position.entry_price.unwrap()).unwrap();
    let profit = per_coin.times(position.size.abs()).unwrap();
    if position.size.is_negative() {
        profit.negated()
    } else {
        profit
    }
}

/// A world that moves.
struct World {
    dice: Dice,
    marks: [i64; 4],
}

impl World {
    /// Mostly a little, at times as after news.
    fn moves(&mut self) {
        for (coin, mark) in COINS.iter().zip(&mut self.marks) {
            let most = if self.dice.is_one_of(8) { 60 } else { 3 };
            let permille = self.dice.between(-most, most + 1);
            *mark =
                (*mark + *mark * permille / 1_000).clamp(coin.mark * 6 / 10, coin.mark * 14 / 10);
        }
    }

    fn facts(&mut self) -> Facts {
        let (mut positions, mut orders) = (vec![], vec![]);
        for (coin, mark) in COINS.iter().zip(self.marks) {
            // The first one is always held: the market panels show its market.
            if coin.symbol == "BTC" || !self.dice.is_one_of(4) {
                let held = self.held(coin, mark);
                orders.extend(self.exits(&held, coin, mark));
                positions.push(held);
            }
            orders.extend(self.resting(coin, mark));
        }
        let markets = desk::markets().into_iter().zip(&COINS).zip(self.marks);
        let without_mark = self.dice.below(12);
        let markets = markets.zip(0..);
        let markets = markets.map(|(((market, coin), mark), number)| Market {
            // BTC has one always: the ladder is drawn around it.
            mark: (number == 0 || number != without_mark)
                .then(|| Num::new(mark, coin.tick_decimals + 1)),
            ..market
        });
        let usd = |dice: &mut Dice, most: i64| Some(Num::new(dice.between(-most, most), 3));
        let dice = &mut self.dice;
        let account = AccountFacts {
            equity: Some(Num::new(dice.between(1, 500_000_000), 3)),
            available_margin: Some(Num::new(dice.between(1, 500_000_000), 3)),
            day_pnl: usd(dice, 9_000_000),
            daily_loss_left: Some(Num::new(dice.between(0, 10_001), 4)),
            ..AccountFacts::default()
        };
        Facts {
            markets: markets.collect(),
            positions,
            orders,
            account,
            book: self.book(),
        }
    }

    fn held(&mut self, coin: &Coin, mark: i64) -> Position {
        let dice = &mut self.dice;
        let is_long = dice.is_one_of(2);
        let away = |permille: i64| {
            let signed = if is_long { -permille } else { permille };
            mark * (1_000 + signed) / 1_000
        };
        let liquidation = (!dice.is_one_of(5)).then(|| away(dice.between(60, 600)));
        let entry = mark * dice.between(850, 1_150) + dice.below(1_000);
        let size = dice.between(1, coin.most);
        let over = json!({
            "size": Num::new(if is_long { size } else { -size }, coin.lot_decimals), "size_decimals": coin.lot_decimals,
            "entry_price": Num::new(entry, coin.tick_decimals + 4), "leverage": dice.between(1, 51),
            "liquidation_price": liquidation.map(|price| Num::new(price, coin.tick_decimals + 1)),
            "isolated_margin_extra": dice.is_one_of(3).then_some(250),
        });
        position(&format!("pos-{}", coin.symbol), coin.symbol, &over)
    }

    /// A stop, a target, both or none; for all of the position, for a part or for more.
    fn exits(&mut self, held: &Position, coin: &Coin, mark: i64) -> Vec<Order> {
        let is_long = !held.size.is_negative();
        let kinds = [("stop", "stop_market", -1), ("target", "take_profit", 1)];
        let wanted = kinds.into_iter().filter_map(|(name, kind, sign)| {
            let dice = &mut self.dice;
            if dice.is_one_of(3) {
                return None;
            }
            let away = sign * dice.between(5, 50) * if is_long { 1 } else { -1 };
            let share = [100, 100, 50, 133]
                .into_iter()
                .nth(usize::try_from(dice.below(4)).unwrap());
            let size = held.size.abs().times(Num::new(share?, 2))?;
            let size = size
                .truncated(coin.lot_decimals)
                .max(Num::new(1, coin.lot_decimals));
            let over = json!({
                "type": kind, "mode": kind, "side": if is_long { "sell" } else { "buy" },
                "size": size, "initial_size": size, "reduce_only": true, "status": "pending",
                "trigger_price": on_tick(mark * (1_000 + away) / 1_000, coin),
                "trigger_direction": if away > 0 { "above" } else { "below" },
                "target_position_id": held.id,
            });
            Some(order(&format!("{name}-{}", held.id), coin.symbol, &over))
        });
        wanted.collect()
    }

    /// A bid and an ask near the market, or one of them.
    fn resting(&mut self, coin: &Coin, mark: i64) -> Vec<Order> {
        let sides = [("buy", -1), ("sell", 1)];
        let wanted = sides.into_iter().filter_map(|(side, sign)| {
            let dice = &mut self.dice;
            if dice.is_one_of(2) {
                return None;
            }
            let price = on_tick(mark + sign * dice.between(20, 90), coin);
            let size = Num::new(dice.between(1, coin.most), coin.lot_decimals);
            let over =
                json!({"side": side, "size": size, "initial_size": size, "limit_price": price});
            Some(order(
                &format!("{side}-{}", coin.symbol),
                coin.symbol,
                &over,
            ))
        });
        wanted.collect()
    }

    /// Of BTC: sizes of every length, and prices at which nothing rests.
    fn book(&mut self) -> Book {
        let mark = self.marks[0] / 10;
        let dice = &mut self.dice;
        let spread = if dice.is_one_of(6) {
            25
        } else {
            dice.between(1, 4)
        };
        let mut levels = |best: i64, step: i64| {
            let rows = (0..30).filter_map(|row| {
                let most =
                    [90, 9_000, 900_000, 90_000_000][usize::try_from(dice.below(4)).unwrap()];
                let size = Num::new(dice.between(1, most), 5);
                let price = (best + step * row).into();
                (row == 0 || !dice.is_one_of(4)).then_some(Level { price, size })
            });
            rows.collect()
        };
        Book::new(levels(mark, -1), levels(mark + spread, 1))
    }
}

/// A price with one digit too many, on its market's grid.
fn on_tick(price: i64, coin: &Coin) -> Num {
    Num::new(price / 10, coin.tick_decimals)
}

fn told(model: &mut Model, facts: &Facts) {
    let later = Timestamp(model.account.now.0 + 1_000);
    update(model, later, Msg::Tick);
    polled(model, Answer::Markets(Ok(facts.markets.clone())));
    let account = AccountFacts {
        as_of: Some(later),
        ..facts.account.clone()
    };
    polled(model, Answer::Account(Ok(account)));
    polled(
        model,
        Answer::Positions(Ok(Page::of(facts.positions.clone()))),
    );
    polled(model, Answer::Orders(Ok(Page::of(facts.orders.clone()))));
    tell(model, facts.book.clone());
}

/// The frame that follows once the ladder knows how many rows it has.
fn drawn(model: &mut Model, (width, height): (u16, u16)) -> Buffer {
    let now = model.account.now;
    update(model, now, Msg::Resized(width, height));
    let mut draw_state = DrawState::new(Theme::default(), Zone::utc());
    let mut frame = Buffer::empty(Rect::new(0, 0, width, height));
    ui::render(&mut frame, &*model, &mut draw_state);
    if let Some(rows) = draw_state.ladder_rows() {
        update(model, now, Msg::Ladder(LadderEvent::Drawn(rows)));
        frame.reset();
        ui::render(&mut frame, &*model, &mut draw_state);
    }
    frame
}

/// One line of the screen by cells.
type Line = Vec<char>;

fn text(cells: &[char]) -> String {
    cells.iter().collect()
}

/// The lines inside the border whose title has `title`.
fn pane(screen: &[Line], title: &str) -> Option<Vec<Line>> {
    screen.iter().enumerate().find_map(|(top, line)| {
        let corners = line.iter().enumerate().filter(|(_, cell)| **cell == '╭');
        corners.map(|(left, _)| left).find_map(|left| {
            let right = line.iter().skip(left).position(|cell| *cell == '╮')? + left;
            let name = text(line.get(left..right)?);
            let below = screen.get(top + 1..)?.iter();
            let inside = below.take_while(|line| line.get(left) != Some(&'╰'));
            let inside = inside.map(|line| line[left + 1..right].to_vec());
            name.contains(title).then(|| inside.collect())
        })
    })
}

/// Where each title of `titles` begins and ends in the line of headings.
fn columns(headings: &[char], titles: &[&'static str]) -> BTreeMap<&'static str, (usize, usize)> {
    let mut found = BTreeMap::new();
    let mut at = 0;
    while at < headings.len() {
        let rest = text(&headings[at..]);
        let named = |title: &&&str| {
            rest.strip_prefix(**title)
                .is_some_and(|after| after.is_empty() || after.starts_with(' '))
        };
        let title = titles.iter().filter(named).max_by_key(|title| title.len());
        let word = rest.find(' ').unwrap_or(rest.len()).max(1);
        let end = at + title.map_or(rest[..word].chars().count(), |title| title.len());
        if let Some(title) = title {
            found.entry(*title).or_insert((at, end));
        }
        at = end.max(at + 1);
        while headings.get(at) == Some(&' ') {
            at += 1;
        }
    }
    found
}

/// The word that ends at or before a column's end.
fn word_before(line: &[char], end: usize) -> String {
    let line = text(&line[..end.min(line.len())]);
    line.split_whitespace().next_back().unwrap_or("").to_owned()
}

/// The words from a column's start; none where its first cell is blank.
fn words_from(line: &[char], start: usize) -> Vec<String> {
    let cell = line.get(start..).unwrap_or_default();
    let is_blank = cell.first().is_none_or(|first| *first == ' ');
    let text = text(if is_blank { &[] } else { cell });
    text.split_whitespace().map(str::to_owned).collect()
}

/// The digits of a word, without separators, signs and units.
fn read(word: &str) -> Option<Num> {
    let plain: String = word
        .chars()
        .filter(|c| !matches!(c, ',' | '+' | '%'))
        .collect();
    plain.parse().ok()
}

/// Half a unit of the last digit that is written.
fn is_near(word: &str, truth: Num) -> bool {
    read(word).is_some_and(|shown| {
        let apart = shown.minus(truth).unwrap().abs();
        apart.times(Num::from(2_i64)).unwrap() <= Num::new(1, shown.decimals())
    })
}

fn in_percent(share: Num) -> Num {
    share.times(Num::HUNDRED).unwrap()
}

/// A side of the ladder, the price of a row, and how far rows are apart.
type Row = (Side, Num, Tick);

/// What was compared, and what was not so.
#[derive(Default)]
struct Findings {
    counts: BTreeMap<&'static str, usize>,
    faults: Vec<String>,
}

impl Findings {
    #[expect(clippy::fn_params_excessive_bools, reason = "it is what was compared")]
    fn check(
        &mut self,
        name: &'static str,
        is_true: bool,
        shown: impl std::fmt::Display,
        truth: impl std::fmt::Display,
    ) {
        *self.counts.entry(name).or_default() += 1;
        if !is_true {
            self.faults
                .push(format!("{name}: {shown} shows, {truth} is true"));
        }
    }

    fn near(&mut self, name: &'static str, word: &str, truth: Num) {
        self.check(name, is_near(word, truth), word, truth);
    }

    /// What is not known is a dash, and never a number.
    fn known(&mut self, name: &'static str, word: &str, truth: Option<Num>) {
        match truth {
            Some(truth) => self.near(name, word, truth),
            None => self.check(name, word == "–", word, "unknown"),
        }
    }

    fn exact(&mut self, name: &'static str, word: &str, truth: Num) {
        self.check(name, read(word) == Some(truth), word, truth);
    }

    fn screen(&mut self, screen: &[Line], facts: &Facts) {
        self.header(&text(&screen[0]), facts);
        self.watchlist(&text(&screen[1]), facts);
        if let Some(lines) = pane(screen, "1 Positions") {
            self.positions(&lines, facts);
        }
        if let Some(lines) = pane(screen, "2 Working orders") {
            self.orders(&lines, facts);
        }
        for line in screen {
            let line = text(line);
            line.split(['│', '┃'])
                .for_each(|part| self.strip(part, facts));
        }
        if let Some(lines) = pane(screen, "Ladder BTC") {
            self.ladder(&lines, facts);
        }
        let total = screen.iter().map(|line| text(line));
        for line in total.filter(|line| line.contains("─ uPnL ")) {
            let word = line
                .split("─ uPnL ")
                .nth(1)
                .and_then(|rest| rest.split(' ').next());
            let mut profits = facts.positions.iter().map(|held| facts.unrealized(held));
            let sum = profits.try_fold(Num::ZERO, |sum, more| sum.plus(more?));
            self.known("total", word.unwrap_or(""), sum);
        }
    }

    fn header(&mut self, line: &str, facts: &Facts) {
        let words: Vec<_> = line.split_whitespace().collect();
        let after = |name: &str| {
            let at = words.iter().position(|word| *word == name)?;
            let mut words = words[at + 1..].iter();
            words.find(|word| read(word).is_some()).copied()
        };
        let money = [
            ("equity", after("chal-1"), facts.account.equity),
            ("day", after("day"), facts.account.day_pnl),
        ];
        let before = |name: &str| {
            let at = words
                .iter()
                .position(|word| word.trim_end_matches(',') == name)?;
            words.get(at.checked_sub(1)?).copied()
        };
        let free = facts.account.available_margin.unwrap();
        let used = facts.account.equity.unwrap().minus(free).unwrap();
        if let Some(word) = before("free") {
            self.exact("free", word, free.truncated(0));
        }
        if let Some(word) = before("used") {
            self.exact("used", word, used.truncated(0).max(Num::ZERO));
        }
        for (name, word, truth) in money {
            if let Some(word) = word {
                self.near(name, word, truth.unwrap());
            }
        }
        let left = words.iter().find(|word| word.ends_with('%'));
        let truth = in_percent(facts.account.daily_loss_left.unwrap()).truncated(0);
        self.exact("loss left", left.copied().unwrap_or(""), truth);
    }

    fn watchlist(&mut self, line: &str, facts: &Facts) {
        let words: Vec<_> = line.split_whitespace().collect();
        for pair in words.windows(2) {
            let symbol = pair[0].trim_start_matches(['▸', '◆']);
            let market = facts
                .markets
                .iter()
                .find(|market| market.symbol.to_string() == symbol);
            if let Some(market) = market {
                self.known("watched", pair[1], market.mark);
            }
        }
    }

    fn positions(&mut self, lines: &[Line], facts: &Facts) {
        let titles = [
            "size", "entry", "mark", "liq", "to liq", "uPnL", "ROE", "liq loss", "stop", "target",
        ];
        let columns = columns(&lines[0], &titles);
        let rows = lines[1..]
            .iter()
            .filter(|line| !text(line).trim().is_empty());
        let rows: Vec<_> = rows.collect();
        let count = rows.len();
        let is_told = (1..=facts.positions.len()).contains(&count);
        self.check("rows", is_told, count, facts.positions.len());
        for line in rows {
            let row = text(line);
            let symbol = row
                .trim_start_matches([' ', '▌'])
                .split(' ')
                .next()
                .unwrap();
            let Some(held) = facts.position(symbol) else {
                self.check("market", false, symbol, "no such position");
                continue;
            };
            let side = if held.size.is_negative() {
                "SHORT"
            } else {
                "LONG"
            };
            self.check("side", row.contains(&format!(" {side} ")), &row, side);
            for (title, (start, end)) in &columns {
                match *title {
                    "stop" | "target" => self.exit(title, &words_from(line, *start), (held, facts)),
                    title => self.number(title, &word_before(line, *end), (held, facts)),
                }
            }
        }
    }

    fn number(&mut self, title: &'static str, word: &str, (held, facts): (&Position, &Facts)) {
        let mark = facts.mark(&held.market_id);
        let margin = || {
            let size = held.size.abs().times(held.entry_price.unwrap()).unwrap();
            let extra = held.isolated_margin_extra.unwrap_or(Num::ZERO);
            size.over(held.leverage.unwrap())
                .unwrap()
                .plus(extra)
                .unwrap()
        };
        let to_liquidation = |liquidation: Num| {
            let room = mark?.minus(liquidation)?.over(mark?)?;
            let room = in_percent(if held.size.is_negative() {
                room.negated()
            } else {
                room
            });
            Some(room)
        };
        if held.liquidation_price.is_none() && title.contains("liq") {
            return self.check(title, word == "none", word, "none");
        }
        let truth = match title {
            "size" => return self.exact("size", word, held.size.abs()),
            "entry" => held.entry_price,
            "mark" => mark,
            "liq" => held.liquidation_price,
            "to liq" => held.liquidation_price.and_then(to_liquidation),
            "uPnL" => facts.unrealized(held),
            "ROE" => facts
                .unrealized(held)
                .and_then(|profit| Some(in_percent(profit.over(margin())?))),
            "liq loss" => held.liquidation_price.map(|price| profit(held, price)),
            other => return self.check(other, false, word, "no such column"),
        };
        self.known(title, word, truth);
    }

    /// `63,250`, `63,250 50%`, `NO STOP`, or nothing where there is no target.
    fn exit(&mut self, title: &'static str, words: &[String], (held, facts): (&Position, &Facts)) {
        let first = words.first().map_or("", String::as_str);
        let Some(exit) = facts.exit(held, title) else {
            let is_none = if title == "stop" {
                first == "NO"
            } else {
                first.is_empty()
            };
            return self.check(title, is_none, words.join(" "), "none");
        };
        self.exact(title, first, exit.trigger_price.unwrap());
        let covered = in_percent(exit.size.over(held.size.abs()).unwrap()).truncated(0);
        let share = words.get(1).filter(|word| word.ends_with('%'));
        match share {
            Some(share) => self.exact("share", share, covered),
            None => self.check("share", covered == Num::HUNDRED, words.join(" "), covered),
        }
    }

    fn orders(&mut self, lines: &[Line], facts: &Facts) {
        let columns = columns(&lines[0], &["size", "price", "trigger", "to mark"]);
        let rows = lines[1..].iter().map(|line| (line, text(line)));
        let rows = rows.filter(|(_, row)| row.contains(" BUY ") || row.contains(" SELL "));
        for (line, row) in rows {
            let mut words = row.split_whitespace();
            let symbol = words.next().unwrap_or("").trim_start_matches('▌');
            let symbol = if symbol.is_empty() {
                words.next().unwrap_or("")
            } else {
                symbol
            };
            let side = words.next().unwrap_or("").to_lowercase();
            let before = |title| word_before(line, columns[title].1);
            let (quantity, price) = (before("size"), before("price"));
            let trigger = words_from(line, columns["trigger"].0).join(" ");
            let trigger = trigger.trim_start_matches(['≤', '≥']).trim_start();
            let trigger = trigger.split(' ').next().and_then(read);
            let is_it = |order: &&Order| {
                order.symbol.to_string() == symbol
                    && format!("{:?}", order.side).to_lowercase().contains(&side)
                    && read(&quantity) == Some(order.size)
                    && (order.limit_price.is_none() || read(&price) == order.limit_price)
                    && (order.trigger_price.is_none() || trigger == order.trigger_price)
            };
            let Some(order) = facts.orders.iter().find(is_it) else {
                self.check("order", false, &row, "no such order");
                continue;
            };
            self.check("order", true, "", "");
            if let Some((_, end)) = columns.get("to mark") {
                let mark = facts.mark(&order.market_id);
                let at = order.trigger_price.or(order.limit_price).unwrap();
                let away = mark.and_then(|mark| Some(in_percent(at.minus(mark)?.over(mark)?)));
                self.known("to mark", &word_before(line, *end), away);
            }
        }
    }

    /// `LONG 0.75000 @ 63,250 +576.08 +12.14% stop 64,011 13% of size`, as far as there is room.
    fn strip(&mut self, part: &str, facts: &Facts) {
        let words: Vec<_> = part.split_whitespace().collect();
        let [side @ ("LONG" | "SHORT"), quantity, "@", entry, more @ ..] = words.as_slice() else {
            return;
        };
        let held = facts.position("BTC").unwrap();
        let is_side = (*side == "SHORT") == held.size.is_negative();
        self.check("strip", is_side, side, held.size);
        self.number("size", quantity, (held, facts));
        self.number("entry", entry, (held, facts));
        for (title, word) in ["uPnL", "ROE"].into_iter().zip(more) {
            self.number(title, word, (held, facts));
        }
        for title in ["stop", "target"] {
            if let Some(at) = more.iter().position(|word| *word == title) {
                let words: Vec<_> = more[at + 1..]
                    .iter()
                    .map(|word| (*word).to_owned())
                    .collect();
                self.exit(title, &words, (held, facts));
            }
        }
    }

    fn ladder(&mut self, lines: &[Line], facts: &Facts) {
        let is_headings =
            |line: &&Line| text(line).contains(" bid ") && text(line).contains(" ask ");
        let Some(top) = lines.iter().position(|line| is_headings(&line)) else {
            return;
        };
        let lines_around = lines.iter().map(|line| text(line));
        lines_around
            .filter(|line| line.contains(['▲', '▼']) || line.contains("spread"))
            .for_each(|line| self.edges(&line, facts));
        let head = lines.iter().map(|line| text(line)).find_map(|line| {
            let step = line.split("by ").nth(1)?.split(' ').next().and_then(read);
            Tick::of(step?)
        });
        let spacing = head.unwrap();
        let titles = ["mine", "bid", "price", "ask"];
        let after_asks = columns(&lines[top], &titles)["ask"].1;
        let mine = columns(&lines[top][after_asks..], &["mine"])["mine"].0 + after_asks;
        let columns = columns(&lines[top], &titles);
        for line in &lines[top + 1..] {
            let Some(price) = read(&word_before(
                &line[..columns["price"].1],
                columns["price"].1,
            ))
            .filter(|_| !text(line).contains(['▼', '▲'])) else {
                break;
            };
            let bid = text(&line[..columns["bid"].1]);
            let bid = bid.rsplit(' ').next().unwrap_or("").to_owned();
            let ask = words_from(line, columns["ask"].0);
            let ask = ask.first().map_or("", String::as_str);
            self.resting(&bid, (Side::Buy, price, spacing), facts);
            self.resting(ask, (Side::Sell, price, spacing), facts);
            let own = text(&line[..columns["mine"].1]);
            let mut own = own.split(' ').rev().filter(|word| !word.starts_with('≤'));
            let own = own.next().filter(|own| !own.is_empty());
            self.mine(own, (Side::Buy, price, spacing), facts);
            let own = words_from(line, mine);
            self.mine(
                own.first().map(String::as_str),
                (Side::Sell, price, spacing),
                facts,
            );
            let letters = text(&line[columns["bid"].1..columns["price"].1]);
            self.letters(&letters, (price, spacing), facts);
        }
    }

    /// A size, `<0.01`, `·` where nothing rests, and nothing where nothing is known.
    fn resting(&mut self, word: &str, (side, row, spacing): Row, facts: &Facts) {
        let levels = facts.book.levels(side).iter();
        let here = levels.filter(|level| spacing.resting(level.price, side) == row);
        let Some(sum) = here
            .map(|level| level.size)
            .reduce(|a, b| a.plus(b).unwrap())
        else {
            return self.check("nothing", matches!(word, "" | "·"), word, row);
        };
        let is_so = match (word.strip_prefix('<'), word.strip_suffix('K')) {
            (Some(least), _) => read(least).is_some_and(|least| sum < least),
            (None, Some(thousands)) => is_near(thousands, sum.over(1_000_u32.into()).unwrap()),
            (None, None) => is_near(word, sum),
        };
        self.check("resting", is_so, format!("{word} at {row}"), sum);
    }

    /// `0.1`, `S0.1`, `.12+` for a little more, `●` where no digit has room.
    fn mine(&mut self, word: Option<&str>, (side, row, spacing): Row, facts: &Facts) {
        let here = facts.orders.iter().filter(|order| {
            let resting = order.limit_price.map(|price| spacing.resting(price, side));
            let armed = order.trigger_price.map(|price| spacing.near(price));
            order.symbol.to_string() == "BTC"
                && order.side.is(&side)
                && resting.or(armed) == Some(row)
        });
        let here: Vec<_> = here.map(|order| order.size).collect();
        let sum = here.iter().try_fold(Num::ZERO, |sum, size| sum.plus(*size));
        let truth = sum.filter(|sum| !sum.is_zero());
        let Some((word, truth)) = word.zip(truth) else {
            return self.check(
                "mine",
                word.is_none() && truth.is_none(),
                word.unwrap_or("nothing"),
                row,
            );
        };
        let digits = word.trim_start_matches(['S', 'T', 'Σ', '>']);
        let is_so = match digits.strip_suffix('+') {
            Some(cut) => {
                let shown = read(&format!("0{cut}")).unwrap();
                let more = truth.minus(shown).unwrap();
                !more.is_negative() && more < Num::new(1, shown.decimals())
            }
            None => read(&format!("0{digits}")) == Some(truth),
        };
        self.check("mine", is_so, format!("{word} at {row}"), truth);
    }

    /// `▲ stop 66,120 · target 67,000`, and the spread.
    fn edges(&mut self, line: &str, facts: &Facts) {
        let held = facts.position("BTC").unwrap();
        let own = facts
            .orders
            .iter()
            .filter(|order| order.symbol.to_string() == "BTC");
        let own = own.filter_map(|order| order.limit_price.or(order.trigger_price));
        let own: Vec<_> = own.collect();
        let words: Vec<_> = line.split_whitespace().collect();
        for pair in words.windows(2).filter(|pair| read(pair[1]).is_some()) {
            let truth: Vec<_> = match pair[0] {
                "spread" => {
                    let best = [Side::Sell, Side::Buy].map(|side| facts.book.best(side).unwrap());
                    best[0].minus(best[1]).into_iter().collect()
                }
                "market" | "M" => facts.book.mid().into_iter().collect(),
                "entry" | "E" => held.entry_price.into_iter().collect(),
                "liq" | "L" => held.liquidation_price.into_iter().collect(),
                "stop" | "target" | "buy" | "sell" | "S" | "T" | "b" | "s" => own.clone(),
                _ => continue,
            };
            let is_so = truth.iter().any(|price| is_near(pair[1], *price));
            self.check("edge", is_so, pair.join(" "), format!("{truth:?}"));
        }
    }

    fn letters(&mut self, letters: &str, (row, spacing): (Num, Tick), facts: &Facts) {
        let held = facts.position("BTC").unwrap();
        let here = |price: Option<Num>| price.is_some_and(|price| spacing.near(price) == row);
        let trigger = |kind| facts.exit(held, kind).and_then(|order| order.trigger_price);
        let marks = [
            ('M', facts.mark(&held.market_id)),
            ('E', held.entry_price),
            ('L', held.liquidation_price),
            ('S', trigger("stop")),
            ('T', trigger("target")),
        ];
        for (letter, price) in marks {
            let is_so = here(price) == letters.contains(letter);
            self.check("letter", is_so, format!("{letters:?} at {row}"), letter);
        }
    }
}

/// None of these may be missing on every screen.
const COMPARED: &[&str] = &[
    "equity",
    "day",
    "free",
    "used",
    "loss left",
    "watched",
    "total",
    "size",
    "entry",
    "mark",
    "liq",
    "to liq",
    "uPnL",
    "ROE",
    "liq loss",
    "stop",
    "target",
    "share",
    "order",
    "to mark",
    "strip",
    "resting",
    "nothing",
    "letter",
    "mine",
    "edge",
];

#[test]
fn every_number_that_is_drawn_is_what_the_desk_was_told() {
    let mut world = World {
        dice: Dice(33),
        marks: COINS.map(|coin| coin.mark),
    };
    let mut model = desk::empty();
    told(&mut model, &world.facts());
    press(&mut model, "1P");
    let mut findings = Findings::default();
    for step in 0..STEPS {
        world.moves();
        let facts = world.facts();
        told(&mut model, &facts);
        for (size, place) in SIZES
            .into_iter()
            .flat_map(|size| PLACES.map(|place| (size, place)))
        {
            press(&mut model, place);
            let frame = picture::text(&drawn(&mut model, size));
            let screen: Vec<Line> = frame.lines().map(|line| line.chars().collect()).collect();
            findings.screen(&screen, &facts);
            let faults = findings.faults.join("\n");
            assert!(
                faults.is_empty(),
                "step {step} at {size:?} after {place}:\n{faults}\n{frame}"
            );
        }
    }
    let seen = |name: &str| findings.counts.get(name).copied().unwrap_or(0);
    for name in COMPARED {
        assert!(
            seen(name) >= 100,
            "{name} was compared only {} times",
            seen(name)
        );
    }
}

#[test]
fn a_size_a_price_or_a_profit_that_is_wrong_by_one_digit_is_found() {
    let mut findings = Findings::default();
    findings.exact("size", "0.75000", num("0.75001"));
    findings.near("uPnL", "+576.08", num("576.09"));
    findings.near("entry", "63,250", num("63250.4"));
    assert_eq!(findings.faults.len(), 2, "{:?}", findings.faults);
}
