#include "gateway/client/stdio_exchange.h"

#include <utility>

#include "schemas/base/error_code.h"
#include "schemas/message/write_message.h"

namespace bartizan {

StdioExchange::StdioExchange(std::shared_ptr<StdioClient> client, std::string id_json, Era era,
                             std::uint32_t calls)
    : client_(std::move(client)), id_json_(std::move(id_json)), era_(era), calls_(calls) {
  client_->begin(*this);
}

StdioExchange::~StdioExchange() {
  if (!is_finished_) finish({.message = {}, .protocol_error = ErrorCode::server_failed});
}

void StdioExchange::send(std::string message) {
  const bool is_unasked = client_->answers_only_;
  if (is_cancelled_ || is_finished_ || is_unasked || message.empty()) return;
  client_->output_->write(std::move(message));
  client_->news_.notify();
}

void StdioExchange::finish(Answer answer) {
  if (std::exchange(is_finished_, true)) return;
  const bool is_lost = answer.message.empty() && answer.protocol_error.has_value();
  if (is_lost && !id_json_.empty()) {
    const auto code = static_cast<int>(rpc_code(*answer.protocol_error));
    answer.message = write_error(id_json_, code, error_text(*answer.protocol_error));
  }
  if (!answer.session_id.empty()) client_->begin_session(answer.session_id);
  if (!is_cancelled_ && !answer.message.empty()) client_->output_->write(std::move(answer.message));
  client_->end(*this);
}

void StdioExchange::on_cancel(std::move_only_function<void()> cancelled) {
  cancelled_ = std::move(cancelled);
  if (is_cancelled_ && cancelled_) std::exchange(cancelled_, nullptr)();
}

void StdioExchange::cancel() {
  if (std::exchange(is_cancelled_, true)) return;
  if (cancelled_) std::exchange(cancelled_, nullptr)();
}

}  // namespace bartizan
