#include "config/load/load_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "config/check_name.h"
#include "config/load/load_approvals.h"
#include "config/load/load_parts.h"

namespace bartizan {
namespace {

/// Labels of sources come before labels of sinks.
constexpr std::size_t kReadLabels = 2;
constexpr auto kAfter = std::span(kToolLabels).first<kReadLabels>();
constexpr auto kTo = std::span(kToolLabels).subspan<kReadLabels>();

constexpr std::array<std::pair<std::string_view, Effect>, 2> kEffects{
    {{"forbid", Effect::forbid}, {"require_approval", Effect::require_approval}}};

constexpr std::size_t kRemediationBytesMax = 1024;

std::vector<ToolLabel> load_labels(const Text& name, TableReader& table, std::string_view key,
                                   std::span<const std::pair<std::string_view, ToolLabel>> from) {
  const std::vector<ToolLabel> labels = table.choices<ToolLabel>(key, from);
  if (!table.has(key)) {
    table.problems().error(name.where, fmt::format("a flow needs {}", quote(key)));
  } else if (table.is_empty_array(key)) {
    table.problems().error(table.where(key), fmt::format("{} is empty", quote(key)));
  }
  return labels;
}

/// A label that no server or tool has never matches, although the flow looks effective.
void check_labels(const FlowConfig& flow, const Config& config, Problems& problems) {
  if (flow.after.empty() || flow.to.empty()) return;  // That was told.
  const auto bears = [&](ToolLabel label) {
    const auto has = [label](const auto& what) {
      return std::ranges::find(what.labels, label) != what.labels.end();
    };
    return std::ranges::any_of(config.tools, has) ||
           std::ranges::any_of(config.servers,
                               [&](const auto& server) { return has(server.second); });
  };
  const auto warn = [&](std::string_view labels) {
    problems.warning(flow.where,
                     fmt::format("the flow {} refuses nothing: no [tool.…] or [server.…] has {}",
                                 quote(flow.name), labels));
  };
  for (const ToolLabel label : flow.after) {
    if (!bears(label)) warn(fmt::format("the label {}", quote(text(label))));
  }
  if (std::ranges::none_of(flow.to, bears)) warn("a label of \"to\"");
}

FlowConfig load_flow(const Text& name, TableReader& table, const Config& config) {
  FlowConfig flow{.name = name.value, .where = name.where};
  flow.after = load_labels(name, table, "after", kAfter);
  flow.to = load_labels(name, table, "to", kTo);
  flow.effect = table.choice<Effect>("effect", kEffects).value_or(flow.effect);
  flow.approval = load_approval_terms(table, flow.effect, config);
  flow.window = table.duration("window", {.min = 1'000, .max = 30 * std::int64_t{86'400'000}})
                    .value_or(flow.window);
  flow.remediation = table.text("remediation").value_or("");
  if (flow.remediation.size() > kRemediationBytesMax) {
    table.problems().error(
        table.where("remediation"),
        fmt::format("\"remediation\" is longer than {} bytes", kRemediationBytesMax));
  }
  table.finish();
  return flow;
}

}  // namespace

std::string_view text(ToolLabel label) {
  const auto* const found =
      std::ranges::find(kToolLabels, label, &std::pair<std::string_view, ToolLabel>::second);
  return found == kToolLabels.end() ? std::string_view() : found->first;
}

std::map<std::string, FlowConfig, std::less<>> load_flows(TableReader& root, const Config& config) {
  std::map<std::string, FlowConfig, std::less<>> flows;
  for (auto& [name, table] : root.named_tables("flow")) {
    check_name(name, "flow", root.problems());
    FlowConfig flow = load_flow(name, table, config);
    check_labels(flow, config, root.problems());
    flows.emplace(name.value, std::move(flow));
  }
  return flows;
}

}  // namespace bartizan
