#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// Removes quoted attacks from a text. `Detects "ignore all previous instructions" in a page.` is
/// not an instruction to a model, and a tool that looks for such text must name it.
///
/// A part is removed if it is in quotation marks within one line, has up to 200 bytes, and follows
/// words of detection (`detects "…"`, `flags phrases like "…"`, `attacks such as "…"`). Further
/// quotations in the same list are removed, too. A quotation without such words stays, and so does
/// one after `this` or `the following`, since instructions may be quoted, too. Parts that name a
/// place of credentials, or say what `you` must do, always stay.
///
/// Input: UTF-8. Cost: linear.
std::string without_quoted_attacks(std::string_view text);

}  // namespace bartizan
