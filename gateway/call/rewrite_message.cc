#include "gateway/call/rewrite_message.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "config/sanitising_names.h"
#include "gateway/worker/redact_text.h"
#include "policy/content/content_copies.h"

namespace bartizan {
namespace {

/// On record where two names of a message are one without what was taken out of them.
constexpr std::string_view kSameName = "same_name";
/// And where there is no memory for what is left, or it is larger than a message may be.
constexpr std::string_view kNoRoom = "no_room";

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

/// What a subscription lets through is judged by the policy of the moment.
bool follows_policy(const CallFrame& frame) {
  return frame.method() == MethodId::subscriptions_listen;
}

}  // namespace

const Policy& policy_of(const CallFrame& frame) {
  return follows_policy(frame) ? *frame.worker.snapshot->policy : frame.policy();
}

PrincipalPtr reader_of(const CallFrame& frame) {
  if (!follows_policy(frame)) return frame.inbound.caller.principal;
  return frame.worker.snapshot->authenticator.rebind(frame.principal());
}

JsonValue payload_of(const Message& message) {
  if (message.kind == MessageKind::response) return message.result;
  return message.kind == MessageKind::error_response ? message.error : message.params;
}

RewriteOutcome read_again(CallFrame& frame, ReceivedMessage& received, std::string left,
                          Copies copies) {
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
    add(frame.findings.sanitised,
        {.what = has_room ? kSameName : kNoRoom, .action = text(HiddenText::refuse), .count = 1});
    return RewriteOutcome::withheld;
  }
  again->part = received.part;
  frame.worker.loop.give_back(std::move(received.document));
  received = std::move(*again);
  return RewriteOutcome::passes;
}

}  // namespace bartizan
