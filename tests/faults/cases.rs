//! The forty faults and bad inputs of `docs/delivery.md 11.2`, and the tests that hold each.

use std::{fs, path::Path};

/// Its number, what happens, and the tests that say what must come of it.
type Case = (u8, &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    (
        1,
        "the desk dies after the commit, before the first byte",
        &[
            "whoever_dies_at_whatever_moment_nothing_is_lost_and_nothing_doubled",
            "after_a_crash_an_order_that_may_exist_is_asked_about_and_never_sent_by_itself",
        ],
    ),
    (
        2,
        "the desk dies after the service's commit, before the reply",
        &[
            "whoever_dies_at_whatever_moment_nothing_is_lost_and_nothing_doubled",
            "after_a_real_kill_9_of_whichever_side_the_same_verb_ends_it_once",
            "after_a_crash_an_order_is_found_by_its_name",
        ],
    ),
    (
        3,
        "the desk dies between the reply and its note of it",
        &[
            "whoever_dies_at_whatever_moment_nothing_is_lost_and_nothing_doubled",
            "after_a_real_kill_9_of_whichever_side_the_same_verb_ends_it_once",
        ],
    ),
    (
        4,
        "the power goes at any moment of these",
        &["power_goes_at_every_system_call_and_what_was_sent_or_told_is_on_the_disk"],
    ),
    (
        5,
        "the desk dies again, three times, while it finds out",
        &["whoever_dies_at_whatever_moment_nothing_is_lost_and_nothing_doubled"],
    ),
    (
        6,
        "the disk fails at the n-th write",
        &[
            "after_one_failed_write_nothing_more_is_taken",
            "what_could_not_be_written_is_not_answered_as_done_and_nothing_follows_it",
            "a_disk_that_fails_at_any_write_stops_entries_and_lets_exits_go",
        ],
    ),
    (
        7,
        "the disk is full, and then everything is to be closed",
        &[
            "a_disk_that_fails_at_any_write_stops_entries_and_lets_exits_go",
            "without_a_working_journal_entries_are_held_back_and_exits_go_out_with_their_key_told",
            "on_a_full_disk_no_order_leaves_and_everything_is_closed_and_recorded",
        ],
    ),
    (
        8,
        "several processes on one journal; a process that was killed or stopped",
        &[
            "eight_writers_at_once_lose_nothing_and_number_their_rows_without_a_gap",
            "what_dead_writers_left_open_is_taken_over_once_and_what_living_ones_have_never",
            "a_process_stopped_with_the_log_locked_holds_no_exit_up_and_its_row_comes_when_it_goes_on",
            "after_a_real_kill_9_of_whichever_side_the_same_verb_ends_it_once",
        ],
    ),
    (
        9,
        "a journal with a bit turned, cut short, of a newer version",
        &[
            "a_flipped_bit_anywhere_changes_nothing_or_is_said_and_no_order_is_changed",
            "a_file_that_was_cut_or_is_gone_is_said",
            "a_journal_of_a_newer_desk_is_refused_and_kept",
            "power_goes_at_every_system_call_and_what_was_sent_or_told_is_on_the_disk",
        ],
    ),
    (
        10,
        "the reply comes too late, and the service had done it",
        &["nothing_is_lost_and_nothing_doubled_whatever_the_network_does"],
    ),
    (
        11,
        "the connection breaks in or after the request",
        &["nothing_is_lost_and_nothing_doubled_whatever_the_network_does"],
    ),
    (
        12,
        "the request is delivered twice, or after the next one",
        &["nothing_is_lost_and_nothing_doubled_whatever_the_network_does"],
    ),
    (
        13,
        "200 with a web page, nothing, another shape",
        &[
            "nothing_is_lost_and_nothing_doubled_whatever_the_network_does",
            "what_one_attempt_proves_is_kept_apart",
            "answers_that_are_no_answers_are_told_in_plain_words",
        ],
    ),
    (
        14,
        "a timeout, and then 401",
        &[
            "after_a_doubt_no_refusal_ever_reads_as_rejected",
            "a_refusal_of_the_repeated_command_does_not_prove_that_the_first_failed",
        ],
    ),
    (
        15,
        "a timeout, and then 409 for ever",
        &[
            "a_conflict_in_doubt_is_read_by_name_each_time_and_stays_unknown",
            "a_conflict_to_a_placement_is_final_and_nothing_was_placed",
        ],
    ),
    (
        16,
        "the same key with another body",
        &["a_key_stands_for_one_request_and_one_user"],
    ),
    (
        17,
        "twenty at once with the same key",
        &["the_same_key_from_several_sides_at_once_places_one_order"],
    ),
    (
        18,
        "the service may have forgotten the key",
        &[
            "a_question_does_not_lapse_but_past_its_window_the_request_is_not_sent_again",
            "a_key_too_old_to_be_known_is_not_sent_again_by_desk_or_restart",
        ],
    ),
    (
        19,
        "close-all of a hundred, and both sides die on the way",
        &[
            "a_close_all_of_a_hundred_targets_is_followed_to_its_end",
            "a_close_all_goes_on_at_its_next_position_after_a_crash",
            "whoever_dies_at_whatever_moment_nothing_is_lost_and_nothing_doubled",
            "after_a_crash_a_close_all_goes_on_with_its_own_key",
        ],
    ),
    (
        20,
        "Retry-After missing, 0, negative, huge, a date, twice",
        &[
            "every_way_to_say_retry_after_is_understood_or_ignored",
            "a_date_counts_from_the_services_own_clock_when_it_tells_it",
            "a_close_all_without_a_usable_retry_after_waits_two_seconds",
            "of_ten_thousand_waits_none_is_cut_short",
        ],
    ),
    (
        21,
        "close-all ends with failures, or an order fills after it",
        &[
            "every_drill_gets_out_whole_whatever_the_network_does",
            "close_all_is_followed_to_its_end_and_says_what_is_still_open",
        ],
    ),
    (
        22,
        "another operation, or another count, under one key",
        &["a_service_that_contradicts_itself_is_not_followed"],
    ),
    (
        23,
        "503 ten times and 429 to the polls during a close-all",
        &[
            "a_refusal_in_the_middle_of_a_close_all_is_not_a_rejection",
            "every_drill_gets_out_whole_whatever_the_network_does",
            "of_ten_thousand_waits_none_is_cut_short",
        ],
    ),
    (
        24,
        "a cancel races a fill",
        &["a_cancel_that_finds_nothing_is_what_the_order_says_it_is"],
    ),
    (
        25,
        "a queued cancel, and then the stop triggers",
        &[
            "a_queued_cancel_is_marked_until_it_ends",
            "a_queued_cancel_whose_stop_fires_ends_as_filled_and_not_as_canceled",
        ],
    ),
    (
        26,
        "margin 100, then 50, the first reply lost, a crash",
        &[
            "an_older_change_is_not_sent_after_a_newer_one",
            "after_a_crash_the_older_of_two_changes_is_never_sent_again",
        ],
    ),
    (
        27,
        "pages that repeat, lose their place, move",
        &[
            "working_orders_are_walked_over_every_page_and_each_is_taken_once",
            "a_list_that_loses_its_place_is_shown_as_incomplete_not_as_all_there_is",
            "a_service_that_leads_in_a_circle_is_left_and_the_list_is_called_incomplete",
        ],
    ),
    (
        28,
        "words nobody knows, missing and additional fields",
        &[
            "one_bad_row_is_named_and_the_others_are_shown",
            "a_minimal_row_is_readable_and_invents_nothing",
            "a_word_nobody_knows_is_quoted_and_says_what_it_stands_for",
        ],
    ),
    (
        29,
        "numbers that fit no double",
        &[
            "every_digit_of_a_number_survives_the_round_trip",
            "what_cannot_be_held_exactly_is_refused_not_rounded",
        ],
    ),
    (
        30,
        "sizes typed as no machine expects them",
        &[
            "what_is_not_plainly_a_number_is_refused_with_its_reason",
            "five_hundred_zeros_are_no_number_wherever_they_stand",
            "a_paste_that_does_not_fit_is_refused_whole",
        ],
    ),
    (
        31,
        "the service places something else than was asked",
        &[
            "an_order_as_asked_is_silent_however_its_size_is_written",
            "every_field_of_an_order_that_was_not_understood_is_named",
        ],
    ),
    (
        32,
        "the clock jumps, the machine slept",
        &[
            "a_wall_clock_that_is_set_holds_no_way_out_up",
            "a_wall_clock_that_is_set_is_said_and_everything_is_asked_for_again",
            "a_key_too_old_to_be_known_is_not_sent_again_by_desk_or_restart",
        ],
    ),
    (
        33,
        "redirects elsewhere",
        &[
            "a_redirect_is_told_and_the_key_goes_nowhere_else",
            "nothing_is_lost_and_nothing_doubled_whatever_the_network_does",
        ],
    ),
    (
        34,
        "an answer without end, headers for ever, a byte a second",
        &[
            "an_endless_answer_is_cut_off",
            "nothing_is_lost_and_nothing_doubled_whatever_the_network_does",
        ],
    ),
    (
        35,
        "text that would drive the terminal",
        &[
            "no_scalar_value_reaches_the_screen_as_a_control",
            "a_hostile_symbol_cannot_drive_the_terminal",
        ],
    ),
    (
        36,
        "the ways out of a terminal",
        &[
            "the_terminal_is_given_back_when_the_system_asks_to_leave",
            "a_desk_whose_window_is_closed_ends",
            "one_key_closes_everything_and_the_desk_ends_when_told",
            "a_stopped_desk_gives_the_terminal_back_and_takes_it_again",
            "a_panic_anywhere_gives_the_terminal_back_before_it_is_told",
            "a_panic_on_a_terminal_that_nobody_reads_ends_the_desk_all_the_same",
            "what_nobody_reads_changes_nothing_of_what_is_done_or_how_it_ends",
            "without_a_terminal_the_desk_says_so_and_names_snapshot",
        ],
    ),
    (
        37,
        "no room, resizes, a terminal nobody reads",
        &["the_places_cover_the_body_without_overlap_at_every_size"],
    ),
    (
        38,
        "a paste of ten thousand lines of hotkeys",
        &["a_paste_on_the_desk_presses_no_keys"],
    ),
    (
        39,
        "a hostile client of the exchange",
        &[
            "a_foreign_thing_cannot_be_told_from_a_missing_one",
            "what_is_no_http_or_has_endless_headers_ends_the_connection",
            "a_bot_is_served_at_once_beside_as_many_slow_sockets_as_one_address_may_have",
        ],
    ),
    (
        40,
        "a question appears under a held key",
        &[
            "nothing_is_heard_while_the_strip_is_younger_than_150_ms",
            "enter_never_confirms_and_neither_does_the_key_that_asked",
        ],
    ),
];

#[test]
fn each_of_the_forty_cases_has_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut code = String::new();
    for dir in ["src", "tests"] {
        gather(&root.join(dir), &mut code);
    }
    let numbers: Vec<u8> = CASES.iter().map(|(number, ..)| *number).collect();
    assert_eq!(numbers, (1..=40).collect::<Vec<_>>());
    let missing: Vec<_> = CASES
        .iter()
        .flat_map(|(number, _, tests)| tests.iter().map(move |test| (number, test)))
        .filter(|(_, test)| !code.contains(&format!("fn {test}(")))
        .collect();
    assert_eq!(missing, []);
}

fn gather(dir: &Path, code: &mut String) {
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            gather(&path, code);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            code.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}
