#include "policy/learn/replay_calls.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "policy/check/compile_policy.h"
#include "policy/explain/case_call.h"
#include "policy/learn/captured_facts.h"
#include "policy/learn/replay_definitions.h"
#include "policy/limit/limits.h"
#include "policy/text/qualified_name.h"

namespace bartizan {
namespace {

using Outcome = ReplayedCall::Outcome;

/// The checks for which a capture has all inputs. Headers, pending ids and capabilities of servers
/// are not part of policy.
constexpr std::array<std::string_view, 8> kRepeatable = {
    "features", "access", "permission", "existence", "schema", "arguments", "flows", "limits"};

bool stands_apart(const CapturedCall& call) {
  if (call.is_permitted) return false;
  return std::ranges::find(kRepeatable, call.check) == kRepeatable.end() ||
         call.reason == text(Reason::tool_quarantined);
}

Outcome compare(const CapturedCall& call, const ReplayedAnswer& answer) {
  if (call.is_permitted) return answer.is_permitted ? Outcome::same : Outcome::newly_refused;
  if (answer.is_permitted) return Outcome::newly_permitted;
  const bool is_same = call.reason == answer.reason && call.rule == answer.rule;
  return is_same ? Outcome::same : Outcome::refused_otherwise;
}

ReplayedAnswer refusal(std::string_view check, const Decision& decision) {
  return {.check = std::string(check),
          .reason = std::string(text(decision.reason)),
          .rule = std::string(decision.rule_name()),
          .pointer = decision.pointer};
}

ReplayedAnswer refusal(const LimitSet& set, std::uint32_t limit, LimitTable::Lack lack) {
  const bool is_loop = lack == LimitTable::Lack::progress;
  return {.check = "limits",
          .reason = std::string(text(is_loop ? Reason::call_loop : Reason::limited)),
          .rule = set.limits()[limit].name};
}

/// One run of the gateway: its state, and its calls in progress.
class ReplayedRun {
 public:
  ReplayedRun(const Config& config, const Policy& policy, ReplayDefinitions& definitions,
              const Capture::Run& run)
      : config_(config), policy_(policy), definitions_(definitions), run_(run) {}

  std::vector<ReplayedCall> answer() {
    for (std::size_t i = 0; i < run_.calls.size(); ++i) {
      calls_.push_back({.call = &run_.calls[i]});
      events_.push({run_.calls[i].clock_us, Event::Kind::arrives, i});
    }
    states_.resize(calls_.size());
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_us_ = event.at_us;
      follow(event);
    }
    return std::move(calls_);
  }

  /// Tools whose calls were judged by their definition, and not only by their name.
  const std::set<std::string>& judged_tools() const { return judged_tools_; }

 private:
  struct Event {
    std::int64_t at_us;
    /// At the same moment, events that make room come first.
    enum class Kind : std::uint8_t { ends, is_late, arrives } kind;
    std::size_t call;

    bool operator>(const Event& other) const {
      return std::tie(at_us, kind, call) > std::tie(other.at_us, other.kind, other.call);
    }
  };
  struct State {
    LimitTable::Draws draws = {};
    Ticket ticket = 0;  ///< While it waits.
    std::optional<std::int64_t> late_us = {};
  };
  /// The result of the judgement of one call.
  struct Judged {
    std::optional<ReplayedAnswer> refusal = {};
    LimitTable::Draws draws = {};
    CallWeight weight = {};
    std::vector<ToolLabel> labels = {};
    CallClass its = {};
    bool lacks_facts = false;
  };

  LimitTable::Time now() const { return std::chrono::microseconds(now_us_); }

  void follow(const Event& event) {
    State& state = states_[event.call];
    switch (event.kind) {
      case Event::Kind::arrives:
        return try_turn(event.call);
      case Event::Kind::is_late:
        if (state.ticket != 0) try_turn(event.call);
        return;
      case Event::Kind::ends: {
        const CapturedCall& call = *calls_[event.call].call;
        // A call that was refused after its turn was answered as well.
        if (call.is_permitted || call.waited_us.has_value()) {
          table_.charge_bytes(policy_.limits(), state.draws, call.bytes_out, now());
        }
        table_.give_back(policy_.limits(), state.draws);
        return wake(state.draws);
      }
    }
  }

  /// A call for a server that the policy does not have has no server.
  DescribedCall described(const CapturedCall& call) const {
    DescribedCall described = call.call;
    if (!config_.servers.contains(described.server)) described.server.clear();
    return described;
  }

  FlowMarks marks_of(const CapturedCall& call) const {
    if (call.session.empty()) return windows_.find(call.call.principal);
    const auto found = sessions_.find(call.session);
    return found == sessions_.end() ? FlowMarks() : found->second;
  }

  /// Adds the facts that the policy asks for, until no answer leads to another question. False if
  /// the capture lacks one.
  bool add_facts(Call& judged, const std::vector<GatheredFact>& found) const {
    for (std::uint32_t i = 0; i < limits::gatherings_max; ++i) {
      const std::vector<FactQuery> open = policy_.questions(judged);
      if (open.empty()) return true;
      bool is_whole = true;
      for (const FactQuery& question : open) {
        auto answer = answer_from(found, question);
        is_whole = is_whole && answer.has_value();
        if (answer.has_value()) judged.facts.gathered.push_back({question, *std::move(answer)});
      }
      if (!is_whole) return false;
    }
    return true;
  }

  Judged judge(const CapturedCall& call) {
    const DescribedCall asked = described(call);
    const bool has_server = asked.server == call.call.server;
    const ToolDefinition* definition = has_server ? definitions_.find(call) : nullptr;
    const auto made = CaseCall::make(asked, policy_, definition, call.call.facts.time.value_or(0));
    if (!made.has_value()) {
      const bool is_unknown = policy_.find_principal(call.call.principal) == nullptr;
      const auto reason = is_unknown ? Reason::principal_unknown : Reason::invalid_params;
      return {.refusal = refusal("gateway", Decision::deny(reason))};
    }
    Call& judged = (*made)->call();
    const bool lacks_facts = !add_facts(judged, call.gathered);
    judged.facts.chain = marks_of(call).highest(
        call.session.empty() ? now() - policy_.flows().window() : FlowMarks::Time());
    // The verdict owns the bytes, and is needed as long as the call.
    const Verdict verdict = policy_.judge(judged);
    const auto* denial = std::get_if<Denial>(&verdict);
    const bool is_by_name =
        denial != nullptr && (denial->check == "access" || denial->check == "permission");
    if (definition != nullptr && !is_by_name) {
      judged_tools_.insert(QualifiedName(asked.server, asked.target).text());
    }
    if (denial != nullptr) {
      return {.refusal = refusal(denial->check, denial->decision), .lacks_facts = lacks_facts};
    }
    const std::vector<ToolLabel> labels = policy_.labels(judged);
    const auto memory = call.session.empty() ? FlowSet::Memory::window : FlowSet::Memory::session;
    const Decision flow = policy_.flows().judge(labels, marks_of(call), memory, now(),
                                                {.principal = call.call.principal,
                                                 .approvals = judged.facts.approvals,
                                                 .now = judged.facts.now});
    if (flow.denies()) return {.refusal = refusal("flows", flow)};
    const std::string address = call.call.facts.client_address.value_or("");
    return {.draws = policy_.limits().draws(judged, {.session = call.session, .address = address}),
            .weight = {.cost = policy_.cost(judged), .bytes = call.bytes_in},
            .labels = labels,
            .its = policy_.call_class(judged)};
  }

  void try_turn(std::size_t index) {
    ReplayedCall& replayed = calls_[index];
    State& state = states_[index];
    const CapturedCall& call = *replayed.call;
    if (stands_apart(call)) replayed.outcome = Outcome::apart;
    // Some were refused after they had taken from the limits; the others never got there.
    if (stands_apart(call) && !call.waited_us.has_value()) return;
    Judged judged = judge(call);
    replayed.lacks_facts = judged.lacks_facts;
    if (judged.refusal.has_value()) {
      if (state.ticket != 0) leave_queues(index);
      return decide(index, *std::move(judged.refusal));
    }
    const auto full = table_.take(policy_.limits(), judged.draws, judged.weight, now(),
                                  {state.ticket, caller_of(call)});
    if (full.has_value()) return wait(index, std::move(judged), *full);
    state.draws = std::move(judged.draws);
    if (state.ticket != 0) waiting_.erase(std::exchange(state.ticket, 0));
    // A call of outcome `apart` was never sent.
    if (replayed.outcome != Outcome::apart) mark(call, judged.labels, judged.its);
    decide(index, {.is_permitted = true});
    const std::int64_t took_us = call.waited_us.has_value() ? call.took_us : 0;
    events_.push({now_us_ + took_us, Event::Kind::ends, index});
  }

  /// A call for several servers, or one that the gateway answers itself, does not wait.
  bool goes_to_one_server(const CapturedCall& call) const {
    if (!call.call.server.empty()) return true;
    const MethodId method = find_method(call.call.method).id;
    const bool goes_to_all =
        method == MethodId::logging_set_level || method == MethodId::subscriptions_listen;
    return goes_to_all && config_.servers.size() == 1;
  }

  void wait(std::size_t index, Judged judged, const LimitTable::Refusal& full) {
    const LimitSet& set = policy_.limits();
    State& state = states_[index];
    const LimitConfig& limit = set.limits()[full.limit];
    const bool is_late = state.late_us.has_value() && now_us_ >= *state.late_us;
    const bool may_wait = limit.queue > 0 && goes_to_one_server(*calls_[index].call);
    if (full.lack != LimitTable::Lack::slot || !may_wait || is_late) {
      if (state.ticket != 0) leave_queues(index);
      return decide(index, refusal(set, full.limit, full.lack));
    }
    if (state.ticket == 0) state.ticket = ++last_ticket_;
    state.draws = std::move(judged.draws);
    const FairQueue::Waiter waiter{state.ticket, caller_of(*calls_[index].call)};
    if (const auto none = table_.wait(set, state.draws, waiter)) {
      leave_queues(index);
      return decide(index, refusal(set, *none, full.lack));
    }
    waiting_[state.ticket] = index;
    if (state.late_us.has_value()) return;
    auto longest = std::chrono::milliseconds::max();
    for (const LimitSet::Draw& draw : state.draws) {
      const LimitConfig& one = set.limits()[draw.limit];
      if (one.queue > 0) longest = std::min(longest, one.queue_timeout);
    }
    state.late_us = now_us_ + std::chrono::microseconds(longest).count();
    events_.push({*state.late_us, Event::Kind::is_late, index});
  }

  void leave_queues(std::size_t index) {
    State& state = states_[index];
    const Ticket ticket = std::exchange(state.ticket, 0);
    if (waiting_.erase(ticket) == 0) return;
    const LimitTable::Draws draws = state.draws;
    table_.leave(draws, ticket);
    wake(draws);
  }

  /// The calls whose turn it may be try again, in their order.
  void wake(const LimitTable::Draws& draws) {
    for (const Ticket ticket : table_.next(policy_.limits(), draws)) {
      const auto found = waiting_.find(ticket);
      if (found != waiting_.end()) try_turn(found->second);
    }
  }

  static std::uint64_t caller_of(const CapturedCall& call) {
    return std::hash<std::string>()(call.call.principal);
  }

  void mark(const CapturedCall& call, const std::vector<ToolLabel>& labels, const CallClass& its) {
    if (!leaves_mark(labels) && its.empty()) return;
    if (!call.session.empty()) {
      sessions_[call.session].mark(labels, now());
      sessions_[call.session].mark(its, now());
    } else {
      static_cast<void>(
          windows_.mark(call.call.principal, labels, its, policy_.flows().window(), now()));
    }
  }

  void decide(std::size_t index, ReplayedAnswer answer) {
    ReplayedCall& replayed = calls_[index];
    if (replayed.outcome == Outcome::apart) return;
    replayed.outcome = compare(*replayed.call, answer);
    replayed.answer = std::move(answer);
  }

  const Config& config_;
  const Policy& policy_;
  ReplayDefinitions& definitions_;
  const Capture::Run& run_;
  std::vector<ReplayedCall> calls_ = {};
  std::vector<State> states_ = {};
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::int64_t now_us_ = 0;
  LimitTable table_;
  FlowTable windows_;
  std::set<std::string> judged_tools_ = {};
  std::map<std::string, FlowMarks, std::less<>> sessions_ = {};  ///< As many as the capture has.
  std::map<Ticket, std::size_t> waiting_ = {};
  Ticket last_ticket_ = 0;
};

}  // namespace

std::size_t Replay::count(Outcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count(calls, outcome, &ReplayedCall::outcome));
}

Replay replay_calls(const Config& config, const Capture& capture) {
  const std::shared_ptr<const Policy> policy = compile_policy(config, {});
  ReplayDefinitions definitions(config, capture);
  Replay replay;
  std::set<std::string> judged;
  for (const Capture::Run& run : capture.runs) {
    ReplayedRun replayed(config, *policy, definitions, run);
    std::ranges::move(replayed.answer(), std::back_inserter(replay.calls));
    judged.insert(replayed.judged_tools().begin(), replayed.judged_tools().end());
  }
  std::ranges::set_intersection(definitions.assumed(), judged,
                                std::inserter(replay.assumed_tools, replay.assumed_tools.end()));
  return replay;
}

}  // namespace bartizan
