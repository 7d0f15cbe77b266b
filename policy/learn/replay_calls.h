#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "policy/learn/capture.h"

namespace bartizan {

/// What a policy says of a captured call.
struct ReplayedAnswer {
  bool is_permitted = false;
  std::string check = {}, reason = {}, rule = {}, pointer = {};  ///< As records spell them.
};

/// One captured call under another policy.
struct ReplayedCall {
  enum class Outcome : std::uint8_t {
    same,
    newly_refused,
    newly_permitted,
    refused_otherwise,  ///< Refused as before, and for another reason or by another rule.
    apart,              ///< Refused by what no policy says: a server that was down, a header.
  } outcome = Outcome::same;
  const CapturedCall* call = nullptr;
  ReplayedAnswer answer = {};  ///< Nothing of one that stands apart.
  /// The policy asks something of the disk or of name servers that nobody asked then.
  bool lacks_facts = false;
};

/// A whole capture under another policy.
struct Replay {
  std::vector<ReplayedCall> calls = {};  ///< In the order of the capture.
  /// Tools, `server/tool`, of whose definition the capture says nothing, and whose arguments were
  /// judged all the same: see `assume_definition`.
  std::set<std::string> assumed_tools = {};

  std::size_t count(ReplayedCall::Outcome outcome) const;
};

/// Judges every call of a capture under the policy of `config`, as the gateway would have: in their
/// order, at their times, with limits, loops, queues and flows that fill as they go. Each run of
/// the gateway began with nothing remembered, and so does each of these.
///
/// What a capture cannot tell: nobody had approved anything; a call that was refused then, and
/// passes now, is answered at once and with nothing; what nobody asked of the disk or of name
/// servers is not known, and refuses. Breakers and the quota of refusals refuse
/// nobody here. The definition of a tool that a call does not name is that of the same tool
/// elsewhere in the capture, of the lock file, or is assumed.
///
/// Input:    a configuration that loads and compiles.
/// Lifetime: points into the capture.
/// Cost:     that of judging each call; deterministic.
Replay replay_calls(const Config& config, const Capture& capture);

}  // namespace bartizan
