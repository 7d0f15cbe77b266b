#pragma once

#include <cstddef>

namespace bartizan {

/// Bytes that each text of a record keeps; longer ones end in `…`. Together with the longest
/// escapes they keep every line below `kRecordLineMax`.
inline constexpr std::size_t kClientLabelMax = 64;
inline constexpr std::size_t kTextMax = 1024;
inline constexpr std::size_t kTargetMax = 8192;
inline constexpr std::size_t kItemMax = 256;
inline constexpr std::size_t kItemsMax = 64;

/// Calls `visit(name, field, bytes_max)` for every member that may be absent, in the order of the
/// canonical form. The one list of members: writing, reading and showing all follow it.
template <class AnyRecord, class Visitor>
void visit_members(AnyRecord& record, Visitor&& visit) {
  visit("decision_id", record.decision_id, kTextMax);
  visit("source", record.source, kTextMax);
  visit("transport", record.transport, kTextMax);
  visit("principal", record.principal, kTextMax);
  visit("roles", record.roles, kItemMax);
  visit("trust", record.trust, kTextMax);
  visit("proof", record.proof, kTextMax);
  visit("client_name", record.client_name, kClientLabelMax);
  visit("client_version", record.client_version, kClientLabelMax);
  visit("direction", record.direction, kTextMax);
  visit("protocol", record.protocol, kTextMax);
  visit("server", record.server, kTextMax);
  visit("method", record.method, kTextMax);
  visit("target", record.target, kTargetMax);
  visit("risk", record.risk, kTextMax);
  visit("argument_digest", record.argument_digest, kTextMax);
  visit("sent_digest", record.sent_digest, kTextMax);
  visit("message_digest", record.message_digest, kTextMax);
  visit("decision", record.decision, kTextMax);
  visit("reason", record.reason, kTextMax);
  visit("category", record.category, kTextMax);
  visit("rule", record.rule, kTextMax);
  visit("check", record.check, kTextMax);
  visit("would", record.would, kItemMax);
  visit("addresses", record.addresses, kItemMax);
  visit("redacted", record.redacted, kItemMax);
  visit("sanitised", record.sanitised, kItemMax);
  visit("policy", record.policy, kTextMax);
  visit("outcome", record.outcome, std::size_t{0});
  visit("rpc_code", record.rpc_code, std::size_t{0});
  visit("http_status", record.http_status, std::size_t{0});
  visit("bytes_in", record.bytes_in, std::size_t{0});
  visit("bytes_out", record.bytes_out, std::size_t{0});
  visit("decide_ns", record.decide_ns, std::size_t{0});
  visit("duration_us", record.duration_us, std::size_t{0});
  visit("count", record.count, std::size_t{0});
  visit("file", record.file, kTextMax);
  visit("head", record.head, kTextMax);
  visit("detail", record.detail, kTextMax);
}

}  // namespace bartizan
