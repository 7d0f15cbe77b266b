#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policy/content/opaque_values.h"
#include "policy/sanitise/sanitising_rules.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {

/// As many origins, and lists of them, as the apps of one message may name; nobody needs more.
inline constexpr std::size_t kUiOriginsMax = 4096;

/// What there is of apps in a message: `ui://` resources, read or listed.
struct UiResources {
  /// Origins that the policy of one names and no rule lets it, as elements of their lists, in
  /// order, none within another. A policy that is no object, or in it what should be a list and is
  /// none, stands here as a member.
  std::vector<JsonValue> origins;
  /// Pages of apps that act within the origins that rules name: their `text`. Only where every rule
  /// about markup names some, and only what clients take for a resource: what `contents` holds, and
  /// the `resource` of a block of that type.
  Offsets pages;
  /// Pages in base64, which cannot be defused, of all other apps: their `blob`.
  Offsets blobs;
  /// They name more than `kUiOriginsMax`; the rest was not looked at.
  bool has_too_many = false;
};

/// Finds them, wherever in a message they are: `resources/read`, an embedded resource, an entry of
/// a list. Without a rule about markup, none.
///
/// Input:  `said` is what the message says: a result, an error or parameters.
/// Cost:   one pass over the message; each origin is compared with those of the rules.
/// Source: MCP Apps (SEP-1865), "UI Resource Format": `_meta.ui.csp` with `connectDomains`,
///         `resourceDomains`, `frameDomains`, `baseUriDomains`; what it does not name, hosts
///         refuse.
UiResources find_ui_resources(const Sanitising& wanted, JsonValue message, JsonValue said);

/// A message's bytes without those elements of lists and members of objects, their commas and the
/// blanks beside these. Every other byte is kept as it is.
///
/// Input: elements of arrays and members of objects, in order, none within another.
std::string without_elements(JsonValue message, const std::vector<JsonValue>& elements);

}  // namespace bartizan
