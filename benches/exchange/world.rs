//! Twenty markets and as many accounts as wanted, every one with its own user and no rule in its way.

use std::fmt::Write;

pub(crate) const MARKETS: usize = 20;

/// The scenario, as a person would write it.
pub(crate) fn scenario(accounts: usize) -> String {
    let mut text = "seed = 1\n".to_owned();
    for market in 0..MARKETS {
        let _ = write!(
            text,
            "[[markets]]\nsymbol = \"M{market}\"\nsize_decimals = 3\nmax_leverage = 40\nstart_price = \"{}\"\n\
             volatility_bps = 5000\ndepth_usd = 120000\n",
            100 + market
        );
    }
    for account in 0..accounts {
        let _ = write!(
            text,
            "[[users]]\nname = \"u{account}\"\n[[users.accounts]]\nid = \"a{account}\"\ncash_usd = 1000000\n\
             [users.accounts.rules]\ncooldown_ms = 0\nmax_daily_loss_bps = 9000\nmax_drawdown_bps = 9000\n\
             max_account_leverage = 100\n"
        );
    }
    let rate = "{ burst = 1000000, per_second = 1000000 }";
    let _ = write!(
        text,
        "[budgets]\nper_key = {rate}\nper_address = {rate}\nwhole = {rate}\n"
    );
    text
}
