#include "policy/definition/diff_definitions.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "policy/definition/scan_definition.h"
#include "policy/text/argument_pointer.h"
#include "schemas/base/limits.h"
#include "schemas/json/canonical_json.h"
#include "schemas/json/json_text.h"
#include "schemas/message/tool_definition.h"
#include "schemas/message/tool_hints.h"

namespace bartizan {
namespace {

using enum FindingSeverity;

/// Keywords whose value is a text for readers, among them a model.
constexpr std::array<std::string_view, 2> kTold{"description", "$comment"};
/// Keywords with schemas by name, and with one schema.
constexpr std::array<std::string_view, 5> kSchemaMaps{"properties", "patternProperties", "$defs",
                                                      "definitions", "dependentSchemas"};
constexpr std::array<std::string_view, 9> kSchemas{
    "items",         "additionalProperties", "not", "if", "then", "else", "contains",
    "propertyNames", "unevaluatedProperties"};
/// Bounds that accept more when they grow, and when they shrink.
constexpr std::array<std::string_view, 5> kUpper{"maximum", "exclusiveMaximum", "maxLength",
                                                 "maxItems", "maxProperties"};
constexpr std::array<std::string_view, 5> kLower{"minimum", "exclusiveMinimum", "minLength",
                                                 "minItems", "minProperties"};

/// Members that revisions define, beside those that version 1 of the lock file pinned. An unknown
/// member may be the description to a host that ignores case, or anything else.
constexpr std::array<std::string_view, 3> kKnownBeside{"_meta", "execution", "icons"};

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_same(JsonValue one, JsonValue other) {
  return canonical_json(one, NumberForm::as_spelled) ==
         canonical_json(other, NumberForm::as_spelled);
}

std::set<std::string_view> texts_of(JsonValue array) {
  std::set<std::string_view> texts;
  for (const JsonValue text : array)
    texts.insert(text.text());
  return texts;
}

/// Values by name, so that a search takes one pass.
using Members = std::map<std::string_view, JsonValue>;

Members members_of(JsonValue object) {
  Members members;
  for (const JsonValue member : object)
    members.emplace(member.key(), member);
  return members;
}

JsonValue member_of(const Members& members, std::string_view name) {
  const auto found = members.find(name);
  return found == members.end() ? JsonValue() : found->second;
}

class DefinitionDiff {
 public:
  std::vector<DefinitionChange> run(JsonValue older, JsonValue newer) {
    // Each level of a schema is compared as a whole, then by its parts.
    constexpr std::size_t kLevels = 8;
    bytes_left_ = kLevels * (older.raw().size() + newer.raw().size() + 1024);
    for (const std::string_view name :
         {"description", "inputSchema", "name", "outputSchema", "title"}) {
      const JsonValue was = older.find(name);
      const JsonValue is = newer.find(name);
      if (is_same(was, is)) continue;
      const Place at{.name = name};
      if (name == "description") add_text(&at, was, is, high);
      if (name == "title") add_text(&at, was, is, low);
      if (name == "name") add(high, &at, "is another name");
      if (name != "inputSchema" && name != "outputSchema") continue;
      noun_ = name == "inputSchema" ? "argument" : "property";
      compare_schemas(was, is, &at);
    }
    compare_annotations(older.find("annotations"), newer.find("annotations"));
    compare_others(members_of(older), members_of(newer));
    std::ranges::sort(changes_, {}, [](const DefinitionChange& change) {
      return std::tie(change.pointer, change.what);
    });
    return std::move(changes_);
  }

 private:
  void add(FindingSeverity severity, const Place* at, std::string what) {
    ++times_added_;
    if (changes_.size() < definition_changes_max) {
      return changes_.push_back({severity, pointer_text(at), std::move(what)});
    }
    // Omitted changes must not seem harmless.
    changes_.back() = {std::max(severity, changes_.back().severity), "", "differs further"};
  }

  void add_text(const Place* at, JsonValue was, JsonValue is, FindingSeverity severity) {
    const std::string_view what = !was ? "is new" : is ? "is another text" : "is gone";
    const bool instructs = is && has_high_finding(is.text());
    add(instructs ? high : severity, at,
        instructs ? std::string(what) + ", which tells the model what to do" : std::string(what));
  }

  void compare_annotations(JsonValue was, JsonValue is) {
    if (is_same(was, is)) return;
    const ToolHints before = read_tool_hints(was);
    const ToolHints after = read_tool_hints(is);
    constexpr std::array<std::pair<ToolHint, std::string_view>, 4> kHints{
        {{ToolHint::read_only, "readOnlyHint"},
         {ToolHint::destructive, "destructiveHint"},
         {ToolHint::idempotent, "idempotentHint"},
         {ToolHint::open_world, "openWorldHint"}}};
    const Place above{.name = "annotations"};
    bool is_told = false;
    for (const auto& [hint, name] : kHints) {
      if (before.has(hint) == after.has(hint)) continue;
      is_told = true;
      const bool is_looser = before.has(hint) == harmless_value(hint);
      const Place at{.above = &above, .name = name};
      add(is_looser ? high : medium, &at, is_looser ? "promises less" : "promises more");
    }
    const JsonValue title = is.find("title");
    if (!is_same(was.find("title"), title)) {
      is_told = true;
      const Place at{.above = &above, .name = "title"};
      add_text(&at, was.find("title"), title, low);
    }
    if (!is_told) add(low, &above, "is written otherwise");
  }

  /// Compares the other members: hosts may show them, or pass them to the model.
  void compare_others(const Members& was, const Members& is) {
    std::set<std::string_view> names;
    for (const Members* members : {&was, &is}) {
      for (const auto& [name, member] : *members) {
        if (!is_fingerprinted_v1(name)) names.insert(name);
      }
    }
    for (const std::string_view name : names) {
      const Place at{.name = name};
      compare_values(member_of(was, name), member_of(is, name), &at,
                     is_among(kKnownBeside, name) ? medium : high);
    }
  }

  /// Compares two values by the members that differ.
  void compare_values(JsonValue was, JsonValue is, const Place* above, FindingSeverity severity) {
    if (is_same(was, is)) return;
    const bool are_objects = was.is(JsonType::object) && is.is(JsonType::object);
    const std::size_t bytes = was.raw().size() + is.raw().size();
    if (are_objects && bytes > bytes_left_) {
      return add(high, above, "differs, nested too deeply to say how");
    }
    if (!are_objects) {
      const bool instructs = is && finds_high_within(is);
      const std::string_view what = !was ? "is new" : is ? "is another" : "is gone";
      return add(instructs ? high
                 : is      ? severity
                           : low,
                 above, std::string(what) + (instructs ? ", and tells the model what to do" : ""));
    }
    bytes_left_ -= bytes;
    const Members before = members_of(was);
    const Members after = members_of(is);
    for (const auto& [name, member] : after) {
      const Place at{.above = above, .name = name};
      compare_values(member_of(before, name), member, &at, severity);
    }
    for (const auto& [name, member] : before) {
      const Place at{.above = above, .name = name};
      if (!after.contains(name)) compare_values(member, JsonValue(), &at, severity);
    }
  }

  /// A model reads the description of each argument, and must provide required ones.
  void compare_arguments(JsonValue was, JsonValue is, const Place* above) {
    const std::set<std::string_view> required = texts_of(is.find("required"));
    const Members before = members_of(was.find("properties"));
    const Members after = members_of(is.find("properties"));
    for (const auto& [name, property] : after) {
      const Place at{.above = above, .name = name};
      const JsonValue old = member_of(before, name);
      if (old) {
        compare_schemas(old, property, &at);
        continue;
      }
      const std::string what =
          std::string(required.contains(name) ? "is a new required " : "is a new ") + noun_;
      const bool asks = asks_for_secrets(name);
      add(asks || finds_high_within(property) ? high : medium, &at,
          asks ? what + " that asks for context or credentials" : what);
    }
    for (const auto& [name, property] : before) {
      const Place at{.above = above, .name = name};
      if (!after.contains(name)) add(low, &at, "is gone");
    }
  }

  static bool finds_high_within(JsonValue schema) {
    return std::ranges::any_of(schema.within(), [](JsonValue value) {
      return has_high_finding(value.text()) || asks_for_secrets(value.key());
    });
  }

  void compare_required(JsonValue was, JsonValue is, const Place* above) {
    const std::set<std::string_view> before = texts_of(was.find("required"));
    const std::set<std::string_view> after = texts_of(is.find("required"));
    const Members arguments_before = members_of(was.find("properties"));
    for (const std::string_view name : after) {
      // A new argument was reported before.
      if (before.contains(name) || !arguments_before.contains(name)) continue;
      add(asks_for_secrets(name) ? high : medium, above, "has one more required " + noun_);
    }
    const bool has_less =
        std::ranges::any_of(before, [&](std::string_view name) { return !after.contains(name); });
    if (has_less) add(medium, above, "requires less");
  }

  void compare_schemas(JsonValue was, JsonValue is, const Place* above) {
    if (is_same(was, is)) return;
    if (!was.is(JsonType::object) || !is.is(JsonType::object)) {
      const bool instructs = is && finds_high_within(is);
      return add(
          instructs ? high : medium, above,
          instructs ? "is another schema, which tells the model what to do" : "is another schema");
    }
    const std::size_t bytes = was.raw().size() + is.raw().size();
    if (bytes > bytes_left_) return add(high, above, "differs, nested too deeply to say how");
    bytes_left_ -= bytes;
    const std::size_t before = times_added_;
    std::map<std::string_view, std::pair<JsonValue, JsonValue>> keywords;
    for (const JsonValue keyword : was)
      keywords[keyword.key()].first = keyword;
    for (const JsonValue keyword : is)
      keywords[keyword.key()].second = keyword;
    for (const auto& [name, values] : keywords) {
      if (is_same(values.first, values.second)) continue;
      const Place at{.above = above, .name = name};
      if (name == "properties") {
        compare_arguments(was, is, &at);
      } else if (name == "required") {
        compare_required(was, is, &at);
      } else {
        compare_keyword(name, values.first, values.second, &at);
      }
    }
    // The texts differ, though no known difference was found.
    if (times_added_ == before) add(low, above, "is written otherwise");
  }

  void compare_keyword(std::string_view name, JsonValue was, JsonValue is, const Place* above) {
    if (is_among(kTold, name)) return add_text(above, was, is, high);
    if (name == "title") return add_text(above, was, is, low);
    if (is_among(kSchemaMaps, name)) {
      return compare_schema_maps(members_of(was), members_of(is), above);
    }
    if (is_among(kSchemas, name) && was && is) return compare_schemas(was, is, above);
    const bool instructs = is && finds_high_within(is);
    const auto [severity, what] = compare_bounds(name, was, is);
    add(instructs ? high : severity, above,
        std::string(what) + (instructs ? ", and tells the model what to do" : ""));
  }

  void compare_schema_maps(const Members& was, const Members& is, const Place* above) {
    for (const auto& [name, schema] : is) {
      const Place at{.above = above, .name = name};
      compare_schemas(member_of(was, name), schema, &at);
    }
    for (const auto& [name, schema] : was) {
      const Place at{.above = above, .name = name};
      if (!is.contains(name)) add(medium, &at, "is gone");
    }
  }

  static std::pair<FindingSeverity, std::string_view> compare_bounds(std::string_view name,
                                                                     JsonValue was, JsonValue is) {
    if (!was) return {name == "default" ? medium : low, "is new"};
    if (!is) return {medium, "is gone, and lets more pass"};
    const bool is_upper = is_among(kUpper, name);
    if (!is_upper && !is_among(kLower, name)) return {medium, "is another one"};
    const double before = was.number().value_or(0);
    const double after = is.number().value_or(0);
    const bool is_wider = is_upper ? after > before : after < before;
    return is_wider ? std::pair(medium, std::string_view("lets more pass"))
                    : std::pair(low, std::string_view("lets less pass"));
  }

  std::vector<DefinitionChange> changes_;
  std::size_t times_added_ = 0;
  std::size_t bytes_left_ = 0;  ///< For further comparison.
  std::string noun_;            ///< Of the schema's properties.
};

}  // namespace

std::vector<DefinitionChange> diff_definitions(JsonValue older, JsonValue newer) {
  return DefinitionDiff().run(older, newer);
}

std::string difference_text(std::string_view older, std::string_view newer,
                            std::span<const std::string> volatile_members) {
  constexpr std::size_t kShown = 3;
  constexpr std::size_t kPointerBytes = 120;
  const Bytes was(older);
  const Bytes is(newer);
  JsonDocument first;
  JsonDocument second;
  const Result<JsonValue> before = first.read(was, kResponseLimits);
  const Result<JsonValue> after = second.read(is, kResponseLimits);
  if (!before.has_value() || !after.has_value()) return "the whole definition";
  std::vector<DefinitionChange> changes = diff_definitions(*before, *after);
  std::erase_if(changes, [volatile_members](const DefinitionChange& change) {
    return std::ranges::any_of(volatile_members, [&change](std::string_view pointer) {
      const std::string_view at = change.pointer;
      return at.starts_with(pointer) && (at.size() == pointer.size() || at[pointer.size()] == '/');
    });
  });
  std::ranges::sort(changes, [](const DefinitionChange& one, const DefinitionChange& other) {
    if (one.severity != other.severity) return one.severity > other.severity;
    return one.pointer < other.pointer;
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(changes.size(), kShown); ++i) {
    if (i > 0) text += ", ";
    text += utf8_head(changes[i].pointer, kPointerBytes);
    text += " " + changes[i].what;
  }
  if (changes.size() > kShown) text += ", and more";
  return text.empty() ? "the whole definition" : text;
}

FindingSeverity worst(const std::vector<DefinitionChange>& changes) {
  FindingSeverity severity = low;
  for (const DefinitionChange& change : changes)
    severity = std::max(severity, change.severity);
  return severity;
}

}  // namespace bartizan
