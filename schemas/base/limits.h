#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// Every fixed bound of the gateway, in one place, with its unit and its reason. What an operator
/// may change is in `config/config.h`; the defaults there come from here.
namespace bartizan::limits {

// --- Messages -----------------------------------------------------------------------------------

/// A file can arrive twice in one answer, escaped; a request never needs that.
inline constexpr std::size_t request_bytes_max = std::size_t{4} << 20;
inline constexpr std::size_t response_bytes_max = std::size_t{32} << 20;
/// Deeper than any tool needs; a recursive reader behind us survives it.
inline constexpr std::size_t json_depth_max = 64;
/// Values in one document. An indexed value costs 24 bytes, so a request costs at most 5 MB.
inline constexpr std::size_t request_values_max = 200'000;
inline constexpr std::size_t response_values_max = 2'000'000;
/// Messages in one 2025-03-26 batch.
inline constexpr std::size_t batch_messages_max = 64;
/// Names of methods, tools and prompts; MCP suggests 128 for tools.
inline constexpr std::size_t name_bytes_max = 256;
inline constexpr std::size_t tool_name_bytes_max = 128;
/// What clients see; model APIs refuse longer tool names.
inline constexpr std::size_t exposed_name_bytes_max = 64;
/// A JSON-RPC id or progress token, as text; it is echoed, so it is bounded.
inline constexpr std::size_t id_bytes_max = 256;
/// URI templates and matching are linear, yet a URI is also logged (CVE-2026-0621).
inline constexpr std::size_t uri_bytes_max = 8192;
inline constexpr std::size_t cursor_bytes_max = 4096;

// --- HTTP/1.1 -----------------------------------------------------------------------------------

/// Request line and header section together. An idle connection owns none of it.
inline constexpr std::size_t head_bytes_max = std::size_t{16} << 10;
inline constexpr std::size_t header_fields_max = 100;
/// Pipelined and keep-alive requests before a connection is closed; bounds what one can pin.
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

/// One line of an event stream other than `data`, and one line of a server's standard error.
inline constexpr std::size_t line_bytes_max = std::size_t{64} << 10;
/// Until the first message is final, an answer waits this long before it becomes a stream.
inline constexpr std::chrono::seconds json_answer_wait{15};
inline constexpr std::chrono::seconds stream_keep_alive{15};
/// Messages queued to one slow reader before its stream is cut.
inline constexpr std::size_t stream_queue_messages_max = 256;
inline constexpr std::size_t stream_queue_bytes_max = std::size_t{8} << 20;

/// Standard output as a transport: what may wait for its reader before the process gives up, and
/// how many of its calls are in progress before no more are read.
inline constexpr std::size_t stdio_output_bytes_max = std::size_t{64} << 20;
inline constexpr std::size_t stdio_calls_max = 256;
/// What waits for a slow reader at the end of a socket or a WebSocket before it is cut off.
inline constexpr std::size_t wire_output_bytes_max = std::size_t{16} << 20;

// --- Resumption ----------------------------------------------------------------------------------

/// A client that can come back for the rest is told so this early; ordinary calls are answered as
/// JSON before.
inline constexpr std::chrono::milliseconds resumable_answer_wait{1000};
/// What clients are told to wait before they come back.
inline constexpr std::chrono::milliseconds resumption_retry{500};
/// Events of one stream that are kept to be sent again, their bytes, and how long: they fit the
/// queue to a new connection, beside as many that follow.
inline constexpr std::size_t kept_events_max = stream_queue_messages_max / 2;
inline constexpr std::size_t kept_bytes_max = stream_queue_bytes_max / 2;
inline constexpr std::chrono::seconds kept_age_max{300};
/// Of all streams of one principal on one worker.
inline constexpr std::uint64_t kept_principal_bytes_max = std::uint64_t{8} << 20;
/// The workers share one in so many bytes of the memory budget.
inline constexpr std::uint64_t kept_memory_fraction = 4;
/// What an event and a stream cost beside their texts, as they are reserved from the budget.
inline constexpr std::size_t kept_event_bytes = 256;
inline constexpr std::size_t kept_stream_bytes = 512;
/// A request that is larger is not kept to be judged again, and its answer cannot be resumed.
inline constexpr std::size_t kept_request_bytes_max = std::size_t{64} << 10;
/// Times that one principal may come back to one worker, and for how much; each return is judged
/// and recorded.
inline constexpr std::uint32_t resumptions_per_second = 20;
inline constexpr std::uint64_t resumed_bytes_per_second = std::uint64_t{8} << 20;
inline constexpr std::uint32_t resumptions_in_progress_max = 16;

// --- Servers ------------------------------------------------------------------------------------

/// Tools, prompts, resources or templates of one server; a longer list is refused whole.
inline constexpr std::size_t catalogue_entries_max = 10'000;
inline constexpr std::size_t catalogue_pages_max = 200;
/// Of one list, all pages together; a longer one is refused whole.
inline constexpr std::size_t catalogue_bytes_max = std::size_t{16} << 20;
/// What the schemas of one list compile to.
inline constexpr std::size_t catalogue_compiled_bytes_max = std::size_t{64} << 20;
/// Calls waiting for a server that is at its `max_in_flight`.
inline constexpr std::size_t server_queue_calls_max = 256;
inline constexpr std::size_t server_write_queue_bytes_max = std::size_t{16} << 20;
inline constexpr std::chrono::seconds server_start_deadline{30};
inline constexpr std::chrono::seconds server_probe_deadline{5};
inline constexpr std::chrono::seconds server_stop_grace{5};
inline constexpr std::chrono::milliseconds server_restart_delay_min{250};
inline constexpr std::chrono::seconds server_restart_delay_max{30};
/// A server that closes the stream of its answer says when to come back; nobody waits longer.
inline constexpr std::chrono::milliseconds server_retry_default{1000};
inline constexpr std::chrono::seconds server_retry_max{30};
/// Times in a row that the gateway comes back and learns nothing new.
inline constexpr std::uint32_t server_resumptions_max = 20;
/// Of a server's event id, which the gateway sends back to it.
inline constexpr std::size_t server_event_id_bytes_max = 1024;
/// Upstream HTTP connections kept idle by one worker for one server.
inline constexpr std::size_t upstream_idle_connections_max = 256;

// --- Schemas ------------------------------------------------------------------------------------

/// One schema of one tool, and the schemas in it. Generous: whole products' interfaces, generated
/// from their descriptions, stay below a tenth.
inline constexpr std::size_t schema_bytes_max = std::size_t{256} << 10;
inline constexpr std::size_t schema_schemas_max = 10'000;
/// Schemas that apply to one value because others do: `$ref` behind `$ref`, `allOf` in `allOf`.
inline constexpr std::size_t schema_chain_max = 64;
/// What one schema compiles to, patterns apart; what one pattern and its matching may take, and all
/// its patterns together.
inline constexpr std::size_t schema_program_bytes_max = std::size_t{4} << 20;
inline constexpr std::size_t schema_pattern_bytes_max = std::size_t{1} << 20;
inline constexpr std::size_t schema_patterns_bytes_max = std::size_t{8} << 20;
/// A pattern before and after its translation: what repetitions add to one that is written out
/// (RE2 does write it out, before it looks at its limit of memory: 90 kB of `a{0,1000}` take 1.3 GB
/// and 5 s), groups in groups (RE2 takes no more than 1000), bytes.
inline constexpr std::uint64_t schema_pattern_growth_max = 5000;
inline constexpr std::size_t schema_pattern_depth_max = 250;
inline constexpr std::size_t schema_pattern_text_bytes_max = std::size_t{256} << 10;
/// Members and elements that are passed on the way of all references of one schema: ten
/// milliseconds. References of a whole product's interface to its definitions pass a hundredth.
inline constexpr std::uint64_t schema_reference_steps_max = 4'000'000;
/// What holding one schema against its metaschema may cost. A schema of the largest size and the
/// densest kind stays below.
inline constexpr std::uint64_t schema_validity_steps_max = 20'000'000;
/// What judging one value may cost: a schema that meets a value, a member, 16 bytes of a string
/// that a pattern reads (see `match_steps`). About ten milliseconds, and fifty where pattern and
/// text were both made for it.
inline constexpr std::uint64_t schema_steps_max = 500'000;
/// Schemas within schemas and values while one is judged. The longest chains in the deepest values
/// would be more, and are refused: the stack holds so many.
inline constexpr std::size_t schema_judged_depth_max = 2000;
/// Pointers that a schema names, for people: one that refers to itself names them without end.
inline constexpr std::size_t schema_named_pointers_max = 1000;
inline constexpr std::size_t schema_named_depth_max = 16;
/// Schemas that are visited to tell which names of one pointer a schema has, for a record.
inline constexpr std::uint64_t schema_named_steps_max = 10'000;
/// Quarantined tools of one list that are told by name: in the log, at `/readyz`.
inline constexpr std::size_t quarantined_told_max = 16;
/// What a record says of violations, and the one that goes beyond.
inline constexpr std::size_t record_detail_bytes_max = 512;
/// Files that hold schemas of an operator's own.
inline constexpr std::size_t schema_files_max = 256;
/// Schemas of one list that are compiled before other work has its turn, in bytes.
inline constexpr std::size_t schema_turn_bytes = std::size_t{16} << 10;
/// Ways in which a value does not fit that are told, and what a pointer of one may be long.
inline constexpr std::size_t schema_violations_max = 8;
inline constexpr std::size_t schema_pointer_bytes_max = 256;
/// Patterns of one schema that may be left out, each told by its place.
inline constexpr std::size_t schema_ignored_patterns_max = 64;
/// Keywords of one schema that are judged as an earlier draft had them, and told.
inline constexpr std::size_t schema_notes_max = 16;
/// Of an `$id` or a reference, resolved. Each is kept whole.
inline constexpr std::size_t schema_uri_bytes_max = 1024;
/// Members of one call that lead JavaScript to what all objects share, each looked up apart.
inline constexpr std::size_t reserved_members_max = 64;

// --- Predicates ---------------------------------------------------------------------------------

/// A pointer into arguments, as policy writes it and as a refusal names it; the names of the latter
/// are the client's.
inline constexpr std::size_t pointer_bytes_max = 256;
/// Arguments of one profile whose values stand in the record.
inline constexpr std::size_t recorded_arguments_max = 16;
/// Values of one `one_of`, ports of one `url`.
inline constexpr std::size_t predicate_values_max = 1024;
/// RE2 writes repetitions out before it looks at its bound of memory: this keeps that to a tenth of
/// a second and some dozen megabytes.
inline constexpr std::size_t predicate_pattern_bytes_max = 1024;
/// Longer texts are no URL to us.
inline constexpr std::size_t url_bytes_max = 8192;
/// Names have 253 characters, and to map a longer one costs more than its size.
inline constexpr std::size_t url_host_bytes_max = 2048;
/// What the conditions of one rule may cost for one call: a step for each value, and those of
/// patterns. Each rule has its own, so that no rule changes the answer of another.
inline constexpr std::uint64_t rule_steps_max = 50'000;
/// Requests that one answer of a server may bring for the client, each of which is on record.
inline constexpr std::size_t input_requests_max = 64;
/// A lock file: some thousand tools.
inline constexpr std::size_t lock_bytes_max = std::size_t{4} << 20;
/// How many names deep a value can be forced.
inline constexpr std::size_t fixed_depth_max = 16;
/// One SQL statement, how deep it nests, the tables and functions that it names, and one part of a
/// name. Longer than people and models write; all are read on the stack.
inline constexpr std::size_t sql_bytes_max = std::size_t{64} << 10;
inline constexpr std::size_t sql_depth_max = 100;
inline constexpr std::size_t sql_names_max = 128;
inline constexpr std::size_t sql_name_bytes_max = 128;
/// A command of a shell; scripts are files.
inline constexpr std::size_t command_bytes_max = std::size_t{16} << 10;
/// Words of a command that is given as a list.
inline constexpr std::size_t command_words_max = 1024;
/// Substitutions and groups in each other, and programs that run programs.
inline constexpr std::size_t shell_depth_max = 8;

// --- The process --------------------------------------------------------------------------------

/// Only buffers above this size are reserved from the memory budget; smaller ones are bounded by
/// the connection count.
inline constexpr std::size_t unbudgeted_bytes_max = std::size_t{8} << 10;
/// Work posted from one worker to another and not yet started.
inline constexpr std::size_t mailbox_messages_max = 4096;
/// Distinct label sets of one metric family; what comes later is counted under `other`.
inline constexpr std::size_t metric_series_max = 2000;
inline constexpr std::chrono::milliseconds timer_tick{50};

// --- Secrets and records ------------------------------------------------------------------------

/// Refusals of one address before authentication that are recorded singly in one minute.
inline constexpr std::uint32_t anonymous_refusals_per_minute = 20;
/// Addresses whose refusals are told apart; the rest share one summary.
inline constexpr std::size_t anonymous_addresses_max = 4096;
/// Principals whom no configuration names and who have calls, streams or sessions.
inline constexpr std::size_t living_principals_max = 16384;
/// Refusals of one principal that are evaluated and recorded singly.
inline constexpr std::uint32_t refusals_per_second = 20;
inline constexpr std::uint32_t refusals_burst = 200;

// --- The state file -----------------------------------------------------------------------------

/// What waits for its thread. Beyond it callers are refused at once: its disk does not keep up.
inline constexpr std::size_t state_jobs_max = 1024;
/// How long a caller waits for its disk.
inline constexpr std::chrono::seconds state_deadline{5};
/// Its pages of 4 KiB: four times what all rows take at their longest.
inline constexpr std::uint32_t state_pages_max = 65'536;
/// Revocations that hold at a time. Whoever has more to revoke revokes the principal.
inline constexpr std::size_t revocations_max = 32'768;
/// Registrations of tools that are kept.
inline constexpr std::size_t tool_registrations_max = 256;
/// Each text of a revocation.
inline constexpr std::size_t revocation_text_bytes_max = 512;
/// Records whose head is remembered, by the names of their files: the last ones.
inline constexpr std::size_t remembered_records_max = 16;
/// The path of a file, as Linux takes it (PATH_MAX).
inline constexpr std::size_t path_bytes_max = 4096;

}  // namespace bartizan::limits
