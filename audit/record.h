#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// A UUIDv7 in its text form: 36 characters, ordered by time. It joins a decision with its outcome,
/// with the response to the client, and with metrics.
/// Source: RFC 9562 §5.7.
struct DecisionId {
  std::array<char, 36> text{};
  std::string_view view() const { return {text.data(), text.size()}; }
  bool empty() const { return text[0] == 0; }
};

/// Builds the id from milliseconds since 1970 and ten random bytes. The version and variant bits
/// overwrite some of these.
DecisionId make_decision_id(std::uint64_t unix_ms, const std::array<std::uint8_t, 10>& random);

/// The event that a record reports.
enum class RecordKind : std::uint8_t {
  start,     ///< The process began to write: version, policy digest, head of the chain.
  stop,      ///< The process ended in order.
  decision,  ///< A call was judged. Written before the call is sent.
  outcome,   ///< The result of a call. Written before the result is delivered.
  refusal,   ///< A refusal before a call was known: connection, HTTP, parse, credentials.
  summary,   ///< A count of refusals beyond a quota, or of server messages that no client may read,
             ///< instead of single records.
  gap,       ///< A count of refusals while the record could not be written.
  repair,    ///< Replaces a torn tail; `detail` has its number of bytes.
  reload,    ///< Another policy took effect.
  server,    ///< A server was started, failed, or stopped.
  file_end,  ///< The last record of a closed file; `file` is its name from then on.
  file_begin,    ///< The first record of the next file; `file` and `head` name the one before.
  file_removed,  ///< Retention removes a closed file: its name and its last head.
  resume,    ///< A client resumed a stream, and was judged again. Written before events are sent
             ///< again.
  release,   ///< An operator released one definition of a tool from quarantine; `detail` is its
             ///< fingerprint. Written before the definition is accepted.
  sign_in,   ///< A person signed in to the console. Written before the session begins.
  sign_out,  ///< A person signed out of the console.
  mismatch,  ///< The record differs from the state file: `head` is the remembered head, `detail`
             ///< the finding. Written before anything is served.
  grant,  ///< A user authorised a client at a front door; `detail` names the client. Written before
          ///< it gets tokens.
  grant_end,    ///< The tokens of a grant become invalid; `detail` has the reason.
  revocation,   ///< An operator revoked or blocked the subject in `detail`. Written before it takes
                ///< effect.
  lift,         ///< An operator undid a revocation or a block.
  approval,     ///< A step of a request for approval: `approval` has its state, `decision_id` the
                ///< request's id. Written before it takes effect.
  signing_key,  ///< From here on, decisions are signed with the key in `jws`.
  registration,  ///< A person approved or removed a tool's registration: `decision_id` is the
                 ///< registration's. Written before the change is kept.
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

/// One audit event. Text fields are views, which encoding copies. Empty fields are left out.
///
/// No field holds a token, a session id or a request state. Arguments are only in `arguments`, if a
/// profile requires that, and in a server's error.
struct Record {
  RecordKind kind = RecordKind::decision;
  std::chrono::system_clock::time_point time;
  std::string_view decision_id;
  std::string_view source;     ///< `ip:port` of the peer, `uid:N` on a local socket, or `stdio`.
  std::string_view transport;  ///< `http`, `stdio`, `admin`, `console`, `gateway`.
  /// Name of the `[endpoint.NAME]` that received the event. Empty without endpoints.
  std::string_view endpoint;
  std::string_view principal;  ///< Configured id; `gateway` for its own traffic.
  std::vector<std::string_view> roles;
  std::string_view trust;
  std::string_view proof;  ///< How the principal was proved, such as `api_key:NAME`.
  /// The actors that act for the principal according to its token, the present one first.
  std::vector<std::string_view> actors;
  std::string_view
      client_name;  ///< Self-reported `clientInfo`: a label, never trusted. Cut to 64 bytes.
  std::string_view client_version;
  /// Hex HMAC-SHA-256 of the session's id, under the key of `argument_digest`. It joins the calls
  /// of a session, but cannot resume it.
  std::string_view session;
  std::string_view correlation_id;  ///< The client's id for the call in its own logs.
  std::string_view direction;       ///< `client_to_server` or `server_to_client`.
  std::string_view protocol;        ///< Revision: `2025-11-25`.
  std::string_view server;
  std::string_view method;
  std::string_view target;  ///< Tool or prompt name, or resource URI.
  std::string_view risk;    ///< Of the tool, by its profiles; of a refusal, that of its rule.
  std::string_view argument_digest;  ///< Hex HMAC-SHA-256 of the raw bytes of `arguments`.
  /// Argument values that a profile of the tool selects, redacted: `/path "/etc/passwd"`.
  std::vector<std::string_view> arguments;
  /// Hex HMAC-SHA-256 of `arguments` as the client sent them, if profiles changed them before the
  /// decision.
  std::string_view sent_digest;
  std::string_view message_digest;  ///< Hex HMAC-SHA-256 of the judged bytes.
  std::string_view decision;        ///< `permit` or `deny`.
  std::string_view reason;
  std::string_view category;
  std::string_view rule;
  std::string_view check;
  std::vector<std::string_view> would;  ///< `reason` or `reason:rule` of observed refusals.
  /// The addresses of host names in URLs that policy had looked up. The names are left out, because
  /// they are arguments.
  std::vector<std::string_view> addresses;
  /// Findings of detectors in server messages, without the text: `github.token mask 2`.
  std::vector<std::string_view> redacted;
  /// Hidden or active text in server messages, or orders to the model: `bidi remove 3`.
  std::vector<std::string_view> sanitised;
  /// Unusual properties of a call that succeeded: `slow_execution`.
  std::vector<std::string_view> warnings;
  std::string_view policy;  ///< Digest of the policy that decided.
  Outcome outcome = Outcome::none;
  std::int64_t rpc_code = 0;  ///< Of an error response; 0 if none.
  std::int64_t http_status = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t decide_ns = 0;    ///< From the complete message to the verdict.
  std::uint64_t duration_us = 0;  ///< From the complete message to the ready response.
  std::uint64_t count = 0;        ///< Of a summary or gap, removed records, or events sent again.
  std::string_view file;          ///< Name of a closed record file, without folder.
  std::string_view head;          ///< `SEQ:HASH` of the last record before, or of that file.
  /// Of a `file_begin`: the hash of record 1, which names the chain.
  std::string_view chain;
  std::string_view detail;  ///< Gateway's own sentence, `argument POINTER`, or a server's error.
  /// The new state of a request for approval: `pending`, `approved`, `used`, `denied`, `expired`,
  /// `withdrawn`.
  std::string_view approval;
  std::string_view jws;  ///< The signed content, a compact JWS. Source: RFC 7515 §3.1.
};

std::string_view text(RecordKind kind);
std::string_view text(Outcome outcome);

/// Whether the record reports a withheld result: the call was permitted, but its result was
/// refused. Such a record has a reason. Other records of tool errors have none.
bool is_withheld(const Record& record);

/// Whether the record reports an ordinary step of a call: a permit without an observed refusal, or
/// an outcome with neither a reason nor an observed refusal. Operators watch for all other records.
bool is_ordinary(const Record& record);

/// The prefix of an outcome's detail if the client only got the first part of the result.
inline constexpr std::string_view kTruncated = "truncated: ";

}  // namespace bartizan
