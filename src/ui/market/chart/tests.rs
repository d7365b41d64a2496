use super::*;
use crate::{
    app::{CandleChart, Context},
    model::{Interval, Num, Timestamp},
    ui::Theme,
    view::{
        Span,
        market::{
            chart::ChartRoom,
            overlays::PriceLine,
            scale::{PriceRange, PriceUnit},
        },
    },
};
use ratatui::{buffer::Buffer, layout::Rect, style::Color};

const MINUTE: i64 = 60_000;

/// Open, high, low and close above 65,000; the 6th closes where it opened, in the 8th
/// nothing traded.
const CANDLES: [[i64; 4]; 12] = [
    [600, 612, 594, 608],
    [608, 618, 603, 615],
    [615, 618, 606, 606],
    [606, 611, 596, 599],
    [599, 603, 589, 589],
    [589, 591, 584, 589],
    [589, 606, 589, 603],
    [603, 603, 603, 603],
    [603, 620, 601, 618],
    [618, 628, 615, 625],
    [625, 630, 618, 618],
    [618, 625, 615, 623],
];
const VOLUMES: [u16; 12] = [2, 4, 2, 4, 6, 3, 5, 0, 7, 8, 4, 2];

fn candle(at: i64, prices: [i64; 4], trades: u64) -> Candle {
    let [open, high, low, close] = prices.map(|price| Num::from(65_000 + price));
    Candle {
        open_time: Timestamp(at * MINUTE),
        open,
        high,
        low,
        close,
        volume: Some(Num::ONE),
        turnover: None,
        trades: Some(trades),
        is_closed: true,
        is_synthetic: false,
    }
}

fn view(candles: &[[i64; 4]], (low, high): (i64, i64)) -> ChartView {
    let slots = (0..).zip(candles).zip(VOLUMES);
    let slots = slots.map(|((at, prices), volume)| ChartSlot {
        candle: Some(candle(at, *prices, u64::from(volume > 0))),
        volume,
        ..ChartSlot::default()
    });
    let line = |kind, count: i64| PriceLine {
        kind,
        count: 65_000 + count,
        price: format!("65,{count}"),
        name: None,
    };
    ChartView {
        legend: vec![],
        slots: slots.collect(),
        unit: PriceUnit {
            decimals: 0,
            tick: 1,
        },
        range: PriceRange {
            low: 65_000 + low,
            high: 65_000 + high,
        },
        lines: vec![line(LineKind::Stop, 592), line(LineKind::Entry, 607)],
        axis: [630, 620, 610, 600]
            .map(|price| (65_000 + price, Span::muted(format!("65,{price}"))))
            .to_vec(),
        times: vec![
            (0, Span::muted("10:00")),
            (5, Span::muted("10:05")),
            (10, Span::muted("10:10")),
        ],
        zone: Span::muted("UTC"),
        volume: Some(Span::muted("vol 40")),
        profile: vec![],
        look: CandleLook::Hollow,
        has_averages: false,
        cursor: None,
        drawn: None,
    }
}

/// Ten rows of prices, one of volume, one of times; the gutter beside them.
fn areas(wide: u16) -> ChartAreas {
    let of = |x, y, width, height| Rect::new(x, y, width, height);
    ChartAreas {
        position: of(0, 0, 0, 0),
        legend: of(0, 0, 0, 0),
        plot: of(0, 0, wide, 10),
        volume: of(0, 10, wide, 1),
        times: of(0, 11, wide + 4, 1),
        gutter: of(wide, 0, 14, 12),
        pitch: 2,
        margin: 0,
        is_line: wide < 24,
    }
}

fn drawn(view: &ChartView, theme: &Theme) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 38, 12));
    let mut canvas = Canvas::new(&mut buffer, theme, Context::MarketChart);
    let glyphs = &mut GlyphColumns::default();
    draw_as_candles(&mut canvas, &areas(24), view, glyphs);
    buffer
}

fn draw_as_candles(
    canvas: &mut Canvas<'_>,
    areas: &ChartAreas,
    view: &ChartView,
    glyphs: &mut GlyphColumns,
) {
    let set = GlyphSet::of(canvas.theme, view.look);
    glyphs.scale(view, areas.plot.height, set);
    candles(canvas, areas, view, glyphs);
    volume(canvas, areas, view);
    lines(canvas, areas, view);
    beside::times(canvas, areas, view);
    beside::gutter(canvas, areas, view);
}

fn rows(buffer: &Buffer) -> Vec<String> {
    let rows = buffer.content.chunks(usize::from(buffer.area.width));
    let text =
        |row: &[ratatui::buffer::Cell]| row.iter().map(ratatui::buffer::Cell::symbol).collect();
    rows.map(text)
        .map(|row: String| row.trim_end().to_owned())
        .collect()
}

#[test]
fn twelve_candles_have_two_levels_a_cell_with_lines_volume_and_times_around_them() {
    let picture = [
        "                   ╷ │          65,630",
        "                   ┃ █ ╽",
        "   ╷ ╷           ╽ ┃ █ ┃        65,620",
        " ╷ ┃ █           ┃ ╵   ╵",
        " ╽ ┃ █ │         ┃              65,610",
        "┄┃┄│┄▀┄█┄╷┄┄┄╽┄─┄┃┄┄┄┄┄┄◂entry  65,607",
        " ╿     █ ▄   ┃   ╵              65,600",
        " │     ╵ █   ┃",
        "┄┄┄┄┄┄┄┄┄█┄┼┄┃┄┄┄┄┄┄┄┄┄┄◂stop   65,592",
        "           │",
        " ▂ ▄ ▂ ▄ ▆ ▃ ▅   ▇ █ ▄ ▂        vol 40",
        " 10:00     10:05     10:10         UTC",
    ];
    let view = view(&CANDLES, (584, 630));
    assert_eq!(rows(&drawn(&view, &Theme::default())), picture);
}

#[test]
fn up_and_down_are_told_apart_without_a_color_and_on_a_console() {
    let view = view(&CANDLES, (584, 630));
    let plain = drawn(&view, &Theme::colorless());
    assert_eq!(rows(&plain), rows(&drawn(&view, &Theme::default())));
    let is_bare = |cell: &ratatui::buffer::Cell| {
        [cell.fg, cell.bg]
            .iter()
            .all(|color| *color == Color::Reset)
    };
    assert!(plain.content.iter().all(is_bare));
    let console = Theme::default().with_depth(crate::ui::ColorDepth::Basic);
    let rows = rows(&drawn(&view, &console));
    assert_eq!(rows[4], " ▒ ▒ █ │         ▒              65,610");
}

#[test]
fn one_candle_and_a_flat_range_are_drawn_too() {
    let view = view(&[[600, 600, 600, 600]], (600, 600));
    let rows = rows(&drawn(&view, &Theme::default()));
    assert!(rows.iter().any(|row| row.contains('─')), "{rows:#?}");
}

#[test]
fn a_price_that_changes_draws_one_column_anew() {
    let mut glyphs = GlyphColumns::default();
    let mut view = view(&CANDLES, (584, 630));
    glyphs.scale(&view, 10, GlyphSet::Hollow);
    for slot in &view.slots {
        glyphs.column(&slot.candle.unwrap());
    }
    let before = glyphs.columns.clone();
    let newest = candle(11, [618, 628, 615, 628], 1);
    view.slots[11].candle = Some(newest);
    glyphs.scale(&view, 10, GlyphSet::Hollow);
    glyphs.column(&newest);
    let changed = glyphs
        .columns
        .iter()
        .filter(|(at, drawn)| before[*at] != **drawn);
    assert_eq!(changed.count(), 1);
}

#[test]
fn a_line_has_the_rows_of_the_volume_that_it_does_not_draw() {
    let of = |look| {
        let chart = CandleChart {
            look,
            ..CandleChart::default()
        };
        ChartAreas::new(Rect::new(0, 0, 100, 30), 6, &chart)
    };
    let (candles, line) = (of(CandleLook::Solid), of(CandleLook::Line));
    assert_eq!((candles.volume.height, line.volume.height), (3, 0));
    assert_eq!(line.plot.height, candles.plot.height + 3);
}

#[test]
fn every_look_shows_own_fills_and_averages_and_each_average_has_a_sign() {
    let mut view = view(&CANDLES, (584, 630));
    view.has_averages = true;
    view.slots[0].bought = true;
    view.slots[1].vwap = Some(65_630);
    view.slots[4].indicators.averages = [Some(65_630), Some(65_625), Some(65_620)];
    for look in [CandleLook::Hollow, CandleLook::Line] {
        view.look = look;
        let theme = Theme::default();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 38, 12));
        let mut canvas = Canvas::new(&mut buffer, &theme, Context::MarketChart);
        let areas = ChartAreas {
            is_line: look == CandleLook::Line,
            ..areas(24)
        };
        draw_view(&mut canvas, &areas, &view, &mut GlyphColumns::default());
        let drawn = rows(&buffer).concat();
        for sign in ['▲', '·', '.', ':', '~'] {
            assert!(drawn.contains(sign), "{sign} of {look}: {drawn}");
        }
    }
}

#[test]
fn every_room_is_drawn_within_it() {
    for width in 0..130 {
        for height in 0..40 {
            let inner = Rect::new(3, 2, width, height);
            for zoom in [0, 3] {
                let chart = CandleChart {
                    zoom,
                    ..CandleChart::default()
                };
                let areas = ChartAreas::new(inner, 6, &chart);
                let parts = [
                    areas.position,
                    areas.legend,
                    areas.plot,
                    areas.volume,
                    areas.times,
                    areas.gutter,
                ];
                let is_within = |part: &Rect| part.is_empty() || inner.intersection(*part) == *part;
                assert!(parts.iter().all(is_within), "{width}x{height}: {areas:?}");
                let ChartRoom { slots, .. } = areas.room();
                let columns = (0..slots).map(|slot| areas.x(slot));
                let is_in_plot = |x: u16| (areas.plot.x..areas.plot.right()).contains(&x);
                assert!(columns.into_iter().all(is_in_plot), "{width}x{height}");
            }
        }
    }
    assert_eq!(Interval::Minute1.millis(), MINUTE);
}

#[test]
fn prices_beside_the_chart_fall_from_above_at_every_height_and_have_a_row_each() {
    let mut view = view(&CANDLES, (584, 630));
    let kinds = [
        (LineKind::Mark, 608),
        (LineKind::Liquidation, 540),
        (LineKind::Stop, 592),
        (LineKind::Entry, 607),
        (LineKind::Target, 700),
        (LineKind::Alert, 606),
        (LineKind::Own, 609),
        (LineKind::DayHigh, 629),
        (LineKind::DayLow, 585),
        (LineKind::PreviousClose, 622),
    ];
    let line = |(kind, count): (LineKind, i64)| PriceLine {
        kind,
        count: 65_000 + count,
        price: format!("65,{count}"),
        name: None,
    };
    view.lines = kinds.map(line).to_vec();
    for height in 6..50 {
        let room = Rect::new(0, 0, 70, height);
        let areas = ChartAreas::new(room, 6, &CandleChart::default());
        let theme = Theme::default();
        let mut buffer = Buffer::empty(room);
        let mut canvas = Canvas::new(&mut buffer, &theme, Context::MarketChart);
        draw_view(&mut canvas, &areas, &view, &mut GlyphColumns::default());
        let beside = (areas.plot.y..areas.plot.bottom()).map(|y| {
            let cells = (areas.gutter.x..areas.gutter.right()).map(|x| buffer[(x, y)].symbol());
            cells
                .filter(|cell| cell.chars().all(|c| c.is_ascii_digit()))
                .collect::<String>()
        });
        let prices: Vec<i64> = beside.filter_map(|digits| digits.parse().ok()).collect();
        assert!(prices.iter().all(|price| (65_000..66_000).contains(price)));
        assert!(
            prices.is_sorted_by(|above, below| above > below),
            "{height}: {prices:?}"
        );
    }
}

#[test]
fn a_line_of_ones_own_has_its_name_at_the_left_end_where_it_fits() {
    let mut view = view(&CANDLES, (584, 630));
    let own = |name: &str| PriceLine {
        kind: LineKind::Own,
        count: 65_625,
        price: "65,625".to_owned(),
        name: Some(name.to_owned()),
    };
    view.lines = vec![own("low")];
    let theme = Theme::default();
    let row = |view: &ChartView| rows(&drawn(view, &theme))[1].clone();
    assert!(row(&view).starts_with("low ╌"), "{}", row(&view));
    view.lines = vec![own("the low of last week")];
    assert!(!row(&view).contains("low"), "{}", row(&view));
}
