#include "config/check_name.h"

#include <algorithm>

namespace bartizan {
namespace {

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_name_byte(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == '-';
}

bool is_server_byte(char c) {
  return is_lower_or_digit(c) || c == '-';
}

}  // namespace

void check_name(const Text& name, std::string_view what, Problems& problems) {
  const std::string_view text = name.value;
  if (!text.empty() && text.size() <= 64 && std::ranges::all_of(text, is_name_byte)) return;
  problems.error(name.where,
                 fmt::format("{} is not a name for a {}: 1 to 64 of A-Z a-z 0-9 . _ - are allowed",
                             quote(text), what));
}

void check_server_name(const Text& name, Problems& problems) {
  const std::string_view text = name.value;
  if (!text.empty() && text.size() <= 32 && std::ranges::all_of(text, is_server_byte)) return;
  problems.error(
      name.where,
      fmt::format("{} is not a name for a server: 1 to 32 of a-z 0-9 - are allowed", quote(text)));
}

std::string how_to_define(std::string_view what, std::string_view name) {
  // The hint repeats a name from the file only if it is a valid name.
  const bool is_name =
      !name.empty() && name.size() <= 64 && std::ranges::all_of(name, is_name_byte);
  const std::string_view shown = is_name && !name.contains('.') ? name : "NAME";
  if (what == "principal")
    return fmt::format("write [principal.{}] with roles = [\"ROLE\"]", shown);
  if (what == "role") return fmt::format("write [role.{}], which may be empty", shown);
  if (what == "path") return fmt::format("write [path.{}] with root = \"/FOLDER\"", shown);
  if (what == "server") return fmt::format("write [server.{}] with command or url", shown);
  return {};
}

void check_pattern(const Text& pattern, const std::optional<PatternFault>& fault,
                   const std::map<std::string, ServerConfig, std::less<>>& servers,
                   Problems& problems) {
  // If the server's own name was refused, one error is enough.
  const auto named = servers.find(server_segment(pattern.value));
  const bool is_told = named != servers.end() && !std::ranges::all_of(named->first, is_server_byte);
  if (is_told) return;
  if (fault) {
    problems.error(pattern.where, fmt::format("{} {}", quote(pattern.value), fault->message),
                   fault->hint);
    return;
  }
  const std::string server(server_segment(pattern.value));
  if (!is_literal(server) || servers.contains(server)) return;
  std::string hint = hint_near(server, names_of(servers));
  // Without a similar name it is hardly a misspelling: the server was removed, and its rules
  // remained.
  if (hint.empty()) {
    hint = fmt::format("write [server.{}], or remove what is said about it", server);
  }
  problems.error(pattern.where, fmt::format("there is no server {}", quote(server)),
                 std::move(hint));
}

bool is_sha256(std::string_view text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 64 && std::ranges::all_of(text, is_digit);
}

void check_sha256(const Text& digest, Problems& problems) {
  if (is_sha256(digest.value)) return;
  problems.error(digest.where, fmt::format("{} is not a SHA-256", quote(digest.value)),
                 std::string(kSha256Hint));
}

}  // namespace bartizan
