#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "policy/learn/capture.h"

namespace bartizan {

/// The answer of a policy to a captured call.
struct ReplayedAnswer {
  bool is_permitted = false;
  std::string check = {}, reason = {}, rule = {}, pointer = {};  ///< Spelled as in records.
};

/// One captured call under another policy.
struct ReplayedCall {
  enum class Outcome : std::uint8_t {
    same,
    newly_refused,
    newly_permitted,
    refused_otherwise,  ///< Refused as before, but for another reason or by another rule.
    apart,  ///< Refused for a cause outside of policies, such as a server that was down, or a
            ///< header.
  } outcome = Outcome::same;
  const CapturedCall* call = nullptr;
  ReplayedAnswer answer = {};  ///< Empty for `apart`.
  /// The policy asks a question about the disk or DNS that was not asked at the time.
  bool lacks_facts = false;
};

/// A whole capture under another policy.
struct Replay {
  std::vector<ReplayedCall> calls = {};  ///< In the order of the capture.
  /// Tools, as `server/tool`, whose definitions are not in the capture. Their arguments were judged
  /// with an assumed definition; see `assume_definition`.
  std::set<std::string> assumed_tools = {};

  std::size_t count(ReplayedCall::Outcome outcome) const;
};

/// Judges every call of a capture under the policy of `config`, as the gateway would have. Calls
/// have their order and times, and fill limits, loops, queues and flows. Each run begins with empty
/// state, as the gateway did.
///
/// A capture does not have everything. There are no approvals. A call that was refused then and
/// passes now gets an empty answer at once. A question about the disk or DNS that was not asked
/// then has no answer, and its call is refused. Circuit breakers and the quota of refusals refuse
/// nothing here. If a call does not name its tool's definition, the definition is that of the same
/// tool elsewhere in the capture, that of the lock file, or an assumed one.
///
/// Input:    a configuration that loads and compiles.
/// Lifetime: points into the capture.
/// Cost:     that of judging each call; deterministic.
Replay replay_calls(const Config& config, const Capture& capture);

}  // namespace bartizan
