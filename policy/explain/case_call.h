#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"
#include "config/load/case_file.h"
#include "policy/check/compile_policy.h"
#include "policy/explain/pinned_definitions.h"
#include "policy/verdict/call.h"
#include "schemas/json/json.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// The definitions of the tools that described calls are about, by `server/tool`.
using DescribedDefinitions = std::map<std::string, ToolDefinition, std::less<>>;

/// Reads what a case file says of tools.
/// Errors: each is a problem where it stands.
struct ReadDefinitions {
  DescribedDefinitions tools = {};
  std::vector<ConfigProblem> problems = {};
};
ReadDefinitions read_definitions(const CaseFile& file);

/// The definitions of tools that are called: the given ones, those of the lock file, and what is
/// assumed where there is neither. Lifetime: views what it is made from.
class Definitions {
 public:
  Definitions(const Config& config, const DescribedDefinitions& given)
      : config_(config), given_(given), pinned_(config) {}

  /// Null where no tool is called. What it leads to stays.
  const ToolDefinition* find(const DescribedCall& call);
  /// The tools whose definition was assumed, `server/tool`.
  std::set<std::string> assumed() const;

 private:
  const Config& config_;
  const DescribedDefinitions& given_;
  PinnedDefinitions pinned_;
  DescribedDefinitions assumed_ = {};
};

/// `config` with a principal for each set of roles that a call is described with.
Config with_callers(const Config& config, const std::vector<PolicyCase>& cases);

/// What a described call names and the policy does not have.
std::vector<ConfigProblem> find_case_problems(const Config& config, const CaseFile& file);

/// Tools that a described call names and that are nowhere else, each once, with the nearest that
/// is: in the lock file or the case file, where these have any of the server, and in what rules,
/// profiles and limits name without a `*`. Warnings; a call of a tool that nobody has may be meant.
std::vector<ConfigProblem> find_case_doubts(const Config& config, const CaseFile& file);

/// What a policy says of a described call.
struct CaseAnswer {
  std::string_view check = {};  ///< Which refused; empty for a permit.
  Decision decision = Decision::pass();
  std::vector<Decision> observed = {};  ///< What observed rules would have refused.
};
CaseAnswer answer_of(Verdict verdict);

/// A described call, as the pipeline judges it.
///
/// Lifetime: owns the message; views the policy, the definition and what it was made from.
class CaseCall {
 public:
  /// `definition` is of a tool that is called, else null. `now` is the time where the description
  /// has none, in seconds since 1970.
  /// Errors: config_invalid where there is no such principal, or no such message.
  static Result<std::unique_ptr<CaseCall>> make(const DescribedCall& described,
                                                const Policy& policy,
                                                const ToolDefinition* definition, std::int64_t now);
  CaseCall(const CaseCall&) = delete;
  CaseCall& operator=(const CaseCall&) = delete;

  Call& call() { return call_; }

 private:
  explicit CaseCall(std::string text) : text_(std::move(text)) {}
  Result<Message> read();

  Bytes text_;                                     ///< Until it is read: then the call has it.
  std::shared_ptr<const ToolDefinition> renamed_;  ///< As its server takes it.
  JsonDocument document_;
  Call call_;
};

}  // namespace bartizan
