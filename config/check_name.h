#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/parse_pattern.h"
#include "config/problems.h"
#include "config/table_reader.h"

namespace bartizan {

/// Reports a name that is not `[A-Za-z0-9._-]{1,64}`. Names appear in records, metrics and errors.
void check_name(const Text& name, std::string_view what, Problems& problems);

/// Reports a server's name that is not `[a-z0-9-]{1,32}`. It cannot have `_`, because the first `_`
/// of a prefixed tool name ends the server's name.
void check_server_name(const Text& name, Problems& problems);

/// Reports the fault of a pattern, if there is one, and a server in it that does not exist.
void check_pattern(const Text& pattern, const std::optional<PatternFault>& fault,
                   const std::map<std::string, ServerConfig, std::less<>>& servers,
                   Problems& problems);

inline constexpr std::string_view kSha256Hint =
    "write 64 digits, 0 to 9 and a to f, as sha256sum does";
/// Whether the text is a SHA-256 in lower-case hex.
bool is_sha256(std::string_view text);
/// Reports a text that is not a SHA-256 in lower-case hex.
void check_sha256(const Text& digest, Problems& problems);

/// The names of a map, for hints.
template <class Map>
std::vector<std::string_view> names_of(const Map& map) {
  std::vector<std::string_view> names;
  names.reserve(map.size());
  for (const auto& [name, value] : map)
    names.push_back(name);
  return names;
}

/// A hint that shows how to define a thing of that name.
std::string how_to_define(std::string_view what, std::string_view name);

/// Reports a name that is not a key of `map`. The hint is the nearest key, or how to define one.
template <class Map>
void check_reference(const Text& name, std::string_view what, const Map& map, Problems& problems) {
  if (map.contains(name.value)) return;
  std::string hint = hint_near(name.value, names_of(map));
  if (hint.empty()) hint = how_to_define(what, name.value);
  problems.error(name.where, fmt::format("there is no {} {}", what, quote(name.value)),
                 std::move(hint));
}

}  // namespace bartizan
