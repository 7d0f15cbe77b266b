#include "gateway/client/wire_exchange.h"

#include <utility>

#include "schemas/base/error_code.h"
#include "schemas/message/write_message.h"

namespace bartizan {

WireExchange::WireExchange(std::shared_ptr<WireClient> client, std::string id_json, Era era,
                           std::uint32_t calls)
    : client_(std::move(client)), id_json_(std::move(id_json)), era_(era), calls_(calls) {
  client_->begin(*this);
}

WireExchange::~WireExchange() {
  if (!is_finished_)
    WireExchange::finish({.message = {}, .protocol_error = ErrorCode::server_failed});
}

bool WireExchange::takes_answers_only(const WireClient& client) {
  return client.terms_.answers_only || client.is_handshake_implied_;
}

void WireExchange::send(std::string message) {
  if (is_cancelled_ || is_finished_ || message.empty() || takes_answers_only(*client_)) return;
  client_->wire_->write(std::move(message));
  client_->news_.notify();
}

void WireExchange::finish(Answer answer) {
  if (std::exchange(is_finished_, true)) return;
  const bool is_lost = answer.message.empty() && answer.protocol_error.has_value();
  if (is_lost && !id_json_.empty()) {
    const auto code = static_cast<int>(rpc_code(*answer.protocol_error));
    answer.message = write_error(id_json_, code, error_text(*answer.protocol_error));
  }
  if (!answer.session_id.empty()) client_->begin_session(answer.session_id);
  if (!is_cancelled_ && !answer.message.empty()) client_->wire_->write(std::move(answer.message));
  client_->end(*this);
}

void WireStream::send(std::string message) {
  const auto client = client_.lock();
  const bool is_told =
      client != nullptr && !message.empty() && !WireExchange::takes_answers_only(*client);
  if (is_told) client->wire_->write(std::move(message));
}

void WireStream::finish(Answer /*answer*/) {
  const auto client = client_.lock();
  if (client == nullptr || kind_of(client->terms_.transport).is_own_process) return;
  client->drain();
}

void ImpliedExchange::finish(Answer answer) {
  answer.message.clear();
  answer.protocol_error.reset();
  tell_nothing_unasked();
  WireExchange::finish(std::move(answer));
}

/// A client that sent no `initialize` expects only responses.
void WireExchange::tell_nothing_unasked() {
  client_->is_handshake_implied_ = true;
}

void WireExchange::on_cancel(std::move_only_function<void()> cancelled) {
  cancelled_ = std::move(cancelled);
  if (is_cancelled_ && cancelled_) std::exchange(cancelled_, nullptr)();
}

void WireExchange::cancel() {
  if (std::exchange(is_cancelled_, true)) return;
  if (cancelled_) std::exchange(cancelled_, nullptr)();
}

}  // namespace bartizan
