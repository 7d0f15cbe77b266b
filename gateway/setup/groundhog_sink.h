#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// A Groundhog audit sink other than the file. Source: the document of Groundhog, "Audit sinks".
struct GroundhogSink {
  std::string_view enabled;  ///< The key that enables it.
  std::string_view target;   ///< The key of its URL.
  std::string_view name;     ///< The name of its export here.
  std::string_view type;
  std::string_view example;
};
inline constexpr std::array<GroundhogSink, 2> kGroundhogSinks{
    {{"database_sink", "database_url", "database", "postgresql",
      "postgresql://user@db.example.com/audit"},
     {"remote_sink", "remote_endpoint", "remote", "json_lines",
      "https://audit.example.com/api/events"}}};

/// A Groundhog audit sink as an `[export.NAME]`.
struct GroundhogExport {
  std::string name;
  std::string type;
  std::string url;
  std::string user = {};                   ///< Of a database; empty if none is given.
  std::vector<std::string> left_out = {};  ///< The sink's `log_` switches that are off.
};

/// The export for that sink's records. Nothing if no export accepts the URL: it is unsafe, or lacks
/// a database user.
std::optional<GroundhogExport> export_of(const GroundhogSink& sink, const std::string& url);

}  // namespace bartizan
