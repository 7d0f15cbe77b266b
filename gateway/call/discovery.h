#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/call/call_frame.h"

namespace bartizan {

// Endpoints with `discovery = "search"`: instead of thousands of tools, a client is shown three, to
// search for tools, to describe one, and to call one. A call through them is the call of the tool
// itself from its first step on: it is judged, limited, approved and recorded under that name.

inline constexpr std::string_view kSearchTools = "search_tools";
inline constexpr std::string_view kDescribeTool = "describe_tool";
inline constexpr std::string_view kCallTool = "call_tool";

/// Whether clients of that endpoint see the three search tools.
bool is_searched(const Snapshot& snapshot, const std::optional<std::string>& endpoint);

/// The three tools, as elements of a list, with commas between them.
std::string_view search_tool_definitions();

/// Replaces a call of a search tool. `call_tool` becomes the call of the tool that it names. The
/// other two become a list of tools, with the search in `search`. Any other message stays
/// unchanged.
/// Input:  a message that came in at such an endpoint.
/// Errors: invalid_params if the arguments are not those of `call_tool`, or name a search tool. A
///         fault of the other two's arguments is in `search`.
Reason translate_search(Worker& worker, Inbound& inbound, std::optional<ToolSearch>& search);

/// One tool that a search could find. Lifetime: views what it was made of.
struct FoundTool {
  std::string_view name;  ///< As clients know it.
  std::string_view title;
  std::string_view description;
};

/// How well a tool fits the words: 0 if it does not. A word counts most in the name, and less in
/// the title and the description. Letter case and punctuation do not count.
/// Cost: linear in the texts, for each word.
std::size_t fit_of(const FoundTool& tool, std::string_view words);

/// The result of `search_tools`, without its closing brace. Input: `entries`, the best ones as JSON
/// objects, best first; `total`, the number of tools that fit.
std::string found_tools_result(const std::vector<std::string>& entries, std::size_t total);
/// The result of an invalid search, without its closing brace. Input: `fault`, as in `ToolSearch`.
std::string unsearched_result(std::string_view fault);
/// The result of `describe_tool`, without its closing brace. Input: the definition as clients see
/// it; empty if there is no such tool.
std::string described_tool_result(std::string_view definition);

}  // namespace bartizan
