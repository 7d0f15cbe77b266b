#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// Every fixed bound of the gateway, with its unit and its reason. Settings of an operator are in
/// `config/config.h`; their defaults come from here.
namespace bartizan::limits {

// --- Messages -----------------------------------------------------------------------------------

/// A file can occur twice in one response, escaped. A request never needs that.
inline constexpr std::size_t request_bytes_max = std::size_t{4} << 20;
inline constexpr std::size_t response_bytes_max = std::size_t{32} << 20;
/// Deeper than any tool needs, and safe for a recursive reader after the gateway.
inline constexpr std::size_t json_depth_max = 64;
/// Values in one document. An indexed value costs 24 bytes, so a request costs at most 5 MB.
inline constexpr std::size_t request_values_max = 200'000;
inline constexpr std::size_t response_values_max = 2'000'000;
/// Messages in one 2025-03-26 batch.
inline constexpr std::size_t batch_messages_max = 64;
/// Names of methods, tools and prompts. MCP suggests 128 for tools.
inline constexpr std::size_t name_bytes_max = 256;
inline constexpr std::size_t tool_name_bytes_max = 128;
/// Tool names as clients see them. Model APIs refuse longer ones.
inline constexpr std::size_t exposed_name_bytes_max = 64;
/// A JSON-RPC id or progress token, as text. It is echoed, so it is bounded.
inline constexpr std::size_t id_bytes_max = 256;
/// URI templates and matching are linear, but a URI is also logged (CVE-2026-0621).
inline constexpr std::size_t uri_bytes_max = 8192;
inline constexpr std::size_t cursor_bytes_max = 4096;

// --- HTTP/1.1 -----------------------------------------------------------------------------------

/// Request line and header section together. An idle connection holds none of it.
inline constexpr std::size_t head_bytes_max = std::size_t{16} << 10;
inline constexpr std::size_t header_fields_max = 100;
/// Pipelined and keep-alive requests before a connection is closed. Bounds what one connection can
/// pin.
inline constexpr std::uint32_t requests_per_connection_max = 1'000'000;
inline constexpr std::uint32_t connections_per_address_max = 1024;
inline constexpr std::uint32_t connections_max = 20'000;
inline constexpr std::chrono::seconds head_deadline{10};
inline constexpr std::chrono::seconds body_deadline{30};
inline constexpr std::chrono::seconds idle_deadline{75};
inline constexpr std::chrono::seconds write_deadline{30};
/// Chunk-size line of a chunked body, without extensions (which are refused).
inline constexpr std::size_t chunk_line_bytes_max = 18;

// --- Streams ------------------------------------------------------------------------------------

/// One line of an event stream except `data`, and one line of a server's standard error.
inline constexpr std::size_t line_bytes_max = std::size_t{64} << 10;
/// A response waits this long for its first message to be final. Then it becomes a stream.
inline constexpr std::chrono::seconds json_answer_wait{15};
inline constexpr std::chrono::seconds stream_keep_alive{15};
/// Messages queued for one slow reader before its stream is cut.
inline constexpr std::size_t stream_queue_messages_max = 256;
inline constexpr std::size_t stream_queue_bytes_max = std::size_t{8} << 20;

/// Standard output as a transport: unread output before the process gives up, and calls in progress
/// before no more are read.
inline constexpr std::size_t stdio_output_bytes_max = std::size_t{64} << 20;
inline constexpr std::size_t stdio_calls_max = 256;
/// Output queued for a slow reader of a socket or a WebSocket before it is cut off.
inline constexpr std::size_t wire_output_bytes_max = std::size_t{16} << 20;

// --- Resumption ----------------------------------------------------------------------------------

/// A client that can resume becomes a stream this early. Ordinary calls are answered as JSON
/// before.
inline constexpr std::chrono::milliseconds resumable_answer_wait{1000};
/// The delay that clients are told to wait before they resume.
inline constexpr std::chrono::milliseconds resumption_retry{500};
/// Events of one stream that are kept for resumption, their bytes, and their age. They fit the
/// queue of a new connection, beside as many that follow.
inline constexpr std::size_t kept_events_max = stream_queue_messages_max / 2;
inline constexpr std::size_t kept_bytes_max = stream_queue_bytes_max / 2;
inline constexpr std::chrono::seconds kept_age_max{300};
/// All streams of one principal on one worker.
inline constexpr std::uint64_t kept_principal_bytes_max = std::uint64_t{8} << 20;
/// The workers share one byte in this many of the memory budget.
inline constexpr std::uint64_t kept_memory_fraction = 4;
/// Overhead of an event and of a stream, beside their texts, as reserved from the budget.
inline constexpr std::size_t kept_event_bytes = 256;
inline constexpr std::size_t kept_stream_bytes = 512;
/// A larger request is not kept for another decision, and its response cannot be resumed.
inline constexpr std::size_t kept_request_bytes_max = std::size_t{64} << 10;
/// Resumptions of one principal on one worker, and their bytes. Each one is judged and recorded.
inline constexpr std::uint32_t resumptions_per_second = 20;
inline constexpr std::uint64_t resumed_bytes_per_second = std::uint64_t{8} << 20;
inline constexpr std::uint32_t resumptions_in_progress_max = 16;

// --- Servers ------------------------------------------------------------------------------------

/// Tools, prompts, resources or templates of one server. A longer list is refused whole.
inline constexpr std::size_t catalogue_entries_max = 10'000;
inline constexpr std::size_t catalogue_pages_max = 200;
/// One list, all pages together. A longer one is refused whole.
inline constexpr std::size_t catalogue_bytes_max = std::size_t{16} << 20;
/// The compiled schemas of one list.
inline constexpr std::size_t catalogue_compiled_bytes_max = std::size_t{64} << 20;
/// Calls that wait for a server at its `max_in_flight`.
inline constexpr std::size_t server_queue_calls_max = 256;
inline constexpr std::size_t server_write_queue_bytes_max = std::size_t{16} << 20;
inline constexpr std::chrono::seconds server_start_deadline{30};
inline constexpr std::chrono::seconds server_probe_deadline{5};
inline constexpr std::chrono::seconds server_stop_grace{5};
inline constexpr std::chrono::milliseconds server_restart_delay_min{250};
inline constexpr std::chrono::seconds server_restart_delay_max{30};
/// The delay before the gateway resumes a stream that a server closed. The server can set it, up to
/// the maximum.
inline constexpr std::chrono::milliseconds server_retry_default{1000};
inline constexpr std::chrono::seconds server_retry_max{30};
/// Consecutive resumptions that bring no new event.
inline constexpr std::uint32_t server_resumptions_max = 20;
/// A server's event id, which the gateway sends back to it.
inline constexpr std::size_t server_event_id_bytes_max = 1024;
/// Idle upstream HTTP connections that one worker keeps for one server.
inline constexpr std::size_t upstream_idle_connections_max = 256;

// --- Schemas ------------------------------------------------------------------------------------

/// One schema of one tool, and its subschemas. Generous: interfaces of whole products, generated
/// from their descriptions, stay below a tenth.
inline constexpr std::size_t schema_bytes_max = std::size_t{256} << 10;
inline constexpr std::size_t schema_schemas_max = 10'000;
/// Schemas that apply to one value through others: `$ref` after `$ref`, `allOf` in `allOf`.
inline constexpr std::size_t schema_chain_max = 64;
/// The compiled form of one schema without patterns; one pattern and its matching; all patterns of
/// a schema together.
inline constexpr std::size_t schema_program_bytes_max = std::size_t{4} << 20;
inline constexpr std::size_t schema_pattern_bytes_max = std::size_t{1} << 20;
inline constexpr std::size_t schema_patterns_bytes_max = std::size_t{8} << 20;
/// A pattern before and after its translation: the growth by expanded repetitions, the depth of
/// groups (RE2 accepts at most 1000), and its bytes. RE2 expands repetitions before it applies its
/// memory limit: 90 kB of `a{0,1000}` take 1.3 GB and 5 s.
inline constexpr std::uint64_t schema_pattern_growth_max = 5000;
inline constexpr std::size_t schema_pattern_depth_max = 250;
inline constexpr std::size_t schema_pattern_text_bytes_max = std::size_t{256} << 10;
/// Members and elements that all references of one schema pass on their way: ten milliseconds.
/// References of a whole product's interface to its definitions pass a hundredth.
inline constexpr std::uint64_t schema_reference_steps_max = 4'000'000;
/// The cost of validating one schema against its metaschema. The largest and densest schemas stay
/// below.
inline constexpr std::uint64_t schema_validity_steps_max = 20'000'000;
/// The cost of validating one value. A step is a schema applied to a value, a member, or 16 bytes
/// of a string that a pattern reads (see `match_steps`). About ten milliseconds, or fifty for a
/// pattern and a text that were both made to be slow.
inline constexpr std::uint64_t schema_steps_max = 500'000;
/// Nested schemas and values during validation. The longest chains in the deepest values exceed it
/// and are refused: the stack holds this many.
inline constexpr std::size_t schema_judged_depth_max = 2000;
/// Pointers that a schema names, for display. A recursive schema names an infinite number.
inline constexpr std::size_t schema_named_pointers_max = 1000;
inline constexpr std::size_t schema_named_depth_max = 16;
/// Schemas visited to find which names of one pointer a schema has, for a record.
inline constexpr std::uint64_t schema_named_steps_max = 10'000;
/// Quarantined tools of one list that are named in the log and at `/readyz`.
inline constexpr std::size_t quarantined_told_max = 16;
/// The text about violations in a record, including the one that exceeds it.
inline constexpr std::size_t record_detail_bytes_max = 512;
/// Files with an operator's own schemas.
inline constexpr std::size_t schema_files_max = 256;
/// Bytes of schemas of one list that are compiled before other work has a turn.
inline constexpr std::size_t schema_turn_bytes = std::size_t{16} << 10;
/// Reported violations of a value, and bytes of the pointer of each.
inline constexpr std::size_t schema_violations_max = 8;
inline constexpr std::size_t schema_pointer_bytes_max = 256;
/// Patterns of one schema that may be ignored. Each is reported with its place.
inline constexpr std::size_t schema_ignored_patterns_max = 64;
/// Reported keywords of one schema that are evaluated as in an earlier draft.
inline constexpr std::size_t schema_notes_max = 16;
/// A resolved `$id` or reference. Each is kept whole.
inline constexpr std::size_t schema_uri_bytes_max = 1024;
/// Members of one call that name properties that all JavaScript objects share. Each needs its own
/// look-up.
inline constexpr std::size_t reserved_members_max = 64;

// --- Predicates ---------------------------------------------------------------------------------

/// A pointer into arguments, as policy writes it and as a refusal names it. In a refusal the names
/// are the client's.
inline constexpr std::size_t pointer_bytes_max = 256;
/// Arguments of one profile whose values are recorded.
inline constexpr std::size_t recorded_arguments_max = 16;
/// Values of one `one_of`, or ports of one `url`.
inline constexpr std::size_t predicate_values_max = 1024;
/// RE2 expands repetitions before it applies its memory bound. This keeps that to a tenth of a
/// second and a few dozen megabytes.
inline constexpr std::size_t predicate_pattern_bytes_max = 1024;
/// Longer texts are not accepted as a URL.
inline constexpr std::size_t url_bytes_max = 8192;
/// Host names have at most 253 characters, and mapping a longer one costs more than its size.
inline constexpr std::size_t url_host_bytes_max = 2048;
/// The cost of the conditions of one rule for one call: a step for each value, and the steps of
/// patterns. Each rule has its own budget, so that no rule changes the result of another.
inline constexpr std::uint64_t rule_steps_max = 50'000;
/// Requests to the client in one response of a server. Each one is recorded.
inline constexpr std::size_t input_requests_max = 64;
/// A lock file: some thousand tools.
inline constexpr std::size_t lock_bytes_max = std::size_t{4} << 20;
/// Depth of names at which a value can be forced.
inline constexpr std::size_t fixed_depth_max = 16;
/// One SQL statement, its nesting, the tables and functions that it names, and one part of a name.
/// Longer than people and models write. All are read on the stack.
inline constexpr std::size_t sql_bytes_max = std::size_t{64} << 10;
inline constexpr std::size_t sql_depth_max = 100;
inline constexpr std::size_t sql_names_max = 128;
inline constexpr std::size_t sql_name_bytes_max = 128;
/// A command of a shell. Scripts are files.
inline constexpr std::size_t command_bytes_max = std::size_t{16} << 10;
/// Words of a command that is given as a list.
inline constexpr std::size_t command_words_max = 1024;
/// Nested substitutions and groups, and programs that run programs.
inline constexpr std::size_t shell_depth_max = 8;

// --- The process --------------------------------------------------------------------------------

/// Only buffers above this size are reserved from the memory budget. The connection count bounds
/// smaller ones.
inline constexpr std::size_t unbudgeted_bytes_max = std::size_t{8} << 10;
/// Work that one worker posted to another and that has not started.
inline constexpr std::size_t mailbox_messages_max = 4096;
/// Distinct label sets of one metric family. Later ones are counted under `other`.
inline constexpr std::size_t metric_series_max = 2000;
inline constexpr std::chrono::milliseconds timer_tick{50};

// --- Secrets and records ------------------------------------------------------------------------

/// Refusals of one address before authentication that are recorded singly in one minute.
inline constexpr std::uint32_t anonymous_refusals_per_minute = 20;
/// Addresses whose refusals are counted separately. The others share one summary.
inline constexpr std::size_t anonymous_addresses_max = 4096;
/// Unconfigured principals that have calls, streams or sessions.
inline constexpr std::size_t living_principals_max = 16384;
/// Refusals of one principal that are evaluated and recorded singly.
inline constexpr std::uint32_t refusals_per_second = 20;
inline constexpr std::uint32_t refusals_burst = 200;

// --- The state file -----------------------------------------------------------------------------

/// Jobs that wait for its thread. Beyond this, callers are refused at once: the disk is too slow.
inline constexpr std::size_t state_jobs_max = 1024;
/// The time that a caller waits for the disk.
inline constexpr std::chrono::seconds state_deadline{5};
/// Its pages of 4 KiB: four times the size of all rows at their longest.
inline constexpr std::uint32_t state_pages_max = 65'536;
/// Revocations in force at a time. To revoke more, an operator revokes the principal.
inline constexpr std::size_t revocations_max = 32'768;
/// Registrations of tools that are kept.
inline constexpr std::size_t tool_registrations_max = 256;
/// Each text of a revocation.
inline constexpr std::size_t revocation_text_bytes_max = 512;
/// Record files whose head is remembered by name: the last ones.
inline constexpr std::size_t remembered_records_max = 16;
/// The path of a file on Linux (PATH_MAX).
inline constexpr std::size_t path_bytes_max = 4096;

}  // namespace bartizan::limits
