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

/// The expected decision of a policy on a call. Empty members are not checked.
struct ExpectedAnswer {
  enum class Decision : std::uint8_t { permit, deny } decision = Decision::deny;
  std::string reason = {};   ///< As records spell it.
  std::string rule = {};     ///< The name of the rule that decided.
  std::string pointer = {};  ///< Of the refused argument.
};

/// `[case.NAME]`: a call and its expected decision.
struct PolicyCase {
  std::string name = {};
  DescribedCall call = {};
  ExpectedAnswer expected = {};
  Position where = {};
};

/// The calls of a file in their order, and its tool definitions.
struct CaseFile {
  std::vector<std::string> files = {};  ///< The files that positions index.
  std::vector<PolicyCase> cases = {};
  std::map<std::string, DescribedTool, std::less<>> tools = {};  ///< By `server/tool`.
  std::vector<ConfigProblem> problems = {};                      ///< All are errors.
};

/// Reads a case file, TOML:
///
///     version = 1
///     [facts]                       # defaults of every case
///     time = 2027-01-31T09:00:00Z
///     [definition."files/read"]     # the tool's definition as its server lists it
///     inputSchema = { type = "object" }
///     [case.ann-reads]
///     principal = "ann"             # or roles = ["analyst"]
///     tool = "files/read"           # or resource, prompt, or a method alone
///     arguments = { path = "a.md" } # or the JSON object as a string
///     decision = "permit"           # optionally with reason, rule and pointer
///
/// It does not check that principals, roles, rules and reasons exist: that needs the policy.
CaseFile load_cases(const std::filesystem::path& file);
CaseFile load_cases_text(std::string_view text, const std::string& name);

/// A case file completed with definitions of the configuration's lock file, for tools that the file
/// does not define. A lock file that cannot be read is added to its problems.
CaseFile with_pinned(CaseFile file, const Config& config);

/// Reads one call: a JSON object with the keys of a case, except those of the expected decision. It
/// may also have the tool's `definition`; `time` is a string. The result is one case without a
/// name.
CaseFile read_call_json(std::string_view text, const std::string& name);

}  // namespace bartizan
