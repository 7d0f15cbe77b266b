#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bartizan {

/// One key of the configuration language.
struct KnownKey {
  enum class State : std::uint8_t {
    built,  ///< The loader reads it and the schema describes it.
    later,  ///< Planned, and this version has no code for it: an error, never ignored.
  };
  std::string_view
      table;             ///< Dotted, `*` for a name that the operator chooses: `server.*.sandbox`.
  std::string_view key;  ///< `*` where the table is a map with free keys.
  State state = State::built;
};

/// All keys. One table, because three things must agree with it: what the loader accepts, what
/// `config.schema.json` describes, and what an error hints at. Tests walk it.
std::span<const KnownKey> known_keys();

}  // namespace bartizan
