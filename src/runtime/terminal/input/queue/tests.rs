//! Which keys overtake which.

use super::*;
use ratatui::layout::Position;

fn key(name: &str) -> TerminalInput {
    TerminalInput::Key(name.parse().unwrap())
}

fn typed(queue: &mut Queue, text: &str, now: Instant) {
    for c in text.chars() {
        queue.put(TerminalInput::Key(c.into()), now);
    }
}

fn taken(queue: &mut Queue) -> Vec<TerminalInput> {
    std::iter::from_fn(|| queue.take()).collect()
}

fn keys(text: &str) -> Vec<TerminalInput> {
    text.chars().map(|c| TerminalInput::Key(c.into())).collect()
}

#[test]
fn keys_keep_their_order() {
    let mut queue = Queue::default();
    typed(&mut queue, "aXjF:q", Instant::now());
    assert_eq!(taken(&mut queue), keys("aXjF:q"));
}

#[test]
fn a_way_out_waits_for_few_others_and_old_keys_do_not_act_late() {
    for way_out in ["ctrl-c", "X", "F"] {
        let (mut queue, now) = (Queue::default(), Instant::now());
        typed(&mut queue, &"j".repeat(5_000), now);
        queue.put(key(way_out), now);
        queue.put(key("j"), now);
        let heard = [TerminalInput::Lost, key(way_out), key("j")];
        assert_eq!(taken(&mut queue), heard, "{way_out}");
    }
}

#[test]
fn no_way_out_is_dropped_for_another() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    for _ in 0..1_000 {
        for way_out in ["X", "F", "ctrl-c"] {
            typed(&mut queue, "jj", now);
            queue.put(key(way_out), now);
        }
    }
    let heard = taken(&mut queue);
    assert!(heard.len() <= IN_ORDER + 6, "{heard:?}");
    for way_out in ["X", "F", "ctrl-c"] {
        assert!(heard.contains(&key(way_out)), "{heard:?}");
    }
}

#[test]
fn a_letter_behind_what_may_begin_text_is_in_its_place() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    let line = ":export positions Fxxx X";
    typed(&mut queue, line, now);
    assert_eq!(taken(&mut queue), keys(line));
    queue.letters = Letters::AreText;
    typed(&mut queue, "jjjjjjjjjjjjjjjjjjjjF", now);
    assert_eq!(taken(&mut queue), keys("jjjjjjjjjjjjjjjjjjjjF"));
    // With Ctrl it is never text.
    typed(&mut queue, line, now);
    queue.put(key("ctrl-c"), now);
    assert_eq!(taken(&mut queue).last(), Some(&key("ctrl-c")));
}

#[test]
fn text_that_lost_its_beginning_does_not_act_until_a_pause() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    typed(&mut queue, &"j".repeat(MOST), now);
    typed(&mut queue, ":xFX", now);
    assert_eq!(taken(&mut queue).len(), MOST + 1);
    typed(&mut queue, "Fx", now);
    assert_eq!(taken(&mut queue), [TerminalInput::Lost]);
    // Pressed repeatedly.
    for milliseconds in [30, 60, 90, 120] {
        queue.put(key("F"), now + Duration::from_millis(milliseconds));
    }
    queue.put(key("F"), now + PAUSE);
    let heard = taken(&mut queue);
    assert_eq!(heard.last(), Some(&key("F")));
    assert_eq!(heard.iter().filter(|input| **input == key("F")).count(), 1);
}

#[test]
fn notches_of_the_wheel_add_up_between_keys() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    let (here, there) = (Position::new(3, 4), Position::new(5, 6));
    for _ in 0..5_500 {
        queue.put(TerminalInput::Wheel(here, 1), now);
    }
    queue.put(TerminalInput::Wheel(there, -1), now);
    queue.put(key("enter"), now);
    queue.put(TerminalInput::Wheel(there, 1), now);
    assert_eq!(
        taken(&mut queue),
        [
            TerminalInput::Wheel(there, 5_499),
            key("enter"),
            TerminalInput::Wheel(there, 1)
        ]
    );
}

#[test]
fn a_person_hears_once_that_something_was_dropped() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    typed(&mut queue, &"k".repeat(1_000), now);
    let heard = taken(&mut queue);
    assert_eq!(
        heard
            .iter()
            .filter(|input| **input == TerminalInput::Lost)
            .count(),
        1
    );
    assert_eq!(heard.len(), MOST + 1);
}
