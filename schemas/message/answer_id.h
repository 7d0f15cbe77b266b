#pragma once

#include <string_view>

namespace bartizan {

/// Finds the id of a response in a text that cannot be parsed, because it is nested too deeply or
/// is not JSON to its end. The call that waits for the response can then end at once.
///
/// Returns the digits of the only `id` of the outermost object. Returns nothing if there is no `id`
/// or several, if it is not a plain number, or if there is a `method`, which responses do not have.
/// Input: any bytes.
/// Cost:  one pass, no recursion.
std::string_view find_answer_id(std::string_view text);

}  // namespace bartizan
