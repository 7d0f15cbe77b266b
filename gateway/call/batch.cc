#include "gateway/call/batch.h"

#include <string>
#include <string_view>
#include <utility>

#include "gateway/call/handle_call.h"
#include "schemas/base/limits.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// As `answer_denial` writes it for the era that has batches.
constexpr int kLegacyDenied = -32000;
constexpr std::string_view kNoRoom =
    "The gateway has no room for this answer: take in those before, or ask for less at a time";
constexpr std::string_view kNoRoomData = R"({"reason":"overloaded","retryable":true})";
/// The whole is there twice while it is joined.
constexpr std::size_t kCopies = 2;

/// What the elements' answers are gathered in, and held for as one.
struct Gathered {
  std::shared_ptr<Exchange> exchange;
  MemoryShares& shares;
  std::string principal;
  std::size_t left = 0;
  std::string answers;
  MemoryShares::Held memory;
  std::optional<ErrorCode> protocol_error;
  std::vector<std::move_only_function<void()>> cancels;

  void finish(Answer answer, const std::string& id_json) {
    // A session that is gone is gone for all elements, and the transport must say so.
    if (answer.protocol_error == ErrorCode::not_found) protocol_error = answer.protocol_error;
    if (!answer.message.empty()) {
      // The call is done, and its record says so; its answer alone finds no room.
      if (!memory.hold(shares, principal, kCopies * (answers.size() + answer.message.size())))
        answer.message = write_error(id_json, kLegacyDenied, kNoRoom, kNoRoomData);
      if (!answers.empty()) answers += ",";
      answers += answer.message;
    }
    if (--left > 0) return;
    exchange->finish({.message = answers.empty() ? std::string() : "[" + answers + "]",
                      .protocol_error = protocol_error,
                      .memory = std::move(memory)});
  }
};

/// One element's end of the batch's exchange.
class ElementExchange final : public Exchange {
 public:
  ElementExchange(std::shared_ptr<Gathered> gathered, std::string id_json)
      : gathered_(std::move(gathered)), id_json_(std::move(id_json)) {}
  void send(std::string message) override { gathered_->exchange->send(std::move(message)); }
  void finish(Answer answer) override { gathered_->finish(std::move(answer), id_json_); }
  void on_cancel(std::move_only_function<void()> cancelled) override {
    gathered_->cancels.push_back(std::move(cancelled));
  }

 private:
  std::shared_ptr<Gathered> gathered_;
  std::string id_json_;
};

}  // namespace

void handle_batch(Worker& worker, Inbound shared, std::vector<ReceivedMessage> elements,
                  std::shared_ptr<Exchange> exchange) {
  auto gathered = std::make_shared<Gathered>(Gathered{.exchange = std::move(exchange),
                                                      .shares = worker.gateway.unread,
                                                      .principal = shared.caller.principal->id,
                                                      .left = elements.size(),
                                                      .answers = {},
                                                      .memory = {},
                                                      .protocol_error = {},
                                                      .cancels = {}});
  gathered->exchange->on_cancel([weak = std::weak_ptr(gathered)] {
    const auto alive = weak.lock();
    if (alive == nullptr) return;
    for (auto& cancel : alive->cancels)
      cancel();
  });
  for (ReceivedMessage& element : elements) {
    const std::size_t bytes = element.bytes.size();
    std::string id_json(element.message.id ? element.message.id.raw() : std::string_view());
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
          handle_call(worker, std::move(inbound),
                      std::make_shared<ElementExchange>(gathered, std::move(id_json))));
  }
}

std::expected<std::vector<ReceivedMessage>, RefusedMessage> read_batch(
    Loop& loop, JsonValue array, ClientConfig::NullMembers null_members) {
  const auto refuse = [](const char* why, std::string id_json) {
    return std::unexpected(
        RefusedMessage{{ErrorCode::invalid_request, Fault::client, why}, std::move(id_json)});
  };
  if (array.size() == 0 || array.size() > limits::batch_messages_max) {
    return refuse("a batch has 1 to 64 messages", "");
  }
  std::vector<ReceivedMessage> elements;
  for (const JsonValue element : array) {
    Receipt receipt = receive_element(loop, element, null_members);
    const bool is_modern =
        receipt.has_value() && receipt->message.meta.find(meta_key::protocol_version);
    if (!receipt.has_value() || is_modern || receipt->message.known->id == MethodId::initialize) {
      return refuse("an element is not a message of a batch",
                    receipt.has_value() ? "" : receipt.error().id_json);
    }
    elements.push_back(std::move(*receipt));
  }
  return elements;
}

}  // namespace bartizan
