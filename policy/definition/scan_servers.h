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

/// A finding, and whose it is.
struct LocatedFinding {
  std::string server = {};
  std::string tool = {};  ///< As the entry names it; `(unnamed)` where it has no name.
  ScanFinding finding = {};
  bool operator==(const LocatedFinding&) const = default;
};

/// What is found in these definitions: in each alone, between those of different servers, and
/// against what people approved. In the order of the definitions; of what one has to do with those
/// of other servers it has one finding for each rule, with their number. Servers with the same
/// tools are no strangers to each other.
///
/// Cost: one pass over each, and a look-up for each way to leave out a letter of its name.
std::vector<LocatedFinding> scan_servers(std::span<const ScannedTool> tools,
                                         const PinnedTools& approved = {});

/// A word in a definition that can hardly be anything but the name of a tool.
struct ToolMention {
  std::string word;  ///< As `spoken_name` has it.
  /// High where the same text says what to do with it; medium otherwise.
  FindingSeverity severity = FindingSeverity::medium;
  std::string pointer;
};

/// Those of one entry, but its own name; each word once, with the worst; at most
/// `tool_mentions_max`, of high severity first. No name of a tool is longer than they are.
std::vector<ToolMention> find_mentions(JsonValue entry);
inline constexpr std::size_t tool_mentions_max = 128;

}  // namespace bartizan
