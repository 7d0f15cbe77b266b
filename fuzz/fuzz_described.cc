#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/load/call_json.h"
#include "config/load/case_file.h"
#include "config/load/lock_file.h"
#include "fuzz/require.h"

/// Files of cases, calls and lock files are read, or told what is wrong with them and where; a call
/// that was read is written so that it is read as the same.

namespace {

using namespace bartizan;

void check_problems(const std::vector<ConfigProblem>& problems, std::string_view name) {
  for (const ConfigProblem& problem : problems) {
    require(problem.where.starts_with(name) && !problem.message.empty());
    require(text(problem).find('\n') == std::string::npos);
  }
}

void check_call(std::string_view bytes) {
  const CaseFile file = read_call_json(bytes, "call.json");
  check_problems(file.problems, "call.json");
  if (!file.problems.empty() || file.cases.empty()) return;
  const std::string json = call_json(file.cases.front().call);
  const CaseFile again = read_call_json(json, "again.json");
  require(again.problems.empty() && again.cases.size() == 1);
  require(call_json(again.cases.front().call) == json);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 64 * 1024) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_problems(load_cases_text(bytes, "cases.toml").problems, "cases.toml");
  check_call(bytes);
  Problems problems;
  problems.add_file("gateway.toml");
  const LockFile lock =
      parse_lock_file(bytes, "bartizan.lock", {.file = 0, .line = 1, .column = 1}, problems);
  const auto told = problems.sorted();
  check_problems(told, "gateway.toml");
  require(told.empty() || (lock.tools.empty() && lock.executables.empty()));
  if (told.empty()) static_cast<void>(pinned_definitions(bytes));
  return 0;
}
