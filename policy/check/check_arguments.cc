#include "policy/check/check_arguments.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "policy/predicate/tool_effect.h"
#include "policy/predicate/value_predicate.h"
#include "policy/text/argument_pointer.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// One tool's guards, held against one call's arguments.
class Examination {
 public:
  explicit Examination(ValueFacts facts) : facts_(facts) { selected_.reserve(kSelectedInline); }

  Decision apply(const ArgumentGuard& guard, JsonValue arguments) {
    Decision decision = Decision::pass();
    visit_selected(guard.segments, arguments,
                   [&](Selection selection, JsonValue value, const Place* place) {
                     const Reason reason = judge(guard, selection, value);
                     if (reason == Reason::none) return true;
                     decision = refuse(reason, place);
                     decision.outside = facts_.refusal;
                     return false;
                   });
    return decision;
  }
  /// Notes what a guard selects, whatever is to be said of that.
  void note_selected(const ArgumentGuard& guard, JsonValue arguments) {
    if (guard.absent) return;
    visit_selected(guard.segments, arguments,
                   [&](Selection selection, JsonValue value, const Place*) {
                     if (selection == Selection::value) selected_.push_back(value.range().begin);
                     return true;
                   });
  }

  /// Whether every leaf was selected by some guard that was applied before.
  Decision judge_unguarded(JsonValue arguments) {
    Decision decision = Decision::pass();
    visit_unguarded(arguments, [&](Reason reason, const Place* place) {
      decision = refuse(reason, place);
      return false;
    });
    return decision;
  }

  /// Calls `tell` with each leaf that was selected by none, and why it is refused, until that says
  /// to stop.
  template <class Tell>
  void visit_unguarded(JsonValue arguments, const Tell& tell) {
    std::ranges::sort(selected_);
    visit_unguarded(arguments, nullptr, 0, tell);
  }

 private:
  static Decision refuse(Reason reason, const Place* place) {
    return Decision::deny(reason, nullptr, pointer_text(place));
  }

  Reason judge(const ArgumentGuard& guard, Selection selection, JsonValue value) {
    if (selection == Selection::other_shape) return Reason::argument_wrong_type;
    if (selection == Selection::nothing) {
      return guard.optional ? Reason::none : Reason::argument_missing;
    }
    if (guard.absent) return Reason::argument_not_absent;
    selected_.push_back(value.range().begin);
    for (const auto& predicate : guard.predicates) {
      const Reason reason = judge_value(*predicate, value, facts_);
      if (reason != Reason::none) return reason;
    }
    return Reason::none;
  }

  template <class Tell>
  bool visit_unguarded(JsonValue value, const Place* place, std::size_t depth,
                       const Tell& tell) const {
    if (depth > limits::json_depth_max) return tell(Reason::argument_undecidable, place);
    const bool is_array = value.is(JsonType::array);
    const bool is_object = value.is(JsonType::object);
    const bool is_leaf = !is_array && (!is_object || value.begin() == value.end());
    // A command as an array was judged with all its words.
    if ((is_leaf || is_array) && std::ranges::binary_search(selected_, value.range().begin)) {
      return true;
    }
    if (is_leaf) return tell(Reason::argument_unguarded, place);
    Place below{.above = place, .is_element = is_array};
    for (const JsonValue child : value) {
      if (is_object) below.name = child.key();
      if (!visit_unguarded(child, &below, depth + 1, tell)) return false;
      ++below.index;
    }
    return true;
  }

  /// So many values need no memory from elsewhere.
  static constexpr std::size_t kSelectedInline = 64;

  ValueFacts facts_;
  std::array<std::size_t, kSelectedInline> room_ = {};
  std::pmr::monotonic_buffer_resource memory_{room_.data(), sizeof room_};
  /// Where the selected values begin in the message.
  std::pmr::vector<std::size_t> selected_{&memory_};
};

bool ask_of_values(const std::vector<ArgumentGuard>& guards) {
  return std::ranges::any_of(guards,
                             [](const ArgumentGuard& guard) { return !guard.predicates.empty(); });
}

/// Without any arguments there is nothing to select, and nothing that could be unguarded.
Decision check_absent_arguments(const std::vector<ArgumentGuard>& guards) {
  const auto wanted =
      std::ranges::find_if(guards, [](const ArgumentGuard& guard) { return !guard.optional; });
  if (wanted == guards.end()) return Decision::pass();
  const PointerSegment& first = wanted->segments.front();
  const Place place{.name = first.every_element ? "*" : std::string_view(first.name)};
  return Decision::deny(Reason::argument_missing, nullptr, pointer_text(&place));
}

}  // namespace

Decision check_arguments(const ToolProfiles& profiles,
                         const std::map<std::string, ServerConfig, std::less<>>& servers,
                         Unguarded unguarded, const Call& call) {
  if (call.message.known->id != MethodId::tools_call) return Decision::pass();
  const ToolProfiles::Found profile = profiles.find(call);
  if (profile->guards.empty()) return Decision::pass();
  const JsonValue arguments = call.message.arguments;
  if (!arguments) return check_absent_arguments(profile->guards);
  const auto server = servers.find(call.server);
  const std::string_view cwd =
      server == servers.end() ? std::string_view() : std::string_view(server->second.cwd);
  const PinnedTool* pinned = profile->pinned ? &*profile->pinned : nullptr;
  Examination examination({.cwd = cwd,
                           .effect = effect_of(pinned, call.facts.tool),
                           .outside = outside_of(call.facts)});
  for (const ArgumentGuard& guard : profile->guards) {
    Decision decision = examination.apply(guard, arguments);
    if (decision.denies()) return decision;
  }
  const bool is_empty = arguments.begin() == arguments.end();
  if (unguarded == Unguarded::allow || is_empty || !ask_of_values(profile->guards)) {
    return Decision::pass();
  }
  return examination.judge_unguarded(arguments);
}

std::vector<std::string> find_unguarded(const ToolProfiles& profiles, const Call& call) {
  const JsonValue arguments = call.message.arguments;
  if (!arguments || arguments.begin() == arguments.end()) return {};
  Examination examination({});
  const ToolProfiles::Found profile = profiles.find(call);
  for (const ArgumentGuard& guard : profile->guards)
    examination.note_selected(guard, arguments);
  std::vector<std::string> pointers;
  examination.visit_unguarded(arguments, [&pointers](Reason, const Place* place) {
    pointers.push_back(pointer_text(place));
    return true;
  });
  return pointers;
}

bool guards_values(const ToolProfiles& profiles, const Call& call) {
  return ask_of_values(profiles.find(call)->guards);
}

}  // namespace bartizan
