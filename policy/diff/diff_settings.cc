#include "policy/diff/diff_settings.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "config/client_feature.h"
#include "config/same_entry.h"
#include "policy/diff/diff_approvals.h"
#include "policy/diff/diff_sandboxes.h"

namespace bartizan {
namespace {

using Kind = SettingChange::Kind;

/// The number that a window lets through at once.
std::uint64_t at_once(const LimitConfig& limit, const Rate& rate) {
  return rate.unit == LimitUnit::calls ? limit.burst.value_or(rate.count) : rate.count;
}

/// Whether no number of a limit lets more through than that of another, and all else is the same.
bool is_stricter(const LimitConfig& limit, const LimitConfig& than) {
  LimitConfig same = limit;
  same.rates = than.rates;
  same.burst = than.burst;
  same.concurrency = than.concurrency;
  same.queue = than.queue;
  same.queue_timeout = than.queue_timeout;
  if (!is_same(same, than) || limit.rates.size() != than.rates.size()) return false;
  const bool has_less =
      std::ranges::equal(limit.rates, than.rates, [&](const Rate& rate, const Rate& former) {
        return rate.unit == former.unit && rate.window == former.window &&
               rate.count <= former.count && at_once(limit, rate) <= at_once(than, former);
      });
  const bool has_fewer_slots =
      !than.concurrency.has_value() ||
      (limit.concurrency.has_value() && *limit.concurrency <= *than.concurrency);
  const bool waits_less = limit.queue <= than.queue && limit.queue_timeout <= than.queue_timeout;
  return has_less && has_fewer_slots && waits_less;
}

/// Only the window and the texts may differ.
bool is_stricter(const FlowConfig& flow, const FlowConfig& than) {
  FlowConfig same = flow;
  same.window = than.window;
  same.remediation = than.remediation;
  if (flow.effect == Effect::forbid) {
    same.effect = than.effect;
    same.approval = than.approval;
  }
  return is_same(same, than) && flow.window >= than.window;
}

bool holds_all(const auto& all, const auto& some) {
  return std::ranges::all_of(
      some, [&](const auto& one) { return std::ranges::find(all, one) != all.end(); });
}

/// Only the end and the texts may differ.
bool is_stricter(const RedactionException& keep, const RedactionException& than) {
  RedactionException same = keep;
  same.expires = than.expires;
  same.because = than.because;
  return is_same(same, than) && keep.expires <= than.expires;
}

/// They may differ only in detectors, places, action and exceptions. People, tools and pointers
/// must be the same, or `limit` must be for all.
bool is_stricter(const RedactionConfig& rule, const RedactionConfig& than) {
  const auto has_as_many = [](const std::vector<std::string>& names,
                              const std::vector<std::string>& others) {
    return names.empty() || names == others;
  };
  const bool is_for_all = rule.roles.empty() && rule.principals.empty();
  const bool is_for_as_many =
      is_for_all || (rule.roles == than.roles && rule.principals == than.principals);
  const bool has_no_more_exceptions = std::ranges::all_of(rule.keep, [&](const auto& keep) {
    const auto former = than.keep.find(keep.first);
    return former != than.keep.end() && is_stricter(keep.second, former->second);
  });
  return rule.action >= than.action && holds_all(rule.detectors, than.detectors) &&
         holds_all(rule.in, than.in) && is_for_as_many && has_as_many(rule.tools, than.tools) &&
         has_as_many(rule.pointers, than.pointers) && has_no_more_exceptions;
}

/// It may find additional words or rules. Of two different patterns, neither is known to be
/// stricter.
bool is_stricter(const DetectorConfig& detector, const DetectorConfig& than) {
  if (than.rules.empty())
    return !detector.words.empty() && !than.words.empty() && holds_all(detector.words, than.words);
  const auto same = [](const auto& one, const auto& other) { return is_same(one, other); };
  const auto is_kept = [&](const GitleaksRule& rule) {
    return std::ranges::any_of(detector.rules,
                               [&](const auto& other) { return same(rule, other); });
  };
  return std::ranges::equal(detector.allowlists, than.allowlists, same) &&
         std::ranges::all_of(than.rules, is_kept);
}

/// Links may lead to no more hosts than before, if hosts are checked at all.
bool is_stricter(const SanitisingConfig& rule, const SanitisingConfig& than) {
  const auto has_as_many = [](const std::vector<std::string>& names,
                              const std::vector<std::string>& others) {
    return names.empty() || names == others;
  };
  const bool leads_no_further =
      than.markup == ActiveMarkup::keep || holds_all(than.hosts, rule.hosts);
  return rule.hidden >= than.hidden && rule.text <= than.text && rule.markup >= than.markup &&
         leads_no_further && holds_all(rule.in, than.in) && has_as_many(rule.roles, than.roles) &&
         has_as_many(rule.tools, than.tools);
}

class SettingsDiff {
 public:
  SettingsDiff(const Config& older, const Config& newer) : older_(older), newer_(newer) {}

  std::vector<SettingChange> run() && {
    compare_policy();
    compare_keys();
    compare_anonymous();
    compare(older_.limits, newer_.limits, "limit ");
    compare(older_.flows, newer_.flows, "flow ");
    compare_approvals();
    compare(older_.redactions, newer_.redactions, "redaction ");
    compare(older_.detectors, newer_.detectors, "detector ");
    compare(older_.sanitisings, newer_.sanitisings, "sanitising ");
    for (const auto& [name, server] : newer_.servers) {
      compare_features(name, server);
      const auto found = older_.servers.find(name);
      if (found == older_.servers.end()) continue;
      compare_labels("server " + name, found->second.labels, server.labels,
                     place(newer_, server.where));
      compare_confinement(name, found->second, server);
    }
    compare_profiles();
    compare_pins();
    compare_fixed();
    return std::move(changes_);
  }

 private:
  /// The place of an entry, in one of both.
  struct Entry {
    std::string where;
    DiffSide in;
  };

  void gained(std::string what, std::string how, Entry entry) {
    changes_.push_back(
        {Kind::gained, std::move(what), std::move(how), std::move(entry.where), entry.in});
  }
  void lost(std::string what, std::string how, Entry entry) {
    changes_.push_back(
        {Kind::lost, std::move(what), std::move(how), std::move(entry.where), entry.in});
  }

  /// An entry without a line is a default.
  Entry place(const Config& config, const Position& where) const {
    return {.where = where.line == 0 ? std::string() : text(config, where),
            .in = &config == &older_ ? DiffSide::older : DiffSide::newer};
  }

  void compare_policy() {
    using Mode = PolicySettings::Mode;
    const PolicySettings& before = older_.policy;
    const PolicySettings& after = newer_.policy;
    const bool observed = before.mode == Mode::observe;
    const bool observes = after.mode == Mode::observe;
    const bool observes_longer = observes && (!observed || after.until.value_or(INT64_MAX) >
                                                               before.until.value_or(INT64_MAX));
    const Entry where = place(newer_, after.where);
    if (observes_longer) gained("policy", "only observes what it would refuse", where);
    if (observed && !observes) lost("policy", "enforces what it observed", where);
  }

  /// Modes are ordered from the strictest.
  void compare_pins() {
    constexpr std::array<std::string_view, 3> kModes{"locked", "trust_on_first_use", "off"};
    const PinsConfig::Mode before = older_.pins.mode;
    const PinsConfig::Mode after = newer_.pins.mode;
    if (before == after) return;
    const Entry where = place(newer_, newer_.pins.where);
    const std::string how = fmt::format("is {} and was {}", kModes[static_cast<std::size_t>(after)],
                                        kModes[static_cast<std::size_t>(before)]);
    after > before ? gained("pins", how, where) : lost("pins", how, where);
  }

  static const ApiKeyConfig* find_key(const Config& config, const std::string& name) {
    const auto found = std::ranges::find(config.auth.api_keys, name, &ApiKeyConfig::name);
    return found == config.auth.api_keys.end() ? nullptr : &*found;
  }

  void compare_keys() {
    for (const ApiKeyConfig& key : newer_.auth.api_keys) {
      const ApiKeyConfig* before = find_key(older_, key.name);
      const Entry where = place(newer_, key.where);
      if (before == nullptr) {
        gained("key " + key.name, "is new, and makes its holder " + key.principal, where);
      } else {
        compare_key(*before, key, where);
      }
    }
    for (const ApiKeyConfig& key : older_.auth.api_keys) {
      if (find_key(newer_, key.name) != nullptr) continue;
      lost("key " + key.name, "is gone, and made its holder " + key.principal,
           place(older_, key.where));
    }
  }

  /// A holder of one key need not have the other, so a replaced key is a new one.
  void compare_key(const ApiKeyConfig& before, const ApiKeyConfig& after, const Entry& where) {
    const std::string what = "key " + after.name;
    if (before.principal != after.principal)
      gained(what, "makes its holder " + after.principal + " in place of " + before.principal,
             where);
    if (before.sha256 != after.sha256)
      gained(what, "of " + after.principal + " is another one", where);
    const std::int64_t ended = before.expires.value_or(INT64_MAX);
    const std::int64_t ends = after.expires.value_or(INT64_MAX);
    if (ended < ends) gained(what, "of " + after.principal + " holds longer", where);
    if (ended > ends) lost(what, "of " + after.principal + " ends earlier", where);
  }

  /// Compares the access of callers without a key.
  void compare_anonymous() {
    const auto everyone = [](const Config& config) {
      return config.auth.mode == AuthConfig::Mode::none ? config.auth.principal : std::string();
    };
    const auto tell = [this](const std::string& before, const std::string& after,
                             const std::string& who) {
      if (before == after) return;
      const Entry where = place(newer_, newer_.auth.where);
      after.empty() ? lost("auth", who + " is no longer " + before, where)
                    : gained("auth", who + " is " + after, where);
    };
    tell(everyone(older_), everyone(newer_), "everyone without a key");
    tell(older_.auth.stdio_principal, newer_.auth.stdio_principal,
         "whoever speaks over standard input");
  }

  template <typename Named>
  void compare(const std::map<std::string, Named, std::less<>>& before,
               const std::map<std::string, Named, std::less<>>& after, const std::string& kind) {
    for (const auto& [name, entry] : before) {
      const auto found = after.find(name);
      if (found == after.end()) {
        gained(kind + name, "is gone", place(older_, entry.where));
      } else if (!is_same(entry, found->second)) {
        const Entry where = place(newer_, found->second.where);
        is_stricter(found->second, entry) ? lost(kind + name, "is stricter", where)
                                          : gained(kind + name, "is another one", where);
      }
    }
    for (const auto& [name, entry] : after) {
      if (!before.contains(name)) lost(kind + name, "is new", place(newer_, entry.where));
    }
  }

  /// Compares approval terms of rules that both have.
  void compare_approvals() {
    for (const auto& [name, rule] : newer_.rules) {
      const auto before = older_.rules.find(name);
      if (before == older_.rules.end() || rule.effect != Effect::require_approval ||
          before->second.effect != Effect::require_approval)
        continue;
      for (const ApprovalChange& change : diff_approvals(before->second.approval, rule.approval)) {
        const Entry where = place(newer_, rule.where);
        change.is_wider ? gained("rule " + name, change.how, where)
                        : lost("rule " + name, change.how, where);
      }
    }
  }

  /// Compares the confinement of local servers, and the pins of their programs.
  void compare_confinement(const std::string& name, const ServerConfig& before,
                           const ServerConfig& after) {
    const std::string what = "server " + name;
    const Entry where = place(newer_, after.where);
    for (const SandboxChange& change : diff_sandboxes(before.sandbox, after.sandbox)) {
      change.is_wider ? gained(what, change.how, where) : lost(what, change.how, where);
    }
    for (const auto& [path, digest] : before.executables) {
      const auto found = after.executables.find(path);
      if (found == after.executables.end()) {
        gained(what, "may be made of any " + path, where);
      } else if (found->second != digest) {
        gained(what, "is made of another " + path, where);
      }
    }
  }

  /// For a new server, everything that it may request is a change.
  void compare_features(const std::string& name, const ServerConfig& server) {
    const auto found = older_.servers.find(name);
    static const ServerConfig kNothing;
    const ServerConfig& before = found == older_.servers.end() ? kNothing : found->second;
    const Entry where = place(newer_, server.where);
    for (const auto& [text, feature] : kClientFeatureNames) {
      const bool is_allowed = allows(server.client_features, feature);
      if (is_allowed == allows(before.client_features, feature)) continue;
      const std::string what = "server " + name;
      is_allowed ? gained(what, "may use " + std::string(text) + " of clients", where)
                 : lost(what, "may no longer use " + std::string(text) + " of clients", where);
    }
    const bool is_same_form = has_same_urls(server.elicitation_urls);
    if (server.elicitation_urls != before.elicitation_urls || !is_same_form) {
      const std::string what = "server " + name;
      server.elicitation_urls.empty()
          ? lost(what, "may no longer send users to URLs", where)
          : gained(what, "may send users to the URLs of [url." + server.elicitation_urls + "]",
                   where);
    }
  }

  /// Whether both have the same form of URLs of that name, or neither has one.
  bool has_same_urls(const std::string& name) const {
    const auto before = older_.urls.find(name);
    const auto after = newer_.urls.find(name);
    if (before == older_.urls.end() || after == newer_.urls.end())
      return (before == older_.urls.end()) == (after == newer_.urls.end());
    return is_same(before->second, after->second);
  }

  /// Flows look for labels, so that a lost label is as permissive as a lost flow.
  void compare_labels(const std::string& what, const std::vector<ToolLabel>& before,
                      const std::vector<ToolLabel>& after, const Entry& where) {
    const auto tell = [&](const std::vector<ToolLabel>& labels, const std::vector<ToolLabel>& of,
                          Kind kind, std::string_view how) {
      for (const ToolLabel label : labels) {
        if (std::ranges::find(of, label) != of.end()) continue;
        changes_.push_back(
            {kind, what, std::string(how) + std::string(text(label)), where.where, where.in});
      }
    };
    tell(before, after, Kind::gained, "has no longer the label ");
    tell(after, before, Kind::lost, "has the label ");
  }

  /// Compares settings of profiles with the same pattern, beside predicates. A profile that is gone
  /// has no settings.
  void compare_profiles() {
    static const ToolProfile kNothing;
    const auto find = [](const Config& config, const std::string& pattern) {
      const auto found = std::ranges::find(config.tools, pattern, &ToolProfile::pattern);
      return found == config.tools.end() ? &kNothing : &*found;
    };
    std::set<std::string> patterns;
    for (const Config* config : {&older_, &newer_}) {
      for (const ToolProfile& profile : config->tools)
        patterns.insert(profile.pattern);
    }
    for (const std::string& pattern : patterns)
      compare_profile("tool " + pattern, *find(older_, pattern), *find(newer_, pattern));
  }

  void compare_profile(const std::string& what, const ToolProfile& before,
                       const ToolProfile& after) {
    // For a profile that is gone, its former place.
    const Entry where =
        after.where.line == 0 ? place(older_, before.where) : place(newer_, after.where);
    compare_labels(what, before.labels, after.labels, where);
    const auto differ = [&](std::uint64_t one, std::uint64_t other, const std::string& more,
                            const std::string& less) {
      if (one < other) gained(what, more, where);
      if (one > other) lost(what, less, where);
    };
    // A higher cost and a lower bound are stricter.
    differ(after.cost.value_or(1), before.cost.value_or(1), "costs less", "costs more");
    differ(before.max_result.value_or(UINT64_MAX), after.max_result.value_or(UINT64_MAX),
           "may answer more bytes", "may answer fewer bytes");
    differ(before.max_entries.value_or(UINT64_MAX), after.max_entries.value_or(UINT64_MAX),
           "may answer more entries", "may answer fewer entries");
    differ(before.max_blocks.value_or(UINT64_MAX), after.max_blocks.value_or(UINT64_MAX),
           "may answer more blocks", "may answer fewer blocks");
    differ(before.max_depth.value_or(UINT64_MAX), after.max_depth.value_or(UINT64_MAX),
           "may answer deeper", "may answer less deep");
    using Oversize = ToolProfile::Oversize;
    differ(before.oversize == Oversize::truncate, after.oversize == Oversize::truncate,
           "gives the beginning of what is too large", "withholds what is too large");
    using Additional = ToolProfile::AdditionalProperties;
    using Formats = ToolProfile::Formats;
    using Patterns = ToolProfile::UntranslatablePatterns;
    differ(before.additional_properties != Additional::refuse,
           after.additional_properties != Additional::refuse,
           "takes members that its schema does not name",
           "refuses members that its schema does not name");
    differ(before.formats != Formats::assert_them, after.formats != Formats::assert_them,
           "asserts no formats any more", "asserts formats");
    differ(before.untranslatable_patterns == Patterns::accept,
           after.untranslatable_patterns == Patterns::accept,
           "is taken without patterns that RE2 cannot express",
           "is not taken with patterns that RE2 cannot express");
    if (before.schema == after.schema) return;
    before.schema.empty() ? lost(what, "has a schema", where)
                          : gained(what, "has another schema, or none", where);
  }

  using Fixed = std::map<std::pair<std::string, std::string>, const ArgumentPredicate*>;

  /// The values that profiles force, by pattern and pointer.
  static Fixed fixed_of(const Config& config) {
    Fixed fixed;
    for (const ToolProfile& profile : config.tools) {
      for (const ArgumentPredicate& argument : profile.arguments) {
        if (std::holds_alternative<FixedPredicate>(argument.predicate))
          fixed.emplace(std::pair(profile.pattern, argument.pointer), &argument);
      }
    }
    return fixed;
  }

  void compare_fixed() {
    const Fixed before = fixed_of(older_);
    const Fixed after = fixed_of(newer_);
    for (const auto& [argument, value] : before) {
      const auto found = after.find(argument);
      const std::string what = "tool " + argument.first;
      if (found == after.end()) {
        gained(what, argument.second + " is no longer fixed", place(older_, value->where));
      } else if (found->second->predicate != value->predicate) {
        gained(what, argument.second + " is fixed to another value",
               place(newer_, found->second->where));
      }
    }
    for (const auto& [argument, value] : after) {
      if (before.contains(argument)) continue;
      lost("tool " + argument.first, argument.second + " is fixed", place(newer_, value->where));
    }
  }

  const Config& older_;
  const Config& newer_;
  std::vector<SettingChange> changes_;
};

}  // namespace

std::vector<SettingChange> diff_settings(const Config& older, const Config& newer) {
  return SettingsDiff(older, newer).run();
}

}  // namespace bartizan
