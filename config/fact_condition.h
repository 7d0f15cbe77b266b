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

/// `read_only`, `destructive`, `idempotent` or `open_world`, of the tool that is called. A tool has
/// the harmless value only where the lock file has the definition that is listed, approved by a
/// person, and says so.
struct HintCondition {
  ToolHint hint = ToolHint::read_only;
  bool value = true;
  bool operator==(const HintCondition&) const = default;
};

/// `method = […]`: the request is one of these.
struct MethodCondition {
  std::vector<std::string> methods = {};
  bool operator==(const MethodCondition&) const = default;
};

/// `transport = […]`
struct TransportCondition {
  std::vector<Transport> transports = {};
  bool operator==(const TransportCondition&) const = default;
};

/// `endpoint = […]`: names of `[endpoint.NAME]` at one of which the client comes in.
struct EndpointCondition {
  std::vector<std::string> endpoints = {};
  bool operator==(const EndpointCondition&) const = default;
};

/// `revision = […]`: the protocol revision that the client speaks.
struct RevisionCondition {
  std::vector<ProtocolVersion> versions = {};
  bool operator==(const RevisionCondition&) const = default;
};

/// `client_address = […]`: the client's address lies in one of these networks.
struct AddressCondition {
  std::vector<std::string> networks = {};  ///< `10.0.0.0/8`, `2001:db8::/32`, or one address.
  bool operator==(const AddressCondition&) const = default;
};

/// `server_trust = […]`: `[server.NAME] trust` of the server that is asked.
struct ServerTrustCondition {
  std::vector<Trust> trusts = {};
  bool operator==(const ServerTrustCondition&) const = default;
};

/// `time = { days, from, to, zone }`: the time of day, and the day, at which the call comes.
struct TimeCondition {
  std::uint8_t days = 0x7f;  ///< A bit for each day, the lowest for Monday.
  /// Minutes since midnight on the clocks of the zone; the second is not included. A window whose
  /// end is not after its beginning ends on the next day, and belongs to the day of its beginning.
  std::uint16_t from = 0, to = 24 * 60;
  std::string zone = {};  ///< As the time zone database names it: `Europe/Berlin`.
  bool operator==(const TimeCondition&) const = default;
};

/// What a class is asked of: the tool that is called, or the chain, which is this call and those of
/// its session before it, and takes the highest.
enum class ClassOf : std::uint8_t { tool, chain };

/// `risk = […]`, `chain_risk = […]`: the class is one of these. It is undecidable where nobody
/// says.
struct RiskCondition {
  ClassOf of = ClassOf::tool;
  std::vector<Risk> risks = {};
  bool operator==(const RiskCondition&) const = default;
};

/// `reversibility = […]`, `chain_reversibility = […]`, in the same way. A definition that says
/// `destructiveHint: true` makes its tool irreversible, whatever profiles say.
struct ReversibilityCondition {
  ClassOf of = ClassOf::tool;
  std::vector<Reversibility> reversibilities = {};
  bool operator==(const ReversibilityCondition&) const = default;
};

/// One entry of `when` or `unless` that asks something of the circumstances of a call.
struct FactCondition {
  std::variant<HintCondition, MethodCondition, TransportCondition, EndpointCondition,
               RevisionCondition, AddressCondition, ServerTrustCondition, TimeCondition,
               RiskCondition, ReversibilityCondition>
      fact = {};
  Position where = {};
};

}  // namespace bartizan
