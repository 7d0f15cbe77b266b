#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/pinned_tool.h"
#include "policy/definition/scan_definition.h"
#include "schemas/json/json.h"

namespace bartizan {

/// One entry of a server's `tools/list`.
///
/// Lifetime: views the server's name and the document.
struct ScannedTool {
  std::string_view server;
  JsonValue entry;
};

/// A finding, with its server and tool.
struct LocatedFinding {
  std::string server = {};
  std::string tool = {};  ///< As the entry names it; `(unnamed)` for an entry without a name.
  ScanFinding finding = {};
  bool operator==(const LocatedFinding&) const = default;
};

/// The findings in these definitions: in each alone, between different servers, and against the
/// approved definitions. In the order of the definitions. A definition that relates to those of
/// other servers has one finding for each rule, with their number. Servers with the same tools are
/// not compared with each other.
///
/// Cost: one pass over each, and a look-up for each way to omit one letter of its name.
std::vector<LocatedFinding> scan_servers(std::span<const ScannedTool> tools,
                                         const PinnedTools& approved = {});

/// A word in a definition that is most likely the name of a tool.
struct ToolMention {
  std::string word;  ///< Spelled as by `spoken_name`.
  /// High if the same text gives an instruction about it; medium otherwise.
  FindingSeverity severity = FindingSeverity::medium;
  std::string pointer;
};

/// The mentions in one entry, without its own name. Each word appears once, with its highest
/// severity. At most `tool_mentions_max`, of high severity first. Words longer than any name of a
/// tool are left out.
std::vector<ToolMention> find_mentions(JsonValue entry);
inline constexpr std::size_t tool_mentions_max = 128;

}  // namespace bartizan
