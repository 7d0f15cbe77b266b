#include "config/config_problem.h"

#include <fmt/format.h>

namespace bartizan {

std::string text(const ConfigProblem& problem) {
  const bool is_error = problem.severity == ConfigProblem::Severity::error;
  std::string line =
      fmt::format("{}: {}: {}", problem.where, is_error ? "error" : "warning", problem.message);
  if (!problem.hint.empty()) line += "; " + problem.hint;
  if (!problem.example.empty()) line += "; for example " + problem.example;
  return line;
}

}  // namespace bartizan
