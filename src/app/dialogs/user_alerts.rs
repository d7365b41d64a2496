//! The list of the alerts that the trader has set. The chosen line is an alert and no place in the list.

use super::next::Next;
use crate::{
    app::{
        activity::user_alerts::{AlertRequest, UserAlert, UserAlerts},
        keys::keymap::Action,
    },
    model::MarketNames,
};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UserAlertList {
    /// `None` is the first.
    pub chosen: Option<u64>,
}

impl UserAlertList {
    /// Where the chosen one is; the first, where it is gone.
    pub fn place(&self, alerts: &UserAlerts) -> usize {
        let mut all = alerts.all().iter();
        all.position(|alert| Some(alert.id) == self.chosen)
            .unwrap_or(0)
    }

    pub(crate) fn act(
        &mut self,
        action: Action,
        (alerts, names): (&UserAlerts, &MarketNames),
    ) -> Next {
        let at = self.place(alerts);
        let alert = alerts.all().get(at);
        match (action, alert) {
            (Action::Dismiss, _) => Next::Close,
            (Action::LetAlertsFire, _) if alerts.halted_at().is_some() => {
                Next::OfAlerts(AlertRequest::LetFire)
            }
            (Action::LetAlertsFire, _) => Next::Refuse("the alerts are not halted".to_owned()),
            (Action::AlertHere, _) => Next::Press(Action::AlertHere),
            (Action::EditAlert, Some(alert)) => Next::Type(changing(alert, names)),
            (Action::DeleteAlert, Some(alert)) => {
                // The next one is chosen, or at the end the one before.
                let all = alerts.all();
                let next = all.get(at + 1).or_else(|| all.get(at.checked_sub(1)?));
                self.chosen = next.map(|next| next.id);
                Next::OfAlerts(AlertRequest::Delete(alert.id))
            }
            (action, _) => {
                let last = alerts.all().len().saturating_sub(1);
                let there = action.moves(at, last).unwrap_or(at);
                self.chosen = alerts.all().get(there).map(|alert| alert.id);
                Next::Stay
            }
        }
    }
}

/// The command that puts another in its place.
fn changing(alert: &UserAlert, names: &MarketNames) -> String {
    format!("alert {} --replaces {}", alert.words(names), alert.id)
}
