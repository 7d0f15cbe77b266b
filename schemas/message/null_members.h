#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schemas/json/json.h"

namespace bartizan {

/// A request without what stands in it for nothing.
struct WithoutNulls {
  std::string text;
  std::uint32_t nulls = 0;
  std::uint32_t empty_lists = 0;
};

/// Takes out of a request or notification the optional members whose value says that they are not
/// there: `params`, `arguments`, `_meta` and `cursor` that are `null`, and of the first three `[]`
/// as well, which is what PHP writes for an object without members. `arguments` is one of them in
/// calls of tools and prompts only. Nothing below these is looked at. Nothing where there is none.
///
/// Input:  an accepted value; anything but an object with a `method` is left alone.
/// Cost:   one pass over the members of the message and of `params`; allocates where it changes
///         something.
std::optional<WithoutNulls> without_null_members(JsonValue message);

}  // namespace bartizan
