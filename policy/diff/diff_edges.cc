#include "policy/diff/diff_edges.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include "policy/diff/distinct_values.h"
#include "policy/diff/edge_schemas.h"
#include "policy/diff/edge_values.h"
#include "policy/diff/week_moments.h"
#include "policy/explain/assume_facts.h"
#include "policy/text/argument_pointer.h"
#include "schemas/base/ascii.h"
#include "schemas/base/contains.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"
#include "schemas/message/protocol_version.h"

namespace bartizan {
namespace {

/// Names of facts among the values of a call; pointers begin with a slash.
constexpr std::string_view kTransport = "transport", kAddress = "client_address",
                           kRevision = "revision", kTime = "time", kApprovedBy = "approved_by",
                           kMethod = "method", kEndpoint = "endpoint";

/// The separator between the approvers of one value. No name of a principal has it.
constexpr char kBetweenApprovers = '\n';

std::vector<std::string> split_approvers(std::string_view value) {
  std::vector<std::string> approvers;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(kBetweenApprovers), value.size());
    approvers.emplace_back(value.substr(0, end));
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return approvers;
}

/// Gathers the values that one configuration asks for.
class Gatherer {
 public:
  Gatherer(const Config& config, std::int64_t now, CallEdges& edges)
      : config_(config), now_(now), edges_(edges) {}

  void gather(const DiffTarget& target) {
    for (const ToolProfile& profile : config_.tools) {
      if (is_about(profile, target)) add_arguments(profile.arguments);
    }
    for (const auto& [name, rule] : config_.rules) {
      if (is_about(rule, target)) add_rule(rule);
    }
  }

 private:
  void add(std::string_view name, std::string value) {
    std::vector<std::string>& values = edges_.values[std::string(name)];
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
  }

  void add_arguments(const std::vector<ArgumentPredicate>& arguments) {
    for (const ArgumentPredicate& argument : arguments) {
      for (std::string& value : edge_values(config_, argument.predicate))
        add(argument.pointer, std::move(value));
      for (auto& [fact, answers] : outside_edges(config_, argument.predicate)) {
        for (std::string& answer : answers)
          add(fact, std::move(answer));
      }
    }
  }

  void add_rule(const RuleConfig& rule) {
    for (const RuleConditions* conditions : {&rule.when, &rule.unless}) {
      add_arguments(conditions->arguments);
      for (const FactCondition& condition : conditions->facts)
        add_fact(condition);
    }
    if (rule.expires.has_value()) {
      add(kTime, std::to_string(*rule.expires - 1));
      add(kTime, std::to_string(*rule.expires));
    }
    if (rule.effect == Effect::require_approval) add_approvers(rule);
  }

  void add_fact(const FactCondition& condition) {
    if (std::holds_alternative<TransportCondition>(condition.fact)) {
      for (const auto& [name, transport] : kTransportNames)
        add(kTransport, std::string(name));
    }
    if (const auto* method = std::get_if<MethodCondition>(&condition.fact)) {
      for (const std::string& name : method->methods)
        add(kMethod, name);
    }
    if (const auto* endpoint = std::get_if<EndpointCondition>(&condition.fact)) {
      for (const std::string& name : endpoint->endpoints)
        add(kEndpoint, name);
    }
    if (const auto* address = std::get_if<AddressCondition>(&condition.fact)) {
      for (const std::string& network : address->networks)
        add(kAddress, network.substr(0, network.find('/')));
      add(kAddress, "198.51.100.7");
    }
    if (const auto* revision = std::get_if<RevisionCondition>(&condition.fact)) {
      for (const ProtocolVersion version : revision->versions)
        add(kRevision, std::string(text(version)));
    }
    if (const auto* time = std::get_if<TimeCondition>(&condition.fact)) {
      for (const std::int64_t moment : week_moments(*time, now_))
        add(kTime, std::to_string(moment));
    }
  }

  /// Adds each approver, and all of them together if several must approve. If the caller is one of
  /// them, this shows whether callers may approve their own calls.
  void add_approvers(const RuleConfig& rule) {
    std::string all;
    for (const auto& [id, principal] : config_.principals) {
      const bool is_named = contains(rule.approval.principals, id);
      const bool has_role = std::ranges::any_of(principal.roles, [&rule](const std::string& role) {
        return contains(rule.approval.approvers, role);
      });
      if (!is_named && !has_role) continue;
      add(kApprovedBy, id);
      if (!all.empty()) all += kBetweenApprovers;
      all += id;
    }
    if (rule.approval.approvals > 1 && !all.empty()) add(kApprovedBy, all);
  }

  const Config& config_;
  std::int64_t now_;
  CallEdges& edges_;
};

void set_fact(DescribedFacts& facts, std::string_view name, const std::string& value) {
  for (const auto& [of, transport] : kTransportNames) {
    if (name == kTransport && value == of) facts.transport = transport;
  }
  if (name == kEndpoint) facts.endpoint = value;
  if (name == kAddress) facts.client_address = value;
  if (name == kRevision) facts.revision = parse_protocol_version(value);
  if (name == kApprovedBy) facts.approved_by = split_approvers(value);
  if (name == kTime) {
    std::int64_t seconds = 0;
    std::from_chars(value.data(), value.data() + value.size(), seconds);
    facts.time = seconds;
  }
}

/// Whether there are values for that pointer, or below it.
bool has_values_at(const CallEdges& edges, const std::string& pointer) {
  return std::ranges::any_of(edges.values, [&](const auto& edge) {
    return edge.first == pointer || edge.first.starts_with(pointer + "/");
  });
}

/// Adds arguments that no profile or rule names. Those that the pinned schema requires are in every
/// call. Some settings are only about the other ones, and about an argument that no schema has.
void add_unnamed(const Config& config, const DiffTarget& target, CallEdges& edges) {
  if (target.kind != TargetKind::tool) return;
  const PinnedTool* pinned = find_pin(config, target);
  const Bytes bytes(pinned == nullptr ? std::string_view("{}")
                                      : std::string_view(pinned->definition));
  JsonDocument document;
  const JsonValue entry = document.read(bytes, kResponseLimits).value_or(JsonValue());
  const JsonValue schema = entry.find("inputSchema");
  const JsonValue properties = schema.find("properties");
  for (const JsonValue name : schema.find("required")) {
    const std::string pointer = pointer_below("", name.text());
    if (has_values_at(edges, pointer)) continue;
    edges.required.insert_or_assign(pointer, likely_value(properties.find(name.text())));
  }
  const auto add = [&edges](const std::string& pointer, std::string value) {
    if (edges.required.contains(pointer) || has_values_at(edges, pointer)) return;
    edges.values[pointer] = {std::move(value)};
    edges.unlikely.insert(pointer);
  };
  add("/unnamed-argument", "\"x\"");
  for (const JsonValue member : properties)
    add(pointer_below("", member.key()), likely_value(member));
}

/// The predicates of profiles for a pointer, each with its `optional`.
std::vector<std::pair<Predicate, bool>> asked_by_profiles(const Config& config,
                                                          const DiffTarget& target,
                                                          const std::string& pointer) {
  std::vector<std::pair<Predicate, bool>> asked;
  for (const ToolProfile& profile : config.tools) {
    if (!is_about(profile, target)) continue;
    for (const ArgumentPredicate& argument : profile.arguments) {
      if (argument.pointer == pointer) asked.emplace_back(argument.predicate, argument.optional);
    }
  }
  return asked;
}

/// A predicate, with its argument.
struct PointedPredicate {
  const std::string* pointer = nullptr;
  AskedPredicate asked = {};
};

void add_pointed(const Config& config, std::string_view cwd,
                 const std::vector<ArgumentPredicate>& arguments,
                 std::vector<PointedPredicate>& all) {
  for (const ArgumentPredicate& argument : arguments) {
    all.push_back({.pointer = &argument.pointer,
                   .asked = {.config = &config, .predicate = &argument.predicate, .cwd = cwd}});
  }
}

/// The predicates on arguments of a target in conditions of rules, for one configuration.
std::vector<PointedPredicate> asked_by_rules(const Config& config, std::string_view cwd,
                                             const DiffTarget& target) {
  std::vector<PointedPredicate> all;
  for (const auto& [name, rule] : config.rules) {
    if (!is_about(rule, target)) continue;
    add_pointed(config, cwd, rule.when.arguments, all);
    add_pointed(config, cwd, rule.unless.arguments, all);
  }
  return all;
}

std::string_view cwd_of(const Config& config, const DiffTarget& target) {
  const auto server = config.servers.find(target.server);
  return server == config.servers.end() ? std::string_view() : server->second.cwd;
}

/// All predicates on the arguments of one target.
struct AskedOfTarget {
  std::vector<PointedPredicate> by_rules = {}, by_profiles = {};

  AskedOfTarget(const Config& older, const Config& newer, const DiffTarget& target) {
    for (const Config* config : {&older, &newer}) {
      const std::string_view cwd = cwd_of(*config, target);
      for (PointedPredicate& one : asked_by_rules(*config, cwd, target))
        by_rules.push_back(one);
      for (const ToolProfile& profile : config->tools) {
        if (is_about(profile, target)) add_pointed(*config, cwd, profile.arguments, by_profiles);
      }
    }
  }

  bool is_asked_by_rules(const std::string& pointer) const {
    return std::ranges::any_of(
        by_rules, [&](const PointedPredicate& one) { return *one.pointer == pointer; });
  }

  /// Whether the places that predicates on the argument name are the same in both.
  bool has_same_ground(const DiffScope& scope, const std::string& pointer) const {
    return std::ranges::all_of(by_profiles, [&](const PointedPredicate& one) {
      return *one.pointer != pointer || scope.has_same_ground(*one.asked.predicate);
    });
  }
};

/// Whether two steps of pointers can lead to the same place.
bool may_be_same(const PointerSegment& one, const PointerSegment& other) {
  const auto is_index = [](const PointerSegment& segment) {
    return segment.every_element || std::ranges::all_of(segment.name, is_digit);
  };
  if (one.every_element || other.every_element) return is_index(one) && is_index(other);
  return one.name == other.name;
}

/// Reduces the many values of paths, most of which both policies decide alike, to one of each kind.
/// Keeps all if a predicate is about an array of these arguments.
std::vector<std::string> reduced(std::vector<std::string> values, const std::string& pointer,
                                 const AskedOfTarget& asked, const EdgeSchemas& schemas) {
  const std::vector<PointerSegment> place = parse_pointer(pointer);
  std::vector<AskedPredicate> meeting;
  bool has_path = false;
  for (const auto* all : {&asked.by_profiles, &asked.by_rules}) {
    for (const PointedPredicate& one : *all) {
      const std::vector<PointerSegment> other = parse_pointer(*one.pointer);
      const std::size_t common = std::min(place.size(), other.size());
      const bool meets = std::ranges::equal(std::span(place).first(common),
                                            std::span(other).first(common), may_be_same);
      if (!meets || other.size() > place.size()) continue;  // Nothing is below a text.
      if (other.size() < place.size()) return values;
      meeting.push_back(one.asked);
      has_path = has_path || !path_name(*one.asked.predicate).empty();
    }
  }
  return has_path ? distinct_values(std::move(values), {pointer, meeting, schemas}) : values;
}

/// The one value for an argument that both policies decide alike: the value that lets other
/// arguments be decided.
std::string one_for_all(const std::vector<std::string>& values, const std::string& pointer,
                        const AskedOfTarget& asked, const EdgeSchemas& schemas) {
  if (schemas.is_empty()) return values.front();
  std::vector<AskedPredicate> predicates;
  for (const PointedPredicate& one : asked.by_profiles) {
    if (*one.pointer == pointer) predicates.push_back(one.asked);
  }
  return likeliest_value(values, {pointer, predicates, schemas});
}

}  // namespace

CallEdges find_call_edges(const Config& older, const Config& newer, const DiffScope& scope,
                          const DiffTarget& target, std::int64_t now) {
  CallEdges edges;
  Gatherer of_older(older, now, edges);
  Gatherer of_newer(newer, now, edges);
  of_older.gather(target);
  of_newer.gather(target);
  const AskedOfTarget asked(older, newer, target);
  const EdgeSchemas schemas(older, newer, target);
  const bool is_same_around = scope.has_same_surroundings(target) && schemas.are_the_same();
  for (auto& [pointer, values] : edges.values) {
    if (!pointer.starts_with('/')) continue;
    for (std::string& named : schemas.named_values(pointer)) {
      if (std::ranges::find(values, named) == values.end()) values.push_back(std::move(named));
    }
    values = reduced(std::move(values), pointer, asked, schemas);
    const bool is_same =
        is_same_around && !asked.is_asked_by_rules(pointer) &&
        asked.has_same_ground(scope, pointer) &&
        asked_by_profiles(older, target, pointer) == asked_by_profiles(newer, target, pointer);
    if (is_same && !values.empty()) values = {one_for_all(values, pointer, asked, schemas)};
  }
  // Calls are judged by the newer definition if there is one.
  add_unnamed(find_pin(newer, target) != nullptr ? newer : older, target, edges);
  return edges;
}

std::optional<DescribedCall> describe_call(const DiffCaller& caller, const DiffTarget& target,
                                           const CallValues& values) {
  const bool is_method = target.kind == TargetKind::none;
  DescribedCall call{.principal = caller.principal,
                     .target_kind = target.kind,
                     .server = target.server,
                     .target = is_method ? "" : target.name,
                     .method = is_method ? target.name : std::string(method_of(target.kind))};
  if (caller.principal.empty()) call.roles = {caller.role};
  // Some methods exist in one era only.
  const Method& method = find_method(call.method);
  if (kNewestLegacyVersion < method.first) call.facts.revision = method.last;
  CallValues arguments;
  for (const auto& [name, value] : values) {
    if (name.starts_with('/')) {
      arguments.emplace(name, value);
    } else if (name == kMethod && find_method(value).target == target.kind && !is_method) {
      call.method = value;
    } else {
      set_fact(call.facts, name, value);
    }
  }
  if (target.kind != TargetKind::tool) return call;
  call.arguments = arguments_with(arguments);
  if (call.arguments.empty()) return std::nullopt;
  return call;
}

}  // namespace bartizan
