//! Which test guards each row of what is known about ACP agents: the rules of `reference/acp-spec.md` §1.4, the
//! scenarios of `reference/acp-agent.md` §12 and the complaints of its §13. A test that is renamed or deleted fails
//! here. Rows of vendor methods belong to the issue that brings those methods; they are listed with that reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A row, and the tests that guard it.
type Row = (&'static str, &'static [&'static str]);
/// A row, and why no test is here.
type Later = (&'static str, &'static str);

/// §1.4 of the protocol's description.
const RULES: &[Row] = &[
    (
        "unknown version: answer own latest; same version: echo",
        &["any_version_is_answered_with_the_one_we_speak"],
    ),
    (
        "standard output carries messages only, one a line; logs go to standard error",
        &[
            "what_some_readers_take_for_a_line_end_is_escaped",
            "the_log_goes_to_standard_error_and_tells_no_prompt",
            "frames_that_others_send_are_known_and_strange_ones_are_not",
        ],
    ),
    (
        "all updates of a turn before its reply, also after cancel",
        &[
            "all_updates_of_a_turn_come_before_its_answer",
            "all_updates_of_a_cancelled_turn_come_before_its_answer",
        ],
    ),
    (
        "session/cancel: stop reason cancelled, never an error",
        &[
            "while_the_model_is_silent",
            "while_the_answer_streams",
            "while_a_command_runs_here",
            "while_a_card_waits",
            "while_a_card_waits_and_the_editor_answers_it_as_cancelled",
            "while_the_editor_is_asked_for_a_file",
            "while_the_editor_is_asked_to_write",
            "while_a_terminal_runs",
            "while_a_terminal_is_being_made",
            "while_a_question_to_the_person_waits",
            "a_turn_is_cancelled_while_a_server_connects",
            "a_call_is_cancelled_with_its_turn_and_the_server_is_told",
        ],
    ),
    (
        "$/cancel_request: the request's own result or -32800",
        &[
            "a_request_that_is_taken_back_is_answered_as_cancelled",
            "taking_back_what_is_unknown_or_answered_is_ignored",
        ],
    ),
    (
        "load replays everything, then replies; resume does not replay",
        &[
            "a_session_is_loaded_after_a_restart_with_everything_before_the_answer",
            "a_resumed_session_remembers_and_repeats_nothing",
            "a_replay_of_many_turns_is_whole_and_in_order",
        ],
    ),
    (
        "delete of an unknown or deleted session succeeds",
        &["deleting_is_idempotent_and_nothing_comes_back"],
    ),
    (
        "list: cwd absolute, cursor opaque",
        &[
            "a_folder_must_be_absolute_and_be_there",
            "the_list_comes_in_pages_that_miss_nothing",
        ],
    ),
    (
        "paths absolute, lines from 1, further folders sent again",
        &[
            "a_line_is_told_where_reading_begins",
            "they_are_not_kept_with_the_session",
            "an_open_session_keeps_its_set_and_a_closed_one_takes_another",
        ],
    ),
    (
        "terminal/release is always owed",
        &[
            "a_command_runs_in_the_editors_terminal",
            "a_command_that_takes_too_long_is_killed_and_its_terminal_given_back",
            "while_a_terminal_is_being_made",
        ],
    ),
    (
        "keys camelCase, discriminators snake_case, no members of one's own",
        &["frames_that_others_send_are_known_and_strange_ones_are_not"],
    ),
];

/// §12: scenarios.
const SCENARIOS: &[Row] = &[
    (
        "lifecycle: initialize, authenticate, new, prompt; malformed initialize",
        &[
            "the_introduction_says_what_works_and_nothing_else",
            "a_terminal_login_is_offered_only_to_those_who_have_a_terminal",
            "a_malformed_introduction_is_tolerated",
            "nothing_is_done_before_the_introduction",
            "a_new_session_has_an_id_modes_and_options",
        ],
    ),
    (
        "end of input in every phase: all is cancelled and closed, nothing survives (§1.0)",
        &[
            "it_leaves_while_the_model_is_silent_or_speaks",
            "it_leaves_while_the_person_is_asked",
            "it_leaves_while_the_editor_is_asked_for_a_file_or_a_terminal",
            "it_leaves_with_a_command_that_does_not_want_to_end",
            "it_leaves_while_a_server_connects_or_works",
        ],
    ),
    (
        "requests that overtake each other are answered once each (§1.0)",
        &[
            "loading_twice_at_once_is_answered_twice",
            "closing_and_deleting_overtake_whatever_runs",
            "a_prompt_right_behind_an_opening_or_a_closing_is_answered",
            "sessions_have_a_limit_and_closing_one_makes_room",
        ],
    ),
    (
        "ordering: commands and usage only after the open response",
        &["commands_and_usage_follow_the_answer_that_opened_the_session"],
    ),
    (
        "commands: custom expands, hidden left out",
        &[
            "a_command_reaches_the_model_with_its_arguments_and_the_person_as_it_was_typed",
            "hidden_skills_and_broken_files_are_left_out_and_break_nothing",
            "commands_and_skills_of_the_project_are_offered_sorted",
        ],
    ),
    (
        "config: axes, legacy, restored, queued, refused with jobs or a card, stale model",
        &[
            "a_model_is_switched_and_asked_from_then_on",
            "older_names_are_understood",
            "what_was_chosen_is_there_after_a_restart",
            "a_model_chosen_during_a_turn_is_shown_at_once_and_used_after_it",
            "the_setting_is_not_changed_under_a_turn_and_the_posture_is",
            "jobs_in_the_background_keep_the_model_from_being_switched",
            "nothing_is_switched_under_a_waiting_card",
            "a_saved_model_that_is_gone_falls_back_to_the_default",
            "legacy_modes_set_the_posture",
            "an_effort_the_new_model_lacks_becomes_automatic",
        ],
    ),
    (
        "turn: cancel, cancel in a tool, concurrent prompt, provider error",
        &[
            "while_the_answer_streams",
            "while_a_command_runs_here",
            "a_second_prompt_is_refused_while_one_runs",
            "a_server_that_is_not_there_fails_the_turn_and_is_no_cancel",
        ],
    ),
    (
        "persistence: load, list, resume, delete; unprompted not listed; delete recreates nothing",
        &[
            "a_session_is_loaded_after_a_restart_with_everything_before_the_answer",
            "the_list_is_newest_first_with_title_folder_and_time",
            "a_session_that_was_never_prompted_is_not_listed_and_can_be_opened_again",
            "deleting_in_the_middle_of_a_turn_writes_nothing_afterwards",
            "an_agent_that_is_killed_at_any_moment_loses_at_most_the_turn_in_flight",
        ],
    ),
    (
        "approval: round trip with official kinds; postures",
        &[
            "a_card_shows_what_it_is_about_with_official_kinds_only",
            "what_a_person_refuses_is_not_done_and_the_model_is_told",
            "each_posture_does_what_it_says",
            "a_posture_that_allows_it_answers_a_waiting_card",
        ],
    ),
    (
        "approval: a sandbox escape is a person's decision in every posture (§6.1)",
        &[
            "a_command_that_was_confined_can_be_run_outside_with_a_persons_consent",
            "where_nobody_is_asked_no_command_leaves_the_sandbox",
        ],
    ),
    (
        "client io: read, write, terminal order, wiring, skip rules, locations, plan",
        &[
            "a_file_is_read_as_the_editor_shows_it",
            "an_edit_changes_what_the_editor_shows_and_not_the_disk",
            "without_the_editors_files_the_disk_is_used",
            "other_encodings_stay_on_disk_and_stay_what_they_are",
            "a_command_runs_in_the_editors_terminal",
            "a_plan_is_told_whole_each_time",
        ],
    ),
    (
        "turn_failed: shape, nothing of the provider",
        &["every_failure_is_a_typed_error_without_a_word_of_the_provider"],
    ),
    (
        "messageId shared and renewed on retry",
        &[
            "an_answer_streams_with_one_message_id_for_each_attempt",
            "an_answer_that_breaks_off_is_asked_for_again_as_a_new_attempt",
        ],
    ),
    (
        "name on tool_call and permission",
        &[
            "a_file_is_read_as_the_editor_shows_it",
            "a_card_for_a_command_shows_the_command",
        ],
    ),
    (
        "$/cancel_request: three cases",
        &[
            "a_request_that_is_taken_back_is_answered_as_cancelled",
            "taking_back_what_is_unknown_or_answered_is_ignored",
        ],
    ),
    (
        "status pushes are silent without opt-in",
        &["the_introduction_says_what_works_and_nothing_else"],
    ),
    (
        "ceiling: a raise is refused by both methods, the posture stays",
        &[
            "a_raise_is_refused_by_both_methods_and_changes_nothing",
            "the_flag_sets_the_posture_and_is_its_ceiling",
        ],
    ),
    (
        "a saved higher posture opens at the ceiling and stays saved",
        &["a_saved_higher_posture_opens_at_the_ceiling_and_stays_saved"],
    ),
    (
        "each vetting code",
        &[
            "each_fault_has_its_code_and_refuses_everything",
            "a_folder_of_another_user_is_refused",
            "thirty_two_folders_are_the_most",
            "an_agent_that_writes_in_its_folder_only_refuses_them",
            "an_open_session_keeps_its_set_and_a_closed_one_takes_another",
        ],
    ),
    (
        "-32000 on new",
        &[
            "nothing_is_opened_before_a_model_is_set_up_and_then_it_works",
            "a_key_in_the_editors_environment_is_not_used",
        ],
    ),
    (
        "real diff content",
        &["an_edit_changes_what_the_editor_shows_and_not_the_disk"],
    ),
    (
        "MCP: a failing server",
        &["a_server_that_fails_or_never_answers_breaks_nothing"],
    ),
];

/// §13: what users reported about others.
const COMPLAINTS: &[Row] = &[
    (
        "#5483 commands before the answer",
        &["commands_and_usage_follow_the_answer_that_opened_the_session"],
    ),
    (
        "#7963, #8241, #8509 stop reason error",
        &["every_failure_is_a_typed_error_without_a_word_of_the_provider"],
    ),
    (
        "#3509 every failure reported as cancelled",
        &["a_server_that_is_not_there_fails_the_turn_and_is_no_cancel"],
    ),
    (
        "#10306 a prompt after a stop fails",
        &[
            "while_the_answer_streams",
            "a_cancel_right_behind_its_prompt_is_not_lost",
        ],
    ),
    (
        "#5553 headers as an array",
        &["a_server_over_http_is_called_with_its_headers"],
    ),
    (
        "#5775, #5881 kinds that are not official",
        &["a_card_shows_what_it_is_about_with_official_kinds_only"],
    ),
    (
        "#5667 no card shown",
        &["a_card_shows_what_it_is_about_with_official_kinds_only"],
    ),
    (
        "#4624 auth, HTTP MCP, commands, choices",
        &[
            "nothing_is_opened_before_a_model_is_set_up_and_then_it_works",
            "a_server_over_http_is_called_with_its_headers",
            "commands_and_skills_of_the_project_are_offered_sorted",
            "a_question_of_the_model_is_a_card_for_each_and_its_answer_reaches_it",
        ],
    ),
    (
        "#6221 fs, terminal, plan, modes",
        &[
            "a_file_is_read_as_the_editor_shows_it",
            "a_command_runs_in_the_editors_terminal",
            "a_plan_is_told_whole_each_time",
            "modes_and_their_option_stay_in_step_and_are_told",
        ],
    ),
    (
        "#6800 no diff preview",
        &[
            "an_edit_is_shown_before_it_is_allowed_and_one_that_cannot_be_made_is_not_asked_about",
            "an_edit_changes_what_the_editor_shows_and_not_the_disk",
        ],
    ),
    (
        "#6882 a replay shows injected blocks",
        &["a_command_reaches_the_model_with_its_arguments_and_the_person_as_it_was_typed"],
    ),
    (
        "#7247, #8166 in use after a crash",
        &["a_session_of_a_killed_agent_is_free_at_once"],
    ),
    (
        "#9676, #9705 /clear",
        &[
            "a_conversation_is_cleared_and_keeps_its_id",
            "clearing_asks_first_and_can_be_refused",
        ],
    ),
    (
        "#9820, #9829, #9934 DeepSeek refuses a replayed call",
        &["thinking_of_calls_goes_back_to_the_model_that_thought_it"],
    ),
    (
        "#6996 a default model without its key",
        &["a_default_model_without_its_key_gives_way_to_the_next_one"],
    ),
    (
        "Grimoire #188 both set_model and set_mode work",
        &[
            "a_model_is_switched_and_asked_from_then_on",
            "modes_and_their_option_stay_in_step_and_are_told",
        ],
    ),
    (
        "traps of 1.38.11 (§1.6): new before initialize, load re-creates, load without replay",
        &[
            "nothing_is_done_before_the_introduction",
            "deleting_is_idempotent_and_nothing_comes_back",
            "a_closed_session_is_loaded_with_its_replay",
        ],
    ),
];

/// Rows that have no test here.
const LATER: &[Later] = &[
    (
        "§1.4 elicitation: never secrets, no fall-back",
        "elicitation is a vendor-era method of the next issue",
    ),
    (
        "§12 steer",
        "the next issue brings `_reasonix.io/session/steer`; until then it is an unknown method",
    ),
    ("§12 inbox", "the next issue brings the inbox"),
    (
        "§12 goal",
        "the next issue brings goal mode; the mode is not announced before",
    ),
    (
        "§12 MCP status pushes",
        "the next issue brings `mcpStatus`; nothing of it is sent before",
    ),
    (
        "§12 paused outcome and its line",
        "it belongs to the delivery checks of goal mode, in the next issue",
    ),
    ("§12 elicitation modes", "the next issue brings elicitation"),
    (
        "§13 #8238 ask hangs without a user interface",
        "the fall-back switch belongs to elicitation, in the next issue",
    ),
    (
        "§13 #9888 terminal sessions are not visible",
        "there are no sessions of a terminal; those of the panel are listed",
    ),
];

/// The names of all tests that a row may name.
fn tests() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = BTreeSet::new();
    for folder in ["it", "src/acp"] {
        for entry in fs::read_dir(root.join(folder)).unwrap().flatten() {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            let mut is_test = false;
            for line in text.lines().map(str::trim) {
                let function = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
                if let Some((name, _)) = function.and_then(|rest| rest.split_once('('))
                    && is_test
                {
                    names.insert(name.to_owned());
                }
                is_test = line.starts_with("#[test]") || line.starts_with("#[tokio::test");
            }
        }
    }
    names
}

#[test]
fn every_row_of_the_editor_has_its_tests() {
    let tests = tests();
    let rows = RULES.iter().chain(SCENARIOS).chain(COMPLAINTS);
    let missing: Vec<_> = rows
        .clone()
        .flat_map(|(row, guards)| guards.iter().map(move |guard| (*row, *guard)))
        .filter(|(_, guard)| !tests.contains(*guard))
        .collect();
    assert_eq!(missing, [] as [(&str, &str); 0]);
    assert!(rows.into_iter().all(|(_, guards)| !guards.is_empty()));
    assert!(LATER.iter().all(|(_, why)| !why.is_empty()));
}

#[test]
fn every_complaint_that_is_known_is_in_the_table() {
    let numbers = [
        3509, 4624, 5483, 5553, 5667, 5775, 5881, 6221, 6800, 6882, 6996, 7247, 7963, 8166, 8238, 8241, 8509,
        9676, 9705, 9820, 9829, 9888, 9934, 10306,
    ];
    let rows: Vec<&str> = COMPLAINTS
        .iter()
        .map(|(row, _)| *row)
        .chain(LATER.iter().map(|(row, _)| *row))
        .collect();
    let missing: Vec<_> = numbers
        .into_iter()
        .filter(|number| !rows.iter().any(|row| row.contains(&format!("#{number}"))))
        .collect();
    assert_eq!(missing, [] as [i32; 0]);
}
