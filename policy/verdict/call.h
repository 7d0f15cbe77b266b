#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/reversibility.h"
#include "policy/verdict/approval.h"
#include "policy/verdict/gathered_facts.h"
#include "policy/verdict/principal.h"
#include "schemas/base/bytes.h"
#include "schemas/message/message.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

struct MergedProfile;

/// The metadata that a modern client repeats outside the body. Values are trimmed, not decoded.
struct MirroredHeaders {
  std::optional<std::string_view> protocol_version;
  std::optional<std::string_view> method;
  std::optional<std::string_view> name;
  /// The part of the header's name after `Mcp-Param-`, and the value.
  std::vector<std::pair<std::string_view, std::string_view>> params;
};

/// The entries of the policy's tables for the target of a call, looked up once for all checks. If
/// it is empty, or the tables lack the name, each check looks itself.
struct KnownTarget {
  const MergedProfile* profile = nullptr;              ///< The merged profiles of the tool.
  const std::vector<std::uint32_t>* limits = nullptr;  ///< The limits that count its calls.
  std::optional<std::uint32_t> cell = {};              ///< Its cell in the `AccessTable`.
};

/// Everything outside the message that a check may know, gathered before judging. An absent fact is
/// unknown. A check that needs it denies.
struct Facts {
  std::int64_t now = 0;  ///< Seconds since 1970 UTC.
  std::optional<Transport> transport = {};
  /// Name of the endpoint that the client came to; empty for that of `[listen] path`. Nothing for a
  /// transport without endpoints.
  std::optional<std::string_view> endpoint = {};
  /// Of the client, without the port: an IP address, where it came from one.
  std::optional<std::string_view> client_address = {};
  /// Approvals of exactly this call.
  std::vector<Approval> approvals = {};
  /// Judge as if the call was approved. So nobody is asked about a call that would be refused in
  /// any case.
  bool assumes_approval = false;
  /// The highest class of the calls before this one in its session, or of its principal where there
  /// are none.
  CallClass chain = {};
  /// The definition of the tool that is called, as this principal's catalogue has it.
  const ToolDefinition* tool = nullptr;
  KnownTarget known = {};  ///< See `Policy::known`.
  bool tool_quarantined = false;
  /// An answer or a cancellation: it names a request in progress of this principal's own.
  bool names_own_pending_request = false;
  /// It names a task of this principal's own, whose call may still be made.
  bool names_own_task = false;
  /// A server's request: the client declared the feature that it needs.
  bool client_declared_feature = false;
  /// A server's request that stands in an answer of it, for the client to answer with another call.
  bool is_input_request = false;
  /// The URIs that a subscription names, as its server knows them; null: as the message has them.
  const std::vector<std::string>* resources = nullptr;
  /// The answers about what this call names; see `Policy::questions`.
  std::vector<GatheredFact> gathered = {};
  /// Null while the call is judged; see `FactSource`.
  QuestionList* open_questions = nullptr;
};

/// The gathered facts, as checks get them. Lifetime: views the facts.
inline FactSource outside_of(const Facts& facts) {
  return {.facts = facts.gathered, .open = facts.open_questions};
}

/// A message about to be judged, in either direction, with all that a check may know.
///
/// Lifetime: views its document, its policy and its headers; never outlives the frame that leased
/// them. Shares the bytes with the permits that are made of them.
struct Call {
  Direction direction = Direction::client_to_server;
  Era era = Era::legacy;
  ProtocolVersion version = kNewestLegacyVersion;
  const Principal* principal = nullptr;
  Message message;
  SealedBytes bytes;  ///< What `message` was read from.
  /// The arguments as the client sent them, if profiles have changed them since. The client's
  /// headers repeat these. Empty if nothing was changed.
  std::optional<JsonValue> sent_arguments = {};

  std::string_view server;  ///< Configured name; empty where the gateway itself answers.
  TargetKind target_kind = TargetKind::none;
  /// The server's own name of the tool or prompt, or the URI of the resource.
  std::string_view target;
  /// Present on transports that have headers, for modern messages.
  const MirroredHeaders* headers = nullptr;
  Facts facts;
};

}  // namespace bartizan
