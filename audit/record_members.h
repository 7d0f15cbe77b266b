#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace bartizan {

/// The most bytes that a record keeps of each text. Longer texts are cut and end in `…`. Even with
/// the longest escapes, every line stays below `kRecordLineMax`.
inline constexpr std::size_t kClientLabelMax = 64;
inline constexpr std::size_t kTextMax = 1024;
inline constexpr std::size_t kTargetMax = 8192;
inline constexpr std::size_t kProofMax = 24'576;
inline constexpr std::size_t kItemMax = 256;
inline constexpr std::size_t kArgumentMax = 512;
inline constexpr std::size_t kFindingMax = 128;
inline constexpr std::size_t kAddressMax = 64;
inline constexpr std::size_t kHexMax = 64;
inline constexpr std::size_t kItemsMax = 64;

/// The letters of a name, as a template argument.
template <std::size_t N>
struct Letters {
  consteval Letters(const char (&name)[N]) { std::copy_n(name, N, text); }
  char text[N];
};

/// The name of a member as a type, so that values that depend on it alone are computed at compile
/// time.
template <Letters kLetters>
struct MemberName {
  static constexpr std::string_view text{kLetters.text, sizeof(kLetters.text) - 1};
  constexpr operator std::string_view() const { return text; }
};
template <Letters kLetters>
inline constexpr MemberName<kLetters> kNamed;

/// Calls `visit(name, field, bytes_max)` for each optional member, in the order of the canonical
/// form. This is the only list of members: writing, reading and formatting all use it.
template <class AnyRecord, class Visitor>
void visit_members(AnyRecord& record, Visitor&& visit) {
  visit(kNamed<"decision_id">, record.decision_id, kTextMax);
  visit(kNamed<"source">, record.source, kTextMax);
  visit(kNamed<"transport">, record.transport, kTextMax);
  visit(kNamed<"endpoint">, record.endpoint, kTextMax);
  visit(kNamed<"principal">, record.principal, kTextMax);
  visit(kNamed<"roles">, record.roles, kItemMax);
  visit(kNamed<"trust">, record.trust, kTextMax);
  visit(kNamed<"proof">, record.proof, kTextMax);
  visit(kNamed<"actors">, record.actors, kItemMax);
  visit(kNamed<"client_name">, record.client_name, kClientLabelMax);
  visit(kNamed<"client_version">, record.client_version, kClientLabelMax);
  visit(kNamed<"session">, record.session, kHexMax);
  visit(kNamed<"correlation_id">, record.correlation_id, kTextMax);
  visit(kNamed<"direction">, record.direction, kTextMax);
  visit(kNamed<"protocol">, record.protocol, kTextMax);
  visit(kNamed<"server">, record.server, kTextMax);
  visit(kNamed<"method">, record.method, kTextMax);
  visit(kNamed<"target">, record.target, kTargetMax);
  visit(kNamed<"risk">, record.risk, kTextMax);
  visit(kNamed<"argument_digest">, record.argument_digest, kTextMax);
  visit(kNamed<"arguments">, record.arguments, kArgumentMax);
  visit(kNamed<"sent_digest">, record.sent_digest, kTextMax);
  visit(kNamed<"message_digest">, record.message_digest, kTextMax);
  visit(kNamed<"decision">, record.decision, kTextMax);
  visit(kNamed<"reason">, record.reason, kTextMax);
  visit(kNamed<"category">, record.category, kTextMax);
  visit(kNamed<"rule">, record.rule, kTextMax);
  visit(kNamed<"check">, record.check, kTextMax);
  visit(kNamed<"would">, record.would, kItemMax);
  visit(kNamed<"addresses">, record.addresses, kAddressMax);
  visit(kNamed<"redacted">, record.redacted, kFindingMax);
  visit(kNamed<"sanitised">, record.sanitised, kFindingMax);
  visit(kNamed<"warnings">, record.warnings, kAddressMax);
  visit(kNamed<"policy">, record.policy, kTextMax);
  visit(kNamed<"outcome">, record.outcome, std::size_t{0});
  visit(kNamed<"rpc_code">, record.rpc_code, std::size_t{0});
  visit(kNamed<"http_status">, record.http_status, std::size_t{0});
  visit(kNamed<"bytes_in">, record.bytes_in, std::size_t{0});
  visit(kNamed<"bytes_out">, record.bytes_out, std::size_t{0});
  visit(kNamed<"decide_ns">, record.decide_ns, std::size_t{0});
  visit(kNamed<"duration_us">, record.duration_us, std::size_t{0});
  visit(kNamed<"count">, record.count, std::size_t{0});
  visit(kNamed<"file">, record.file, kTextMax);
  visit(kNamed<"head">, record.head, kTextMax);
  visit(kNamed<"chain">, record.chain, kHexMax);
  visit(kNamed<"detail">, record.detail, kTextMax);
  visit(kNamed<"approval">, record.approval, kTextMax);
  visit(kNamed<"jws">, record.jws, kProofMax);
}

}  // namespace bartizan
