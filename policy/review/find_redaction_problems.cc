#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "config/problems.h"
#include "policy/detect/custom_detector.h"
#include "policy/redact/redaction_rules.h"
#include "schemas/base/required_literals.h"

namespace bartizan {
namespace {

using Severity = ConfigProblem::Severity;

bool share_any(const DetectorSet& detectors, const std::vector<std::string>& names,
               const std::vector<std::string>& others) {
  const std::vector<char> some = detectors.select(names);
  const std::vector<char> all = detectors.select(others);
  for (std::size_t id = 0; id < detectors.size(); ++id) {
    if (some[id] != 0 && all[id] != 0) return true;
  }
  return false;
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
  explicit RedactionReview(const Config& config) : config_(config), detectors_(config) {}

  std::vector<ConfigProblem> run() && {
    for (const auto& [name, rule] : config_.redactions) {
      review_detectors(rule.detectors, rule.detectors_where);
      review_records(rule);
      review_pointers(rule.pointers, rule.where);
      for (const auto& [keep_name, keep] : rule.keep) {
        review(rule, keep);
        review_pointers(keep.pointers, keep.where);
      }
    }
    review_own();
    review_rules();
    return std::move(problems_);
  }

 private:
  void report(Severity severity, const Position& where, std::string message,
              std::string hint = {}) {
    problems_.push_back({severity, text(config_, where), std::move(message), std::move(hint)});
  }

  /// A pointer that begins at the whole message most likely means the part within.
  void review_pointers(const std::vector<std::string>& pointers, const Position& where) {
    constexpr std::array<std::string_view, 4> kEnvelope{"/result/", "/params/", "/arguments/",
                                                        "/error/"};
    for (const std::string& pointer : pointers) {
      const auto* const found = std::ranges::find_if(
          kEnvelope, [&](std::string_view begin) { return pointer.starts_with(begin); });
      if (found == kEnvelope.end()) continue;
      report(Severity::warning, where,
             "the pointer \"" + pointer +
                 "\" leads into the result, the error, the parameters or "
                 "the arguments themselves",
             "without \"" + std::string(found->substr(0, found->size() - 1)) +
                 "\" unless they have a member of that name");
    }
  }

  /// Words that become shorter in another letter case match too many texts. A detector that no rule
  /// names has no effect.
  void review_own() {
    for (const auto& [name, detector] : config_.detectors) {
      for (const std::string& word : detector.words) {
        const auto spelling = short_spelling(word);
        if (!spelling || word.size() < kLiteralBytesMin) continue;  // The loader reports these.
        report(Severity::error, detector.where,
               quote(word) + " of the detector " + quote(name) + " is also written " +
                   quote(*spelling) + ", which is too short to be looked for",
               "write it with the text around it");
      }
    }
    std::vector<char> wanted(detectors_.size(), 0);
    for (const auto& [name, rule] : config_.redactions) {
      const std::vector<char> selected = detectors_.select(rule.detectors);
      for (std::size_t id = 0; id < wanted.size(); ++id)
        wanted[id] |= selected[id];
    }
    for (const auto& [name, detector] : config_.detectors) {
      const std::vector<DetectorId> ids = detectors_.select("custom." + name);
      if (std::ranges::any_of(ids, [&](DetectorId id) { return wanted[id] != 0; })) continue;
      report(Severity::warning, detector.where, "no redaction names the detector " + quote(name),
             "write \"custom." + name + "\" into \"detectors\" of a [redact.NAME]");
    }
  }

  /// Names have dots, which also separate the name of a file from that of its rule.
  void review_rules() {
    std::set<std::string, std::less<>> names;
    for (const auto& [name, detector] : config_.detectors)
      names.insert(name);
    for (const auto& [name, detector] : config_.detectors) {
      for (const GitleaksRule& rule : detector.rules) {
        const std::string whole = name + "." + rule.id;
        if (names.insert(whole).second) continue;
        report(Severity::error, rule.where, "there are two detectors \"custom." + whole + "\"",
               "give the rule another id, or one of the [detector.NAME] another name");
      }
    }
  }

  /// Whether all exist.
  bool review_detectors(const std::vector<std::string>& names, const Position& where) {
    const std::size_t before = problems_.size();
    for (const std::string& name : names) {
      if (!detectors_.select(name).empty()) continue;
      const bool is_provider = !detectors_.select(name + ".*").empty();
      std::string hint = is_provider ? "write \"" + name + ".*\" for all of that provider"
                                     : hint_near(name, detectors_.names());
      if (hint.empty() && name.starts_with("custom"))
        hint = "define it as [detector.NAME], and name it \"custom.NAME\"";
      if (hint.empty()) hint = "docs/detectors.md lists them; \"secrets\" is all that find secrets";
      report(Severity::error, where, "there is no detector " + quote(name), std::move(hint));
    }
    return problems_.size() == before;
  }

  /// The record belongs to no caller, and calls are recorded before their tool is known.
  void review_records(const RedactionConfig& rule) {
    const bool is_personal = !rule.roles.empty() || !rule.principals.empty();
    const bool is_scoped = is_personal || !rule.tools.empty() || !rule.pointers.empty();
    const auto has = [&](Carrier carrier) {
      return std::ranges::find(rule.in, carrier) != rule.in.end();
    };
    if (!is_scoped || !has(Carrier::records)) return;
    report(Severity::warning, rule.where,
           "the redaction " + quote(rule.name) +
               " does not apply to records and the log: it is for " +
               (is_personal           ? "some callers"
                : !rule.tools.empty() ? "some tools"
                                      : "some places") +
               " only",
           "leave \"records\" out of its \"in\", and keep [redact.secrets] for all");
  }

  void review(const RedactionConfig& rule, const RedactionException& keep) {
    const bool are_there = review_detectors(keep.detectors, keep.detectors_where);
    for (const std::string& host : keep.hosts) {
      if (HostPattern::read(host)) continue;
      report(Severity::error, keep.hosts_where, quote(host) + " is not a pattern of hosts",
             "write a name in lower case, \"*.NAME\" for one label more, or \"**.NAME\" for all "
             "below it");
    }
    // An exception may name text around a finding, such as a URL around a key.
    if (are_there && !share_any(detectors_, keep.detectors, rule.detectors) &&
        !share_any(detectors_, keep.detectors, {"url.*"})) {
      report(Severity::warning, keep.where,
             "the exception " + quote(keep.name) + " has no effect: " + quote(rule.name) +
                 " looks for none of its detectors");
    }
    if (are_there && !keep.hosts.empty() && !share_any(detectors_, keep.detectors, {"url.*"})) {
      report(Severity::warning, keep.hosts_where,
             "\"hosts\" has no effect: only detectors url.* find a part of a URL",
             "name one of them, such as \"url.presigned\"");
    }
    if (!meet(keep.tools, rule.tools)) {
      report(Severity::warning, keep.where,
             "the exception " + quote(keep.name) + " has no effect: " + quote(rule.name) +
                 " is about none of its tools");
    }
  }

  const Config& config_;
  const DetectorSet detectors_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_redaction_problems(const Config& config) {
  return RedactionReview(config).run();
}

}  // namespace bartizan
