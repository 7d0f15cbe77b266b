#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "config/problems.h"
#include "policy/redaction_rules.h"

namespace bartizan {
namespace {

using Severity = ConfigProblem::Severity;

/// A family, all of one kind, or one detector: what a name could have meant.
std::vector<std::string_view> detector_names() {
  std::vector<std::string_view> names;
  for (const Detector& detector : detectors()) {
    if (std::ranges::find(names, detector.family) == names.end()) names.push_back(detector.family);
    names.push_back(detector.name);
  }
  return names;
}

bool share_any(const std::vector<std::string>& names, const std::vector<std::string>& others) {
  std::vector<DetectorId> all;
  for (const std::string& other : others)
    std::ranges::move(select_detectors(other), std::back_inserter(all));
  return std::ranges::any_of(names, [&](const std::string& name) {
    return std::ranges::any_of(select_detectors(name), [&](DetectorId id) {
      return std::ranges::find(all, id) != all.end();
    });
  });
}

bool meet(const std::vector<std::string>& globs, const std::vector<std::string>& others) {
  if (globs.empty() || others.empty()) return true;
  return std::ranges::any_of(globs, [&](const std::string& glob) {
    return std::ranges::any_of(
        others, [&](const std::string& other) { return Glob(glob).meets(Glob(other)); });
  });
}

class RedactionReview {
 public:
  explicit RedactionReview(const Config& config) : config_(config) {}

  std::vector<ConfigProblem> run() && {
    for (const auto& [name, rule] : config_.redactions) {
      review_detectors(rule.detectors, rule.detectors_where);
      review_records(rule);
      for (const auto& [keep_name, keep] : rule.keep)
        review(rule, keep);
    }
    return std::move(problems_);
  }

 private:
  void report(Severity severity, const Position& where, std::string message,
              std::string hint = {}) {
    problems_.push_back({severity, text(config_, where), std::move(message), std::move(hint)});
  }

  /// Whether all are there.
  bool review_detectors(const std::vector<std::string>& names, const Position& where) {
    const std::size_t before = problems_.size();
    for (const std::string& name : names) {
      if (!select_detectors(name).empty()) continue;
      std::string hint = hint_near(name, detector_names());
      if (hint.empty()) hint = "docs/detectors.md lists them; \"secrets\" is all that find secrets";
      report(Severity::error, where, "there is no detector " + quote(name), std::move(hint));
    }
    return problems_.size() == before;
  }

  /// The record is nobody's, and of a call before anything is known of its tool.
  void review_records(const RedactionConfig& rule) {
    const bool is_personal = !rule.roles.empty() || !rule.principals.empty();
    const bool is_scoped = is_personal || !rule.tools.empty() || !rule.pointers.empty();
    const auto has = [&](Carrier carrier) {
      return std::ranges::find(rule.in, carrier) != rule.in.end();
    };
    if (!is_scoped || !has(Carrier::records)) return;
    report(Severity::warning, rule.where,
           "the redaction " + quote(rule.name) +
               " takes nothing out of records and the log: it is for " +
               (is_personal           ? "some callers"
                : !rule.tools.empty() ? "some tools"
                                      : "some places") +
               " alone",
           "leave \"records\" out of its \"in\", and keep [redact.secrets] for all");
  }

  void review(const RedactionConfig& rule, const RedactionException& keep) {
    const bool are_there = review_detectors(keep.detectors, keep.detectors_where);
    for (const std::string& host : keep.hosts) {
      if (HostPattern::read(host)) continue;
      report(Severity::error, keep.hosts_where, quote(host) + " is no pattern of hosts",
             "write a name in lower case, \"*.NAME\" for one label more, or \"**.NAME\" for all "
             "below it");
    }
    // An exception may name what is around what the rule finds: a URL around a key.
    if (are_there && !share_any(keep.detectors, rule.detectors) &&
        !share_any(keep.detectors, {"url.*"})) {
      report(Severity::warning, keep.where,
             "the exception " + quote(keep.name) + " excepts nothing: " + quote(rule.name) +
                 " looks for none of its detectors");
    }
    if (are_there && !keep.hosts.empty() && !share_any(keep.detectors, {"url.*"})) {
      report(Severity::warning, keep.hosts_where,
             "\"hosts\" never holds: only detectors url.* find a part of a URL",
             "name one of them, such as \"url.presigned\"");
    }
    if (!meet(keep.tools, rule.tools)) {
      report(Severity::warning, keep.where,
             "the exception " + quote(keep.name) + " excepts nothing: " + quote(rule.name) +
                 " is about none of its tools");
    }
  }

  const Config& config_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_redaction_problems(const Config& config) {
  return RedactionReview(config).run();
}

}  // namespace bartizan
