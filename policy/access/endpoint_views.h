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

/// The servers (by name) and tools (by glob) that clients of each endpoint can see. A view permits
/// nothing. A target outside of it does not exist for these clients, whatever rules say.
///
/// Threads: immutable once built.
class EndpointViews {
 public:
  explicit EndpointViews(const Config& config);

  /// Whether the endpoint shows a server.
  ///
  /// Input: the endpoint's name, empty for the one of `[listen] path`. Without an endpoint, as over
  ///        standard input, every server is shown. An endpoint that the configuration does not have
  ///        (any more) shows nothing.
  /// Cost:  none without `[endpoint]`.
  bool shows_server(std::optional<std::string_view> endpoint, std::string_view server) const;

  /// Whether the endpoint shows a target of that server. A tool is also checked by its name.
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
