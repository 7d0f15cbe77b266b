#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/review/command_output.h"
#include "gateway/review/report_problems.h"

namespace bartizan {

/// Options of `bartizan test`.
struct TestOptions {
  std::string policy;              ///< A configuration.
  std::vector<std::string> cases;  ///< Case files; see `load_cases`.
  /// Whether a rule that matches in no case is a failure too.
  enum class Coverage : std::uint8_t { tell, require } coverage = Coverage::tell;
  ReportFormat report = ReportFormat::plain;  ///< Or `github`, `junit`.
};

/// `bartizan test POLICY CASES…`: whether a policy's decisions are as expected. Starts no server
/// and reads no secret. Returns kExitDone if every case is as expected.
int test_policy(const TestOptions& options, const CommandOutput& output);

}  // namespace bartizan
