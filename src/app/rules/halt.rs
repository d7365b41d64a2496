//! The halt: exposure can only decrease until the trader resumes entries.
//!
//! The desk halts after a flatten, when the service contradicts itself, and when the last desk on this journal was
//! halted or its journal failed. The runtime decides and enforces it, the app shows it.

use crate::app::{
    activity::notice::Tone,
    core::{account::Account, effect::Effect},
};

/// The runtime has halted the desk, or ended a halt.
pub(crate) fn halt(account: &mut Account, why: Option<String>) -> Vec<Effect> {
    let (tone, text) = match &why {
        Some(why) => (
            Tone::Alert,
            format!("HALTED: {why}. New orders are refused until you resume entries"),
        ),
        None => (Tone::Good, "entries resumed".to_owned()),
    };
    account.halted = why;
    account.say(tone, text);
    vec![]
}

/// That new entries are refused, why, and what to do.
pub fn words(account: &Account) -> Option<String> {
    let why = account.halted.as_ref()?;
    let key = account.key_hints.rearm.as_ref();
    let way_on = key.map_or_else(
        || ": resume entries to trade again".to_owned(),
        |key| format!(": {key} on the desk resumes entries"),
    );
    Some(format!("the desk is HALTED, {why}{way_on}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            account::poll::Answer,
            activity::notice::Event,
            desk::{model::Model, msg::Msg},
            dialogs::overlay::Overlay,
            testing::*,
            update::router::update,
        },
        model::{Command, Page, Ticket},
    };

    fn halted() -> Model {
        let mut model = desk();
        let now = model.account.now;
        let why = Msg::Halted(Some("flattened".to_owned()));
        assert_eq!(update(&mut model, now, why), vec![]);
        model
    }

    #[test]
    fn a_halted_desk_refuses_a_new_order_with_the_reason_and_closes_all_the_same() {
        let mut model = halted();
        assert_eq!(press(&mut model, "b 0 . 1 enter"), vec![]);
        let said = model
            .account
            .activity
            .toast(model.account.now)
            .map(|notice| notice.event.clone());
        let why = "the desk is HALTED, flattened: R on the desk resumes entries".to_owned();
        assert_eq!(said, Some(Event::Message(Tone::Warn, why)));
        press(&mut model, "esc esc X");
        let effects = wait(&mut model, 1_500);
        assert!(matches!(
            effects.as_slice(),
            [Effect::Send(_, Command::CloseAll(_))]
        ));
    }

    #[test]
    fn trading_on_takes_a_key_and_a_yes_and_is_the_runtimes_to_grant() {
        let mut model = halted();
        press(&mut model, "R");
        assert_eq!(press(&mut model, "y"), vec![], "the strip is still deaf");
        wait(&mut model, 200);
        assert_eq!(press(&mut model, "y"), vec![Effect::Rearm]);
        assert!(
            model.account.halted.is_some(),
            "not before the runtime says so"
        );
        let now = model.account.now;
        update(&mut model, now, Msg::Halted(None));
        assert_eq!(model.account.halted, None);
        press(&mut model, "R");
        assert_eq!(model.overlays, vec![], "there is nothing to resume");
    }

    /// With the stop of the BTC long among its orders, and selected.
    fn guarded(mut model: Model) -> Model {
        let stop = r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,
            "trigger_price":58000,"target_position_id":"pos-1","status":"pending""#;
        let orders = Page::of(vec![order("ord-9", "BTC", stop)]);
        arrive(&mut model, Answer::Orders(Ok(orders)));
        press(&mut model, "2");
        model
    }

    #[test]
    fn the_stop_of_an_open_position_is_not_canceled_by_itself_while_the_desk_is_halted() {
        let mut model = guarded(desk());
        press(&mut model, "x");
        wait(&mut model, 200);
        let unprotect = Command::Unprotect("ord-9".into());
        assert_eq!(
            press(&mut model, "y"),
            vec![Effect::Send(Ticket(1), unprotect)]
        );

        let mut model = guarded(halted());
        press(&mut model, "x");
        wait(&mut model, 200);
        assert_eq!(press(&mut model, "y"), vec![], "held back");
    }

    #[test]
    fn a_cancel_all_that_waits_for_its_yes_when_the_desk_is_halted_is_not_sent_for_a_stop_that_stays()
     {
        let canceled = |halt: Option<&str>| {
            let mut model = guarded(desk());
            press(&mut model, "K");
            wait(&mut model, 200);
            let now = model.account.now;
            update(&mut model, now, Msg::Halted(halt.map(str::to_owned)));
            press(&mut model, "y").len()
        };
        assert_eq!([None, Some("flattened")].map(canceled), [1, 0]);
    }

    #[test]
    fn a_stop_is_moved_nearer_and_no_farther_while_the_desk_is_halted() {
        let moved = |stop: &str| {
            let mut model = halted();
            press(&mut model, &format!("2 e tab ctrl-u {stop} enter")).len()
        };
        assert_eq!(["58000", "59000", "57000", ""].map(moved), [1, 1, 0, 0]);
        let mut model = halted();
        let bare = r#""type":"limit","mode":"limit","side":"buy","size":1,"limit_price":60000,"status":"resting""#;
        let orders = Page::of(vec![order("ord-8", "BTC", bare)]);
        arrive(&mut model, Answer::Orders(Ok(orders)));
        let target = press(&mut model, "2 e 70000 enter");
        assert_eq!(target.len(), 1, "there is no stop to take away");
    }

    #[test]
    fn all_orders_are_canceled_while_the_desk_is_halted_but_the_stop_that_is_left_and_said_to_be() {
        let mut model = guarded(halted());
        let entry = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"resting""#;
        let mut orders = model.account.store.orders.rows().to_vec();
        orders.push(order("ord-8", "ETH", entry));
        arrive(&mut model, Answer::Orders(Ok(Page::of(orders))));
        press(&mut model, "K");
        wait(&mut model, 200);
        let cancel = Command::Cancel("ord-8".into());
        let sent = press(&mut model, "y");
        assert_eq!(sent, vec![Effect::Send(Ticket(1), cancel)]);
        let Some(Overlay::Bulk(list)) = model.overlays.last() else {
            panic!("the list stays open")
        };
        let kept = list.run.settled().filter_map(|(_, end)| end.as_ref().err());
        let why: Vec<_> = kept.map(|why| why.message.to_string()).collect();
        let halted = "the desk is HALTED, flattened: R on the desk resumes entries";
        assert_eq!(why, [halted]);
    }
}
