#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace bartizan {

/// What a server may ask of clients, or tell them beside answers.
enum class ClientFeature : std::uint8_t {
  sampling,
  elicitation,
  roots,
  logging,
  instructions,
  tasks,  ///< Answer calls with tasks. Source: the extension `io.modelcontextprotocol/tasks`.
};

/// How they are written in `client_features`.
inline constexpr std::array<std::pair<std::string_view, ClientFeature>, 6> kClientFeatureNames{
    {{"sampling", ClientFeature::sampling},
     {"elicitation", ClientFeature::elicitation},
     {"roots", ClientFeature::roots},
     {"logging", ClientFeature::logging},
     {"instructions", ClientFeature::instructions},
     {"tasks", ClientFeature::tasks}}};

inline bool allows(const std::vector<ClientFeature>& allowed, ClientFeature feature) {
  return std::ranges::find(allowed, feature) != allowed.end();
}

}  // namespace bartizan
