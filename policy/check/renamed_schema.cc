#include "policy/check/renamed_schema.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>

#include "schemas/base/contains.h"
#include "schemas/json/json_text.h"
#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"

namespace bartizan {
namespace {

using Members = std::vector<RenamedMember>;

constexpr std::array<std::string_view, 3> kReferences{"$ref", "$dynamicRef", "$recursiveRef"};
/// Their elements, or they themselves, are said of the same object as the schema that has them.
constexpr std::array<std::string_view, 3> kListsOfSchemas{"allOf", "anyOf", "oneOf"};
constexpr std::array<std::string_view, 4> kSchemas{"if", "then", "else", "not"};

bool is_reference(JsonValue value) {
  return value.is(JsonType::string) && contains(kReferences, value.key());
}

/// The name of a schema that others may refer to, wherever it stands.
bool is_identity(JsonValue value) {
  return value.is(JsonType::string) && (value.key() == "$id" || value.key() == "id");
}

const RenamedMember* find_member(const Members& members, std::string_view name) {
  const auto found = std::ranges::find_if(members, [&](const RenamedMember& one) {
    return one.name == name || (!one.renamed.empty() && one.renamed == name);
  });
  return found == members.end() ? nullptr : &*found;
}

void collect_names(const Members& members, std::set<std::string_view>& names) {
  for (const RenamedMember& member : members) {
    if (!member.renamed.empty()) names.insert(member.name);
    collect_names(member.members, names);
  }
}

/// Whether a value below has one of these names, or is one, or leads to what may.
bool mentions(JsonValue value, const Members& members) {
  std::set<std::string_view> names;
  collect_names(members, names);
  if (names.empty()) return false;
  return std::ranges::any_of(value, [&](JsonValue top) {
    return std::ranges::any_of(top.within(), [&](JsonValue one) {
      return names.contains(one.key()) || names.contains(one.text()) || is_reference(one);
    });
  });
}

/// Whether the schema `{KEYWORD: VALUE}` holds for one of both names alone. What cannot be compiled
/// is taken for one that does.
bool tells_apart(std::string_view keyword, std::string_view value, const RenamedMember& member) {
  if (member.renamed.empty()) return false;
  const std::string text = "{" + json_string(keyword) + ":" + std::string(value) + "}";
  // What becomes of a pattern that cannot be translated is for the whole schema to say.
  const auto schema = JsonSchema::compile(
      text, metaschemas(), {.untranslatable = SchemaOptions::Untranslatable::leave_out});
  if (!schema.has_value()) return true;
  const auto accepts = [&](std::string_view name) {
    const Bytes bytes(json_string(name));
    JsonDocument document;
    const Result<JsonValue> read = document.read(bytes);
    return read.has_value() && schema->accepts(*read);
  };
  return accepts(member.name) != accepts(member.renamed);
}

/// The renaming of one schema.
class SchemaRenaming {
 public:
  SchemaRenaming(JsonValue root, const Members& members, ByteEdits& edits)
      : root_(root), members_(members), edits_(edits) {}

  bool run() && {
    walk(root_, members_);
    const bool has_both =
        std::ranges::any_of(listed_, [this](const auto* one) { return sent_.contains(one); });
    return !is_lost_ && !has_both && has_sound_references();
  }

 private:
  /// A schema of an object whose members are renamed.
  void walk(JsonValue schema, const Members& members) {
    if (members.empty() || !schema.is(JsonType::object)) return;
    for (const JsonValue keyword : schema)
      take(keyword, schema, members);
  }

  void take(JsonValue keyword, JsonValue schema, const Members& members) {
    const std::string_view name = keyword.key();
    if (name == "properties") return take_properties(keyword, members);
    if (name == "required") return take_names(keyword, members);
    if (name == "dependentRequired" || name == "dependentSchemas" || name == "dependencies") {
      return take_dependents(keyword, members);
    }
    if (contains(kListsOfSchemas, name)) {
      for (const JsonValue one : keyword)
        walk(one, members);
    }
    if (contains(kSchemas, name)) walk(keyword, members);
    if (name == "propertyNames") take_property_names(keyword, members);
    if (name == "patternProperties") take_patterns(keyword, members);
    if (name == "additionalProperties" || name == "unevaluatedProperties") {
      take_others(keyword, schema.find("properties"), members);
    }
    // A whole object, with its members.
    if (name == "enum" || name == "const") is_lost_ = is_lost_ || mentions(keyword, members);
    if (is_reference(keyword)) has_reference_ = true;
  }

  void take_properties(JsonValue properties, const Members& members) {
    if (!properties.is(JsonType::object)) return;
    for (const JsonValue property : properties) {
      rename(property.key(), property.key_range(), members);
      if (const RenamedMember* member = find_member(members, property.key())) {
        walk(property, member->members);
      }
    }
  }

  void take_names(JsonValue names, const Members& members) {
    if (!names.is(JsonType::array)) return;
    for (const JsonValue name : names) {
      if (name.is(JsonType::string)) rename(name.text(), name.range(), members);
    }
  }

  /// What is asked for where a member is there: other members, or a schema of the object.
  void take_dependents(JsonValue dependents, const Members& members) {
    if (!dependents.is(JsonType::object)) return;
    for (const JsonValue wanted : dependents) {
      rename(wanted.key(), wanted.key_range(), members);
      take_names(wanted, members);
      walk(wanted, members);
    }
  }

  void take_property_names(JsonValue schema, const Members& members) {
    if (!schema.is(JsonType::object)) return;
    for (const JsonValue keyword : schema) {
      if (keyword.key() == "enum") {
        take_names(keyword, members);
      } else if (keyword.key() == "const" && keyword.is(JsonType::string)) {
        rename(keyword.text(), keyword.range(), members);
      } else {
        is_lost_ = is_lost_ || std::ranges::any_of(members, [&](const RenamedMember& one) {
                     return tells_apart(keyword.key(), keyword.raw(), one);
                   });
      }
    }
  }

  void take_patterns(JsonValue patterns, const Members& members) {
    for (const JsonValue schema : patterns) {
      const std::string pattern = json_string(schema.key());
      is_lost_ = is_lost_ || std::ranges::any_of(members, [&](const RenamedMember& one) {
                   return tells_apart("pattern", pattern, one) || mentions(schema, one.members);
                 });
    }
  }

  /// The schema of members that `properties` does not name: what is below one that is renamed there
  /// may be among them.
  void take_others(JsonValue schema, JsonValue properties, const Members& members) {
    for (const RenamedMember& one : members) {
      const bool is_named =
          properties.find(one.name) || (!one.renamed.empty() && properties.find(one.renamed));
      is_lost_ = is_lost_ || (!is_named && mentions(schema, one.members));
    }
  }

  void rename(std::string_view name, ByteRange range, const Members& members) {
    const RenamedMember* member = find_member(members, name);
    if (member == nullptr || member->renamed.empty()) return;
    if (name != member->name) {
      sent_.insert(member);
      return;
    }
    listed_.insert(member);
    renamed_at_.insert(range.begin);
    edits_.replace(range, json_string(member->renamed));
  }

  /// Whether no reference leads to what names a member and kept that name, or from elsewhere to
  /// what has other names now.
  bool has_sound_references() const {
    const auto all = root_.within();
    if (std::ranges::none_of(all, is_reference)) return true;
    const bool has_identities = std::ranges::any_of(all, is_identity);
    const bool are_sound = std::ranges::all_of(all, [&](JsonValue value) {
      return !is_reference(value) || leads_elsewhere(value, has_identities);
    });
    return are_sound && (!has_reference_ || !keeps_names());
  }

  /// Whether a reference surely leads to what nothing was renamed in.
  bool leads_elsewhere(JsonValue reference, bool has_identities) const {
    const std::string_view to = reference.text();
    if (reference.key() != "$ref") return false;
    if (to.starts_with("#/$defs/") || to.starts_with("#/definitions/")) return true;
    // A published metaschema, as nothing else is known.
    if (!to.starts_with('#')) return !has_identities;
    constexpr std::string_view kProperties = "#/properties/";
    if (!to.starts_with(kProperties) || has_identities) return false;
    const std::string_view rest = to.substr(kProperties.size());
    const std::string_view name = rest.substr(0, rest.find('/'));
    const bool is_plain = name.find_first_of("%~") == std::string_view::npos;
    return is_plain && find_member(members_, name) == nullptr;
  }

  /// Whether a name that was renamed stands anywhere else.
  bool keeps_names() const {
    std::set<std::string_view> names;
    collect_names(members_, names);
    return std::ranges::any_of(root_.within(), [&](JsonValue value) {
      const bool is_key =
          names.contains(value.key()) && !renamed_at_.contains(value.key_range().begin);
      const bool is_text = value.is(JsonType::string) && names.contains(value.text()) &&
                           !renamed_at_.contains(value.range().begin);
      return is_key || is_text;
    });
  }

  JsonValue root_;
  const Members& members_;
  ByteEdits& edits_;
  std::set<const RenamedMember*> listed_, sent_;  ///< Whose names the schema has.
  std::set<std::size_t> renamed_at_;
  bool is_lost_ = false;        ///< It names one where that cannot be renamed.
  bool has_reference_ = false;  ///< Of an object whose members are renamed.
};

}  // namespace

bool rename_schema(JsonValue schema, const std::vector<RenamedMember>& members, ByteEdits& edits) {
  return SchemaRenaming(schema, members, edits).run();
}

}  // namespace bartizan
