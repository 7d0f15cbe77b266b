#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// A text without what it only quotes: `Detects "ignore all previous instructions" in a page.` says
/// nothing to a model, and a tool that looks for such text has to name it.
///
/// Left out is what stands between quotation marks within one line, up to 200 bytes of it, where
/// the words right before say that it is looked for (`detects "…"`, `flags phrases like "…"`,
/// `attacks such as "…"`), and what follows such a quotation in a list. A quotation that nothing
/// introduces stays, and so does one behind `this` or `the following`: orders are given in
/// quotation marks, too. What names a place where credentials lie, or says what `you` must do,
/// stays always.
///
/// Input: UTF-8. Cost: linear.
std::string without_quoted_attacks(std::string_view text);

}  // namespace bartizan
