#include "policy/check/check_numbers.h"

#include <optional>
#include <string>

#include "policy/check/double_copy.h"
#include "policy/text/argument_pointer.h"

namespace bartizan {
namespace {

/// Finds a value below another one, and says by which pointer. Empty where it is not there.
std::string pointer_of(JsonValue wanted, JsonValue value, const Place* place) {
  if (value.range().begin == wanted.range().begin && !value.is(JsonType::object) &&
      !value.is(JsonType::array)) {
    return pointer_text(place);
  }
  std::size_t index = 0;
  const bool is_array = value.is(JsonType::array);
  for (const JsonValue one : value) {
    const Place step{.above = place, .name = one.key(), .is_element = is_array, .index = index++};
    if (one.range().end <= wanted.range().begin) continue;
    return pointer_of(wanted, one, &step);
  }
  return {};
}

}  // namespace

Decision check_numbers(const Call& call,
                       std::span<const std::function<Decision(const Call&)>> judges) {
  const JsonValue arguments = call.message.arguments;
  if (!arguments) return Decision::pass();
  const std::optional<DoubleCopy> read = copy_as_doubles(arguments);
  if (!read) return Decision::pass();
  const auto undecidable = [&] {
    return Decision::deny(Reason::argument_undecidable, nullptr,
                          pointer_of(read->first, arguments, nullptr));
  };
  const Bytes bytes{std::string_view(read->text)};
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes);
  if (!root.has_value()) return undecidable();
  Call other = call;
  other.message.arguments = *root;
  for (const auto& judge : judges) {
    if (judge(other).denies() && !judge(call).denies()) return undecidable();
  }
  return Decision::pass();
}

}  // namespace bartizan
