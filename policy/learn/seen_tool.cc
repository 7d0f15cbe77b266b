#include "policy/learn/seen_tool.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <utility>

#include "config/predicate.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// The most pointers of one tool, since a client may invent names.
constexpr std::size_t kPointersMax = 256;

/// The parsed arguments of a call.
struct ReadArguments {
  explicit ReadArguments(const CapturedCall& call)
      : bytes(call.call.arguments.empty() ? std::string_view("{}")
                                          : std::string_view(call.call.arguments)),
        value(document.read(bytes, kResponseLimits)) {}
  Bytes bytes;
  JsonDocument document;
  Result<JsonValue> value;
};

SeenTool::Presence presence_of(const std::vector<PointerSegment>& segments, JsonValue arguments) {
  std::optional<SeenTool::Presence> all;
  visit_selected(segments, arguments, [&](Selection selection, JsonValue, const Place*) {
    const auto one = selection == Selection::value     ? SeenTool::Presence::yes
                     : selection == Selection::nothing ? SeenTool::Presence::no
                                                       : SeenTool::Presence::partly;
    if (all.value_or(one) != one) all = SeenTool::Presence::partly;
    if (!all.has_value()) all = one;
    return all != SeenTool::Presence::partly;
  });
  return all.value_or(SeenTool::Presence::no);
}

}  // namespace

void SeenTool::add(const CapturedCall& call) {
  calls_.push_back(&call);
  principals_.insert(call.call.principal);
  const ReadArguments arguments(call);
  if (arguments.value.has_value()) add(*arguments.value, "");
}

void SeenTool::add(JsonValue value, const std::string& pointer) {
  const bool is_array = value.is(JsonType::array);
  const bool is_empty = value.begin() == value.end();
  if (is_array && is_empty) empty_.insert(pointer + "/*");
  if (is_array) {
    for (const JsonValue element : value)
      add(element, pointer + "/*");
    return;
  }
  if (value.is(JsonType::object) && (!is_empty || pointer.empty())) {
    for (const JsonValue member : value) {
      const std::string below = pointer_below(pointer, member.key());
      // In a policy, a star means the elements of an array.
      if (member.key() == "*" || below.size() > limits::pointer_bytes_max) {
        unnameable_.insert(pointer);
      } else {
        add(member, below);
      }
    }
    return;
  }
  if (values_.size() < kPointersMax || values_.contains(pointer)) {
    values_[pointer].add(value);
  } else {
    unnameable_.insert(pointer);
  }
}

std::vector<SeenTool::Presence> SeenTool::find_presence(const CapturedCall& call,
                                                        std::span<const std::string> pointers) {
  std::vector<Presence> found(pointers.size(), Presence::no);
  const ReadArguments arguments(call);
  for (std::size_t i = 0; arguments.value.has_value() && i < pointers.size(); ++i)
    found[i] = presence_of(parse_pointer(pointers[i]), *arguments.value);
  return found;
}

std::set<std::string, std::less<>> SeenTool::find_left_out() const {
  std::vector<std::string> asked;
  asked.reserve(values_.size());
  for (const auto& [pointer, values] : values_)
    asked.push_back(pointer);
  std::set<std::string, std::less<>> left_out;
  for (const CapturedCall* call : calls_) {
    const std::vector<Presence> found = find_presence(*call, asked);
    for (std::size_t i = asked.size(); i-- > 0;) {
      if (found[i] == Presence::yes) continue;
      left_out.insert(std::move(asked[i]));
      asked.erase(asked.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return left_out;
}

std::vector<std::string> SeenTool::find_mixed_shapes() const {
  enum Shape : std::uint8_t { kValue = 1, kArray = 2, kObject = 4 };
  std::map<std::string, std::uint8_t> shapes;
  const auto note_parents = [&shapes](std::string pointer) {
    for (std::size_t slash = pointer.rfind('/'); slash != std::string::npos;
         slash = pointer.rfind('/')) {
      const bool is_array = std::string_view(pointer).substr(slash) == "/*";
      pointer.resize(slash);
      shapes[pointer] |= is_array ? kArray : kObject;
    }
  };
  for (const auto& [pointer, values] : values_) {
    shapes[pointer] |= kValue;
    note_parents(pointer);
  }
  std::ranges::for_each(empty_, note_parents);
  std::vector<std::string> mixed;
  for (const auto& [pointer, shape] : shapes) {
    if (std::popcount(shape) > 1) mixed.push_back(pointer);
  }
  return mixed;
}

}  // namespace bartizan
