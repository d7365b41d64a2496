//! A desk that receives one answer and draws one frame.

use perpdeck::{
    app::{
        CloseAllRule, Identity, Mode, Model, Msg, Options, Profile,
        account::poll::{Answer, Poll},
        keys::keymap::Keymap,
        update,
    },
    client,
    config::{AlertCommand, Alerts, Checks, Fees, Guard, Motion, PresetTable},
    model::{Cursor, Timestamp, Zone},
    runtime,
    ui::{self, DrawState, Theme},
};
use ratatui::{buffer::Buffer, layout::Rect};
use std::{collections::BTreeMap, sync::LazyLock};

const NOW: Timestamp = Timestamp(1_790_000_000_000);
/// Parsed once: reading the table of keys takes longer than a frame.
static KEYS: LazyLock<Keymap> = LazyLock::new(Keymap::default);

/// What the keys of [`press`] act on.
const POSITIONS: &str = r#"{"data":[
    {"id":"pos_1","account_id":"chal-1","market_id":"paper|BTC","symbol":"BTC","coin":"BTC","size":0.5,
     "entry_price":64000,"leverage":10,"liquidation_price":58000,"opened_at":1789990000000},
    {"id":"pos_2","account_id":"chal-1","market_id":"paper|SOL","symbol":"SOL","coin":"SOL","size":-10,
     "entry_price":150,"leverage":5,"liquidation_price":180,"opened_at":1789990000000}]}"#;
const ORDERS: &str = r#"{"data":[
    {"id":"ord_1","account_id":"chal-1","market_id":"paper|BTC","provider":"paper","symbol":"BTC","coin":"BTC",
     "type":"limit","mode":"limit","side":"buy","size":0.1,"limit_price":60000,"expected_price":64000,"leverage":8,
     "margin_mode":"cross","reduce_only":false,"status":"resting","requested_at":1789999900000}]}"#;

/// The first byte chooses the list and the screen, the rest is the body of the answer.
pub fn show(data: &[u8]) {
    let Some((choice, body)) = data.split_first() else {
        return;
    };
    let mut model = desk();
    let poll = Poll {
        at: NOW,
        answer: answer(choice % 6, body),
    };
    update(&mut model, NOW, Msg::Polled(Box::new(poll)));
    let (width, height) =
        [(80, 24), (120, 40), (200, 60), (60, 16), (1, 1)][usize::from(choice / 6) % 5];
    draw(&model, Rect::new(0, 0, width, height));
}

/// The first byte is how many of the following come at once, the second how many milliseconds pass before that: again and
/// again, to the end.
pub fn press(data: &[u8]) {
    let mut model = desk();
    for answer in [
        answer(0, POSITIONS.as_bytes()),
        answer(1, ORDERS.as_bytes()),
    ] {
        let poll = Poll { at: NOW, answer };
        update(&mut model, NOW, Msg::Polled(Box::new(poll)));
    }
    let mut rest = data;
    let bursts = std::iter::from_fn(move || {
        let [count, pause, bytes @ ..] = rest else {
            return None;
        };
        let (burst, after) = bytes.split_at(usize::from(*count).min(bytes.len()));
        rest = after;
        Some((u64::from(*pause), burst))
    });
    runtime::typed(bursts, &mut model);
    draw(&model, Rect::new(0, 0, 100, 30));
}

fn draw(model: &Model, screen: Rect) {
    let mut frame = Buffer::empty(screen);
    let mut drawing = DrawState::new(Theme::default(), Zone::utc());
    ui::render(&mut frame, model, &mut drawing);
    let drives = |text: &str| text.chars().any(char::is_control);
    assert!(
        !frame.content.iter().any(|cell| drives(cell.symbol())),
        "a cell of the frame would drive the terminal"
    );
}

fn answer(list: u8, body: &[u8]) -> Answer {
    match list {
        0 => Answer::Positions(client::rows_of(body)),
        1 => Answer::Orders(client::rows_of(body)),
        2 => Answer::Twaps(client::rows_of(body)),
        3 => Answer::Closed(client::rows_of(body)),
        4 => Answer::History(client::rows_of(body)),
        _ => Answer::MoreHistory(Cursor::from("next".to_owned()), client::rows_of(body)),
    }
}

fn desk() -> Model {
    let options = Options {
        close_all: CloseAllRule::Confirmed,
        intervals: BTreeMap::new(),
        ladder_one_key: false,
        checks: Checks::default(),
        size_presets: PresetTable::default(),
        brackets: PresetTable::default(),
        read_only: false,
        dry_run: false,
        ends_with_desk: false,
        zone: Zone::utc(),
        alerts: Alerts::default(),
        alert_command: AlertCommand::default(),
        guard: Guard::default(),
        fees: Fees::default(),
        be_extra_ticks: 0,
        lists_markets: false,
        motion: Motion::Full,
    };
    let mut model = Model::new(options, perpdeck::view::READING, KEYS.clone(), NOW);
    let identity = Identity {
        mode: Mode::Paper,
        account_id: "chal-1".into(),
        base_url: "http://127.0.0.1:1".to_owned(),
        profile: Profile::default(),
    };
    update(&mut model, NOW, Msg::Opened(identity));
    model
}
