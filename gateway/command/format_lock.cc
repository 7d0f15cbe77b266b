#include "gateway/command/format_lock.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/parse_units.h"
#include "gateway/command/format_finding.h"
#include "policy/definition/scan_servers.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

/// The suspicious parts of a lock file's definitions.
std::vector<LocatedFinding> scan(const LockFile& lock) {
  std::vector<std::pair<std::unique_ptr<Bytes>, JsonDocument>> read;
  std::vector<ScannedTool> tools;
  for (const auto& [server, of_server] : lock.tools) {
    for (const auto& [name, tool] : of_server) {
      auto& [bytes, document] =
          read.emplace_back(std::make_unique<Bytes>(tool.definition), JsonDocument());
      const Result<JsonValue> root = document.read(*bytes, kResponseLimits);
      if (root.has_value()) tools.push_back({server, *root});
    }
  }
  return scan_servers(tools, {});
}

}  // namespace

void write_first_lock(const std::string& file, const LockFile& lock, const CommandOutput& output) {
  std::size_t tools = 0;
  for (const auto& [server, of_server] : lock.tools)
    tools += of_server.size();
  const std::vector<LocatedFinding> findings = scan(lock);
  const auto count = [&findings](FindingSeverity severity) {
    return std::ranges::count_if(findings, [severity](const LocatedFinding& found) {
      return found.finding.severity == severity;
    });
  };
  output.results << fmt::format(
      "{}: {} of {}; findings: {} high, {} medium, {} low\n", file, format_count(tools, "tool"),
      format_count(lock.tools.size(), "server"), count(FindingSeverity::high),
      count(FindingSeverity::medium), count(FindingSeverity::low));
  for (const auto& [server, of_server] : lock.tools)
    output.results << fmt::format("  {}: {}\n", server, format_count(of_server.size(), "tool"));
  for (const LocatedFinding& found : findings)
    output.results << format_finding(found) << '\n';
}

}  // namespace bartizan
