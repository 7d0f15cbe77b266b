#include "policy/diff/distinct_values.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "policy/path/path.h"
#include "policy/predicate/value_predicate.h"
#include "policy/verdict/value_facts.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

struct Judge {
  ValuePredicate predicate;
  std::string_view cwd;
};

/// Adds the rules of a place, without a look at the disk. Kind and extensions are checked once for
/// a file and once for a folder. A value thus stands for others only if it would be decided like
/// them as both.
void add_path(const PathConfig& path, std::string_view cwd, std::vector<Judge>& judges) {
  PathConfig lexical = path;
  lexical.resolve = PathConfig::Resolve::lexical;
  judges.push_back({compile_path_rules(lexical), cwd});
  if (path.resolve == PathConfig::Resolve::lexical) return;
  for (const auto kind : {PathConfig::Kind::file, PathConfig::Kind::directory}) {
    lexical.kind = kind;
    judges.push_back({compile_path_rules(lexical), cwd});
  }
}

/// The judges that need the value alone.
struct Judges {
  std::vector<Judge> all = {};
  bool ask_more = false;  ///< A predicate needs more than the value.
};

Judges compile_all(const std::vector<AskedPredicate>& asked) {
  Judges judges;
  for (const AskedPredicate& one : asked) {
    const auto path = one.config->paths.find(path_name(*one.predicate));
    if (path != one.config->paths.end()) {
      add_path(path->second, one.cwd, judges.all);
      continue;
    }
    const auto compiled = compile_predicate(*one.predicate, one.config->paths);
    if (compiled == nullptr) continue;  // `absent` gives every value the same answer.
    if (asks_outside(*compiled)) {
      judges.ask_more = true;
    } else {
      judges.all.push_back({*compiled, one.cwd});
    }
  }
  return judges;
}

/// The answers to one value.
struct Said {
  JsonType type = JsonType::null;
  std::vector<Reason> reasons = {};  ///< The first is not that of a predicate.
  std::vector<std::string> by_schemas = {};
  auto operator<=>(const Said&) const = default;

  /// The number of predicates that accept it, less the number of schemas with violations. A value
  /// that all accept has the highest number.
  std::ptrdiff_t passes() const {
    return std::count(reasons.begin() + 1, reasons.end(), Reason::none) -
           std::ranges::count_if(by_schemas, [](const std::string& said) { return !said.empty(); });
  }
};

Said judge_all(const std::vector<Judge>& judges, const AskedOfArgument& asked,
               const std::string& json) {
  const Bytes bytes{std::string_view(json)};
  JsonDocument document;
  const JsonValue value = document.read(bytes).value_or(JsonValue());
  Said said{.type = value.type()};
  // Without a pinned schema, a real one may distinguish these, too.
  said.reasons.push_back(value.is(JsonType::string) && value.text().starts_with('/')
                             ? Reason::none
                             : Reason::path_relative);
  for (const Judge& judge : judges) {
    for (const ToolEffect effect : {ToolEffect::reads, ToolEffect::may_write}) {
      ValueFacts facts{.cwd = judge.cwd, .effect = effect};
      said.reasons.push_back(judge_value(judge.predicate, value, facts));
    }
  }
  if (!asked.schemas.is_empty()) said.by_schemas = asked.schemas.judge(asked.pointer, json);
  return said;
}

}  // namespace

std::vector<std::string> distinct_values(std::vector<std::string> values,
                                         const AskedOfArgument& asked) {
  const Judges judges = compile_all(asked.predicates);
  const bool keeps_all = judges.ask_more || asked.schemas.ties_arguments();
  std::set<Said> known;
  std::vector<std::string> distinct;
  std::ptrdiff_t likeliest = 0;
  std::optional<std::ptrdiff_t> passes_max;
  for (std::string& json : values) {
    Said said = judge_all(judges.all, asked, json);
    const std::ptrdiff_t passes = said.passes();
    if (!known.insert(std::move(said)).second && !keeps_all) continue;
    if (!passes_max.has_value() || passes > *passes_max) {
      likeliest = std::ssize(distinct);
      passes_max = passes;
    }
    distinct.push_back(std::move(json));
  }
  const auto found = distinct.begin() + likeliest;
  if (!distinct.empty()) std::rotate(distinct.begin(), found, found + 1);
  return distinct;
}

std::string likeliest_value(const std::vector<std::string>& values, const AskedOfArgument& asked) {
  const Judges judges = compile_all(asked.predicates);
  return *std::ranges::max_element(values, {}, [&](const std::string& json) {
    return judge_all(judges.all, asked, json).passes();
  });
}

}  // namespace bartizan
