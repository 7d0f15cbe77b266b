#include "policy/check/check_params.h"

#include <utility>

#include "schemas/message/params_shape.h"

namespace bartizan {
namespace {

Reason reason_of(ParamsFlaw::Kind kind) {
  switch (kind) {
    case ParamsFlaw::Kind::folded:
      return Reason::ambiguous_member;
    case ParamsFlaw::Kind::too_costly:
      return Reason::schema_too_costly;
    default:
      return Reason::invalid_params;
  }
}

}  // namespace

Decision check_params(const Call& call) {
  if (call.direction != Direction::client_to_server) return Decision::pass();
  if (call.message.is_answer()) {
    const bool is_folded = static_cast<bool>(find_folded_in_answer(call.message.result));
    return is_folded ? Decision::deny(Reason::ambiguous_member) : Decision::pass();
  }
  auto flaw = find_params_flaw(call.message, call.version);
  if (!flaw.has_value()) return Decision::pass();
  return Decision::deny(reason_of(flaw->kind), nullptr, std::move(flaw->pointer));
}

}  // namespace bartizan
