//! The examples of every command, for `--help` and the manual pages.

mod acting;

/// A command line, and what it does.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Example {
    pub(in crate::cli) line: &'static str,
    pub(in crate::cli) does: &'static str,
}

/// A command and its examples; the path of a subcommand has blanks between its words.
pub(in crate::cli) type ExamplesOf = (&'static str, &'static [Example]);

const fn example(line: &'static str, does: &'static str) -> Example {
    Example { line, does }
}

/// Every command with its examples.
pub(in crate::cli) fn all() -> impl Iterator<Item = &'static ExamplesOf> {
    OTHERS.iter().chain(acting::EXAMPLES)
}

/// The examples of this command.
pub(in crate::cli) fn of(path: &str) -> &'static [Example] {
    let found = all().find(|(name, _)| *name == path);
    found.map_or(&[], |(_, examples)| *examples)
}

const OTHERS: &[ExamplesOf] = &[
    (
        "",
        &[
            example(
                "perpdeck",
                "opens a desk; without settings, on its own paper exchange",
            ),
            example("perpdeck positions", "lists open positions"),
            example("perpdeck close-all --yes", "closes every position"),
            example(
                "perpdeck config init",
                "writes a settings file with every setting explained",
            ),
        ],
    ),
    (
        "desk",
        &[
            example("perpdeck desk", "opens the desk on the configured service"),
            example(
                "perpdeck desk --profile swing",
                "opens it on another account",
            ),
        ],
    ),
    (
        "demo",
        &[
            example(
                "perpdeck demo",
                "opens a desk on a paper exchange, whatever is configured",
            ),
            example(
                "perpdeck demo --seed 7 --speed 10",
                "the same market each time, ten times as fast",
            ),
        ],
    ),
    (
        "serve",
        &[
            example(
                "perpdeck serve",
                "prints its address, accounts and keys, and serves",
            ),
            example(
                "perpdeck serve --listen 127.0.0.1:8080 --data-dir paper",
                "listens on a fixed port and keeps the exchange in a directory",
            ),
        ],
    ),
    (
        "snapshot",
        &[
            example(
                "perpdeck snapshot --size 120x40",
                "prints one frame of the desk",
            ),
            example(
                "perpdeck snapshot --format svg --keys \"1 c\"",
                "presses keys first, and writes a picture",
            ),
        ],
    ),
    (
        "orders",
        &[
            example("perpdeck orders", "lists working orders"),
            example(
                "perpdeck orders --market btc --status armed",
                "lists the orders that wait for a trigger in BTC",
            ),
            example(
                "perpdeck orders --status rejected --since 7d",
                "lists the orders rejected in the last week",
            ),
            example(
                "perpdeck orders --history --all -o csv",
                "prints every order as CSV",
            ),
        ],
    ),
    (
        "order",
        &[example(
            "perpdeck order ord_000581",
            "shows one order, working or ended",
        )],
    ),
    (
        "fills",
        &[
            example("perpdeck fills", "lists the newest fills"),
            example(
                "perpdeck fills --market btc --since 24h",
                "lists the fills in BTC of the last day",
            ),
        ],
    ),
    (
        "positions",
        &[
            example("perpdeck positions", "lists open positions"),
            example(
                "perpdeck positions --closed --since 30d -o csv",
                "prints the positions closed in the last 30 days as CSV",
            ),
        ],
    ),
    (
        "twaps",
        &[
            example(
                "perpdeck twaps --market btc",
                "lists the active TWAP and VWAP orders in BTC",
            ),
            example(
                "perpdeck twaps --ended --since 7d",
                "lists those that ended in the last week",
            ),
        ],
    ),
    (
        "scaled",
        &[
            example("perpdeck scaled", "lists the newest ladders"),
            example("perpdeck scaled scl_000001", "shows a ladder and its rungs"),
        ],
    ),
    (
        "account",
        &[example(
            "perpdeck account",
            "shows equity, free margin and the rules of the challenge",
        )],
    ),
    (
        "accounts",
        &[example(
            "perpdeck accounts",
            "lists every configured account",
        )],
    ),
    (
        "markets",
        &[
            example("perpdeck markets", "lists every market with its prices"),
            example(
                "perpdeck markets --market btc -o json",
                "prints one market as JSON",
            ),
        ],
    ),
    (
        "book",
        &[example(
            "perpdeck book btc --depth 10",
            "shows the ten best prices of each side",
        )],
    ),
    (
        "candles",
        &[
            example(
                "perpdeck candles btc",
                "lists the newest 100 candles of one minute",
            ),
            example(
                "perpdeck candles btc --interval 1h --since 7d --limit 1000 -o csv",
                "prints a week of hourly candles as CSV",
            ),
        ],
    ),
    (
        "trades",
        &[example(
            "perpdeck trades btc --side buy",
            "lists the recent trades that lifted an ask",
        )],
    ),
    (
        "watch",
        &[
            example(
                "perpdeck watch orders -o jsonl",
                "prints a line of JSON for each order that changes",
            ),
            example(
                "perpdeck watch positions --for 1h",
                "watches positions for an hour",
            ),
            example("perpdeck watch events", "follows what an open desk does"),
        ],
    ),
    (
        "export",
        &[
            example(
                "perpdeck export closed --since 30d --to closed.csv",
                "writes the positions closed in the last 30 days to a file",
            ),
            example(
                "perpdeck export history -o json",
                "prints every order as JSON",
            ),
        ],
    ),
    (
        "alert",
        &[
            example(
                "perpdeck alert add btc above 66000",
                "sets an alert that a desk watches for",
            ),
            example("perpdeck alert", "lists the alerts with their numbers"),
            example("perpdeck alert remove 2", "removes one"),
        ],
    ),
    (
        "alert list",
        &[example(
            "perpdeck alert list -o json",
            "prints the alerts as JSON",
        )],
    ),
    (
        "alert add",
        &[
            example(
                "perpdeck alert add btc above 66000",
                "fires once the mark is above 66,000",
            ),
            example(
                "perpdeck alert add 'btc liq < 5% every'",
                "fires each time the liquidation price comes within 5 %",
            ),
            example(
                "perpdeck alert add pnl below -500 for 2h",
                "watches the open PnL of the account for two hours",
            ),
        ],
    ),
    (
        "alert remove",
        &[example("perpdeck alert remove 1 3", "removes two alerts")],
    ),
    (
        "doctor",
        &[example(
            "perpdeck doctor",
            "checks the service, the key, the clock and every assumption",
        )],
    ),
    (
        "journal",
        &[
            example(
                "perpdeck journal",
                "lists the newest commands and their outcomes",
            ),
            example(
                "perpdeck journal list --open",
                "lists the commands whose outcome is open",
            ),
        ],
    ),
    (
        "journal list",
        &[example(
            "perpdeck journal list --limit 20 -o csv",
            "prints the newest 20 commands as CSV",
        )],
    ),
    (
        "journal show",
        &[example(
            "perpdeck journal show 12",
            "shows one command with the bytes of its request",
        )],
    ),
    (
        "journal settle",
        &[example(
            "perpdeck journal settle 12 rejected",
            "records that a command of unknown outcome had no effect",
        )],
    ),
    (
        "journal rearm",
        &[example(
            "perpdeck journal rearm",
            "allows new entries again after a halt",
        )],
    ),
    (
        "config",
        &[example(
            "perpdeck config",
            "shows every setting and where it is set",
        )],
    ),
    (
        "config show",
        &[example(
            "perpdeck config show --profile swing",
            "shows the settings of one profile",
        )],
    ),
    (
        "config check",
        &[example(
            "perpdeck config check",
            "names everything that is missing or wrong",
        )],
    ),
    (
        "config schema",
        &[example(
            "perpdeck config schema",
            "prints every setting as a JSON Schema",
        )],
    ),
    (
        "config path",
        &[example(
            "perpdeck config path",
            "prints the files that are read and written",
        )],
    ),
    (
        "config init",
        &[example(
            "perpdeck config init",
            "writes a settings file with every setting explained",
        )],
    ),
    (
        "schema",
        &[
            example("perpdeck schema", "lists the rows"),
            example(
                "perpdeck schema position",
                "prints the JSON Schema of a row",
            ),
        ],
    ),
    (
        "completions",
        &[example(
            "perpdeck completions zsh",
            "prints the completion script for zsh",
        )],
    ),
    (
        "man",
        &[example(
            "perpdeck man place",
            "prints the manual page of place",
        )],
    ),
];
