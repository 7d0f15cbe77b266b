#include "gateway/command/command_diff.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/load/call_json.h"
#include "config/load/load_config.h"
#include "gateway/command/explain_predicate.h"
#include "gateway/review/format_change.h"
#include "policy/diff/diff_policies.h"

namespace bartizan {
namespace {

using Kind = PolicyChange::Kind;

/// The comparison, or why there is none.
struct Compared {
  std::vector<ConfigProblem> problems = {};
  Config older = {}, newer = {};
  PolicyDiff diff = {};

  std::size_t gained() const { return count(Kind::gained, SettingChange::Kind::gained); }
  std::size_t lost() const { return count(Kind::lost, SettingChange::Kind::lost); }
  /// An incomplete comparison may have missed a gain.
  bool is_well() const { return problems.empty() && gained() == 0 && diff.unfinished.empty(); }

 private:
  std::size_t count(Kind kind, SettingChange::Kind setting) const {
    return static_cast<std::size_t>(
        std::ranges::count(diff.changes, kind, &PolicyChange::kind) +
        std::ranges::count(diff.settings, setting, &SettingChange::kind));
  }
};

std::string_view text(SettingChange::Kind kind) {
  return kind == SettingChange::Kind::gained ? "gained" : "lost";
}

std::string_view text(DiffSide side) {
  return side == DiffSide::older ? "older" : "newer";
}

Compared compare(const DiffOptions& options) {
  Compared compared;
  LoadedConfig older = load_config(options.older);
  LoadedConfig newer = load_config(options.newer);
  for (const LoadedConfig* loaded : {&older, &newer}) {
    for (const ConfigProblem& problem : loaded->problems) {
      if (problem.severity == ConfigProblem::Severity::error) compared.problems.push_back(problem);
    }
  }
  if (!compared.problems.empty()) return compared;
  compared.older = std::move(older.config);
  compared.newer = std::move(newer.config);
  compared.diff =
      diff_policies(compared.older, compared.newer, command_time(), {.progress = options.progress});
  return compared;
}

/// The predicates of profiles on the deciding argument, under one of the configurations.
std::vector<std::string> asked_of(const PolicyChange& change, const Config& config) {
  const DescribedCall& call = change.witness;
  if (call.target_kind != TargetKind::tool || change.pointer.empty()) return {};
  const std::string detail = "argument " + change.pointer;
  return what_is_asked({.server = call.server, .target = call.target, .detail = detail}, config);
}

/// An argument without a predicate is free, unless the policy that refuses the call refuses it for
/// just that.
std::string list(const std::vector<std::string>& asked, bool is_unguarded) {
  if (!asked.empty()) return fmt::format("{}", fmt::join(asked, " and "));
  return is_unguarded ? "refused, as no predicate names it" : "without a predicate";
}

/// `; /n was a number from 1 to 10 by [tool."files/*"], is a number from 1 to 20 by …`
std::string range(const PolicyChange& change, const Compared& compared) {
  const std::vector<std::string> before = asked_of(change, compared.older);
  const std::vector<std::string> now = asked_of(change, compared.newer);
  if (before == now) return "";
  const bool is_unguarded = change.reason == Reason::argument_unguarded;
  const bool is_gain = change.kind == Kind::gained;
  return fmt::format("; {} was {}, is {}", change.pointer, list(before, is_unguarded && is_gain),
                     list(now, is_unguarded && !is_gain));
}

/// `new.toml:12:7: `; empty without a place.
std::string placed(const std::string& where) {
  return where.empty() ? "" : where + ": ";
}

/// `new.toml:12:7: role analyst gains files/write_file, for example {…} (before: no_matching_rule)`
std::string sentence(const PolicyChange& change, const Compared& compared) {
  return fmt::format("{}{}, for example {} ({}: {}{})", placed(change.where), format_change(change),
                     call_json(change.witness), change.kind == Kind::gained ? "before" : "now",
                     refusal_text(change), range(change, compared));
}

/// The numbers of gains and losses of a role or principal.
struct Tally {
  std::size_t gained = 0, lost = 0;
  std::string text() const { return fmt::format("{} gained, {} lost", gained, lost); }
};

/// By `role NAME` and `principal NAME`, and `settings`, which apply beside rules.
std::map<std::string, Tally> tallies(const Compared& compared) {
  std::map<std::string, Tally> all;
  const auto add = [&all](const std::string& who, bool is_gained) {
    Tally& tally = all[who];
    ++(is_gained ? tally.gained : tally.lost);
  };
  for (const PolicyChange& change : compared.diff.changes) {
    for (const std::string& role : roles_of(change))
      add("role " + role, change.kind == Kind::gained);
    for (const std::string& principal : principals_of(change))
      add("principal " + principal, change.kind == Kind::gained);
  }
  for (const SettingChange& setting : compared.diff.settings)
    add("settings", setting.kind == SettingChange::Kind::gained);
  return all;
}

/// Escapes `| `, which would end a cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

/// A page for the reviewer of a change.
void write_markdown(const DiffOptions& options, const Compared& compared,
                    const CommandOutput& output) {
  write_problems(compared.problems, output);
  if (!compared.problems.empty()) return;
  output.results << fmt::format("### Policy change: {} gained, {} lost\n\n`{}` → `{}`\n",
                                compared.gained(), compared.lost(), options.older, options.newer);
  const auto all = tallies(compared);
  if (!all.empty()) output.results << "\n| who | gained | lost |\n|---|---|---|\n";
  for (const auto& [who, tally] : all)
    output.results << fmt::format("| {} | {} | {} |\n", cell(who), tally.gained, tally.lost);
  if (!compared.diff.changes.empty()) {
    output.results << "\n| change | example | where |\n|---|---|---|\n";
  }
  for (const PolicyChange& change : compared.diff.changes) {
    output.results << fmt::format("| {} | `{}` | {} |\n", cell(format_change(change)),
                                  cell(call_json(change.witness)), cell(change.where));
  }
  if (!compared.diff.settings.empty()) output.results << '\n';
  for (const SettingChange& setting : compared.diff.settings)
    output.results << fmt::format("- {} {} ({})\n", setting.what, setting.how, text(setting.kind));
  if (compared.diff.unfinished.empty()) return;
  output.results << fmt::format("\nNot every combination of arguments was tried of {}.\n",
                                fmt::join(compared.diff.unfinished, ", "));
}

/// The gains, as warnings at lines of the newer configuration.
void write_github(const Compared& compared, const CommandOutput& output) {
  std::vector<ConfigProblem> found = compared.problems;
  const auto add = [&found](std::string where, std::string message) {
    found.push_back({.severity = ConfigProblem::Severity::warning,
                     .where = std::move(where),
                     .message = std::move(message)});
  };
  for (const PolicyChange& change : compared.diff.changes) {
    if (change.kind == Kind::gained) add(change.where, format_change(change));
  }
  for (const SettingChange& setting : compared.diff.settings) {
    if (setting.kind == SettingChange::Kind::gained)
      add(setting.where, setting.what + " " + setting.how);
  }
  output.results << problems_github(found);
}

void write_text(const Compared& compared, const CommandOutput& output) {
  write_problems(compared.problems, output);
  if (!compared.problems.empty()) return;
  const auto all = tallies(compared);
  for (const auto& [who, tally] : all)
    output.results << who << ": " << tally.text() << '\n';
  if (!all.empty()) output.results << '\n';
  for (const PolicyChange& change : compared.diff.changes)
    output.results << sentence(change, compared) << '\n';
  for (const SettingChange& setting : compared.diff.settings)
    output.results << placed(setting.where)
                   << fmt::format("{} {} ({})\n", setting.what, setting.how, text(setting.kind));
  output.results << fmt::format("{} gained, {} lost\n", compared.gained(), compared.lost());
  if (compared.diff.unfinished.empty()) return;
  output.results << fmt::format("note: not every combination of arguments was tried of {}\n",
                                fmt::join(compared.diff.unfinished, ", "));
}

JsonObject change_json(const PolicyChange& change, const Compared& compared) {
  JsonObject json;
  json.add("change", change.kind == Kind::gained ? "gained" : "lost");
  json.add("roles", roles_of(change));
  json.add("principals", principals_of(change));
  json.add("what", change.what);
  json.add_flag("whole", change.is_whole);
  json.add_json("example", call_json(change.witness));
  json.add("refused_as", text(change.reason));
  if (!change.pointer.empty()) json.add("pointer", change.pointer);
  if (!change.rule.empty()) json.add("rule", change.rule);
  if (!change.permitted_by.empty()) json.add("permitted_by", change.permitted_by);
  if (!change.where.empty()) {
    json.add("where", change.where);
    json.add("where_in", text(change.where_in));
  }
  json.add("asked_before", asked_of(change, compared.older));
  json.add("asked_now", asked_of(change, compared.newer));
  return json;
}

JsonObject setting_json(const SettingChange& setting) {
  JsonObject json;
  json.add("change", text(setting.kind));
  json.add("what", setting.what);
  json.add("how", setting.how);
  if (!setting.where.empty()) {
    json.add("where", setting.where);
    json.add("where_in", text(setting.where_in));
  }
  return json;
}

void write_json(const Compared& compared, const CommandOutput& output) {
  std::vector<JsonObject> changes, settings;
  for (const PolicyChange& change : compared.diff.changes)
    changes.push_back(change_json(change, compared));
  for (const SettingChange& setting : compared.diff.settings)
    settings.push_back(setting_json(setting));
  JsonObject json;
  json.add_flag("ok", compared.is_well());
  json.add("gained", compared.gained());
  json.add("lost", compared.lost());
  json.add("changes", changes);
  json.add("settings", settings);
  json.add("unfinished", compared.diff.unfinished);
  json.add("problems", problems_json(compared.problems));
  output.results << json.text() << '\n';
}

}  // namespace

int diff_configurations(const DiffOptions& options, const CommandOutput& output) {
  const Compared compared = compare(options);
  if (options.report == ReportFormat::markdown) {
    write_markdown(options, compared, output);
  } else if (options.report == ReportFormat::github) {
    write_github(compared, output);
  } else {
    (output.format == OutputFormat::json ? write_json : write_text)(compared, output);
  }
  return finish(output, compared.is_well() ? kExitDone : kExitFailed);
}

}  // namespace bartizan
