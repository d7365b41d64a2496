//! An export: its panel, and the text of the file.

use crate::{
    app::{
        Action, Context, Model, Motion, Store, Workflows,
        account::poll::{Answer, Poll},
        activity::notice::Activity,
        core::sheet::{Format, Sheet, SheetRows},
        dialogs::export::{Export, Lack, Stage},
    },
    model::{Num, Scaled, Text, Zone},
    view::{
        details::{DetailLine, DetailView},
        panels::title,
        tables::{
            activity::ACTIVITY,
            calls::CALLS,
            csv,
            rows::{self, OrderRow, PositionRow, RungRow, TradeRow, TwapRow, columns_of},
            standing::{
                FillRow,
                columns_of::{EQUITY, FILL, FUNDING},
            },
        },
        text::{Column, Scene, Share, Span, format, words},
    },
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Width of the progress bar in cells.
const BAR: u16 = 24;

/// The panel.
pub fn export(model: &Model, export: &Export) -> DetailView {
    let key = |action| Span::accent(words::key(model, Context::Export, action));
    let choice = |text: String, action| {
        [
            Span::plain(text),
            Span::plain("  "),
            key(action),
            Span::muted(" changes it"),
        ]
    };
    let mut lines = vec![
        DetailLine::field("pane", Span::plain(title::name(export.pane))),
        DetailLine::field(
            "format",
            choice(export.format.to_string(), Action::NextChoice),
        ),
    ];
    if let Some(to) = &export.to {
        let to = Text::from(to.as_str()).to_string();
        lines.push(DetailLine::field("to", Span::plain(to)));
    }
    if export.is_paged() {
        let span = choice(export.span.to_string(), Action::NextField);
        lines.push(DetailLine::field("span", span));
        lines.push(DetailLine::field("read", progress(model, export)));
    }
    let table_view = model.table_views.of(export.pane);
    if let Some(filter) = table_view.and_then(|table_view| table_view.filter.as_ref()) {
        let filter = Text::from(filter.text.as_str()).to_string();
        let words = format!("/{filter} does not apply: all rows are written");
        lines.push(DetailLine::field("filter", Span::warn(words)));
    }
    let missing = missing(export.lack(&model.account.store, &model.account.activity));
    if !missing.is_empty() {
        let words = format!("not the whole list: {missing}");
        lines.push(DetailLine::field("holds", Span::warn(words)));
    }
    let keys = [Action::Submit, Action::Dismiss].map(key);
    lines.push(DetailLine::field("", stage(export, &missing, keys)));
    DetailView {
        title: Span::accent("Export").into(),
        lines,
    }
}

/// What is missing in the file, so that it cannot pass for complete.
fn missing(lack: Lack) -> String {
    let Lack {
        unreadable,
        is_cut,
        unread,
        forgotten,
        has_older,
    } = lack;
    let counted =
        |count: usize, what: &str| (count > 0).then(|| format!("{} {what}", format::count(count)));
    let parts = [
        counted(unreadable, "unreadable"),
        is_cut.then(|| "incomplete".to_owned()),
        counted(unread, "not read yet"),
        counted(forgotten, "older ended not kept"),
        has_older.then(|| "older lines are not in it".to_owned()),
    ];
    words::listed(parts, ", ")
}

/// How many rows are loaded and, if the time range has a start, how much of it is covered.
fn progress(model: &Model, export: &Export) -> Vec<Span> {
    let (count, oldest) = export.reach(&model.account.store);
    let rows = Span::plain(words::counted(count, "row", "rows"));
    let millis = |since| {
        let span = export.opened_at().since(since).as_millis();
        Num::from(i64::try_from(span).unwrap_or(i64::MAX))
    };
    let share = match (&export.stage, oldest.zip(export.since())) {
        (Stage::Writing | Stage::Over(Ok(_)), _) => Some(Num::ONE),
        (_, Some((oldest, since))) => millis(oldest).over(millis(since)),
        (_, None) => None,
    };
    let Some(share) = share else {
        return vec![rows, Span::muted("  count not known")];
    };
    let filled = usize::from(Share::of(share).eighths(BAR) / 8);
    let rest = usize::from(BAR) - filled;
    vec![
        Span::info("█".repeat(filled)),
        Span::muted("░".repeat(rest)),
        Span::plain("  "),
        rows,
    ]
}

fn stage(export: &Export, missing: &str, keys: [Span; 2]) -> Vec<Span> {
    let [enter, esc] = keys;
    let keys = |head: Span, then: &str, leave: &str| {
        vec![
            head,
            enter.clone(),
            Span::plain(format!(" {then} · ")),
            esc.clone(),
            Span::plain(format!(" {leave}")),
        ]
    };
    match &export.stage {
        Stage::Asking => keys(Span::plain(""), "writes the file", "back"),
        Stage::Reading(_) => vec![
            Span::info("reading every page  "),
            esc,
            Span::plain(" stops, nothing is written"),
        ],
        Stage::Writing => Span::info("writing").into(),
        Stage::Over(Ok((path, rows))) => {
            let done = format!("{} in {path}", words::counted(*rows, "row", "rows"));
            match missing {
                "" => Span::good(done).into(),
                words => Span::warn(format!("{done}, not all there are: {words}")).into(),
            }
        }
        Stage::Over(Err(why)) => keys(Span::alert(format!("{why}  ")), "tries again", "back"),
    }
}

/// The start of the file name; the format adds its ending.
pub fn file_stem(sheet: &Sheet) -> String {
    let is_other = |c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c));
    let stamp = Zone::stamps().moment(sheet.at, sheet.at);
    let digits = stamp.chars().filter(char::is_ascii_digit);
    let stamp: String = digits.take(14).collect();
    let list = match sheet.rows {
        SheetRows::Positions(_) => "positions",
        SheetRows::Working(_) => "working-orders",
        SheetRows::Twaps(_) => "twaps",
        SheetRows::Scaled(_) => "scaled",
        SheetRows::Closed(_) => "closed-positions",
        SheetRows::History(_) => "orders",
        SheetRows::Fills(_) => "fills",
        SheetRows::Funding(_) => "funding",
        SheetRows::Equity(_) => "equity",
        SheetRows::Activity(_) => "activity",
        SheetRows::Calls(_) => "calls",
    };
    let account = sheet.account.replace(is_other, "_");
    format!("perpdeck-{list}-{account}-{stamp}")
}

/// The whole file and its number of rows. Times are UTC, in full.
pub fn file(sheet: &Sheet) -> (String, usize) {
    let at = sheet.at;
    let mut store = Store::default();
    store.trades.clone_from(&sheet.trades);
    let markets = Answer::Markets(Ok(sheet.markets.clone()));
    let orders = sheet
        .working
        .clone()
        .map(|working| Answer::Orders(Ok(working)));
    for answer in [Some(markets), orders].into_iter().flatten() {
        store.arrive(Poll { at, answer });
    }
    let (activity, zone) = (Activity::default(), Zone::stamps());
    let scene = Scene {
        store: &store,
        activity: &activity,
        sent_forms: &BTreeMap::new(),
        workflows: &Workflows::default(),
        now: at,
        own_now: at,
        zone: &zone,
        ends_with_desk: false,
        mode: None,
        motion: Motion::Full,
        priced: None,
    };
    let written = (sheet.format, &scene);
    match &sheet.rows {
        SheetRows::Positions(rows) => exact(rows, PositionRow::new, columns_of::POSITION, written),
        SheetRows::Closed(rows) => exact(rows, TradeRow::new, columns_of::TRADE, written),
        SheetRows::Working(rows) | SheetRows::History(rows) => {
            exact(rows, OrderRow::new, columns_of::ORDER, written)
        }
        SheetRows::Fills(rows) => {
            let fills: Vec<_> = rows.iter().filter_map(FillRow::new).collect();
            exact(&fills, same, FILL, written)
        }
        SheetRows::Funding(rows) => exact(rows, same, FUNDING, written),
        SheetRows::Equity(rows) => exact(rows, same, EQUITY, written),
        SheetRows::Twaps(rows) => exact(rows, TwapRow::new, columns_of::TWAP, written),
        SheetRows::Scaled(rows) => scaled(rows, written),
        SheetRows::Activity(rows) => cells(ACTIVITY, rows, written),
        SheetRows::Calls(rows) => cells(CALLS, rows, written),
    }
}

/// A row that is printed as it is.
fn same<T: Clone>(row: &T, _: &Scene<'_>) -> T {
    row.clone()
}

/// The rows as the command line prints them.
fn exact<T, R: Serialize>(
    rows: &[T],
    row: fn(&T, &Scene<'_>) -> R,
    columns: &[&str],
    (format, scene): (Format, &Scene<'_>),
) -> (String, usize) {
    let exact: Vec<_> = rows.iter().map(|one| row(one, scene)).collect();
    let text = match format {
        Format::Csv => rows::csv(columns, &exact),
        Format::Json => json(&exact),
    };
    (text, exact.len())
}

/// In CSV one line per rung: the scaled order's own fields would repeat.
fn scaled(scaled: &[Scaled], (format, scene): (Format, &Scene<'_>)) -> (String, usize) {
    if format == Format::Json {
        return (json(scaled), scaled.len());
    }
    let rungs = scaled.iter().flat_map(|scaled| RungRow::all(scaled, scene));
    let rungs: Vec<_> = rungs.collect();
    (rows::csv(columns_of::RUNG, &rungs), rungs.len())
}

fn json<T: Serialize>(rows: &[T]) -> String {
    // Data read from JSON can be written as JSON.
    serde_json::to_string_pretty(rows).unwrap_or_default() + "\n"
}

/// The desk's own lines are no rows of the service: their cells are exported.
fn cells<T>(
    columns: &[Column<T>],
    rows: &[T],
    (format, scene): (Format, &Scene<'_>),
) -> (String, usize) {
    let object = |row: &T| -> BTreeMap<&str, String> {
        let cells = columns
            .iter()
            .map(|column| (column.id, csv::cell(column, row, scene)));
        cells.collect()
    };
    let text = match format {
        Format::Csv => csv::cells(columns, rows, scene),
        Format::Json => json(&rows.iter().map(object).collect::<Vec<_>>()),
    };
    (text, rows.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{Effect, Msg, dialogs::overlay::Overlay, testing::*, update},
        model::{Order, Page, PastPage},
    };

    fn said(model: &Model) -> String {
        let Some(Overlay::Export(open)) = model.overlays.last() else {
            panic!("no export is open");
        };
        let fields = export(model, open).lines.into_iter();
        fields
            .flat_map(|line| line.value)
            .map(|span| span.text)
            .collect()
    }

    fn cut() -> Page<Order> {
        Page {
            incomplete: true,
            ..Page::of(vec![])
        }
    }

    #[test]
    fn an_export_of_a_list_that_is_cut_does_not_pass_for_the_whole() {
        let mut model = desk();
        arrive(&mut model, Answer::History(Ok(Page::of(vec![]))));
        press(&mut model, "6 E");
        assert!(!said(&model).contains("not the whole list"));
        arrive(&mut model, Answer::History(Ok(cut())));
        let asking = said(&model);
        let words = "not the whole list: incomplete";
        assert!(asking.contains(words), "{asking}");
        let effects = press(&mut model, "enter");
        assert!(matches!(effects.as_slice(), [Effect::Write(_)]));
        // The file's contents do not change with later data.
        arrive(&mut model, Answer::History(Ok(Page::of(vec![]))));
        let now = model.account.now;
        let written = Ok(("h.csv".to_owned(), 7));
        update(&mut model, now, Msg::Written(written));
        let over = said(&model);
        let words = "7 rows in h.csv, not all there are: incomplete";
        assert!(over.contains(words), "{over}");
    }

    #[test]
    fn an_export_of_positions_tells_what_protects_them_and_margin_mode_and_leverage_apart() {
        let mut model = desk();
        let stop = order(
            "ord-5",
            "BTC",
            r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":59000,
            "target_position_id":"pos-1","status":"pending""#,
        );
        arrive(&mut model, Answer::Orders(Ok(Page::of(vec![stop]))));
        let effects = press(&mut model, "1 E enter");
        let [Effect::Write(sheet)] = effects.as_slice() else {
            panic!("nothing is written but {effects:?}");
        };
        let (text, _) = file(sheet);
        let mut lines = text
            .split("\r\n")
            .map(|line| line.split(',').collect::<Vec<_>>());
        let names = lines.next().unwrap();
        let rows: Vec<_> = lines.collect();
        let cell = |row: usize, name: &str| {
            let at = names.iter().position(|known| *known == name).unwrap();
            rows[row][at]
        };
        let told =
            |row| ["stop", "stop_coverage", "margin_mode", "leverage"].map(|name| cell(row, name));
        assert_eq!(told(0), ["59000", "1", "cross", "10"], "{text}");
        // A number or nothing, no words of the screen.
        assert_eq!(told(1), ["", "0", "isolated", "5"], "{text}");
    }

    #[test]
    fn an_export_says_that_the_filter_does_not_apply() {
        let mut model = desk();
        press(&mut model, "1 / b t c enter E");
        let asking = said(&model);
        let words = "/btc does not apply: all rows are written";
        assert!(asking.contains(words), "{asking}");
    }

    #[test]
    fn an_export_of_the_activity_says_that_older_lines_are_not_in_it() {
        let mut model = desk();
        press(&mut model, "7 E");
        assert!(!said(&model).contains("not the whole list"));
        let (rows, has_more) = (vec![], true);
        let more = Msg::Recalled(Ok(PastPage { rows, has_more }));
        let now = model.account.now;
        update(&mut model, now, more);
        let asking = said(&model);
        let words = "not the whole list: older lines are not in it";
        assert!(asking.contains(words), "{asking}");
    }
}
