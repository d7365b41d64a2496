//! The challenge of an account (docs/engine.md 7.2, 7.3): daily loss, drawdown, target, days, consistency.
//!
//! `checks` holds the rules that reject orders. These watch equity, end an account that breaks one, and pass an account
//! that meets its goals.

use crate::{
    exchange::engine::{
        core::Engine,
        state::{
            AccountIx, ChallengeStatus, CompletionReason, DailyBasis, EngineEvent, OrderId,
            OrderStatus, PositionId, Reason, RuleId, day, target,
        },
    },
    model::AccountStage,
};

impl Engine {
    pub(crate) fn roll_days(&mut self) {
        for ix in self.accounts.ids() {
            let account = self.accounts.at(ix);
            let today = day(self.now, &account.spec.rules);
            if today > account.challenge.day {
                self.start_day(ix, today);
            }
        }
    }

    fn start_day(&mut self, ix: AccountIx, today: i64) {
        let equity = self.balance(ix).equity();
        let account = self.accounts.at_mut(ix);
        let balance = match account.spec.rules.daily_basis {
            DailyBasis::Balance => account.cash,
            DailyBasis::Equity => equity,
            DailyBasis::Larger => account.cash.max(equity),
        };
        account.challenge.day = today;
        account.challenge.day_balance = balance;
        account.challenge.day_equity = equity;
        self.record(EngineEvent::DayStarted {
            account: ix,
            balance,
        });
    }

    pub(crate) fn evaluate_challenges(&mut self) {
        for ix in self.accounts.ids() {
            let account = self.accounts.at_mut(ix);
            account.challenge.peak = account.challenge.peak.max(account.cash);
            match account.challenge.standing {
                ChallengeStatus::Active => self.evaluate_challenge(ix),
                ChallengeStatus::Breached { .. } => self.close_out_all(ix),
                ChallengeStatus::Passed { .. } => {}
            }
        }
    }

    fn evaluate_challenge(&mut self, ix: AccountIx) {
        let equity = self.balance(ix).equity();
        let account = self.accounts.at(ix);
        let floors = [
            (
                RuleId::MaxDailyLoss,
                account.challenge.daily_floor(&account.spec.rules),
            ),
            (
                RuleId::MaxDrawdown,
                account.challenge.drawdown_floor(&account.spec),
            ),
        ];
        let broken = floors.into_iter().find(|(_, floor)| equity <= *floor);
        match broken {
            Some((rule, _)) => self.breach(ix, rule),
            None if self.has_passed(ix) => {
                self.accounts.at_mut(ix).challenge.standing =
                    ChallengeStatus::Passed { at: self.now };
                self.record(EngineEvent::Passed { account: ix });
            }
            None => {}
        }
    }

    fn has_passed(&self, ix: AccountIx) -> bool {
        let account = self.accounts.at(ix);
        let (challenge, rules) = (&account.challenge, &account.spec.rules);
        account.spec.terms.stage == AccountStage::Evaluation
            && account.cash >= target(&account.spec)
            && account.open.is_empty()
            && challenge.trading_days() >= rules.min_trading_days
            && challenge
                .best_day_share()
                .is_some_and(|share| share <= rules.consistency)
    }

    /// Freezes the account: orders and strategies end, positions are closed at any price.
    fn breach(&mut self, ix: AccountIx, rule: RuleId) {
        self.accounts.at_mut(ix).challenge.standing =
            ChallengeStatus::Breached { rule, at: self.now };
        self.record(EngineEvent::Breached { account: ix, rule });
        for twap in self.live_twap_ids(ix) {
            self.fail_twap(twap, CompletionReason::AccountBreached);
        }
        let working: Vec<OrderId> = self.accounts.at(ix).working.iter().copied().collect();
        for order in working {
            self.finish(order, OrderStatus::Canceled, Some(Reason::Breached));
        }
        self.close_out_all(ix);
    }

    fn close_out_all(&mut self, ix: AccountIx) {
        let open: Vec<PositionId> = self.accounts.at(ix).open.values().copied().collect();
        for id in open {
            self.close_out(id);
        }
    }
}
