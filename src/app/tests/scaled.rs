//! Rungs whose orders have ended.

use super::*;
use crate::app::ReadOnce;

fn rung(order: &str) -> Answer {
    let json = format!(
        r#"{{"id":"lad-1","market_id":"paper|SOL","rungs":[{{"price":150,"size":1,"order_id":"{order}"}}]}}"#
    );
    Answer::Scaled("lad-1".into(), Ok(serde_json::from_str(&json).unwrap()))
}

fn page(ids: &[&str], next: Option<&str>) -> Page<crate::model::Order> {
    let done = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"filled""#;
    Page {
        next: next.map(|c| Cursor::from(c.to_owned())),
        ..Page::of(ids.iter().map(|id| order(id, "SOL", done)).collect())
    }
}

#[test]
fn a_rung_whose_order_is_done_is_looked_for_in_older_pages_until_it_is_found() {
    let mut model = desk();
    arrive(&mut model, Answer::History(Ok(page(&["h-1"], Some("p2")))));
    let second = Cursor::from("p2".to_owned());
    let asked = vec![Effect::Read(ReadOnce::MoreHistory(second.clone()))];
    assert_eq!(arrive(&mut model, rung("deep")), asked);
    let found = Answer::MoreHistory(second, Ok(page(&["deep"], Some("p3"))));
    assert_eq!(arrive(&mut model, found), vec![]);
}

#[test]
fn a_working_rung_needs_no_looking_for() {
    let mut model = desk();
    arrive(&mut model, Answer::History(Ok(page(&["h-1"], Some("p2")))));
    assert_eq!(arrive(&mut model, rung("ord-1")), vec![]);
}
