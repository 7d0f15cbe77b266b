#include "policy/check/check_numbers.h"

#include <optional>
#include <string>

#include "policy/text/argument_pointer.h"
#include "schemas/json/json_number.h"

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

/// The arguments as programs read them that have doubles for all but integers.
struct ReadAsDoubles {
  std::string text;
  JsonValue first;  ///< The first number that they read otherwise.
};

/// Nothing where they read all of it as it is.
std::optional<ReadAsDoubles> read_as_doubles(JsonValue arguments) {
  std::optional<ReadAsDoubles> read;
  const std::string_view raw = arguments.raw();
  const std::size_t begin = arguments.range().begin;
  std::size_t at = 0;
  for (const JsonValue one : arguments.within()) {
    if (!one.is(JsonType::number)) continue;
    const std::optional<std::string> other = double_reading(one.raw());
    if (!other) continue;
    if (!read) read.emplace().first = one;
    read->text.append(raw, at, one.range().begin - begin - at).append(*other);
    at = one.range().end - begin;
  }
  if (read) read->text.append(raw.substr(at));
  return read;
}

}  // namespace

Decision check_numbers(const Call& call,
                       std::span<const std::function<Decision(const Call&)>> judges) {
  const JsonValue arguments = call.message.arguments;
  if (!arguments) return Decision::pass();
  const std::optional<ReadAsDoubles> read = read_as_doubles(arguments);
  if (!read) return Decision::pass();
  const auto undecidable = [&] {
    return Decision::deny(Reason::argument_undecidable, nullptr,
                          pointer_of(read->first, arguments, nullptr));
  };
  const Bytes bytes{std::string_view(read->text)};
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes);
  if (!root.has_value()) return undecidable();
  Call other = without_bytes(call);
  other.message.arguments = *root;
  for (const auto& judge : judges) {
    if (judge(other).denies() && !judge(call).denies()) return undecidable();
  }
  return Decision::pass();
}

}  // namespace bartizan
