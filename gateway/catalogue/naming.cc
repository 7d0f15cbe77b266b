#include "gateway/catalogue/naming.h"

#include <openssl/sha.h>

#include <array>
#include <cstdint>

#include "schemas/base/limits.h"

namespace bartizan {
namespace {

constexpr std::size_t kMarkBytes = 4;
constexpr std::string_view kNamedUris = "bartizan://";

std::string mark(std::string_view server, std::string_view name) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string text(server);
  text += '/';
  text += name;
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string mark = "_";
  for (std::size_t i = 0; i < kMarkBytes; ++i) {
    mark += hex[digest[i] >> 4];
    mark += hex[digest[i] & 15];
  }
  return mark;
}

/// Replaces the bytes of a cut letter by `_`: names of prompts are UTF-8, and half a letter is
/// invalid JSON. The length stays, since it marks a shortened name.
void replace_cut_letter(std::string& cut) {
  std::size_t lead = cut.size();
  while (lead > 0 && (static_cast<std::uint8_t>(cut[lead - 1]) & 0xc0) == 0x80)
    --lead;
  if (lead == 0) return;
  const auto first = static_cast<std::uint8_t>(cut[lead - 1]);
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  const std::size_t present = cut.size() - lead + 1;
  if (present < bytes) cut.replace(lead - 1, present, present, '_');
}

}  // namespace

std::string prefix_of(const ServerConfig& server) {
  if (server.prefix == ServerConfig::Prefix::never) return {};
  return (server.shown.empty() ? server.name : server.shown) + "_";
}

std::string exposed_name(const ServerConfig& server, std::string_view name) {
  std::string exposed = prefix_of(server);
  exposed += name;
  if (exposed.size() <= limits::exposed_name_bytes_max) return exposed;
  const std::string ending = mark(server.name, name);
  exposed.resize(limits::exposed_name_bytes_max - ending.size());
  replace_cut_letter(exposed);
  return exposed + ending;
}

std::string named_uri(std::string_view server, std::string_view uri) {
  std::string named(kNamedUris);
  named += server;
  named += '/';
  named += uri;
  return named;
}

std::optional<std::pair<std::string_view, std::string_view>> split_named_uri(std::string_view uri) {
  if (!uri.starts_with(kNamedUris)) return std::nullopt;
  uri.remove_prefix(kNamedUris.size());
  const std::size_t slash = uri.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == uri.size()) {
    return std::nullopt;
  }
  return std::pair(uri.substr(0, slash), uri.substr(slash + 1));
}

std::pair<std::string_view, std::string_view> split_exposed_name(std::string_view exposed) {
  const std::size_t at = exposed.find('_');
  if (at == std::string_view::npos) return {};
  return {exposed.substr(0, at), exposed.substr(at + 1)};
}

PrefixedName find_prefixed(const std::map<std::string, ServerConfig, std::less<>>& servers,
                           std::string_view exposed) {
  const auto is_prefixed = [](const ServerConfig& server) {
    return server.prefix == ServerConfig::Prefix::always;
  };
  const auto [server, name] = split_exposed_name(exposed);
  const auto found = servers.find(server);
  if (found != servers.end() && is_prefixed(found->second) && found->second.shown.empty()) {
    return {&found->second, name};
  }
  for (const auto& [other, config] : servers) {
    const std::string& shown = config.shown;
    if (shown.empty() || !is_prefixed(config) || !exposed.starts_with(shown)) continue;
    const std::string_view rest = exposed.substr(shown.size());
    if (rest.starts_with('_')) return {&config, rest.substr(1)};
  }
  return {};
}

bool is_part_of(std::string_view uri, std::string_view whole) {
  if (!uri.starts_with(whole)) return false;
  const std::string_view rest = uri.substr(whole.size());
  return rest.empty() || whole.ends_with('/') || rest.front() == '/';
}

}  // namespace bartizan
