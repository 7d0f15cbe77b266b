#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/content/opaque_values.h"
#include "policy/sanitise/sanitising_rules.h"
#include "schemas/json/json.h"

namespace bartizan {

/// How often one thing was found, and what was done.
struct Sanitised {
  /// `bidi`, `html`, `ui-origin`, `injection.secrecy`: names that last as long as the program.
  std::string_view what;
  std::string_view action;  ///< As `hidden`, `markup` and `injection` write it.
  std::uint32_t count = 0;
  std::string rule = {};  ///< For whose sake nothing passes; empty of what was not withheld.
};

/// `bidi remove 3`, as records have it.
std::string text(const Sanitised& sanitised);

/// Adds one to what was found before. Bounded by the kinds and actions that there are.
void add(std::vector<Sanitised>& all, const Sanitised& one);

/// What became of one text.
struct Sanitisation {
  std::vector<Sanitised> found;     ///< Each kind and action once.
  std::optional<std::string> left;  ///< The text as it may pass, where it is another.
  bool is_withheld = false;         ///< Nothing of it may pass.
};

/// Takes out of texts what nobody sees, and what does something where it is shown: looks at every
/// string of a JSON value, names included, but what `opaque_values` has. Of a message in which more
/// is found than `kHiddenPartsMax`, or whose apps name more than `kUiOriginsMax`, nothing passes;
/// what is withheld has something found.
///
/// What is left is to be read, and then to be shown to `find_unjudged_app`.
///
/// Input: `said` is what the message says: a result, an error or parameters; `answered` the request
///        that it answers.
/// Cost:  one pass over each string; of ASCII, what reading it costs.
Sanitisation sanitise(const Sanitising& wanted, JsonValue message, JsonValue said,
                      const Answered& answered = {});

/// Withholds what `sanitise` left of a message where it has an app that nobody judged: something
/// that was hidden in a URI, a type or a name had kept it from being one. Nothing is found almost
/// always.
Sanitisation find_unjudged_app(const Sanitising& wanted, JsonValue left, JsonValue said);

/// Takes out of a text that is no JSON what nobody sees, and what does something where it is shown.
Sanitisation sanitise(const Sanitising& wanted, std::string_view text);

/// Whether anything may be found in a value at all, whatever rules say.
bool may_need_sanitising(JsonValue value);
bool may_need_sanitising(std::string_view text);

}  // namespace bartizan
