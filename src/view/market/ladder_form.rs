//! How the cells of the price ladder are divided, whatever stands in them: a size that changes moves nothing.

use crate::{app::market::market_spot::LadderColumn, model::Num, view::text::format};

/// From so many columns on the traded volume has room, then what was sold and bought, then changes of the sizes, then the
/// trades beside it all.
const WITH_TRADED: u16 = 42;
const WITH_FLOW: u16 = 52;
const WITH_CHANGE: u16 = 72;
const WITH_TRADES_BESIDE: u16 = 110;
/// A blank and its heading.
const LEAST_TRADED: u16 = 7;
const FLOW: u16 = 7;
const CHANGE: u16 = 8;
const TRADES: u16 = 36;
/// Below this there is one column of sizes, and one of own orders.
const BOTH_SIDES: u16 = 26;
/// The sign of the cursor, the letters of a row, and the sign of the last trade.
const SIGNS: u16 = 2;
/// A column of own orders holds `S0.1` and a blank, one of sizes `13.2`, unless there is no room for either.
const LEAST_MINE: u16 = 5;
const MOST_MINE: u16 = 16;
const LEAST_SIZE: u16 = 4;
/// The line over the columns.
const HEADINGS: u16 = 1;
/// From so many lines on the position has one.
const WITH_POSITION: u16 = 18;
/// From so many lines on the recent trades have room.
const WITH_TRADES: u16 = 24;

/// The columns, each with its width; 0 is not drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LadderForm {
    pub sides: LadderSides,
    pub mine: u16,
    /// How much more rests than ten seconds ago.
    pub change: u16,
    pub size: u16,
    /// What was sold at the bid, and bought at the ask.
    pub flow: u16,
    pub letters: u16,
    pub label: u16,
    /// Both together, where they have no columns of their own.
    pub traded: u16,
    /// The recent trades, beside the prices.
    pub trades: u16,
}

/// Whether bids and asks have columns of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LadderSides {
    /// `mine │ change │ bid │ sold │ price │ bought │ ask │ change │ mine │ traded`.
    Both,
    /// `size │ price │ mine`.
    One,
}

/// A column of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LadderPart {
    MyBids,
    BidChange,
    Bids,
    Sold,
    Price,
    Bought,
    Asks,
    AskChange,
    MyAsks,
    Traded,
    /// Of both sides.
    Sizes,
    Mine,
}

impl LadderPart {
    pub fn heading(self) -> &'static str {
        match self {
            Self::MyBids | Self::MyAsks | Self::Mine => "mine",
            Self::BidChange | Self::AskChange => "±10s",
            Self::Bids => "bid",
            Self::Sold => "sold",
            Self::Price => "price",
            Self::Bought => "bought",
            Self::Asks => "ask",
            Self::Traded => "traded",
            Self::Sizes => "size",
        }
    }

    /// What a click on it is on. One column of sizes is of both sides: a click there only chooses the price.
    fn clicked(self) -> LadderColumn {
        match self {
            Self::MyBids => LadderColumn::MyBids,
            Self::Bids | Self::BidChange | Self::Sold => LadderColumn::Bids,
            Self::Price | Self::Sizes | Self::Traded => LadderColumn::Price,
            Self::Asks | Self::AskChange | Self::Bought => LadderColumn::Asks,
            Self::MyAsks => LadderColumn::MyAsks,
            Self::Mine => LadderColumn::Mine,
        }
    }
}

impl LadderForm {
    /// For so many columns, of a market whose prices are so long.
    pub fn new(width: u16, label: usize) -> Self {
        let label = u16::try_from(label).unwrap_or(u16::MAX).min(width);
        let (sides, letters) = match width {
            ..BOTH_SIDES => (LadderSides::One, 1),
            BOTH_SIDES..32 => (LadderSides::Both, 1),
            32.. => (LadderSides::Both, 3),
        };
        let none = Self {
            sides,
            mine: 0,
            change: 0,
            size: 0,
            flow: 0,
            letters,
            label,
            traded: 0,
            trades: 0,
        };
        let tape = if width < WITH_TRADES_BESIDE {
            0
        } else {
            TRADES
        };
        let room = width.saturating_sub(none.price().saturating_add(tape));
        if sides == LadderSides::One {
            let mine = room / 2;
            return Self {
                mine,
                size: room - mine,
                ..none
            };
        }
        let traded = match width {
            WITH_TRADED..WITH_FLOW => LEAST_TRADED.max(room / 5),
            _ => 0,
        };
        let flow = if width < WITH_FLOW { 0 } else { FLOW };
        let change = if width < WITH_CHANGE { 0 } else { CHANGE };
        let side = ((room - traded) / 2).saturating_sub(flow + change);
        let mine = (side * 2 / 5).clamp(LEAST_MINE, MOST_MINE);
        let mine = mine.min(side.saturating_sub(LEAST_SIZE));
        Self {
            mine,
            change,
            size: side - mine,
            flow,
            traded,
            trades: tape,
            ..none
        }
    }

    /// `›LE65,617◂`.
    pub fn price(self) -> u16 {
        let signs = self.letters.saturating_add(SIGNS);
        self.label.saturating_add(signs)
    }

    /// From the left.
    pub fn parts(self) -> [(LadderPart, u16); 10] {
        let price = self.price();
        match self.sides {
            LadderSides::Both => [
                (LadderPart::MyBids, self.mine),
                (LadderPart::BidChange, self.change),
                (LadderPart::Bids, self.size),
                (LadderPart::Sold, self.flow),
                (LadderPart::Price, price),
                (LadderPart::Bought, self.flow),
                (LadderPart::Asks, self.size),
                (LadderPart::AskChange, self.change),
                (LadderPart::MyAsks, self.mine),
                (LadderPart::Traded, self.traded),
            ],
            LadderSides::One => {
                let mut parts = [(LadderPart::Mine, 0); 10];
                let shown = [
                    (LadderPart::Sizes, self.size),
                    (LadderPart::Price, price),
                    (LadderPart::Mine, self.mine),
                ];
                for (part, shown) in parts.iter_mut().zip(shown) {
                    *part = shown;
                }
                parts
            }
        }
    }

    /// What a click so many cells from the left is on.
    pub fn column(self, x: u16) -> LadderColumn {
        let mut end = 0_u16;
        let parts = self.parts();
        let here = parts.iter().find(|(_, wide)| {
            end = end.saturating_add(*wide);
            x < end
        });
        here.map_or(LadderColumn::Price, |(part, _)| part.clicked())
    }
}

/// How the lines are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LadderLines {
    /// One for the position, held or not: rows do not move when one is opened.
    pub(super) position: u16,
    /// How the rows lie, and what is above them; in one line where lines are short.
    pub(super) head: u16,
    pub(super) rows: u16,
    pub(super) trades: u16,
}

impl LadderLines {
    pub(super) fn with_trades(height: u16) -> Self {
        let trades = if height >= WITH_TRADES { height / 4 } else { 0 };
        Self::divided(height, trades)
    }

    pub(super) fn without_trades(height: u16) -> Self {
        Self::divided(height, 0)
    }

    fn divided(height: u16, trades: u16) -> Self {
        // The trades stand below a line of their own.
        let below = trades + u16::from(trades > 0);
        let position = u16::from(height >= WITH_POSITION);
        let head = 1 + position;
        // As many lines stand below the rows as above the headings.
        let around = HEADINGS + head * 2 + position + below;
        Self {
            position,
            head,
            rows: height.saturating_sub(around),
            trades,
        }
    }
}

/// How the sizes of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SizeFormat {
    decimals: u32,
    room: u16,
}

impl SizeFormat {
    /// This many decimals let the largest size, and any of a usual one's length, fit into `room` with a blank beside it, and
    /// no more than the market has. The usual size keeps the decimals where they are while the largest changes.
    pub(super) fn new((largest, usual): (Option<Num>, Option<Num>), most: u32, room: u16) -> Self {
        let room = room.saturating_sub(1).max(LEAST_SIZE);
        let fits = |decimals: &u32| {
            let largest = largest.max(usual);
            largest.is_none_or(|size| has_room(&format::grouped(size.rounded(*decimals)), room))
        };
        let decimals = (0..=most).rev().find(fits).unwrap_or(0);
        Self { decimals, room }
    }

    /// Rounded; what is less than the last digit is said to be less, since it is not 0. What has no room is in thousands
    /// or millions.
    pub(super) fn words(self, size: Num) -> String {
        let rounded = size.rounded(self.decimals);
        if rounded.is_zero() && !size.is_zero() {
            return format!("<{}", Num::new(1, self.decimals));
        }
        let whole = Some(format::grouped(rounded)).filter(|words| has_room(words, self.room));
        whole.unwrap_or_else(|| format::short_usd(size))
    }
}

fn has_room(words: &str, room: u16) -> bool {
    words.chars().count() <= usize::from(room)
}

/// An own order in so many cells: its size, without the leading zero where room is short; `None` where no digit may be
/// cut.
pub(super) fn fitted_own(words: &str, room: u16) -> Option<String> {
    let without_zero = || {
        let digit = words.find(|c: char| c.is_ascii_digit())?;
        let (sign, number) = words.split_at_checked(digit)?;
        Some(format!("{sign}.{}", number.strip_prefix("0.")?))
    };
    let whole = Some(words.to_owned()).filter(|words| has_room(words, room));
    whole.or_else(|| without_zero().filter(|words| has_room(words, room)))
}

/// The size of own orders where the whole has no room: as many digits as have, with `+` behind them since it is more.
pub(super) fn shortened_own(sign: &str, size: Num, room: u16) -> String {
    let units = [(1_000_i64, "K"), (1_000_000, "M")];
    let large = units.into_iter().filter_map(|(unit, name)| {
        let whole = size.over(unit.into())?.truncated(0);
        whole.is_positive().then(|| format!("{whole}{name}"))
    });
    let cut = (0..size.decimals()).rev();
    let cut = cut.map(|decimals| size.truncated(decimals).to_string());
    let with_more = cut.chain(large).map(|digits| format!("{sign}{digits}+"));
    let mut fitted = with_more.filter_map(|words| fitted_own(&words, room));
    fitted.next().unwrap_or_else(|| "●".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    #[test]
    fn every_width_from_20_on_has_room_for_the_whole_price_and_a_size() {
        for width in 20..240 {
            let form = LadderForm::new(width, 6);
            let whole: u16 = form.parts().iter().map(|(_, wide)| wide).sum();
            assert!(whole + form.trades <= width, "{width}: {form:?}");
            assert!(whole + form.trades + 1 >= width, "{width}: {form:?}");
            for (part, wide) in form.parts().into_iter().filter(|(_, wide)| *wide > 0) {
                use LadderPart::{MyAsks, MyBids, Traded};
                let apart = u16::from(matches!(part, MyBids | MyAsks | Traded));
                let heading = apart + u16::try_from(part.heading().chars().count()).unwrap();
                assert!(heading <= wide || width < 28, "{width}: {part:?}");
            }
            assert!(form.size >= 4 && form.mine >= 3, "{width}: {form:?}");
            assert!(form.mine >= 5 || width < 28, "{width}: {form:?}");
        }
        assert_eq!(LadderForm::new(20, 6).sides, LadderSides::One);
        assert_eq!(LadderForm::new(28, 6).traded, 0);
        assert!(LadderForm::new(42, 6).traded > 0);
        let wide = LadderForm::new(78, 6);
        assert!(wide.flow > 0 && wide.change > 0 && wide.traded == 0);
    }

    #[test]
    fn a_click_is_on_the_column_that_is_drawn_there() {
        use LadderColumn::{Bids, MyAsks, MyBids, Price};
        let form = LadderForm::new(28, 6);
        let found = [0, form.mine, form.mine + form.size, 26].map(|x| form.column(x));
        assert_eq!(found, [MyBids, Bids, Price, MyAsks]);
        let form = LadderForm::new(20, 6);
        let found = [0, form.size, 19].map(|x| form.column(x));
        assert_eq!(found, [Price, Price, LadderColumn::Mine]);
    }

    #[test]
    fn a_small_size_is_never_shown_as_none() {
        let sizes = |largest, most, room| SizeFormat::new((Some(num(largest)), None), most, room);
        assert_eq!(sizes("123.4567", 4, 6).decimals, 1);
        let tenths = sizes("13.2", 4, 4);
        assert_eq!(tenths.words(num("0.004")), "<0.1");
        assert_eq!(tenths.words(num("12.34")), "12.3");
        assert_eq!(sizes("1320", 4, 4).words(num("0.4")), "<1");
    }

    #[test]
    fn a_size_of_a_cheap_coin_that_has_no_room_is_in_thousands_or_millions() {
        let sizes = SizeFormat::new((Some(num("71954630.4")), None), 0, 8);
        let words = ["954630", "1954630", "71954630.4"].map(|size| sizes.words(num(size)));
        assert_eq!(words, ["954,630", "2.0M", "72.0M"]);
        let narrow = SizeFormat::new((None, None), 0, 6);
        assert_eq!(narrow.words(num("31911")), "31.9K");
    }

    #[test]
    fn the_largest_size_changes_no_decimals_while_it_is_no_longer_than_a_usual_one() {
        let usual = Some(num("15"));
        let decimals = |largest| SizeFormat::new((largest, usual), 5, 6).decimals;
        let all = ["0.4", "9.99", "10.1", "87"].map(|largest| decimals(Some(num(largest))));
        assert_eq!(all, [2; 4]);
        assert_eq!(decimals(None), 2);
        assert_eq!(decimals(Some(num("123"))), 1, "no digit is cut");
    }

    #[test]
    fn an_own_order_loses_its_leading_zero_before_its_size() {
        let fitted = |words| fitted_own(words, 4);
        let whole = ["S0.1", "0.25", "10.5"].map(|words| Some(words.to_owned()));
        assert_eq!(["S0.1", "0.25", "10.5"].map(fitted), whole);
        assert_eq!(fitted("S0.25").as_deref(), Some("S.25"));
        assert_eq!(fitted("(0.1)").as_deref(), Some("(.1)"));
        assert_eq!([fitted("0.12345"), fitted("10.25")], [None, None]);
    }

    #[test]
    fn an_own_order_without_room_keeps_digits() {
        let short = |sign, size, room| shortened_own(sign, num(size), room);
        assert_eq!(short("", "0.12345", 4), ".12+");
        assert_eq!(short("S", "0.12345", 5), "S.12+");
        assert_eq!(short("", "10.25", 4), "10+");
        assert_eq!(short("", "18659", 4), "18K+");
        assert_eq!(short("»", "0.25", 4), "».2+");
    }

    #[test]
    fn the_ladder_of_a_small_screen_has_eleven_prices() {
        assert_eq!(LadderLines::without_trades(14).rows, 11);
        assert_eq!(LadderLines::without_trades(19).rows, 13);
    }
}
