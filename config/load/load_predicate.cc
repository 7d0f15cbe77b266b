#include "config/load/load_predicate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/check_name.h"
#include "config/check_regex.h"
#include "config/load/load_sql.h"
#include "config/load/load_url.h"
#include "config/write_json.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_decimal.h"

namespace bartizan {
namespace {

using Type = TomlValue::Type;

/// Texts cannot be longer than a request, so larger bounds are useless.
constexpr Range kLengths{.min = 0, .max = limits::request_bytes_max};

Predicate load_absent(TableReader& of, const Config& /*config*/) {
  if (!of.boolean("absent").value_or(true)) {
    of.problems().error(of.where("absent"), "\"absent\" can only be true",
                        "leave it out where the argument may be there");
  }
  if (of.has("optional")) {
    of.problems().warning(of.where("optional"), "\"optional\" says nothing beside \"absent\"");
  }
  return AbsentPredicate();
}

/// A bound in JSON spelling; empty if it is absent.
std::string load_bound(TableReader& table, std::string_view key) {
  const TomlEntry* entry = table.find(key);
  if (entry == nullptr) return {};
  const TomlValue& value = entry->value;
  if (value.type == Type::integer || value.type == Type::number) {
    return write_json(value, table.problems());
  }
  table.problems().error(
      value.where, fmt::format("{} must be a number, not {}", quote(key), type_name(value.type)));
  return {};
}

Predicate load_number(TableReader& of, const Config& /*config*/) {
  std::optional<TableReader> table = of.table("number");
  if (!table.has_value()) return NumberPredicate();
  NumberPredicate number{.min = load_bound(*table, "min"), .max = load_bound(*table, "max")};
  table->finish();
  const bool has_both = !number.min.empty() && !number.max.empty();
  if (has_both && compare(JsonDecimal(number.min), JsonDecimal(number.max)) > 0) {
    of.problems().error(table->where("min"), "\"min\" is larger than \"max\"");
  }
  return number;
}

/// One value as JSON; empty if it was reported.
std::string load_value(std::string_view key, const TomlValue& value, Problems& problems) {
  static constexpr std::array kTypes{Type::boolean, Type::integer, Type::number, Type::text};
  if (std::ranges::find(kTypes, value.type) != kTypes.end()) return write_json(value, problems);
  problems.error(value.where, fmt::format("{} has strings, numbers, true and false, not {}",
                                          quote(key), type_name(value.type)));
  return {};
}

Predicate load_one_of(TableReader& of, const Config& /*config*/) {
  OneOfPredicate one_of;
  const TomlEntry* entry = of.find("one_of", Type::array);
  if (entry == nullptr) return one_of;
  const TomlValue& array = entry->value;
  if (array.items.empty() || array.items.size() > limits::predicate_values_max) {
    of.problems().error(array.where, fmt::format("\"one_of\" must have from 1 to {} values",
                                                 limits::predicate_values_max));
    return one_of;
  }
  for (const TomlValue& item : array.items) {
    std::string value = load_value("one_of", item, of.problems());
    if (value.empty()) continue;
    if (std::ranges::find(one_of.values, value) != one_of.values.end()) {
      of.problems().error(item.where, "\"one_of\" has this value twice");
      continue;
    }
    one_of.values.push_back(std::move(value));
  }
  return one_of;
}

/// A forced value is also inserted if it is missing. Only object members can be inserted.
void check_fixed_pointer(const Text& pointer, Problems& problems) {
  if (std::ranges::count(pointer.value, '/') >
      static_cast<std::ptrdiff_t>(limits::fixed_depth_max)) {
    problems.error(pointer.where,
                   fmt::format("\"fixed\" stands at most {} names deep", limits::fixed_depth_max));
  }
  if (!pointer.value.ends_with("/*") && !pointer.value.contains("/*/")) return;
  problems.error(pointer.where, "\"fixed\" forces one member, not the elements of an array",
                 "write one_of for what each element may be");
}

Predicate load_fixed(TableReader& of, const Config& /*config*/) {
  FixedPredicate fixed;
  if (const TomlEntry* entry = of.find("fixed")) {
    fixed.value = load_value("fixed", entry->value, of.problems());
  }
  if (of.has("optional")) {
    of.problems().warning(of.where("optional"), "\"optional\" says nothing beside \"fixed\"");
  }
  return fixed;
}

Predicate load_path(TableReader& of, const Config& config) {
  PathPredicate path{.path = of.text("path").value_or("")};
  if (!path.path.empty()) {
    check_reference({.value = path.path, .where = of.where("path")}, "path", config.paths,
                    of.problems());
  }
  return path;
}

std::vector<std::string> load_sha256(TableReader& table) {
  static constexpr std::string_view kKey = "sha256";
  table.refuse_empty(kKey, std::string(kSha256Hint));
  if (!table.has(kKey)) {
    table.problems().error(table.where(), "a digest needs \"sha256\"", std::string(kSha256Hint));
  }
  const std::vector<Text> digests = table.texts(kKey);
  for (const Text& digest : digests)
    check_sha256(digest, table.problems());
  return values(digests);
}

Predicate load_digest(TableReader& of, const Config& config) {
  std::optional<TableReader> table = of.table("digest");
  if (!table.has_value()) return DigestPredicate();
  DigestPredicate digest{.sha256 = load_sha256(*table), .path = table->text("path").value_or("")};
  table->finish();
  if (digest.path.empty()) return digest;
  const Text path{.value = digest.path, .where = table->where("path")};
  check_reference(path, "path", config.paths, of.problems());
  const auto found = config.paths.find(digest.path);
  if (found != config.paths.end() && found->second.resolve != PathConfig::Resolve::filesystem) {
    of.problems().error(path.where,
                        fmt::format("path {} is judged by its text alone, and the digest is that "
                                    "of a file",
                                    quote(digest.path)),
                        "write resolve = \"filesystem\" there, or in a path of its own that is "
                        "like it");
  }
  return digest;
}

std::string load_pattern(TableReader& table) {
  static constexpr std::string_view kKey = "matches";
  std::string pattern = table.text(kKey).value_or("");
  const bool is_sound =
      check_regex({.value = pattern, .where = table.where(kKey)}, kKey, table.problems());
  return is_sound ? pattern : std::string();
}

std::vector<CharacterClass> load_classes(TableReader& table) {
  static constexpr std::string_view kKey = "classes";
  static constexpr std::array<std::pair<std::string_view, CharacterClass>, 7> kClasses{
      {{"digits", CharacterClass::digits},
       {"letters", CharacterClass::letters},
       {"line_ends", CharacterClass::line_ends},
       {"punctuation", CharacterClass::punctuation},
       {"spaces", CharacterClass::spaces},
       {"symbols", CharacterClass::symbols},
       {"tabs", CharacterClass::tabs}}};
  table.refuse_empty(kKey, "leave it out for any character");
  return table.has(kKey) ? table.choices<CharacterClass>(kKey, kClasses)
                         : std::vector<CharacterClass>();
}

Predicate load_text(TableReader& of, const Config& /*config*/) {
  std::optional<TableReader> table = of.table("text");
  if (!table.has_value()) return TextPredicate();
  TextPredicate form;
  form.min_length = static_cast<std::uint64_t>(table->integer("min_length", kLengths).value_or(0));
  if (const auto max_length = table->integer("max_length", kLengths)) {
    form.max_length = static_cast<std::uint64_t>(*max_length);
  }
  form.matches = load_pattern(*table);
  form.classes = load_classes(*table);
  form.compact = table->boolean("compact").value_or(false);
  table->finish();
  if (form.max_length.has_value() && form.min_length > *form.max_length) {
    of.problems().error(table->where("min_length"), "\"min_length\" is larger than \"max_length\"");
  }
  return form;
}

/// A predicate whose form is in its own table, `[KEY.NAME]`, or inline.
template <class FormPredicate, class Named, class LoadForm>
FormPredicate load_form(TableReader& of, std::string_view key, const Named& named,
                        const LoadForm& load) {
  FormPredicate predicate;
  const TomlEntry* entry = of.find(key);
  if (entry != nullptr && entry->value.type == Type::table) {
    std::optional<TableReader> table = of.table(key);
    if (table) predicate.form = load(*table);
    return predicate;
  }
  if (entry != nullptr && entry->value.type != Type::text) {
    of.problems().error(entry->value.where,
                        fmt::format("{} must be a table or the name of a [{}.NAME], not {}",
                                    quote(key), key, type_name(entry->value.type)));
    return predicate;
  }
  predicate.name = of.text(key).value_or("");
  if (predicate.name.empty()) return predicate;
  check_reference({.value = predicate.name, .where = of.where(key)}, key, named, of.problems());
  const auto found = named.find(predicate.name);
  if (found != named.end()) predicate.form = found->second.form;
  return predicate;
}

Predicate load_url(TableReader& of, const Config& config) {
  return load_form<UrlPredicate>(of, "url", config.urls, load_url_form);
}

Predicate load_sql(TableReader& of, const Config& config) {
  return load_form<SqlPredicate>(of, "sql", config.sqls, load_sql_form);
}

Predicate load_command(TableReader& of, const Config& config) {
  CommandPredicate command{.name = of.text("command").value_or("")};
  if (command.name.empty()) return command;
  check_reference({.value = command.name, .where = of.where("command")}, "command", config.commands,
                  of.problems());
  const auto named = config.commands.find(command.name);
  if (named != config.commands.end()) command.form = named->second.form;
  return command;
}

struct Kind {
  std::string_view key;
  Predicate (*load)(TableReader& of, const Config& config);
};
constexpr std::array<Kind, 10> kKinds{{{"absent", load_absent},
                                       {"command", load_command},
                                       {"digest", load_digest},
                                       {"fixed", load_fixed},
                                       {"number", load_number},
                                       {"one_of", load_one_of},
                                       {"path", load_path},
                                       {"sql", load_sql},
                                       {"text", load_text},
                                       {"url", load_url}}};

/// Loads all present predicates, so that one run reports the errors of each.
Predicate load_kinds(const Text& pointer, TableReader& table, const Config& config) {
  Predicate predicate;
  std::string_view first;
  for (const Kind& kind : kKinds) {
    if (!table.has(kind.key)) continue;
    predicate = kind.load(table, config);
    if (!first.empty()) {
      table.problems().error(
          table.where(kind.key),
          fmt::format("an argument has one predicate, not both {} and {}", quote(first),
                      quote(kind.key)),
          "another profile that matches the tool can have the other; both will hold");
    }
    first = kind.key;
  }
  if (!first.empty()) return predicate;
  std::vector<std::string_view> names;
  names.reserve(kKinds.size());
  for (const Kind& kind : kKinds)
    names.push_back(kind.key);
  table.problems().error(pointer.where, "an argument needs a predicate: " + listed(names),
                         "write { path = \"NAME\" }, the name of a [path.NAME], or "
                         "{ text = { max_length = 256 } }");
  return predicate;
}

}  // namespace

bool is_json_pointer(std::string_view text) {
  if (!text.starts_with('/') || text.size() > limits::pointer_bytes_max) return false;
  // `~` only as `~0` or `~1`.
  for (std::size_t at = text.find('~'); at != std::string_view::npos; at = text.find('~', at + 1)) {
    if (at + 1 == text.size() || (text[at + 1] != '0' && text[at + 1] != '1')) return false;
  }
  return !text.contains('\0');
}

namespace {

std::string hint_of_pointer(std::string_view text) {
  if (!text.starts_with('/')) {
    return fmt::format("write {}, or \"/NAME/*\" for the elements of an array",
                       quote("/" + std::string(text)));
  }
  return "in a name, write \"~\" as \"~0\" and \"/\" as \"~1\" (RFC 6901)";
}

}  // namespace

ArgumentPredicate load_predicate(const Text& pointer, TableReader& table, const Config& config) {
  ArgumentPredicate argument{.pointer = pointer.value, .where = pointer.where};
  if (!is_json_pointer(pointer.value)) {
    table.problems().error(
        pointer.where,
        fmt::format("{} is not a JSON pointer into the arguments", quote(pointer.value)),
        hint_of_pointer(pointer.value));
  }
  argument.predicate = load_kinds(pointer, table, config);
  if (std::holds_alternative<FixedPredicate>(argument.predicate)) {
    check_fixed_pointer(pointer, table.problems());
  }
  argument.optional = table.boolean("optional").value_or(false);
  table.finish();
  return argument;
}

}  // namespace bartizan
