#include "policy/distinct_values.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "policy/path.h"
#include "policy/value_facts.h"
#include "policy/value_predicate.h"
#include "schemas/json.h"

namespace bartizan {
namespace {

struct Judge {
  ValuePredicate predicate;
  std::string_view cwd;
};

/// The rules of a place, without a look at the disk. What is found there is held to its kind and
/// extensions, so that a value stands for others only where it would be a file and a folder as they
/// would.
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

/// Nothing where one of them asks for more than the value.
std::optional<std::vector<Judge>> compile_all(const std::vector<AskedPredicate>& asked) {
  std::vector<Judge> judges;
  for (const AskedPredicate& one : asked) {
    const auto path = one.config->paths.find(path_name(*one.predicate));
    if (path != one.config->paths.end()) {
      add_path(path->second, one.cwd, judges);
      continue;
    }
    const auto compiled = compile_predicate(*one.predicate, one.config->paths);
    if (compiled == nullptr) continue;  // `absent` says the same of every value.
    if (asks_outside(*compiled)) return std::nullopt;
    judges.push_back({*compiled, one.cwd});
  }
  return judges;
}

/// What is said of one value.
struct Said {
  std::vector<Reason> reasons = {};
  std::size_t passes = 0;
};

Said judge_all(const std::vector<Judge>& judges, JsonValue value) {
  Said said;
  // A schema may tell these apart, too.
  said.reasons.push_back(value.is(JsonType::string) && value.text().starts_with('/')
                             ? Reason::none
                             : Reason::path_relative);
  for (const Judge& judge : judges) {
    for (const ToolEffect effect : {ToolEffect::reads, ToolEffect::may_write}) {
      ValueFacts facts{.cwd = judge.cwd, .effect = effect};
      said.reasons.push_back(judge_value(judge.predicate, value, facts));
      if (said.reasons.back() == Reason::none) ++said.passes;
    }
  }
  return said;
}

}  // namespace

std::vector<std::string> distinct_values(std::vector<std::string> values,
                                         const std::vector<AskedPredicate>& asked) {
  const auto judges = compile_all(asked);
  if (!judges.has_value()) return values;
  std::set<std::pair<JsonType, std::vector<Reason>>> known;
  std::vector<std::string> distinct;
  std::size_t likeliest = 0;
  std::size_t passes_max = 0;
  for (std::string& json : values) {
    const Bytes bytes{std::string_view(json)};
    JsonDocument document;
    const JsonValue value = document.read(bytes).value_or(JsonValue());
    Said said = judge_all(*judges, value);
    if (!known.emplace(value.type(), std::move(said.reasons)).second) continue;
    if (said.passes > passes_max) {
      passes_max = said.passes;
      likeliest = distinct.size();
    }
    distinct.push_back(std::move(json));
  }
  const auto begin = distinct.begin();
  const auto found = begin + static_cast<std::ptrdiff_t>(likeliest);
  if (!distinct.empty()) std::rotate(begin, found, found + 1);
  return distinct;
}

}  // namespace bartizan
