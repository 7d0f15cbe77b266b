#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/text/match.h"
#include "schemas/message/method.h"

namespace bartizan {

/// What the clients of each endpoint can see at all: servers by name and tools by globs. A view
/// permits nothing. What it leaves out is not there for them, whatever rules say.
///
/// Threads: immutable once built.
class EndpointViews {
 public:
  explicit EndpointViews(const Config& config);

  /// Whether a server is there at that endpoint.
  ///
  /// Input: the endpoint's name, empty for the one of `[listen] path`; nothing where no endpoint is
  ///        known, as over standard input: then everything is there. A name that the configuration
  ///        does not have (any more) shows nothing.
  /// Cost:  nothing where there is no `[endpoint]`.
  bool shows_server(std::optional<std::string_view> endpoint, std::string_view server) const;

  /// Whether a target of that server is there: of a tool also by its name.
  bool shows(std::optional<std::string_view> endpoint, TargetKind kind, std::string_view server,
             std::string_view name) const;

 private:
  struct View {
    std::set<std::string, std::less<>> servers;  ///< Empty: all.
    std::vector<Glob> tools;                     ///< Empty: all.
  };
  const View* find(std::string_view endpoint) const;

  std::map<std::string, View, std::less<>> views_;
};

}  // namespace bartizan
