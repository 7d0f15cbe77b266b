#include "gateway/call/batch.h"

#include <string>
#include <utility>

#include "gateway/call/handle_call.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// What the elements' answers are gathered in.
struct Gathered {
  std::shared_ptr<Exchange> exchange;
  std::size_t left = 0;
  std::string answers;
  std::optional<ErrorCode> protocol_error;
  std::vector<std::move_only_function<void()>> cancels;

  void finish(Answer answer) {
    // A session that is gone is gone for all elements, and the transport must say so.
    if (answer.protocol_error == ErrorCode::not_found) protocol_error = answer.protocol_error;
    if (!answer.message.empty()) {
      if (!answers.empty()) answers += ",";
      answers += answer.message;
    }
    if (--left > 0) return;
    exchange->finish({.message = answers.empty() ? std::string() : "[" + answers + "]",
                      .protocol_error = protocol_error});
  }
};

/// One element's end of the batch's exchange.
class ElementExchange final : public Exchange {
 public:
  explicit ElementExchange(std::shared_ptr<Gathered> gathered) : gathered_(std::move(gathered)) {}
  void send(std::string message) override { gathered_->exchange->send(std::move(message)); }
  void finish(Answer answer) override { gathered_->finish(std::move(answer)); }
  void on_cancel(std::move_only_function<void()> cancelled) override {
    gathered_->cancels.push_back(std::move(cancelled));
  }

 private:
  std::shared_ptr<Gathered> gathered_;
};

}  // namespace

void handle_batch(Worker& worker, Inbound shared, std::vector<ReceivedMessage> elements,
                  std::shared_ptr<Exchange> exchange) {
  auto gathered = std::make_shared<Gathered>();
  gathered->exchange = std::move(exchange);
  gathered->left = elements.size();
  gathered->exchange->on_cancel([weak = std::weak_ptr(gathered)] {
    const auto alive = weak.lock();
    if (alive == nullptr) return;
    for (auto& cancel : alive->cancels)
      cancel();
  });
  for (ReceivedMessage& element : elements) {
    const std::size_t bytes = element.bytes.size();
    auto inbound = std::make_unique<Inbound>(Inbound{.received = std::move(element),
                                                     .era = shared.era,
                                                     .version = shared.version,
                                                     .snapshot = shared.snapshot,
                                                     .caller = shared.caller,
                                                     .source = shared.source,
                                                     .transport = shared.transport,
                                                     .session_id = shared.session_id,
                                                     .bytes = bytes,
                                                     .in_batch = true,
                                                     .received_at = shared.received_at});
    spawn(worker.loop,
          handle_call(worker, std::move(inbound), std::make_shared<ElementExchange>(gathered)));
  }
}

std::expected<std::vector<ReceivedMessage>, RefusedMessage> read_batch(Loop& loop,
                                                                       JsonValue array) {
  const auto refuse = [](const char* why, std::string id_json) {
    return std::unexpected(
        RefusedMessage{{ErrorCode::invalid_request, Fault::client, why}, std::move(id_json)});
  };
  if (array.size() == 0 || array.size() > limits::batch_messages_max) {
    return refuse("a batch has 1 to 64 messages", "");
  }
  std::vector<ReceivedMessage> elements;
  for (const JsonValue element : array) {
    Receipt receipt = receive_element(loop, element);
    const bool is_modern =
        receipt.has_value() && receipt->message.meta.find(meta_key::protocol_version);
    if (!receipt.has_value() || is_modern || receipt->message.known->id == MethodId::initialize) {
      return refuse("an element is no message of a batch",
                    receipt.has_value() ? "" : receipt.error().id_json);
    }
    elements.push_back(std::move(*receipt));
  }
  return elements;
}

}  // namespace bartizan
