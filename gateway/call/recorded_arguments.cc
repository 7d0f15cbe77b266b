#include "gateway/call/recorded_arguments.h"

#include <utility>

#include "audit/record_members.h"
#include "gateway/worker/redact_text.h"
#include "policy/text/argument_pointer.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Of a value that is much longer than the record keeps, so much is looked through: a secret whose
/// beginning would be recorded is found with its end.
constexpr std::size_t kLookedThrough = std::size_t{64} << 10;

/// The value stands in a member of its name while it is looked through: detectors go by names, too.
std::string recorded_value(const CallFrame& frame, std::string_view name, std::string_view json) {
  if (json.size() > kLookedThrough) return "[" + std::to_string(json.size()) + " bytes]";
  const std::string start = "{" + json_string(name) + ":";
  const RedactionScope scope{.carrier = Carrier::records,
                             .server = frame.call.server,
                             .principal = &frame.principal(),
                             .now = frame.call.facts.now};
  const std::string whole = start + std::string(json) + "}";
  const RedactedText redacted = redact_json(frame.worker, frame.policy(), scope, whole);
  if (!redacted.left.has_value()) return std::string(kWithheldText);
  const std::string_view left = *redacted.left;
  if (!left.starts_with(start) || !left.ends_with('}')) return std::string(left);
  return std::string(left.substr(start.size(), left.size() - start.size() - 1));
}

/// The last name of a pointer that is no element of an array.
std::string_view name_in(const RecordedArgument& argument) {
  for (auto segment = argument.segments.rbegin(); segment != argument.segments.rend(); ++segment) {
    if (!segment->every_element) return segment->name;
  }
  return "";
}

}  // namespace

std::vector<std::string> recorded_arguments(const CallFrame& frame) {
  std::vector<std::string> recorded;
  if (frame.call.target_kind != TargetKind::tool || !frame.message().arguments) return recorded;
  const ToolProfiles::Found profile = frame.policy().profiles().find(frame.call);
  for (const RecordedArgument& argument : profile->recorded) {
    visit_selected(argument.segments, frame.message().arguments,
                   [&](Selection selection, JsonValue value, const Place*) {
                     if (selection != Selection::value) return true;
                     recorded.push_back(argument.pointer + ' ' +
                                        recorded_value(frame, name_in(argument), value.raw()));
                     return recorded.size() < kItemsMax;
                   });
    if (recorded.size() >= kItemsMax) break;
  }
  return recorded;
}

}  // namespace bartizan
