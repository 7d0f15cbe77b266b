#include "policy/value_predicate.h"

#include <array>
#include <cstddef>
#include <memory_resource>
#include <vector>

#include "schemas/limits.h"

namespace bartizan {
namespace {

using Paths = std::map<std::string, PathConfig, std::less<>>;

/// Makes the compiled form of each predicate.
struct Compiler {
  using Compiled = std::shared_ptr<const ValuePredicate>;
  const Paths& paths;

  Compiled operator()(const PathPredicate& path) const {
    const auto found = paths.find(path.path);
    // Nothing lies within a root that is not there.
    return std::make_shared<const ValuePredicate>(
        compile_path_rules(found == paths.end() ? PathConfig() : found->second));
  }
  Compiled operator()(const NumberPredicate& number) const {
    return std::make_shared<const ValuePredicate>(NumberRange(number));
  }
  Compiled operator()(const OneOfPredicate& one_of) const {
    return std::make_shared<const ValuePredicate>(ValueSet(one_of));
  }
  Compiled operator()(const TextPredicate& text) const {
    return std::make_shared<const ValuePredicate>(TextForm(text));
  }
  Compiled operator()(const AbsentPredicate& /*absent*/) const { return nullptr; }
  /// What was forced before is judged as any value is: where its place had another shape, nothing
  /// was forced.
  Compiled operator()(const FixedPredicate& fixed) const {
    return std::make_shared<const ValuePredicate>(ValueSet(OneOfPredicate{{fixed.value}}));
  }
  Compiled operator()(const UrlPredicate& url) const {
    return std::make_shared<const ValuePredicate>(compile_url_rules(url.form));
  }
  Compiled operator()(const CommandPredicate& command) const {
    return std::make_shared<const ValuePredicate>(compile_command_rules(command.form));
  }
  Compiled operator()(const SqlPredicate& sql) const {
    return std::make_shared<const ValuePredicate>(compile_sql_rules(sql.form));
  }
};

Reason reason_for(UrlRefusal refusal) {
  switch (refusal) {
    case UrlRefusal::malformed:
    case UrlRefusal::ambiguous:
      return Reason::url_malformed;
    case UrlRefusal::address:
      return Reason::url_private;
    case UrlRefusal::scheme:
    case UrlRefusal::credentials:
    case UrlRefusal::host:
    case UrlRefusal::port:
      break;
  }
  return Reason::url_not_allowed;
}

Reason reason_for(SqlRefusal refusal) {
  switch (refusal) {
    case SqlRefusal::malformed:
    case SqlRefusal::too_large:
    case SqlRefusal::first_byte:
    case SqlRefusal::several:
      return Reason::sql_malformed;
    case SqlRefusal::too_costly:
      return Reason::argument_undecidable;
    case SqlRefusal::statement:
    case SqlRefusal::comment:
    case SqlRefusal::table:
    case SqlRefusal::function:
    case SqlRefusal::recursive:
      break;
  }
  return Reason::sql_not_allowed;
}

Reason reason_for(CommandRefusal refusal) {
  switch (refusal) {
    case CommandRefusal::costly:
      return Reason::argument_undecidable;
    case CommandRefusal::malformed:
      return Reason::command_malformed;
    case CommandRefusal::blocked:
      return Reason::command_blocked;
    case CommandRefusal::argument:
    case CommandRefusal::program:
    case CommandRefusal::environment:
    case CommandRefusal::syntax:
    case CommandRefusal::account:
      break;
  }
  return Reason::command_not_allowed;
}

/// A command as an array of its words.
Reason judge_words(JsonValue array, const CommandRules& rules, StepBudget& steps) {
  // So many need no memory from elsewhere.
  std::array<std::byte, 64 * sizeof(std::string_view)> room{};
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  std::pmr::vector<std::string_view> words(&memory);
  words.reserve(room.size() / sizeof(std::string_view));
  for (const JsonValue word : array) {
    if (!word.is(JsonType::string)) return Reason::argument_wrong_type;
    if (words.size() > limits::command_words_max) return Reason::command_malformed;
    words.push_back(word.text());
  }
  const auto refusal = judge_command(words, rules, steps);
  return refusal ? reason_for(*refusal) : Reason::none;
}

/// Asks each compiled predicate.
struct Judge {
  JsonValue value;
  ValueFacts& facts;

  Reason operator()(const PathRules& rules) const {
    if (!value.is(JsonType::string)) return Reason::argument_wrong_type;
    return judge_path(value.text(), rules, facts);
  }
  Reason operator()(const NumberRange& range) const { return range.judge(value); }
  Reason operator()(const ValueSet& set) const { return set.judge(value); }
  Reason operator()(const TextForm& form) const { return form.judge(value, facts.steps); }
  Reason operator()(const UrlRules& rules) const {
    if (!value.is(JsonType::string)) return Reason::argument_wrong_type;
    const auto refusal = judge_url(value.text(), rules);
    return refusal ? reason_for(*refusal) : Reason::none;
  }
  Reason operator()(const CommandRules& rules) const {
    if (value.is(JsonType::array)) return judge_words(value, rules, facts.steps);
    if (!value.is(JsonType::string)) return Reason::argument_wrong_type;
    const auto refusal = judge_command(value.text(), rules, facts.steps);
    return refusal ? reason_for(*refusal) : Reason::none;
  }
  Reason operator()(const SqlRules& rules) const {
    if (!value.is(JsonType::string)) return Reason::argument_wrong_type;
    const auto refusal = judge_sql(value.text(), rules, facts.steps);
    return refusal ? reason_for(*refusal) : Reason::none;
  }
};

}  // namespace

std::shared_ptr<const ValuePredicate> compile_predicate(const Predicate& predicate,
                                                        const Paths& paths) {
  return std::visit(Compiler{paths}, predicate);
}

Reason judge_value(const ValuePredicate& predicate, JsonValue value, ValueFacts& facts) {
  return std::visit(Judge{value, facts}, predicate);
}

}  // namespace bartizan
