#include "gateway/call/recorded_arguments.h"

#include <memory>
#include <utility>

#include "audit/record_members.h"
#include "gateway/worker/redact_text.h"
#include "policy/text/argument_pointer.h"

namespace bartizan {
namespace {

/// Of values that are much longer than the record keeps, the size stands in their place.
constexpr std::size_t kValueMax = std::size_t{64} << 10;

std::string text_of(const RecordedArgument& argument, JsonValue value) {
  const std::string_view json = value.raw();
  const std::string told =
      json.size() > kValueMax ? "[" + std::to_string(json.size()) + " bytes]" : std::string(json);
  return argument.pointer + ' ' + told;
}

void append_values(const std::vector<RecordedArgument>& wanted, JsonValue arguments,
                   std::vector<std::string>& texts) {
  for (const RecordedArgument& argument : wanted) {
    visit_selected(argument.segments, arguments,
                   [&](Selection selection, JsonValue value, const Place*) {
                     if (selection != Selection::value) return true;
                     texts.push_back(text_of(argument, value));
                     return texts.size() < kItemsMax;
                   });
    if (texts.size() >= kItemsMax) return;
  }
}

}  // namespace

RecordedArguments recorded_arguments(const CallFrame& frame) {
  RecordedArguments recorded;
  if (frame.call.target_kind != TargetKind::tool || !frame.message().arguments) return recorded;
  const ToolProfiles::Found profile = frame.policy().profiles().find(frame.call);
  if (profile->recorded.empty()) return recorded;
  const RedactionScope scope{.carrier = Carrier::records,
                             .server = frame.call.server,
                             .principal = &frame.principal(),
                             .now = frame.call.facts.now};
  RedactedText redacted =
      redact_json(frame.worker, frame.policy(), scope, frame.message().arguments.raw());
  recorded.redacted = std::move(redacted.redacted);
  if (!redacted.left.has_value()) {
    for (const RecordedArgument& argument : profile->recorded)
      recorded.texts.push_back(argument.pointer + ' ' + std::string(kWithheldText));
    return recorded;
  }
  const Bytes bytes{std::string_view(*redacted.left)};
  std::unique_ptr<JsonDocument> document = frame.worker.loop.lease_document();
  const Result<JsonValue> root = document->read(bytes, kRewrittenLimits);
  if (root.has_value()) append_values(profile->recorded, *root, recorded.texts);
  frame.worker.loop.give_back(std::move(document));
  return recorded;
}

}  // namespace bartizan
