//! The price ladder: the order book by price, what the account has there, and the recent trades.
//!
//! Contract: a row shows its own price and nothing of another. What the book does not report is blank, where nothing rests
//! is `·`; neither is 0. What lies out of view is named at the edge. A book that is not live is named and dimmed.

pub use super::ladder_flow::LadderCell;
use super::{
    ladder_flow::{self, FlowCells, LadderFlow, share},
    ladder_form::{LadderForm, LadderLines, SizeFormat, fitted_own, shortened_own},
    ladder_scene::LadderScene,
    ladder_words::over_trades,
};
use crate::{
    app::{
        Model,
        account::books::KnownBook,
        market::{
            book_state::BookState,
            depth::{Depth, GroupedBook},
            market_spot::DrawnRows,
            own_orders::{OwnOrder, OwnOrderKind},
            tape::Tape,
        },
    },
    model::{Book, Num, Protection, Side},
    view::text::{Scene, Span, Tone, format},
};

/// The whole ladder, for so many cells.
#[derive(Debug, Clone, PartialEq)]
pub struct LadderView {
    pub form: LadderForm,
    /// What a click names; `None` until the account is known.
    pub drawn: Option<DrawnRows>,
    /// How many lines are left to the position in its market, above everything.
    pub position: u16,
    /// How the rows lie, and whether one key sends, in words; what is above the view.
    pub head: Vec<Vec<Span>>,
    pub rows: Vec<PriceRow>,
    /// What is below the view; what the keys do at the cursor.
    pub foot: Vec<Vec<Span>>,
    /// The newest trade first; empty where no source reports trades or there is no room.
    pub trades: Vec<Vec<Span>>,
    /// The line over them.
    pub over_trades: Vec<Span>,
}

/// A trade that is marked at its price; where both are, the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TradeMark {
    Last,
    Large,
}

/// One price.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceRow {
    pub price: Num,
    /// The price as it is sent.
    pub label: Span,
    /// `E` entry, `L` liquidation, `S` and `T` stop and target, `M` mark, `m` one that is late, `@` an alert.
    pub letters: String,
    pub is_cursor: bool,
    /// What traded there.
    pub mark: Option<TradeMark>,
    pub bid: LadderCell,
    pub ask: LadderCell,
    pub my_bids: Span,
    pub my_asks: Span,
    /// How much more rests there than ten seconds ago.
    pub bid_change: Span,
    pub ask_change: Span,
    pub sold: LadderCell,
    pub bought: LadderCell,
    /// Both together.
    pub traded: LadderCell,
}

/// The ladder on so many columns and lines; `None` where no price of its market is known.
pub fn price_ladder(
    model: &Model,
    scene: &Scene<'_>,
    (width, height): (u16, u16),
) -> Option<LadderView> {
    let ladder = LadderScene::new(model, scene.own_now)?;
    let form = LadderForm::new(width, ladder.label_width(height));
    let has_tape = ladder.tape.is_some_and(|tape| tape.last().is_some());
    let lines = if has_tape && form.trades == 0 {
        LadderLines::with_trades(height)
    } else {
        LadderLines::without_trades(height)
    };
    let ladder = ladder.with_rows(lines.rows)?;
    let (head, foot) = ladder.around(scene, lines, usize::from(width));
    let large_from = model.account.market_data.large_from(ladder.market_id);
    let trades = if form.trades > 0 {
        height
    } else {
        lines.trades
    };
    Some(LadderView {
        form,
        drawn: ladder.drawn(),
        position: lines.position,
        head,
        rows: ladder.rows(form),
        foot,
        trades: ladder.trades(scene, trades),
        over_trades: ladder
            .tape
            .map_or_else(Vec::new, |tape| over_trades(tape, large_from, scene)),
    })
}

impl LadderScene<'_> {
    fn with_rows(self, rows: u16) -> Option<Self> {
        let prices = self.model.price_ladder.prices(usize::from(rows));
        (!prices.is_empty()).then_some(Self { prices, ..self })
    }

    /// How many characters the highest of so many prices has.
    fn label_width(&self, rows: u16) -> usize {
        let top = self.model.price_ladder.prices(usize::from(rows));
        let label = top.first().map(|price| self.label(*price));
        label.map_or(0, |label| label.chars().count())
    }

    fn drawn(&self) -> Option<DrawnRows> {
        Some(DrawnRows {
            account_id: self.model.account.identity.as_ref()?.account_id.clone(),
            market_id: self.market_id.clone(),
            generation: self.model.price_ladder.generation(),
            prices: self.prices.clone(),
        })
    }

    fn grouped(&self, book: Option<&Book>) -> Option<GroupedBook> {
        Some(GroupedBook::new(book?, self.spacing, self.range()?))
    }

    fn rows(&self, form: LadderForm) -> Vec<PriceRow> {
        let flow = LadderFlow::new(self, form);
        let now = self.grouped(self.book);
        let before = self.model.account.store.books.of(self.market_id);
        let before = before.filter(|_| form.change > 0);
        let then = self.grouped(before.and_then(KnownBook::before));
        let largest = now.as_ref().and_then(GroupedBook::largest);
        let usual = format::usual_size(self.market);
        let sizes = SizeFormat::new((largest, usual), self.decimals(), form.size);
        // A sign stands before it.
        let changes = form.change.saturating_sub(1);
        let changes = SizeFormat::new((largest, usual), self.decimals(), changes);
        let row = |price: &Num| {
            let cell = |side| {
                let depth = now.as_ref().map(|grouped| grouped.depth(side, *price));
                self.cell(side, *price, depth, (largest, sizes))
            };
            let change = |side| {
                let is_shown = !self.is_beyond(side, *price);
                let books = (now.as_ref(), then.as_ref().filter(|_| is_shown));
                ladder_flow::change(books, (side, *price), changes)
            };
            let FlowCells {
                sold,
                bought,
                traded,
                has_large,
            } = flow.cells(*price);
            PriceRow {
                price: *price,
                label: Span::new(self.label(*price), self.price_tone(*price)),
                letters: self.letters(*price),
                is_cursor: self.model.price_ladder.cursor() == Some(*price),
                mark: self.mark(*price, has_large.then_some(TradeMark::Large)),
                bid: cell(Side::Buy),
                ask: cell(Side::Sell),
                my_bids: self.mine(*price, Side::Buy, form.mine),
                my_asks: self.mine(*price, Side::Sell, form.mine),
                bid_change: change(Side::Buy),
                ask_change: change(Side::Sell),
                sold,
                bought,
                traded,
            }
        };
        self.prices.iter().map(row).collect()
    }

    pub(super) fn decimals(&self) -> u32 {
        let stated = self.market.and_then(|market| market.size_decimals);
        stated.unwrap_or(4)
    }

    /// Whether the other side stands there.
    fn is_beyond(&self, side: Side, price: Num) -> bool {
        let other = self.book.and_then(|book| book.best(side.opposite()));
        other.is_some_and(|best| match side {
            Side::Buy => price >= best,
            Side::Sell => price <= best,
        })
    }

    /// Nothing is written beyond the best price of the other side: that is where the other side stands.
    fn cell(
        &self,
        side: Side,
        price: Num,
        depth: Option<Depth>,
        (largest, sizes): (Option<Num>, SizeFormat),
    ) -> LadderCell {
        match depth {
            None | Some(Depth::Hidden) => LadderCell::default(),
            Some(Depth::Empty) if self.is_beyond(side, price) => LadderCell::default(),
            Some(Depth::Empty) => LadderCell {
                size: Span::muted("·"),
                ..LadderCell::default()
            },
            Some(Depth::Size(resting)) => LadderCell {
                size: Span::new(sizes.words(resting), self.side_tone(side)),
                bar: share(resting, largest),
            },
        }
    }

    /// What is not live is dim.
    fn side_tone(&self, side: Side) -> Tone {
        match (self.state, side) {
            (BookState::Live, Side::Buy) => Tone::Good,
            (BookState::Live, Side::Sell) => Tone::Bad,
            _ => Tone::Muted,
        }
    }

    fn price_tone(&self, price: Num) -> Tone {
        let best = [Side::Buy, Side::Sell].map(|side| {
            let best = self.book.and_then(|book| book.best(side));
            best.map(|best| self.spacing.resting(best, side))
        });
        let is_best = self.state == BookState::Live && best.contains(&Some(price));
        if is_best { Tone::Strong } else { Tone::Plain }
    }

    fn is_row(&self, row: Num, price: Option<Num>) -> bool {
        price.is_some_and(|price| self.spacing.near(price) == row)
    }

    fn letters(&self, row: Num) -> String {
        let [entry, liquidation] = self.position_prices();
        let mark = self.market.and_then(|market| market.mark);
        let mark_letter = if self.late_mark.is_some() { 'm' } else { 'M' };
        let is_alert = self.alerts().any(|price| self.is_row(row, Some(price)));
        let protects = |purpose| {
            let mut own = self.own.iter();
            own.any(|own| own.row == row && own.kind == OwnOrderKind::Protects(purpose))
        };
        [
            ('L', self.is_row(row, liquidation)),
            ('S', protects(Protection::Stop)),
            ('T', protects(Protection::Target)),
            ('E', self.is_row(row, entry)),
            ('@', is_alert),
            (mark_letter, self.is_row(row, mark)),
        ]
        .into_iter()
        .filter_map(|(letter, is_here)| is_here.then_some(letter))
        .collect()
    }

    /// The prices that the trader's own alerts wait for.
    pub(super) fn alerts(&self) -> impl Iterator<Item = Num> {
        self.model.account.user_alerts.prices(self.market_id)
    }

    /// The last trade goes before other marks.
    fn mark(&self, row: Num, other: Option<TradeMark>) -> Option<TradeMark> {
        let last = self.tape.and_then(Tape::last).map(|last| last.price);
        let is_last = self.is_row(row, last);
        is_last.then_some(TradeMark::Last).or(other)
    }

    /// `0.1` rests, `S0.5` and `T0.5` stop and target, `>0.1` enters when the mark comes there. An order that is carried
    /// is `(0.1)` where it stands and `»0.1` where it would be dropped.
    fn mine(&self, row: Num, side: Side, room: u16) -> Span {
        let carried = self.model.price_ladder.carried();
        let of_side = || self.own.iter().filter(|own| own.side == side);
        let here = of_side().filter(|own| own.row == row);
        let mut parts: Vec<_> = here
            .map(
                |own| match (own_sign(own), Some(&own.order.id) == carried) {
                    (sign, true) => OwnWords::new(format!("({sign}"), own, ")"),
                    (sign, false) => OwnWords::new(sign.to_owned(), own, ""),
                },
            )
            .collect();
        if self.model.price_ladder.cursor() == Some(row) {
            let ghost = of_side().find(|own| Some(&own.order.id) == carried && own.row != row);
            let ghost = ghost.map(|own| OwnWords::new(format!("»{}", own_sign(own)), own, ""));
            parts.extend(ghost);
        }
        let queue = self.only_queue(row, side).filter(|_| parts.len() == 1);
        Span::accent(OwnWords::joined(&parts, queue, room.saturating_sub(1)))
    }

    /// What rests before the only own order that rests in a row.
    fn only_queue(&self, row: Num, side: Side) -> Option<String> {
        let here = |own: &&OwnOrder<'_>| own.row == row && own.side == side;
        let mut own = self.own.iter().filter(here);
        let only = own.next().filter(|_| own.next().is_none())?;
        self.queue(only)
    }

    /// `≤12.4`: at most so much rests before it; `None` where it does not rest, or nothing can be derived.
    pub(super) fn queue(&self, own: &OwnOrder<'_>) -> Option<String> {
        let rests = own.kind == OwnOrderKind::Resting;
        let ahead = self.model.price_ladder.queue.ahead(&own.order.id);
        let ahead = ahead.filter(|_| rests)?;
        Some(format!("≤{}", format::size(ahead.normalized(), None)))
    }
}

/// An own order in its cell.
struct OwnWords {
    before: String,
    size: Num,
    after: &'static str,
}

impl OwnWords {
    fn new(before: String, own: &OwnOrder<'_>, after: &'static str) -> Self {
        Self {
            before,
            size: own.order.size,
            after,
        }
    }

    fn whole(&self) -> String {
        let size = format::size(self.size, None);
        format!("{}{size}{}", self.before, self.after)
    }

    /// All of a row, with what rests before the only one; where there is no room for them, `Σ0.35` is their sum.
    fn joined(parts: &[Self], queue: Option<String>, room: u16) -> String {
        let whole = parts.iter().map(Self::whole).collect::<Vec<_>>().join(" ");
        let with_queue = queue.map(|queue| format!("{whole} {queue}"));
        let with_queue = with_queue.filter(|words| words.chars().count() <= usize::from(room));
        if let Some(words) = with_queue.or_else(|| fitted_own(&whole, room)) {
            return words;
        }
        let sizes = parts.iter().map(|part| part.size);
        let sum = sizes.reduce(|sum, size| sum.plus(size).unwrap_or(sum));
        let sum = sum.unwrap_or_default();
        let sign = match parts {
            [one] => one.before.as_str(),
            _ => "Σ",
        };
        let words = fitted_own(&format!("{sign}{}", format::size(sum, None)), room);
        words.unwrap_or_else(|| shortened_own(sign, sum, room))
    }
}

fn own_sign(own: &OwnOrder<'_>) -> &'static str {
    match own.kind {
        OwnOrderKind::Resting => "",
        OwnOrderKind::Entry => ">",
        OwnOrderKind::Protects(Protection::Stop) => "S",
        OwnOrderKind::Protects(Protection::Target) => "T",
    }
}
