#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policy/content/opaque_values.h"
#include "policy/sanitise/sanitising_rules.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The most origins, and lists of origins, that the apps of one message may name.
inline constexpr std::size_t kUiOriginsMax = 4096;

/// The apps in a message: `ui://` resources, read or listed.
struct UiResources {
  /// Origins in the policy of an app that no rule allows. They are elements of its lists, in order,
  /// without overlaps. If a policy is not an object, or a list in it is not a list, the member
  /// itself is here.
  std::vector<JsonValue> origins;
  /// Pages of apps that may act, with the origins that rules allow: their `text`. Filled only if
  /// every rule about markup names origins. Only what clients treat as a resource counts: the
  /// elements of `contents`, and the `resource` of a block of that type.
  Offsets pages;
  /// Pages in base64 of all other apps, which cannot be sanitised: their `blob`.
  Offsets blobs;
  /// They name more than `kUiOriginsMax`. The search ended there.
  bool has_too_many = false;
};

/// Finds the apps anywhere in a message: in `resources/read`, an embedded resource, or an entry of
/// a list. Without a rule about markup it finds nothing.
///
/// Input:  `said` is the content of the message: a result, an error or parameters.
/// Cost:   one pass over the message, and a comparison of each origin with those of the rules.
/// Source: MCP Apps (SEP-1865), "UI Resource Format": `_meta.ui.csp` with `connectDomains`,
///         `resourceDomains`, `frameDomains`, `baseUriDomains`. Hosts refuse origins that it does
///         not name.
UiResources find_ui_resources(const Sanitising& wanted, JsonValue message, JsonValue said);

/// Returns the message's bytes without these elements, their commas and the adjacent blanks. All
/// other bytes stay unchanged.
///
/// Input: elements of arrays and members of objects, in order, without overlaps.
std::string without_elements(JsonValue message, const std::vector<JsonValue>& elements);

}  // namespace bartizan
