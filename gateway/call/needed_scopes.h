#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gateway/call/call_frame.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// The scopes that a refused call lacks.
struct NeededScopes {
  /// For the record: `scope a b`, those that the token has not.
  std::string detail = {};
  /// 403 with all scopes that the call needs, those of the present token included.
  std::shared_ptr<const AnswerStatus> status = nullptr;
};

/// The scopes with which the caller of a refused call could make it. Nothing where no scope would
/// help, or nobody may know.
///
/// It goes by names alone: of a tool that a rule would permit by its name it says what it says of
/// one that does not exist. Of what is hidden, or is not shown at the endpoint, it says nothing.
///
/// Input:  a decision that refuses the call.
/// Cost:   policy is asked as often as the issuer maps scopes, 64 times at most.
/// Source: RFC 6750 §3.1; MCP 2026-07-28, basic/authorization, "Scope Challenge Handling".
std::optional<NeededScopes> find_needed_scopes(const CallFrame& frame, const Decision& decision);

}  // namespace bartizan
