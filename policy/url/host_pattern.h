#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/text/match.h"
#include "policy/url/url_host.h"

namespace bartizan {

/// A pattern for hosts: `api.example.com` matches one name, `*.example.com` names with one more
/// label, `**.example.com` all names below it, `**` every host, `10.0.0.7` and `[::1]` one address.
/// `*` matches any characters of one label, but not in the last label. `**` matches one or more
/// labels, only at the front. A dot at the end of a name is ignored.
class HostPattern {
 public:
  /// Nothing if the text is not a pattern, or not in the normal form of hosts: lower case, ASCII,
  /// addresses in their canonical spelling.
  static std::optional<HostPattern> read(std::string_view text);

  /// Only the same address and `**` match an address.
  bool matches(const UrlHost& host) const;

 private:
  HostPattern(std::string_view text, Glob labels) : text_(text), labels_(std::move(labels)) {}

  std::string text_;
  Glob labels_;  ///< In reverse order, as the `**` of a glob is at the end.
};

}  // namespace bartizan
