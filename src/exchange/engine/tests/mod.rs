//! Tests of what a trader would notice, through commands and rows. The numbers are those of docs/engine.md.

mod cash;
mod chase;
mod checkpoint;
mod close;
mod desk;
mod exits;
mod history;
mod keep;
mod kept_sequences;
mod ledger;
mod liquidation;
mod margin;
mod market;
mod matching;
mod orders;
mod reached;
mod reduce_only;
mod replay;
mod rules;
mod same_again;
mod scaled;
mod sequences;
mod tiers;
mod triggers;
mod twap;
