#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schemas/json/json.h"

namespace bartizan {

/// A request without its null members.
struct WithoutNulls {
  std::string text;
  std::uint32_t nulls = 0;
  std::uint32_t empty_lists = 0;
};

/// Removes the optional members of a request or notification whose value means absence. These are
/// `params`, `arguments`, `_meta` and `cursor` if they are `null`. The first three are also removed
/// if they are `[]`, which is how PHP writes an object without members. `arguments` is only removed
/// in calls of tools and prompts. Members below these are not examined. Returns nothing if there is
/// nothing to remove.
///
/// Input:  an accepted value. Only an object with a `method` is changed.
/// Cost:   one pass over the members of the message and of `params`; allocates only for a change.
std::optional<WithoutNulls> without_null_members(JsonValue message);

}  // namespace bartizan
