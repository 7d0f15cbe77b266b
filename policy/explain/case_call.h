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

/// The tool definitions of a case file.
/// Errors: a problem for each unusable one, with its place.
struct ReadDefinitions {
  DescribedDefinitions tools = {};
  std::vector<ConfigProblem> problems = {};
};
ReadDefinitions read_definitions(const CaseFile& file);

/// The definitions of tools that are called: the given ones, those of the lock file, or else an
/// assumed one. Lifetime: views the configuration and the given definitions.
class Definitions {
 public:
  Definitions(const Config& config, const DescribedDefinitions& given)
      : config_(config), given_(given), pinned_(config) {}

  /// Null if the call is not for a tool. The definition lives as long as this object.
  const ToolDefinition* find(const DescribedCall& call);
  /// The tools whose definition was assumed, as `server/tool`.
  std::set<std::string> assumed() const;

 private:
  const Config& config_;
  const DescribedDefinitions& given_;
  PinnedDefinitions pinned_;
  DescribedDefinitions assumed_ = {};
};

/// `config` with a principal for each set of roles that a call is described with.
Config with_callers(const Config& config, const std::vector<PolicyCase>& cases);

/// The names in described calls that the policy does not have.
std::vector<ConfigProblem> find_case_problems(const Config& config, const CaseFile& file);

/// Warnings about tools that a described call names and nothing else does, each once, with the
/// nearest known name. Known names are those in the lock file and the case file, if these have any
/// tool of the server, and those without a `*` in rules, profiles and limits. They are warnings
/// because a case may test an unknown tool.
std::vector<ConfigProblem> find_case_doubts(const Config& config, const CaseFile& file);

/// The answer of a policy to a described call.
struct CaseAnswer {
  std::string_view check = {};  ///< The check that refused; empty for a permit.
  Decision decision = Decision::pass();
  std::vector<Decision> observed = {};  ///< The refusals of rules in observe mode.
};
CaseAnswer answer_of(Verdict verdict);

/// A described call, in the form that the pipeline judges.
///
/// Lifetime: owns the message; views the policy, the definition and the description.
class CaseCall {
 public:
  /// Input:  `definition` is that of the called tool, or null. `now` is the time for a description
  ///         without one, in seconds since 1970.
  /// Errors: config_invalid if there is no such principal, or no such message.
  static Result<std::unique_ptr<CaseCall>> make(const DescribedCall& described,
                                                const Policy& policy,
                                                const ToolDefinition* definition, std::int64_t now);
  CaseCall(const CaseCall&) = delete;
  CaseCall& operator=(const CaseCall&) = delete;

  Call& call() { return call_; }

 private:
  explicit CaseCall(std::string text) : text_(std::move(text)) {}
  Result<Message> read();

  Bytes text_;  ///< Until it is read; then moved into the call.
  std::shared_ptr<const ToolDefinition>
      renamed_;  ///< With renamed arguments, as its server takes it.
  JsonDocument document_;
  Call call_;
};

}  // namespace bartizan
