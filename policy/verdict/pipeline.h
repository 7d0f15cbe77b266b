#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"
#include "policy/verdict/permit.h"

namespace bartizan {

/// One named check: a pure, total function of the call. The name is stable; it appears in records.
struct Check {
  std::string_view name;
  /// Denials of a check that yields to `[policy] mode = "observe"` are recorded as `would` there.
  enum class Kind : std::uint8_t { always_enforced, yields_to_observe } kind;
  std::function<Decision(const Call&)> decide;
  /// What observed rules would have refused. Empty if there are none.
  std::function<std::vector<Decision>(const Call&)> observed = {};
};

/// A refusal: which check gave it, and what it decided.
struct Denial {
  std::string_view check;
  Decision decision;
  /// Refusals that observed rules gave before it.
  std::vector<Decision> observed = {};
};

/// The result of one check.
struct CheckAnswer {
  std::string_view check;
  Decision decision;
};

using Verdict = std::variant<Permit, Denial>;

/// Runs the checks in order until one denies. The order is a security decision, written in
/// `compile_policy`; configuration fills checks, it cannot move them.
///
/// Threads: immutable once built; shared by all workers.
class Pipeline {
 public:
  explicit Pipeline(std::vector<Check> checks) : checks_(std::move(checks)) {}

  /// Judges `call`. When it is permitted, the permit holds its bytes. `policy` is what the permit
  /// keeps alive; `observe` says that checks of that kind are recorded only.
  enum class Mode : std::uint8_t { enforce, observe };
  Verdict judge(const Call& call, std::shared_ptr<const Policy> policy, Mode mode) const;
  /// The refusal of a call, if there is one, observed rules included. The call needs no permit.
  std::optional<Denial> find_refusal(const Call& call, Mode mode) const;
  /// The names of the checks, in their order.
  std::vector<std::string_view> names() const;
  /// The result of each check, up to the one that denies, as `judge` uses them.
  std::vector<CheckAnswer> answers(const Call& call, Mode mode) const;

 private:
  template <class Tell>
  void ask(const Call& call, Mode mode, const Tell& tell) const;

  std::vector<Check> checks_;
};

}  // namespace bartizan
