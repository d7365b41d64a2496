//! The strip: one line that asks before a destructive action. Its target is fixed when it opens.

use super::next::{Next, Reply};
use crate::{
    app::{
        core::account::Account,
        keys::{DEAF, keymap::Action},
        rules::guard,
    },
    model::{AccountId, Command, Flip, MarketId, Side, Ticket, Timestamp},
};
use std::time::Duration;

/// The key that resends is a key of the desk too.
pub(crate) const NOT_IN_DOUBT: &str = "no order of unknown status here can be sent again";
/// An unanswered strip does not stay armed.
const DISARM_AFTER: Duration = Duration::from_secs(5);
/// How late a busy machine may look at a countdown.
const LATE_LOOK: Duration = Duration::from_millis(500);

/// What happens if no key is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arm {
    /// Waits for the confirming key, then disarms by itself.
    Confirm,
    /// Acts at this instant unless stopped: a close-all must not wait for an answer.
    Countdown {
        delay: Duration,
        fires_at: Timestamp,
        /// When the desk last looked at it.
        seen_at: Timestamp,
    },
    /// A command of unknown outcome: the confirming key resends it, as long as that is safe.
    Question {
        ticket: Ticket,
        replay_until: Timestamp,
    },
}

impl Arm {
    fn counting(delay: Duration, now: Timestamp) -> Self {
        Self::Countdown {
            delay,
            fires_at: now.plus(delay),
            seen_at: now,
        }
    }
}

/// What a strip asks about; fixed when it opens.
#[derive(Debug, Clone, PartialEq)]
pub enum StripAction {
    One(Command),
    /// A position closed, then opened the other way.
    Flip(Box<Flip>),
    /// Every working order of the account, each by a call of its own: some have to stay.
    CancelAll(AccountId, Vec<Command>),
    /// Every resting order of one side of a market, each by a call of its own.
    CancelSide((AccountId, MarketId, Side), Vec<Command>),
    /// Orders are sent again after a halt.
    Rearm,
    /// Allows entries although a loss limit is reached.
    Lift(AccountId),
    /// Quits while commands are in progress.
    Leave,
}

impl From<Command> for StripAction {
    fn from(command: Command) -> Self {
        Self::One(command)
    }
}

impl StripAction {
    fn next(&self) -> Next {
        match self {
            Self::One(command) => Next::Run(command.clone()),
            Self::Flip(flip) => Next::Flip(flip.clone()),
            Self::Lift(_) => Next::LiftLock,
            Self::CancelAll(_, commands) | Self::CancelSide(_, commands) => {
                Next::RunEach(commands.clone())
            }
            Self::Rearm => Next::Rearm,
            Self::Leave => Next::Leave,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Strip {
    pub proposal: StripAction,
    pub arm: Arm,
    pub drawn_at: Timestamp,
}

impl Strip {
    /// Giving up a question, or ending a halt or lock, sends nothing to the service.
    pub fn sends(&self) -> bool {
        let is_question = matches!(self.arm, Arm::Question { .. });
        let is_own = matches!(
            self.proposal,
            StripAction::Rearm | StripAction::Lift(_) | StripAction::Leave
        );
        !is_question && !is_own
    }

    pub fn confirm(proposal: impl Into<StripAction>, now: Timestamp) -> Self {
        Self {
            proposal: proposal.into(),
            arm: Arm::Confirm,
            drawn_at: now,
        }
    }

    /// Asks before entries are allowed again after a halt.
    pub(crate) fn to_rearm(account: &Account) -> Reply {
        if account.halted.is_none() {
            return Err("the desk is not halted".to_owned());
        }
        Ok(Next::open(Self::confirm(StripAction::Rearm, account.now)))
    }

    /// Asks before the lock of a loss limit is overridden.
    pub(crate) fn to_lift(account: &Account) -> Reply {
        let id = account.account_id().cloned();
        let id = id.filter(|_| guard::locked(account).is_some());
        let lift = StripAction::Lift(id.ok_or("entries are not locked")?);
        Ok(Next::open(Self::confirm(lift, account.now)))
    }

    pub fn countdown(proposal: impl Into<StripAction>, delay: Duration, now: Timestamp) -> Self {
        Self {
            proposal: proposal.into(),
            arm: Arm::counting(delay, now),
            drawn_at: now,
        }
    }

    /// Whether it already asks about `closing`, or about more than that.
    pub(crate) fn is_at_least(&self, closing: &Command) -> bool {
        match &self.proposal {
            StripAction::One(Command::Flatten(_)) => !matches!(self.arm, Arm::Question { .. }),
            StripAction::One(command) => {
                command == closing && !matches!(self.arm, Arm::Question { .. })
            }
            StripAction::Flip(_)
            | StripAction::CancelAll(..)
            | StripAction::CancelSide(..)
            | StripAction::Rearm
            | StripAction::Lift(_)
            | StripAction::Leave => false,
        }
    }

    pub fn act(&self, action: Action, now: Timestamp) -> Next {
        match (action, self.is_loaded(now)) {
            (Action::Confirm, true) => self.confirmed(now),
            (Action::Reopen, true) => match self.arm {
                Arm::Question {
                    ticket,
                    replay_until,
                } if now < replay_until => Next::Reopen(ticket),
                Arm::Question { .. } => Next::Stay,
                Arm::Confirm | Arm::Countdown { .. } => Next::Refuse(NOT_IN_DOUBT.to_owned()),
            },
            (Action::GiveUp, true) => match self.arm {
                Arm::Question { ticket, .. } => Next::GiveUp(ticket),
                Arm::Confirm | Arm::Countdown { .. } => Next::Stay,
            },
            (Action::Dismiss, _) => Next::Close,
            _ => Next::Stay,
        }
    }

    fn confirmed(&self, now: Timestamp) -> Next {
        match self.arm {
            Arm::Question {
                ticket,
                replay_until,
            } if now < replay_until => Next::Resend(ticket),
            Arm::Question { .. } => Next::Refuse(
                "cannot be sent again: the service may have forgotten the key and execute it twice, or is another \
                 service"
                    .to_owned(),
            ),
            Arm::Confirm | Arm::Countdown { .. } => self.proposal.next(),
        }
    }

    /// The timer that disarms it may be late: a key must not find it still armed.
    fn is_loaded(&self, now: Timestamp) -> bool {
        let is_deaf = now.since(self.drawn_at) < DEAF;
        let is_disarmed = self.arm == Arm::Confirm && now >= self.ends_at();
        !is_deaf && !is_disarmed
    }

    /// The effect of passing time, for a desk that looks every `beat`. A countdown that nobody could see or stop, since
    /// the machine slept or the desk was stopped, starts again.
    pub fn pass(&mut self, now: Timestamp, beat: Duration) -> Next {
        if let Arm::Countdown { delay, seen_at, .. } = self.arm
            && now.since(seen_at) > beat + LATE_LOOK
        {
            self.drawn_at = now;
            self.arm = Arm::counting(delay, now);
        }
        if let Arm::Countdown { seen_at, .. } = &mut self.arm {
            *seen_at = now;
        }
        match self.arm {
            Arm::Countdown { fires_at, .. } if now >= fires_at => self.proposal.next(),
            Arm::Confirm if now >= self.ends_at() => Next::Close,
            Arm::Confirm | Arm::Countdown { .. } | Arm::Question { .. } => Next::Stay,
        }
    }

    /// When it acts or disarms.
    pub fn ends_at(&self) -> Timestamp {
        match self.arm {
            Arm::Confirm => self.drawn_at.plus(DISARM_AFTER),
            Arm::Countdown { fires_at, .. } => fires_at,
            Arm::Question { replay_until, .. } => replay_until,
        }
    }
}
