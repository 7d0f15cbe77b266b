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

/// The facts of a described call beside its message. Absent facts are unknown.
struct DescribedFacts {
  std::optional<std::int64_t> time = {};  ///< Seconds since 1970 UTC.
  std::optional<Transport> transport = {};
  std::optional<std::string> endpoint = {};  ///< Name of the call's `[endpoint.NAME]`.
  std::optional<std::string> client_address = {};
  std::optional<ProtocolVersion> revision = {};
  /// Principals that had approved exactly this call when it was made.
  std::vector<std::string> approved_by = {};
  /// The result of path resolution on disk, by absolute path. `file` holds text; a file with other
  /// content is `binary`.
  enum class Place : std::uint8_t { file, directory, other, absent, outside, binary };
  std::map<std::string, Place, std::less<>> places = {};
  /// SHA-256 of file contents by absolute path, lower-case hex.
  std::map<std::string, std::string, std::less<>> contents = {};
  /// The addresses of host names, by name.
  std::map<std::string, std::vector<std::string>, std::less<>> addresses = {};
};

/// Their names in descriptions.
inline constexpr std::array<std::pair<std::string_view, DescribedFacts::Place>, 6> kPlaceNames{
    {{"absent", DescribedFacts::Place::absent},
     {"binary", DescribedFacts::Place::binary},
     {"directory", DescribedFacts::Place::directory},
     {"file", DescribedFacts::Place::file},
     {"other", DescribedFacts::Place::other},
     {"outside", DescribedFacts::Place::outside}}};
std::string_view text(DescribedFacts::Place place);

/// A call as people write it down to test a policy. It needs no client and no running server.
struct DescribedCall {
  std::string principal = {};  ///< A principal of the policy. Empty: somebody with exactly `roles`.
  std::vector<std::string> roles = {};  ///< Sorted; used without `principal`.
  TargetKind target_kind = TargetKind::none;
  std::string server = {};  ///< The target's server, or empty.
  std::string target = {};  ///< The tool's or prompt's own name, or the resource's URI.
  std::string method = {};
  std::string arguments = {};  ///< A JSON object; empty for none.
  std::string params = {};     ///< For a method without target: a JSON object; empty: none.
  DescribedFacts facts = {};
  Position where = {};
};

/// A tool's definition as its server lists it, in JSON.
struct DescribedTool {
  std::string entry = {};
  Position where = {};
};

}  // namespace bartizan
