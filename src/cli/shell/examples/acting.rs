//! The examples of the verbs that send commands.

use super::{ExamplesOf, example};

pub(super) const EXAMPLES: &[ExamplesOf] = &[
    (
        "place",
        &[
            example(
                "perpdeck place --market btc --side buy --type limit --size 0.1 --limit-price 60000 --yes",
                "places a limit order",
            ),
            example(
                "perpdeck place --market btc --side buy --type market --size r25 --stop-loss=-1% -n",
                "prints the order that loses 25 USD at its stop",
            ),
            example(
                "perpdeck place --file orders.jsonl --yes",
                "places one order for each line of JSON",
            ),
        ],
    ),
    (
        "twap",
        &[example(
            "perpdeck twap --market btc --side sell --size 0.3 --duration 30m --yes",
            "sells 0.3 BTC over half an hour",
        )],
    ),
    (
        "ladder",
        &[example(
            "perpdeck ladder --market eth --side buy --size 2 --start-price 3000 --end-price 2900 --rungs 5 -n",
            "prints a ladder of five limit orders",
        )],
    ),
    (
        "close",
        &[
            example("perpdeck close pos_000147 --yes", "closes a position"),
            example(
                "perpdeck close btc --size 50% --yes",
                "closes half of the position in BTC",
            ),
        ],
    ),
    (
        "flip",
        &[example(
            "perpdeck flip btc --yes",
            "closes the position, then opens the same size the other way",
        )],
    ),
    (
        "move",
        &[example(
            "perpdeck move ord_000581 --price bid-100 --yes",
            "moves an order to 100 USD below the best bid",
        )],
    ),
    (
        "cancel",
        &[
            example(
                "perpdeck cancel ord_000581 ord_000582 --yes",
                "cancels two orders",
            ),
            example("perpdeck cancel --twap twp_000003 --yes", "stops a TWAP"),
            example("perpdeck cancel --all --yes", "cancels every working order"),
        ],
    ),
    (
        "exits",
        &[example(
            "perpdeck exits ord_000579 --take-profit 70000 --stop-loss none --yes",
            "sets the take profit of an order and removes its stop loss",
        )],
    ),
    (
        "margin",
        &[example(
            "perpdeck margin pos_000151 --extra=+50 --yes",
            "adds 50 USD to an isolated position",
        )],
    ),
    (
        "close-all",
        &[example(
            "perpdeck close-all --yes",
            "closes every position, waits, and lists what is still open",
        )],
    ),
    (
        "flatten",
        &[example(
            "perpdeck flatten --yes",
            "stops TWAPs, cancels orders and closes positions until nothing is left",
        )],
    ),
];
