#include "gateway/command/command_test.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "audit/verify.h"
#include "config/load/load_config.h"
#include "config/parse_units.h"
#include "config/problems.h"
#include "policy/explain/judge_cases.h"
#include "policy/learn/toml_text.h"

namespace bartizan {
namespace {

/// One case file, with its results. Results point into it, so it is never moved.
struct JudgedFile {
  CaseFile file;
  std::vector<ConfigProblem> problems = {};  ///< If there are any, nothing is judged.
  ReadDefinitions definitions = {};
  CaseResults judged = {};
};

struct Tested {
  std::vector<ConfigProblem> problems;     ///< Of the policy, or of a case file.
  std::vector<ConfigProblem> doubts = {};  ///< Of case files; they do not fail the command.
  std::vector<std::unique_ptr<const JudgedFile>> files = {};
  std::set<std::string> unmatched_rules = {};
  std::set<std::string> assumed_tools = {};
  std::size_t cases = 0, failed = 0;
};

std::unique_ptr<const JudgedFile> judge_file(const Config& config, const std::string& path) {
  auto judged =
      std::make_unique<JudgedFile>(JudgedFile{.file = with_pinned(load_cases(path), config)});
  judged->definitions = read_definitions(judged->file);
  judged->problems = judged->file.problems;
  std::ranges::move(find_case_problems(config, judged->file), std::back_inserter(judged->problems));
  std::ranges::copy(judged->definitions.problems, std::back_inserter(judged->problems));
  if (judged->problems.empty()) {
    judged->judged = judge_cases(config, judged->file, judged->definitions.tools, command_time());
  }
  return judged;
}

Tested test(const TestOptions& options, const LoadedConfig& loaded) {
  Tested tested{.problems = loaded.problems};
  std::erase_if(tested.problems, [](const ConfigProblem& problem) {
    return problem.severity == ConfigProblem::Severity::warning;
  });
  if (!loaded.usable()) return tested;
  for (const auto& [name, rule] : loaded.config.rules)
    tested.unmatched_rules.insert(name);
  for (const std::string& path : options.cases) {
    const JudgedFile& file = *tested.files.emplace_back(judge_file(loaded.config, path));
    std::ranges::copy(file.problems, std::back_inserter(tested.problems));
    std::ranges::move(find_case_doubts(loaded.config, file.file),
                      std::back_inserter(tested.doubts));
    tested.cases += file.judged.results.size();
    tested.failed += static_cast<std::size_t>(std::ranges::count_if(
        file.judged.results, [](const CaseResult& result) { return !result.has_passed(); }));
    for (const std::string& rule : file.judged.matched_rules)
      tested.unmatched_rules.erase(rule);
    tested.assumed_tools.insert(file.judged.assumed_tools.begin(), file.judged.assumed_tools.end());
  }
  return tested;
}

bool is_well(const TestOptions& options, const Tested& tested) {
  const bool is_covered =
      options.coverage == TestOptions::Coverage::tell || tested.unmatched_rules.empty();
  return tested.problems.empty() && tested.failed == 0 && is_covered;
}

struct AnswerWords {
  std::string_view decision, reason, rule, pointer;
};

AnswerWords words_of(const ExpectedAnswer& expected) {
  const bool is_permit = expected.decision == ExpectedAnswer::Decision::permit;
  return {is_permit ? "permit" : "deny", expected.reason, expected.rule, expected.pointer};
}

AnswerWords words_of(const Decision& decision) {
  const std::string_view reason = decision.permits() ? std::string_view() : text(decision.reason);
  return {decision.permits() ? "permit" : "deny", reason, decision.rule_name(), decision.pointer};
}

/// `deny, path_outside_root at /path, by rule analysts-read`
std::string sentence(const AnswerWords& words) {
  std::string told(words.decision);
  if (!words.reason.empty()) told += fmt::format(", {}", words.reason);
  if (!words.pointer.empty()) told += fmt::format(" at {}", words.pointer);
  if (!words.rule.empty()) told += fmt::format(", by rule {}", words.rule);
  return told;
}

/// The fact in the syntax of a case.
std::string fact_example(const FactQuery& question) {
  const std::string name = toml_string(absolute_name(question));
  switch (question.kind) {
    case FactQuery::Kind::place:
      return fmt::format("facts.places = {{ {} = \"file\" }} (or \"directory\", \"absent\", …)",
                         name);
    case FactQuery::Kind::text:
      return fmt::format("facts.places = {{ {} = \"file\" }} (or \"binary\")", name);
    case FactQuery::Kind::content:
      return fmt::format("facts.contents = {{ {} = \"SHA-256 of the file\" }}", name);
    case FactQuery::Kind::addresses:
      break;
  }
  return fmt::format("facts.addresses = {{ {} = [\"1.1.1.1\"] }}", name);
}

void write_failure(const JudgedFile& in, const CaseResult& result, const CommandOutput& output) {
  const PolicyCase& one = *result.asked;
  output.results << place(in.file.files, one.where) << ": " << quote(one.name) << ": ";
  if (!result.failure.empty()) {
    output.results << "cannot be judged: " << result.failure << '\n';
    return;
  }
  output.results << "expected " << sentence(words_of(one.expected)) << "; got "
                 << sentence(words_of(result.answer.decision)) << '\n';
  const RuleInfo* rule = result.answer.decision.rule;
  const bool has_advice =
      result.answer.decision.denies() && rule != nullptr && !rule->remediation.empty();
  if (result.answer.decision.denies()) {
    output.results << "    "
                   << (has_advice ? rule->remediation : message_of(result.answer.decision.reason))
                   << '\n';
  }
  for (const FactQuery& question : result.missing_facts) {
    output.results << "    the case does not give " << visible(text(question))
                   << "; add, for example, " << visible(fact_example(question)) << '\n';
  }
}

void write_text(const TestOptions& options, const Config& config, const Tested& tested,
                const CommandOutput& output) {
  write_problems(tested.problems, output);
  if (!tested.problems.empty()) return;
  write_problems(tested.doubts, output);
  for (const auto& file : tested.files) {
    for (const CaseResult& result : file->judged.results) {
      if (!result.has_passed()) write_failure(*file, result, output);
    }
  }
  output.results << fmt::format("{}: {} of {} as expected\n", options.policy,
                                tested.cases - tested.failed, format_count(tested.cases, "case"));
  const std::size_t rules = config.rules.size();
  output.results << fmt::format("rules: {} of {} matched in a case",
                                rules - tested.unmatched_rules.size(), rules);
  if (!tested.unmatched_rules.empty()) {
    output.results << fmt::format("; in none: {}", fmt::join(tested.unmatched_rules, ", "));
  }
  output.results << '\n';
  if (tested.assumed_tools.empty()) return;
  output.results << fmt::format(
      "note: the definitions of {} are not known: arguments were not validated against a schema\n",
      fmt::join(tested.assumed_tools, ", "));
}

JsonObject words_json(const AnswerWords& words) {
  JsonObject json;
  json.add("decision", words.decision);
  if (!words.reason.empty()) json.add("reason", words.reason);
  if (!words.rule.empty()) json.add("rule", words.rule);
  if (!words.pointer.empty()) json.add("pointer", words.pointer);
  return json;
}

JsonObject case_json(const JudgedFile& in, const CaseResult& result) {
  const PolicyCase& one = *result.asked;
  JsonObject json;
  json.add("name", one.name);
  json.add("where", place(in.file.files, one.where));
  json.add_flag("passed", result.has_passed());
  json.add_json("expected", words_json(words_of(one.expected)).text());
  if (!result.failure.empty()) {
    json.add("failure", result.failure);
    return json;
  }
  JsonObject got = words_json(words_of(result.answer.decision));
  if (!result.answer.check.empty()) got.add("check", result.answer.check);
  if (result.answer.decision.rule != nullptr && !result.answer.decision.rule->remediation.empty()) {
    got.add("remediation", result.answer.decision.rule->remediation);
  }
  json.add_json("got", got.text());
  std::vector<std::string> missing;
  for (const FactQuery& question : result.missing_facts)
    missing.push_back(text(question));
  if (!missing.empty()) json.add("missing_facts", missing);
  return json;
}

std::vector<std::string> listed(const std::set<std::string>& names) {
  return {names.begin(), names.end()};
}

void write_json(const TestOptions& options, const Tested& tested, const CommandOutput& output) {
  std::vector<JsonObject> cases;
  for (const auto& file : tested.files) {
    for (const CaseResult& result : file->judged.results)
      cases.push_back(case_json(*file, result));
  }
  JsonObject json;
  json.add("policy", options.policy);
  json.add_flag("ok", is_well(options, tested));
  json.add("passed", tested.cases - tested.failed);
  json.add("failed", tested.failed);
  json.add("unmatched_rules", listed(tested.unmatched_rules));
  json.add("tools_without_definition", listed(tested.assumed_tools));
  json.add("cases", cases);
  json.add("problems", problems_json(tested.problems));
  json.add("warnings", problems_json(tested.doubts));
  output.results << json.text() << '\n';
}

/// The expected and the actual decision; empty if they are equal.
std::string failure_of(const CaseResult& result) {
  if (result.has_passed()) return {};
  if (!result.failure.empty()) return "cannot be judged: " + result.failure;
  return fmt::format("expected {}; got {}", sentence(words_of(result.asked->expected)),
                     sentence(words_of(result.answer.decision)));
}

/// Annotations at the lines of case files and of the policy.
void write_github(const TestOptions& options, const Config& config, const Tested& tested,
                  const CommandOutput& output) {
  std::vector<ConfigProblem> all = tested.problems;
  for (const auto& file : tested.files) {
    for (const CaseResult& result : file->judged.results) {
      if (result.has_passed()) continue;
      all.push_back(
          {.where = place(file->file.files, result.asked->where),
           .message = fmt::format("{}: {}", quote(result.asked->name), failure_of(result))});
    }
  }
  if (tested.problems.empty()) std::ranges::copy(tested.doubts, std::back_inserter(all));
  if (tested.problems.empty() && options.coverage == TestOptions::Coverage::require) {
    for (const std::string& rule : tested.unmatched_rules) {
      all.push_back({.where = text(config, config.rules.at(rule).where),
                     .message = fmt::format("rule {} matches in no case", rule)});
    }
  }
  output.results << problems_github(all);
}

void write_junit(const TestOptions& options, const Tested& tested, const CommandOutput& output) {
  std::vector<CheckedCase> cases;
  for (const ConfigProblem& problem : tested.problems)
    cases.push_back({.name = problem.where, .failure = text(problem)});
  for (const auto& file : tested.files) {
    for (const CaseResult& result : file->judged.results)
      cases.push_back({.name = result.asked->name, .failure = failure_of(result)});
  }
  if (options.coverage == TestOptions::Coverage::require) {
    for (const std::string& rule : tested.unmatched_rules)
      cases.push_back({.name = "rule " + rule, .failure = "it matches in no case"});
  }
  output.results << junit_report("bartizan test", cases);
}

}  // namespace

int test_policy(const TestOptions& options, const CommandOutput& output) {
  const LoadedConfig loaded = load_config(options.policy);
  const Tested tested = test(options, loaded);
  if (options.report == ReportFormat::junit) {
    write_junit(options, tested, output);
  } else if (options.report == ReportFormat::github) {
    write_github(options, loaded.config, tested, output);
  } else if (output.format == OutputFormat::json) {
    write_json(options, tested, output);
  } else {
    write_text(options, loaded.config, tested, output);
  }
  return finish(output, is_well(options, tested) ? kExitDone : kExitFailed);
}

}  // namespace bartizan
