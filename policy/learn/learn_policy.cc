#include "policy/learn/learn_policy.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "config/parse_pattern.h"
#include "config/problems.h"
#include "policy/learn/learn_values.h"
#include "policy/learn/learned_paths.h"
#include "policy/learn/principal_arguments.h"
#include "policy/learn/replay_definitions.h"
#include "policy/learn/seen_tool.h"
#include "policy/predicate/conditions.h"
#include "policy/text/match.h"
#include "policy/text/qualified_name.h"
#include "schemas/message/method.h"

namespace bartizan {
namespace {

/// The most entries of one array of a configuration.
constexpr std::size_t kPatternsMax = 1024;
constexpr std::size_t kNameMax = 64;
/// The most rules for the calls of one tool by one role, split by the arguments that they omit.
constexpr std::size_t kGroupsMax = 8;

/// The callers and the permit of a rule.
struct Subject {
  bool is_role = true;
  std::string name;
  RuleTarget target = RuleTarget::tools;
  std::string permit = {};  ///< The permit with the conditions; empty for none.
  auto operator<=>(const Subject&) const = default;
};
/// The calls of a subject, by patterns.
using SeenSubject = std::map<std::string, std::vector<const CapturedCall*>, std::less<>>;

/// Whether the rule permits only under conditions, or until a time.
bool has_conditions(const RuleConfig& rule) {
  return !rule.when.empty() || !rule.unless.empty() || rule.expires.has_value();
}

class Learner {
 public:
  Learner(const Config& config, const Capture& capture)
      : config_(config), capture_(capture), paths_(config), definitions_(config, capture) {
    for (const Capture::Run& run : capture.runs) {
      for (const CapturedCall& call : run.calls) {
        for (const std::string& role : call.call.roles)
          holders_[role].insert(call.call.principal);
      }
    }
  }

  LearnedPolicy learn() && {
    for (const Capture::Run& run : capture_.runs) {
      for (const CapturedCall& call : run.calls)
        take(call);
    }
    for (const auto& [name, tool] : tools_)
      learned_.tools.push_back(learn_tool(name, tool));
    for (const auto& [subject, seen] : subjects_)
      learn_rules(subject, seen);
    learned_.paths = paths_.all();
    learned_.unlearned.assign(unlearned_.begin(), unlearned_.end());
    return std::move(learned_);
  }

 private:
  void take(const CapturedCall& call) {
    if (!call.is_permitted) {
      ++learned_.refused;
      return;
    }
    ++learned_.calls;
    const bool needs_rule = call.call.target_kind != TargetKind::none || !call.rule.empty();
    if (!needs_rule) return;
    const auto pattern = pattern_of(call.call);
    const auto subject = subject_of(call);
    if (!pattern.has_value() || !subject.has_value()) return;
    subjects_[*subject][*pattern].push_back(&call);
    if (!config_.principals.contains(call.call.principal)) {
      unlearned_.insert("there is no principal " + quote(call.call.principal) + " any more");
    }
    if (call.call.target_kind == TargetKind::tool) tools_[*pattern].add(call);
  }

  /// The pattern of the target in a rule: it matches nothing else.
  std::optional<std::string> pattern_of(const DescribedCall& call) {
    if (call.target_kind == TargetKind::none) {
      // A star would match every method.
      if (find_method(call.method).id != MethodId::unknown) return call.method;
      unlearned_.insert(quote(call.method) + " is not a method that a rule can name");
      return std::nullopt;
    }
    if (!config_.servers.contains(call.server)) {
      unlearned_.insert("there is no server " + quote(call.server) + " any more");
      return std::nullopt;
    }
    const bool is_resource = call.target_kind == TargetKind::resource;
    std::string name = call.server + (is_resource ? ":" : "/") + call.target;
    const auto fault =
        is_resource ? find_resource_pattern_fault(name) : find_tool_pattern_fault(name);
    if (fault.has_value() || call.target.contains('*')) {
      unlearned_.insert("no rule can name " + quote(name) + " and nothing else");
      return std::nullopt;
    }
    return name;
  }

  std::optional<Subject> subject_of(const CapturedCall& call) {
    const RuleTarget target = call.call.target_kind == TargetKind::tool ? RuleTarget::tools
                              : call.call.target_kind == TargetKind::resource
                                  ? RuleTarget::resources
                              : call.call.target_kind == TargetKind::prompt ? RuleTarget::prompts
                                                                            : RuleTarget::methods;
    const auto rule = config_.rules.find(call.rule);
    const RuleConfig* permit = rule == config_.rules.end() ? nullptr : &rule->second;
    const std::string conditions =
        permit != nullptr && has_conditions(*permit) ? permit->name : std::string();
    const std::string& id = call.call.principal;
    std::vector<std::string> roles = call.call.roles;
    std::erase_if(roles, [this](const std::string& role) { return !config_.roles.contains(role); });
    const bool is_for_principals = permit != nullptr && !permit->principals.empty();
    if (permit != nullptr && !is_for_principals && !permit->roles.empty() &&
        permit->roles.front() != "*") {
      std::erase_if(roles, [permit](const std::string& role) {
        return std::ranges::find(permit->roles, role) == permit->roles.end();
      });
    }
    if (!roles.empty() && !is_for_principals) {
      const auto holders = [this](const std::string& role) { return holders_[role].size(); };
      return Subject{true, *std::ranges::min_element(roles, {}, holders), target, conditions};
    }
    if (config_.principals.contains(id)) return Subject{false, id, target, conditions};
    unlearned_.insert("there is no principal " + quote(id) + " any more");
    return std::nullopt;
  }

  // --- Tools ------------------------------------------------------------------------------------

  std::vector<const ToolProfile*> profiles_of(const std::string& name) const {
    std::vector<const ToolProfile*> profiles;
    for (const ToolProfile& profile : config_.tools) {
      if (Glob(profile.pattern).matches(name)) profiles.push_back(&profile);
    }
    return profiles;
  }

  LearnedTool learn_tool(const std::string& name, const SeenTool& seen) {
    LearnedTool tool{.profile = {.pattern = name},
                     .calls = seen.calls().size(),
                     .principals = seen.principals()};
    const std::vector<const ToolProfile*> profiles = profiles_of(name);
    for (const ToolProfile* profile : profiles) {
      if (profile->pattern != name) continue;
      tool.profile = *profile;
      learned_.replaced.push_back(name);
    }
    const std::vector<ArgumentPredicate> before = std::exchange(tool.profile.arguments, {});
    // The operator's predicate on an argument may mean more than values show: a place on the disk,
    // a digest, a grammar.
    for (const ArgumentPredicate& argument : before)
      tool.arguments.push_back({.argument = argument});
    for (const auto& [pointer, values] : seen.values())
      learn_argument(tool, profiles, pointer, values);
    const std::set<std::string, std::less<>> left_out = seen.find_left_out();
    for (LearnedArgument& argument : tool.arguments) {
      if (argument.values > 0)
        argument.argument.optional = left_out.contains(argument.argument.pointer);
    }
    learn_empty(tool, seen);
    for (const std::string& pointer : seen.unnameable())
      tell(name, pointer, "has members that no policy can name");
    for (const std::string& pointer : seen.find_mixed_shapes())
      tell(name, pointer, "was of one shape in some calls and of another in others");
    std::ranges::sort(tool.arguments, {}, [](const LearnedArgument& one) -> const std::string& {
      return one.argument.pointer;
    });
    tool.takes_nothing = seen.values().empty() && seen.empty().empty();
    if (tool.takes_nothing && tool.arguments.empty() && tool.profile.schema.empty()) {
      tool.profile.schema = R"({"maxProperties":0})";
    }
    return tool;
  }

  /// The use of an argument; nothing if it is not to be learned.
  std::optional<ArgumentUse> use_of(const std::string& tool,
                                    const std::vector<const ToolProfile*>& profiles,
                                    const std::string& pointer) const {
    ArgumentUse use{.pointer = pointer, .cwd = cwd_of(tool)};
    for (const ToolProfile* profile : profiles) {
      for (const ArgumentPredicate& argument : profile->arguments) {
        if (argument.pointer != pointer) continue;
        // This value is judged, whatever clients send.
        if (std::holds_alternative<FixedPredicate>(argument.predicate)) return std::nullopt;
        if (profile->pattern == tool) return std::nullopt;
        const auto* text = std::get_if<TextPredicate>(&argument.predicate);
        if (text != nullptr && text->compact) use.form = ArgumentUse::Form::compacted;
      }
    }
    return use;
  }

  void learn_argument(LearnedTool& tool, const std::vector<const ToolProfile*>& profiles,
                      const std::string& pointer, const SeenValues& values) {
    const std::optional<ArgumentUse> use = use_of(tool.profile.pattern, profiles, pointer);
    if (!use.has_value()) return;
    auto learned = values.learn(*use);
    if (!learned.has_value()) {
      return tell(tool.profile.pattern, pointer,
                  "was null, an empty object, or now a text and now something else");
    }
    LearnedArgument argument{.argument = {.pointer = pointer, .predicate = paths_.name(*learned)},
                             .values = values.count(),
                             .distinct = values.distinct()};
    const bool is_text = std::holds_alternative<TextPredicate>(learned->predicate);
    if (is_text && use->cwd.empty() && values.are_relative_paths(pointer)) {
      argument.note = "paths from where nobody knows: [server." + server_of(tool.profile.pattern) +
                      "] has no cwd";
    }
    tool.arguments.push_back(std::move(argument));
  }

  static std::string server_of(const std::string& tool) { return tool.substr(0, tool.find('/')); }

  /// The working directory of the tool's server.
  std::string_view cwd_of(const std::string& tool) const {
    const auto server = config_.servers.find(server_of(tool));
    return server == config_.servers.end() ? std::string_view() : server->second.cwd;
  }

  static bool has_argument(const LearnedTool& tool, const std::string& pointer) {
    return std::ranges::any_of(tool.arguments, [&pointer](const LearnedArgument& one) {
      return one.argument.pointer == pointer;
    });
  }

  /// Arrays that were always empty stay so.
  static void learn_empty(LearnedTool& tool, const SeenTool& seen) {
    for (const std::string& pointer : seen.empty()) {
      const bool is_known = std::ranges::any_of(seen.values(), [&pointer](const auto& one) {
        return one.first == pointer || one.first.starts_with(pointer + "/");
      });
      if (is_known || has_argument(tool, pointer)) continue;
      tool.arguments.push_back(
          {.argument = {
               .pointer = pointer, .predicate = TextPredicate{.max_length = 0}, .optional = true}});
    }
  }

  void tell(const std::string& tool, const std::string& pointer, const std::string& why) {
    unlearned_.insert(quote(tool) + ": " + quote(pointer.empty() ? "/" : pointer) + " " + why);
  }

  // --- Rules ------------------------------------------------------------------------------------

  LearnedRule begin_rule(const Subject& subject) {
    LearnedRule learned{.rule = {.effect = Effect::permit, .target = subject.target}};
    (subject.is_role ? learned.rule.roles : learned.rule.principals) = {subject.name};
    if (!subject.permit.empty()) {
      const RuleConfig& permit = config_.rules.find(subject.permit)->second;
      learned.permit = permit.name;
      learned.rule.when = permit.when;
      learned.rule.unless = permit.unless;
      learned.rule.expires = permit.expires;
    }
    return learned;
  }

  void learn_rules(const Subject& subject, const SeenSubject& seen) {
    LearnedRule shared = begin_rule(subject);
    std::vector<LearnedRule> all;
    std::vector<const CapturedCall*> of_shared;
    for (const auto& [pattern, calls] : seen) {
      const std::vector<LearnedRule> own = learn_own(subject, pattern, calls);
      all.insert(all.end(), own.begin(), own.end());
      if (!own.empty()) continue;
      if (shared.calls.size() == kPatternsMax) {
        unlearned_.insert("one rule cannot name more than " + std::to_string(kPatternsMax));
        break;
      }
      shared.rule.patterns.push_back(pattern);
      shared.calls.push_back(calls.size());
      of_shared.insert(of_shared.end(), calls.begin(), calls.end());
    }
    shared.principals = principals_of(of_shared).size();
    if (!shared.calls.empty()) all.insert(all.begin(), std::move(shared));
    for (LearnedRule& rule : all) {
      rule.rule.name = name_rule(subject);
      learned_.rules.push_back(std::move(rule));
    }
  }

  /// Rules with predicates on the tool arguments that this subject sent. None if the profile
  /// already has these predicates, as for a tool without other callers.
  std::vector<LearnedRule> learn_own(const Subject& subject, const std::string& pattern,
                                     const std::vector<const CapturedCall*>& calls) {
    if (subject.target != RuleTarget::tools) return {};
    const SeenTool& all = tools_.find(pattern)->second;
    if (all.calls().size() == calls.size()) return {};
    SeenTool seen;
    for (const CapturedCall* call : calls)
      seen.add(*call);
    std::vector<OwnArgument> own = find_own(subject, pattern, seen);
    OwnGroups groups = group_calls(calls, own);
    if (groups.size() > kGroupsMax) {
      const std::set<std::string, std::less<>> left_out = seen.find_left_out();
      std::erase_if(own, [&left_out](const OwnArgument& one) {
        return one.predicate.has_value() && left_out.contains(one.pointer);
      });
      groups = group_calls(calls, own);
      tell(pattern, "",
           "was called by " + quote(subject.name) + " in more than " + std::to_string(kGroupsMax) +
               " combinations of arguments: of those that some calls leave out, what others sent "
               "passes as well");
    }
    std::vector<LearnedRule> rules;
    for (const auto& [presence, group] : groups) {
      LearnedRule rule = begin_rule(subject);
      rule.rule.patterns = {pattern};
      rule.calls = {group.calls};
      rule.principals = group.principals.size();
      for (std::size_t i = 0; i < own.size(); ++i)
        ask_own(rule, own[i], presence[i]);
      // Some calls need no predicates, so predicates for the others would be useless.
      if (rule.arguments.empty()) return {};
      rules.push_back(std::move(rule));
    }
    return rules;
  }

  void ask_own(LearnedRule& rule, const OwnArgument& own, SeenTool::Presence presence) {
    if (presence == SeenTool::Presence::partly) {
      return tell(
          rule.rule.patterns.front(), own.pointer,
          "is in some elements and not in others, so that a role may send what another did");
    }
    LearnedArgument asked{.argument = {.pointer = own.pointer, .predicate = AbsentPredicate{}}};
    if (presence == SeenTool::Presence::yes) {
      if (!own.predicate.has_value()) return;
      asked.argument.predicate = paths_.name(*own.predicate);
      asked.values = own.values->count();
      asked.distinct = own.values->distinct();
    }
    rule.rule.when.arguments.push_back(asked.argument);
    rule.arguments.push_back(std::move(asked));
  }

  /// The arguments that the subject sent differently from all callers together.
  std::vector<OwnArgument> find_own(const Subject& subject, const std::string& pattern,
                                    const SeenTool& seen) {
    std::vector<OwnArgument> own;
    const auto tool = std::ranges::find(learned_.tools, pattern, [](const LearnedTool& one) {
      return std::string_view(one.profile.pattern);
    });
    const std::vector<const ToolProfile*> profiles = profiles_of(pattern);
    for (const LearnedArgument& common : tool->arguments) {
      const std::string& pointer = common.argument.pointer;
      const std::optional<ArgumentUse> use = use_of(pattern, profiles, pointer);
      if (common.values == 0 || !use.has_value()) continue;
      const auto values = seen.values().find(pointer);
      OwnArgument one{.pointer = pointer};
      if (values != seen.values().end()) {
        one.predicate = values->second.learn(*use);
        one.values = &values->second;
        const bool is_common =
            !one.predicate.has_value() || paths_.is_same(*one.predicate, common.argument.predicate);
        if (is_common) continue;
      }
      if (can_ask(subject, seen, pointer)) {
        own.push_back(std::move(one));
      } else {
        tell(pattern, pointer,
             "is nothing that a rule can ask about, so that a role may send what another did");
      }
    }
    return own;
  }

  /// Whether a rule can have a predicate on an argument. Its permit must not have one yet. The tool
  /// of every call must declare it, since a condition is undecidable otherwise.
  bool can_ask(const Subject& subject, const SeenTool& seen, const std::string& pointer) {
    const auto permit = config_.rules.find(subject.permit);
    if (permit != config_.rules.end()) {
      const auto& asked = permit->second.when.arguments;
      if (std::ranges::find(asked, pointer, &ArgumentPredicate::pointer) != asked.end())
        return false;
    }
    return std::ranges::all_of(seen.calls(), [&](const CapturedCall* call) {
      const ToolDefinition* tool = definitions_.find(*call);
      // An assumed definition has the arguments that rules ask about.
      return tool == nullptr || tool->fingerprint.empty() || is_declared(tool, pointer);
    });
  }

  std::string name_rule(const Subject& subject) {
    static constexpr std::pair<RuleTarget, std::string_view> kEndings[] = {
        {RuleTarget::tools, ""},
        {RuleTarget::resources, "-resources"},
        {RuleTarget::prompts, "-prompts"},
        {RuleTarget::methods, "-methods"}};
    std::string name = (subject.is_role ? "learned-" : "learned-for-") + subject.name;
    for (const auto& [target, ending] : kEndings) {
      if (target == subject.target) name += ending;
    }
    const std::string begin = name.size() > kNameMax ? "learned-rule" : name;
    name = begin;
    // The name must be new: the learned policy replaces permits, but forbids stay.
    for (std::size_t number = 2; !names_.insert(name).second || config_.rules.contains(name);
         ++number) {
      name = begin.substr(0, kNameMax - 8) + "-" + std::to_string(number);
    }
    return name;
  }

  const Config& config_;
  const Capture& capture_;
  LearnedPolicy learned_ = {};
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> holders_ = {};
  LearnedPaths paths_;
  ReplayDefinitions definitions_;
  std::map<std::string, SeenTool, std::less<>> tools_ = {};
  std::map<Subject, SeenSubject> subjects_ = {};
  std::set<std::string> names_ = {};      ///< Of rules.
  std::set<std::string> unlearned_ = {};  ///< Each once.
};

}  // namespace

LearnedPolicy learn_policy(const Config& config, const Capture& capture) {
  return Learner(config, capture).learn();
}

}  // namespace bartizan
