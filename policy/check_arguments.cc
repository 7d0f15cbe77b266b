#include "policy/check_arguments.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/value_predicate.h"
#include "schemas/json_text.h"
#include "schemas/limits.h"

namespace bartizan {
namespace {

using Segments = std::span<const PointerSegment>;

/// A refusal found one level down, seen from here. A pointer that grew too long keeps its head,
/// which is the part that a reader knows from the schema.
Decision below(Decision decision, std::string_view segment) {
  if (!decision.denies()) return decision;
  std::string pointer = pointer_below("", segment) + decision.pointer;
  if (pointer.size() > limits::pointer_bytes_max) pointer = pointer_below("", segment);
  if (pointer.size() > limits::pointer_bytes_max) pointer.clear();
  decision.pointer = std::move(pointer);
  return decision;
}

/// One tool's guards, held against one call's arguments.
class Examination {
 public:
  explicit Examination(std::string_view cwd) : facts_{.cwd = cwd} {
    selected_.reserve(kSelectedInline);
  }

  Decision apply(const ArgumentGuard& guard, JsonValue value) {
    return select(guard, guard.segments, value);
  }
  /// Whether every leaf was selected by some guard that was applied before.
  Decision find_unguarded(JsonValue arguments) {
    std::ranges::sort(selected_);
    return find_unguarded(arguments, 0);
  }

 private:
  Decision select(const ArgumentGuard& guard, Segments rest, JsonValue value) {
    if (rest.empty()) return judge(guard, value);
    const PointerSegment& segment = rest.front();
    if (segment.every_element) return select_elements(guard, rest.subspan(1), value);
    if (value.is(JsonType::array)) return select_element(guard, rest, value);
    if (!value.is(JsonType::object)) return Decision::deny(Reason::argument_wrong_type);
    const JsonValue member = value.find(segment.name);
    if (!member) return below(missing(guard), segment.name);
    return below(select(guard, rest.subspan(1), member), segment.name);
  }

  Decision select_elements(const ArgumentGuard& guard, Segments rest, JsonValue value) {
    if (!value.is(JsonType::array)) return Decision::deny(Reason::argument_wrong_type);
    std::size_t index = 0;
    for (const JsonValue element : value) {
      Decision decision = select(guard, rest, element);
      if (decision.denies()) return below(std::move(decision), std::to_string(index));
      ++index;
    }
    return index == 0 ? below(missing(guard), "*") : Decision::pass();
  }

  Decision select_element(const ArgumentGuard& guard, Segments rest, JsonValue array) {
    const std::string& name = rest.front().name;
    const JsonValue element = array.at_pointer(pointer_below("", name));
    if (!element) return below(missing(guard), name);
    return below(select(guard, rest.subspan(1), element), name);
  }

  Decision missing(const ArgumentGuard& guard) const {
    return guard.optional ? Decision::pass() : Decision::deny(Reason::argument_missing);
  }

  Decision judge(const ArgumentGuard& guard, JsonValue value) {
    if (guard.absent) return Decision::deny(Reason::argument_not_absent);
    selected_.push_back(value.range().begin);
    for (const auto& predicate : guard.predicates) {
      const Reason reason = judge_value(*predicate, value, facts_);
      if (reason != Reason::none) return Decision::deny(reason);
    }
    return Decision::pass();
  }

  Decision find_unguarded(JsonValue value, std::size_t depth) const {
    if (depth > limits::json_depth_max) return Decision::deny(Reason::argument_undecidable);
    if (value.is(JsonType::array)) return find_in_array(value, depth);
    const bool is_object = value.is(JsonType::object);
    if (is_object && value.begin() != value.end()) return find_in_object(value, depth);
    if (std::ranges::binary_search(selected_, value.range().begin)) return Decision::pass();
    return Decision::deny(Reason::argument_unguarded);
  }
  Decision find_in_object(JsonValue object, std::size_t depth) const {
    for (const JsonValue member : object) {
      Decision decision = find_unguarded(member, depth + 1);
      if (decision.denies()) return below(std::move(decision), member.key());
    }
    return Decision::pass();
  }
  Decision find_in_array(JsonValue array, std::size_t depth) const {
    std::size_t index = 0;
    for (const JsonValue element : array) {
      Decision decision = find_unguarded(element, depth + 1);
      if (decision.denies()) return below(std::move(decision), std::to_string(index));
      ++index;
    }
    return Decision::pass();
  }

  /// So many values need no memory from elsewhere.
  static constexpr std::size_t kSelectedInline = 64;

  ValueFacts facts_;
  std::array<std::size_t, kSelectedInline> room_ = {};
  std::pmr::monotonic_buffer_resource memory_{room_.data(), sizeof room_};
  /// Where the selected values begin in the message.
  std::pmr::vector<std::size_t> selected_{&memory_};
};

/// Whether any profile asks something of values, so that all of them must be asked for.
bool guards_values(const std::vector<ArgumentGuard>& guards) {
  return std::ranges::any_of(guards,
                             [](const ArgumentGuard& guard) { return !guard.predicates.empty(); });
}

/// Without any arguments there is nothing to select, and nothing that could be unguarded.
Decision check_absent_arguments(const std::vector<ArgumentGuard>& guards) {
  for (const ArgumentGuard& guard : guards) {
    if (guard.optional) continue;
    const PointerSegment* first = guard.segments.empty() ? nullptr : &guard.segments.front();
    const Decision denial = Decision::deny(Reason::argument_missing);
    return first == nullptr ? denial : below(denial, first->every_element ? "*" : first->name);
  }
  return Decision::pass();
}

}  // namespace

Decision check_arguments(const ToolProfiles& profiles,
                         const std::map<std::string, ServerConfig, std::less<>>& servers,
                         Unguarded unguarded, const Call& call) {
  if (call.message.known->id != MethodId::tools_call) return Decision::pass();
  const ToolProfiles::Found profile = profiles.find(call.server, call.target);
  if (profile->guards.empty()) return Decision::pass();
  const JsonValue arguments = call.message.arguments;
  if (!arguments) return check_absent_arguments(profile->guards);
  const auto server = servers.find(call.server);
  const std::string_view cwd =
      server == servers.end() ? std::string_view() : std::string_view(server->second.cwd);
  Examination examination(cwd);
  for (const ArgumentGuard& guard : profile->guards) {
    Decision decision = examination.apply(guard, arguments);
    if (decision.denies()) return decision;
  }
  const bool is_empty = arguments.begin() == arguments.end();
  if (unguarded == Unguarded::allow || is_empty || !guards_values(profile->guards)) {
    return Decision::pass();
  }
  return examination.find_unguarded(arguments);
}

}  // namespace bartizan
