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

/// The combined rules for a text: the strongest setting of each. `text` is `source` if one rule
/// says so.
struct Sanitising {
  HiddenText hidden = HiddenText::keep;
  SanitisedText text = SanitisedText::shown;
  ActiveMarkup markup = ActiveMarkup::keep;
  InjectionScreen injection = InjectionScreen::observe;
  /// The rules with those settings; empty if no rule exceeds the default.
  std::string_view hidden_by, markup_by, injection_by;
  /// The rules about markup. A link is allowed if all of them allow it.
  std::vector<const SanitisingRule*> of_markup;

  bool lets_lead_to(const UrlHost& host) const;
};

/// The sanitising of a configuration. Immutable, shared by all workers.
class SanitisingRules {
 public:
  /// Never fails: `find_sanitising_problems` reports errors earlier.
  explicit SanitisingRules(const Config& config);

  /// Returns the combined rules for texts of that scope; nothing if there are none. The result must
  /// not outlive this object.
  std::optional<Sanitising> find(const RedactionScope& scope) const;
  /// How texts of that scope may still hide content after these rules.
  Hiding residual_hiding(const RedactionScope& scope) const;

 private:
  std::vector<SanitisingRule> rules_;
};

/// Errors and warnings about a configuration's sanitisings: invalid host patterns, and rules
/// without an effect.
std::vector<ConfigProblem> find_sanitising_problems(const Config& config);

}  // namespace bartizan
