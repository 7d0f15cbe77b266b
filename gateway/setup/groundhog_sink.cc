#include "gateway/setup/groundhog_sink.h"

#include "config/export_place.h"
#include "config/parse_host_port.h"

namespace bartizan {

std::optional<GroundhogExport> export_of(const GroundhogSink& sink, const std::string& url) {
  GroundhogExport made{.name = std::string(sink.name), .type = std::string(sink.type), .url = url};
  if (sink.type == "json_lines") {
    if (!is_safe_url(url)) return std::nullopt;
    return made;
  }
  const std::size_t host = url.find("://") + 3;
  const std::size_t at = url.find('@', host);
  if (at != url.npos) {
    made.user = url.substr(host, at - host);
    made.url.erase(host, at + 1 - host);
  }
  const auto place = parse_export_place(made.url);
  const bool is_database =
      place.has_value() && place->wire == ExportPlace::Wire::postgresql && !made.user.empty();
  if (!is_database) return std::nullopt;
  return made;
}

}  // namespace bartizan
