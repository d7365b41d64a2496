//! What a paper exchange is started with.

use crate::model::Num;
use clap::ValueHint;

#[derive(Debug, Clone, clap::Args)]
pub(super) struct World {
    /// The built-in scenario "demo", or a scenario file (TOML)
    #[arg(long, default_value = "demo", value_hint = ValueHint::FilePath)]
    pub(super) scenario: String,
    /// The same seed gives the same market
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// How many times faster than life the market runs: 1, 0.5, 60
    #[arg(long, default_value = "1", value_parser = speed)]
    pub(super) speed: Num,
}

/// Past this the market would move further between two polls than anybody could follow.
const FASTEST: i64 = 1000;

fn speed(text: &str) -> Result<Num, String> {
    let number = text.trim_end_matches('x').parse::<Num>();
    number
        .ok()
        .filter(|speed| speed.is_positive() && *speed <= Num::from(FASTEST))
        .ok_or_else(|| {
            format!("a speed is a number above 0 and at most {FASTEST}, as in 1, 0.5 or 60")
        })
}
