#include "policy/write_learned.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "config/risk.h"
#include "schemas/json.h"
#include "schemas/json_text.h"

namespace bartizan {
namespace {

/// Controls, and characters without a width or that turn the direction of others: nobody sees them.
bool is_deceptive(char32_t character) {
  constexpr std::array<std::pair<char32_t, char32_t>, 8> kRanges{{{0x00, 0x1F},
                                                                  {0x7F, 0x9F},
                                                                  {0xAD, 0xAD},
                                                                  {0x200B, 0x200F},
                                                                  {0x2028, 0x202E},
                                                                  {0x2060, 0x206F},
                                                                  {0xFEFF, 0xFEFF},
                                                                  {0xE0000, 0xE0FFF}}};
  return std::ranges::any_of(kRanges, [character](const auto& range) {
    return range.first <= character && character <= range.second;
  });
}

/// Strings as an array on one line.
std::string toml_of(const std::vector<std::string>& texts) {
  std::string array = "[";
  for (const std::string& text : texts)
    array += (array.size() > 1 ? ", " : "") + toml_string(text);
  return array + "]";
}

/// A JSON number. TOML's whole numbers have 64 bits; a larger one is as near as a float comes.
std::string toml_number(std::string_view token) {
  if (token.find_first_of(".eE") != std::string_view::npos) return std::string(token);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool is_whole = error == std::errc() && end == token.data() + token.size();
  return std::string(token) + (is_whole ? "" : ".0");
}

/// A JSON value; null, which TOML has not got, is left out.
std::string toml_of(JsonValue value) {
  std::string text;
  switch (value.type()) {
    case JsonType::string:
      return toml_string(value.text());
    case JsonType::number:
      return toml_number(value.raw());
    case JsonType::boolean:
      return std::string(value.raw());
    case JsonType::null:
      return {};
    case JsonType::array:
      for (const JsonValue element : value)
        text += (text.empty() ? "" : ", ") + toml_of(element);
      return "[" + text + "]";
    case JsonType::object:
      for (const JsonValue member : value) {
        text += (text.empty() ? " " : ", ") + toml_string(member.key()) + " = " + toml_of(member);
      }
      return "{" + text + " }";
  }
  return text;
}

std::string toml_of_json(std::string_view json) {
  const Bytes bytes(json);
  JsonDocument document;
  const Result<JsonValue> value = document.read(bytes, kResponseLimits);
  return value.has_value() ? toml_of(*value) : "{ }";
}

/// The members of one inline table.
class Inline {
 public:
  Inline& add(std::string_view key, std::string_view value) {
    text_ += fmt::format("{}{} = {}", text_.empty() ? "" : ", ", key, value);
    return *this;
  }
  Inline& add(std::string_view key, const std::vector<std::string>& texts) {
    return texts.empty() ? *this : add(key, std::string_view(toml_of(texts)));
  }
  std::string text() const { return text_.empty() ? "{}" : "{ " + text_ + " }"; }

 private:
  std::string text_;
};

// --- Predicates ---------------------------------------------------------------------------------

std::string_view name_of(CharacterClass one) {
  switch (one) {
    case CharacterClass::letters:
      return "letters";
    case CharacterClass::digits:
      return "digits";
    case CharacterClass::punctuation:
      return "punctuation";
    case CharacterClass::symbols:
      return "symbols";
    case CharacterClass::spaces:
      return "spaces";
    case CharacterClass::tabs:
      return "tabs";
    case CharacterClass::line_ends:
      return "line_ends";
  }
  return "letters";
}

std::string_view name_of(SqlDialect dialect) {
  switch (dialect) {
    case SqlDialect::ansi:
      return "ansi";
    case SqlDialect::mysql:
      return "mysql";
    case SqlDialect::postgres:
      return "postgresql";
    case SqlDialect::sqlite:
      return "sqlite";
  }
  return "ansi";
}

std::string_view name_of(SqlClass statement) {
  switch (statement) {
    case SqlClass::select:
      return "select";
    case SqlClass::show:
      return "show";
    case SqlClass::explain:
      return "explain";
  }
  return "select";
}

/// Each kind's key and value.
struct PredicateWriter {
  Inline& out;

  void operator()(const PathPredicate& path) const { out.add("path", toml_string(path.path)); }
  void operator()(const NumberPredicate& number) const {
    Inline range;
    if (!number.min.empty()) range.add("min", toml_number(number.min));
    if (!number.max.empty()) range.add("max", toml_number(number.max));
    out.add("number", range.text());
  }
  void operator()(const OneOfPredicate& one_of) const {
    std::string values;
    for (const std::string& value : one_of.values)
      values += (values.empty() ? "" : ", ") + toml_of_json(value);
    out.add("one_of", "[" + values + "]");
  }
  void operator()(const TextPredicate& text) const {
    Inline form;
    if (text.min_length > 0) form.add("min_length", std::to_string(text.min_length));
    if (text.max_length.has_value()) form.add("max_length", std::to_string(*text.max_length));
    if (!text.matches.empty()) form.add("matches", toml_string(text.matches));
    std::vector<std::string> classes;
    for (const CharacterClass one : text.classes)
      classes.emplace_back(name_of(one));
    form.add("classes", classes);
    if (text.compact) form.add("compact", "true");
    out.add("text", form.text());
  }
  void operator()(const AbsentPredicate& /*absent*/) const { out.add("absent", "true"); }
  void operator()(const FixedPredicate& fixed) const {
    out.add("fixed", toml_of_json(fixed.value));
  }
  void operator()(const UrlPredicate& url) const {
    if (!url.name.empty()) {
      out.add("url", toml_string(url.name));
      return;
    }
    Inline form;
    form.add("schemes", url.form.schemes).add("hosts", url.form.hosts);
    std::string ports;
    for (const std::uint16_t port : url.form.ports)
      ports += (ports.empty() ? "" : ", ") + std::to_string(port);
    if (!ports.empty()) form.add("ports", "[" + ports + "]");
    if (url.form.allow_private) form.add("private_networks", "\"allow\"");
    if (url.form.resolve) form.add("resolve", "true");
    out.add("url", form.text());
  }
  void operator()(const SqlPredicate& sql) const {
    if (!sql.name.empty()) {
      out.add("sql", toml_string(sql.name));
      return;
    }
    const SqlForm& is = sql.form;
    std::vector<std::string> statements;
    for (const SqlClass statement : is.statements)
      statements.emplace_back(name_of(statement));
    Inline form;
    form.add("dialect", toml_string(name_of(is.dialect)))
        .add("statements", statements)
        .add("tables", is.tables)
        .add("deny_tables", is.deny_tables);
    if (is.functions.has_value()) form.add("functions", toml_of(*is.functions));
    form.add("deny_functions", is.deny_functions);
    if (is.allow_comments) form.add("comments", "\"allow\"");
    if (is.begins_with_letter) form.add("first_byte", "\"keyword\"");
    out.add("sql", form.text());
  }
  void operator()(const CommandPredicate& command) const {
    out.add("command", toml_string(command.name));
  }
  void operator()(const DigestPredicate& digest) const {
    Inline form;
    form.add("sha256", digest.sha256);
    if (!digest.path.empty()) form.add("path", toml_string(digest.path));
    out.add("digest", form.text());
  }
};

std::string write_argument(const LearnedArgument& learned) {
  const ArgumentPredicate& argument = learned.argument;
  Inline predicate;
  std::visit(PredicateWriter{predicate}, argument.predicate);
  if (argument.optional) predicate.add("optional", "true");
  std::string line = fmt::format("{} = {}", toml_string(argument.pointer), predicate.text());
  if (learned.values > 0) {
    line += fmt::format("  # {} values, {} of them different", learned.values, learned.distinct);
  }
  return line + "\n";
}

// --- Tables -------------------------------------------------------------------------------------

template <class E>
std::vector<std::string> names(const std::vector<E>& values) {
  std::vector<std::string> all;
  for (const E value : values)
    all.emplace_back(text(value));
  return all;
}

/// What a profile says beside arguments.
std::string write_settings(const ToolProfile& profile) {
  std::string text;
  const auto add = [&text](std::string_view key, std::string_view value) {
    text += fmt::format("{} = {}\n", key, value);
  };
  if (!profile.permissions.empty()) add("permissions", toml_of(profile.permissions));
  if (!profile.categories.empty()) add("categories", toml_of(profile.categories));
  for (const auto& [name, risk] : kRiskNames) {
    if (profile.risk == risk) add("risk", toml_string(name));
  }
  if (!profile.listed) add("listed", "false");
  if (profile.timeout) add("timeout", fmt::format("\"{}ms\"", profile.timeout->count()));
  if (profile.max_result) add("max_result", fmt::format("\"{} B\"", *profile.max_result));
  if (profile.max_entries) {
    add("max_entries", std::to_string(*profile.max_entries));
    if (profile.entries == ToolProfile::Entries::lines) add("entries", "\"lines\"");
  }
  if (profile.cost) add("cost", std::to_string(*profile.cost));
  if (!profile.labels.empty()) add("labels", toml_of(names(profile.labels)));
  if (!profile.schema.empty()) add("schema", toml_of_json(profile.schema));
  if (profile.additional_properties == ToolProfile::AdditionalProperties::refuse) {
    add("additional_properties", "\"refuse\"");
  }
  if (profile.formats == ToolProfile::Formats::assert_them) add("formats", "\"assert\"");
  if (profile.untranslatable_patterns == ToolProfile::UntranslatablePatterns::accept) {
    add("untranslatable_patterns", "\"accept\"");
  }
  return text;
}

std::string write_tool(const LearnedTool& tool) {
  const std::string name = toml_string(tool.profile.pattern);
  std::string text =
      fmt::format("\n# seen {} times, by {} principals{}\n[tool.{}]\n", tool.calls, tool.principals,
                  tool.takes_nothing ? ", without arguments" : "", name);
  text += write_settings(tool.profile);
  if (tool.arguments.empty()) return text;
  text += fmt::format("[tool.{}.arguments]\n", name);
  for (const LearnedArgument& argument : tool.arguments)
    text += write_argument(argument);
  return text;
}

std::string_view selector(RuleTarget target) {
  switch (target) {
    case RuleTarget::tools:
      return "tools";
    case RuleTarget::resources:
      return "resources";
    case RuleTarget::prompts:
      return "prompts";
    case RuleTarget::methods:
      return "methods";
  }
  return "tools";
}

std::string write_rule(const LearnedRule& learned) {
  const RuleConfig& rule = learned.rule;
  std::string text = fmt::format("\n# {} principals\n[rule.{}]\neffect = \"permit\"\n",
                                 learned.principals, toml_string(rule.name));
  const bool is_role = !rule.roles.empty();
  text += fmt::format("{} = {}\n", is_role ? "roles" : "principals",
                      toml_of(is_role ? rule.roles : rule.principals));
  text += fmt::format("{} = [\n", selector(rule.target));
  for (std::size_t i = 0; i < rule.patterns.size(); ++i) {
    text +=
        fmt::format("  {},  # seen {} times\n", toml_string(rule.patterns[i]), learned.calls[i]);
  }
  return text + "]\n";
}

std::string write_path(const PathConfig& path) {
  std::string text =
      fmt::format("\n[path.{}]\nroot = {}\n", toml_string(path.name), toml_string(path.root));
  if (path.kind == PathConfig::Kind::file) text += "kind = \"file\"\n";
  if (!path.extensions.empty()) text += "extensions = " + toml_of(path.extensions) + "\n";
  if (path.refuse_hidden) text += "hidden = \"refuse\"\n";
  return text;
}

}  // namespace

// Quotes, backslashes and control characters are all that can end a string or its line. What makes
// a text look like another one is spelled out, too: people are to read the file.
std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const Utf8Character one = read_utf8(text);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(one.size, 1));
    text.remove_prefix(bytes.size());
    if (one.value == '"' || one.value == '\\') quoted += '\\';
    if (is_deceptive(one.value)) {
      const auto number = static_cast<std::uint32_t>(one.value);
      quoted +=
          number > 0xFFFF ? fmt::format("\\U{:08X}", number) : fmt::format("\\u{:04X}", number);
    } else {
      quoted += bytes;
    }
  }
  return quoted + "\"";
}

std::string write_learned(const LearnedPolicy& learned) {
  std::string text = fmt::format(
      "# Learned from {} calls that were permitted; {} refused ones taught nothing.\n"
      "# It stands in the place of every rule with effect = \"permit\". All else that the\n"
      "# configuration has stays, and holds as well: forbids, approvals, profiles, limits, "
      "flows.\n",
      learned.calls, learned.refused);
  if (!learned.replaced.empty()) {
    text += "# Profiles whose place is taken, with all that they said beside arguments:\n";
    for (const std::string& pattern : learned.replaced)
      text += fmt::format("#   [tool.{}]\n", toml_string(pattern));
  }
  text += "version = 1\n";
  for (const LearnedRule& rule : learned.rules)
    text += write_rule(rule);
  for (const LearnedTool& tool : learned.tools)
    text += write_tool(tool);
  for (const PathConfig& path : learned.paths)
    text += write_path(path);
  return text;
}

}  // namespace bartizan
