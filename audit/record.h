#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// A UUIDv7 as it is written: 36 characters, ordered by time. Joins a decision with its outcome,
/// with the answer that the client got, and with metrics. Source: RFC 9562 §5.7.
struct DecisionId {
  std::array<char, 36> text{};
  std::string_view view() const { return {text.data(), text.size()}; }
  bool empty() const { return text[0] == 0; }
};

/// Builds the id from milliseconds since 1970 and ten random bytes (whose version and variant bits
/// are overwritten).
DecisionId make_decision_id(std::uint64_t unix_ms, const std::array<std::uint8_t, 10>& random);

/// What a record tells of.
enum class RecordKind : std::uint8_t {
  start,         ///< The process began to write: version, policy digest, and where the chain stood.
  stop,          ///< It ended in order.
  decision,      ///< A call was judged; written before it leaves.
  outcome,       ///< Its answer; written before that is delivered.
  refusal,       ///< Something was refused before a call was known: connection, HTTP, parse,
                 ///< credentials.
  summary,       ///< Refusals beyond a quota, or what servers sent and nobody may read, counted
                 ///< instead of written singly.
  gap,           ///< Refusals while the record could not be written, counted.
  repair,        ///< Stands in the place of a torn tail; `detail` says how many bytes that was.
  reload,        ///< Another policy took over.
  server,        ///< A server was started, failed, or stopped.
  file_end,      ///< The last record of a file that was closed; `file` is its name from then on.
  file_begin,    ///< The first record of the next file; `file` and `head` name the one before.
  file_removed,  ///< Retention removes a closed file: its name and its last head.
  resume,    ///< A client came back for what followed on a stream, and was judged again; written
             ///< before anything is sent again.
  release,   ///< An operator took one definition of a tool out of quarantine; `detail` is its
             ///< fingerprint. Written before it is taken.
  sign_in,   ///< Somebody signed in to the console. Written before a session begins.
  sign_out,  ///< … and left it.
  mismatch,  ///< The record is not what the state file remembers of it; `head` is what that was,
             ///< `detail` says what was found. Written before anything is served.
  grant,     ///< A user let a client in at a front door; `detail` says which client. Written before
             ///< it gets tokens.
  grant_end,   ///< … and the client's tokens are worth nothing from then on; `detail` says why.
  revocation,  ///< An operator revoked or blocked what `detail` says. Written before it is in
               ///< force.
  lift,        ///< … and took that back.
  approval,    ///< A call waits for people, was decided by one, or what became of it: `approval`
               ///< says which, and `decision_id` is the id of the request. Written before it has an
               ///< effect.
  signing_key,   ///< From now on decisions are signed by the key that `jws` is about.
  registration,  ///< A person approved or removed the registration of a tool: `decision_id` is that
                 ///< of its registration. Written before it is kept.
};
inline constexpr RecordKind kRecordKindLast = RecordKind::registration;

/// How the call ended, in an outcome record.
enum class Outcome : std::uint8_t {
  none,
  success,
  tool_error,
  error,
  denied,
  timeout,
  failed,
  cancelled
};

/// One audit event. Text fields are views, copied by encoding; an empty one is left out.
///
/// No field holds a token, a session id or a request state. An argument stands in `arguments`
/// alone, where a profile asks for that, and in a server's error.
struct Record {
  RecordKind kind = RecordKind::decision;
  std::chrono::system_clock::time_point time;
  std::string_view decision_id;
  std::string_view source;     ///< `ip:port` of the peer, `uid:N` on a local socket, or `stdio`.
  std::string_view transport;  ///< `http`, `stdio`, `admin`, `console`, `gateway`.
  /// Name of the `[endpoint.NAME]` that it came to; empty where there are none.
  std::string_view endpoint;
  std::string_view principal;  ///< Configured id; `gateway` for its own traffic.
  std::vector<std::string_view> roles;
  std::string_view trust;
  std::string_view proof;  ///< How the principal was proved, `api_key:NAME`.
  /// Who acts for the principal, as its token says, the present one first.
  std::vector<std::string_view> actors;
  std::string_view
      client_name;  ///< Self-reported `clientInfo`; a label, never trusted. Cut to 64 bytes.
  std::string_view client_version;
  /// Hex HMAC-SHA-256 of the session's id, under the key of `argument_digest`: joins the calls of a
  /// session, and does not resume it.
  std::string_view session;
  std::string_view correlation_id;  ///< By which the client finds the call in its own logs.
  std::string_view direction;       ///< `client_to_server` or `server_to_client`.
  std::string_view protocol;        ///< Revision: `2025-11-25`.
  std::string_view server;
  std::string_view method;
  std::string_view target;  ///< Tool or prompt name, or resource URI.
  std::string_view risk;    ///< Of the tool, as its profiles say; of a refusal, that of its rule.
  std::string_view argument_digest;  ///< Hex HMAC-SHA-256 of the raw bytes of `arguments`.
  /// Values that a profile of the tool wants recorded, redacted: `/path "/etc/passwd"`.
  std::vector<std::string_view> arguments;
  /// Hex HMAC-SHA-256 of `arguments` as the client sent them, where profiles changed them before
  /// judging.
  std::string_view sent_digest;
  std::string_view message_digest;  ///< Hex HMAC-SHA-256 of the bytes as judged.
  std::string_view decision;        ///< `permit` or `deny`.
  std::string_view reason;
  std::string_view category;
  std::string_view rule;
  std::string_view check;
  std::vector<std::string_view> would;  ///< `reason` or `reason:rule` of observed refusals.
  /// Where the names in URLs led that policy wanted looked up; not the names, which are arguments.
  std::vector<std::string_view> addresses;
  /// What detectors found in what servers sent: `github.token mask 2`. Never what it was.
  std::vector<std::string_view> redacted;
  /// What was hidden or active in it, or gave orders to the model: `bidi remove 3`.
  std::vector<std::string_view> sanitised;
  /// What was unusual of a call that worked: `slow_execution`.
  std::vector<std::string_view> warnings;
  std::string_view policy;  ///< Digest of the policy that decided.
  Outcome outcome = Outcome::none;
  std::int64_t rpc_code = 0;  ///< Of an error answer; 0 is none.
  std::int64_t http_status = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t decide_ns = 0;    ///< From the whole message read to the verdict.
  std::uint64_t duration_us = 0;  ///< From the whole message read to the answer ready.
  std::uint64_t count = 0;  ///< Of a summary, a gap, a removed file's records, events sent again.
  std::string_view file;    ///< Name of a closed record file, without folder.
  std::string_view head;    ///< `SEQ:HASH` of the last record before, or of that file.
  /// Of a `file_begin`: the hash of record 1, which names the chain.
  std::string_view chain;
  std::string_view detail;  ///< Our own sentence, `argument POINTER`, or a server's error.
  /// Where a request for approval stands from then on: `pending`, `approved`, `used`, `denied`,
  /// `expired`, `withdrawn`.
  std::string_view approval;
  std::string_view jws;  ///< What was signed: a compact JWS. Source: RFC 7515 §3.1.
};

std::string_view text(RecordKind kind);
std::string_view text(Outcome outcome);

/// Whether it tells of a result that was withheld: the call was permitted, and what came of it was
/// refused. Such a record has a reason, which no other tool's error has.
bool is_withheld(const Record& record);

/// Whether it tells of an ordinary step of a call: a permit without an observed refusal, or an
/// outcome without a reason. All else is what people watch for.
bool is_ordinary(const Record& record);

/// How the detail of an outcome begins of which the client got the first part.
inline constexpr std::string_view kTruncated = "truncated: ";

}  // namespace bartizan
