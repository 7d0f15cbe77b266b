#include "schemas/schema_declarations.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "schemas/json_text.h"
#include "schemas/schema_compiler.h"
#include "schemas/schema_pattern.h"

namespace bartizan {
namespace {

using Schemas = std::set<SchemaNumber>;

void add(Schemas& schemas, SchemaNumber number) {
  if (number != kNoSchema) schemas.insert(number);
}

/// With all that these apply to the same value.
Schemas with_applied(const SchemaProgram& program, const Schemas& schemas) {
  Schemas all;
  std::vector<SchemaNumber> waiting(schemas.begin(), schemas.end());
  while (!waiting.empty()) {
    const SchemaNumber next = waiting.back();
    waiting.pop_back();
    if (!all.insert(next).second) continue;
    for (const SchemaNumber applied : in_place_of(program.schemas[next]))
      waiting.push_back(applied);
  }
  return all;
}

void add_members(const SchemaProgram& program, const ObjectRules& rules, std::string_view name,
                 Schemas& found) {
  const std::uint32_t entry = rules.table.find(name);
  if (entry != PropertyTable::kNone) add(found, rules.table.entries()[entry].schema);
  for (const ObjectRules::Pattern& pattern : rules.patterns) {
    if (holds_match(program.patterns[pattern.pattern], name)) add(found, pattern.schema);
  }
  // One that lets everything pass names nothing.
  if (rules.additional == kNoSchema) return;
  const CompiledSchema& additional = program.schemas[rules.additional];
  if (!additional.is_always && !additional.is_never) add(found, rules.additional);
}

std::optional<std::size_t> read_index(std::string_view token) {
  std::size_t index = 0;
  const char* const end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, index);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return index;
}

void add_elements(const ArrayRules& rules, std::string_view token, Schemas& found) {
  const auto index = read_index(token);
  if (token != "*" && !index.has_value()) return;
  for (std::size_t i = 0; i < rules.prefix.size(); ++i) {
    if (token == "*" || index == i) add(found, rules.prefix[i]);
  }
  if (token == "*" || *index >= rules.prefix.size()) add(found, rules.items);
}

/// All pointers that `properties`, `required` and `items` name, as far as the bounds allow.
class PointerWalk {
 public:
  explicit PointerWalk(const SchemaProgram& program) : program_(program) {}

  std::vector<std::string> run() && {
    walk(with_applied(program_, {program_.root}), "", 0);
    return {found_.begin(), found_.end()};
  }

 private:
  // A schema that refers to itself names pointers without end.
  static constexpr std::size_t kDepthMax = 16;
  static constexpr std::size_t kPointersMax = 1000;

  void walk(const Schemas& at, const std::string& pointer, std::size_t depth) {
    if (depth > kDepthMax || found_.size() >= kPointersMax) return;
    std::map<std::string, Schemas> below;
    for (const SchemaNumber number : at) {
      const CompiledSchema& schema = program_.schemas[number];
      if (schema.object != nullptr) {
        const PropertyTable& table = schema.object->table;
        for (std::uint32_t i = 0; i < table.size(); ++i)
          add(below[pointer_below(pointer, table.name(i))], table.entries()[i].schema);
      }
      if (schema.array != nullptr) add_elements(*schema.array, "*", below[pointer + "/*"]);
    }
    for (const auto& [name, schemas] : below) {
      // Elements that nothing is said of are not named.
      if (name.ends_with("/*") && schemas.empty()) continue;
      if (found_.size() >= kPointersMax) return;
      found_.insert(name);
      walk(with_applied(program_, schemas), name, depth + 1);
    }
  }

  const SchemaProgram& program_;
  std::set<std::string> found_;
};

}  // namespace

std::vector<std::string> named_pointers(const SchemaProgram& program) {
  return PointerWalk(program).run();
}

bool declares_pointer(const SchemaProgram& program, std::string_view pointer) {
  Schemas at = with_applied(program, {program.root});
  while (!pointer.empty() && !at.empty()) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const auto token = unescape_pointer_token(pointer.substr(0, end));
    if (!token.has_value()) return false;
    pointer.remove_prefix(end);
    Schemas next;
    for (const SchemaNumber number : at) {
      const CompiledSchema& schema = program.schemas[number];
      if (schema.object != nullptr) add_members(program, *schema.object, *token, next);
      if (schema.array != nullptr) add_elements(*schema.array, *token, next);
    }
    at = with_applied(program, next);
  }
  return !at.empty();
}

}  // namespace bartizan
