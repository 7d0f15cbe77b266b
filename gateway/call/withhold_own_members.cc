#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/call/ask_approval.h"
#include "gateway/call/signed_answer.h"

namespace bartizan {
namespace {

/// The names of an object's members, without some.
std::string object_without(JsonValue object, std::string_view bytes,
                           const std::function<bool(JsonValue)>& is_left_out) {
  std::string text = "{";
  for (const JsonValue member : object) {
    if (is_left_out(member)) continue;
    if (text.size() > 1) text += ',';
    text += member.key_range().of(bytes);
    text += ':';
    text += member.raw();
  }
  return text + '}';
}

}  // namespace

bool is_own_state(JsonValue state) {
  return state.is(JsonType::string) && state.text().starts_with(kApprovalState);
}

Reason withhold_own_members(CallFrame& frame) {
  const JsonValue params = frame.message().params;
  const JsonValue meta = params.find("_meta");
  const JsonValue responses = params.find("inputResponses");
  const JsonValue state = params.find("requestState");
  const JsonValue approved_by = params.find(kApprovedBy);
  const bool has_own = meta.find(kApprovalInput) || responses.find(kApprovalInput) ||
                       is_own_state(state) || (approved_by && is_own_approval(approved_by));
  if (!has_own) return Reason::none;
  const std::string_view bytes = frame.call.bytes.view();
  const auto is_own = [](JsonValue member) { return member.key() == kApprovalInput; };
  std::string text(bytes.substr(0, params.range().begin));
  text += '{';
  bool is_first = true;
  for (const JsonValue member : params) {
    std::string value(member.raw());
    if (member.key() == "requestState" && is_own_state(member)) continue;
    if (is_own_approval(member)) continue;
    if (member.key() == "_meta" || member.key() == "inputResponses") {
      value = object_without(member, bytes, is_own);
      // There was nothing else for the server.
      if (value == "{}" && member.key() == "inputResponses") continue;
    }
    if (!std::exchange(is_first, false)) text += ',';
    text += member.key_range().of(bytes);
    text += ':' + value;
  }
  text += '}';
  text += bytes.substr(params.range().end);
  return replace_call(frame, std::move(text));
}

}  // namespace bartizan
