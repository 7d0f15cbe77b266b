#include "schemas/message/null_members.h"

#include "schemas/message/method.h"

namespace bartizan {
namespace {

bool is_empty_list(JsonValue value) {
  return value.is(JsonType::array) && value.size() == 0;
}

bool says_nothing(JsonValue value) {
  return value.is(JsonType::null) || is_empty_list(value);
}

/// Whether a member of `params` must be removed.
bool is_idle(JsonValue member, TargetKind target) {
  const std::string_view key = member.key();
  if (key == "cursor") return member.is(JsonType::null);
  if (key == "_meta") return says_nothing(member);
  const bool has_arguments = target == TargetKind::tool || target == TargetKind::prompt;
  return key == "arguments" && has_arguments && says_nothing(member);
}

/// The message with `object` rewritten from the remaining members.
template <class IsTaken>
std::optional<WithoutNulls> without(JsonValue message, JsonValue object, IsTaken is_taken) {
  WithoutNulls left;
  const std::size_t origin = message.range().begin;
  const std::string_view whole = message.raw();
  std::string members;
  for (const JsonValue member : object) {
    if (is_taken(member)) {
      ++(member.is(JsonType::null) ? left.nulls : left.empty_lists);
      continue;
    }
    if (!members.empty()) members += ',';
    const ByteRange range{member.key_range().begin - origin, member.range().end - origin};
    members += range.of(whole);
  }
  if (left.nulls + left.empty_lists == 0) return std::nullopt;
  left.text.reserve(whole.size());
  left.text.append(whole, 0, object.range().begin - origin).append("{").append(members);
  left.text.append("}").append(whole, object.range().end - origin);
  return left;
}

}  // namespace

std::optional<WithoutNulls> without_null_members(JsonValue message) {
  const JsonValue method = message.find("method");
  if (!method.is(JsonType::string)) return std::nullopt;
  const JsonValue params = message.find("params");
  if (says_nothing(params)) {
    return without(message, message, [](JsonValue member) { return member.key() == "params"; });
  }
  if (!params.is(JsonType::object)) return std::nullopt;
  const TargetKind target = find_method(method.text()).target;
  return without(message, params, [target](JsonValue member) { return is_idle(member, target); });
}

}  // namespace bartizan
