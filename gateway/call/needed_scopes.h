#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gateway/call/call_frame.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// The scopes that a refused call lacks.
struct NeededScopes {
  /// For the record: `scope a b`, the scopes that the token lacks.
  std::string detail = {};
  /// 403 with all scopes that the call needs, those of the present token included.
  std::shared_ptr<const AnswerStatus> status = nullptr;
};

/// The scopes with which a refused call would be permitted. Nothing if no scope would help, or the
/// caller must not know.
///
/// It uses names only. So a tool that a rule would permit by its name gives the same result as one
/// that does not exist. Targets that are hidden, or not shown at the endpoint, give nothing.
///
/// Input:  a decision that refuses the call.
/// Cost:   one judgement for each scope that the issuer maps, 64 at most.
/// Source: RFC 6750 §3.1; MCP 2026-07-28, basic/authorization, "Scope Challenge Handling".
std::optional<NeededScopes> find_needed_scopes(const CallFrame& frame, const Decision& decision);

}  // namespace bartizan
