#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// A sink of Groundhog beside the file. Source: the document of Groundhog, "Audit sinks".
struct GroundhogSink {
  std::string_view enabled;  ///< Its switch.
  std::string_view target;   ///< Where it leads to.
  std::string_view name;     ///< Of the export.
  std::string_view type;
  std::string_view example;
};
inline constexpr std::array<GroundhogSink, 2> kGroundhogSinks{
    {{"database_sink", "database_url", "database", "postgresql",
      "postgresql://user@db.example.com/audit"},
     {"remote_sink", "remote_endpoint", "remote", "json_lines",
      "https://audit.example.com/api/events"}}};

/// A sink of Groundhog beside the file, as `[export.NAME]` has it.
struct GroundhogExport {
  std::string name;
  std::string type;
  std::string url;
  std::string user = {};                   ///< Of a database; empty where none is named.
  std::vector<std::string> left_out = {};  ///< Its `log_` switches that are off.
};

/// The export that takes that sink's records. Nothing where no export takes such a URL: it is no
/// safe place, or names no user of a database.
std::optional<GroundhogExport> export_of(const GroundhogSink& sink, const std::string& url);

}  // namespace bartizan
