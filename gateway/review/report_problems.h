#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "config/config_problem.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// The format of a command's findings. `plain` is for people and programs, as `OutputFormat`
/// selects. The others are for a page or for CI services.
enum class ReportFormat : std::uint8_t { plain, markdown, github, sarif, junit };

/// The parts of `FILE:LINE:COLUMN`. Lifetime: views the text.
struct ProblemPlace {
  std::string_view file = {};
  std::uint32_t line = 0, column = 0;  ///< From 1; 0: not given.
};
ProblemPlace place_of_problem(std::string_view where);

/// Writes each problem as a line of `problems`. On a terminal the source line follows with a caret
/// under the column, unless the line may have a secret. If the terminal has colours, errors are red
/// and warnings yellow.
/// Cost: on a terminal, reads each named file once.
void write_problems(std::span<const ConfigProblem> problems, const CommandOutput& output);

/// A complete SARIF document of one run. Input: `driver`, the tool that found the results.
std::string sarif_report(std::string_view driver, std::span<const JsonObject> rules,
                         std::span<const JsonObject> results);

/// GitHub annotations, one per line. GitHub shows them at the lines of a change.
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

/// One check in a report.
struct CheckedCase {
  std::string name;
  std::string failure = {};  ///< Empty: passed.
  std::string note = {};     ///< Further information.
};
/// The cases as JUnit XML, which most CI services read. Characters that XML cannot represent are
/// left out.
std::string junit_report(std::string_view suite, std::span<const CheckedCase> cases);
/// The cases of a checked file: one per problem, or the file itself if there is none.
/// Input: `fails_on_warning`, as for the command.
std::string problems_junit(std::span<const ConfigProblem> problems, std::string_view command,
                           std::string_view file, bool fails_on_warning);

}  // namespace bartizan
