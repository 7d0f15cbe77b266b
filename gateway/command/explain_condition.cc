#include "gateway/command/explain_condition.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "audit/verify.h"
#include "gateway/command/explain_predicate.h"

namespace bartizan {
namespace {

constexpr std::array<std::string_view, 7> kDays{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

std::string either(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " or "));
}

/// The names of those levels, in written order.
template <class Names, class Level>
std::vector<std::string> names_of(const Names& names, const std::vector<Level>& levels) {
  std::vector<std::string> told;
  for (const auto& [name, level] : names) {
    if (std::ranges::find(levels, level) != levels.end()) told.emplace_back(name);
  }
  return told;
}

std::string clock(std::uint16_t minutes) {
  return fmt::format("{:02}:{:02}", minutes / 60, minutes % 60);
}

std::string days_of(const TimeCondition& asked) {
  std::vector<std::string_view> days;
  for (std::size_t day = 0; day < kDays.size(); ++day) {
    if ((asked.days >> day & 1) != 0) days.push_back(kDays[day]);
  }
  if (days.size() == kDays.size()) return "any day";
  return fmt::format("{}", fmt::join(days, ", "));
}

std::string_view whose(ClassOf of) {
  return of == ClassOf::chain ? "of the calls of the session" : "of the tool";
}

struct FactTelling {
  std::string operator()(const HintCondition& asked) const {
    return fmt::format("the tool's hint is {}", asked.value);
  }
  std::string operator()(const MethodCondition& asked) const {
    return "the method is " + either(asked.methods);
  }
  std::string operator()(const TransportCondition& asked) const {
    return "the transport is " + either(names_of(kTransportNames, asked.transports));
  }
  std::string operator()(const EndpointCondition& asked) const {
    return "the client uses endpoint " + either(asked.endpoints);
  }
  std::string operator()(const RevisionCondition& asked) const {
    std::vector<std::string> versions;
    versions.reserve(asked.versions.size());
    for (const ProtocolVersion version : asked.versions)
      versions.emplace_back(text(version));
    return "the client speaks MCP " + either(versions);
  }
  std::string operator()(const AddressCondition& asked) const {
    return "the client's address is in " + either(asked.networks);
  }
  std::string operator()(const ServerTrustCondition& asked) const {
    return "the server's trust is " + either(names_of(kTrustNames, asked.trusts));
  }
  std::string operator()(const TimeCondition& asked) const {
    return fmt::format("it is {} from {} to {} in {}", days_of(asked), clock(asked.from),
                       clock(asked.to), asked.zone.empty() ? "UTC" : asked.zone);
  }
  std::string operator()(const RiskCondition& asked) const {
    return fmt::format("the risk {} is {}", whose(asked.of),
                       either(names_of(kRiskNames, asked.risks)));
  }
  std::string operator()(const ReversibilityCondition& asked) const {
    return fmt::format("the reversibility {} is {}", whose(asked.of),
                       either(names_of(kReversibilityNames, asked.reversibilities)));
  }
};

}  // namespace

std::string told_fact(const FactCondition& condition) {
  return std::visit(FactTelling(), condition.fact);
}

std::vector<std::string> told_entries(const RuleConditions& conditions, const Config& config) {
  std::vector<std::string> told;
  told.reserve(conditions.facts.size() + conditions.arguments.size());
  for (const FactCondition& fact : conditions.facts)
    told.push_back(told_fact(fact));
  for (const ArgumentPredicate& argument : conditions.arguments) {
    told.push_back(fmt::format("{} is {}", visible(argument.pointer),
                               told_predicate(argument.predicate, config)));
  }
  return told;
}

std::string told_approvers(const ApprovalTerms& terms, std::string_view separator) {
  std::vector<std::string> named;
  named.reserve(terms.approvers.size() + terms.principals.size());
  for (const std::string& role : terms.approvers)
    named.push_back("role " + role);
  for (const std::string& principal : terms.principals)
    named.push_back("principal " + principal);
  return fmt::format("{}", fmt::join(named, separator));
}

}  // namespace bartizan
