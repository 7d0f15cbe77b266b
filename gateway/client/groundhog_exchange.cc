#include "gateway/client/groundhog_exchange.h"

#include <utility>

#include "gateway/runtime/clock.h"
#include "schemas/base/error_code.h"
#include "schemas/message/write_message.h"

namespace bartizan {

GroundhogExchange::GroundhogExchange(std::shared_ptr<WireClient> client, std::string id_json,
                                     Era era, std::shared_ptr<const GroundhogRequest> asked)
    : WireExchange(std::move(client), std::move(id_json), era),
      asked_(std::move(asked)),
      answered_{.request = asked_.get(), .id_json = this->id_json()},
      begun_(steady_now()) {}

GroundhogExchange::~GroundhogExchange() {
  if (!is_finished())
    GroundhogExchange::finish({.message = {}, .protocol_error = ErrorCode::server_failed});
}

void GroundhogExchange::on_decision(std::string_view decision_id,
                                    std::span<const std::string> permissions) {
  answered_.decision_id = decision_id;
  answered_.permissions.assign(permissions.begin(), permissions.end());
}

void GroundhogExchange::finish(Answer answer) {
  if (answer.message.empty() && answer.protocol_error.has_value()) {
    const auto code = static_cast<int>(rpc_code(*answer.protocol_error));
    answer.message = write_error(id_json(), code, error_text(*answer.protocol_error));
  }
  answered_.now = system_now();
  answered_.elapsed = std::chrono::duration_cast<std::chrono::microseconds>(steady_now() - begun_);
  if (!answer.message.empty()) answer.message = write_groundhog_answer(answer.message, answered_);
  WireExchange::finish(std::move(answer));
}

}  // namespace bartizan
