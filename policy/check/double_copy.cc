#include "policy/check/double_copy.h"

#include <string_view>

#include "schemas/json/json_number.h"

namespace bartizan {

std::optional<DoubleCopy> copy_as_doubles(JsonValue value) {
  std::optional<DoubleCopy> copy;
  const std::string_view raw = value.raw();
  const std::size_t begin = value.range().begin;
  std::size_t at = 0;
  for (const JsonValue one : value.within()) {
    if (!one.is(JsonType::number)) continue;
    const std::optional<std::string> other = double_reading(one.raw());
    if (!other) continue;
    if (!copy) copy.emplace().first = one;
    copy->text.append(raw, at, one.range().begin - begin - at).append(*other);
    at = one.range().end - begin;
  }
  if (copy) copy->text.append(raw.substr(at));
  return copy;
}

}  // namespace bartizan
