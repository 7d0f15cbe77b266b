#include "gateway/upstream/own_answer.h"

#include <string>

#include "schemas/message/write_message.h"

namespace bartizan {

std::optional<Permit> own_answer(Era era, const Message& request, std::string_view why) {
  if (era == Era::modern || !request.is_request()) return std::nullopt;
  const std::string id(request.id.raw());
  if (request.known->id == MethodId::ping) {
    return Permit::own(GatewayMessage::ping_answer, write_result(id, "{}"));
  }
  return Permit::own(GatewayMessage::refusal, write_error(id, -32601, std::string(why)));
}

}  // namespace bartizan
