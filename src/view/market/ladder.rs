//! The price ladder: the order book by price, what the account has there, and the recent trades.
//!
//! Contract: a row shows its own price and nothing of another. What the book does not tell is blank, where nothing rests
//! is `·`; neither is 0. What lies out of view is named at the edge. A book that is not live is named and dimmed.

use super::{
    ladder_form::{LadderForm, LadderLines, SizeFormat, fitted_own},
    ladder_scene::LadderScene,
    ladder_words::over_trades,
    position_strip::position_strip,
};
use crate::{
    app::{
        Model,
        market::{
            book_state::BookState,
            depth::{Depth, GroupedBook},
            ladder_spot::DrawnRows,
            own_orders::{OwnOrder, OwnOrderKind},
        },
    },
    model::{Num, Protection, Side},
    view::text::{Scene, Share, Span, Tone, format},
};
use std::collections::BTreeMap;

/// The whole ladder, for so many cells.
#[derive(Debug, Clone, PartialEq)]
pub struct LadderView {
    pub form: LadderForm,
    /// What a click names; `None` until the account is known.
    pub drawn: Option<DrawnRows>,
    /// The position in its market, in the first line; `None` where there is no line for it.
    pub position: Option<Vec<Vec<Span>>>,
    /// How the rows lie, and whether one key sends: in words.
    pub head: Vec<Span>,
    pub above: Vec<Span>,
    pub rows: Vec<PriceRow>,
    pub below: Vec<Span>,
    /// What the keys do at the cursor.
    pub foot: Vec<Span>,
    /// The newest trade first; empty where no source tells trades or there is no room.
    pub trades: Vec<Vec<Span>>,
    /// The line over them.
    pub over_trades: Vec<Span>,
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
    /// The last trade was there.
    pub is_last: bool,
    pub bid: LadderCell,
    pub ask: LadderCell,
    pub my_bids: Span,
    pub my_asks: Span,
    pub traded: LadderCell,
}

/// A size and how long its bar is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LadderCell {
    pub size: Span,
    pub bar: Share,
}

/// The ladder on so many columns and lines; `None` where no price of its market is known.
pub fn price_ladder(
    model: &Model,
    scene: &Scene<'_>,
    (width, height): (u16, u16),
) -> Option<LadderView> {
    let ladder = LadderScene::new(model, scene.own_now)?;
    let has_tape = ladder.tape.is_some_and(|tape| tape.last().is_some());
    let lines = if has_tape {
        LadderLines::with_trades(height)
    } else {
        LadderLines::without_trades(height)
    };
    let ladder = ladder.with_rows(lines.rows)?;
    let labels = ladder.prices.first().map(|price| ladder.label(*price));
    let label = labels.map_or(0, |label| label.chars().count());
    let form = LadderForm::new(width, label);
    let grouped = ladder.grouped();
    let (above, below) = ladder.edges(usize::from(width));
    Some(LadderView {
        form,
        drawn: ladder.drawn(),
        position: (lines.position > 0).then(|| position_strip(model, scene)),
        head: ladder.head(scene),
        above,
        rows: ladder.rows(grouped.as_ref(), form),
        below,
        foot: ladder.foot(),
        trades: ladder.trades(scene, lines.trades),
        over_trades: ladder
            .tape
            .map_or_else(Vec::new, |tape| over_trades(tape, scene)),
    })
}

impl LadderScene<'_> {
    fn with_rows(self, rows: u16) -> Option<Self> {
        let prices = self.model.price_ladder.prices(usize::from(rows));
        (!prices.is_empty()).then_some(Self { prices, ..self })
    }

    fn drawn(&self) -> Option<DrawnRows> {
        Some(DrawnRows {
            account_id: self.model.account.identity.as_ref()?.account_id.clone(),
            market_id: self.market_id.clone(),
            generation: self.model.price_ladder.generation(),
            prices: self.prices.clone(),
        })
    }

    fn grouped(&self) -> Option<GroupedBook> {
        Some(GroupedBook::new(self.book?, self.spacing, self.range()?))
    }

    fn rows(&self, grouped: Option<&GroupedBook>, form: LadderForm) -> Vec<PriceRow> {
        let traded = self.traded();
        let most_traded = traded.values().copied().max();
        let largest = grouped.and_then(GroupedBook::largest);
        let usual = format::usual_size(self.market);
        let sizes = SizeFormat::new((largest, usual), self.decimals(), form.size);
        let volumes = SizeFormat::new((most_traded, usual), self.decimals(), form.traded);
        let row = |price: &Num| {
            let cell = |side| {
                let depth = grouped.map(|grouped| grouped.depth(side, *price));
                self.cell(side, *price, depth, (largest, sizes))
            };
            let volume = traded.get(price).copied();
            PriceRow {
                price: *price,
                label: Span::new(self.label(*price), self.price_tone(*price)),
                letters: self.letters(*price),
                is_cursor: self.model.price_ladder.cursor() == Some(*price),
                is_last: self.last_row() == Some(*price),
                bid: cell(Side::Buy),
                ask: cell(Side::Sell),
                my_bids: self.mine(*price, Side::Buy, form.mine),
                my_asks: self.mine(*price, Side::Sell, form.mine),
                traded: volume.map_or_else(LadderCell::default, |volume| LadderCell {
                    size: Span::muted(volumes.words(volume)),
                    bar: share(volume, most_traded),
                }),
            }
        };
        self.prices.iter().map(row).collect()
    }

    pub(super) fn decimals(&self) -> u32 {
        let told = self.market.and_then(|market| market.size_decimals);
        told.unwrap_or(4)
    }

    /// Nothing is written beyond the best price of the other side: that is where the other side stands.
    fn cell(
        &self,
        side: Side,
        price: Num,
        depth: Option<Depth>,
        (largest, sizes): (Option<Num>, SizeFormat),
    ) -> LadderCell {
        let other = self.book.and_then(|book| book.best(side.opposite()));
        let is_beyond = other.is_some_and(|best| match side {
            Side::Buy => price >= best,
            Side::Sell => price <= best,
        });
        match depth {
            None | Some(Depth::Hidden) => LadderCell::default(),
            Some(Depth::Empty) if is_beyond => LadderCell::default(),
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

    fn last_row(&self) -> Option<Num> {
        let last = self.tape?.last()?;
        Some(self.spacing.near(last.price))
    }

    /// `0.1` rests, `S0.5` and `T0.5` stop and target, `>0.1` enters when the mark comes there. An order that is carried
    /// is `(0.1)` where it stands and `»0.1` where it would be dropped.
    fn mine(&self, row: Num, side: Side, room: u16) -> Span {
        let carried = self.model.price_ladder.carried();
        let of_side = || self.own.iter().filter(|own| own.side == side);
        let here = of_side().filter(|own| own.row == row);
        let parts = here.map(|own| match own_words(own) {
            words if Some(&own.order.id) == carried => format!("({words})"),
            words => words,
        });
        let mut parts: Vec<String> = parts.collect();
        if let ([one], Some(queue)) = (parts.as_mut_slice(), self.only_queue(row, side)) {
            let with_queue = format!("{one} {queue}");
            if with_queue.chars().count() < usize::from(room) {
                *one = with_queue;
            }
        }
        if self.model.price_ladder.cursor() == Some(row) {
            let ghost = of_side().find(|own| Some(&own.order.id) == carried && own.row != row);
            parts.extend(ghost.map(|own| format!("»{}", own_words(own))));
        }
        let words = fitted_own(&parts.join(" "), room.saturating_sub(1));
        match (parts.len(), words) {
            (0, _) => Span::default(),
            (_, Some(words)) => Span::accent(words),
            // A size is never cut: the orders pane has it.
            (1, None) => Span::accent("●"),
            (several, None) => Span::accent(format!("●{several}")),
        }
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

    /// What traded at each row within eight minutes, coin.
    fn traded(&self) -> BTreeMap<Num, Num> {
        let mut rows = BTreeMap::new();
        let Some((tape, (low, high))) = self.tape.zip(self.range()) else {
            return rows;
        };
        for (price, volume) in tape.volume_at_price().range(low..=high) {
            let row = rows.entry(self.spacing.near(*price)).or_insert(Num::ZERO);
            let total = volume.total().and_then(|size| row.plus(size));
            *row = total.unwrap_or(*row);
        }
        rows
    }
}

fn own_words(own: &OwnOrder<'_>) -> String {
    let sign = match own.kind {
        OwnOrderKind::Resting => "",
        OwnOrderKind::Entry => ">",
        OwnOrderKind::Protects(Protection::Stop) => "S",
        OwnOrderKind::Protects(Protection::Target) => "T",
    };
    format!("{sign}{}", format::size(own.order.size, None))
}

fn share(size: Num, largest: Option<Num>) -> Share {
    let share = largest.and_then(|largest| size.over(largest));
    share.map(Share::of).unwrap_or_default()
}
