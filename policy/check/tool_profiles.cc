#include "policy/check/tool_profiles.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <variant>

#include "policy/text/match.h"
#include "policy/text/qualified_name.h"
#include "schemas/schema/metaschemas.h"

namespace bartizan {
namespace {

/// The guards of several profiles, by pointer.
using Guards = std::map<std::string, ArgumentGuard>;

/// `compiled` is null where the predicate is `absent`.
void add_predicate(Guards& guards, const ArgumentPredicate& predicate,
                   const std::shared_ptr<const ValuePredicate>& compiled) {
  ArgumentGuard& guard = guards[predicate.pointer];
  guard.segments = parse_pointer(predicate.pointer);
  if (compiled == nullptr) {
    guard.absent = true;
    return;
  }
  guard.optional = guard.optional && predicate.optional;
  guard.predicates.push_back(compiled);
}

void add_rewrite(ArgumentRewrites& rewrites, const ArgumentPredicate& argument) {
  const auto* text = std::get_if<TextPredicate>(&argument.predicate);
  const auto* fixed = std::get_if<FixedPredicate>(&argument.predicate);
  if (fixed != nullptr) rewrites.force(parse_pointer(argument.pointer), fixed->value);
  if (text != nullptr && text->compact) rewrites.compact(parse_pointer(argument.pointer));
}

std::vector<std::shared_ptr<const ValuePredicate>> compile_predicates(const ToolProfile& profile,
                                                                      const Config& config) {
  std::vector<std::shared_ptr<const ValuePredicate>> predicates;
  predicates.reserve(profile.arguments.size());
  for (const ArgumentPredicate& argument : profile.arguments)
    predicates.push_back(compile_predicate(argument.predicate, config.paths));
  return predicates;
}

/// Whether any asks what only the world outside can tell.
bool has_open(const std::vector<std::shared_ptr<const ValuePredicate>>& predicates) {
  return std::ranges::any_of(predicates, [](const auto& predicate) {
    return predicate != nullptr && asks_outside(*predicate);
  });
}

/// The schema of a profile. The loader has compiled it before; one that fails now lets nothing
/// pass.
std::shared_ptr<const JsonSchema> compile_overlay(const std::string& text) {
  if (text.empty()) return nullptr;
  auto compiled = JsonSchema::compile(text, metaschemas());
  if (!compiled.has_value()) compiled = JsonSchema::compile("false", metaschemas());
  return std::make_shared<const JsonSchema>(std::move(*compiled));
}

/// The smaller of two bounds, either of which may be missing.
template <class Bound>
std::optional<Bound> smaller(const std::optional<Bound>& one, const std::optional<Bound>& other) {
  if (!one.has_value() || !other.has_value()) return one.has_value() ? one : other;
  return std::min(*one, *other);
}

/// Lines are counted apart: a profile that counts elements only must not be counted by lines
/// because another one is.
void add_result_limits(ResultLimits& limits, const ToolProfile& profile) {
  limits.bytes = smaller(limits.bytes, profile.max_result);
  auto& entries = profile.entries == ToolProfile::Entries::lines ? limits.lines : limits.elements;
  entries = smaller(entries, profile.max_entries);
  limits.blocks = smaller(limits.blocks, profile.max_blocks);
  limits.depth = smaller(limits.depth, profile.max_depth);
}

void add_schema_rules(MergedProfile& merged, const ToolProfile& profile) {
  if (profile.formats == ToolProfile::Formats::assert_them) {
    merged.validation.formats = ValidationOptions::Formats::assert_them;
  }
  if (profile.additional_properties == ToolProfile::AdditionalProperties::refuse) {
    merged.validation.unnamed = ValidationOptions::Unnamed::refuse;
  }
  if (profile.untranslatable_patterns == ToolProfile::UntranslatablePatterns::accept) {
    merged.untranslatable = SchemaOptions::Untranslatable::leave_out;
  }
}

}  // namespace

ToolProfiles::ToolProfiles(const Config& config, const KnownNames& names)
    : profiles_(config.tools),
      pins_(config.pins.tools),
      pins_mode_(config.pins.mode),
      pinned_names_(config),
      registered_(config) {
  overlays_.reserve(profiles_.size());
  predicates_.reserve(profiles_.size());
  for (const ToolProfile& profile : profiles_) {
    overlays_.push_back(compile_overlay(profile.schema));
    predicates_.push_back(compile_predicates(profile, config));
    asks_outside_ = asks_outside_ || has_open(predicates_.back());
    renames_ = renames_ || !profile.renames.empty();
  }
  for (const auto& [server, tools] : names.tools) {
    for (const std::string& tool : tools) {
      std::string name = QualifiedName(server, tool).text();
      MergedProfile merged = merge(name);
      known_.insert_or_assign(std::move(name), std::move(merged));
    }
  }
}

const MergedProfile* ToolProfiles::known(std::string_view name) const {
  if (profiles_.empty() && registered_.empty()) return &nothing_;
  const auto known = known_.find(name);
  return known == known_.end() ? nullptr : &known->second;
}

ToolProfiles::Found ToolProfiles::find(std::string_view server, std::string_view tool) const {
  const QualifiedName name(server, tool);
  Found found;
  found.known_ = known(name.view());
  if (found.known_ == nullptr) {
    found.made_ = std::make_unique<const MergedProfile>(merge(name.view()));
  }
  return found;
}

ToolProfiles::Found ToolProfiles::find(const Call& call) const {
  if (call.facts.known.profile == nullptr) return find(call.server, call.target);
  Found found;
  found.known_ = call.facts.known.profile;
  return found;
}

const PinnedTool* ToolProfiles::find_pin(std::string_view server, std::string_view tool) const {
  const auto of_server = pins_.find(server);
  if (of_server == pins_.end()) return nullptr;
  const auto found = of_server->second.find(tool);
  return found == of_server->second.end() ? nullptr : &found->second;
}

std::string_view ToolProfiles::registration_flaw(std::string_view server,
                                                 std::string_view tool) const {
  if (registered_.empty()) return {};
  const RegisteredTool* found = registered_.find(QualifiedName(server, tool).view());
  return found == nullptr ? std::string_view() : std::string_view(found->flaw);
}

MergedProfile ToolProfiles::merge(std::string_view name) const {
  MergedProfile merged;
  std::set<std::string> permissions;
  std::set<std::string> categories;
  std::set<ToolLabel> labels;
  std::set<std::string> recorded;
  Guards guards;
  for (std::size_t i = 0; i < profiles_.size(); ++i) {
    const ToolProfile& profile = profiles_[i];
    if (!Glob(profile.pattern).matches(name)) continue;
    permissions.insert(profile.permissions.begin(), profile.permissions.end());
    categories.insert(profile.categories.begin(), profile.categories.end());
    merged.risk = std::max(merged.risk, profile.risk);
    merged.reversibility = std::max(merged.reversibility, profile.reversibility);
    merged.is_listed = merged.is_listed && profile.listed;
    merged.timeout = smaller(merged.timeout, profile.timeout);
    merged.slow = smaller(merged.slow, profile.slow);
    add_result_limits(merged.result, profile);
    merged.oversize = smaller(merged.oversize, profile.oversize);
    labels.insert(profile.labels.begin(), profile.labels.end());
    recorded.insert(profile.recorded.begin(), profile.recorded.end());
    if (profile.cost) merged.cost = std::max(merged.cost.value_or(0), *profile.cost);
    add_schema_rules(merged, profile);
    if (overlays_[i] != nullptr) merged.overlays.push_back(overlays_[i]);
    for (std::size_t at = 0; at < profile.arguments.size(); ++at)
      add_predicate(guards, profile.arguments[at], predicates_[i][at]);
    for (const ArgumentPredicate& argument : profile.arguments)
      add_rewrite(merged.rewrites, argument);
    // One profile alone names exactly one tool.
    if (!profile.renames.empty()) merged.renames = RenamedArguments(profile.renames);
  }
  if (const RegisteredTool* registered = registered_.find(name);
      registered != nullptr && registered->approved != nullptr) {
    const ToolRegistration& registration = *registered->approved;
    merged.registration = &registration;
    permissions.insert(registration.permissions.begin(), registration.permissions.end());
    categories.insert(registration.categories.begin(), registration.categories.end());
    merged.timeout = smaller(merged.timeout, registration.max_execution_time);
    merged.overlays.push_back(registered->input);
    merged.result_overlay = registered->output;
  }
  // Where a client sent both names, the one that the server does not read is still there.
  for (const std::string& pointer : merged.renames.gone())
    add_predicate(guards, {.pointer = pointer, .predicate = AbsentPredicate{}}, nullptr);
  merged.permissions.assign(permissions.begin(), permissions.end());
  merged.categories.assign(categories.begin(), categories.end());
  merged.labels.assign(labels.begin(), labels.end());
  for (const std::string& pointer : recorded)
    merged.recorded.push_back({.pointer = pointer, .segments = parse_pointer(pointer)});
  for (auto& [pointer, guard] : guards) {
    merged.asks_outside = merged.asks_outside || has_open(guard.predicates);
    merged.guards.push_back(std::move(guard));
  }
  const std::size_t slash = name.find('/');
  if (const PinnedTool* pinned = find_pin(name.substr(0, slash), name.substr(slash + 1))) {
    merged.pinned = *pinned;
  }
  return merged;
}

}  // namespace bartizan
