#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "config/problems.h"
#include "policy/sanitise/sanitising_rules.h"

namespace bartizan {
namespace {

using Severity = ConfigProblem::Severity;

class SanitisingReview {
 public:
  explicit SanitisingReview(const Config& config) : config_(config) {}

  std::vector<ConfigProblem> run() && {
    for (const auto& [name, rule] : config_.sanitisings) {
      review_hosts(rule);
      review_use(rule);
      review_screen(rule);
    }
    return std::move(problems_);
  }

 private:
  void report(Severity severity, const Position& where, std::string message,
              std::string hint = {}) {
    problems_.push_back({severity, text(config_, where), std::move(message), std::move(hint)});
  }

  void review_hosts(const SanitisingConfig& rule) {
    for (const std::string& host : rule.hosts) {
      if (HostPattern::read(host)) continue;
      report(Severity::error, rule.hosts_where, quote(host) + " is not a pattern of hosts",
             "write a name in lower case, \"*.NAME\" for one label more, or \"**.NAME\" for all "
             "below it");
    }
    if (rule.markup != ActiveMarkup::keep) return;
    if (!rule.hosts.empty()) report_unused("hosts", rule.hosts_where, rule);
    if (!rule.ui_origins.empty()) report_unused("ui_origins", rule.ui_origins_where, rule);
  }

  void report_unused(std::string_view key, const Position& where, const SanitisingConfig& rule) {
    report(Severity::warning, where,
           quote(key) + " has no effect: the sanitising " + quote(rule.name) + " keeps all markup",
           "write markup = \"defuse\"");
  }

  void review_use(const SanitisingConfig& rule) {
    const bool keeps_all = rule.hidden == HiddenText::keep && rule.markup == ActiveMarkup::keep &&
                           rule.injection == InjectionScreen::observe &&
                           rule.text == SanitisedText::shown;
    if (keeps_all && rule.name != default_sanitising().name) {
      report(Severity::warning, rule.where,
             "the sanitising " + quote(rule.name) + " does nothing: it keeps all",
             "of several rules the strongest counts; to keep what [sanitise.default] removes, "
             "change that");
    }
    const bool is_scoped = !rule.roles.empty() || !rule.tools.empty();
    const bool has_records = std::ranges::find(rule.in, Carrier::records) != rule.in.end();
    if (!is_scoped || !has_records) return;
    report(Severity::warning, rule.where,
           "the sanitising " + quote(rule.name) +
               " does not apply to records and the log: it is for some " +
               (rule.roles.empty() ? "tools" : "roles") + " only",
           "leave \"records\" out of its \"in\"");
  }

  /// Servers' texts about themselves are not screened, and no setting orders a record about them.
  void review_screen(const SanitisingConfig& rule) {
    constexpr std::array kScreened{Carrier::results, Carrier::errors, Carrier::notifications,
                                   Carrier::requests};
    const bool is_screened = std::ranges::find_first_of(rule.in, kScreened) != rule.in.end();
    if (rule.injection == InjectionScreen::observe || is_screened) return;
    report(Severity::warning, rule.where,
           "\"injection\" has no effect: \"in\" of the sanitising " + quote(rule.name) +
               " names nothing that is screened",
           "write \"results\", \"errors\", \"notifications\" or \"requests\" in its \"in\"");
  }

  const Config& config_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_sanitising_problems(const Config& config) {
  return SanitisingReview(config).run();
}

}  // namespace bartizan
