#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"
#include "policy/predicate/time_window.h"
#include "policy/predicate/value_predicate.h"
#include "policy/text/argument_pointer.h"
#include "policy/url/address_range.h"
#include "policy/verdict/approval.h"
#include "policy/verdict/gathered_facts.h"
#include "policy/verdict/tri_state.h"
#include "schemas/json/json.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// What rules may ask of a call, beside who calls what.
///
/// Lifetime: views what it was made from.
struct EvalContext {
  std::int64_t now = 0;  ///< Seconds since 1970 UTC.
  /// Of a list, the question is whether some call could be permitted: everything below that is
  /// absent may then be anything. Of a call it is not known, and what asks for it undecidable.
  enum class About : std::uint8_t { this_call, any_call } about = About::this_call;
  std::optional<std::string_view> method = {};
  std::optional<Transport> transport = {};
  /// Name of the endpoint that the client came to; empty for that of `[listen] path`. Nothing where
  /// there is none, as over standard input.
  std::optional<std::string_view> endpoint = {};
  std::optional<ProtocolVersion> version = {};
  std::optional<std::string_view> client_address = {};
  std::string_view caller = {};  ///< The principal's id.
  std::span<const Approval> approvals = {};
  bool assumes_approval = false;  ///< As if whoever may approve the call had approved it.
  /// As the caller's catalogue has the tool. Without one, what it declares is not asked: no call of
  /// such a tool passes `existence`.
  const ToolDefinition* tool = nullptr;
  CallClass chain = {};      ///< The highest of the calls before this one in its session.
  JsonValue arguments = {};  ///< Of a `tools/call`; absent where it has none.
  FactSource outside = {};
};

/// Of a list, as far as nothing is known but the time, in seconds since 1970 UTC, and the endpoint.
EvalContext any_call_at(std::int64_t now, std::optional<std::string_view> endpoint);

/// What the configuration says of the server that a call is for, and of the tool.
struct ServerFacts {
  std::string_view cwd;  ///< Empty where nobody knows.
  Trust trust = Trust::untrusted;
  /// Of the tool that the call is for; null where the lock file has none.
  const PinnedTool* pinned = nullptr;
  CallClass profiled = {};  ///< As the profiles of the tool say.
};

/// The class of a tool: what its profiles say, which its definition raises where it says
/// `destructiveHint: true`. Input: its definition as it is listed, or null.
CallClass class_of(const CallClass& profiled, const ToolDefinition* tool);

/// Whether the schema of a tool has an argument there; true where no tool is known.
bool is_declared(const ToolDefinition* tool, const std::string& pointer);

/// `when` or `unless` of a rule, compiled.
///
/// An entry about arguments holds for every value that its pointer selects, or for none: then it is
/// true, or false. A mixture, a value of another type or shape, a pointer that selects nothing or
/// that the tool's input schema does not declare is undecidable; `optional` makes a missing member
/// or an empty array false. It is undecidable, too, where a member passes for one on its way to a
/// reader that ignores letter case. An entry about facts is undecidable where the fact is unknown.
///
/// Threads: immutable once built.
class Conditions {
 public:
  Conditions() = default;
  Conditions(const RuleConditions& conditions,
             const std::map<std::string, PathConfig, std::less<>>& paths);

  bool empty() const { return arguments_.empty() && facts_.empty(); }
  /// Whether an entry asks for the class of a tool, or of a chain.
  bool asks_class() const;
  /// Whether an entry asks what only the world outside can tell.
  bool asks_outside() const;
  /// All entries together. Without any they are true.
  TriState judge(const EvalContext& of, const ServerFacts& server, ValueFacts& values) const;

 private:
  struct Argument {
    std::string pointer;
    std::vector<PointerSegment> segments;
    std::shared_ptr<const ValuePredicate> predicate;  ///< Null for `absent`.
    bool optional = false;
  };
  using Fact = std::variant<HintCondition, MethodCondition, TransportCondition, EndpointCondition,
                            RevisionCondition, std::vector<AddressRange>, ServerTrustCondition,
                            TimeWindow, RiskCondition, ReversibilityCondition>;
  struct Asking;

  static Fact compile(const FactCondition& condition);
  static TriState judge(const Argument& argument, const EvalContext& of, ValueFacts& values);

  std::vector<Argument> arguments_;
  std::vector<Fact> facts_;
};

}  // namespace bartizan
