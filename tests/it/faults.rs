//! Which known fault each test guards: the rows of `reference/chat-worker.md` §8 that concern the worker's chat, and
//! the attacks of `reference/browser-platform.md` C3. A test that is renamed or deleted fails here.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A row and the tests that guard it, here or beside the code.
type Row = (&'static str, &'static [&'static str]);

/// Attacks. What only a browser shows is in [`crate::extension_faults`].
const ATTACKS: &[Row] = &[
    (
        "S1",
        &[
            "s01_only_the_loopback_address_is_listened_on",
            "s01_a_wider_address_cannot_be_configured",
        ],
    ),
    ("S2", &["s02_a_web_page_is_refused_before_the_upgrade"]),
    ("S3", &["s03_another_extension_is_refused_whatever_it_looks_like"]),
    ("S4", &["s04_an_odd_origin_is_refused"]),
    ("S5", &["s05_without_origin_only_the_local_secret_opens"]),
    (
        "S6",
        &[
            "s06_an_extension_needs_a_key_of_its_own",
            "s06_a_revoked_key_no_longer_opens",
            "s06_a_pairing_does_not_make_a_local_program",
            "s06_no_secret_is_in_the_log",
            "s06_a_contract_of_another_major_version_is_refused",
        ],
    ),
    (
        "S7",
        &[
            "s07_a_foreign_host_header_is_refused",
            "s07_a_missing_or_doubled_host_header_is_refused",
        ],
    ),
    ("S8", &["s08_a_get_without_origin_reads_nothing"]),
    ("S9", &["s09_a_form_of_a_web_page_changes_nothing"]),
    ("S10", &["s10_no_origin_is_ever_allowed_across"]),
    (
        "S12",
        &[
            "s12_an_offer_is_taken_once",
            "s12_two_browsers_that_race_for_an_offer_do_not_both_win",
            "s12_five_wrong_tries_spoil_an_offer_and_no_other",
            "s12_revoking_a_pairing_ends_its_connection",
            "s12_without_an_offer_nothing_can_be_paired",
            "s12_each_browser_has_a_key_of_its_own_and_revoking_one_leaves_the_other",
            "an_offer_is_one_line_whose_secret_stands_for_ten_minutes",
        ],
    ),
    (
        "S13",
        &[
            "s13_nothing_is_dispatched_before_the_handshake_is_done",
            "s13_only_a_host_may_introduce_somebody_else",
            "s13_a_second_handshake_is_refused",
            "s13_a_host_asks_nothing_before_its_browser_said_who_it_is",
        ],
    ),
    (
        "S14",
        &[
            "s14_a_stranger_that_says_nothing_is_sent_away",
            "s14_headers_that_never_end_are_not_waited_for",
            "s14_strangers_have_sixteen_places_and_friends_are_not_in_their_way",
            "s14_a_stranger_has_room_for_a_handshake_only",
        ],
    ),
    (
        "S15",
        &[
            "s15_what_is_no_web_socket_ends_the_connection_and_no_other",
            "s15_a_claimed_length_is_refused_before_its_bytes_come",
            "s15_a_message_in_pieces_has_the_same_limit",
            "s15_an_offer_to_compress_is_not_taken",
        ],
    ),
    (
        "S16",
        &[
            "s16_a_question_that_cannot_be_read_is_answered_by_its_id",
            "s16_numbers_beyond_every_type_are_taken_or_refused",
            "s16_what_names_nothing_is_answered_to_the_connection",
            "s16_a_page_with_broken_text_is_answered_without_it",
        ],
    ),
    (
        "S17",
        &[
            "s17_everything_is_closed_to_others",
            "s17_a_link_in_the_place_of_a_file_is_not_followed",
            "s17_a_secret_that_others_could_have_read_or_written_is_not_used",
            "s17_clients_do_not_believe_files_of_others_either",
        ],
    ),
    (
        "S18",
        &[
            "s18_the_command_line_tells_an_impostor_nothing",
            "s18_the_host_tells_an_impostor_nothing_and_finds_a_real_worker",
            "s18_a_proof_that_was_fetched_from_the_real_worker_does_not_help",
            "s18_a_proof_for_another_port_does_not_open_this_one",
        ],
    ),
    (
        "S19",
        &[
            "s19_an_overheard_proof_is_worth_nothing",
            "s19_the_workers_own_proof_does_not_prove_a_client",
        ],
    ),
    (
        "S20",
        &[
            "s20_another_client_reaches_nothing_of_a_conversation",
            "s20_another_clients_result_is_ignored",
        ],
    ),
    (
        "S21",
        &[
            "s21_only_what_was_announced_to_a_client_is_read_by_it",
            "s21_rubbish_in_the_place_of_a_name_gets_the_one_answer",
            "media_outlives_its_worker_even_a_killed_one",
            "a_file_that_was_changed_is_never_served",
        ],
    ),
    (
        "S22",
        &[
            "s22_page_text_is_fenced_data_in_the_user_message",
            "s22_page_text_stays_inside_its_fence",
            "s22_page_text_cannot_widen_what_is_offered",
            "s22_a_hidden_tool_that_was_called_is_not_offered_for_it",
        ],
    ),
    (
        "S25",
        &[
            "s25_a_caller_that_is_not_ours_gets_nothing_and_starts_nothing",
            "s25_a_length_no_browser_sends_ends_the_host_before_anything_is_allocated",
            "s25_the_end_of_input_within_a_frame_is_an_end_as_any_other",
        ],
    ),
    (
        "S28",
        &[
            "s28_the_worker_never_redirects",
            "s28_a_redirect_takes_neither_key_nor_page_along",
        ],
    ),
];

/// Faults of the worker that others had. What is missing concerns the extension's own side, or the many-process
/// design that we do not have (6, 7, 18, 21, 22, 25–28).
const FAULTS: &[Row] = &[
    (
        "1 chat_done before the last message",
        &[
            "a_local_client_asks_a_model",
            "fault_1_tools_are_answered_before_the_turn_ends",
        ],
    ),
    (
        "2 a failed tool shown as good",
        &[
            "fault_2_a_failed_tool_is_shown_as_failed_and_the_turn_goes_on",
            "fault_2_a_host_tool_that_fails_is_shown_as_failed",
        ],
    ),
    (
        "3 a set of tools without an answer",
        &[
            "fault_3_every_set_is_answered_in_order",
            "sets_are_answered_in_order_of_arrival",
        ],
    ),
    ("4 trailing marks in references", &["chat_worker_2_4_vectors"]),
    (
        "5 long thinking looked dead",
        &["thinking_shows_as_signs_of_life_and_never_as_text"],
    ),
    (
        "8 provider text leaks",
        &[
            "every_status_has_its_reason",
            "a_failed_turn_is_a_failed_command_and_says_what_to_do",
        ],
    ),
    (
        "9 a question in the tail of a turn",
        &["a_turn_of_a_silent_model_can_be_stopped"],
    ),
    (
        "10 a question without an end",
        &["a_busy_conversation_refuses_a_second_question_and_goes_on"],
    ),
    (
        "11 a turn without a client",
        &[
            "a_client_that_returns_again_and_again_has_the_whole_text",
            "fault_11_a_silent_tool_is_cancelled_and_the_turn_goes_on",
            "a_lost_client_fails_its_calls_at_once_and_without_a_frame",
            "every_report_starts_the_clock_anew_until_ten_minutes_are_over",
        ],
    ),
    (
        "12 no client is not disposed",
        &[
            "a_question_whose_connection_drops_at_once_is_answered_once",
            "fault_12_a_client_that_returns_brings_its_tools_to_the_running_turn",
        ],
    ),
    (
        "13 composing breaks the session",
        &["a_date_out_of_any_calendar_is_answered"],
    ),
    (
        "14 an error before retries are over",
        &["a_server_that_recovers_before_the_first_byte_is_asked_again"],
    ),
    (
        "15 a stale extension id",
        &["an_extension_that_is_configured_may_connect"],
    ),
    (
        "16 a stranger evicts a client",
        &["s14_strangers_have_sixteen_places_and_friends_are_not_in_their_way"],
    ),
    (
        "19 a stale socket",
        &[
            "what_a_killed_worker_left_behind_is_no_hindrance",
            "the_lock_of_a_killed_worker_is_free",
        ],
    ),
    (
        "20 an old worker after an upgrade",
        &["a_host_replaces_an_older_worker"],
    ),
    (
        "23 a tenant nobody knows",
        &["a_conversation_is_told_by_hint_and_place"],
    ),
    (
        "29 hello_ack tells too much",
        &["s13_nothing_is_dispatched_before_the_handshake_is_done"],
    ),
    (
        "17 an action in another tab",
        &["fault_17_every_call_names_the_tab_and_conversation_it_belongs_to"],
    ),
    (
        "a result that is no array leaves its call waiting (§5)",
        &[
            "a_result_that_is_none_ends_its_call_at_once",
            "a_result_that_cannot_be_read_or_is_too_large_ends_its_call_at_once",
        ],
    ),
    (
        "a bad set of tools (§5)",
        &[
            "a_set_replaces_the_one_before_or_is_rejected_whole",
            "one_fault_rejects_the_whole_set",
            "a_hostile_schema_is_refused_at_once",
        ],
    ),
    (
        "another set while calls run (§5)",
        &[
            "another_set_takes_effect_at_the_next_model_call",
            "another_set_leaves_running_calls_answerable",
        ],
    ),
    (
        "late and unknown results (§5)",
        &[
            "the_first_result_counts_and_others_are_ignored_and_counted",
            "storms_of_reports_and_late_results_disturb_nobody",
        ],
    ),
    (
        "a stop while a tool runs (§5)",
        &[
            "a_stop_ends_the_tool_and_the_turn",
            "a_stopped_turn_cancels_its_calls_at_once",
        ],
    ),
    (
        "tools of a client that left (§5)",
        &["a_lost_client_fails_its_calls_at_once_and_without_a_frame"],
    ),
    (
        "modes change a line and nothing else (§3)",
        &[
            "every_mode_offers_what_its_row_of_the_table_says",
            "only_configuration_offers_what_changes_the_page",
            "a_presentation_shows_one_thing_after_the_other",
        ],
    ),
    (
        "media is kept for ever (§6.1)",
        &[
            "media_goes_with_the_last_conversation_that_shows_it",
            "orphans_are_swept_when_a_worker_starts",
            "a_sweep_beside_many_publications_takes_nothing_that_is_shown",
        ],
    ),
    (
        "private addresses are fetched (§6.2)",
        &[
            "everything_else_is_not",
            "addresses_that_are_not_for_fetching_are_never_asked",
            "every_redirect_is_checked_like_the_first_address",
            "all_fetches_share_a_client_that_follows_nothing",
            "a_name_that_leads_into_this_machine_is_not_connected_to",
        ],
    ),
    (
        "a local path survives in a descriptor (§6.3)",
        &[
            "files_of_this_machine_are_never_opened",
            "a_file_name_is_a_base_name_with_the_ending_of_its_content",
            "an_address_is_told_without_user_query_and_fragment",
        ],
    ),
    (
        "media is announced after its notice (§6.4)",
        &["a_picture_of_a_tool_is_announced_before_its_notice_and_read_in_parts"],
    ),
    (
        "a read is ignored, or holds an answer up (§6.5)",
        &[
            "chat_worker_6_5_vectors",
            "parts_are_clamped_and_an_empty_one_ends_a_file",
            "many_reads_at_once_are_all_answered",
            "sixty_four_mebibytes_are_read_while_an_answer_streams",
            "a_native_host_carries_media_and_an_answer_at_once",
        ],
    ),
    (
        "a changed hint wipes a conversation (§2.1)",
        &["a_conversation_is_told_by_hint_and_place"],
    ),
    (
        "a stop of a queued question is lost (§2.3)",
        &["a_stop_right_behind_its_question_is_not_lost"],
    ),
    (
        "a malformed question is dropped silently (§2.1)",
        &["s16_a_question_that_cannot_be_read_is_answered_by_its_id"],
    ),
    (
        "a frame kills the host (§1.2)",
        &["a_frame_that_is_no_text_is_reported_and_the_port_stays"],
    ),
];

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// The names of all tests of the repository.
fn tests() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in [
        "contract",
        "server/src",
        "server/agent",
        "native-host/src",
        "tests/it",
    ] {
        rust_files(&root.join(folder), &mut files);
    }
    let mut names = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        let mut is_test = false;
        for line in text.lines().map(str::trim) {
            let function = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
            match function.and_then(|rest| rest.split_once('(')) {
                Some((name, _)) if is_test => {
                    names.insert(name.to_owned());
                    is_test = false;
                }
                _ => {
                    let begins = line.starts_with("#[test]") || line.starts_with("#[tokio::test");
                    is_test = begins || is_test && line.starts_with('#');
                }
            }
        }
    }
    names
}

#[test]
fn every_guard_exists() {
    let tests = tests();
    let missing: Vec<_> = ATTACKS
        .iter()
        .chain(FAULTS)
        .flat_map(|(_, guards)| *guards)
        .filter(|name| !tests.contains(**name))
        .collect();
    assert_eq!(missing, [] as [&&str; 0]);
}

#[test]
fn every_row_of_the_attacks_is_here() {
    let rows: Vec<&str> = ATTACKS.iter().map(|(row, _)| *row).collect();
    let elsewhere = [11, 23, 24, 26, 27];
    let expected: Vec<String> = (1..=28)
        .filter(|row| !elsewhere.contains(row))
        .map(|row| format!("S{row}"))
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn every_attack_test_is_in_the_table() {
    let named: BTreeSet<&str> = ATTACKS.iter().map(|(row, _)| *row).collect();
    for test in tests() {
        let row = test
            .strip_prefix('s')
            .and_then(|rest| rest.get(..3))
            .filter(|row| row.ends_with('_'));
        if let Some(number) = row.and_then(|row| row.trim_end_matches('_').parse::<u8>().ok()) {
            assert!(named.contains(format!("S{number}").as_str()), "{test}");
        }
    }
}

/// What the README's table of invariants names in its last column.
fn guards_of_the_invariants() -> Vec<String> {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let (_, table) = readme
        .split_once("\n## Invariants\n")
        .expect("the README lists the invariants");
    let table = table.split("\n## ").next().unwrap_or_default();
    let rows = table
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| #"));
    let last_columns = rows.filter_map(|line| line.trim_end_matches([' ', '|']).rsplit('|').next());
    last_columns
        .flat_map(|column| column.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_guard_of_an_invariant_exists() {
    let tests = tests();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let guards = guards_of_the_invariants();
    assert!(guards.len() >= 10, "{guards:?}");
    let missing: Vec<&String> = guards
        .iter()
        .filter(|guard| {
            if guard.contains('/') {
                !root.join(guard).exists()
            } else {
                !tests.contains(*guard)
            }
        })
        .collect();
    assert_eq!(missing, [] as [&&str; 0]);
}
