#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "config/load/load_parts.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::size_t kShownBytesMax = 32;

bool is_inner_byte(char c) {
  return is_lower(c) || is_digit(c) || c == '-' || c == '_';
}

/// Ends with a letter or digit, so that the `_` after it is unambiguous.
bool is_sound(std::string_view shown) {
  const auto is_outer_byte = [](char c) { return is_lower(c) || is_digit(c); };
  return !shown.empty() && shown.size() <= kShownBytesMax && is_outer_byte(shown.front()) &&
         is_outer_byte(shown.back()) && std::ranges::all_of(shown, is_inner_byte);
}

/// Whether a tool of the second could be confused with one of the first.
bool is_beginning_of(std::string_view one, std::string_view other) {
  return other.starts_with(one) && (other.size() == one.size() || other[one.size()] == '_');
}

}  // namespace

std::string load_shown(TableReader& table, const ServerConfig& server) {
  const auto shown = table.text("shown");
  if (!shown.has_value()) return {};
  const Position where = table.where("shown");
  if (!is_sound(*shown)) {
    table.problems().error(
        where, fmt::format("{} cannot stand in front of names", quote(*shown)),
        "write 1 to 32 of a-z 0-9 - _, a letter or digit at each end, such as \"os_assistant\"");
    return {};
  }
  if (server.prefix == ServerConfig::Prefix::never) {
    table.problems().warning(where, "\"shown\" says nothing beside prefix = \"never\"");
  }
  return *shown;
}

void check_shown(const std::map<std::string, ServerConfig, std::less<>>& servers,
                 Problems& problems) {
  for (const auto& [name, server] : servers) {
    if (server.shown.empty()) continue;
    for (const auto& [other_name, other] : servers) {
      if (other_name == name) continue;
      for (const std::string_view taken :
           {std::string_view(other_name), std::string_view(other.shown)}) {
        if (taken.empty()) continue;
        // If both are shown, only the first is reported.
        if (taken == other.shown && other_name < name) continue;
        if (!is_beginning_of(taken, server.shown) && !is_beginning_of(server.shown, taken))
          continue;
        problems.error(
            server.where,
            fmt::format("{} is shown as {}, which could be taken for {} of {}", quote(name),
                        quote(server.shown), quote(taken), quote(other_name)),
            "write another \"shown\"");
      }
    }
  }
}

}  // namespace bartizan
