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

void FlowMarks::mark(const CallClass& its, Time now) {
  if (its.risk) risks_[static_cast<std::size_t>(*its.risk)] = now;
  if (its.reversibility) reversibilities_[static_cast<std::size_t>(*its.reversibility)] = now;
}

namespace {

/// The highest level whose time is not before `since`.
template <class Level>
std::optional<Level> highest_in(const auto& times, FlowMarks::Time since) {
  std::optional<Level> found;
  for (std::size_t level = 0; level < times.size(); ++level) {
    if (times[level] && *times[level] >= since) found = static_cast<Level>(level);
  }
  return found;
}

}  // namespace

CallClass FlowMarks::highest(Time since) const {
  return {.risk = highest_in<Risk>(risks_, since),
          .reversibility = highest_in<Reversibility>(reversibilities_, since)};
}

std::optional<FlowMarks::Time> FlowMarks::latest() const {
  // What is absent comes before any time.
  return std::max(
      {times_[0], times_[1], std::ranges::max(risks_), std::ranges::max(reversibilities_)});
}

FlowSet::FlowSet(const Config& config) : persons_(config) {
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

bool FlowSet::is_approved(const Flow& flow, const Caller& caller) const {
  const ApprovalTerms& terms = flow.config.approval;
  if (flow.config.effect != Effect::require_approval || !terms.names_anybody()) return false;
  return caller.assumes_approval ||
         count_approvals(terms, flow_name(flow.info.name), persons_, caller.principal,
                         caller.approvals, caller.now) >= terms.approvals;
}

Decision FlowSet::judge(const std::vector<ToolLabel>& labels, const FlowMarks& marks, Memory memory,
                        Time now, const Caller& caller) const {
  const Flow* refusing = nullptr;
  for (const Flow& flow : flows_) {
    const auto& to = flow.config.to;
    if (std::ranges::none_of(to, [&](ToolLabel label) { return has(labels, label); })) continue;
    if (!is_ruled_out(flow.config, marks, memory, now)) continue;
    // One that forbids says more than one that an approval would satisfy.
    if (flow.config.effect == Effect::forbid) {
      return Decision::deny(Reason::flow_refused, &flow.info);
    }
    if (refusing == nullptr && !is_approved(flow, caller)) refusing = &flow;
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

bool FlowTable::mark(std::string_view principal, const std::vector<ToolLabel>& labels,
                     const CallClass& its, Time window, Time now) {
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
  found->second.mark(its, now);
  return true;
}

}  // namespace bartizan
