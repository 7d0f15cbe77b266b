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

/// Whether clients that came in so are shown those three.
bool is_searched(const Snapshot& snapshot, const std::optional<std::string>& endpoint);

/// The three tools, as elements of a list, with commas between them.
std::string_view search_tool_definitions();

/// Makes of a call of the three what it stands for: of `call_tool`, the call of the tool that it
/// names; of the other two, a list of tools, with what is looked for in `search`. Any other message
/// stays as it is.
/// Input:  a message that came in at such an endpoint.
/// Errors: invalid_params where the arguments are not those of `call_tool`, or name one of the
/// three.
///         What is wrong with those of the other two is in `search`.
Reason translate_search(Worker& worker, Inbound& inbound, std::optional<ToolSearch>& search);

/// One tool that a search could find. Lifetime: views what it was made of.
struct FoundTool {
  std::string_view name;  ///< As clients know it.
  std::string_view title;
  std::string_view description;
};

/// How well a tool fits the words: 0 where it does not. A word counts most in the name, and less in
/// the title and the description; letter case and punctuation do not count.
/// Cost: linear in the texts, for each word.
std::size_t fit_of(const FoundTool& tool, std::string_view words);

/// The result of `search_tools`, without its closing brace. Input: `entries`, JSON objects of the
/// best ones, best first; `total`, how many fit.
std::string found_tools_result(const std::vector<std::string>& entries, std::size_t total);
/// The result of a search that looks for nothing, likewise. Input: `fault`, as in `ToolSearch`.
std::string unsearched_result(std::string_view fault);
/// The result of `describe_tool`, likewise. Input: the definition as clients see it; empty for no
/// such tool.
std::string described_tool_result(std::string_view definition);

}  // namespace bartizan
