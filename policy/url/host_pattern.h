#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/text/match.h"
#include "policy/url/url_host.h"

namespace bartizan {

/// Which hosts are meant: `api.example.com` one name, `*.example.com` those one label longer,
/// `**.example.com` all below it, `**` every host, `10.0.0.7` and `[::1]` one address. `*` stands
/// for any characters of one label, though not of the last, `**` for one label or more and only in
/// front. A name with a dot at its end is the same name.
class HostPattern {
 public:
  /// Nothing where the text is no pattern, or not spelled as hosts are compared: lower case, ASCII,
  /// addresses in their one spelling.
  static std::optional<HostPattern> read(std::string_view text);

  /// Addresses are matched by themselves and by `**` only.
  bool matches(const UrlHost& host) const;

 private:
  HostPattern(std::string_view text, Glob labels) : text_(text), labels_(std::move(labels)) {}

  std::string text_;
  Glob labels_;  ///< From the last label to the first, as a glob's `**` stands at the end.
};

}  // namespace bartizan
