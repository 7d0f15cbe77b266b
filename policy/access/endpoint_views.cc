#include "policy/access/endpoint_views.h"

#include <algorithm>
#include <utility>

#include "policy/text/qualified_name.h"

namespace bartizan {

EndpointViews::EndpointViews(const Config& config) {
  for (const auto& [name, endpoint] : config.endpoints) {
    View view;
    view.servers.insert(endpoint.servers.begin(), endpoint.servers.end());
    for (const std::string& pattern : endpoint.tools)
      view.tools.emplace_back(pattern);
    views_.emplace(name, std::move(view));
  }
}

const EndpointViews::View* EndpointViews::find(std::string_view endpoint) const {
  const auto found = views_.find(endpoint);
  return found == views_.end() ? nullptr : &found->second;
}

bool EndpointViews::shows_server(std::optional<std::string_view> endpoint,
                                 std::string_view server) const {
  if (!endpoint.has_value()) return true;
  if (endpoint->empty()) return views_.empty();
  const View* view = find(*endpoint);
  return view != nullptr && (view->servers.empty() || view->servers.contains(server));
}

bool EndpointViews::shows(std::optional<std::string_view> endpoint, TargetKind kind,
                          std::string_view server, std::string_view name) const {
  if (!shows_server(endpoint, server)) return false;
  if (kind != TargetKind::tool || !endpoint.has_value() || endpoint->empty()) return true;
  const View& view = *find(*endpoint);
  if (view.tools.empty()) return true;
  const QualifiedName qualified(server, name);
  return std::ranges::any_of(view.tools,
                             [&](const Glob& glob) { return glob.matches(qualified.view()); });
}

}  // namespace bartizan
