#include "policy/url/host_pattern.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::string_view kEveryHost = "**";

/// `com/example/api` for `api.example.com`.
std::string reversed_labels(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  std::string out;
  out.reserve(name.size());
  while (true) {
    const std::size_t dot = name.rfind('.');
    out += name.substr(dot == std::string_view::npos ? 0 : dot + 1);
    if (dot == std::string_view::npos) return out;
    out += '/';
    name = name.substr(0, dot);
  }
}

/// Whether a pattern with wildcards is valid. It must name the domain of its names, as a free last
/// label would allow any owner.
bool is_name_pattern(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos || text.substr(dot).contains('*')) return false;
  std::string name(text);
  std::ranges::replace(name, '*', 'x');
  return is_plain_name(name) && !text.ends_with('.') && !ends_in_number(text) &&
         std::ranges::all_of(text, [](char c) { return lower_case(c) == c; });
}

}  // namespace

std::optional<HostPattern> HostPattern::read(std::string_view text) {
  Glob labels(reversed_labels(text));
  if (labels.is_literal()) {
    const auto host = read_host(text);
    if (!host || host->text != text || text.ends_with('.')) return std::nullopt;
    if (host->kind == UrlHost::Kind::domain && !is_plain_name(text)) return std::nullopt;
  } else if (text != kEveryHost && !(is_name_pattern(text) && labels.is_well_formed())) {
    return std::nullopt;
  }
  return HostPattern(text, std::move(labels));
}

bool HostPattern::matches(const UrlHost& host) const {
  if (text_ == kEveryHost || text_ == host.text) return true;
  return host.kind == UrlHost::Kind::domain && labels_.matches(reversed_labels(host.text));
}

}  // namespace bartizan
