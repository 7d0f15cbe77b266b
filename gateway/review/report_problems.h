#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "config/config_problem.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// For whom a command writes its findings: people and programs, as `OutputFormat` says, a page, or
/// a service that runs checks.
enum class ReportFormat : std::uint8_t { plain, markdown, github, sarif, junit };

/// The parts of `FILE:LINE:COLUMN`. Lifetime: views the text.
struct ProblemPlace {
  std::string_view file = {};
  std::uint32_t line = 0, column = 0;  ///< From 1; 0 where the place names none.
};
ProblemPlace place_of_problem(std::string_view where);

/// Each as a line of `problems`. On a terminal the source line follows, with a caret below the
/// column, but not where the line may hold a secret; errors are red and warnings are yellow where
/// the terminal has colours.
/// Cost: reads each file that is named once, on a terminal only.
void write_problems(std::span<const ConfigProblem> problems, const CommandOutput& output);

/// A whole SARIF document of one run. Input: `driver`, what found the results.
std::string sarif_report(std::string_view driver, std::span<const JsonObject> rules,
                         std::span<const JsonObject> results);

/// As annotations, one per line, that GitHub shows at the lines of a change.
/// Source: GitHub Docs, "Workflow commands for GitHub Actions".
std::string problems_github(std::span<const ConfigProblem> problems);

/// A kind of problem, for services that count, group and dismiss problems by kind.
struct ReportRule {
  std::string_view id;  ///< Stays as it is from version to version.
  std::string_view description;
};

/// As SARIF 2.1.0, for code scanning.
///
/// Input: `command`, which found them, such as `bartizan check`; `rules`, each kind that there is;
///        `rule_of`, which has for each problem the place of its kind in `rules`.
/// Source: OASIS, Static Analysis Results Interchange Format 2.1.0, §3.27 and §3.49.
std::string problems_sarif(std::span<const ConfigProblem> problems,
                           std::span<const std::size_t> rule_of, std::span<const ReportRule> rules,
                           std::string_view command);

/// One thing that was checked.
struct CheckedCase {
  std::string name;
  std::string failure = {};  ///< Empty where it passed.
  std::string note = {};     ///< What else there is to say.
};
/// As JUnit's XML, which most services read. Characters that XML cannot hold are left out.
std::string junit_report(std::string_view suite, std::span<const CheckedCase> cases);
/// The cases of a file that was checked: each problem, or the file itself where there is none.
/// Input: `fails_on_warning` as the command does.
std::string problems_junit(std::span<const ConfigProblem> problems, std::string_view command,
                           std::string_view file, bool fails_on_warning);

}  // namespace bartizan
