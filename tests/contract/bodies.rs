//! Every body that perpdeck sends against a closed schema of the service (docs/service-api.md 4): the fields that must be
//! there, the fields that may, and no other. The schema is written by hand, so that a renamed field of ours is noticed.

use perpdeck::api::{Method, Request};
use perpdeck::model::{
    Bps, CloseKind, ClosePosition, Command, Curve, Distribution, ExecutionType, ExitBatch,
    ExitGroup, ExitOperation, Exits, ExpectedExit, Leg, MarginMode, MarketId, ModifyOrder, Num,
    PlaceKind, PlaceOrder, PlaceScaled, PlaceTwap, Risk, Side, TimeInForce, Timestamp,
    TriggerDirection,
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::Value;
use strum::VariantArray;

/// What the value of a field must be.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    /// Text of 1 to 128 characters.
    Name,
    Flag,
    /// A JSON number above zero.
    Positive,
    /// A JSON number, zero or above.
    Amount,
    /// A price, or null, which removes it.
    PriceOrNull,
    /// A whole number, zero or above: an index, or milliseconds.
    Whole,
    Between(u64, u64),
    OneOf(&'static str),
    ListOf(&'static [Field]),
    /// The `kind` of an element decides about its other fields.
    Operations,
}
use Kind::{
    Amount, Between, Flag, ListOf, Name, OneOf, Operations, Positive, PriceOrNull, Text, Whole,
};

#[derive(Debug, Clone, Copy)]
struct Field {
    name: &'static str,
    kind: Kind,
    is_required: bool,
}

const fn needs(name: &'static str, kind: Kind) -> Field {
    Field {
        name,
        kind,
        is_required: true,
    }
}

const fn takes(name: &'static str, kind: Kind) -> Field {
    Field {
        is_required: false,
        ..needs(name, kind)
    }
}

const SIDE: Kind = OneOf("buy sell");
const MODE: Kind = OneOf("cross isolated");
const DIRECTION: Kind = OneOf("above below");
const EXECUTION: Kind = OneOf("market limit");

const ORDER: &[Field] = &[
    needs("account_id", Text),
    needs("market_id", Text),
    needs("side", SIDE),
    needs("size", Positive),
    needs("leverage", Positive),
    needs("margin_mode", MODE),
    takes(
        "type",
        OneOf(
            "market limit chase stop_market stop_limit take_market take_limit take_profit conditional",
        ),
    ),
    takes("client_order_id", Name),
    takes("expected_price", Positive),
    takes("slippage_tolerance_bps", Positive),
    takes("reduce_only", Flag),
    takes("take_profit_price", Positive),
    takes("stop_loss_price", Positive),
    takes("trigger_price", Positive),
    takes("limit_price", Positive),
    takes("time_in_force", OneOf("ioc fok gtd")),
    takes("gtd_expires_at", Whole),
    takes("chase_offset", Amount),
    takes("chase_cap_price", Positive),
    takes("marketable_limit_acknowledged", Flag),
    takes("replace_overlapping_exits", Flag),
    takes("trigger_market_id", Text),
    takes("trigger_direction", DIRECTION),
    takes("target_position_id", Text),
];
const TWAP: &[Field] = &[
    needs("account_id", Text),
    needs("market_id", Text),
    needs("side", SIDE),
    needs("size", Positive),
    needs("expected_price", Positive),
    needs("leverage", Positive),
    needs("margin_mode", MODE),
    needs("duration_minutes", Between(5, 1_440)),
    takes("strategy", OneOf("twap vwap")),
    takes("slice_interval_seconds", Between(30, 43_200)),
    takes("randomize", Flag),
    takes("reduce_only", Flag),
    takes("trigger_price", Positive),
    takes("max_price", Positive),
    takes("min_price", Positive),
];
const SCALED: &[Field] = &[
    needs("account_id", Text),
    needs("market_id", Text),
    needs("side", SIDE),
    needs("size", Positive),
    needs("start_price", Positive),
    needs("end_price", Positive),
    needs("rung_count", Between(2, 10)),
    needs("distribution", OneOf("flat ascending descending")),
    needs("leverage", Positive),
    needs("margin_mode", MODE),
    takes("reduce_only", Flag),
    takes("marketable_limit_acknowledged", Flag),
];
const CLOSE: &[Field] = &[
    needs("type", OneOf("market limit conditional")),
    takes("size", Positive),
    takes("expected_price", Positive),
    takes("slippage_tolerance_bps", Positive),
    takes("limit_price", Positive),
    takes("trigger_price", Positive),
    takes("trigger_market_id", Text),
    takes("trigger_direction", DIRECTION),
    takes("marketable_limit_acknowledged", Flag),
    takes("client_order_id", Name),
];
const EXITS: &[Field] = &[
    takes("take_profit_price", PriceOrNull),
    takes("stop_loss_price", PriceOrNull),
];
const MODIFY: &[Field] = &[needs("price", Positive), takes("size", Positive)];
const EXIT_BATCH: &[Field] = &[
    needs("expected_position_size", Positive),
    needs("expected_orders", ListOf(EXPECTED)),
    needs("operations", Operations),
];
const EXPECTED: &[Field] = &[
    needs("order_id", Text),
    needs("price", Positive),
    needs("size", Positive),
    takes("execution_type", EXECUTION),
];
const OPERATIONS: [(&str, &[Field]); 3] = [
    (
        "cancel",
        &[needs("kind", OneOf("cancel")), needs("order_id", Text)],
    ),
    (
        "modify",
        &[
            needs("kind", OneOf("modify")),
            needs("order_id", Text),
            needs("price", Positive),
            takes("size", Positive),
        ],
    ),
    (
        "place",
        &[
            needs("kind", OneOf("place")),
            needs("group", OneOf("tp sl")),
            takes("execution_type", EXECUTION),
            needs("price", Positive),
            needs("size", Positive),
            takes("oco_pair_with_operation_index", Whole),
        ],
    ),
];
const MARGIN: &[Field] = &[needs("extra_margin", Amount)];

/// What a request looks like: method, path with `{}` for an id, whether it has a key, and its body.
type Shape = (Method, &'static str, bool, Option<&'static [Field]>);

/// `None` for a command of many requests.
fn shape(command: &Command) -> Option<Shape> {
    use Method::{Delete, Patch, Post, Put};
    Some(match command {
        Command::Place(_) => (Post, "/v1/orders", true, Some(ORDER)),
        Command::PlaceTwap(_) => (Post, "/v1/twap-orders", true, Some(TWAP)),
        Command::PlaceScaled(_) => (Post, "/v1/scaled-orders", true, Some(SCALED)),
        Command::Close(_) => (Post, "/v1/positions/{}/close", true, Some(CLOSE)),
        Command::Cancel(_) | Command::Unprotect(_) => (Delete, "/v1/orders/{}", false, None),
        Command::Exits(_) => (Put, "/v1/orders/{}/attached-exits", false, Some(EXITS)),
        Command::Modify(_) => (Patch, "/v1/orders/{}", false, Some(MODIFY)),
        Command::ExitBatch(_) => (Put, "/v1/positions/{}/exit-orders", false, Some(EXIT_BATCH)),
        Command::Margin { .. } => (Put, "/v1/positions/{}/isolated-margin", false, Some(MARGIN)),
        Command::StopTwap(_) => (Delete, "/v1/twap-orders/{}", false, None),
        Command::CancelScaled(_) => (Delete, "/v1/scaled-orders/{}", false, None),
        Command::CloseAll(_) => (Post, "/v1/accounts/{}/close-all-positions", true, None),
        Command::CancelAll(_) => (Post, "/v1/accounts/{}/cancel-all-orders", true, None),
        Command::Flatten(_) => return None,
    })
}

fn keeps(value: &Value, fields: &[Field]) -> Result<(), String> {
    let object = value
        .as_object()
        .ok_or_else(|| format!("{value} is no object"))?;
    let unknown = object
        .keys()
        .find(|name| fields.iter().all(|field| field.name != *name));
    if let Some(name) = unknown {
        return Err(format!("{name} is unknown: {value}"));
    }
    for field in fields {
        match object.get(field.name) {
            None if field.is_required => return Err(format!("{} is missing: {value}", field.name)),
            None => {}
            Some(given) => {
                is(given, field.kind).map_err(|why| format!("{}: {why}", field.name))?;
            }
        }
    }
    Ok(())
}

fn is(value: &Value, kind: Kind) -> Result<(), String> {
    let text = |longest| {
        value
            .as_str()
            .is_some_and(|text| (1..=longest).contains(&text.chars().count()))
    };
    let holds = match kind {
        Text => text(usize::MAX),
        Name => text(128),
        Flag => value.is_boolean(),
        Positive => value.as_f64().is_some_and(|number| number > 0.0),
        Amount => value.as_f64().is_some_and(|number| number >= 0.0),
        PriceOrNull => value.is_null() || is(value, Positive).is_ok(),
        Whole => value.is_u64(),
        Between(least, most) => value
            .as_u64()
            .is_some_and(|number| (least..=most).contains(&number)),
        OneOf(words) => value
            .as_str()
            .is_some_and(|word| words.split(' ').any(|known| known == word)),
        ListOf(fields) => return every(value, |_| Some(fields)),
        Operations => return every(value, operation),
    };
    holds
        .then_some(())
        .ok_or_else(|| format!("{value} is not {kind:?}"))
}

fn operation(element: &Value) -> Option<&'static [Field]> {
    let kind = element["kind"].as_str()?;
    let known = OPERATIONS.into_iter().find(|(known, _)| *known == kind);
    known.map(|(_, fields)| fields)
}

fn every(list: &Value, fields: impl Fn(&Value) -> Option<&'static [Field]>) -> Result<(), String> {
    let elements = list
        .as_array()
        .ok_or_else(|| format!("{list} is no list"))?;
    elements.iter().try_for_each(|element| {
        let fields = fields(element).ok_or_else(|| format!("{element} is no operation"))?;
        keeps(element, fields)
    })
}

fn one_of<T: VariantArray + Copy + std::fmt::Debug + 'static>() -> impl Strategy<Value = T> {
    select(T::VARIANTS)
}

/// An id of the service: any characters, those of a path and a query included.
fn id<T: From<String> + std::fmt::Debug>() -> impl Strategy<Value = T> {
    "[a-zA-Z0-9 |:@/?%é-]{1,40}".prop_map(T::from)
}

fn number() -> impl Strategy<Value = Num> {
    (1..=999_999_999_999_i64, 0..=12_u32).prop_map(|(digits, scale)| Num::new(digits, scale))
}

fn whole(least: u32, most: u32) -> impl Strategy<Value = Num> {
    (least..=most).prop_map(Num::from)
}

/// Price, market and direction of a trigger.
type Trigger = (Option<Num>, Option<MarketId>, Option<TriggerDirection>);

fn trigger() -> impl Strategy<Value = Trigger> {
    (number(), option::of(id()), option::of(one_of()))
        .prop_map(|(price, market_id, direction)| (Some(price), market_id, direction))
}

fn mode() -> impl Strategy<Value = MarginMode> {
    one_of()
}

fn bare_order() -> impl Strategy<Value = PlaceOrder> {
    let what = (id(), id(), one_of::<Side>(), number());
    let how = (one_of::<PlaceKind>(), number(), mode(), any::<bool>());
    (what, how).prop_map(
        |((account, market, side, size), (kind, leverage, margin_mode, reduce_only))| PlaceOrder {
            kind,
            leverage,
            margin_mode,
            reduce_only,
            ..PlaceOrder::market(account, market, side, size)
        },
    )
}

fn order() -> impl Strategy<Value = PlaceOrder> {
    let dates = (
        option::of(one_of::<TimeInForce>()),
        option::of((0..=4_102_444_800_000_i64).prop_map(Timestamp)),
    );
    let prices = vec(option::of(number()), 6);
    let rest = (
        prop_oneof![Just((None, None, None)), trigger()],
        option::of(whole(1, 5_000).prop_map(Bps)),
        option::of(id()),
        any::<bool>(),
        any::<bool>(),
    );
    (bare_order(), dates, prices, rest).prop_map(
        |(order, (time_in_force, gtd_expires_at), prices, rest)| PlaceOrder {
            time_in_force,
            gtd_expires_at,
            expected_price: prices[0],
            limit_price: prices[1],
            chase_offset: prices[2],
            chase_cap_price: prices[3],
            take_profit_price: prices[4],
            stop_loss_price: prices[5],
            trigger_price: rest.0.0,
            trigger_market_id: rest.0.1,
            trigger_direction: rest.0.2,
            slippage_tolerance: rest.1,
            target_position_id: rest.2,
            marketable_limit_acknowledged: rest.3,
            replace_overlapping_exits: rest.4,
            replaces: None,
            ..order
        },
    )
}

fn twap() -> impl Strategy<Value = PlaceTwap> {
    let duration = (whole(5, 1_440), option::of(whole(30, 43_200)));
    let prices = vec(option::of(number()), 3);
    let rest = (one_of::<Curve>(), number(), any::<bool>());
    (bare_order(), duration, prices, rest).prop_map(
        |(order, (duration_minutes, slice_interval_seconds), prices, rest)| PlaceTwap {
            account_id: order.account_id,
            market_id: order.market_id,
            side: order.side,
            size: order.size,
            expected_price: rest.1,
            leverage: order.leverage,
            margin_mode: order.margin_mode,
            reduce_only: order.reduce_only,
            curve: rest.0,
            duration_minutes,
            slice_interval_seconds,
            randomize: rest.2,
            trigger_price: prices[0],
            max_price: prices[1],
            min_price: prices[2],
        },
    )
}

fn scaled() -> impl Strategy<Value = PlaceScaled> {
    let prices = (number(), number(), whole(2, 10));
    let rest = (one_of::<Distribution>(), option::of(any::<bool>()));
    (bare_order(), prices, rest).prop_map(|(order, (start_price, end_price, rung_count), rest)| {
        PlaceScaled {
            account_id: order.account_id,
            market_id: order.market_id,
            side: order.side,
            size: order.size,
            leverage: order.leverage,
            margin_mode: order.margin_mode,
            reduce_only: order.reduce_only,
            start_price,
            end_price,
            rung_count,
            distribution: rest.0,
            marketable_limit_acknowledged: rest.1,
        }
    })
}

fn close() -> impl Strategy<Value = ClosePosition> {
    let prices = vec(option::of(number()), 3);
    let rest = (
        prop_oneof![Just((None, None, None)), trigger()],
        option::of(whole(1, 5_000).prop_map(Bps)),
        any::<bool>(),
    );
    (id(), one_of::<CloseKind>(), prices, rest).prop_map(|(position, kind, prices, rest)| {
        ClosePosition {
            kind,
            size: prices[0],
            expected_price: prices[1],
            limit_price: prices[2],
            trigger_price: rest.0.0,
            trigger_market_id: rest.0.1,
            trigger_direction: rest.0.2,
            slippage_tolerance: rest.1,
            marketable_limit_acknowledged: rest.2,
            ..ClosePosition::market(position)
        }
    })
}

fn leg() -> impl Strategy<Value = Leg> {
    prop_oneof![
        Just(Leg::Keep),
        Just(Leg::Remove),
        number().prop_map(Leg::Set)
    ]
}

fn exit_operation() -> impl Strategy<Value = ExitOperation> {
    let place = (
        one_of::<ExitGroup>(),
        option::of(one_of::<ExecutionType>()),
        number(),
        number(),
        option::of(0..10_usize),
    );
    prop_oneof![
        id().prop_map(|order_id| ExitOperation::Cancel { order_id }),
        (id(), number(), option::of(number())).prop_map(|(order_id, price, size)| {
            ExitOperation::Modify {
                order_id,
                price,
                size,
            }
        }),
        place.prop_map(|(group, execution_type, price, size, oco_pair_with)| {
            ExitOperation::Place {
                group,
                execution_type,
                price,
                size,
                oco_pair_with,
            }
        }),
    ]
}

fn exit_batch() -> impl Strategy<Value = ExitBatch> {
    let expected = (
        id(),
        number(),
        number(),
        option::of(one_of::<ExecutionType>()),
    )
        .prop_map(|(order_id, price, size, execution_type)| ExpectedExit {
            order_id,
            price,
            size,
            execution_type,
        });
    let lists = (vec(expected, 0..4), vec(exit_operation(), 1..4));
    (id(), number(), lists).prop_map(
        |(position_id, expected_position_size, (expected_orders, operations))| ExitBatch {
            position_id,
            expected_position_size,
            expected_orders,
            operations,
            risk: Risk::Increasing,
            entry: None,
        },
    )
}

/// Every command that is one request.
fn command() -> impl Strategy<Value = Command> {
    let modify = (id(), number(), option::of(number()));
    prop_oneof![
        6 => order().prop_map(Command::from),
        2 => twap().prop_map(Command::from),
        2 => scaled().prop_map(Command::from),
        3 => close().prop_map(Command::Close),
        3 => exit_batch().prop_map(|batch| Command::ExitBatch(Box::new(batch))),
        1 => (id(), leg(), leg()).prop_map(|(order, profit, loss)| Command::Exits(Exits::unseen(order, profit, loss))),
        1 => modify.prop_map(|(order_id, price, size)| {
            Command::Modify(ModifyOrder { order_id, price, size, risk: Risk::Neutral })
        }),
        1 => (id(), 0..100_000_i64).prop_map(|(position, cents)| Command::margin(position, Num::new(cents, 2), None)),
        1 => id().prop_map(Command::Cancel),
        1 => id().prop_map(Command::Unprotect),
        1 => id().prop_map(Command::StopTwap),
        1 => id().prop_map(Command::CancelScaled),
        1 => id().prop_map(Command::CloseAll),
        1 => id().prop_map(Command::CancelAll),
    ]
}

/// The path with each id as `{}`, which the shape's path has too.
fn is_path(target: &str, path: &str) -> bool {
    let (sent, known): (Vec<_>, Vec<_>) = (target.split('/').collect(), path.split('/').collect());
    let alike = |(sent, known): (&&str, &&str)| sent == known || *known == "{}" && !sent.is_empty();
    sent.len() == known.len() && sent.iter().zip(&known).all(alike) && !target.contains('?')
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn every_command_is_sent_with_documented_fields_only(command in command()) {
        let (method, path, is_keyed, fields) = shape(&command).unwrap();
        let request = Request::encode(&command, "key-1".into()).unwrap();
        prop_assert_eq!(request.method, method);
        prop_assert!(is_path(&request.target, path), "{}", request.target);
        prop_assert_eq!(request.key.is_some(), is_keyed);
        match fields {
            None => prop_assert!(request.body.is_empty()),
            Some(fields) => {
                let body: Value = serde_json::from_slice(&request.body).unwrap();
                prop_assert_eq!(keeps(&body, fields), Ok(()), "{}", request);
                prop_assert!(request.body.len() <= 16 * 1024);
            }
        }
    }
}

#[test]
fn the_schema_refuses_what_the_service_refuses() {
    let body = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    for (wrong, why) in [
        (r#"{"price":1,"post_only":true}"#, "post_only is unknown"),
        (r#"{"size":1}"#, "price is missing"),
        (r#"{"price":"1"}"#, "price: \"1\" is not Positive"),
        (r#"{"price":0}"#, "price: 0 is not Positive"),
    ] {
        let found = keeps(&body(wrong), MODIFY).unwrap_err();
        assert!(found.starts_with(why), "{found}");
    }
    let batch = r#"{"expected_position_size":1,"expected_orders":[],"operations":[{"kind":"cancel","order_id":"o","price":1}]}"#;
    let found = keeps(&body(batch), EXIT_BATCH).unwrap_err();
    assert!(found.starts_with("operations: price is unknown"), "{found}");
}
