//! How the cells of the price ladder are divided, whatever stands in them: a size that changes moves nothing.

use crate::{app::market::ladder_spot::LadderColumn, model::Num, view::text::format};

/// From so many columns on the traded volume has room.
const WITH_TRADED: u16 = 42;
/// Below this there is one column of sizes, and one of own orders.
const BOTH_SIDES: u16 = 26;
/// The sign of the cursor, the letters of a row, and the sign of the last trade.
const SIGNS: u16 = 2;
/// A column of own orders holds `S0.1` and a blank, one of sizes `13.2`, unless there is no room for either.
const LEAST_MINE: u16 = 5;
const LEAST_SIZE: u16 = 4;
/// Lines that are not rows: how the rows lie, what is above and below them, what the keys do.
const AROUND: u16 = 4;
/// From so many lines on the position has one.
const WITH_POSITION: u16 = 18;
/// From so many lines on the recent trades have room.
const WITH_TRADES: u16 = 24;

/// The columns, each with its width; 0 is not drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LadderForm {
    pub sides: LadderSides,
    pub mine: u16,
    pub size: u16,
    pub letters: u16,
    pub label: u16,
    pub traded: u16,
}

/// Whether bids and asks have columns of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LadderSides {
    /// `mine │ bid │ price │ ask │ mine`.
    Both,
    /// `size │ price │ mine`.
    One,
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
        let price = label.saturating_add(letters).saturating_add(SIGNS);
        let room = width.saturating_sub(price);
        let (mine, size, traded) = match (sides, width) {
            (LadderSides::One, _) => (room / 2, room - room / 2, 0),
            (LadderSides::Both, _) => {
                let traded = if width < WITH_TRADED { 0 } else { room / 5 };
                let side = (room - traded) / 2;
                let mine = (side * 2 / 5).max(LEAST_MINE);
                let mine = mine.min(side.saturating_sub(LEAST_SIZE));
                (mine, side - mine, traded)
            }
        };
        Self {
            sides,
            mine,
            size,
            letters,
            label,
            traded,
        }
    }
}

impl LadderForm {
    /// What a click so many cells from the left is on. One column of sizes is of both sides: a click there only chooses
    /// the price.
    pub fn column(self, x: u16) -> LadderColumn {
        let price = self
            .label
            .saturating_add(self.letters)
            .saturating_add(SIGNS);
        let columns: &[(u16, LadderColumn)] = match self.sides {
            LadderSides::Both => &[
                (self.mine, LadderColumn::MyBids),
                (self.size, LadderColumn::Bids),
                (price, LadderColumn::Price),
                (self.size, LadderColumn::Asks),
                (self.mine, LadderColumn::MyAsks),
            ],
            LadderSides::One => &[
                (self.size.saturating_add(price), LadderColumn::Price),
                (self.mine, LadderColumn::Mine),
            ],
        };
        let mut end = 0_u16;
        let mut columns = columns.iter();
        let here = columns.find(|(wide, _)| {
            end = end.saturating_add(*wide);
            x < end
        });
        here.map_or(LadderColumn::Price, |(_, column)| *column)
    }
}

/// How the lines are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LadderLines {
    /// One for the position, held or not: rows do not move when one is opened.
    pub(super) position: u16,
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
        let around = AROUND + position + below;
        Self {
            position,
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
    /// So many decimals let the largest size, and any of a usual one's length, fit into `room` with a blank beside it, and
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
        let fraction = number.strip_prefix("0.")?;
        Some(format!("{sign}.{fraction}"))
    };
    let fits = |words: &String| words.chars().count() <= usize::from(room);
    let whole = Some(words.to_owned()).filter(fits);
    whole.or_else(|| without_zero().filter(fits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    #[test]
    fn every_width_from_20_on_has_room_for_the_whole_price_and_a_size() {
        for width in 20..80 {
            let form = LadderForm::new(width, 6);
            let columns = match form.sides {
                LadderSides::Both => 2,
                LadderSides::One => 1,
            };
            let price = form.label + form.letters + SIGNS;
            let whole = columns * (form.mine + form.size) + price + form.traded;
            assert!(whole <= width, "{width}: {form:?}");
            assert!(form.size >= 4 && form.mine >= 3, "{width}: {form:?}");
            assert!(form.mine >= 5 || width < 28, "{width}: {form:?}");
        }
        assert_eq!(LadderForm::new(20, 6).sides, LadderSides::One);
        assert_eq!(LadderForm::new(28, 6).traded, 0);
        assert!(LadderForm::new(42, 6).traded > 0);
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
}
