#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/load/call_json.h"
#include "config/problems.h"
#include "policy/check/check_existence.h"
#include "policy/check/compile_policy.h"
#include "policy/diff/edge_values.h"
#include "policy/review/example_call.h"
#include "policy/review/sent_tools.h"
#include "policy/text/match.h"
#include "schemas/message/tool_schemas.h"
#include "schemas/schema/metaschemas.h"

namespace bartizan {
namespace {

/// Compares profiles with the definitions of tools.
class Comparing {
 public:
  Comparing(const Config& config, const KnownTools& listed)
      : config_(config), listed_(listed), sent_(config, listed) {}

  std::vector<ConfigProblem> run() && {
    for (const ToolProfile& profile : config_.tools)
      compare(profile);
    for (const auto& [name, rule] : config_.rules)
      compare(rule);
    find_unusable();
    return std::move(problems_);
  }

 private:
  using Schemas = std::vector<const JsonSchema*>;

  void warn(const Position& where, std::string message, std::string hint = {},
            const std::optional<DescribedCall>& example = {}) {
    problems_.push_back({.severity = ConfigProblem::Severity::warning,
                         .where = text(config_, where),
                         .message = std::move(message),
                         .hint = std::move(hint),
                         .example = example.has_value() ? call_json(*example) : ""});
  }

  /// A call of a known tool that the pattern matches, with a value at that pointer.
  DescribedCall example(const std::string& pattern, const std::string& pointer,
                        const std::string& value = "\"x\"") const {
    return with_arguments(witness_of(config_, pattern, "", names_), {{pointer, value}});
  }
  DescribedCall example(const std::string& pattern, const ArgumentPredicate& asked) const {
    const std::vector<std::string> values = edge_values(config_, asked.predicate);
    return values.empty() ? example(pattern, asked.pointer)
                          : example(pattern, asked.pointer, values.front());
  }
  DescribedCall example(const RuleConfig& rule, const ArgumentPredicate& asked) const {
    const std::vector<std::string> values = edge_values(config_, asked.predicate);
    return with_arguments(witness_of(config_, rule, names_),
                          {{asked.pointer, values.empty() ? "\"x\"" : values.front()}});
  }

  /// The usable input schemas of the tools that a pattern matches.
  static Schemas schemas_of(const KnownTools& known, const std::string& pattern) {
    const Glob glob(pattern);
    Schemas schemas;
    for (const auto& [server, tools] : known) {
      for (const ToolDefinition* tool : tools) {
        if (tool->schemas == nullptr || !glob.matches(server + "/" + tool->name)) continue;
        const JsonSchema* schema =
            tool->schemas->input.usable(SchemaOptions::Untranslatable::leave_out);
        if (schema != nullptr) schemas.push_back(schema);
      }
    }
    return schemas;
  }

  void compare(const ToolProfile& profile) {
    compare_renames(profile);
    const Schemas schemas = schemas_of(sent_.tools(), profile.pattern);
    if (schemas.empty()) return;  // They are not known, or the pattern has its own problem.
    const auto look_up = [&](std::string_view what, const std::string& pointer,
                             const Position& where) {
      if (is_declared(schemas, pointer)) return;
      warn(where,
           std::string(what) + " of " + quote(profile.pattern) + " names " + quote(pointer) +
               ", which the input schema of no such tool has",
           {}, example(profile.pattern, pointer));
    };
    for (const ArgumentPredicate& predicate : profile.arguments) {
      look_up("a predicate", predicate.pointer, predicate.where);
      compare_types(schemas, predicate, "the profile " + quote(profile.pattern),
                    example(profile.pattern, predicate));
    }
    if (profile.schema.empty()) return;
    const auto overlay = JsonSchema::compile(profile.schema, metaschemas());
    if (!overlay.has_value()) return;  // An error already.
    for (const std::string& pointer : overlay->named_pointers())
      look_up("the schema", pointer, profile.schema_where);
  }

  /// A rename of an argument that clients do not see has no effect. A rename to a listed name makes
  /// the tool unusable.
  void compare_renames(const ToolProfile& profile) {
    const Schemas schemas = schemas_of(listed_, profile.pattern);
    if (schemas.empty() || profile.renames.empty()) return;
    const bool can_be_renamed = !schemas_of(sent_.tools(), profile.pattern).empty();
    bool is_told = can_be_renamed;
    for (const RenamedArgument& rename : profile.renames) {
      const bool has_both = is_declared(schemas, rename.sent);
      if (is_declared(schemas, rename.listed) && !has_both) continue;
      const std::string& pointer = has_both ? rename.sent : rename.listed;
      is_told = is_told || has_both;
      warn(rename.where,
           "a rename of " + quote(profile.pattern) + " names " + quote(pointer) +
               (has_both ? ", which the input schema of the tool has already, so it is quarantined"
                         : ", which the input schema of the tool does not have"),
           {}, example(profile.pattern, pointer));
    }
    if (is_told) return;
    const RenamedArgument& first = profile.renames.front();
    warn(first.where,
         "the input schema of " + quote(profile.pattern) +
             " names a renamed argument where it cannot be renamed, so the tool is quarantined",
         {}, example(profile.pattern, first.listed));
  }

  static bool is_declared(const Schemas& schemas, const std::string& pointer) {
    return std::ranges::any_of(
        schemas, [&pointer](const JsonSchema* schema) { return schema->declares(pointer); });
  }

  /// A predicate on values of a type that no such tool accepts refuses every call with the
  /// argument.
  void compare_types(const Schemas& schemas, const ArgumentPredicate& predicate,
                     const std::string& who, const DescribedCall& example) {
    const std::vector<JsonType> wanted = types_of(predicate.predicate);
    Schemas declaring;
    std::ranges::copy_if(schemas, std::back_inserter(declaring), [&](const JsonSchema* schema) {
      return schema->declares(predicate.pointer);
    });
    const bool fits = std::ranges::any_of(declaring, [&](const JsonSchema* schema) {
      return std::ranges::any_of(
          wanted, [&](JsonType type) { return schema->may_be(predicate.pointer, type); });
    });
    if (fits || declaring.empty() || wanted.empty()) return;
    warn(predicate.where,
         who + " asks for another type at " + quote(predicate.pointer) +
             " than the input schema has there",
         {}, example);
  }

  /// The type of the forced value.
  static JsonType type_of(const FixedPredicate& fixed) {
    if (fixed.value.starts_with('"')) return JsonType::string;
    return fixed.value == "true" || fixed.value == "false" ? JsonType::boolean : JsonType::number;
  }

  /// The types of values that a predicate can accept; empty if it requires that there is no value.
  static std::vector<JsonType> types_of(const Predicate& predicate) {
    if (std::holds_alternative<AbsentPredicate>(predicate)) return {};
    if (const auto* fixed = std::get_if<FixedPredicate>(&predicate)) return {type_of(*fixed)};
    if (std::holds_alternative<NumberPredicate>(predicate)) return {JsonType::number};
    if (std::holds_alternative<CommandPredicate>(predicate))
      return {JsonType::string, JsonType::array};
    if (std::holds_alternative<OneOfPredicate>(predicate))
      return {JsonType::string, JsonType::number, JsonType::boolean};
    return {JsonType::string};
  }

  /// A condition on an argument that a tool does not declare is undecidable.
  void compare(const RuleConfig& rule) {
    Schemas schemas;
    for (const std::string& pattern : rule.patterns) {
      const Schemas more = schemas_of(sent_.tools(), pattern);
      schemas.insert(schemas.end(), more.begin(), more.end());
    }
    if (schemas.empty()) return;
    const std::string_view then =
        rule.effect == Effect::permit ? "so it never permits" : "so it always refuses";
    for (const RuleConditions* conditions : {&rule.when, &rule.unless}) {
      for (const ArgumentPredicate& predicate : conditions->arguments) {
        compare_types(schemas, predicate, "rule " + quote(rule.name), example(rule, predicate));
        if (is_declared(schemas, predicate.pointer)) continue;
        warn(predicate.where,
             "rule " + quote(rule.name) + " asks for " + quote(predicate.pointer) +
                 ", which the input schema of no such tool has, " + std::string(then),
             {}, example(rule, predicate));
      }
    }
  }

  void find_unusable() {
    const ToolProfiles profiles(config_, {});
    for (const auto& [server, tools] : listed_) {
      const auto configured = config_.servers.find(server);
      if (configured == config_.servers.end()) continue;
      for (const ToolDefinition* tool : tools) {
        warn_of_output(profiles, server, *tool, configured->second.where);
        if (is_judgeable(profiles, server, *tool)) continue;
        const std::string why = tool->schemas == nullptr ? "" : ": " + tool->schemas->flaw();
        const bool is_pattern = tool->schemas != nullptr &&
                                tool->schemas->is_usable(SchemaOptions::Untranslatable::leave_out);
        warn(configured->second.where,
             "tool " + quote(server + "/" + tool->name) + " is quarantined" + why,
             is_pattern ? "untranslatable_patterns = \"accept\" in a profile of this tool takes it "
                          "without the pattern"
                        : "");
      }
    }
  }

  void warn_of_output(const ToolProfiles& profiles, const std::string& server,
                      const ToolDefinition& tool, const Position& where) {
    const bool is_sound =
        tool.schemas == nullptr || !tool.schemas->output.has_value() ||
        tool.schemas->output->usable(profiles.find(server, tool.name)->untranslatable) != nullptr;
    if (is_sound) return;
    warn(
        where,
        "the output schema of tool " + quote(server + "/" + tool.name) +
            " cannot be used: " + tool.schemas->output_flaw(),
        "its results lose their structured content; output_schema = \"warn\" of the server lets it "
        "pass");
  }

  const Config& config_;
  const KnownTools& listed_;
  const SentTools sent_;
  KnownNames names_ = names_of(listed_);
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_schema_problems(const Config& config, const KnownTools& tools) {
  return Comparing(config, tools).run();
}

}  // namespace bartizan
