#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/trust.h"
#include "policy/check/tool_profiles.h"

namespace bartizan {

/// A tool for a Groundhog client's list.
struct GroundhogTool {
  std::string_view definition;  ///< JSON, as an MCP client would see it.
  std::string_view version;
  Trust trust = Trust::untrusted;  ///< Its server's.
  const MergedProfile& profile;
};

/// One entry of a list: `tool_id`, `name`, `version`, `description`, `author`, `categories`,
/// `trust_level`, `permissions` and `schema`. A registration's description replaces the server's.
/// Its schema applies in addition to the server's. Source: Groundhog, "Tool Registration".
std::string write_groundhog_tool(const GroundhogTool& tool);

/// The start of a list's result, without its closing brace: the era's members follow. Input:
/// `entries`, the best first; `total`, the number of matches.
std::string groundhog_list_result(const std::vector<std::string>& entries, std::size_t total,
                                  double seconds);

/// The version by which callers name a tool: its registration's, or its server's. Lifetime: views
/// the arguments.
std::string_view version_of(const MergedProfile& profile, std::string_view server_version);

}  // namespace bartizan
