#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/fact_condition.h"
#include "config/position.h"
#include "schemas/message/method.h"
#include "schemas/message/protocol_version.h"

namespace bartizan {

/// What a description says of a call beside its message. What it does not say is not known.
struct DescribedFacts {
  std::optional<std::int64_t> time = {};  ///< Seconds since 1970 UTC.
  std::optional<Transport> transport = {};
  std::optional<std::string> endpoint = {};  ///< Name of the `[endpoint.NAME]` it came to.
  std::optional<std::string> client_address = {};
  std::optional<ProtocolVersion> revision = {};
  /// Principals, each of whom approved exactly this call when it was made.
  std::vector<std::string> approved_by = {};
  /// By absolute path: where it leads on the disk. A file holds text, unless it is `binary`.
  enum class Place : std::uint8_t { file, directory, other, absent, outside, binary };
  std::map<std::string, Place, std::less<>> places = {};
  /// By absolute path: the SHA-256 of what the file holds, in lower-case hex.
  std::map<std::string, std::string, std::less<>> contents = {};
  /// By name: where it leads.
  std::map<std::string, std::vector<std::string>, std::less<>> addresses = {};
};

/// What descriptions call these.
inline constexpr std::array<std::pair<std::string_view, DescribedFacts::Place>, 6> kPlaceNames{
    {{"absent", DescribedFacts::Place::absent},
     {"binary", DescribedFacts::Place::binary},
     {"directory", DescribedFacts::Place::directory},
     {"file", DescribedFacts::Place::file},
     {"other", DescribedFacts::Place::other},
     {"outside", DescribedFacts::Place::outside}}};
std::string_view text(DescribedFacts::Place place);

/// A call as people write it down, to ask what a policy makes of it: there is no client, and no
/// server runs.
struct DescribedCall {
  std::string principal = {};           ///< Of the policy; or else it is somebody who has …
  std::vector<std::string> roles = {};  ///< … exactly these roles, sorted.
  TargetKind target_kind = TargetKind::none;
  std::string server = {};  ///< Of the target; empty where there is none.
  std::string target = {};  ///< The tool's or prompt's own name, or the resource's URI.
  std::string method = {};
  std::string arguments = {};  ///< A JSON object; empty for none.
  std::string params = {};     ///< Of a method without target: a JSON object; empty for none.
  DescribedFacts facts = {};
  Position where = {};
};

/// What servers list of a tool, as JSON; by `server/tool`.
struct DescribedTool {
  std::string entry = {};
  Position where = {};
};

}  // namespace bartizan
