#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "config/position.h"
#include "config/reversibility.h"
#include "config/transport.h"
#include "config/trust.h"
#include "schemas/message/protocol_version.h"
#include "schemas/message/tool_hints.h"

namespace bartizan {

/// `read_only`, `destructive`, `idempotent` or `open_world`: a hint of the called tool. A harmless
/// value counts only if a person approved the listed definition in the lock file, and that
/// definition states the value.
struct HintCondition {
  ToolHint hint = ToolHint::read_only;
  bool value = true;
  bool operator==(const HintCondition&) const = default;
};

/// `method = […]`: the request's method is in the list.
struct MethodCondition {
  std::vector<std::string> methods = {};
  bool operator==(const MethodCondition&) const = default;
};

/// `transport = […]`
struct TransportCondition {
  std::vector<Transport> transports = {};
  bool operator==(const TransportCondition&) const = default;
};

/// `endpoint = […]`: the client's endpoint is in this list of `[endpoint.NAME]` names.
struct EndpointCondition {
  std::vector<std::string> endpoints = {};
  bool operator==(const EndpointCondition&) const = default;
};

/// `revision = […]`: the client's protocol revision is in the list.
struct RevisionCondition {
  std::vector<ProtocolVersion> versions = {};
  bool operator==(const RevisionCondition&) const = default;
};

/// `client_address = […]`: the client's address is in one of these networks.
struct AddressCondition {
  std::vector<std::string> networks = {};  ///< `10.0.0.0/8`, `2001:db8::/32`, or one address.
  bool operator==(const AddressCondition&) const = default;
};

/// `server_trust = […]`: the `[server.NAME] trust` of the called server is in the list.
struct ServerTrustCondition {
  std::vector<Trust> trusts = {};
  bool operator==(const ServerTrustCondition&) const = default;
};

/// `time = { days, from, to, zone }`: the day and time of day of the call.
struct TimeCondition {
  std::uint8_t days = 0x7f;  ///< One bit per day; the lowest is Monday.
  /// Minutes since midnight, local time of the zone; `to` is exclusive. A window with `to` not
  /// after `from` ends on the next day, and belongs to its first day.
  std::uint16_t from = 0, to = 24 * 60;
  std::string zone = {};  ///< A name of the time zone database: `Europe/Berlin`.
  bool operator==(const TimeCondition&) const = default;
};

/// Whose class a condition checks: that of the called tool, or that of the chain. The chain is this
/// call and the earlier calls of its session; its class is their highest.
enum class ClassOf : std::uint8_t { tool, chain };

/// `risk = […]`, `chain_risk = […]`: the class is in the list. It is undecidable if no class is
/// set.
struct RiskCondition {
  ClassOf of = ClassOf::tool;
  std::vector<Risk> risks = {};
  bool operator==(const RiskCondition&) const = default;
};

/// `reversibility = […]`, `chain_reversibility = […]`: as `RiskCondition`. A definition with
/// `destructiveHint: true` makes its tool irreversible, whatever profiles set.
struct ReversibilityCondition {
  ClassOf of = ClassOf::tool;
  std::vector<Reversibility> reversibilities = {};
  bool operator==(const ReversibilityCondition&) const = default;
};

/// One entry of `when` or `unless` about the circumstances of a call.
struct FactCondition {
  std::variant<HintCondition, MethodCondition, TransportCondition, EndpointCondition,
               RevisionCondition, AddressCondition, ServerTrustCondition, TimeCondition,
               RiskCondition, ReversibilityCondition>
      fact = {};
  Position where = {};
};

}  // namespace bartizan
