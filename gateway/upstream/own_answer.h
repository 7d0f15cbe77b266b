#pragma once

#include <optional>
#include <string_view>

#include "policy/verdict/permit.h"
#include "schemas/message/message.h"

namespace bartizan {

/// The gateway's own answer to a server's request that is sent to no client. A ping gets its
/// result, any other request an error with that sentence. Nothing for other messages. Nothing in
/// the modern era, in which a server may send requests only within a response (SEP-2260).
std::optional<Permit> own_answer(Era era, const Message& request, std::string_view why);

/// The reason to refuse a server's request during one of the gateway's own requests.
inline constexpr std::string_view kNoClientsRequest = "not part of any client's request";

}  // namespace bartizan
