#include "gateway/batch.h"

#include <string>
#include <utility>

#include "gateway/handle_call.h"

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
    Inbound inbound{.era = shared.era,
                    .version = shared.version,
                    .snapshot = shared.snapshot,
                    .caller = shared.caller,
                    .source = shared.source,
                    .transport = shared.transport,
                    .session_id = shared.session_id,
                    .bytes = element.bytes.size(),
                    .in_batch = true,
                    .received_at = shared.received_at};
    inbound.received = std::move(element);
    spawn(worker.loop,
          handle_call(worker, std::move(inbound), std::make_shared<ElementExchange>(gathered)));
  }
}

}  // namespace bartizan
