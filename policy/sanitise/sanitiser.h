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

/// How often a kind of content was found, and the action.
struct Sanitised {
  /// `bidi`, `html`, `ui-origin`, `injection.secrecy`. Static storage.
  std::string_view what;
  std::string_view action;  ///< As in `hidden`, `markup` and `injection`.
  std::uint32_t count = 0;
  std::string rule = {};  ///< The rule that withholds the message; empty if it is not withheld.
};

/// `bidi remove 3`, as in records.
std::string text(const Sanitised& sanitised);

/// Adds an entry to earlier ones. Bounded by the number of kinds and actions.
void add(std::vector<Sanitised>& all, const Sanitised& one);

/// The result for one text.
struct Sanitisation {
  std::vector<Sanitised> found;     ///< Each pair of kind and action once.
  std::optional<std::string> left;  ///< The sanitised text, if it changed.
  bool is_withheld = false;         ///< The whole text is withheld.
};

/// Removes hidden and active content from the strings of a JSON value, names included. Values of
/// `opaque_values` are skipped. A message is withheld if more than `kHiddenPartsMax` parts are
/// found, or if its apps name more than `kUiOriginsMax` origins. A withheld message has at least
/// one finding.
///
/// The result must be parsed and given to `find_unjudged_app`.
///
/// Input: `said` is the content of the message: a result, an error or parameters. `answered` is the
///        request that it answers.
/// Cost:  one pass over each string; for ASCII, the cost of reading it.
Sanitisation sanitise(const Sanitising& wanted, JsonValue message, JsonValue said,
                      const Answered& answered = {});

/// Withholds the result of `sanitise` if it contains an app that was not judged. Hidden characters
/// in a URI, a type or a name may have concealed the app. This is rare.
Sanitisation find_unjudged_app(const Sanitising& wanted, JsonValue left, JsonValue said);

/// Removes hidden and active content from a text that is not JSON.
Sanitisation sanitise(const Sanitising& wanted, std::string_view text);

/// Whether a value may contain anything to sanitise, whatever the rules are.
bool may_need_sanitising(JsonValue value);
bool may_need_sanitising(std::string_view text);

}  // namespace bartizan
