//! The list of markets, one line each, of the service.

use crate::view::panels::title;
use crate::{
    app::{
        ClickTarget, Context, Model, Source,
        dialogs::overlay::{Markets, MarketsPurpose},
        market::watched::{SORTS, prices_since, session_change},
    },
    model::{Grid, Market, Num, Text},
    view::{
        tables::positions::{side_now, sparkline},
        text::{
            Align::{Left, Number},
            Cell, Column, Scene, Span, Table, Tone, format,
            listed::{self, ListView},
            words::{self, known},
        },
    },
};
use std::collections::BTreeMap;

/// In a narrow window, columns needed to write an order are dropped last.
const COLUMNS: &[Column<Market>] = &[
    Column::new("market", "market", Left, 0, |m, scene| {
        scene.market(&m.id).into()
    }),
    Column::known("mark_price", "mark", 0, |m: &Market| priced(m, m.mark)).aligned(Number),
    Column::new("change", "change", Number, 1, |m, scene| {
        known(session_change(m, scene.store).map(format::signed_percent)).into()
    }),
    Column::known("bid_price", "bid", 4, |m: &Market| priced(m, m.bid)).aligned(Number),
    Column::known("ask_price", "ask", 4, |m: &Market| priced(m, m.ask)).aligned(Number),
    Column::number("funding_rate", "funding/h", 2, format::exact_percent, |m| {
        m.funding_rate
    }),
    Column::new("next_funding", "pays in", Number, 5, |m, scene| {
        known(pays_in(m, scene)).into()
    }),
    Column::number("day_change", "24h", 3, format::signed_percent, |m| {
        m.day.change
    }),
    Column::number("day_volume", "volume", 4, format::short_usd, |m| {
        m.day.volume
    }),
    Column::number("open_interest", "OI", 4, format::short_usd, |m| {
        m.day.open_interest
    }),
    Column::known("tick", "tick", 5, tick)
        .aligned(Number)
        .toned(Tone::Muted),
    Column::known("lot", "lot", 5, |m: &Market| {
        Some(Num::new(1, m.size_decimals?).to_string())
    })
    .aligned(Number)
    .toned(Tone::Muted),
    Column::known("max_leverage", "max lev", 3, |m: &Market| {
        Some(format!("{}×", m.max_leverage?))
    })
    .aligned(Number)
    .toned(Tone::Muted),
    Column::new("position", "open", Left, 1, open),
    Column::new("watched", "list", Left, 1, watched),
    Column::new("course", "15m", Left, 6, |m, scene| sparkline(&m.id, scene)),
];

/// As many lines as fit into `room`, including the chosen one.
pub fn markets(model: &Model, list: &Markets, scene: &Scene<'_>, room: usize) -> ListView {
    let rows = list.rows(scene.store);
    let chosen = list.place(&rows);
    let seen = listed::seen(rows.len(), chosen, room);
    let shown = rows.get(seen.clone()).unwrap_or_default();
    ListView {
        title: heading(model, list, rows.len(), scene),
        table: Table::of(COLUMNS, shown.iter().copied(), scene),
        chosen: chosen - seen.start,
        spots: shown
            .iter()
            .map(|row| ClickTarget::Market(row.id.clone()))
            .collect(),
        emptiness: emptiness(model, list),
    }
}

/// How many, the search, their age, and since when changes are measured.
fn heading(model: &Model, list: &Markets, shown: usize, scene: &Scene<'_>) -> Vec<Span> {
    let all = scene.store.markets.value().map_or(0, BTreeMap::len);
    let mut spans = vec![Span::accent(match list.purpose {
        MarketsPurpose::List => "Markets",
        MarketsPurpose::Find => "Find a market",
    })];
    if let Some(list) = scene.store.watchlists.shown() {
        let name = Text::from(list.name.as_str());
        spans.push(Span::strong(format!(" {name}")));
    }
    spans.extend(listed::count(&list.search, shown, all));
    for words in title::source_words(model, Source::Markets) {
        spans.extend([Span::plain("  "), words]);
    }
    spans.extend(sorted(scene));
    if let Some(since) = prices_since(scene.store) {
        let since = scene.moment(scene.on_wall(since));
        spans.push(Span::muted(format!("  change since {since}")));
    }
    spans
}

/// `  by volume ▼`, where the list has not its own order.
fn sorted(scene: &Scene<'_>) -> Option<Span> {
    let sort = scene.store.watchlists.sort()?;
    let (id, _) = SORTS.get(sort.column)?;
    let column = COLUMNS.iter().find(|column| column.id == *id)?;
    let arrow = title::arrow(sort.direction);
    Some(Span::muted(format!("  by {} {arrow}", column.title)))
}

/// Why the list is empty: no data yet, or no match.
fn emptiness(model: &Model, list: &Markets) -> Vec<Span> {
    let markets = &model.account.store.markets;
    match (markets.value(), markets.trouble()) {
        (None, None) => Span::muted(" loading…").into(),
        (None, Some(why)) => Span::alert(format!(" {why}")).into(),
        (Some(markets), _) if markets.is_empty() => {
            Span::muted(" the service lists no market").into()
        }
        (Some(_), _) if list.search.text.is_empty() => {
            Span::muted(" this list has no market").into()
        }
        (Some(_), _) => {
            let none = " no market is called ";
            listed::nothing_found(model, Context::Markets, none, &list.search)
        }
    }
}

fn priced(market: &Market, price: Option<Num>) -> Option<String> {
    price.map(|price| format::average(price, Some(market)))
}

/// Whether the market is on the list that keys change.
fn watched(market: &Market, scene: &Scene<'_>) -> Cell {
    let list = scene.store.watchlists.current();
    let is_on = list.is_some_and(|list| list.markets.contains(&market.id));
    let sign = if is_on { "on" } else { "" };
    Span::muted(sign).into()
}

/// The time to the next funding, in its largest unit.
pub(crate) fn pays_in(market: &Market, scene: &Scene<'_>) -> Option<String> {
    let at = market.day.next_funding_at?;
    let left = at.since(scene.served());
    (!left.is_zero()).then(|| format::age(left))
}

/// An estimate if the source does not state it.
fn tick(market: &Market) -> Option<String> {
    let step = market.tick(market.mark?)?.step();
    Some(match market.grid {
        Grid::Figures(_) | Grid::Step(_) => step.to_string(),
        Grid::Guessed => format!("est. {step}"),
    })
}

/// The open positions. Empty only if all open positions are known.
fn open(market: &Market, scene: &Scene<'_>) -> Cell {
    let positions = scene.store.positions.rows().iter();
    let mut spans = vec![];
    for held in positions.filter(|held| held.market_id == market.id) {
        let apart = if spans.is_empty() { "" } else { "  " };
        let size = format!(" {}", words::position_size(held, scene));
        spans.extend([Span::plain(apart), side_now(held, scene), Span::plain(size)]);
    }
    let is_known = scene.store.polled_at(Source::Positions).is_some()
        && !scene.store.is_incomplete(Source::Positions);
    if spans.is_empty() && !is_known {
        return Span::unknown().into();
    }
    spans.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{StreamedPrice, account::poll::Answer, testing::*, update},
        model::{DayStats, Page, Zone},
        view::text::RowBody,
    };
    use std::time::Duration;

    /// The named column of each market.
    fn told(model: &Model, column: &str) -> Vec<String> {
        let zone = Zone::utc();
        let scene = Scene::of(model, &zone);
        let at = COLUMNS.iter().position(|c| c.id == column).unwrap();
        let list = markets(model, &Markets::default(), &scene, 10);
        let cells = list.table.rows.into_iter().map(|row| match row.body {
            RowBody::Cells(cells) => cells[at].text(),
            RowBody::Line(_) | RowBody::Rule(_) => panic!("no row"),
        });
        cells.collect()
    }

    #[test]
    fn a_change_is_since_the_first_price_seen_and_not_known_of_what_was_listed_later() {
        let mut model = desk();
        let later = model.account.now.plus(Duration::from_mins(1));
        update(&mut model, later, crate::app::Msg::Tick);
        let markets = vec![
            market("BTC", "64639", "64641", (5, 40)),
            market("ETH", "2999.9", "3000.1", (4, 25)),
            market("XRP", "2.0", "2.2", (0, 10)),
        ];
        arrive(&mut model, Answer::Markets(Ok(markets)));
        assert_eq!(told(&model, "change"), ["+1.00%", "0.00%", "–"]);
    }

    #[test]
    fn the_last_day_and_the_next_funding_are_told_where_the_stream_tells_them() {
        let mut model = desk();
        let at = model.account.now;
        let day = DayStats {
            change: "-0.0123".parse().ok(),
            volume: "34549000".parse().ok(),
            open_interest: None,
            next_funding_at: Some(model.account.service_now().plus(Duration::from_mins(12))),
        };
        let btc = model.account.store.known_markets().first().unwrap().clone();
        let price = StreamedPrice {
            market_id: btc,
            day: Some(day),
            at: Some(at),
            ..StreamedPrice::default()
        };
        model.account.store.arrive_prices(vec![price], at);
        let first = |column| told(&model, column).remove(0);
        assert_eq!(first("day_change"), "-1.23%");
        assert_eq!(first("day_volume"), "34.5M");
        assert_eq!(
            (first("open_interest"), first("next_funding")),
            ("–".to_owned(), "12m".to_owned())
        );
        assert_eq!(told(&model, "day_change")[1], "–");
    }

    #[test]
    fn each_sort_is_that_of_a_column() {
        for (id, _) in SORTS {
            assert!(COLUMNS.iter().any(|column| column.id == *id), "{id}");
        }
    }

    #[test]
    fn nothing_open_is_said_only_where_all_that_is_open_is_known() {
        let mut model = desk();
        assert_eq!(
            told(&model, "position"),
            ["LONG 0.50000", "", "SHORT 100.00"]
        );
        let mut part = Page::of(vec![position("pos-1", "BTC", "0.5", r#""leverage":10"#)]);
        part.unreadable.push("row 1: no id".into());
        arrive(&mut model, Answer::Positions(Ok(part)));
        assert_eq!(told(&model, "position"), ["LONG 0.50000", "–", "–"]);
    }
}
