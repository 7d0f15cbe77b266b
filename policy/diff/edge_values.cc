#include "policy/diff/edge_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "policy/diff/edge_paths.h"
#include "policy/text/argument_pointer.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// A pattern takes at least one name, and so does this.
constexpr std::string_view kAnyName = "x";
constexpr std::size_t kTextMax = 4096;

std::string filled(std::string_view pattern) {
  return filled_pattern(pattern, kAnyName);
}

std::vector<std::string> number_edges(const NumberPredicate& asked) {
  std::vector<std::string> values;
  for (const std::string& bound : {asked.min, asked.max}) {
    if (bound.empty()) continue;
    values.push_back(bound);
    std::int64_t whole = 0;
    const char* const end = bound.data() + bound.size();
    const auto read = std::from_chars(bound.data(), end, whole);
    if (read.ec != std::errc() || read.ptr != end) continue;
    if (whole > INT64_MIN) values.push_back(std::to_string(whole - 1));
    if (whole < INT64_MAX) values.push_back(std::to_string(whole + 1));
  }
  values.insert(values.end(), {"0", "1.5", "-1000000", "1000000"});
  return values;
}

std::vector<std::string> text_edges(const TextPredicate& asked) {
  const auto of_length = [](std::uint64_t length) {
    return json_string(std::string(std::min<std::uint64_t>(length, kTextMax), 'a'));
  };
  std::vector<std::string> values{of_length(std::max<std::uint64_t>(asked.min_length, 1))};
  if (asked.min_length > 0) values.push_back(of_length(asked.min_length - 1));
  if (asked.max_length.has_value()) {
    values.push_back(of_length(*asked.max_length));
    values.push_back(of_length(*asked.max_length + 1));
  }
  // A pattern without special characters is a text that matches it.
  if (!asked.matches.empty()) values.push_back(json_string(asked.matches));
  values.insert(values.end(),
                {json_string("abc"), json_string("7"), json_string("a b;c"), json_string("")});
  return values;
}

std::vector<std::string> url_edges(const UrlForm& form) {
  std::vector<std::string> values;
  for (const std::string& host : form.hosts) {
    for (const std::string& scheme : form.schemes) {
      values.push_back(json_string(scheme + "://" + filled(host) + "/"));
      for (const std::uint16_t port : form.ports)
        values.push_back(json_string(fmt::format("{}://{}:{}/", scheme, filled(host), port)));
    }
  }
  values.insert(values.end(),
                {json_string("https://elsewhere.example/"), json_string("http://127.0.0.1/")});
  return values;
}

std::vector<std::string> sql_edges(const SqlForm& form) {
  std::vector<std::string> values;
  for (const auto* tables : {&form.tables, &form.deny_tables}) {
    for (const std::string& table : *tables)
      values.push_back(json_string("SELECT * FROM " + filled(table)));
  }
  const std::vector<std::string> allowed = form.functions.value_or(std::vector<std::string>());
  for (const auto* functions : {&allowed, &form.deny_functions}) {
    for (const std::string& function : *functions)
      values.push_back(json_string("SELECT " + filled(function) + "(1)"));
  }
  values.insert(values.end(), {json_string("SELECT 1"), json_string("SELECT * FROM elsewhere"),
                               json_string("SHOW search_path"), json_string("SELECT 1 /* why */"),
                               json_string("EXPLAIN SELECT 1"), json_string(" SELECT 1"),
                               json_string("DELETE FROM elsewhere")});
  return values;
}

std::vector<std::string> command_edges(const CommandForm& form) {
  std::vector<std::string> values;
  for (const std::string& program : form.programs) {
    values.push_back(json_string(program));
    values.push_back(json_string(program + " -x"));
    values.push_back(json_string(program + " a > b"));
    std::string piped = program;
    piped.append(" | ").append(program);
    values.push_back(json_string(piped));
  }
  values.push_back(json_string("elsewhere"));
  return values;
}

std::vector<std::string> path_edges(const PathConfig& path) {
  std::vector<std::string> values;
  for (const std::string& name : edge_paths(path))
    values.push_back(json_string(name));
  return values;
}

/// One place in the arguments under construction.
struct Node {
  std::string value = {};
  std::map<std::string, Node> members = {};

  bool is_array() const {
    return !members.empty() && std::ranges::all_of(members, [](const auto& member) {
      const std::string& name = member.first;
      return name == "*" ||
             (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos);
    });
  }

  std::string text() const {
    if (members.empty()) return value.empty() ? "{}" : value;
    const bool array = is_array();
    std::string json(1, array ? '[' : '{');
    for (const auto& [name, member] : members) {
      if (json.size() > 1) json += ",";
      if (!array) json += json_string(name) + ":";
      json += member.text();
    }
    return json + (array ? ']' : '}');
  }
};

}  // namespace

std::string filled_pattern(std::string_view pattern, std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '*') text += pattern[i];
    if (pattern[i] == '*' && (i == 0 || pattern[i - 1] != '*')) text += name;
  }
  return text;
}

std::vector<std::string> edge_values(const Config& config, const Predicate& predicate) {
  if (const auto* number = std::get_if<NumberPredicate>(&predicate)) return number_edges(*number);
  if (const auto* text = std::get_if<TextPredicate>(&predicate)) return text_edges(*text);
  if (const auto* url = std::get_if<UrlPredicate>(&predicate)) return url_edges(url->form);
  if (const auto* sql = std::get_if<SqlPredicate>(&predicate)) return sql_edges(sql->form);
  if (const auto* command = std::get_if<CommandPredicate>(&predicate))
    return command_edges(command->form);
  if (const std::string_view path = path_name(predicate); !path.empty()) {
    const auto found = config.paths.find(path);
    return found == config.paths.end() ? std::vector<std::string>() : path_edges(found->second);
  }
  if (const auto* fixed = std::get_if<FixedPredicate>(&predicate)) {
    return {fixed->value, json_string("x"), "1", "true"};
  }
  if (const auto* one_of = std::get_if<OneOfPredicate>(&predicate)) {
    std::vector<std::string> values = one_of->values;
    values.insert(values.end(), {json_string("none of these"), "-1", "true", "false"});
    return values;
  }
  return {json_string("x"), "1", "true"};
}

std::string likely_value(JsonValue schema) {
  for (const std::string_view named : {"const", "default"}) {
    if (const JsonValue value = schema.find(named)) return std::string(value.raw());
  }
  for (const std::string_view list : {"enum", "examples"}) {
    const JsonValue values = schema.find(list);
    if (values.begin() != values.end()) return std::string((*values.begin()).raw());
  }
  const JsonValue types = schema.find("type");
  const std::string_view type = types.is(JsonType::array) && types.begin() != types.end()
                                    ? (*types.begin()).text()
                                    : types.text();
  if (type == "integer" || type == "number") {
    const JsonValue least = schema.find("minimum");
    return least ? std::string(least.raw()) : "1";
  }
  if (type == "boolean") return "true";
  if (type == "null") return "null";
  if (type == "array") {
    const bool is_empty = schema.find("minItems").integer().value_or(0) <= 0;
    return is_empty ? "[]" : "[" + likely_value(schema.find("items")) + "]";
  }
  if (type != "object") {
    const auto least = schema.find("minLength").integer().value_or(1);
    return json_string(std::string(static_cast<std::size_t>(std::clamp<std::int64_t>(
                                       least, 1, static_cast<std::int64_t>(kTextMax))),
                                   'a'));
  }
  std::map<std::string, std::string> members;
  for (const JsonValue name : schema.find("required")) {
    members.emplace(pointer_below("", name.text()),
                    likely_value(schema.find("properties").find(name.text())));
  }
  return arguments_with(members);
}

std::string arguments_with(const std::map<std::string, std::string>& values) {
  Node root;
  for (const auto& [pointer, value] : values) {
    Node* at = &root;
    for (const PointerSegment& segment : parse_pointer(pointer)) {
      if (!at->value.empty()) return {};
      at = &at->members[segment.every_element ? "*" : segment.name];
    }
    if (!at->members.empty()) return {};
    at->value = value;
  }
  return root.members.empty() ? "{}" : root.text();
}

}  // namespace bartizan
