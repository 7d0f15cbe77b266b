#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/trust.h"
#include "policy/check/tool_profiles.h"

namespace bartizan {

/// A tool as a Groundhog client is shown it.
struct GroundhogTool {
  std::string_view definition;  ///< As a client of MCP would see it, JSON.
  std::string_view version;
  Trust trust = Trust::untrusted;  ///< Of its server.
  const MergedProfile& profile;
};

/// One entry of a list: `tool_id`, `name`, `version`, `description`, `author`, `categories`,
/// `trust_level`, `permissions` and `schema`. A registration's description stands in the place of
/// the server's; its schema fits beside the server's. Source: Groundhog, "Tool Registration", whose
/// members these are.
std::string write_groundhog_tool(const GroundhogTool& tool);

/// The result of a list, without the end that its era wants. Input: `entries`, best first; `total`,
/// how many fit.
std::string groundhog_list_result(const std::vector<std::string>& entries, std::size_t total,
                                  double seconds);

/// The version by which callers name a tool: that of its registration, or its server's.
std::string_view version_of(const MergedProfile& profile, std::string_view server_version);

}  // namespace bartizan
