#include "policy/check/flow_set.h"

#include <algorithm>

namespace bartizan {
namespace {

/// Where the marks of a label stand; nothing for one that says what becomes of arguments.
std::optional<std::size_t> place_of(ToolLabel label) {
  switch (label) {
    case ToolLabel::untrusted:
      return 0;
    case ToolLabel::private_data:
      return 1;
    default:
      return std::nullopt;
  }
}

bool has(const std::vector<ToolLabel>& labels, ToolLabel label) {
  return std::ranges::find(labels, label) != labels.end();
}

}  // namespace

bool leaves_mark(const std::vector<ToolLabel>& labels) {
  return std::ranges::any_of(labels, [](ToolLabel label) { return place_of(label).has_value(); });
}

void FlowMarks::mark(const std::vector<ToolLabel>& labels, Time now) {
  for (const ToolLabel label : labels) {
    const auto place = place_of(label);
    if (!place) continue;
    times_[*place] = std::max(now, times_[*place].value_or(now));
  }
}

std::optional<FlowMarks::Time> FlowMarks::marked(ToolLabel label) const {
  const auto place = place_of(label);
  return place ? times_[*place] : std::nullopt;
}

std::optional<FlowMarks::Time> FlowMarks::latest() const {
  return std::max(times_[0], times_[1]);  // What is absent comes before any time.
}

FlowSet::FlowSet(const Config& config) {
  for (const auto& [name, flow] : config.flows) {
    flows_.push_back({flow, {.name = name, .remediation = flow.remediation}});
    window_ = std::max<Time>(window_, flow.window);
  }
}

bool FlowSet::is_ruled_out(const FlowConfig& flow, const FlowMarks& marks, Memory memory,
                           Time now) {
  return std::ranges::all_of(flow.after, [&](ToolLabel label) {
    const auto when = marks.marked(label);
    return when && (memory == Memory::session || now - *when < flow.window);
  });
}

Decision FlowSet::judge(const std::vector<ToolLabel>& labels, const FlowMarks& marks, Memory memory,
                        Time now) const {
  const Flow* refusing = nullptr;
  for (const Flow& flow : flows_) {
    const auto& to = flow.config.to;
    if (std::ranges::none_of(to, [&](ToolLabel label) { return has(labels, label); })) continue;
    if (!is_ruled_out(flow.config, marks, memory, now)) continue;
    // One that forbids says more than one that an approval would satisfy.
    if (flow.config.effect == Effect::forbid) {
      return Decision::deny(Reason::flow_refused, &flow.info);
    }
    if (refusing == nullptr) refusing = &flow;
  }
  if (refusing == nullptr) return Decision::pass();
  return Decision::deny(Reason::needs_approval, &refusing->info);
}

bool FlowSet::looks_for(const std::vector<ToolLabel>& labels) const {
  return std::ranges::any_of(flows_, [&](const Flow& flow) {
    return std::ranges::any_of(flow.config.after,
                               [&](ToolLabel label) { return has(labels, label); });
  });
}

FlowMarks FlowTable::find(std::string_view principal) const {
  const auto found = marks_.find(principal);
  return found == marks_.end() ? FlowMarks() : found->second;
}

bool FlowTable::mark(std::string_view principal, const std::vector<ToolLabel>& labels, Time window,
                     Time now) {
  auto found = marks_.find(principal);
  if (found == marks_.end()) {
    if (marks_.size() >= principals_max_) {
      std::erase_if(marks_, [&](const auto& entry) {
        const auto latest = entry.second.latest();
        return !latest || now - *latest >= window;
      });
    }
    if (marks_.size() >= principals_max_) return false;
    found = marks_.emplace(principal, FlowMarks()).first;
  }
  found->second.mark(labels, now);
  return true;
}

}  // namespace bartizan
