#pragma once

#include <string_view>

namespace bartizan {

/// The id that an answer is for, out of a text that nobody could read as a whole because it is
/// nested too deeply or not JSON to its end: so that whoever waits for it need not wait longer.
///
/// Answers the digits of the one `id` of the outermost object; nothing where there is none or
/// another, where it is no plain number, and where there is a `method`, which answers have not.
/// Input: any bytes. Cost: one pass, no recursion.
std::string_view find_answer_id(std::string_view text);

}  // namespace bartizan
