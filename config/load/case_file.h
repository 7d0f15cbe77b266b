#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/described_call.h"
#include "config/load/load_config.h"

namespace bartizan {

/// What a policy is expected to say of a call; what is empty may be anything.
struct ExpectedAnswer {
  enum class Decision : std::uint8_t { permit, deny } decision = Decision::deny;
  std::string reason = {};   ///< As records spell it.
  std::string rule = {};     ///< The name of the rule that decided.
  std::string pointer = {};  ///< Into the arguments: what was refused.
};

/// `[case.NAME]`: a call, and what is expected.
struct PolicyCase {
  std::string name = {};
  DescribedCall call = {};
  ExpectedAnswer expected = {};
  Position where = {};
};

/// The calls of a file, in the order in which they stand there, and what it says of tools.
struct CaseFile {
  std::vector<std::string> files = {};  ///< What positions count.
  std::vector<PolicyCase> cases = {};
  std::map<std::string, DescribedTool, std::less<>> tools = {};  ///< By `server/tool`.
  std::vector<ConfigProblem> problems = {};                      ///< All are errors.
};

/// Reads a case file, TOML:
///
///     version = 1
///     [facts]                       # of every case that says nothing else
///     time = 2027-01-31T09:00:00Z
///     [definition."files/read"]     # what the server lists of a tool
///     inputSchema = { type = "object" }
///     [case.ann-reads]
///     principal = "ann"             # or roles = ["analyst"]
///     tool = "files/read"           # or resource, prompt, or a method alone
///     arguments = { path = "a.md" } # or the JSON object as a string
///     decision = "permit"           # with reason, rule and pointer, as far as they matter
///
/// Whether principals, roles, rules and reasons exist is for whoever has the policy to say.
CaseFile load_cases(const std::filesystem::path& file);
CaseFile load_cases_text(std::string_view text, const std::string& name);

/// A file of cases with the definitions that the lock file of a configuration has of tools which
/// the file does not define. A lock file that cannot be read is one of its problems.
CaseFile with_pinned(CaseFile file, const Config& config);

/// Reads one call, a JSON object with the keys of a case but for those of the answer, its
/// `definition` beside them, and `time` as a string. It is the only case, without a name.
CaseFile read_call_json(std::string_view text, const std::string& name);

}  // namespace bartizan
