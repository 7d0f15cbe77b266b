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

/// The properties of a call that rules may ask about, beside caller and target.
///
/// Lifetime: views the objects that it was made from.
struct EvalContext {
  std::int64_t now = 0;  ///< Seconds since 1970 UTC.
  /// For a list, the question is whether some call could be permitted; absent properties below may
  /// then have any value. For a call, an absent property is unknown, and conditions on it are
  /// undecidable.
  enum class About : std::uint8_t { this_call, any_call } about = About::this_call;
  std::optional<std::string_view> method = {};
  std::optional<Transport> transport = {};
  /// Name of the endpoint that the client used; empty for that of `[listen] path`. Nothing without
  /// an endpoint, as over standard input.
  std::optional<std::string_view> endpoint = {};
  std::optional<ProtocolVersion> version = {};
  std::optional<std::string_view> client_address = {};
  std::string_view caller = {};  ///< The principal's id.
  std::span<const Approval> approvals = {};
  bool assumes_approval = false;  ///< As if every permitted approver had approved the call.
  /// The tool in the caller's catalogue. Without it, declared arguments are not checked: such a
  /// call never passes `existence`.
  const ToolDefinition* tool = nullptr;
  CallClass chain = {};      ///< The highest class of the earlier calls in its session.
  JsonValue arguments = {};  ///< Of a `tools/call`; absent without arguments.
  FactSource outside = {};
};

/// The context of a list: only the time, in seconds since 1970 UTC, and the endpoint are known.
EvalContext any_call_at(std::int64_t now, std::optional<std::string_view> endpoint);

/// The configuration's facts about the server of a call, and about the tool.
struct ServerFacts {
  std::string_view cwd;  ///< Empty if it is not known.
  Trust trust = Trust::untrusted;
  /// Of the called tool; null if the lock file does not have it.
  const PinnedTool* pinned = nullptr;
  CallClass profiled = {};  ///< The class from the profiles of the tool.
};

/// The class of a tool from its profiles. A definition with `destructiveHint: true` raises it.
/// Input: the listed definition, or null.
CallClass class_of(const CallClass& profiled, const ToolDefinition* tool);

/// Whether the schema of a tool has an argument at the pointer; true if the tool is not known.
bool is_declared(const ToolDefinition* tool, const std::string& pointer);

/// `when` or `unless` of a rule, compiled.
///
/// An entry about arguments is true if it holds for every value that its pointer selects, and false
/// if it holds for none. It is undecidable for a mixture, for a value of another type or shape, and
/// for a pointer that selects nothing or that the tool's input schema does not declare. With
/// `optional`, a missing member or an empty array makes it false. It is also undecidable if a
/// reader without regard to letter case could take another member for one on its way. An entry
/// about facts is undecidable if the fact is unknown.
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
  /// Whether an entry asks about the disk or DNS.
  bool asks_outside() const;
  /// The answer of all entries together; true if there are none.
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
