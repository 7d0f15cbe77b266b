#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/ui_origin.h"
#include "policy/redact/redaction_rules.h"
#include "policy/text/match.h"
#include "policy/url/host_pattern.h"

namespace bartizan {

/// A `[sanitise.NAME]`, compiled.
struct SanitisingRule {
  HiddenText hidden = HiddenText::keep;
  SanitisedText text = SanitisedText::shown;
  ActiveMarkup markup = ActiveMarkup::keep;
  InjectionScreen injection = InjectionScreen::observe;
  std::string name;
  std::vector<HostPattern> hosts;
  std::vector<UiOrigin> ui_origins;
  std::vector<char> carriers;  ///< By `Carrier`.
  std::vector<std::string> roles;
  std::vector<Glob> tools;
};

/// What rules want together: of each the strongest. That a text is source is no wish but what one
/// of them knows.
struct Sanitising {
  HiddenText hidden = HiddenText::keep;
  SanitisedText text = SanitisedText::shown;
  ActiveMarkup markup = ActiveMarkup::keep;
  InjectionScreen injection = InjectionScreen::observe;
  /// The names of the rules that want so; empty where none wants more than what stands above.
  std::string_view hidden_by, markup_by, injection_by;
  /// Those about markup; links may lead where all of them let them.
  std::vector<const SanitisingRule*> of_markup;

  bool lets_lead_to(const UrlHost& host) const;
};

/// What a configuration lets texts of servers have in them. Immutable, shared by all workers.
class SanitisingRules {
 public:
  /// Never fails: `find_sanitising_problems` has looked before.
  explicit SanitisingRules(const Config& config);

  /// What rules want of texts of that scope; nothing where none is about it. Never outlives these.
  std::optional<Sanitising> find(const RedactionScope& scope) const;
  /// How texts of that scope may still hide something, once these rules were followed.
  Hiding residual_hiding(const RedactionScope& scope) const;

 private:
  std::vector<SanitisingRule> rules_;
};

/// What is wrong or doubtful with a configuration's sanitisings: hosts that are no patterns, rules
/// that do nothing.
std::vector<ConfigProblem> find_sanitising_problems(const Config& config);

}  // namespace bartizan
