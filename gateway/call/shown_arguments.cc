#include "gateway/call/shown_arguments.h"

#include <utility>

#include "gateway/call/redact_message.h"

namespace bartizan {

// As in `prepare_call`, without the step that puts in what tokens stand for.
ShownArguments::ShownArguments(CallFrame& frame)
    : value_(frame.inbound.received.message.arguments) {
  if (frame.method() != MethodId::tools_call || frame.target.server == nullptr) return;
  const auto message = [&]() -> const Message& {
    return step_.has_value() ? step_->message : frame.inbound.received.message;
  };
  const auto bytes = [&] {
    return step_.has_value() ? step_->bytes.view() : frame.received_bytes.view();
  };
  const auto profile = frame.policy().profiles().find(frame.call);
  take(profile->renames.apply(message(), bytes()));
  take(redacted_copy(frame, message().arguments, bytes()));
  take(profile->rewrites.apply(message(), bytes()));
}

void ShownArguments::take(std::optional<std::string> text) {
  if (!text.has_value()) return;
  Step next{.bytes = Bytes(*std::move(text)), .document = {}, .message = {}};
  const Result<JsonValue> root = next.document.read(next.bytes);
  if (!root.has_value()) return;
  const Result<Message> message = parse_message(*root);
  if (!message.has_value()) return;
  next.message = *message;
  value_ = next.message.arguments;
  step_ = std::move(next);
}

}  // namespace bartizan
