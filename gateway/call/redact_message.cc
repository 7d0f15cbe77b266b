#include "gateway/call/redact_message.h"

#include <algorithm>
#include <array>
#include <utility>

#include "config/sanitising_names.h"
#include "gateway/call/sanitise_message.h"
#include "gateway/runtime/coarse_time.h"
#include "policy/content/content_copies.h"
#include "policy/redact/restore_tokens.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// What stands in the place of text that is withheld where something has to stand.
constexpr std::string_view kWithheld = "[withheld]";
/// On record where two names of a message are one without what was taken out of them.
constexpr std::string_view kSameName = "same_name";
/// And where there is no memory for what is left, or it is larger than a message may be.
constexpr std::string_view kNoRoom = "no_room";

Carrier carrier_of(const Message& message) {
  switch (message.kind) {
    case MessageKind::response:
      return Carrier::results;
    case MessageKind::error_response:
      return Carrier::errors;
    case MessageKind::notification:
      return Carrier::notifications;
    default:
      return Carrier::requests;
  }
}

void count(Worker& worker, Carrier carrier, const Redaction& redaction) {
  for (const Redacted& one : redaction.redacted)
    count_redacted(worker, carrier, one);
}

/// The scope of a text that the policy's sanitisings were done to.
RedactionScope once_sanitised(const Policy& policy, RedactionScope scope) {
  scope.hiding = policy.sanitisings().hiding_left(scope);
  return scope;
}

/// What became of a text that belongs to no message about a call.
struct RedactedText {
  std::optional<std::string> left;  ///< Nothing where none of it may pass.
  std::vector<Sanitised> sanitised;
  std::vector<Redacted> redacted;
};

/// What is left of a JSON text that was redacted: a mark ends with a bracket, and what stands
/// behind it may make a link of the two. Nothing where it is no message any more: two names that
/// are told apart by what was taken out may be one now.
std::optional<std::string> sanitised_again(JsonDocument& document, const SanitisingRules& rules,
                                           const RedactionScope& scope, std::string left,
                                           std::string_view member) {
  const std::optional<Sanitising> wanted = rules.find(scope);
  for (int times = 0; times < 2; ++times) {
    const Bytes bytes{std::string_view(left)};
    const Result<JsonValue> root = document.read(bytes, kRewrittenLimits);
    if (!root.has_value()) return std::nullopt;
    if (!wanted.has_value()) break;
    Sanitisation again = sanitise(*wanted, *root, member.empty() ? *root : root->find(member));
    if (again.is_withheld) return std::nullopt;
    if (!again.left.has_value()) break;
    left = *std::move(again.left);
  }
  return left;
}

/// What becomes of a JSON text, in which `member` of the root says something, or all of it does.
RedactedText redact_json(Worker& worker, const Policy& policy, const RedactionScope& scope,
                         std::string_view json, std::string_view member = {}) {
  Sanitisation seen = sanitise_json(worker, policy.sanitisings(), scope, json, member);
  RedactedText done{.left = {}, .sanitised = std::move(seen.found), .redacted = {}};
  if (seen.is_withheld) return done;
  const Bytes bytes{seen.left.has_value() ? std::string_view(*seen.left) : json};
  std::unique_ptr<JsonDocument> document = worker.loop.lease_document();
  const Result<JsonValue> root = document->read(bytes, kRewrittenLimits);
  if (root.has_value()) {
    const JsonValue said = member.empty() ? *root : root->find(member);
    Redaction redaction =
        worker.redactor.redact(policy.redactions(), once_sanitised(policy, scope), *root, said);
    count(worker, scope.carrier, redaction);
    if (scope.principal != nullptr)
      worker.gateway.tokens.keep(scope.principal->id, scope.server, redaction.tokens);
    if (!redaction.is_withheld) append_redacted(done.left.emplace(), bytes.view(), redaction.edits);
    if (!redaction.edits.empty() && done.left.has_value()) {
      done.left =
          sanitised_again(*document, policy.sanitisings(), scope, *std::move(done.left), member);
    }
    done.redacted = std::move(redaction.redacted);
  }
  worker.loop.give_back(std::move(document));
  return done;
}

RedactedText redact_text(Worker& worker, const Policy& policy, const RedactionScope& scope,
                         std::string_view said) {
  Sanitisation seen = sanitise_text(worker, policy.sanitisings(), scope, said);
  RedactedText done{.left = {}, .sanitised = std::move(seen.found), .redacted = {}};
  if (seen.is_withheld) return done;
  const std::string_view text = seen.left.has_value() ? std::string_view(*seen.left) : said;
  Redaction redaction =
      worker.redactor.redact(policy.redactions(), once_sanitised(policy, scope), text);
  count(worker, scope.carrier, redaction);
  if (!redaction.is_withheld) append_redacted(done.left.emplace(), text, redaction.edits);
  const std::optional<Sanitising> wanted = policy.sanitisings().find(scope);
  if (!redaction.edits.empty() && done.left.has_value() && wanted.has_value()) {
    Sanitisation again = sanitise(*wanted, *done.left);
    if (again.is_withheld) {
      done.left.reset();
    } else if (again.left.has_value()) {
      done.left = std::move(again.left);
    }
  }
  done.redacted = std::move(redaction.redacted);
  return done;
}

/// What is left of a text that the call's answer is made of; what was found goes on its record.
std::optional<std::string> left_of(CallFrame& frame, RedactedText done) {
  for (const Sanitised& one : done.sanitised)
    add(frame.sanitised, one);
  for (const Redacted& one : done.redacted)
    add(frame.redacted, one);
  return std::move(done.left);
}

/// Of everything that a record holds, what others than the operator worded.
constexpr std::array<std::string_view Record::*, 5> kForeign{&Record::target, &Record::method,
                                                             &Record::detail, &Record::client_name,
                                                             &Record::client_version};

/// The blocks of a result that say what its structured content says.
std::vector<std::size_t> copies_in(const Message& message) {
  std::vector<std::size_t> blocks;
  for (const ContentCopy& copy : find_copies(message.result))
    blocks.push_back(copy.block());
  return blocks;
}

std::vector<std::size_t> without(std::vector<std::size_t> blocks,
                                 const std::vector<std::size_t>& others) {
  std::erase_if(
      blocks, [&](std::size_t block) { return std::ranges::find(others, block) != others.end(); });
  return blocks;
}

}  // namespace

const Policy& policy_of(const CallFrame& frame) {
  const bool is_subscription = frame.method() == MethodId::subscriptions_listen;
  return is_subscription ? *frame.worker.snapshot->policy : frame.policy();
}

Passage read_again(CallFrame& frame, ReceivedMessage& received, std::string left, Copies copies) {
  const MessageKind kind = received.message.kind;
  const std::string id(received.message.root.find("id").raw());
  const std::vector<std::size_t> copied =
      copies == Copies::agree ? copies_in(received.message) : std::vector<std::size_t>();
  // What is read again takes its place.
  received.memory = {};
  const auto read = [&frame](std::string&& text) {
    return receive_message(frame.worker.loop, frame.worker.gateway.memory, Bytes(std::move(text)),
                           kRewrittenLimits);
  };
  Receipt again = read(std::move(left));
  if (again.has_value() && !copied.empty()) {
    auto agreed = with_copies(again->message.root, again->message.result,
                              without(copied, copies_in(again->message)));
    if (agreed.has_value()) {
      frame.worker.loop.give_back(std::move(again->document));
      again = read(std::move(*agreed));
    }
  }
  const bool is_same = again.has_value() && again->message.kind == kind &&
                       again->message.root.find("id").raw() == id;
  if (!is_same) {
    const bool has_room =
        again.has_value() || again.error().error.code == ErrorCode::json_duplicate_key;
    add(frame.sanitised,
        {.what = has_room ? kSameName : kNoRoom, .action = text(HiddenText::refuse), .count = 1});
    return Passage::withheld;
  }
  again->part = received.part;
  frame.worker.loop.give_back(std::move(received.document));
  received = std::move(*again);
  return Passage::passes;
}

JsonValue said_in(const Message& message) {
  if (message.kind == MessageKind::response) return message.result;
  return message.kind == MessageKind::error_response ? message.error : message.params;
}

void count_redacted(Worker& worker, Carrier carrier, const Redacted& redacted) {
  worker.loop.metrics().add(
      Metric::redactions,
      std::array<std::string_view, 3>{redacted.detector, redacted.action, text(carrier)},
      redacted.count);
}

namespace {

/// What tokens in the call's arguments stood for is a token again where the server repeats it.
Passage hide_again(CallFrame& frame, ReceivedMessage& received) {
  const auto edits =
      hide_restored(received.message.root, said_in(received.message), frame.restored_values);
  if (edits.empty()) return Passage::passes;
  for (const Redacted& one : frame.restored_tokens) {
    if (one.action != kRestored) continue;
    add(frame.redacted, {one.detector, text(RedactionAction::tokenise), 1});
  }
  std::string left;
  append_redacted(left, received.bytes.view(), edits);
  return read_again(frame, received, std::move(left));
}

/// Takes out of a message what no redaction lets pass, and looks for orders in what is left.
Passage redact_and_screen(CallFrame& frame, const RedactionScope& scope,
                          ReceivedMessage& received) {
  if (!frame.restored_values.empty() && hide_again(frame, received) == Passage::withheld) {
    return Passage::withheld;
  }
  const JsonValue root = received.message.root;
  const Redaction redaction = frame.worker.redactor.redact(policy_of(frame).redactions(), scope,
                                                           root, said_in(received.message));
  // One search was for both.
  if (redaction.is_without_orders) return Passage::passes;
  if (redaction.redacted.empty()) return screen_message(frame, scope, received);
  frame.worker.gateway.tokens.keep(scope.principal->id, scope.server, redaction.tokens);
  count(frame.worker, scope.carrier, redaction);
  for (const Redacted& one : redaction.redacted)
    add(frame.redacted, one);
  if (redaction.is_withheld) return Passage::withheld;
  if (redaction.edits.empty()) return screen_message(frame, scope, received);
  std::string left;
  append_redacted(left, received.bytes.view(), redaction.edits);
  Passage passage = read_again(frame, received, std::move(left));
  if (passage == Passage::withheld) return passage;
  // A mark ends with a bracket, and what stands behind it may make a link of the two.
  passage = sanitise_message(frame, scope, said_in(received.message), received);
  if (passage == Passage::withheld) return passage;
  return screen_message(frame, scope, received);
}

}  // namespace

Passage redact_message(CallFrame& frame, ReceivedMessage& received,
                       const std::vector<std::string_view>& before) {
  const Principal* principal = policy_of(frame).find_principal(frame.principal().id);
  // Whom the policy of now does not know, no rule of its roles protects.
  if (principal == nullptr) return Passage::withheld;
  const bool is_tools = frame.call.target_kind == TargetKind::tool;
  const auto scope_of = [&](const Message& message) {
    // A modern server asks within its result.
    const bool asks = static_cast<bool>(message.result.find("inputRequests"));
    return RedactionScope{.carrier = carrier_of(message),
                          .also = asks ? std::optional(Carrier::requests) : std::nullopt,
                          .server = frame.call.server,
                          .tool = is_tools ? frame.call.target : std::string_view(),
                          .principal = principal,
                          .now = seconds_now(),
                          .before = before};
  };
  const RedactionScope as_it_came = scope_of(received.message);
  // Of plain text nothing hides, so that nobody need ask.
  const bool is_plain = received.message.root.is_of_plain_text();
  const JsonValue said = said_in(received.message);
  const Passage passage = sanitise_message(frame, as_it_came, said, received);
  if (passage == Passage::withheld) return passage;
  const RedactionScope scope = scope_of(received.message);
  return redact_and_screen(frame, is_plain ? scope : once_sanitised(policy_of(frame), scope),
                           received);
}

std::expected<std::optional<std::string>, Reason> redact_arguments(CallFrame& frame) {
  frame.redacted_arguments.clear();
  frame.withholds_arguments = false;
  const JsonValue arguments = frame.message().arguments;
  if (!arguments) return std::nullopt;
  const bool is_tool = frame.call.target_kind == TargetKind::tool;
  const RedactionScope scope{.carrier = Carrier::arguments,
                             .server = frame.call.server,
                             .tool = is_tool ? frame.call.target : std::string_view(),
                             .principal = &frame.principal(),
                             .now = seconds_now()};
  const Redaction redaction =
      frame.worker.redactor.redact(frame.policy().redactions(), scope, arguments, arguments);
  if (redaction.redacted.empty()) return std::nullopt;
  frame.redacted_arguments = redaction.redacted;
  frame.withholds_arguments = redaction.is_withheld;
  if (redaction.edits.empty()) return std::nullopt;
  std::string text;
  append_redacted(text, frame.call.bytes.view(), redaction.edits);
  return text;
}

bool is_suspect(Worker& worker, const std::string& message) {
  const Bytes bytes{std::string_view(message)};
  std::unique_ptr<JsonDocument> document = worker.loop.lease_document();
  const Result<JsonValue> root = document->read(bytes, kRewrittenLimits);
  const bool holds_something =
      !root.has_value() || worker.redactor.finds_in(worker.snapshot->policy->redactions(), *root) ||
      may_need_sanitising(*root) || !worker.injections.scan(*root).found.empty();
  worker.loop.give_back(std::move(document));
  return holds_something;
}

std::optional<std::string> redact_event(Worker& worker, const Principal& principal,
                                        std::string_view server, const std::string& message) {
  return redact_json(worker, *worker.snapshot->policy,
                     {.carrier = Carrier::notifications,
                      .server = server,
                      .principal = &principal,
                      .now = seconds_now()},
                     message, "params")
      .left;
}

std::optional<std::string> redact_definition(CallFrame& frame, std::string_view server,
                                             std::string_view tool, const std::string& json) {
  const RedactionScope scope{.carrier = Carrier::definitions,
                             .server = server,
                             .tool = tool,
                             .principal = &frame.principal(),
                             .now = seconds_now()};
  return left_of(frame, redact_json(frame.worker, frame.policy(), scope, json));
}

std::string redact_instructions(CallFrame& frame, const std::string& text) {
  const RedactionScope scope{
      .carrier = Carrier::definitions, .principal = &frame.principal(), .now = seconds_now()};
  return left_of(frame, redact_text(frame.worker, frame.policy(), scope, text))
      .value_or(std::string(kWithheld));
}

std::string redact_line(Worker& worker, std::string_view server, std::string_view line) {
  return redact_text(worker, *worker.snapshot->policy,
                     {.carrier = Carrier::records, .server = server, .now = seconds_now()}, line)
      .left.value_or(std::string(kWithheld));
}

EncodedRecord encode_redacted(Worker& worker, const Record& record) {
  // Almost always nothing is found, so that all are looked at together first; and what the record
  // before says as well is looked at once. How a call ended is told in fewer members.
  std::string& harmless = worker.harmless_texts[record.kind == RecordKind::outcome ? 0 : 1];
  std::string_view rest = harmless;
  const bool is_known = std::ranges::all_of(kForeign, [&](auto member) {
    const std::string_view text = record.*member;
    if (rest.size() <= text.size() || rest[text.size()] != '\0') return false;
    if (!rest.starts_with(text)) return false;
    rest.remove_prefix(text.size() + 1);
    return true;
  });
  if (is_known && rest.empty()) return encode_record(record);
  worker.record_text.clear();
  for (const auto member : kForeign) {
    worker.record_text += record.*member;
    worker.record_text += '\0';
  }
  const bool is_suspect = std::ranges::any_of(
      kForeign, [&](auto member) { return may_need_sanitising(record.*member); });
  if (!is_suspect &&
      !worker.redactor.finds_in(worker.snapshot->policy->redactions(), worker.record_text)) {
    std::swap(worker.record_text, harmless);
    return encode_record(record);
  }
  Record redacted = record;
  std::array<std::string, kForeign.size()> texts;
  for (std::size_t i = 0; i < kForeign.size(); ++i) {
    texts[i] = redact_line(worker, record.server, record.*kForeign[i]);
    redacted.*kForeign[i] = texts[i];
  }
  return encode_record(redacted);
}

}  // namespace bartizan
