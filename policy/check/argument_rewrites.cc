#include "policy/check/argument_rewrites.h"

#include <algorithm>
#include <utility>

#include "policy/text/byte_edits.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// What text editors and terminals take for the end of a line, or for a column.
bool is_tab_or_line_end(char c) {
  return c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

bool is_white_space(char c) {
  return c == ' ' || is_tab_or_line_end(c);
}

std::size_t end_of_run(std::string_view text, std::size_t at) {
  const auto end = std::ranges::find_if_not(text.substr(at), is_white_space);
  return at + static_cast<std::size_t>(end - text.substr(at).begin());
}

}  // namespace

std::optional<std::string> compacted(std::string_view text) {
  if (std::ranges::none_of(text, is_tab_or_line_end)) return std::nullopt;
  std::string compact;
  compact.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_run(text, at);
    const std::string_view run = text.substr(at, end - at);
    compact += std::ranges::any_of(run, is_tab_or_line_end) ? std::string_view(" ") : run;
    at = end;
    for (; at < text.size() && !is_white_space(text[at]); ++at)
      compact += text[at];
  }
  return compact;
}

/// The places of one message that change.
class ArgumentRewrites::Edits {
 public:
  /// Forces the members of an object that is there.
  void force(const std::vector<Fixed>& members, JsonValue object) {
    std::string inserted;
    for (const Fixed& member : members) {
      const JsonValue found = object.find(member.name);
      if (!found) {
        append_member(inserted, member);
      } else if (!member.json.empty()) {
        if (found.raw() != member.json) edits_.replace(found.range(), member.json);
      } else if (found.is(JsonType::object)) {
        force(member.members, found);
      }
    }
    if (inserted.empty()) return;
    if (object.begin() != object.end()) inserted += ',';
    edits_.insert(object.range().begin + 1, std::move(inserted));
  }
  /// Makes the object of arguments that a call has not.
  void force_without_arguments(const std::vector<Fixed>& members, JsonValue params) {
    // A call names its tool, so `params` is not empty.
    edits_.insert(params.range().begin + 1, "\"arguments\":" + object_of(members) + ",");
  }
  void compact(std::span<const PointerSegment> pointer, JsonValue arguments) {
    visit_selected(pointer, arguments, [this](Selection selection, JsonValue value, const Place*) {
      if (selection != Selection::value || !value.is(JsonType::string)) return true;
      if (const auto text = compacted(value.text()))
        edits_.replace(value.range(), json_string(*text));
      return true;
    });
  }

  std::optional<std::string> apply(std::string_view bytes) && {
    return std::move(edits_).apply(bytes);
  }

 private:
  static void append_member(std::string& out, const Fixed& member) {
    if (!out.empty()) out += ',';
    append_json_string(out, member.name);
    out += ':';
    out += member.json.empty() ? object_of(member.members) : member.json;
  }
  static std::string object_of(const std::vector<Fixed>& members) {
    std::string inside;
    for (const Fixed& member : members)
      append_member(inside, member);
    return "{" + inside + "}";
  }

  ByteEdits edits_;  // Two profiles may compact one text.
};

std::vector<PropertyChange> ArgumentRewrites::left_out(const std::vector<Fixed>& fixed) {
  std::vector<PropertyChange> changes;
  for (const Fixed& one : fixed) {
    changes.push_back(
        {.name = one.name, .is_left_out = !one.json.empty(), .members = left_out(one.members)});
  }
  return changes;
}

std::string ArgumentRewrites::without_forced(JsonValue schema, std::string_view bytes) const {
  return changed_schema(schema, bytes, left_out(fixed_));
}

void ArgumentRewrites::force(std::span<const PointerSegment> pointer, const std::string& json) {
  std::vector<Fixed>* members = &fixed_;
  for (; !pointer.empty(); pointer = pointer.subspan(1)) {
    const std::string& name = pointer.front().name;
    auto found = std::ranges::find(*members, name, &Fixed::name);
    if (found == members->end()) {
      found = members->insert(members->end(), {.name = name, .json = {}, .members = {}});
    }
    if (pointer.size() == 1) found->json = json;
    members = &found->members;
  }
}

/// Whether what the pointer selects is forced, or lies in the place of what is.
bool ArgumentRewrites::is_forced(std::span<const PointerSegment> pointer) const {
  const std::vector<Fixed>* members = &fixed_;
  for (const PointerSegment& segment : pointer) {
    const auto found = std::ranges::find(*members, segment.name, &Fixed::name);
    if (segment.every_element || found == members->end()) return false;
    if (!found->json.empty()) return true;
    members = &found->members;
  }
  return false;
}

std::optional<std::string> ArgumentRewrites::apply(const Message& message,
                                                   std::string_view bytes) const {
  Edits edits;
  const JsonValue arguments = message.arguments;
  if (!arguments && !fixed_.empty()) edits.force_without_arguments(fixed_, message.params);
  if (arguments) {
    edits.force(fixed_, arguments);
    for (const auto& pointer : compact_) {
      if (!is_forced(pointer)) edits.compact(pointer, arguments);
    }
  }
  return std::move(edits).apply(bytes);
}

}  // namespace bartizan
