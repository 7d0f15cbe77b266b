#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bartizan {

/// One key of the configuration language.
struct KnownKey {
  enum class State : std::uint8_t {
    built,  ///< The loader reads it and the schema describes it.
    later,  ///< Planned, without code in this version. Using it is an error.
  };
  /// Dotted; `*` for a name that the operator chooses: `server.*.sandbox`.
  std::string_view table;
  std::string_view key;  ///< `*` if the table is a map with free keys.
  State state = State::built;
};

/// All keys, in one table. Three things must agree with it: the keys that the loader accepts, the
/// keys that `config.schema.json` describes, and the keys that errors suggest. Tests check this.
std::span<const KnownKey> known_keys();

}  // namespace bartizan
