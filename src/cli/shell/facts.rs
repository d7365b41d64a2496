//! What every manual page says of exit codes, variables and files.

/// A term and its meaning.
pub(super) type ManualEntry = (&'static str, &'static str);

pub(super) const EXIT_STATUS: &[ManualEntry] = &[
    ("0", "Done."),
    ("1", "Something local failed: a file, a port."),
    (
        "2",
        "Wrong arguments or settings, --yes missing, or no terminal for the desk.",
    ),
    (
        "10",
        "The service rejects the key (401), or the key may only read (403).",
    ),
    ("11", "A rate limit is exhausted."),
    (
        "12",
        "The service cannot be reached, or its answer does not match the API.",
    ),
    ("13", "Rejected by the service or by your own limits."),
    (
        "14",
        "Unknown: the command may or may not have been executed. The error names the key that repeats it safely.",
    ),
    (
        "15",
        "Partly done: some cancels failed, something is still open, the result differs from the request, or a row could not be read.",
    ),
    (
        "16",
        "wait: an order has ended otherwise and can no longer be in the state.",
    ),
    ("17", "wait: the time allowed is over."),
];

pub(super) const ENVIRONMENT: &[ManualEntry] = &[
    (
        "PERPDECK_BASE_URL",
        "The service: scheme, host and port. Without it the desk starts its own paper exchange.",
    ),
    ("PERPDECK_ACCOUNT_ID", "The account to show and trade."),
    (
        "PERPDECK_API_KEY",
        "The key of the service. perpdeck removes it from its environment at the start.",
    ),
    ("PERPDECK_PROFILE", "The profile to use."),
    ("PERPDECK_CONFIG", "A settings file, over the user's own."),
    (
        "PERPDECK_...",
        "Every other setting: poll.orders is PERPDECK_POLL__ORDERS.",
    ),
    ("NO_COLOR", "No colors, unless color says otherwise."),
    (
        "XDG_CONFIG_HOME, XDG_STATE_HOME",
        "Where the settings file and the state directory are, instead of ~/.config and ~/.local/state.",
    ),
];

pub(super) const FILES: &[ManualEntry] = &[
    (
        "~/.config/perpdeck/config.toml",
        "The settings. \"perpdeck config init\" writes it with every setting explained.",
    ),
    (
        "~/.config/perpdeck/keys.toml",
        "Your own keys, if keys_file names it.",
    ),
    (
        "~/.local/state/perpdeck/",
        "The state directory: readable by its owner only.",
    ),
    (
        "journal.jsonl",
        "In the state directory: every command with its key, its bytes and its outcome.",
    ),
    (
        "events.jsonl",
        "In the state directory: each line of the activity pane of a desk.",
    ),
    (
        "alerts-*.json, trades-*.json",
        "In the state directory: your alerts, and your notes on trades.",
    ),
    (
        "perpdeck.log",
        "In the state directory: the log of a desk or of \"perpdeck serve\".",
    ),
];
