#include "gateway/client/fabricore_exchange.h"

#include <utility>

namespace bartizan {

FabricoreExchange::FabricoreExchange(std::shared_ptr<WireClient> client, std::string id_json,
                                     Era era, std::shared_ptr<const FabricoreRequest> asked)
    : WireExchange(std::move(client), std::move(id_json), era), asked_(std::move(asked)) {}

FabricoreExchange::~FabricoreExchange() {
  if (!is_finished())
    FabricoreExchange::finish({.message = {}, .protocol_error = ErrorCode::server_failed});
}

void FabricoreExchange::finish(Answer answer) {
  if (!answer.message.empty()) answer.message = write_fabricore_answer(answer.message, *asked_);
  WireExchange::finish(std::move(answer));
}

}  // namespace bartizan
