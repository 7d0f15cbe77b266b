#include "policy/learn_policy.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "config/parse_pattern.h"
#include "config/problems.h"
#include "policy/argument_pointer.h"
#include "policy/joined_name.h"
#include "policy/learn_values.h"
#include "policy/match.h"
#include "schemas/json_text.h"
#include "schemas/method.h"

namespace bartizan {
namespace {

/// What one tool may be given, by places; a client may make names up.
constexpr std::size_t kPointersMax = 256;
/// What one array of a configuration holds.
constexpr std::size_t kPatternsMax = 1024;
constexpr std::size_t kNameMax = 64;

/// What was seen of one tool.
struct SeenTool {
  std::vector<const CapturedCall*> calls = {};
  std::map<std::string, SeenValues, std::less<>> values = {};  ///< By pointer.
  std::set<std::string, std::less<>> empty = {};  ///< Pointers to the elements of empty arrays.
  std::set<std::string, std::less<>> principals = {};
  std::set<std::string, std::less<>> unnameable = {};  ///< Pointers that no policy can spell.
};

/// Whom a rule is for, and what for.
struct Subject {
  bool is_role = true;
  std::string name;
  RuleTarget target = RuleTarget::tools;
  std::string permit = {};  ///< Whose conditions hold; empty for none.
  auto operator<=>(const Subject&) const = default;
};
struct SeenSubject {
  std::map<std::string, std::size_t, std::less<>> patterns = {};  ///< With their calls.
  std::set<std::string, std::less<>> principals = {};
};

void see(SeenTool& tool, JsonValue value, const std::string& pointer) {
  const bool is_array = value.is(JsonType::array);
  const bool is_empty = value.begin() == value.end();
  if (is_array && is_empty) tool.empty.insert(pointer + "/*");
  if (is_array) {
    for (const JsonValue element : value)
      see(tool, element, pointer + "/*");
    return;
  }
  if (value.is(JsonType::object) && (!is_empty || pointer.empty())) {
    for (const JsonValue member : value) {
      const std::string below = pointer_below(pointer, member.key());
      // In a policy a star stands for the elements of an array.
      if (member.key() == "*" || below.size() > limits::pointer_bytes_max) {
        tool.unnameable.insert(pointer);
      } else {
        see(tool, member, below);
      }
    }
    return;
  }
  if (tool.values.size() < kPointersMax || tool.values.contains(pointer)) {
    tool.values[pointer].add(value);
  } else {
    tool.unnameable.insert(pointer);
  }
}

/// The pointers to what some calls leave out and others have.
std::set<std::string, std::less<>> find_left_out(const SeenTool& tool) {
  std::map<std::string_view, std::vector<PointerSegment>> asked;
  for (const auto& [pointer, values] : tool.values)
    asked.emplace(pointer, parse_pointer(pointer));
  std::set<std::string, std::less<>> left_out;
  JsonDocument document;
  for (const CapturedCall* call : tool.calls) {
    const Bytes bytes{call->call.arguments.empty() ? std::string_view("{}")
                                                   : std::string_view(call->call.arguments)};
    const Result<JsonValue> arguments = document.read(bytes, kResponseLimits);
    if (!arguments.has_value()) continue;
    std::erase_if(asked, [&](const auto& one) {
      const bool is_there =
          visit_selected(one.second, *arguments,
                         [](Selection selection, JsonValue /*value*/, const Place* /*place*/) {
                           return selection != Selection::nothing;
                         });
      if (!is_there) left_out.emplace(one.first);
      return !is_there;
    });
  }
  return left_out;
}

/// The pointers to what was a value in one call and an array or an object in another, or one of
/// these and then the other: a predicate is about one shape.
std::vector<std::string> find_mixed_shapes(const SeenTool& tool) {
  enum Shape : std::uint8_t { kValue = 1, kArray = 2, kObject = 4 };
  std::map<std::string, std::uint8_t> shapes;
  const auto note_parents = [&shapes](std::string pointer) {
    for (std::size_t slash = pointer.rfind('/'); slash != std::string::npos;
         slash = pointer.rfind('/')) {
      const bool is_array = std::string_view(pointer).substr(slash) == "/*";
      pointer.resize(slash);
      shapes[pointer] |= is_array ? kArray : kObject;
    }
  };
  for (const auto& [pointer, values] : tool.values) {
    shapes[pointer] |= kValue;
    note_parents(pointer);
  }
  std::ranges::for_each(tool.empty, note_parents);
  std::vector<std::string> mixed;
  for (const auto& [pointer, shape] : shapes) {
    if (std::popcount(shape) > 1) mixed.push_back(pointer);
  }
  return mixed;
}

/// Whether it permits only where, or until, something holds.
bool has_conditions(const RuleConfig& rule) {
  return !rule.when.empty() || !rule.unless.empty() || rule.expires.has_value();
}

class Learner {
 public:
  Learner(const Config& config, const Capture& capture) : config_(config), capture_(capture) {
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
    for (auto& [name, tool] : tools_)
      learned_.tools.push_back(learn_tool(name, tool));
    for (const auto& [subject, seen] : subjects_)
      learned_.rules.push_back(learn_rule(subject, seen));
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
    SeenSubject& seen = subjects_[*subject];
    ++seen.patterns[*pattern];
    seen.principals.insert(call.call.principal);
    if (!config_.principals.contains(call.call.principal)) {
      unlearned_.insert("there is no principal " + quote(call.call.principal) + " any more");
    }
    if (call.call.target_kind != TargetKind::tool) return;
    SeenTool& tool = tools_[*pattern];
    tool.calls.push_back(&call);
    tool.principals.insert(call.call.principal);
    if (call.call.arguments.empty()) return;
    const Bytes bytes{std::string_view(call.call.arguments)};
    JsonDocument document;
    const Result<JsonValue> arguments = document.read(bytes, kResponseLimits);
    if (arguments.has_value()) see(tool, *arguments, "");
  }

  /// What a rule says of the target: itself, and nothing else.
  std::optional<std::string> pattern_of(const DescribedCall& call) {
    if (call.target_kind == TargetKind::none) {
      // A star would be every method.
      if (find_method(call.method).id != MethodId::unknown) return call.method;
      unlearned_.insert(quote(call.method) + " is no method that a rule can name");
      return std::nullopt;
    }
    if (!config_.servers.contains(call.server)) {
      unlearned_.insert("there is no server " + quote(call.server) + " any more");
      return std::nullopt;
    }
    const bool is_resource = call.target_kind == TargetKind::resource;
    const std::string name = call.server + (is_resource ? ":" : "/") + call.target;
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

  LearnedTool learn_tool(const std::string& name, SeenTool& seen) {
    LearnedTool tool{.profile = {.pattern = name}, .calls = seen.calls.size()};
    tool.principals = seen.principals.size();
    const auto matches = [&name](const ToolProfile& profile) {
      return Glob(profile.pattern).matches(name);
    };
    std::vector<const ToolProfile*> others;
    for (const ToolProfile& profile : config_.tools) {
      if (profile.pattern == name) {
        tool.profile = profile;
        learned_.replaced.push_back(name);
      }
      if (matches(profile)) others.push_back(&profile);
    }
    const std::vector<ArgumentPredicate> before = std::exchange(tool.profile.arguments, {});
    // What its operator said of an argument may mean more than values show: a place on the disk,
    // a digest, a grammar.
    for (const ArgumentPredicate& argument : before)
      tool.arguments.push_back({.argument = argument});
    for (const auto& [pointer, values] : seen.values)
      learn_argument(tool, others, pointer, values);
    const std::set<std::string, std::less<>> left_out = find_left_out(seen);
    for (LearnedArgument& argument : tool.arguments) {
      if (argument.values > 0)
        argument.argument.optional = left_out.contains(argument.argument.pointer);
    }
    learn_empty(tool, seen);
    for (const std::string& pointer : seen.unnameable)
      tell(name, pointer, "has members that no policy can name");
    for (const std::string& pointer : find_mixed_shapes(seen))
      tell(name, pointer, "was of one shape in some calls and of another in others");
    std::ranges::sort(tool.arguments, {}, [](const LearnedArgument& one) -> const std::string& {
      return one.argument.pointer;
    });
    tool.takes_nothing = seen.values.empty() && seen.empty.empty();
    if (tool.takes_nothing && tool.arguments.empty() && tool.profile.schema.empty()) {
      tool.profile.schema = R"({"maxProperties":0})";
    }
    return tool;
  }

  void learn_argument(LearnedTool& tool, const std::vector<const ToolProfile*>& profiles,
                      const std::string& pointer, const SeenValues& values) {
    ArgumentUse use{.pointer = pointer, .cwd = cwd_of(tool)};
    for (const ToolProfile* profile : profiles) {
      for (const ArgumentPredicate& argument : profile->arguments) {
        if (argument.pointer != pointer) continue;
        // Whatever is sent there, this is what is judged.
        if (std::holds_alternative<FixedPredicate>(argument.predicate)) return;
        if (profile->pattern == tool.profile.pattern) return;
        const auto* text = std::get_if<TextPredicate>(&argument.predicate);
        if (text != nullptr && text->compact) use.form = ArgumentUse::Form::compacted;
      }
    }
    auto learned = values.learn(use);
    if (!learned.has_value()) {
      return tell(tool.profile.pattern, pointer,
                  "was null, an empty object, or now a text and now something else");
    }
    if (learned->path.has_value()) {
      learned->predicate = PathPredicate{.path = name_path(*std::move(learned->path))};
    }
    LearnedArgument argument{.argument = {.pointer = pointer, .predicate = learned->predicate},
                             .values = values.count(),
                             .distinct = values.distinct()};
    const bool is_text = std::holds_alternative<TextPredicate>(learned->predicate);
    if (is_text && use.cwd.empty() && values.are_relative_paths(pointer)) {
      argument.note = "paths from where nobody knows: [server." + server_of(tool) + "] has no cwd";
    }
    tool.arguments.push_back(std::move(argument));
  }

  static std::string server_of(const LearnedTool& tool) {
    return tool.profile.pattern.substr(0, tool.profile.pattern.find('/'));
  }

  /// Where the tool's server runs.
  std::string_view cwd_of(const LearnedTool& tool) const {
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
    for (const std::string& pointer : seen.empty) {
      const bool is_known = std::ranges::any_of(seen.values, [&pointer](const auto& one) {
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

  /// The name of a place; places that are the same have one.
  std::string name_path(PathConfig path) {
    for (const PathConfig& known : learned_.paths) {
      const bool is_same = known.root == path.root && known.kind == path.kind &&
                           known.extensions == path.extensions &&
                           known.refuse_hidden == path.refuse_hidden;
      if (is_same) return known.name;
    }
    std::size_t number = learned_.paths.size() + 1;
    do
      path.name = "learned-" + std::to_string(number++);
    while (config_.paths.contains(path.name) ||
           std::ranges::find(learned_.paths, path.name, &PathConfig::name) != learned_.paths.end());
    learned_.paths.push_back(path);
    return path.name;
  }

  // --- Rules ------------------------------------------------------------------------------------

  LearnedRule learn_rule(const Subject& subject, const SeenSubject& seen) {
    LearnedRule learned{.rule = {.effect = Effect::permit, .target = subject.target},
                        .principals = seen.principals.size()};
    (subject.is_role ? learned.rule.roles : learned.rule.principals) = {subject.name};
    learned.rule.name = name_rule(subject);
    if (!subject.permit.empty()) {
      const RuleConfig& permit = config_.rules.find(subject.permit)->second;
      learned.permit = permit.name;
      learned.rule.when = permit.when;
      learned.rule.unless = permit.unless;
      learned.rule.expires = permit.expires;
    }
    for (const auto& [pattern, calls] : seen.patterns) {
      if (learned.calls.size() == kPatternsMax) {
        unlearned_.insert("one rule cannot name more than " + std::to_string(kPatternsMax));
        break;
      }
      learned.rule.patterns.push_back(pattern);
      learned.calls.push_back(calls);
    }
    return learned;
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
    // A permit's place is taken; what forbids stays.
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
